//! Words about a search: a sentence after each round, and what a report has of all.

use super::archive::Archive;
use super::candidate::{Candidate, CandidateOutcome};
use super::parent_differences::differences;
use bakeoff_config::{RoundsTable as Options, Select};
use bakeoff_domain::numbers;
use bakeoff_domain::report::{
    self, BestThen, CANDIDATES_MAX, Finalist, ModelCost, ROUNDS_MAX, RoundTook, Rounds,
};
use serde::Serialize;

/// The longest message of a failure in a report, in characters; `bakeoff archive --failed` shows more of it.
const MESSAGE_CHARS_MAX: usize = 300;

/// Returns the sentence about a round that is over, whose candidates have these indexes. Where a criterion asks for time,
/// it says if nothing was timed.
pub(crate) fn of_round(archive: &Archive, new: &[usize], asks_for_time: bool) -> String {
    let new_ones = new.iter().map(|index| &archive.candidates[*index]);
    let count = |is_wanted: &dyn Fn(&Candidate) -> bool| {
        new_ones.clone().filter(|one| is_wanted(one)).count()
    };
    let tried = count(&is_searched);
    let failed = count(&|one| is_searched(one) && one.is_failed());
    let same = count(&|one| is_searched(one) && matches!(one.outcome, CandidateOutcome::Same(_)));
    let gated = count(&|one| is_searched(one) && one.outcome == CandidateOutcome::Gated);
    let joined = count(&|one| one.parent.is_none());
    let beside = count(&|one| one.control);
    let mut parts = vec![format!("round {}: {tried} tried", archive.rounds)];
    for (count, words) in [
        (failed, "failed"),
        (gated, "failed a gate"),
        (same, "the same program as an earlier one"),
        (joined, "joined from the experiment"),
        (beside, "beside it for the control"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {words}"));
        }
    }
    let best = SearchState::of(archive).best_in_words().map(|best| {
        let found = if archive.without_new == 0 {
            "new best"
        } else {
            "best still"
        };
        format!("{found}: {best}")
    });
    parts.extend(best);
    let map = archive.map();
    parts.extend(map.map(|map| format!("{} of {} cells filled", map.cells.len(), map.count())));
    let is_timed = |index: &usize| archive.candidates[*index].ratio.is_some();
    if asks_for_time && !new.iter().chain(&archive.elites).any(is_timed) {
        parts.push(
            "by fuel alone, since there was no time to time anybody: raise --budget".to_owned(),
        );
    }
    parts.join(", ")
}

/// State of a search, for whoever asks while it goes on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchState {
    /// The number of rounds that are over.
    pub rounds: u32,
    /// The number of candidates of these, beside the approaches that the search began with and those of its control.
    pub candidates: usize,
    /// The number of candidates that failed.
    pub failed: usize,
    /// The number of candidates that were made without regard to any result, to show whether rounds helped.
    pub control: usize,
    /// Name of the best so far, if one passed.
    pub best: Option<String>,
    /// Difference of the best from its parent, in words; empty for an approach that the search began with.
    pub change: String,
    /// The time of a call of the reference over that of the best, in the last look that timed both.
    pub ratio: Option<f64>,
    /// Name of the approach that this is relative to.
    pub reference: Option<String>,
    /// Reading of the best, by the source of the heaviest criterion, if that is none of time.
    pub reading: Option<f64>,
    /// The source of this reading.
    pub by: Option<String>,
}

impl SearchState {
    /// Returns the state of a search that knows this.
    pub fn of(archive: &Archive) -> Self {
        let all = archive.candidates.iter();
        let made = all.clone().filter(|one| is_searched(one));
        let best = archive.best();
        let reference = archive.reference.map(|index| &archive.candidates[index]);
        Self {
            rounds: archive.rounds,
            candidates: made.clone().count(),
            failed: made.filter(|one| one.is_failed()).count(),
            control: all.filter(|one| one.control).count(),
            best: best.map(|one| one.name.clone()),
            change: best.map_or_else(String::new, |one| one.change.clone()),
            ratio: best.and_then(|one| one.ratio),
            reference: reference.map(|one| one.name.clone()),
            reading: best.and_then(|one| archive.reading(one)),
            by: archive.by.clone(),
        }
    }

    /// Returns the best so far in words, if there is one: its name, its difference from its parent, and its figure.
    pub fn best_in_words(&self) -> Option<String> {
        let mut text = self.best.clone()?;
        if !self.change.is_empty() {
            text += &format!(" ({})", self.change);
        }
        if let Some(figure) = self.figure() {
            text += &format!(", {figure}");
        }
        Some(text)
    }

