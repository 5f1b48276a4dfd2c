//! The store from outside: kept, killed, damaged, full, read, exported.

mod damage;
mod disk;
mod events;
mod filler;
pub(crate) mod fixture;
mod kill;
mod read;
mod resume;

use fixture::{begin, begun, filled, heap, open_race, race_key, replica, report, trial};
use std::process::Command;

/// This test binary again, to run one test in a process of its own: what that test shall do stands
/// in the variable; without it, the test passes at once.
fn child(test: &str, job: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command.env("BAKEOFF_TEST_JOB", job);
    command
}

fn job() -> Option<String> {
    std::env::var("BAKEOFF_TEST_JOB").ok()
}
