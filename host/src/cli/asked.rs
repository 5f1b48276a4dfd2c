//! `[generate]` of an experiment: a run asks a model for approaches before it builds, if its user consents.
//!
//! The experiment may come from anybody. Its `[generate]` table alone asks no model, spends nothing and runs no
//! program: the user consents on the command line or on a terminal, the host's policy bounds the cost, and the program
//! and the address of a model come from the command line and the environment alone.

use super::counts;
use super::failure::Failure;
use super::generation::{self, Ending, own_approaches, record_in};
use super::generation_events::GenerationEvents;
use super::generation_record::{self, GenerationRecord};
use super::model_news;
use super::models;
use super::on_event::Listener;
use super::options::{Format, Output, Safety};
use super::placing::check_places;
use super::planned::{self, PlanOutput};
use super::show;
use super::wishes::{self, Wishing};
use bakeoff_config::{CALLS_AT_ONCE_MAX, Generate, LoadedExperiment, Policy};
use bakeoff_domain::report::ExpectedCost;
use bakeoff_propose::{
    ExploreOptions, Explored, PROPOSALS_MAX, PlanError, PlanScope, ProposeOptions, WriteOptions,
};
use bakeoff_provider::{ModelOptions, Models, ProviderKind};
use bakeoff_render::escape::{Lines, Plain};
use bakeoff_run::Survey;
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The leave to ask a model, and what the experiment cannot say of it.
#[derive(Debug, Default, Args)]
pub(super) struct Leave {
    /// Ask the model of [generate] for approaches first, where that is not done yet
    #[arg(long)]
    generate: bool,
    /// Show what would be done, and stop: with --generate the plan and what it is expected to cost (the plan is asked for
    /// once only), otherwise what the search of [rounds] may take
    #[arg(long)]
    dry_run: bool,
    /// With --generate: go on without a question on a terminal
    #[arg(long, requires = "generate")]
    yes: bool,
    /// With --generate: the most US dollars, instead of what the experiment says
    #[arg(long, value_name = "USD", requires = "generate", value_parser = models::microdollars)]
    usd: Option<u64>,
    /// With --generate: the most tokens, instead of what the experiment says
    #[arg(long, value_name = "N", requires = "generate", value_parser = clap::value_parser!(u64).range(1..))]
    tokens: Option<u64>,
    /// With --generate: the address of the API, with its version: http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL", requires = "generate")]
    base_url: Option<String>,
    /// With --generate, for `provider = "command"`: the program and its arguments; repeated for each argument
    #[arg(
        long,
        value_name = "WORD",
        requires = "generate",
        allow_hyphen_values = true
    )]
    command: Vec<String>,
    /// With --generate: an environment variable that the program gets; repeated for each
    #[arg(long, value_name = "NAME", requires = "generate")]
    command_env: Vec<String>,
    /// With --generate: a file of prices that come before those that are built in
    #[arg(long, value_name = "FILE", requires = "generate")]
    prices: Option<PathBuf>,
    /// With --generate: the most calls at the same time, instead of what the experiment says
    #[arg(long, value_name = "N", requires = "generate", value_parser = clap::value_parser!(u32).range(1..=i64::from(CALLS_AT_ONCE_MAX)))]
    calls_at_once: Option<u32>,
    /// With --generate: the most calls that begin in a minute [default: no limit]
    #[arg(long, value_name = "N", requires = "generate", value_parser = clap::value_parser!(u32).range(1..))]
    calls_per_minute: Option<u32>,
}

impl Leave {
    /// Returns true if the search of [rounds] is only to be forecast.
    pub(super) fn forecasts_rounds(&self) -> bool {
        self.dry_run && !self.generate
    }
}

/// The message after an interruption.
const INTERRUPTED: &str = "interrupted; what the model replied is recorded, and the same command goes on without paying again";

