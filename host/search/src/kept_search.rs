//! A search that is kept, without going on with it.

use super::archive::Archive;
use super::basis::{code_of, identity, search_folder};
use super::error::SearchError;
use super::journal::{Journal, JournalPlace};
use super::round_candidates::wanted_ways;
use bakeoff_config::{LoadedExperiment, Propose, RoundsTable};
use bakeoff_source::{RunFiles, VendoredComponents};
use bakeoff_store::ResultsPlace;

/// Reads what a search has found so far, in the folder of the results of its race; `None` if there is nothing of this
/// user's.
///
/// # Errors
/// What is there cannot be read.
pub fn known(results: &ResultsPlace) -> Result<Option<Archive>, SearchError> {
    Ok(journal(results)?.map(|one| one.archive))
}

/// Returns the number of rounds that are over of the search with which these options go on; 0 if they begin another. A
/// proposer, which would have to be built, is taken to be that of the record.
///
/// # Errors
/// The experiment has nothing to search, or a file cannot be read.
pub fn rounds_over(
    loaded: &LoadedExperiment,
    options: &RoundsTable,
    results: &ResultsPlace,
    vendored: &VendoredComponents,
) -> Result<u32, SearchError> {
    let Some(journal) = journal(results)? else {
        return Ok(0);
    };
    let ways = wanted_ways(loaded, options)?;
    let files = RunFiles::read(loaded, vendored)?;
    let is_other = !ways.contains(&Propose::Component)
        && journal.identity != identity(loaded, &files, &ways, options, "");
    let code = code_of(&loaded.experiment.approaches, &files);
    if is_other || journal.has_other_code(&code) {
        return Ok(0);
    }
    Ok(journal.archive.rounds)
}

fn journal(results: &ResultsPlace) -> Result<Option<Journal>, SearchError> {
    let folder = match search_folder(results).open_folder() {
        Err(error) if error.is_missing() => return Ok(None),
        folder => folder?,
    };
    JournalPlace::of(folder).look()
}
