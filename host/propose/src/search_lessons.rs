//! Knowledge of a search, as a model is told it that is to write better candidates. It is one structure, whose JSON is a
//! part of the prompt, and so stands in the record of replies.

use bakeoff_config::Wish;
use bakeoff_domain::function_fuel::FunctionFuel;
use serde::Serialize;
use std::collections::BTreeMap;

/// Knowledge of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SearchLessons {
    /// The number of the round whose candidates are to be written, from 1.
    pub round: u32,
    /// The most rounds in all.
    pub rounds: u32,
    /// Name of the approach that speeds are relative to.
    pub reference: String,
    /// Meaning of the figures, in words.
    pub about_figures: &'static str,
    /// The best candidates so far, the best first. The first one is to be improved.
    pub best: Vec<ToldProgram>,
    /// Good candidates that are made otherwise: they descend from none of the best, nor these from them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub different: Vec<ToldProgram>,
    /// Candidates that were tried lately, the latest last.
    pub tried: Vec<TriedCandidate>,
    /// Wishes that are asked for in turn.
    #[serde(skip)]
    pub wishes: Vec<Wish>,
    /// True if nothing of the search is told, to see whether that helps: these are first tries, each like the first.
    #[serde(skip)]
    pub is_first_try: bool,
}

/// A program that is told to a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ToldProgram {
    /// Name of the candidate.
    pub name: String,
    /// Difference from the candidate that it was made from, in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub change: String,
    /// Its speed, if it was timed.
    #[serde(flatten)]
    pub speed: ToldSpeed,
    /// Values of its readings, by source.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub readings: BTreeMap<String, f64>,
    /// Its readings over those of the best candidate, by source, where the two differ.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub over_best: BTreeMap<String, f64>,
    /// Shares of its fuel by the functions of its source, the largest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fuel_by_function: Vec<FunctionFuel>,
    /// Values of its parameters.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
    /// The source, which is told beside the figures.
    #[serde(skip)]
    pub source: String,
}

/// Speed of a program in a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ToldSpeed {
    /// The time of a call of the reference over that of this one, in a short race.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// Interval for it; `null` for an end that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed_interval: Option<[Option<f64>; 2]>,
    /// Verdict on it against the reference: `faster`, `slower`, `tie` or `no call`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_reference: Option<&'static str>,
}

/// A candidate that was tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TriedCandidate {
    /// Name of the candidate that it was made from.
    pub from: String,
    /// Difference from it, in words.
    pub change: String,
    /// Result of it: `passed`, `fails a gate`, `the same program as another`, or the class of its failure.
    pub outcome: String,
    /// The beginning of the message of its failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Its speed, if it was timed.
    #[serde(flatten)]
    pub speed: ToldSpeed,
    /// The reading that tells most of it, by its source, if that is none of time.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub readings: BTreeMap<String, f64>,
}

impl SearchLessons {
    /// Returns the wish for the candidate with this place, from 1.
    pub(super) fn wish(&self, place: usize) -> Wish {
        let turn = place.saturating_sub(1) % self.wishes.len().max(1);
        match self.wishes.get(turn) {
            Some(Wish::Combine) if self.best.len() < 2 => Wish::Improve,
            Some(wish) => *wish,
            None => Wish::Improve,
        }
    }

    /// Returns the JSON of everything but the sources.
    pub(super) fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}
