//! Answers on which the workload itself failed: the search for the variant or workload at fault.

use super::child_tasks::{build_task, core_task};
use super::child_work::{BuiltPrototype, Repeat};
use super::context::runner_error;
use super::error::RunError;
use super::session::Run;
use super::variant_state::{VariantState, find};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::queue::TaskKey;
use bakeoff_domain::variant::VariantId;
use bakeoff_measure::RunnerError;
use bakeoff_runner::{CallTexts, RepeatedCall};

/// Finding from the other variants' answers to the same input.
#[derive(Debug, PartialEq, Eq)]
enum MachineFinding {
    /// The workload accepts the answer of this variant.
    Accepts(VariantId),
    /// The workload accepts no answer, and fails on one that this variant also gives.
    FailsOnAgreed(VariantId),
    /// Neither of these: the workload is not shown to be at fault.
    Unknown,
}

/// Message about a failure of the workload that no other answer explains.
const MAY_BE_AT_FAULT: &str =
    "no other answer to this input was accepted, so the workload itself may be at fault";

impl Run<'_> {
    /// Finds out whether the variant or the workload is at fault, where the workload failed on a variant's answer:
    /// every other variant that may be right answers the same input, until the workload accepts an answer. The finding
    /// is added to the failure's message.
    ///
    /// # Errors
    /// The workload is at fault: it fails on an answer that another variant gives as well, and accepts none.
    pub(super) async fn explain_unjudged(
        &mut self,
        id: &VariantId,
        call: Option<(CaseIndex, u64)>,
        failure: &mut Failure,
    ) -> Result<(), RunError> {
        let (FailureClass::UnjudgedAnswer, Some(call)) = (failure.class, call) else {
            return Ok(());
        };
        let more = match self.find_fault(id, call).await? {
            MachineFinding::Accepts(other) => format!("it accepts the answer of {other}"),
            MachineFinding::Unknown => MAY_BE_AT_FAULT.to_owned(),
            MachineFinding::FailsOnAgreed(other) => {
                let input = self.context.config.describe_input(call);
                let reason = format!(
                    "{} (on {input}, where {other} answers the same as {id}, and no answer is accepted)",
                    failure.message
                );
                return Err(runner_error(self.loaded, RunnerError::Workload(reason)));
            }
        };
        failure.message = format!("{}; {more}", failure.message);
        Ok(())
    }

    async fn find_fault(
        &mut self,
        id: &VariantId,
        call: (CaseIndex, u64),
    ) -> Result<MachineFinding, RunError> {
        let Some(state) = find(&self.variants, id) else {
            return Ok(MachineFinding::Unknown);
        };
        let others: Vec<VariantId> = witnesses(&self.variants, state)
            .into_iter()
            .map(|other| other.id().clone())
            .collect();
        let own = self.answer_again(id, call).await?;
        let own = own.and_then(|repeated| repeated.digest);
        let mut agrees = None;
        for other in others {
            let Some(repeated) = self.answer_again(&other, call).await? else {
                continue;
            };
            let class = repeated.error.map(|error| error.class);
            match class {
                None if repeated.digest.is_some() => {
                    return Ok(MachineFinding::Accepts(other));
                }
                Some(FailureClass::UnjudgedAnswer) if repeated.digest == own => {
                    agrees.get_or_insert(other);
                }
                _ => {}
            }
        }
        Ok(agrees.map_or(MachineFinding::Unknown, MachineFinding::FailsOnAgreed))
    }

    /// Makes a variant answer an input on a fresh instance, and has the answer judged. `None` if there is no component,
    /// or no answer.
    async fn answer_again(
        &mut self,
        id: &VariantId,
        call: (CaseIndex, u64),
    ) -> Result<Option<RepeatedCall>, RunError> {
        let state = find(&self.variants, id).filter(|state| state.built.is_some());
        let Some(state) = state else {
            return Ok(None);
        };
        self.questions += 1;
        let (case, seed) = call;
        let key = format!(
            "answer of {id} to case {case}, seed {seed}, question {}",
            self.questions
        );
        let key = TaskKey::new(key);
        let build = build_task(&self.keys.build(state));
        let task = core_task("repeat", key, Some(&build));
        let work = Repeat {
            prototype: BuiltPrototype {
                build,
                files: state.files.clone(),
            },
            calls: [call].into(),
            left: None,
            texts: CallTexts::Shortened,
        };
        match self.tasks.call(task, work).await? {
            Some(Ok(calls)) => Ok(calls.into_iter().next()),
            Some(Err(error @ RunnerError::Workload(_))) => Err(runner_error(self.loaded, error)),
            _ => Ok(None),
        }
    }
}

/// Returns the variants whose answers can help to judge an input: those that have not failed, of other identity than
/// `state` and each other, first those that passed the gate.
fn witnesses<'a>(variants: &'a [VariantState], state: &VariantState) -> Vec<&'a VariantState> {
    let mut found: Vec<&VariantState> = Vec::new();
    let (passed, unknown): (Vec<_>, Vec<_>) = variants
        .iter()
        .filter(|other| other.is_alive() && other.identity != state.identity)
        .partition(|other| other.gate.is_some());
    for other in passed.into_iter().chain(unknown) {
        if found.iter().all(|known| known.identity != other.identity) {
            found.push(other);
        }
    }
    found
}
