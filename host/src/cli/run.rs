//! `bakeoff run`: an experiment, from its file to its report.

use super::asked::{self, Next};
use super::effort::Effort;
use super::failure::Failure;
use super::interrupts::listen_for_interrupts;
use super::leave::Leave;
use super::natively::{self, NativeWish};
use super::on_event::{Listener, OnEvent};
use super::options::{Output, Safety};
use super::other_machines::{WorkersArguments, say_workers};
use super::rounds::{RoundsArguments, Search};
use super::{
    Status, again, counts, opinions, programs, progress, rounds, show, step_summary, unfinished,
};
use crate::library;
use crate::library::generation::{record, wishes};
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{Generation, Report, Rounds, StoppedInSearch};
use bakeoff_domain::spec::Workers;
use bakeoff_run::{Judge, KnownMachine, RunOptions};
use bakeoff_store::events::Envelope;
use bakeoff_store::{ResultsPlace, Start};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Runs an experiment, or goes on with one that was interrupted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff run                        the experiment in this folder
  bakeoff run examples/top-k --budget 5s --seed 7
  bakeoff run examples/top-k --format json > report.json

Inputs come from a workload (`source` and `sizes` under [workload]), or from a file of calls in WAVE
(`cases = \"cases.toml\"`):
  [[case]]
  call = \"top-k([3, 1, 2], 1)\"
  expect = \"[3]\"                    in all cases or in none: without it, answers are compared

Exit status: 0 if there is a winner or a tie for the first place; 3 the same, but some variants failed;
1 if nothing is recommended or measuring ended before it was known which is ahead, whether variants
failed or not; 130 if interrupted.")]
pub(super) struct Arguments {
    /// A folder with a bakeoff.toml, or such a file
    #[arg(default_value = ".")]
    experiment: PathBuf,
    /// Start over; earlier runs stay where they are
    #[arg(long)]
    fresh: bool,
    /// The folder for results, instead of .bakeoff/NAME beside the experiment
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Inputs and orders follow from it, as in the run that reported it; random if not given
    #[arg(long, value_name = "N", value_parser = counts::run_seed)]
    seed: Option<RunSeed>,
    /// Time for checking and measuring, after building: 500ms, 40s, 2min
    #[arg(long, value_name = "TIME", value_parser = parse_budget)]
    budget: Option<Duration>,
    #[command(flatten)]
    effort: Effort,
    #[command(flatten)]
    workers: WorkersArguments,
    /// After the race, build the Rust sources for this machine, too, and race them as programs, behind a fence: both
    /// times, and where the order is another one
    #[arg(long)]
    natively: bool,
    #[command(flatten, next_help_heading = "A search before the race")]
    rounds: RoundsArguments,
    #[command(
        flatten,
        next_help_heading = "Approaches from the model of [generate], opinions from the model of [judge]"
    )]
    leave: Leave,
    #[command(flatten)]
    on_event: OnEvent,
    #[command(flatten)]
    safety: Safety,
}

pub(super) fn parse_budget(text: &str) -> Result<Duration, String> {
    bakeoff_config::budget(text).map_err(|error| error.to_string())
}

/// Purpose of a command that runs an experiment.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    /// To race what there is, after a search if the experiment or an option wants one.
    Race,
    /// To search first, in any case.
    Search {
        /// The number of rounds to add to those that are over.
        more: Option<u32>,
    },
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    to(Purpose::Race, arguments, output).await
}

/// Runs an experiment for a purpose.
pub(super) async fn to(
    purpose: Purpose,
    arguments: &Arguments,
    output: &Output,
) -> Result<Status, Failure> {
    let listener = arguments.on_event.start()?;
    let ended = told(purpose, arguments, output, &listener).await;
    listener.end(&mut output.reporter());
    ended
}

