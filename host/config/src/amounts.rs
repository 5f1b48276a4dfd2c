//! Reading of amounts, each within the bounds of its field.

use super::error::{Finding, quoted};
use super::fields::field::Field;
use super::fields::kinds::{Bytes, Fraction, Time, Whole, WordOr};
use super::section::{Amount, At, Number, Section};
use super::units;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Reads a whole number within bounds.
pub(super) fn whole(
    section: &mut Section<'_>,
    field: &Field<Whole>,
    found: &mut Vec<Finding>,
) -> Option<At<i64>> {
    let at = section.integer(field, found)?;
    let show = |value: &i64| value.to_string();
    within(field.key, &at, &field.kind.0, show, found).then_some(at)
}

/// Reads a word or a whole number within bounds: `Some(None)` for the word. `of` are the things that are counted, and
/// `help` is for other values.
pub(super) fn word_or_whole(
    section: &mut Section<'_>,
    field: &Field<WordOr>,
    (of, help): (&str, &str),
    found: &mut Vec<Finding>,
) -> Option<Option<u32>> {
    let (key, WordOr(word, bounds)) = (field.key, &field.kind);
    let at = section.amount(field, &format!("\"{word}\" or a number of {of}"), found)?;
    match at.value {
        Amount::Text(text) if text == *word => Some(None),
        Amount::Number(Number::Integer(count)) if bounds.contains(&count) => {
            u32::try_from(count).ok().map(Some)
        }
        _ => {
            let (least, most) = (bounds.start(), bounds.end());
            found.push(Finding::new(
                at.span,
                format!("`{key}` is neither \"{word}\" nor a whole number from {least} to {most}"),
                "impossible value",
                help,
            ));
            None
        }
    }
}

/// Reads bytes with their unit.
pub(super) fn bytes(
    section: &mut Section<'_>,
    field: &Field<Bytes>,
    found: &mut Vec<Finding>,
) -> Option<At<u64>> {
    let at = section.text(field, found)?;
    let at = read(field.key, at, units::bytes, found)?;
    let show = |value: &u64| units::show_bytes(*value);
    within(field.key, &at, &field.kind.0, show, found).then_some(at)
}

/// Reads a duration with its unit.
pub(super) fn duration(
    section: &mut Section<'_>,
    field: &Field<Time>,
    found: &mut Vec<Finding>,
) -> Option<At<Duration>> {
    let at = section.text(field, found)?;
    let at = read(field.key, at, units::duration, found)?;
    let show = |value: &Duration| units::show_duration(*value);
    within(field.key, &at, &field.kind.0, show, found).then_some(at)
}

/// Reads a fraction: `0.01`, or `"1 %"`.
pub(super) fn fraction(
    section: &mut Section<'_>,
    field: &Field<Fraction>,
    found: &mut Vec<Finding>,
) -> Option<f64> {
    let wanted = "a fraction like 0.01, or per cent like \"1 %\"";
    let at = section.amount(field, wanted, found)?;
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
            read(field.key, at, units::percent, found)?
        }
    };
    let show = |value: &f64| format!("{value} (or \"{} %\")", (value * 1e6).round() / 1e4);
    within(field.key, &at, &field.kind.0, show, found).then_some(at.value)
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
    bounds: &RangeInclusive<T>,
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
