//! Times of all variants against one of them, with the verdict on each.

use bakeoff_domain::report::words::{self, ShownStanding};
use bakeoff_domain::report::{Interval, Report};
use bakeoff_domain::verdict::Verdict;

/// The time of a variant against the one that times are shown against.
pub(super) struct RatioRow {
    /// Id of the variant.
    pub(super) id: String,
    /// Name of the variant.
    pub(super) name: String,
    /// The ratio of times; `None` for the reference itself, or if it is not known.
    pub(super) ratio: Option<Interval>,
    /// The relation to the reference.
    pub(super) relation: RatioRelation,
    /// Ratio, interval and certainty: `1.83 × slower, 1.79–1.88, sure`.
    pub(super) summary: String,
    /// The same in the fewest words: `1.83 × slower`.
    pub(super) brief: String,
}

/// Relation of a variant to the one that times are shown against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RatioRelation {
    /// The variant is that one, with this standing among all others.
    Reference(ShownStanding),
    /// The variant has this verdict against that one.
    Verdict(Verdict),
}

/// Returns all timed variants: first the one that times are shown against, then by ratio. Empty if nothing was timed.
pub(super) fn ratios_to_reference(report: &Report) -> Vec<RatioRow> {
    let Some(reference) = words::reference(report) else {
        return Vec::new();
    };
    let mut list: Vec<RatioRow> = report
        .variants
        .iter()
        .filter(|variant| variant.id != reference.id)
        .filter_map(|variant| {
            let row = words::ordered_row(report, &variant.id, &reference.id, None)?;
            let ratio = row.ratio.map(|value| Interval {
                value,
                low: row.low,
                high: row.high,
            });
            Some(RatioRow {
                id: variant.id.clone(),
                name: words::name(report, &variant.id),
                ratio,
                relation: RatioRelation::Verdict(row.verdict),
                summary: words::pair_short(report, &row),
                brief: words::pair_brief(&row),
            })
        })
        .collect();
    let value = |row: &RatioRow| row.ratio.map_or(f64::INFINITY, |ratio| ratio.value);
    list.sort_by(|a, b| value(a).total_cmp(&value(b)));
    let standing = ShownStanding::of(report, &reference.id);
    let first = RatioRow {
        id: reference.id.clone(),
        name: words::name(report, &reference.id),
        ratio: None,
        relation: RatioRelation::Reference(standing),
        summary: standing.name().to_owned(),
        brief: standing.name().to_owned(),
    };
    list.insert(0, first);
    list
}
