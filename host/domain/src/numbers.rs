//! Numbers as text: significant digits, fitting units.

use crate::logarithm::log10;

/// A number with this many significant digits; with an exponent only if very small or large.
pub fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    if !(-9.0..15.0).contains(&log10(value.abs()).floor()) {
        return format!("{value:.1e}");
    }
    grouped(&rounded(value, decimals_of(value, digits)))
}

/// The number of decimals of a number with this many significant digits; negative if it is rounded
/// before the point.
fn decimals_of(value: f64, digits: i32) -> i32 {
    // The exponent of the rounded number, which may be larger than that of the number itself.
    let places = usize::try_from(digits - 1).unwrap_or(0);
    let scientific = format!("{value:.places$e}");
    let exponent = scientific
        .rsplit_once('e')
        .map_or("0", |(_, exponent)| exponent);
    digits - 1 - exponent.parse::<i32>().unwrap_or(0)
}

/// The number rounded to this many decimals; to tens and more if that is negative.
fn rounded(value: f64, decimals: i32) -> String {
    if decimals >= 0 {
        return self::decimals(usize::try_from(decimals).unwrap_or(0), value);
    }
    let unit = 10f64.powi(-decimals);
    format!("{:.0}", (value / unit).round() * unit)
}

/// The number with its integer digits in groups of three, from five digits on: 256,000 but 1024.
pub fn grouped(number: &str) -> String {
    let (whole, rest) = number
        .split_once('.')
        .map_or((number, None), |(w, r)| (w, Some(r)));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |d| ("-", d));
    let mut out = String::from(sign);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) && digits.len() > 4 {
            out.push(',');
        }
        out.push(digit);
    }
    match rest {
        Some(rest) => format!("{out}.{rest}"),
        None => out,
    }
}

/// A count with its digits in groups of three.
pub fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// Ends of an interval that are this factor apart, or more, have no decimals in common.
const WIDE: f64 = 10.0;

/// A value and the ends of its interval: `1.80` and `1.76–1.85`. They have the same decimals, as many as
/// it takes to tell the ends apart, unless the ends are of different orders of magnitude, or one would look like 1
/// without more. The value is never shown outside the ends.
pub fn with_ends(value: f64, low: Option<f64>, high: Option<f64>) -> (String, Option<String>) {
    match (low, high) {
        (Some(low), Some(high)) => {
            let [shown_low, value, shown_high] = alike([low, value, high], 3);
            let (low, high) = (beside_one(low, shown_low), beside_one(high, shown_high));
            (value, Some(format!("{low}–{high}")))
        }
        (Some(low), None) => {
            let [shown, value] = alike([low, value], 3);
            (value, Some(format!("at least {}", beside_one(low, shown))))
        }
        (None, Some(high)) => {
            let [value, shown] = alike([value, high], 3);
            (value, Some(format!("at most {}", beside_one(high, shown))))
        }
        (None, None) => (significant(value, 2), None),
    }
}

/// The most decimals of an end that is not 1 and hardly differs from it.
const DECIMALS_BESIDE_ONE: usize = 5;

/// An end as it is shown, or with more decimals if it would look like 1 and is not: whether it is beyond 1
/// is what a verdict says.
fn beside_one(end: f64, shown: String) -> String {
    let is_one = |text: &str| text.parse() == Ok(1.0);
    if end == 1.0 || !is_one(&shown) {
        return shown;
    }
    let more = (2..=DECIMALS_BESIDE_ONE).map(|decimals| format!("{end:.decimals$}"));
    more.into_iter().find(|text| !is_one(text)).unwrap_or(shown)
}

/// Ascending numbers that stand side by side, with the same decimals: those that the largest has with
/// this many significant digits, or, where the first and the last would look the same, with up to two
/// more. If these two are of different orders of magnitude, each has its own.
pub fn alike<const N: usize>(ascending: [f64; N], digits: i32) -> [String; N] {
    let (first, last) = (ascending[0], ascending[N - 1]);
    let is_wide = first > 0.0 && last / first >= WIDE;
    let largest = first.abs().max(last.abs());
    if is_wide || !largest.is_finite() || largest == 0.0 {
        return ascending.map(|number| significant(number, digits.min(2)));
    }
    let shown = |digits: i32| {
        let decimals = decimals_of(largest, digits);
        ascending.map(|number| grouped(&rounded(number, decimals)))
    };
    let differ = |digits: &i32| {
        let texts = shown(*digits);
        texts[0] != texts[N - 1]
    };
    let digits = if first < last {
        (digits..=digits + 2).find(differ).unwrap_or(digits + 2)
    } else {
        digits
    };
    shown(digits)
}

