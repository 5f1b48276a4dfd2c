//! Tests that need more of the machine than the toolchain. Where that is missing, a test is counted as
//! ignored and says what is missing. The built-in harness can only decide so when it is compiled, so
//! these have another one.

mod agents_full;
mod bubblewrap;
mod groups;
mod models;
mod mounts;
mod page;
mod reference;
mod root;
mod runs;
mod sqlite3;

// Shared with the other integration tests, which use more of them.
#[path = "../doctor/commands.rs"]
mod commands;
#[path = "../store/filler.rs"]
mod filler;
#[path = "../store/fixture.rs"]
mod fixture;
#[expect(dead_code, reason = "the other test target uses the rest")]
#[path = "../confine/probe.rs"]
mod probe;
#[expect(dead_code, reason = "the other test target uses the rest")]
#[path = "../resume/small.rs"]
mod small;
#[expect(dead_code, reason = "the other test target uses the rest")]
#[path = "../support.rs"]
mod support;

use libtest_mimic::{Arguments, Completion, Trial};
use std::path::Path;
use std::process::{Command, ExitCode};

/// What a test needs.
struct Need {
    /// Why the test is ignored without it.
    missing: &'static str,
    is_there: fn() -> bool,
}

const MOUNTS: Need = Need {
    missing: "this user may not mount",
    is_there: can_mount,
};
const MOUNTS_OR_PERMISSIONS: Need = Need {
    missing: "this user is root, and may not mount",
    is_there: || can_mount() || !is_root(),
};
const BUBBLEWRAP: Need = Need {
    missing: "bubblewrap is not installed, or does not work",
    is_there: || bubblewrap::working_bubblewrap().is_some(),
};
const GROUPS: Need = Need {
    missing: "no control group can be made",
    is_there: || block_on(groups::can_be_made()),
};
const ROOT: Need = Need {
    missing: "this user is not root",
    is_there: is_root,
};
const SQLITE3: Need = Need {
    missing: "sqlite3 is not installed",
    is_there: sqlite3::is_installed,
};
const PYTHON: Need = Need {
    missing: "Python 3.10 or later is not installed",
    is_there: reference::is_installed,
};

const AIMOCK: Need = Need {
    missing: "aimock is not installed: `.ci/model-servers` installs it and runs this",
    is_there: models::is_installed,
};

const CLAUDE: Need = Need {
    missing: "Claude Code or aimock is not installed: `.ci/model-servers` installs both and runs this",
    is_there: models::has_claude,
};

const REAL_MODEL: Need = Need {
    missing: "BAKEOFF_MODEL_URL names no server of a real model",
    is_there: models::has_real_model,
};

const PINNED: Need = Need {
    missing: "the pinned toolchain for x86-64, the target of prototypes, bash or gzip is not installed",
    is_there: page::can_be_built,
};

/// A test of the name that its function has.
macro_rules! test {
    ($need:expr, $function:path) => {
        test($need, stringify!($function), $function)
    };
}

fn test(need: Need, name: &str, run: fn()) -> Trial {
    Trial::ignorable_test(name, move || {
        if !(need.is_there)() {
            return Ok(Completion::ignored_with(need.missing));
        }
        run();
        Ok(Completion::Completed)
    })
}

fn main() -> ExitCode {
    if let Ok(job) = std::env::var(JOB_VARIABLE) {
        do_job(&job);
        return ExitCode::SUCCESS;
    }
    let tests = vec![
        test!(
            MOUNTS,
            mounts::a_full_disk_stops_the_run_and_keeps_what_was_kept
        ),
        test!(
            MOUNTS_OR_PERMISSIONS,
            mounts::a_folder_that_cannot_be_written_is_refused_and_can_be_read
        ),
        test!(
            MOUNTS,
            mounts::a_folder_that_became_unwritable_under_a_killed_run_can_be_read
        ),
        test!(
            MOUNTS,
            runs::a_full_disk_stops_a_run_which_goes_on_when_there_is_room
        ),
        test!(
            MOUNTS,
            runs::a_folder_that_cannot_be_written_is_refused_and_can_be_read
        ),
        test!(
            MOUNTS,
            agents_full::a_full_disk_says_where_to_make_room_and_the_same_command_goes_on
        ),
        test!(
            BUBBLEWRAP,
            bubblewrap::a_bubblewrap_that_the_compiler_does_not_start_in_is_left_out
        ),
        test!(
            BUBBLEWRAP,
            bubblewrap::inside_bubblewrap_the_same_comes_out_of_a_build
        ),
        test!(
            GROUPS,
            groups::a_builder_is_in_a_group_of_its_own_from_its_start_and_takes_it_along
        ),
        test!(PINNED, page::the_core_in_the_page_is_that_of_this_source),
        test!(ROOT, root::an_ordinary_user_has_the_same_level_as_root),
        test!(
            SQLITE3,
            sqlite3::the_sqlite3_shell_answers_the_pages_question
        ),
        test!(
            AIMOCK,
            models::a_mock_of_others_is_answered_and_counted_exactly_whatever_it_breaks
        ),
        test!(
            AIMOCK,
            models::a_mock_that_limits_its_rate_for_ever_is_unavailable
        ),
        test!(
            CLAUDE,
            models::an_agent_of_others_writes_an_approach_and_is_counted_exactly
        ),
        test!(
            CLAUDE,
            models::agents::four_agents_of_others_work_at_once_in_worktrees_and_each_is_a_row
        ),
        test!(
            REAL_MODEL,
            models::a_real_model_is_asked_and_what_it_writes_has_a_result
        ),
        test!(
            PYTHON,
            reference::every_verdict_of_a_run_follows_from_its_export
        ),
        test!(
            PYTHON,
            reference::the_verdict_about_two_follows_from_its_export
        ),
        test!(
            PYTHON,
            reference::verdicts_of_every_kind_follow_from_the_export
        ),
        test!(
            PYTHON,
            reference::verdicts_by_other_readings_follow_from_the_export
        ),
        test!(PYTHON, reference::verdicts_about_rows_follow_from_the_rows),
        test!(PYTHON, reference::what_does_not_follow_is_found),
        test!(
            PYTHON,
            reference::the_same_data_in_another_order_give_mirrored_verdicts
        ),
    ];
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// The variable that holds the job of a process that a test starts.
const JOB_VARIABLE: &str = "BAKEOFF_TEST_JOB";

/// What this program does in a process that a test starts.
#[derive(Clone, Copy)]
enum Job {
    Fill,
    KeepOneAndAbort,
}

impl Job {
    const ALL: [Self; 2] = [Self::Fill, Self::KeepOneAndAbort];

    fn name(self) -> &'static str {
        match self {
            Self::Fill => "fill",
            Self::KeepOneAndAbort => "keep-one-and-abort",
        }
    }
}

/// This program again, to do a job in a folder.
fn this_program_for(job: Job, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let value = format!("{} {}", job.name(), folder.display());
    command.env(JOB_VARIABLE, value);
    command
}

fn do_job(text: &str) {
    let (name, folder) = text.split_once(' ').unwrap();
    let job = Job::ALL.into_iter().find(|job| job.name() == name);
    match job.unwrap() {
        Job::Fill => filler::fill(Path::new(folder)),
        Job::KeepOneAndAbort => mounts::keep_one_and_abort(Path::new(folder)),
    }
}

/// Returns true if this process may mount in a namespace of its own: as a rule, root.
fn can_mount() -> bool {
    let probe = Command::new("unshare")
        .args(["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])
        .output();
    probe.is_ok_and(|output| output.status.success())
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs a future to its end.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(future)
}
