//! The scale of a pair's first differences, from the pilot.

use super::block_times::{BlockTimes, PairTimes};
use super::settings::{FirstScale, RaceSettings};
use crate::measurement::Replica;
use crate::stats::PastScale;

/// Fewest blocks of the pilot for a scale.
const BLOCKS_MIN: usize = 4;

/// The first scales of all pairs that took samples in four blocks of the pilot at least, over all
/// cases and by case, in ascending order.
pub fn first_scales(settings: &RaceSettings, pilot: &Replica) -> Vec<FirstScale> {
    let times = BlockTimes::new(settings, pilot);
    let weights = settings.weights();
    let cases = if settings.instances {
        Vec::new()
    } else {
        settings.claimed_cases()
    };
    let of = |times: PairTimes| scale_of(&times.by_block(settings.instances), times.resolution());
    let mut found = Vec::new();
    for a in 0..settings.variants {
        for b in a + 1..settings.variants {
            let all = times.on_all((a, b), &weights, settings.instances);
            let scale = all.and_then(of);
            let case = None;
            found.extend(scale.map(|scale| FirstScale { a, b, case, scale }));
            for case in &cases {
                let on_case = times.on_case((a, b), *case, 1.0);
                let scale = on_case.and_then(|one| of(PairTimes { cases: vec![one] }));
                let case = Some(*case);
                found.extend(scale.map(|scale| FirstScale { a, b, case, scale }));
            }
        }
    }
    found
}

/// The scale of a pair's differences in blocks; `None` for too few of them.
fn scale_of(differences: &[f64], resolution: f64) -> Option<f64> {
    let mut deviation = PastScale::default();
    differences.iter().for_each(|value| deviation.push(*value));
    let deviation = deviation
        .value()
        .filter(|_| differences.len() >= BLOCKS_MIN)?;
    Some(deviation.max(resolution))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Baseline, Sample, Surroundings};

    /// A pilot of as many blocks as there are times, in nanoseconds: those of two variants on the first
    /// of two cases, of which the second takes as long for both.
    fn pilot(times: &[(u64, u64)]) -> Replica {
        let mut samples = Vec::new();
        for (block, (a, b)) in (0..).zip(times) {
            for (variant, case, cpu_ns) in
                [(0, 0, *a), (1, 0, *b), (0, 1, 100_000), (1, 1, 100_000)]
            {
                samples.push(Sample {
                    variant,
                    case,
                    block,
                    position: 0,
                    calls: 1,
                    cpu_ns,
                    wall_ns: 2 * cpu_ns,
                });
            }
        }
        Replica {
            index: 0,
            solo: true,
            samples,
            baselines: vec![Baseline::default(); 2],
            cold_ns: Vec::new(),
            parts: Vec::new(),
            surroundings: Surroundings::default(),
        }
    }

    const TIMES: [(u64, u64); 5] = [
        (200_000, 100_000),
        (220_000, 100_000),
        (200_000, 110_000),
        (260_000, 100_000),
        (200_000, 80_000),
    ];

    #[test]
    fn the_scale_is_the_deviation_of_the_differences_in_blocks() {
        let mut settings = RaceSettings::new(2, 2);
        settings.clock_ns = 0.0;
        let found = first_scales(&settings, &pilot(&TIMES));
        // ln 2, 2.2, 1.82, 2.6, 2.5: the median is ln 2.2, and the deviations are 0.095, 0, 0.19, 0.167
        // and 0.128.
        let expected = (2.5_f64 / 2.2).ln();
        let [all, first, second] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!((first.a, first.b, first.case), (0, 1, Some(0)));
        assert!((first.scale - expected).abs() < 1e-12, "{first:?}");
        assert_eq!((all.case, all.scale), (None, 0.5 * first.scale));
        assert_eq!(second.scale, 0.0);
        settings.clock_ns = 50_000.0;
        let found = first_scales(&settings, &pilot(&TIMES));
        assert_eq!(found[2].scale, 1.0, "never finer than the clock");
    }

    #[test]
    fn without_four_blocks_there_is_no_scale() {
        let settings = RaceSettings::new(2, 2);
        assert!(first_scales(&settings, &pilot(&TIMES[..3])).is_empty());
        let mut partly = pilot(&TIMES);
        partly
            .samples
            .retain(|sample| (sample.variant, sample.case) != (1, 1));
        let cases: Vec<_> = first_scales(&settings, &partly)
            .iter()
            .map(|found| found.case)
            .collect();
        assert_eq!(cases, [Some(0)]);
    }
}
