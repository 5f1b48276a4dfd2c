//! The execution of a run, from its first file to its report.

use super::beginning::{announce, begin, open};
use super::budget;
use super::child_tasks::ChildTasks;
use super::context::{RunContext, environment};
use super::ending::{concluded, finish};
use super::error::RunError;
use super::evaluations::EvaluationPhase;
use super::evidence::RunInputs;
use super::grants;
use super::in_words;
use super::judge::RunJudge;
use super::keys::Keys;
use super::native_race::NativeResult;
use super::options::RunOptions;
use super::seed;
use super::session::Run;
use super::standing::Step;
use super::variant_state::VariantState;
use super::work::Work;
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::report::{Report, StoppedInSearch};
use bakeoff_domain::variant::{self, Variant, approach_indexes};
use bakeoff_source::RunFiles;
use bakeoff_store::events::Stage;
use bakeoff_store::{RunId, RunMeta, Store};
use std::collections::BTreeMap;

/// A finished run.
#[derive(Debug)]
pub struct RunResult {
    /// The report, which is already in the store.
    pub report: Report,
    /// The text of the Rust source that was measured, by variant id.
    pub sources: BTreeMap<String, String>,
    /// The store, which locks its folder: while it lives, no other run can start there, so that the
    /// files beside it can be written.
    pub store: Store,
}

/// Runs an experiment. Progress is emitted to the store's listeners; `subscribe` may add some.
///
/// # Errors
/// See [`RunError`]. Results that are finished by then stay in the store.
pub async fn run(
    loaded: &LoadedExperiment,
    options: &RunOptions,
    report: &mut (dyn FnMut(&str) + Send),
    subscribe: impl FnOnce(&mut Store),
) -> Result<RunResult, RunError> {
    run_of(loaded, None, options, report, subscribe).await
}

/// Runs an experiment as [`run`] does, from these files if they are given, and not from those on the disk.
pub(super) async fn run_of(
    loaded: &LoadedExperiment,
    files: Option<RunFiles>,
    options: &RunOptions,
    report: &mut (dyn FnMut(&str) + Send),
    subscribe: impl FnOnce(&mut Store),
) -> Result<RunResult, RunError> {
    if loaded.experiment.is_in_words() {
        let (report, store) = in_words::run(loaded, options, report, subscribe).await?;
        return Ok(RunResult {
            report,
            sources: BTreeMap::new(),
            store,
        });
    }
    let go = async |session: &mut Run<'_>, run: RunId| {
        let report = session.go(run).await?;
        Ok((report, sources(&session.variants)))
    };
    let session = in_session_of(loaded, files, options, report, subscribe, go);
    let ((report, sources), store) = session.await?;
    Ok(RunResult {
        report,
        sources,
        store,
    })
}

