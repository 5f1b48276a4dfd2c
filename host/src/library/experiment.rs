//! An experiment that is run by a program.

use super::blocking::blocking;
use super::error::Error;
use super::generation::ModelOptions;
use super::listener::Listener;
use super::opinions::{self, OpenedJudge};
use super::report::Report;
use super::results::{results_folder, write_files};
use super::setting::Setting;
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::spec::{Code, Workers};
use bakeoff_domain::variant::{self, approach_indexes};
use bakeoff_run::{HostOptions, RunOptions};
use bakeoff_search::{FinishedSearch, SearchRequest};
use bakeoff_store::events::Envelope;
use bakeoff_store::{ResultsPlace, Start, Store};
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// An experiment, read from its file, with what this program wants otherwise.
///
/// ```no_run
/// use std::time::Duration;
///
/// fn main() -> std::process::ExitCode {
///     if let Some(status) = bakeoff::enter_if_child() {
///         return status;
///     }
///     match which() {
///         Ok(sentence) => println!("{sentence}"),
///         Err(error) => eprintln!("{error}"),
///     }
///     std::process::ExitCode::SUCCESS
/// }
///
/// fn which() -> Result<String, bakeoff::Error> {
///     let report = bakeoff::Experiment::open("examples/top-k")?
///         .budget(Duration::from_secs(5))
///         .run()?;
///     Ok(report.answer().to_owned())
/// }
/// ```
#[must_use = "an experiment says nothing before it is run"]
pub struct Experiment {
    file: PathBuf,
    loaded: LoadedExperiment,
    setting: Setting,
    results: Option<PathBuf>,
    start: Start,
    /// The model that may be asked for opinions.
    judge: Option<ModelOptions>,
    on_event: Option<Listener>,
}

impl fmt::Debug for Experiment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Experiment")
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

