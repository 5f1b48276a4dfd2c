//! Each pair in words: by how much one is faster than the other, and how sure that is.

use super::view::{name, ordered_row, ranked};
use super::{open, speed};
use crate::report::{Report, VerdictRow};

/// What a row says of its first variant against the second: `1.83 × faster, 1.79–1.88, sure`,
/// `a tie within 1 %`, `no call: the budget ended at ±3 %; --budget 40s would likely settle it`.
pub fn pair(report: &Report, row: &VerdictRow) -> String {
    speed::pair(row, &report.protocol)
        .unwrap_or_else(|| format!("no call: {}", open::why(report, row)))
}

/// The same where there is little room: `no call at ±3 %`.
pub fn pair_briefly(report: &Report, row: &VerdictRow) -> String {
    speed::pair(row, &report.protocol).unwrap_or_else(|| open::briefly(row))
}

/// All pairs of ranked variants over all cases: first what is not settled, then by rank.
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
