//! The evidence of a run: the declaration, the result of every stage, and the raw samples. It comes
//! from a store or from a bundle, and the report follows from it alone.

use super::aggregation::Aggregation;
use super::build_rounds::BuildRound;
use super::coarse_times::CoarseRace;
use super::judge::RunJudge;
use super::kept_coverage::KeptCoverage;
use super::keys;
use super::native_race::NativeResult;
use super::work::StoredWork;
use bakeoff_compile::BuildRecord;
use bakeoff_domain::measurement::{Overrun, Replica};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{
    CaseLabel, Environment, Generation, OpinionVote, Rounds, StoppedInSearch,
};
use bakeoff_domain::spec::{Experiment, ProgramCode};
use bakeoff_domain::variant::{self, Iteration, Variant, VariantId};
use bakeoff_measure::evaluate::Evaluation;
use bakeoff_measure::{Assessment, Dropout, GateRecord, Pilot, Unpiloted};
use bakeoff_source::{Manifest, content_address};
use bakeoff_store::{RaceLists, ResultKind, RunId, RunStatus, Store, StoreError, StoredResult};
use serde::{Deserialize, Serialize};

/// The evidence of a run: everything that its report is computed from.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The declaration and the results of the stages.
    pub record: Record,
    /// The raw samples.
    pub replicas: Vec<Replica>,
    /// The same sources as programs of this machine, as far as that is known. They have results of their own, which are read for a report
    /// alone.
    pub natively: Option<NativeResult>,
}

/// The declaration of a run, and the result of every stage.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Number of the run, on the machine where it was made.
    pub run: i64,
    /// Digest of everything that decides the result.
    pub experiment_id: String,
    /// The experiment as declared, with every default filled in.
    pub experiment: Experiment,
    /// The environment in which the run measured.
    pub environment: Environment,
    /// The seed of the run.
    pub seed: RunSeed,
    /// Duration of the run, in seconds.
    pub seconds: f64,
    /// The variants, in the order of declaration.
    pub variants: Vec<Variant>,
    /// The labels of the cases.
    pub cases: Vec<CaseLabel>,
    /// The files that the run was made from.
    pub manifest: Manifest,
    /// `true` if an oracle judged the answers.
    pub oracle: bool,
    /// The results of the builds.
    pub builds: Vec<StoredResult<BuildRecord>>,
    /// The results of the gates.
    pub gates: Vec<StoredResult<GateRecord>>,
    /// Assessments of the variants' answers; empty unless a criterion asks for them.
    #[serde(default)]
    pub assessments: Vec<StoredResult<Assessment>>,
    /// Code of the variants that the checked inputs reach; empty unless a criterion asks for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverages: Vec<StoredResult<KeptCoverage>>,
    /// Evaluators' readings of the variants.
    #[serde(default)]
    pub evaluations: Vec<StoredResult<Evaluation>>,
    /// Aggregators' sections of the report; empty until they were asked.
    #[serde(default)]
    pub aggregations: Vec<StoredResult<Aggregation>>,
    /// Votes of a model on the sources; empty unless criteria are opinions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opinions: Vec<StoredResult<OpinionVote>>,
    /// The short race by which a large sweep was screened; `None` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coarse: Option<CoarseRace>,
    /// The rounds that timed builds; empty unless a criterion asks for them.
    #[serde(default)]
    pub build_rounds: Vec<StoredResult<BuildRound>>,
    /// The race, if there was one.
    pub race: Option<RaceRecord>,
    /// Races of the same variants on machines of other kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machine_races: Vec<KeptMachineRace>,
    /// Work of each core and phase.
    pub work: StoredWork,
    /// Generation of the approaches, if some were generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
    /// Rounds of a search before the race, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
    /// The approaches that a search before the run saw stopped where another one answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stopped_in_search: Vec<StoppedInSearch>,
    /// The judge of the run, if criteria are opinions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<RunJudge>,
}

/// The inputs of a run, as its store has them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunInputs {
    /// The names and content addresses of the files.
    pub files: Manifest,
    /// The labels of the cases.
    pub cases: Vec<CaseLabel>,
    /// Generation of the approaches, if some were generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
    /// Rounds of a search before the race, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
    /// The approaches that a search before the run saw stopped where another one answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stopped_in_search: Vec<StoppedInSearch>,
    /// The judge of the run, if criteria are opinions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<RunJudge>,
}

