//! Part of a report that people are shown, if the report has thousands of variants.

use super::{Report, VariantReport};
use crate::numbers;
use crate::score::RACING_MAX;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The most variants without a result that a person is shown one by one, where a screening chose among many.
const WITHOUT_RESULT_MAX: usize = 16;

/// The part of a report that is shown variant by variant. The machine-readable forms have all of it.
#[derive(Clone, Debug)]
pub struct ShownVariants<'a> {
    /// The report with the variants that are shown one by one.
    pub report: Cow<'a, Report>,
    /// The variants that a screening left out of the race, by their place.
    pub screened: Vec<&'a VariantReport>,
    /// The number of variants without a result that are not shown one by one.
    pub more_without_result: usize,
    /// The number of variants of an unfinished run that are not shown one by one: it may end before a screening.
    pub more_waiting: usize,
}

/// Returns the part of a report that is shown variant by variant: without those that a screening left out.
pub fn presented(report: &Report) -> ShownVariants<'_> {
    if report.variants.len() <= RACING_MAX {
        return ShownVariants {
            report: Cow::Borrowed(report),
            screened: Vec::new(),
            more_without_result: 0,
            more_waiting: 0,
        };
    }
    let (mut without_result, mut waiting) = (0, 0);
    let mut is_shown = |variant: &VariantReport| {
        if variant.failure.is_some() {
            without_result += 1;
            return without_result <= WITHOUT_RESULT_MAX;
        }
        if report.unfinished.is_some() && !variant.is_screened_out() {
            waiting += 1;
            return waiting <= RACING_MAX;
        }
        !variant.is_screened_out()
    };
    let variants: Vec<VariantReport> = report
        .variants
        .iter()
        .filter(|variant| is_shown(variant))
        .cloned()
        .collect();
    let mut screened: Vec<&VariantReport> = report
        .variants
        .iter()
        .filter(|variant| variant.is_screened_out())
        .collect();
    screened.sort_by_key(|variant| variant.screening.map(|screening| screening.figures.place));
    ShownVariants {
        report: Cow::Owned(Report {
            variants,
            ..report_without_variants(report)
        }),
        screened,
        more_without_result: without_result.saturating_sub(WITHOUT_RESULT_MAX),
        more_waiting: waiting.saturating_sub(RACING_MAX),
    }
}

/// The report without its variants: copying thousands of them, only to drop them, would take long.
fn report_without_variants(report: &Report) -> Report {
    Report {
        schema_version: report.schema_version,
        in_words: report.in_words.clone(),
        experiment: report.experiment.clone(),
        environment: report.environment.clone(),
        criteria: report.criteria.clone(),
        variants: Vec::new(),
        verdicts: report.verdicts.clone(),
        recommendation: report.recommendation.clone(),
        pareto: report.pareto.clone(),
        cost: report.cost.clone(),
        notes: report.notes.clone(),
        wall_verdicts: report.wall_verdicts.clone(),
        reading_verdicts: report.reading_verdicts.clone(),
        protocol: report.protocol,
        replicas: report.replicas.clone(),
        options: report.options,
        too_short: report.too_short.clone(),
        natively: report.natively.clone(),
        machines: report.machines.clone(),
        sections: report.sections.clone(),
        stopped_in_search: report.stopped_in_search.clone(),
        author_words: report.author_words.clone(),
        generation: report.generation.clone(),
        rounds: report.rounds.clone(),
        opinions: report.opinions.clone(),
        unfinished: report.unfinished.clone(),
    }
}

impl ShownVariants<'_> {
    /// Returns sentences about the variants that are not shown one by one; none if all are shown.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let screened = self.screened.len();
        if screened > 0 {
            let screenings = self.report.variants.iter();
            let screenings = screenings.filter_map(|variant| variant.screening);
            let raced = screenings.clone().filter(|one| one.chosen).count();
            let timed = screenings
                .filter(|one| one.figures.time_ns.is_some())
                .count();
            let by = match timed {
                0 => "with fuel in place of times",
                _ => "with the times of a short race of the best by fuel",
            };
            let approaches: BTreeSet<&str> = self
                .screened
                .iter()
                .copied()
                .chain(&self.report.variants)
                .map(|variant| variant.approach.as_str())
                .collect();
            let first = match approaches.len() {
                0 | 1 => "",
                _ => ", the best of each approach first",
            };
            sentences.push(format!(
                "{} variants were screened out before the race: by the criteria {by}, {} others had the places \
                 in it{first}, and only these were timed against each other. Nothing is claimed of the ones left \
                 out.",
                numbers::count(screened as u64),
                numbers::count(raced as u64),
            ));
        }
        if self.more_without_result > 0 {
            sentences.push(format!(
                "{} more variants failed; report.json has the reason of each.",
                numbers::count(self.more_without_result as u64)
            ));
        }
        if self.more_waiting > 0 {
            sentences.push(format!(
                "{} more variants did not fail; report.json has each of them.",
                numbers::count(self.more_waiting as u64)
            ));
        }
        sentences
    }
}
