//! The comparison of the variants' answers with each other.

use super::variant_state::VariantState;
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::texts::SizedTexts;
use bakeoff_domain::variant::VariantId;

/// The largest number of answers, and of variants for each, that a message names.
const NAMED_MAX: usize = 4;

/// The result of comparing answers.
pub(super) struct Agreement {
    /// The note for the reader of the report.
    pub(super) note: String,
    /// The variants that have no result because of a disagreement, with the failure of each.
    pub(super) without_result: Vec<(VariantId, Failure)>,
    /// The input that shows the disagreement, by its case and seed.
    pub(super) shown_by: Option<(CaseIndex, u64)>,
}

/// The variants that gave an answer.
struct Group<'a> {
    digest: &'a str,
    shown: &'a str,
    variants: Vec<&'a VariantId>,
}

/// Compares the answers of all variants that passed the gate. A majority proves nothing: where answers differ, none is
/// shown to be right or wrong, so that none of the variants has a result. `check_seed` is that of the gates' inputs.
pub(super) fn compare(
    variants: &[VariantState],
    cases: &[CaseLabel],
    check_seed: RunSeed,
) -> Agreement {
    let alive = variants.iter().filter(|state| state.is_alive());
    let compared: Vec<&VariantState> = alive.filter(|state| state.gate.is_some()).collect();
    let Some((case, groups)) = smallest_disagreement(&compared, cases) else {
        let note = match compared.len() {
            0 | 1 => "Nothing judges the answers: there is no oracle and nobody to compare with."
                .to_owned(),
            agreed => format!(
                "There is no oracle: the answers of {agreed} prototypes to the inputs of the checks \
                 were compared, and agree."
            ),
        };
        return Agreement {
            note,
            without_result: Vec::new(),
            shown_by: None,
        };
    };
    let seed = bakeoff_runner::gate_seed(check_seed, case);
    let what = format!("for {}: {}", input(cases, case, seed), answers(&groups));
    let failure = Failure {
        class: FailureClass::Disagreement,
        message: format!(
            "the prototypes disagree, and there is no oracle to say who is right; {what}"
        ),
        phase: Phase::Check,
        limit: None,
    };
    let fail = |state: &&VariantState| (state.id().clone(), failure.clone());
    Agreement {
        note: format!(
            "There is no oracle, and the prototypes disagree, {what}. How many answer the same does \
             not decide who is right. To rank them, give the workload a `check`, or each case its \
             `expect`."
        ),
        without_result: compared.iter().map(fail).collect(),
        shown_by: Some((case, seed)),
    }
}

/// Returns a note if an oracle accepts different answers to an input, and the smallest such input. Where many answers are
/// right, that is as it should be.
pub(super) fn accepted_differently(
    variants: &[VariantState],
    cases: &[CaseLabel],
    check_seed: RunSeed,
) -> Option<String> {
    let alive = variants.iter().filter(|state| state.is_alive());
    let compared: Vec<&VariantState> = alive.filter(|state| state.gate.is_some()).collect();
    let (case, groups) = smallest_disagreement(&compared, cases)?;
    let seed = bakeoff_runner::gate_seed(check_seed, case);
    Some(format!(
        "The oracle accepts different answers to one input, for {}: {}. Where one answer alone is right, it accepts a wrong \
         one.",
        input(cases, case, seed),
        answers(&groups)
    ))
}

/// Describes an input by its case and seed.
fn input(cases: &[CaseLabel], case: CaseIndex, seed: u64) -> String {
    match cases.get(case) {
        Some(label @ (CaseLabel::Size(_) | CaseLabel::Texts(_))) => {
            let (size, seed) = label.generated_from(seed).unwrap_or_default();
            format!("the input of size {size}, seed {seed}")
        }
        Some(CaseLabel::Call(call)) => call.clone(),
        Some(CaseLabel::Instance { instance }) => format!("instance {instance}"),
        None => format!("case {}", case + 1),
    }
}

/// Returns the smallest case on which answers differ, with the variants that gave each answer.
fn smallest_disagreement<'a>(
    compared: &[&'a VariantState],
    cases: &[CaseLabel],
) -> Option<(CaseIndex, Vec<Group<'a>>)> {
    let mut order: Vec<CaseIndex> = (0..cases.len()).collect();
    order.sort_by_key(|case| match &cases[*case] {
        CaseLabel::Size(size) | CaseLabel::Texts(SizedTexts { size, .. }) => *size as usize,
        CaseLabel::Call(call) => call.len(),
        // None is smaller than another: the first one.
        CaseLabel::Instance { .. } => 0,
    });
    let mut found = order
        .into_iter()
        .map(|case| (case, grouped(compared, case)));
    found.find(|(_, groups)| groups.len() > 1)
}

