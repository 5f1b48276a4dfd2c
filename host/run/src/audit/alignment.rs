//! Two reports side by side: variants matched by their ids, verdicts by their pairs and cases. All
//! comparisons of two reports are made on this.

use bakeoff_domain::report::{CaseLabel, Report, VariantReport, VerdictRow, words};
use std::collections::BTreeMap;

/// The same item in the first report and in the second; `None` in a report that lacks it.
#[derive(Clone, Debug)]
pub(super) struct ItemPair<T> {
    pub(super) before: Option<T>,
    pub(super) after: Option<T>,
}

/// Two reports side by side.
pub(super) struct Alignment<'a> {
    /// The variants, in the order of the second report, then those that only the first one has.
    pub(super) variants: Vec<ItemPair<&'a VariantReport>>,
    /// The verdicts by CPU time, in the order of the first report, then those that only the second
    /// one has. Both have the same variant as `a`.
    pub(super) verdicts: Vec<ItemPair<VerdictRow>>,
    /// The verdicts by wall time, in the same order.
    pub(super) wall_verdicts: Vec<ItemPair<VerdictRow>>,
}

impl<'a> Alignment<'a> {
    /// Returns two reports side by side.
    pub(super) fn of(before: &'a Report, after: &'a Report) -> Self {
        let find = |report: &'a Report, id: &str| {
            let mut variants = report.variants.iter();
            variants.find(|variant| variant.id == id)
        };
        let shared = after.variants.iter().map(|variant| ItemPair {
            before: find(before, &variant.id),
            after: Some(variant),
        });
        let gone = before
            .variants
            .iter()
            .filter(|one| find(after, &one.id).is_none());
        let gone = gone.map(|variant| ItemPair {
            before: Some(variant),
            after: None,
        });
        Self {
            variants: shared.chain(gone).collect(),
            verdicts: rows(&before.verdicts, &after.verdicts),
            wall_verdicts: rows(&before.wall_verdicts, &after.wall_verdicts),
        }
    }
}

/// The subject of a row: its two variants in either order, and the case.
type Pair<'a> = (&'a str, &'a str, Option<&'a CaseLabel>);

fn pair(row: &VerdictRow) -> Pair<'_> {
    let (a, b) = (row.a.as_str(), row.b.as_str());
    (a.min(b), a.max(b), row.case.as_ref())
}

/// Returns the rows by their subject; of several rows with the same subject, the first.
fn by_pair(rows: &[VerdictRow]) -> BTreeMap<Pair<'_>, &VerdictRow> {
    let mut found = BTreeMap::new();
    for row in rows {
        found.entry(pair(row)).or_insert(row);
    }
    found
}

fn rows(before: &[VerdictRow], after: &[VerdictRow]) -> Vec<ItemPair<VerdictRow>> {
    let (in_before, in_after) = (by_pair(before), by_pair(after));
    let is_first = |found: &BTreeMap<Pair<'_>, &VerdictRow>, row: &VerdictRow| {
        found
            .get(&pair(row))
            .is_some_and(|first| std::ptr::eq(*first, row))
    };
    let shared = before.iter().filter(|row| is_first(&in_before, row));
    let shared = shared.map(|row| match in_after.get(&pair(row)) {
        Some(other) => ItemPair {
            before: Some(words::about_first(row, &other.a)),
            after: Some((*other).clone()),
        },
        None => ItemPair {
            before: Some(row.clone()),
            after: None,
        },
    });
    let new = after.iter().filter(|row| is_first(&in_after, row));
    let new = new.filter(|row| !in_before.contains_key(&pair(row)));
    let new = new.map(|row| ItemPair {
        before: None,
        after: Some(row.clone()),
    });
    shared.chain(new).collect()
}
