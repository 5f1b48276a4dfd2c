//! Sentences about criteria: the best and the worst variant on each.

use super::numbers::{reading, score, times};
use super::view::{self, Relation, joined, name, ranked, relation, row_for};
use super::{speed, view::shortened};
use crate::report::{CriterionSummary, Interval, Report, VariantReport};
use crate::verdict::Verdict;

/// The largest number of leaders that are named.
const LEADERS_MAX: usize = 4;

/// A sentence for each criterion on which at least two are ranked.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let variants = ranked(report);
    if variants.len() < 2 {
        return Vec::new();
    }
    let criteria = report.criteria.iter();
    criteria
        .filter_map(|criterion| sentence(report, criterion, &variants))
        .collect()
}

fn sentence(
    report: &Report,
    criterion: &CriterionSummary,
    all: &[&VariantReport],
) -> Option<String> {
    let value =
        |variant: &VariantReport| variant.scores.get(&criterion.name).map(|score| score.value);
    let mut variants: Vec<&VariantReport> =
        all.iter().copied().filter(|v| value(v).is_some()).collect();
    variants.sort_by(|a, b| {
        let (a, b) = (value(a).unwrap_or(0.0), value(b).unwrap_or(0.0));
        b.total_cmp(&a)
    });
    let beaten = |of: &VariantReport| {
        let mut others = variants.iter().filter(|other| other.id != of.id);
        others.any(|other| relation(report, criterion, other, of) == Relation::Better)
    };
    let (behind, leaders): (Vec<&VariantReport>, Vec<&VariantReport>) =
        variants.iter().partition(|variant| beaten(variant));
    let called = shortened(&criterion.name);
    let lead = leading(report, criterion, &leaders)?;
    let trail = match (behind.as_slice(), leaders.first()) {
        (_, None) | ([], _) => String::new(),
        ([.., last], Some(best)) => {
            let between = match behind.len() - 1 {
                0 => String::new(),
                1 => format!(" ({} between)", name(report, &behind[0].id)),
                more => format!(" ({more} others between)"),
            };
            let how = if criterion.is_timed() {
                "slowest"
            } else {
                "worst"
            };
            let last_name = name(report, &last.id);
            let distance = trailing(report, criterion, last, best);
            format!("; {how}: {last_name}{distance}{between}")
        }
    };
    let opinion = if criterion.is_opinion() {
        " (an opinion, not a measurement)"
    } else {
        ""
    };
    Some(format!("{called}: {lead}{trail}{opinion}."))
}

/// `best: heap, 4 KiB`; `fastest: heap and sort, a tie within 1 %`.
fn leading(
    report: &Report,
    criterion: &CriterionSummary,
    leaders: &[&VariantReport],
) -> Option<String> {
    let first = leaders.first()?;
    let reading = shown(criterion, first).unwrap_or_default();
    let best = if criterion.is_timed() {
        "fastest"
    } else {
        "best"
    };
    if leaders.len() == 1 {
        return Some(format!("{best}: {}{reading}", name(report, &first.id)));
    }
    let mut names: Vec<String> = leaders.iter().map(|v| name(report, &v.id)).collect();
    if names.len() > LEADERS_MAX {
        let more = names.len() - (LEADERS_MAX - 1);
        names.truncate(LEADERS_MAX - 1);
        names.push(format!("{more} more"));
    }
    let names = joined(&names);
    if !criterion.is_timed() {
        let same = leaders
            .iter()
            .all(|v| relation(report, criterion, first, v) == Relation::Equal || v.id == first.id);
        return Some(if same {
            format!("{best}: {names}{reading}")
        } else {
            let why = match criterion.is_paired() {
                true => "no call among them",
                false => "their intervals overlap",
            };
            format!("{best}: {names} ({why})")
        });
    }
    let pairs = || {
        let pairs = leaders.iter().enumerate();
        pairs.flat_map(|(place, a)| leaders[place + 1..].iter().map(move |b| (a, b)))
    };
    let tied = pairs().all(|(a, b)| {
        let row = row_for(report, criterion, &a.id, &b.id);
        row.is_some_and(|row| row.verdict == Verdict::Tie)
    });
    Some(if tied {
        format!("{best}: {names}, {}", speed::tie(&report.protocol))
    } else {
        format!("{best}: {names} (no call among them)")
    })
}

/// The distance of the last one from the best: `, 12 × (11–13) the time of heap`, `, 12 MiB`.
fn trailing(
    report: &Report,
    criterion: &CriterionSummary,
    last: &VariantReport,
    best: &VariantReport,
) -> String {
    if criterion.is_timed() {
        let row = row_for(report, criterion, &last.id, &best.id);
        let ratio = row.and_then(|row| {
            Some(Interval {
                value: row.ratio?,
                low: row.low,
                high: row.high,
            })
        });
        if let Some(ratio) = ratio {
            return format!(", {} the time of {}", times(ratio), name(report, &best.id));
        }
    }
    shown(criterion, last).unwrap_or_default()
}

/// `, 4 KiB`: the reading, or the score where there is none.
fn shown(criterion: &CriterionSummary, variant: &VariantReport) -> Option<String> {
    if criterion.is_timed() {
        return None;
    }
    let read = variant.readings.get(&criterion.source);
    let text = match read {
        Some(read) if read.unit.is_empty() => reading(read.value, &criterion.unit),
        Some(read) => reading(read.value, &read.unit),
        None => format!(
            "{} of 10",
            score(variant.scores.get(&criterion.name)?.value)
        ),
    };
    Some(format!(", {}", view::shortened(&text)))
}
