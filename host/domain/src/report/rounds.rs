//! Rounds of a search, as reports have them: the candidates, where they came from, and what became of each. They steered
//! the search and claim nothing; the claims of a report come from its race.

use super::archive_map::ArchiveMap;
use super::candidate_difference::CandidateDifference;
use super::generation::{ModelCost, UsedPrompt};
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};

/// The most candidates that a report lists.
pub const CANDIDATES_MAX: usize = 2_000;

/// The most rounds whose durations a report lists.
pub const ROUNDS_MAX: usize = 2_000;

/// The most approaches of a search that race.
pub const FINALISTS_MAX: usize = 16;

/// The longest text about a candidate, in bytes.
pub const CANDIDATE_TEXT_MAX: usize = 2_000;

/// The largest number of candidates or rounds.
const COUNT_MAX: u64 = 1 << 32;

/// Rounds of a search before a race.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rounds {
    /// The number of rounds.
    pub count: u32,
    /// The reason why there was no further round, in words.
    pub ended: String,
    /// The number of candidates, beside the approaches that the search began with.
    pub candidates: u64,
    /// The number of candidates that failed.
    pub failed: u64,
    /// The number of candidates that were the same program as an earlier one, and were not measured.
    pub same: u64,
    /// Duration of the search, in seconds.
    pub seconds: f64,
    /// The seed that candidates follow from.
    pub seed: u64,
    /// Name of the best approach of those that the search began with: times in the search are told relative to it.
    pub reference: String,
    /// Source of the readings that tell most of a candidate: that of the heaviest criterion, if it is none of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The candidates that raced.
    pub finalists: Vec<Finalist>,
    /// The number of candidates that were drawn without regard to any result, to show whether rounds helped; 0 if none
    /// were asked for.
    pub control: u64,
    /// The provider and the model that wrote candidates; empty if none did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// Cost of the questions to it.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub cost: ModelCost,
    /// Templates of the experiment's own by which it was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<UsedPrompt>,
    /// Durations and costs of the rounds, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub took: Vec<RoundTook>,
    /// The cells of the archive that are filled, where cells were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive: Option<ArchiveMap>,
    /// The candidates in their order, the first [`CANDIDATES_MAX`] of them.
    pub lineage: Vec<RoundCandidate>,
    /// Differences of candidates from the ones that they were made from, in the order of the candidates: those of the way to
    /// each [finalist](Self::finalists), then others, as far as there is room.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<CandidateDifference>,
}

/// Duration and cost of a round, and the best candidate when it was over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundTook {
    /// The number of the round; 0 for the look at what the search began with.
    pub round: u32,
    /// Duration of making its candidates, questions to a model included, in seconds.
    pub making_seconds: f64,
    /// Duration of building, checking and assessing them, in seconds.
    pub checking_seconds: f64,
    /// Duration of timing the best of them, in seconds.
    pub timing_seconds: f64,
    /// Cost of the questions to a model in this round.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub cost: ModelCost,
    /// The best candidate when it was over, if one passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<BestThen>,
}

/// The best candidate of a search when a round was over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BestThen {
    /// Name of the candidate.
    pub name: String,
    /// True if it was never the best before.
    pub is_new: bool,
    /// The time of a call of the reference over that of this one then, if both were timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Reading, by the source that the search goes [by](Rounds::by).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<f64>,
}

impl RoundTook {
    /// Returns the duration of the round, in seconds.
    pub fn seconds(&self) -> f64 {
        self.making_seconds + self.checking_seconds + self.timing_seconds
    }
}

/// A candidate that raced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Finalist {
    /// Name of the candidate, which is that of its approach in the race.
    pub name: String,
    /// Name of the approach that the search began with, and from which the candidate descends.
    pub origin: String,
    /// True if it was drawn without regard to any result.
    pub control: bool,
    /// The time of a call of the [reference](Rounds::reference) over that of the candidate in the search; `None` where time
    /// was not measured.
    pub found_ratio: Option<f64>,
    /// The candidate's reading in the search, by the source that the search goes [by](Rounds::by).
    pub found_reading: Option<f64>,
}

/// A candidate of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundCandidate {
    /// Name of the candidate.
    pub name: String,
    /// The round in which it was made, from 1; 0 for an approach that the search began with.
    pub round: u32,
    /// Name of the candidate that it was made from; empty for one that the search began with.
    pub parent: String,
    /// Maker of it: `climb`, `evolve`, `draw`, `mutate`, `model` or the name of a proposer; empty for one that the search
    /// began with.
    pub by: String,
    /// The wish that a model was asked to fulfil by it: `improve`, `combine` or `new`; `None` where no model was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wish: Option<String>,
    /// Difference from its parent, in words.
    pub change: String,
    /// `passed`, `gated` (it fails a gate of a criterion), `same`, or the class of its failure.
    pub outcome: String,
    /// Message about its failure, or the name of the candidate that it is the same program as.
    pub message: Option<String>,
    /// The time of a call of the reference over that of this one, if both were timed in the same look.
    pub ratio: Option<f64>,
    /// Verdict on it against the reference in that look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
    /// Reading in the round in which it was made, by the source that the search goes [by](Rounds::by).
    pub reading: Option<f64>,
    /// True if it was the best when some round was over: [`RoundTook::best`] says in which.
    pub best: bool,
    /// True if it was drawn without regard to any result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub control: bool,
    /// The number of the island that it was made on, from 1; `None` where there is one island, and for approaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub island: Option<u32>,
}

