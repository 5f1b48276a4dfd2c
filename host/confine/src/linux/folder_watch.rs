//! The bytes that the folders of a child hold, all together: files, and removed files that still take room.
//!
//! The kernel bounds each file, and nothing bounds their number. A file that was removed goes on taking room as long as
//! a process has it open or mapped, so removed files are looked for where the kernel lists them. Bytes that wait in
//! pipes and pairs of sockets take memory of the kernel, so each of these is counted with the most that it may hold.

use super::live_process;
use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The most files and folders, and the deepest folder: a build has far fewer, and looking at them takes time.
const ENTRIES_MAX: usize = 50_000;
const DEPTH_MAX: usize = 64;

/// The shortest time between two looks, and the pause after a look as a multiple of the time that it took.
const PERIOD: Duration = Duration::from_millis(100);
const PAUSE_TO_LOOK: u32 = 3;

/// Largest number of searches for processes in one look: one may hand its open files to another and end meanwhile.
const ROUNDS_MAX: usize = 4;

/// Number of looks in a row after which a process counts as hiding: one that was just forked hides for a moment.
const HIDDEN_LOOKS: u32 = 5;

/// The most bytes that wait in one socket of a pair: twice what the kernel gives it, since it also counts what the
/// bytes are kept in. The filter of system calls allows no larger one.
const SOCKET_BYTES: u64 = 512 << 10;

/// The most pages that wait in a pipe. The filter allows no larger one.
const PIPE_PAGES: u64 = 16;

/// Bytes of a block, as `stat` counts them.
const BLOCK_BYTES: u64 = 512;

/// The folders that a child may write to, and the most bytes that all of them may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FolderBound {
    pub(super) folders: Vec<PathBuf>,
    pub(super) bytes_max: u64,
    /// The largest file that a process may write.
    pub(super) file_bytes_max: Option<u64>,
    /// Number of processes of ours that hide their open files: the child hides its memory.
    pub(super) hidden_max: usize,
}

/// The watch over the folders of a child.
#[derive(Debug)]
pub(super) struct FolderWatch<'a> {
    bound: &'a FolderBound,
    next: Instant,
    /// Processes that could not be looked into, with the number of looks in a row.
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

    /// Returns true if the folders hold too much. `processes` are those that may have files of them open at the moment;
    /// they are asked for only if it is time to look.
    pub(super) fn is_exceeded(&mut self, processes: impl Fn() -> Vec<i32>) -> bool {
        let now = Instant::now();
        if now < self.next {
            return false;
        }
        let is_exceeded = bytes(self.bound, &processes)
            .is_none_or(|bytes| bytes > self.bound.bytes_max)
            || self.hides(&processes());
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
    live_process::folder(process).is_some_and(|folder| {
        let open = fs::read_dir(folder.join("fd"));
        open.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    })
}

