//! Inputs that were timed, as a file of cases.

use crate::error::CompareError;
use bakeoff_domain::plan::{InputPurpose, sample_seeds};
use bakeoff_domain::report::Report;
use bakeoff_render::Reproduction;
use bakeoff_run::Survey;
use bakeoff_source::interface::{DerivedInterface, Shape, read_literals, written_call};

/// The most inputs of each size: the first of each process, for as many processes.
const OF_EACH_SIZE: u32 = 8;

/// The most bytes of the file: a longer file of cases could not be read again.
const BYTES_MAX: usize = 1 << 20;

/// Inputs that a run timed.
#[derive(Default)]
pub struct SavedInputs {
    /// The inputs as a file of cases, in TOML.
    pub cases: String,
    /// Number of inputs in the file.
    pub count: usize,
    /// Number of inputs that are left out, since they would make the file too large.
    pub left_out: usize,
}

/// Makes some of the inputs that were timed again: of each of these sizes, the first that each process timed.
///
/// # Errors
/// Something failed that does not depend on the approaches.
pub(crate) async fn of_run(
    survey: &Survey,
    found: &DerivedInterface,
    report: &Report,
    sizes: usize,
) -> Result<SavedInputs, CompareError> {
    let secret = report.experiment.seed.race_secret();
    // One that was timed alone gives no verdict.
    let was_timed = report.protocol.inputs.is_some_and(|count| count > 0);
    let processes = report.protocol.replicas.max(u32::from(was_timed));
    let processes = processes.min(OF_EACH_SIZE);
    let calls = (0..processes).flat_map(|process| {
        (0..sizes).map(move |case| {
            let seeds = sample_seeds(&secret, InputPurpose::Timed, process, 0, case);
            (case, seeds.of_call(0))
        })
    });
    let calls: Vec<_> = calls.collect();
    if calls.is_empty() {
        return Ok(SavedInputs::default());
    }
    let parameters = &found.signature().parameters;
    let shapes: Vec<&Shape> = parameters.iter().map(|(_, shape)| shape).collect();
    let made = survey.call_wholly(&calls).await?;
    let made = made.into_iter().find_map(Result::ok).unwrap_or_default();
    // Arguments that are too long to be told are no values.
    let read = made.iter().filter_map(|call| {
        let arguments = read_literals(&call.arguments, &shapes)?;
        Some(written_call(&found.call, &arguments))
    });
    Ok(SavedInputs::of(read, calls.len()))
}

impl SavedInputs {
    /// Returns the first of these calls (in WAVE) that fit into a file; `all` is the number of inputs, including those
    /// whose call is too long to be written out.
    fn of(calls: impl Iterator<Item = String>, all: usize) -> Self {
        let mut saved = Self::default();
        for call in calls {
            let case = Reproduction::new(&call, None).cases;
            if saved.cases.len() + case.len() <= BYTES_MAX {
                saved.cases.push_str(&case);
                saved.count += 1;
            }
        }
        saved.left_out = all - saved.count;
        saved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_make_the_file_too_large_is_left_out_and_counted() {
        let call = |items: usize| format!("f([{}])", vec!["7"; items].join(", "));
        // The second alone would fit; the third fits beside the first, and of four one could not be told.
        let calls = [call(200_000), call(300_000), call(10)];
        let saved = SavedInputs::of(calls.into_iter(), 4);
        assert_eq!((saved.count, saved.left_out), (2, 2));
        assert!(saved.cases.len() <= BYTES_MAX);
        assert!(saved.cases.ends_with("7])\"\n"));
    }
}
