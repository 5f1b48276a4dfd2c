//! Whole runs over a store that cannot be used: refused or stopped with a way out, and whatever was
//! kept stays as it was.

use super::kills::Small;
use crate::support::{ONE_AT_A_TIME, Said, bakeoff, can_mount, say};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::PoisonError;

fn database(small: &Small) -> PathBuf {
    small.path(".bakeoff/small/bakeoff.db")
}

fn assert_stopped(said: &Said, why: &str) {
    assert_eq!(said.status, 5, "{} {}", said.stdout, said.stderr);
    assert!(said.explains(why), "no `{why}` in {}", said.stderr);
}

#[test]
fn a_store_that_is_not_understood_is_refused_and_left_alone() {
    let small = Small::new();
    assert_eq!(say(&["run", small.dir(), "--quiet"]).status, 3);
    let file = database(&small);
    let whole = fs::read(&file).unwrap();
    let newer = {
        let db = rusqlite::Connection::open(&file).unwrap();
        db.pragma_update(None, "user_version", 99).unwrap();
        drop(db);
        fs::read(&file).unwrap()
    };
    let mut corrupt = whole.clone();
    corrupt[4096..].fill(0x5a);
    for (bytes, why) in [
        (&corrupt[..], "cannot be read as a store"),
        (&whole[..whole.len() / 2], "cannot be read as a store"),
        (&[][..], "it is empty"),
        (&b"nothing of ours"[..], "it ends within its header"),
        (&newer[..], "use a newer bakeoff"),
    ] {
        fs::write(&file, bytes).unwrap();
        for command in ["run", "verify", "pack", "runs"] {
            let said = say(&[command, small.dir(), "--quiet"]);
            assert_stopped(&said, why);
            assert!(said.explains("--fresh"), "{}", said.stderr);
        }
        assert!(
            fs::read(&file).unwrap() == bytes,
            "{why}: it was written to"
        );
    }
    let fresh = say(&["run", small.dir(), "--quiet", "--fresh"]);
    assert_eq!(fresh.status, 3, "{}", fresh.stderr);
    let aside = small.path(".bakeoff/small/bakeoff.db.aside-1");
    assert!(
        fs::read(aside).unwrap() == newer,
        "what was set aside is not what was there"
    );
}

/// Runs a script in a mount namespace of its own: `$0` is the folder of results, `"$@"` the run.
fn in_world(small: &Small, script: &str) -> Said {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let results = small.path("results");
    fs::create_dir_all(&results).unwrap();
    let run = bakeoff(&[
        "run",
        small.dir(),
        "--quiet",
        "--out",
        results.to_str().unwrap(),
    ]);
    let mut shell = Command::new("unshare");
    shell
        .args(["--mount", "sh", "-c", script])
        .arg(&results)
        .arg(run.get_program())
        .args(run.get_args())
        .current_dir(run.get_current_dir().unwrap());
    for (name, value) in run.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.output().unwrap().into()
}

#[test]
fn a_full_disk_stops_a_run_which_goes_on_when_there_is_room() {
    if !can_mount() {
        eprintln!("skipped: this user may not mount a small file system");
        return;
    }
    let small = Small::new();
    let script = "mount -t tmpfs -o size=600k tmpfs \"$0\"
        \"$@\"; echo \"first $?\" >&2
        \"$1\" runs \"$0\" >&2; echo \"readable $?\" >&2
        mount -o remount,size=64m \"$0\"
        \"$@\"; echo \"second $?\" >&2
        \"$1\" runs \"$0\" >&2";
    let said = in_world(&small, script);
    let text = &said.stderr;
    assert!(text.contains("first 5"), "{text}");
    assert!(said.explains("make room"), "{text}");
    assert!(text.contains("readable 0"), "{text}");
    assert!(text.contains("second 3"), "{text}");
    assert!(text.contains("finished"), "{text}");
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_and_can_be_read() {
    if !can_mount() {
        eprintln!("skipped: this user may not mount a folder read-only");
        return;
    }
    let small = Small::new();
    let script = "\"$@\" > /dev/null
        mount --bind \"$0\" \"$0\"; mount -o remount,ro,bind \"$0\"
        \"$@\" > /dev/null; echo \"again $?\" >&2
        \"$1\" runs \"$0\" >&2; echo \"readable $?\" >&2";
    let said = in_world(&small, script);
    let text = &said.stderr;
    assert!(text.contains("again 5"), "{text}");
    assert!(said.explains("make it writable"), "{text}");
    assert!(
        text.contains("readable 0") && text.contains("finished"),
        "{text}"
    );
}
