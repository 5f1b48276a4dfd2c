//! `[generate]` of an experiment: a run asks a model for approaches before it builds, if its user consents.
//!
//! The experiment may come from anybody. Its `[generate]` table alone asks no model, spends nothing and runs no
//! program: the user consents on the command line or on a terminal, the host's policy bounds the cost, and the program
//! and the address of a model come from the command line and the environment alone.

use super::confirmation::goes_on;
use super::consent_options::{ConsentOptions, leave_on_terminal, named};
use super::failure::Failure;
use super::model_news;
use super::on_event::Listener;
use super::options::{Format, Output, Safety};
use super::show;
use crate::library::check_places;
use crate::library::generation::events::GenerationEvents;
use crate::library::generation::outcome::{self, Ending, own_approaches};
use crate::library::generation::planning::{Planning, planned};
use crate::library::generation::record::{self, GenerationRecord};
use crate::library::generation::wishes::{self, WishRequest};
use crate::library::generation::{PLACES, cores_of, record_in, research};
use bakeoff_config::{Generate, LoadedExperiment, Policy, Workspace};
use bakeoff_propose::{
    Answers, ExplorationParts, ExploreOptions, NewExperiment, PROPOSALS_MAX, PlanBounds,
    PlanRequest, PlanScope, ProposeOptions, WriteOptions, prompts_identity,
};
use bakeoff_provider::Models;
use bakeoff_render::escape::{Lines, Plain};
use bakeoff_run::{KnownMachine, Survey};
use std::path::Path;
use std::sync::Arc;

/// The message after an interruption.
pub(super) const INTERRUPTED: &str = "interrupted; what the model replied is recorded, and the same command goes on without paying again";

/// Next step of a run after its `[generate]` table was handled.
pub(super) enum RunStep {
    /// Measure the experiment as it is.
    Measure,
    /// Read the experiment again, since approaches were added to it, and measure it.
    ReadAgain,
    /// End the run: the user wants the plan only, or declined to go on.
    End,
}

/// Asks the model for the approaches that the experiment at `path` wants, unless they are there, the user does not
/// consent, or only a forecast of the search is wanted.
///
/// # Errors
/// An option is missing, the host's policy forbids it, the user interrupts it, or the model gives no answers. In the
/// last case, the approaches that passed until then are written.
pub(super) async fn ask(
    leave: &ConsentOptions,
    (loaded, path): (&LoadedExperiment, &Path),
    policy: &Policy,
    (safety, machine): (&Safety, &KnownMachine),
    (output, listener): (&Output, &Listener),
) -> Result<RunStep, Failure> {
    if leave.forecasts_rounds() {
        return Ok(RunStep::Measure);
    }
    let Some(wanted) = &loaded.generate else {
        return if leave.generate {
            Err(Failure::usage(
                "--generate: the experiment has no [generate]; `bakeoff generate` asks for approaches without one",
            ))
        } else {
            Ok(RunStep::Measure)
        };
    };
    if wanted.workspace == Workspace::Worktree {
        return if leave.generate {
            Err(Failure::usage(
                "--generate: [generate] has workspace = \"worktree\", so coding agents write the approaches: `bakeoff generate` \
                 with --agent COMMAND has them written, and then `bakeoff run` measures them",
            ))
        } else {
            Ok(RunStep::Measure)
        };
    }
    let file = &bakeoff_config::file_of(path);
    let mut say = output.reporter();
    let earlier = GenerationRecord::of(&loaded.dir, &identity(wanted, loaded));
    let nothing_more =
        wanted.approaches == Some(0) || earlier.is_some_and(|earlier| earlier.is_complete);
    if nothing_more && loaded.wished.is_empty() {
        return Ok(RunStep::Measure);
    }
    if !leave.generate && !leave_on_terminal(&wanted.asked, "approaches", output)? {
        say(&format!(
            "{} is not asked for approaches ([generate]): `bakeoff run --generate` lets it be",
            named(&wanted.asked)
        ));
        return Ok(RunStep::Measure);
    }
    policy.permit_models("--generate")?;
    wishes::has_room(loaded, wanted.approaches.unwrap_or(0))?;
    check_places(&loaded.dir, &PLACES)?;
    record::set_foreign_aside(&loaded.dir, &mut say)?;
    let criteria = loaded.experiment.criteria.iter();
    let criteria = criteria.map(|one| one.name.clone()).collect();
    let all = wanted.approaches.unwrap_or(0) + loaded.wished.len() as u32;
    let events = GenerationEvents::begin(&loaded.dir, (all, criteria), listener.teller(), &mut say);
    let models = leave.open(
        &wanted.asked,
        ("approaches", record_in(&loaded.dir)?),
        loaded,
        policy,
    )?;
    let models = Arc::new(model_news::told(models, output, Some(&events)));
    let again;
    let loaded = if loaded.wished.is_empty() {
        loaded
    } else {
        if leave.dry_run {
            let names: Vec<&str> = loaded.wished.iter().map(|one| one.name.as_str()).collect();
            say(&format!(
                "written first, before any plan: {}",
                Plain(&names.join(", "))
            ));
            if nothing_more {
                return Ok(RunStep::End);
            }
        } else {
            let problem = told(wanted, loaded, &models, &mut say);
            let problem = tokio::select! {
                told = problem => told?,
                _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(INTERRUPTED)),
            };
            let host = safety.host_options_on(policy.clone(), machine)?;
            let wishing = WishRequest {
                loaded,
                file,
                answers: &Answers::from(&models),
                host: &host,
                problem: &problem,
            };
            let options = propose_options(wanted, loaded, 1, &events);
            let made = tokio::select! {
                made = wishing.write(&options, &mut say) => made?,
                _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(INTERRUPTED)),
            };
            say(outcome::text(&made.generation, Some(&models)).trim_end());
            if let Some(error) = &made.ended {
                events.end(false);
                return Err(Failure::unanswered(error));
            }
        }
        if nothing_more {
            events.end(true);
            return Ok(RunStep::ReadAgain);
        }
        again = wishes::read_again(loaded, file, policy)?;
        &again
    };
    let asking = AllowedModel {
        leave,
        wanted,
        loaded,
        models: &models,
        output,
        events: &events,
    };
    let explored = tokio::select! {
        explored = asking.explore(policy, (safety, machine)) => explored?,
        _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(INTERRUPTED)),
    };
    match explored {
        Some((explored, planning)) => asking.finish(&explored, &planning, file),
        None => Ok(RunStep::End),
    }
}