/// A confidence as a percentage with up to two decimals, so that it is not rounded to another: `95 %`, `97.5 %`.
pub fn confidence(fraction: f64) -> String {
    let text = format!("{:.2}", 100.0 * fraction);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A fraction as a percentage: `3 %`, `0.5 %`, `12 %`.
pub fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if percent == 0.0 {
        return "0 %".to_owned();
    }
    let digits = if percent.abs() >= 10.0 { 2 } else { 1 };
    let text = significant(percent, digits + i32::from(percent.abs() < 1.0));
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let plain = significant(percent, digits);
    if plain.contains('.') || text.contains('.') {
        format!("{text} %")
    } else {
        format!("{plain} %")
    }
}

/// The number of significant digits of a reading, unless a difference takes more to be seen.
const READING_DIGITS: usize = 3;

/// The largest number of significant digits of a reading.
const READING_DIGITS_MAX: usize = 10;

/// A reading with its unit: durations and bytes in the unit that fits, any other unchanged.
pub fn reading(value: f64, unit: &str) -> String {
    reading_with(READING_DIGITS, value, unit)
}

/// A reading with this many significant digits. Whole numbers, and what stands before a decimal point,
/// are not rounded.
pub fn reading_with(digits: usize, value: f64, unit: &str) -> String {
    let digits = i32::try_from(digits).unwrap_or(i32::MAX);
    match unit {
        "ns" => scaled(value, 1000.0, &["ns", "µs", "ms", "s"], digits),
        "bytes" => scaled(value, 1024.0, &["B", "KiB", "MiB", "GiB"], digits),
        _ => {
            let whole = value.fract() == 0.0 && value.abs() < 1e15;
            let number = if whole {
                grouped(&format!("{value:.0}"))
            } else {
                let before_the_point = (log10(value.abs()).floor() as i32).saturating_add(1);
                significant(value, digits.max(before_the_point.min(15)))
            };
            format!("{number} {unit}").trim_end().to_owned()
        }
    }
}

/// The fewest significant digits, three at least, with which readings look different wherever `differ`
/// says so of two; ten at most.
pub fn reading_digits(values: &[f64], unit: &str, differ: impl Fn(usize, usize) -> bool) -> usize {
    // "64 KiB" and "64.0 KiB" do not look different.
    let show = |digits: usize, value: f64| {
        let text = reading_with(digits, value, unit);
        let (number, unit) = text.split_once(' ').unwrap_or((&text, ""));
        let number = if number.contains('.') {
            number.trim_end_matches('0').trim_end_matches('.')
        } else {
            number
        };
        format!("{number} {unit}")
    };
    fewest(values, READING_DIGITS..=READING_DIGITS_MAX, show, differ)
}

/// Two readings that differ, with as many digits as it takes to see it: `2070.2` and `2070.5`.
pub fn readings(a: f64, b: f64, unit: &str) -> (String, String) {
    let digits = reading_digits(&[a, b], unit, |_, _| true);
    (reading_with(digits, a, unit), reading_with(digits, b, unit))
}

/// The fewest digits of those offered with which values look different wherever `differ` says so of
/// two; the most, if none suffice. Values that are the same are passed over.
pub fn fewest(
    values: &[f64],
    offered: std::ops::RangeInclusive<usize>,
    show: impl Fn(usize, f64) -> String,
    differ: impl Fn(usize, usize) -> bool,
) -> usize {
    let most = *offered.end();
    let suffice = |digits: &usize| {
        let texts: Vec<String> = values.iter().map(|value| show(*digits, *value)).collect();
        let alike = |a: usize, b: usize| texts[a] == texts[b] && values[a] != values[b];
        let mut pairs = (0..values.len()).flat_map(|a| (a + 1..values.len()).map(move |b| (a, b)));
        !pairs.any(|(a, b)| alike(a, b) && differ(a, b))
    };
    offered.into_iter().find(suffice).unwrap_or(most)
}

/// The value in the largest unit of which there is at least one.
fn scaled(value: f64, step: f64, units: &[&str], digits: i32) -> String {
    let mut value = value;
    let mut unit = 0;
    while value.abs() >= step && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    let whole = value.fract() == 0.0 && value.abs() < 1e4;
    let number = if whole {
        format!("{value:.0}")
    } else {
        significant(value, digits)
    };
    format!("{number} {}", units[unit])
}

/// The number of decimals of a score, unless a difference takes more to be seen.
pub const SCORE_DECIMALS: usize = 1;

