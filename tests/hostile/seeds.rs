//! Valid inputs of the binary parsers, from which mutations start.

use super::components::{Answerer, doubling, functions};
use super::harness::bundle_parser::{HONEST, packed};
use crate::store::fixture::filled;
use crate::support::root;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::Environment;
use bakeoff_domain::spec::{Direction, EvaluatedCriterion, Limits, Needs};
use bakeoff_run::audit;
use bakeoff_runner::call::RunnerMessage;
use bakeoff_runner::protocol::{Bundle, RunnerInputs, RunnerRequest};
use bakeoff_runner::{
    AggregateCall, AnyCall, AssessCall, DescribeCall, DiagnoseCall, GateCall, GuestFailure,
    WaveCase, WrongCase, WrongPart,
};
use bakeoff_sandbox::GuestError;
use bakeoff_store::{Mode, RunMeta, Start, Store};
use serde::Serialize;
use std::fs;

/// The inputs for a parser.
pub(super) fn of(name: &str) -> Vec<Vec<u8>> {
    match name {
        "component" => vec![
            Answerer::default().component(),
            doubling(3),
            functions(3, 7, 20),
        ],
        "order" => vec![order()],
        "portable-build" => vec![portable_build()],
        "build-event" => vec![done(), failed()],
        "request" => requests(),
        "reply" => replies(),
        "report" => vec![fs::read(root().join("tests/golden/report/report.json")).unwrap()],
        "store" => vec![store(), full_store()],
        "bundle" => bundles(),
        _ => Vec::new(),
    }
}

/// An order, field by field as the builder child reads it: enumerations are their numbers.
fn order() -> Vec<u8> {
    let files = vec![(
        "main.wit",
        "package a:b; world prototype { export f: func(); }",
    )];
    let (prototype, release, component) = (0_u8, 0_u8, 1_u8);
    let (granted, parameters, wasi): (Vec<String>, bool, u8) = (Vec::new(), false, 0);
    let kinds = (prototype, release, component);
    let memory_bytes = 1_u64 << 28;
    let grants = (granted, parameters, wasi);
    let no_crates: Option<String> = None;
    let code_is_wanted = true;
    let rest = (memory_bytes, no_crates, code_is_wanted);
    let order = (files, "f", kinds, "a.wasm", grants, rest);
    let order = postcard::to_stdvec(&order).unwrap();
    let mut payload = (order.len() as u64).to_le_bytes().to_vec();
    payload.extend(order);
    payload.extend(b"\0asm\x0d\0\x01\0");
    payload
}

/// A build that another machine wants, field by field.
fn portable_build() -> Vec<u8> {
    let wit = "package a:b; world prototype { export f: func(); }";
    let files = vec![("main.wit", wit)];
    let (simd, edition, parameters) = (0_u8, 0_u8, false);
    let source = ("f", "pub fn f() {}", parameters);
    postcard::to_stdvec(&("rustc-1", simd, edition, files, source)).unwrap()
}

/// The event of a build that is done.
fn done() -> Vec<u8> {
    let (imports, exports) = (vec!["a:b/c@0.1.0"], vec!["f: func()"]);
    let (functions, bytes, locals, layouts) = (3_u32, 400_u64, 7_u32, 8_u32);
    let cpu = ((0_u64, 5_000_u32), (1_u64, 0_u32));
    let sizes = (functions, bytes, locals, true, layouts);
    postcard::to_stdvec(&(2_u8, imports, exports, sizes, cpu, (Some(9_u64), false))).unwrap()
}

/// The event of a build that failed.
fn failed() -> Vec<u8> {
    let (class, phase) = (0_u8, 0_u8);
    postcard::to_stdvec(&(1_u8, class, "a message", phase, Some("wall = 60 s"))).unwrap()
}

/// Requests of several calls, each with the code of a guest.
fn requests() -> Vec<Vec<u8>> {
    let sealed = |call: &dyn Fn(&mut Bundle) -> AnyCall| {
        let mut bundle = Bundle::default();
        let call = call(&mut bundle);
        let case = WaveCase {
            call: "f(1)".into(),
            expect: Some("2".into()),
        };
        let request = RunnerRequest {
            path: vec!["f".into()],
            limits: Limits::default(),
            inputs: RunnerInputs::Cases(vec![case]),
            call,
        };
        bundle.seal(&request).unwrap()
    };
    let secret = RunSeed::Named(7).check_secret();
    let gate = |bundle: &mut Bundle| {
        let call = GateCall {
            variant: bundle.add_guest(b"code", None),
            cases: secret,
            rehearsal: RunSeed::Named(11).rehearsal_secret(),
            repeats_fuel: None,
        };
        call.into()
    };
    let assess = |bundle: &mut Bundle| {
        let variant = bundle.add_guest(b"code", None);
        AssessCall { variant, secret }.into()
    };
    let diagnose = |bundle: &mut Bundle| {
        let build = bundle.add_guest(b"code", None);
        let calls = vec![(0, 7), (1, u64::MAX)];
        DiagnoseCall { build, calls }.into()
    };
    let describe = |bundle: &mut Bundle| {
        let evaluator = bundle.add_code(b"code");
        DescribeCall { evaluator }.into()
    };
    let aggregate = |bundle: &mut Bundle| {
        let call = AggregateCall {
            aggregator: bundle.add_code(b"code"),
            report: bundle.add(b"{}"),
        };
        call.into()
    };
    vec![
        sealed(&gate),
        sealed(&assess),
        sealed(&diagnose),
        sealed(&describe),
        sealed(&aggregate),
    ]
}

