//! A small experiment, its records, and stores that hold them.

use bakeoff_domain::measurement::{Baseline, PartTimes, Replica, Sample, Surroundings};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{CaseLabel, Environment, Report};
use bakeoff_domain::spec::{
    Code, DeclaredInterface, DeclaringPlace, Experiment, Inputs, Limits, Measure, ReportOptions,
    Workload,
};
use bakeoff_store::{
    Key, Mode, Owner, RaceId, ResultKind, RunMeta, Start, StartedRun, Store, StoreError, Trial,
};
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) fn experiment() -> Experiment {
    Experiment {
        name: "top-k".into(),
        problem: "Return the k largest values.".into(),
        interface: DeclaredInterface {
            wit: "wit".into(),
            call: "top-k".into(),
        },
        workload: Workload {
            inputs: Inputs::Generated {
                code: Code::Source("workload.rs".into()),
                sizes: vec![10, 1000],
                texts: Vec::new(),
            },
            seed: Some(7),
        },
        approaches: Vec::new(),
        limits: Limits::default(),
        measure: Measure::default(),
        evaluators: Vec::new(),
        aggregators: Vec::new(),
        crates: bakeoff_domain::crates::Crates::default(),
        simd: bakeoff_domain::simd::Simd::default(),
        edition: bakeoff_domain::edition::Edition::default(),
        criteria: Vec::new(),
        report: ReportOptions::default(),
        declared: DeclaringPlace::InFile,
    }
}

pub(crate) fn begin(
    store: &mut Store,
    experiment_id: &str,
    start: Start,
) -> Result<StartedRun, StoreError> {
    let experiment = experiment();
    let environment = Environment {
        engine: "wasmtime-48".into(),
        cpu: "a cpu".into(),
        confinement: "full".into(),
        fences: vec!["seccomp".into()],
        ..Environment::default()
    };
    let meta = RunMeta {
        name: "top-k",
        experiment_id,
        seed: RunSeed::Named(u64::MAX),
        experiment: &experiment,
        environment: &environment,
        bakeoff: "0.1.0",
    };
    store.begin_run(&meta, start)
}

/// A store for writing with a run begun in it.
pub(crate) fn begun(folder: &Path) -> Store {
    let mut store = Store::open(folder, Mode::Write).unwrap();
    begin(&mut store, "e1", Start::Resume).unwrap();
    store
}

pub(crate) fn heap() -> Owner<'static> {
    Owner {
        variant: "heap",
        iteration: 1,
    }
}

pub(crate) fn race_key() -> Key {
    Key::new([("components", "c1+c2"), ("engine", "wasmtime-48")])
}

pub(crate) fn open_race(store: &mut Store) -> Result<RaceId, StoreError> {
    let race = bakeoff_store::RaceLists {
        variants: vec!["heap".into(), "sort".into()],
        cases: vec!["10".into(), "1000".into()],
    };
    store.open_race(&race_key(), &race)
}

/// A replica whose every number follows from its index: two blocks, two variants, two cases.
pub(crate) fn replica(index: u32) -> Replica {
    let seed = u64::from(index) + 1;
    let sample = |number: usize| Sample {
        variant: number % 2,
        case: number / 2 % 2,
        block: u32::try_from(number / 4).unwrap(),
        position: u32::try_from(number % 2).unwrap(),
        calls: 3,
        cpu_ns: seed * 1_000_003 + number as u64,
        wall_ns: u64::MAX - seed,
    };
    Replica {
        index,
        solo: index % 5 == 4,
        samples: (0..8).map(sample).collect(),
        baselines: vec![
            Baseline {
                cpu_ns: 0.1 + 0.2,
                wall_ns: 1.0 / 3.0,
            };
            2
        ],
        cold_ns: vec![Some(seed), None],
        parts: vec![PartTimes {
            variant: 1,
            calls: seed,
            session_ns: Some([seed, 2, 3]),
            ..PartTimes::default()
        }],
        surroundings: Surroundings {
            core: index.is_multiple_of(2).then_some(1),
            started_s: f64::from(index) * 0.1,
            seconds: 1e-9,
            preemptions: seed,
            steal_ticks: None,
            load: Some(0.7),
            contention_probe_ns: index.is_multiple_of(3).then_some(1e5 / 3.0),
            core_contention: index.is_multiple_of(2).then_some(1.0 / 7.0),
        },
    }
}

