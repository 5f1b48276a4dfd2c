//! A process that keeps replicas until it cannot, and what follows from its output.

use super::fixture::{begin, open_race, replica};
use bakeoff_store::{Mode, RunId, Start, Store};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Keeps replicas until that fails, and prints how many are kept and why it ended.
pub(crate) fn fill(folder: &Path) {
    let mut store = match Store::open(folder, Mode::Write) {
        Ok(store) => store,
        Err(error) => {
            println!("\nrefused {} {error}", error.is_read_only());
            return read(folder);
        }
    };
    begin(&mut store, "e1", Start::Resume).unwrap();
    let race = open_race(&mut store).unwrap();
    let start = store.replica_count(race).unwrap();
    let mut kept = start;
    let error = loop {
        match store.put_replica(race, &replica(kept)) {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
        assert!(kept < start + 100_000, "the disk is never full");
    };
    println!("\nfull {} kept {kept} {error}", error.is_full());
    assert_eq!(store.replica_count(race).unwrap(), kept, "while it is open");
    drop(store);
    read(folder);
}

/// Prints how many replicas a reader finds.
fn read(folder: &Path) {
    match Store::open(folder, Mode::Read) {
        Ok(store) => println!("\nreadable {}", replicas(&store)),
        Err(error) => println!("\nunreadable {error}"),
    }
}

/// Counts the replicas of a store, each of which must be as it was kept.
pub(crate) fn replicas(store: &Store) -> u32 {
    let (race, _) = store.race_of(RunId(1)).unwrap().unwrap();
    let found = store.replicas(race).unwrap();
    for (index, found) in (0..).zip(&found) {
        assert_eq!(found, &replica(index));
    }
    u32::try_from(found.len()).unwrap()
}

/// Runs a shell whose script gets the folder as `$0` and the filler's command as `"$@"`.
pub(crate) fn run_in(mut shell: Command, filler: &Command, folder: &Path) -> Output {
    shell.arg(folder).arg(filler.get_program());
    shell.args(filler.get_args());
    for (name, value) in filler.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    shell.stdin(Stdio::null()).output().unwrap()
}

/// The stdout of a process that succeeded.
pub(crate) fn stdout(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    text
}

/// Checks the output of a filler that met a full disk, and gives the number of replicas that it kept.
pub(crate) fn kept_when_full(text: &str) -> u32 {
    let full = rest_of_line(text, "full true kept ");
    let (kept, message) = full.split_once(' ').unwrap();
    assert!(
        message.contains("make room") && message.contains("bakeoff.db"),
        "{message}"
    );
    let kept: u32 = kept.parse().unwrap();
    assert!(kept > 0);
    assert_eq!(rest_of_line(text, "readable "), kept.to_string());
    kept
}

/// The rest of the line that begins so.
pub(crate) fn rest_of_line<'a>(text: &'a str, start: &str) -> &'a str {
    let found = text.lines().find_map(|line| line.strip_prefix(start));
    found.unwrap_or_else(|| panic!("no `{start}` in:\n{text}"))
}
