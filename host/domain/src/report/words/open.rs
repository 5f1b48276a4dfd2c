//! Pairs without a verdict: the reason, and the budget that would likely bring one.

use super::numbers::{budget, budget_within, count, percent, reading};
use super::speed;
use super::view::{name, reading_row, row_for, shortened};
use crate::logarithm::{exp, ln, ln_1p};
use crate::paired_times::BUILD_ROUNDS_MAX;
use crate::report::{CriterionSummary, MeasuringEnd, Report, VerdictRow};
use crate::verdict::Verdict;
use crate::wording;
use std::collections::BTreeSet;

/// Half of an interval's width, as a difference of logarithms, from which on it is written as a factor, not as a
/// percentage.
const WIDE_LOG: f64 = 0.25;

/// The reason why a pair among `ids` has no verdict on a criterion that counts, for the headline: of the
/// pair that is furthest from one, `heap against sort: from 0.2 % less to 1.2 % more time when the budget
/// ended; --budget 40s would likely settle it`. The pair is not named if it is the only one.
pub(super) fn first_of(report: &Report, ids: &[String]) -> Option<String> {
    let counting = report.criteria.iter().filter(|c| c.weight > 0.0);
    let (timed, others): (Vec<_>, Vec<_>) = counting.partition(|c| c.is_timed());
    let by_time = timed.into_iter().filter_map(|c| by_time(report, c, ids));
    let by_reading = others
        .into_iter()
        .filter_map(|c| by_reading(report, c, ids));
    by_time.chain(by_reading).next()
}

/// The reason why there is no call where every verdict is known: `no difference between their totals is sure yet, nor that
/// they are close; a larger --budget would tell more`.
pub(super) fn of_totals(report: &Report) -> String {
    let more = match report.protocol.ended {
        MeasuringEnd::Budget => "; a larger --budget would tell more",
        MeasuringEnd::ReplicaLimit => "; a race has no more replicas, whatever its budget",
        _ => "",
    };
    format!("no difference between their totals is sure yet, nor that they are close{more}")
}

/// All pairs of these variants.
fn pairs(ids: &[String]) -> impl Iterator<Item = (&String, &String)> {
    let with_later = move |place: usize| ids[place + 1..].iter().map(move |b| (&ids[place], b));
    (0..ids.len()).flat_map(with_later)
}

/// The reason of the pair that is furthest from a verdict by time.
fn by_time(report: &Report, criterion: &CriterionSummary, ids: &[String]) -> Option<String> {
    let open = pairs(ids).filter_map(|(a, b)| row_for(report, criterion, a, b));
    let open = open.filter(|row| row.verdict == Verdict::NoCall);
    let needs = |row: &VerdictRow| row.settle_seconds.unwrap_or(f64::INFINITY);
    let row = open.max_by(|a, b| needs(a).total_cmp(&needs(b)))?;
    let reason = reason(report, &row);
    Some(match ids.len() {
        2 => reason,
        _ => format!(
            "{} against {}: {reason}",
            name(report, &row.a),
            name(report, &row.b)
        ),
    })
}

/// The criterion on which a pair has no verdict by its readings, and what that rests on.
fn by_reading(report: &Report, criterion: &CriterionSummary, ids: &[String]) -> Option<String> {
    let rows = pairs(ids).filter_map(|(a, b)| reading_row(report, criterion, a, b));
    let row = rows
        .into_iter()
        .find(|row| row.verdict == Verdict::NoCall)?;
    let what = match criterion.source.as_str() {
        "cold-start" => "replica",
        "build-time" => "round of builds",
        _ => "round of inputs",
    };
    let (one, rest) = what
        .split_once(' ')
        .map_or((what, String::new()), |(one, rest)| {
            (one, format!(" {rest}"))
        });
    let s = wording::ending(row.count);
    let is_few = criterion.source == "build-time" && row.count < BUILD_ROUNDS_MAX;
    let more = if is_few {
        "; a larger --budget has room for more of them"
    } else {
        ""
    };
    Some(format!(
        "no difference on {} is sure after {} {one}{s}{rest}{more}",
        shortened(&criterion.name),
        count(u64::from(row.count))
    ))
}

/// The reason in a few words: `no call: from 0.2 % less to 1.2 % more time`.
pub(super) fn short(report: &Report, row: &VerdictRow) -> String {
    if decided_by_another(report, row).is_none()
        && let Some(why) = against_totals(row)
    {
        return format!("no call: {why}");
    }
    match (decided_by_another(report, row), ends(row)) {
        (Some(why), _) => format!("no call: {why}"),
        (None, Some((low, high))) => format!("no call: {}", speed::span(low, high)),
        (None, None) => "no call".to_owned(),
    }
}