/// Verdict of a short race on a candidate against the [reference](Rounds::reference). It steers, and claims nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Against {
    /// The verdict about the candidate.
    pub verdict: Verdict,
    /// Lower end of the interval for the reference's time over its own.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

fn is_nothing(cost: &ModelCost) -> bool {
    *cost == ModelCost::default()
}

impl Rounds {
    /// Returns the templates of the experiment's own by which a model was asked, in a sentence; `None` without any.
    pub fn asked_by(&self) -> Option<String> {
        UsedPrompt::sentence(&self.prompts)
    }

    /// Checks rounds that may be forged.
    ///
    /// # Errors
    /// Some part is larger than in any search, or a number is one that no search can reach.
    pub fn check(&self) -> Result<(), String> {
        let is_short = |text: &&String| text.len() <= CANDIDATE_TEXT_MAX;
        let mut texts = self.lineage.iter().flat_map(|one| {
            let own = [&one.name, &one.parent, &one.by, &one.change, &one.outcome];
            own.into_iter().chain(&one.message).chain(&one.wish)
        });
        let bests = || self.took.iter().filter_map(|one| one.best.as_ref());
        let mut named = self
            .finalists
            .iter()
            .flat_map(|one| [&one.name, &one.origin])
            .chain([&self.ended, &self.reference, &self.model])
            .chain(bests().map(|one| &one.name))
            .chain(&self.by);
        let ratios = self.lineage.iter().filter_map(|one| one.ratio);
        let ratios = ratios.chain(bests().filter_map(|one| one.ratio));
        let against = self.lineage.iter().filter_map(|one| one.against);
        let ends = against.flat_map(|one| [one.low, one.high]).flatten();
        let found = self.finalists.iter().filter_map(|one| one.found_ratio);
        let readings = self.lineage.iter().filter_map(|one| one.reading);
        let readings = readings.chain(bests().filter_map(|one| one.reading));
        let finals = self.finalists.iter().filter_map(|one| one.found_reading);
        let mut took = self.took.iter().flat_map(|one| {
            [
                &one.making_seconds,
                &one.checking_seconds,
                &one.timing_seconds,
            ]
        });
        let is_figure = |figure: f64| figure.is_finite() && (0.0..=1e12).contains(&figure);
        let is_reading = |reading: f64| reading.is_finite();
        let counts = [self.candidates, self.failed, self.same, self.control];
        let is_good = self.lineage.len() <= CANDIDATES_MAX
            && self.finalists.len() <= FINALISTS_MAX
            && texts.all(|text| is_short(&text))
            && named.all(|text| is_short(&text))
            && counts.iter().all(|count| *count <= COUNT_MAX)
            && is_figure(self.seconds)
            && self.took.len() <= ROUNDS_MAX
            && took.all(|figure| is_figure(*figure))
            && self.took.iter().all(|one| one.cost.is_possible())
            && self.cost.is_possible()
            && UsedPrompt::are_possible(&self.prompts)
            && self.archive.as_ref().is_none_or(ArchiveMap::is_possible)
            && CandidateDifference::are_possible(&self.differences)
            && ratios.chain(found).chain(ends).all(is_figure)
            && readings.chain(finals).all(is_reading);
        if is_good {
            Ok(())
        } else {
            Err("what it says of rounds cannot be".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_search_can_reach_is_refused() {
        let good = Rounds {
            finalists: vec![Finalist::default()],
            lineage: vec![RoundCandidate::default()],
            took: vec![RoundTook::default()],
            ..Rounds::default()
        };
        assert_eq!(good.check(), Ok(()));
        type Change = fn(&mut Rounds);
        let forged: [Change; 14] = [
            |one| one.differences = vec![CandidateDifference::default(); 501],
            |one| one.lineage[0].wish = Some("x".repeat(CANDIDATE_TEXT_MAX + 1)),
            |one| {
                one.lineage[0].against = Some(Against {
                    verdict: Verdict::Beats,
                    low: Some(-1.0),
                    high: None,
                });
            },
            |one| one.archive = Some(ArchiveMap::default()),
            |one| one.took[0].timing_seconds = f64::INFINITY,
            |one| one.took = vec![RoundTook::default(); ROUNDS_MAX + 1],
            |one| {
                one.took[0].best = Some(BestThen {
                    ratio: Some(f64::NAN),
                    ..BestThen::default()
                });
            },
            |one| one.seconds = f64::NAN,
            |one| one.candidates = u64::MAX,
            |one| one.ended = "x".repeat(CANDIDATE_TEXT_MAX + 1),
            |one| one.finalists[0].found_ratio = Some(-1.0),
            |one| one.lineage[0].reading = Some(f64::INFINITY),
            |one| one.lineage[0].message = Some("x".repeat(CANDIDATE_TEXT_MAX + 1)),
            |one| one.lineage = vec![RoundCandidate::default(); CANDIDATES_MAX + 1],
        ];
        for forge in forged {
            let mut forged = good.clone();
            forge(&mut forged);
            assert!(forged.check().is_err(), "{forged:?}");
        }
    }
}
