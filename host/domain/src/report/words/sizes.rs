//! Sentences about sizes: crossovers and growth.

use super::numbers::{count, significant};
use super::view::{name, ranked};
use super::{speed, too_short, view};
use crate::logarithm::{exp, ln};
use crate::report::{CaseLabel, NO_CLASS, Report, VerdictRow};
use crate::verdict::Verdict;

/// The least factor between the leads at the smallest and the largest size that is worth a sentence.
const LEAD_FACTOR_MIN: f64 = 2.0;

/// Two variants of which one is faster on small inputs and the other on large ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossover {
    /// Id of the one that is faster on small inputs.
    pub small: String,
    /// Id of the one that is faster on large inputs.
    pub large: String,
    /// The largest size at which `small` is surely faster.
    pub from: u32,
    /// The smallest size above at which `large` is surely faster.
    pub to: u32,
    /// Size at which the ratio would be 1, on a straight line between the two on logarithmic axes; an estimate, not a
    /// verdict.
    pub about: f64,
}

/// All pairs of ranked variants whose order changes exactly once with size, both ways surely.
pub fn crossovers(report: &Report) -> Vec<Crossover> {
    let variants = ranked(report);
    let rows = view::RowsByPair::new(report);
    let mut found = Vec::new();
    for (place, a) in variants.iter().enumerate() {
        for b in &variants[place + 1..] {
            let sure = sure_by_size(report, &rows.about(&a.id, &b.id));
            found.extend(crossover_of(&sure, &a.id, &b.id));
        }
    }
    found
}

/// The sure verdicts about a pair by size, ascending.
fn by_size(report: &Report, a: &str, b: &str) -> Vec<(u32, VerdictRow)> {
    sure_by_size(report, &view::rows_by_case(report, a, b))
}

/// The sure ones among the verdicts about a pair, by size, ascending.
fn sure_by_size(report: &Report, about: &[VerdictRow]) -> Vec<(u32, VerdictRow)> {
    let on = |case: &CaseLabel| about.iter().find(|row| row.case.as_ref() == Some(case));
    let mut rows: Vec<(u32, VerdictRow)> = report
        .experiment
        .cases
        .iter()
        .filter_map(|case| match case {
            CaseLabel::Size(size) => Some((*size, on(case)?.clone())),
            CaseLabel::Call(_) | CaseLabel::Instance { .. } | CaseLabel::Texts(_) => None,
        })
        .filter(|(_, row)| matches!(row.verdict, Verdict::Beats | Verdict::Beaten))
        .collect();
    rows.sort_by_key(|(size, _)| *size);
    rows
}

fn crossover(report: &Report, a: &str, b: &str) -> Option<Crossover> {
    crossover_of(&by_size(report, a, b), a, b)
}

/// The crossover of a pair, from its sure verdicts by size.
fn crossover_of(rows: &[(u32, VerdictRow)], a: &str, b: &str) -> Option<Crossover> {
    let mut changes = rows.windows(2).filter(|w| w[0].1.verdict != w[1].1.verdict);
    let change = changes.next()?;
    if changes.next().is_some() {
        return None;
    }
    let [(from, before), (to, after)] = change else {
        return None;
    };
    let (small, large) = match before.verdict {
        Verdict::Beats => (a, b),
        _ => (b, a),
    };
    Some(Crossover {
        small: small.to_owned(),
        large: large.to_owned(),
        from: *from,
        to: *to,
        about: meeting((*from, before.ratio?), (*to, after.ratio?))?,
    })
}

/// The size at which the line through two points, log ratio over log size, passes a ratio of 1.
fn meeting((from, before): (u32, f64), (to, after): (u32, f64)) -> Option<f64> {
    let (x0, x1) = (ln(f64::from(from.max(1))), ln(f64::from(to.max(1))));
    let (y0, y1) = (ln(before), ln(after));
    let share = y0 / (y0 - y1);
    let meeting = exp(x0 + share * (x1 - x0));
    (share.is_finite() && (0.0..=1.0).contains(&share)).then_some(meeting)
}

