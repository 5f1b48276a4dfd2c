//! `[limits]`, `[measure]` and `[report]`: options with defaults and bounds.

use super::error::{Finding, quoted};
use super::section::{Amount, At, Number, Section};
use super::units;
use bakeoff_domain::spec::{
    Comparison, Limits, Measure, RaceMachines, RecommendationStyle, ReportOptions, State, Workers,
};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Bounds of `memory`, in bytes: from one page of WebAssembly memory to all that 32 bits can address.
pub(super) const MEMORY_BYTES: RangeInclusive<u64> = 64 << 10..=4 << 30;
/// Bounds of `fuel`, in units: with less than a thousand, no call completes.
pub(super) const FUEL: RangeInclusive<i64> = 1_000..=i64::MAX;
pub(super) const WALL: RangeInclusive<Duration> =
    Duration::from_millis(1)..=Duration::from_secs(3600);
pub(super) const OUTPUT_BYTES: RangeInclusive<u64> = 1..=1 << 30;
pub(super) const CONFIDENCE: RangeInclusive<f64> = 0.5..=0.9999;
pub(super) const PRACTICAL: RangeInclusive<f64> = 0.0001..=0.5;
pub(super) const BUDGET: RangeInclusive<Duration> =
    Duration::from_millis(100)..=Duration::from_secs(86_400);
pub(super) const WORKERS: RangeInclusive<i64> = 1..=1024;

/// Parses the budget of a command-line flag: `40s`.
///
/// # Errors
/// The text is not a duration from 100 ms to 24 h.
pub fn budget(text: &str) -> Result<Duration, units::UnitError> {
    let budget = units::duration(text)?;
    if BUDGET.contains(&budget) {
        return Ok(budget);
    }
    let (least, most) = (BUDGET.start(), BUDGET.end());
    Err(units::UnitError(format!(
        "a budget lies between {} and {}",
        units::show_duration(*least),
        units::show_duration(*most)
    )))
}

/// Reads `[limits]`.
pub(super) fn limits(mut section: Section<'_>, found: &mut Vec<Finding>) -> Limits {
    let default = Limits::default();
    let limits = Limits {
        memory_bytes: memory(&mut section, found).map_or(default.memory_bytes, |at| at.value),
        fuel: fuel(&mut section, found).map_or(default.fuel, |at| at.value),
        wall: wall(&mut section, found).map_or(default.wall, |at| at.value),
        output_bytes: output(&mut section, found).map_or(default.output_bytes, |at| at.value),
    };
    section.close(found);
    limits
}

