//! What `bakeoff judge` claims about values in blocks, at any moment at which somebody looks.
//!
//! ```text
//! cargo bench -p bakeoff-domain --bench series [-- [SERIES] [--json FILE]]
//! ```
//!
//! 2,000 series a row unless said otherwise, each of up to 200 blocks, in an order that is drawn. Somebody looks after every block at
//! which `--follow` does, and a claim counts if it ever came up: of identical variants, any that is sure. Beside it stands
//! a paired t-test with a limit of two standard errors, looked at as often, from eight blocks on. Everything follows from
//! seeds.

mod figures;
mod random;

use bakeoff_domain::series::{
    BlockValue, JudgeSettings, Quantity, Row, SeriesEnd, SeriesJudge, SeriesRace, SeriesSettings,
    SeriesVerdicts, ValueScale,
};
use bakeoff_domain::spec::Direction;
use bakeoff_domain::verdict::Verdict;
use figures::{Demand, Figures, Unit};
use random::Noise;

/// Series of a row unless the command line says otherwise.
const SERIES: u64 = 2_000;
/// Blocks of a series.
const BLOCKS: u32 = 200;
/// Blocks from which on the t-test is looked at.
const T_BLOCKS_MIN: f64 = 8.0;

/// A way in which values come about.
#[derive(Clone, Copy)]
struct Machine {
    what: &'static str,
    /// The value of a variant at a place of a block, from the state of the machine.
    value: fn(&mut Noise, &mut State, usize) -> f64,
    scale: ValueScale,
    direction: Direction,
    variants: usize,
}

/// The state of the machine that is measured on.
struct State {
    block: u32,
    level: f64,
}

const UNIT_RANGE: ValueScale = ValueScale::Range {
    low: 0.0,
    high: 1.0,
};

/// Machines on which all variants are the same.
const MACHINES: [Machine; 10] = [
    Machine {
        what: "noise of 5 %",
        value: |noise, _, _| (0.05 * noise.normal()).exp(),
        scale: ValueScale::Ratio,
        direction: Direction::LowerIsBetter,
        variants: 2,
    },
    Machine {
        what: "noise of 5 %, four variants",
        value: |noise, _, _| (0.05 * noise.normal()).exp(),
        scale: ValueScale::Ratio,
        direction: Direction::LowerIsBetter,
        variants: 4,
    },
    Machine {
        what: "noise of 5 %, rates",
        value: |noise, _, _| (0.05 * noise.normal()).exp(),
        scale: ValueScale::Ratio,
        direction: Direction::HigherIsBetter,
        variants: 2,
    },
    Machine {
        what: "one value in twenty three times as large",
        value: |noise, _, _| {
            let tail = if noise.uniform() < 0.05 { 3.0 } else { 1.0 };
            tail * (0.05 * noise.normal()).exp()
        },
        scale: ValueScale::Ratio,
        direction: Direction::LowerIsBetter,
        variants: 2,
    },
    Machine {
        what: "Pareto, no variance",
        value: |noise, _, _| (1.0 - noise.uniform()).powf(-0.6),
        scale: ValueScale::Ratio,
        direction: Direction::LowerIsBetter,
        variants: 2,
    },
    Machine {
        what: "a machine that wanders and warms up",
        value: |noise, state, place| {
            if place == 0 {
                state.level += 0.1 * noise.normal();
            }
            (state.level + 0.01 * f64::from(state.block) + 0.02 * noise.normal()).exp()
        },
        scale: ValueScale::Ratio,
        direction: Direction::LowerIsBetter,
        variants: 2,
    },
    Machine {
        what: "whoever is first takes 5 % more",
        value: |noise, _, place| first_pays(place) * (0.02 * noise.normal()).exp(),
        scale: ValueScale::Ratio,
        direction: Direction::LowerIsBetter,
        variants: 2,
    },
    Machine {
        what: "whole numbers from 3 to 5",
        value: |noise, _, _| 3.0 + (3.0 * noise.uniform()).floor(),
        scale: ValueScale::Ratio,
        direction: Direction::LowerIsBetter,
        variants: 2,
    },
    Machine {
        what: "a range: right or wrong",
        value: |noise, _, _| f64::from(u8::from(noise.uniform() < 0.7)),
        scale: UNIT_RANGE,
        direction: Direction::HigherIsBetter,
        variants: 2,
    },
    Machine {
        what: "a range: scores, whoever is first 0.05 lower",
        value: |noise, _, place| {
            let less = if place == 0 { 0.05 } else { 0.0 };
            (0.7 - less + 0.1 * noise.normal()).clamp(0.0, 1.0)
        },
        scale: UNIT_RANGE,
        direction: Direction::HigherIsBetter,
        variants: 2,
    },
];

