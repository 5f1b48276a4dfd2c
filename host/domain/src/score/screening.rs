//! Screening: the choice of the variants of a large sweep that race, by what is known of them before.
//!
//! A screening orders variants, and claims nothing: where a criterion needs times, fuel stands for them, or the times
//! of a coarse race of those that are ahead by fuel; and a reading that only the race gives does not count. The
//! verdicts come from the race of the variants that were chosen.

use super::engine::variant_score;
use super::input::{ScoreInput, VariantReadings};
use super::{CriterionSummary, VariantStatus, scale};
use crate::spec::{Direction, Scale};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most variants that race without being screened.
pub const RACING_MAX: usize = 64;
/// The number of variants that race after a screening.
pub const CHOSEN: usize = 8;
/// The source under which a variant's readings have the slope of the logarithm of fuel over that of size.
pub const FUEL_GROWTH: &str = "fuel-growth";
/// The source under which a variant's readings have its time in a coarse race.
pub const COARSE_TIME: &str = "coarse-time";
/// The base of the scale of fuel where no other criterion counts.
const FUEL_BASE: f64 = 10.0;

/// Figures of one variant in a screening.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScreeningFigures {
    /// Place of the variant among all that passed their checks, from 1: the first have the places in the race.
    pub place: u32,
    /// Total of the variant before the race, from 0 to 1; `None` if a reading is missing.
    pub total: Option<f64>,
    /// The time of a call in the coarse race, in nanoseconds; `None` for those that were not in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<f64>,
}

/// Readings that stand for the times of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandIn {
    /// Fuel.
    Fuel,
    /// The time in a coarse race, as the reading [`COARSE_TIME`].
    CoarseTime,
}

impl StandIn {
    fn source(self) -> &'static str {
        match self {
            Self::Fuel => "fuel",
            Self::CoarseTime => COARSE_TIME,
        }
    }
}

/// Returns the figures of each variant, by index; `None` for those that failed. Better totals come first,
/// then less fuel (or time), then earlier ones; variants that do not pass a gate come last.
pub fn screen(
    criteria: &[CriterionSummary],
    variants: Vec<VariantReadings>,
    stand_in: StandIn,
) -> Vec<Option<ScreeningFigures>> {
    let screened = screen_with_gates(criteria, variants, stand_in);
    let figures = |one: Option<ScreenedFigures>| one.map(|one| one.figures);
    screened.into_iter().map(figures).collect()
}

/// Figures of a variant in a screening, and whether it passes the gates of the criteria.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScreenedFigures {
    /// The figures.
    pub figures: ScreeningFigures,
    /// True if the variant passes every gate, as far as it is known before a race.
    pub passes: bool,
}

/// Returns the figures of each variant as [`screen`] does, and whether it passes the gates of the criteria.
pub fn screen_with_gates(
    criteria: &[CriterionSummary],
    variants: Vec<VariantReadings>,
    stand_in: StandIn,
) -> Vec<Option<ScreenedFigures>> {
    let input = ScoreInput {
        criteria: before_the_race(criteria, &variants, stand_in),
        variants,
        ..ScoreInput::default()
    };
    let cells = scale::scores(&input);
    struct RoundCandidate {
        index: usize,
        is_ranked: bool,
        total: Option<f64>,
        fuel: f64,
    }
    let candidate = |index: usize| {
        let cells = cells[index].as_deref()?;
        let score = variant_score(&input, index, Some(cells));
        let fuel = input.variants[index].readings.get(stand_in.source());
        Some(RoundCandidate {
            index,
            is_ranked: score.status == VariantStatus::Ranked,
            total: score.total.map(|total| total.value),
            fuel: fuel.map_or(f64::INFINITY, |fuel| fuel.value),
        })
    };
    let mut order: Vec<RoundCandidate> = (0..input.variants.len()).filter_map(candidate).collect();
    order.sort_by(|a, b| {
        let total = |one: &RoundCandidate| one.total.unwrap_or(f64::NEG_INFINITY);
        (b.is_ranked.cmp(&a.is_ranked))
            .then(total(b).total_cmp(&total(a)))
            .then(a.fuel.total_cmp(&b.fuel))
            .then(a.index.cmp(&b.index))
    });
    let mut figures = vec![None; input.variants.len()];
    for (place, candidate) in (1..).zip(order) {
        figures[candidate.index] = Some(ScreenedFigures {
            figures: ScreeningFigures {
                place,
                total: candidate.total,
                time_ns: None,
            },
            passes: candidate.is_ranked,
        });
    }
    figures
}

/// Rule by which the variants of a large sweep get the places of a race.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlacesRule {
    /// The best totals get the places, whichever approach they belong to: the rule of results that were kept without
    /// one.
    #[default]
    ByTotal,
    /// The best variant of each approach gets a place before any approach gets a second: fuel says little of two
    /// approaches, and an approach that is never timed may be the fastest.
    ApproachesFirst,
}

/// Returns indexes that are ordered from the best on, so that the best of each group stands before every other, as far
/// as there are `places`.
pub fn first_of_each<G: Ord>(
    order: &[usize],
    group: impl Fn(usize) -> G,
    places: usize,
) -> Vec<usize> {
    let mut known = BTreeSet::new();
    let firsts = order.iter().filter(|index| known.insert(group(**index)));
    let firsts: Vec<usize> = firsts.take(places).copied().collect();
    let others = order.iter().filter(|index| !firsts.contains(index));
    firsts.iter().chain(others).copied().collect()
}

