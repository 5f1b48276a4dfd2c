//! One function for each parser of bytes from outside. It must return, whatever the bytes are: a
//! panic, a hang or memory without bound is a defect. The test suite runs them on a fixed corpus
//! and on mutations of it, `fuzz/` runs them under a fuzzer.

use bakeoff_compile::engine::{self, Profile};
use bakeoff_compile::validate_prototype;
use bakeoff_domain::report::{Report, rescore};
use bakeoff_domain::spec::Inputs;
use bakeoff_run::Evidence;
use bakeoff_run::audit::{self, KeptRun};
use bakeoff_runner::call::{RunnerCall, RunnerMessage};
use bakeoff_runner::protocol::{Guest, RequestMessage};
use bakeoff_runner::{
    AggregateCall, AnyCall, AssessCall, CountFuelCall, CoverCall, DescribeCall, DiagnoseCall,
    EvaluateCall, GateCall, OracleCall, ProposeCall, ReadCasesCall, RepeatCall, ReplicaCall,
};
use bakeoff_sandbox::invoke::{self, CallTypes};
use bakeoff_source::interface::{InputRequest, Interface, WitFile};
use bakeoff_store::{ExportFormat, ExportTable, Mode, Store};
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::{Arc, LazyLock};
use wasm_encoder::{Component as Encoder, RawSection};
use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

#[path = "bundle_parser.rs"]
pub(crate) mod bundle_parser;
#[path = "kept_parsers.rs"]
mod kept_parsers;

use bundle_parser::bundle;
pub(crate) use kept_parsers::{
    cassette, generation_record, kept_timing, lock_holder, model_command, model_progress,
    model_record, model_stream, registry_answer,
};

/// A parser by name, and the function that gives it bytes.
pub(crate) type Harness = (&'static str, fn(&[u8]));

/// Every parser of bytes from outside.
pub(crate) const ALL: [Harness; 24] = [
    ("experiment", experiment),
    ("cases", cases),
    ("agent-tasks", agent_tasks),
    ("instances", instances),
    ("wave", wave),
    ("answer", answer),
    ("wit", wit),
    ("component", component),
    ("order", order),
    ("portable-build", portable_build),
    ("build-event", build_event),
    ("request", request),
    ("reply", reply),
    ("report", report),
    ("agent-request", agent_request),
    ("cassette", cassette),
    ("model-stream", model_stream),
    ("model-command", model_command),
    ("model-record", model_record),
    ("model-progress", model_progress),
    ("generation-record", generation_record),
    ("lock-holder", lock_holder),
    ("kept-timing", kept_timing),
    ("registry-answer", registry_answer),
];

/// The store and bundles need a folder, and so take far longer than the parsers above.
pub(crate) const IN_FOLDERS: [Harness; 2] = [("store", store), ("bundle", bundle)];

/// The experiment file.
pub(crate) fn experiment(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        match bakeoff_config::parse(text, "bakeoff.toml") {
            // What a file may say is what a bundle may say, and is kept as it is.
            Ok(mut experiment) => {
                if let Inputs::Instances {
                    names,
                    file: Some(_),
                    ..
                } = &mut experiment.workload.inputs
                {
                    assert!(names.is_empty());
                    names.push("from the file".to_owned());
                }
                assert_eq!(bakeoff_config::within_bounds(&experiment), Ok(()));
                let kept = serde_json::to_string(&experiment).expect("an experiment is kept");
                let read = serde_json::from_str(&kept).ok();
                assert_eq!(read.as_ref(), Some(&experiment), "{kept}");
            }
            Err(error) => shown(&error),
        }
    }
}

/// A file of cases.
pub(crate) fn cases(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Err(error) = bakeoff_config::parse_cases(text, "cases.toml")
    {
        shown(&error);
    }
}

/// A file of tasks for agents. What it has waits for tasks before it alone.
pub(crate) fn agent_tasks(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        match bakeoff_config::parse_agent_tasks(text, "tasks.toml") {
            Ok(tasks) => {
                for (place, task) in tasks.iter().enumerate() {
                    assert!(bakeoff_config::is_branch_part(&task.name), "{task:?}");
                    assert!(task.after.iter().all(|one| *one < place), "{task:?}");
                }
            }
            Err(error) => shown(&error),
        }
    }
}

/// A file of instances. What is in it may be in a bundle.
pub(crate) fn instances(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        match bakeoff_config::parse_instances(text, "instances.txt") {
            Ok(names) => {
                let again = bakeoff_config::parse_instances(&names.join("\n"), "instances.txt");
                assert_eq!(again.expect("names are lines"), names);
                assert!(
                    names
                        .iter()
                        .all(|name| is_inert(name) && !name.trim().is_empty())
                );
            }
            Err(error) => shown(&error),
        }
    }
}

/// A line from an agent's client.
pub(crate) fn agent_request(bytes: &[u8]) {
    if let Some(refusal) = bakeoff::mcp::refusal(bytes) {
        assert!(is_inert(&refusal) && refusal.len() < 8_000, "{refusal:?}");
    }
}

