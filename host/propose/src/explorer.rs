//! Execution of a plan: its tasks run on a queue, each as soon as the tasks that it depends on have results.

use super::draft::{self, Draft, DraftError, DraftFile, WrittenInterface};
use super::explore_options::ExploreOptions;
use super::idea::{Idea, free_name};
use super::known_ideas::KnownIdeas;
use super::plan::{Plan, TaskKind};
use super::proposal::{KnownWork, Proposal, ProposalOutcome, in_words};
use super::proposer::{self, OwnApproach, known_idea, work_of};
use super::sketch::{COMBINATION, Sketch};
use super::step::OnStep;
use super::writer::{FinishedProposal, PrototypeOrigin, PrototypeWriter};
use bakeoff_confine::tasks::{AttemptReport, Driver, Job, TaskClient, TaskEvent};
use bakeoff_domain::oracle::OracleTest;
use bakeoff_domain::queue::{Capacity, Dependency, Needs, Retries, Task, TaskKey};
use bakeoff_provider::{AskError, Models};
use bakeoff_run::{HostOptions, RunError, Survey};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Receiver of progress messages.
type Reporter = Box<dyn FnMut(&str) + Send>;

/// Result of an exploration.
#[derive(Debug, Default)]
pub struct ExplorationParts {
    /// The files of the experiment, with the plain solution as its only approach; empty if interface or workload
    /// could not be used.
    pub files: Vec<DraftFile>,
    /// Result of the test of the oracle; `None` if there is no workload.
    pub oracle: Option<OracleTest>,
    /// The approaches in the order of the plan, combinations last.
    pub proposals: Vec<Proposal>,
    /// The task whose answer could not be used (interface, workload or ideas), and the reason.
    pub unusable: Option<(TaskKind, String)>,
    /// Tasks that never began, since a task that they depend on has no result.
    pub not_started: Vec<String>,
    /// The error that ended the exploration early: a spent budget, or a model that gives no answers at all.
    pub ended: Option<AskError>,
}

/// Executes a plan, and returns its results. Progress messages go to `report`.
///
/// # Errors
/// Something fails that does not depend on the model.
pub async fn explore(
    models: &Arc<Models>,
    plan: &Plan,
    host: &HostOptions,
    options: &ExploreOptions,
    report: impl FnMut(&str) + Send + 'static,
) -> Result<ExplorationParts, RunError> {
    let worker = Explorer {
        models: Arc::clone(models),
        host: host.clone(),
        options: options.clone(),
        approaches: plan.approaches(),
        // The plain solution is not among what is known: it may be one of the approaches, done well.
        known: Vec::new(),
        report: Mutex::new(Box::new(report)),
        state: Mutex::default(),
    };
    work_off(Arc::new(worker), plan, KnownWork::default()).await
}

/// Executes a plan of approaches beside the user's own: interface and workload are those of a survey, which has these
/// approaches. Progress messages go to `report`.
///
/// # Errors
/// Something fails that does not depend on the model.
pub async fn explore_beside(
    models: &Arc<Models>,
    plan: &Plan,
    (survey, own, wished): (Survey, &[OwnApproach<'_>], &[OwnApproach<'_>]),
    host: &HostOptions,
    options: &ExploreOptions,
    report: impl FnMut(&str) + Send + 'static,
) -> Result<ExplorationParts, RunError> {
    let (statement, write) = (&options.told, &options.propose.write);
    let writer = PrototypeWriter::new(models, Arc::new(survey), statement, write);
    let work = work_of(&writer, own).await?;
    let worker = Explorer {
        models: Arc::clone(models),
        host: host.clone(),
        options: options.clone(),
        approaches: plan.approaches(),
        known: own.iter().chain(wished).map(known_idea).collect(),
        report: Mutex::new(Box::new(report)),
        state: Mutex::new(State {
            writer: Some(writer),
            ..State::default()
        }),
    };
    work_off(Arc::new(worker), plan, work).await
}

