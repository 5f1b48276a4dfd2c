//! The end of the search for differences: inputs that are made of those on which the files took a way that few other
//! inputs led to, by fuel.

use crate::difference_search::{DifferenceSearch, seed_of};
use crate::error::CompareError;
use crate::first_look::FirstLook;
use crate::shrinking::{self, Difference};
use bakeoff_run::Survey;
use bakeoff_runner::{CallTexts, RepeatedCall};
use bakeoff_source::interface::{Constants, Literal, Shape, mutated, read_literals, written_call};
use std::collections::{BTreeMap, BTreeSet};

/// Divisor of the number of drawn inputs: one in so many is made of others instead.
pub(crate) const STEERED_DIVISOR: u64 = 6;

/// Number of batches in which they are made: what one finds is changed further in the next.
const BATCHES: usize = 4;

/// The most inputs that others are made of at once: those whose way was met least often.
const PARENTS_MAX: usize = 48;

/// The most attempts to make an input that was not tried yet, for each one that is wanted.
const ATTEMPTS_MAX: usize = 4;

/// The way that an input led to: the fuel of each file, `None` where its call failed.
type Way = Vec<Option<u64>>;

/// Inputs that were tried, with the ways that they led to.
#[derive(Default)]
struct TriedInputs {
    inputs: Vec<(Vec<Literal>, Way)>,
    counts: BTreeMap<Way, usize>,
    written: BTreeSet<String>,
}

impl TriedInputs {
    /// Adds calls of all files on the same inputs. Inputs that are too long to be told are not changed further.
    fn add(&mut self, calls: &[&[RepeatedCall]], shapes: &[&Shape]) {
        let tried = calls.iter().map(|calls| calls.len()).min().unwrap_or(0);
        for input in 0..tried {
            let way: Way = calls.iter().map(|calls| calls[input].fuel).collect();
            *self.counts.entry(way.clone()).or_default() += 1;
            let arguments = &calls[0][input].arguments;
            if self.written.insert(arguments.clone())
                && let Some(arguments) = read_literals(arguments, shapes)
            {
                self.inputs.push((arguments, way));
            }
        }
    }

    /// Returns the inputs whose way was met least often.
    fn parents(&self) -> Vec<&[Literal]> {
        let mut inputs: Vec<&(Vec<Literal>, Way)> = self.inputs.iter().collect();
        // The last ones first: they are further on the way.
        inputs.reverse();
        inputs.sort_by_key(|(_, way)| self.counts.get(way));
        let least = inputs.into_iter().take(PARENTS_MAX);
        least.map(|(arguments, _)| &arguments[..]).collect()
    }
}

/// Result of calls on inputs that are made of others.
#[derive(Default)]
pub(crate) struct Steered {
    /// The simplest input on which files differ, if they do, and the number of those on which they did.
    pub(crate) difference: Option<(Difference, usize)>,
    /// Number of inputs that were tried.
    pub(crate) inputs: usize,
}

impl DifferenceSearch<'_> {
    /// Calls all approaches on inputs that are made of the rarest of those in `calls`, as many as are wanted.
    ///
    /// # Errors
    /// Something failed that does not depend on the approaches.
    pub(crate) async fn steered(
        &self,
        survey: &Survey,
        calls: &[&[RepeatedCall]],
        wanted: u64,
    ) -> Result<Steered, CompareError> {
        let parameters = &self.found.signature().parameters;
        let shapes: Vec<&Shape> = parameters.iter().map(|(_, shape)| shape).collect();
        let mut tried = TriedInputs::default();
        tried.add(calls, &shapes);
        let mut drawings = 0;
        let mut below = |bound: usize| {
            drawings += 1;
            let random = seed_of(self.seed, "steered", 0, drawings);
            usize::try_from(random % bound.max(1) as u64).unwrap_or(0)
        };
        let wanted = usize::try_from(wanted).unwrap_or(0) / BATCHES;
        let mut steered = Steered::default();
        for _ in 0..BATCHES {
            let batch = made(&tried, wanted, &shapes, self.constants, &mut below);
            let left = self.bounds.time.saturating_sub(self.spent());
            if batch.is_empty() || left.is_zero() {
                break;
            }
            let call = |arguments: &Vec<Literal>| written_call(&self.found.call, arguments);
            let written: Vec<String> = batch.iter().map(call).collect();
            let started = std::time::Instant::now();
            let called = survey.call_written(&written, CallTexts::Shortened, Some(left));
            let called = called.await;
            self.add_spent(started);
            let called = called?;
            if let Some(failure) = called.iter().find_map(|calls| calls.as_ref().err()) {
                return Err(CompareError::NotBuilt(failure.clone()));
            }
            let called: Vec<Vec<RepeatedCall>> = called.into_iter().flatten().collect();
            let calls: Vec<&[RepeatedCall]> = called.iter().map(|calls| &calls[..]).collect();
            let findings = FirstLook {
                calls: calls.clone(),
            }
            .compare();
            steered.inputs += findings.inputs;
            if let Some((input, count)) = findings.differ {
                let most = self.bounds.shrinking;
                let arguments = batch[input].clone();
                let found = shrinking::shrink(survey, &self.found.call, arguments, most).await?;
                steered.difference = found.map(|found| (found, count));
                if steered.difference.is_some() {
                    break;
                }
            }
            tried.add(&calls, &shapes);
        }
        Ok(steered)
    }
}

/// Makes inputs that were not tried yet of the rarest ones.
fn made(
    tried: &TriedInputs,
    wanted: usize,
    shapes: &[&Shape],
    constants: &Constants,
    below: &mut dyn FnMut(usize) -> usize,
) -> Vec<Vec<Literal>> {
    let parents = tried.parents();
    let mut known = BTreeSet::new();
    let mut made = Vec::new();
    if parents.is_empty() {
        return made;
    }
    for _ in 0..wanted * ATTEMPTS_MAX {
        if made.len() == wanted {
            break;
        }
        // The rarer ones more often.
        let place = below(parents.len()).min(below(parents.len()));
        let other = mutated(parents[place], shapes, constants, below);
        let written = written_call("", &other);
        let inner = &written[1..written.len() - 1];
        if !tried.written.contains(inner) && known.insert(written.clone()) {
            made.push(other);
        }
    }
    made
}
