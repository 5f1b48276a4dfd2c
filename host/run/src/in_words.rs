//! The run of a question in words: a model is asked for its opinions, if the user lets it be, and the report says that
//! nothing was run. No compiler, engine or child process has a part in it.

use super::beginning::{announce, begin, open, stopped};
use super::ending::{concluded, finish};
use super::error::RunError;
use super::evidence::RunInputs;
use super::judge::RunJudge;
use super::options::RunOptions;
use super::seed;
use super::variant_state::VariantState;
use super::vote_requests::VoteRequests;
use bakeoff_config::{FILE_NAME, LoadedExperiment};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{Environment, Report};
use bakeoff_domain::variant;
use bakeoff_source::{Manifest, NamedContent, content_address, digest_of_parts};
use bakeoff_store::{Key, RunId, RunMeta, Store};

/// Runs a question in words. Returns its report, which is already in the store.
pub(super) async fn run(
    loaded: &LoadedExperiment,
    options: &RunOptions,
    report: &mut (dyn FnMut(&str) + Send),
    subscribe: impl FnOnce(&mut Store),
) -> Result<(Report, Store), RunError> {
    let mut store = open(options, report)?;
    let variants = variants(loaded);
    let seed = seed::choose(options, &store)?;
    subscribe(&mut store);
    let meta = RunMeta {
        name: &loaded.experiment.name,
        experiment_id: &id(loaded, seed, &variants),
        seed,
        experiment: &loaded.experiment,
        environment: &Environment {
            policy: options.host.policy.summary(),
            ..Environment::default()
        },
        bakeoff: env!("CARGO_PKG_VERSION"),
    };
    let run = begin(&mut store, &meta, options)?;
    match asked((loaded, options), seed, &variants, &mut store, run).await {
        Ok(report) => Ok((report, store)),
        Err(error) => {
            stopped(&mut store, options, &error);
            Err(error)
        }
    }
}

/// Asks for the votes, and concludes the report.
async fn asked(
    (loaded, options): (&LoadedExperiment, &RunOptions),
    seed: RunSeed,
    variants: &[VariantState],
    store: &mut Store,
    run: RunId,
) -> Result<Report, RunError> {
    store.put_run_facts(&inputs(loaded, options, store)?, false)?;
    announce(store, &loaded.experiment, variants)?;
    let judging = VoteRequests {
        loaded,
        options,
        variants,
        seed,
        store,
    };
    judging.ask().await?;
    let report = concluded(store, run, None)?;
    finish(store, &report)?;
    Ok(report)
}

/// Returns the variants, each with the content address of its text.
fn variants(loaded: &LoadedExperiment) -> Vec<VariantState> {
    let approaches = &loaded.experiment.approaches;
    let declared = variant::declare(approaches).into_iter();
    let states = declared.zip(approaches).map(|(variant, approach)| {
        let mut state = VariantState::new(variant);
        let words = approach.code.words().unwrap_or_default();
        state.variant.iteration.source = Some(content_address(words.as_bytes()));
        state
    });
    states.collect()
}

/// Returns the id of the question: a digest of everything that decides the result.
fn id(loaded: &LoadedExperiment, seed: RunSeed, variants: &[VariantState]) -> String {
    let texts = variants.iter().flat_map(|state| {
        let source = state.variant.iteration.source.as_deref();
        [state.id().as_str(), source.unwrap_or_default()]
    });
    let key = Key::new([
        (
            "problem",
            content_address(loaded.experiment.problem.as_bytes()),
        ),
        ("seed", seed.to_string()),
        ("texts", digest_of_parts(texts.map(str::as_bytes))),
    ]);
    key.digest().to_owned()
}

/// Returns the inputs of a run, and keeps the text of its file.
fn inputs(
    loaded: &LoadedExperiment,
    options: &RunOptions,
    store: &Store,
) -> Result<RunInputs, RunError> {
    let text = loaded.text.as_bytes();
    store.files().contents().put(text)?;
    Ok(RunInputs {
        files: Manifest {
            wit: Vec::new(),
            workload: None,
            evaluators: Vec::new(),
            aggregators: Vec::new(),
            cases: None,
            instances: None,
            experiment: Some(NamedContent {
                name: FILE_NAME.to_owned(),
                sha256: content_address(text),
            }),
        },
        cases: Vec::new(),
        generation: options.generation.clone(),
        rounds: None,
        stopped_in_search: Vec::new(),
        judge: RunJudge::of(loaded),
    })
}
