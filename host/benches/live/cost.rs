//! E5: the cost of a verdict, without a generated load. The cost of the command is the CPU time of
//! all of `bakeoff run` with its builds in the cache, from reading the file to writing the report.
//! The cost of measuring is that less the CPU time of the same command with the least budget:
//! reading, checking, reporting, and next to no measuring.

use super::figures::{Demand, Figures, Unit};
use super::runs;
use super::spin::{Failure, Listed, Said, Setup, Source, Spin};
use super::support::median;

/// The demand on measuring until a verdict in seconds, for 2 % with short samples and for a clear
/// difference.
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

/// Runs each pair.
pub(crate) fn cost(figures: &mut Figures) -> Result<(), Failure> {
    let runs = runs(10, 3);
    for pair in PAIRS {
        let with = |measure| {
            Spin::new(&Setup {
                source: Source::Spin,
                work: &pair.work,
                rounds: &[pair.rounds],
                listed: Listed::AsNumbered,
                measure,
            })
        };
        let (spin, hasty) = (with("budget = \"60 s\"")?, with("budget = \"100 ms\"")?);
        // Fills the build cache.
        spin.run(runs + 1)?;
        let (mut rest, mut command) = (Vec::new(), Vec::new());
        let mut right = 0;
        for seed in 1..=runs {
            let ran = spin.run(seed)?;
            right += usize::from(ran.first_pair().0 == Said::First);
            command.push(ran.cpu_s);
            rest.push(hasty.run(seed)?.cpu_s);
        }
        let (command, rest) = (median(command), median(rest));
        let what = format!("{}: measuring, CPU seconds", pair.what);
        figures.row("E5", &what, command - rest, Unit::One, pair.demand);
        let what = "  the whole command, CPU seconds";
        figures.row("", what, command, Unit::One, Demand::None);
        let found = super::per_cent(right, runs);
        let what = format!("  found, {runs} runs");
        figures.row("", &what, found, Unit::PerCent, Demand::AtLeast(95.0));
    }
    Ok(())
}
