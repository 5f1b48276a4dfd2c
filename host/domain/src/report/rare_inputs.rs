//! Variants of which a few calls take far longer than most: their mean times say so, medians do not.

use crate::measurement::{CaseIndex, Metric, Replica, VariantIndex};
use crate::stats::median;
use std::collections::BTreeMap;

/// Ratio of the mean to the median from which on a mean is reported.
const FACTOR: f64 = 1.5;
/// Fewest samples for a median that a mean is held against.
const SAMPLES_MIN: usize = 10;

/// The times of a variant on a case, of which the mean is far above the median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RareInputs {
    /// The variant.
    pub variant: VariantIndex,
    /// The case.
    pub case: CaseIndex,
    /// The mean time of a call, in nanoseconds.
    pub mean_ns: f64,
    /// The median over the samples, in nanoseconds.
    pub median_ns: f64,
}

/// Returns the variants and cases, in their order, on which the mean of the samples is half as much again as their
/// median, or more.
pub fn rare_inputs(replicas: &[Replica]) -> Vec<RareInputs> {
    let mut times: BTreeMap<(VariantIndex, CaseIndex), Vec<f64>> = BTreeMap::new();
    for replica in replicas {
        for sample in &replica.samples {
            let baseline = replica.baselines.get(sample.case).copied();
            let call_ns = sample.call_ns(Metric::Cpu, &baseline.unwrap_or_default());
            times
                .entry((sample.variant, sample.case))
                .or_default()
                .push(call_ns);
        }
    }
    let uneven = |((variant, case), mut times): (_, Vec<f64>)| {
        let mean_ns = times.iter().sum::<f64>() / times.len() as f64;
        let enough = times.len() >= SAMPLES_MIN;
        let median_ns = median(&mut times).filter(|_| enough)?;
        (mean_ns >= FACTOR * median_ns).then_some(RareInputs {
            variant,
            case,
            mean_ns,
            median_ns,
        })
    };
    times.into_iter().filter_map(uneven).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Baseline, Sample, Surroundings};

    #[test]
    fn one_sample_in_twelve_that_takes_far_longer_is_reported() {
        let found = |slow_ns: u64, blocks: u32| {
            let sample = |block: u32| Sample {
                variant: 1,
                case: 0,
                block,
                position: 0,
                calls: 10,
                cpu_ns: if block == 3 { slow_ns } else { 11_000 },
                wall_ns: 0,
            };
            rare_inputs(&[Replica {
                index: 0,
                solo: true,
                samples: (0..blocks).map(sample).collect(),
                baselines: vec![Baseline {
                    cpu_ns: 100.0,
                    wall_ns: 0.0,
                }],
                cold_ns: Vec::new(),
                parts: Vec::new(),
                surroundings: Surroundings::default(),
            }])
        };
        let [rare] = found(121_000, 12)[..] else {
            panic!("not found");
        };
        assert_eq!((rare.variant, rare.case), (1, 0));
        assert!((rare.median_ns - 1_000.0).abs() < 1e-6, "{rare:?}");
        assert!((rare.mean_ns - 23_000.0 / 12.0).abs() < 1e-6, "{rare:?}");
        assert!(found(61_000, 12).is_empty());
        assert!(found(121_000, 9).is_empty());
    }
}
