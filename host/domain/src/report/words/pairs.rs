//! Sentences about pairs: how much faster one is, and how sure that is.

use super::view::{listed, name, ordered_row, ranked, reference};
use super::{open, speed};
use crate::report::{Report, VerdictRow};

/// The verdict of a row about its first variant: `1.83 × faster, 1.79–1.88, sure`,
/// `a tie within 1 %`, `no call: from 3 % less to 3 % more time when the budget ended; --budget 40s would
/// likely settle it`.
pub fn pair(report: &Report, row: &VerdictRow) -> String {
    speed::pair(report, row).unwrap_or_else(|| format!("no call: {}", open::reason(report, row)))
}

/// The same in fewer words: `no call: from 3 % less to 3 % more time`.
pub fn pair_short(report: &Report, row: &VerdictRow) -> String {
    speed::pair(report, row).unwrap_or_else(|| open::short(report, row))
}

/// The largest number of pairs that a sentence names.
const PAIRS_MAX: usize = 4;

/// A sentence for each pair of ranked variants over all cases: first those without a verdict, where
/// pairs with the same reason share one, then by rank. What times are shown against has its ratios there, so that its
/// sure pairs are left out.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let variants = ranked(report);
    let shown_against = reference(report).map(|variant| &variant.id);
    let mut open: Vec<(String, Vec<String>)> = Vec::new();
    let mut settled = Vec::new();
    for (place, a) in variants.iter().enumerate() {
        for b in &variants[place + 1..] {
            let Some(row) = ordered_row(report, &a.id, &b.id, None) else {
                continue;
            };
            let pair = format!("{} against {}", name(report, &a.id), name(report, &b.id));
            if let Some(verdict) = speed::pair(report, &row) {
                if shown_against.is_some_and(|shown| [&a.id, &b.id].contains(&shown)) {
                    continue;
                }
                settled.push(format!("{pair}: {verdict}."));
                continue;
            }
            let reason = open::reason(report, &row);
            match open.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, pairs)) => pairs.push(pair),
                None => open.push((reason, vec![pair])),
            }
        }
    }
    let open = open
        .into_iter()
        .map(|(reason, pairs)| format!("{}: no call: {reason}.", listed(pairs, PAIRS_MAX)));
    open.chain(settled).collect()
}