/// Runs an experiment for a purpose, and tells a command of its events.
async fn told(
    purpose: Purpose,
    arguments: &Arguments,
    output: &Output,
    listener: &Listener,
) -> Result<Status, Failure> {
    show::has_format(output.format)?;
    let mut loaded = bakeoff_config::load_any(&arguments.experiment)?;
    if loaded.experiment.is_in_words() {
        arguments.refuse_running(purpose, &loaded)?;
        return arguments.opinions(&loaded, output, listener).await;
    }
    arguments.overrule(&mut loaded);
    let policy = Policy::of_host()?;
    policy.apply_to(&mut loaded)?;
    let policy = programs::ask(&loaded.experiment, policy, &arguments.safety)?;
    let natively = arguments
        .natively
        .then(|| natively::leave_for(&loaded.experiment, &policy));
    let natively = natively.transpose()?;
    let wanted = match purpose {
        Purpose::Race => arguments.rounds.wanted(&loaded),
        Purpose::Search { more } => Some(arguments.rounds.always(&loaded, more)?),
    };
    if arguments.leave.forecasts_rounds() {
        let wanted = wanted.ok_or_else(|| {
            Failure::usage(
                "--dry-run: there is nothing to forecast: no search is wanted ([rounds], --rounds), and --generate is not given",
            )
        })?;
        return arguments.forecast(&loaded, &wanted);
    }
    let file = bakeoff_config::file_of(&arguments.experiment);
    let machine = KnownMachine::default();
    if !arguments.leave.dry_run {
        let workers = arguments
            .workers
            .connect(&machine, (&arguments.safety, &policy), output);
        workers.await?;
    }
    let asked = asked::ask(
        &arguments.leave,
        (&loaded, &file),
        &policy,
        (&arguments.safety, &machine),
        (output, listener),
    );
    let next = asked.await;
    say_workers(&machine, output);
    let next = next?;
    // Whatever of the approaches is there already, nothing is begun.
    if arguments.leave.dry_run {
        return match &wanted {
            Some(wanted) => arguments.forecast(&loaded, wanted),
            None => Ok(Status::Done),
        };
    }
    match next {
        Next::Measure => {}
        Next::ReadAgain => {
            loaded = bakeoff_config::load(&arguments.experiment)?;
            arguments.overrule(&mut loaded);
            policy.apply_to(&mut loaded)?;
        }
        Next::End => return Ok(Status::Done),
    }
    wishes::say_unwritten(&loaded, &mut output.reporter());
    loaded.has_code()?;
    let folder = arguments.results(&loaded)?;
    let start = if arguments.fresh {
        Start::Fresh
    } else {
        Start::Resume
    };
    let mut searched = None;
    if let Some(wanted) = wanted {
        let search = Search {
            loaded: &loaded,
            wanted,
            results: &folder,
            start,
            safety: &arguments.safety,
            machine: &machine,
            policy: &policy,
            listener,
            leave: &arguments.leave,
            resume: &again::command(),
        };
        let Some(found) = search.go(output).await? else {
            return Ok(Status::Interrupted);
        };
        if arguments.seed == Some(found.inputs) {
            return Err(Failure::usage(
                "--seed names the seed of the search's rounds, whose inputs its candidates were chosen by: name another, \
                 or none",
            ));
        }
        say_workers(&machine, output);
        loaded = found.experiment;
        searched = Some(found.rounds);
    }
    if natively.is_some() {
        natively::has_sources(&loaded.experiment)?;
    }
    let judge = opinions::open(&arguments.leave, &loaded, &policy, output)?;
    let job = RunRequest {
        loaded: &loaded,
        folder,
        start,
        seed: arguments.seed,
        safety: &arguments.safety,
        machine,
        policy,
        generation: record::for_report(&loaded.dir, &mut output.reporter()),
        rounds: searched,
        judge: judge.as_ref().map(|one| Arc::clone(&one.judge)),
        stopped_in_search: Vec::new(),
        spent: Duration::ZERO,
        natively,
        listener: listener.clone(),
        resume: Some(again::command()),
    };
    let done = perform(job, output).await;
    if let Some(judge) = &judge {
        judge.say_warnings(&mut output.reporter());
    }
    let Some(done) = done? else {
        return Ok(Status::Interrupted);
    };
    let status = Status::of(&done.report);
    step_summary::append(&done.report, &done.sources);
    show::print(&done.report, done.sources, output)?;
    Ok(status)
}

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

/// The place of the opinions on a question in words, and how they come there.
pub(super) struct QuestionPlace {
    pub(super) folder: ResultsPlace,
    pub(super) start: Start,
    pub(super) seed: Option<RunSeed>,
    /// The command that continues after an interruption.
    pub(super) resume: String,
}

/// Asks for the opinions of a question in words, and shows the report.
pub(super) async fn ask_question(
    (loaded, policy): (&LoadedExperiment, Policy),
    place: QuestionPlace,
    judge: Option<Arc<dyn Judge>>,
    safety: &Safety,
    output: &Output,
    listener: &Listener,
) -> Result<Status, Failure> {
    let job = RunRequest {
        loaded,
        folder: place.folder,
        start: place.start,
        seed: place.seed,
        safety,
        machine: KnownMachine::default(),
        policy,
        generation: record::for_report(&loaded.dir, &mut output.reporter()),
        rounds: None,
        judge,
        stopped_in_search: Vec::new(),
        spent: Duration::ZERO,
        natively: None,
        listener: listener.clone(),
        resume: Some(place.resume),
    };
    let Some(done) = perform(job, output).await? else {
        return Ok(Status::Interrupted);
    };
    let status = Status::of(&done.report);
    step_summary::append(&done.report, &done.sources);
    show::print(&done.report, done.sources, output)?;
    Ok(status)
}

