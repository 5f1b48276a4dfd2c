//! A comparison of files, without an experiment's file, by a program.

use super::blocking::blocking;
use super::error::Error;
use super::report::Report;
use super::setting::Setting;
use bakeoff_compare::{GivenInputs, Prepared, SearchBounds};
use bakeoff_domain::spec::Measure;
use bakeoff_files::Scratch;
use bakeoff_render::escape::Lines;
use bakeoff_run::RunOptions;
use bakeoff_store::{ResultsPlace, Start};
use std::path::PathBuf;
use std::time::Duration;

/// Files that are compared without an experiment's file, as `bakeoff compare` does: the function that all have in common is
/// called, inputs are drawn by its types, and the files judge each other.
///
/// ```no_run
/// use bakeoff::{Comparison, ComparisonResult};
///
/// fn main() -> std::process::ExitCode {
///     if let Some(status) = bakeoff::enter_if_child() {
///         return status;
///     }
///     let compared = Comparison::of_files(["sort.rs", "heap.rs"]).and_then(|two| two.run());
///     match compared {
///         Ok(ComparisonResult::Timed(report)) => println!("{}", report.answer()),
///         Ok(ComparisonResult::Untimed(reason)) => println!("{}", reason.text()),
///         Ok(_) => {}
///         Err(error) => eprintln!("{error}"),
///     }
///     std::process::ExitCode::SUCCESS
/// }
/// ```
#[must_use = "a comparison says nothing before it is run"]
#[derive(Debug)]
pub struct Comparison {
    files: Vec<PathBuf>,
    setting: Setting,
    call: Option<String>,
    wit: Option<PathBuf>,
    workload: Option<PathBuf>,
    cases: Option<PathBuf>,
    sizes: Vec<u32>,
    measure: Measure,
}

/// The end of a comparison.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ComparisonResult {
    /// The files were measured.
    Timed(Box<Report>),
    /// The files do not do the same, or nothing could be timed.
    Untimed(NotTimed),
}

/// The reason why files were compared and nothing was timed.
#[derive(Clone, Debug, PartialEq)]
pub struct NotTimed {
    untimed: bakeoff_render::UntimedComparison,
}

impl NotTimed {
    /// Returns the kind of the reason in a word, as `bakeoff compare --format json` has it: `disagreement`, `all-fail` or
    /// `not-timed`.
    pub fn outcome(&self) -> &'static str {
        self.untimed.outcome.name()
    }

    /// Returns true if two files do not do the same.
    pub fn is_disagreement(&self) -> bool {
        self.untimed.outcome == bakeoff_render::ComparisonOutcome::Disagreement
    }

    /// Returns the call that shows the reason, in WAVE.
    pub fn call(&self) -> Option<&str> {
        self.untimed.call.as_deref()
    }

    /// Returns the answer or the failure of each file to that call, by the file's name. The text is that of the files:
    /// escape it for wherever it is shown.
    pub fn answers(&self) -> impl Iterator<Item = (&str, &str)> {
        let answers = self.untimed.answers.iter();
        answers.map(|one| (one.file.as_str(), one.answer.as_str()))
    }

    /// Returns a file of cases with the call, which [`Comparison::cases`] takes.
    pub fn case(&self) -> Option<&str> {
        let reproduction = self.untimed.reproduction.as_ref();
        reproduction.map(|reproduction| reproduction.cases.as_str())
    }

    /// Returns the reason, the answers and what can be done, as text without control characters.
    pub fn text(&self) -> String {
        Lines(self.untimed.text().trim_end()).to_string()
    }
}

impl Comparison {
    /// Returns a comparison of files, two at least: sources in Rust, C, C++ or Zig, and components, mixed. The host's
    /// policy holds, as on the command line.
    ///
    /// # Errors
    /// [`ErrorKind::Experiment`](super::ErrorKind): the host's policy cannot be read.
    pub fn of_files(files: impl IntoIterator<Item = impl Into<PathBuf>>) -> Result<Self, Error> {
        Ok(Self {
            files: files.into_iter().map(Into::into).collect(),
            setting: Setting::of_host()?,
            call: None,
            wit: None,
            workload: None,
            cases: None,
            sizes: Vec::new(),
            measure: Measure::default(),
        })
    }

    /// Sets the function that is called, instead of the one that all files have in common.
    pub fn call(mut self, name: impl Into<String>) -> Self {
        self.call = Some(name.into());
        self
    }

    /// Sets the WIT that has the function: a file, or a folder of them. [`call`](Self::call) names the function.
    pub fn wit(mut self, path: impl Into<PathBuf>) -> Self {
        self.wit = Some(path.into());
        self
    }

