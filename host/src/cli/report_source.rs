//! The report of a stored run: where its results are, and what is said of it. A report is concluded from the
//! database, and no file of one is read.

use super::Status;
use super::failure::Failure;
use super::unfinished_runs;
use crate::library::{from_elsewhere, of_standing, quoted, results_folder};
use bakeoff_config::DeclaredExperiment;
use bakeoff_domain::report::Report;
use bakeoff_programs::KEPT_FILE;
use bakeoff_render::escape::ShellWord;
use bakeoff_run::audit::{self, ConcludedRun, Figure, FigureOutcome, ReportStanding};
use bakeoff_store::{Mode, Origin, ReportFile, ResultsPlace, RunId, Store, StoreError};
use std::path::Path;

/// The most differences that are listed.
const DIFFERENCES_MAX: usize = 20;

/// A report that is to be displayed.
pub(super) struct DisplayedReport {
    /// The report.
    pub(super) report: Report,
    /// The run that the report is of.
    pub(super) run: RunId,
    /// `true` if the report that the run stored says otherwise.
    differs: bool,
    /// Sentences about the origin of the report that were written to stderr.
    pub(super) warnings: Vec<String>,
}

impl DisplayedReport {
    /// Writes to stderr how the stored report differs from the one that is displayed.
    fn of(concluded: ConcludedRun) -> Self {
        let ConcludedRun {
            run,
            report,
            standing,
        } = concluded;
        let mut shown = Self {
            report,
            run,
            differs: matches!(standing, ReportStanding::Differs(_)),
            warnings: Vec::new(),
        };
        if let Some(doubt) = of_standing(run, &standing) {
            shown.warn(doubt);
        }
        if let ReportStanding::Differs(figures) = standing {
            say_differences(&figures);
        }
        shown
    }

    /// Writes a warning to stderr, and keeps it for those who read the report elsewhere.
    fn warn(&mut self, text: String) {
        anstream::eprintln!("{text}");
        self.warnings.push(text);
    }

    /// Returns the report with the warnings as its first notes, for readers who do not see stderr.
    pub(super) fn with_warnings(&self) -> Report {
        let mut report = self.report.clone();
        report.notes.splice(0..0, self.warnings.iter().cloned());
        report
    }

    /// Returns the exit status of a command that displays the report.
    pub(super) fn status(&self, otherwise: Status) -> Status {
        if self.differs {
            Status::NoAnswer
        } else {
            otherwise
        }
    }
}

/// Writes to stderr how a stored report differs from what follows from the samples.
fn say_differences(differences: &[Figure]) {
    for figure in differences.iter().take(DIFFERENCES_MAX) {
        if let FigureOutcome::Differs { kept, here } = &figure.outcome {
            anstream::eprintln!(
                "  {}, {}: it says {}, and the samples say {}",
                quoted(&figure.about),
                quoted(&figure.figure),
                quoted(kept),
                quoted(here)
            );
        }
    }
    let more = differences.len().saturating_sub(DIFFERENCES_MAX);
    if more > 0 {
        anstream::eprintln!("  and {more} more: `bakeoff verify` names all of them");
    }
}

/// Place of a report: a folder of results, and the experiment that it belongs to.
#[derive(Debug)]
pub(super) struct ReportPlace {
    results: ResultsPlace,
    /// The command that goes on with a run whose results these are, without the program's name.
    resume: String,
    /// The experiment, if it was found.
    pub(super) experiment: Option<DeclaredExperiment>,
}

impl ReportPlace {
    /// Finds the results that a user means by an experiment's folder or file, or by a folder of results.
    pub(super) fn find(named: &Path) -> Result<Self, Failure> {
        let is_named = is_experiment(named);
        let experiment = if is_named {
            Some(bakeoff_config::declared(named)?)
        } else {
            owner(named)
        };
        let dir = experiment.as_ref().map(|declared| declared.dir.as_path());
        let resume = match dir {
            Some(_) if is_named => run_of(named),
            Some(dir) => run_of(dir),
            None => format!(
                "run EXPERIMENT --out {}",
                ShellWord(&named.display().to_string())
            ),
        };
        Ok(Self {
            results: results(named)?,
            resume,
            experiment,
        })
    }

    /// Opens the results, and returns the report of a run, or of the last run that has one; of a run that has not ended,
    /// and of the last run if none has, the report of what is known so far.
    pub(super) fn report_so_far(
        &self,
        run: Option<RunId>,
    ) -> Result<(Store, DisplayedReport), Failure> {
        let store = open(&self.results)?;
        let has_report = match run {
            Some(run) => store.report(Some(run))?.is_some(),
            None => store.last_reported()?.is_some(),
        };
        let so_far = if has_report {
            None
        } else {
            unfinished_runs::report_of(&store, run, &self.resume(&store))?
        };
        let Some((run, report)) = so_far else {
            return self.finished(store, run);
        };
        let mut shown = DisplayedReport {
            report,
            run,
            differs: false,
            warnings: Vec::new(),
        };
        self.add_origin(&store, &mut shown);
        Ok((store, shown))
    }

    /// Returns the report of a run, or of the last run that has one, with a warning if a later one has not ended.
    fn finished(
        &self,
        store: Store,
        run: Option<RunId>,
    ) -> Result<(Store, DisplayedReport), Failure> {
        let mut shown = of_run(&store, run, &self.results.path())?;
        let later = if run.is_none() {
            unfinished_runs::report_of(&store, None, &self.resume(&store))?
        } else {
            None
        };
        let later = later.filter(|(later, _)| *later > shown.run);
        if let Some((later, unfinished)) =
            later.and_then(|(run, report)| Some((run, report.unfinished?)))
        {
            shown.warn(format!(
                "this is run {}; run {later} was begun after it. {}: `bakeoff report --run {later}` shows it",
                shown.run,
                unfinished.progress()
            ));
        }
        self.add_origin(&store, &mut shown);
        Ok((store, shown))
    }

