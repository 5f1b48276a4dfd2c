//! Fuel by function of the programs that a model or a proposer is told of.

use super::archive::Archive;
use super::candidate::{Candidate, Program};
use super::error::SearchError;
use super::experiments::experiment_of;
use super::request::SearchRequest;
use super::round_candidates::Material;
use super::told_knowledge;
use bakeoff_config::{LoadedExperiment, Propose};
use bakeoff_domain::function_fuel::FuelByFunction;
use bakeoff_run::{HostOptions, RunError, Survey, SurveyedFuel};

/// Counts the fuel of the programs that are told to a model or a proposer by the functions of their sources, in calls of
/// its own, as far as nobody has counted it yet; of none where nobody is asked who is told that. Returns it by the
/// indexes of the candidates. The same program has the same fuel whenever it is counted. Of one whose build for that or
/// whose call fails nothing is known, and so nothing is told.
///
/// # Errors
/// The user asks to stop.
pub(crate) async fn count(
    request: &SearchRequest<'_>,
    ways: &[Propose],
    (loaded, material, archive): (&LoadedExperiment, &Material, &Archive),
    say: &mut (dyn FnMut(&str) + Send),
) -> Result<Vec<(usize, FuelByFunction)>, SearchError> {
    if !is_told(ways) {
        return Ok(Vec::new());
    }
    let wanted = uncounted(archive, |program| material.source(program).is_some());
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let candidates = wanted.iter().map(|index| &archive.candidates[*index]);
    let candidates: Vec<&Candidate> = candidates.collect();
    let names: Vec<&str> = candidates.iter().map(|one| one.name.as_str()).collect();
    say(&format!("counting fuel by function: {}", names.join(", ")));
    let counted = tokio::select! {
        counted = survey(loaded, &candidates, &request.host) => counted,
        () = request.interrupt.raised() => return Err(RunError::Interrupted.into()),
    };
    let counted = counted.unwrap_or_else(|error| {
        // It steers, and nothing depends on it.
        say(&format!("nobody is told where fuel goes: {error}"));
        Vec::new()
    });
    let by_name = |name: &str| {
        let one = counted.iter().find(|one| one.approach == name)?;
        one.fuel.as_ref().ok().cloned()
    };
    let known = wanted.iter().zip(&candidates);
    Ok(known
        .map(|(index, one)| (*index, by_name(&one.name).unwrap_or_default()))
        .collect())
}

/// Returns true if somebody is asked who is told where fuel goes.
fn is_told(ways: &[Propose]) -> bool {
    let asked = [Propose::Model, Propose::Component];
    ways.iter().any(|way| asked.contains(way))
}

/// Returns the candidates that are told with their sources, and whose fuel by function nobody has counted.
fn uncounted(archive: &Archive, has_source: impl Fn(&Program) -> bool) -> Vec<usize> {
    let told = told_knowledge::told_programs(archive, has_source);
    let told = told.best.into_iter().chain(told.different);
    told.filter(|index| archive.candidates[*index].fuel_by_function.is_none())
        .collect()
}

async fn survey(
    loaded: &LoadedExperiment,
    candidates: &[&Candidate],
    host: &HostOptions,
) -> Result<Vec<SurveyedFuel>, RunError> {
    let experiment = experiment_of(loaded, candidates);
    let survey = Survey::open(&experiment, host, &mut |_| {}).await?;
    survey.function_fuel(&survey.fuel_inputs()).await
}