/// Puts the tasks of a plan on a queue, and returns their results. `work` is that of the approaches that exist already.
async fn work_off(
    worker: Arc<Explorer>,
    plan: &Plan,
    mut work: KnownWork,
) -> Result<ExplorationParts, RunError> {
    let capacity = Capacity::of_cores(0..0);
    let mut driver = Driver::new(capacity, Arc::clone(&worker));
    let mut waiting: BTreeMap<TaskKey, ()> = BTreeMap::new();
    for planned in &plan.tasks {
        let key = key(planned.kind, planned.number);
        let after = planned.after.iter().map(|place| {
            let other = &plan.tasks[*place];
            let other_key = self::key(other.kind, other.number);
            match (planned.kind, other.kind) {
                // An approach that failed leaves the others, unless they are made of it.
                (TaskKind::Approach, TaskKind::Approach) => Dependency::on_end(other_key),
                _ => Dependency::on_result(other_key),
            }
        });
        let task = Task {
            after: after.collect(),
            priority: planned.priority,
            retries: Retries::NONE,
            ..Task::new(key.clone(), planned.kind.name(), needs())
        };
        let of = planned.after.iter().map(|place| plan.tasks[*place].number);
        let content = ExploreTask {
            kind: planned.kind,
            number: planned.number,
            of: of.collect(),
        };
        driver.add(task, content).map_err(RunError::wrong_task)?;
        waiting.insert(key, ());
    }
    let mut explored = ExplorationParts::default();
    let mut finished = MadeByTask::new();
    loop {
        let made = finish_tasks(&mut driver, &mut waiting, &mut explored).await?;
        if let Some(draft) = worker.state().draft.take() {
            work.add(draft::PLAIN, &draft.plain_fuel);
            (explored.files, explored.oracle) = (draft.files, Some(draft.oracle));
        }
        for (place, mut proposal) in made {
            work.hold_against(&mut proposal);
            if let ProposalOutcome::Duplicate { .. } = &proposal.outcome {
                worker.on_step().ended(&proposal.idea, &proposal.outcome);
            }
            finished.insert(place, proposal);
        }
        if explored.ended.is_some() {
            break;
        }
        let more = match worker.in_place_of_duplicates(&finished).await {
            Ok(more) if more.is_empty() => break,
            Ok(more) => more,
            Err(error) => {
                explored.ended = Some(error);
                break;
            }
        };
        for number in more {
            let key = key(TaskKind::Approach, number);
            let task = Task {
                retries: Retries::NONE,
                ..Task::new(key.clone(), TaskKind::Approach.name(), needs())
            };
            let content = ExploreTask {
                kind: TaskKind::Approach,
                number,
                of: Vec::new(),
            };
            driver.add(task, content).map_err(RunError::wrong_task)?;
            waiting.insert(key, ());
        }
    }
    explored.not_started = waiting.into_keys().map(|key| key.to_string()).collect();
    explored.proposals = finished.into_values().collect();
    Ok(explored)
}

/// Proposals, by the kind and number of the task that wrote them.
type MadeByTask = BTreeMap<(TaskKind, usize), Proposal>;

/// Runs the queue until no more tasks can be done, and returns the proposals that were written.
async fn finish_tasks(
    driver: &mut Driver<Explorer>,
    waiting: &mut BTreeMap<TaskKey, ()>,
    explored: &mut ExplorationParts,
) -> Result<MadeByTask, RunError> {
    let mut made = MadeByTask::new();
    while let Some(event) = driver.next().await {
        match event {
            TaskEvent::Ended(key, answer) => {
                waiting.remove(&key);
                match answer {
                    StepAnswer::Done => {}
                    StepAnswer::Unusable(kind, reason) => explored.unusable = Some((kind, reason)),
                    StepAnswer::Made(kind, number, proposal) => {
                        made.insert((kind, number), *proposal);
                    }
                    StepAnswer::Ended(error) => {
                        explored.ended.get_or_insert(error);
                    }
                    StepAnswer::Broken(error) => return Err(*error),
                }
            }
            TaskEvent::DeadLetter(key, reason) => {
                return Err(RunError::dead_letter(&key, &reason));
            }
            _ => {}
        }
    }
    Ok(made)
}

/// Returns what a task needs of the queue: nothing. Most of the time it waits for a model, which bounds its calls itself,
/// and prototypes are tried on as many cores as their writer has.
fn needs() -> Needs {
    Needs::default()
}

fn key(kind: TaskKind, number: usize) -> TaskKey {
    TaskKey::new(format!("{} {number}", kind.name()))
}

/// A task of a plan.
#[derive(Clone, Debug)]
struct ExploreTask {
    kind: TaskKind,
    number: usize,
    /// Numbers of the tasks that it depends on; for a combination, of its two approaches.
    of: Vec<usize>,
}

/// Result of a task.
#[derive(Debug)]
enum StepAnswer {
    Done,
    /// The model's answer cannot be used after all repairs: the task's kind, and the reason.
    Unusable(TaskKind, String),
    Made(TaskKind, usize, Box<Proposal>),
    Ended(AskError),
    Broken(Box<RunError>),
}

