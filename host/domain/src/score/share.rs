//! How often each variant comes out first when the replicas are drawn anew.
//!
//! Descriptive: it says how much the choice hangs on the luck of the replicas, with the weights
//! fixed. It is no verdict and decides nothing.

use super::engine::Standing;
use super::input::ScoreInput;
use super::scale;
use crate::spec::Scale;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Draws of the bootstrap.
pub const DRAWS: usize = 1_000;

/// Replicas that are looked at, at most; a run has no more than 96.
const REPLICAS_MAX: usize = 1_024;

/// By candidate: the share of draws in which its total is the best. Replicas are drawn whole, so
/// that what variants have in common stays in common. Equal totals share a draw.
pub(super) fn of_first_places(
    input: &ScoreInput,
    ranked: &[usize],
    standings: &[Standing],
) -> Vec<f64> {
    let replicas = &input.log_times[..input.log_times.len().min(REPLICAS_MAX)];
    if replicas.is_empty() || ranked.is_empty() {
        return Vec::new();
    }
    let sensitivity = sensitivity(input);
    let against = most_present(replicas, ranked);
    let differences: Vec<Vec<Option<f64>>> = ranked
        .iter()
        .map(|who| differences(replicas, *who, against))
        .collect();
    let centres: Vec<f64> = differences
        .iter()
        .map(|of| median(of.iter().flatten().copied().collect()).unwrap_or(0.0))
        .collect();

    let mut random = Xoshiro256PlusPlus::seed_from_u64(input.seed);
    let mut wins = vec![0.0; input.candidates.len()];
    for _ in 0..DRAWS {
        let draw: Vec<usize> = (0..replicas.len())
            .map(|_| below(&mut random, replicas.len()))
            .collect();
        let totals: Vec<f64> = (0..ranked.len())
            .map(|place| {
                let drawn = draw.iter().filter_map(|r| differences[place][*r]).collect();
                let moved = median(drawn).map_or(0.0, |median| median - centres[place]);
                let total = standings[ranked[place]].total.map_or(0.0, |t| t.value);
                total - sensitivity * moved
            })
            .collect();
        credit(&totals, ranked, &mut wins);
    }
    wins.iter().map(|wins| wins / DRAWS as f64).collect()
}

/// By how much a total falls when the logarithm of the time rises by one.
fn sensitivity(input: &ScoreInput) -> f64 {
    let weights: f64 = input
        .criteria
        .iter()
        .map(|criterion| criterion.weight)
        .sum();
    let of_time = input.criteria.iter().filter(|c| c.source == "time");
    let fall: f64 = of_time
        .map(|criterion| match criterion.scale {
            Scale::Ratio { base } => {
                criterion.weight * scale::points(std::f64::consts::E, base) / 10.0
            }
            Scale::Linear { .. } => 0.0,
        })
        .sum();
    fall / weights
}

/// The candidate that took part in most replicas: the others are held against it, within each.
fn most_present(replicas: &[Vec<Option<f64>>], ranked: &[usize]) -> usize {
    let present = |who: usize| {
        let times = replicas
            .iter()
            .filter_map(|row| row.get(who).copied().flatten());
        times.count()
    };
    let most = ranked.iter().copied().rev().max_by_key(|who| present(*who));
    most.unwrap_or(0)
}

/// By replica: how much longer `who` took than `against`, as a logarithm.
fn differences(replicas: &[Vec<Option<f64>>], who: usize, against: usize) -> Vec<Option<f64>> {
    let time = |row: &[Option<f64>], of: usize| row.get(of).copied().flatten();
    replicas
        .iter()
        .map(|row| Some(time(row, who)? - time(row, against)?).filter(|d| d.is_finite()))
        .collect()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    let middle = values.len() / 2;
    if values.is_empty() {
        return None;
    }
    let (lower, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let (lower, upper) = (lower.iter().copied().reduce(f64::max), *upper);
    match lower.filter(|_| values.len().is_multiple_of(2)) {
        Some(lower) => Some(f64::midpoint(lower, upper)),
        None => Some(upper),
    }
}

/// A number below `bound`, without the bias of a remainder.
fn below(random: &mut impl Rng, bound: usize) -> usize {
    ((u128::from(random.next_u64()) * bound as u128) >> 64) as usize
}

/// One draw's first place, shared among equals.
fn credit(totals: &[f64], ranked: &[usize], wins: &mut [f64]) {
    let best = totals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let first: Vec<usize> = (0..totals.len())
        .filter(|place| best - totals[*place] <= 1e-12)
        .collect();
    for place in &first {
        wins[ranked[*place]] += 1.0 / first.len() as f64;
    }
}