/// A message must be printable as well, with the places that it points at.
fn shown(error: &bakeoff_config::ConfigError) {
    assert!(!error.to_string().is_empty());
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    let written = handler.with_links(false).render_report(&mut text, error);
    assert!(written.is_ok() && is_inert(&text), "{text:?}");
}

/// Whether nothing in a text steers a terminal. Lines of CSV end in two characters.
fn is_inert(text: &str) -> bool {
    let text = text.replace("\r\n", "\n");
    !text.chars().any(|c| c.is_control() && !"\n\t".contains(c))
}

/// The function that calls in WAVE are parsed for. It has every kind of type.
const EVERY_TYPE: &str = "package a:b;
world prototype {
  record point { x: f64, name: string }
  variant shape { none, circle(f32), polygon(list<point>) }
  enum colour { red, green }
  flags marks { a, b, c }
  export f: func(shapes: list<shape>, colour: option<colour>, marks: marks, pair: tuple<u8, s64>, c: char) -> result<list<list<bool>>, string>;
}";

/// A component of that function's type, without code: the type is all that is needed.
static FUNCTION: LazyLock<CallTypes> = LazyLock::new(|| {
    let file = WitFile {
        name: "main.wit".into(),
        text: EVERY_TYPE.into(),
    };
    let interface = Interface::parse(vec![file], "f").expect("the interface above is valid");
    let bytes = bakeoff_compile::calibrator(&interface).expect("every interface has a no-op");
    let engine = engine::new(Profile::Checked).expect("the engine runs here");
    let component = Component::new(&engine, bytes).expect("a no-op is a valid component");
    let exports = component.component_type();
    match exports.get_export(&engine, "f") {
        Some(item) => match item.ty {
            ComponentItem::ComponentFunc(function) => CallTypes::of(&function),
            other => unreachable!("f is {other:?}"),
        },
        None => unreachable!("f is exported"),
    }
});

/// A call and an answer in WAVE.
pub(crate) fn wave(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        if let Ok(values) = invoke::parse_call(text, "f", &FUNCTION) {
            values.iter().for_each(used);
        }
        if let Ok(value) = invoke::parse_result(text, &FUNCTION) {
            used(&value);
        }
    }
}

