//! Opinions of a model in a report: the votes, and what follows from them for each source.

use super::generation::ModelCost;
use serde::{Deserialize, Serialize};

/// The most votes on a criterion.
pub const VOTES_MAX: u32 = 20;

/// The most sources that are shown in one question.
pub const JUDGED_SOURCES_MAX: usize = 16;

/// The longest reason of a score, in characters.
pub const REASON_CHARS_MAX: usize = 400;

/// The longest text of opinions that is no reason, in bytes.
const TEXT_BYTES_MAX: usize = 16 << 10;

/// One reply of a model to the question of a criterion, about all sources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpinionVote {
    /// The provider and its model.
    pub model: String,
    /// An opinion of each source, in the order in which the model saw them.
    pub opinions: Vec<SourceOpinion>,
    /// The cost of the reply.
    pub cost: ModelCost,
    /// The reason why there is no reply; it has no opinions then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// The opinion of one source in a vote.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceOpinion {
    /// Content address of the source.
    pub source: String,
    /// The score, or the number in the unit of the criterion.
    pub value: f64,
    /// The reason, in a sentence of the model.
    pub reason: String,
}

/// The opinions of a run, by criterion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opinions {
    /// The provider and its model; empty if none was asked.
    pub model: String,
    /// The cost of all votes.
    #[serde(flatten)]
    pub spent: ModelCost,
    /// The criteria that are opinions.
    pub criteria: Vec<CriterionOpinions>,
}

/// The opinions on one criterion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CriterionOpinions {
    /// Name of the criterion.
    pub criterion: String,
    /// The question, in the user's words.
    pub question: String,
    /// The number of votes that were wanted.
    pub votes_wanted: u32,
    /// Opinions of the variants' sources; empty if there are none.
    pub variants: Vec<VariantOpinion>,
    /// Reason why there are no opinions, or fewer votes than were wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// The opinion of one variant's source, over all votes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VariantOpinion {
    /// Id of the variant.
    pub variant: String,
    /// Mean of the votes.
    pub mean: f64,
    /// Standard deviation of the votes; `None` of a single one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// The lowest vote.
    pub lowest: f64,
    /// The highest vote.
    pub highest: f64,
    /// The number of votes.
    pub votes: u32,
    /// The reason of the vote that is nearest to the mean.
    pub reason: String,
}

/// Returns what the votes say of a source together; `None` if none of them is about it.
pub fn opinion_of(votes: &[&OpinionVote], source: &str) -> Option<VariantOpinion> {
    let of_source = votes.iter().filter_map(|vote| {
        let mut opinions = vote.opinions.iter();
        opinions.find(|one| one.source == source)
    });
    let given: Vec<&SourceOpinion> = of_source.filter(|one| one.value.is_finite()).collect();
    let count = given.len() as f64;
    let mean = given.iter().map(|one| one.value).sum::<f64>() / count;
    let distance = |one: &&&SourceOpinion| (one.value - mean).abs();
    let nearest = given
        .iter()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let squares: f64 = given.iter().map(|one| (one.value - mean).powi(2)).sum();
    let values = || given.iter().map(|one| one.value);
    Some(VariantOpinion {
        variant: String::new(),
        mean,
        deviation: (given.len() > 1).then(|| (squares / (count - 1.0)).sqrt()),
        lowest: values().fold(f64::INFINITY, f64::min),
        highest: values().fold(f64::NEG_INFINITY, f64::max),
        votes: given.len() as u32,
        reason: nearest.reason.clone(),
    })
}

impl OpinionVote {
    /// Checks a vote that may be forged.
    ///
    /// # Errors
    /// A text is longer than any, or there are more sources than are shown.
    pub fn check(&self) -> Result<(), String> {
        let is_short = |one: &SourceOpinion| {
            one.source.len() <= 128 && one.reason.len() <= 4 * REASON_CHARS_MAX
        };
        let failure = self.failure.as_ref().map_or(0, String::len);
        hold(
            self.opinions.len() <= JUDGED_SOURCES_MAX
                && self.opinions.iter().all(is_short)
                && self.model.len().max(failure) <= TEXT_BYTES_MAX
                && self.cost.is_possible(),
            "a vote on sources has more than a model is asked for",
        )
    }
}

impl Opinions {
    /// Returns the opinions on a criterion, by its name.
    pub fn on(&self, criterion: &str) -> Option<&CriterionOpinions> {
        self.criteria.iter().find(|one| one.criterion == criterion)
    }

    /// Checks opinions that may be forged, of a report with so many variants and criteria.
    ///
    /// # Errors
    /// There are more of something than any run has.
    pub fn check(&self, variants: usize, criteria: usize) -> Result<(), String> {
        let is_sound = |one: &CriterionOpinions| {
            let missing = one.missing.as_ref().map_or(0, String::len);
            let reasons = one.variants.iter().map(|variant| variant.reason.len());
            one.variants.len() <= variants
                && one.question.len().max(missing) <= TEXT_BYTES_MAX
                && reasons.max().unwrap_or(0) <= 4 * REASON_CHARS_MAX
        };
        hold(
            self.criteria.len() <= criteria
                && self.model.len() <= TEXT_BYTES_MAX
                && self.criteria.iter().all(is_sound)
                && self.spent.is_possible(),
            "its report has more opinions than variants and criteria",
        )
    }
}

fn hold(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vote(values: &[(&str, f64)]) -> OpinionVote {
        let opinion = |(source, value): &(&str, f64)| SourceOpinion {
            source: (*source).to_owned(),
            value: *value,
            reason: format!("{source} {value}"),
        };
        OpinionVote {
            opinions: values.iter().map(opinion).collect(),
            ..OpinionVote::default()
        }
    }

    #[test]
    fn the_votes_have_a_mean_a_spread_and_the_reason_nearest_to_it() {
        let votes = [
            vote(&[("a", 2.0), ("b", 9.0)]),
            vote(&[("b", 5.0), ("a", 2.0)]),
            vote(&[("a", 8.0), ("b", f64::NAN)]),
        ];
        let votes: Vec<&OpinionVote> = votes.iter().collect();
        let a = opinion_of(&votes, "a").unwrap();
        assert_eq!((a.mean, a.lowest, a.highest, a.votes), (4.0, 2.0, 8.0, 3));
        assert!((a.deviation.unwrap() - 12.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(a.reason, "a 2");
        let b = opinion_of(&votes, "b").unwrap();
        assert_eq!((b.mean, b.votes), (7.0, 2));
        assert_eq!(opinion_of(&votes, "c"), None);
        assert_eq!(opinion_of(&votes[..1], "a").unwrap().deviation, None);
    }

    #[test]
    fn a_vote_that_was_sent_is_bounded() {
        vote(&[("a", 1.0)]).check().unwrap();
        let many: Vec<(&str, f64)> = vec![("a", 1.0); JUDGED_SOURCES_MAX + 1];
        assert!(vote(&many).check().is_err());
        let mut long = vote(&[("a", 1.0)]);
        long.opinions[0].reason = "x".repeat(1 << 20);
        assert!(long.check().is_err());
        let mut opinions = Opinions::default();
        opinions.criteria.push(CriterionOpinions::default());
        assert!(opinions.check(1, 1).is_ok() && opinions.check(1, 0).is_err());
        opinions.criteria[0].variants = vec![VariantOpinion::default(); 2];
        assert!(opinions.check(1, 1).is_err());
    }
}
