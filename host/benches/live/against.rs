//! The CPU time to a verdict, by this binary and by another one in turns: what a change of the protocol
//! costs or saves. `--binary FILE` names the other one, such as a build of an earlier commit. Both run
//! the same experiments with their builds in caches of their own.

use super::figures::{Demand, Figures, Unit};
use super::spin::{Failure, Listed, Said, Setup, Source, Spin};
use super::support::median;
use super::{per_cent, runs};
use std::path::PathBuf;

/// The demand on the ratio of CPU times.
const RATIO_MAX: f64 = 0.6;
/// No budget to speak of: what is left is reading, checking and reporting.
const HASTY: &str = "budget = \"100 ms\"";

/// Variants that are far apart.
struct Race {
    what: &'static str,
    work: &'static [u64],
    rounds: &'static [u32],
}

const RACES: [Race; 2] = [
    Race {
        what: "2 variants, 2 × apart",
        work: &[1000, 2000],
        rounds: &[100_000],
    },
    Race {
        what: "4 variants, 2 × apart, 3 sizes",
        work: &[1000, 2000, 4000, 8000],
        rounds: &[50_000, 100_000, 200_000],
    },
];

/// What one of the two took.
#[derive(Default)]
struct Side {
    command_s: Vec<f64>,
    rest_s: Vec<f64>,
    replicas: Vec<f64>,
    right: usize,
}

impl Side {
    fn measuring_s(&self) -> f64 {
        median(self.command_s.clone()) - median(self.rest_s.clone())
    }
}

/// Runs each race by both.
pub(crate) fn against(figures: &mut Figures) -> Result<(), Failure> {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--binary");
    let other = arguments.nth(1).map(PathBuf::from);
    let other = other.ok_or("say which other binary: against --binary FILE")?;
    let runs = runs(20, 3);
    for race in RACES {
        let with = |measure| {
            let setup = Setup {
                source: Source::Spin,
                work: race.work,
                rounds: race.rounds,
                listed: Listed::AsNumbered,
                measure,
            };
            let ours = Spin::new(&setup)?;
            Ok::<_, Failure>([ours, Spin::new(&setup)?.by(&other)])
        };
        let (spins, hasty) = (with("budget = \"60 s\"")?, with(HASTY)?);
        // Fills the caches.
        for spin in &spins {
            spin.run(runs + 1)?;
        }
        let mut sides = [Side::default(), Side::default()];
        let mut timed_s = Vec::new();
        for seed in 1..=runs {
            for (place, side) in sides.iter_mut().enumerate() {
                let ran = spins[place].run(seed)?;
                side.right += usize::from(ran.first_pair().0 == Said::First);
                side.command_s.push(ran.cpu_s);
                let replicas = ran.report["protocol"]["replicas"].as_f64();
                side.replicas.extend(replicas);
                if place == 0 {
                    timed_s.push(ran.timed_s()?);
                }
                side.rest_s.push(hasty[place].run(seed)?.cpu_s);
            }
        }
        let [ours, theirs] = &sides;
        let ratio = ours.measuring_s() / theirs.measuring_s();
        let demand = Demand::AtMost(RATIO_MAX);
        let what = format!("{}: CPU time of measuring, this ÷ that", race.what);
        figures.row("", &what, ratio, Unit::One, demand);
        let timed = 100.0 * median(timed_s) / ours.measuring_s();
        let what = "  of it, timing, this";
        figures.row("", what, timed, Unit::PerCent, Demand::None);
        let command = |side: &Side| median(side.command_s.clone());
        let ratio = command(ours) / command(theirs);
        figures.row("", "  of the whole command", ratio, Unit::One, Demand::None);
        for (who, side) in [("this", ours), ("that", theirs)] {
            let replicas = median(side.replicas.clone());
            let what = format!("  replicas, {who}");
            figures.row("", &what, replicas, Unit::One, Demand::None);
            let what = format!("  found, {who}, {runs} runs");
            let found = per_cent(side.right, runs);
            figures.row("", &what, found, Unit::PerCent, Demand::AtLeast(95.0));
        }
    }
    Ok(())
}