/// Reads `memory`, in bytes.
pub(super) fn memory(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<At<u64>> {
    bytes(section, "memory", MEMORY_BYTES, found)
}

/// Reads `fuel`, in units.
pub(super) fn fuel(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<At<u64>> {
    let at = whole(section, "fuel", FUEL, found)?;
    Some(At {
        value: at.value.unsigned_abs(),
        span: at.span,
    })
}

/// Reads `wall`.
pub(super) fn wall(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<At<Duration>> {
    duration(section, "wall", WALL, found)
}

/// Reads `output`, in bytes.
pub(super) fn output(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<At<u64>> {
    bytes(section, "output", OUTPUT_BYTES, found)
}

/// Reads `[measure]`.
pub(super) fn measure(mut section: Section<'_>, found: &mut Vec<Finding>) -> Measure {
    let default = Measure::default();
    let measure = Measure {
        confidence: fraction(&mut section, "confidence", CONFIDENCE, found)
            .unwrap_or(default.confidence),
        practical: fraction(&mut section, "practical", PRACTICAL, found)
            .unwrap_or(default.practical),
        budget: duration(&mut section, "budget", BUDGET, found)
            .map_or(default.budget, |at| at.value),
        workers: workers(&mut section, found).unwrap_or(default.workers),
        state: section
            .choice(
                "state",
                &[("pure", State::Pure), ("kept", State::Kept)],
                found,
            )
            .map_or(default.state, |state| state.value),
        replicas_max: default.replicas_max,
        margin: default.margin,
        precision: fraction(&mut section, "precision", PRACTICAL, found),
        machines: section
            .choice(
                "machines",
                &[("here", RaceMachines::Here), ("each", RaceMachines::Each)],
                found,
            )
            .map_or(default.machines, |machines| machines.value),
    };
    section.close(found);
    measure
}

/// Reads `[report]`.
pub(super) fn report(mut section: Section<'_>, found: &mut Vec<Finding>) -> ReportOptions {
    let default = ReportOptions::default();
    let comparisons = [
        ("matrix", Comparison::Matrix),
        ("narrative", Comparison::Narrative),
        ("both", Comparison::Both),
    ];
    let recommendations = [
        ("decisive", RecommendationStyle::Decisive),
        ("options", RecommendationStyle::Options),
        ("conditional", RecommendationStyle::Conditional),
        ("none", RecommendationStyle::None),
    ];
    let report = ReportOptions {
        comparison: section
            .choice("comparison", &comparisons, found)
            .map_or(default.comparison, |at| at.value),
        recommendation: section
            .choice("recommendation", &recommendations, found)
            .map_or(default.recommendation, |at| at.value),
        code_samples: section
            .flag("code_samples", found)
            .map_or(default.code_samples, |at| at.value),
        trade_offs: section
            .flag("trade_offs", found)
            .map_or(default.trade_offs, |at| at.value),
    };
    section.close(found);
    report
}

/// Reads `workers`: `"auto"`, or a number of cores.
fn workers(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<Workers> {
    let at = section.amount("workers", "\"auto\" or a number of cores", found)?;
    match at.value {
        Amount::Text("auto") => Some(Workers::Auto),
        Amount::Number(Number::Integer(cores)) if WORKERS.contains(&cores) => {
            u32::try_from(cores).ok().map(Workers::Exactly)
        }
        _ => {
            found.push(Finding::new(
                at.span,
                "`workers` is neither \"auto\" nor a whole number from 1 to 1024",
                "impossible value",
                "write `workers = \"auto\"` for all cores, or `workers = 1` for one after another",
            ));
            None
        }
    }
}

/// Reads a whole number within bounds.
pub(super) fn whole(
    section: &mut Section<'_>,
    key: &'static str,
    bounds: RangeInclusive<i64>,
    found: &mut Vec<Finding>,
) -> Option<At<i64>> {
    let at = section.integer(key, found)?;
    let show = |value: &i64| value.to_string();
    within(key, &at, bounds, show, found).then_some(at)
}

/// Reads bytes with their unit.
fn bytes(
    section: &mut Section<'_>,
    key: &'static str,
    bounds: RangeInclusive<u64>,
    found: &mut Vec<Finding>,
) -> Option<At<u64>> {
    let at = section.text(key, found)?;
    let at = read(key, at, units::bytes, found)?;
    let show = |value: &u64| units::show_bytes(*value);
    within(key, &at, bounds, show, found).then_some(at)
}

/// Reads a duration with its unit.
pub(super) fn duration(
    section: &mut Section<'_>,
    key: &'static str,
    bounds: RangeInclusive<Duration>,
    found: &mut Vec<Finding>,
) -> Option<At<Duration>> {
    let at = section.text(key, found)?;
    let at = read(key, at, units::duration, found)?;
    let show = |value: &Duration| units::show_duration(*value);
    within(key, &at, bounds, show, found).then_some(at)
}

/// Reads a fraction: `0.01`, or `"1 %"`.
fn fraction(
    section: &mut Section<'_>,
    key: &'static str,
    bounds: RangeInclusive<f64>,
    found: &mut Vec<Finding>,
) -> Option<f64> {
    let at = section.amount(key, "a fraction like 0.01, or per cent like \"1 %\"", found)?;
    let at = match at.value {
        Amount::Number(number) => At {
            value: number.to_f64(),
            span: at.span,
        },
        Amount::Text(text) => {
            let at = At {
                value: text,
                span: at.span,
            };
            read(key, at, units::percent, found)?
        }
    };
    let show = |value: &f64| format!("{value} (or \"{} %\")", (value * 1e6).round() / 1e4);
    within(key, &at, bounds, show, found).then_some(at.value)
}

/// Parses an amount, or reports why it is not one.
fn read<T>(
    key: &str,
    at: At<&str>,
    parse: fn(&str) -> Result<T, units::UnitError>,
    found: &mut Vec<Finding>,
) -> Option<At<T>> {
    match parse(at.value) {
        Ok(value) => Some(At {
            value,
            span: at.span,
        }),
        Err(error) => {
            found.push(Finding::new(
                at.span,
                format!("`{key}` cannot be {}", quoted(at.value)),
                "not an amount",
                error.to_string(),
            ));
            None
        }
    }
}

/// Returns true if a value is within its bounds, and reports it otherwise. NaN is within none.
fn within<T: PartialOrd>(
    key: &str,
    at: &At<T>,
    bounds: RangeInclusive<T>,
    show: impl Fn(&T) -> String,
    found: &mut Vec<Finding>,
) -> bool {
    let inside = bounds.contains(&at.value);
    if !inside {
        found.push(Finding::new(
            at.span.clone(),
            format!("`{key}` is out of bounds"),
            "impossible value",
            format!(
                "it lies between {} and {}",
                show(bounds.start()),
                show(bounds.end())
            ),
        ));
    }
    inside
}
