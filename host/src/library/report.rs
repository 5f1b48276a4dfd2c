//! The report of a run, as other programs read it.

use bakeoff_domain::report as core;
use bakeoff_domain::report::{RankingOutcome, VariantStatus, VerdictRow};
use bakeoff_domain::verdict;
use std::collections::BTreeMap;

/// The report of a run. Its methods answer the usual questions of programs; everything else is in [`json`](Self::json),
/// whose form `docs/store.md` describes.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    report: core::Report,
    sources: BTreeMap<String, String>,
}

/// Outcome of the ranking: a winner, or the reason why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// One variant is surely ahead of all others.
    Winner,
    /// The first place is shared, and no verdict is missing that could settle it.
    Tie,
    /// The first place is shared because measuring ended before it was settled.
    NoCall,
    /// No variant could be ranked.
    Nothing,
}

/// Status of a variant in the ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The variant has a total and a rank.
    Ranked,
    /// The variant did not pass the gate of a criterion.
    Eliminated,
    /// The variant has no result: [`Variant::reason`] says why.
    Failed,
    /// A score of the variant is missing, so it has no total.
    Unranked,
    /// The variant did not race, since a screening chose others: nothing is claimed of it.
    Screened,
}

/// A variant in a report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variant<'a> {
    variant: &'a core::VariantReport,
}

/// Verdict on the times of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The first takes less time, surely.
    Faster,
    /// The first takes more time, surely.
    Slower,
    /// Both take the same time, but for less than the practical threshold, surely.
    Tie,
    /// No other verdict is sure yet.
    NoCall,
}

/// A verdict by time about a pair, over all cases together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TimeVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// The time of the first divided by that of the second; `None` where the pair was not measured.
    pub ratio: Option<f64>,
    /// The lower end of the ratio's interval; `None` where it is not known.
    pub low: Option<f64>,
    /// The upper end of the ratio's interval; `None` where it is not known.
    pub high: Option<f64>,
}

impl Report {
    pub(super) fn new(report: core::Report, sources: BTreeMap<String, String>) -> Self {
        Self { report, sources }
    }

    /// Returns the answer in a sentence or two, without control characters: `Take quickselect: …`.
    pub fn answer(&self) -> String {
        let options = self.options();
        bakeoff_render::answer(&self.report, &options)
            .trim_end()
            .to_owned()
    }

    /// Returns the outcome of the ranking.
    pub fn outcome(&self) -> Outcome {
        match self.report.recommendation.outcome {
            RankingOutcome::Winner => Outcome::Winner,
            RankingOutcome::Tie => Outcome::Tie,
            RankingOutcome::NoCall => Outcome::NoCall,
            RankingOutcome::Nothing => Outcome::Nothing,
        }
    }

    /// Returns the id of the variant that is surely ahead of all others, if one is.
    pub fn winner(&self) -> Option<&str> {
        self.report.recommendation.winner.as_deref()
    }

    /// Returns the ids of the variants that share the first place, where several do.
    pub fn tied(&self) -> impl Iterator<Item = &str> {
        let tied = self.report.recommendation.tied.iter();
        tied.map(String::as_str)
    }

    /// Returns all variants, failed ones included, in order of rank, then of declaration.
    pub fn variants(&self) -> impl Iterator<Item = Variant<'_>> {
        let variants = self.report.variants.iter();
        variants.map(|variant| Variant { variant })
    }

    /// Returns the variant of this id.
    pub fn variant(&self, id: &str) -> Option<Variant<'_>> {
        self.variants().find(|variant| variant.id() == id)
    }

    /// Returns the verdict by time about `a` against `b`, over all cases together; `None` where there is none, for
    /// instance because a variant failed.
    pub fn by_time(&self, a: &str, b: &str) -> Option<TimeVerdict> {
        let overall = |row: &&VerdictRow| row.case.is_none();
        let mut rows = self.report.verdicts.iter().filter(overall);
        rows.find_map(
            |row| match (row.a == a && row.b == b, row.a == b && row.b == a) {
                (true, _) => Some(TimeVerdict {
                    verdict: row.verdict.into(),
                    ratio: row.ratio,
                    low: row.low,
                    high: row.high,
                }),
                (_, true) => Some(TimeVerdict {
                    verdict: row.verdict.mirrored().into(),
                    ratio: row.ratio.map(f64::recip),
                    low: row.high.map(f64::recip),
                    high: row.low.map(f64::recip),
                }),
                _ => None,
            },
        )
    }

    /// Returns the report as `report.json`.
    pub fn json(&self) -> String {
        bakeoff_render::json(&self.report)
    }

    /// Returns the report as text of 100 columns, without colours.
    pub fn text(&self) -> String {
        bakeoff_render::human(&self.report, &self.options())
    }

    /// Returns the report as Markdown.
    pub fn markdown(&self) -> String {
        bakeoff_render::markdown(&self.report, &self.options())
    }

    /// Returns the report as one HTML page, which asks for nothing from anywhere.
    pub fn html(&self) -> String {
        bakeoff_render::html(&self.report, &self.options())
    }

    fn options(&self) -> bakeoff_render::Options {
        bakeoff_render::Options {
            sources: self.sources.clone(),
            ..bakeoff_render::Options::default()
        }
    }
}

impl<'a> Variant<'a> {
    /// Returns the id of the variant: safe as a file name, unique within the experiment.
    pub fn id(&self) -> &'a str {
        &self.variant.id
    }

    /// Returns the name of the variant, as the experiment has it.
    pub fn name(&self) -> &'a str {
        &self.variant.name
    }

    /// Returns the status of the variant.
    pub fn status(&self) -> Status {
        match self.variant.status {
            VariantStatus::Ranked => Status::Ranked,
            VariantStatus::Eliminated => Status::Eliminated,
            VariantStatus::Failed => Status::Failed,
            VariantStatus::Unranked => Status::Unranked,
            VariantStatus::Screened => Status::Screened,
        }
    }

    /// Returns the rank of the variant, from 1; tied variants share one. `None` if it is not ranked.
    pub fn rank(&self) -> Option<u32> {
        self.variant.rank
    }

    /// Returns the weighted mean of the variant's scores, from 0 to 1; `None` if it has no total.
    pub fn total(&self) -> Option<f64> {
        self.variant.total.map(|total| total.value)
    }

    /// Returns the score of the variant by a criterion, from 0 to 10.
    pub fn score(&self, criterion: &str) -> Option<f64> {
        let score = self.variant.scores.get(criterion);
        score.map(|score| score.value)
    }

    /// Returns a reading of the variant by its source, in the unit that the documentation has for it: `time` in
    /// nanoseconds, `peak-memory` in bytes.
    pub fn reading(&self, source: &str) -> Option<f64> {
        let reading = self.variant.readings.get(source);
        reading.map(|reading| reading.value)
    }

    /// Returns the reason why the variant failed, is eliminated or has no rank. The text may quote the prototype:
    /// escape it for wherever it is shown.
    pub fn reason(&self) -> Option<&'a str> {
        let failure = self.variant.failure.as_ref();
        let failure = failure.map(|failure| failure.message.as_str());
        failure.or(self.variant.reason.as_deref())
    }
}

impl From<verdict::Verdict> for Verdict {
    fn from(verdict: verdict::Verdict) -> Self {
        match verdict {
            verdict::Verdict::Beats => Self::Faster,
            verdict::Verdict::Beaten => Self::Slower,
            verdict::Verdict::Tie => Self::Tie,
            verdict::Verdict::NoCall => Self::NoCall,
        }
    }
}
