//! The comparison of the variants' answers with each other, where there is no oracle.

use super::variant_state::{VariantState, find};
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::variant::VariantId;
use std::collections::BTreeMap;

/// The result of comparing answers.
pub(super) struct Agreement {
    /// The note for the reader of the report.
    pub(super) note: String,
    /// The variants that have no result because of it, with the failure of each.
    pub(super) suspects: Vec<(VariantId, Failure)>,
}

/// The digests of a variant's answers, by case.
type Answers = Vec<String>;

/// Compares the answers of all variants that passed the gate. A majority does not prove an answer
/// right, but the variants that differ from it fail; without a majority, no answer can be called
/// right.
pub(super) fn compare(variants: &[VariantState], cases: &[CaseLabel]) -> Agreement {
    let mut groups: BTreeMap<Answers, Vec<VariantId>> = BTreeMap::new();
    let alive = variants.iter().filter(|state| state.is_alive());
    let gates = alive.clone().filter_map(|state| state.gate.as_ref());
    // Of a set of instances one variant may have been checked on more than another.
    let common = gates.map(|gate| gate.cases.len()).min().unwrap_or(0);
    for state in alive {
        if let Some(gate) = &state.gate {
            let answers = gate.cases[..common]
                .iter()
                .map(|case| case.answer.clone())
                .collect();
            groups.entry(answers).or_default().push(state.id().clone());
        }
    }
    if groups.len() < 2 {
        let agreed = groups.values().next().map_or(0, Vec::len);
        return Agreement {
            note: match agreed {
                0 | 1 => {
                    "Nothing judges the answers: there is no oracle and nobody to compare with."
                        .to_owned()
                }
                _ => format!(
                    "There is no oracle: the answers of {agreed} prototypes were compared, and agree."
                ),
            },
            suspects: Vec::new(),
        };
    }
    let total: usize = groups.values().map(Vec::len).sum();
    let minorities = groups.values().filter(|group| group.len() * 2 <= total);
    // In the order of declaration, whatever the digests of the answers are.
    let suspect =
        |state: &&VariantState| minorities.clone().any(|group| group.contains(state.id()));
    let suspects = variants.iter().filter(suspect).map(|state| {
        let failure = disagreement(variants, cases, state, &groups);
        (state.id().clone(), failure)
    });
    Agreement {
        note: "There is no oracle, and the prototypes disagree about the answers.".to_owned(),
        suspects: suspects.collect(),
    }
}

fn disagreement(
    variants: &[VariantState],
    cases: &[CaseLabel],
    state: &VariantState,
    groups: &BTreeMap<Answers, Vec<VariantId>>,
) -> Failure {
    let checked = |state: &VariantState| {
        let gate = state.gate.as_ref();
        gate.map_or_else(Vec::new, |gate| gate.cases.clone())
    };
    let own = checked(state);
    let others = groups.values().filter(|group| !group.contains(state.id()));
    let difference = others.flatten().find_map(|other| {
        let theirs = checked(find(variants, other)?);
        let mut pairs = own.iter().zip(&theirs);
        let (a, b) = pairs.find(|(a, b)| a.answer != b.answer)?;
        let case = cases.get(a.case).map(ToString::to_string);
        Some(format!(
            "on case {} it answers {}, and {other} answers {}",
            case.unwrap_or_else(|| format!("number {}", a.case + 1)),
            a.shown,
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