/// An answer of a program, in JSON.
pub(crate) fn answer(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match invoke::answer_from_json(text, &FUNCTION) {
        Ok(value) => value.iter().for_each(used),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// What is done to a value on its way to a guest and to a digest.
fn used(value: &invoke::Value) {
    invoke::render(value);
    assert!(value.same_as(value));
    let mut fed = 0;
    value.hash_into(&mut |bytes| fed += bytes.len());
    assert!(fed > 0 || value.bytes() == 0);
}

/// WIT.
pub(crate) fn wit(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let file = WitFile {
            name: "main.wit".into(),
            text: text.into(),
        };
        match Interface::parse(vec![file], "f") {
            Ok(interface) => {
                // What is built for every interface: a no-op, and the functions of its workload.
                let _ = interface.workload(InputRequest::SizeAndSeed);
                let _ = interface.workload(InputRequest::Instance);
                let _ = bakeoff_compile::calibrator(&interface);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// The interface that components are examined for.
static INTERFACE: LazyLock<Arc<Interface>> = LazyLock::new(|| {
    let file = WitFile {
        name: "main.wit".into(),
        text: EVERY_TYPE.into(),
    };
    Arc::new(Interface::parse(vec![file], "f").expect("the interface above is valid"))
});

/// A component: its sizes, its instances, its world. The bytes as they are, and as the inside of a
/// component around them.
pub(crate) fn component(bytes: &[u8]) {
    look(bytes);
    if let Some((&id, data)) = bytes.split_first() {
        let mut around = Encoder::new();
        around.section(&RawSection { id: id % 16, data });
        look(&around.finish());
    }
}

fn look(bytes: &[u8]) {
    if let Err(failure) = validate_prototype(bytes, "a.wasm", &INTERFACE) {
        assert!(failure.message.starts_with("a.wasm"), "{failure:?}");
    }
}

/// An order, as a builder child takes it.
pub(crate) fn order(bytes: &[u8]) {
    bakeoff_compile::is_build_task(bytes);
}

/// A build of another machine, as a worker takes it.
pub(crate) fn portable_build(bytes: &[u8]) {
    bakeoff_compile::is_portable_build(bytes);
}

/// An event, as a builder child sends it.
pub(crate) fn build_event(bytes: &[u8]) {
    bakeoff_compile::is_build_event(bytes);
}

/// A request, as a runner takes it.
pub(crate) fn request(bytes: &[u8]) {
    if let Ok((opened, call)) = RequestMessage::read::<AnyCall>(bytes) {
        assert!(format!("{:?}{call:?}", opened.request).len() < 64 * bytes.len() + 4096);
        let look_at = |guest: &Guest| {
            let _ = (opened.code(guest.code), opened.imports(guest.files));
        };
        match &call {
            AnyCall::Gate(call) => look_at(&call.variant),
            AnyCall::Assess(call) => look_at(&call.variant),
            AnyCall::Repeat(call) => look_at(&call.prototype),
            AnyCall::Oracle(call) => look_at(&call.prototype),
            AnyCall::Cover(call) => look_at(&call.prototype),
            AnyCall::CountFuel(call) => look_at(&call.prototype),
            AnyCall::Diagnose(call) => look_at(&call.build),
            AnyCall::Replica(call) => {
                let payloads = call.payloads.iter().flatten();
                payloads.for_each(|payload| look_at(&payload.guest));
            }
            AnyCall::Evaluate(call) => {
                let _ = opened.code(call.evaluator);
                call.variant.iter().for_each(look_at);
            }
            AnyCall::Aggregate(call) => {
                let _ = (opened.code(call.aggregator), opened.blob(call.report));
            }
            AnyCall::Propose(call) => drop(opened.code(call.proposer)),
            AnyCall::Describe(call) => drop(opened.code(call.evaluator)),
            AnyCall::ReadCases(call) => drop(opened.code(call.component)),
        }
    }
}

/// A reply, as a runner sends it: to each of the calls. What an evaluator says of itself is shown where it is refused.
pub(crate) fn reply(bytes: &[u8]) {
    reply_to::<GateCall>(bytes);
    reply_to::<AssessCall>(bytes);
    reply_to::<RepeatCall>(bytes);
    reply_to::<OracleCall>(bytes);
    reply_to::<CoverCall>(bytes);
    reply_to::<CountFuelCall>(bytes);
    reply_to::<DiagnoseCall>(bytes);
    reply_to::<ReplicaCall>(bytes);
    reply_to::<EvaluateCall>(bytes);
    reply_to::<AggregateCall>(bytes);
    reply_to::<ProposeCall>(bytes);
    reply_to::<ReadCasesCall>(bytes);
    if let Some(RunnerMessage::Reply(criteria)) = reply_to::<DescribeCall>(bytes)
        && let Err(why) = bakeoff_measure::evaluate::check_description(&criteria)
    {
        assert!(is_inert(&why) && why.len() < 2_000, "{why:?}");
    }
}

fn reply_to<C: RunnerCall<Reply: Debug>>(bytes: &[u8]) -> Option<RunnerMessage<C::Reply>> {
    let message = postcard::from_bytes(bytes).ok()?;
    assert!(format!("{message:?}").len() < 256 * bytes.len() + 4096);
    Some(message)
}

/// A report, as `bakeoff report` reads it, shows it in every format, and scores it again.
pub(crate) fn report(bytes: &[u8]) {
    if let Ok(report) = serde_json::from_slice::<Report>(bytes)
        && audit::check_report(&report).is_ok()
    {
        laid_out(&report);
        let weights = report.criteria.iter().map(|one| (one.name.clone(), 2.0));
        if let Ok(again) = rescore(&report, &weights.collect()) {
            laid_out(&again);
        }
    }
}

/// A report in every format, with and without what a terminal has.
fn laid_out(report: &Report) {
    let options = bakeoff_render::Options {
        charts: Some("charts".to_owned()),
        ..bakeoff_render::Options::default()
    };
    let narrow = bakeoff_render::Options {
        width: 40,
        charset: bakeoff_render::Charset::Ascii,
        ..bakeoff_render::Options::default()
    };
    for text in [
        bakeoff_render::json(report),
        bakeoff_render::csv(report),
        bakeoff_render::human(report, &options),
        bakeoff_render::human(report, &narrow),
        bakeoff_render::markdown(report, &options),
        bakeoff_render::html(report, &options),
    ] {
        assert!(is_inert(&text), "{text:?}");
    }
    for chart in bakeoff_render::charts::charts(report, &[]) {
        assert!(is_inert(&chart.svg), "{:?}", chart.svg);
    }
}

thread_local! {
    static FOLDER: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
}

/// A database, as it is opened and read.
pub(crate) fn store(bytes: &[u8]) {
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| tempfile::tempdir().expect("a temporary folder"));
        let file = folder.path().join("bakeoff.db");
        std::fs::write(&file, bytes).expect("the folder can be written");
        if let Ok(store) = Store::open(folder.path(), Mode::Read)
            && let Ok(runs) = store.runs()
        {
            for run in runs {
                let _ = Evidence::read(&store, run.id, 0.0);
                let _ = KeptRun::read(&store, Some(run.id));
                let _ = store.report(Some(run.id));
            }
            for table in ExportTable::ALL {
                let _ = store.export(None, table, ExportFormat::Csv, &mut std::io::sink());
                let _ = store.export(None, table, ExportFormat::Jsonl, &mut std::io::sink());
            }
        }
        for end in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.path().join(format!("bakeoff.db{end}")));
        }
    });
}