/// Next step of a run after its `[generate]` table was handled.
pub(super) enum Next {
    /// Measure the experiment as it is.
    Measure,
    /// Read the experiment again, since approaches were added to it, and measure it.
    ReadAgain,
    /// End the run: the user wants the plan only, or declined to go on.
    End,
}

/// Asks the model for the approaches that an experiment wants, unless they are there or the user does not consent.
///
/// # Errors
/// An option is missing, the host's policy forbids it, the user interrupts it, or the model gives no answers. In the
/// last case, the approaches that passed until then are written.
pub(super) async fn ask(
    leave: &Leave,
    (loaded, file): (&LoadedExperiment, &Path),
    policy: &Policy,
    safety: &Safety,
    (output, listener): (&Output, &Listener),
) -> Result<Next, Failure> {
    let Some(wanted) = &loaded.generate else {
        return if leave.generate {
            Err(Failure::usage(
                "--generate: the experiment has no [generate]; `bakeoff generate` asks for approaches without one",
            ))
        } else {
            Ok(Next::Measure)
        };
    };
    let mut say = output.reporter();
    let record = GenerationRecord::of(&loaded.dir, &wanted.wanted());
    let nothing_more =
        wanted.approaches == Some(0) || record.is_some_and(|record| record.is_complete);
    if nothing_more && loaded.wished.is_empty() {
        return Ok(Next::Measure);
    }
    if !leave.generate && !leave_on_terminal(wanted, output)? {
        say(&format!(
            "{} is not asked for approaches ([generate]): `bakeoff run --generate` lets it be",
            named(wanted)
        ));
        return Ok(Next::Measure);
    }
    policy.permit_generate()?;
    wishes::has_room(loaded, wanted.approaches.unwrap_or(0))?;
    check_places(&loaded.dir, &generation::PLACES)?;
    generation_record::set_foreign_aside(&loaded.dir, &mut say)?;
    let criteria = loaded.experiment.criteria.iter();
    let criteria = criteria.map(|one| one.name.clone()).collect();
    let all = wanted.approaches.unwrap_or(0) + loaded.wished.len() as u32;
    let events = GenerationEvents::begin(&loaded.dir, (all, criteria), listener, &mut say);
    let models = leave.open(wanted, loaded, policy)?;
    let models = Arc::new(model_news::told(models, output, &events));
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
                return Ok(Next::End);
            }
        } else {
            let wishing = Wishing {
                loaded,
                file,
                models: &models,
                policy,
                safety,
                output,
                problem: &loaded.experiment.problem,
            };
            let options = propose_options(wanted, loaded, 1, &events);
            let made = tokio::select! {
                made = wishing.write(&options) => made?,
                _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(INTERRUPTED)),
            };
            say(generation::text(&made.generation, Some(&models), None).trim_end());
            if let Some(error) = &made.ended {
                events.end(false);
                return Err(models::ended(error));
            }
        }
        if nothing_more {
            events.end(true);
            return Ok(Next::ReadAgain);
        }
        again = wishes::read_again(loaded, file, policy)?;
        &again
    };
    let asking = Asking {
        leave,
        wanted,
        loaded,
        models: &models,
        output,
        events: &events,
    };
    let explored = tokio::select! {
        explored = asking.explore(policy, safety) => explored?,
        _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(INTERRUPTED)),
    };
    match explored {
        Some((explored, expected)) => asking.finish(&explored, expected, file),
        None => Ok(Next::End),
    }
}

/// Returns the provider and the model in words. The model's name is escaped, since an experiment chose it.
fn named(wanted: &Generate) -> String {
    match &wanted.model {
        Some(model) => format!("{} {}", wanted.provider.name(), Plain(model)),
        None => wanted.provider.name().to_owned(),
    }
}

