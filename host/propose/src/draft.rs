//! The interface and the workload of a problem that a model writes, and whether they can be used.

use super::explore_options::ExploreOptions;
use super::prompt::{SYSTEM, data};
use super::writer::{PrototypeWriter, WriteOptions, read};
use bakeoff_domain::oracle::{Belief, OracleTest};
use bakeoff_files::Scratch;
use bakeoff_provider::{AskError, Models, Purpose, Request};
use bakeoff_run::{HostOptions, RunError, Survey, SurveyedPrototype};
use bakeoff_source::interface::{InputRequest, Interface, WitFile, rust_form};
use bakeoff_source::{BuildInput, SOURCE_BYTES_MAX};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The folder of approaches.
pub const APPROACHES: &str = "approaches";

/// The name of the plain solution.
pub const PLAIN: &str = "plain";

/// The file of the interface.
const WIT_FILE: &str = "problem.wit";

/// The longest WIT of a model, in bytes.
const WIT_BYTES_MAX: usize = 32 << 10;

/// The largest size of inputs that a model may ask for.
const SIZE_MAX: u32 = 10_000_000;

/// The share of changed answers from which on an oracle that accepts them goes back. Below, they may be right.
const ACCEPTED_SHARE_MAX: f64 = 0.5;

/// Inputs of each case on which the oracle is tested, and the most cases.
const ORACLE_INPUTS: (u32, usize) = (3, 8);

/// The longest message about an unusable answer that goes back to a model, in characters.
const WRONG_CHARS_MAX: usize = 4_000;

/// A file of an experiment: its path in the folder, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftFile {
    /// The path in the experiment's folder, which bakeoff chooses.
    pub name: String,
    /// The text.
    pub text: String,
}

/// An interface as a model writes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct WrittenInterface {
    wit: String,
    call: String,
}

/// A workload as a model writes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct WrittenWorkload {
    source: String,
    sizes: Vec<u32>,
    plain: String,
}

/// Reason why there is no interface or workload.
#[derive(Debug)]
pub(super) enum DraftError {
    /// The model gave no answer.
    Ask(AskError),
    /// The message about the last answer, which could not be used after all repairs.
    Unusable(String),
    /// An error that does not depend on the model.
    Run(RunError),
}

impl From<AskError> for DraftError {
    fn from(error: AskError) -> Self {
        Self::Ask(error)
    }
}

/// An interface with a workload whose oracle passed its test.
pub(super) struct Draft {
    pub(super) survey: Arc<Survey>,
    /// The experiment's files, with the plain solution as its only approach.
    pub(super) files: Vec<DraftFile>,
    /// Result of the test of the oracle.
    pub(super) oracle: OracleTest,
    /// Fuel of each call of the plain solution.
    pub(super) plain_fuel: Vec<u64>,
}

/// Asks for the interface, and again as often as is repaired at most, with the error of the last answer.
pub(super) async fn interface(
    models: &Models,
    options: &ExploreOptions,
) -> Result<WrittenInterface, DraftError> {
    let mut last: Option<(WrittenInterface, String)> = None;
    for attempt in 0..=options.propose.write.repairs {
        let request = interface_request(options, attempt, last.as_ref());
        let written: WrittenInterface = read(models.ask(&request).await?)?;
        match parsed(&written) {
            Ok(_) => return Ok(written),
            Err(wrong) => last = Some((written, wrong)),
        }
    }
    Err(unusable(last.map(|(_, wrong)| wrong)))
}

