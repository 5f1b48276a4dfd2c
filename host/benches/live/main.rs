//! Whole runs by the built binary on variants whose true ratio is known, on the machine as it is.
//!
//! ```text
//! cargo bench -p bakeoff --bench live -- [SECTION …] [--runs N] [--json FILE] [--quick]
//! cargo bench -p bakeoff --bench live -- record FILE [--quick]
//! ```
//!
//! | section | what | takes |
//! |---|---|---|
//! | `identical` | E1, E6, E7: two identical variants under a generated load, sub-second budgets | 200 runs, 5 minutes |
//! | `effects` | E2, E3: 2, 5 and 10 % more work under a generated load | 100 runs each, 15 minutes |
//! | `cost` | E5: CPU time to a verdict, for short and long samples and a clear answer | 10 runs each, 3 minutes |
//! | `pinned` | E8: what two workers at once do to a ratio | 150 and 40 runs, 10 minutes |
//! | `pieces` | E15: arguments of many small pieces beside one flat list | 3 runs of 10 s each, 3 minutes |
//! | `switches` | E15: how often a runner loses its core, beside a busy loop | 3 runs, 1 minute |
//! | `listed` | E10: identical variants of six kinds, listed in both orders, under a generated load | 60 runs each, 20 minutes |
//! | `budget` | E14: whether a budget is used, and what is advised when it ends | 100 runs each, 25 minutes |
//! | `budget-short`, `budget-long`, `budget-sizes` | one pair of these alone | |
//! | `short` | E13: calls of 5 ns to 5 µs | 100 runs each, 70 minutes |
//! | `peers` | the same pairs by the tools people use, under a generated load | 3 runs each, 15 minutes |
//! | `against --binary FILE` | CPU time to a verdict beside another build of bakeoff, in turns | 20 runs each, 5 minutes |
//! | `answers` | E23: how long somebody waits for an answer, and whether it is right | 5 minutes |
//! | `viewers` | E20: what ten pages that follow a run take from it | 16 pairs of runs of 10 s, 7 minutes |
//! | `record` | writes the trace that the core's bench replays | 2 minutes |
//!
//! Without a section all but `listed`, `budget`, `short`, `peers`, `against`, `answers`, `viewers` and `record` run.

mod against;
mod answers;
mod budget;
mod cost;
mod effects;
#[path = "../../domain/benches/figures/mod.rs"]
mod figures;
mod identical;
mod listed;
#[path = "../noise/mod.rs"]
mod noise;
mod peers;
mod pieces;
mod pinned;
#[path = "../../domain/benches/random/mod.rs"]
mod random;
mod record;
mod short;
mod spin;
#[path = "../support/mod.rs"]
mod support;
mod switches;
mod viewers;

use figures::Figures;
use spin::Failure;
use std::path::PathBuf;

/// The sections that run when none is named.
const USUAL: [&str; 6] = [
    "identical",
    "effects",
    "cost",
    "pinned",
    "pieces",
    "switches",
];

/// The sections that run only when they are named.
const LONG: [&str; 7] = [
    "listed", "budget", "short", "peers", "against", "answers", "viewers",
];

fn main() -> Result<(), Failure> {
    if noise::was_noise() {
        return Ok(());
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "record") {
        let file = arguments.get(at + 1).ok_or("say which file: record FILE")?;
        return record::record(&PathBuf::from(file));
    }
    let named = |section: &str| arguments.iter().any(|argument| argument == section);
    let sections = USUAL.iter().chain(&LONG).chain(&budget::SECTIONS);
    let none_named = !sections.into_iter().any(|section| named(section));
    let wanted = |section: &str| named(section) || (none_named && USUAL.contains(&section));
    let mut figures = Figures::begin();
    if wanted("identical") {
        identical::identical(&mut figures)?;
    }
    if wanted("effects") {
        effects::effects(&mut figures)?;
    }
    if wanted("cost") {
        cost::cost(&mut figures)?;
    }
    if wanted("pinned") {
        pinned::pinned(&mut figures)?;
    }
    if wanted("pieces") {
        pieces::pieces(&mut figures)?;
    }
    if wanted("switches") {
        switches::switches(&mut figures)?;
    }
    if wanted("listed") {
        listed::listed(&mut figures)?;
    }
    budget::budget(&mut figures, |section| named("budget") || named(section))?;
    if wanted("short") {
        short::short(&mut figures)?;
    }
    if wanted("peers") {
        peers::peers(&mut figures)?;
    }
    if wanted("against") {
        against::against(&mut figures)?;
    }
    if wanted("answers") {
        answers::answers(&mut figures)?;
    }
    if wanted("viewers") {
        viewers::viewers(&mut figures)?;
    }
    Ok(figures.finish()?)
}

/// Returns the number of runs of each row: the number after `--runs`, or else `usual`, or `quick`.
fn runs(usual: u64, quick: u64) -> u64 {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--runs");
    let wanted = arguments.nth(1).and_then(|number| number.parse().ok());
    let default = if support::is_quick() { quick } else { usual };
    wanted.unwrap_or(default).max(1)
}

/// Returns a share of runs, in per cent.
fn per_cent(count: usize, runs: u64) -> f64 {
    100.0 * count as f64 / runs as f64
}
