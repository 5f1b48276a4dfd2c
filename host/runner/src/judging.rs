//! Attribution of failures: the judgements of all answers to one input decide whether variants or the workload failed.

use super::answers::Group;
use super::guest_failure::{Call, GuestFailure};
use super::workload::Judgement;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_sandbox::GuestError;
use bakeoff_sandbox::invoke;

/// The variants that gave the same answer, and its judgement.
pub(super) struct JudgedAnswer {
    pub(super) variants: Vec<VariantIndex>,
    pub(super) judgement: Result<Judgement, GuestError>,
}

/// Returns the failures that follow from the judgements of all answers to the input of `call`; none if
/// all answers are right.
///
/// Where the workload itself failed on an answer, that is the failure of the variants that gave it. The variants of one
/// race may all have agreed to break the workload, so the parent also asks those that left the race whether it is at
/// fault.
pub(super) fn blamed(answers: &[JudgedAnswer], call: Call) -> Vec<GuestFailure> {
    let is_accepted = |answer: &JudgedAnswer| matches!(answer.judgement, Ok(Judgement::Accepted));
    let accepts_any = answers.iter().any(is_accepted);
    let mut found = Vec::new();
    for JudgedAnswer {
        variants,
        judgement,
    } in answers
    {
        let error = match judgement {
            Ok(Judgement::Accepted) => continue,
            Ok(Judgement::Refused(why)) => GuestError::new(FailureClass::WrongAnswer, why.as_str()),
            Err(error) if error.class.is_machine_fault() => {
                let error = error.clone();
                return vec![GuestFailure {
                    variant: None,
                    error,
                    calls: vec![call],
                }];
            }
            Err(error) if error.class != FailureClass::UnjudgedAnswer => {
                return vec![of_workload(error.message.as_str(), call)];
            }
            Err(error) if accepts_any => GuestError::new(
                FailureClass::UnjudgedAnswer,
                format!("{}; it accepts another answer to this input", error.message),
            ),
            Err(error) => GuestError::new(FailureClass::UnjudgedAnswer, error.message.as_str()),
        };
        found.extend(variants.iter().map(|variant| GuestFailure {
            variant: Some(*variant),
            error: error.clone(),
            calls: vec![call],
        }));
    }
    found
}

/// Returns the failures of variants that disagree about the answer to the input of `call`, where there is no oracle: it
/// is not known which answer is right, so all of them fail, and none by a vote.
pub(super) fn disagreeing(groups: &[Group<'_>], call: Call) -> Vec<GuestFailure> {
    let shown = |group: &Group<'_>| {
        let answer = group.1.map_or_else(|| "nothing".to_owned(), invoke::render);
        (group.0.clone(), answer)
    };
    let groups: Vec<(Vec<VariantIndex>, String)> = groups.iter().map(shown).collect();
    let mut found = Vec::new();
    for (variants, answer) in &groups {
        let others = groups.iter().filter(|(others, _)| others != variants);
        let other = others.map(|(_, answer)| answer.as_str()).next();
        let why = format!(
            "it answers {answer} where another answers {}, and there is no oracle to say who is right",
            other.unwrap_or_default()
        );
        found.extend(variants.iter().map(|variant| GuestFailure {
            variant: Some(*variant),
            error: GuestError::new(FailureClass::Disagreement, why.as_str()),
            calls: vec![call],
        }));
    }
    found
}

/// Returns the failure of a variant that answered the input of `call` in two ways.
pub(super) fn unsteady(variant: VariantIndex, call: Call) -> GuestFailure {
    let why = "gave two answers to the same input on two fresh instances";
    GuestFailure {
        variant: Some(variant),
        error: GuestError::new(FailureClass::Nondeterministic, why),
        calls: vec![call],
    }
}

fn of_workload(why: &str, call: Call) -> GuestFailure {
    GuestFailure {
        variant: None,
        error: GuestError::new(FailureClass::WorkloadFailed, why),
        calls: vec![call],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: Call = (1, 7);

    fn answer(
        variants: &[VariantIndex],
        judgement: Result<Judgement, FailureClass>,
    ) -> JudgedAnswer {
        JudgedAnswer {
            variants: variants.to_vec(),
            judgement: judgement.map_err(|class| GuestError::new(class, "it trapped")),
        }
    }

    fn accepted() -> Result<Judgement, FailureClass> {
        Ok(Judgement::Accepted)
    }

    fn refused() -> Result<Judgement, FailureClass> {
        Ok(Judgement::Refused("no".to_owned()))
    }

    fn trapped() -> Result<Judgement, FailureClass> {
        Err(FailureClass::UnjudgedAnswer)
    }

    /// Returns the variants that are blamed, with the class of each failure; `None` is the workload.
    fn who(answers: &[JudgedAnswer]) -> Vec<(Option<VariantIndex>, &'static str)> {
        let found = blamed(answers, CALL);
        assert!(found.iter().all(|blame| blame.calls == [CALL]));
        let found = found.iter();
        found
            .map(|blame| (blame.variant, blame.error.class.name()))
            .collect()
    }

    #[test]
    fn right_answers_blame_nobody() {
        assert_eq!(who(&[answer(&[0, 1], accepted())]), []);
    }

    #[test]
    fn whoever_makes_the_oracle_trap_fails_alone_where_another_answer_is_accepted() {
        // Also if several of them agree.
        let answers = [
            answer(&[0, 3], trapped()),
            answer(&[1], accepted()),
            answer(&[2], refused()),
        ];
        let failed = [
            (Some(0), "unjudged-answer"),
            (Some(3), "unjudged-answer"),
            (Some(2), "wrong-answer"),
        ];
        assert_eq!(who(&answers), failed);
    }

    #[test]
    fn that_several_agree_on_an_answer_shows_no_fault_of_the_oracle_which_fails_on_it() {
        let failed = [(Some(0), "unjudged-answer"), (Some(1), "unjudged-answer")];
        assert_eq!(who(&[answer(&[0, 1], trapped())]), failed);
        assert_eq!(
            who(&[answer(&[0], trapped()), answer(&[1], trapped())]),
            failed
        );
    }

    #[test]
    fn a_workload_that_does_not_start_is_at_fault() {
        let answers = [
            answer(&[0], accepted()),
            answer(&[1], Err(FailureClass::WorkloadFailed)),
        ];
        assert_eq!(who(&answers), [(None, "workload-failed")]);
    }
}
