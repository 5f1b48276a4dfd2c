//! E1: two identical variants, again and again. Whatever is called a winner is wrong.

use super::figures::{Demand, Figures, Unit};
use super::noise::Noise;
use super::spin::{Failure, Said, Setup, Source, Spin};
use super::{per_cent, runs};

/// What is allowed of 200 runs: 4. With fewer runs a single one may be more than that.
const FALSE_MAX_PERCENT: f64 = 2.0;

/// Runs them under a generated load.
pub(crate) fn identical(figures: &mut Figures) -> Result<(), Failure> {
    let runs = runs(200, 20);
    let spin = Spin::new(&Setup {
        source: Source::Spin,
        work: &[1000, 1000],
        rounds: 100_000,
        measure: "budget = \"800 ms\"",
    })?;
    let (mut claims, mut ties) = (0, 0);
    {
        let _noise = Noise::begin(2)?;
        for seed in 1..=runs {
            let (said, _) = spin.run(seed)?.first_pair();
            claims += usize::from(matches!(said, Said::First | Said::Second));
            ties += usize::from(said == Said::Tie);
        }
    }
    let what = format!("2 identical, budget 0.8 s, {runs} runs: false claim");
    let found = per_cent(claims, runs);
    let demand = Demand::AtMost(FALSE_MAX_PERCENT);
    figures.row("E1", &what, found, Unit::PerCent, demand);
    let what = "  called a tie";
    figures.row("", what, per_cent(ties, runs), Unit::PerCent, Demand::None);
    Ok(())
}