impl From<DraftError> for StepAnswer {
    fn from(error: DraftError) -> Self {
        match error {
            DraftError::Ask(error) => Self::Ended(error),
            DraftError::Unusable(reason) => Self::Unusable(TaskKind::Workload, reason),
            DraftError::Run(error) => Self::Broken(Box::new(error)),
        }
    }
}

/// Results of tasks, for the tasks that depend on them.
#[derive(Default)]
struct State {
    interface: Option<WrittenInterface>,
    draft: Option<Draft>,
    writer: Option<PrototypeWriter>,
    sketch: Option<Sketch>,
    passed: BTreeMap<usize, (Idea, String)>,
}

/// Client of the queue that does the tasks of an exploration.
struct Explorer {
    models: Arc<Models>,
    host: HostOptions,
    options: ExploreOptions,
    approaches: u32,
    /// The user's own approaches, as ideas.
    known: Vec<Idea>,
    report: Mutex<Reporter>,
    state: Mutex<State>,
}

impl TaskClient for Explorer {
    type Task = ExploreTask;
    type Answer = StepAnswer;

    async fn attempt(&self, job: Job<ExploreTask>, report: AttemptReport<StepAnswer>) {
        let task = &job.task;
        let done = match task.kind {
            TaskKind::Interface => report.while_alive(self.interface()).await,
            TaskKind::Workload => report.while_alive(self.workload()).await,
            TaskKind::Sketch => report.while_alive(self.sketch()).await,
            TaskKind::Approach => report.while_alive(self.approach(task.number)).await,
            TaskKind::Combine => report.while_alive(self.combine(task)).await,
        };
        match done {
            Ok(answer) => report.done(answer),
            Err(answer) => report.failed(answer),
        }
    }
}

/// Answer of a task: `Err` if it has no result for the tasks that depend on one.
type Step = Result<StepAnswer, StepAnswer>;