fn replies() -> Vec<Vec<u8>> {
    let cases: Vec<Result<(), WrongCase>> = vec![
        Ok(()),
        Err(WrongCase {
            part: WrongPart::Call,
            reason: "call: no".into(),
        }),
    ];
    let failed: RunnerMessage<()> = RunnerMessage::Failed(GuestFailure {
        variant: Some(3),
        calls: vec![(0, 7), (1, u64::MAX)],
        error: GuestError::new(FailureClass::Trap, "a message"),
    });
    vec![
        reply(cases),
        postcard::to_stdvec(&failed).unwrap(),
        reply(vec!["a report".to_owned()]),
        described("balance", "points", Some((0.0, 1.0))),
        described("Balance\u{1b}[2J", "points", None),
        described("balance", "a unit that is longer than units are", None),
        described("balance", "points", Some((f64::NAN, 1.0))),
        described(&"balance".repeat(1_000), "points", None),
    ]
}

fn reply<R: Serialize>(reply: R) -> Vec<u8> {
    postcard::to_stdvec(&RunnerMessage::Reply(reply)).unwrap()
}

/// What an evaluator may say of itself.
fn described(name: &str, unit: &str, range: Option<(f64, f64)>) -> Vec<u8> {
    reply(vec![EvaluatedCriterion {
        name: name.to_owned(),
        summary: "how evenly it spreads".to_owned(),
        unit: unit.to_owned(),
        direction: Direction::HigherIsBetter,
        range,
        per_answer: true,
        needs: Needs::default(),
    }])
}

/// A database with a run that has just begun.
fn store() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(root().join("examples/top-k/bakeoff.toml")).unwrap();
    let experiment = bakeoff_config::parse(&text, "bakeoff.toml").unwrap();
    let meta = RunMeta {
        name: "top-k",
        experiment_id: "e1",
        seed: RunSeed::Named(1),
        experiment: &experiment,
        environment: &Environment::default(),
        bakeoff: "0.1.0",
    };
    let mut store = Store::open(folder.path(), Mode::Write).unwrap();
    store.begin_run(&meta, Start::Resume).unwrap();
    drop(store);
    fs::read(folder.path().join("bakeoff.db")).unwrap()
}

/// A database with rows of every kind, and with a report.
fn full_store() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    fs::read(folder.path().join("bakeoff.db")).unwrap()
}

/// Returns true if the file of a seed is in today's format. What has a time or a report in it may differ from the seed.
pub(super) fn is_current(name: &str, file: &[u8], seed: &[u8]) -> bool {
    match name {
        "store" => has_one_run(file),
        "report" => serde_json::from_slice(file).is_ok_and(|it| audit::check_report(&it).is_ok()),
        "bundle" => unpacks(file),
        _ => file == seed,
    }
}

/// Returns true if bytes are a bundle, or one file of the honest one behind the byte that says which.
fn unpacks(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("into");
    fs::create_dir(&into).unwrap();
    let bundle = match bytes.split_first() {
        Some((&which, content)) if usize::from(which) < HONEST.len() => {
            packed(folder.path(), Some((which.into(), content)))
        }
        _ => {
            let raw = folder.path().join("raw.bundle");
            fs::write(&raw, bytes).unwrap();
            raw
        }
    };
    audit::unpack(&bundle, &into).is_ok()
}

/// Returns true if bytes are a database with one run, as this version writes it.
fn has_one_run(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bakeoff.db"), bytes).unwrap();
    let runs = Store::open(folder.path(), Mode::Read).and_then(|store| store.runs());
    runs.is_ok_and(|runs| runs.len() == 1)
}

/// The honest bundle as it is, its evidence alone, and replicas alone.
fn bundles() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read(packed(folder.path(), None)).unwrap();
    let alone = |which: u8, content: &[u8]| [&[which], content].concat();
    let [(_, evidence), (_, replicas), ..] = &*HONEST;
    vec![whole, alone(0, evidence), alone(1, replicas)]
}

/// A seed that is no longer valid would make its parser's mutations worth little.
#[test]
fn the_seeds_are_what_the_parsers_take() {
    assert!(bakeoff_compile::is_build_task(&order()));
    assert!(bakeoff_compile::is_portable_build(&portable_build()));
    assert!(bakeoff_compile::is_build_event(&done()));
    assert!(bakeoff_compile::is_build_event(&failed()));
    for request in requests() {
        assert!(bakeoff_runner::protocol::RequestMessage::read::<AnyCall>(&request).is_ok());
    }
    for bundle in bundles() {
        assert!(unpacks(&bundle), "{}", bundle[0]);
    }
    assert!(has_one_run(&store()) && has_one_run(&full_store()));
}
