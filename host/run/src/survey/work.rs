//! Work on each prototype of a survey, as tasks of one queue.

use super::super::child_attempt::ChildWork;
use super::super::child_tasks::{ChildTasks, OpenTasks, anywhere, core_task, with_compiler};
use super::super::child_work::{Build, BuildResult, BuiltPrototype};
use super::super::context::runner_error;
use super::super::elsewhere::RemoteWorkers;
use super::super::error::RunError;
use super::{Survey, SurveyedPrototype};
use bakeoff_compile::BuildKind;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::queue::TaskKey;
use bakeoff_measure::{RunnerConfig, RunnerError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of the next survey of this process.
static SURVEYS: AtomicU64 = AtomicU64::new(0);

impl Survey {
    /// Builds each prototype in one kind of build, does the work that `work` makes for it on this machine, and returns the
    /// answers.
    pub(super) async fn each<T, W>(
        &self,
        config: &RunnerConfig,
        built: (&[SurveyedPrototype], BuildKind),
        work: impl Fn(BuiltPrototype) -> W,
    ) -> Result<Vec<Result<T, Failure>>, RunError>
    where
        T: Send + 'static,
        W: ChildWork<Answer = Result<T, RunnerError>>,
    {
        self.each_with(None, config, built, work).await
    }

    /// Does what [`each`](Self::each) does, with workers on other machines where there are any.
    pub(super) async fn each_with<T, W>(
        &self,
        workers: Option<&Arc<RemoteWorkers>>,
        config: &RunnerConfig,
        (prototypes, kind): (&[SurveyedPrototype], BuildKind),
        work: impl Fn(BuiltPrototype) -> W,
    ) -> Result<Vec<Result<T, Failure>>, RunError>
    where
        T: Send + 'static,
        W: ChildWork<Answer = Result<T, RunnerError>>,
    {
        let context = &self.context;
        let most = (workers, prototypes.len());
        let builder = &context.tools.builder;
        let mut tasks = ChildTasks::of_few(builder, config, &context.cores, most);
        // Several surveys have tasks on the same machines at once, and each task has a name of its own there.
        let number = SURVEYS.fetch_add(1, Ordering::Relaxed);
        let mut builds: OpenTasks<usize, BuildResult> = OpenTasks::default();
        let mut calls: OpenTasks<usize, Result<T, RunnerError>> = OpenTasks::default();
        let mut surveyed: Vec<Option<Result<T, Failure>>> = Vec::new();
        for (place, prototype) in prototypes.iter().enumerate() {
            surveyed.push(None);
            let code = match prototype.code.clone() {
                Ok(code) => code,
                Err(failure) => {
                    surveyed[place] = Some(Err(failure));
                    continue;
                }
            };
            let name = &prototype.name;
            let build = TaskKey::new(format!("build of {name} in survey {number}, {place}"));
            let request = context.prototype(code, kind, prototype.swept);
            let mut task = core_task("build", build.clone(), None);
            if workers.is_some() {
                task = with_compiler(task, &context.tools.builder, &request);
            }
            builds.insert(tasks.add(task, Build(request))?, place);
            let key = TaskKey::new(format!("check of {name} in survey {number}, {place}"));
            let mut task = core_task("check", key, Some(&build));
            if workers.is_some() {
                task = anywhere(task, prototype.files.as_ref());
            }
            let prototype = BuiltPrototype {
                build,
                files: prototype.files.clone(),
            };
            calls.insert(tasks.add(task, work(prototype))?, place);
        }
        while let Some(ended) = tasks.next_ended().await? {
            if let Some(workers) = workers {
                workers.refuse_false_answers()?;
            }
            match builds.take(ended) {
                // Its calls are not made.
                Ok((place, Err(failure))) => surveyed[place] = Some(Err(failure)),
                Ok((_, Ok(_))) => {}
                Err(ended) => {
                    if let Ok((place, made)) = calls.take(ended) {
                        let made = made.map_err(|error| runner_error(&self.loaded, error))?;
                        surveyed[place] = Some(Ok(made));
                    }
                }
            }
        }
        if let Some(workers) = workers {
            workers.add_survey(tasks.seat_loads());
        }
        Ok(surveyed.into_iter().flatten().collect())
    }
}
