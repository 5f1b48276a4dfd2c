//! For whom another variant is the better choice, and how firm the choice is.

use super::numbers::{count, percent, reading, weight};
use super::view::{self, Relation, joined, name, ranked, relation, row_for};
use super::{sizes, speed};
use crate::report::{CriterionSummary, Report, Variant};

/// What `a` has over `b` on a criterion, as the end of a sentence about `a`:
/// `is 1.8 × faster than b (1.76–1.85)`, `has the better memory: 4 KiB against 12 MiB`.
pub(super) fn edge(
    report: &Report,
    criterion: &CriterionSummary,
    a: &Variant,
    b: &Variant,
    other: &str,
) -> String {
    if let Some(row) = row_for(report, criterion, &a.id, &b.id).filter(|_| criterion.is_paired()) {
        return speed::faster(&row, other, &report.protocol);
    }
    let read = |variant: &Variant| {
        let found = variant.readings.get(&criterion.source);
        found.map(|r| view::shortened(&reading(r.value, unit(criterion, &r.unit))))
    };
    let opinion = if criterion.is_opinion() {
        ", in the judge's opinion"
    } else {
        ""
    };
    let called = view::shortened(&criterion.name);
    match (read(a), read(b)) {
        (Some(a), Some(b)) => format!("is better on {called}: {a} against {b}{opinion}"),
        _ => format!("is better on {called}{opinion}"),
    }
}

/// The unit of a criterion's readings: the reading's own, else the criterion's.
fn unit<'a>(criterion: &'a CriterionSummary, own: &'a str) -> &'a str {
    if own.is_empty() { &criterion.unit } else { own }
}

/// Names of the criteria on which a variant is surely no worse than all others of a group, and
/// better than one.
pub(super) fn strengths(report: &Report, of: &Variant, group: &[&Variant]) -> Vec<String> {
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

/// For each close or undominated alternative: what it has over the first.
pub(super) fn alternatives(report: &Report) -> Vec<String> {
    let variants = ranked(report);
    let Some(winner) = &report.recommendation.winner else {
        return Vec::new();
    };
    let Some(best) = variants.iter().find(|variant| variant.id == *winner) else {
        return Vec::new();
    };
    let notable = |variant: &&&Variant| {
        let id = &variant.id;
        let close = report.recommendation.alternatives.contains(id);
        id != winner && (close || report.pareto.contains(id))
    };
    let mut sentences: Vec<String> = variants
        .iter()
        .filter(notable)
        .filter_map(|variant| alternative(report, best, variant))
        .collect();
    let crossings = sizes::crossings(report);
    sentences.extend(crossings.iter().filter_map(|crossing| {
        let (other, when) = if crossing.large == *winner {
            (
                &crossing.small,
                format!("no larger than {}", count(u64::from(crossing.from))),
            )
        } else if crossing.small == *winner {
            (
                &crossing.large,
                format!("of {} and more", count(u64::from(crossing.to))),
            )
        } else {
            return None;
        };
        Some(format!("Take {} for sizes {when}.", name(report, other)))
    }));
    sentences
}

/// `Take insertion if memory matters more: it is better on memory: 4 KiB against 12 MiB.`
fn alternative(report: &Report, best: &Variant, variant: &Variant) -> Option<String> {
    let counting = report.criteria.iter().filter(|c| c.weight > 0.0);
    let better: Vec<&CriterionSummary> = counting
        .filter(|c| relation(report, c, variant, best) == Relation::Better)
        .collect();
    if better.is_empty() {
        return None;
    }
    let other = name(report, &best.id);
    let criteria: Vec<String> = better.iter().map(|c| view::shortened(&c.name)).collect();
    let edges: Vec<String> = better
        .iter()
        .map(|criterion| edge(report, criterion, variant, best, &other))
        .collect();
    let matters = if criteria.len() == 1 {
        "matters"
    } else {
        "matter"
    };
    Some(format!(
        "Take {} if {} {matters} more to you: it {}.",
        name(report, &variant.id),
        joined(&criteria),
        joined(&edges)
    ))
}

/// `If performance matters most, take heap; if memory matters most, insertion.`
pub(super) fn conditional(report: &Report) -> String {
    let variants = ranked(report);
    let counting = report.criteria.iter().filter(|c| c.weight > 0.0);
    let clauses: Vec<String> = counting
        .map(|criterion| {
            let beaten = |of: &Variant| {
                let mut others = variants.iter().filter(|other| other.id != of.id);
                others.any(|o| relation(report, criterion, o, of) == Relation::Better)
            };
            let leaders = variants.iter().filter(|variant| !beaten(variant));
            let names: Vec<String> = leaders.map(|v| name(report, &v.id)).collect();
            let called = view::shortened(&criterion.name);
            match names.as_slice() {
                [only] => format!("If {called} matters most, take {only}."),
                [_, _] | [_, _, _] => {
                    format!(
                        "If {called} matters most, take {}: they are not told apart.",
                        names.join(" or ")
                    )
                }
                _ => format!(
                    "{called} does not decide: {} are not told apart.",
                    names.len()
                ),
            }
        })
        .collect();
    clauses.join(" ")
}

/// How far the weights must move for another winner, and how often the winner comes first.
pub(super) fn firmness(report: &Report) -> Vec<String> {
    let recommendation = &report.recommendation;
    let Some(winner) = &recommendation.winner else {
        return Vec::new();
    };
    let called = name(report, winner);
    let mut sentences = Vec::new();
    if report.criteria.len() > 1 && ranked(report).len() > 1 {
        sentences.push(match &recommendation.flip {
            Some(flip) => {
                let moves: Vec<String> = flip
                    .changes
                    .iter()
                    .map(|change| {
                        let verb = if change.to > change.from { "rose" } else { "fell" };
                        format!(
                            "the weight of {} {verb} from {} to {}",
                            view::shortened(&change.criterion),
                            weight(change.from),
                            weight(change.to)
                        )
                    })
                    .collect();
                format!(
                    "{} would have the best total if {}.",
                    name(report, &flip.winner),
                    joined(&moves)
                )
            }
            None => format!(
                "No other weights make another one win: nothing scores above {called} on any criterion."
            ),
        });
    }
    if let Some(share) = recommendation.first_share.get(winner) {
        sentences.push(format!(
            "With the replicas drawn anew, {called} has the best total in {} of draws.",
            percent(*share)
        ));
    }
    sentences
}