/// A report with the sources that were measured.
pub(super) struct Done {
    pub(super) report: Report,
    pub(super) sources: show::Sources,
}

/// Runs an experiment with progress on stderr, and writes its report beside the results. Returns
/// `None` if the user interrupted the run; a message has said so then.
pub(super) async fn perform(job: RunRequest<'_>, output: &Output) -> Result<Option<Done>, Failure> {
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
        (Err(_), Some(resume)) => unfinished::leave_summary(&results, resume),
        _ => None,
    };
    // Of a run that failed, the error comes first, and the page says how far it was.
    if let (Some(left), Err(bakeoff_run::RunError::Interrupted)) = (left, &outcome) {
        anstream::eprintln!("{}", bakeoff_render::escape::Plain(&left));
    }
    let finished = match (outcome, job.resume) {
        (Err(bakeoff_run::RunError::Interrupted), Some(resume)) => {
            anstream::eprintln!(
                "interrupted; what is finished is kept. To go on:\n  {}",
                bakeoff_render::escape::Plain(&resume)
            );
            return Ok(None);
        }
        (Err(bakeoff_run::RunError::Interrupted), None) => {
            anstream::eprintln!("interrupted; nothing is kept without --out");
            return Ok(None);
        }
        (other, _) => other?,
    };
    // The store is open until the files are written: another run would write the same ones.
    let bakeoff_run::Finished {
        report,
        sources,
        store,
    } = finished;
    library::write_files(&store, &report, &sources)?;
    drop(store);
    Ok(Some(Done { report, sources }))
}

impl Arguments {
    /// Shows what the rounds of a search may take, and begins nothing.
    fn forecast(
        &self,
        loaded: &LoadedExperiment,
        wanted: &rounds::Wanted,
    ) -> Result<Status, Failure> {
        let results = self.results(loaded)?;
        show::write(&rounds::forecast(
            loaded,
            wanted,
            &results,
            &self.safety,
            &self.experiment,
        )?)?;
        Ok(Status::Done)
    }

    /// Refuses options that have no meaning for a question in words, where nothing is run.
    fn refuse_running(&self, purpose: Purpose, loaded: &LoadedExperiment) -> Result<(), Failure> {
        if let Purpose::Search { .. } = purpose {
            loaded.can_run()?;
        }
        let options = [
            ("--budget", self.budget.is_some()),
            ("--workers", self.workers.is_given()),
            ("--generate", self.leave.generate),
            ("--dry-run", self.leave.dry_run),
            ("--quick or --careful", self.effort.is_given()),
            ("--rounds or --no-rounds", self.rounds.is_given()),
            ("--natively", self.natively),
        ];
        match options.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(Failure::usage(format!(
                "{name} has no meaning for a question in words: nothing of it is run, and --judge lets a model be asked \
                 for its opinions"
            ))),
            None => Ok(()),
        }
    }

    /// Asks for the opinions of a question in words, if the user lets a model be asked, and shows them.
    async fn opinions(
        &self,
        loaded: &LoadedExperiment,
        output: &Output,
        listener: &Listener,
    ) -> Result<Status, Failure> {
        let policy = Policy::of_host()?;
        let judge = opinions::open(&self.leave, loaded, &policy, output)?;
        let place = QuestionPlace {
            folder: self.results(loaded)?,
            start: if self.fresh {
                Start::Fresh
            } else {
                Start::Resume
            },
            seed: self.seed,
            resume: again::command(),
        };
        let given = judge.as_ref().map(|one| Arc::clone(&one.judge));
        let asked = ask_question(
            (loaded, policy),
            place,
            given,
            &self.safety,
            output,
            listener,
        );
        let status = asked.await;
        if let Some(judge) = &judge {
            judge.say_warnings(&mut output.reporter());
        }
        status
    }

    /// Returns the folder for results.
    fn results(&self, loaded: &LoadedExperiment) -> Result<ResultsPlace, Failure> {
        Ok(match &self.out {
            Some(folder) => ResultsPlace::Named(folder.clone()),
            None => library::results_folder(&loaded.dir, &loaded.experiment)?,
        })
    }

    fn overrule(&self, loaded: &mut LoadedExperiment) {
        let experiment = &mut loaded.experiment;
        self.effort.apply(&mut experiment.measure, self.budget);
        if let Some(workers) = self.workers.cores() {
            experiment.measure.workers = Workers::Exactly(workers);
        }
    }
}
