//! The kinds of values that keys of the experiment file take.

use super::field::Kind;
use super::json::{Json, Keywords};
use crate::units::{BYTE_UNITS, DURATION_UNITS, show_bytes, show_duration};
use bakeoff_domain::numbers::grouped;
use std::ops::RangeInclusive;
use std::time::Duration;

/// A text of one to so many characters.
pub(crate) struct Text(pub(crate) usize);

/// The path of a file of the experiment's folder.
pub(crate) struct File;

/// `true` or `false`.
pub(crate) struct Flag;

/// A whole number.
pub(crate) struct Whole(pub(crate) RangeInclusive<i64>);

/// A number with or without a point.
pub(crate) struct Number(pub(crate) RangeInclusive<f64>);

/// Bytes with their unit.
pub(crate) struct Bytes(pub(crate) RangeInclusive<u64>);

/// A duration with its unit.
pub(crate) struct Time(pub(crate) RangeInclusive<Duration>);

/// A fraction, or per cent with their sign.
pub(crate) struct Fraction(pub(crate) RangeInclusive<f64>);

/// An amount with the unit of something else.
pub(crate) struct Amount;

/// One of several words, each with the value that it stands for.
pub(crate) struct Choice<T: 'static>(pub(crate) &'static [(&'static str, T)]);

/// A word, or a whole number.
pub(crate) struct WordOr(pub(crate) &'static str, pub(crate) RangeInclusive<i64>);

/// A name of one to so many lowercase letters, digits and `-`.
pub(crate) struct Slug(pub(crate) usize);

/// A text of a form: in words, and as a regular expression.
pub(crate) struct Form(pub(crate) &'static str, pub(crate) &'static str);

/// Values of one kind.
pub(crate) struct List<K> {
    /// The kind of each.
    pub(crate) of: K,
    /// The number of them.
    pub(crate) count: RangeInclusive<usize>,
    /// True if no two are the same.
    pub(crate) is_set: bool,
}

/// The largest weight, bound or end of a range. Beyond it, sums lose precision.
pub(crate) const MAGNITUDE_MAX: f64 = 1e15;

/// All numbers up to [`MAGNITUDE_MAX`], of either sign.
pub(crate) const ANY_NUMBER: Number = Number(-MAGNITUDE_MAX..=MAGNITUDE_MAX);

impl Kind for Text {
    fn schema(&self) -> Keywords {
        let mut schema = text();
        schema.push(("maxLength", whole(self.0)));
        schema
    }

    fn phrase(&self) -> String {
        format!("text, 1–{} characters", grouped(&self.0.to_string()))
    }
}

impl Kind for File {
    fn schema(&self) -> Keywords {
        text()
    }

    fn phrase(&self) -> String {
        "path".to_owned()
    }
}

impl Kind for Flag {
    fn schema(&self) -> Keywords {
        vec![("type", "boolean".into())]
    }

    fn phrase(&self) -> String {
        "`true` or `false`".to_owned()
    }
}

impl Kind for Whole {
    fn schema(&self) -> Keywords {
        let mut schema = vec![
            ("type", "integer".into()),
            ("minimum", Json::Whole(*self.0.start())),
        ];
        if *self.0.end() < i64::MAX {
            schema.push(("maximum", Json::Whole(*self.0.end())));
        }
        schema
    }

    fn phrase(&self) -> String {
        let [least, most] = [self.0.start(), self.0.end()].map(|bound| grouped(&bound.to_string()));
        if *self.0.end() == i64::MAX {
            format!("whole number from {least}")
        } else {
            format!("whole number {least}–{most}")
        }
    }
}

impl Kind for Number {
    fn schema(&self) -> Keywords {
        let mut schema = vec![("type", "number".into())];
        for (keyword, bound) in [("minimum", self.0.start()), ("maximum", self.0.end())] {
            if bound.abs() <= MAGNITUDE_MAX {
                schema.push((keyword, Json::number(*bound)));
            }
        }
        schema
    }

    fn phrase(&self) -> String {
        match (*self.0.start(), *self.0.end()) {
            (least, _) if least <= -MAGNITUDE_MAX => "number".to_owned(),
            (least, most) if most >= MAGNITUDE_MAX => format!("number from {least}"),
            (least, most) => format!("number {least}–{}", grouped(&most.to_string())),
        }
    }
}

impl Kind for Bytes {
    fn schema(&self) -> Keywords {
        amount(BYTE_UNITS)
    }

    fn phrase(&self) -> String {
        match (*self.0.start(), *self.0.end()) {
            (_, u64::MAX) => "bytes".to_owned(),
            (least, most) => format!("bytes, {} – {}", show_bytes(least), show_bytes(most)),
        }
    }

    fn has_wider_schema(&self) -> bool {
        true
    }
}

impl Kind for Time {
    fn schema(&self) -> Keywords {
        amount(DURATION_UNITS)
    }

    fn phrase(&self) -> String {
        let (least, most) = (show_duration(*self.0.start()), show_duration(*self.0.end()));
        format!("duration, {least} – {most}")
    }

    fn has_wider_schema(&self) -> bool {
        true
    }
}

impl Kind for Fraction {
    fn schema(&self) -> Keywords {
        any_of([Number(self.0.clone()).schema(), Amount.schema()])
    }

    fn phrase(&self) -> String {
        format!("fraction {}–{}, or per cent", self.0.start(), self.0.end())
    }

    fn has_wider_schema(&self) -> bool {
        true
    }
}

impl Kind for Amount {
    fn schema(&self) -> Keywords {
        vec![("type", "string".into())]
    }

    fn phrase(&self) -> String {
        "text with a unit".to_owned()
    }
}

impl<T> Kind for Choice<T> {
    fn schema(&self) -> Keywords {
        words(self.0.iter().map(|(word, _)| *word))
    }

    fn phrase(&self) -> String {
        let words = self.0.iter().map(|(word, _)| format!("`\"{word}\"`"));
        joined(words.collect(), "or")
    }
}

impl Kind for WordOr {
    fn schema(&self) -> Keywords {
        any_of([words([self.0]), Whole(self.1.clone()).schema()])
    }

    fn phrase(&self) -> String {
        format!("{}, or `\"{}\"`", Whole(self.1.clone()).phrase(), self.0)
    }
}

impl Kind for Slug {
    fn schema(&self) -> Keywords {
        let mut schema = Text(self.0).schema();
        schema.push(("pattern", "^[a-z0-9-]+$".into()));
        schema
    }

    fn phrase(&self) -> String {
        format!("1–{} characters of `a-z`, `0-9` and `-`", self.0)
    }
}

impl Kind for Form {
    fn schema(&self) -> Keywords {
        vec![("type", "string".into()), ("pattern", self.1.into())]
    }

    fn phrase(&self) -> String {
        self.0.to_owned()
    }
}

impl<K: Kind> Kind for List<K> {
    fn schema(&self) -> Keywords {
        let mut schema = vec![
            ("type", "array".into()),
            ("items", Json::Object(self.of.schema())),
        ];
        if *self.count.start() > 0 {
            schema.push(("minItems", whole(*self.count.start())));
        }
        schema.push(("maxItems", whole(*self.count.end())));
        if self.is_set {
            schema.push(("uniqueItems", Json::Flag(true)));
        }
        schema
    }

    fn phrase(&self) -> String {
        let different = if self.is_set { "different " } else { "" };
        let count = counted(&self.count);
        format!("list of {count} {different}({})", self.of.phrase())
    }
}

/// Returns the schema of a text that is not empty.
fn text() -> Keywords {
    vec![("type", "string".into()), ("minLength", Json::Whole(1))]
}

/// Returns the schema of some words.
pub(crate) fn words(words: impl IntoIterator<Item = &'static str>) -> Keywords {
    let words = words.into_iter().map(Json::from);
    vec![
        ("type", "string".into()),
        ("enum", Json::List(words.collect())),
    ]
}

/// Returns the schema of what fits one of several.
pub(crate) fn any_of(kinds: impl IntoIterator<Item = Keywords>) -> Keywords {
    let kinds = kinds.into_iter().map(Json::Object);
    vec![("anyOf", Json::List(kinds.collect()))]
}

/// Returns the schema of an amount with one of these units.
fn amount(units: &[(&str, f64)]) -> Keywords {
    let units: Vec<&str> = units.iter().map(|(unit, _)| *unit).collect();
    let pattern = format!(r"^\s*[0-9][0-9_.eE+-]*\s*({})\s*$", units.join("|"));
    vec![("type", "string".into()), ("pattern", Json::Text(pattern))]
}

/// Returns a bound on a number of things.
pub(crate) fn whole(count: usize) -> Json {
    Json::number(count as f64)
}

/// Returns a number of things: `up to 8`, `2`, `1–32`.
pub(crate) fn counted(count: &RangeInclusive<usize>) -> String {
    let most = grouped(&count.end().to_string());
    match *count.start() {
        0 => format!("up to {most}"),
        least if least == *count.end() => most,
        least => format!("{least}–{most}"),
    }
}

/// Returns several phrases as one: `a, b or c`.
pub(crate) fn joined(mut phrases: Vec<String>, word: &str) -> String {
    match phrases.pop() {
        Some(last) if !phrases.is_empty() => format!("{} {word} {last}", phrases.join(", ")),
        last => last.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_have_bounds_and_units() {
        let second = Duration::from_secs(1);
        let phrases: [(&dyn Kind, &str); 9] = [
            (&Text(4000), "text, 1–4000 characters"),
            (&Whole(1..=20), "whole number 1–20"),
            (&Whole(10_000..=i64::MAX), "whole number from 10,000"),
            (&Number(0.0..=MAGNITUDE_MAX), "number from 0"),
            (&ANY_NUMBER, "number"),
            (&Bytes(1..=1 << 30), "bytes, 1 B – 1 GiB"),
            (&Time(second..=60 * second), "duration, 1 s – 1 min"),
            (&WordOr("auto", 0..=10), "whole number 0–10, or `\"auto\"`"),
            (
                &List {
                    of: Choice(&[("a", 1), ("b", 2)]),
                    count: 0..=3,
                    is_set: true,
                },
                "list of up to 3 different (`\"a\"` or `\"b\"`)",
            ),
        ];
        for (kind, phrase) in phrases {
            assert_eq!(kind.phrase(), phrase);
        }
    }
}
