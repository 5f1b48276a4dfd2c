//! A grid that gets finer: around the best values of parameters that a run has found, closer ones.
//!
//! For each approach with a `sweep`, the variant that ranks best is taken. Of each of its numbers, the values
//! halfway to the neighbours that were tried are proposed, with the best itself in their middle; where the best is
//! the first or the last value, one that goes as far beyond it as its neighbour is away. Texts stay as they are.

#![forbid(unsafe_code)]

use crate::bakeoff::{Approach, Error, Outcome, Parameter, Proposal, Task};

/// The most variants of a proposal: so many race without a screening.
const VARIANTS_MAX: usize = 64;

/// Approaches with closer values of their parameters.
pub fn propose(task: &Task) -> Result<Vec<Proposal>, Error> {
    let swept: Vec<&Approach> = task
        .known
        .iter()
        .filter(|one| !one.parameters.is_empty())
        .collect();
    if swept.is_empty() {
        return Err(nothing("no approach has a `sweep`"));
    }
    if task.outcomes.is_empty() {
        return Err(nothing(
            "there are no results yet: let `bakeoff run` finish a run first",
        ));
    }
    let proposals: Vec<Proposal> = swept
        .iter()
        .filter_map(|one| finer(one, &task.outcomes))
        .collect();
    match proposals.is_empty() {
        true => Err(nothing(
            "there is no value between those that were tried, or nothing was ranked",
        )),
        false => Ok(proposals),
    }
}

fn nothing(why: &str) -> Error {
    Error::NothingToPropose(why.to_owned())
}

/// The best variant of an approach: the first in rank, and of several the one with the highest total.
fn best<'a>(approach: &Approach, outcomes: &'a [Outcome]) -> Option<&'a Outcome> {
    let own = outcomes.iter().filter(|one| one.approach == approach.name);
    let ranked = own.filter_map(|one| Some((one.rank?, one.total.unwrap_or(0.0), one)));
    let first = ranked.min_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    first.map(|(_, _, one)| one)
}

/// An approach with closer values around its best ones; `None` if there are none.
fn finer(approach: &Approach, outcomes: &[Outcome]) -> Option<Proposal> {
    let best = best(approach, outcomes)?;
    let mut proposal = Proposal::new(&format!("{} finer", approach.name), approach.source()?);
    let (mut is_new, mut variants) = (false, 1);
    for parameter in &approach.parameters {
        let value = best.parameter(&parameter.name)?;
        let mut values = closer(parameter, value).unwrap_or_else(|| vec![value.to_owned()]);
        if variants * values.len() > VARIANTS_MAX {
            values = vec![value.to_owned()];
        }
        variants *= values.len();
        is_new |= values.len() > 1;
        proposal = proposal.sweep(&parameter.name, values);
    }
    let list: Vec<String> = best
        .parameters
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    is_new.then(|| {
        let about = format!("As {}, around {}.", approach.name, list.join(", "));
        proposal.about(about)
    })
}

/// The values around the best one of a parameter whose values are numbers.
fn closer(parameter: &Parameter, best: &str) -> Option<Vec<String>> {
    let is_whole = parameter
        .values
        .iter()
        .all(|value| value.parse::<i64>().is_ok());
    let numbers: Result<Vec<f64>, _> = parameter
        .values
        .iter()
        .map(|value| value.parse::<f64>())
        .collect();
    let mut numbers = numbers.ok()?;
    numbers.retain(|number| number.is_finite());
    numbers.sort_by(f64::total_cmp);
    let best: f64 = best.parse().ok()?;
    let below = numbers.iter().copied().rfind(|number| *number < best);
    let above = numbers.iter().copied().find(|number| *number > best);
    let (low, high) = match (below, above) {
        (Some(low), Some(high)) => ((low + best) / 2.0, (best + high) / 2.0),
        (Some(low), None) => ((low + best) / 2.0, best + (best - low)),
        (None, Some(high)) => (beyond(best, high), (best + high) / 2.0),
        (None, None) => return None,
    };
    let mut values: Vec<f64> = Vec::new();
    for value in [low, best, high] {
        let value = if is_whole {
            value.round()
        } else {
            rounded(value)
        };
        if values.last().is_none_or(|last| *last < value) {
            values.push(value);
        }
    }
    // With nothing between, the neighbours were tried already.
    let tried = |value: &f64| numbers.contains(value);
    (!values.iter().all(tried))
        .then(|| values.iter().map(|value| shown(*value, is_whole)).collect())
}

/// Below the least value: as far as the next one is above, but never on the other side of zero.
fn beyond(best: f64, next: f64) -> f64 {
    match best < 0.0 {
        true => best - (next - best),
        false => (best - (next - best)).max(best / 2.0),
    }
}

/// Without the last digits, which are noise of halving.
fn rounded(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}

fn shown(value: f64, is_whole: bool) -> String {
    match is_whole {
        true => format!("{}", value as i64),
        false => format!("{value:?}"),
    }
}
