//! Commands that are killed, and what the next one finds of them.

use crate::finished::CASES;
use crate::support::{CommandOutput, bakeoff, measuring_slot};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Starts a command whose temporary files lie in a folder, and kills it after a time if it has not ended.
fn kill_after(time: Duration, arguments: &[&str], temporary: &Path) {
    let mut child = bakeoff(arguments)
        .env("TMPDIR", temporary)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(time);
    let _ = child.kill();
    child.wait().unwrap();
}

#[test]
fn case_111_killed_commands_leave_nothing_that_the_next_one_does_not_remove() {
    let _slot = measuring_slot();
    let finished = CASES.copy();
    let bundle = finished.pack();
    let bundle = bundle.to_str().unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let out = tempfile::tempdir().unwrap();
    let at = |name: &str| out.path().join(name).to_str().unwrap().to_owned();
    let (first, second) = (at("first.rs"), at("second.rs"));
    fs::write(&first, "pub fn double(n: u32) -> u32 { n.wrapping_mul(2) }").unwrap();
    fs::write(&second, "pub fn double(n: u32) -> u32 { n << 1 }").unwrap();
    let (packed, exported) = (at("packed"), at("exported"));
    let dir = finished.dir();
    let commands = [
        &["compare", &first, &second, "--quiet"][..],
        &["verify", bundle, "--quiet"],
        &["pack", dir, "--out", &packed],
        &["export", dir, "--format", "jsonl", "--out", &exported],
        &["check", dir, "--quiet"],
    ];
    let left_there = || fs::read_dir(temporary.path()).unwrap().count();
    let mut most_left = 0;
    for command in commands {
        for milliseconds in [40, 160, 640, 1_280] {
            kill_after(
                Duration::from_millis(milliseconds),
                command,
                temporary.path(),
            );
            most_left = most_left.max(left_there());
        }
    }
    assert!(most_left > 0, "nothing was killed while it had a folder");
    // A child of the last one may live for a moment.
    for number in 0..10 {
        let next = bakeoff(&["pack", dir, "--out", &at(&format!("packed-{number}"))])
            .env("TMPDIR", temporary.path())
            .output()
            .unwrap();
        let next = CommandOutput::from(next);
        assert_eq!(next.status, 0, "{}", next.stderr);
        if left_there() == 0 {
            break;
        }
    }
    assert_eq!(left_there(), 0);
    let mut left: Vec<String> = fs::read_dir(out.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let known = ["first.rs", "second.rs", "packed", "exported"];
    left.retain(|name| known.iter().all(|known| !name.starts_with(known)));
    assert_eq!(left, Vec::<String>::new());
}
