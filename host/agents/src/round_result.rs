//! The result of a round: the best of its variants, and whether another round follows.

use super::completion::{AgentWorkOutcome, Completion};
use super::measurement::THE_BASE;
use super::round_record::{BestVariant, RoundResult};
use bakeoff_domain::report::words;
use bakeoff_domain::series::{Quantity, SeriesReport};
use bakeoff_domain::spec::Direction;
use bakeoff_domain::verdict::Verdict;

/// The most variants that a sentence names.
const NAMED_MAX: usize = 4;

/// Round whose agents have ended.
pub(crate) struct EndedRound<'a> {
    /// Number of the round, from 1.
    pub(crate) round: u32,
    /// The most rounds.
    pub(crate) count: u32,
    /// Completions of its variants.
    pub(crate) completions: &'a [Completion],
    /// True if what passes is to be measured.
    pub(crate) measures: bool,
    /// Comparison of what passed, if two or more could be measured.
    pub(crate) report: Option<&'a SeriesReport>,
}

impl EndedRound<'_> {
    /// Returns what the round brought. The next one begins with the variant that is surely better than what this one began
    /// with; where none passed, with the same files; and where there is neither, it is the last one.
    pub(crate) fn result(&self) -> RoundResult {
        let passed: Vec<&Completion> = self
            .completions
            .iter()
            .filter(|one| one.outcome == AgentWorkOutcome::Passed)
            .collect();
        let (best, text, goes_on) = match (passed.as_slice(), self.report) {
            ([], _) => self.without_any(),
            (_, Some(report)) => self.by_measurement(&passed, report),
            ([only], None) => (
                best(only, true),
                format!("Only {} passed the verification.", only.variant),
                self.measures,
            ),
            (several, None) => (
                None,
                format!(
                    "{} passed the verification, and no measurement says which is ahead (--measure).",
                    named(several)
                ),
                false,
            ),
        };
        RoundResult {
            best,
            text,
            goes_on: goes_on && self.round < self.count,
        }
    }

    /// Returns the result of a round in which none passed.
    fn without_any(&self) -> (Option<BestVariant>, String, bool) {
        // Of agents that failed by themselves, another one would learn nothing on the task.
        let has_commit = self.completions.iter().any(|one| one.commit.is_some());
        let text = if has_commit {
            "None passed the verification."
        } else {
            "None left anything that could be verified."
        };
        (None, text.to_owned(), has_commit)
    }

    /// Returns the result by a comparison. What the round began with takes part in it, unless it fails the verification.
    fn by_measurement(
        &self,
        passed: &[&Completion],
        report: &SeriesReport,
    ) -> (Option<BestVariant>, String, bool) {
        let is_measured = |name: &str| {
            let found = report.variant(name);
            found.is_some_and(|variant| variant.failure.is_none())
        };
        let competes = is_measured(THE_BASE) && self.is_base_right();
        let is_better = |name: &str| {
            let verdict = report.verdict(name, THE_BASE);
            verdict.is_some_and(|row| row.verdict == Verdict::Beats && !row.below_threshold)
        };
        let better: Vec<&Completion> = passed
            .iter()
            .copied()
            .filter(|one| is_measured(&one.variant))
            .filter(|one| !competes || is_better(&one.variant))
            .collect();
        let winner = passed
            .iter()
            .find(|one| report.winner.as_ref() == Some(&one.variant));
        if let Some(winner) = winner {
            let matters = better.iter().any(|one| one.variant == winner.variant);
            return (best(winner, true), report.text.clone(), matters);
        }
        // Lower is better: rates count by their opposites.
        let badness = |one: &Completion| {
            let values = report.variant(&one.variant).map(|found| &found.values);
            let first = values.and_then(|values| values.first());
            first.map_or(f64::INFINITY, |values| match report.quantity.direction {
                Direction::LowerIsBetter => values.mean,
                Direction::HigherIsBetter => -values.mean,
            })
        };
        let [better_than, best_of_all] = comparison_words(&report.quantity);
        let unbeaten = better.iter().copied().filter(|one| {
            let others = better.iter().filter(|other| other.variant != one.variant);
            let verdict = |other: &&Completion| report.verdict(&one.variant, &other.variant);
            !others
                .filter_map(verdict)
                .any(|row| row.verdict == Verdict::Beaten && !row.below_threshold)
        });
        let mut unbeaten: Vec<&Completion> = unbeaten.collect();
        unbeaten.sort_by(|one, other| badness(one).total_cmp(&badness(other)));
        match unbeaten.as_slice() {
            [] => (
                None,
                format!(
                    "None is surely {better_than} than what this round began with, by what matters. {}",
                    report.text
                ),
                false,
            ),
            [only] if competes => (
                best(only, true),
                format!("{} is surely {better_than} than the base.", only.variant),
                true,
            ),
            [only] => (
                best(only, true),
                format!(
                    "{} passed the verification, which the base does not, or cannot be measured.",
                    only.variant
                ),
                true,
            ),
            [first, ..] => {
                let than = if competes {
                    format!(", all of them surely {better_than} than the base")
                } else {
                    String::new()
                };
                (
                    best(first, false),
                    format!(
                        "Which of {} is ahead is not known{than}; {} was measured as {best_of_all}.",
                        named(&unbeaten),
                        first.variant
                    ),
                    true,
                )
            }
        }
    }

    /// Returns true if what the round began with passes the verification.
    fn is_base_right(&self) -> bool {
        let tried = self.completions.iter().map(|one| &one.base_verifications);
        let mut tried = tried.filter(|verifications| !verifications.is_empty());
        tried
            .next()
            .is_some_and(|verifications| verifications.iter().all(|one| one.passed))
    }
}

/// Returns the words for whoever is ahead of another one, and of all.
fn comparison_words(quantity: &Quantity) -> [&'static str; 2] {
    if quantity.is_time() {
        ["faster", "the quickest"]
    } else {
        ["better", "the best"]
    }
}

fn best(completion: &Completion, is_sure: bool) -> Option<BestVariant> {
    Some(BestVariant {
        variant: completion.variant.clone(),
        commit: completion.commit.clone()?,
        is_sure,
    })
}

fn named(completions: &[&Completion]) -> String {
    let names: Vec<String> = completions.iter().map(|one| one.variant.clone()).collect();
    words::listed(names, NAMED_MAX)
}

#[cfg(test)]
mod tests;
