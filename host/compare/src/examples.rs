//! Inputs that are tried before any are drawn: those that stand in compared files as examples, others that differ a
//! little from these, and inputs on which earlier versions of the files differed.

use crate::difference_search::{DifferenceSearch, seed_of};
use crate::error::CompareError;
use crate::first_look::FirstLook;
use crate::known_differences;
use crate::shrinking::{self, Difference};
use bakeoff_run::Survey;
use bakeoff_runner::{CallTexts, RepeatedCall};
use bakeoff_source::interface::{Literal, Shape, mutated, written_call};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The most inputs that are made of all examples, and of each example.
const MADE_MAX: usize = 256;
const MADE_OF_EACH: usize = 16;

/// Clause on a difference that a remembered input shows, without a full stop.
const REMEMBERED: &str =
    "They differ on an input that told these files, or earlier versions of them, apart before";

/// Result of trying the examples.
#[derive(Default)]
pub(crate) struct TriedExamples {
    /// The simplest input on which two files differ, if they do on one of them.
    pub(crate) difference: Option<Difference>,
    /// Clause on how often the files differ, without a full stop; without a difference, a sentence on the number of
    /// inputs, empty if there were none.
    pub(crate) sentence: String,
}

/// Inputs of one origin.
pub(crate) struct Origin {
    pub(crate) inputs: Vec<Vec<Literal>>,
    /// Clause on a difference, from the number of inputs on which the files differ and the number of all.
    pub(crate) differ: fn(usize, usize) -> String,
}

impl DifferenceSearch<'_> {
    /// Calls all approaches on the arguments that stand in the files as examples and on others like them, for no longer
    /// than `left` in all.
    ///
    /// # Errors
    /// An approach does not build, or something failed that does not depend on the approaches.
    pub(crate) async fn try_examples(
        &self,
        survey: &Survey,
        left: Duration,
    ) -> Result<TriedExamples, CompareError> {
        let until = Instant::now() + left;
        let examples = self.found.examples();
        let made = self.like(&examples);
        let remembered = known_differences::inputs(survey, self.found, &self.experiment.approaches);
        let counts = (examples.len(), made.len());
        let first = [
            Origin {
                inputs: remembered,
                differ: |_, _| REMEMBERED.to_owned(),
            },
            Origin {
                inputs: examples,
                differ: |count, all| {
                    format!(
                        "They differ on {count} of {all} inputs that stand in the files, in examples and tests"
                    )
                },
            },
        ];
        let then = [Origin {
            inputs: made,
            differ: |count, all| {
                format!(
                    "They differ on {count} of {all} inputs that were made of examples and tests in the files, by small \
                     changes"
                )
            },
        }];
        for origins in [&first[..], &then[..]] {
            let left = until.saturating_duration_since(Instant::now());
            if let Some(tried) = self.try_origins(survey, origins, left).await? {
                return Ok(tried);
            }
        }
        let like = match counts.1 {
            0 => String::new(),
            count => format!(", and {count} that differ a little from these"),
        };
        Ok(TriedExamples {
            difference: None,
            sentence: match counts.0 {
                0 => String::new(),
                1 => format!(
                    " One input that stands in the files, in an example or a test, was tried before them{like}."
                ),
                count => format!(
                    " {count} inputs that stand in the files, in examples and tests, were tried before them{like}."
                ),
            },
        })
    }

    /// Calls all approaches on inputs of these origins. Returns a difference of the first origin that shows one; `None`
    /// if none does.
    pub(crate) async fn try_origins(
        &self,
        survey: &Survey,
        origins: &[Origin],
        left: Duration,
    ) -> Result<Option<TriedExamples>, CompareError> {
        let call = |arguments: &Vec<Literal>| written_call(&self.found.call, arguments);
        let all = origins.iter().flat_map(|origin| &origin.inputs);
        let written: Vec<String> = all.map(call).collect();
        if written.is_empty() || left.is_zero() {
            return Ok(None);
        }
        let made = survey.call_written(&written, CallTexts::Shortened, Some(left));
        let made = made.await?;
        if let Some(failure) = made.iter().find_map(|calls| calls.as_ref().err()) {
            return Err(CompareError::NotBuilt(failure.clone()));
        }
        let made: Vec<Vec<RepeatedCall>> = made.into_iter().flatten().collect();
        let mut first = 0;
        for origin in origins {
            let places = first..first + origin.inputs.len();
            first = places.end;
            let calls = made.iter().map(|calls| {
                let end = places.end.min(calls.len());
                &calls[places.start.min(end)..end]
            });
            let findings = FirstLook {
                calls: calls.collect(),
            }
            .compare();
            let Some((input, count)) = findings.differ else {
                continue;
            };
            let arguments = origin.inputs[input].clone();
            let most = self.bounds.shrinking;
            let difference = shrinking::shrink(survey, &self.found.call, arguments, most).await?;
            if difference.is_some() {
                return Ok(Some(TriedExamples {
                    difference,
                    sentence: (origin.differ)(count, findings.inputs),
                }));
            }
        }
        Ok(None)
    }

    /// Returns inputs that differ a little from the examples, each once.
    fn like(&self, examples: &[Vec<Literal>]) -> Vec<Vec<Literal>> {
        let parameters = &self.found.signature().parameters;
        let shapes: Vec<&Shape> = parameters.iter().map(|(_, shape)| shape).collect();
        let mut drawn = 0;
        let mut below = |bound: usize| {
            drawn += 1;
            let random = seed_of(self.seed, "examples", 0, drawn);
            usize::try_from(random % bound.max(1) as u64).unwrap_or(0)
        };
        let mut known: BTreeSet<String> =
            examples.iter().map(|one| written_call("", one)).collect();
        let mut made = Vec::new();
        for _ in 0..MADE_OF_EACH {
            for example in examples {
                let other = mutated(example, &shapes, self.constants, &mut below);
                if made.len() < MADE_MAX && known.insert(written_call("", &other)) {
                    made.push(other);
                }
            }
        }
        made
    }
}
