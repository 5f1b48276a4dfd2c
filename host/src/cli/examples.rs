//! The inputs that stand in compared files as examples, tried before any are drawn.

use super::failure::Failure;
use super::first_look::FirstLook;
use super::shrinking::{self, Difference};
use crate::interface::{DerivedInterface, written_call};
use crate::measure::{CallTexts, RepeatedCall};
use crate::run::Survey;
use std::time::Duration;

/// What became of the examples.
#[derive(Default)]
pub(super) struct TriedExamples {
    /// The simplest input on which two files differ, if they do on one of them.
    pub(super) difference: Option<Difference>,
    /// How often they do, without a full stop; or how many there were, in a sentence, empty if there were none.
    pub(super) sentence: String,
}

/// Calls all approaches with the arguments that stand in the files as examples, for no longer than `left`.
///
/// # Errors
/// An approach does not build, or something failed that does not depend on the approaches.
pub(super) async fn try_all(
    survey: &Survey,
    found: &DerivedInterface,
    left: Duration,
) -> Result<TriedExamples, Failure> {
    let examples = found.examples();
    if examples.is_empty() {
        return Ok(TriedExamples::default());
    }
    let call = |arguments: &Vec<_>| written_call(&found.call, arguments);
    let written: Vec<String> = examples.iter().map(call).collect();
    let made = survey.call_written(&written, CallTexts::Shortened, Some(left));
    let made = made.await?;
    if let Some(failure) = made.iter().find_map(|calls| calls.as_ref().err()) {
        return Err(Failure::variant(failure));
    }
    let made: Vec<Vec<RepeatedCall>> = made.into_iter().flatten().collect();
    let calls = made.iter().map(|calls| &calls[..]).collect();
    let findings = FirstLook { calls }.compare();
    if let Some((input, count)) = findings.differ {
        let arguments = examples[input].clone();
        let difference = shrinking::shrink(survey, &found.call, arguments).await?;
        if difference.is_some() {
            return Ok(TriedExamples {
                difference,
                sentence: format!(
                    "They differ on {count} of {} inputs that stand in the files, in examples and tests",
                    findings.inputs
                ),
            });
        }
    }
    Ok(TriedExamples {
        difference: None,
        sentence: match findings.inputs {
            0 => String::new(),
            1 => " One input that stands in the files, in an example or a test, was tried before them."
                .to_owned(),
            count => format!(
                " {count} inputs that stand in the files, in examples and tests, were tried before them."
            ),
        },
    })
}
