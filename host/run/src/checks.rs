//! The gates of a run: their stored results, and the causes of failures.

use super::child_tasks::core_task;
use super::child_work::Diagnose;
use super::error::RunError;
use super::notes::{CONSTANT_INPUTS, CONSTANT_INPUTS_ADVICE};
use super::session::Run;
use super::standing::Step;
use super::variant_state::find;
use bakeoff_compile::BuildKind;
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::queue::TaskKey;
use bakeoff_domain::variant::VariantId;
use bakeoff_measure::GateRecord;
use bakeoff_source::BuildInput;
use bakeoff_store::Trial;
use bakeoff_store::events::{Event, Origin};
use std::collections::BTreeSet;

impl Run<'_> {
    /// Finds the cause of every unjudged answer, and stores those gates. All gates must have ended: any variant may
    /// have a right answer to the same input.
    pub(super) async fn explain_all_unjudged(
        &mut self,
        unjudged: Vec<(VariantId, GateRecord)>,
    ) -> Result<(), RunError> {
        let mut explained = Vec::with_capacity(unjudged.len());
        for (id, mut record) in unjudged {
            let call = record.calls.last().copied();
            if let Some(failure) = &mut record.failure {
                self.explain_unjudged(&id, call, failure).await?;
            }
            explained.push((id, record));
        }
        for (id, record) in explained {
            self.keep_gate(&id, &record)?;
            self.on_gate(&id, &record, Origin::New)?;
        }
        Ok(())
    }

    /// Warns of inputs that anyone can know beforehand, before anything is timed.
    pub(super) fn warn_of_constant_inputs(&mut self) -> Result<(), RunError> {
        let gates = self.variants.iter().filter_map(|state| state.gate.as_ref());
        let checked = gates.flat_map(|gate| &gate.cases);
        let constant = checked.filter(|checked| checked.constant_input);
        let constant: BTreeSet<CaseIndex> = constant.map(|checked| checked.case).collect();
        let cases = constant
            .iter()
            .map(|case| self.context.cases[*case].to_string());
        let cases: Vec<String> = cases.collect();
        if cases.is_empty() {
            return Ok(());
        }
        let message = format!(
            "{CONSTANT_INPUTS}{}{CONSTANT_INPUTS_ADVICE}",
            cases.join(", ")
        );
        self.store.emit(Event::Warning { message })?;
        Ok(())
    }

    pub(super) fn on_checked_cases(&mut self, id: VariantId, done: usize) -> Result<(), RunError> {
        self.store.emit(Event::CheckProgress {
            variant_id: id.into(),
            done: done as u64,
            cases: self.context.cases.len() as u64,
        })?;
        Ok(())
    }

    /// Returns the record of a gate that an earlier session or run stored, if there is one.
    pub(super) fn kept_gate(&mut self, id: &VariantId) -> Result<Option<GateRecord>, RunError> {
        let Some(state) = find(&self.variants, id) else {
            return Ok(None);
        };
        let Some(identity) = &state.identity else {
            return Ok(None);
        };
        let (key, owner) = (self.keys.gate(identity), state.owner());
        Ok(self
            .store
            .get(bakeoff_store::ResultKind::Gate, &key, owner)?)
    }

    pub(super) fn keep_gate(
        &mut self,
        id: &VariantId,
        record: &GateRecord,
    ) -> Result<(), RunError> {
        let Some(state) = find(&self.variants, id) else {
            return Ok(());
        };
        let Some(identity) = &state.identity else {
            return Ok(());
        };
        let (key, owner) = (self.keys.gate(identity), state.owner());
        let trials = trials(record, |case| {
            let label = self.context.cases.get(case);
            label.map_or_else(String::new, ToString::to_string)
        });
        self.store.put_with_trials(
            bakeoff_store::ResultKind::Gate,
            &key,
            owner,
            record,
            &trials,
        )?;
        Ok(())
    }

    pub(super) fn on_gate(
        &mut self,
        id: &VariantId,
        record: &GateRecord,
        origin: Origin,
    ) -> Result<(), RunError> {
        if record.failure.is_none() {
            self.store.emit(Event::CheckComplete {
                variant_id: id.as_str().to_owned(),
                origin,
                trials: record.trials(),
                pure: Some(!record.gains_by_state()),
            })?;
        }
        self.apply(Step::Gated(id, record))
    }

    /// Returns the work that repeats the calls of a guest that trapped, in the guest's diagnostic build, which reports
    /// the panic; `None` if the guest did not trap, or has no such build.
    pub(super) fn diagnosis(
        &self,
        id: &VariantId,
        failure: &Failure,
        calls: &[(CaseIndex, u64)],
    ) -> Option<Diagnose> {
        let state = find(&self.variants, id)?;
        let code = state.code.clone()?;
        let has_panic = matches!(
            failure.class,
            FailureClass::Trap | FailureClass::MemoryLimit
        );
        let has_build = matches!(code, BuildInput::Source { .. });
        (has_panic && has_build).then(|| Diagnose {
            request: self
                .context
                .prototype(code, BuildKind::Diagnostic, state.is_swept()),
            files: state.files.clone(),
            calls: calls.to_vec(),
        })
    }

    /// Adds the report of the diagnostic build of a guest that trapped to the guest's failure. If the diagnosis itself
    /// fails, the failure stays as it was.
    pub(super) async fn diagnose(
        &mut self,
        id: &VariantId,
        failure: &mut Failure,
        calls: &[(CaseIndex, u64)],
    ) -> Result<(), RunError> {
        let Some(work) = self.diagnosis(id, failure, calls) else {
            return Ok(());
        };
        let key = TaskKey::new(format!("diagnosis of {id} after its gate"));
        let task = core_task("diagnose", key, None);
        if let Some(Some(report)) = self.tasks.call(task, work).await? {
            failure.message = with_report(failure, report);
        }
        Ok(())
    }
}

/// Returns the message of a failure with the report of its diagnostic build.
pub(super) fn with_report(failure: &Failure, report: String) -> String {
    match failure.class {
        FailureClass::Trap => report,
        _ => format!("{}; {report}", failure.message),
    }
}

/// Returns the trials of a gate: one for each case, and the failing one.
fn trials(record: &GateRecord, label: impl Fn(usize) -> String) -> Vec<Trial> {
    let passed = record.cases.iter().map(|case| Trial {
        case_index: case.case as u32,
        case_label: label(case.case),
        outcome: "ok".to_owned(),
        fuel: Some(case.fuel),
        peak_bytes: Some(case.peak.bytes),
        answer: Some(case.answer.clone()),
        detail: None,
    });
    let mut trials: Vec<Trial> = passed.collect();
    if let Some(failure) = &record.failure {
        let last = record.calls.last();
        let case = last.map_or(record.cases.len(), |(case, _)| *case);
        trials.push(Trial {
            case_index: case as u32,
            case_label: label(case),
            outcome: failure.class.name().to_owned(),
            detail: Some(failure.message.clone()),
            ..Trial::default()
        });
    }
    trials
}
