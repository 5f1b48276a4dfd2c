//! A run's sources as programs of this machine: the wish to race them, what is kept of that race, and what it says.

use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::report::{Natively, Report, with_natively};
use bakeoff_store::Store;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

/// A program that was built of a source, or the reason why there is none.
pub type BuiltProgram = Result<Arc<[u8]>, Failure>;

/// The wish that the sources of a run are built for this machine, and raced as programs after the components.
#[derive(Clone, Debug)]
pub struct NativeRace {
    /// The host's policy, with leave to run programs.
    pub policy: Policy,
    /// The programs, one for each approach, if they were built before; otherwise they are built from the sources.
    pub programs: Option<Vec<BuiltProgram>>,
    /// Whoever is shown how far it is.
    pub watcher: Arc<dyn NativeWatcher>,
}

/// Somebody who is shown how far the race of programs is.
pub trait NativeWatcher: Debug + Send + Sync {
    /// Shows a message.
    fn show(&self, text: &str);

    /// Follows the race of an experiment's programs, whose results the store keeps.
    fn begin(&self, programs: &LoadedExperiment, store: &mut Store);

    /// Ends what [`NativeWatcher::begin`] began.
    fn end(&self);
}

/// The part of a run's results that is about its programs: where their race is, and which sources are not in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NativeRecord {
    /// The race of the programs, in a folder of the results; `None` if fewer than two could be built.
    pub(crate) raced: Option<LinkedRun>,
    /// Reasons why a source could not be built, by variant.
    pub(crate) failures: BTreeMap<String, Failure>,
}

/// A run in the results of another folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LinkedRun {
    /// The number of the run.
    pub(crate) run: i64,
    /// Digest of all that decides its result.
    pub(crate) experiment_id: String,
}

/// A run's sources as programs of this machine, as far as they are known.
#[derive(Clone, Debug)]
pub struct NativeResult {
    /// Reasons why a source could not be built, by variant.
    pub(crate) failures: BTreeMap<String, Failure>,
    /// The report about the programs, if at least two could be built; or the reason why it cannot be read any more.
    pub(crate) programs: Result<Option<Box<Report>>, String>,
}

impl NativeResult {
    /// Returns the report about the components with what is known of the programs.
    pub(crate) fn added_to(&self, mut report: Report) -> Report {
        let programs = match &self.programs {
            Ok(programs) => programs,
            Err(reason) => {
                report.notes.push(format!(
                    "The same sources were run as programs of this machine, and what was kept of that is not shown: \
                     {reason}. `bakeoff run --natively` measures it again."
                ));
                return report;
            }
        };
        let mut natively = match programs {
            Some(programs) => Natively::of(&report, (**programs).clone()),
            None => Natively::default(),
        };
        let has = |id: &str| report.variants.iter().any(|one| one.id == id);
        let failures = self.failures.iter().filter(|(id, _)| has(id));
        natively
            .failures
            .extend(failures.map(|(id, failure)| (id.clone(), failure.clone())));
        with_natively(report, Some(natively))
    }
}
