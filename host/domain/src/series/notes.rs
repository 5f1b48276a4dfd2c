//! Notes on how the values of a series came about.

use super::report::SeriesReport;
use super::rows::OrderInBlocks;
use crate::numbers::count;
use crate::race::{ClaimScope, INPUTS_ENOUGH, RaceSettings, blocks_needed as obvious_blocks};
use crate::report::RankingOutcome;
use crate::stats::replicas_needed;
use crate::verdict::Verdict;

/// The number of differences at the beginning that only set the scale.
const SCALE_BLOCKS: u32 = 2;

/// The fewest blocks with which one of this many variants can be surely better than another, in whose values there is
/// no noise at all.
pub fn blocks_needed(variants: usize, cases: usize, confidence: f64) -> u32 {
    let settings = RaceSettings {
        confidence,
        ..RaceSettings::new(variants, cases)
    };
    let by_replicas = replicas_needed(settings.threshold(ClaimScope::AllCases)) + SCALE_BLOCKS;
    by_replicas.min(obvious_blocks(
        settings.block_threshold(ClaimScope::AllCases),
    ))
}

/// A warning about the order in which the values of a block were measured, unless it varied. `names` are those of the
/// variants.
pub(super) fn on_order(order: OrderInBlocks, names: &[String]) -> Option<String> {
    let text = match order {
        OrderInBlocks::Varies => return None,
        OrderInBlocks::Uneven { a, b, first, of } => format!(
            "The order was not drawn: {} came before {} in {} of {} blocks. What belongs to a place (a cold start, a \
             machine that warms up or drifts) counts for whoever stood there, and a verdict here may be about that. Draw \
             the order anew for each block.",
            names.get(a)?,
            names.get(b)?,
            count(u64::from(first)),
            count(u64::from(of))
        ),
        OrderInBlocks::Unknown => {
            "Nothing is known of the order: the rows of a block do not stand together. A verdict holds only if the \
             order within each block was drawn anew. Write the rows as they are measured."
                .to_owned()
        }
        OrderInBlocks::ByPlace => {
            "The rows have no blocks: the first values of all variants were compared with each other, then the second \
             ones, and so on. If the variants were measured one after the other, all that changed in between counts as \
             a difference between them. Measure in blocks, each with one value of every variant in an order that is \
             drawn anew, and give each row its block."
                .to_owned()
        }
    };
    Some(text)
}

/// A note on how few blocks a verdict rests on.
pub(super) fn on_rare_values(report: &SeriesReport) -> Option<String> {
    let is_sure = matches!(report.outcome, RankingOutcome::Winner | RankingOutcome::Tie);
    let blocks = count(u64::from(report.blocks));
    (is_sure && u64::from(report.blocks) < INPUTS_ENOUGH).then(|| {
        format!("It rests on {blocks} blocks: nothing is known of values that are rarer than one in that many.")
    })
}

/// A note on blocks that lack variants, and so count for fewer pairs.
pub(super) fn on_blocks(report: &SeriesReport) -> Option<String> {
    if report.quantity.compares_means() {
        return None;
    }
    let open = |row: &&super::report::SeriesVerdict| {
        row.case.is_none() && row.verdict == Verdict::NoCall && row.blocks < report.blocks
    };
    let few = report
        .verdicts
        .iter()
        .filter(open)
        .min_by_key(|row| row.blocks)?;
    Some(format!(
        "Only blocks in which both have all their values count for a pair: {} and {} have {} of {} in common.",
        few.a,
        few.b,
        count(u64::from(few.blocks)),
        count(u64::from(report.blocks))
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_variants_need_eight_blocks() {
        assert_eq!(blocks_needed(2, 1, 0.95), 8);
        assert!(blocks_needed(8, 1, 0.95) > blocks_needed(2, 1, 0.95));
        assert!(blocks_needed(2, 4, 0.95) >= 8);
    }

    #[test]
    fn an_order_that_varied_is_no_matter() {
        let names = ["a".to_owned(), "b".to_owned()];
        assert_eq!(on_order(OrderInBlocks::Varies, &names), None);
        for order in [OrderInBlocks::Unknown, OrderInBlocks::ByPlace] {
            assert!(on_order(order, &names).is_some_and(|text| text.ends_with('.')));
        }
        let uneven = OrderInBlocks::Uneven {
            a: 1,
            b: 0,
            first: 29,
            of: 30,
        };
        let text = on_order(uneven, &names).unwrap();
        assert!(
            text.contains("b came before a in 29 of 30 blocks"),
            "{text}"
        );
    }
}
