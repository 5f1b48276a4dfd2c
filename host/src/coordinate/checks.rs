//! Everyone through the gate, one on each core.

use super::candidate::Candidate;
use super::{Run, RunError};
use crate::build::{CodeBytes, Kind, Request};
use crate::config::Loaded;
use crate::events::{Event, Origin, Stage};
use crate::interface::World;
use crate::measure::{self, GateRecord, RunnerError};
use crate::store::{self, Owner, Trial};
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::spec::Inputs;
use std::collections::BTreeMap;
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

    /// Without an oracle, answers are compared. A majority does not make an answer right, but it
    /// does make the others suspect; where there is none, nobody can be called right.
    fn compare_answers(&mut self) -> Result<(), RunError> {
        let mut groups: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        for (index, candidate) in self.candidates.iter().enumerate() {
            if let Some(gate) = candidate.gate.as_ref().filter(|_| candidate.is_alive()) {
                let answers = gate.cases.iter().map(|case| case.answer.clone()).collect();
                groups.entry(answers).or_default().push(index);
            }
        }
        if groups.len() < 2 {
            let agreed = groups.values().next().map_or(0, Vec::len);
            self.notes.push(match agreed {
                0 | 1 => "Nothing judges the answers: there is no oracle and nobody to compare with.".to_owned(),
                _ => format!(
                    "There is no oracle: the answers of {agreed} prototypes were compared, and agree."
                ),
            });
            return Ok(());
        }
        let total: usize = groups.values().map(Vec::len).sum();
        let suspects: Vec<usize> = groups
            .values()
            .filter(|group| group.len() * 2 <= total)
            .flatten()
            .copied()
            .collect();
        for index in suspects {
            let failure = self.disagreement(index, &groups);
            let candidate = &mut self.candidates[index];
            candidate.failure = Some(failure.clone());
            self.store.emit(Event::VariantFailed {
                variant_id: candidate.id.clone(),
                failure,
            })?;
        }
        self.notes
            .push("There is no oracle, and the prototypes disagree about the answers.".to_owned());
        Ok(())
    }

    fn disagreement(&self, index: usize, groups: &BTreeMap<Vec<String>, Vec<usize>>) -> Failure {
        let mine = |candidate: &Candidate| {
            candidate
                .gate
                .clone()
                .map(|gate| gate.cases)
                .unwrap_or_default()
        };
        let own = mine(&self.candidates[index]);
        let others = groups
            .values()
            .filter(|group| !group.contains(&index))
            .flatten();
        let difference = others.copied().find_map(|other| {
            let theirs = mine(&self.candidates[other]);
            let (a, b) = own
                .iter()
                .zip(&theirs)
                .find(|(a, b)| a.answer != b.answer)
                .map(|(a, b)| (a.clone(), b.clone()))?;
            Some(format!(
                "on case {} it answers {}, and {} answers {}",
                self.workshop.cases[a.case], a.shown, self.candidates[other].id, b.shown
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
