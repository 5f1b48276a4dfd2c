//! Answers where there is no oracle: those of the prototypes are compared.

use super::Candidate;
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::report::CaseLabel;
use std::collections::BTreeMap;

const ALONE: &str = "Nothing judges the answers: there is no oracle and nobody to compare with.";
const DISAGREEING: &str = "There is no oracle, and the prototypes disagree about the answers.";
const AGREEING: &str = "There is no oracle: the answers of";

/// What came of comparing answers.
pub(super) struct Compared {
    /// What a reader should know about it.
    pub(super) note: String,
    /// Who has no result by it, by index, and why.
    pub(super) suspects: Vec<(usize, Failure)>,
}

/// By case, the digests of a candidate's answers.
type Answers = Vec<String>;

/// Compares the answers of all who passed the gate. A majority does not make an answer right, but it
/// does make the others suspect; where there is none, nobody can be called right.
pub(super) fn answers(candidates: &[Candidate], cases: &[CaseLabel]) -> Compared {
    let mut groups: BTreeMap<Answers, Vec<usize>> = BTreeMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        if let Some(gate) = candidate.gate.as_ref().filter(|_| candidate.is_alive()) {
            let answers = gate.cases.iter().map(|case| case.answer.clone()).collect();
            groups.entry(answers).or_default().push(index);
        }
    }
    if groups.len() < 2 {
        let agreed = groups.values().next().map_or(0, Vec::len);
        return Compared {
            note: match agreed {
                0 | 1 => ALONE.to_owned(),
                _ => format!("{AGREEING} {agreed} prototypes were compared, and agree."),
            },
            suspects: Vec::new(),
        };
    }
    let total: usize = groups.values().map(Vec::len).sum();
    let suspects = groups
        .values()
        .filter(|group| group.len() * 2 <= total)
        .flatten()
        .map(|index| (*index, disagreement(candidates, cases, *index, &groups)));
    Compared {
        note: DISAGREEING.to_owned(),
        suspects: suspects.collect(),
    }
}

/// Whether a note of a report says that answers were compared: that there was no oracle.
pub(super) fn is_said_by(note: &str) -> bool {
    note == ALONE || note == DISAGREEING || note.starts_with(AGREEING)
}

fn disagreement(
    candidates: &[Candidate],
    cases: &[CaseLabel],
    index: usize,
    groups: &BTreeMap<Answers, Vec<usize>>,
) -> Failure {
    let checked = |index: usize| {
        let gate = candidates[index].gate.as_ref();
        gate.map_or(&[][..], |gate| gate.cases.as_slice())
    };
    let own = checked(index);
    let others = groups
        .values()
        .filter(|group| !group.contains(&index))
        .flatten();
    let difference = others.copied().find_map(|other| {
        let mut pairs = own.iter().zip(checked(other));
        let (a, b) = pairs.find(|(a, b)| a.answer != b.answer)?;
        let case = cases.get(a.case).map(ToString::to_string);
        Some(format!(
            "on case {} it answers {}, and {} answers {}",
            case.unwrap_or_else(|| format!("number {}", a.case + 1)),
            a.shown,
            candidates[other].id,
            b.shown
        ))
    });
    Failure {
        class: FailureClass::WrongAnswer,
        message: format!(
            "disagrees with the others, and there is no oracle to say who is right: {}",
            difference.unwrap_or_default()
        ),
        phase: Phase::Check,
        limit: None,
    }
}
