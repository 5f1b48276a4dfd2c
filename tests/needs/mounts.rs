//! Stores on disks that are full or read-only, in a mount namespace of their own.

use crate::filler::{kept_when_full, rest_of_line, run_in, stdout};
use crate::fixture::{begun, open_race, replica};
use crate::{Job, can_mount, this_program_for};
use std::path::Path;
use std::process::{Command, Output};

/// The filler, after this script has changed the mounts.
fn fill_after(script: &str, folder: &Path) -> Output {
    let filler = this_program_for(Job::Fill, folder);
    let mut shell = Command::new("unshare");
    shell.args(["--mount", "sh", "-ec", &format!("{script}\nexec \"$@\"")]);
    run_in(shell, &filler, folder)
}

/// Makes the folder read-only for the process that follows.
const READ_ONLY: &str = "mount --bind \"$0\" \"$0\"; mount -o remount,ro,bind \"$0\"";

pub(crate) fn a_full_disk_stops_the_run_and_keeps_what_was_kept() {
    let folder = tempfile::tempdir().unwrap();
    // A disk of 1 MiB that fills up twice: once there is room again, the run goes on.
    let script = "mount -t tmpfs -o size=1m tmpfs \"$0\"; head -c 400000 /dev/zero > \"$0/ballast\"
        \"$@\"; rm \"$0/ballast\"";
    let text = stdout(&fill_after(script, folder.path()));
    let fulls: Vec<usize> = text.match_indices("\nfull ").map(|(at, _)| at).collect();
    assert_eq!(fulls.len(), 2, "{text}");
    let (first, second) = text.split_at(fulls[1]);
    assert!(kept_when_full(first) < kept_when_full(second));
}

pub(crate) fn a_folder_that_cannot_be_written_is_refused_and_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    let race = open_race(&mut store).unwrap();
    store.put_replica(race, &replica(0)).unwrap();
    drop(store);
    let output = if can_mount() {
        fill_after(READ_ONLY, folder.path())
    } else {
        // An ordinary user is stopped by permissions, which mean nothing to root.
        let mut shell = Command::new("sh");
        let script = "chmod -R a-w \"$0\"; \"$@\"; chmod -R u+w \"$0\"";
        shell.args(["-ec", script]);
        let filler = this_program_for(Job::Fill, folder.path());
        run_in(shell, &filler, folder.path())
    };
    assert_refused_and_readable(&output);
}

pub(crate) fn a_folder_that_became_unwritable_under_a_killed_run_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let writer = this_program_for(Job::KeepOneAndAbort, folder.path()).output();
    assert!(!writer.unwrap().status.success());
    assert!(folder.path().join("bakeoff.db-wal").exists());
    assert_refused_and_readable(&fill_after(READ_ONLY, folder.path()));
}

/// Keeps one replica and dies without closing anything.
pub(crate) fn keep_one_and_abort(folder: &Path) {
    let mut store = begun(folder);
    let race = open_race(&mut store).unwrap();
    store.put_replica(race, &replica(0)).unwrap();
    std::process::abort();
}

/// Checks that writing was refused and that the one replica there is was read.
fn assert_refused_and_readable(output: &Output) {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        rest_of_line(&text, "refused true ").contains("make it writable"),
        "{text}"
    );
    assert_eq!(rest_of_line(&text, "readable "), "1");
}
