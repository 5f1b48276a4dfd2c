//! Other tools on the same pairs in the same run, under the same generated load. Each tool runs
//! with its own settings, natively; bakeoff runs the same source as a component.
//!
//! A tool is right about a pair of known ratio if it names the faster one, and about identical ones
//! if it names none. The rule by which a tool's output is read as "this one is faster" is with
//! each, in `tools`.

mod build;
mod tools;

use super::figures::{Demand, Figures, Unit};
use super::noise::Noise;
use super::spin::{Failure, Listed, Said, Setup, Source, Spin, children_cpu_s};
use super::support::median;
use super::{per_cent, runs};
use build::Peers;

/// Two variants, of which the first is faster or neither is.
pub(crate) struct Pair {
    what: &'static str,
    source: Source,
    work: [u64; 2],
    rounds: u32,
}

const PAIRS: [Pair; 6] = [
    Pair {
        what: "identical",
        source: Source::Spin,
        work: [1000, 1000],
        rounds: 100_000,
    },
    Pair {
        what: "+2 %",
        source: Source::Spin,
        work: [1000, 1020],
        rounds: 100_000,
    },
    Pair {
        what: "2 ×",
        source: Source::Spin,
        work: [1000, 2000],
        rounds: 100_000,
    },
    Pair {
        what: "identical, memory-bound",
        source: Source::Walk,
        work: [1000, 1000],
        rounds: 100_000,
    },
    Pair {
        what: "identical, samples of 30 ms",
        source: Source::Spin,
        work: [1000, 1000],
        rounds: 16_000_000,
    },
    Pair {
        what: "+2 %, samples of 30 ms",
        source: Source::Spin,
        work: [1000, 1020],
        rounds: 16_000_000,
    },
];

impl Pair {
    /// Returns the outcome of a run with this conclusion.
    fn judge(&self, said: Said) -> Outcome {
        let identical = self.work[0] == self.work[1];
        match (said, identical) {
            (Said::First, false) | (Said::Tie | Said::Nothing, true) => Outcome::Right,
            (Said::First, true) | (Said::Second | Said::Tie, _) => Outcome::Wrong,
            (Said::Nothing, false) => Outcome::None,
        }
    }
}

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Right,
    Wrong,
    None,
}

/// Runs all tools on all pairs.
pub(crate) fn peers(figures: &mut Figures) -> Result<(), Failure> {
    let runs = runs(3, 1);
    let peers = Peers::build();
    for (tool, reason) in &peers.missing {
        println!("{tool}: skipped: {reason}");
    }
    let _noise = Noise::begin(4)?;
    for pair in &PAIRS {
        let spin = Spin::new(&Setup {
            source: pair.source,
            work: &pair.work,
            rounds: &[pair.rounds],
            listed: Listed::AsNumbered,
            measure: "budget = \"30 s\"",
        })?;
        // Fills the build cache: the others are built already too.
        spin.run(runs + 1)?;
        let mut ours = Tally::default();
        let mut theirs: Vec<Tally> = peers.tools.iter().map(|_| Tally::default()).collect();
        for seed in 1..=runs {
            let ran = spin.run(seed)?;
            ours.take(pair.judge(ran.first_pair().0), ran.cpu_s);
            for (tool, tally) in peers.tools.iter().zip(&mut theirs) {
                let before = children_cpu_s()?;
                match tool.compare(pair) {
                    Ok(said) => tally.take(pair.judge(said), children_cpu_s()? - before),
                    Err(reason) => println!("{}: {}: {reason}", tool.name(), pair.what),
                }
            }
        }
        ours.print(figures, "bakeoff", pair.what, Demand::AtMost(5.0));
        for (tool, tally) in peers.tools.iter().zip(theirs) {
            tally.print(figures, tool.name(), pair.what, Demand::None);
        }
    }
    Ok(())
}

/// The outcomes of a tool's runs on a pair.
#[derive(Default)]
struct Tally {
    outcomes: Vec<Outcome>,
    cpu_s: Vec<f64>,
}

impl Tally {
    fn take(&mut self, outcome: Outcome, cpu_s: f64) {
        self.outcomes.push(outcome);
        self.cpu_s.push(cpu_s);
    }

    fn print(self, figures: &mut Figures, tool: &str, pair: &str, wrong: Demand) {
        if self.outcomes.is_empty() {
            return;
        }
        for (outcome, word, demand) in [
            (Outcome::Right, "right", Demand::None),
            (Outcome::Wrong, "wrong", wrong),
        ] {
            let count = self.outcomes.iter().filter(|one| **one == outcome).count();
            let found = per_cent(count, self.outcomes.len() as u64);
            let what = format!("{pair}: {tool}: {word}");
            figures.row("peer", &what, found, Unit::PerCent, demand);
        }
        let what = format!("{pair}: {tool}: CPU seconds");
        figures.row("peer", &what, median(self.cpu_s), Unit::One, Demand::None);
    }
}