    /// Sets a workload that makes the inputs of these [`sizes`](Self::sizes), instead of drawn ones.
    pub fn workload(mut self, file: impl Into<PathBuf>) -> Self {
        self.workload = Some(file.into());
        self
    }

    /// Sets a file of cases as inputs, instead of drawn ones.
    pub fn cases(mut self, file: impl Into<PathBuf>) -> Self {
        self.cases = Some(file.into());
        self
    }

    /// Sets the sizes of inputs; without them, they are chosen by what takes long enough.
    pub fn sizes(mut self, sizes: impl Into<Vec<u32>>) -> Self {
        self.sizes = sizes.into();
        self
    }

    /// Sets the time for everything but building.
    pub fn budget(mut self, budget: Duration) -> Self {
        self.measure.budget = budget;
        self
    }

    /// Sets the seed that inputs and orders follow from, as a report names it.
    ///
    /// # Errors
    /// [`ErrorKind::Experiment`](super::ErrorKind): the text is no seed.
    pub fn seed(mut self, seed: &str) -> Result<Self, Error> {
        self.setting = self.setting.seed(seed)?;
        Ok(self)
    }

    /// Sets the folder of the build cache, instead of the user's own. The files in it are run, so nobody else may be
    /// able to write to it.
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.setting.cache = Some(folder.into());
        self
    }

    /// Allows the comparison also where nothing confines untrusted code, unless the host's policy forbids that. The files
    /// then have all rights of this program's user.
    ///
    /// # Errors
    /// [`ErrorKind::Experiment`](super::ErrorKind): the policy forbids it.
    pub fn allow_unconfined(mut self) -> Result<Self, Error> {
        self.setting = self.setting.allow_unconfined()?;
        Ok(self)
    }

    /// Returns a function that asks the comparison to stop, from another thread or a handler of signals, once it measures.
    pub fn stopper(&self) -> impl Fn() + Send + Sync + 'static {
        self.setting.stopper()
    }

    /// Compares the files. Nothing is kept but the files that were built, in the cache. It blocks until all is over, on
    /// threads of its own: from asynchronous code, call it where blocking is allowed.
    ///
    /// # Errors
    /// See [`ErrorKind`](super::ErrorKind). A file that does not build is an error; one that fails later is a row of the
    /// report.
    pub fn run(&self) -> Result<ComparisonResult, Error> {
        blocking(|| self.perform())
    }

    async fn perform(&self) -> Result<ComparisonResult, Error> {
        let inputs = match (&self.workload, &self.cases) {
            (Some(_), Some(_)) => {
                return Err(Error::experiment(
                    "inputs come from a workload or from cases: give one of the two",
                ));
            }
            (Some(file), None) => GivenInputs::Workload(file),
            (None, Some(cases)) => GivenInputs::Cases(cases),
            (None, None) => GivenInputs::None,
        };
        let host = self.setting.host();
        let comparison = bakeoff_compare::Comparison {
            files: &self.files,
            call: self.call.as_deref(),
            wit: self.wit.as_deref(),
            inputs,
            sizes: &self.sizes,
            seed: self.setting.seed,
            measure: self.measure,
            bounds: SearchBounds::within(self.measure.budget),
            simd: Default::default(),
            edition: Default::default(),
            sources: None,
        };
        let say = &mut |_: &str| {};
        let ready = match comparison.prepare(&host, say).await? {
            Prepared::Untimed(untimed) => {
                return Ok(ComparisonResult::Untimed(NotTimed { untimed }));
            }
            Prepared::Ready(ready) => ready,
        };
        let temporary = Scratch::new()
            .map_err(|error| Error::machine(format!("cannot make a folder: {error}")))?;
        let folder = ResultsPlace::Named(temporary.work().to_owned());
        let options = RunOptions {
            seed: self.setting.seed,
            interrupt: self.setting.stop.clone(),
            stopped_in_search: ready.stopped.clone(),
            spent: ready.spent,
            ..RunOptions::new(folder, Start::Fresh, host)
        };
        let run = bakeoff_run::run(&ready.loaded, &options, say, |_| {});
        let finished = run.await?;
        let mut report = finished.report;
        if let Some(untimed) = ready.disagreement(&report, say).await? {
            return Ok(ComparisonResult::Untimed(NotTimed { untimed }));
        }
        report.notes.extend(ready.vectors_note(&report).await?);
        Ok(ComparisonResult::Timed(Box::new(Report::new(
            report,
            finished.sources,
        ))))
    }
}