/// Returns a text of all that decides which approaches are asked for, to be compared with that of another run.
fn identity(wanted: &Generate, loaded: &LoadedExperiment) -> String {
    wanted.wanted() + &prompts_identity(&loaded.prompts)
}

/// Returns the problem of an experiment as a model is told of it: with what is known of it, if the experiment wants that to
/// be asked first.
pub(super) async fn told(
    wanted: &Generate,
    loaded: &LoadedExperiment,
    models: &Models,
    say: &mut dyn FnMut(&str),
) -> Result<String, Failure> {
    let problem = &loaded.experiment.problem;
    if !wanted.research {
        return Ok(problem.clone());
    }
    let asked = (problem.as_str(), &loaded.prompts);
    let told = research::with_research(models, &loaded.dir, asked, say).await?;
    told.map_err(|error| Failure::unanswered(&error))
}

/// Opens the model that an experiment wants for the rounds of a search, if the user lets it be asked.
pub(super) fn open_for_rounds(
    leave: &ConsentOptions,
    loaded: &LoadedExperiment,
    policy: &Policy,
    (listener, output): (&Listener, &Output),
) -> Result<Option<(Arc<Models>, WriteOptions)>, Failure> {
    let Some(wanted) = loaded.generate.as_ref().filter(|_| leave.generate) else {
        return Ok(None);
    };
    policy.permit_models("--generate")?;
    let criteria = loaded.experiment.criteria.iter();
    let criteria = criteria.map(|one| one.name.clone()).collect();
    let dir = &loaded.dir;
    let events = GenerationEvents::begin(
        dir,
        (0, criteria),
        listener.teller(),
        &mut output.reporter(),
    );
    let models = leave.open(
        &wanted.asked,
        ("candidates", record_in(dir)?),
        loaded,
        policy,
    )?;
    let models = model_news::told(models, output, Some(&events));
    let cores = cores_of(loaded.experiment.measure.workers);
    let options = propose_options(wanted, loaded, cores, &events).write;
    Ok(Some((Arc::new(models), options)))
}

