//! The rounds of a search before a race: `[rounds]` of an experiment, and the options that overrule it.

use super::consent_options::ConsentOptions;
use super::failure::{Failure, say_interrupted};
use super::generation_consent::{INTERRUPTED, open_for_rounds, told};
use super::interrupts::listen_for_interrupts;
use super::on_event::Listener;
use super::options::{Output, Safety};
use bakeoff_config::{Generate, LoadedExperiment, Policy, Propose, ROUNDS_MAX, RoundsTable};
use bakeoff_domain::wording;
use bakeoff_propose::Improver;
use bakeoff_render::escape::Plain;
use bakeoff_run::{KnownMachine, RunError, Survey, asks_for_time};
use bakeoff_search::{FinishedSearch, SearchError, SearchRequest, wanted_ways};
use bakeoff_source::VendoredComponents;
use bakeoff_store::{ResultsPlace, Start};
use clap::Args;
use std::fmt::Write as _;
use std::path::Path;

/// Options of a run on the rounds before its race.
#[derive(Debug, Default, Args)]
pub(super) struct RoundsArguments {
    /// Search for better approaches first, in at most this many rounds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(ROUNDS_MAX)))]
    rounds: Option<u32>,
    /// Race what the experiment names, without the search of its [rounds]
    #[arg(long, conflicts_with = "rounds")]
    no_rounds: bool,
}

/// The wish for a search.
#[derive(Clone, Debug)]
pub(super) struct SearchWish {
    pub(super) options: RoundsTable,
    /// The number of rounds to add to those that are over.
    pub(super) more: Option<u32>,
}

impl RoundsArguments {
    /// Returns true if one of them is given.
    pub(super) fn is_given(&self) -> bool {
        self.rounds.is_some() || self.no_rounds
    }

    /// Returns the search that is wanted, if one is: by the experiment, or by an option.
    pub(super) fn wanted(&self, loaded: &LoadedExperiment) -> Option<SearchWish> {
        if self.no_rounds {
            return None;
        }
        let declared = loaded.rounds.clone();
        let mut options = match self.rounds {
            Some(_) => declared.unwrap_or_default(),
            None => declared?,
        };
        options.count = self.rounds.unwrap_or(options.count);
        Some(SearchWish {
            options,
            more: None,
        })
    }

    /// Returns the search that a command wants whose purpose it is.
    ///
    /// # Errors
    /// An option says that there is to be none.
    pub(super) fn always(
        &self,
        loaded: &LoadedExperiment,
        more: Option<u32>,
    ) -> Result<SearchWish, Failure> {
        if self.no_rounds {
            return Err(Failure::usage(
                "--no-rounds is for `bakeoff run`, which then races what the experiment names; `bakeoff evolve` searches",
            ));
        }
        let mut options = loaded.rounds.clone().unwrap_or_default();
        options.count = self.rounds.unwrap_or(options.count);
        Ok(SearchWish { options, more })
    }
}

/// A search of a run.
pub(super) struct Search<'a> {
    pub(super) loaded: &'a LoadedExperiment,
    pub(super) wanted: SearchWish,
    /// The folder of the run's results.
    pub(super) results: &'a ResultsPlace,
    pub(super) start: Start,
    pub(super) safety: &'a Safety,
    pub(super) machine: &'a KnownMachine,
    pub(super) policy: &'a Policy,
    /// The command that is told of events.
    pub(super) listener: &'a Listener,
    /// The leave to ask a model.
    pub(super) leave: &'a ConsentOptions,
    /// The command that goes on after an interruption.
    pub(super) resume: &'a str,
}

impl Search<'_> {
    /// Searches. Returns `None` if the user interrupted it; a message has said so then.
    ///
    /// # Errors
    /// See [`SearchError`].
    pub(super) async fn go(self, output: &Output) -> Result<Option<FinishedSearch>, Failure> {
        let host = (self.safety).host_options_on(self.policy.clone(), self.machine)?;
        let mut reporter = output.reporter();
        let mut say = move |text: &str| reporter(&Plain(text).to_string());
        let by_model = self.wanted.options.propose.contains(&Propose::Model);
        let opened = if by_model {
            open_for_rounds(
                self.leave,
                self.loaded,
                self.policy,
                (self.listener, output),
            )?
        } else {
            None
        };
        let model = match opened {
            Some((models, options)) => {
                let survey = Survey::open(self.loaded, &host, &mut say).await?;
                let statement = match &self.loaded.generate {
                    Some(wanted) => tokio::select! {
                        told = told(wanted, self.loaded, &models, &mut say) => told?,
                        _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(INTERRUPTED)),
                    },
                    None => self.loaded.experiment.problem.clone(),
                };
                Some(Improver::new(&models, survey, &statement, &options))
            }
            None => None,
        };
        let request = SearchRequest {
            model,
            loaded: self.loaded,
            options: self.wanted.options,
            results: self.results.clone(),
            start: self.start,
            more: self.wanted.more,
            host,
            interrupt: listen_for_interrupts(),
            resume: self.resume.to_owned(),
        };
        match bakeoff_search::search(&request, &mut say).await {
            Ok(searched) => Ok(Some(searched)),
            Err(SearchError::Run(RunError::Interrupted)) => {
                let kept = "rounds that are over are kept";
                say_interrupted(output.error_form(), kept, Some(self.resume));
                Ok(None)
            }
            Err(error) => Err(failure(error)),
        }
    }
}

