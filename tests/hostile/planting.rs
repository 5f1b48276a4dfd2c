//! Things that are put in the place of a file or folder: what leads out of a folder, never ends, or changes meanwhile;
//! and what no command may do with any of them.

use crate::support::{CommandOutput, bakeoff};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The folder of what is the user's own, where a test has it in the folder that it plants in.
pub(super) const OF_USER: &str = "of-user";

/// What stands in the files outside of every folder.
pub(super) const CANARY: &str = "canary-of-the-host";

/// The longest that a command may take. Nothing is measured by it: it ends a test that would hang.
const PATIENCE: Duration = Duration::from_secs(240);

/// Files of a host, which no command has anything to do with.
pub(super) struct Host {
    folder: TempDir,
}

/// What is known of one of them: its name, number, mode, size, the time of its last change, and its bytes.
type FileState = (PathBuf, u64, u32, u64, (i64, i64), Vec<u8>);

impl Host {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let host = Self { folder };
        fs::create_dir(host.at("folder")).unwrap();
        // As text, as JSON and as a source: whatever a command takes it for.
        let text = format!("\"{CANARY}\"\n// {CANARY}");
        for name in [
            "file",
            "folder/report.json",
            "folder/bakeoff.db",
            "folder/top-k.wit",
        ] {
            fs::write(host.at(name), &text).unwrap();
            fs::set_permissions(host.at(name), fs::Permissions::from_mode(0o640)).unwrap();
        }
        host
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn state(&self) -> Vec<FileState> {
        let mut state = Vec::new();
        for folder in [self.folder.path(), &self.at("folder")] {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let found = path.metadata().unwrap();
                let content = fs::read(&path).unwrap_or_default();
                let changed = (found.mtime(), found.mtime_nsec());
                let numbers = (found.ino(), found.mode(), found.len());
                state.push((path, numbers.0, numbers.1, numbers.2, changed, content));
            }
        }
        state.sort();
        state
    }

    /// Watches what is opened, read or changed here by its own name.
    fn watch(&self) -> HostWatch {
        let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
        for folder in [self.folder.path(), &self.at("folder")] {
            // Not what is closed: the kernel may still tell that of a look of our own.
            let seen = WatchFlags::OPEN
                | WatchFlags::ACCESS
                | WatchFlags::MODIFY
                | WatchFlags::ATTRIB
                | WatchFlags::CREATE
                | WatchFlags::DELETE;
            inotify::add_watch(&watch, folder, seen).unwrap();
        }
        HostWatch { watch }
    }

    /// The files themselves, whatever name they have elsewhere.
    fn files(&self) -> HashSet<(u64, u64)> {
        let state = self.state().into_iter();
        let found = state.map(|(path, ..)| path.metadata().unwrap());
        found.map(|found| (found.dev(), found.ino())).collect()
    }
}

/// What happens to the files of a host while this is alive.
struct HostWatch {
    watch: OwnedFd,
}

impl HostWatch {
    /// What happened, as words.
    fn seen(&self) -> Vec<String> {
        let mut seen = Vec::new();
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(&self.watch, &mut buffer);
        while let Ok(event) = events.next() {
            seen.push(format!("{:?} of {:?}", event.events(), event.file_name()));
        }
        seen
    }
}

/// What is put in the place of a file or folder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Plant {
    /// A link to a file or folder of the host.
    Link,
    /// A file of the host, under a second name.
    SecondName,
    /// A pipe that nobody writes to.
    Pipe,
    /// A link to a device that never ends.
    DeviceLink,
    /// Such a device itself, where the user may make one.
    Device,
    /// What was there, and gibibytes behind it.
    Huge,
    /// What was there, for nobody to read.
    Unreadable,
    /// A folder with a link in it; in the place of a folder, a file.
    OtherKind,
    /// What was there, a link and a pipe by turns, as long as a command works.
    Changing,
}

