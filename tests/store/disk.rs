//! No room, or no leave to write: the run stops with a way out, and what was kept is readable.

use super::{begun, child, job, open_race, replica};
use crate::support::can_mount;
use bakeoff::store::{Mode, RunId, Store};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Keeps replicas until it fails, and says how many are kept and why it ended.
#[test]
fn filler() {
    let Some(folder) = job() else { return };
    let folder = Path::new(&folder);
    let mut store = match Store::open(folder, Mode::Write) {
        Ok(store) => store,
        Err(error) => {
            println!("\nrefused {} {error}", error.is_read_only());
            return reader(folder);
        }
    };
    super::begin(&mut store, "e1", bakeoff::store::Start::Resume).unwrap();
    let race = open_race(&mut store).unwrap();
    let start = store.replica_count(race).unwrap();
    let mut kept = start;
    let error = loop {
        match store.keep_replica(race, &replica(kept)) {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
        assert!(kept < start + 100_000, "the disk is never full");
    };
    println!("\nfull {} kept {kept} {error}", error.is_full());
    assert_eq!(store.replica_count(race).unwrap(), kept, "while it is open");
    drop(store);
    reader(folder);
}

/// Says how many replicas a reader sees.
fn reader(folder: &Path) {
    match Store::open(folder, Mode::Read) {
        Ok(store) => println!("\nreadable {}", replicas(&store)),
        Err(error) => println!("\nunreadable {error}"),
    }
}

fn replicas(store: &Store) -> u32 {
    let (race, _) = store.race_of(RunId(1)).unwrap().unwrap();
    let found = store.replicas(race).unwrap();
    for (index, found) in (0..).zip(&found) {
        assert_eq!(found, &replica(index));
    }
    u32::try_from(found.len()).unwrap()
}

/// The filler in a shell that first does something to the world: `$0` is the folder.
fn filler_after(folder: &Path, world: &str) -> Output {
    let filler = child("store::disk::filler", folder.to_str().unwrap());
    let mut shell = Command::new("unshare");
    shell.args(["--mount", "sh", "-ec", &format!("{world}\nexec \"$@\"")]);
    run_in(shell, &filler, folder)
}

fn run_in(mut shell: Command, filler: &Command, folder: &Path) -> Output {
    shell.arg(folder).arg(filler.get_program());
    shell.args(filler.get_args());
    for (name, value) in filler.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    shell.stdin(Stdio::null()).output().unwrap()
}

/// The rest of the line that begins so.
fn said<'a>(output: &'a str, start: &str) -> &'a str {
    let found = output.lines().find_map(|line| line.strip_prefix(start));
    found.unwrap_or_else(|| panic!("no `{start}` in:\n{output}"))
}

#[test]
fn a_limit_on_the_size_of_files_stops_the_run_and_keeps_what_was_kept() {
    let folder = tempfile::tempdir().unwrap();
    let filler = child("store::disk::filler", folder.path().to_str().unwrap());
    let mut shell = Command::new("sh");
    // 600 blocks of 512 bytes; without the signal, writing beyond them is an error.
    shell.args(["-ec", "trap '' XFSZ; ulimit -f 600; exec \"$@\""]);
    let output = run_in(shell, &filler, folder.path());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let kept = check_full(&text);
    // Where there is room again, it goes on.
    let mut store = begun(folder.path());
    assert_eq!(replicas(&store), kept);
    let race = open_race(&mut store).unwrap();
    store.keep_replica(race, &replica(kept)).unwrap();
}

/// Checks what a filler said of a full disk, and gives the number of replicas that it kept.
fn check_full(text: &str) -> u32 {
    let full = said(text, "full true kept ");
    let (kept, message) = full.split_once(' ').unwrap();
    assert!(
        message.contains("make room") && message.contains("bakeoff.db"),
        "{message}"
    );
    let kept: u32 = kept.parse().unwrap();
    assert!(kept > 0);
    assert_eq!(said(text, "readable "), kept.to_string());
    kept
}

#[test]
fn a_full_disk_stops_the_run_and_keeps_what_was_kept() {
    if !can_mount() {
        eprintln!("skipped: this user may not mount a small file system");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // A disk of 1 MiB that fills up twice: once there is room again, the run goes on.
    let world = "mount -t tmpfs -o size=1m tmpfs \"$0\"; head -c 400000 /dev/zero > \"$0/ballast\"
        \"$@\"; rm \"$0/ballast\"";
    let output = filler_after(folder.path(), world);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let fulls: Vec<usize> = text.match_indices("\nfull ").map(|(at, _)| at).collect();
    assert_eq!(fulls.len(), 2, "{text}");
    let (first, second) = text.split_at(fulls[1]);
    assert!(check_full(first) < check_full(second));
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_and_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    end(folder.path(), After::Closed);
    let output = if can_mount() {
        filler_after(folder.path(), READ_ONLY)
    } else {
        // An ordinary user is stopped by permissions, which mean nothing to root.
        let filler = child("store::disk::filler", folder.path().to_str().unwrap());
        let mut shell = Command::new("sh");
        let script = "chmod -R a-w \"$0\"; \"$@\"; chmod -R u+w \"$0\"";
        shell.args(["-ec", script]);
        run_in(shell, &filler, folder.path())
    };
    check_refused(&output);
}

#[test]
fn a_folder_that_became_unwritable_under_a_killed_run_can_be_read() {
    if !can_mount() {
        eprintln!("skipped: this user may not mount a folder read-only");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    end(folder.path(), After::Killed);
    assert!(folder.path().join("bakeoff.db-wal").exists());
    check_refused(&filler_after(folder.path(), READ_ONLY));
}

/// Makes the folder read-only for the process that follows.
const READ_ONLY: &str = "mount --bind \"$0\" \"$0\"; mount -o remount,ro,bind \"$0\"";

/// Checks that writing was refused and that the one replica there is was read.
fn check_refused(output: &Output) {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        said(&text, "refused true ").contains("make it writable"),
        "{text}"
    );
    assert_eq!(said(&text, "readable "), "1");
}

/// Leaves a store with one replica.
fn end(folder: &Path, how: After) {
    if how == After::Killed {
        let mut writer = child("store::disk::killed", folder.to_str().unwrap());
        assert!(!writer.output().unwrap().status.success());
        return;
    }
    let mut store = begun(folder);
    let race = open_race(&mut store).unwrap();
    store.keep_replica(race, &replica(0)).unwrap();
}

/// How the last writer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    Closed,
    Killed,
}

/// Keeps one replica and dies without closing anything.
#[test]
fn killed() {
    let Some(folder) = job() else { return };
    let mut store = begun(Path::new(&folder));
    let race = open_race(&mut store).unwrap();
    store.keep_replica(race, &replica(0)).unwrap();
    std::process::abort();
}