/// Returns the options of the questions to a model that an experiment wants, of whose prototypes so many are tried at
/// once.
fn propose_options(
    wanted: &Generate,
    loaded: &LoadedExperiment,
    cores: usize,
    events: &GenerationEvents,
) -> ProposeOptions {
    ProposeOptions {
        approaches: wanted.approaches.unwrap_or(PROPOSALS_MAX),
        diversity: wanted.diversity,
        write: WriteOptions {
            repairs: wanted.repairs,
            instructions: (wanted.instructions.as_ref()).map(|file| loaded.dir.join(file)),
            instructions_within: Some(loaded.dir.clone()),
            timeout: wanted.timeout,
            depth: wanted.depth,
            prompts: loaded.prompts.clone(),
            tried_at_once: cores,
            on_step: events.on_step(),
        },
    }
}

/// The model that the user allowed to ask, with the experiment that wants approaches.
struct AllowedModel<'a> {
    leave: &'a ConsentOptions,
    wanted: &'a Generate,
    loaded: &'a LoadedExperiment,
    models: &'a Arc<Models>,
    output: &'a Output,
    events: &'a GenerationEvents,
}

impl AllowedModel<'_> {
    /// Asks for a plan and for the approaches in it. Returns `None` if it ends with the plan: with `--dry-run`, or if
    /// the user declines to go on.
    async fn explore(
        &self,
        policy: &Policy,
        (safety, machine): (&Safety, &KnownMachine),
    ) -> Result<Option<(ExplorationParts, Planning)>, Failure> {
        let (wanted, output) = (self.wanted, self.output);
        let host = safety.host_options_on(policy.clone(), machine)?;
        let mut say = output.reporter();
        let statement = &self.loaded.experiment.problem;
        let (dir, prompts) = (&self.loaded.dir, &self.loaded.prompts);
        let asks_research = wanted.research && research::is_open(dir, statement, prompts);
        let cores = cores_of(self.loaded.experiment.measure.workers);
        let request = PlanRequest {
            statement,
            scope: PlanScope::Experiment,
            approaches: wanted.approaches,
            diversity: wanted.diversity,
            criteria: Some(&self.loaded.experiment.criteria),
            bounds: PlanBounds::of(self.models, cores, wanted.timeout),
            prompts: &self.loaded.prompts,
        };
        let planning = planned(
            self.models,
            (&self.loaded.dir, &identity(wanted, self.loaded)),
            request,
            (asks_research, Vec::new()),
            &mut say,
        )
        .await?;
        if self.leave.dry_run {
            match output.format {
                Format::Json => show::write(&planning.json())?,
                _ => show::write(&planning.text())?,
            }
            return Ok(None);
        }
        say(planning.text().trim_end());
        if !self.leave.yes && !goes_on(self.models)? {
            return Ok(None);
        }
        let told = told(wanted, self.loaded, self.models, &mut say).await?;
        let asking = record::before(self.loaded, &identity(wanted, self.loaded));
        let survey = Survey::open(&asking, &host, &mut say).await?;
        let options = ExploreOptions {
            statement: statement.clone(),
            told,
            like: None,
            experiment: NewExperiment::usual(&self.loaded.experiment.name),
            propose: propose_options(wanted, self.loaded, cores, self.events),
            wished: Vec::new(),
        };
        let own = own_approaches(&asking);
        let wished = wishes::told(&asking);
        // Progress may quote a panic or a compiler.
        let escaped = move |text: &str| say(&Lines(text).to_string());
        let beside = (survey, &own[..], &wished[..]);
        let explored = bakeoff_propose::explore_beside(
            self.models,
            &planning.plan,
            beside,
            &host,
            &options,
            escaped,
        )
        .await?;
        Ok(Some((explored, planning)))
    }

    /// Writes the approaches that passed into the experiment, and reports the outcomes of all on stderr.
    fn finish(
        &self,
        explored: &ExplorationParts,
        planning: &Planning,
        file: &Path,
    ) -> Result<RunStep, Failure> {
        let mut say = self.output.reporter();
        for warning in self.models.warnings() {
            say(&Plain(&warning).to_string());
        }
        self.events.end(explored.ended.is_none());
        let made = outcome::finish(Ending {
            loaded: self.loaded,
            file,
            proposals: &explored.proposals,
            models: Some(self.models),
            planning: Some(planning),
            not_started: &explored.not_started,
            wanted: identity(self.wanted, self.loaded),
            is_complete: explored.ended.is_none(),
            say: &mut self.output.reporter(),
        })?;
        say(outcome::text(&made, Some(self.models)).trim_end());
        if let Some((_, reason)) = &explored.unusable {
            say(&Lines(reason).to_string());
        }
        match &explored.ended {
            Some(error) => Err(Failure::unanswered(error)),
            None => Ok(RunStep::ReadAgain),
        }
    }
}
