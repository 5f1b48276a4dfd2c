//! `bakeoff run`: an experiment, from its file to its report.

use super::failure::Failure;
use super::generation_consent::{self, RunStep};
use super::natively::{self, NativeWish};
use super::on_event::Listener;
use super::options::Output;
use super::other_machines::say_workers;
use super::rounds::{self, Search, SearchWish};
use super::run_options::Arguments;
use super::run_request::{RunRequest, perform};
use super::{Status, in_words, opinions, programs, resume_command, show};
use crate::library::generation::wishes;
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::spec::Workers;
use bakeoff_run::KnownMachine;
use std::sync::Arc;

/// Purpose of a command that runs an experiment.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    /// A race of what there is, after a search if the experiment or an option wants one.
    Race,
    /// A search first, in any case.
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
    let loaded = match purpose {
        Purpose::Race => bakeoff_config::load_any(&arguments.experiment)?,
        Purpose::Search { .. } => bakeoff_config::load(&arguments.experiment)?,
    };
    if loaded.experiment.is_in_words() {
        return in_words::run(arguments, &loaded, output, listener).await;
    }
    let mut setup = RunSetup::decide(arguments, purpose, loaded)?;
    let machine = KnownMachine::default();
    if !arguments.leave.dry_run {
        let host = (&arguments.safety, &setup.policy);
        let workers = arguments.workers.connect(&machine, host, output);
        workers.await?;
    }
    let asked = generation_consent::ask(
        &arguments.leave,
        (&setup.loaded, &arguments.experiment),
        &setup.policy,
        (&arguments.safety, &machine),
        (output, listener),
    );
    let next = asked.await;
    say_workers(&machine, output);
    let next = next?;
    // Whatever of the approaches is there already, nothing is begun.
    if arguments.leave.dry_run {
        return setup.forecast(arguments);
    }
    match next {
        RunStep::Measure => {}
        RunStep::ReadAgain => {
            setup.loaded = bakeoff_config::load(&arguments.experiment)?;
            overrule(&mut setup.loaded, arguments, &setup.policy)?;
        }
        RunStep::End => return Ok(Status::Done),
    }
    wishes::say_unwritten(&setup.loaded, &mut output.reporter());
    setup.loaded.has_code()?;
    setup.measure(arguments, machine, (output, listener)).await
}

/// Everything about a run that is decided before anything begins.
struct RunSetup {
    /// The experiment, as the options and the host's policy have it.
    loaded: LoadedExperiment,
    /// The host's policy, with the user's leave to run programs.
    policy: Policy,
    /// The leave to run the sources as programs, if they are to be raced as such, too.
    natively: Option<NativeWish>,
    /// The search before the race, if there is to be one.
    search: Option<SearchWish>,
}

impl RunSetup {
    /// Decides how an experiment is run. On a terminal, the user is asked for the leave to run its programs.
    ///
    /// # Errors
    /// The policy forbids something of it, or an option does not fit it.
    fn decide(
        arguments: &Arguments,
        purpose: Purpose,
        mut loaded: LoadedExperiment,
    ) -> Result<Self, Failure> {
        let policy = Policy::of_host()?;
        overrule(&mut loaded, arguments, &policy)?;
        let policy = programs::ask(&loaded.experiment, policy, &arguments.safety)?;
        let natively = arguments
            .natively
            .then(|| natively::leave_for(&loaded.experiment, &policy));
        let natively = natively.transpose()?;
        let search = match purpose {
            Purpose::Race => arguments.rounds.wanted(&loaded),
            Purpose::Search { more } => Some(arguments.rounds.always(&loaded, more)?),
        };
        Ok(Self {
            loaded,
            policy,
            natively,
            search,
        })
    }

    /// Shows what the rounds of the search may take, and begins nothing.
    ///
    /// # Errors
    /// There is nothing to forecast, or the experiment has nothing to search.
    fn forecast(&self, arguments: &Arguments) -> Result<Status, Failure> {
        let Some(wanted) = &self.search else {
            return if arguments.leave.forecasts_rounds() {
                Err(Failure::usage(
                    "--dry-run: there is nothing to forecast: no search is wanted ([rounds], --rounds), and --generate is not given",
                ))
            } else {
                Ok(Status::Done)
            };
        };
        show::write(&rounds::forecast(
            &self.loaded,
            wanted,
            &arguments.results(&self.loaded)?,
            &arguments.safety,
            &arguments.experiment,
        )?)?;
        Ok(Status::Done)
    }

    /// Searches if that is wanted, races what there is then, and shows the report.
    ///
    /// # Errors
    /// An option does not fit what is raced, or the search or the run fails.
    async fn measure(
        self,
        arguments: &Arguments,
        machine: KnownMachine,
        (output, listener): (&Output, &Listener),
    ) -> Result<Status, Failure> {
        let Self {
            mut loaded,
            policy,
            natively,
            search,
        } = self;
        let folder = arguments.results(&loaded)?;
        let mut rounds = None;
        if let Some(wanted) = search {
            let search = Search {
                loaded: &loaded,
                wanted,
                results: &folder,
                start: arguments.start(),
                safety: &arguments.safety,
                machine: &machine,
                policy: &policy,
                listener,
                leave: &arguments.leave,
                resume: &resume_command::command(),
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
            rounds = Some(found.rounds);
        }
        if natively.is_some() {
            natively::has_sources(&loaded.experiment)?;
        }
        let judge = opinions::open(&arguments.leave, &loaded, &policy, output)?;
        let job = RunRequest {
            start: arguments.start(),
            seed: arguments.seed,
            rounds,
            judge: judge.as_ref().map(|one| Arc::clone(&one.judge)),
            natively,
            ..RunRequest::for_declared(
                &loaded,
                folder,
                (&arguments.safety, machine, policy),
                (output, listener),
                resume_command::command(),
            )
        };
        let done = perform(job, output).await;
        if let Some(judge) = &judge {
            judge.say_warnings(&mut output.reporter());
        }
        match done? {
            Some(done) => done.show(output),
            None => Ok(Status::Interrupted),
        }
    }
}

/// Changes an experiment to what the options and the host's policy say of it.
///
/// # Errors
/// The policy forbids something of it.
fn overrule(
    loaded: &mut LoadedExperiment,
    arguments: &Arguments,
    policy: &Policy,
) -> Result<(), Failure> {
    let measure = &mut loaded.experiment.measure;
    arguments.effort.apply(measure, arguments.budget);
    if let Some(workers) = arguments.workers.cores() {
        measure.workers = Workers::Exactly(workers);
    }
    policy.apply_to(loaded)?;
    Ok(())
}