impl Explorer {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, text: &str) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report(text);
    }

    async fn interface(&self) -> Step {
        self.say("asking for the interface");
        let written = draft::interface(&self.models, &self.options).await;
        let written = written.map_err(|error| match StepAnswer::from(error) {
            StepAnswer::Unusable(_, reason) => StepAnswer::Unusable(TaskKind::Interface, reason),
            other => other,
        })?;
        self.state().interface = Some(written);
        Ok(StepAnswer::Done)
    }

    async fn workload(&self) -> Step {
        let interface = self.state().interface.clone();
        let Some(interface) = interface else {
            return Err(missing("interface"));
        };
        self.say("asking for the workload, its oracle and a plain solution");
        let options = &self.options;
        let draft = draft::workload(
            &self.models,
            options,
            &interface,
            &self.host,
            &mut |text: &str| self.say(text),
        )
        .await?;
        self.say(&format!("workload: {}", draft.oracle.sentence()));
        let survey = Arc::clone(&draft.survey);
        let write = &options.propose.write;
        let writer = PrototypeWriter::new(&self.models, survey, &options.told, write);
        let mut state = self.state();
        state.writer = Some(writer);
        state.draft = Some(draft);
        Ok(StepAnswer::Done)
    }

    async fn sketch(&self) -> Step {
        let writer = self.writer()?;
        self.say(&format!("asking for {} approaches", self.approaches));
        let diversity = self.options.propose.diversity;
        let known = KnownIdeas::new(self.known.clone(), diversity, &writer);
        let wished = self.options.wished.iter().map(|one| one.idea.clone());
        let wished = (wished.collect(), known);
        let sketch = Sketch::ask(&self.models, &writer.problem, wished, self.approaches).await;
        let sketch = sketch.map_err(StepAnswer::Ended)?;
        self.tell_ideas(&sketch, 1..=sketch.len());
        self.state().sketch = Some(sketch);
        Ok(StepAnswer::Done)
    }

    /// Asks for ideas in the place of approaches that do the work of others, while there are rounds left. Returns the
    /// numbers of the tasks that write them.
    async fn in_place_of_duplicates(&self, finished: &MadeByTask) -> Result<Vec<usize>, AskError> {
        let approaches = finished.iter();
        // Whatever the user's own ideas came to, they are what was wished for.
        let wished = self.options.wished.len();
        let approaches = approaches
            .filter(|((kind, number), _)| *kind == TaskKind::Approach && *number > wished);
        let useful = proposer::useful(approaches.map(|(_, proposal)| proposal));
        let asked = self.approaches.saturating_sub(wished as u32);
        let missing = asked.saturating_sub(useful);
        let sketch = self.state().sketch.take();
        let (Some(mut sketch), Ok(writer)) = (sketch, self.writer()) else {
            return Ok(Vec::new());
        };
        let before = sketch.len();
        // With fewer ideas than tasks all rounds are over, and the tasks without one have said so.
        if missing == 0 || before < self.approaches as usize {
            return Ok(Vec::new());
        }
        self.say(&format!(
            "{missing} of the approaches do the same work as others: asking for others in their place"
        ));
        let (models, problem) = (&self.models, &writer.problem);
        let more = sketch.ask_again(models, problem, missing).await?;
        self.tell_ideas(&sketch, before + 1..=before + more);
        self.state().sketch = Some(sketch);
        Ok((before + 1..=before + more).collect())
    }

    fn on_step(&self) -> &OnStep {
        &self.options.propose.write.on_step
    }

    /// Tells of the ideas of these numbers.
    fn tell_ideas(&self, sketch: &Sketch, numbers: RangeInclusive<usize>) {
        for idea in numbers.filter_map(|number| sketch.idea(number)) {
            self.on_step().idea(idea);
        }
    }

    async fn approach(&self, number: usize) -> Step {
        let writer = self.writer()?;
        let idea = {
            let state = self.state();
            let sketch = state.sketch.as_ref();
            sketch.and_then(|sketch| sketch.idea(number)).cloned()
        };
        let Some(idea) = idea else {
            let reason = "the model named fewer approaches than are planned".to_owned();
            return Err(StepAnswer::Unusable(TaskKind::Sketch, reason));
        };
        let wish = self.options.wished.get(number - 1);
        let origin = match wish {
            Some(wish) => PrototypeOrigin::Wished(wish.instructions.as_ref()),
            None => PrototypeOrigin::New,
        };
        self.write(&writer, TaskKind::Approach, idea, number, origin)
            .await
    }

    /// Returns a name that none of the user's own approaches has. No idea's name begins with [`COMBINATION`].
    fn name_of_combination(&self, number: usize) -> String {
        let is_taken = |name: &str| self.known.iter().any(|idea| idea.name == name);
        free_name(&format!("{COMBINATION}{number}"), is_taken)
    }

    async fn combine(&self, task: &ExploreTask) -> Step {
        let writer = self.writer()?;
        let two: Vec<(Idea, String)> = {
            let state = self.state();
            let found = task
                .of
                .iter()
                .map(|number| state.passed.get(number).cloned());
            found.flatten().collect()
        };
        let Ok(two) = <[(Idea, String); 2]>::try_from(two) else {
            return Err(missing("approach"));
        };
        let idea = Idea {
            name: self.name_of_combination(task.number),
            description: format!("Made of {} and {}.", two[0].0.name, two[1].0.name),
            ..Idea::default()
        };
        self.on_step().idea(&idea);
        let origin = PrototypeOrigin::Combined(&two);
        self.write(&writer, TaskKind::Combine, idea, task.number, origin)
            .await
    }

    async fn write(
        &self,
        writer: &PrototypeWriter,
        kind: TaskKind,
        idea: Idea,
        number: usize,
        origin: PrototypeOrigin<'_>,
    ) -> Step {
        self.say(&format!("{}: asking for a prototype", idea.name));
        let mut report = |text: &str| self.say(text);
        let made = writer.write(idea, number, origin, &mut report).await;
        let proposal = match made {
            Ok(FinishedProposal::Finished(proposal)) => proposal,
            Ok(FinishedProposal::Ended(error)) => return Err(StepAnswer::Ended(error)),
            Err(error) => return Err(StepAnswer::Broken(Box::new(error))),
        };
        let name = &proposal.idea.name;
        self.say(&format!("{name}: {}", in_words(&proposal.outcome)));
        let passed = proposal.passed().map(str::to_owned);
        let idea = proposal.idea.clone();
        let is_passed = proposal.outcome == ProposalOutcome::Passed;
        let answer = StepAnswer::Made(kind, number, proposal);
        if let (TaskKind::Approach, Some(source)) = (kind, passed) {
            self.state().passed.insert(number, (idea, source));
        }
        if is_passed { Ok(answer) } else { Err(answer) }
    }

    fn writer(&self) -> Result<PrototypeWriter, StepAnswer> {
        let writer = self.state().writer.clone();
        writer.ok_or_else(|| missing("workload"))
    }
}

/// Returns the error of a task that began before the result it depends on was there: a bug of bakeoff.
fn missing(what: &str) -> StepAnswer {
    let reason = format!("a task began before there was its {what}");
    StepAnswer::Broken(Box::new(RunError::Machine(reason)))
}
