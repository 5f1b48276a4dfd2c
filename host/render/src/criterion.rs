//! Measured times in the files that criterion leaves in `target/criterion`, for tools that read these, such as
//! `critcmp`.

use super::clipped;
use super::escape::Plain;
use bakeoff_domain::report::{Report, VariantReport};
use bakeoff_domain::stats::{Resampled, median, resampled};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A timed sample of one variant on one case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedSample {
    /// Number of calls.
    pub calls: u32,
    /// CPU time of all calls together, in nanoseconds.
    pub ns: u64,
    /// Number of the replica.
    pub replica: u32,
}

/// The times of one variant on one case, as criterion writes a benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct CriterionBenchmark {
    /// The folders below each other: experiment, variant, case.
    pub folder: [String; 3],
    /// Content of `benchmark.json`: the names of the benchmark.
    pub benchmark: Value,
    /// Content of `estimates.json`: the time of a call in nanoseconds, with what criterion calls confidence intervals.
    pub estimates: Value,
    /// Content of `sample.json`: calls and total time of each sample.
    pub sample: Value,
}

/// The longest name of a folder, in characters, as in criterion.
const NAME_CHARS_MAX: usize = 64;
/// The confidence of intervals, as in criterion.
const CONFIDENCE: f64 = 0.95;

/// Returns a benchmark for each variant and case that has samples. `samples` gives the samples of a variant, by case.
///
/// Means are over replicas, which are what repeats independently; their intervals are percentile bootstraps.
pub fn criterion(
    report: &Report,
    samples: impl Fn(&VariantReport) -> Vec<Vec<TimedSample>>,
) -> Vec<CriterionBenchmark> {
    let mut benchmarks = Vec::new();
    for variant in &report.variants {
        let by_case = samples(variant);
        for (case, samples) in report.experiment.cases.iter().zip(by_case) {
            let Some(estimates) = estimates(&samples) else {
                continue;
            };
            let case = case.to_string();
            let number = benchmarks.len();
            benchmarks.push(CriterionBenchmark {
                folder: [
                    folder_name(&report.experiment.name, None),
                    folder_name(&variant.id, Some(number)),
                    folder_name(&case, Some(number)),
                ],
                benchmark: benchmark([&report.experiment.name, &variant.name, &case]),
                estimates,
                sample: sample(&samples),
            });
        }
    }
    benchmarks
}

/// Returns the names as they are shown: without anything that a terminal would obey, since readers of these files print
/// them.
fn benchmark(names: [&str; 3]) -> Value {
    let [group, function, value] =
        names.map(|name| Plain(&clipped(name, NAME_CHARS_MAX)).to_string());
    let full = format!("{group}/{function}/{value}");
    json!({
        "group_id": group,
        "function_id": function,
        "value_str": value,
        "throughput": null,
        "full_id": full,
        "directory_name": full,
        "title": full,
    })
}

fn sample(samples: &[TimedSample]) -> Value {
    let iters: Vec<f64> = samples.iter().map(|one| f64::from(one.calls)).collect();
    let times: Vec<f64> = samples.iter().map(|one| one.ns as f64).collect();
    json!({ "sampling_mode": "Flat", "iters": iters, "times": times })
}

/// Returns the estimates from samples; `None` without samples.
fn estimates(samples: &[TimedSample]) -> Option<Value> {
    let call = |sample: &TimedSample| sample.ns as f64 / f64::from(sample.calls.max(1));
    let mut replicas: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for sample in samples {
        replicas
            .entry(sample.replica)
            .or_default()
            .push(call(sample));
    }
    let mut means = Vec::with_capacity(replicas.len());
    let mut medians = Vec::with_capacity(replicas.len());
    let mut deviations = Vec::with_capacity(replicas.len());
    let mut absolute = Vec::with_capacity(replicas.len());
    for times in replicas.values_mut() {
        let middle = median(times)?;
        means.push(mean(times));
        medians.push(middle);
        deviations.push(standard_deviation(times));
        let mut away: Vec<f64> = times.iter().map(|time| (time - middle).abs()).collect();
        absolute.push(median(&mut away)?);
    }
    let of_medians = |values: &mut [f64]| median(values).unwrap_or_default();
    Some(json!({
        "mean": estimate(resampled(&means, CONFIDENCE, |values| mean(values))?),
        "median": estimate(resampled(&medians, CONFIDENCE, of_medians)?),
        "median_abs_dev": estimate(resampled(&absolute, CONFIDENCE, of_medians)?),
        "slope": null,
        "std_dev": estimate(resampled(&deviations, CONFIDENCE, of_medians)?),
    }))
}

fn estimate(of: Resampled) -> Value {
    json!({
        "confidence_interval": {
            "confidence_level": CONFIDENCE,
            "lower_bound": of.low,
            "upper_bound": of.high,
        },
        "point_estimate": of.value,
        "standard_error": of.standard_error,
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn standard_deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / values.len().saturating_sub(1).max(1) as f64).sqrt()
}

/// Returns a name with nothing in it that a file system reads otherwise. A name that had to be changed ends with
/// `number`, so that no two are the same.
fn folder_name(name: &str, number: Option<usize>) -> String {
    let safe = |one: char| {
        if one.is_ascii_alphanumeric() || matches!(one, '-' | '_' | '.') {
            one
        } else {
            '_'
        }
    };
    let mut folder: String = name.chars().take(NAME_CHARS_MAX).map(safe).collect();
    if folder.is_empty() || folder.starts_with('.') {
        folder.insert(0, '_');
    }
    if let Some(number) = number.filter(|_| folder != name) {
        folder += &format!("-{number}");
    }
    folder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_of_calls_and_replicas_count_alike() {
        // Two samples of a quick replica, four of a slow one.
        let sample_of = |calls, ns, replica| TimedSample { calls, ns, replica };
        let mut samples = vec![sample_of(10, 1_000, 0), sample_of(10, 1_200, 0)];
        samples.extend([sample_of(5, 1_000, 1); 4]);
        let found = estimates(&samples).unwrap();
        assert_eq!(found["mean"]["point_estimate"], 155.0);
        assert_eq!(found["median"]["point_estimate"], 155.0);
        let ends = &found["mean"]["confidence_interval"];
        assert_eq!(
            (&ends["lower_bound"], &ends["upper_bound"]),
            (&json!(110.0), &json!(200.0))
        );
        assert_eq!(estimates(&[]), None);
        let raw = sample(&samples);
        assert_eq!(raw["iters"][0], 10.0);
        assert_eq!(raw["times"][5], 1_000.0);
    }

    #[test]
    fn no_name_leads_to_another_folder() {
        assert_eq!(folder_name("16000", Some(3)), "16000");
        for name in ["..", ".", "", "a/../../b", "a\0b", "ü", "\u{202e}x"] {
            let folder = folder_name(name, Some(3));
            let plain = |one: char| one.is_ascii_alphanumeric() || "-_.".contains(one);
            assert!(
                folder.chars().all(plain) && !folder.starts_with('.'),
                "{folder}"
            );
            assert!(folder.ends_with("-3"), "{folder}");
        }
        assert!(folder_name(&"x".repeat(1_000), Some(7)).len() <= NAME_CHARS_MAX + 2);
    }
}
