//! E16: what blocks claim of identical programs, and how soon obvious differences are known.

use crate::bulk::{Tally, count, over_seeds, per_cent};
use crate::figures::{Demand, Figures, Unit};
use crate::machine::{CALM, Machine, Process, race};
use crate::random::Noise;
use crate::recorded;
use crate::trace::Trace;
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::race::{Analysis, Race, RaceSettings};
use bakeoff_domain::verdict::Verdict;

/// One in a thousand.
const FALSE_MAX: Demand = Demand::AtMost(0.1);
/// All of the error that claims by blocks have, at 95 %.
const BLOCKS_ALPHA: Demand = Demand::AtMost(1.5);
/// Blocks of so many replicas count.
const COUNTED: u32 = 8;

fn claims(analysis: &Analysis) -> bool {
    let mut pairs = analysis.overall.iter().chain(&analysis.by_case);
    pairs.any(|pair| matches!(pair.verdict, Verdict::Beats | Verdict::Beaten))
}

/// Returns true if anything is claimed after any of the replicas whose blocks count. Without a pilot, replicas alone
/// are too few for a claim.
fn claims_ever(settings: &RaceSettings, mut next: impl FnMut(u32) -> Replica) -> bool {
    let mut race = Race::new(settings.clone(), None);
    (0..COUNTED).any(|index| {
        race.push(next(index));
        claims(&race.analysis())
    })
}

/// Identical programs on machines of which some move a process further than the bound.
pub(crate) fn identical(runs: u64, figures: &mut Figures) {
    let processes = [
        ("3 %", Process::Normal(0.03), FALSE_MAX),
        ("t₃ 6 %", Process::Student(3, 0.06), FALSE_MAX),
        ("1 in 10 at 1.4 ×", Process::Slow(0.1, 1.4), FALSE_MAX),
        ("1 in 20 at 1.8 ×", Process::Slow(0.05, 1.8), BLOCKS_ALPHA),
    ];
    for (named, process, demand) in processes {
        for (blocks, noise) in [("t₄ 3 %", (4, 0.03)), ("t₂ 15 %", (2, 0.15))] {
            for (variants, cases) in [(2, 1), (2, 3), (4, 1), (4, 3)] {
                let runs = if (variants, cases) == (2, 1) {
                    runs
                } else {
                    runs / 5
                };
                let machine = Machine { process, noise };
                let settings = RaceSettings::new(variants, cases);
                let run = |seed| {
                    let mut random = Noise::new(seed ^ 0xE16);
                    let next = |index| machine.replica(&settings, index, 0.0, &mut random);
                    claims_ever(&settings, next)
                };
                let wrong = count(runs, run);
                let what = format!(
                    "process {named}, block {blocks}, k = {variants}, {cases} case(s), {runs} races"
                );
                figures.row("E16", &what, per_cent(wrong, runs), Unit::PerCent, demand);
            }
        }
    }
}

/// Identical programs as they were recorded, and with what belongs to a process twice as large.
pub(crate) fn recorded(trace: &Trace, runs: u64, figures: &mut Figures) {
    for (named, wider) in [("as recorded", 0.0), ("twice as wide", 1.0)] {
        for variants in [2, 4] {
            let settings = recorded::settings(trace, variants);
            let run = |seed| {
                let mut random = Noise::new(seed ^ 0x7E16);
                let next = |index| {
                    let mut replica = recorded::replica(trace, index, variants, 0.0, &mut random);
                    widen(&mut replica, wider);
                    replica
                };
                claims_ever(&settings, next)
            };
            let wrong = count(runs, run);
            let what = format!("recorded, processes {named}, k = {variants}, {runs} races");
            figures.row(
                "E16",
                &what,
                per_cent(wrong, runs),
                Unit::PerCent,
                FALSE_MAX,
            );
        }
    }
}

/// Adds so many times what a variant's samples have in common, against those of all variants.
fn widen(replica: &mut Replica, times: f64) {
    let mean = |samples: &mut dyn Iterator<Item = u64>| {
        let (sum, count) = samples.fold((0.0, 0.0), |(sum, count), ns| {
            (sum + (ns as f64).ln(), count + 1.0)
        });
        sum / count
    };
    let all = mean(&mut replica.samples.iter().map(|sample| sample.cpu_ns));
    let last = replica.samples.iter().map(|sample| sample.variant).max();
    for variant in 0..=last.unwrap_or(0) {
        let own = replica
            .samples
            .iter()
            .filter(|sample| sample.variant == variant);
        let more = times * (mean(&mut own.map(|sample| sample.cpu_ns)) - all);
        let own = replica
            .samples
            .iter_mut()
            .filter(|sample| sample.variant == variant);
        own.for_each(|sample| sample.cpu_ns = (sample.cpu_ns as f64 * more.exp()) as u64);
    }
}

/// The replicas after which an obvious difference is known.
pub(crate) fn differences(runs: u64, figures: &mut Figures) {
    let wild = Machine {
        process: Process::Student(3, 0.06),
        noise: (2, 0.15),
    };
    for (named, machine) in [("calm", CALM), ("wild", wild)] {
        for times in [1.6, 2.0, 3.0, 10.0_f64] {
            let mut settings = RaceSettings::new(2, 1);
            settings.replicas_max = 24;
            let run = |seed| {
                let mut random = Noise::new(seed ^ 0x2E16);
                let (analysis, _) = race(&settings, |index| {
                    machine.replica(&settings, index, times.ln(), &mut random)
                });
                let mut known = [0; 26];
                match analysis.winner {
                    Some(1) => known[analysis.replicas as usize] = 1,
                    Some(_) => known[25] = 1,
                    None => {}
                }
                Tally(known)
            };
            let Tally(known) = over_seeds(runs, run);
            let up_to = |count: usize| known[..=count].iter().sum::<u64>();
            let median = (0..25)
                .find(|count| 2 * up_to(*count) >= runs)
                .unwrap_or(25);
            let what = format!("{times} × apart, {named}: replicas, median of {runs} races");
            figures.row("E16", &what, median as f64, Unit::One, Demand::None);
            let demand = match (named, times) {
                ("calm", 2.0) => Demand::AtLeast(90.0),
                _ => Demand::None,
            };
            let share = per_cent(up_to(3), runs);
            figures.row("E16", "  known after 2 or 3", share, Unit::PerCent, demand);
            let wrong = per_cent(known[25], runs);
            figures.row("E16", "  wrong", wrong, Unit::PerCent, FALSE_MAX);
        }
    }
}
