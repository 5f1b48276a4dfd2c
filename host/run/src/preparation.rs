//! Builds and checks as tasks of one queue: a check starts as soon as its build is done, independently of the other
//! builds. Stages that need the results of all variants come after all of them.

use super::agreement;
use super::checks::with_report;
use super::child_client::{ChildAnswer, core_task, wrong_task};
use super::context::runner_error;
use super::error::RunError;
use super::evaluations::When;
use super::instances;
use super::screening::{coarse_failures, set_screening};
use super::session::Run;
use bakeoff_confine::tasks::TaskEvent;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::numbers;
use bakeoff_domain::queue::{Task, TaskKey};
use bakeoff_domain::report::words;
use bakeoff_domain::score::CHOSEN;
use bakeoff_domain::variant::VariantId;
use bakeoff_measure::GateRecord;
use bakeoff_store::events::{Event, Origin, Stage};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Priority of a diagnosis, above builds and checks: a gate is not stored until its diagnosis has ended.
const DIAGNOSIS_PRIORITY: i32 = 1;

/// The largest number of variants in the name of a build's task.
const NAMED_MAX: usize = 4;

/// Purpose of a task.
pub(super) enum Purpose {
    /// The build of these variants, which have the same code.
    Build(Vec<VariantId>),
    /// The gate of a variant.
    Check(VariantId),
    /// The diagnosis of a trap in the gate of a variant, with the gate's record.
    Diagnosis(VariantId, Box<GateRecord>),
}

/// The builds and checks of a run under way.
pub(super) struct Preparation {
    pub(super) purposes: BTreeMap<TaskKey, Purpose>,
    pub(super) open_builds: usize,
    /// The gates that ended with an answer on which the workload failed.
    unjudged: Vec<(VariantId, GateRecord)>,
    /// The changed inputs of checks that all variants share, if they were reported.
    pub(super) reported: BTreeSet<String>,
    is_checking: bool,
}

impl Preparation {
    /// Returns the name of a task, in words.
    fn name(&self, key: &TaskKey) -> String {
        match self.purposes.get(key) {
            Some(Purpose::Build(ids)) => {
                let ids = ids.iter().map(ToString::to_string).collect();
                format!("build of {}", words::listed(ids, NAMED_MAX))
            }
            Some(Purpose::Check(id)) => format!("check of {id}"),
            Some(Purpose::Diagnosis(id, _)) => format!("diagnosis of {id}"),
            None => key.to_string(),
        }
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
        let mut preparation = Preparation {
            purposes: BTreeMap::new(),
            open_builds: 0,
            unjudged: Vec::new(),
            reported: BTreeSet::new(),
            is_checking: false,
        };
        self.add_builds_and_checks(&mut preparation)?;
        if preparation.open_builds == 0 {
            self.stage_done(Stage::Build)?;
        }
        let mut built = Instant::now();
        while let Some(event) = self.tasks.next().await {
            let is_building = preparation.open_builds > 0;
            self.on_task(&mut preparation, event)?;
            if is_building {
                // Building stands outside of every budget.
                built = Instant::now();
            }
            self.tell_tasks(|key| preparation.name(key))?;
        }
        self.start_checking(&mut preparation)?;
        self.explain_all_unjudged(preparation.unjudged).await?;
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
        self.warn_of_oracle().await?;
        self.evaluate(When::BeforeRace).await?;
        self.spent += built.elapsed();
        self.warn_of_spent_budget()?;
        self.screen().await?;
        self.assess().await?;
        self.all_tasks_ended()?;
        self.stage_done(Stage::Check)
    }

