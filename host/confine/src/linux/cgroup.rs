//! Control groups: where this process may make them, the kernel itself bounds a builder and all that
//! it starts, also between two checks of the watchdog.
//!
//! Only builders get one. Moving a process into a group stops all forks of the machine for some
//! milliseconds, which would disturb a measurement; and a runner starts nothing.

use super::live_process;
use super::watchdog::Bounds;
use crate::job::CgroupLimits;
use rustix::process::Signal;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Tasks that each process may have beside one for each core: the kernel counts threads. The
/// linker starts 16 at most, an engine one for each core.
const TASKS_BESIDE_CORES: u64 = 16;

/// The most ancestors of its own group in which this process tries to make groups.
const ANCESTORS_MAX: usize = 16;

/// Largest number of rounds of killing what is left in an abandoned group.
const KILLS_MAX: usize = 40;

/// Numbers the groups of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A group in which groups can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CgroupParent {
    folder: PathBuf,
    version: Version,
}

/// The version of the kernel's control groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    /// One tree, with memory and processes.
    Two,
    /// A tree for each controller, of which only that of processes is used: the kernel cannot kill a
    /// whole group here, so that one which runs out of memory would go on with a part missing.
    One,
}

impl CgroupParent {
    /// Returns the groups to try: the own one and its ancestors, in each tree.
    pub(super) fn candidates() -> Vec<Self> {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        candidates(&read("/proc/self/mountinfo"), &read("/proc/self/cgroup"))
    }

    /// Returns true if a group with limits can be made here. Groups that killed processes left behind
    /// are removed first, with all that still runs in them.
    pub(super) fn is_usable(&self) -> bool {
        self.remove_abandoned();
        let bounds = Bounds {
            stderr_bytes_max: 0,
            rss_bytes_max: Some(1 << 30),
            processes_max: Some(1),
            threads_max: None,
            folder: None,
        };
        self.make(&bounds).is_ok()
    }

    /// Returns the limits that groups made here enforce.
    pub(super) fn limits(&self) -> CgroupLimits {
        match self.version {
            Version::Two => CgroupLimits::MemoryAndProcesses,
            Version::One => CgroupLimits::Processes,
        }
    }

    /// Makes an empty group with these bounds.
    pub(super) fn make(&self, bounds: &Bounds) -> io::Result<Cgroup> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (ids, own) = (id_space()?, std::process::id());
        let name = format!("{PREFIX}{ids}-{own}-{number}");
        let folder = self.folder.join(name);
        fs::create_dir(&folder)?;
        // From here on, dropping it removes the folder.
        let group = Cgroup {
            folder,
            version: self.version,
        };
        if let Some(processes) = bounds.processes_max {
            group.set("pids.max", tasks_of(processes))?;
        }
        if let (Some(bytes), Version::Two) = (bounds.rss_bytes_max, self.version) {
            group.set("memory.max", bytes)?;
            group.set("memory.oom.group", 1)?;
            // Absent where the kernel has no swap.
            let _ = group.set("memory.swap.max", 0);
        }
        Ok(group)
    }

    fn remove_abandoned(&self) {
        let (Ok(entries), Ok(ids)) = (fs::read_dir(&self.folder), id_space()) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let owner = name.to_str().and_then(|name| owner(name, ids));
            if owner.is_some_and(|owner| !Path::new("/proc").join(owner).exists()) {
                kill_members(&entry.path());
                // The kernel removes only what is empty.
                let _ = fs::remove_dir(entry.path());
            }
        }
    }
}

