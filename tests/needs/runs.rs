//! Whole runs whose results are on a disk that is full or read-only.

use crate::small::Small;
use crate::support::{CommandOutput, bakeoff, measuring_slot};
use std::fs;
use std::process::Command;

/// Runs a script in a mount namespace of its own: `$0` is the folder of results, `"$@"` the run.
fn after_mounting(small: &Small, script: &str) -> CommandOutput {
    let _slot = measuring_slot();
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

pub(crate) fn a_full_disk_stops_a_run_which_goes_on_when_there_is_room() {
    let small = Small::new();
    let script = "mount -t tmpfs -o size=600k tmpfs \"$0\"
        \"$@\"; echo \"first $?\" >&2
        \"$1\" runs \"$0\" >&2; echo \"readable $?\" >&2
        mount -o remount,size=64m \"$0\"
        \"$@\"; echo \"second $?\" >&2
        \"$1\" runs \"$0\" >&2";
    let said = after_mounting(&small, script);
    let text = &said.stderr;
    assert!(text.contains("first 5"), "{text}");
    assert!(said.explains("make room"), "{text}");
    assert!(text.contains("readable 0"), "{text}");
    // Some failed, and whether there is an answer is not the question.
    let second = ["second 1", "second 3"];
    assert!(second.iter().any(|end| text.contains(end)), "{text}");
    assert!(text.contains("finished"), "{text}");
}

pub(crate) fn a_folder_that_cannot_be_written_is_refused_and_can_be_read() {
    let small = Small::new();
    let script = "\"$@\" > /dev/null
        mount --bind \"$0\" \"$0\"; mount -o remount,ro,bind \"$0\"
        \"$@\" > /dev/null; echo \"again $?\" >&2
        \"$1\" runs \"$0\" >&2; echo \"readable $?\" >&2";
    let said = after_mounting(&small, script);
    let text = &said.stderr;
    assert!(text.contains("again 5"), "{text}");
    assert!(said.explains("make it writable"), "{text}");
    assert!(
        text.contains("readable 0") && text.contains("finished"),
        "{text}"
    );
}
