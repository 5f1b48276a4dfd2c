//! E8: the effect of two workers at once, each pinned to a core, on the ratio that one alone
//! measures.

use super::figures::{Demand, Figures, Unit};
use super::runs;
use super::spin::{Failure, Listed, Setup, Source, Spin};
use super::support::median;

/// The number of runs with data in a core's own caches, and with data beyond them: the latter take
/// long, and there is no demand on them.
const RUNS: [u64; 2] = [150, 40];

/// The most points by which the ratio may move with data in a core's own caches.
const BIAS_POINTS_MAX: f64 = 0.1;

/// The ratio of the standard deviation to the median absolute deviation for normal numbers; with a
/// median instead of the mean it is only an estimate.
const SD_OVER_MAD: f64 = 1.4826;

/// Runs with one worker and with two, in alternation.
pub(crate) fn pinned(figures: &mut Figures) -> Result<(), Failure> {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        println!("E8: skipped: there is a single core");
        return Ok(());
    }
    for (source, usual, what, demand) in [
        (
            Source::Spin,
            RUNS[0],
            "cache-resident",
            Demand::AtMost(BIAS_POINTS_MAX),
        ),
        (Source::Walk, RUNS[1], "memory-bound", Demand::None),
    ] {
        let runs = runs(usual, 5);
        // As many replicas as a verdict can be made to take: each run then says more.
        let with = |workers: u32| {
            Spin::new(&Setup {
                source,
                work: &[1000, 1100],
                rounds: &[100_000],
                listed: Listed::AsNumbered,
                measure: &format!("budget = \"20 s\"\nconfidence = 0.9999\nworkers = {workers}"),
            })
        };
        let (alone, both) = (with(1)?, with(2)?);
        let mut moved = Vec::new();
        for seed in 1..=runs {
            let one = alone.run(seed)?.first_pair().1;
            let two = both.run(seed)?.first_pair().1;
            moved.extend(one.zip(two).map(|(one, two)| 100.0 * (two / one).ln()));
        }
        if moved.is_empty() {
            println!("E8: {what}: skipped: no run had the time to measure a ratio");
            continue;
        }
        let bias = median(moved.clone());
        let off = moved.iter().map(|value| (value - bias).abs()).collect();
        let error = SD_OVER_MAD * median(off) / (moved.len() as f64).sqrt();
        let what = format!("two workers at once, {what}, {runs} runs: ratio moves by");
        figures.row("E8", &what, bias.abs(), Unit::PerCent, demand);
        let what = "  which is known to within (2 standard errors)";
        figures.row("", what, 2.0 * error, Unit::PerCent, Demand::None);
    }
    Ok(())
}
