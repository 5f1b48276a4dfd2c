//! The pick of one variant: which it is, what it changes, and these changes in the user's own files.

use super::changes::{Differing, differing_paths};
use super::completion::{AgentWorkOutcome, Completion};
use super::error::AgentError;
use super::experiment::AgentExperiment;
use super::git::{GitCommand, Place};
use super::measurement::THE_BASE;
use super::round_record::RoundRecord;
use super::winner;
use super::worktree;
use bakeoff_confine::FileAccess;

/// The most files that a refusal names.
const NAMED_MAX: usize = 5;

/// Variant that is picked.
#[derive(Clone, Debug)]
pub struct PickedVariant {
    /// Completion of it.
    pub completion: Completion,
    /// Commit with its changes.
    pub commit: String,
    /// Files with the numbers of their changed lines, as git lists them.
    pub stat: String,
    /// Changes from the base, as git writes them.
    pub diff: Vec<u8>,
}

/// Answer to the question for a variant.
#[derive(Debug)]
pub enum PickAnswer {
    /// This one.
    Picked(Box<PickedVariant>),
    /// No variant is to be preferred, for this reason.
    NoAnswer(String),
}

impl AgentExperiment {
    /// Picks the variant of this name, or else the one that is surely ahead by the last measurement of all that passed, or
    /// the only one that passed; of several rounds, the best one of the last that brought one.
    ///
    /// # Errors
    /// There is no commit of the variant that is named; git fails.
    pub fn pick(&self, variant: Option<&str>) -> Result<PickAnswer, AgentError> {
        let completion = match variant {
            Some(name) => self.named(name)?,
            None => match self.preferred()? {
                Ok(completion) => completion,
                Err(reason) => return Ok(PickAnswer::NoAnswer(reason)),
            },
        };
        let Some(commit) = completion.commit.clone() else {
            return Err(AgentError::Usage(format!(
                "{} has no commit ({}): {}",
                completion.variant,
                completion.outcome.words(),
                completion.reason
            )));
        };
        let diff = |arguments: &[&str]| {
            let begin = ["diff-tree", "--no-color", "--no-renames", "-r"];
            let commits = [completion.first_base(), commit.as_str()];
            self.git().run(&GitCommand {
                place: Place::Objects,
                files: None,
                arguments: &[&begin[..], arguments, &commits[..]].concat(),
                input: &[],
            })
        };
        Ok(PickAnswer::Picked(Box::new(PickedVariant {
            stat: String::from_utf8_lossy(&diff(&["--stat=100"])?).into_owned(),
            diff: diff(&["-p", "--binary", "--full-index"])?,
            commit,
            completion,
        })))
    }

    fn named(&self, name: &str) -> Result<Completion, AgentError> {
        let completion = self.completion(name).map(|(_, completion)| completion);
        completion.ok_or_else(|| {
            AgentError::Usage(format!(
                "there is no variant {name:?} in {} whose agent has ended: `bakeoff worktrees` lists all",
                self.place()
            ))
        })
    }

    /// Returns the completion that is to be preferred, or why none is.
    fn preferred(&self) -> Result<Result<Completion, String>, AgentError> {
        if self.task_list().is_some() {
            return Ok(Err(format!(
                "these are tasks, whose results are merged on one branch: `git merge {}` takes what is merged there",
                self.result_branch()
            )));
        }
        let rounds = self.rounds();
        if !rounds.is_empty() {
            return Ok(self.best_of(&rounds));
        }
        let names = self.ended_variants()?;
        let completions = names.iter().filter_map(|name| self.completion(name));
        let passed = completions.map(|(_, completion)| completion);
        let mut passed: Vec<Completion> = passed
            .filter(|completion| completion.outcome == AgentWorkOutcome::Passed)
            .collect();
        let names: Vec<&str> = passed.iter().map(|one| one.variant.as_str()).collect();
        if names.is_empty() {
            return Ok(Err("no variant passed a verification".to_owned()));
        }
        let names = names.join(", ");
        let answer = winner::read(&self.folder, &self.place());
        let is_of_all = |answer: &winner::MeasuredAnswer| {
            let mut all = passed.iter();
            all.all(|one| answer.commits.get(&one.variant) == one.commit.as_ref())
        };
        if let Some(answer) = answer.filter(is_of_all) {
            let winner = passed
                .iter()
                .position(|one| Some(&one.variant) == answer.winner.as_ref());
            return Ok(match winner {
                Some(place) => Ok(passed.swap_remove(place)),
                None if answer.winner.as_deref() == Some(THE_BASE) => Err(format!(
                    "what was there before is ahead of all that passed ({names}). {}",
                    answer.text
                )),
                None => Err(answer.text),
            });
        }
        Ok(match passed.pop() {
            Some(only) if passed.is_empty() => Ok(only),
            _ => Err(format!(
                "{names} passed, and no measurement of all of them says which is ahead (`bakeoff agents … --measure`)"
            )),
        })
    }

    /// Returns the best one of the last round that brought one, or why it is not to be preferred.
    fn best_of(&self, rounds: &[RoundRecord]) -> Result<Completion, String> {
        let with_best = rounds.iter().rev().find_map(|round| {
            let best = round.result.best.as_ref()?;
            Some((round, best))
        });
        let Some((round, best)) = with_best else {
            let text = rounds.last().map(|round| round.result.text.clone());
            return Err(text.unwrap_or_default());
        };
        if !best.is_sure {
            return Err(format!("in round {} {}", round.round, round.result.text));
        }
        let kept = self.completion(&best.variant);
        let kept = kept.map(|(_, completion)| completion);
        kept.filter(|completion| completion.commit.as_ref() == Some(&best.commit))
            .ok_or_else(|| {
                format!(
                    "{} was the best of round {}, and what it left is not there any more",
                    best.variant, round.round
                )
            })
    }

    /// Makes the changes of a variant in the user's own files. Nothing is staged or committed.
    ///
    /// # Errors
    /// The files are not those of the base; git cannot make the changes. Then no file is changed.
    pub fn apply(&self, picked: &PickedVariant) -> Result<(), AgentError> {
        let git = self.git();
        let top = git.repository().top().to_owned();
        let base = picked.completion.first_base();
        let paths = differing_paths(&git, Differing::All, [base, &picked.commit])?;
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let changed = worktree::differing_among(&git, base, &top, &paths)?;
        if !changed.is_empty() {
            let mut named = changed[..changed.len().min(NAMED_MAX)].join(", ");
            if changed.len() > NAMED_MAX {
                named += &format!(" and {} more", changed.len() - NAMED_MAX);
            }
            return Err(AgentError::Usage(format!(
                "nothing is changed, as these are not the files that the agent began with: {named}. Commit or stash what you \
                 changed there; where the branch you are on has changed them, `git merge {}` brings both together",
                self.branch(&picked.completion.variant)
            )));
        }
        git.run(&GitCommand {
            place: Place::Objects,
            files: Some((&top, FileAccess::WriteLinkAndExecute)),
            arguments: &["apply", "--whitespace=nowarn", "-"],
            input: &picked.diff,
        })?;
        Ok(())
    }
}
