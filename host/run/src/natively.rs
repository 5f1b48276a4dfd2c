//! The race of a run's sources as programs of this machine, once their components have raced.
//!
//! It is a run of its own, with results of its own in a folder of the run's: the same stages, queue, samples and seals. So
//! what is finished of it is not done again, and its report follows from its samples at any later time.

use super::audit::natively_of;
use super::error::RunError;
use super::execute::{RunResult, run_of};
use super::native_race::{BuiltProgram, LinkedRun, NativeRace, NativeRecord, NativeResult};
use super::options::{HostOptions, RunOptions};
use super::session::Run;
use super::variant_state::VariantState;
use bakeoff_compile::{BuildKind, BuiltCrates, CratesError};
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::spec::{
    Approach, CallTiming, Code, Experiment, ProgramCode, RaceMachines, Source,
};
use bakeoff_domain::variant::approach_indexes;
use bakeoff_source::{BuildInput, RunFiles};
use bakeoff_store::{Key, NATIVELY, Owner, ResultKind, RunId, Store};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

/// Reason why a variant of a sweep is not built for this machine.
const SWEPT: &str =
    "a program is given no parameters, so variants of a sweep are not built for this machine";
/// Reason why an approach with granted files is not built for this machine.
const GRANTED: &str =
    "files are granted to components, so an approach that has some is not built for this machine";

/// A race of programs.
type ProgramRace<'a> = Pin<Box<dyn Future<Output = Result<RunResult, RunError>> + 'a>>;

/// The programs that were built.
#[derive(Default)]
struct Programs {
    approaches: Vec<Approach>,
    code: Vec<Result<BuildInput, Failure>>,
    /// Reasons why the others were not, by variant.
    failures: BTreeMap<String, Failure>,
}

impl Programs {
    /// Returns the file of a program that was built of another source, too: the same program is one that ties untimed.
    fn file_of(&self, program: &[u8]) -> Option<String> {
        let mut known = self.code.iter().zip(&self.approaches);
        let same = known.find(|(code, _)| {
            matches!(code, Ok(BuildInput::Program { bytes, .. }) if **bytes == *program)
        })?;
        Some(same.1.name.clone())
    }
}

