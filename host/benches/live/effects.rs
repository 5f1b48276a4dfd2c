//! E2 and E3: how often a known difference is found, how near the measured ratio is to the true
//! one, and how often the interval contains it.

use super::figures::{Demand, Figures, Unit};
use super::noise::Noise;
use super::spin::{Failure, Listed, Said, Setup, Source, Spin};
use super::support::median;
use super::{per_cent, runs};

/// The additional work in per mille, and how often it must be found, in per cent.
const EXTRA: [(u64, f64); 3] = [(20, 95.0), (50, 99.0), (100, 99.0)];

/// The smallest share of intervals that must contain the true ratio, in per cent.
const COVERAGE_MIN_PERCENT: f64 = 95.0;

/// Runs each experiment under a generated load.
pub(crate) fn effects(figures: &mut Figures) -> Result<(), Failure> {
    let runs = runs(100, 3);
    let mut holds = 0;
    let _noise = Noise::begin(3)?;
    for (extra, least) in EXTRA {
        let spin = Spin::new(&Setup {
            source: Source::Spin,
            work: &[1000, 1000 + extra],
            rounds: &[100_000],
            listed: Listed::AsNumbered,
            measure: "budget = \"15 s\"",
        })?;
        let mut ratios = Vec::new();
        let (mut found, mut wrong) = (0, 0);
        for seed in 1..=runs {
            let ran = spin.run(seed)?;
            let (said, ratio) = ran.first_pair();
            let truth = 1000.0 / (1000 + extra) as f64;
            holds += usize::from(
                ran.first_interval()
                    .is_none_or(|held| held.contains(&truth)),
            );
            found += usize::from(said == Said::First);
            wrong += usize::from(said == Said::Second);
            ratios.extend(ratio.map(|ratio| ratio / truth));
        }
        let percent = extra / 10;
        let what = format!("+{percent} % found, {runs} runs");
        let demand = Demand::AtLeast(least);
        figures.row("E2", &what, per_cent(found, runs), Unit::PerCent, demand);
        let what = format!("+{percent} %: wrong sign");
        let demand = Demand::AtMost(1.0);
        figures.row("E2", &what, per_cent(wrong, runs), Unit::PerCent, demand);
        if !ratios.is_empty() {
            let what = format!("+{percent} %: measured ratio over the true one, off by");
            let off = 100.0 * (median(ratios) - 1.0);
            figures.row("", &what, off, Unit::PerCent, Demand::None);
        }
    }
    let what = "the same runs: interval holds the true ratio";
    let share = per_cent(holds, runs * EXTRA.len() as u64);
    let demand = Demand::AtLeast(COVERAGE_MIN_PERCENT);
    figures.row("E3", what, share, Unit::PerCent, demand);
    Ok(())
}