/// The reason why there is no verdict, and the budget that would likely bring one.
pub(super) fn reason(report: &Report, row: &VerdictRow) -> String {
    if let Some(why) = decided_by_another(report, row) {
        return why;
    }
    let ended = match report.protocol.ended {
        MeasuringEnd::Budget => "the budget ended",
        MeasuringEnd::ReplicaLimit => "the limit of replicas was reached",
        MeasuringEnd::Precision => "the precision that was asked for was reached",
        MeasuringEnd::Settled => "the race was decided",
        MeasuringEnd::Unfinished => "the run was stopped",
        MeasuringEnd::NotMeasured => return "nothing was timed".to_owned(),
    };
    let Some((low, high)) = ends(row) else {
        let before = match report.protocol.replicas {
            0 => "the first replica",
            _ => "there was an interval",
        };
        if !is_out_of_budget(report) {
            return format!("{ended} before {before}");
        }
        return format!(
            "{ended} before {before}; {}",
            least(report, row.settle_seconds)
        );
    };
    let why = against_totals(row).map(|why| format!("{why}; "));
    let known = format!(
        "{}{} when {ended}{}",
        why.unwrap_or_default(),
        speed::span(low, high),
        near_a_tie(report, low, high)
    );
    if report.protocol.ended == MeasuringEnd::ReplicaLimit {
        return format!("{known}; a race has no more of them, whatever its budget");
    }
    if !is_out_of_budget(report) {
        return known;
    }
    match (row.settle_seconds, row.narrowed) {
        (Some(seconds), _) if is_more(report, seconds) => format!(
            "{known}; --budget {} would likely settle it",
            budget(seconds)
        ),
        (Some(_), _) => format!("{known}; a larger --budget would likely settle it"),
        (None, Some(narrowed)) => match budget_within(narrowed.seconds) {
            // No more than what was simulated: of a larger one nothing is known.
            Some((named, seconds)) if is_more(report, seconds) => format!(
                "{known}; even --budget {named} would likely leave it open, {}",
                about(narrowed.half_width)
            ),
            _ => format!("{known}; a larger --budget would tell more"),
        },
        (None, None) => format!("{known}; a larger --budget would tell more"),
    }
}

/// Half of an interval's width, a difference of logarithms, in words.
fn about(half_width: f64) -> String {
    if half_width < WIDE_LOG {
        format!("at about ±{}", percent(half_width))
    } else {
        format!("within a factor of about {:.1}", exp(half_width))
    }
}

/// Phrase with the ratio of most samples, where it is not that of the total times: `1.2 × faster in most samples, and
/// not in total`.
fn against_totals(row: &VerdictRow) -> Option<String> {
    let typical = speed::typical(row)?;
    Some(format!("{typical} in most samples, and not in total"))
}

/// Reason why a pair without a verdict was not compared to the end: another variant is surely faster than one of the
/// two, or than both.
fn decided_by_another(report: &Report, row: &VerdictRow) -> Option<String> {
    let overall = report.verdicts.iter().filter(|other| other.case.is_none());
    let defeats = overall.filter_map(|other| match other.verdict {
        Verdict::Beats => Some((other.a.as_str(), other.b.as_str())),
        Verdict::Beaten => Some((other.b.as_str(), other.a.as_str())),
        Verdict::Tie | Verdict::NoCall => None,
    });
    let defeats: BTreeSet<(&str, &str)> = defeats.collect();
    let beats = |faster: &str, slower: &str| defeats.contains(&(faster, slower));
    // The order of rank: the winner first.
    let others = || report.variants.iter().map(|variant| variant.id.as_str());
    let both = others().find(|other| beats(other, &row.a) && beats(other, &row.b));
    if let Some(other) = both {
        let other = name(report, other);
        return Some(format!(
            "not compared further, as {other} is faster than both"
        ));
    }
    let pair = [row.a.as_str(), row.b.as_str()];
    let (other, slower) = others().find_map(|other| {
        let slower = pair.into_iter().find(|one| beats(other, one))?;
        Some((other, slower))
    })?;
    Some(format!(
        "not compared further, as {} is faster than {}",
        name(report, other),
        name(report, slower)
    ))
}

/// Phrase with the width of a tie, for an interval that is hardly wider; empty for all others.
fn near_a_tie(report: &Report, low: f64, high: f64) -> String {
    let practical = ln_1p(report.protocol.practical);
    let is_near = ln(low).abs().max(ln(high).abs()) < 2.0 * practical;
    if is_near {
        format!(
            " (a tie takes both ends within {})",
            percent(report.protocol.practical)
        )
    } else {
        String::new()
    }
}

