//! Sentences about pairs: how much faster one is, and how sure that is.

use super::view::{name, ordered_row, ranked};
use super::{open, speed};
use crate::report::{Report, VerdictRow};

/// The verdict of a row about its first variant: `1.83 × faster, 1.79–1.88, sure`,
/// `a tie within 1 %`, `no call: the budget ended at ±3 %; --budget 40s would likely settle it`.
pub fn pair(report: &Report, row: &VerdictRow) -> String {
    speed::pair(row, &report.protocol)
        .unwrap_or_else(|| format!("no call: {}", open::reason(report, row)))
}

/// The same in fewer words: `no call at ±3 %`.
pub fn pair_short(report: &Report, row: &VerdictRow) -> String {
    speed::pair(row, &report.protocol).unwrap_or_else(|| open::short(row))
}

/// A sentence for each pair of ranked variants over all cases: first those without a verdict, then by
/// rank.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let variants = ranked(report);
    let (mut open, mut settled) = (Vec::new(), Vec::new());
    for (place, a) in variants.iter().enumerate() {
        for b in &variants[place + 1..] {
            let Some(row) = ordered_row(report, &a.id, &b.id, None) else {
                continue;
            };
            let (first, second) = (name(report, &a.id), name(report, &b.id));
            let sentence = format!("{first} against {second}: {}.", pair(report, &row));
            let list = match speed::pair(&row, &report.protocol) {
                None => &mut open,
                Some(_) => &mut settled,
            };
            list.push(sentence);
        }
    }
    open.append(&mut settled);
    open
}
