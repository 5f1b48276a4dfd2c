//! E13: calls of a few nanoseconds to a few microseconds, and the same work in calls of 50 µs.

use super::figures::{Demand, Figures, Unit};
use super::spin::{Failure, Listed, Said, Setup, Source, Spin};
use super::support::median;
use super::{per_cent, runs};

/// The most identical pairs of which one is called faster, in per cent.
const FALSE_MAX_PERCENT: f64 = 5.0;
/// The smallest share of runs in which a difference must be found, in per cent.
const FOUND_MIN_PERCENT: f64 = 99.0;

/// What a round of `spin` takes, roughly, in nanoseconds.
const ROUND_NS: f64 = 1.63;

/// A length of calls.
struct Length {
    what: &'static str,
    rounds: u32,
    /// The work of the slower one, in per mille: so many rounds more that it is a whole number of them.
    slower: u64,
    /// The most that the ratio may be off that of long calls, in per cent; `None` if it says nothing.
    off_max: Option<f64>,
}

const LENGTHS: [Length; 4] = [
    Length {
        what: "5 ns",
        rounds: 4,
        slower: 2_000,
        off_max: None,
    },
    Length {
        what: "50 ns",
        rounds: 40,
        slower: 1_050,
        off_max: Some(10.0),
    },
    Length {
        what: "500 ns",
        rounds: 300,
        slower: 1_050,
        off_max: Some(2.0),
    },
    Length {
        what: "5 µs",
        rounds: 3_000,
        slower: 1_050,
        off_max: Some(2.0),
    },
];

/// The work of a call of 50 µs.
const LONG_ROUNDS: u32 = 30_000;

fn pair(rounds: u32, work: [u64; 2]) -> Result<Spin, Failure> {
    Spin::new(&Setup {
        source: Source::Spin,
        work: &work,
        rounds: &[rounds],
        measure: "budget = \"20 s\"",
        listed: Listed::AsNumbered,
    })
}

/// Runs each pair so many times, and returns the verdicts, and the median ratio if there is one.
fn run(rounds: u32, work: [u64; 2], runs: u64) -> Result<(Vec<Said>, Option<f64>), Failure> {
    let spin = pair(rounds, work)?;
    let (mut said, mut ratios) = (Vec::new(), Vec::new());
    for seed in 1..=runs {
        let (verdict, ratio) = spin.run(seed)?.first_pair();
        said.push(verdict);
        ratios.extend(ratio);
    }
    let ratio = (!ratios.is_empty()).then(|| median(ratios));
    Ok((said, ratio))
}

/// Runs the pairs of each length.
pub(crate) fn short(figures: &mut Figures) -> Result<(), Failure> {
    let runs = runs(100, 3);
    let count = |said: &[Said], wanted: &[Said]| {
        let found = said.iter().filter(|one| wanted.contains(one));
        per_cent(found.count(), runs)
    };
    let (_, long) = run(LONG_ROUNDS, [1_000, 1_050], runs)?;
    for length in LENGTHS {
        let what = format!(
            "{} ({:.1} ns), identical, {runs} runs: false claim",
            length.what,
            f64::from(length.rounds) * ROUND_NS
        );
        let (same, _) = run(length.rounds, [1_000, 1_000], runs)?;
        let claims = count(&same, &[Said::First, Said::Second]);
        let demand = Demand::AtMost(FALSE_MAX_PERCENT);
        figures.row("E13", &what, claims, Unit::PerCent, demand);
        let (said, ratio) = run(length.rounds, [1_000, length.slower], runs)?;
        let more = (length.slower - 1_000) / 10;
        let what = format!("  +{more} %: found");
        let demand = Demand::AtLeast(FOUND_MIN_PERCENT);
        let found = count(&said, &[Said::First]);
        figures.row("E13", &what, found, Unit::PerCent, demand);
        let what = format!("  +{more} %: wrong sign, or a tie");
        let wrong = count(&said, &[Said::Second, Said::Tie]);
        figures.row("E13", &what, wrong, Unit::PerCent, Demand::AtMost(1.0));
        let Some((ratio, long)) = ratio.zip(long) else {
            continue;
        };
        let what = "  ratio over that of the same work in calls of 50 µs, off by";
        let demand = length.off_max.map_or(Demand::None, Demand::AtMost);
        let off = match length.off_max {
            Some(_) => 100.0 * (ratio / long - 1.0).abs(),
            // Twice the work is another pair than that of long calls.
            None => 100.0 * (ratio / 0.5 - 1.0).abs(),
        };
        figures.row("E13", what, off, Unit::PerCent, demand);
    }
    Ok(())
}