/// Returns the criteria with `stand_in` in place of times. Criteria that no variant has a reading for do not count:
/// what an evaluator says of times is said after the race.
fn before_the_race(
    criteria: &[CriterionSummary],
    variants: &[VariantReadings],
    stand_in: StandIn,
) -> Vec<CriterionSummary> {
    let is_known = |source: &str| {
        let mut variants = variants.iter().filter(|one| !one.failed);
        variants.any(|one| one.readings.contains_key(source))
    };
    let stands_for = |criterion: &CriterionSummary| {
        let mut criterion = criterion.clone();
        match criterion.source.as_str() {
            // A bound in nanoseconds says nothing about fuel, and a coarse time is not sure to be beyond it.
            "time" | "wall" => {
                criterion.source = stand_in.source().to_owned();
                criterion.gate = None;
            }
            "growth" => criterion.source = FUEL_GROWTH.to_owned(),
            _ => {}
        }
        if !is_known(&criterion.source) {
            criterion.weight = 0.0;
            criterion.gate = None;
        }
        criterion
    };
    let mut known: Vec<CriterionSummary> = criteria.iter().map(stands_for).collect();
    if known.iter().all(|criterion| criterion.weight == 0.0) {
        known.push(CriterionSummary {
            name: "fuel".to_owned(),
            weight: 1.0,
            source: "fuel".to_owned(),
            direction: Direction::LowerIsBetter,
            unit: "units".to_owned(),
            scale: Scale::Ratio { base: FUEL_BASE },
            gate: None,
            exact: false,
            opinion: None,
        });
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::Interval;
    use crate::spec::{Gate, GateOn};
    use std::collections::BTreeMap;

    fn criterion(source: &str, weight: f64, direction: Direction) -> CriterionSummary {
        CriterionSummary {
            name: source.to_owned(),
            weight,
            source: source.to_owned(),
            direction,
            unit: String::new(),
            scale: Scale::Ratio { base: 10.0 },
            gate: None,
            exact: false,
            opinion: None,
        }
    }

    fn variant(readings: &[(&str, f64)]) -> VariantReadings {
        let exact = |(source, value): &(&str, f64)| ((*source).to_owned(), Interval::exact(*value));
        VariantReadings {
            readings: readings.iter().map(exact).collect::<BTreeMap<_, _>>(),
            ..VariantReadings::default()
        }
    }

    fn places(criteria: &[CriterionSummary], variants: Vec<VariantReadings>) -> Vec<Option<u32>> {
        let figures = screen(criteria, variants, StandIn::Fuel).into_iter();
        figures.map(|figures| Some(figures?.place)).collect()
    }

    #[test]
    fn fuel_stands_for_time_and_what_is_known_counts_as_it_weighs() {
        let criteria = [
            criterion("time", 1.0, Direction::LowerIsBetter),
            criterion("assess:hits", 3.0, Direction::HigherIsBetter),
        ];
        let quick = variant(&[("fuel", 100.0), ("assess:hits", 10.0)]);
        let good = variant(&[("fuel", 200.0), ("assess:hits", 90.0)]);
        assert_eq!(
            places(&criteria, vec![quick.clone(), good.clone()]),
            [Some(2), Some(1)]
        );
        assert_eq!(
            places(&criteria[..1], vec![quick, good]),
            [Some(1), Some(2)]
        );
    }

    #[test]
    fn who_failed_has_no_place_and_who_misses_a_gate_the_last() {
        let mut memory = criterion("peak-memory", 0.0, Direction::LowerIsBetter);
        memory.gate = Some(Gate {
            on: GateOn::Reading,
            min: None,
            max: Some(64.0),
        });
        let criteria = [criterion("time", 1.0, Direction::LowerIsBetter), memory];
        let large = variant(&[("fuel", 1.0), ("peak-memory", 65.0)]);
        let slow = variant(&[("fuel", 9.0), ("peak-memory", 64.0)]);
        let failed = VariantReadings {
            failed: true,
            ..slow.clone()
        };
        assert_eq!(
            places(&criteria, vec![large, failed, slow]),
            [Some(2), None, Some(1)]
        );
    }

    #[test]
    fn each_group_has_a_place_before_any_has_a_second() {
        let group = |index: usize| [0, 0, 0, 1, 0, 2, 1][index];
        let order = [0, 1, 2, 3, 4, 5, 6];
        assert_eq!(first_of_each(&order, group, 8), [0, 3, 5, 1, 2, 4, 6]);
        assert_eq!(first_of_each(&order, group, 2), [0, 3, 1, 2, 4, 5, 6]);
        assert_eq!(first_of_each(&[4, 6, 5], group, 8), [4, 6, 5]);
    }

    #[test]
    fn of_equal_totals_less_fuel_and_then_the_earlier_comes_first() {
        let criteria = [criterion("cold-start", 1.0, Direction::LowerIsBetter)];
        let of = |fuel: f64| variant(&[("fuel", fuel)]);
        // Beyond a factor of ten, totals are 0 alike.
        let variants = vec![of(900.0), of(1.0), of(800.0), of(800.0)];
        assert_eq!(
            places(&criteria, variants),
            [Some(4), Some(1), Some(2), Some(3)]
        );
    }
}
