//! Alternatives to the recommended variant, and the robustness of the choice.

use super::numbers::{self, count, percent, weight};
use super::sizes::{self, SizeRange};
use super::view::{self, Relation, is_beaten, is_worth, joined, name, ranked, relation, row_for};
use super::{opinions, readings, speed};
use crate::report::{CriterionSummary, Report, VariantReport};
use crate::spec::Direction;

/// The advantage of `a` over `b` on a criterion, as the predicate of a sentence about `a`:
/// `is 1.8 × faster than b (1.76–1.85)`, `is better on memory: 4 KiB against 12 MiB`.
pub(super) fn edge(
    report: &Report,
    criterion: &CriterionSummary,
    a: &VariantReport,
    b: &VariantReport,
    other: &str,
) -> String {
    if let Some(row) = row_for(report, criterion, &a.id, &b.id).filter(|_| criterion.is_timed()) {
        return speed::faster(report, &row, other);
    }
    let called = view::shortened(&criterion.name);
    let claim = readings::claim(report, criterion, a, b);
    match both_readings(criterion, a, b) {
        Some(found) => format!("is better on {called}: {found}{claim}"),
        None => format!("is better on {called}{claim}"),
    }
}

/// The readings of two variants on a criterion, of which `a` is the better one: `4 KiB against 12 MiB`.
/// `None` if either has none, or if they do not show it: a verdict goes by pairs of readings, and these
/// are means or medians.
fn both_readings(
    criterion: &CriterionSummary,
    a: &VariantReport,
    b: &VariantReport,
) -> Option<String> {
    let found = |variant: &VariantReport| {
        let found = variant.readings.get(&criterion.source)?;
        Some((found.value, unit(criterion, &found.unit).to_owned()))
    };
    let ((a, unit_a), (b, unit_b)) = (found(a)?, found(b)?);
    let shows = match criterion.direction {
        Direction::HigherIsBetter => a > b,
        Direction::LowerIsBetter => a < b,
    };
    if !shows {
        return None;
    }
    let (a, b) = if unit_a == unit_b {
        numbers::readings(a, b, &unit_a)
    } else {
        (numbers::reading(a, &unit_a), numbers::reading(b, &unit_b))
    };
    let (a, b) = (view::shortened(&a), view::shortened(&b));
    Some(format!("{a} against {b}"))
}

/// The unit of a criterion's readings: the reading's own, else the criterion's.
fn unit<'a>(criterion: &'a CriterionSummary, own: &'a str) -> &'a str {
    if own.is_empty() { &criterion.unit } else { own }
}

/// The names of the criteria on which a variant is surely no worse than any other of a group, and
/// better than at least one.
pub(super) fn strengths(
    report: &Report,
    of: &VariantReport,
    group: &[&VariantReport],
) -> Vec<String> {
    let others = || group.iter().filter(|other| other.id != of.id);
    let leads = |criterion: &&CriterionSummary| {
        let relations: Vec<Relation> = others()
            .map(|other| relation(report, criterion, of, other))
            .collect();
        relations.contains(&Relation::Better)
            && relations
                .iter()
                .all(|relation| matches!(relation, Relation::Better | Relation::Equal))
    };
    let counting = report.criteria.iter().filter(|c| c.weight > 0.0);
    counting
        .filter(leads)
        .map(|criterion| view::shortened(&criterion.name))
        .collect()
}

