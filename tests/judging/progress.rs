//! Progress of `bakeoff time`, which is for a terminal.

use super::time;
use crate::support::{bakeoff, measuring_slot};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{FromRawFd as _, OwnedFd};

const COMMANDS: [&str; 5] = ["time", "sleep 0.01", "sleep 0.03", "--runs", "30"];

/// Returns both ends of a new terminal.
fn terminal() -> (File, OwnedFd) {
    let (mut ours, mut theirs) = (-1, -1);
    let none = std::ptr::null_mut();
    // SAFETY: both numbers are written to, and nothing else is asked for.
    let opened = unsafe {
        libc::openpty(
            &raw mut ours,
            &raw mut theirs,
            none,
            none.cast(),
            none.cast(),
        )
    };
    assert_eq!(opened, 0);
    // SAFETY: the call returned both, and nobody else has them.
    unsafe { (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) }
}

/// What a comparison writes to stderr, where that is a terminal.
fn on_terminal(more: &[&str]) -> String {
    let _slot = measuring_slot();
    let (mut ours, theirs) = terminal();
    let mut command = bakeoff(&[&COMMANDS, more].concat());
    command.env("TERM", "xterm");
    let mut child = command
        .stdout(std::process::Stdio::null())
        .stderr(theirs)
        .spawn()
        .unwrap();
    drop(command);
    let mut said = Vec::new();
    let mut part = [0; 4_096];
    // A terminal whose other end is closed is at its end with an error.
    while let Ok(count @ 1..) = ours.read(&mut part) {
        said.extend_from_slice(&part[..count]);
    }
    assert!(child.wait().unwrap().code().is_some());
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn progress_is_for_a_terminal_alone_and_says_what_is_known() {
    let said = on_terminal(&[]);
    for part in [
        "before it counts: sleep 0.01",
        "s left at most",
        "1 of 1 pairs decided",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(on_terminal(&["--quiet"]), "");
    let piped = time(&COMMANDS[1..]);
    assert_eq!(piped.stderr, "", "{}", piped.stdout);
}
