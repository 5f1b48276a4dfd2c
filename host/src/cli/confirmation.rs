//! The question after the plan of a model, before anything more is paid for.

use super::failure::Failure;
use bakeoff_provider::Models;
use std::io::{BufRead as _, IsTerminal as _};

/// Asks on the terminal whether to go on. Returns true unasked without a terminal, and where the
/// model costs nothing.
pub(super) fn goes_on(models: &Models) -> Result<bool, Failure> {
    let is_free = models.expected_microdollars(1_000_000, 1_000_000) == Some(0);
    let is_free = is_free && models.repairs_name().is_none();
    if is_free || !is_on_terminal() {
        return Ok(true);
    }
    confirm("Go on? [y/N] ")
}

/// Returns true if stdin and stderr are a terminal, so that a person can be asked.
pub(super) fn is_on_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks a question on the terminal. Returns true if the answer is yes.
pub(super) fn confirm(question: &str) -> Result<bool, Failure> {
    anstream::eprint!("{question}");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| Failure::usage(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