/// Kills the processes that are left in a group, again and again while there are any: they may be starting more.
fn kill_members(folder: &Path) {
    for _ in 0..KILLS_MAX {
        let members = || {
            let listed = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
            let numbers = listed.lines().filter_map(|line| line.parse().ok());
            // Processes that this one cannot see, since they belong to another container, have the number 0.
            numbers.filter(|number| *number > 0).collect::<Vec<i32>>()
        };
        if !live_process::signal_all(members, Signal::KILL) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The prefix of the names of groups.
const PREFIX: &str = "bakeoff-";

/// Returns the number of the namespace in which process ids of this process mean something. Containers may share a tree of
/// groups, and each has ids of its own.
fn id_space() -> io::Result<u64> {
    Ok(fs::metadata("/proc/self/ns/pid")?.ino())
}

/// Returns the process id in the name of a group: that of the process that made it, if ids of that space are ours.
fn owner(name: &str, ids: u64) -> Option<&str> {
    let (space, rest) = name.strip_prefix(PREFIX)?.split_once('-')?;
    let (owner, _) = rest.split_once('-')?;
    if space.parse() != Ok(ids) {
        return None;
    }
    owner
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then_some(owner)
}

/// Returns the most tasks of this number of processes, which the watchdog counts as threads where no group can be made.
pub(super) fn tasks_of(processes: usize) -> u64 {
    (processes as u64).saturating_mul(tasks_per_process())
}

fn tasks_per_process() -> u64 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    cores as u64 + TASKS_BESIDE_CORES
}

/// A group for one child. Dropping it removes it, if it is empty.
#[derive(Debug)]
pub(super) struct Cgroup {
    folder: PathBuf,
    version: Version,
}

impl Cgroup {
    /// Makes `command` start in this group, so that none of its processes is ever outside.
    pub(super) fn contain(&self, command: &mut Command) -> io::Result<()> {
        let members: OwnedFd = self.open("cgroup.procs")?.into();
        let enter = move || match rustix::io::write(members.as_fd(), b"0")? {
            1 => Ok(()),
            _ => Err(io::ErrorKind::WriteZero.into()),
        };
        // SAFETY: between fork and exec only one system call is made, on a descriptor that the
        // closure owns, and nothing is allocated: an error of a plain kind holds no memory.
        unsafe { command.pre_exec(enter) };
        Ok(())
    }

    /// Returns true if the kernel killed the group because it exceeded its memory.
    pub(super) fn ran_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("memory.events")).unwrap_or_default();
        let count = events
            .lines()
            .find_map(|line| line.strip_prefix("oom_kill "));
        count.is_some_and(|count| count.trim() != "0")
    }

    /// Kills all processes of the group, if the kernel can do that at once.
    pub(super) fn kill(&self) {
        if self.version == Version::Two {
            // Since Linux 5.14. The process group is killed as well.
            let _ = self.set("cgroup.kill", 1);
        }
    }

    fn set(&self, file: &str, value: u64) -> io::Result<()> {
        self.open(file)?.write_all(value.to_string().as_bytes())
    }

    fn open(&self, file: &str) -> io::Result<File> {
        OpenOptions::new().write(true).open(self.folder.join(file))
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // The kernel keeps a group that is not empty; the next run of bakeoff removes it.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Returns the groups to try, by the texts of /proc/self/mountinfo and /proc/self/cgroup.
fn candidates(mounts: &str, groups: &str) -> Vec<CgroupParent> {
    let mut found = Vec::new();
    for mount in mounts.lines() {
        // "id parent device root point options … - type source super-options", proc(5).
        let Some((before, after)) = mount.split_once(" - ") else {
            continue;
        };
        let (mut before, mut after) = (before.split(' ').skip(3), after.split(' '));
        let (Some(root), Some(point)) = (before.next(), before.next()) else {
            continue;
        };
        let (kind, options) = (after.next(), after.nth(1).unwrap_or_default());
        let version = match kind {
            Some("cgroup2") => Version::Two,
            Some("cgroup") if options.split(',').any(|option| option == "pids") => Version::One,
            _ => continue,
        };
        let Some(own) = own(groups, version) else {
            continue;
        };
        // The mount may be a part of the tree.
        let below = match root {
            "/" => own,
            root => match own.strip_prefix(root) {
                Some(below) => below,
                None => continue,
            },
        };
        let own = match below.trim_start_matches('/') {
            "" => PathBuf::from(point),
            below => Path::new(point).join(below),
        };
        let parents = own
            .ancestors()
            .take_while(|folder| folder.starts_with(point))
            .take(ANCESTORS_MAX);
        found.extend(parents.map(|folder| CgroupParent {
            folder: folder.to_owned(),
            version,
        }));
    }
    // The newer version has more limits.
    found.sort_by_key(|parent| parent.version == Version::One);
    found
}

/// Returns the own group in a tree, by lines of "id:controllers:path".
fn own(groups: &str, version: Version) -> Option<&str> {
    groups.lines().find_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let same = match version {
            Version::Two => controllers.is_empty(),
            Version::One => controllers.split(',').any(|name| name == "pids"),
        };
        same.then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parents(mounts: &str, groups: &str) -> Vec<(String, Version)> {
        let parents = candidates(mounts, groups);
        let text = |parent: CgroupParent| (parent.folder.display().to_string(), parent.version);
        parents.into_iter().map(text).collect()
    }

    #[test]
    fn the_own_group_comes_first_and_then_those_above() {
        let mounts = "29 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
        let expected = [
            "/sys/fs/cgroup/user/app",
            "/sys/fs/cgroup/user",
            "/sys/fs/cgroup",
        ];
        let expected = expected.map(|folder| (folder.to_owned(), Version::Two));
        assert_eq!(parents(mounts, "0::/user/app\n"), expected);
    }

    #[test]
    fn no_group_outside_of_a_partial_mount_is_tried() {
        let mounts = "29 23 0:26 /box /cg rw - cgroup2 cgroup2 rw\n";
        let expected = ["/cg/inner", "/cg"].map(|folder| (folder.to_owned(), Version::Two));
        assert_eq!(parents(mounts, "0::/box/inner\n"), expected);
        assert_eq!(parents(mounts, "0::/elsewhere\n"), []);
    }

    #[test]
    fn of_version_one_only_the_tree_of_processes_is_tried_and_comes_last() {
        let mounts = "35 30 0:30 / /cg/pids rw - cgroup cgroup rw,pids\n\
                      36 30 0:31 / /cg/memory rw - cgroup cgroup rw,memory\n\
                      37 30 0:32 / /cg/unified rw - cgroup2 cgroup2 rw\n";
        let groups = "9:memory:/a\n8:pids:/b\n0::/\n";
        let expected = [
            ("/cg/unified".to_owned(), Version::Two),
            ("/cg/pids/b".to_owned(), Version::One),
            ("/cg/pids".to_owned(), Version::One),
        ];
        assert_eq!(parents(mounts, groups), expected);
    }

    /// A group on this machine, if one can be made, and its limits.
    fn group(bounds: &Bounds) -> Option<(Cgroup, CgroupLimits)> {
        let parent = CgroupParent::candidates()
            .into_iter()
            .find(CgroupParent::is_usable);
        let Some(parent) = parent else {
            eprintln!("skipped: no control group can be made here");
            return None;
        };
        Some((parent.make(bounds).unwrap(), parent.limits()))
    }

    /// Runs a script in a group.
    fn shell(group: &Cgroup, script: &str) -> std::process::Output {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).process_group(0);
        group.contain(&mut command).unwrap();
        let child = command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child.wait_with_output().unwrap()
    }

    const BOUNDS: Bounds = Bounds {
        stderr_bytes_max: 0,
        rss_bytes_max: Some(64 << 20),
        processes_max: Some(1),
        threads_max: None,
        folder: None,
    };

    #[test]
    fn the_kernel_starts_no_more_tasks_than_a_group_may_have() {
        let Some((group, _)) = group(&BOUNDS) else {
            return;
        };
        let folder = group.folder.clone();
        let few = shell(&group, "true & wait");
        assert!(few.status.success(), "{few:?}");
        let many = tasks_per_process() * 2;
        let script = format!("for i in $(seq {many}); do sleep 2 & done");
        let many = shell(&group, &script);
        let stderr = String::from_utf8_lossy(&many.stderr).into_owned();
        assert!(!many.status.success(), "{stderr}");
        assert!(stderr.contains("fork"), "{stderr}");
        // The sleeps have closed their pipes, but may still be on their way out.
        let gone = (0..600).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            let left = fs::read_to_string(folder.join("cgroup.procs"));
            left.is_ok_and(|left| left.is_empty())
        });
        assert!(gone);
        drop(group);
        assert!(!folder.exists());
    }

    #[test]
    fn the_kernel_kills_a_group_that_has_too_much_memory() {
        let Some((group, kind)) = group(&BOUNDS) else {
            return;
        };
        if kind == CgroupLimits::Processes {
            eprintln!("skipped: groups bound no memory here");
            return;
        }
        // tail keeps all of a line, and there is only one.
        let output = shell(&group, "head -c 256M /dev/zero | tail; sleep 60");
        assert!(!output.status.success());
        assert!(group.ran_out_of_memory());
    }

    #[test]
    fn groups_of_processes_that_are_gone_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let parent = CgroupParent {
            folder: folder.path().to_owned(),
            version: Version::Two,
        };
        // No process has this number: it is above what the kernel gives.
        let ids = id_space().unwrap();
        let left = format!("bakeoff-{ids}-4194305-0");
        let own = format!("bakeoff-{ids}-{}-0", std::process::id());
        let of_another_container = format!("bakeoff-{}-4194305-0", ids + 1);
        for name in [&left, &own, &of_another_container, "user.slice"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        parent.remove_abandoned();
        assert!(!folder.path().join(left).exists());
        for name in [&own, &of_another_container, "user.slice"] {
            assert!(folder.path().join(name).exists(), "{name}");
        }
    }

    #[test]
    fn only_our_group_names_have_an_owner() {
        assert_eq!(owner("bakeoff-7-12-3", 7), Some("12"));
        assert_eq!(owner("bakeoff-7-x-3", 7), None);
        assert_eq!(owner("bakeoff-8-12-3", 7), None);
        assert_eq!(owner("bakeoff-12-3", 12), None);
        assert_eq!(owner("user.slice", 7), None);
    }
}
