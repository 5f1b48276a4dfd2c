//! No room: the run stops with a way out, and what was kept is readable. What needs a mount of its own
//! is in `tests/needs`.

use super::filler::{fill, kept_when_full, replicas, run_in, stdout};
use super::{begun, child, job, open_race, replica};
use std::path::Path;
use std::process::Command;

#[test]
fn filler() {
    let Some(folder) = job() else { return };
    fill(Path::new(&folder));
}

#[test]
fn a_limit_on_the_size_of_files_stops_the_run_and_keeps_what_was_kept() {
    let folder = tempfile::tempdir().unwrap();
    let filler = child("store::disk::filler", folder.path().to_str().unwrap());
    let mut shell = Command::new("sh");
    // 600 blocks of 512 bytes; without the signal, writing beyond them is an error.
    shell.args(["-ec", "trap '' XFSZ; ulimit -f 600; exec \"$@\""]);
    let kept = kept_when_full(&stdout(&run_in(shell, &filler, folder.path())));
    // Where there is room again, it goes on.
    let mut store = begun(folder.path());
    assert_eq!(replicas(&store), kept);
    let race = open_race(&mut store).unwrap();
    store.put_replica(race, &replica(kept)).unwrap();
}