/// Begins a run of an experiment, or goes on with it, and does `work` in it. Returns what came of it, with the store.
pub(super) async fn in_session<T>(
    loaded: &LoadedExperiment,
    options: &RunOptions,
    report: &mut (dyn FnMut(&str) + Send),
    subscribe: impl FnOnce(&mut Store),
    work: impl AsyncFnOnce(&mut Run<'_>, RunId) -> Result<T, RunError>,
) -> Result<(T, Store), RunError> {
    in_session_of(loaded, None, options, report, subscribe, work).await
}

/// Does what [`in_session`] does, from these files if they are given, and not from those on the disk.
async fn in_session_of<T>(
    loaded: &LoadedExperiment,
    files: Option<RunFiles>,
    options: &RunOptions,
    report: &mut (dyn FnMut(&str) + Send),
    subscribe: impl FnOnce(&mut Store),
    work: impl AsyncFnOnce(&mut Run<'_>, RunId) -> Result<T, RunError>,
) -> Result<(T, Store), RunError> {
    loaded.has_code()?;
    loaded.is_countable()?;
    let mut store = open(options, report)?;
    let files = match files {
        Some(files) => files,
        None => RunFiles::read(loaded, &options.host.vendored())?,
    };
    let declared = variant::declare(&loaded.experiment.approaches);
    let variants = read_variants(declared, loaded, &files, &options.host.policy)?;
    // From here on, no file that anybody can change decides what is timed.
    let mut seed = seed::choose(options, &store)?;
    // What is built here is kept by the cache or not at all: it may end at any moment.
    let mut context = tokio::select! {
        context = RunContext::open(loaded, &files, &options.host, seed, report) => context?,
        () = options.interrupt.raised() => return Err(RunError::Interrupted),
    };
    context.config.repeats_fuel = Some(budget::repeats_fuel(
        &loaded.experiment.measure,
        variants.len(),
    ));
    let mut loaded = loaded.clone();
    let described = context.evaluators.iter().map(|one| one.criteria.clone());
    loaded.complete_evaluators(described.collect())?;
    let loaded = &loaded;
    let experiment = &loaded.experiment;
    let identify = |context: &RunContext| {
        let keys = Keys::new(experiment, context)
            .map_err(|error| RunError::Engine(format!("{error:#}")))?;
        let id = keys.experiment(&variants);
        Ok::<_, RunError>((keys, id))
    };
    let (mut keys, mut id) = identify(&context)?;
    if seed::is_spent(options, &store, &id, &keys, &variants)? {
        seed = seed::draw()?;
        context.set_seed(seed, experiment.workload.seed);
        (keys, id) = identify(&context)?;
    }
    subscribe(&mut store);
    let meta = RunMeta {
        name: &experiment.name,
        experiment_id: &id,
        seed,
        experiment,
        environment: &environment(&context, &options.host.policy),
        bakeoff: env!("CARGO_PKG_VERSION"),
    };
    let run = begin(&mut store, &meta, options)?;
    keep_files(&mut store, run, loaded, &files, &context, options)?;
    let tasks = ChildTasks::new(
        &context.tools.builder,
        &context.config,
        &context.cores,
        context.workers.as_ref(),
    )
    .stopped_by(&options.interrupt);
    let workers = Work::of(&mut store, run)?;
    let mut session = Run {
        tasks,
        work: workers,
        coarse: None,
        spent: options.spent,
        builds_elsewhere: false,
        questions: 0,
        loaded,
        options,
        context,
        files,
        keys,
        variants,
        counted: None,
        store,
    };
    match work(&mut session, run).await {
        Ok(done) => {
            session.tell_workers(true)?;
            Ok((done, session.store))
        }
        Err(error) => {
            session.stopped(&error);
            Err(error)
        }
    }
}

/// Returns every variant with its code and the files that it is granted. Code that cannot be read
/// is a failure of that variant alone.
///
/// # Errors
/// An approach asks for a grant that it cannot have.
pub fn read_variants(
    variants: Vec<Variant>,
    loaded: &LoadedExperiment,
    files: &RunFiles,
    policy: &Policy,
) -> Result<Vec<VariantState>, RunError> {
    let granted = grants::read_granted(loaded, policy, &variants, &files.code)?;
    let approaches = approach_indexes(&loaded.experiment.approaches);
    let code = approaches
        .into_iter()
        .map(|approach| files.code[approach].clone());
    let variants = variants.into_iter().zip(code).zip(granted);
    let state = |((variant, code), files)| VariantState {
        files,
        ..VariantState::with_code(variant, code)
    };
    Ok(variants.map(state).collect())
}

/// Returns the text of the Rust source, or of the program, by variant id.
fn sources(variants: &[VariantState]) -> BTreeMap<String, String> {
    let text = |state: &VariantState| {
        let text = state.code.as_ref()?.shown_text()?;
        Some((state.id().as_str().to_owned(), text.to_owned()))
    };
    variants.iter().filter_map(text).collect()
}

/// Stores every file that the run is made from, by its content. Later uses of the run read these,
/// whatever happens to the files on the disk.
fn keep_files(
    store: &mut Store,
    run: RunId,
    loaded: &LoadedExperiment,
    files: &RunFiles,
    context: &RunContext,
    options: &RunOptions,
) -> Result<(), RunError> {
    let contents = store.files().contents();
    for bytes in files.contents() {
        contents.put(bytes)?;
    }
    let before = store.run_facts::<RunInputs>(run)?.inputs;
    let before = before.map_or_else(Vec::new, |inputs| inputs.stopped_in_search);
    let inputs = RunInputs {
        files: files.manifest(&loaded.experiment),
        cases: context.cases.clone(),
        generation: options.generation.clone(),
        rounds: options.rounds.clone(),
        stopped_in_search: stopped_in_sessions(before, &options.stopped_in_search),
        judge: RunJudge::of(loaded),
    };
    store.put_run_facts(&inputs, context.config.inputs.has_oracle())?;
    Ok(())
}

/// Joins what the searches of two sessions of a run saw: each draws other inputs, and who was stopped on some may well be
/// met on none in the next one. Of an approach, the one counts that saw it on more.
fn stopped_in_sessions(
    before: Vec<StoppedInSearch>,
    now: &[StoppedInSearch],
) -> Vec<StoppedInSearch> {
    let mut joined = before;
    for found in now {
        match joined
            .iter_mut()
            .find(|known| known.approach == found.approach)
        {
            Some(known) if known.stopped < found.stopped => known.clone_from(found),
            Some(_) => {}
            None => joined.push(found.clone()),
        }
    }
    joined
}

impl Run<'_> {
    async fn go(&mut self, run: RunId) -> Result<Report, RunError> {
        announce(&mut self.store, &self.loaded.experiment, &self.variants)?;
        self.warn_of_missing_sources()?;
        self.warn_of_unread_sources()?;
        self.build_and_check().await?;
        self.refuse_missing_assessments()?;
        self.time_builds().await?;
        self.cover().await?;
        self.apply(Step::Prepared)?;
        self.time(run).await?;
        self.evaluate(EvaluationPhase::AfterRace(run)).await?;
        self.tell_workers(false)?;
        self.ask_judge().await?;
        let natively = self.race_natively(run).await?;
        let mut report = self.conclude(run, natively)?;
        self.aggregate(&mut report).await?;
        finish(&mut self.store, &report)?;
        Ok(report)
    }

    /// Computes the report from everything that was stored of this run, as at any later time.
    fn conclude(&mut self, run: RunId, natively: Option<NativeResult>) -> Result<Report, RunError> {
        self.stage_started(Stage::Score, 1)?;
        let report = concluded(&mut self.store, run, natively)?;
        self.stage_done(Stage::Score)?;
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_search_that_meets_nobody_takes_nothing_back() {
        let found = |approach: &str, stopped| StoppedInSearch {
            approach: approach.to_owned(),
            stopped,
            tried: 100,
        };
        let before = vec![found("a", 3), found("b", 3)];
        assert_eq!(stopped_in_sessions(before.clone(), &[]), before);
        let now = [found("b", 7), found("a", 1), found("c", 1)];
        let expected = [found("a", 3), found("b", 7), found("c", 1)];
        assert_eq!(stopped_in_sessions(before, &now), expected);
    }
}