/// Returns the error of a search as that of a command.
pub(super) fn failure(error: SearchError) -> Failure {
    match error {
        SearchError::Run(error) => error.into(),
        SearchError::Config(error) => error.into(),
        SearchError::Store(error) => error.into(),
        SearchError::Nothing(text) => Failure::usage(text),
        SearchError::Journal { .. } => Failure::infrastructure(error),
    }
}

/// Returns what a search may take, without beginning it.
///
/// # Errors
/// The experiment has nothing to search.
pub(super) fn forecast(
    loaded: &LoadedExperiment,
    wanted: &SearchWish,
    results: &ResultsPlace,
    safety: &Safety,
    shown: &Path,
) -> Result<String, Failure> {
    let options = &wanted.options;
    let ways = wanted_ways(loaded, options).map_err(failure)?;
    let words: Vec<&str> = ways.iter().map(|way| way.name()).collect();
    let vendored = VendoredComponents::of_cache(safety.cache()?);
    let done = bakeoff_search::rounds_over(loaded, options, results, &vendored);
    let done = done.map_err(failure)?;
    let left = match wanted.more {
        Some(more) => more,
        None => options.count.saturating_sub(done),
    };
    let width = options.width.most() * if options.control { 2 } else { 1 };
    let budget = loaded.experiment.measure.budget;
    let timing = bakeoff_run::look_budget(budget);
    let begun = loaded.experiment.approaches.len();
    let racing = begun + options.finalists as usize + usize::from(options.control);
    let mut text = format!(
        "{}: {}, with {}\n",
        Plain(&shown.display().to_string()),
        wording::counted_as(left.into(), "round at most", "rounds at most"),
        words.join(", "),
    );
    let timed = if asks_for_time(&loaded.experiment) {
        format!(
            ", of which up to {} a round are timed, beside the best so far, for up to {} together",
            bakeoff_run::TIMED_MAX,
            bakeoff_config::units::show_duration(timing)
        )
    } else {
        String::new()
    };
    // Writing to a text cannot fail.
    let _ = writeln!(
        text,
        "  {} of {} each: {} to build and check{timed}",
        wording::counted(left, "round"),
        wording::counted(width, "candidate"),
        u64::from(left) * u64::from(width),
    );
    let _ = writeln!(
        text,
        "  then a race of up to {racing} approaches for up to {}",
        bakeoff_config::show_duration(budget),
    );
    if let Some(time) = options.time {
        let _ = writeln!(
            text,
            "  no round begins that would not end within {} of searching",
            bakeoff_config::show_duration(time)
        );
    }
    if done > 0 {
        let _ = writeln!(
            text,
            "  {} over already",
            wording::counted_as(done.into(), "round is", "rounds are")
        );
    }
    if let (true, Some(asked)) = (ways.contains(&Propose::Model), &loaded.generate) {
        text += &questions(asked, options, (left, ways.len() as u32));
    }
    text.push_str("  no model is asked, and nothing was begun\n");
    Ok(text)
}

/// Returns what a model may be asked in so many rounds, in which so many ways share the candidates.
fn questions(asked: &Generate, options: &RoundsTable, (rounds, ways): (u32, u32)) -> String {
    let share = options.width.most().div_ceil(ways.max(1));
    let tries = if options.control { 2 } else { 1 };
    let first = u64::from(rounds) * u64::from(share) * tries;
    let calls = first * (1 + u64::from(asked.repairs)) + u64::from(asked.research);
    let research = if asked.research {
        ", one of them what is known of the problem"
    } else {
        ""
    };
    let usd = asked.asked.microdollars_max;
    let usd = usd.map(|usd| format!("{} US dollars", usd as f64 / 1e6));
    let tokens = asked.asked.tokens_max;
    let tokens = tokens.map(|tokens| format!("{tokens} tokens"));
    let by = asked
        .asked
        .repairs
        .as_ref()
        .map_or_else(String::new, |one| {
            format!(" by {} {}", one.provider.name(), Plain(&one.model))
        });
    let bounds: Vec<String> = [usd, tokens].into_iter().flatten().collect();
    let bounds = if bounds.is_empty() {
        String::new()
    } else {
        format!(", within {}", bounds.join(" and "))
    };
    format!(
        "  a model writes up to {first} of them, with up to {} repairs each{by}: {calls} questions at most{research}{bounds}; one whose reply \
         is not of the form that was asked for is asked again, up to {} times\n",
        asked.repairs,
        bakeoff_provider::FORM_REPAIRS_MAX,
    )
}
