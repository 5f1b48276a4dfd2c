//! E10: identical variants on the machine as it is, listed in both orders. What is listed first must not
//! be preferred, and nothing may be claimed too often.

use super::figures::{Demand, Figures, Unit};
use super::noise::Noise;
use super::spin::{Failure, Listed, Ran, Said, Setup, Source, Spin};
use super::{per_cent, runs};

/// The share of runs with a claim, in per cent.
const FALSE_MAX_PERCENT: f64 = 5.0;

/// A kind of work, or a reading that ranks.
struct Kind {
    what: &'static str,
    source: Source,
    rounds: u32,
    measure: &'static str,
    /// The reading whose verdicts count; `None`: time.
    reading: Option<&'static str>,
}

const fn timed(what: &'static str, source: Source, rounds: u32, measure: &'static str) -> Kind {
    Kind {
        what,
        source,
        rounds,
        measure,
        reading: None,
    }
}

const KINDS: [Kind; 6] = [
    timed(
        "cache-resident",
        Source::Spin,
        100_000,
        "budget = \"800 ms\"",
    ),
    timed(
        "a walk through 1 MiB",
        Source::WalkSmall,
        100_000,
        "budget = \"2 s\"",
    ),
    timed(
        "a walk through 32 MiB",
        Source::WalkLarge,
        100_000,
        "budget = \"4 s\"",
    ),
    timed("allocating", Source::Boxes, 10_000, "budget = \"2 s\""),
    Kind {
        what: "cold start as a criterion",
        source: Source::Spin,
        rounds: 100_000,
        measure: "budget = \"2 s\"\n\
                  [[criterion]]\nname = \"start\"\nfrom = \"cold-start\"",
        reading: Some("cold-start"),
    },
    Kind {
        what: "build time as a criterion",
        source: Source::Spin,
        rounds: 100_000,
        measure: "budget = \"6 s\"\nprecision = 0.5\n\
                  [[criterion]]\nname = \"build\"\nfrom = \"build-time\"",
        reading: Some("build-time"),
    },
];

/// Runs each kind under a generated load.
pub(crate) fn listed(figures: &mut Figures) -> Result<(), Failure> {
    let runs = runs(60, 4).next_multiple_of(2);
    let _noise = Noise::begin(4)?;
    let (mut first, mut last) = (0, 0);
    for kind in KINDS {
        let with = |listed| {
            Spin::new(&Setup {
                source: kind.source,
                work: &[1000, 1000],
                rounds: &[kind.rounds],
                measure: kind.measure,
                listed,
            })
        };
        let orders = [Listed::AsNumbered, Listed::Reversed];
        let experiments = [with(orders[0])?, with(orders[1])?];
        let (mut against_first, mut against_last) = (0, 0);
        for seed in 1..=runs {
            let turn = (seed % 2) as usize;
            let ran = experiments[turn].run(seed)?;
            let said = match kind.reading {
                None => ran.first_pair().0,
                Some(reading) => by_reading(&ran, reading),
            };
            match (said, orders[turn]) {
                (Said::First, Listed::AsNumbered) | (Said::Second, Listed::Reversed) => {
                    against_last += 1;
                }
                (Said::Second, Listed::AsNumbered) | (Said::First, Listed::Reversed) => {
                    against_first += 1;
                }
                (Said::Tie | Said::Nothing, _) => (),
            }
        }
        let what = format!("identical, {}, {runs} runs: false claim", kind.what);
        let share = per_cent(against_first + against_last, runs);
        let demand = Demand::AtMost(FALSE_MAX_PERCENT);
        figures.row("E10", &what, share, Unit::PerCent, demand);
        first += against_first;
        last += against_last;
    }
    let what = "  claims against the one listed first, of all";
    figures.row("", what, first as f64, Unit::One, Demand::None);
    let what = "  claims against the one listed last";
    figures.row("", what, last as f64, Unit::One, Demand::None);
    Ok(())
}

/// Returns the verdict on the first two variants by a reading.
fn by_reading(ran: &Ran, reading: &str) -> Said {
    let rows = ran.report["reading_verdicts"][reading].as_array();
    let row = rows.and_then(|rows| rows.iter().find(|row| row["a"] == "v0" && row["b"] == "v1"));
    match row.and_then(|row| row["verdict"].as_str()) {
        Some("beats") => Said::First,
        Some("beaten") => Said::Second,
        Some("tie") => Said::Tie,
        _ => Said::Nothing,
    }
}