fn first_pays(place: usize) -> f64 {
    if place == 0 { 1.05 } else { 1.0 }
}

fn quantity(machine: &Machine) -> Quantity {
    Quantity {
        name: "value".to_owned(),
        unit: String::new(),
        direction: machine.direction,
        scale: machine.scale,
    }
}

/// Claims that ever came up in a series.
#[derive(Default)]
struct Claims {
    /// A sure difference.
    sure: bool,
    /// A sure difference, the first variant being the one with less.
    first_is_less: bool,
    /// The t-test's.
    by_t: bool,
    /// Blocks until the first sure difference.
    blocks: u32,
}

/// One series of which the values of the last variant are larger by a factor.
fn series(machine: &Machine, factor: f64, seed: u64) -> Claims {
    let mut noise = Noise::new(seed);
    let mut race = SeriesRace::new(SeriesSettings {
        variants: machine.variants,
        cases: 1,
        quantity: quantity(machine),
        confidence: 0.95,
        practical: 0.01,
        blocks_max: u32::MAX,
        resolution: 0.0,
        margin: None,
    });
    let mut state = State {
        block: 0,
        level: 0.0,
    };
    let mut claims = Claims::default();
    let (mut sum, mut squares) = (0.0, 0.0);
    for block in 0..BLOCKS {
        state.block = block;
        let values = values(machine, factor, &mut noise, &mut state);
        race.push(&values).expect("values that can be compared");
        let of = |variant: usize| {
            let mut found = values.iter();
            found
                .find(|one| one.variant == variant)
                .map_or(1.0, |one| one.value)
        };
        let difference = if race.settings().quantity.compares_means() {
            of(0) - of(1)
        } else {
            (of(0) / of(1)).ln()
        };
        sum += difference;
        squares += difference * difference;
        let count = f64::from(block + 1);
        let error = ((squares - sum * sum / count) / (count - 1.0) / count).sqrt();
        claims.by_t |= count >= T_BLOCKS_MIN && (sum / count).abs() > 2.0 * error;
        if !claims.sure && race.is_worth_a_look() {
            look(&mut race, &mut claims, block + 1);
        }
    }
    claims
}

/// The values of a block, in an order that is drawn.
fn values(machine: &Machine, factor: f64, noise: &mut Noise, state: &mut State) -> Vec<BlockValue> {
    let mut order: Vec<usize> = (0..machine.variants).collect();
    for place in (1..order.len()).rev() {
        order.swap(place, (noise.uniform() * (place + 1) as f64) as usize);
    }
    let mut values = Vec::new();
    for (place, variant) in order.into_iter().enumerate() {
        let value = (machine.value)(noise, state, place);
        let is_last = variant + 1 == machine.variants;
        values.push(BlockValue {
            variant,
            case: 0,
            value: if is_last { value * factor } else { value },
        });
    }
    values
}

/// Adds what is claimed at this moment.
fn look(race: &mut SeriesRace, claims: &mut Claims, blocks: u32) {
    let verdicts: Vec<Verdict> = match race.verdicts() {
        SeriesVerdicts::Ratios { analysis, .. } => {
            analysis.overall.iter().map(|pair| pair.verdict).collect()
        }
        SeriesVerdicts::Means(rows) => rows.iter().map(|row| row.verdict).collect(),
    };
    let sure = verdicts
        .iter()
        .find(|verdict| matches!(verdict, Verdict::Beats | Verdict::Beaten));
    if let Some(verdict) = sure {
        claims.sure = true;
        claims.first_is_less = *verdict == Verdict::Beats;
        claims.blocks = blocks;
    }
}