/// A stored race, without its replicas.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RaceRecord {
    /// The variants that raced, and the cases that they raced on.
    pub lists: RaceLists,
    /// The pilot; `None` if the race ended before it was done.
    pub pilot: Option<Pilot>,
    /// The end of a race that has no pilot.
    pub unpiloted: Option<Unpiloted>,
    /// The variants that failed in the race.
    pub dropouts: Vec<Dropout>,
    /// The samples that took far longer than was predicted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overruns: Vec<Overrun>,
    /// The seed that inputs and orders were drawn from.
    pub seed: Option<String>,
}

/// A race on a machine of another kind, as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptMachineRace {
    /// The name of the machine, as its worker says.
    pub machine: String,
    /// CPU model, as its worker says.
    pub cpu: String,
    /// The fingerprint of its engine, as its worker says.
    pub engine: String,
    /// The number of replicas that were measured at once.
    pub cores: u32,
    /// The end of the race.
    pub outcome: MachineOutcome,
}

/// The end of a race on a machine of another kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MachineOutcome {
    /// The race ended as races do.
    Raced {
        /// The race, without its replicas.
        race: Box<RaceRecord>,
        /// The raw samples.
        replicas: Vec<Replica>,
    },
    /// There is no race, for this reason.
    LeftOut(String),
}

/// The reason why the evidence of a run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No run has a report.
    #[error(
        "no run in {folder} has ended, and what is kept of a part of one proves nothing: `bakeoff run` goes on with it, and \
         `bakeoff report` shows what is known so far"
    )]
    NothingFinished {
        /// The folder of results.
        folder: String,
    },
    /// The run has no report.
    #[error(
        "run {run} has not ended: it is {status}; `bakeoff run` goes on with the last run, `bakeoff report --run {run}` shows \
         what is known of it, and `bakeoff runs` lists those that have ended"
    )]
    Unfinished {
        /// The number of the run.
        run: i64,
        /// The status of the run.
        status: &'static str,
    },
}

impl Evidence {
    /// Reads the evidence of a run from its store, without that of its programs. `seconds` is the duration of the run.
    ///
    /// # Errors
    /// There is no such run; the store cannot be read, or a value in it cannot be parsed.
    pub fn read(store: &Store, run: RunId, seconds: f64) -> Result<Self, StoreError> {
        Self::read_begun(store, run, seconds)?
            .ok_or_else(|| store.corrupt("the inputs of a run are missing in it"))
    }

    /// Reads the evidence of a run from its store, as [`Evidence::read`]; `None` if the run ended before its inputs were
    /// stored, and so before anything was built.
    ///
    /// # Errors
    /// As of [`Evidence::read`].
    pub fn read_begun(store: &Store, run: RunId, seconds: f64) -> Result<Option<Self>, StoreError> {
        let (experiment, environment) = store.settings(run)?;
        let StoredRaces {
            race,
            replicas,
            machine_races,
        } = races(store, run)?;
        let facts = store.run_facts::<RunInputs>(run)?;
        let (Some(inputs), Some(oracle)) = (facts.inputs, facts.oracle) else {
            return Ok(None);
        };
        let record = Record {
            run: run.0,
            experiment_id: facts.experiment_id,
            variants: variants(store, run, &experiment)?,
            experiment,
            environment,
            seed: facts.seed,
            seconds,
            manifest: inputs.files,
            cases: inputs.cases,
            generation: inputs.generation,
            rounds: inputs.rounds,
            stopped_in_search: inputs.stopped_in_search,
            judge: inputs.judge,
            opinions: store.results(run, ResultKind::Opinion)?,
            oracle,
            builds: store.results(run, ResultKind::Build)?,
            gates: store.results(run, ResultKind::Gate)?,
            assessments: store.results(run, ResultKind::Assessment)?,
            coverages: store.results(run, ResultKind::Coverage)?,
            evaluations: store.results(run, ResultKind::Evaluation)?,
            aggregations: store.results(run, ResultKind::Aggregation)?,
            coarse: store
                .results(run, ResultKind::CoarseRace)?
                .pop()
                .map(|coarse: StoredResult<CoarseRace>| coarse.value),
            build_rounds: store.results(run, ResultKind::BuildRound)?,
            race,
            machine_races,
            work: store
                .results(run, ResultKind::Work)?
                .pop()
                .map(|work: StoredResult<StoredWork>| work.value)
                .unwrap_or_default(),
        };
        Ok(Some(Self {
            record,
            replicas,
            natively: None,
        }))
    }