/// A sentence for each crossover, those of the first place first.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let mut crossovers = crossovers(report);
    let first = |id: &str| Some(id) == report.recommendation.ahead();
    crossovers.sort_by_key(|c| !(first(&c.small) || first(&c.large)));
    let mut sentences: Vec<String> = crossovers.iter().map(|c| sentence(report, c)).collect();
    sentences.extend(exception(report));
    sentences.extend(growth(report));
    if !too_short::is_in_headline(report) {
        let left_out = too_short::somewhere(report);
        sentences.extend(left_out.or_else(|| too_short::nowhere_timed(report)));
    }
    sentences
}

/// `insertion is faster than quickselect up to size 256, and slower from size 1024 on: at 16,000
/// quickselect is 1.8 × faster than insertion (1.76–1.85). They cross at about 900.`
pub(super) fn sentence(report: &Report, crossover: &Crossover) -> String {
    let (small, large) = (
        name(report, &crossover.small),
        name(report, &crossover.large),
    );
    let rows = by_size(report, &crossover.large, &crossover.small);
    let how = rows.last().map_or_else(String::new, |(size, row)| {
        let faster = speed::faster(report, row, &small);
        format!(": at {} {large} {faster}", count(u64::from(*size)))
    });
    format!(
        "{small} is faster than {large} up to size {}, and slower from size {} on{how}. They cross at \
         about {}.",
        count(u64::from(crossover.from)),
        count(u64::from(crossover.to)),
        significant(crossover.about, 2)
    )
}

/// A range of sizes that ends at a size, or begins with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SizeRange {
    /// All sizes up to this one.
    UpTo(u32),
    /// All sizes from this one on.
    From(u32),
}

/// The small or the large sizes at which a variant surely beats another, and no ranked variant beats
/// it; on all other sizes there must be no such verdict, or one for the other.
pub(super) fn faster_at(report: &Report, id: &str, other: &str) -> Option<SizeRange> {
    let crossover = crossover(report, id, other)?;
    let is_unbeaten = |size: u32| {
        let case = CaseLabel::Size(size);
        let rivals = ranked(report).into_iter().filter(|rival| rival.id != id);
        let rows = rivals.map(|rival| view::ordered_row(report, id, &rival.id, Some(&case)));
        !rows.flatten().any(|row| row.verdict == Verdict::Beaten)
    };
    let won = |(size, row): &(u32, VerdictRow)| row.verdict == Verdict::Beats && is_unbeaten(*size);
    let rows = by_size(report, id, other);
    if crossover.small == id {
        let last = rows.iter().take_while(|row| won(row)).last()?;
        Some(SizeRange::UpTo(last.0))
    } else {
        let first = rows.iter().rev().take_while(|row| won(row)).last()?;
        Some(SizeRange::From(first.0))
    }
}

/// The sizes on which another variant beats the recommended one, if their order changes more than once
/// with size:
/// `At sizes 64,001 and 256,001 two-way is faster: at 64,001 it is 6.9 × faster than horspool
/// (5.46–8.83).`
pub(super) fn exception(report: &Report) -> Option<String> {
    let winner = report.recommendation.ahead()?;
    let others = ranked(report)
        .into_iter()
        .filter(|variant| variant.id != winner);
    let wins = others.filter_map(|variant| {
        let rows = by_size(report, &variant.id, winner);
        let changes = rows
            .windows(2)
            .filter(|w| w[0].1.verdict != w[1].1.verdict)
            .count();
        let won: Vec<(u32, VerdictRow)> = rows
            .into_iter()
            .filter(|(_, row)| row.verdict == Verdict::Beats)
            .collect();
        (changes > 1 && !won.is_empty()).then_some((variant, won))
    });
    let lead =
        |won: &[(u32, VerdictRow)]| won.first().and_then(|(_, row)| row.ratio).unwrap_or(1.0);
    let (variant, won) = wins.min_by(|(_, a), (_, b)| {
        (b.len().cmp(&a.len())).then_with(|| lead(a).total_cmp(&lead(b)))
    })?;
    let sizes: Vec<String> = won
        .iter()
        .map(|(size, _)| count(u64::from(*size)))
        .collect();
    let (at, first) = won.first()?;
    let faster = speed::faster(report, first, &name(report, winner));
    let variant = name(report, &variant.id);
    Some(match sizes.as_slice() {
        [only] => format!("At size {only} {variant} {faster}."),
        several => format!(
            "At sizes {} {variant} is faster: at {} it {faster}.",
            view::joined(several),
            count(u64::from(*at))
        ),
    })
}

