//! E14: a budget is used. What takes half of a budget on most days is decided within it, and a run that
//! knows nothing never advises less time than it had.

use super::figures::{Demand, Figures, Unit};
use super::spin::{Failure, Listed, Ran, Said, Setup, Source, Spin};
use super::support::median;
use super::{per_cent, runs};

/// The share of runs that decide, in per cent.
const FOUND_MIN_PERCENT: f64 = 95.0;

/// The runs with more time than they need, whose median says what that is.
const RUNS_BEFORE: u64 = 7;

/// The sizes are this much apart.
const SIZES_APART: u32 = 4;

/// A pair of which the first is faster.
struct Pair {
    /// The section that runs this pair alone.
    section: &'static str,
    what: &'static str,
    work: [u64; 2],
    smallest: u32,
    sizes: u32,
    /// More than it needs.
    ample: &'static str,
}

const PAIRS: [Pair; 3] = [
    Pair {
        section: "budget-short",
        what: "+5 %",
        work: [1000, 1050],
        smallest: 100_000,
        sizes: 1,
        ample: "15 s",
    },
    Pair {
        section: "budget-long",
        what: "+5 %, samples of 30 ms",
        work: [1000, 1050],
        smallest: 16_000_000,
        sizes: 1,
        ample: "60 s",
    },
    Pair {
        section: "budget-sizes",
        what: "+20 %, seven sizes",
        work: [1000, 1200],
        smallest: 10_000,
        sizes: 7,
        ample: "120 s",
    },
];

/// The sections that run one pair.
pub(crate) const SECTIONS: [&str; 3] = [PAIRS[0].section, PAIRS[1].section, PAIRS[2].section];

/// Runs each pair whose section is wanted.
pub(crate) fn budget(
    figures: &mut Figures,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<(), Failure> {
    let runs = runs(100, 5);
    for pair in PAIRS {
        if !is_wanted(pair.section) {
            continue;
        }
        let rounds: Vec<u32> = (0..pair.sizes)
            .map(|size| pair.smallest * SIZES_APART.pow(size))
            .collect();
        let with = |budget: &str| {
            Spin::new(&Setup {
                source: Source::Spin,
                work: &pair.work,
                rounds: &rounds,
                measure: &format!("budget = \"{budget}\""),
                listed: Listed::AsNumbered,
            })
        };
        let ample = with(pair.ample)?;
        let mut needed = Vec::new();
        for seed in 1..=RUNS_BEFORE {
            let ran = ample.run(seed)?;
            if ran.first_pair().0 == Said::First {
                needed.extend(ran.report["cost"]["seconds"].as_f64());
            }
        }
        if needed.is_empty() {
            return Err(format!("{}: not decided within {}", pair.what, pair.ample).into());
        }
        let milliseconds = (2000.0 * median(needed)).ceil();
        let tight = with(&format!("{milliseconds} ms"))?;
        let (mut found, mut less) = (0, 0);
        for seed in 1..=runs {
            let ran = tight.run(RUNS_BEFORE + seed)?;
            found += usize::from(ran.first_pair().0 == Said::First);
            less += usize::from(advised(&ran).is_some_and(|advice| advice < milliseconds));
        }
        let what = format!("{} in twice what it takes, {runs} runs: found", pair.what);
        let demand = Demand::AtLeast(FOUND_MIN_PERCENT);
        figures.row("E14", &what, per_cent(found, runs), Unit::PerCent, demand);
        let what = "  advice of less time than there was";
        let demand = Demand::AtMost(0.0);
        figures.row("E14", what, per_cent(less, runs), Unit::PerCent, demand);
    }
    Ok(())
}

/// Returns the least budget that the report advises, in milliseconds.
fn advised(ran: &Ran) -> Option<f64> {
    let text = ran.report.to_string();
    let advices = text.split("--budget ").skip(1).filter_map(|after| {
        let end = after.find(|letter: char| !letter.is_ascii_digit())?;
        let number: f64 = after[..end].parse().ok()?;
        let scale = match &after[end..] {
            unit if unit.starts_with("ms") => 1.0,
            unit if unit.starts_with("min") => 60_000.0,
            unit if unit.starts_with('s') => 1_000.0,
            unit if unit.starts_with('h') => 3_600_000.0,
            _ => return None,
        };
        Some(number * scale)
    });
    advices.min_by(f64::total_cmp)
}