/// The reason why there is not one replica, if the budget is to blame, and what would bring a verdict.
pub(super) fn without_a_replica(report: &Report) -> Option<String> {
    if !is_out_of_budget(report) || report.protocol.replicas > 0 {
        return None;
    }
    let given = reading(report.protocol.budget_seconds * 1e9, "ns");
    let overall = report.verdicts.iter().filter(|row| row.case.is_none());
    let mut open = overall
        .filter(|row| row.verdict == Verdict::NoCall)
        .peekable();
    if open.peek().is_none() {
        return Some(format!(
            "the budget of {given} ended before every variant was called once on each case; choose \
             smaller sizes, or a larger --budget"
        ));
    }
    let seconds = open.filter_map(|row| row.settle_seconds).reduce(f64::max);
    Some(format!(
        "the budget of {given} ended before the first replica; {}",
        least(report, seconds)
    ))
}

/// The least budget for a verdict, if it is known and more than what was given.
fn least(report: &Report, seconds: Option<f64>) -> String {
    match seconds.filter(|seconds| is_more(report, *seconds)) {
        Some(seconds) => format!("a verdict takes at least --budget {}", budget(seconds)),
        None => "a larger --budget would tell more".to_owned(),
    }
}

/// Returns true if this budget is larger than the one that was given.
fn is_more(report: &Report, seconds: f64) -> bool {
    seconds > report.protocol.budget_seconds
}

fn is_out_of_budget(report: &Report) -> bool {
    report.protocol.ended == MeasuringEnd::Budget && report.protocol.budget_seconds > 0.0
}