/// The change of a lead with size, where one number for all sizes says little: `Its lead grows with size: at 1000 it is
/// 1.4 × faster than sort (1.3–1.5), at 64,000 it is 12 × faster than sort (11–13).` `None` unless it is surely faster at the first and the
/// last size, and the intervals of the two are far apart.
pub(super) fn lead_by_size(report: &Report, ahead: &str, other: &str) -> Option<String> {
    let rows = by_size(report, ahead, other);
    let ((first, at_first), (last, at_last)) = (rows.first()?, rows.last()?);
    if rows.iter().any(|(_, row)| row.verdict != Verdict::Beats) {
        return None;
    }
    let is_far = |less: &VerdictRow, more: &VerdictRow| {
        let apart = more
            .high
            .zip(less.low)
            .is_some_and(|(high, low)| high < low);
        let factor = less.ratio.zip(more.ratio).map(|(less, more)| less / more);
        apart && factor.is_some_and(|factor| factor >= LEAD_FACTOR_MIN)
    };
    let becomes = if is_far(at_first, at_last) {
        "grows"
    } else if is_far(at_last, at_first) {
        "shrinks"
    } else {
        return None;
    };
    let other = name(report, other);
    let at = |size: u32, row: &VerdictRow| {
        let faster = speed::faster(report, row, &other);
        format!("at {} it {faster}", count(u64::from(size)))
    };
    Some(format!(
        "Its lead {becomes} with size: {}, {}.",
        at(*first, at_first),
        at(*last, at_last)
    ))
}