impl Plant {
    pub(super) fn put(self, at: &Path, host: &Host) {
        let was_folder = at.is_dir();
        let keeps = matches!(self, Self::Huge | Self::Unreadable | Self::Changing);
        match was_folder {
            _ if keeps => {}
            true => fs::remove_dir_all(at).unwrap(),
            false => drop(fs::remove_file(at)),
        }
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        let in_host = match was_folder {
            true => host.at("folder"),
            false => host.at("file"),
        };
        let owner = Mode::RUSR | Mode::WUSR;
        match self {
            Self::Link => symlink(in_host, at).unwrap(),
            Self::SecondName => fs::hard_link(host.at("file"), at).unwrap(),
            Self::Pipe => mknodat(CWD, at, FileType::Fifo, owner, 0).unwrap(),
            Self::DeviceLink => symlink("/dev/zero", at).unwrap(),
            Self::Device => {
                let zero = makedev(1, 5);
                // Only root may; for others there is nothing in its place.
                let _ = mknodat(CWD, at, FileType::CharacterDevice, owner, zero);
            }
            // One of its files, where it is a folder.
            Self::Huge => {
                let path = if was_folder {
                    at.join("huge")
                } else {
                    at.to_owned()
                };
                let file = fs::File::options().append(true).create(true).open(path);
                file.unwrap().set_len(3 << 30).unwrap();
            }
            Self::Unreadable => {
                if !at.exists() {
                    fs::write(at, "").unwrap();
                }
                fs::set_permissions(at, fs::Permissions::from_mode(0o000)).unwrap();
            }
            Self::OtherKind if was_folder => fs::write(at, "{}").unwrap(),
            Self::OtherKind => {
                fs::create_dir(at).unwrap();
                symlink(in_host, at.join("link")).unwrap();
            }
            Self::Changing => {}
        }
    }

    /// Goes on changing what is in a place until it is told to stop, and puts back what was there.
    fn change(at: &Path, host: &Host, is_over: &AtomicBool) {
        let beside = |name: &str| at.with_file_name(format!("changing-{name}"));
        let (own, link, pipe) = (beside("own"), beside("link"), beside("pipe"));
        let in_host = match at.is_dir() {
            true => host.at("folder"),
            false => host.at("file"),
        };
        let swap = |other: &Path| {
            // A command may have put something else there meanwhile, or be about to.
            let _ = fs::rename(at, &own);
            let _ = fs::rename(other, at);
            std::thread::sleep(Duration::from_micros(300));
            let _ = fs::rename(at, other);
            let _ = fs::rename(&own, at);
            std::thread::sleep(Duration::from_micros(300));
        };
        while !is_over.load(Ordering::Relaxed) {
            let _ = symlink(&in_host, &link);
            let _ = mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0);
            swap(&link);
            swap(&pipe);
        }
        for path in [link, pipe] {
            let _ = fs::remove_file(path);
        }
    }
}

/// Runs a command to its end, which it has to reach by itself.
pub(super) fn said(arguments: &[&str], folder: &Path) -> CommandOutput {
    let mut command = bakeoff(arguments);
    // The user's own folders, where the test has such: what lies in them may be planted, too.
    for (variable, name) in [("BAKEOFF_CACHE_DIR", "cache"), ("XDG_DATA_HOME", "keys")] {
        let own = folder.join(OF_USER).join(name);
        if own.exists() {
            command.env(variable, own);
        }
    }
    let mut child = command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipes = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let stdout = std::thread::spawn(move || text_of(&mut pipes.0));
    let stderr = std::thread::spawn(move || text_of(&mut pipes.1));
    let until = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if Instant::now() > until => {
                child.kill().unwrap();
                panic!("{arguments:?} waits for ever");
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    CommandOutput {
        status: status.code().unwrap_or(-1),
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
    }
}

fn text_of(pipe: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    pipe.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The plain files below a folder that have the canary, but for those of the host under another name.
fn told(folder: &Path, hosts: &HashSet<(u64, u64)>, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let Ok(kind) = path.symlink_metadata() else {
            continue;
        };
        let is_hosts = hosts.contains(&(kind.dev(), kind.ino()));
        if kind.is_dir() {
            told(&path, hosts, found);
        } else if kind.is_file() && !is_hosts && kind.len() < 1 << 30 {
            let mut content = Vec::new();
            let read = fs::File::open(&path).map(|mut file| file.read_to_end(&mut content));
            let mut windows = content.windows(CANARY.len());
            let has = read.is_ok() && windows.any(|at| at == CANARY.as_bytes());
            found.extend(has.then_some(path));
        }
    }
}

/// What a command may do with what is in the place of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    /// Nothing outside is told.
    Nothing,
    /// A second name makes it a file of the folder, which may be read and told as such.
    OwnBySecondName,
}

