//! A run that a command asks for: its progress on stderr, and its report beside the results.

use super::failure::{Failure, say_interrupted};
use super::interrupts::listen_for_interrupts;
use super::natively::{self, NativeWish};
use super::on_event::Listener;
use super::options::{Output, Safety};
use super::{Status, progress, show, step_summary, unfinished_runs};
use crate::library;
use crate::library::generation::record;
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{Generation, Report, Rounds, StoppedInSearch};
use bakeoff_run::{Judge, KnownMachine, RunOptions};
use bakeoff_store::events::Envelope;
use bakeoff_store::{ResultsPlace, Start};
use std::sync::Arc;
use std::time::Duration;

/// An experiment to be run, and the folder of its results.
pub(super) struct RunRequest<'a> {
    pub(super) loaded: &'a LoadedExperiment,
    /// The folder of the results.
    pub(super) folder: ResultsPlace,
    pub(super) start: Start,
    /// The seed of the run, if the user gave one.
    pub(super) seed: Option<RunSeed>,
    pub(super) safety: &'a Safety,
    /// Facts about the machine that are known already.
    pub(super) machine: KnownMachine,
    /// The host's policy, which the experiment satisfies.
    pub(super) policy: Policy,
    /// Record of how approaches were generated, if some were.
    pub(super) generation: Option<Generation>,
    /// The rounds of a search before the run, if there was one.
    pub(super) rounds: Option<Rounds>,
    /// Whoever may be asked for opinions of the sources.
    pub(super) judge: Option<Arc<dyn Judge>>,
    /// The approaches that a search before the run saw stopped where another one answers.
    pub(super) stopped_in_search: Vec<StoppedInSearch>,
    /// Time of the budget that a search for differing inputs took.
    pub(super) spent: Duration,
    /// The leave to run the sources as programs, if they are to be raced as such, too.
    pub(super) natively: Option<NativeWish>,
    /// The command that is told of events.
    pub(super) listener: Listener,
    /// The command that continues after an interruption; `None` if nothing is stored to continue
    /// with.
    pub(super) resume: Option<String>,
}

impl<'a> RunRequest<'a> {
    /// Returns the request for an experiment that a file declares. The record beside it says how its approaches were
    /// generated; there is no search before it, no judge and no race of programs.
    pub(super) fn for_declared(
        loaded: &'a LoadedExperiment,
        folder: ResultsPlace,
        (safety, machine, policy): (&'a Safety, KnownMachine, Policy),
        (output, listener): (&Output, &Listener),
        resume: String,
    ) -> Self {
        Self {
            loaded,
            folder,
            start: Start::Resume,
            seed: None,
            safety,
            machine,
            policy,
            generation: record::for_report(&loaded.dir, &mut output.reporter()),
            rounds: None,
            judge: None,
            stopped_in_search: Vec::new(),
            spent: Duration::ZERO,
            natively: None,
            listener: listener.clone(),
            resume: Some(resume),
        }
    }
}

/// A report with the sources that were measured.
pub(super) struct ReportWithSources {
    pub(super) report: Report,
    pub(super) sources: show::Sources,
}

impl ReportWithSources {
    /// Shows the report, also on the page of a job, and returns the status that it means.
    pub(super) fn show(self, output: &Output) -> Result<Status, Failure> {
        let status = Status::of(&self.report);
        step_summary::append(&self.report, &self.sources);
        show::print(&self.report, self.sources, output)?;
        Ok(status)
    }
}

/// Runs an experiment as [`perform`] does, and shows the report.
pub(super) async fn perform_and_show(
    job: RunRequest<'_>,
    output: &Output,
) -> Result<Status, Failure> {
    match perform(job, output).await? {
        Some(done) => done.show(output),
        None => Ok(Status::Interrupted),
    }
}

/// Runs an experiment with progress on stderr, and writes its report beside the results. Returns
/// `None` if the user interrupted the run; a message has said so then.
pub(super) async fn perform(
    job: RunRequest<'_>,
    output: &Output,
) -> Result<Option<ReportWithSources>, Failure> {
    let options = RunOptions {
        folder: job.folder,
        start: job.start,
        seed: job.seed,
        host: job.safety.host_options_on(job.policy, &job.machine)?,
        resume: job.resume.clone().unwrap_or_default(),
        interrupt: listen_for_interrupts(),
        generation: job.generation.clone(),
        rounds: job.rounds,
        judge: job.judge.clone(),
        stopped_in_search: job.stopped_in_search,
        spent: job.spent,
        natively: job.natively.map(|wish| natively::race(wish, output)),
    };
    let results = options.folder.clone();
    let display = progress::Display::new(output, job.loaded);
    let mut say = output.reporter();
    let listener = job.listener;
    let subscribe = |store: &mut bakeoff_store::Store| {
        store.subscribe(display.listener());
        store.subscribe(move |envelope: &Envelope| listener.tell(envelope));
    };
    let outcome = bakeoff_run::run(job.loaded, &options, &mut say, subscribe).await;
    display.finish();
    let left = match (&outcome, &job.resume) {
        (Err(_), Some(resume)) => unfinished_runs::leave_summary(&results, resume),
        _ => None,
    };
    // Of a run that failed, the error comes first, and the page says how far it was.
    if let (Some(left), Err(bakeoff_run::RunError::Interrupted)) = (left, &outcome) {
        anstream::eprintln!("{}", bakeoff_render::escape::Plain(&left));
    }
    let finished = match (outcome, job.resume) {
        (Err(bakeoff_run::RunError::Interrupted), resume) => {
            let kept = match resume {
                Some(_) => "what is finished is kept",
                None => "nothing is kept without --out",
            };
            say_interrupted(output.error_form(), kept, resume.as_deref());
            return Ok(None);
        }
        (other, _) => other?,
    };
    // The store is open until the files are written: another run would write the same ones.
    let bakeoff_run::RunResult {
        report,
        sources,
        store,
    } = finished;
    library::write_files(&store, &report, &sources)?;
    drop(store);
    Ok(Some(ReportWithSources { report, sources }))
}