/// A sentence for each alternative that is not dominated and is the better choice on some criterion,
/// and for each that is the fastest at small or at large sizes.
pub(super) fn alternatives(report: &Report) -> Vec<String> {
    let variants = ranked(report);
    let Some(winner) = &report.recommendation.winner else {
        return Vec::new();
    };
    let Some(best) = variants.iter().find(|variant| variant.id == *winner) else {
        return Vec::new();
    };
    let others = || variants.iter().filter(|variant| variant.id != *winner);
    let mut sentences: Vec<String> = others()
        .filter(|variant| report.pareto.contains(&variant.id))
        .filter_map(|variant| alternative(report, best, variant))
        .collect();
    sentences.extend(others().filter_map(|variant| {
        let when = match sizes::faster_at(report, &variant.id, winner)? {
            SizeRange::UpTo(size) => format!("up to {}", count(u64::from(size))),
            SizeRange::From(size) => format!("from {} on", count(u64::from(size))),
        };
        Some(format!(
            "Take {} for sizes {when}.",
            name(report, &variant.id)
        ))
    }));
    sentences.extend(others().filter_map(|variant| dominated(report, variant, &variants)));
    sentences
}

/// `Avoid insertion: heap is at least as good on everything that counts, and surely better on performance.`
fn dominated(
    report: &Report,
    variant: &VariantReport,
    ranked: &[&VariantReport],
) -> Option<String> {
    let counting: Vec<&CriterionSummary> =
        report.criteria.iter().filter(|c| c.weight > 0.0).collect();
    if counting.len() < 2 || report.pareto.contains(&variant.id) {
        return None;
    }
    let mut better = ranked
        .iter()
        .filter(|other| report.pareto.contains(&other.id));
    let (by, on) = better.find_map(|other| {
        let relations = counting
            .iter()
            .map(|c| (c, relation(report, c, other, variant)));
        let relations: Vec<_> = relations.collect();
        let is_good = |known: &Relation| matches!(known, Relation::Better | Relation::Equal);
        let first = relations
            .iter()
            .find(|(_, known)| *known == Relation::Better)?;
        let all = relations.iter().all(|(_, known)| is_good(known));
        all.then(|| (name(report, &other.id), view::shortened(&first.0.name)))
    })?;
    Some(format!(
        "Avoid {}: {by} is at least as good on everything that counts, and surely better on {on}.",
        name(report, &variant.id)
    ))
}

/// `Take insertion if memory matters more: 4 KiB against 12 MiB.`
fn alternative(report: &Report, best: &VariantReport, variant: &VariantReport) -> Option<String> {
    let counting = report.criteria.iter().filter(|c| c.weight > 0.0);
    let better: Vec<&CriterionSummary> = counting
        .filter(|c| relation(report, c, variant, best) == Relation::Better)
        .filter(|c| is_worth(report, c, variant, best) && !is_beaten(report, c, variant))
        .collect();
    if better.is_empty() {
        return None;
    }
    let other = name(report, &best.id);
    let criteria: Vec<String> = better.iter().map(|c| view::shortened(&c.name)).collect();
    let (matters, detail) = match better.as_slice() {
        [only] if !only.is_timed() => {
            let found = both_readings(only, variant, best);
            let claim = readings::claim(report, only, variant, best);
            let claim_alone = claim.trim_start_matches(", ");
            let detail = match found {
                Some(found) => format!("{found}{claim}"),
                None => claim_alone.to_owned(),
            };
            ("matters", Some(detail).filter(|detail| !detail.is_empty()))
        }
        [only] => ("matters", Some(detail(report, only, variant, best, &other))),
        several => {
            let details = several
                .iter()
                .map(|criterion| detail(report, criterion, variant, best, &other));
            ("matter", Some(details.collect::<Vec<_>>().join("; ")))
        }
    };
    let detail = detail.map_or_else(String::new, |detail| format!(": {detail}"));
    Some(format!(
        "Take {} if {} {matters} more{detail}.",
        name(report, &variant.id),
        joined(&criteria)
    ))
}

/// The advantage of `a` over `b` on a criterion in a list: `it is 1.8 × faster than b (1.76–1.85)`,
/// `memory 4 KiB against 12 MiB`.
fn detail(
    report: &Report,
    criterion: &CriterionSummary,
    a: &VariantReport,
    b: &VariantReport,
    other: &str,
) -> String {
    match both_readings(criterion, a, b).filter(|_| !criterion.is_timed()) {
        Some(found) => {
            let claim = readings::claim(report, criterion, a, b);
            format!("{} {found}{claim}", view::shortened(&criterion.name))
        }
        None => format!("it {}", edge(report, criterion, a, b, other)),
    }
}