    /// Returns the number of a finished run, or of the last one that is finished.
    ///
    /// # Errors
    /// There is no such run, or it has no report; the store cannot be read.
    pub fn find_finished(store: &Store, run: Option<RunId>) -> Result<RunId, EvidenceError> {
        let runs = store.runs()?;
        let finished = |status: RunStatus| status == RunStatus::Finished;
        let Some(wanted) = run else {
            let last = runs.iter().rev().find(|run| finished(run.status));
            return last.map(|run| run.id).ok_or_else(|| {
                let folder = store.files().folder().display().to_string();
                EvidenceError::NothingFinished { folder }
            });
        };
        match runs.iter().find(|run| run.id == wanted) {
            Some(run) if finished(run.status) => Ok(run.id),
            Some(run) => Err(EvidenceError::Unfinished {
                run: run.id.0,
                status: run.status.name(),
            }),
            // The store has the message for a run that is not there.
            None => store
                .report(Some(wanted))
                .map(|_| wanted)
                .map_err(Into::into),
        }
    }
}

impl Record {
    /// Returns the build of a variant, if it was stored.
    pub fn build(&self, id: &VariantId) -> Option<&StoredResult<BuildRecord>> {
        self.builds.iter().find(|build| *id == build.variant)
    }

    /// Returns the program that a variant is, if it is one.
    pub fn program(&self, variant: &Variant) -> Option<&ProgramCode> {
        let mut approaches = self.experiment.approaches.iter();
        let approach = approaches.find(|approach| approach.name == variant.approach)?;
        approach.code.program()
    }

    /// Returns true if the stored code of a variant is the one that its build, if there is one, was made from; of a text,
    /// if it is the one that was judged.
    pub fn has_measured_code(&self, variant: &Variant) -> bool {
        let mut approaches = self.experiment.approaches.iter();
        let approach = approaches.find(|approach| approach.name == variant.approach);
        if let Some(words) = approach.and_then(|approach| approach.code.words()) {
            let address = content_address(words.as_bytes());
            return variant.iteration.source.as_ref() == Some(&address);
        }
        let build = self.build(&variant.id);
        build.is_none_or(|build| is_built_from(build, &keys::source_input(variant)))
    }

    /// Returns the gate of a variant, if it got that far.
    pub fn gate(&self, id: &VariantId) -> Option<&StoredResult<GateRecord>> {
        self.gates.iter().find(|gate| *id == gate.variant)
    }

    /// Returns the coverage of a variant, if a criterion asked for it.
    pub fn coverage(&self, id: &VariantId) -> Option<&KeptCoverage> {
        let mut coverages = self.coverages.iter();
        let found = coverages.find(|one| *id == one.variant);
        found.map(|one| &one.value)
    }

    /// Returns the assessment of a variant's answers, if there is one.
    pub fn assessment(&self, id: &VariantId) -> Option<&Assessment> {
        let mut assessments = self.assessments.iter();
        let found = assessments.find(|assessment| *id == assessment.variant);
        found.map(|assessment| &assessment.value)
    }

    /// Returns an evaluator's readings of a variant, if it was asked.
    pub fn evaluation(&self, id: &VariantId, evaluator: &str) -> Option<&Evaluation> {
        let mut evaluations = self.evaluations.iter();
        let found = evaluations.find(|one| *id == one.variant && one.value.evaluator == evaluator);
        found.map(|one| &one.value)
    }

    /// Returns the CPU time of a variant's build in each round that timed it, in nanoseconds.
    pub fn build_times_ns(&self, id: &VariantId) -> Vec<f64> {
        let builds = self
            .build_rounds
            .iter()
            .flat_map(|round| &round.value.builds);
        let own = builds.filter(|build| build.variants.iter().any(|one| *id == *one));
        own.filter_map(|build| Some(build.cpu_ns? as f64)).collect()
    }

