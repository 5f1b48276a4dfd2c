//! A search that is wanted, and one that is over.

use super::error::SearchError;
use bakeoff_config::{LoadedExperiment, RoundsTable};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report;
use bakeoff_files::Reach;
use bakeoff_propose::{Improver, RoundProposer};
use bakeoff_run::{HostOptions, Interrupt, Survey};
use bakeoff_source::read_code_or_vendored;
use bakeoff_store::{ResultsPlace, Start};

/// A search that is wanted.
pub struct SearchRequest<'a> {
    /// The experiment.
    pub loaded: &'a LoadedExperiment,
    /// Options of the search.
    pub options: RoundsTable,
    /// The folder of the results of the race; what the search keeps is below it.
    pub results: ResultsPlace,
    /// The use of what an earlier search kept.
    pub start: Start,
    /// The number of rounds to add to those that are over, whatever the options say of their end.
    pub more: Option<u32>,
    /// The host's own options.
    pub host: HostOptions,
    /// The flag that is raised when the user asks to stop.
    pub interrupt: Interrupt,
    /// The command that goes on with the search, for the message of an interruption.
    pub resume: String,
    /// The model that writes candidates, if one may.
    pub model: Option<Improver>,
}

/// A search that is over.
#[derive(Debug)]
pub struct FinishedSearch {
    /// The experiment that races: the approaches that the search began with, and the best candidates.
    pub experiment: LoadedExperiment,
    /// The rounds, as reports have them.
    pub rounds: report::Rounds,
    /// The seed of inputs and orders in the rounds, which is none for the race.
    pub inputs: RunSeed,
}

/// Builds the proposer of a search, if it has one.
pub(crate) async fn open_proposer(
    request: &SearchRequest<'_>,
    say: &mut (dyn FnMut(&str) + Send),
) -> Result<Option<RoundProposer>, SearchError> {
    let Some(code) = &request.options.proposer else {
        return Ok(None);
    };
    let loaded = request.loaded;
    let unusable = |why: &str| {
        let path = code.path().display();
        SearchError::Nothing(format!("the proposer {path} cannot be asked: {why}"))
    };
    let place = (&*loaded.dir, Reach::Within(&loaded.dir));
    let read = read_code_or_vendored(code, place, &request.host.vendored());
    let read = read.map_err(|failure| unusable(&failure.message))?;
    let survey = Survey::open(loaded, &request.host, say).await?;
    let opened = RoundProposer::open(survey, read).await?;
    let proposer = opened.map_err(|failure| unusable(&failure.message))?;
    Ok(Some(proposer))
}
