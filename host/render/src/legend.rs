//! The meaning of scores, and of ranks where they are not those of a competition.

use bakeoff_domain::report::Report;
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::spec::{Direction, Scale};

/// The sentence for a report in which a variant is not surely behind all that have a smaller rank.
const LEGEND: &str = "A rank is 1 + the number of variants that are surely ahead: of two with different ranks, the \
    later need not be surely behind.";

/// Returns the meaning of scores of 10 and of 0, by the scales of the criteria: `Scores 0–10, higher is better: 10 is
/// the best, 0 is a factor of 10 from it or more.` After that, the meaning of ranks, where that is needed.
pub(super) fn scales(report: &Report) -> String {
    let mut by_base: Vec<(f64, Vec<String>)> = Vec::new();
    let mut linear = Vec::new();
    for criterion in &report.criteria {
        let name = super::clipped(&words::column_name(criterion), 40);
        match criterion.scale {
            Scale::Ratio { base } => match by_base.iter_mut().find(|(known, _)| *known == base) {
                Some((_, names)) => names.push(name),
                None => by_base.push((base, vec![name])),
            },
            Scale::Linear { low, high } => {
                let (worst, best) = match criterion.direction {
                    Direction::HigherIsBetter => (low, high),
                    Direction::LowerIsBetter => (high, low),
                };
                let (worst, best) = (numbers::weight(worst), numbers::weight(best));
                linear.push(format!("{name}: 10 is {best}, 0 is {worst}"));
            }
        }
    }
    let far = |base: &f64| format!("a factor of {} from it or more", numbers::weight(*base));
    let ratios = match by_base.as_slice() {
        [] => Vec::new(),
        [(base, _)] => vec![format!("10 is the best, 0 is {}", far(base))],
        several => several
            .iter()
            .map(|(base, names)| {
                format!("{}: 10 is the best, 0 is {}", names.join(", "), far(base))
            })
            .collect(),
    };
    let scales: Vec<String> = ratios.into_iter().chain(linear).collect();
    let scales = if scales.is_empty() {
        "Scores 0–10, higher is better.".to_owned()
    } else {
        format!("Scores 0–10, higher is better: {}.", scales.join("; "))
    };
    match rank_legend(report) {
        Some(ranks) => format!("{scales} {ranks}"),
        None => scales,
    }
}

/// Returns the meaning of ranks, unless every variant is surely behind all that have a smaller
/// rank.
fn rank_legend(report: &Report) -> Option<&'static str> {
    let ranks: Vec<u32> = report.variants.iter().filter_map(|one| one.rank).collect();
    let smaller = |rank: u32| ranks.iter().filter(|other| **other < rank).count();
    // One fewer than the rank are surely ahead, and all of these have a smaller rank.
    let is_behind_all = |rank: &u32| *rank as usize == 1 + smaller(*rank);
    (!ranks.iter().all(is_behind_all)).then_some(LEGEND)
}

#[cfg(test)]
mod tests {
    use super::super::tables::tests::named;
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
