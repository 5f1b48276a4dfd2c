//! The gates of a run, one on each core.

use super::agreement;
use super::context::runner_error;
use super::error::RunError;
use super::notes::{CONSTANT_INPUTS, CONSTANT_INPUTS_ADVICE};
use super::on_cores::OnCores;
use super::session::Run;
use super::variant_state::find;
use crate::compile::BuildKind;
use crate::events::{Event, Origin, Stage};
use crate::measure::{self, GateRecord, RunnerError};
use crate::source::BuildInput;
use crate::store::{self, Trial};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::variant::VariantId;
use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// A finished check: the variant and the result.
type Checked = (VariantId, Result<GateRecord, RunnerError>);

/// A check under way: the variant and the number of cases that are checked.
type CheckedCases = (VariantId, usize);

/// The least time between two messages about a check under way.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

impl Run<'_> {
    /// Checks every variant that was built; without an oracle, then compares their answers. Where a
    /// criterion asks for it, the workload assesses the answers of those that passed.
    pub(super) async fn check(&mut self) -> Result<(), RunError> {
        let built = self.variants.iter().filter(|state| state.built.is_some());
        let mut waiting: VecDeque<VariantId> = built.map(|state| state.id().clone()).collect();
        self.stage_started(Stage::Check, waiting.len())?;
        self.report_changed_checks()?;
        let mut checking = OnCores::new(&self.context.cores);
        let (sender, mut progress) = mpsc::unbounded_channel();
        let mut unjudged = Vec::new();
        loop {
            while checking.has_free_core()
                && let Some(id) = waiting.pop_front()
            {
                match self.kept_gate(&id)? {
                    Some(record) => self.on_gate(&id, record, Origin::Kept)?,
                    None => self.start_check(&id, &mut checking, &sender)?,
                }
            }
            let ended = loop {
                tokio::select! {
                    ended = checking.next() => break ended?,
                    Some(checked) = progress.recv() => self.on_checked_cases(checked)?,
                }
            };
            let Some((id, result)) = ended else {
                break;
            };
            let mut record = result.map_err(|error| runner_error(self.loaded, error))?;
            if let Some(failure) = &mut record.failure {
                if failure.class == FailureClass::UnjudgedAnswer {
                    unjudged.push((id, record));
                    continue;
                }
                self.diagnose(&id, failure, &record.calls).await;
            }
            self.keep_gate(&id, &record)?;
            self.on_gate(&id, record, Origin::New)?;
            // Only now: what is finished is kept also when the user asks to stop.
            self.refuse_if_interrupted()?;
        }
        // Only now it is known who may have a right answer to the same input.
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
            self.on_gate(&id, record, Origin::New)?;
        }
        if !self.context.config.inputs.has_oracle() {
            let check_seed = self.context.config.check_seed;
            let cases = &self.context.cases;
            let agreement = agreement::compare(&self.variants, cases, check_seed);
            for (id, failure) in agreement.without_result {
                self.fail(&id, failure)?;
            }
        }
        self.warn_of_constant_inputs()?;
        self.warn_of_constant_arguments()?;
        self.assess().await?;
        self.stage_done(Stage::Check)
    }

    /// Says before anything is timed which inputs anybody can know beforehand.
    fn warn_of_constant_inputs(&mut self) -> Result<(), RunError> {
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

    fn start_check(
        &mut self,
        id: &VariantId,
        checking: &mut OnCores<Checked>,
        progress: &mpsc::UnboundedSender<CheckedCases>,
    ) -> Result<(), RunError> {
        self.store.emit(Event::CheckStart {
            variant_id: id.as_str().to_owned(),
        })?;
        let Some(state) = self.state_mut(id) else {
            return Ok(());
        };
        if let Some(built) = state.built.clone() {
            let (id, files) = (id.clone(), state.files.clone());
            let config = self.context.config.clone();
            let progress = progress.clone();
            checking.start(|core| async move {
                let files = files.as_ref();
                let mut said = Instant::now();
                let on_case = |done| {
                    if said.elapsed() >= PROGRESS_EVERY {
                        said = Instant::now();
                        // Nobody listens any more if the run has ended.
                        let _ = progress.send((id.clone(), done));
                    }
                };
                let checked = measure::check(&config, &built.checked, files, Some(core), on_case);
                let result = checked.await;
                (id, result)
            });
        }
        Ok(())
    }

    fn on_checked_cases(&mut self, (id, done): CheckedCases) -> Result<(), RunError> {
        self.store.emit(Event::CheckProgress {
            variant_id: id.into(),
            done: done as u64,
            cases: self.context.cases.len() as u64,
        })?;
        Ok(())
    }

    /// Returns the record of a gate that an earlier session or run stored, if there is one.
    fn kept_gate(&mut self, id: &VariantId) -> Result<Option<GateRecord>, RunError> {
        let Some(state) = find(&self.variants, id) else {
            return Ok(None);
        };
        let Some(identity) = &state.identity else {
            return Ok(None);
        };
        let (key, owner) = (self.keys.gate(identity), state.owner());
        Ok(self.store.get(store::ResultKind::Gate, &key, owner)?)
    }

    fn keep_gate(&mut self, id: &VariantId, record: &GateRecord) -> Result<(), RunError> {
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
        self.store
            .put_with_trials(store::ResultKind::Gate, &key, owner, record, &trials)?;
        Ok(())
    }

    fn on_gate(
        &mut self,
        id: &VariantId,
        record: GateRecord,
        origin: Origin,
    ) -> Result<(), RunError> {
        match &record.failure {
            Some(failure) => self.fail(id, failure.clone())?,
            None => {
                self.store.emit(Event::CheckComplete {
                    variant_id: id.as_str().to_owned(),
                    origin,
                    trials: record.trials(),
                    pure: Some(!record.gains_by_state()),
                })?;
            }
        }
        if let Some(state) = self.state_mut(id) {
            state.gate = Some(record);
        }
        Ok(())
    }

    /// Repeats the calls of a guest that trapped in its diagnostic build, which reports the panic.
    /// If this goes wrong, the failure stays as it was.
    pub(super) async fn diagnose(
        &self,
        id: &VariantId,
        failure: &mut Failure,
        calls: &[(CaseIndex, u64)],
    ) {
        let code = find(&self.variants, id).and_then(|state| state.code.clone());
        let (
            FailureClass::Trap | FailureClass::MemoryLimit,
            Some(code @ BuildInput::Source { .. }),
        ) = (failure.class, code)
        else {
            return;
        };
        let request = self.context.prototype(code, BuildKind::Diagnostic);
        let Ok(built) = self.context.tools.builder.build(&request).await else {
            return;
        };
        let reports = measure::diagnose(&self.context.config, &built.checked, calls).await;
        let last = reports
            .ok()
            .and_then(|reports| reports.into_iter().next_back());
        if let Some(report) = last {
            failure.message = match failure.class {
                FailureClass::Trap => report,
                _ => format!("{}; {report}", failure.message),
            };
        }
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
