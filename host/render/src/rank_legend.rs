//! The meaning of ranks, where they are not those of a competition.

use bakeoff_domain::report::Report;

/// The sentence for a report in which a variant is not surely behind all that have a smaller rank.
const LEGEND: &str = "A rank is 1 + the number of variants that are surely ahead: of two with different ranks, the \
    later need not be surely behind.";

/// Returns the meaning of ranks, unless every variant is surely behind all that have a smaller
/// rank.
pub(super) fn rank_legend(report: &Report) -> Option<&'static str> {
    let ranks: Vec<u32> = report.variants.iter().filter_map(|one| one.rank).collect();
    let smaller = |rank: u32| ranks.iter().filter(|other| **other < rank).count();
    // One fewer than the rank are surely ahead, and all of these have a smaller rank.
    let is_behind_all = |rank: &u32| *rank as usize == 1 + smaller(*rank);
    (!ranks.iter().all(is_behind_all)).then_some(LEGEND)
}

#[cfg(test)]
mod tests {
    use super::super::tables::{scales, tests::named};
    use super::*;
    use bakeoff_domain::report::VariantReport;

    #[test]
    fn what_ranks_mean_is_said_where_they_are_not_those_of_a_competition() {
        let ranked = |ranks: &[u32]| {
            let mut report = named("x");
            let one = report.variants[0].clone();
            let variants = ranks.iter().map(|rank| VariantReport {
                rank: Some(*rank),
                ..one.clone()
            });
            report.variants = variants.collect();
            scales(&report)
        };
        for regular in [&[][..], &[1], &[1, 1], &[1, 2, 2, 4], &[1, 1, 3]] {
            assert!(!ranked(regular).contains(LEGEND), "{regular:?}");
        }
        for irregular in [&[1, 2, 2, 3, 5][..], &[1, 1, 1, 2]] {
            assert!(ranked(irregular).ends_with(LEGEND), "{irregular:?}");
        }
    }
}
