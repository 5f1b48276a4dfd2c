//! Replicas of a trace as samples, for the race itself: drawn with replacement, their identical variants dealt out
//! anew.

use crate::random::Noise;
use crate::trace::Trace;
use bakeoff_domain::measurement::{Baseline, Replica, Sample, Surroundings};
use bakeoff_domain::race::RaceSettings;

/// What a sample of the trace's quickest time lasts when it is written out again, in nanoseconds.
const SAMPLE_NS: f64 = 1e6;

/// The race settings of a session that is replayed from this trace.
pub(crate) fn settings(trace: &Trace, k: usize) -> RaceSettings {
    let mut settings = RaceSettings::new(k, 1);
    settings.clock_ns = trace.resolution * SAMPLE_NS;
    settings
}

/// A replica of the trace as samples, for the race itself; variant 0 takes longer by `effect`.
pub(crate) fn replica(
    trace: &Trace,
    index: u32,
    k: usize,
    effect: f64,
    random: &mut Noise,
) -> Replica {
    let recorded = &trace.replicas[below(random, trace.replicas.len())];
    let hands = hands(random, trace.variants, k);
    let mut samples = Vec::new();
    for (block, taken) in (0..).zip(recorded) {
        for taken in taken {
            let Some(variant) = hands.iter().position(|hand| *hand == taken.variant) else {
                continue;
            };
            let more = if variant == 0 { effect } else { 0.0 };
            let ns = |log: f64| ((log + more).exp() * SAMPLE_NS) as u64;
            samples.push(Sample {
                variant,
                case: 0,
                block,
                position: 0,
                calls: 1,
                cpu_ns: ns(taken.cpu),
                wall_ns: ns(taken.wall),
            });
        }
    }
    Replica {
        index,
        solo: false,
        samples,
        baselines: vec![Baseline::default()],
        cold_ns: Vec::new(),
        parts: Vec::new(),
        surroundings: Surroundings {
            started_s: f64::from(index),
            ..Surroundings::default()
        },
    }
}

/// `k` of `all`, in any order.
pub(crate) fn hands(random: &mut Noise, all: usize, k: usize) -> Vec<usize> {
    let mut hands: Vec<usize> = (0..all).collect();
    for place in 0..k.min(all) {
        let other = place + below(random, all - place);
        hands.swap(place, other);
    }
    hands.truncate(k);
    hands
}

/// Uniform below `limit`.
pub(crate) fn below(random: &mut Noise, limit: usize) -> usize {
    ((random.uniform() * limit as f64) as usize).min(limit.saturating_sub(1))
}