/// Asks for the workload and a plain solution, tries both and tests the oracle. Asks again as often as is repaired at
/// most, with the error of the last answer.
pub(super) async fn workload(
    models: &Arc<Models>,
    options: &ExploreOptions,
    interface: &WrittenInterface,
    host: &HostOptions,
    report: &mut (dyn FnMut(&str) + Send),
) -> Result<Draft, DraftError> {
    let (told, write) = (&options.told, &options.propose.write);
    let mut last: Option<(WrittenWorkload, String)> = None;
    for attempt in 0..=write.repairs {
        let request = workload_request(options, interface, attempt, last.as_ref());
        let mut written: WrittenWorkload = read(models.ask(&request).await?)?;
        written.sizes.sort_unstable();
        written.sizes.dedup();
        let files = files(options, interface, &written);
        match tried(models, told, files, &written, host, write).await? {
            Ok(draft) => return Ok(draft),
            Err(wrong) => {
                let lines: Vec<&str> = wrong.lines().take(2).collect();
                report(&format!("workload: {}", lines.join(" ")));
                let wrong = wrong.chars().take(WRONG_CHARS_MAX).collect();
                last = Some((written, wrong));
            }
        }
    }
    Err(unusable(last.map(|(_, wrong)| wrong)))
}

fn unusable(wrong: Option<String>) -> DraftError {
    DraftError::Unusable(wrong.unwrap_or_default())
}

/// Parses the interface; `Err` is the message for the model. The workload's world must export `check`.
fn parsed(written: &WrittenInterface) -> Result<Interface, String> {
    let file = WitFile {
        name: WIT_FILE.to_owned(),
        text: written.wit.clone(),
    };
    let interface =
        Interface::parse(vec![file], &written.call).map_err(|error| error.to_string())?;
    let workload = interface.workload(InputRequest::SizeAndSeed);
    match workload.map_err(|error| error.to_string())?.check {
        Some(_) => Ok(interface),
        None => Err("world `workload` does not export `check`".to_owned()),
    }
}

/// Builds and calls workload and plain solution, and tests the oracle. The inner `Err` is the message for the model.
async fn tried(
    models: &Arc<Models>,
    statement: &str,
    files: Vec<DraftFile>,
    written: &WrittenWorkload,
    host: &HostOptions,
    options: &WriteOptions,
) -> Result<Result<Draft, String>, DraftError> {
    let survey = match opened(&files, host).await {
        Ok(survey) => Arc::new(survey),
        Err(error) => return of_model(error).map(Err),
    };
    let writer = PrototypeWriter::new(models, Arc::clone(&survey), statement, options);
    let plain = match writer.try_out(written.plain.clone()).await {
        Ok(attempt) => attempt,
        Err(error) => return of_model(error).map(Err),
    };
    let plain_fuel = match plain.outcome {
        super::AttemptOutcome::Passed { fuel } => fuel,
        super::AttemptOutcome::Failed { class, message } => {
            return Ok(Err(format!(
                "the plain solution and the workload do not fit: {class}: {message}"
            )));
        }
    };
    let code = BuildInput::Source {
        path_shown: "plain.rs".to_owned(),
        text: written.plain.as_str().into(),
    };
    let inputs = survey.inputs(ORACLE_INPUTS.0, ORACLE_INPUTS.1);
    let plain = [SurveyedPrototype::new(PLAIN, code)];
    let oracle = match survey.test_oracle_with(&plain, &inputs).await {
        Ok(test) => test,
        Err(error) => return of_model(error).map(Err),
    };
    if let Some(wrong) = weakness(&oracle, &survey) {
        return Ok(Err(wrong));
    }
    Ok(Ok(Draft {
        survey,
        files,
        oracle,
        plain_fuel,
    }))
}

/// Reads a draft as the experiment that it will be, and builds all but its approaches.
async fn opened(files: &[DraftFile], host: &HostOptions) -> Result<Survey, RunError> {
    let machine =
        |error: std::io::Error| RunError::Machine(format!("cannot write a draft: {error}"));
    let folder = Scratch::new().map_err(machine)?;
    for file in files {
        write(folder.work(), file).map_err(machine)?;
    }
    let mut loaded = bakeoff_config::load(folder.work())?;
    host.policy.apply_to(&mut loaded)?;
    Survey::open(&loaded, host, &mut |_| {}).await
}

fn write(folder: &Path, file: &DraftFile) -> std::io::Result<()> {
    let path = folder.join(&file.name);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, &file.text)
}

