//! What the folders of a child hold, all together: files, and what is left of files without a name.
//!
//! The kernel bounds each file, and nothing bounds their number. A file that was removed goes on taking room as long
//! as somebody has it open or mapped, so these are looked for where the kernel lists them.

use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The most files and folders, and the deepest folder: a build has far fewer, and looking at them takes time.
const ENTRIES_MAX: usize = 500_000;
const DEPTH_MAX: usize = 64;

/// The shortest time between two looks. A look that takes long is not repeated for many times that.
const PERIOD: Duration = Duration::from_millis(100);
const PAUSE_TO_LOOK: u32 = 10;

/// In how many looks one after the other a process is seen to hide: one that was just forked does so for a moment.
const HIDDEN_LOOKS: u32 = 5;

/// Bytes of a block, as `stat` counts them.
const BLOCK_BYTES: u64 = 512;

/// The folders that a child may write to, and the most bytes that all of them may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FolderBound {
    pub(super) folders: Vec<PathBuf>,
    pub(super) bytes_max: u64,
    /// How many processes of ours nobody can look into: the child hides its memory.
    pub(super) hidden_max: usize,
}

/// The watch over these folders.
#[derive(Debug)]
pub(super) struct FolderWatch<'a> {
    bound: &'a FolderBound,
    next: Instant,
    /// Processes that could not be looked into, and in how many looks one after the other.
    hidden: HashMap<i32, u32>,
}

impl<'a> FolderWatch<'a> {
    pub(super) fn new(bound: &'a FolderBound) -> Self {
        Self {
            bound,
            next: Instant::now(),
            hidden: HashMap::new(),
        }
    }

    /// Returns true if the folders hold too much. `processes` are those that may have files of them open; they are
    /// asked for only if it is time to look.
    pub(super) fn is_exceeded(&mut self, processes: impl FnOnce() -> Vec<i32>) -> bool {
        let now = Instant::now();
        if now < self.next {
            return false;
        }
        let processes = processes();
        let is_exceeded = bytes(&self.bound.folders, &processes)
            .is_none_or(|bytes| bytes > self.bound.bytes_max)
            || self.hides(&processes);
        self.next = Instant::now() + PERIOD.max(now.elapsed() * PAUSE_TO_LOOK);
        is_exceeded
    }

    /// Returns true if more processes than ours hide what they have open, for longer than a moment.
    fn hides(&mut self, processes: &[i32]) -> bool {
        let hidden = processes.iter().filter(|process| is_hidden(**process));
        let now = hidden.map(|process| {
            let looks = self.hidden.get(process).copied().unwrap_or(0);
            (*process, looks + 1)
        });
        self.hidden = now.collect();
        let long = self.hidden.values().filter(|looks| **looks >= HIDDEN_LOOKS);
        long.count() > self.bound.hidden_max
    }
}

/// Returns true if a process is there, has not ended, and does not let its open files be seen: it runs a program that
/// nobody may read, or has just been forked by one that hides.
fn is_hidden(process: i32) -> bool {
    let open = fs::read_dir(format!("/proc/{process}/fd"));
    let is_denied = open.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
    is_denied && {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let state = stat.rsplit_once(") ").map_or("Z", |(_, rest)| rest);
        !state.starts_with(['Z', 'X'])
    }
}

/// What folders hold, and files without a name that these processes have open or mapped; `None` if there are too many
/// or too deep ones to be counted.
fn bytes(folders: &[PathBuf], processes: &[i32]) -> Option<u64> {
    let mut count = Count::default();
    for folder in folders {
        count.folder(folder, DEPTH_MAX)?;
    }
    for process in processes {
        count.open_files(*process);
        count.mapped_files(*process);
    }
    Some(count.bytes)
}

#[derive(Debug, Default)]
struct Count {
    bytes: u64,
    entries: usize,
    /// Device and number of files that may be met again.
    seen: HashSet<(u64, u64)>,
}

