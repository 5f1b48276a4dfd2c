//! Commands that are run once, before the first run of another one or after its last one.

use super::command_line::CommandLine;
use super::error::TimingError;
use super::run::{RunBounds, RunFailure, run};

/// Runs a command once, if there is one; `what` is the option that it comes from.
///
/// # Errors
/// It fails, or cannot be started.
pub(crate) fn run_once(
    what: &'static str,
    line: Option<&CommandLine>,
    bounds: &RunBounds<'_>,
) -> Result<(), TimingError> {
    let Some(line) = line else {
        return Ok(());
    };
    let reason = match run(line, bounds) {
        Ok(ended) => ended.failure(bounds.advice_on_failure()),
        Err(RunFailure::OfCommand(reason)) => Some(reason),
        Err(RunFailure::Interrupted) => {
            return Err(TimingError::Interrupted {
                running: line.text().to_owned(),
            });
        }
        Err(RunFailure::OfMachine(error)) => return Err(error.into()),
    };
    reason.map_or(Ok(()), |reason| {
        Err(TimingError::Helper {
            what,
            command: line.text().to_owned(),
            reason,
        })
    })
}
