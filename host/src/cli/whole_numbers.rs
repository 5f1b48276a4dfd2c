//! Whole numbers on the command line, as the experiment file has them: `20_000`.

use bakeoff_domain::plan::RunSeed;
use bakeoff_propose::PROPOSALS_MAX;
use std::ops::RangeInclusive;

/// Parses a size of inputs, at least 1.
pub(super) fn size(text: &str) -> Result<u32, String> {
    within(text, 1..=u64::from(u32::MAX)).map(|size| size as u32)
}

/// Parses a number of workers.
pub(super) fn workers(text: &str) -> Result<u32, String> {
    within(text, 1..=1024).map(|workers| workers as u32)
}

/// Parses the seed of a run: a number, or the digits of one that was drawn.
pub(super) fn run_seed(text: &str) -> Result<RunSeed, String> {
    let named = || seed(text).map(RunSeed::Named);
    text.parse().or_else(|_| named())
}

/// Parses the seed of a call.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    within(text, 0..=u64::MAX)
}

/// Parses digits, with single underscores between them where that helps to read them.
fn within(text: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let is_group = |group: &str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    if !text.split('_').all(is_group) {
        return Err("it is not a whole number: write it like `20000` or `20_000`".to_owned());
    }
    let (least, most) = (range.start(), range.end());
    let number = text.replace('_', "").parse::<u64>();
    let number = number.ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("it is not between {least} and {most}"))
}

/// Number of approaches that were asked for; `None` for `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Approaches(pub(super) Option<u32>);

/// Parses the number of approaches.
pub(super) fn approaches(text: &str) -> Result<Approaches, String> {
    if text == "auto" {
        return Ok(Approaches(None));
    }
    let count = text
        .parse()
        .ok()
        .filter(|count| (0..=PROPOSALS_MAX).contains(count));
    let count = count.ok_or(format!("it is neither auto nor from 0 to {PROPOSALS_MAX}"))?;
    Ok(Approaches(Some(count)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn underscores_may_stand_between_digits() {
        assert_eq!(size("20_000"), Ok(20_000));
        assert_eq!(size("1_0_0"), Ok(100));
        assert_eq!(seed("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(seed("0"), Ok(0));
        assert_eq!(run_seed("1_000"), Ok(RunSeed::Named(1_000)));
        let drawn = RunSeed::Drawn([0xA0; 16]);
        assert_eq!(run_seed(&drawn.to_string()), Ok(drawn));
        assert_eq!(workers("2"), Ok(2));
        for text in ["", "_1", "1_", "1__0", "-1", "+1", "1e3", "1 000", "x", "٣"] {
            assert!(size(text).unwrap_err().contains("20_000"), "{text}");
        }
        for text in ["0", "4294967296", "18446744073709551616"] {
            assert!(size(text).unwrap_err().contains("between 1 and"), "{text}");
        }
        assert!(workers("1025").is_err());
    }

    #[test]
    fn approaches_are_a_number_or_auto() {
        assert_eq!(approaches("auto"), Ok(Approaches(None)));
        assert_eq!(approaches("10"), Ok(Approaches(Some(10))));
        assert_eq!(approaches("0"), Ok(Approaches(Some(0))));
        for wrong in ["11", "-1", "x", ""] {
            assert!(approaches(wrong).is_err(), "{wrong}");
        }
    }
}