/// Both ends of the interval, if they are known and apart.
fn ends(row: &VerdictRow) -> Option<(f64, f64)> {
    let (low, high) = row.low.zip(row.high)?;
    (low > 0.0 && low < high && high.is_finite()).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use serde_json::json;

    /// A report of two variants without a verdict, measured with a budget of 20 s.
    fn report(replicas: u32, row: &serde_json::Value) -> Report {
        let mut report = fixture::report(json!({ "protocol": { "replicas": replicas } }));
        report.verdicts = vec![fixture::row("new", "old", row)];
        report
    }

    fn why(replicas: u32, row: &serde_json::Value) -> String {
        let report = report(replicas, row);
        reason(&report, &report.verdicts[0])
    }

    #[test]
    fn totals_that_are_open_at_the_end_of_a_budget_ask_for_a_larger_one() {
        let of = |ended: &str| {
            let change = json!({ "protocol": { "ended": ended } });
            of_totals(&fixture::report(change))
        };
        let unsure = "no difference between their totals is sure yet, nor that they are close";
        assert_eq!(of("settled"), unsure);
        assert_eq!(
            of("budget"),
            format!("{unsure}; a larger --budget would tell more")
        );
        assert_eq!(
            of("replica-limit"),
            format!("{unsure}; a race has no more replicas, whatever its budget")
        );
    }

    #[test]
    fn no_budget_is_named_that_is_not_more_than_the_given_one() {
        assert_eq!(
            why(2, &json!({ "settle_seconds": 33.0 })),
            "the budget ended before there was an interval; a verdict takes at least --budget 40s"
        );
        assert_eq!(
            why(2, &json!({ "settle_seconds": 4.2 })),
            "the budget ended before there was an interval; a larger --budget would tell more"
        );
        let near = json!({ "ratio": 1.0, "low": 0.98, "high": 1.02, "settle_seconds": 30.0 });
        assert_eq!(
            why(9, &near),
            "from 2 % less to 2 % more time when the budget ended; --budget 30s would likely settle it"
        );
        let nearer = json!({ "ratio": 1.0, "low": 0.98, "high": 1.02, "settle_seconds": 12.0 });
        assert_eq!(
            why(9, &nearer),
            "from 2 % less to 2 % more time when the budget ended; a larger --budget would likely \
             settle it"
        );
    }

    #[test]
    fn where_no_budget_is_likely_to_settle_it_the_width_is_forecast() {
        let with = |seconds: f64| {
            let narrowed = json!({ "seconds": seconds, "half_width": 0.0082 });
            why(
                9,
                &json!({ "ratio": 1.0, "low": 0.98, "high": 1.02, "narrowed": narrowed }),
            )
        };
        assert_eq!(
            with(80.0),
            "from 2 % less to 2 % more time when the budget ended; even --budget 60s would likely leave it open, at \
             about ±0.82 %"
        );
        let wide = json!({ "seconds": 80.0, "half_width": 1.0 });
        let wide = why(
            9,
            &json!({ "ratio": 1.0, "low": 0.3, "high": 3.0, "narrowed": wide }),
        );
        assert!(
            wide.ends_with("leave it open, within a factor of about 2.7"),
            "{wide}"
        );
        let nothing = "from 2 % less to 2 % more time when the budget ended; a larger --budget would tell more";
        assert_eq!(with(20.0), nothing);
        let mut ended = report(30, &json!({ "ratio": 1.0, "low": 0.98, "high": 1.02 }));
        assert_eq!(reason(&ended, &ended.verdicts[0]), nothing);
        ended.protocol.ended = MeasuringEnd::ReplicaLimit;
        assert_eq!(
            reason(&ended, &ended.verdicts[0]),
            "from 2 % less to 2 % more time when the limit of replicas was reached; a race has no more of \
             them, whatever its budget"
        );
    }

    #[test]
    fn an_interval_hardly_wider_than_a_tie_is_shown_with_both_ends_and_what_a_tie_takes() {
        let near = json!({ "ratio": 1.005, "low": 0.998, "high": 1.012, "settle_seconds": 55.0 });
        assert_eq!(
            why(9, &near),
            "from 0.2 % less to 1.2 % more time when the budget ended (a tie takes both ends within \
             1 %); --budget 60s would likely settle it"
        );
        assert_eq!(
            short(&report(9, &near), &report(9, &near).verdicts[0]),
            "no call: from 0.2 % less to 1.2 % more time"
        );
        // Nothing is called too small to be settled: it is a matter of time.
        let narrowed = json!({ "seconds": 90.0, "half_width": 0.07 });
        let far = json!({ "ratio": 1.005, "low": 0.92, "high": 1.2, "narrowed": narrowed });
        assert_eq!(
            why(9, &far),
            "from 8 % less time to 1.2 × slower when the budget ended; even --budget 90s would likely leave it \
             open, at about ±7 %"
        );
    }

    #[test]
    fn a_pair_that_was_left_open_names_who_beats_it() {
        let mut report = report(9, &json!({ "ratio": 1.1, "low": 0.8, "high": 1.4 }));
        report.protocol.ended = MeasuringEnd::Settled;
        let best = |slower: &str| fixture::row("best", slower, &json!({ "verdict": "beats" }));
        report.verdicts.push(best("old"));
        let why = |report: &Report| reason(report, &report.verdicts[0]);
        assert_eq!(
            why(&report),
            "not compared further, as best is faster than old"
        );
        report.verdicts.push(best("new"));
        assert_eq!(
            why(&report),
            "not compared further, as best is faster than both"
        );
        assert_eq!(
            short(&report, &report.verdicts[0]),
            "no call: not compared further, as best is faster than both"
        );
    }

    #[test]
    fn the_headline_names_the_pair_or_the_criterion_that_is_open() {
        let mut report = fixture::report(json!({}));
        let ids = ["best", "new", "old"].map(str::to_owned);
        let open = json!({ "ratio": 1.0, "low": 0.98, "high": 1.02, "settle_seconds": 30.0 });
        let further = json!({ "ratio": 1.0, "low": 0.97, "high": 1.03, "settle_seconds": 70.0 });
        report.verdicts = vec![
            fixture::row("best", "new", &open),
            fixture::row("best", "old", &further),
            fixture::row("new", "old", &json!({ "verdict": "tie" })),
        ];
        let why = first_of(&report, &ids).unwrap();
        assert!(why.starts_with("best against old: from 3 % less"), "{why}");
        assert!(!first_of(&report, &ids[..2]).unwrap().contains("against"));

        report.verdicts.truncate(0);
        report.criteria[0].source = "cold-start".to_owned();
        report.criteria[0].name = "start".to_owned();
        let rows = json!([{
            "a": "new", "b": "best", "verdict": "no-call", "below_threshold": false,
            "claim": "ratio", "value": 1.0, "low": null, "high": null, "count": 12,
        }]);
        let rows = serde_json::from_value(rows).unwrap();
        report
            .reading_verdicts
            .insert("cold-start".to_owned(), rows);
        assert_eq!(
            first_of(&report, &ids).unwrap(),
            "no difference on start is sure after 12 replicas"
        );
    }

    #[test]
    fn a_budget_without_a_replica_is_said_to_be_the_reason() {
        let some = report(1, &json!({}));
        assert_eq!(without_a_replica(&some), None);
        let known = report(0, &json!({ "settle_seconds": 55.0 }));
        assert_eq!(
            without_a_replica(&known).unwrap(),
            "the budget of 20 s ended before the first replica; a verdict takes at least --budget 60s"
        );
        let mut unpiloted = report(0, &json!({}));
        unpiloted.verdicts.clear();
        let why = without_a_replica(&unpiloted).unwrap();
        assert!(why.contains("smaller sizes"), "{why}");
    }

    #[test]
    fn an_open_pair_says_what_most_inputs_do_where_the_total_does_not() {
        let mut row = json!({ "ratio": 1.5, "low": 0.97, "high": 2.4, "settle_seconds": 30.0 });
        let without = why(9, &row);
        assert!(!without.contains("most inputs"), "{without}");
        row["typical"] = json!(0.77);
        let with = why(9, &row);
        assert_eq!(
            with,
            format!("1.3 × faster in most samples, and not in total; {without}")
        );
    }
}