/// Returns the message of an error that the model's files caused.
///
/// # Errors
/// The error has another cause.
fn of_model(error: RunError) -> Result<String, DraftError> {
    match error {
        RunError::Config(error) => Ok(format!("{error}")),
        RunError::Workload { .. } | RunError::WorkloadRun { .. } => Ok(error.to_string()),
        other => Err(DraftError::Run(other)),
    }
}

/// Returns the message for the model if the oracle or the inputs are too weak to be used.
fn weakness(test: &OracleTest, survey: &Survey) -> Option<String> {
    let mut wrong = Vec::new();
    let share = test.accepted_share().unwrap_or(0.0);
    if test.belief != Belief::Tested || share >= ACCEPTED_SHARE_MAX || !test.holes().is_empty() {
        wrong.push(test.sentence());
        wrong.extend(test.contradictions.iter().map(|found| found.what.clone()));
        let not_accepted = test.not_accepted.iter();
        wrong.extend(not_accepted.map(|found| format!("{}: {}", found.approach, found.reason)));
        let examples = test.accepted.iter().take(4);
        wrong.extend(
            examples.map(|found| format!("`check` accepts {} for {}", found.changed, found.answer)),
        );
    }
    let notes = test.inputs.iter().map(|note| note.sentence(survey.cases()));
    wrong.extend(notes.map(|note| format!("inputs: {note}")));
    (!wrong.is_empty()).then(|| wrong.join("\n"))
}

/// The files of an experiment with the plain solution alone.
fn files(
    options: &ExploreOptions,
    interface: &WrittenInterface,
    workload: &WrittenWorkload,
) -> Vec<DraftFile> {
    let file = |name: &str, text: &str| DraftFile {
        name: name.to_owned(),
        text: format!("{}\n", text.trim_end()),
    };
    let quoted = bakeoff_config::quoted;
    let sizes: Vec<String> = workload.sizes.iter().map(u32::to_string).collect();
    let plain = format!("{APPROACHES}/{PLAIN}.rs");
    let new = &options.experiment;
    let comment = new.comment.iter().map(|line| format!("# {line}\n"));
    let experiment = format!(
        "name = {}\nproblem = {}\n\n[interface]\nwit = \"wit\"\ncall = {}\n\n[workload]\nsource = \"workload.rs\"\n\
         sizes = [{}]\n\n{}{}{}{}[[approach]]\nname = \"{PLAIN}\"\n\
         description = \"The plain solution that the workload was tried with.\"\nsource = \"{plain}\"\n",
        quoted(&new.name),
        quoted(&options.statement),
        quoted(&interface.call),
        sizes.join(", "),
        bakeoff_config::limits_text(&new.limits),
        bakeoff_config::measure_text(&new.measure),
        comment.collect::<String>(),
        bakeoff_config::criteria_text(&new.criteria),
    );
    vec![
        file(&format!("wit/{WIT_FILE}"), &interface.wit),
        file("workload.rs", &workload.source),
        file(&plain, &workload.plain),
        file(bakeoff_config::FILE_NAME, &experiment),
    ]
}

fn subject(what: &str, attempt: u32) -> String {
    match attempt {
        0 => what.to_owned(),
        number => format!("{what}, repair {number}"),
    }
}

/// Returns the part of a prompt with the example of an earlier experiment; empty without one.
fn example(options: &ExploreOptions) -> String {
    options.like.as_ref().map_or_else(String::new, |example| {
        format!(
            "\nAn earlier experiment of whoever asks, on another problem:\n{}\nWrite in its style of types, inputs and \
             checks where that fits; what it is about is not wanted here.\n",
            data(example)
        )
    })
}