pub(crate) fn trial(case_index: u32, fuel: u64) -> Trial {
    Trial {
        case_index,
        case_label: ["10", "1000"][case_index as usize % 2].into(),
        outcome: "ok".into(),
        fuel: Some(fuel),
        peak_bytes: Some(65_536),
        answer: Some("sha256:ab".into()),
        detail: None,
    }
}

pub(crate) fn report() -> Report {
    let value = serde_json::json!({
        "schema_version": 1,
        "experiment": {"id": "e1", "name": "top-k", "problem": "?", "seed": 7},
        "environment": {"engine": "wasmtime-48", "compiler": "rustc 1.95", "cpu": "a cpu",
            "cores": 2, "system": "Linux", "confinement": "full"},
        "criteria": [],
        "variants": [
            {"id": "heap", "name": "Heap", "approach": "Heap", "iteration": 1, "parameters": {},
             "status": "ranked", "rank": 1, "total": {"value": 0.9, "low": 0.8, "high": 1.0},
             "scores": {}, "readings": {"fuel": {"value": 10.0, "low": null, "high": null,
             "unit": "units"}}, "failure": null},
            {"id": "loop", "name": "Loop", "approach": "Loop", "iteration": 1, "parameters": {},
             "status": "failed", "rank": null, "total": null, "scores": {}, "readings": {},
             "failure": {"class": "fuel-limit", "message": "no end", "phase": "check"}}
        ],
        "verdicts": [
            {"a": "heap", "b": "sort", "case": null, "verdict": "beats", "below_threshold": false,
             "ratio": 0.5, "low": 0.4, "high": 0.6},
            {"a": "heap", "b": "sort", "case": 1000, "verdict": "tie", "below_threshold": false,
             "ratio": 1.0, "low": 0.99, "high": 1.01}
        ],
        "recommendation": {"winner": "heap", "tied": [], "alternatives": [],
            "flip_distance": null, "text": "Take heap."},
        "pareto": ["heap"],
        "cost": {"seconds": 1.0, "trials": 2, "tokens": 0, "usd": 0.0, "workers": [],
            "success_rate": 0.5, "files": 2, "source_lines": 20}
    });
    let report: Report = serde_json::from_value(value).unwrap();
    assert_eq!(report.verdicts[1].case, Some(CaseLabel::Size(1000)));
    report
}

/// A name that a spreadsheet, a terminal and a browser would each like to obey.
pub(crate) const NAUGHTY: &str = "=cmd|' /C calc'!A0,\"\u{1b}[31m\u{202e}<script>";

/// A store with at least one row in every view.
pub(crate) fn filled(folder: &Path) {
    let mut store = begun(folder);
    let parameters = BTreeMap::from([("arity".to_owned(), "4".to_owned())]);
    store
        .declare_variant("heap", NAUGHTY, "Heap", &parameters)
        .unwrap();
    store
        .declare_iteration("heap", 1, None, "sha256:ab")
        .unwrap();
    store
        .declare_variant("loop", "Loop", "Loop", &BTreeMap::new())
        .unwrap();
    let key = Key::new([("component", "c1")]);
    let trials = [trial(0, 10), trial(1, 20)];
    store
        .put_with_trials(ResultKind::Gate, &key, heap(), &"right", &trials)
        .unwrap();
    let race = open_race(&mut store).unwrap();
    for index in 0..3 {
        store.put_replica(race, &replica(index)).unwrap();
    }
    store
        .emit(bakeoff_store::events::Event::Warning {
            message: NAUGHTY.into(),
        })
        .unwrap();
    store.finish_run(&report()).unwrap();
}
