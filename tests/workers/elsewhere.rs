//! Checks elsewhere for other commands than runs: of what a model writes, and of what is verified.

use super::liar;
use super::session::{Behaviour, Experiment, host, join, results, with_runtime};
use bakeoff_run::audit::{self, FigureOutcome, KeptRun, Verification};
use bakeoff_run::{KnownMachine, RunError, Survey, SurveyedPrototype};
use bakeoff_source::BuildInput;
use bakeoff_store::{Mode, ResultsPlace};
use std::path::Path;
use std::sync::Arc;

/// The reading of a verification that a lie about work changes.
const FUEL: &str = "fuel, case";

/// What a survey found, and what is said of the worker.
struct Surveyed {
    /// The failure of each prototype, if it has one.
    failures: Vec<Option<String>>,
    said: String,
}

/// Has a survey check a right prototype and a wrong one.
async fn survey(folder: &Path, worker: Option<(Behaviour, &str)>) -> Result<Surveyed, RunError> {
    let loaded = bakeoff_config::load(folder).unwrap();
    let machine = KnownMachine::default();
    if let Some((behaviour, share)) = worker {
        machine.set_workers(Arc::new(join(&machine, behaviour, share).await?));
    }
    let survey = Survey::open(&loaded, &host(&machine), &mut |_| {}).await?;
    let mut failures = Vec::new();
    for more in [0, 1] {
        let text = format!(
            "pub fn total(values: Vec<u32>) -> u64 {{\n    \
             values.iter().map(|value| u64::from(*value)).sum::<u64>() + {more}\n}}\n"
        );
        let code = BuildInput::Source {
            path_shown: "written.rs".into(),
            text: text.into(),
        };
        let checked = survey
            .check(&SurveyedPrototype::new("written", code))
            .await?;
        failures.push(checked.map(|(failure, _)| failure.message));
    }
    let workers = machine.workers();
    let said = workers.map(|workers| {
        let news = workers.news().into_iter();
        let all: Vec<String> = news.chain(workers.survey_summary()).collect();
        all.join("\n")
    });
    Ok(Surveyed {
        failures,
        said: said.unwrap_or_default(),
    })
}

pub(super) fn what_a_model_writes_is_checked_elsewhere_as_it_is_here() {
    let experiment = Experiment::new();
    let of = |worker| with_runtime(survey(experiment.folder(), worker)).unwrap();
    let alone = of(None);
    assert_eq!(alone.failures[0], None);
    assert!(alone.failures[1].is_some());
    let with = of(Some((Behaviour::Honest, "0")));
    assert_eq!(with.failures, alone.failures);
    assert!(
        with.said.contains("other did 4 tasks") && with.said.contains("0 of them lost"),
        "{}",
        with.said
    );
}

pub(super) fn case_306_a_worker_that_lies_about_what_a_model_wrote_is_named() {
    let experiment = Experiment::new();
    let found = with_runtime(survey(experiment.folder(), Some((Behaviour::Lies, "1"))));
    let found = found.unwrap();
    assert_eq!(found.failures[0], None);
    let told = "worker other gets no more tasks of this run: its answer to `check of written";
    assert!(found.said.contains(told), "{}", found.said);
}

/// Verifies the run in a folder of results.
async fn verify(
    folder: &Path,
    results: &Path,
    worker: Option<Behaviour>,
) -> Result<Verification, RunError> {
    let place = ResultsPlace::Named(results.to_owned());
    let store = place.open(Mode::Read).unwrap();
    let kept = KeptRun::read(&store, None).unwrap();
    let mut loaded = kept.loaded(folder).unwrap();
    loaded.experiment.measure.workers = bakeoff_domain::spec::Workers::Exactly(1);
    let machine = KnownMachine::default();
    if let Some(behaviour) = worker {
        machine.set_workers(Arc::new(join(&machine, behaviour, "0").await?));
    }
    audit::verify(&kept, &loaded, &host(&machine), &mut |_| {}).await
}

fn differing(verification: &Verification) -> Vec<&str> {
    let differs = |outcome: &FigureOutcome| matches!(outcome, FigureOutcome::Differs { .. });
    let figures = verification.figures.iter();
    let figures = figures.filter(|figure| differs(&figure.outcome));
    figures.map(|figure| figure.figure.as_str()).collect()
}

pub(super) fn a_run_is_verified_with_checks_elsewhere_and_who_did_them_is_said() {
    let experiment = Experiment::new();
    experiment.run("alone", None).unwrap();
    let results = results(&experiment, "alone");
    let of = |worker| with_runtime(verify(experiment.folder(), &results, worker)).unwrap();
    let here = of(None);
    assert_eq!((differing(&here), here.machines.len()), (Vec::new(), 0));
    let with = of(Some(Behaviour::Honest));
    assert_eq!(differing(&with), Vec::<&str>::new());
    assert_eq!(with.figures.len(), here.figures.len());
    let [machine] = &with.machines[..] else {
        panic!("{:?}", with.machines);
    };
    assert_eq!((machine.machine.as_str(), machine.lost), ("other", 0));
    assert!(machine.tasks > 0);
    // Another answer than what was kept does not count before it is found here.
    let with = of(Some(Behaviour::Lies));
    assert_eq!(differing(&with), Vec::<&str>::new());
    assert!(with.machines[0].lost > 0, "{:?}", with.machines);
}

pub(super) fn case_307_a_worker_that_lied_in_a_run_repeats_its_lie_and_this_machine_finds_it() {
    let experiment = Experiment::new();
    let with = experiment.run("lied", Some((Behaviour::Lies, "0")));
    let with = with.unwrap();
    let lies = with.fuel().into_values().flatten();
    assert!(lies.into_iter().any(|fuel| fuel == liar::FUEL));
    let results = results(&experiment, "lied");
    let of = |worker| with_runtime(verify(experiment.folder(), &results, worker)).unwrap();
    let here = of(None);
    assert!(
        differing(&here).iter().any(|one| one.starts_with(FUEL)),
        "{:?}",
        differing(&here)
    );
    // Which is why `verify` asks no worker of the host's policy, and names those that it is told to ask.
    let by_liar = of(Some(Behaviour::Lies));
    assert!(differing(&by_liar).len() < differing(&here).len());
    assert_eq!(by_liar.machines[0].machine, "other");
}