fn interface_request(
    options: &ExploreOptions,
    attempt: u32,
    last: Option<&(WrittenInterface, String)>,
) -> Request {
    let again = last.map_or_else(String::new, |(written, wrong)| {
        format!(
            "\nThis was written:\n{}\n\nIt cannot be used:\n{}\n",
            data(&written.wit),
            data(wrong)
        )
    });
    let example = example(options);
    Request {
        purpose: Purpose::Interface,
        subject: subject("interface", attempt),
        system: SYSTEM.to_owned(),
        prompt: format!(
            "The problem:\n{}\n{example}\nWrite its interface in WIT: one package with two worlds. World `prototype` exports \
             the one function that solves it, with plain data (no resources) as parameters and result. World \
             `workload` exports `generate: func(size: u32, seed: u64)`, which returns the arguments of one call (a \
             tuple of them if there are several, else the argument itself), and `check`, with the same parameters \
             as the function, its result as the last parameter `answer`, and the result `result<_, string>`. For \
             example:\n{}\n`call` is the name of the function.\n{again}",
            data(&options.told),
            data(
                "package example:top-k;\nworld prototype { export top-k: func(values: list<s64>, k: u32) -> list<s64>; }\n\
                 world workload {\n  export generate: func(size: u32, seed: u64) -> tuple<list<s64>, u32>;\n  \
                 export check: func(values: list<s64>, k: u32, answer: list<s64>) -> result<_, string>;\n}"
            )
        ),
        schema: json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["wit", "call"],
            "properties": {
                "wit": {"type": "string", "description": "the whole file", "minLength": 1, "maxLength": WIT_BYTES_MAX},
                "call": {"type": "string", "description": "the name of the function", "minLength": 1, "maxLength": 100}
            }
        }),
        output_tokens_max: 4_096,
    }
}

fn workload_request(
    options: &ExploreOptions,
    interface: &WrittenInterface,
    attempt: u32,
    last: Option<&(WrittenWorkload, String)>,
) -> Request {
    let function = parsed(interface).map(|parsed| rust_form(parsed.call()));
    let again = last.map_or_else(String::new, |(written, wrong)| {
        format!(
            "\nThis workload was written:\n{}\n\nWith this plain solution:\n{}\n\nThey cannot be used:\n{}\n",
            data(&written.source),
            data(&written.plain),
            data(wrong)
        )
    });
    let example = example(options);
    Request {
        purpose: Purpose::Workload,
        subject: subject("workload", attempt),
        system: SYSTEM.to_owned(),
        prompt: format!(
            "The problem:\n{}\n\nIts interface, in WIT:\n{}\n\nThe function, in Rust:\n{}\n{example}\nWrite three things.\n\
             - `source`: a Rust file with the public functions `generate` and `check` of world `workload`. \
             `generate` draws an input of that size from its seed alone, with `crate::bakeoff::Rng` (`Rng::new(seed)`, \
             `u64()`, `u32()`, `below(bound: u64) -> u64`, `between(low: i64, high: i64) -> i64` with both ends, \
             `f64()` from 0 to 1): inputs of another seed differ, and edge cases come now and then. `check` returns \
             an error for every wrong answer and `Ok(())` for every right one, whatever form it has; it decides by a \
             way of its own, keeps nothing between calls, and does not panic.\n\
             - `sizes`: one to four sizes for `generate`, ascending, at which a good solution takes from 100 \
             microseconds to 50 milliseconds.\n\
             - `plain`: a Rust file with the public function, solved in the plainest way that is surely right, and \
             within a second on the largest size.\n\
             Both files: the standard library alone, edition 2024, no `main`. Records, variants, enums and flags of \
             the interface are in `crate::types`. Their answers will be changed a little, and `check` must refuse \
             what is wrong then.\n{again}",
            data(&options.told),
            data(&interface.wit),
            data(&function.unwrap_or_default()),
        ),
        schema: workload_schema(),
        output_tokens_max: 16_384,
    }
}

fn workload_schema() -> Value {
    let source = |about: &str| json!({"type": "string", "description": about, "minLength": 1, "maxLength": SOURCE_BYTES_MAX});
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["source", "sizes", "plain"],
        "properties": {
            "source": source("the whole file of the workload"),
            "sizes": {
                "type": "array",
                "minItems": 1,
                "maxItems": 4,
                "items": {"type": "integer", "minimum": 1, "maximum": SIZE_MAX}
            },
            "plain": source("the whole file of the plain solution")
        }
    })
}
