//! The run: everything built, everyone checked, those who are right timed against each other, and
//! what follows put into a report. How each of these is done is known elsewhere; here is the order.
//!
//! Every finished result is kept at once, under a key of all that it depends on, so that a run that
//! was killed goes on, and a run whose inputs changed repeats only what they touch.

mod builds;
mod bundle;
mod candidate;
mod changes;
mod checks;
mod compared;
mod conclude;
mod error;
mod evidence;
mod figures;
mod grants;
mod keys;
mod recompute;
mod reconcile;
mod seed;
mod sound;
mod timing;
mod verify;
mod workshop;

pub use bundle::{PackError, Packing, Unpacked, pack, unpack};
pub use candidate::{Candidate, read_code};
pub use error::RunError;
pub use evidence::{Evidence, EvidenceError, Record};
pub use figures::{Figure, Outcome, VERIFICATION_VERSION, Verification};
pub use recompute::{Recomputed, recompute};
pub use reconcile::differences;
pub use sound::check_report;
pub use verify::{Given, Prototypes, verify};
pub use workshop::{Means, Tools, Workshop, wasi_imports};

use crate::config::Loaded;
use crate::events::{Event, Stage};
use crate::store::{Mode, RunMeta, Start, Store};
use bakeoff_domain::report::{Environment, Report};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How a run is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder in which results are kept.
    pub folder: PathBuf,
    /// Whether earlier results count.
    pub start: Start,
    /// The seed of the run, if the user names one.
    pub seed: Option<u64>,
    /// With what.
    pub means: Means,
    /// The command that goes on, for the message of an interrupted run.
    pub resume: String,
    /// Raised when the user asks to stop.
    pub interrupt: Interrupt,
}

/// What to do where nothing confines untrusted code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unconfined {
    /// Nothing is built and nothing runs.
    Refused,
    /// The user allowed it.
    Allowed,
}

/// Raised when the user asks to stop.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks to stop.
    pub fn raise(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether somebody asked.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// A run under way.
struct Run<'a> {
    loaded: &'a Loaded,
    options: &'a Options,
    workshop: Workshop,
    keys: keys::Keys,
    candidates: Vec<Candidate>,
    store: Store,
    notes: Vec<String>,
    trials: u64,
}

/// What a finished run leaves to do.
#[derive(Debug)]
pub struct Finished {
    /// The report, which is kept in the store by now.
    pub report: Report,
    /// The store. Nobody else may run in its folder while this lives, so that the files beside it
    /// can be written.
    pub store: Store,
}

/// Runs an experiment. Progress goes to the store's listeners, of which `subscribe` may add some.
///
/// # Errors
/// See [`RunError`]. What is finished by then is kept.
pub async fn run(
    loaded: &Loaded,
    options: &Options,
    say: &mut (dyn FnMut(&str) + Send),
    subscribe: impl FnOnce(&mut Store),
) -> Result<Finished, RunError> {
    let mode = match options.start {
        Start::Resume => Mode::Write,
        Start::Fresh => Mode::SetAside,
    };
    let mut store = Store::open(&options.folder, mode)?;
    let mut seed = seed::choose(options, &store)?;
    let candidates = grants::candidates(loaded, &options.means.policy)?;
    let mut workshop = Workshop::open(loaded, &options.means, seed, say).await?;
    let experiment = &loaded.experiment;
    let identify = |workshop: &Workshop| {
        let keys = keys::Keys::new(experiment, workshop)
            .map_err(|error| RunError::Engine(format!("{error:#}")))?;
        let id = keys.experiment(&candidates);
        Ok::<_, RunError>((keys, id))
    };
    let (mut keys, mut id) = identify(&workshop)?;
    if seed::is_spent(options, &store, &id, &keys, &candidates)? {
        seed = seed::draw()?;
        workshop.take_seed(seed, experiment.workload.seed);
        (keys, id) = identify(&workshop)?;
    }
    let environment = conclude::environment(&workshop, &options.means.policy);
    subscribe(&mut store);
    let meta = RunMeta {
        name: &experiment.name,
        experiment_id: &id,
        seed,
        experiment,
        environment: &environment,
        bakeoff: env!("CARGO_PKG_VERSION"),
    };
    begin(&mut store, &meta, options)?;
    let mut run = Run {
        loaded,
        options,
        workshop,
        keys,
        candidates,
        store,
        notes: Vec::new(),
        trials: 0,
    };
    match run.go(id, environment).await {
        Ok(report) => Ok(Finished {
            report,
            store: run.store,
        }),
        Err(error) => {
            run.stopped(&error);
            Err(error)
        }
    }
}

