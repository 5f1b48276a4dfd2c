//! `[limits]`, `[measure]` and `[report]`: options with defaults and bounds.

use super::amounts::{bytes, duration, fraction, whole, word_or_whole};
use super::error::Finding;
use super::fields::options::{
    BUDGET, CODE_SAMPLES, COMPARISON, CONFIDENCE, FUEL, MACHINES, MEMORY, OUTPUT, PRACTICAL,
    PRECISION, RECOMMENDATION, STATE, TRADE_OFFS, WALL, WORKERS,
};
use super::section::{At, Section};
use super::units;
use bakeoff_domain::spec::{Limits, Measure, ReportOptions, Workers};
use std::time::Duration;

/// Parses the budget of a command-line flag: `40s`.
///
/// # Errors
/// The text is not a duration from 100 ms to 24 h.
pub fn budget(text: &str) -> Result<Duration, units::UnitError> {
    let budget = units::duration(text)?;
    let bounds = BUDGET.kind.0;
    if bounds.contains(&budget) {
        return Ok(budget);
    }
    Err(units::UnitError(format!(
        "a budget lies between {} and {}",
        units::show_duration(*bounds.start()),
        units::show_duration(*bounds.end())
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
    bytes(section, &MEMORY, found)
}

/// Reads `fuel`, in units.
pub(super) fn fuel(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<At<u64>> {
    let at = whole(section, &FUEL, found)?;
    Some(At {
        value: at.value.unsigned_abs(),
        span: at.span,
    })
}

/// Reads `wall`.
pub(super) fn wall(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<At<Duration>> {
    duration(section, &WALL, found)
}

/// Reads `output`, in bytes.
pub(super) fn output(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<At<u64>> {
    bytes(section, &OUTPUT, found)
}

/// Reads `[measure]`.
pub(super) fn measure(mut section: Section<'_>, found: &mut Vec<Finding>) -> Measure {
    let default = Measure::default();
    let help = "write `workers = \"auto\"` for all cores, or `workers = 1` for one after another";
    let measure = Measure {
        confidence: fraction(&mut section, &CONFIDENCE, found).unwrap_or(default.confidence),
        practical: fraction(&mut section, &PRACTICAL, found).unwrap_or(default.practical),
        budget: duration(&mut section, &BUDGET, found).map_or(default.budget, |at| at.value),
        workers: word_or_whole(&mut section, &WORKERS, ("cores", help), found)
            .map_or(default.workers, |cores| {
                cores.map_or(Workers::Auto, Workers::Exactly)
            }),
        state: section
            .choice(&STATE, found)
            .map_or(default.state, |state| state.value),
        replicas_max: default.replicas_max,
        margin: default.margin,
        precision: fraction(&mut section, &PRECISION, found),
        machines: section
            .choice(&MACHINES, found)
            .map_or(default.machines, |machines| machines.value),
    };
    section.close(found);
    measure
}

/// Reads `[report]`.
pub(super) fn report(mut section: Section<'_>, found: &mut Vec<Finding>) -> ReportOptions {
    let default = ReportOptions::default();
    let report = ReportOptions {
        comparison: section
            .choice(&COMPARISON, found)
            .map_or(default.comparison, |at| at.value),
        recommendation: section
            .choice(&RECOMMENDATION, found)
            .map_or(default.recommendation, |at| at.value),
        code_samples: section
            .flag(&CODE_SAMPLES, found)
            .map_or(default.code_samples, |at| at.value),
        trade_offs: section
            .flag(&TRADE_OFFS, found)
            .map_or(default.trade_offs, |at| at.value),
    };
    section.close(found);
    report
}
