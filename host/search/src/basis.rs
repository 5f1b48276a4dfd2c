//! The basis of a search: where it keeps what it finds, and what its figures depend on.

use super::niches::Niching;
use bakeoff_config::{LoadedExperiment, Propose, RoundsTable};
use bakeoff_domain::spec::{Approach, Experiment, Measure, ReportOptions, Source};
use bakeoff_source::{BuildInput, RunFiles, digest_of_parts};
use bakeoff_store::ResultsPlace;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The folder of a search, in that of the results.
const FOLDER: &str = "rounds";

/// Returns the folder of what a search keeps, in that of the results of its race.
pub(crate) fn search_folder(results: &ResultsPlace) -> ResultsPlace {
    match results {
        ResultsPlace::Named(path) => ResultsPlace::Named(path.join(FOLDER)),
        ResultsPlace::InExperiment { dir, below } => ResultsPlace::InExperiment {
            dir: dir.clone(),
            below: below.join(FOLDER),
        },
    }
}

/// Returns the content address of each approach's code, by its name; empty where it cannot be read.
pub(crate) fn code_of(approaches: &[Approach], files: &RunFiles) -> BTreeMap<String, String> {
    let address = |code: &Result<BuildInput, _>| match code {
        Ok(code) => code.content_address(),
        Err(_) => String::new(),
    };
    let named = approaches.iter().zip(&files.code);
    named
        .map(|(one, code)| {
            let sweep = serde_json::to_string(&one.sweep).unwrap_or_default();
            let parts = [address(code), sweep];
            let digest = digest_of_parts(parts.iter().map(String::as_bytes));
            (one.name.clone(), digest)
        })
        .collect()
}

/// Returns the experiment with the sources of its approaches as they were read, in the place of their files.
pub(crate) fn with_sources(loaded: &LoadedExperiment, files: &RunFiles) -> LoadedExperiment {
    let mut pinned = loaded.clone();
    for (approach, code) in loaded.experiment.approaches.iter().zip(&files.code) {
        if let Ok(BuildInput::Source { text, .. }) = code {
            let path = approach.code.path().to_owned();
            pinned.texts.insert(path, Arc::clone(text));
        }
    }
    pinned
}

/// Returns the sources of which places may change, by the name of the approach: of approaches with parameters only where
/// their values are searched, too.
pub(crate) fn sources(
    approaches: &[Approach],
    files: &RunFiles,
    by_values: bool,
) -> BTreeMap<String, Arc<str>> {
    let named = approaches.iter().zip(&files.code);
    named
        .filter(|(one, _)| by_values || one.sweep.is_empty())
        .filter_map(|(one, code)| match code {
            Ok(BuildInput::Source { text, .. }) => Some((one.name.clone(), Arc::clone(text))),
            _ => None,
        })
        .collect()
}

/// Returns the source of the heaviest criterion, if that is none of time: its readings tell most of a candidate.
pub(crate) fn heaviest(experiment: &Experiment) -> Option<String> {
    let criteria = experiment.criteria.iter();
    let first = criteria
        .rev()
        .max_by(|a, b| a.weight.total_cmp(&b.weight))?;
    let is_time = matches!(first.source, Source::Time | Source::Wall);
    (!is_time).then(|| first.source.name())
}

/// Returns a digest of everything that the figures of a search depend on, but its approaches.
pub(crate) fn identity(
    loaded: &LoadedExperiment,
    files: &RunFiles,
    ways: &[Propose],
    options: &RoundsTable,
    proposer: &str,
) -> String {
    let mut experiment = loaded.experiment.clone();
    experiment.approaches.clear();
    experiment.measure = Measure {
        state: experiment.measure.state,
        ..Measure::default()
    };
    experiment.report = ReportOptions::default();
    let mut manifest = files.manifest(&loaded.experiment);
    manifest.experiment = None;
    let ways: Vec<&str> = ways.iter().map(|way| way.name()).collect();
    let mut parts = vec![
        serde_json::to_string(&experiment).unwrap_or_default(),
        serde_json::to_string(&manifest).unwrap_or_default(),
        ways.join(" "),
        format!(
            "{} {} {} {proposer}",
            options.seed, options.parents, options.control
        ),
    ];
    let niching = Niching::of(options);
    if !niching.is_none() {
        parts.push(serde_json::to_string(&niching).unwrap_or_default());
    }
    digest_of_parts(parts.iter().map(String::as_bytes))
}
