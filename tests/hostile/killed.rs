//! Commands that are killed, and what the next one finds of them.

use crate::finished::CASES;
use crate::support::{CommandOutput, bakeoff, measuring_slot, root};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// What is explored, from recorded replies.
const STATEMENT: &str = "A statement.";

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
    let replies = root().join("examples/explore/model.jsonl");
    let replies = replies.to_str().unwrap();
    let explored: Vec<String> = (0..4)
        .map(|number| at(&format!("explored-{number}")))
        .collect();
    let exploring = |number: usize| {
        let into = explored[number].as_str();
        let replay = ["--provider", "replay", "--cassette", replies];
        [
            &["explore", STATEMENT, "--out", into, "--no-run", "--yes"][..],
            &replay,
        ]
        .concat()
    };
    let commands = [
        &["compare", &first, &second, "--quiet"][..],
        &["verify", bundle, "--quiet"],
        &["pack", dir, "--out", &packed],
        &["export", dir, "--format", "jsonl", "--out", &exported],
        &["check", dir, "--quiet"],
    ];
    let left_there = || fs::read_dir(temporary.path()).unwrap().count();
    let mut most_left = 0;
    let mut kill = |milliseconds: u64, command: &[&str]| {
        let time = Duration::from_millis(milliseconds);
        kill_after(time, command, temporary.path());
        most_left = most_left.max(left_there());
    };
    for command in commands {
        for milliseconds in [40, 160, 640, 1_280] {
            kill(milliseconds, command);
        }
    }
    for (number, milliseconds) in [160, 640, 1_280, 2_560].into_iter().enumerate() {
        kill(milliseconds, &exploring(number));
    }
    assert!(most_left > 0, "nothing was killed while it had a folder");
    // A child of the last one may live for a moment.
    for _ in 0..10 {
        // One that needs no folder itself.
        let next = bakeoff(&["schema"])
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
    let known = ["first.rs", "second.rs", "packed", "exported", "explored"];
    left.retain(|name| known.iter().all(|known| !name.starts_with(known)));
    assert_eq!(left, Vec::<String>::new());
    for folder in explored {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(
                !name.starts_with(".tmp") && !name.starts_with(".bakeoff-new"),
                "{name}"
            );
        }
    }
}
