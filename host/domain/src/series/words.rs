//! Sentences about a series, from its values only.

use super::notes::blocks_needed;
use super::quantity::Quantity;
use super::report::{SeriesEnd, SeriesReport, SeriesVerdict};
use crate::direction_words::DirectionWords;
use crate::numbers::{budget, percent, significant, with_ends};
use crate::reading_verdict::Claim;
use crate::report::RankingOutcome;
use crate::report::words::joined;
use crate::verdict::{RatioInterval, Verdict};
use crate::wording;

/// The most variants that a sentence names.
const NAMES_MAX: usize = 4;
/// The name of values that nobody named.
const UNNAMED: &str = "value";
/// Relative width of an interval that is shown as a number.
const POINT: f64 = 1e-4;
/// The most characters of a name in a sentence.
const NAME_CHARS_MAX: usize = 60;

impl SeriesReport {
    /// The verdict of a row about its first variant: `1.83 × faster, 1.79–1.88, sure`, `a tie within 1 %`,
    /// `no call: from 3 % less to 3 % more time`.
    pub fn pair_text(&self, row: &SeriesVerdict) -> String {
        match row.verdict {
            Verdict::Tie => format!("a tie within {}", percent(self.practical)),
            Verdict::NoCall => match self.open_text(row) {
                Some(open) => format!("no call: {open}"),
                None => "no call".to_owned(),
            },
            Verdict::Beats | Verdict::Beaten => {
                let (difference, ends) = self.difference(row);
                let ends = ends.map(|ends| format!(", {ends}")).unwrap_or_default();
                format!("{difference}{ends}, sure{}", self.beside(row, ", but "))
            }
        }
    }

    /// The size of the comparison: `12 blocks`.
    pub fn size(&self) -> String {
        blocks(self.blocks)
    }

    fn ways(&self) -> DirectionWords {
        self.quantity.ways()
    }

    /// The difference of the first variant of a row, and the ends of the interval.
    fn difference(&self, row: &SeriesVerdict) -> (String, Option<String>) {
        if row.claim == Claim::Ratio {
            let found = row.interval();
            let is_less = row.value.is_some_and(|ratio| ratio < 1.0);
            let (difference, ends) = self.ways().difference(found, is_less);
            return (difference, ends.filter(|_| !is_point(found)));
        }
        let value = row.value.unwrap_or(0.0);
        let way = if value < 0.0 { "lower" } else { "higher" };
        let (low, high) = if value < 0.0 {
            (row.high.map(|end| -end), row.low.map(|end| -end))
        } else {
            (row.low, row.high)
        };
        let (shown, ends) = with_ends(value.abs(), low, high);
        let unit = &self.quantity.unit;
        (
            format!("{way} by {shown} {unit}").trim_end().to_owned(),
            ends,
        )
    }

    /// The end of a sentence about a sure difference: that it is small, or that most blocks say something else.
    fn beside(&self, row: &SeriesVerdict, before: &str) -> String {
        if row.below_threshold {
            let small = percent(self.practical);
            return format!("{before}less than you care about ({small})");
        }
        let typical = row.typical.map(|ratio| self.ways().estimate(ratio));
        typical.map_or_else(String::new, |typical| format!("; {typical} in most blocks"))
    }

    /// The interval of a pair without a verdict.
    fn open_text(&self, row: &SeriesVerdict) -> Option<String> {
        let (low, high) = row.low.zip(row.high)?;
        if row.claim == Claim::Ratio {
            return Some(self.quantity.span_text(low, high));
        }
        let unit = &self.quantity.unit;
        let (low, high) = (significant(low, 2), significant(high, 2));
        Some(
            format!("between {low} and {high} {unit}")
                .trim_end()
                .to_owned(),
        )
    }

    /// The first variant of a row against the other, as a sentence without its subject:
    /// `is 1.8 × faster than b (1.76–1.85)`.
    fn predicate(&self, row: &SeriesVerdict, other: &str) -> String {
        let (difference, ends) = self.difference(row);
        let ends = ends.map(|ends| format!(" ({ends})")).unwrap_or_default();
        let beside = self.beside(row, ", ");
        let verb = if difference.contains("time") {
            "takes"
        } else {
            "is"
        };
        format!("{verb} {difference} than {other}{ends}{beside}")
    }
}

