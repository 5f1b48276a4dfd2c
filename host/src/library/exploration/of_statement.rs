//! An experiment that a program has a model write from a statement.

use super::super::error::Error;
use super::super::generation::GenerateOptions;
use super::chosen_criteria::ChosenCriteria;
use super::error::ExplorationError;
use super::like_experiment::LikeExperiment;
use super::request::{ExplorationRequest, ExplorationSetting, GivenParts, check_statement};
use super::result::{ExplorationPlan, ExplorationResult, PlanKind};
use super::sketch::Sketch;
use crate::library::blocking::blocking;
use crate::library::generation::events::GenerationEvents;
use crate::library::generation::{GenerationError, STOPPED, cores_of};
use crate::library::listener::Listener;
use crate::library::setting::Setting;
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::spec::Workers;
use bakeoff_provider::Models;
use bakeoff_run::HostOptions;
use bakeoff_store::events::Envelope;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// An experiment that a model writes from a statement alone, as `bakeoff explore` does: a plan, an interface, a workload with
/// its oracle, and approaches, each of which is built and called in the sandbox.
///
/// ```no_run
/// use bakeoff::{Experiment, Exploration, GenerateOptions, ModelOptions};
///
/// # fn main() -> Result<(), bakeoff::Error> {
/// let model = ModelOptions::new("anthropic", "claude-sonnet-5-5").usd(1.0);
/// let options = GenerateOptions::new(model).idea("expand", "Expand around each centre.");
/// let palindromes = Exploration::of("Find the longest palindrome in a text.", "palindromes")?
///     .criterion("performance", 1.0)
///     .criterion("memory", 0.5);
/// let plan = palindromes.plan(&options)?;
/// if plan.expected_usd().is_some_and(|dollars| dollars < 0.5) {
///     let explored = palindromes.explore(&options)?;
///     println!("{}", explored.text());
///     if explored.generation().is_complete() && explored.has_experiment() {
///         println!("{}", Experiment::open("palindromes")?.run()?.answer());
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "no model is asked before the experiment is explored"]
pub struct Exploration {
    pub(super) statement: String,
    pub(super) folder: PathBuf,
    criteria: ChosenCriteria,
    like: Option<PathBuf>,
    workers: Workers,
    setting: Setting,
    on_event: Option<Listener>,
    /// The form of the sketch in each text of an answer in words, if it is one.
    in_words: Option<Sketch>,
}

/// The model of an exploration, which was opened, and the machine.
struct OpenedExploration {
    earlier: Option<LoadedExperiment>,
    models: Arc<Models>,
    host: HostOptions,
    cores: usize,
    events: GenerationEvents,
    warnings: Vec<String>,
}