/// The number of decimals of a total, unless a difference takes more to be seen: differences of a
/// hundredth decide.
pub const TOTAL_DECIMALS: usize = 3;

/// A number with this many decimals, and without a sign if it is shown as 0.
pub fn decimals(count: usize, value: f64) -> String {
    let text = format!("{value:.count$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.chars().all(|c| matches!(c, '0' | '.')) => zero.to_owned(),
        _ => text,
    }
}

/// A weight: as few decimals as it takes, at most three.
pub fn weight(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    if rounded == 0.0 && value > 0.0 {
        return significant(value, 2);
    }
    format!("{rounded}")
}

/// The budgets below two minutes that are named, in seconds.
const BUDGETS_S: [f64; 11] = [1.0, 2.0, 3.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 90.0];

/// A duration in seconds as a flag of the command line takes it, rounded up to a round number.
pub fn budget(seconds: f64) -> String {
    if let Some(step) = BUDGETS_S.iter().find(|step| seconds <= **step) {
        return format!("{step}s");
    }
    format!("{}min", (seconds / 60.0).ceil())
}

/// The largest budget that is no larger than this many seconds, as an option's value, and its seconds; `None` below the
/// smallest: `5s`.
pub fn budget_within(seconds: f64) -> Option<(String, f64)> {
    if seconds >= 120.0 {
        let minutes = (seconds / 60.0).floor();
        return Some((format!("{minutes}min"), 60.0 * minutes));
    }
    let step = BUDGETS_S.iter().rev().find(|step| seconds >= **step)?;
    Some((format!("{step}s"), *step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_is_beyond_1_is_not_shown_as_1() {
        let ends = |low, high| with_ends(1.17, Some(low), Some(high)).1.unwrap();
        assert_eq!(ends(1.0028, 2.48), "1.003–2.48");
        assert_eq!(ends(1.00004, 1.35), "1.00004–1.35");
        assert_eq!(ends(1.0, 1.35), "1.00–1.35");
        assert_eq!(ends(1.02, 1.35), "1.02–1.35");
        let (_, end) = with_ends(1.3, Some(1.004), None);
        assert_eq!(end.unwrap(), "at least 1.004");
    }

    #[test]
    fn a_confidence_is_not_rounded_to_another() {
        assert_eq!(confidence(0.95), "95 %");
        assert_eq!(confidence(0.975), "97.5 %");
        assert_eq!(confidence(1.0 - 0.05 / 20.0), "99.75 %");
        assert_eq!(confidence(0.9), "90 %");
    }

    #[test]
    fn numbers_are_short_and_readable() {
        assert_eq!(grouped("1000000"), "1,000,000");
        assert_eq!(grouped("12345.678"), "12,345.678");
        assert_eq!(
            (grouped("4000"), grouped("-100000")),
            ("4000".to_owned(), "-100,000".to_owned())
        );
        assert_eq!(reading(1_250_000.0, "ns"), "1.25 ms");
        assert_eq!(reading(65_536.0, "bytes"), "64 KiB");
        assert_eq!(reading(256_000.0, "units"), "256,000 units");
        assert_eq!(percent(0.01), "1 %");
        assert_eq!(percent(0.005), "0.5 %");
        assert_eq!(percent(0.034), "3 %");
        assert_eq!(percent(0.2), "20 %");
        assert_eq!(budget(33.0), "40s");
        assert_eq!(budget(100.0), "2min");
        assert_eq!(weight(1.0), "1");
        assert_eq!(weight(0.8234), "0.823");
        assert_eq!(reading(2_066.4, "bins"), "2066 bins");
        assert_eq!(decimals(3, -0.0001), "0.000");
    }

    #[test]
    fn two_readings_have_the_digits_that_tell_them_apart() {
        let pair = |a, b, unit: &str| {
            let (a, b) = readings(a, b, unit);
            format!("{a} against {b}")
        };
        assert_eq!(
            pair(2_070.25, 2_070.5, "bins"),
            "2070.2 bins against 2070.5 bins"
        );
        assert_eq!(pair(65_536.0, 65_600.0, "bytes"), "64 KiB against 64.1 KiB");
        assert_eq!(
            pair(65_536.0, 65_540.0, "bytes"),
            "64 KiB against 64.004 KiB"
        );
        assert_eq!(
            pair(1_234.5, 1_234.5, "units"),
            "1234 units against 1234 units"
        );
        assert_eq!(pair(0.3, 7.0, "ns"), "0.300 ns against 7 ns");
    }
}