/// Asks on the terminal whether the model may be asked. Returns false unasked with `--quiet`, without a terminal, and
/// for `provider = "command"`: a program is never run for such an answer.
fn leave_on_terminal(wanted: &Generate, output: &Output) -> Result<bool, Failure> {
    let is_command = wanted.provider == ProviderKind::Command;
    if is_command || output.quiet || !planned::is_on_terminal() {
        return Ok(false);
    }
    let usd = wanted
        .microdollars_max
        .map(|most| format!("{:.2} US dollars", most as f64 / 1e6));
    let tokens = wanted.tokens_max.map(|most| format!("{most} tokens"));
    let most: Vec<String> = usd.into_iter().chain(tokens).collect();
    let most = if most.is_empty() {
        "no limit".to_owned()
    } else {
        format!("at most {}", most.join(" and "))
    };
    planned::confirm(&format!(
        "The experiment asks {} for approaches, {most}. Ask it? [y/N] ",
        named(wanted)
    ))
}

impl Leave {
    /// Opens the model that an experiment wants for the rounds of a search, if the user lets it be asked.
    pub(super) fn open_for_rounds(
        &self,
        loaded: &LoadedExperiment,
        policy: &Policy,
        (listener, output): (&Listener, &Output),
    ) -> Result<Option<(Arc<Models>, WriteOptions)>, Failure> {
        let Some(wanted) = loaded.generate.as_ref().filter(|_| self.generate) else {
            return Ok(None);
        };
        policy.permit_generate()?;
        let criteria = loaded.experiment.criteria.iter();
        let criteria = criteria.map(|one| one.name.clone()).collect();
        let dir = &loaded.dir;
        let events = GenerationEvents::begin(dir, (0, criteria), listener, &mut output.reporter());
        let models = model_news::told(self.open(wanted, loaded, policy)?, output, &events);
        let cores = counts::cores_of(loaded.experiment.measure.workers);
        let options = propose_options(wanted, loaded, cores, &events).write;
        Ok(Some((Arc::new(models), options)))
    }

    /// Opens the model that an experiment wants, within the bounds of user and policy.
    fn open(
        &self,
        wanted: &Generate,
        loaded: &LoadedExperiment,
        policy: &Policy,
    ) -> Result<Models, Failure> {
        let kind = wanted.provider;
        let is_command = kind == ProviderKind::Command;
        if is_command == self.command.is_empty() {
            return Err(Failure::usage(if is_command {
                "the experiment asks a command for approaches, and names none, since it may come from anybody: \
                     give program and arguments with --command"
            } else {
                "--command is for `provider = \"command\"` in [generate]"
            }));
        }
        let bounds = policy.generate_bounds();
        let tokens_max = least(self.tokens.or(wanted.tokens_max), bounds.tokens);
        let microdollars_max = least(self.usd.or(wanted.microdollars_max), bounds.microdollars);
        let is_free = matches!(kind, ProviderKind::Ollama | ProviderKind::Replay);
        if !is_free && tokens_max.is_none() && microdollars_max.is_none() {
            return Err(Failure::usage(
                "nothing says what the approaches may cost: set `usd` or `tokens` in [generate], or --usd or --tokens",
            ));
        }
        let options = ModelOptions {
            model: wanted.model.clone(),
            base_url: self.base_url.clone(),
            command: self.command.clone(),
            command_env: self.command_env.clone(),
            cassette: wanted.cassette.as_ref().map(|file| loaded.dir.join(file)),
            cassette_within: Some(loaded.dir.clone()),
            record: Some(record_in(&loaded.dir)?),
            tokens_max,
            microdollars_max,
            prices: self.prices.clone(),
            concurrency: self.calls_at_once.unwrap_or(wanted.calls_at_once),
            calls_per_minute: self.calls_per_minute,
            ..ModelOptions::new(kind)
        };
        Models::open(options).map_err(|error| Failure::usage(error.to_string()))
    }
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
            tried_at_once: cores,
            on_step: events.on_step(),
        },
    }
}

/// Returns the smaller of two bounds, each of which may be missing.
fn least(own: Option<u64>, most: Option<u64>) -> Option<u64> {
    match (own, most) {
        (Some(own), Some(most)) => Some(own.min(most)),
        (own, most) => own.or(most),
    }
}