impl fmt::Debug for Exploration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exploration")
            .field("statement", &self.statement)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl Exploration {
    /// Returns the exploration of a problem, in a sentence or several, whose experiment is written to a folder that has none
    /// yet. The host's policy holds, as on the command line.
    ///
    /// # Errors
    /// [`ErrorKind::Experiment`](crate::ErrorKind): the host's policy cannot be read.
    pub fn of(statement: impl Into<String>, folder: impl Into<PathBuf>) -> Result<Self, Error> {
        Ok(Self {
            statement: statement.into(),
            folder: folder.into(),
            criteria: ChosenCriteria::default(),
            like: None,
            workers: Workers::Auto,
            setting: Setting::of_host()?,
            on_event: None,
            in_words: None,
        })
    }

    /// Makes the exploration end with an answer in words, for a question that no function answers: approaches are developed as
    /// texts, each with a sketch of this form, and nothing is built or run. The folder becomes a question in words, of which
    /// [`Experiment::judge`](crate::Experiment::judge) has a model asked for its opinions. Criteria have any names then, and
    /// there is no [`like`](Self::like), no [`GenerateOptions::research`] and no repair.
    pub fn in_words(mut self, sketch: Sketch) -> Self {
        self.in_words = Some(sketch);
        self
    }

    /// Adds a criterion, and how much it counts beside the others: `performance`, `memory`, `simplicity`, `wall`, `fuel`,
    /// `size`, `cold-start` or `build-time`. Without any, the plan proposes some.
    pub fn criterion(mut self, name: &str, weight: f64) -> Self {
        self.criteria.listed.push((name.to_owned(), weight));
        self
    }

    /// Sets a file of criteria, as tables `[[criterion]]` of an experiment file.
    pub fn criteria(mut self, file: impl Into<PathBuf>) -> Self {
        self.criteria.file = Some(file.into());
        self
    }

    /// Sets the folder of an earlier experiment, whose criteria, limits and options of measuring are taken over, and whose
    /// interface and workload the model is shown as an example.
    pub fn like(mut self, experiment: impl Into<PathBuf>) -> Self {
        self.like = Some(experiment.into());
        self
    }

    /// Sets the number of cores on which prototypes are tried; 0 counts as 1.
    pub fn workers(mut self, workers: u32) -> Self {
        self.workers = Workers::Exactly(workers.max(1));
        self
    }

    /// Sets the folder of the build cache, instead of the user's own. The files in it are run, so nobody else may be
    /// able to write to it.
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.setting.cache = Some(folder.into());
        self
    }

    /// Allows that what the model writes is tried also where nothing confines untrusted code, unless the host's policy
    /// forbids that. It then has all rights of this program's user.
    ///
    /// # Errors
    /// [`ErrorKind::Experiment`](crate::ErrorKind): the policy forbids it.
    pub fn allow_unconfined(mut self) -> Result<Self, Error> {
        self.setting = self.setting.allow_unconfined()?;
        Ok(self)
    }

    /// Sets the function that is called with each event, as a line of JSON, in their order. Whatever goes on waits for it.
    pub fn on_event(mut self, listener: impl FnMut(&str) + Send + 'static) -> Self {
        self.on_event = Some(Listener::new(listener));
        self
    }

    /// Returns a function that asks the exploration to stop, from another thread or a handler of signals. The replies of the
    /// model are kept, and the same request goes on from there.
    pub fn stopper(&self) -> impl Fn() + Send + Sync + 'static {
        self.setting.stopper()
    }

    /// Asks the model for a plan alone. [`explore`](Self::explore) with the same options carries it out, and does not pay for
    /// it again. It blocks as [`explore`](Self::explore) does.
    ///
    /// # Errors
    /// As for [`explore`](Self::explore).
    pub fn plan(&self, options: &GenerateOptions) -> Result<ExplorationPlan, Error> {
        blocking(|| self.unless_stopped(self.plan_for(options)))
    }

    /// Has the model write the experiment, and writes what passes into the folder: it is an ordinary experiment then, which
    /// is opened to be run. The number of approaches is left to the plan, unless [`GenerateOptions::approaches`] or an idea
    /// of your own says it. It blocks until all is over, on threads of its own: from asynchronous code, call it where blocking
    /// is allowed.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). There is no plan, no function answers the question, or the folder has an experiment
    /// already, unless the same request left it unfinished. A budget that ends after the plan is no error, and neither is an
    /// approach that fails, or an interface that cannot be used: [`ExplorationResult`] says it, and what passed until then is written.
    pub fn explore(&self, options: &GenerateOptions) -> Result<ExplorationResult, Error> {
        blocking(|| self.unless_stopped(self.explored(options)))
    }

    async fn unless_stopped<T>(
        &self,
        work: impl Future<Output = Result<T, ExplorationError>>,
    ) -> Result<T, Error> {
        tokio::select! {
            biased;
            () = self.setting.stop.raised() => Err(Error::stopped(STOPPED)),
            done = work => Ok(done?),
        }
    }

    async fn plan_for(
        &self,
        options: &GenerateOptions,
    ) -> Result<ExplorationPlan, ExplorationError> {
        let given = self.given(options)?;
        if let Some(sketch) = self.in_words {
            let planned = self.planned_in_words(options, &given, sketch).await?;
            return Ok(ExplorationPlan::new(PlanKind::InWords(planned)));
        }
        let request = self.request(options, &given);
        let opened = self.open(&request, options)?;
        let planned = request.plan(&opened.setting(), &mut |_| {}).await?;
        Ok(ExplorationPlan::new(PlanKind::Measured(planned.planning)))
    }

    async fn explored(
        &self,
        options: &GenerateOptions,
    ) -> Result<ExplorationResult, ExplorationError> {
        let given = self.given(options)?;
        if let Some(sketch) = self.in_words {
            return self.explored_in_words(options, &given, sketch).await;
        }
        let request = self.request(options, &given);
        let opened = self.open(&request, options)?;
        let setting = opened.setting();
        let planned = request.plan(&setting, &mut |_| {}).await?;
        let explored = request.carry_out(&planned, &setting, |_| {}).await?;
        opened.events.end(explored.ended.is_none());
        let mut warnings = opened.warnings.clone();
        let mut warn = |text: &str| warnings.push(text.to_owned());
        let came = (planned, explored);
        let made = request.write(came, &opened.models, opened.earlier.as_ref(), &mut warn)?;
        Ok(made.after(warnings))
    }

    /// Returns what the program gives with the statement.
    fn given(&self, options: &GenerateOptions) -> Result<GivenParts, ExplorationError> {
        check_statement(&self.statement)?;
        options.check()?;
        if options.ideas().count() == 0 && options.wanted_approaches() == Some(0) {
            return Err(GenerationError::Usage(
                "0 approaches are none at all without an idea of your own".to_owned(),
            )
            .into());
        }
        let like = self.like.as_deref();
        let like = like.map(|folder| LikeExperiment::read("`Exploration::like`", folder));
        Ok(GivenParts {
            ideas: options.ideas().clone(),
            criteria: self.criteria.clone(),
            like: like.transpose()?,
            writing: options.writing(),
            model: options.model().identity(),
        })
    }

    fn request<'a>(
        &'a self,
        options: &GenerateOptions,
        given: &'a GivenParts,
    ) -> ExplorationRequest<'a> {
        ExplorationRequest {
            statement: &self.statement,
            folder: &self.folder,
            approaches: options.wanted_approaches(),
            given,
            context_option: "`GenerateOptions::context`",
            criteria_option: "`Exploration::criteria`",
        }
    }

    /// Opens the model for a request, once nothing hinders that its outcome is written.
    fn open(
        &self,
        request: &ExplorationRequest<'_>,
        options: &GenerateOptions,
    ) -> Result<OpenedExploration, ExplorationError> {
        let earlier = request.unfinished()?;
        let mut warnings = Vec::new();
        let mut warn = |text: &str| warnings.push(text.to_owned());
        request.clear_places(&mut warn)?;
        let events = request.begin_events(self.teller(), &mut warn)?;
        let models = options.model().open_in(&self.folder, &events, &mut warn)?;
        Ok(OpenedExploration {
            earlier,
            models,
            host: self.setting.host(),
            cores: cores_of(self.workers),
            events,
            warnings,
        })
    }

    /// Returns the receiver of events.
    pub(super) fn teller(&self) -> impl Fn(&Envelope) + Send + 'static + use<> {
        let listener = self.on_event.clone();
        move |event: &Envelope| listener.iter().for_each(|one| one.tell(event))
    }
}

impl OpenedExploration {
    fn setting(&self) -> ExplorationSetting<'_> {
        ExplorationSetting {
            models: &self.models,
            host: &self.host,
            cores: self.cores,
            events: &self.events,
        }
    }
}