impl Run<'_> {
    /// Races the sources as programs, if that is wanted, and returns what is known of them, also of an earlier session.
    pub(super) async fn race_natively(
        &mut self,
        run: RunId,
    ) -> Result<Option<NativeResult>, RunError> {
        let Some(race) = self.options.natively.clone() else {
            return Ok(natively_of(&self.store, run)?);
        };
        if self.contenders().count() < 2 {
            return Ok(None);
        }
        race.watcher
            .show("building the same sources for this machine");
        let programs = self.build_programs(race.programs.as_deref()).await?;
        let failures = programs.failures.clone();
        let mut raced = None;
        let mut report = None;
        if programs.approaches.len() >= 2 {
            let (loaded, files) = self.of_programs(programs, &race)?;
            let finished = self.race_programs(loaded, files, &race).await;
            race.watcher.end();
            let finished = finished?;
            raced = finished.store.runs()?.pop().map(|last| LinkedRun {
                run: last.id.0,
                experiment_id: last.experiment_id,
            });
            report = Some(Box::new(finished.report));
        }
        let linked = raced.as_ref().map_or("", |one| one.experiment_id.as_str());
        let key = Key::new([("experiment", linked.to_owned())]);
        let record = NativeRecord {
            raced,
            failures: failures.clone(),
        };
        self.store
            .put(ResultKind::Natively, &key, Owner::RUN, &record)?;
        Ok(Some(NativeResult {
            failures,
            programs: Ok(report),
        }))
    }

    /// Returns the variants that are compared, each with the index of its approach.
    fn contenders(&self) -> impl Iterator<Item = (&VariantState, usize)> {
        let approaches = approach_indexes(&self.loaded.experiment.approaches);
        let variants = self.variants.iter().zip(approaches);
        variants.filter(|(state, _)| state.is_contender())
    }

    /// Builds the programs, or takes those that were built before, one for each approach.
    async fn build_programs(
        &self,
        built_before: Option<&[BuiltProgram]>,
    ) -> Result<Programs, RunError> {
        let mut programs = Programs::default();
        let crates = match built_before {
            Some(_) => Ok(None),
            None => self.until_interrupted(self.native_crates()).await?,
        };
        for (state, index) in self.contenders() {
            let approach = &self.loaded.experiment.approaches[index];
            let built = match (built_before.and_then(|all| all.get(index)), &crates) {
                (Some(built), _) => built.clone(),
                (None, Ok(crates)) => {
                    let built = self.build_program(state, approach, crates.as_ref());
                    self.until_interrupted(built).await?
                }
                (None, Err(failure)) => Err(failure.clone()),
            };
            let id = state.id().to_string();
            match built {
                Ok(bytes) => {
                    let file = programs.file_of(&bytes).unwrap_or_else(|| id.clone());
                    programs.approaches.push(as_program(approach, &id, &file));
                    programs.code.push(Ok(BuildInput::Program {
                        path_shown: file,
                        bytes,
                    }));
                }
                Err(failure) => drop(programs.failures.insert(id, failure)),
            }
        }
        Ok(programs)
    }

    async fn until_interrupted<T>(&self, work: impl Future<Output = T>) -> Result<T, RunError> {
        tokio::select! {
            done = work => Ok(done),
            () = self.options.interrupt.raised() => Err(RunError::Interrupted),
        }
    }

    /// Returns the crates that the experiment allows, built for this machine; `None` if it allows none.
    async fn native_crates(&self) -> Result<Option<BuiltCrates>, Failure> {
        let crates = &self.loaded.experiment.crates;
        if crates.is_empty() {
            return Ok(None);
        }
        let built = self.context.tools.builder.crates_natively(crates).await;
        built.map(Some).map_err(|error| {
            let next = match error {
                CratesError::NotFetched => "; `bakeoff vendor` fetches them",
                _ => "",
            };
            not_built(&format!("for this machine: {error}{next}"))
        })
    }

    async fn build_program(
        &self,
        state: &VariantState,
        approach: &Approach,
        crates: Option<&BuiltCrates>,
    ) -> BuiltProgram {
        if state.is_swept() {
            return Err(not_built(SWEPT));
        }
        if !approach.grants.is_empty() {
            return Err(not_built(GRANTED));
        }
        let Some(code) = state.code.clone() else {
            return Err(not_built("its source could not be read"));
        };
        let request = self.context.prototype(code, BuildKind::Release, false);
        let built = self.context.tools.builder.build_native(&request, crates);
        built.await.map(Arc::from)
    }

    /// Returns the experiment that compares the programs, with its files: the inputs are those of the components.
    fn of_programs(
        &self,
        programs: Programs,
        race: &NativeRace,
    ) -> Result<(LoadedExperiment, RunFiles), RunError> {
        let mut experiment = Experiment {
            name: NATIVELY.to_owned(),
            approaches: programs.approaches,
            evaluators: Vec::new(),
            aggregators: Vec::new(),
            ..self.loaded.experiment.clone()
        };
        experiment.measure.machines = RaceMachines::Here;
        // A program has no other reading that a component has.
        experiment
            .criteria
            .retain(|criterion| criterion.source == Source::Time);
        let mut loaded = self.loaded.clone();
        loaded.experiment = experiment;
        race.policy.apply_to(&mut loaded)?;
        let files = RunFiles {
            code: programs.code,
            evaluators: Vec::new(),
            aggregators: Vec::new(),
            ..self.files.clone()
        };
        Ok((loaded, files))
    }

    async fn race_programs(
        &self,
        loaded: LoadedExperiment,
        files: RunFiles,
        race: &NativeRace,
    ) -> Result<RunResult, RunError> {
        let host = HostOptions {
            policy: race.policy.clone(),
            ..self.options.host.clone()
        };
        let folder = self.options.folder.within(NATIVELY);
        let options = RunOptions {
            seed: Some(self.context.config.seed),
            resume: self.options.resume.clone(),
            interrupt: self.options.interrupt.clone(),
            ..RunOptions::new(folder, self.options.start, host)
        };
        let mut show = |text: &str| race.watcher.show(text);
        let subscribe = |store: &mut Store| race.watcher.begin(&loaded, store);
        // A run within a run: its size must not be part of its own.
        let race: ProgramRace<'_> =
            Box::pin(run_of(&loaded, Some(files), &options, &mut show, subscribe));
        race.await
    }
}

/// Returns the approach as a program of this name, whose call alone is timed. The name is the variant's id, so that it has
/// the same one among the programs whichever others could be built; `file` is that of its program.
fn as_program(approach: &Approach, id: &str, file: &str) -> Approach {
    Approach {
        name: id.to_owned(),
        code: Code::Program(ProgramCode {
            file: file.into(),
            command: vec![file.to_owned()],
            timing: CallTiming::Alone,
        }),
        ..approach.clone()
    }
}

fn not_built(reason: &str) -> Failure {
    Failure {
        class: FailureClass::BuildFailed,
        message: reason.to_owned(),
        phase: Phase::Build,
        limit: None,
    }
}