fn grouped<'a>(compared: &[&'a VariantState], case: CaseIndex) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for &state in compared {
        let checked = state.gate.iter().flat_map(|gate| &gate.cases);
        let Some(checked) = checked.into_iter().find(|checked| checked.case == case) else {
            continue;
        };
        let mut known = groups.iter_mut();
        match known.find(|group| group.digest == checked.answer) {
            Some(group) => group.variants.push(state.id()),
            None => groups.push(Group {
                digest: &checked.answer,
                shown: &checked.shown,
                variants: vec![state.id()],
            }),
        }
    }
    groups
}

/// Describes the answers, each with the variants that gave it.
fn answers(groups: &[Group<'_>]) -> String {
    let names = |group: &Group<'_>| {
        let named = group.variants.iter().take(NAMED_MAX);
        let mut names: Vec<String> = named.map(ToString::to_string).collect();
        let more = group.variants.len().saturating_sub(NAMED_MAX);
        names.extend((more > 0).then(|| format!("{more} more")));
        names.join(", ")
    };
    // Of a large set of instances not every answer is kept as text.
    let shown = |group: &Group<'_>| {
        if group.shown.is_empty() {
            format!("an answer of digest {}", group.digest)
        } else {
            group.shown.to_owned()
        }
    };
    let answer = |group: &Group<'_>| format!("{} by {}", shown(group), names(group));
    let mut answers: Vec<String> = groups.iter().take(NAMED_MAX).map(answer).collect();
    let more = groups.len().saturating_sub(NAMED_MAX);
    answers.extend((more > 0).then(|| format!("and {more} other answers")));
    answers.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::spec::{Approach, AuthorWords, Code};
    use bakeoff_domain::variant;
    use bakeoff_measure::GateRecord;
    use bakeoff_runner::CheckedCase;

    /// Makes variants that passed the gate with these answers, by case.
    fn states(answers: &[(&str, &[&str])]) -> Vec<VariantState> {
        let approaches: Vec<_> = answers
            .iter()
            .map(|(name, _)| Approach {
                name: (*name).to_owned(),
                description: None,
                code: Code::Source(format!("{name}.rs").into()),
                grants: Vec::new(),
                sweep: Vec::new(),
                words: AuthorWords::default(),
            })
            .collect();
        let declared = variant::declare(&approaches).into_iter();
        let checked = |(case, answer): (CaseIndex, &&str)| CheckedCase {
            case,
            answer: (*answer).to_owned(),
            shown: (*answer).to_owned(),
            ..CheckedCase::default()
        };
        let state = |(variant, (_, answers)): (_, &(&str, &[&str]))| VariantState {
            gate: Some(GateRecord {
                cases: answers.iter().enumerate().map(checked).collect(),
                ..GateRecord::default()
            }),
            ..VariantState::new(variant)
        };
        declared.zip(answers).map(state).collect()
    }

    const CASES: [CaseLabel; 3] = [
        CaseLabel::Size(64_000),
        CaseLabel::Size(1_000),
        CaseLabel::Size(16_000),
    ];

    #[test]
    fn a_majority_of_two_does_not_fail_the_third_alone() {
        let states = states(&[
            ("honest", &["1", "2", "3"]),
            ("colludes", &["9", "2", "8"]),
            ("colludes_too", &["9", "2", "8"]),
        ]);
        let agreement = compare(&states, &CASES, RunSeed::Named(7));
        let failed: Vec<&str> = agreement
            .without_result
            .iter()
            .map(|(id, failure)| {
                assert_eq!(failure.class, FailureClass::Disagreement);
                id.as_str()
            })
            .collect();
        assert_eq!(failed, ["honest", "colludes", "colludes-too"]);
        // The smallest input that shows it is neither the first nor the smallest of all.
        let seed = bakeoff_runner::gate_seed(RunSeed::Named(7), 2);
        assert_eq!(agreement.shown_by, Some((2, seed)));
        let what = format!(
            "for the input of size 16000, seed {seed}: 3 by honest; 8 by colludes, colludes-too"
        );
        assert!(agreement.note.contains(&what), "{}", agreement.note);
        let message = &agreement.without_result[0].1.message;
        assert!(message.contains(&what), "{message}");
    }

    #[test]
    fn different_answers_that_an_oracle_accepts_are_a_note() {
        let differ = states(&[("one", &["1", "2"]), ("two", &["1", "3"])]);
        let note = accepted_differently(&differ, &CASES, RunSeed::Named(7)).unwrap();
        assert!(
            note.contains("size 1000, seed") && note.contains("2 by one; 3 by two"),
            "{note}"
        );
        let agree = states(&[("one", &["1"]), ("two", &["1"])]);
        assert_eq!(
            accepted_differently(&agree, &CASES, RunSeed::Named(7)),
            None
        );
    }

    #[test]
    fn who_agrees_has_a_result() {
        let states = states(&[("one", &["1"]), ("two", &["1"])]);
        let agreement = compare(&states, &CASES[..1], RunSeed::Named(7));
        assert!(agreement.without_result.is_empty() && agreement.shown_by.is_none());
        assert!(
            agreement.note.contains("2 prototypes"),
            "{}",
            agreement.note
        );
    }
}