impl Quantity {
    fn ways(&self) -> DirectionWords {
        if self.is_time() {
            DirectionWords::TIME
        } else {
            DirectionWords::VALUE
        }
    }

    /// The ends of an interval of a ratio without a verdict, in words: `from 3 % less to 1 % more time`.
    pub fn span_text(&self, low: f64, high: f64) -> String {
        self.ways().span(low, high)
    }

    /// A value over what it was in another measurement, in words: `12 % less time, 9–15 %`, `no change is sure: from 3 %
    /// less to 1 % more time`. They say a direction only where the whole interval is on one side of 1.
    pub fn change_text(&self, found: RatioInterval) -> String {
        let RatioInterval { low, high, .. } = found;
        let more = low.is_some_and(|low| low > 1.0);
        let less = high.is_some_and(|high| high < 1.0);
        match (more || less, low, high) {
            (true, ..) => {
                let (difference, ends) = self.ways().difference(found, less);
                let ends = ends.filter(|_| !is_point(found));
                let ends = ends.map(|ends| format!(", {ends}"));
                difference + &ends.unwrap_or_default()
            }
            (false, Some(low), Some(high)) => {
                format!("no change is sure: {}", self.span_text(low, high))
            }
            _ => "no change is sure".to_owned(),
        }
    }
}

/// Returns true for an interval that is as good as its only number: all blocks say the same.
fn is_point(found: RatioInterval) -> bool {
    let ends = found.low.zip(found.high);
    ends.is_some_and(|(low, high)| high <= low * (1.0 + POINT))
}

/// `1 block`, `12 blocks`.
pub(super) fn blocks(number: u32) -> String {
    wording::counted_as(number.into(), "block", "blocks")
}

fn short(name: &str) -> String {
    wording::clipped(name, NAME_CHARS_MAX)
}

fn listed(names: &[String]) -> String {
    let mut shown: Vec<String> = names
        .iter()
        .take(NAMES_MAX)
        .map(|name| short(name))
        .collect();
    if names.len() > NAMES_MAX {
        shown.push(format!("{} more", names.len() - NAMES_MAX));
    }
    joined(&shown)
}

/// The answer: who is surely the best and by how much, who ties, or why there is no call.
pub(super) fn answer(report: &SeriesReport) -> String {
    match (report.outcome, &report.winner) {
        (RankingOutcome::Winner, Some(winner)) => take(report, winner),
        (RankingOutcome::Tie, _) => {
            let rest = worse(report);
            format!(
                "A tie: {} are within {} of each other in {}.{rest}",
                listed(&report.unbeaten),
                percent(report.practical),
                report.quantity.name
            )
        }
        (RankingOutcome::Nothing, _) => nothing(report),
        _ => no_call(report),
    }
}

fn nothing(report: &SeriesReport) -> String {
    let mut failed = report
        .variants
        .iter()
        .filter_map(|variant| Some((variant.name.as_str(), variant.failure.as_ref()?)));
    let first = failed.next().map(|(name, reason)| {
        let reason = reason.lines().next().unwrap_or_default();
        format!(" {} failed: {}.", short(name), reason.trim_end_matches('.'))
    });
    let more = match failed.count() {
        0 => String::new(),
        others => format!(" So did {others} more."),
    };
    let left = match report.unbeaten.first() {
        Some(name) => format!("{} is the only one that is left", short(name)),
        None => "none is left".to_owned(),
    };
    format!(
        "Nothing to compare: {left}.{}{more}",
        first.unwrap_or_default()
    )
}

fn take(report: &SeriesReport, winner: &str) -> String {
    let others = report.variants.iter().filter(|one| one.name != winner);
    let mut rows: Vec<SeriesVerdict> = others
        .filter_map(|other| report.verdict(winner, &other.name))
        .collect();
    let distance = |row: &SeriesVerdict| match (row.claim, row.value) {
        (Claim::Ratio, Some(ratio)) => crate::logarithm::ln(ratio).abs(),
        (_, Some(value)) => value.abs(),
        (_, None) => f64::INFINITY,
    };
    rows.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    let clauses: Vec<String> = rows
        .iter()
        .take(NAMES_MAX)
        .map(|row| report.predicate(row, &short(&row.b)))
        .collect();
    let more = rows.len().saturating_sub(NAMES_MAX);
    let more = if more > 0 {
        format!("; {more} more are further behind")
    } else {
        String::new()
    };
    let what = if report.quantity.is_time() || report.quantity.name == UNNAMED {
        String::new()
    } else {
        format!("in {} ", report.quantity.name)
    };
    format!(
        "Take {}: {what}it {}{more}.",
        short(winner),
        clauses.join(", ")
    )
}