    /// Returns the figure of the best in words, if it has one.
    fn figure(&self) -> Option<String> {
        match (&self.by, self.reading, self.ratio, &self.reference) {
            (Some(by), Some(reading), ..) => {
                Some(format!("{by} {}", numbers::significant(reading, 4)))
            }
            (_, _, Some(ratio), Some(reference)) if self.best.as_ref() != Some(reference) => {
                let ratio = numbers::significant(ratio, 3);
                Some(format!("{ratio} × as fast as {reference} in a short race"))
            }
            _ => None,
        }
    }
}

/// Returns true if the search made this candidate by what it had learnt: it is no approach of the experiment, and not of the
/// control.
fn is_searched(one: &Candidate) -> bool {
    one.parent.is_some() && !one.control
}

/// Returns the best candidate of a look that was just taken in.
pub(crate) fn best_then(archive: &Archive) -> Option<BestThen> {
    archive.best().map(|one| BestThen {
        name: one.name.clone(),
        is_new: archive.without_new == 0,
        ratio: one.ratio,
        reading: archive.reading(one),
    })
}

/// Returns the indexes of the candidates that race beside what the search began with: the best, and the best of those that
/// were drawn without regard to any result.
pub(crate) fn finalists(archive: &Archive, options: &Options) -> Vec<usize> {
    let is_wanted = |index: &&usize| {
        let one = &archive.candidates[**index];
        let passes = options.select == Select::Top || one.outcome == CandidateOutcome::Passed;
        one.parent.is_some() && passes
    };
    let best = archive.ranked.iter().filter(is_wanted);
    let best = best.take(options.finalists as usize);
    best.chain(archive.drawn.first()).copied().collect()
}

/// Returns what a report has of a search, with the reason why it ended, what its rounds took, and its seed.
pub(crate) fn rounds(
    archive: &Archive,
    finalists: &[usize],
    (ended, took, seed): (String, &[RoundTook], u64),
) -> Rounds {
    let made = (archive.candidates.iter()).filter(|one| is_searched(one));
    let count = |is_wanted: &dyn Fn(&Candidate) -> bool| {
        made.clone().filter(|one| is_wanted(one)).count() as u64
    };
    let reference = archive.reference.map(|index| &archive.candidates[index]);
    let finalist = |index: &usize| {
        let one = &archive.candidates[*index];
        Finalist {
            name: one.name.clone(),
            origin: one.program.origin.clone(),
            control: one.control,
            found_ratio: one.ratio,
            found_reading: archive.reading(one),
        }
    };
    Rounds {
        count: archive.rounds,
        ended,
        candidates: count(&|_| true),
        failed: count(&Candidate::is_failed),
        same: count(&|one| matches!(one.outcome, CandidateOutcome::Same(_))),
        seconds: took.iter().map(RoundTook::seconds).sum(),
        took: took.iter().take(ROUNDS_MAX).cloned().collect(),
        seed,
        reference: reference.map_or_else(String::new, |one| one.name.clone()),
        by: archive.by.clone(),
        finalists: finalists.iter().map(finalist).collect(),
        control: archive.candidates.iter().filter(|one| one.control).count() as u64,
        model: String::new(),
        cost: ModelCost::default(),
        prompts: Vec::new(),
        archive: archive.map(),
        lineage: archive
            .candidates
            .iter()
            .take(CANDIDATES_MAX)
            .map(|one| row(archive, one))
            .collect(),
        differences: differences(archive, finalists),
    }
}

/// Returns all candidates of a search as reports have them.
pub fn rows(archive: &Archive) -> Vec<report::RoundCandidate> {
    let all = archive.candidates.iter();
    all.map(|one| row(archive, one)).collect()
}

fn row(archive: &Archive, one: &Candidate) -> report::RoundCandidate {
    let (outcome, message) = match &one.outcome {
        CandidateOutcome::Passed => ("passed", None),
        CandidateOutcome::Gated => ("gated", None),
        CandidateOutcome::Same(of) => ("same", Some(of.clone())),
        CandidateOutcome::Failed(class, message) => (class.as_str(), Some(message.clone())),
    };
    let parent = one
        .parent
        .map(|index| archive.candidates[index].name.clone());
    report::RoundCandidate {
        name: one.name.clone(),
        round: one.round,
        parent: parent.unwrap_or_default(),
        by: one.by.clone(),
        wish: one.wish.clone(),
        change: one.change.clone(),
        outcome: outcome.to_owned(),
        message: message.map(|text| text.chars().take(MESSAGE_CHARS_MAX).collect()),
        ratio: one.ratio,
        against: one.against_reference.filter(|_| one.ratio.is_some()),
        reading: archive.reading(one),
        best: one.best,
        control: one.control,
        island: one.island,
    }
}