fn share(found: usize, of: u64) -> f64 {
    100.0 * found as f64 / of as f64
}

/// The share of series in fixed order whose first line is a warning, and of those in which something false is claimed.
fn in_fixed_order(count: u64, figures: &mut Figures) {
    let (mut warned, mut claimed) = (0, 0);
    for seed in 0..count {
        let mut noise = Noise::new(9_000_000 + seed);
        let mut judge = SeriesJudge::new(JudgeSettings::default());
        for block in 0..40 {
            for (place, variant) in ["a", "b"].into_iter().enumerate() {
                let row = Row {
                    variant: variant.to_owned(),
                    block: Some(block.to_string()),
                    case: None,
                    value: first_pays(place) * (0.02 * noise.normal()).exp(),
                };
                judge.push(&row).expect("rows that can be judged");
            }
        }
        let report = judge.finish(SeriesEnd::EndOfValues).expect("two variants");
        claimed += usize::from(report.winner.is_some());
        warned += usize::from(
            report
                .warnings
                .iter()
                .any(|text| text.starts_with("The order was not drawn")),
        );
    }
    let what = "first pays 5 %, in one order throughout";
    figures.row(
        "E21",
        &format!("{what}: false"),
        share(claimed, count),
        Unit::PerCent,
        Demand::None,
    );
    figures.row(
        "E21",
        &format!("{what}: warned"),
        share(warned, count),
        Unit::PerCent,
        Demand::AtLeast(100.0),
    );
}

fn main() -> std::io::Result<()> {
    let count = std::env::args().find_map(|argument| argument.parse().ok());
    let count: u64 = count.unwrap_or(SERIES).max(10);
    let mut figures = Figures::begin();
    for (number, machine) in MACHINES.iter().enumerate() {
        let all = (0..count).map(|seed| series(machine, 1.0, ((number as u64) << 32) | seed));
        let all: Vec<Claims> = all.collect();
        let sure = all.iter().filter(|claims| claims.sure).count();
        figures.row(
            "E21",
            &format!("{}: false", machine.what),
            share(sure, count),
            Unit::PerCent,
            Demand::AtMost(5.0),
        );
        let by_t = all.iter().filter(|claims| claims.by_t).count();
        figures.row(
            "",
            "  a t-test, looked at as often",
            share(by_t, count),
            Unit::PerCent,
            Demand::None,
        );
    }
    in_fixed_order(count / 10, &mut figures);
    for factor in [1.05, 1.2] {
        let all = (0..count / 4).map(|seed| series(&MACHINES[0], factor, (1 << 40) | seed));
        let all: Vec<Claims> = all.collect();
        let found = all
            .iter()
            .filter(|claims| claims.sure && claims.first_is_less);
        let mut blocks: Vec<u32> = found.map(|claims| claims.blocks).collect();
        blocks.sort_unstable();
        let wrong = all
            .iter()
            .filter(|claims| claims.sure && !claims.first_is_less)
            .count();
        let what = format!("noise of 5 %, {:.0} % apart", 100.0 * (factor - 1.0));
        figures.row(
            "E22",
            &format!("{what}: found"),
            share(blocks.len(), count / 4),
            Unit::PerCent,
            Demand::AtLeast(95.0),
        );
        figures.row(
            "E22",
            &format!("{what}: wrong"),
            share(wrong, count / 4),
            Unit::PerCent,
            Demand::AtMost(1.0),
        );
        let median = blocks.get(blocks.len() / 2).copied().unwrap_or(0);
        figures.row(
            "E22",
            &format!("{what}: blocks, the median"),
            f64::from(median),
            Unit::One,
            Demand::None,
        );
    }
    figures.finish()
}