/// Returns the bytes in folders, and in the nameless files, pipes and sockets that these processes have open or mapped;
/// `None` if there are too many or too deep ones to be counted.
fn bytes(bound: &FolderBound, processes: &dyn Fn() -> Vec<i32>) -> Option<u64> {
    let mut count = Count::default();
    for folder in &bound.folders {
        count.folder(folder, DEPTH_MAX)?;
    }
    let mut looked_at = HashSet::new();
    for _ in 0..ROUNDS_MAX {
        let started = processes().into_iter().filter(|it| looked_at.insert(*it));
        let started: Vec<PathBuf> = started.filter_map(live_process::folder).collect();
        if started.is_empty() {
            break;
        }
        for process in &started {
            count.open_files(process);
        }
        for process in &started {
            count.mapped_files(process, bound.file_bytes_max);
        }
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

    /// Counts files without a name, pipes and sockets that a process has open, which /proc shows in a folder.
    fn open_files(&mut self, process: &Path) {
        let Ok(open) = fs::read_dir(process.join("fd")) else {
            return;
        };
        for file in open.flatten() {
            // By this path nothing is opened, whatever it is.
            let Ok(found) = fs::metadata(file.path()) else {
                continue;
            };
            let kind = found.file_type();
            if kind.is_file() && found.nlink() == 0 {
                self.file(&found, true);
            } else if kind.is_socket() {
                self.once((found.dev(), found.ino()), SOCKET_BYTES);
            } else if kind.is_fifo() {
                let bytes = PIPE_PAGES.saturating_mul(rustix::param::page_size() as u64);
                self.once((found.dev(), found.ino()), bytes);
            }
        }
    }

    /// Counts files without a name that a process has mapped, and no longer open. All of a file goes on as long as a
    /// page of it is mapped, and nobody can ask for its size: it counts as the largest that there may be. Memory files,
    /// which the child got from its parent, count as far as they are mapped.
    fn mapped_files(&mut self, process: &Path, file_bytes_max: Option<u64>) {
        let maps = fs::read_to_string(process.join("maps")).unwrap_or_default();
        for mapping in maps.lines().filter_map(mapping) {
            match file_bytes_max {
                Some(largest) if !mapping.is_memory => {
                    self.once(mapping.file, largest.max(mapping.bytes));
                }
                _ if self.seen.contains(&mapping.file) => {}
                _ => self.bytes = self.bytes.saturating_add(mapping.bytes),
            }
        }
    }

    /// Counts a file that may be met again.
    fn once(&mut self, file: (u64, u64), bytes: u64) {
        if self.seen.insert(file) {
            self.bytes = self.bytes.saturating_add(bytes);
        }
    }
}

/// A file without a name that is mapped.
#[derive(Debug, PartialEq, Eq)]
struct Mapping {
    /// Device and number of the file.
    file: (u64, u64),
    /// Bytes that are mapped.
    bytes: u64,
    /// True for a memory file, by its path: nobody can give a file such a name.
    is_memory: bool,
}

/// Returns the mapping in a line of /proc/PID/maps, as "from-to permissions offset major:minor inode path", if it is of
/// a file without a name.
fn mapping(line: &str) -> Option<Mapping> {
    let line = line.strip_suffix(" (deleted)")?;
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
    Some(Mapping {
        file: (libc::makedev(major, minor), inode),
        bytes,
        is_memory: fields.next()?.starts_with("/memfd:"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    const MIB: usize = 1 << 20;

    fn bound(folder: &Path) -> FolderBound {
        FolderBound {
            folders: vec![folder.to_owned()],
            bytes_max: u64::MAX,
            file_bytes_max: Some(32 * MIB as u64),
            hidden_max: 1,
        }
    }

    #[test]
    fn files_count_once_with_what_they_take_also_without_a_name() {
        let home = tempfile::tempdir().unwrap();
        let folders = bound(home.path());
        let at = |name: &str| home.path().join(name);
        fs::create_dir_all(at("deep/er")).unwrap();
        let empty = bytes(&folders, &Vec::<i32>::new).unwrap();
        assert!(empty < MIB as u64);
        fs::write(at("deep/er/a"), vec![1; MIB]).unwrap();
        fs::hard_link(at("deep/er/a"), at("b")).unwrap();
        File::create(at("sparse"))
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
        let one = bytes(&folders, &Vec::<i32>::new).unwrap() - empty;
        assert!((MIB as u64..2 * MIB as u64).contains(&one), "{one}");
        let before = bytes(&folders, &Vec::<i32>::new).unwrap();
        let mut open = File::create(at("gone")).unwrap();
        open.write_all(&vec![1; 8 * MIB]).unwrap();
        fs::remove_file(at("gone")).unwrap();
        // A process that has nothing else open: in this one, other tests open and close files meanwhile.
        let mut holder = Command::new("sleep");
        let holder = holder.arg("1000").stdin(open).stdout(Stdio::null());
        let mut holder = holder.stderr(Stdio::null()).spawn().unwrap();
        let held = || vec![holder.id().cast_signed()];
        let more = bytes(&folders, &held).unwrap() - before;
        holder.kill().unwrap();
        holder.wait().unwrap();
        assert!(more >= 8 * MIB as u64, "{more}");
        assert!(bytes(&folders, &Vec::<i32>::new).unwrap() - empty < 2 * MIB as u64);
    }

    #[test]
    fn what_is_too_deep_to_be_counted_is_too_much() {
        let home = tempfile::tempdir().unwrap();
        let deep: PathBuf = std::iter::repeat_n("d", DEPTH_MAX + 2).collect();
        fs::create_dir_all(home.path().join(deep)).unwrap();
        let bound = bound(home.path());
        assert!(FolderWatch::new(&bound).is_exceeded(Vec::new));
    }

    #[test]
    fn a_mapped_file_without_a_name_has_its_place_and_size() {
        let line = "7f00-8f00 rw-s 00000000 fe:01 1234                 /tmp/x y (deleted)";
        let expected = |is_memory| Mapping {
            file: (libc::makedev(0xfe, 1), 1234),
            bytes: 0x1000,
            is_memory,
        };
        assert_eq!(mapping(line), Some(expected(false)));
        let memory = line.replace("/tmp/x y", "/memfd:x");
        assert_eq!(mapping(&memory), Some(expected(true)));
        assert_eq!(mapping("x (deleted)"), None);
        assert_eq!(mapping(line.trim_end_matches(" (deleted)")), None);
    }

    #[test]
    fn pipes_and_sockets_count_once_and_mapped_files_as_the_largest() {
        let home = tempfile::tempdir().unwrap();
        let fds = home.path().join("fd");
        fs::create_dir(&fds).unwrap();
        let pair = std::os::unix::net::UnixStream::pair().unwrap();
        let (pipe, _other) = io::pipe().unwrap();
        use std::os::fd::AsRawFd as _;
        let opened = [pair.0.as_raw_fd(), pair.1.as_raw_fd(), pipe.as_raw_fd()];
        for (number, file) in opened.iter().chain(&opened).enumerate() {
            let link = format!("/proc/{}/fd/{file}", std::process::id());
            std::os::unix::fs::symlink(link, fds.join(number.to_string())).unwrap();
        }
        let mut count = Count::default();
        count.open_files(home.path());
        let of_pipe = PIPE_PAGES * rustix::param::page_size() as u64;
        assert_eq!(count.bytes, 2 * SOCKET_BYTES + of_pipe);
        let line = "7f00-8f00 rw-s 00000000 fe:01 1234 /tmp/x (deleted)\n";
        fs::write(home.path().join("maps"), line.repeat(2)).unwrap();
        let before = count.bytes;
        count.mapped_files(home.path(), Some(64 << 20));
        assert_eq!(count.bytes - before, 64 << 20);
    }
}