/// The model that the user allowed to ask, with the experiment that wants approaches.
struct Asking<'a> {
    leave: &'a Leave,
    wanted: &'a Generate,
    loaded: &'a LoadedExperiment,
    models: &'a Arc<Models>,
    output: &'a Output,
    events: &'a GenerationEvents,
}

impl Asking<'_> {
    /// Asks for a plan and for the approaches in it. Returns `None` if it ends with the plan: with `--dry-run`, or if
    /// the user declines to go on.
    async fn explore(
        &self,
        policy: &Policy,
        safety: &Safety,
    ) -> Result<Option<(Explored, ExpectedCost)>, Failure> {
        let (wanted, output) = (self.wanted, self.output);
        let host = safety.host_options(policy.clone())?;
        let mut say = output.reporter();
        say(&format!("asking {} for a plan", self.models.name()));
        let statement = &self.loaded.experiment.problem;
        let plan = bakeoff_propose::plan(
            self.models,
            statement,
            PlanScope::Experiment,
            wanted.approaches,
            wanted.diversity,
        );
        let plan = plan.await.map_err(|error| match error {
            PlanError::Ask(error) => models::ended(&error),
            unusable => Failure::no_answer(unusable.to_string()),
        })?;
        let expected = generation::expected(&plan, self.models);
        if self.leave.dry_run {
            match output.format {
                Format::Json => show::write_json(&PlanOutput {
                    plan: &plan,
                    expected: &expected,
                })?,
                _ => show::write(&planned::plan_text(&plan, &expected))?,
            }
            return Ok(None);
        }
        say(planned::plan_text(&plan, &expected).trim_end());
        if !self.leave.yes && !planned::goes_on(self.models)? {
            return Ok(None);
        }
        let asking = generation_record::before(self.loaded, &wanted.wanted());
        let survey = Survey::open(&asking, &host, &mut say).await?;
        let options = ExploreOptions {
            statement: statement.clone(),
            told: statement.clone(),
            criteria: Vec::new(),
            name: self.loaded.experiment.name.clone(),
            propose: propose_options(
                wanted,
                self.loaded,
                counts::cores_of(asking.experiment.measure.workers),
                self.events,
            ),
            wished: Vec::new(),
        };
        let own = own_approaches(&asking);
        let wished = wishes::told(&asking);
        // Progress may quote a panic or a compiler.
        let escaped = move |text: &str| say(&Lines(text).to_string());
        let beside = (survey, &own[..], &wished[..]);
        let explored =
            bakeoff_propose::explore_beside(self.models, &plan, beside, &host, &options, escaped)
                .await?;
        Ok(Some((explored, expected)))
    }

    /// Writes the approaches that passed into the experiment, and reports the outcomes of all on stderr.
    fn finish(
        &self,
        explored: &Explored,
        expected: ExpectedCost,
        file: &Path,
    ) -> Result<Next, Failure> {
        let mut say = self.output.reporter();
        for warning in self.models.warnings() {
            say(&Plain(&warning).to_string());
        }
        self.events.end(explored.ended.is_none());
        let made = generation::finish(Ending {
            loaded: self.loaded,
            file,
            proposals: &explored.proposals,
            models: Some(self.models),
            expected: Some(expected),
            not_started: &explored.not_started,
            wanted: self.wanted.wanted(),
            is_complete: explored.ended.is_none(),
            say: &mut self.output.reporter(),
        })?;
        say(generation::text(&made, Some(self.models), None).trim_end());
        if let Some((_, reason)) = &explored.unusable {
            say(&Lines(reason).to_string());
        }
        match &explored.ended {
            Some(error) => Err(models::ended(error)),
            None => Ok(Next::ReadAgain),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_bound_holds_whatever_the_user_says() {
        assert_eq!(least(Some(5), Some(3)), Some(3));
        assert_eq!(least(Some(2), Some(3)), Some(2));
        assert_eq!(least(None, Some(3)), Some(3));
        assert_eq!(least(None, None), None);
    }
}
