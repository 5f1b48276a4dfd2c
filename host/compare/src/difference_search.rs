//! Approaches that are called on random inputs before anything is timed: the settings of these calls, and their
//! possible results.

use crate::Say;
use crate::bounds::SearchBounds;
use crate::error::CompareError;
use crate::first_look::{CallLengths, SEARCH_FUEL_MAX, SEARCHED, timed_sizes};
use crate::known_differences;
use crate::rounding::rounding;
use crate::shrinking::Difference;
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::{InputPurpose, RunSeed, sample_seeds};
use bakeoff_domain::report::StoppedInSearch;
use bakeoff_domain::spec::{Code, Experiment, Inputs};
use bakeoff_render::{ComparisonOutcome, UntimedComparison};
use bakeoff_run::HostOptions;
use bakeoff_source::interface::{Constants, DerivedInterface};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Approaches that are called on random inputs before anything is timed.
pub(crate) struct DifferenceSearch<'a> {
    /// The function, with the types of its parameters and result.
    pub(crate) found: &'a DerivedInterface,
    /// The numbers and texts that stand in the files.
    pub(crate) constants: &'a Constants,
    /// Workload of the inputs on which approaches may differ.
    pub(crate) searching: PathBuf,
    /// Workload of the inputs that are timed.
    pub(crate) timed: PathBuf,
    /// The experiment; its own inputs do not matter.
    pub(crate) experiment: Experiment,
    /// Seed of all inputs.
    pub(crate) seed: RunSeed,
    pub(crate) host: &'a HostOptions,
    /// Bounds on the whole search.
    pub(crate) bounds: SearchBounds,
    /// Time that calls have taken so far, in nanoseconds.
    pub(crate) spent_ns: AtomicU64,
    /// Files that a limit stopped in the search for differences where another one answers; set once that search is
    /// over.
    pub(crate) stopped: OnceLock<Vec<StoppedInSearch>>,
}

impl DifferenceSearch<'_> {
    /// Returns the disagreement on the simplest input that was found, and remembers that input. `counts` says how often
    /// the approaches differ.
    pub(crate) async fn simplest(
        &self,
        survey: &bakeoff_run::Survey,
        difference: Difference,
        counts: &str,
    ) -> UntimedComparison {
        let names = self.experiment.approaches.iter();
        let names: Vec<&str> = names.map(|approach| &*approach.name).collect();
        let (answers, parting) = difference.answers(survey, self.found, &names).await;
        let simplest = match difference.tried {
            0 => String::new(),
            tries => format!("; this is the simplest that {tries} tries found"),
        };
        let whole = difference.calls.iter().map(|call| call.answer.as_deref());
        let advice = rounding(&whole.collect::<Vec<_>>()).unwrap_or(OTHER_INPUTS.to_owned());
        let reproduction = difference.reproduction(self.found, &self.experiment.approaches);
        known_differences::add(
            survey,
            self.found,
            &self.experiment.approaches,
            &difference.arguments,
        );
        UntimedComparison {
            outcome: ComparisonOutcome::Disagreement,
            reason: DIFFERENT.to_owned(),
            answers,
            parting,
            advice: format!("{counts}{simplest}. {advice} {}", again(self)),
            reproduction: Some(reproduction),
            call: Some(difference.written),
            ..UNTIMED
        }
    }

    /// Returns the bounds on the fuel of timed calls.
    pub(crate) fn lengths(&self) -> CallLengths {
        CallLengths::of(self.bounds.length, self.found.takes_only_numbers())
    }

    /// Returns the time that calls have taken so far.
    pub(crate) fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent_ns.load(Ordering::Relaxed))
    }

    /// Adds the time since `started` to the time that calls have taken.
    pub(crate) fn add_spent(&self, started: Instant) {
        let spent = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.spent_ns.fetch_add(spent, Ordering::Relaxed);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.spent() >= self.bounds.time
    }

    /// Opens a survey of inputs on which the approaches may differ, with the workload that makes them.
    pub(crate) async fn open_search(
        &self,
        say: Say<'_>,
    ) -> Result<bakeoff_run::Survey, CompareError> {
        let sizes = SEARCHED.map(|(size, _)| size).to_vec();
        self.open(self.searching.clone(), sizes, SEARCH_FUEL_MAX, say)
            .await
    }

    /// Opens a survey of the inputs that are timed, with the workload that makes them.
    pub(crate) async fn open_timed(&self) -> Result<bakeoff_run::Survey, CompareError> {
        let (sizes, fuel) = (timed_sizes(self.found), self.lengths().fuel_max());
        self.open(self.timed.clone(), sizes, fuel, &mut |_| ())
            .await
    }

    pub(crate) async fn open(
        &self,
        workload: PathBuf,
        sizes: Vec<u32>,
        fuel: u64,
        say: Say<'_>,
    ) -> Result<bakeoff_run::Survey, CompareError> {
        let inputs = Inputs::Generated {
            code: Code::Source(workload),
            sizes,
            texts: Vec::new(),
        };
        self.open_as(self.experiment.clone(), inputs, fuel, say)
            .await
    }

    /// Opens a survey like [`open`](Self::open), of other inputs, or of an experiment that differs in how it is built.
    pub(crate) async fn open_as(
        &self,
        mut experiment: Experiment,
        inputs: Inputs,
        fuel: u64,
        say: Say<'_>,
    ) -> Result<bakeoff_run::Survey, CompareError> {
        experiment.limits.fuel = experiment.limits.fuel.min(fuel);
        experiment.workload.inputs = inputs;
        let mut loaded = LoadedExperiment::assembled(experiment, PathBuf::new())?;
        self.host.policy.apply_to(&mut loaded)?;
        Ok(bakeoff_run::Survey::open(&loaded, self.host, say).await?)
    }
}

