//! Everyone through the gate, one on each core.

use super::{Run, RunError, compared};
use crate::build::{CodeBytes, Kind, Request};
use crate::config::Loaded;
use crate::events::{Event, Origin, Stage};
use crate::interface::World;
use crate::measure::{self, GateRecord, RunnerError};
use crate::store::{self, Owner, Trial};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::spec::Inputs;
use std::sync::Arc;
use tokio::task::JoinSet;

type Checked = (usize, Option<usize>, Result<GateRecord, RunnerError>);

impl Run<'_> {
    /// Checks everyone who was built; then, where there is no oracle, everyone against each other.
    pub(super) async fn check(&mut self) -> Result<(), RunError> {
        let mut waiting: Vec<usize> = (0..self.candidates.len())
            .rev()
            .filter(|index| self.candidates[*index].built.is_some())
            .collect();
        self.stage(Stage::Check, waiting.len())?;
        self.tell_changed_checks()?;
        let mut free: Vec<Option<usize>> =
            self.workshop.cores.iter().map(|core| Some(*core)).collect();
        let mut checking: JoinSet<Checked> = JoinSet::new();
        loop {
            while let (Some(core), true) = (free.last().copied(), !waiting.is_empty()) {
                let Some(index) = waiting.pop() else { break };
                if let Some(record) = self.recall_gate(index)? {
                    self.passed(index, record, Origin::Kept)?;
                    continue;
                }
                free.pop();
                self.start_check(index, core, &mut checking)?;
            }
            let Some(done) = checking.join_next().await else {
                break;
            };
            let (index, core, result) =
                done.map_err(|error| RunError::Engine(error.to_string()))?;
            free.push(core);
            let mut record = result.map_err(|error| self.runner_error(error))?;
            if let Some(failure) = &mut record.failure {
                self.diagnose(index, failure, &record.calls).await;
            }
            self.keep_gate(index, &record)?;
            self.passed(index, record, Origin::New)?;
            // Only now: what is finished is kept also when the user asks to stop.
            self.refuse_if_interrupted()?;
        }
        if !self.workshop.setting.source.has_oracle() {
            self.compare_answers()?;
        }
        self.stage_done(Stage::Check)
    }

    fn start_check(
        &mut self,
        index: usize,
        core: Option<usize>,
        checking: &mut JoinSet<Checked>,
    ) -> Result<(), RunError> {
        let candidate = &self.candidates[index];
        self.store.emit(Event::CheckStart {
            variant_id: candidate.id.clone(),
        })?;
        if let Some(built) = candidate.built.clone() {
            let setting = self.workshop.setting.clone();
            let files = candidate.files.clone();
            checking.spawn(async move {
                let files = files.as_ref();
                let result = measure::check(&setting, &built.checked, files, core).await;
                (index, core, result)
            });
        }
        Ok(())
    }

    fn recall_gate(&mut self, index: usize) -> Result<Option<GateRecord>, RunError> {
        let Some(key) = self.gate_key(index) else {
            return Ok(None);
        };
        let owner = Owner {
            variant: &self.candidates[index].id,
            iteration: 1,
        };
        Ok(self.store.recall(store::Kind::Gate, &key, owner)?)
    }

    fn gate_key(&self, index: usize) -> Option<store::Key> {
        let identity = self.candidates[index].identity()?;
        Some(self.keys.gate(&identity))
    }

    fn keep_gate(&mut self, index: usize, record: &GateRecord) -> Result<(), RunError> {
        let Some(key) = self.gate_key(index) else {
            return Ok(());
        };
        let owner = Owner {
            variant: &self.candidates[index].id,
            iteration: 1,
        };
        let label = |case: usize| {
            self.workshop
                .cases
                .get(case)
                .map_or_else(String::new, ToString::to_string)
        };
        let mut trials: Vec<Trial> = record
            .cases
            .iter()
            .map(|case| Trial {
                case_index: case.case as u32,
                case_label: label(case.case),
                outcome: "ok".to_owned(),
                fuel: Some(case.fuel),
                peak_bytes: Some(case.peak.bytes),
                answer: Some(case.answer.clone()),
                detail: None,
            })
            .collect();
        if let Some(failure) = &record.failure {
            let case = record
                .calls
                .last()
                .map_or(record.cases.len(), |(case, _)| *case);
            trials.push(Trial {
                case_index: case as u32,
                case_label: label(case),
                outcome: failure.class.name().to_owned(),
                detail: Some(failure.message.clone()),
                ..Trial::default()
            });
        }
        self.store
            .keep_with_trials(store::Kind::Gate, &key, owner, record, &trials)?;
        Ok(())
    }

    fn passed(&mut self, index: usize, record: GateRecord, origin: Origin) -> Result<(), RunError> {
        self.trials += record.trials();
        let candidate = &mut self.candidates[index];
        let variant_id = candidate.id.clone();
        let event = match &record.failure {
            Some(failure) => {
                candidate.failure = Some(failure.clone());
                Event::VariantFailed {
                    variant_id,
                    failure: failure.clone(),
                }
            }
            None => Event::CheckComplete {
                variant_id,
                origin,
                trials: record.trials(),
                pure: Some(record.is_pure()),
            },
        };
        candidate.gate = Some(record);
        self.store.emit(event)?;
        Ok(())
    }

    /// A guest that trapped is called again in its diagnostic build, which tells of the panic: the
    /// same calls on one instance. What goes wrong on the way leaves the failure as it was.
    pub(super) async fn diagnose(
        &self,
        index: usize,
        failure: &mut Failure,
        calls: &[(CaseIndex, u64)],
    ) {
        let candidate = &self.candidates[index];
        let (FailureClass::Trap | FailureClass::MemoryLimit, Some(code @ CodeBytes::Source { .. })) =
            (failure.class, candidate.code.clone())
        else {
            return;
        };
        let request = Request {
            interface: Arc::clone(&self.workshop.interface),
            world: World::Prototype,
            code,
            kind: Kind::Diagnostic,
        };
        let Ok(built) = self.workshop.tools.builder.build(&request).await else {
            return;
        };
        let reports = measure::diagnose(&self.workshop.setting, &built.checked, calls).await;
        if let Some(report) = reports
            .ok()
            .and_then(|reports| reports.into_iter().next_back())
        {
            failure.message = match failure.class {
                FailureClass::Trap => report,
                _ => format!("{}; {report}", failure.message),
            };
        }
    }

    /// Without an oracle, answers are compared.
    fn compare_answers(&mut self) -> Result<(), RunError> {
        let compared = compared::answers(&self.candidates, &self.workshop.cases);
        self.notes.push(compared.note);
        for (index, failure) in compared.suspects {
            let candidate = &mut self.candidates[index];
            candidate.failure = Some(failure.clone());
            self.store.emit(Event::VariantFailed {
                variant_id: candidate.id.clone(),
                failure,
            })?;
        }
        Ok(())
    }

    pub(super) fn runner_error(&self, error: RunnerError) -> RunError {
        runner_error(self.loaded, error)
    }
}

/// What a runner could not do, with the workload named if it is to blame.
pub(super) fn runner_error(loaded: &Loaded, error: RunnerError) -> RunError {
    match error {
        RunnerError::Workload(reason) => {
            let file = match &loaded.experiment.workload.inputs {
                Inputs::Generated { code, .. } => code.path(),
                Inputs::Cases(path) => path,
            };
            RunError::WorkloadRun {
                file: file.display().to_string(),
                reason,
            }
        }
        other => RunError::Runner(other),
    }
}