/// Opens the run in the store, and says whether it goes on with an earlier one.
fn begin(store: &mut Store, meta: &RunMeta<'_>, options: &Options) -> Result<(), RunError> {
    let begun = store.begin_run(meta, options.start)?;
    let (experiment, experiment_id) = (meta.name.to_owned(), meta.experiment_id.to_owned());
    store.emit(match begun.continues {
        Some(_) => Event::RunResumed {
            experiment,
            experiment_id,
            kept: begun.kept,
        },
        None => Event::RunStart {
            experiment,
            experiment_id,
            seed: meta.seed,
        },
    })?;
    Ok(())
}

impl Run<'_> {
    async fn go(&mut self, id: String, environment: Environment) -> Result<Report, RunError> {
        self.announce()?;
        self.build().await?;
        self.check().await?;
        let identities: Vec<_> = self.candidates.iter().map(Candidate::identity).collect();
        find_twins(&mut self.candidates, &identities);
        let raced = self.time().await?;
        let report = self.conclude(id, environment, raced)?;
        self.store.finish_run(&report)?;
        self.store.emit(Event::RunComplete {
            seconds: self.store.spent_seconds(),
        })?;
        Ok(report)
    }

    fn announce(&mut self) -> Result<(), RunError> {
        let criteria = &self.loaded.experiment.criteria;
        self.store.emit(Event::ExplorationStart {
            num_approaches: self.candidates.len() as u32,
            criteria: criteria
                .iter()
                .map(|criterion| criterion.name.clone())
                .collect(),
        })?;
        for candidate in &self.candidates {
            self.store.declare_variant(
                &candidate.id,
                &candidate.name,
                &candidate.name,
                &Default::default(),
            )?;
            self.store.declare_iteration(
                &candidate.id,
                1,
                &keys::digest([candidate.code_bytes()]),
            )?;
            self.store.emit(Event::ApproachGenerated {
                approach_id: candidate.id.clone(),
                description: candidate.description.clone().unwrap_or_default(),
            })?;
        }
        Ok(())
    }

    fn stage(&mut self, stage: Stage, steps: usize) -> Result<(), RunError> {
        self.store.emit(Event::StageStart {
            stage,
            steps: steps as u64,
        })?;
        Ok(())
    }

    fn stage_done(&mut self, stage: Stage) -> Result<(), RunError> {
        self.store.emit(Event::StageComplete { stage })?;
        Ok(())
    }

    fn refuse_if_interrupted(&self) -> Result<(), RunError> {
        match self.options.interrupt.is_raised() {
            true => Err(RunError::Interrupted),
            false => Ok(()),
        }
    }

    /// Says that the run stops without a report. What goes wrong here is not worth hiding the first
    /// error for.
    fn stopped(&mut self, error: &RunError) {
        use crate::store::RunStatus;
        let (event, status) = match error {
            RunError::Interrupted => (
                Event::RunInterrupted {
                    resume: self.options.resume.clone(),
                },
                RunStatus::Interrupted,
            ),
            other => (
                Event::RunFailed {
                    message: other.to_string(),
                },
                RunStatus::Failed,
            ),
        };
        let _ = self.store.emit(event);
        let _ = self.store.stop_run(status);
    }
}

/// Components that are the same byte for byte tie without being run against each other. By candidate:
/// what decides what it does, if it was built.
fn find_twins(candidates: &mut [Candidate], identities: &[Option<String>]) {
    for later in 1..candidates.len() {
        if identities[later].is_none() || !candidates[later].is_alive() {
            continue;
        }
        let same = |earlier: &usize| {
            let other = &candidates[*earlier];
            let races = other.is_alive() && other.twin_of.is_none();
            races && identities[*earlier] == identities[later]
        };
        candidates[later].twin_of = (0..later).find(same);
    }
}
