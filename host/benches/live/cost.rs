//! E5: what a verdict costs, without a generated load. Measuring is the wall time of all replicas,
//! one after the other: no less than their CPU time. The command is the CPU time of all of
//! `bakeoff run` with its builds in the cache, from reading the file to writing the report.

use super::figures::{Demand, Figures, Unit};
use super::runs;
use super::spin::{Failure, Said, Setup, Source, Spin};
use super::support::median;

/// Seconds of measuring until a verdict: for 2 % and short samples, and for a clear answer.
const MEASURING_S_MAX: f64 = 1.0;

/// A pair of which the first is faster.
struct Pair {
    what: &'static str,
    work: [u64; 2],
    rounds: u32,
    demand: Demand,
}

const PAIRS: [Pair; 3] = [
    Pair {
        what: "+2 %, samples of 0.5 ms",
        work: [1000, 1020],
        rounds: 100_000,
        demand: Demand::AtMost(MEASURING_S_MAX),
    },
    Pair {
        what: "+2 %, samples of 30 ms",
        work: [1000, 1020],
        rounds: 16_000_000,
        demand: Demand::None,
    },
    Pair {
        what: "2 × apart, samples of 0.5 ms",
        work: [1000, 2000],
        rounds: 100_000,
        demand: Demand::AtMost(MEASURING_S_MAX),
    },
];

/// Runs each of them.
pub(crate) fn cost(figures: &mut Figures) -> Result<(), Failure> {
    let runs = runs(10, 3);
    for pair in PAIRS {
        let spin = Spin::new(&Setup {
            source: Source::Spin,
            work: &pair.work,
            rounds: pair.rounds,
            measure: "budget = \"60 s\"",
        })?;
        // Fills the build cache.
        spin.run(runs + 1)?;
        let (mut measuring, mut command) = (Vec::new(), Vec::new());
        let mut right = 0;
        for seed in 1..=runs {
            let ran = spin.run(seed)?;
            right += usize::from(ran.first_pair()?.0 == Said::First);
            measuring.push(ran.replica_seconds()?);
            command.push(ran.cpu_s);
        }
        let what = format!("{}: measuring, seconds", pair.what);
        figures.row("E5", &what, median(measuring), Unit::One, pair.demand);
        let what = "  the whole command, CPU seconds";
        figures.row("", what, median(command), Unit::One, Demand::None);
        let found = super::per_cent(right, runs);
        let what = format!("  found, {runs} runs");
        figures.row("", &what, found, Unit::PerCent, Demand::AtLeast(95.0));
    }
    Ok(())
}
