//! The bootstrap share of first places: how often each variant has the best total when the replicas are resampled, with
//! the weights fixed.
//!
//! The share is descriptive: it is no verdict and decides nothing. Replicas know of times alone, so there is no share
//! where another reading counts that varies from one time to the next.

use super::input::ScoreInput;
use super::variant_score::{VariantScore, points};
use crate::interval::Interval;
use crate::spec::Scale;
use crate::stats::{below, median};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// The number of bootstrap resamples.
const RESAMPLES: usize = 1_000;

/// The largest number of replicas that are resampled.
const REPLICAS_MAX: usize = 1_024;

/// Shares of resamples in which a variant's total is the best, by variant. Replicas are drawn whole, which keeps what
/// variants have in common. Equal totals share a resample.
pub(super) fn shares(
    input: &ScoreInput,
    ranked: &[usize],
    variant_scores: &[VariantScore],
) -> Vec<f64> {
    let replicas = &input.log_times[..input.log_times.len().min(REPLICAS_MAX)];
    if replicas.is_empty() || ranked.is_empty() || !varies_by_time_alone(input) {
        return Vec::new();
    }
    let against = most_present(replicas, ranked);
    let differences: Vec<Vec<Option<f64>>> = ranked
        .iter()
        .map(|who| differences(replicas, *who, against))
        .collect();
    let centres: Vec<f64> = differences
        .iter()
        .map(|of| median(&mut of.iter().flatten().copied().collect::<Vec<f64>>()).unwrap_or(0.0))
        .collect();

    let mut random = Xoshiro256PlusPlus::seed_from_u64(input.seed);
    let mut wins = vec![0.0; input.variants.len()];
    for _ in 0..RESAMPLES {
        let draw: Vec<usize> = (0..replicas.len())
            .map(|_| below(&mut random, replicas.len() as u64) as usize)
            .collect();
        let totals: Vec<f64> = (0..ranked.len())
            .map(|place| {
                let drawn = draw.iter().filter_map(|r| differences[place][*r]);
                let moved = median(&mut drawn.collect::<Vec<f64>>())
                    .map_or(0.0, |median| median - centres[place]);
                let variant = &variant_scores[ranked[place]];
                let total = variant.total.map_or(0.0, |t| t.value);
                total - sensitivity(input, variant) * moved
            })
            .collect();
        credit(&totals, ranked, &mut wins);
    }
    wins.iter().map(|wins| wins / RESAMPLES as f64).collect()
}

fn varies_by_time_alone(input: &ScoreInput) -> bool {
    let mut counting = input
        .criteria
        .iter()
        .filter(|criterion| criterion.weight > 0.0);
    counting.all(|criterion| criterion.source == "time" || !criterion.is_paired())
}

/// The fall of a variant's total when the logarithm of its time rises by one. A score of 0 cannot fall.
fn sensitivity(input: &ScoreInput, variant: &VariantScore) -> f64 {
    let weights: f64 = input
        .criteria
        .iter()
        .map(|criterion| criterion.weight)
        .sum();
    let is_above_zero = |score: &Option<Interval>| score.is_some_and(|score| score.value > 0.0);
    let scores = input.criteria.iter().zip(&variant.scores);
    let fall: f64 = scores
        .filter(|(criterion, score)| criterion.source == "time" && is_above_zero(score))
        .map(|(criterion, _)| match criterion.scale {
            Scale::Ratio { base } => criterion.weight * points(std::f64::consts::E, base) / 10.0,
            Scale::Linear { .. } => 0.0,
        })
        .sum();
    fall / weights
}

/// The variant that took part in most replicas: the others are compared with it, within each.
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

/// Differences between the logarithms of the times of `who` and of `against`, by replica.
fn differences(replicas: &[Vec<Option<f64>>], who: usize, against: usize) -> Vec<Option<f64>> {
    let time = |row: &[Option<f64>], of: usize| row.get(of).copied().flatten();
    replicas
        .iter()
        .map(|row| Some(time(row, who)? - time(row, against)?).filter(|d| d.is_finite()))
        .collect()
}

/// Credits the first place of one resample, shared among equals.
fn credit(totals: &[f64], ranked: &[usize], wins: &mut [f64]) {
    let best = totals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let first: Vec<usize> = (0..totals.len())
        .filter(|place| best - totals[*place] <= 1e-12)
        .collect();
    for place in &first {
        wins[ranked[*place]] += 1.0 / first.len() as f64;
    }
}
