//! The limits of the server. `docs/agents.md` has the same table; a test compares the two.

use bakeoff_config::{APPROACHES_MAX, CASES_MAX, PROSE_CHARS_MAX, SIZES_MAX};
pub(super) use bakeoff_provider::ANSWERS_MAX;
use bakeoff_source::{COMPONENT_BYTES_MAX, SOURCE_BYTES_MAX};
use std::time::Duration;

/// The most bytes of a request: one line of JSON. All texts of a comparison fit in.
pub(super) const REQUEST_BYTES_MAX: usize = 32 << 20;

/// The most bytes of a text that is given inline: as many as a source file may have.
pub(super) const TEXT_BYTES_MAX: usize = SOURCE_BYTES_MAX;

/// The most bytes of a file that a path names: as many as a component may have.
pub(super) const FILE_BYTES_MAX: usize = COMPONENT_BYTES_MAX;

/// The most bytes of all files of one call together.
pub(super) const FILES_BYTES_MAX: usize = 64 << 20;

/// The most characters of the name of a source.
pub(super) const NAME_CHARS_MAX: usize = 64;

/// The most approaches that a model or an agent is asked for.
pub(super) const APPROACHES_ASKED_MAX: usize = bakeoff_config::GENERATED_APPROACHES_MAX as usize;

/// The most bytes of a path.
pub(super) const PATH_BYTES_MAX: usize = 1024;

/// The most runs that have not ended: one measures, the others wait.
pub(super) const RUNS_OPEN_MAX: usize = 8;

/// The most ended runs whose results are kept; the oldest are forgotten.
pub(super) const RUNS_KEPT_MAX: usize = 16;

/// Default wait of a call for a run to end: shorter than clients wait for a call, and longer than a comparison takes
/// with its default budget.
pub(super) const WAIT_DEFAULT: Duration = Duration::from_secs(45);

/// The longest wait of a call for a run to end.
pub(super) const WAIT_MAX: Duration = Duration::from_secs(600);

/// The largest budget for measuring.
pub(super) const BUDGET_MAX: Duration = Duration::from_secs(3600);

/// The longest time of a run in all, with building and checking.
pub(super) const RUN_TIME_MAX: Duration = Duration::from_secs(2 * 3600);

/// The longest time for reading a report.
pub(super) const READING_TIME_MAX: Duration = Duration::from_secs(120);

/// The most bytes of a report as JSON.
pub(super) const REPORT_BYTES_MAX: usize = 16 << 20;

/// The most bytes of a text in an answer; a report has the rest.
pub(super) const ANSWER_BYTES_MAX: usize = 48 << 10;

/// The most verdicts in a structured answer; a report has all.
pub(super) const VERDICTS_MAX: usize = 200;

/// The most lines of progress in an answer.
pub(super) const PROGRESS_LINES_MAX: usize = 8;

/// Returns the limits that an agent may meet: the name of each, and its value with a unit.
pub fn limits() -> Vec<(&'static str, String)> {
    let mib = |bytes: usize| format!("{} MiB", bytes >> 20);
    let seconds = |time: Duration| format!("{} s", time.as_secs());
    vec![
        ("a request, as one line of JSON", mib(REQUEST_BYTES_MAX)),
        ("a text that is given inline", mib(TEXT_BYTES_MAX)),
        ("a file that a path names", mib(FILE_BYTES_MAX)),
        ("all files of one call", mib(FILES_BYTES_MAX)),
        ("sources of a comparison", format!("2 to {APPROACHES_MAX}")),
        ("cases of a comparison", CASES_MAX.to_string()),
        ("sizes of a comparison", SIZES_MAX.to_string()),
        (
            "the name of a source",
            format!("{NAME_CHARS_MAX} characters"),
        ),
        (
            "a statement, or a description",
            format!("{PROSE_CHARS_MAX} characters"),
        ),
        (
            "approaches that are asked for",
            APPROACHES_ASKED_MAX.to_string(),
        ),
        ("answers of one call of `develop`", ANSWERS_MAX.to_string()),
        ("a path", format!("{PATH_BYTES_MAX} bytes")),
        ("runs that have not ended", RUNS_OPEN_MAX.to_string()),
        ("runs that measure at the same time", "1".to_owned()),
        ("ended runs that are kept", RUNS_KEPT_MAX.to_string()),
        ("`wait_seconds`, if not given", seconds(WAIT_DEFAULT)),
        ("`wait_seconds`", seconds(WAIT_MAX)),
        ("`budget_seconds`", seconds(BUDGET_MAX)),
        ("a run in all", seconds(RUN_TIME_MAX)),
        ("reading a report", seconds(READING_TIME_MAX)),
        ("a report as JSON", mib(REPORT_BYTES_MAX)),
        (
            "the text of an answer",
            format!("{} KiB", ANSWER_BYTES_MAX >> 10),
        ),
        ("verdicts in a structured answer", VERDICTS_MAX.to_string()),
    ]
}