impl Experiment {
    /// Reads an experiment, or a question in words: a folder with a `bakeoff.toml`, or such a file. The host's policy holds, as
    /// on the command line.
    ///
    /// # Errors
    /// [`ErrorKind::Experiment`](super::ErrorKind): there is no experiment, its file is invalid, or the policy forbids
    /// what it asks for.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let mut loaded = bakeoff_config::load_any(path.as_ref())?;
        let setting = Setting::of_host()?;
        if !loaded.experiment.is_in_words() {
            setting.policy.apply_to(&mut loaded)?;
        }
        Ok(Self {
            file: bakeoff_config::file_of(path.as_ref()),
            loaded,
            setting,
            results: None,
            start: Start::Resume,
            judge: None,
            on_event: None,
        })
    }

    /// Returns the experiment's name.
    pub fn name(&self) -> &str {
        &self.loaded.experiment.name
    }

    /// Sets the time for checking and measuring, after building.
    pub fn budget(mut self, budget: Duration) -> Self {
        self.loaded.experiment.measure.budget = budget;
        self
    }

    /// Sets the number of cores to use at once; 0 counts as 1.
    pub fn workers(mut self, workers: u32) -> Self {
        self.loaded.experiment.measure.workers = Workers::Exactly(workers.max(1));
        self
    }

    /// Sets the folder for results, instead of `.bakeoff/NAME` beside the experiment.
    pub fn results(mut self, folder: impl Into<PathBuf>) -> Self {
        self.results = Some(folder.into());
        self
    }

    /// Sets the folder of the build cache, instead of the user's own. The files in it are run, so nobody else may be
    /// able to write to it.
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.setting.cache = Some(folder.into());
        self
    }

    /// Makes the run start over. Earlier runs stay where they are.
    pub fn fresh(mut self) -> Self {
        self.start = Start::Fresh;
        self
    }

    /// Sets the seed that inputs and orders follow from, as a report names it. Without it, a seed is drawn that nobody
    /// who wrote a prototype can know.
    ///
    /// # Errors
    /// [`ErrorKind::Experiment`](super::ErrorKind): the text is no seed.
    pub fn seed(mut self, seed: &str) -> Result<Self, Error> {
        self.setting = self.setting.seed(seed)?;
        Ok(self)
    }

    /// Allows the run also where nothing confines untrusted code, unless the host's policy forbids that. Prototypes
    /// then have all rights of this program's user.
    ///
    /// # Errors
    /// [`ErrorKind::Experiment`](super::ErrorKind): the policy forbids it.
    pub fn allow_unconfined(mut self) -> Result<Self, Error> {
        self.setting = self.setting.allow_unconfined()?;
        Ok(self)
    }

    /// Lets the model of `[judge]` be asked for its opinion of the sources, or of the texts of a question in words, as
    /// `bakeoff run --judge` does. The options name the provider and the model that `[judge]` names, and the replies of a replay;
    /// without [`usd`](ModelOptions::usd) or [`tokens`](ModelOptions::tokens), the bounds of `[judge]` hold, and in any case those
    /// of the host's policy. Without this, nobody is asked, and criteria of opinions have no reading.
    pub fn judge(mut self, model: ModelOptions) -> Self {
        self.judge = Some(model);
        self
    }

    /// Sets the function that is called with each event, as a line of `events.jsonl`, in their order, and with those of
    /// [`generate`](Self::generate). Whatever goes on waits for it.
    pub fn on_event(mut self, listener: impl FnMut(&str) + Send + 'static) -> Self {
        self.on_event = Some(Listener::new(listener));
        self
    }

    /// Returns a function that asks the run to stop, from another thread or a handler of signals. Finished results are
    /// kept, and the next run goes on from there.
    pub fn stopper(&self) -> impl Fn() + Send + Sync + 'static {
        self.setting.stopper()
    }

    /// Runs the experiment, or goes on with a run that was stopped, and writes its report beside the results.
    /// It blocks until the run is over, on threads of its own: from asynchronous code, call it where blocking
    /// is allowed.
    ///
    /// # Errors
    /// See [`ErrorKind`](super::ErrorKind). A variant that fails is no error, but a row of the report, and neither is a model that
    /// gives no opinion.
    pub fn run(&self) -> Result<Report, Error> {
        blocking(|| self.perform())
    }

    /// Returns the file of the source that a variant is made from, and from nothing else: it has no parameters, and is no
    /// component, program or candidate of a search.
    pub(crate) fn source_file(&self, id: &str) -> Option<PathBuf> {
        let approaches = &self.loaded.experiment.approaches;
        let variants = variant::declare(approaches);
        let mut variants = variants.iter().zip(approach_indexes(approaches));
        let (variant, approach) = variants.find(|(variant, _)| variant.id == *id)?;
        match &approaches[approach].code {
            Code::Source(path) if variant.parameters.is_empty() => Some(self.loaded.dir.join(path)),
            _ => None,
        }
    }

    pub(super) fn loaded(&self) -> &LoadedExperiment {
        &self.loaded
    }

    /// Returns the experiment file.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the folder of the experiment.
    pub(super) fn folder(&self) -> &Path {
        &self.loaded.dir
    }

    pub(super) fn setting(&self) -> &Setting {
        &self.setting
    }

    /// Returns the folder of the results.
    ///
    /// # Errors
    /// There is a link on the way to it.
    pub(super) fn results_place(&self) -> Result<ResultsPlace, Error> {
        Ok(match &self.results {
            Some(folder) => ResultsPlace::Named(folder.clone()),
            None => results_folder(&self.loaded.dir, &self.loaded.experiment)?,
        })
    }

    /// Returns a function that tells the listener of events, if there is one.
    pub(super) fn teller(&self) -> Option<impl Fn(&Envelope) + Send + 'static + use<>> {
        let listener = self.on_event.clone()?;
        Some(move |event: &Envelope| listener.tell(event))
    }

    async fn perform(&self) -> Result<Report, Error> {
        let judge = self.judge.as_ref();
        let judge = judge.map(|model| opinions::open(model, &self.loaded, &self.setting.policy));
        let judge = judge.transpose()?;
        let folder = self.results_place()?;
        let host = self.setting.host();
        let searched = self.search(&folder, &host).await?;
        let (loaded, rounds) = match searched {
            Some(searched) => (Cow::Owned(searched.experiment), Some(searched.rounds)),
            None => (Cow::Borrowed(&self.loaded), None),
        };
        let options = RunOptions {
            seed: self.setting.seed,
            interrupt: self.setting.stop.clone(),
            rounds,
            judge: judge.as_ref().map(|one| Arc::clone(&one.judge)),
            ..RunOptions::new(folder, self.start, host)
        };
        let teller = self.teller();
        let subscribe = |store: &mut Store| {
            if let Some(tell) = teller {
                store.subscribe(tell);
            }
        };
        let finished = bakeoff_run::run(&loaded, &options, &mut |_| {}, subscribe).await?;
        // The store is open until the files are written: another run would write the same ones.
        write_files(&finished.store, &finished.report, &finished.sources)?;
        let mut report = finished.report;
        let doubts = judge.iter().flat_map(OpenedJudge::doubts);
        report.notes.splice(0..0, doubts);
        Ok(Report::new(report, finished.sources))
    }

    /// Searches in rounds, if the experiment has `[rounds]`.
    async fn search(
        &self,
        results: &ResultsPlace,
        host: &HostOptions,
    ) -> Result<Option<FinishedSearch>, Error> {
        let Some(options) = self.loaded.rounds.clone() else {
            return Ok(None);
        };
        let request = SearchRequest {
            loaded: &self.loaded,
            options,
            results: results.clone(),
            start: self.start,
            more: None,
            host: host.clone(),
            interrupt: self.setting.stop.clone(),
            resume: String::new(),
            model: None,
        };
        Ok(Some(bakeoff_search::search(&request, &mut |_| {}).await?))
    }
}
