//! Builds and checks as tasks of one queue: a check starts as soon as its build is done, independently of the other
//! builds. Stages that need the results of all variants come after all of them.

use super::checks::with_report;
use super::child_attempt::AnyAnswer;
use super::child_tasks::{EndedTask, OpenTasks, core_task};
use super::child_work::BuildResult;
use super::context::runner_error;
use super::error::RunError;
use super::evaluations::EvaluationPhase;
use super::session::Run;
use super::standing::Step;
use bakeoff_confine::tasks::TaskEvent;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::numbers;
use bakeoff_domain::queue::{Task, TaskKey};
use bakeoff_domain::report::words;
use bakeoff_domain::score::CHOSEN;
use bakeoff_domain::variant::VariantId;
use bakeoff_measure::{GateRecord, RunnerError};
use bakeoff_store::events::{Event, Origin, Stage};
use std::collections::BTreeSet;
use std::time::Instant;

/// Priority of a diagnosis, above builds and checks: a gate is not stored until its diagnosis has ended.
const DIAGNOSIS_PRIORITY: i32 = 1;

/// The largest number of variants in the name of a build's task.
const NAMED_MAX: usize = 4;

/// The builds and checks of a run under way.
#[derive(Default)]
pub(super) struct Preparation {
    /// The builds, each with the variants that have its code.
    pub(super) builds: OpenTasks<Vec<VariantId>, BuildResult>,
    /// The gates.
    pub(super) checks: OpenTasks<VariantId, Result<GateRecord, RunnerError>>,
    /// The diagnoses of traps in gates, each with the record of its gate.
    diagnoses: OpenTasks<(VariantId, Box<GateRecord>), Option<String>>,
    /// The gates that ended with an answer on which the workload failed.
    unjudged: Vec<(VariantId, GateRecord)>,
    /// The changed inputs of checks that all variants share, if they were reported.
    pub(super) reported: BTreeSet<String>,
    is_checking: bool,
}

impl Preparation {
    /// Returns the name of a task, in words.
    fn name(&self, key: &TaskKey) -> String {
        if let Some(ids) = self.builds.get(key) {
            let ids = ids.iter().map(ToString::to_string).collect();
            return format!("build of {}", words::listed(ids, NAMED_MAX));
        }
        let checked = self.checks.get(key).map(|id| format!("check of {id}"));
        let diagnosed = || Some(format!("diagnosis of {}", self.diagnoses.get(key)?.0));
        checked
            .or_else(diagnosed)
            .unwrap_or_else(|| key.to_string())
    }
}