/// Exception at a size to taking the recommended variant, as the end of a sentence: `, but not at size 64,000, where
/// quickselect is 2.8 × faster than insertion (2.5–3.1)`. Of several sizes, that at which it loses most is named, and if it
/// loses at all of them, that is said. `None` if it surely loses at none by more than the practical threshold.
pub(super) fn beaten_at(report: &Report, winner: &str) -> Option<String> {
    let others = ranked(report)
        .into_iter()
        .filter(|variant| variant.id != winner);
    let lost = others.flat_map(|other| {
        let rows = by_size(report, &other.id, winner).into_iter();
        let lost = rows.filter(|(_, row)| row.verdict == Verdict::Beats && !row.below_threshold);
        lost.map(move |(size, row)| (size, other, row))
    });
    let lost: Vec<_> = lost.collect();
    let ratio = |row: &VerdictRow| row.ratio.unwrap_or(1.0);
    let (size, other, row) = lost
        .iter()
        .min_by(|one, other| ratio(&one.2).total_cmp(&ratio(&other.2)))?;
    let mut sizes: Vec<u32> = lost.iter().map(|(size, ..)| *size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let faster = format!(
        "{} {}",
        name(report, &other.id),
        speed::faster(report, row, &name(report, winner))
    );
    let size = count(u64::from(*size));
    let cases = report.experiment.cases.iter();
    let all = cases.filter(|case| !matches!(case, CaseLabel::Texts(_)));
    if sizes.len() == all.count() {
        return Some(match sizes.len() {
            1 => format!(", though {faster}"),
            _ => format!(", though at every size another one is faster: at {size} {faster}"),
        });
    }
    let and_others = match sizes.len() {
        1 => String::new(),
        2 => " and at another one".to_owned(),
        several => format!(" and at {} others", several - 1),
    };
    Some(format!(
        ", but not at size {size}{and_others}, where {faster}"
    ))
}

/// A sentence about the growth of each variant for which it is known.
fn growth(report: &Report) -> Vec<String> {
    ranked(report)
        .into_iter()
        .filter_map(|variant| {
            let growth = variant.growth.as_ref()?;
            let classes = std::iter::once(&growth.class).chain(&growth.alternatives);
            let classes: Vec<String> = classes.take(6).map(|c| view::shortened(c)).collect();
            let unsure = if classes.len() > 1 {
                " (not distinguishable at these sizes)"
            } else {
                ""
            };
            let exponent = growth.exponent.map_or_else(String::new, |exponent| {
                let (value, ends) =
                    super::numbers::with_ends(exponent.value, exponent.low, exponent.high);
                let ends = ends.map(|ends| format!(" ({ends})")).unwrap_or_default();
                format!(", time as size^{value}{ends}")
            });
            let grows = match growth.class.as_str() {
                NO_CLASS => "no class of growth fits its work".to_owned(),
                _ => format!(
                    "work grows as {}{unsure}",
                    view::joined(&classes).replace(" and ", " or ")
                ),
            };
            Some(format!("{}: {grows}{exponent}.", name(report, &variant.id)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::report::{Growth, Interval};
    use serde_json::json;

    fn with_leads(leads: &[(u32, f64)]) -> Report {
        let mut report = fixture::report(json!({}));
        let cases = leads.iter().map(|(size, _)| CaseLabel::Size(*size));
        report.experiment.cases = cases.collect();
        let row = |(size, ratio): &(u32, f64)| VerdictRow {
            case: Some(CaseLabel::Size(*size)),
            verdict: if *ratio < 1.0 {
                Verdict::Beats
            } else {
                Verdict::Beaten
            },
            ratio: Some(*ratio),
            low: Some(ratio * 0.95),
            high: Some(ratio * 1.05),
            ..fixture::row("new", "old", &json!({}))
        };
        report.verdicts.extend(leads.iter().map(row));
        report
    }

    #[test]
    fn a_lead_that_changes_with_size_is_told_by_its_ends() {
        let lead = |leads: &[(u32, f64)]| lead_by_size(&with_leads(leads), "new", "old");
        let grown = lead(&[(1_000, 0.5), (8_000, 0.3), (64_000, 0.1)]).unwrap();
        let expected = "Its lead grows with size: at 1000 it is 2.00 × faster than old (1.90–2.11), at 64,000 it is ";
        assert!(grown.starts_with(expected), "{grown}");
        let shrunk = lead(&[(1_000, 0.1), (64_000, 0.5)]).unwrap();
        assert!(
            shrunk.starts_with("Its lead shrinks with size: "),
            "{shrunk}"
        );
        // Nearly the same lead, one that is not faster everywhere, and one size.
        for leads in [
            &[(1_000, 0.5), (64_000, 0.4)][..],
            &[(1_000, 1.2), (64_000, 0.4)],
            &[(1_000, 0.1)],
        ] {
            assert_eq!(lead(leads), None, "{leads:?}");
        }
    }

    #[test]
    fn where_no_class_fits_none_is_named() {
        let mut report = fixture::report(json!({}));
        let growth = |class: &str, value: f64| Growth {
            class: class.to_owned(),
            alternatives: Vec::new(),
            exponent: Some(Interval {
                value,
                low: None,
                high: None,
            }),
        };
        report.variants[0].growth = Some(growth("n", 1.0));
        report.variants[1].growth = Some(growth(NO_CLASS, 0.1));
        assert_eq!(
            super::growth(&report),
            [
                "best: work grows as n, time as size^1.0.",
                "new: no class of growth fits its work, time as size^0.10.",
            ]
        );
    }

    #[test]
    fn a_size_at_which_the_recommended_one_surely_loses_is_in_the_first_sentence() {
        let mut report = fixture::report(json!({ "recommendation": { "winner": "best" } }));
        let row = |a: &str, b: &str, size: u32, verdict: &str, ratio: f64| {
            let of = json!({ "case": size, "verdict": verdict, "ratio": ratio });
            fixture::row(a, b, &of)
        };
        report.verdicts = vec![
            row("best", "new", 10, "beats", 0.5),
            row("best", "new", 100, "no-call", 1.2),
        ];
        assert_eq!(beaten_at(&report, "best"), None);
        report
            .verdicts
            .push(row("best", "new", 1_000, "beaten", 2.5));
        assert_eq!(
            beaten_at(&report, "best").unwrap(),
            ", but not at size 1000, where new is 2.5 × faster than best"
        );
        report.verdicts.push(row("old", "best", 100, "beats", 0.25));
        assert_eq!(
            beaten_at(&report, "best").unwrap(),
            ", but not at size 100 and at another one, where old is 4.0 × faster than best"
        );
        report.verdicts.push(row("old", "best", 10, "beats", 0.8));
        assert_eq!(
            beaten_at(&report, "best").unwrap(),
            ", though at every size another one is faster: at 100 old is 4.0 × faster than best"
        );
        report.experiment.cases = vec![CaseLabel::Size(100)];
        assert_eq!(
            beaten_at(&report, "best").unwrap(),
            ", though old is 4.0 × faster than best"
        );
    }
}