impl Count {
    fn folder(&mut self, folder: &Path, deep: usize) -> Option<()> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            // One that nobody may read hides what is in it.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return None,
            // It is gone by now, or no folder.
            Err(_) => return Some(()),
        };
        for entry in entries.flatten() {
            self.entries += 1;
            if self.entries > ENTRIES_MAX || deep == 0 {
                return None;
            }
            let Ok(found) = entry.metadata() else {
                continue;
            };
            self.file(&found, found.nlink() > 1 && found.is_file());
            if found.is_dir() {
                self.folder(&entry.path(), deep - 1)?;
            }
        }
        Some(())
    }

    fn file(&mut self, found: &Metadata, has_others: bool) {
        if !has_others || self.seen.insert((found.dev(), found.ino())) {
            let bytes = found.blocks().saturating_mul(BLOCK_BYTES);
            self.bytes = self.bytes.saturating_add(bytes);
        }
    }

    /// Files without a name that a process has open, memory files among them.
    fn open_files(&mut self, process: i32) {
        let Ok(open) = fs::read_dir(format!("/proc/{process}/fd")) else {
            return;
        };
        for file in open.flatten() {
            // By this path nothing is opened, whatever it is.
            if let Ok(found) = fs::metadata(file.path())
                && found.is_file()
                && found.nlink() == 0
            {
                self.file(&found, true);
            }
        }
    }

    /// Files without a name that a process has mapped, and perhaps no longer open. As much of them counts as is
    /// mapped.
    fn mapped_files(&mut self, process: i32) {
        let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
        for line in maps.lines().filter(|line| line.ends_with(" (deleted)")) {
            if let Some((file, bytes)) = mapping(line)
                && !self.seen.contains(&file)
            {
                self.bytes = self.bytes.saturating_add(bytes);
            }
        }
    }
}

/// The device and number of a mapped file, and the bytes that are mapped: a line of /proc/PID/maps, as
/// "from-to permissions offset major:minor inode path".
fn mapping(line: &str) -> Option<((u64, u64), u64)> {
    let mut fields = line.split_ascii_whitespace();
    let (from, to) = fields.next()?.split_once('-')?;
    let hex = |text| u64::from_str_radix(text, 16).ok();
    let bytes = hex(to)?.checked_sub(hex(from)?)?;
    let (major, minor) = fields.nth(2)?.split_once(':')?;
    let inode: u64 = fields.next()?.parse().ok()?;
    let (major, minor) = (
        u32::try_from(hex(major)?).ok()?,
        u32::try_from(hex(minor)?).ok()?,
    );
    Some(((libc::makedev(major, minor), inode), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write as _;

    const MIB: usize = 1 << 20;

    fn own() -> [i32; 1] {
        [i32::try_from(std::process::id()).unwrap()]
    }

    #[test]
    fn files_count_once_with_what_they_take_also_without_a_name() {
        let home = tempfile::tempdir().unwrap();
        let folders = [home.path().to_owned()];
        let at = |name: &str| home.path().join(name);
        fs::create_dir_all(at("deep/er")).unwrap();
        let empty = bytes(&folders, &[]).unwrap();
        assert!(empty < MIB as u64);
        fs::write(at("deep/er/a"), vec![1; MIB]).unwrap();
        fs::hard_link(at("deep/er/a"), at("b")).unwrap();
        File::create(at("sparse"))
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
        let one = bytes(&folders, &[]).unwrap() - empty;
        assert!((MIB as u64..2 * MIB as u64).contains(&one), "{one}");
        let before = bytes(&folders, &own()).unwrap();
        let mut open = File::create(at("gone")).unwrap();
        open.write_all(&vec![1; 8 * MIB]).unwrap();
        fs::remove_file(at("gone")).unwrap();
        let more = bytes(&folders, &own()).unwrap() - before;
        assert!(more >= 8 * MIB as u64, "{more}");
        // Other tests of this process may open and close files meanwhile; what is closed is counted no more.
        drop(open);
        assert!(bytes(&folders, &[]).unwrap() - empty < 2 * MIB as u64);
    }

    #[test]
    fn what_is_too_deep_to_be_counted_is_too_much() {
        let home = tempfile::tempdir().unwrap();
        let deep: PathBuf = std::iter::repeat_n("d", DEPTH_MAX + 2).collect();
        fs::create_dir_all(home.path().join(deep)).unwrap();
        let bound = FolderBound {
            folders: vec![home.path().to_owned()],
            bytes_max: u64::MAX,
            hidden_max: 1,
        };
        assert!(FolderWatch::new(&bound).is_exceeded(Vec::new));
    }

    #[test]
    fn a_mapped_file_without_a_name_has_its_place_and_size() {
        let line = "7f00-8f00 rw-s 00000000 fe:01 1234                 /tmp/x y (deleted)";
        let file = (libc::makedev(0xfe, 1), 1234);
        assert_eq!(mapping(line), Some((file, 0x1000)));
        assert_eq!(mapping("x (deleted)"), None);
    }
}
