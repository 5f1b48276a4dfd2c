//! E2: a known difference, found or not, and how near the measured ratio comes to the true one.

use super::figures::{Demand, Figures, Unit};
use super::noise::Noise;
use super::spin::{Failure, Said, Setup, Source, Spin};
use super::support::median;
use super::{per_cent, runs};

/// More work in per mille, and how often it has to be found, in per cent.
const EXTRA: [(u64, f64); 3] = [(20, 95.0), (50, 99.0), (100, 99.0)];

/// Runs each of them under a generated load.
pub(crate) fn effects(figures: &mut Figures) -> Result<(), Failure> {
    let runs = runs(10, 3);
    let _noise = Noise::begin(3)?;
    for (extra, least) in EXTRA {
        let spin = Spin::new(&Setup {
            source: Source::Spin,
            work: &[1000, 1000 + extra],
            rounds: 100_000,
            measure: "budget = \"15 s\"",
        })?;
        let mut ratios = Vec::new();
        let (mut found, mut wrong) = (0, 0);
        for seed in 1..=runs {
            let (said, ratio) = spin.run(seed)?.first_pair();
            found += usize::from(said == Said::First);
            wrong += usize::from(said == Said::Second);
            ratios.extend(ratio.map(|ratio| ratio * (1000 + extra) as f64 / 1000.0));
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
    Ok(())
}
