//! Result of testing an oracle: whether its judgements can be believed, with examples of those that speak against it.

use super::inputs::{self, InputNote};
use super::judged::{ApproachAnswers, Change, JudgedAs, TestedAnswer};
use crate::measurement::CaseIndex;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The most examples of one kind that are kept.
const EXAMPLES_OF_A_KIND_MAX: usize = 2;

/// The least number of answers that were changed in one way, before it counts that all were accepted.
const CHANGED_MIN: u64 = 6;

/// The most inputs of each kind of finding that are kept.
const INPUTS_SHOWN_MAX: usize = 4;

/// Credibility of an oracle, as its test shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Belief {
    /// The oracle refuses changed answers: not all of them are accepted.
    Tested,
    /// Several approaches agree on an input, and the oracle accepts no answer to it.
    Doubtful,
    /// The oracle accepts every changed answer.
    AcceptsAll,
    /// The oracle contradicts itself: it gives two different judgements on one answer.
    Contradictory,
    /// No answer was accepted, so that none could be changed.
    Untested,
    /// The workload has no oracle: answers are held against each other.
    Absent,
}

impl Belief {
    /// Returns true if nothing follows from the oracle's judgements: it must not decide whether an approach is right.
    pub fn is_unusable(self) -> bool {
        matches!(self, Self::AcceptsAll | Self::Contradictory)
    }
}

/// Numbers of changed answers, by the oracle's judgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeCounts {
    /// Number of changed answers in all.
    pub changed: u64,
    /// Number of changed answers that the oracle accepts.
    pub accepted: u64,
    /// Number of changed answers on which the oracle fails, instead of refusing them.
    pub failed: u64,
}

/// A changed answer that the oracle accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedChange {
    /// The approach that gave the answer.
    pub approach: String,
    /// Case of the input.
    pub case: CaseIndex,
    /// Seed of the input.
    pub seed: u64,
    /// Kind of the change.
    pub change: Change,
    /// The answer, of a long one the part around the change.
    pub answer: String,
    /// The same part of the changed answer.
    pub changed: String,
}

/// An answer on which the oracle gives two different judgements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradiction {
    /// The approach that gave the answer.
    pub approach: String,
    /// Case of the input.
    pub case: CaseIndex,
    /// Seed of the input.
    pub seed: u64,
    /// Description of the two judgements, and of when each was given.
    pub what: String,
}

/// An input to which several approaches give the same answer, and the oracle accepts none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoubtfulInput {
    /// The approaches.
    pub approaches: Vec<String>,
    /// The case.
    pub case: CaseIndex,
    /// The seed of the input.
    pub seed: u64,
    /// Answer that these approaches give.
    pub answer: String,
    /// Reason why the oracle does not accept the answer.
    pub reason: String,
}

/// An answer that was not accepted, or a call that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnjudgedInput {
    /// The approach.
    pub approach: String,
    /// Case of the input; `None` if the approach could not be called at all.
    pub case: Option<CaseIndex>,
    /// Seed of the input; `None` if the approach could not be called at all.
    pub seed: Option<u64>,
    /// Reason why the answer was not accepted, or why the call failed.
    pub reason: String,
}

/// The result of testing an oracle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OracleTest {
    /// Credibility of the oracle.
    pub belief: Belief,
    /// Number of right answers that were changed.
    pub answers: u64,
    /// Numbers of all changed answers.
    pub changes: ChangeCounts,
    /// Numbers of changed answers, by kind of change.
    pub by_change: BTreeMap<Change, ChangeCounts>,
    /// Changed answers that were accepted, a few of each kind.
    pub accepted: Vec<AcceptedChange>,
    /// Answers on which the oracle gives two different judgements.
    pub contradictions: Vec<Contradiction>,
    /// Inputs on which approaches agree, and the oracle accepts no answer.
    pub doubtful: Vec<DoubtfulInput>,
    /// The first answer of each approach that was not accepted.
    pub not_accepted: Vec<UnjudgedInput>,
    /// Weaknesses of the inputs.
    pub inputs: Vec<InputNote>,
}

impl OracleTest {
    /// Returns the result of a test from the answers of some approaches. `has_oracle` is false if nothing judges them;
    /// `drawn` is true if inputs follow from seeds.
    pub fn of(approaches: &[ApproachAnswers], has_oracle: bool, drawn: bool) -> Self {
        let mut test = Self {
            belief: Belief::Untested,
            answers: 0,
            changes: ChangeCounts::default(),
            by_change: BTreeMap::new(),
            accepted: Vec::new(),
            contradictions: Vec::new(),
            doubtful: doubtful(approaches),
            not_accepted: approaches.iter().filter_map(not_accepted).collect(),
            inputs: inputs::notes(approaches, drawn),
        };
        for approach in approaches {
            for answer in approach.answers.iter().flatten() {
                test.add(&approach.name, answer);
            }
        }
        test.belief = match &test {
            _ if !has_oracle => Belief::Absent,
            test if !test.contradictions.is_empty() => Belief::Contradictory,
            test if test.changes.changed > 0 && test.changes.accepted == test.changes.changed => {
                Belief::AcceptsAll
            }
            test if !test.doubtful.is_empty() => Belief::Doubtful,
            test if test.changes.changed > 0 => Belief::Tested,
            _ => Belief::Untested,
        };
        if !has_oracle {
            test.doubtful.clear();
            (test.answers, test.changes) = (0, ChangeCounts::default());
            test.by_change.clear();
            test.accepted.clear();
        }
        test
    }

