//! The forms that code takes: workloads, named types, exported interfaces, resources, diagnostic
//! builds and calibrators.

use super::*;
use crate::support::root;
use bakeoff_domain::spec::Inputs;
use bakeoff_sandbox::invoke::{CallPath, parse_call, render};
use bakeoff_sandbox::{Imports, Sandbox};
use bakeoff_source::{RunFiles, VendoredComponents};

#[tokio::test]
async fn a_workload_makes_the_same_inputs_from_the_same_seed() {
    let text = "use crate::bakeoff::Rng;
pub fn generate(size: u32, seed: u64) -> (Vec<i64>, u32) {
    let mut rng = Rng::new(seed);
    ((0..size).map(|_| rng.between(-9, 9)).collect(), 1)
}
pub fn check(values: Vec<i64>, _: u32, answer: Vec<i64>) -> Result<(), String> {
    if values.iter().max() == answer.first() { Ok(()) } else { Err(format!(\"not {answer:?}\")) }
}";
    let request = BuildRequest {
        world: World::Workload,
        ..source(&top_k(), text)
    };
    let built = build(&request).await.unwrap();
    let mut running = Running::new(&built);
    let mut generate = |seed| {
        running
            .call("generate", &[Val::U32(40), Val::U64(seed)])
            .unwrap()
    };
    assert_eq!(generate(1), generate(1));
    assert_ne!(generate(1), generate(2));
    let verdict = running
        .call("check", &[list(&[1, 5]), Val::U32(1), list(&[4])])
        .unwrap();
    assert_eq!(
        verdict,
        Val::Result(Err(Some(Box::new(Val::String("not [4]".into())))))
    );
}

/// No table of answers can be made for them beforehand.
#[tokio::test]
async fn every_example_draws_its_inputs() {
    let builder = builder(None).await;
    for example in ["index", "prime-sieve", "substring-search", "top-k"] {
        let loaded = bakeoff_config::load(&root().join("examples").join(example)).unwrap();
        let files = RunFiles::read(&loaded, &VendoredComponents::of_cache(None)).unwrap();
        let call = &loaded.experiment.interface.call;
        let interface = Arc::new(Interface::parse(files.wit.clone(), call).unwrap());
        let request = BuildRequest {
            world: World::Workload,
            code: files.workload.unwrap().unwrap(),
            ..source(&interface, "")
        };
        let built = builder.build(&request).await.unwrap();
        let mut running = Running::new(&built);
        let Inputs::Generated { sizes, .. } = &loaded.experiment.workload.inputs else {
            panic!("{example} has a file of cases");
        };
        for size in sizes {
            let mut generate = |seed| {
                let arguments = [Val::U32(*size), Val::U64(seed)];
                running.call("generate", &arguments).unwrap()
            };
            let drawn = [1, 2, 3].map(&mut generate);
            assert_ne!(drawn[0], drawn[1], "{example}, {size}");
            // No list among its arguments is the same every time, either.
            let Val::Tuple(first) = &drawn[0] else {
                continue;
            };
            for (index, argument) in first.iter().enumerate() {
                let same = drawn.iter().all(
                    |one| matches!(one, Val::Tuple(arguments) if arguments[index] == *argument),
                );
                let is_list = matches!(argument, Val::List(_));
                assert!(
                    !(is_list && same),
                    "{example}, {size}, argument {}",
                    index + 1
                );
            }
        }
    }
}

#[tokio::test]
async fn named_types_are_found_where_messages_say_they_are() {
    let wit = "package example:geometry@1.2.0;
interface types { record point { x: f64, y: f64 } flags sides { top, left } enum side { one, two } }
interface hulls {
  use types.{point, sides, side};
  variant shape { empty, polygon(list<point>) }
  hull: func(points: list<point>, sides: sides, which: option<side>) -> shape;
}
world prototype { export hulls; }";
    let text = "use crate::types::{Point, Shape, Side, Sides};
pub fn hull(points: Vec<Point>, sides: Sides, which: Option<Side>) -> Shape {
    let _: crate::types::Point = Point { x: 1.0, y: 2.0 };
    if sides.contains(Sides::LEFT) && which == Some(Side::Two) { Shape::Polygon(points) } else { Shape::Empty }
}";
    let built = build(&source(&interface(wit, "hulls.hull"), text))
        .await
        .unwrap();
    assert!(built.imports.is_empty());
    let failure = build(&source(&interface(wit, "hulls.hull"), ""))
        .await
        .unwrap_err();
    let wanted = "pub fn hull(points: Vec<crate::types::Point>, sides: crate::types::Sides, \
                  which: Option<crate::types::Side>) -> crate::types::Shape";
    assert!(failure.message.contains(wanted), "{}", failure.message);
}

#[tokio::test]
async fn types_of_a_used_interface_are_no_import() {
    let wit = "package example:geometry;
interface types { record point { x: f64, y: f64 } }
world prototype { use types.{point}; export area: func(points: list<point>) -> f64; }";
    let text = "use crate::types::Point;
pub fn area(points: Vec<Point>) -> f64 { points.iter().map(|p| p.x * p.y).sum() }";
    let built = build(&source(&interface(wit, "area"), text)).await.unwrap();
    assert!(built.imports.is_empty(), "{:?}", built.imports);
    let point = |x, y| {
        Val::Record(vec![
            ("x".into(), Val::Float64(x)),
            ("y".into(), Val::Float64(y)),
        ])
    };
    let points = Val::List(vec![point(2.0, 3.0), point(1.0, 1.0)]);
    assert_eq!(
        Running::new(&built).call("area", &[points]).unwrap(),
        Val::Float64(7.0)
    );
}

#[tokio::test]
async fn lists_of_texts_go_both_ways_in_both_kinds_of_build() {
    let wit = "package example:names;
world prototype { export name-all: func(names: list<string>) -> list<tuple<string, u32>>; }";
    let text = "pub fn name_all(names: Vec<String>) -> Vec<(String, u32)> {
    names.into_iter().map(|name| { let len = name.len() as u32; (name, len) }).collect()
}";
    let interface = interface(wit, "name-all");
    for kind in [BuildKind::Release, BuildKind::Diagnostic] {
        let request = BuildRequest {
            kind,
            ..source(&interface, text)
        };
        let built = build(&request).await.unwrap();
        if kind == BuildKind::Diagnostic {
            continue;
        }
        let names = Val::List(vec![Val::String("one".into()), Val::String(String::new())]);
        let pair = |name: &str, len| Val::Tuple(vec![Val::String(name.into()), Val::U32(len)]);
        assert_eq!(
            Running::new(&built).call("name-all", &[names]).unwrap(),
            Val::List(vec![pair("one", 3), pair("", 0)])
        );
    }
}

const COUNTERS: &str = "package example:counting;
interface counters {
  resource counter { constructor(); add: func(value: s64); }
  count: func(values: list<s64>) -> u64;
}
world prototype { export counters; }";

#[tokio::test]
async fn an_interface_with_resources_is_implemented_by_its_traits() {
    let text = "use crate::bindings::exports::example::counting::counters::{Guest, GuestCounter};
pub struct Component;
pub struct Counter(std::cell::Cell<i64>);
impl GuestCounter for Counter {
    fn new() -> Self { Counter(std::cell::Cell::new(0)) }
    fn add(&self, value: i64) { self.0.set(self.0.get() + value) }
}
impl Guest for Component {
    type Counter = Counter;
    fn count(values: Vec<i64>) -> u64 { values.len() as u64 }
}";
    let interface = interface(COUNTERS, "counters.count");
    build(&source(&interface, text)).await.unwrap();
    let plain = "pub fn count(values: Vec<i64>) -> u64 { values.len() as u64 }";
    let failure = build(&source(&interface, plain)).await.unwrap_err();
    assert_eq!(
        failure.message,
        "approaches/mine.rs does not fit the interface; it wants `pub struct Component;` that \
         implements `crate::bindings::exports::example::counting::counters::Guest`"
    );
}

const JOBS: &str = "package example:jobs;
interface jobs {
  record point { x: s64, tags: list<string> }
  resource job {
    constructor(a: u8);
    prepare: static func(points: list<point>, by: s64) -> job;
    run: func();
    output: func() -> list<point>;
    rest: func(a: u8) -> string;
    count: static func() -> u32;
  }
  other: func(a: u8) -> u8;
}
world prototype { export jobs; }";

const JOB: &str = "#![forbid(unsafe_code)]
use crate::types::Point;
pub struct Job(Vec<Point>, i64);
impl Job {
    pub fn new(_: u8) -> Self { Job(Vec::new(), 0) }
    pub fn prepare(points: Vec<Point>, by: i64) -> Self { Job(points, by) }
    pub fn run(&mut self) { for point in &mut self.0 { point.x += self.1 } }
    pub fn output(&self) -> Vec<Point> { self.0.clone() }
    pub fn rest(&mut self, _: u8) -> String { String::new() }
    pub fn count() -> u32 { 7 }
}
pub fn other(a: u8) -> u8 { a }
";

#[tokio::test]
async fn a_resource_that_is_called_in_parts_is_a_plain_struct() {
    let jobs = interface(JOBS, "jobs.job");
    let built = build(&source(&jobs, JOB)).await.unwrap();
    assert!(built.imports.is_empty(), "{:?}", built.imports);
    let called = "example:jobs/jobs.job: func(points: list<point>, by: s64) -> list<point>";
    assert!(
        built.exports.iter().any(|export| export == called),
        "{:?}",
        built.exports
    );
    // The traits are another way.
    let traits = "use crate::bindings::exports::example::jobs::jobs::{Guest, GuestJob, Job, Point};
pub struct Component;
pub struct Mine(std::cell::RefCell<Vec<Point>>);
impl GuestJob for Mine {
    fn new(_: u8) -> Self { Mine(Default::default()) }
    fn prepare(points: Vec<Point>, _: i64) -> Job { Job::new(Mine(points.into())) }
    fn run(&self) { self.0.borrow_mut().clear() }
    fn output(&self) -> Vec<Point> { self.0.take() }
    fn rest(&self, _: u8) -> String { String::new() }
    fn count() -> u32 { 7 }
}
impl Guest for Component { type Job = Mine; fn other(a: u8) -> u8 { a } }";
    build(&source(&jobs, traits)).await.unwrap();
    let wrong = JOB.replace("pub fn run(&mut self)", "pub fn run(&mut self, _: u8)");
    let wrong = wrong.replace("pub fn output", "fn output");
    let failure = build(&source(&jobs, &wrong)).await.unwrap_err();
    assert_eq!(
        failure.message,
        "approaches/mine.rs does not fit the interface: this method takes 1 argument but 0 arguments were \
         supplied; method `output` is private; it wants\n\
         pub struct Job { … }\n\
         impl Job {\n    \
         pub fn prepare(points: Vec<crate::types::Point>, by: i64) -> Self { … }\n    \
         pub fn run(&mut self) { … }\n    \
         pub fn output(&mut self) -> Vec<crate::types::Point> { … }\n}"
    );
}

#[tokio::test]
async fn a_calibrator_makes_resources_that_can_be_called() {
    let request = BuildRequest {
        code: BuildInput::Calibrator,
        ..source(&interface(JOBS, "jobs.job"), "")
    };
    let built = build(&request).await.unwrap();
    let sandbox = Sandbox::new(Profile::Checked, Limits::default()).unwrap();
    // SAFETY: the code was just made by this test's own builder.
    let prepared = unsafe { sandbox.prepare(&built.checked, Imports::None) }.unwrap();
    let mut instance = prepared.instantiate().unwrap();
    let path = ["example:jobs/jobs".to_owned(), "job".to_owned()];
    let job = instance.callee(&path).unwrap();
    assert_eq!((job.functions(), job.path()), (3, CallPath::Typed));
    let call = "job([{x: 1, tags: [\"a\", \"b\"]}, {x: 2, tags: []}], -3)";
    let arguments = parse_call(call, "job", job.ty()).unwrap().into();
    // Kept instances have it freed after each call.
    for _ in 0..2_000 {
        let called = instance.call(&job, &arguments).unwrap();
        assert_eq!(called.value.as_ref().map(render).as_deref(), Some("[]"));
        assert!(called.time.parts_ns.is_some());
        // The list, its lists and strings; then prepare, run and output.
        assert_eq!(called.time.count, 5 + 3);
    }
}

#[tokio::test]
async fn a_diagnostic_build_reports_the_panic_with_the_users_own_line() {
    let text =
        "pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {\n    vec![values[k as usize]]\n}\n";
    let request = BuildRequest {
        kind: BuildKind::Diagnostic,
        ..source(&top_k(), text)
    };
    let built = build(&request).await.unwrap();
    assert_eq!(built.imports, [bakeoff_compile::DIAGNOSTIC_IMPORT]);

    let engine = engine::new(Profile::Checked).unwrap();
    let mut linker = Linker::new(&engine);
    let said = Arc::new(std::sync::Mutex::new(String::new()));
    let saying = said.clone();
    let mut panic = linker.instance(bakeoff_compile::DIAGNOSTIC_IMPORT).unwrap();
    panic
        .func_wrap("report", move |_, (message,): (String,)| {
            saying.lock().unwrap().push_str(&message);
            Ok(())
        })
        .unwrap();
    let mut running = Running::linked(&engine, &built.checked, &linker);
    assert_eq!(
        running.call("top-k", &[list(&[5]), Val::U32(0)]).unwrap(),
        list(&[5])
    );
    assert!(said.lock().unwrap().is_empty());
    assert!(running.call("top-k", &[list(&[5]), Val::U32(3)]).is_err());
    let said = said.lock().unwrap();
    assert!(
        said.starts_with("panicked at approaches/mine.rs:2:16:"),
        "{said}"
    );
    assert!(said.contains("the len is 1 but the index is 3"), "{said}");
}

#[tokio::test]
async fn a_calibrator_has_the_interfaces_own_signature() {
    let request = BuildRequest {
        code: BuildInput::Calibrator,
        ..source(&top_k(), "")
    };
    let built = build(&request).await.unwrap();
    assert!(built.imports.is_empty());
    assert_eq!(
        built.exports,
        ["top-k: func(values: list<s64>, k: u32) -> list<s64>"]
    );
    let mut running = Running::new(&built);
    for _ in 0..3 {
        let answer = running
            .call("top-k", &[list(&[1; 1000]), Val::U32(2)])
            .unwrap();
        assert_eq!(answer, list(&[]));
    }
}