    /// Returns the seed that timed inputs and orders were drawn from.
    ///
    /// # Errors
    /// The stored text is no seed.
    pub fn race_seed(&self) -> Result<RunSeed, String> {
        let seed = self.race.as_ref().and_then(|race| race.seed.as_deref());
        seed.map_or(Ok(self.seed), |seed| {
            seed.parse().map_err(|_| format!("{seed} is no seed"))
        })
    }
}

/// Returns true if a build depends on this code, by its content address, and its key is that of all its inputs.
pub fn is_built_from<T>(build: &StoredResult<T>, source: &str) -> bool {
    let named = bakeoff_store::input(&build.inputs, "source");
    let key = bakeoff_store::Key::new(build.inputs.iter().cloned());
    named == Some(source) && key.digest() == build.key
}

/// Returns the variants of a run as they were declared, under the ids that they had.
fn variants(
    store: &Store,
    run: RunId,
    experiment: &Experiment,
) -> Result<Vec<Variant>, StoreError> {
    let declared = variant::declare(&experiment.approaches);
    let kept = store.variants(run)?;
    let with_iteration = |variant: Variant| {
        let found = kept.iter().find(|kept| variant.id == kept.id);
        let last = found.and_then(|found| found.iterations.last());
        match last {
            Some(last) => Variant {
                iteration: Iteration {
                    number: last.number,
                    parent: last.parent,
                    // No digest: the code could not be read.
                    source: Some(last.source_digest.clone()).filter(|digest| !digest.is_empty()),
                },
                ..variant
            },
            None => variant,
        }
    };
    Ok(declared.into_iter().map(with_iteration).collect())
}

/// The races of a run, as they are stored.
#[derive(Default)]
struct StoredRaces {
    race: Option<RaceRecord>,
    replicas: Vec<Replica>,
    machine_races: Vec<KeptMachineRace>,
}

fn races(store: &Store, run: RunId) -> Result<StoredRaces, StoreError> {
    let Some((race, lists)) = store.race_of(run)? else {
        return Ok(StoredRaces::default());
    };
    let pilots: Vec<StoredResult<Pilot>> = store.results(run, ResultKind::Pilot)?;
    let ends: Vec<StoredResult<Unpiloted>> = store.results(run, ResultKind::Unpiloted)?;
    let (pilot, end) = (pilots.into_iter().next(), ends.into_iter().next());
    let of_race = pilot
        .as_ref()
        .map(|pilot| (pilot.key.clone(), &pilot.inputs))
        .or(end.as_ref().map(|end| (end.key.clone(), &end.inputs)));
    let Some((key, inputs)) = of_race else {
        return Ok(StoredRaces::default());
    };
    let elsewhere: Vec<StoredResult<KeptMachineRace>> =
        store.results(run, ResultKind::MachineRace)?;
    let elsewhere = elsewhere
        .into_iter()
        .filter(|found| keys::is_machine_race_of(&found.inputs, inputs));
    let machine_races = elsewhere.map(|found| found.value).collect();
    // What an earlier race of the same run left behind has another key.
    let dropouts: Vec<StoredResult<Dropout>> = store.results(run, ResultKind::Dropout)?;
    let dropouts = dropouts
        .into_iter()
        .filter(|found| keys::is_dropout_of(&found.inputs, inputs));
    let overruns: Vec<StoredResult<Overrun>> = store.results(run, ResultKind::Overrun)?;
    let overruns = overruns
        .into_iter()
        .filter(|found| keys::is_overrun_of(&found.inputs, inputs));
    let seed = bakeoff_store::input(inputs, "seed").map(str::to_owned);
    let record = RaceRecord {
        lists,
        seed,
        dropouts: dropouts.map(|found| found.value).collect(),
        overruns: overruns.map(|found| found.value).collect(),
        unpiloted: end
            .filter(|end| pilot.is_none() && end.key == key)
            .map(|end| end.value),
        pilot: pilot.map(|pilot| pilot.value),
    };
    let replicas = match record.pilot {
        Some(_) => store.replicas_until(race, run)?,
        None => Vec::new(),
    };
    Ok(StoredRaces {
        race: Some(record),
        replicas,
        machine_races,
    })
}