    fn add(&mut self, approach: &str, answer: &TestedAnswer) {
        if let Some(what) = &answer.contradiction
            && self.contradictions.len() < INPUTS_SHOWN_MAX
        {
            self.contradictions.push(Contradiction {
                approach: approach.to_owned(),
                case: answer.case,
                seed: answer.seed,
                what: what.clone(),
            });
        }
        self.answers += u64::from(!answer.changes.is_empty());
        for change in &answer.changes {
            let (is_accepted, is_failed) = match change.judged {
                JudgedAs::Accepted => (true, false),
                JudgedAs::Refused(_) => (false, false),
                JudgedAs::Failed(_) => (false, true),
            };
            let of_kind = self.by_change.entry(change.change).or_default();
            for counts in [of_kind, &mut self.changes] {
                counts.changed += 1;
                counts.accepted += u64::from(is_accepted);
                counts.failed += u64::from(is_failed);
            }
            if !is_accepted {
                continue;
            }
            let example = AcceptedChange {
                approach: approach.to_owned(),
                case: answer.case,
                seed: answer.seed,
                change: change.change,
                answer: change.original.clone(),
                changed: change.answer.clone(),
            };
            let same_kind = self.accepted.iter();
            let same_kind = same_kind.filter(|known| known.change == example.change);
            let is_known = |known: &&AcceptedChange| known.changed == example.changed;
            if same_kind.clone().count() < EXAMPLES_OF_A_KIND_MAX
                && same_kind.clone().find(is_known).is_none()
            {
                self.accepted.push(example);
            }
        }
    }

    /// Returns the kinds of change that the oracle accepts in every answer, with the number of these answers: it does not
    /// look there. That elements changed places is none of them, since many problems leave the order open.
    pub fn holes(&self) -> Vec<(Change, u64)> {
        let kinds = self.by_change.iter().filter(|(change, counts)| {
            **change != Change::Moved
                && counts.changed >= CHANGED_MIN
                && counts.accepted == counts.changed
        });
        kinds
            .map(|(change, counts)| (*change, counts.changed))
            .collect()
    }

    /// Returns the share of the changed answers that were accepted, from 0 to 1; `None` if there are none.
    pub fn accepted_share(&self) -> Option<f64> {
        let ChangeCounts {
            changed, accepted, ..
        } = self.changes;
        (changed > 0).then(|| accepted as f64 / changed as f64)
    }
}

/// Returns the first answer of an approach that the oracle does not accept.
fn not_accepted(approach: &ApproachAnswers) -> Option<UnjudgedInput> {
    let answers = match &approach.answers {
        Ok(answers) => answers,
        Err(reason) => {
            return Some(UnjudgedInput {
                approach: approach.name.clone(),
                case: None,
                seed: None,
                reason: reason.clone(),
            });
        }
    };
    answers.iter().find_map(|answer| {
        let reason = match (&answer.judged, &answer.failure) {
            (Some(JudgedAs::Accepted), _) => return None,
            (Some(JudgedAs::Refused(why)), _) => format!("its answer is refused: {why}"),
            (Some(JudgedAs::Failed(why)), _) => format!("the oracle fails on its answer: {why}"),
            (None, failure) => failure.clone()?,
        };
        Some(UnjudgedInput {
            approach: approach.name.clone(),
            case: Some(answer.case),
            seed: Some(answer.seed),
            reason,
        })
    })
}