/// A folder with something planted in it.
pub(super) struct Planted<'a> {
    folder: &'a Path,
    file: &'a str,
    plant: Plant,
    rule: Rule,
    host: Host,
}

impl<'a> Planted<'a> {
    pub(super) fn new(folder: &'a Path, file: &'a str, plant: Plant, rule: Rule) -> Self {
        let host = Host::new();
        plant.put(&folder.join(file), &host);
        Self {
            folder,
            file,
            plant,
            rule,
            host,
        }
    }

    /// Runs commands in it, and holds each to what none may do.
    pub(super) fn hold(&self, commands: &[&[&str]]) {
        for arguments in commands {
            let about = arguments.join(" ");
            // What the user names himself, and what is on the way there, may be a link, and is told where it is wrong.
            let is_named = |word: &&str| Path::new(word).starts_with(self.file);
            let is_named = arguments[1..].iter().any(is_named);
            self.watch(&about, is_named, || {
                let said = said(arguments, self.folder);
                assert_ne!(said.status, -1, "{about}, with {self}: {}", said.stderr);
                vec![said.stdout, said.stderr]
            });
        }
    }

    /// Does this, and holds the texts that come of it, the host and the folder to what nobody may do. What the user
    /// named himself may be told.
    pub(super) fn watch(&self, about: &str, is_named: bool, work: impl FnOnce() -> Vec<String>) {
        let about = format!("{about}, with {self}");
        let before = self.host.state();
        let watch = self.host.watch();
        let is_over = AtomicBool::new(false);
        let place = self.folder.join(self.file);
        let texts = std::thread::scope(|scope| {
            let changing = (self.plant == Plant::Changing)
                .then(|| scope.spawn(|| Plant::change(&place, &self.host, &is_over)));
            // It has to end also where the work panics.
            let texts = catch_unwind(AssertUnwindSafe(work));
            is_over.store(true, Ordering::Relaxed);
            drop(changing);
            texts.unwrap_or_else(|panic| resume_unwind(panic))
        });
        let seen = watch.seen();
        assert!(is_named || seen.is_empty(), "{seen:?} by {about}");
        let is_own = self.plant == Plant::SecondName && self.rule == Rule::OwnBySecondName;
        let may_tell = is_named || is_own;
        for text in texts {
            assert!(may_tell || !text.contains(CANARY), "{about}, tells: {text}");
            assert!(!text.contains("panicked at"), "{about}: {text}");
        }
        let after = self.host.state();
        let changed = |one: &&FileState| !before.contains(one);
        let changed: Vec<&PathBuf> = after.iter().filter(changed).map(|one| &one.0).collect();
        assert!(before == after, "{changed:?} changed by {about}");
        let mut found = Vec::new();
        told(self.folder, &self.host.files(), &mut found);
        assert!(may_tell || found.is_empty(), "{found:?} kept by {about}");
    }
}

impl Drop for Planted<'_> {
    fn drop(&mut self) {
        if self.plant == Plant::Unreadable {
            // So that the folder can be removed.
            let place = self.folder.join(self.file);
            let _ = fs::set_permissions(place, fs::Permissions::from_mode(0o700));
        }
    }
}

impl std::fmt::Display for Planted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} as {}", self.plant, self.file)
    }
}

/// Does this for each pair of a file and a plant, several at a time, and names all that fail.
pub(super) fn each(
    files: &[&'static str],
    plants: &[Plant],
    what: impl Fn(&'static str, Plant) + Sync,
) {
    let pairs = files
        .iter()
        .flat_map(|file| plants.iter().map(move |plant| (*file, *plant)));
    let pairs = Mutex::new(pairs.collect::<Vec<_>>());
    let failed = Mutex::new(Vec::new());
    let next = || pairs.lock().unwrap().pop();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some((file, plant)) = next() {
                    let done = catch_unwind(AssertUnwindSafe(|| what(file, plant)));
                    if done.is_err() {
                        failed.lock().unwrap().push((file, plant));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{failed:?}: see above");
}