impl Run<'_> {
    /// Builds every variant, the same code only once, and checks each as soon as it is built. Without an oracle, then
    /// compares the variants' answers. Where a criterion asks for it, the workload assesses the answers of the variants
    /// that passed.
    pub(super) async fn build_and_check(&mut self) -> Result<(), RunError> {
        self.stage_started(Stage::Build, self.variants.len())?;
        self.report_changed_builds()?;
        self.start_variants()?;
        let mut preparation = Preparation::default();
        self.add_builds_and_checks(&mut preparation)?;
        if preparation.builds.is_empty() {
            self.stage_done(Stage::Build)?;
        }
        let mut built = Instant::now();
        while let Some(event) = self.tasks.next_event().await? {
            let is_building = !preparation.builds.is_empty();
            self.on_task(&mut preparation, event)?;
            if is_building {
                // Building stands outside of every budget.
                built = Instant::now();
            }
            self.tell_tasks(|key| preparation.name(key))?;
        }
        self.start_checking(&mut preparation)?;
        self.explain_all_unjudged(preparation.unjudged).await?;
        self.apply(Step::AllGated(self.context.config.check_seed))?;
        self.warn_of_constant_inputs()?;
        self.warn_of_constant_arguments()?;
        self.warn_of_oracle().await?;
        self.evaluate(EvaluationPhase::BeforeRace).await?;
        self.spent += built.elapsed();
        self.warn_of_long_checks()?;
        self.screen().await?;
        self.assess().await?;
        self.all_tasks_ended()?;
        self.stage_done(Stage::Check)
    }

    /// Chooses the variants that race, if more passed than may race.
    async fn screen(&mut self) -> Result<(), RunError> {
        self.apply(Step::Screened(None))?;
        if !self.variants.iter().any(|state| state.is_screened_out()) {
            return Ok(());
        }
        self.coarse = self.coarse_race().await?;
        if let Some(coarse) = self.coarse.clone() {
            self.apply(Step::Screened(Some(&coarse)))?;
            self.apply(Step::RacedCoarsely(&coarse))?;
        }
        let left_out = self.variants.iter().filter(|state| state.is_screened_out());
        let left_out = left_out.count();
        let message = format!(
            "{} variants are not timed against each other: {} {CHOSEN} others are ahead of them",
            numbers::count(left_out as u64),
            match &self.coarse {
                Some(_) => "by a short race of the best by their checks,",
                None => "by what their checks say,",
            }
        );
        self.store.emit(Event::Warning { message })?;
        Ok(())
    }

    fn on_task(
        &mut self,
        preparation: &mut Preparation,
        event: TaskEvent<AnyAnswer>,
    ) -> Result<(), RunError> {
        match event {
            TaskEvent::Starting(lease) => self.on_starting(preparation, &lease.attempt.key),
            TaskEvent::Progress(key, done) => match preparation.checks.get(&key) {
                Some(id) => self.on_checked_cases(id.clone(), done),
                None => Ok(()),
            },
            TaskEvent::Ended(key, answer) => {
                self.on_ended(preparation, EndedTask::new(key, answer))
            }
            TaskEvent::Retry(key, reason) => {
                let message = format!("{key}: {reason}; it is tried again");
                self.store.emit(Event::Warning { message })?;
                Ok(())
            }
            TaskEvent::DeadLetter(key, reason) => Err(RunError::dead_letter(&key, &reason)),
        }
    }

    fn on_starting(
        &mut self,
        preparation: &mut Preparation,
        key: &TaskKey,
    ) -> Result<(), RunError> {
        if let Some(ids) = preparation.builds.get(key) {
            for id in ids {
                let variant_id = id.as_str().to_owned();
                self.store.emit(Event::BuildStart { variant_id })?;
            }
        } else if let Some(id) = preparation.checks.get(key).cloned() {
            self.start_checking(preparation)?;
            match self.kept_gate(&id)? {
                Some(record) => {
                    self.tasks.keep(key);
                    preparation.checks.remove(key);
                    self.on_gate(&id, &record, Origin::Kept)?;
                }
                None => {
                    let variant_id = id.into();
                    self.store.emit(Event::CheckStart { variant_id })?;
                }
            }
        }
        Ok(())
    }

    fn on_ended(
        &mut self,
        preparation: &mut Preparation,
        ended: EndedTask,
    ) -> Result<(), RunError> {
        let ended = match preparation.builds.take(ended) {
            Ok((ids, built)) => return self.on_built(preparation, &ids, &built),
            Err(other) => other,
        };
        let ended = match preparation.checks.take(ended) {
            Ok((id, checked)) => {
                let record = checked.map_err(|error| runner_error(self.loaded, error))?;
                return self.on_checked(preparation, id, record);
            }
            Err(other) => other,
        };
        if let Ok(((id, mut record), report)) = preparation.diagnoses.take(ended) {
            if let (Some(failure), Some(report)) = (&mut record.failure, report) {
                failure.message = with_report(failure, report);
            }
            self.keep_gate(&id, &record)?;
            self.on_gate(&id, &record, Origin::New)?;
        }
        Ok(())
    }

    /// Stores the result of a build for each variant that has its code.
    fn on_built(
        &mut self,
        preparation: &mut Preparation,
        ids: &[VariantId],
        built: &BuildResult,
    ) -> Result<(), RunError> {
        for id in ids {
            self.on_build(id, built.clone())?;
            self.report_changed_check(id, &mut preparation.reported)?;
        }
        if preparation.builds.is_empty() {
            self.stage_done(Stage::Build)?;
        }
        Ok(())
    }

    /// Stores the result of a gate, unless the cause of its failure is still to be found.
    fn on_checked(
        &mut self,
        preparation: &mut Preparation,
        id: VariantId,
        record: GateRecord,
    ) -> Result<(), RunError> {
        if let Some(failure) = &record.failure {
            if failure.class == FailureClass::UnjudgedAnswer {
                preparation.unjudged.push((id, record));
                return Ok(());
            }
            if let Some(work) = self.diagnosis(&id, failure, &record.calls) {
                let key = TaskKey::new(format!("diagnosis of {id}"));
                let task = Task {
                    priority: DIAGNOSIS_PRIORITY,
                    ..core_task("diagnose", key, None)
                };
                let ticket = self.tasks.add(task, work)?;
                preparation.diagnoses.insert(ticket, (id, Box::new(record)));
                return Ok(());
            }
        }
        self.keep_gate(&id, &record)?;
        self.on_gate(&id, &record, Origin::New)
    }

    /// Emits that checking starts, with the number of variants that may be checked.
    fn start_checking(&mut self, preparation: &mut Preparation) -> Result<(), RunError> {
        if preparation.is_checking {
            return Ok(());
        }
        preparation.is_checking = true;
        let alive = self.variants.iter().filter(|state| state.is_alive());
        self.stage_started(Stage::Check, alive.count())
    }
}