    /// Returns the command that goes on with the runs of these results.
    pub(super) fn resume(&self, store: &Store) -> String {
        resume_command(store, &self.resume)
    }

    fn add_origin(&self, store: &Store, shown: &mut DisplayedReport) {
        if store.origin() == Origin::Elsewhere {
            shown
                .warnings
                .insert(0, from_elsewhere(&self.results.path()));
        }
    }

    /// Opens the results, and returns the report of the last run that has one.
    pub(super) fn report(&self) -> Result<(Store, DisplayedReport), Failure> {
        self.report_of(None)
    }

    /// Opens the results, and returns the report of a run, or of the last run that has one.
    pub(super) fn report_of(
        &self,
        run: Option<RunId>,
    ) -> Result<(Store, DisplayedReport), Failure> {
        let store = open(&self.results)?;
        self.finished(store, run)
    }
}

/// Returns the command that runs an experiment, without the program's name.
fn run_of(experiment: &Path) -> String {
    format!("run {}", ShellWord(&experiment.display().to_string()))
}

/// Returns the command that goes on with results. Those of another machine go on there; which one that is, anybody may have
/// written into them, so the user puts its name in.
fn resume_command(store: &Store, words: &str) -> String {
    match store.origin() {
        Origin::Own => format!("bakeoff {words}"),
        Origin::Elsewhere => format!("bakeoff --on ssh:HOST {words}"),
    }
}

/// Opens a folder of results for reading, and writes to stderr if they come from elsewhere.
pub(super) fn open(results: &ResultsPlace) -> Result<Store, Failure> {
    let store = results
        .open(Mode::Read)
        .map_err(|error| missing(results, error))?;
    if store.origin() == Origin::Elsewhere {
        anstream::eprintln!("{}", from_elsewhere(&results.path()));
    }
    Ok(store)
}

/// Returns the failure of opening a folder of results. One that has a report, or a comparison of commands, and no database
/// gets an explanation.
fn missing(results: &ResultsPlace, error: StoreError) -> Failure {
    let report = ReportFile::Json.name();
    let folder = results.open_folder().ok().filter(|_| error.is_missing());
    let has = |file: &str| folder.as_ref().is_some_and(|folder| folder.has(file));
    if has(KEPT_FILE) {
        return Failure::usage(format!(
            "{} has a comparison of commands ({KEPT_FILE}) and no results of runs: `bakeoff report` shows it, and \
             `bakeoff compare` what changed between two",
            results.path().display()
        ));
    }
    if !has(report) {
        return error.into();
    }
    Failure::usage(format!(
        "{} has {report} and no results: a report is concluded from results (bakeoff.db), and never read from a \
         file: name the folder of results that {report} was written to, or run the experiment with `bakeoff run`",
        results.path().display()
    ))
}

/// Returns the report of a run in a store, or of the last run that has one. `from` is the place that the user named.
///
/// # Errors
/// The run has no report, or none follows from what is kept of it.
pub(super) fn of_run(
    store: &Store,
    run: Option<RunId>,
    from: &Path,
) -> Result<DisplayedReport, Failure> {
    if let Some(concluded) = audit::concluded(store, run)? {
        return Ok(DisplayedReport::of(concluded));
    }
    let from = from.display();
    let none = match run {
        Some(run) => format!("run {run} of {from} has no report"),
        None => format!("no run of {from} has a report"),
    };
    let resume = resume_command(store, "run");
    let so_far = unfinished_runs::report_of(store, run, &resume)
        .ok()
        .flatten();
    let so_far = so_far.and_then(|(run, report)| Some((run, report.unfinished?)));
    Err(Failure::no_answer(match so_far {
        Some((run, so_far)) => format!(
            "{none} that could be used: it would rest on part of what was asked for. Run {run}: {}. `bakeoff report` shows \
             what is known so far, and `{resume}` goes on with it",
            so_far.progress()
        ),
        None => format!("{none}, and nothing that one could follow from: `bakeoff run` begins one"),
    }))
}

/// Returns the folder of results that a user means by an experiment's folder or file, or by the
/// folder itself.
pub(super) fn results(named: &Path) -> Result<ResultsPlace, Failure> {
    if is_experiment(named) {
        let declared = bakeoff_config::declared(named)?;
        return Ok(results_folder(&declared.dir, &declared.experiment)?);
    }
    if named.metadata().is_ok_and(|found| !found.is_dir()) {
        return Err(Failure::usage(format!(
            "{} is no folder: a report is concluded from results, and never read from a file: name the folder of \
             results, or the experiment",
            named.display()
        )));
    }
    Ok(ResultsPlace::Named(named.to_owned()))
}

pub(super) fn is_experiment(named: &Path) -> bool {
    // Something else in the place of the file is refused when it is read, by a message that says what it is.
    let is_there = |file: &Path| file.metadata().is_ok_and(|found| !found.is_dir());
    is_there(&named.join(bakeoff_config::FILE_NAME))
        || is_there(named) && named.extension().is_some_and(|end| end == "toml")
}

/// Returns the experiment whose `.bakeoff/NAME` a folder of results is. An experiment file that cannot
/// be read is no error here: without it, the report is displayed without code.
pub(super) fn owner(results: &Path) -> Option<DeclaredExperiment> {
    let folder = results.canonicalize().ok()?;
    let declared = bakeoff_config::declared(folder.parent()?.parent()?).ok()?;
    let own = results_folder(&declared.dir, &declared.experiment).ok()?;
    (own.path().canonicalize().ok()? == folder).then_some(declared)
}
