//! Amounts as people write them: `256 MiB`, `1.5 s`, `2 %`.
//!
//! An amount is a number, then a unit, with or without a space between them. The experiment file and the
//! command line read the same units.

use std::time::Duration;

/// A text that is not an amount of the wanted kind. The message fits after "… is wrong: ".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnitError(pub(super) String);

pub(super) const BYTE_UNITS: &[(&str, f64)] = &[
    ("B", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];

/// Units of time, in nanoseconds, so that no fraction of a second is rounded twice.
pub(super) const DURATION_UNITS: &[(&str, f64)] = &[
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("min", 60e9),
    ("h", 3600e9),
];

/// The largest amount, in its base unit: below it every whole number of bytes is exact.
const AMOUNT_MAX: f64 = 9_007_199_254_740_992.0; // 2^53

/// Parses bytes from `64 KiB`, `1.5 MB` or `512 B`; rounded to whole bytes.
///
/// ```
/// assert_eq!(bakeoff_config::units::bytes("64 KiB"), Ok(65_536));
/// ```
///
/// # Errors
/// The text is not a number and one of the units B, kB, MB, GB, KiB, MiB, GiB; or negative, or above 2⁵³.
pub fn bytes(text: &str) -> Result<u64, UnitError> {
    amount(text, BYTE_UNITS, "256 MiB").map(|bytes| bytes.round() as u64)
}

/// Parses a duration from `60 s`, `250 ms` or `1.5 min`.
///
/// ```
/// # use std::time::Duration;
/// assert_eq!(bakeoff_config::units::duration("250 ms"), Ok(Duration::from_millis(250)));
/// ```
///
/// # Errors
/// The text is not a number and one of the units ns, us, ms, s, min, h; or negative, or above 2⁵³ ns (104 days).
pub fn duration(text: &str) -> Result<Duration, UnitError> {
    let ns = amount(text, DURATION_UNITS, "10 s")?;
    Ok(Duration::from_nanos(ns.round() as u64))
}

/// Parses a fraction from per cent: `1 %` is 0.01.
///
/// ```
/// assert_eq!(bakeoff_config::units::percent("2.5%"), Ok(0.025));
/// ```
///
/// # Errors
/// The text is not a number with a `%` after it; or negative, or not finite.
pub fn percent(text: &str) -> Result<f64, UnitError> {
    // Division keeps `1 %` equal to the literal 0.01; a factor of 0.01 would not, for 7 %.
    amount(text, &[("%", 1.0)], "1 %").map(|percent| percent / 100.0)
}

/// Parses a number with its unit, and returns the amount in the base unit.
fn amount(text: &str, units: &[(&str, f64)], example: &str) -> Result<f64, UnitError> {
    let text = text.trim();
    let unit_at = text
        .find(|c: char| !(c.is_ascii_digit() || "+-._eE".contains(c)))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let names = || {
        let names: Vec<_> = units.iter().map(|(name, _)| *name).collect();
        names.join(", ")
    };
    let wrong = |why: String| UnitError(format!("{why}; write it like `{example}`"));
    let value: f64 = number
        .replace('_', "")
        .parse()
        .map_err(|_| wrong("it does not begin with a number".into()))?;
    let unit = unit.trim();
    if unit.is_empty() {
        return Err(wrong(format!("the unit is missing ({})", names())));
    }
    let (_, factor) = units
        .iter()
        .find(|(name, _)| *name == unit)
        .or_else(|| {
            units
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(unit))
        })
        .ok_or_else(|| wrong(format!("its unit is none of {}", names())))?;
    if value.is_sign_negative() && value != 0.0 {
        return Err(wrong("it is negative".into()));
    }
    let total = value * factor;
    if !total.is_finite() || total > AMOUNT_MAX {
        return Err(wrong("it is too large".into()));
    }
    Ok(total)
}

/// Formats bytes in the largest binary unit that leaves no remainder: `256 MiB`.
///
/// ```
/// assert_eq!(bakeoff_config::units::show_bytes(65_536), "64 KiB");
/// ```
pub fn show_bytes(bytes: u64) -> String {
    for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] {
        if bytes >> shift > 0 && bytes & ((1 << shift) - 1) == 0 {
            return format!("{} {unit}", bytes >> shift);
        }
    }
    format!("{bytes} B")
}

/// Formats a duration in the largest unit that leaves no remainder: `250 ms`.
///
/// ```
/// # use std::time::Duration;
/// assert_eq!(bakeoff_config::units::show_duration(Duration::from_millis(250)), "250 ms");
/// ```
pub fn show_duration(duration: Duration) -> String {
    let ns = duration.as_nanos();
    let units = [
        ("h", 3_600_000_000_000),
        ("min", 60_000_000_000),
        ("s", 1_000_000_000),
        ("ms", 1_000_000),
        ("us", 1000),
    ];
    for (unit, factor) in units {
        if ns >= factor && ns.is_multiple_of(factor) {
            return format!("{} {unit}", ns / factor);
        }
    }
    format!("{ns} ns")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_unit_is_read() {
        assert_eq!(bytes("256 MiB"), Ok(256 << 20));
        assert_eq!(bytes("1GiB"), Ok(1 << 30));
        assert_eq!(bytes("1.5 kB"), Ok(1500));
        assert_eq!(bytes("2 mb"), Ok(2_000_000));
        assert_eq!(bytes("1_000 B"), Ok(1000));
        assert_eq!(duration("10 s"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("2min"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("1 h"), Ok(Duration::from_secs(3600)));
        assert_eq!(duration("1e3 ms"), Ok(Duration::from_secs(1)));
        assert_eq!(duration("5 µs"), Ok(Duration::from_micros(5)));
        assert_eq!(percent("1 %"), Ok(0.01));
        assert_eq!(percent("7%"), Ok(0.07));
        assert_eq!(percent("0 %"), Ok(0.0));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |error: UnitError| error.to_string();
        assert!(message(bytes("256").unwrap_err()).contains("the unit is missing"));
        assert!(message(bytes("much").unwrap_err()).contains("does not begin with a number"));
        assert!(message(bytes("3 parsecs").unwrap_err()).contains("none of B, kB"));
        assert!(message(bytes("-1 B").unwrap_err()).contains("negative"));
        assert!(message(bytes("9999999 GiB").unwrap_err()).contains("too large"));
        assert!(message(duration("1e400 s").unwrap_err()).contains("too large"));
        assert!(message(percent("1").unwrap_err()).contains("`1 %`"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,20}") {
            let _ = (bytes(&text), duration(&text), percent(&text));
        }

        #[test]
        fn what_is_shown_is_read_back(value in 0_u64..1 << 50) {
            prop_assert_eq!(bytes(&show_bytes(value)), Ok(value));
        }

        #[test]
        fn a_duration_that_is_shown_is_read_back(ms in 0_u64..1 << 32) {
            let value = Duration::from_millis(ms);
            prop_assert_eq!(duration(&show_duration(value)), Ok(value));
        }
    }
}