/// Returns the advice: `If performance matters most, take heap. If memory matters most, take insertion.`
pub(super) fn conditional(report: &Report) -> String {
    let variants = ranked(report);
    let counting = report.criteria.iter().filter(|c| c.weight > 0.0);
    let clauses: Vec<String> = counting
        .map(|criterion| {
            if criterion.is_opinion() {
                return opinions::advice(report, criterion, &variants);
            }
            let unbeaten = variants.iter().filter(|v| !is_beaten(report, criterion, v));
            let (front, dominated): (Vec<&VariantReport>, Vec<&VariantReport>) =
                unbeaten.partition(|v| report.pareto.contains(&v.id));
            let leaders = if front.is_empty() { dominated } else { front };
            let names: Vec<String> = leaders.iter().map(|v| name(report, &v.id)).collect();
            let called = view::shortened(&criterion.name);
            match names.as_slice() {
                [only] => {
                    let by_time = criterion.is_timed().then_some(&leaders[0].id);
                    let exception = by_time.and_then(|id| sizes::beaten_at(report, id));
                    format!(
                        "If {called} matters most, take {only}{}{}.",
                        exception.unwrap_or_default(),
                        in_its_authors_words(report, leaders[0])
                    )
                }
                [_, _] | [_, _, _] => {
                    format!(
                        "If {called} matters most, take {}: neither is surely better.",
                        names.join(" or ")
                    )
                }
                _ => format!(
                    "{called} does not decide: no difference between {} variants is sure.",
                    names.len()
                ),
            }
        })
        .collect();
    clauses.join(" ")
}

/// Returns its author's words on when to take a variant: ` (its author: “for a small k”)`; empty if there are none.
fn in_its_authors_words(report: &Report, variant: &VariantReport) -> String {
    let words = report.author_words.get(&variant.approach);
    let Some(rationale) = words.and_then(|words| words.rationale.as_ref()) else {
        return String::new();
    };
    let said = view::shortened(rationale.trim_end_matches('.'));
    format!(" (its author: “{said}”)")
}

/// The change of weights that another winner takes, and the bootstrap share of the winner.
pub(super) fn robustness(report: &Report) -> Vec<String> {
    let recommendation = &report.recommendation;
    let Some(winner) = &recommendation.winner else {
        return Vec::new();
    };
    let called = name(report, winner);
    let mut sentences = Vec::new();
    let all = report.criteria.iter();
    let count = all.filter(|one| !one.is_opinion()).count();
    let (measured, of_these) = if count < report.criteria.len() {
        (", by what was measured,", " that was")
    } else {
        ("", "")
    };
    if count > 1 && ranked(report).len() > 1 {
        sentences.push(match &recommendation.flip {
            Some(flip) => {
                let moves: Vec<String> = flip
                    .changes
                    .iter()
                    .map(|change| {
                        let verb = if change.to > change.from {
                            "rose"
                        } else {
                            "fell"
                        };
                        format!(
                            "the weight of {} {verb} from {} to {}",
                            view::shortened(&change.criterion),
                            weight(change.from),
                            weight(change.to)
                        )
                    })
                    .collect();
                format!(
                    "{} would have the best total{measured} if {}.",
                    name(report, &flip.winner),
                    joined(&moves)
                )
            }
            None => format!(
                "{called} has the best total{measured} with any weights: no variant scores higher on any criterion{of_these}."
            ),
        });
    }
    // Alone it comes first whatever is drawn.
    let share = recommendation.first_share.get(winner);
    if let Some(share) = share.filter(|_| ranked(report).len() > 1) {
        sentences.push(format!(
            "{called} came first in {} of bootstrap resamples.",
            percent(*share)
        ));
    }
    sentences
}