    /// Chooses the variants that race, if more passed than may race.
    async fn screen(&mut self) -> Result<(), RunError> {
        self.set_screening();
        if !self.variants.iter().any(|state| state.is_screened_out()) {
            return Ok(());
        }
        self.coarse = self.coarse_race().await?;
        if let Some(coarse) = &self.coarse {
            let failures: Vec<_> = coarse_failures(coarse, &self.variants);
            self.set_screening();
            for (id, failure) in failures {
                self.fail(&id, failure)?;
            }
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

    fn set_screening(&mut self) {
        let experiment = &self.loaded.experiment;
        let instances = instances::counted(experiment, &self.variants);
        set_screening(
            experiment,
            &self.context.cases,
            instances,
            self.coarse.as_ref(),
            &mut self.variants,
        );
    }

    fn on_task(
        &mut self,
        preparation: &mut Preparation,
        event: TaskEvent<ChildAnswer>,
    ) -> Result<(), RunError> {
        match event {
            TaskEvent::Starting(lease) => self.on_starting(preparation, &lease.attempt.key),
            TaskEvent::Progress(key, done) => match preparation.purposes.get(&key) {
                Some(Purpose::Check(id)) => self.on_checked_cases(id.clone(), done),
                _ => Ok(()),
            },
            TaskEvent::Ended(key, answer) => {
                let Some(purpose) = preparation.purposes.remove(&key) else {
                    return Ok(());
                };
                self.on_ended(preparation, purpose, answer)?;
                // Only now: what is finished is kept also when the user asks to stop.
                self.refuse_if_interrupted()
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
        match preparation.purposes.get(key) {
            Some(Purpose::Build(ids)) => {
                for id in ids {
                    let variant_id = id.as_str().to_owned();
                    self.store.emit(Event::BuildStart { variant_id })?;
                }
            }
            Some(Purpose::Check(id)) => {
                let id = id.clone();
                self.start_checking(preparation)?;
                match self.kept_gate(&id)? {
                    Some(record) => {
                        self.tasks.keep(key);
                        preparation.purposes.remove(key);
                        self.on_gate(&id, record, Origin::Kept)?;
                    }
                    None => {
                        let variant_id = id.into();
                        self.store.emit(Event::CheckStart { variant_id })?;
                    }
                }
            }
            Some(Purpose::Diagnosis(..)) | None => {}
        }
        Ok(())
    }

    fn on_ended(
        &mut self,
        preparation: &mut Preparation,
        purpose: Purpose,
        answer: ChildAnswer,
    ) -> Result<(), RunError> {
        match (purpose, answer) {
            (Purpose::Build(ids), ChildAnswer::Built(result)) => {
                for id in &ids {
                    self.on_build(id, result.clone())?;
                    self.report_changed_check(id, &mut preparation.reported)?;
                }
                preparation.open_builds -= 1;
                match preparation.open_builds {
                    0 => self.stage_done(Stage::Build),
                    _ => Ok(()),
                }
            }
            (Purpose::Check(id), ChildAnswer::Checked(result)) => {
                let record = result.map_err(|error| runner_error(self.loaded, error))?;
                self.on_checked(preparation, id, record)
            }
            (Purpose::Diagnosis(id, mut record), ChildAnswer::Diagnosed(report)) => {
                if let (Some(failure), Some(report)) = (&mut record.failure, report) {
                    failure.message = with_report(failure, report);
                }
                self.keep_gate(&id, &record)?;
                self.on_gate(&id, *record, Origin::New)
            }
            _ => Err(RunError::Engine(
                "a task has the answer of another".to_owned(),
            )),
        }
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
            if let Some(task) = self.diagnosis(&id, failure, &record.calls) {
                let key = TaskKey::new(format!("diagnosis of {id}"));
                let added = Task {
                    priority: DIAGNOSIS_PRIORITY,
                    ..core_task("diagnose", key.clone(), None)
                };
                self.tasks.add(added, task).map_err(wrong_task)?;
                let purpose = Purpose::Diagnosis(id, Box::new(record));
                preparation.purposes.insert(key, purpose);
                return Ok(());
            }
        }
        self.keep_gate(&id, &record)?;
        self.on_gate(&id, record, Origin::New)
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