/// A sentence about those that are surely worse than the ones that are left.
fn worse(report: &SeriesReport) -> String {
    let is_worse = |name: &&String| report.unbeaten.len() > 1 && !report.unbeaten.contains(name);
    let names: Vec<String> = report
        .variants
        .iter()
        .filter(|variant| variant.failure.is_none() && !variant.values.is_empty())
        .map(|variant| &variant.name)
        .filter(is_worse)
        .cloned()
        .collect();
    match names.len() {
        0 => String::new(),
        1 => format!(" {} is surely worse.", listed(&names)),
        _ => format!(" {} are surely worse.", listed(&names)),
    }
}

fn no_call(report: &SeriesReport) -> String {
    let among = |name: &String| report.unbeaten.contains(name);
    let open = report.verdicts.iter().filter(|row| {
        row.case.is_none() && row.verdict == Verdict::NoCall && among(&row.a) && among(&row.b)
    });
    let open: Vec<&SeriesVerdict> = open.collect();
    let needed = blocks_needed(
        report.variants.len(),
        report.cases.len().max(1),
        report.confidence,
    );
    let Some(row) = open.iter().min_by_key(|row| row.blocks) else {
        return format!(
            "No call: {} are ahead of the others, and no one of them of all.",
            listed(&report.unbeaten)
        );
    };
    let after = blocks(row.blocks);
    let between = format!("{} against {}", short(&row.a), short(&row.b));
    let reason = match report.open_text(row) {
        Some(open) => format!("{open} after {after}"),
        None => format!("nothing is known after {after}"),
    };
    let with_more = |number: u32| {
        let seconds = report
            .block_seconds
            .map(|seconds| seconds * f64::from(number));
        match (seconds, report.ended) {
            // More time would not help.
            (Some(_), SeriesEnd::BlockLimit) => format!(" (--runs {number})"),
            (Some(seconds), _) => format!(" (--budget {})", budget(seconds)),
            (None, _) => String::new(),
        }
    };
    let advice = match row.settled_by {
        Some(number) => format!(
            "; about {} would likely settle it{}",
            blocks(number),
            with_more(number)
        ),
        None if row.blocks < needed && !report.quantity.compares_means() => format!(
            "; no difference is sure in fewer than {needed} blocks{}",
            with_more(needed)
        ),
        None => String::new(),
    };
    let end = match report.ended {
        SeriesEnd::Budget => ", when the time that was given ended",
        SeriesEnd::BlockLimit => ", the most that there may be",
        SeriesEnd::Interrupted => ", when it was interrupted",
        SeriesEnd::Settled | SeriesEnd::EndOfValues => "",
    };
    let more = match open.len() {
        0 | 1 => String::new(),
        several => format!(" {} more pairs are open.", several - 1),
    };
    format!(
        "No call: {between}: {reason}{end}{advice}.{more}{}",
        worse(report)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_a_direction_only_where_that_is_sure() {
        let (time, memory) = (Quantity::time("wall time"), Quantity::cpu_time());
        let found = |ratio: f64, low: f64, high: f64| RatioInterval {
            ratio: Some(ratio),
            low: Some(low),
            high: Some(high),
        };
        assert_eq!(
            time.change_text(found(0.5, 0.4, 0.6)),
            "2.00 × faster, 1.67–2.50"
        );
        let more = memory.change_text(found(2.0, 1.5, 2.5));
        assert!(more.contains("higher"), "{more}");
        let open = time.change_text(found(0.9, 0.8, 1.01));
        assert!(open.starts_with("no change is sure: from"), "{open}");
        let point = memory.change_text(found(2.0, 2.0, 2.0));
        assert!(!point.contains('–'), "{point}");
        let unknown = RatioInterval {
            high: None,
            ..found(0.5, 0.4, 0.6)
        };
        assert_eq!(time.change_text(unknown), "no change is sure");
    }
}