/// Result of the calls on some inputs.
pub(crate) enum LookResult {
    /// The answers are the same.
    Same { sizes: Vec<u32>, inputs: String },
    /// All approaches are the same component: nothing was called.
    OneComponent,
    /// Two approaches differ, or no size can be timed: the explanation, for the reader.
    NotTimed(UntimedComparison),
    /// All approaches fail on some inputs, and agree on the others.
    AllFail {
        /// Explanation for the reader, if nothing can be timed.
        untimed: UntimedComparison,
        /// Sentence for the reader on the inputs that are left out, if others can be timed.
        left_out: String,
        /// Number of inputs on which all fail, and number of inputs that were tried.
        failing: (usize, usize),
        /// Sentences on the inputs with equal answers, and on their number.
        inputs: String,
    },
}

/// Returns the seed of an input, another one for each. A race draws its own.
pub(crate) fn seed_of(seed: RunSeed, purpose: &str, case: CaseIndex, input: u64) -> u64 {
    let secret = seed.secret().derive(purpose, &[]);
    sample_seeds(&secret, InputPurpose::Gate, 0, 0, case).of_call(input as u32)
}

/// Template of the results of comparisons that timed nothing: without texts, which each result fills in.
pub const UNTIMED: UntimedComparison = UntimedComparison {
    schema_version: 2,
    outcome: ComparisonOutcome::NotTimed,
    reason: String::new(),
    call: None,
    answers: Vec::new(),
    parting: String::new(),
    advice: String::new(),
    reproduction: None,
};

/// Sentence on files that do not do the same.
pub(crate) const DIFFERENT: &str =
    "Disagreement: the files do not do the same, so nothing was timed.";

/// Sentence on files that do not do the same, if that came out while they were checked or timed.
pub(crate) const DIFFERENT_LATER: &str =
    "Disagreement: the files do not do the same, so none is recommended.";

/// Returns the sentence on how the same inputs are drawn once more.
pub(crate) fn again(looking: &DifferenceSearch<'_>) -> String {
    format!("The same inputs come again with --seed {}.", looking.seed)
}

/// Advice on inputs that the user does not mean: the options that name others.
pub(crate) const OTHER_INPUTS: &str = "If such inputs are not meant, say which are: --workload FILE --size N, or \
                            --cases FILE; `bakeoff init DIR --from` these files writes an example of both.";

/// The end of [`OTHER_INPUTS`], which does not hold where there are no files.
pub const EXAMPLE_OF_BOTH: &str =
    "; `bakeoff init DIR --from` these files writes an example of both";
