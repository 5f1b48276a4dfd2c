//! Approaches that are called on random inputs before anything is timed: what they are called with, and what may come
//! of it.

use super::effort::SearchBounds;
use super::failure::Failure;
use super::first_look::{CallLengths, SEARCH_FUEL_MAX, SEARCHED, timed_sizes};
use super::remembered;
use super::shrinking::Difference;
use super::stopped_files::StoppedFile;
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::{InputPurpose, RunSeed, sample_seeds};
use bakeoff_domain::spec::{Code, Experiment, Inputs};
use bakeoff_render::{ComparisonOutcome, Untimed};
use bakeoff_source::interface::DerivedInterface;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Approaches that are called on random inputs before anything is timed.
pub(super) struct Looking<'a> {
    /// The function, and what it takes.
    pub(super) found: &'a DerivedInterface,
    /// The workload of inputs on which functions may differ.
    pub(super) searching: PathBuf,
    /// The workload of inputs that are timed.
    pub(super) timed: PathBuf,
    /// The experiment; its own inputs do not matter.
    pub(super) experiment: Experiment,
    /// What all inputs follow from.
    pub(super) seed: RunSeed,
    pub(super) host: bakeoff_run::HostOptions,
    pub(super) policy: &'a Policy,
    /// What all of it may take.
    pub(super) bounds: SearchBounds,
    /// The time that calls have taken so far, in nanoseconds.
    pub(super) spent_ns: AtomicU64,
    /// The files that were stopped in the search for differences where another one answers, once it is over.
    pub(super) stopped: OnceLock<Vec<StoppedFile>>,
}

impl Looking<'_> {
    /// How approaches differ on the simplest input that was found. `counts` says how often they do.
    pub(super) async fn simplest(
        &self,
        survey: &bakeoff_run::Survey,
        difference: Difference,
        counts: &str,
    ) -> Untimed {
        let names = self.experiment.approaches.iter();
        let names: Vec<&str> = names.map(|approach| &*approach.name).collect();
        let (answers, parting) = difference.answers(survey, self.found, &names).await;
        let reproduction = difference.reproduction(self.found);
        remembered::add(
            survey,
            self.found,
            &self.experiment.approaches,
            &difference.arguments,
        );
        Untimed {
            outcome: ComparisonOutcome::Disagreement,
            reason: DIFFERENT.to_owned(),
            answers,
            parting,
            advice: format!(
                "{counts}; this is the simplest that {} tries found. {OTHER_INPUTS} {}",
                difference.tried,
                again(self)
            ),
            reproduction: Some(reproduction),
            call: Some(difference.written),
            ..UNTIMED
        }
    }

    /// How long calls may be.
    pub(super) fn lengths(&self) -> CallLengths {
        CallLengths::of(self.bounds.length)
    }

    /// The time that calls have taken so far.
    pub(super) fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent_ns.load(Ordering::Relaxed))
    }

    /// Takes note of the time since then.
    pub(super) fn add_spent(&self, started: Instant) {
        let spent = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.spent_ns.fetch_add(spent, Ordering::Relaxed);
    }

    pub(super) fn is_over(&self) -> bool {
        self.spent() >= self.bounds.time
    }

    /// Builds what makes the inputs on which they may differ.
    pub(super) async fn open_search(
        &self,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<bakeoff_run::Survey, Failure> {
        let sizes = SEARCHED.map(|(size, _)| size).to_vec();
        self.open(self.searching.clone(), sizes, SEARCH_FUEL_MAX, say)
            .await
    }

    /// Builds what makes the inputs that are timed.
    pub(super) async fn open_timed(&self) -> Result<bakeoff_run::Survey, Failure> {
        let (sizes, fuel) = (timed_sizes(self.found), self.lengths().fuel_max());
        self.open(self.timed.clone(), sizes, fuel, &mut |_| ())
            .await
    }

    pub(super) async fn open(
        &self,
        workload: PathBuf,
        sizes: Vec<u32>,
        fuel: u64,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<bakeoff_run::Survey, Failure> {
        let experiment = self.experiment.clone();
        self.open_as(experiment, workload, sizes, fuel, say).await
    }

    /// The same, of an experiment that differs in how it is built.
    pub(super) async fn open_as(
        &self,
        mut experiment: Experiment,
        workload: PathBuf,
        sizes: Vec<u32>,
        fuel: u64,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<bakeoff_run::Survey, Failure> {
        experiment.limits.fuel = experiment.limits.fuel.min(fuel);
        experiment.workload.inputs = Inputs::Generated {
            code: Code::Source(workload),
            sizes,
        };
        let mut loaded = LoadedExperiment::assembled(experiment, PathBuf::new())?;
        self.policy.apply_to(&mut loaded)?;
        Ok(bakeoff_run::Survey::open(&loaded, &self.host, say).await?)
    }
}

/// What the calls on some inputs say.
pub(super) enum Looked {
    /// The answers are the same.
    Same { sizes: Vec<u32>, inputs: String },
    /// All are the same component: nothing was called.
    OneComponent,
    /// Two differ: how, for the reader.
    Differ(Untimed),
    /// All fail on some inputs, and agree on the others.
    AllFail {
        /// For the reader, if nothing can be timed.
        untimed: Untimed,
        /// For the reader, if others can be.
        left_out: String,
        /// On how many all fail, and how many were tried.
        failing: (usize, usize),
        /// What is the same, and on how many.
        inputs: String,
    },
}

/// The seed of an input: another one for each. A race draws its own.
pub(super) fn seed_of(seed: RunSeed, purpose: &str, case: CaseIndex, input: u64) -> u64 {
    let secret = seed.secret().derive(purpose, &[]);
    sample_seeds(&secret, InputPurpose::Gate, 0, 0, case).of_call(input as u32)
}

/// Nothing was timed: what is known of it is filled in.
pub(super) const UNTIMED: Untimed = Untimed {
    schema_version: 2,
    outcome: ComparisonOutcome::NotTimed,
    reason: String::new(),
    call: None,
    answers: Vec::new(),
    parting: String::new(),
    advice: String::new(),
    reproduction: None,
};

/// What is said of files that do not do the same.
pub(super) const DIFFERENT: &str =
    "Disagreement: the files do not do the same, so nothing was timed.";

/// What is said of them if that came out while they were checked or timed.
pub(super) const DIFFERENT_LATER: &str =
    "Disagreement: the files do not do the same, so none is recommended.";

/// How the same inputs are drawn once more.
pub(super) fn again(looking: &Looking<'_>) -> String {
    format!("The same inputs come again with --seed {}.", looking.seed)
}

/// What to do about inputs that are not meant.
pub(super) const OTHER_INPUTS: &str = "If such inputs are not meant, say which are: --workload FILE --size N, or \
                            --cases FILE; `bakeoff init DIR --from` these files writes an example of both.";