/// Returns inputs to which two approaches or more give the same answer, and the oracle accepts no answer at all.
fn doubtful(approaches: &[ApproachAnswers]) -> Vec<DoubtfulInput> {
    let mut by_input: BTreeMap<(CaseIndex, u64), Vec<(&str, &TestedAnswer)>> = BTreeMap::new();
    for approach in approaches {
        for answer in approach.answers.iter().flatten() {
            let key = (answer.case, answer.seed);
            by_input
                .entry(key)
                .or_default()
                .push((&approach.name, answer));
        }
    }
    let mut found = Vec::new();
    for ((case, seed), answers) in by_input {
        let is_accepted = |one: &TestedAnswer| one.judged == Some(JudgedAs::Accepted);
        if answers.iter().any(|(_, answer)| is_accepted(answer)) {
            continue;
        }
        let digests: BTreeSet<&str> = answers
            .iter()
            .filter_map(|(_, answer)| answer.digest.as_deref())
            .collect();
        for digest in digests {
            let same: Vec<_> = answers
                .iter()
                .filter(|(_, answer)| answer.digest.as_deref() == Some(digest))
                .collect();
            let reason = match same[0].1.judged.as_ref() {
                Some(JudgedAs::Refused(why) | JudgedAs::Failed(why)) => why.clone(),
                _ => continue,
            };
            if same.len() > 1 && found.len() < INPUTS_SHOWN_MAX {
                found.push(DoubtfulInput {
                    approaches: same.iter().map(|(name, _)| (*name).to_owned()).collect(),
                    case,
                    seed,
                    answer: same[0].1.answer.clone().unwrap_or_default(),
                    reason,
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::JudgedChange;

    fn refused() -> JudgedAs {
        JudgedAs::Refused("no".to_owned())
    }

    fn answer(digest: &str, judged: JudgedAs, changes: &[(Change, JudgedAs)]) -> TestedAnswer {
        let changes = changes.iter().enumerate();
        TestedAnswer {
            case: 0,
            seed: 7,
            arguments: Vec::new(),
            shown: String::new(),
            answer: Some(format!("[{digest}]")),
            digest: Some(digest.to_owned()),
            failure: None,
            judged: Some(judged),
            contradiction: None,
            changes: changes
                .map(|(place, (change, judged))| JudgedChange {
                    change: *change,
                    judged: judged.clone(),
                    answer: format!("changed {place}"),
                    original: "right".to_owned(),
                })
                .collect(),
        }
    }

    fn approach(name: &str, answers: Vec<TestedAnswer>) -> ApproachAnswers {
        ApproachAnswers {
            name: name.to_owned(),
            answers: Ok(answers),
        }
    }

    #[test]
    fn accepted_changes_are_counted_and_shown_and_no_error_unless_all_are_accepted() {
        let accepted = JudgedAs::Accepted;
        let some = [
            (Change::Moved, accepted.clone()),
            (Change::Dropped, refused()),
            (Change::Emptied, JudgedAs::Failed("trap".to_owned())),
        ];
        let test = |changes: &[(Change, JudgedAs)]| {
            let one = approach("a", vec![answer("1", JudgedAs::Accepted, changes)]);
            OracleTest::of(&[one], true, true)
        };
        let tested = test(&some);
        assert_eq!(tested.belief, Belief::Tested);
        assert_eq!(
            tested.changes,
            ChangeCounts {
                changed: 3,
                accepted: 1,
                failed: 1
            }
        );
        assert_eq!(tested.accepted.len(), 1);
        assert_eq!(tested.accepted[0].changed, "changed 0");
        assert_eq!(tested.accepted[0].answer, "right");
        assert_eq!(test(&some[..1]).belief, Belief::AcceptsAll);
        assert_eq!(test(&[]).belief, Belief::Untested);
    }

    #[test]
    fn a_kind_of_change_that_is_always_accepted_is_a_hole_unless_it_is_another_order() {
        let test = |emptied: JudgedAs, times: usize| {
            let changes = [
                (Change::Moved, JudgedAs::Accepted),
                (Change::Dropped, refused()),
                (Change::Larger, JudgedAs::Accepted),
                (Change::Emptied, emptied),
            ];
            let answers = (0..times).map(|_| answer("1", JudgedAs::Accepted, &changes));
            OracleTest::of(&[approach("a", answers.collect())], true, true)
        };
        assert_eq!(
            test(JudgedAs::Accepted, 6).holes(),
            [(Change::Larger, 6), (Change::Emptied, 6)]
        );
        assert_eq!(test(refused(), 7).holes(), [(Change::Larger, 7)]);
        assert_eq!(test(JudgedAs::Accepted, 5).holes(), []);
    }

    #[test]
    fn an_oracle_that_says_two_things_is_contradictory_whatever_else_holds() {
        let mut two = answer("1", JudgedAs::Accepted, &[(Change::Dropped, refused())]);
        two.contradiction = Some("accepted, then refused".to_owned());
        let test = OracleTest::of(&[approach("a", vec![two])], true, true);
        assert_eq!(test.belief, Belief::Contradictory);
        assert!(test.belief.is_unusable());
        assert_eq!(test.contradictions[0].approach, "a");
    }

    #[test]
    fn approaches_that_agree_with_each_other_only_make_the_oracle_doubtful() {
        let agreed = |other: JudgedAs| {
            let one = approach("a", vec![answer("1", refused(), &[])]);
            let two = approach("b", vec![answer("1", refused(), &[])]);
            let three = approach(
                "c",
                vec![answer("2", other, &[(Change::Dropped, refused())])],
            );
            OracleTest::of(&[one, two, three], true, true)
        };
        let doubtful = agreed(refused());
        assert_eq!(doubtful.belief, Belief::Doubtful);
        assert_eq!(doubtful.doubtful[0].approaches, ["a", "b"]);
        // Where somebody's answer is accepted, those who agree on another are merely wrong.
        assert_eq!(agreed(JudgedAs::Accepted).belief, Belief::Tested);
        assert_eq!(agreed(JudgedAs::Accepted).not_accepted.len(), 2);
    }

    #[test]
    fn without_an_oracle_nothing_is_counted() {
        let one = approach(
            "a",
            vec![answer(
                "1",
                JudgedAs::Accepted,
                &[(Change::Moved, JudgedAs::Accepted)],
            )],
        );
        let test = OracleTest::of(&[one], false, true);
        assert_eq!((test.belief, test.accepted_share()), (Belief::Absent, None));
    }
}
