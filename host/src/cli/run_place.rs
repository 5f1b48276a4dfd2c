//! The folder of a stored run that is made again or verified, and where its grants are.

use super::failure::Failure;
use super::report_source::{self, is_experiment, owner};
use crate::library::results_folder;
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_run::audit::KeptRun;
use bakeoff_store::ResultsPlace;
use std::path::{Path, PathBuf};

/// The folder of results, and the folder that granted folders are relative to.
pub(super) struct RunPlace {
    /// The folder of results.
    pub(super) results: ResultsPlace,
    /// The experiment's folder, if it was found.
    dir: Option<PathBuf>,
}

impl RunPlace {
    /// Finds the folder of results that a user means by an experiment's folder or file, or by a
    /// folder of results. If `results` is given, `named` is only the folder that grants are
    /// relative to.
    pub(super) fn find(named: &Path, results: Option<&Path>) -> Result<Self, Failure> {
        if is_experiment(named) {
            let declared = bakeoff_config::declared(named)?;
            let results = match results {
                Some(named) => ResultsPlace::Named(named.to_owned()),
                None => results_folder(&declared.dir, &declared.experiment)?,
            };
            return Ok(Self {
                results,
                dir: Some(declared.dir),
            });
        }
        if let Some(results) = results {
            return Ok(Self {
                results: ResultsPlace::Named(results.to_owned()),
                dir: Some(named.to_owned()),
            });
        }
        Ok(Self {
            results: report_source::results(named)?,
            dir: owner(named).map(|declared| declared.dir),
        })
    }

    /// Returns the experiment of a stored run as it was declared then. The host's policy must allow
    /// everything that the run was made with.
    pub(super) fn loaded(
        &self,
        kept: &KeptRun,
        policy: &Policy,
    ) -> Result<LoadedExperiment, Failure> {
        let mut approaches = kept.evidence.record.experiment.approaches.iter();
        let granted = approaches.any(|approach| !approach.grants.is_empty());
        if granted && self.dir.is_none() {
            return Err(Failure::usage(
                "the run was granted folders of its experiment, which was not found: name the \
                 experiment's folder, and this one with --results",
            ));
        }
        let dir = self.dir.clone().unwrap_or_default();
        let mut loaded = kept.loaded(&dir)?;
        policy.apply_to(&mut loaded)?;
        Ok(loaded)
    }
}
