//! Sweeps: for each parameter of an approach, the best reading with each of its values.

use super::table::{Align, Table};
use super::tables::NO_VALUE;
use bakeoff_domain::report::words::numbers;
use bakeoff_domain::report::{Report, VariantReport};
use bakeoff_domain::spec::Direction;
use std::collections::BTreeMap;

/// The most parameters that are shown.
const PARAMETERS_MAX: usize = 8;
/// The most sources of readings beside each other.
const SOURCES_MAX: usize = 4;
/// The most values of a parameter in its table.
const ROWS_MAX: usize = 24;
/// Significant digits of a reading.
const DIGITS: usize = 3;

/// A parameter of an approach, with the readings of the variants that have it.
pub(super) struct SweptParameter {
    /// Name of the approach.
    pub(super) approach: String,
    /// Name of the parameter.
    pub(super) name: String,
    /// Sources of readings, at least one.
    pub(super) sources: Vec<SweptSource>,
    /// Values of the parameter, numbers in their order.
    pub(super) values: Vec<SweptValue>,
}

/// A source of readings.
#[derive(Clone)]
pub(super) struct SweptSource {
    /// Name of the source: `time`; `fuel` where not all variants of a sweep were timed.
    pub(super) name: String,
    /// Unit of the readings.
    pub(super) unit: String,
    direction: Direction,
}

/// A value of a parameter.
pub(super) struct SweptValue {
    /// The value, as a prototype gets it.
    pub(super) value: String,
    /// Readings of the variants that have this value, by source.
    pub(super) readings: Vec<Vec<f64>>,
}

impl SweptValue {
    /// Returns the best reading of a source, if any variant with this value has one.
    pub(super) fn best(&self, sources: &[SweptSource], index: usize) -> Option<f64> {
        let readings = self.readings.get(index)?.iter().copied();
        match sources.get(index)?.direction {
            Direction::LowerIsBetter => readings.min_by(f64::total_cmp),
            Direction::HigherIsBetter => readings.max_by(f64::total_cmp),
        }
    }
}

/// Returns the parameters of all approaches that have some with several values.
pub(super) fn parameters(report: &Report) -> Vec<SweptParameter> {
    let mut approaches: BTreeMap<&str, Vec<&VariantReport>> = BTreeMap::new();
    for variant in report
        .variants
        .iter()
        .filter(|one| !one.parameters.is_empty())
    {
        approaches
            .entry(&variant.approach)
            .or_default()
            .push(variant);
    }
    let mut list = Vec::new();
    for (approach, variants) in approaches {
        let sources = sources(report, &variants);
        let names = variants.first().map(|variant| variant.parameters.keys());
        for name in names.into_iter().flatten() {
            let values = values(&variants, name, &sources);
            if values.len() > 1 && !sources.is_empty() && list.len() < PARAMETERS_MAX {
                list.push(SweptParameter {
                    approach: approach.to_owned(),
                    name: name.clone(),
                    sources: sources.clone(),
                    values,
                });
            }
        }
    }
    list
}

/// Returns the sources of the criteria that count; fuel stands for times that only some have.
fn sources(report: &Report, variants: &[&VariantReport]) -> Vec<SweptSource> {
    let with = |source: &str| {
        let readings = variants.iter().filter_map(|one| one.readings.get(source));
        let first = readings.clone().next();
        (readings.count(), first.map(|reading| reading.unit.clone()))
    };
    let mut sources: Vec<SweptSource> = Vec::new();
    for criterion in report.criteria.iter().filter(|one| one.weight > 0.0) {
        let mut name = criterion.source.as_str();
        if criterion.is_timed() && with(name).0 < with("fuel").0 {
            name = "fuel";
        }
        let is_known = sources.iter().any(|known| known.name == name);
        if let (_, Some(unit)) = with(name)
            && !is_known
            && sources.len() < SOURCES_MAX
        {
            sources.push(SweptSource {
                name: name.to_owned(),
                unit: if criterion.unit.is_empty() || name == "fuel" {
                    unit
                } else {
                    criterion.unit.clone()
                },
                direction: criterion.direction,
            });
        }
    }
    sources
}

fn values(variants: &[&VariantReport], name: &str, sources: &[SweptSource]) -> Vec<SweptValue> {
    let mut by_value: BTreeMap<&str, Vec<Vec<f64>>> = BTreeMap::new();
    for variant in variants {
        let Some(value) = variant.parameters.get(name) else {
            continue;
        };
        let readings = by_value
            .entry(value)
            .or_insert_with(|| vec![Vec::new(); sources.len()]);
        for (readings, source) in readings.iter_mut().zip(sources) {
            let reading = variant.readings.get(&source.name);
            readings.extend(
                reading
                    .map(|one| one.value)
                    .filter(|value| value.is_finite()),
            );
        }
    }
    let mut values: Vec<SweptValue> = by_value
        .into_iter()
        .map(|(value, readings)| SweptValue {
            value: value.to_owned(),
            readings,
        })
        .collect();
    let number = |one: &SweptValue| one.value.parse::<f64>().ok();
    if values.iter().all(|one| number(one).is_some()) {
        values.sort_by(|a, b| {
            number(a)
                .partial_cmp(&number(b))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
    }
    values
}

/// Returns the table of a parameter: the best reading of each source, by value.
pub(super) fn table(parameter: &SweptParameter) -> Table {
    let sources = &parameter.sources;
    let mut shown: Vec<&SweptValue> = parameter.values.iter().collect();
    let mut caption = format!(
        "{} by {}: the best with each value",
        parameter.approach, parameter.name
    );
    if shown.len() > ROWS_MAX {
        let sign = match sources.first().map(|source| source.direction) {
            Some(Direction::HigherIsBetter) => -1.0,
            _ => 1.0,
        };
        let key = |one: &&SweptValue| {
            one.best(sources, 0)
                .map_or(f64::INFINITY, |best| sign * best)
        };
        let mut best = shown.clone();
        best.sort_by(|a, b| key(a).total_cmp(&key(b)));
        let worst_shown = best.get(ROWS_MAX - 1).map_or(f64::INFINITY, key);
        shown.retain(|one| key(one) <= worst_shown);
        shown.truncate(ROWS_MAX);
        caption += &format!(" (the best {} of {})", shown.len(), parameter.values.len());
    }
    let mut table = Table::of(
        &super::clipped(&parameter.name, 40),
        &super::clipped(&caption, 200),
    );
    for source in sources {
        table.column(&source.name, Align::Right);
    }
    for one in shown {
        let best = |(index, source): (usize, &SweptSource)| {
            one.best(sources, index)
                .map_or(NO_VALUE.to_owned(), |best| {
                    numbers::reading_with(DIGITS, best, &source.unit)
                })
        };
        let cells = sources.iter().enumerate().map(best);
        table.row([one.value.clone()].into_iter().chain(cells).collect());
    }
    table
}
