//! Evaluators that a user brings: from the experiment file to the matrix.

mod cargo_project;
mod refused;

use crate::support::{CommandOutput, bakeoff, run_bakeoff, run_experiment, variant};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const WIT: &str = "package evaluators:test;
world prototype { export total: func(values: list<u32>) -> u64; }
world workload {
  export generate: func(size: u32, seed: u64) -> list<u32>;
  export check: func(values: list<u32>, answer: u64) -> result<_, string>;
}
";

/// An answer may be too large, so that there is something to evaluate.
const WORKLOAD: &str = "use crate::bakeoff::Rng;
pub fn generate(size: u32, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    (0..size).map(|_| rng.below(1_000) as u32).collect()
}
pub fn check(values: Vec<u32>, answer: u64) -> Result<(), String> {
    let total: u64 = values.into_iter().map(u64::from).sum();
    if answer >= total { Ok(()) } else { Err(format!(\"less than {total}\")) }
}
";

const EXACT: &str = "pub fn total(values: Vec<u32>) -> u64 {
    let mut total = 0;
    for value in values { total += u64::from(value); }
    total
}
";

const ROUGH: &str = "pub fn total(values: Vec<u32>) -> u64 {
    let total: u64 = values.iter().map(|value| u64::from(*value)).sum();
    if total % 3 == 0 { total + 7 } else { total + 2 }
}
";

/// How often a word is in the source, and by how much each answer is too large.
const EVALUATOR: &str = r#"#![forbid(unsafe_code)]
use crate::bakeoff::{Criterion, Error, Evidence, Reading, numbers};

pub fn describe() -> Vec<Criterion> {
    vec![
        Criterion::lower_is_better("loops", "Loops in the source.").unit("loops").range(0.0, 10.0).needs_source(),
        Criterion::lower_is_better("excess", "How much too large.").range(0.0, 10.0).per_answer(),
        Criterion::lower_is_better("slowest", "The longest sample.").unit("ns").needs_samples(),
        Criterion::lower_is_better("size", "Of the component.").unit("bytes"),
    ]
}

pub fn evaluate(evidence: &dyn Evidence) -> Result<Vec<Reading>, Error> {
    assert_eq!(evidence.cases(), ["40", "80"]);
    let size = Reading::new("size", evidence.component_size() as f64);
    let mut readings = vec![size.note(format!("it is {}", evidence.variant_name()))];
    if let Ok(text) = evidence.whole_source() {
        let loops = text.matches("for value").count();
        readings.push(Reading::new("loops", loops as f64).interval(loops as f64, 9.0));
    }
    let samples = (0..2).flat_map(|case| evidence.samples(case));
    let slowest = samples.map(|sample| sample.duration / u64::from(sample.calls)).max();
    readings.extend(slowest.map(|ns| Reading::new("slowest", ns as f64)));
    for number in 0..evidence.answer_count() {
        let answer = evidence.read_answer(number)?;
        let total: f64 = numbers(&answer.arguments[0]).iter().sum();
        let given = numbers(&answer.answer.unwrap_or_default())[0];
        readings.push(Reading::of_answer("excess", number, given - total));
    }
    Ok(readings)
}
"#;

/// The sections for the evaluator in `evaluator.rs`.
const MINE: &str = "[[evaluator]]
name = \"mine\"
source = \"evaluator.rs\"
";

/// A criterion from a source.
fn criterion(name: &str, from: &str, more: &str) -> String {
    format!("[[criterion]]\nname = \"{name}\"\nweight = 0.5\nfrom = \"{from}\"\n{more}\n")
}

/// An experiment of two approaches in a folder, with these lines at its end.
pub(crate) fn experiment(sections: &str, files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("total.wit", WIT.as_bytes());
    write("workload.rs", WORKLOAD.as_bytes());
    write("exact.rs", EXACT.as_bytes());
    write("rough.rs", ROUGH.as_bytes());
    for (name, bytes) in files {
        write(name, bytes);
    }
    let text = format!(
        "name = \"total\"\nproblem = \"Add numbers.\"
interface = {{ wit = \"total.wit\", call = \"total\" }}
workload = {{ source = \"workload.rs\", sizes = [40, 80] }}
measure = {{ precision = 0.5, budget = \"60 s\" }}
limits = {{ fuel = 1_000_000_000, memory = \"64 MiB\" }}
[[approach]]\nname = \"exact\"\nsource = \"exact.rs\"
[[approach]]\nname = \"rough\"\nsource = \"rough.rs\"
[[criterion]]\nname = \"performance\"\nfrom = \"time\"
{sections}"
    );
    write("bakeoff.toml", text.as_bytes());
    folder
}

pub(crate) fn run(folder: &TempDir) -> (CommandOutput, Value, TempDir) {
    let (output, report, results) = run_experiment(folder.path().to_str().unwrap(), &[]);
    assert!(output.ended_a_run(), "{}", output.stderr);
    (output, report, results)
}

/// Refused before anything is measured: exit 2, and no results.
pub(crate) fn refusal(folder: &TempDir) -> CommandOutput {
    let out = folder.path().join("results");
    let out = out.to_str().unwrap();
    let output = run_bakeoff(&["run", folder.path().to_str().unwrap(), "--out", out]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    let variants = Path::new(out).join("variants");
    assert!(!variants.exists(), "something was built");
    output
}

/// Bytes with some in the place of others of the same length, everywhere.
pub(crate) fn replaced(mut bytes: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut places = 0;
    while let Some(place) = bytes
        .windows(from.len())
        .position(|at| at == from.as_bytes())
    {
        bytes[place..place + to.len()].copy_from_slice(to.as_bytes());
        places += 1;
    }
    assert!(places > 0, "there is no {from}");
    bytes
}

fn reading<'a>(report: &'a Value, id: &str, source: &str) -> &'a Value {
    &variant(report, id)["readings"][format!("evaluator:mine.{source}")]
}

#[test]
fn an_evaluator_in_one_rust_file_counts_in_the_matrix_and_is_kept_verified_and_weighed_anew() {
    let sections = MINE.to_owned()
        + &criterion("simplicity", "evaluator:loops", "range = [0, 5]")
        + &criterion("excess", "evaluator:mine.excess", "")
        + &criterion("tail", "evaluator:slowest", "")
        + &criterion("size", "evaluator:size", "");
    let folder = experiment(&sections, &[("evaluator.rs", EVALUATOR.as_bytes())]);
    let (_, report, results) = run(&folder);
    let loops = reading(&report, "exact", "loops");
    assert_eq!(
        (&loops["value"], &loops["unit"]),
        (&1.0.into(), &"loops".into())
    );
    assert_eq!(loops["high"], 9.0);
    assert_eq!(reading(&report, "rough", "loops")["value"], 0.0);
    assert_eq!(
        variant(&report, "exact")["scores"]["simplicity"]["value"],
        8.0
    );
    assert_eq!(reading(&report, "exact", "excess")["value"], 0.0);
    let excess = reading(&report, "rough", "excess");
    assert!(
        (2.0..7.0).contains(&excess["value"].as_f64().unwrap()),
        "{excess}"
    );
    assert_eq!(excess["by_case"].as_array().unwrap().len(), 2);
    assert!(
        reading(&report, "rough", "slowest")["value"]
            .as_f64()
            .unwrap()
            > 0.0
    );
    assert_eq!(reading(&report, "rough", "size")["note"], "it is rough");
    // Two constants apart on every input: a claim, with the range that the evaluator declares.
    let rows = &report["reading_verdicts"]["evaluator:mine.excess"];
    let row = &rows[0];
    assert_eq!(
        (&row["a"], &row["verdict"]),
        (&"exact".into(), &"beats".into())
    );
    assert_eq!(row["claim"], "mean-difference");
    assert!(report["reading_verdicts"]["evaluator:mine.slowest"].is_null());
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("Nobody is surely ahead by tail: "),
        "{notes}"
    );

    let out = results.path().to_str().unwrap();
    let dir = folder.path().to_str().unwrap();
    // Nothing is done twice.
    let before = fs::read_to_string(results.path().join("events.jsonl")).unwrap();
    let again = bakeoff(&["run", dir, "--out", out, "--format", "json"])
        .output()
        .unwrap();
    let again = CommandOutput::from(again);
    let after = fs::read_to_string(results.path().join("events.jsonl")).unwrap();
    assert!(after.len() > before.len());
    assert_eq!(again.json()["variants"], report["variants"]);

    let verified = run_bakeoff(&["verify", out, "--format", "json"]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
    assert!(
        verified.stdout.contains("readings of evaluator mine"),
        "{}",
        verified.stdout
    );
    let weighed = run_bakeoff(&["report", out, "--weight", "excess=9", "--format", "json"]);
    assert_eq!(variant(&weighed.json(), "exact")["rank"], 1);
    let human = run_bakeoff(&["report", out]);
    assert!(human.stdout.contains("simplicity") && human.stdout.contains("it is rough"));
    let bundle = results.path().join("it.bakeoff");
    let bundle = bundle.to_str().unwrap();
    assert_eq!(run_bakeoff(&["pack", out, "--out", bundle]).status, 0);
    assert_eq!(run_bakeoff(&["verify", bundle]).status, 0);
}

/// Each evaluator does one thing that none should, and `good` stands.
const FAULTS: [(&str, &str, &str); 8] = [
    ("trap", "panic!(\"no idea\")", "no idea"),
    ("loop", "loop { std::hint::black_box(0); }", "fuel-limit"),
    (
        "memory",
        "vec![Reading::new(\"x\", vec![1_u8; 1 << 28].len() as f64)]",
        "memory-limit",
    ),
    ("nan", "vec![Reading::new(\"x\", f64::NAN)]", "NaN"),
    ("range", "vec![Reading::new(\"x\", 11.0)]", "from 0 to 10"),
    (
        "text",
        "vec![Reading::new(\"x\", 1.0).note(\"a\".repeat(10_000_000))]",
        "output-limit",
    ),
    (
        "none",
        "vec![Reading::new(\"y\", 1.0)]",
        "gave no reading of it",
    ),
    (
        "flood",
        "loop { std::hint::black_box(evidence.component_size()); }",
        "host-limit",
    ),
];

#[test]
fn case_95_evaluators_that_fail_or_lie_take_their_own_criterion_and_nothing_else() {
    let file = |act: &str| {
        format!(
            "use crate::bakeoff::{{Criterion, Error, Evidence, Reading}};
pub fn describe() -> Vec<Criterion> {{
    vec![Criterion::lower_is_better(\"x\", \"\").range(0.0, 10.0)]
}}
#[allow(unreachable_code)]
pub fn evaluate(evidence: &dyn Evidence) -> Result<Vec<Reading>, Error> {{
    let _ = evidence;
    Ok({act})
}}
"
        )
    };
    let mut texts = vec![("good.rs".to_owned(), file("vec![Reading::new(\"x\", 4.0)]"))];
    texts.extend(FAULTS.map(|(name, act, _)| (format!("{name}.rs"), file(act))));
    let mut sections = criterion("good", "evaluator:good.x", "");
    for (name, _) in &texts {
        let name = name.trim_end_matches(".rs");
        sections += &format!("[[evaluator]]\nname = \"{name}\"\nsource = \"{name}.rs\"\n");
    }
    sections += "[[criterion]]\nname = \"lie\"\nweight = 0\nfrom = \"evaluator:nan.x\"\n";
    let files: Vec<(&str, &[u8])> = texts
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_bytes()))
        .collect();
    let folder = experiment(&sections, &files);
    let (output, report, _results) = run(&folder);
    for id in ["exact", "rough"] {
        let one = variant(&report, id);
        assert_eq!(one["status"], "ranked", "{one:#}");
        assert_eq!(one["readings"]["evaluator:good.x"]["value"], 4.0);
        for (name, _, why) in FAULTS {
            let source = format!("evaluator:{name}.x");
            assert!(one["readings"][&source].is_null(), "{name}");
            let reason = one["missing_readings"][&source]
                .as_str()
                .unwrap_or_default();
            assert!(reason.contains(why), "{name}: {reason}");
        }
    }
    assert!(report.to_string().len() < 200_000);
    assert!(!output.stderr.contains("aaaaaaaaaa"));
}

#[test]
fn what_init_writes_works_as_it_is_and_in_a_folder_that_has_an_experiment() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("question");
    let dir = dir.to_str().unwrap();
    assert_eq!(
        run_bakeoff(&["init", dir, "--evaluator", "panics"]).status,
        0
    );
    let second = run_bakeoff(&["init", dir, "--evaluator", "branches"]);
    assert_eq!(second.status, 0, "{}", second.stderr);
    let file = Path::new(dir).join("bakeoff.toml");
    let (_, lines) = second.stdout.split_once("run it:\n\n").unwrap();
    let (lines, _) = lines.rsplit_once("\n\n  bakeoff run").unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replacen("[measure]", "[measure]\nprecision = 0.5", 1);
    fs::write(&file, format!("{text}\n{lines}\n")).unwrap();
    let (output, report, _results) = run_experiment(dir, &[]);
    assert!(output.ended_a_run(), "{}", output.stderr);
    for id in ["sort", "table"] {
        let readings = &variant(&report, id)["readings"];
        assert!(!readings["evaluator:panics.unwraps"].is_null());
        let branches = readings["evaluator:branches.branches"]["value"]
            .as_f64()
            .unwrap();
        assert!((1.0..20.0).contains(&branches), "{id}: {branches}");
    }
    // Every world of which sources are built can be built alone.
    for (world, file) in [
        ("evaluator", "evaluators/panics.rs"),
        ("workload", "workload.rs"),
    ] {
        let file = Path::new(dir).join(file);
        let (file, wit) = (file.to_str().unwrap(), Path::new(dir).join("wit"));
        let wit = wit.to_str().unwrap();
        let arguments = ["build", file, "--world", world, "--wit", wit, "--call"];
        let built = run_bakeoff(&[&arguments[..], &["count-distinct"]].concat());
        assert_eq!(built.status, 0, "{world}: {}", built.stderr);
    }
    let again = run_bakeoff(&["init", dir, "--evaluator", "panics"]);
    assert_eq!(again.status, 2, "nothing is overwritten");
    assert_eq!(run_bakeoff(&["init", dir, "--evaluator", "../x"]).status, 2);
}

/// Of more variants than race, those that an evaluator finds good are chosen, and not those that do the least.
#[test]
fn what_an_evaluator_says_of_answers_counts_in_the_screening_of_a_sweep() {
    let evaluator = r#"#![forbid(unsafe_code)]
use crate::bakeoff::{Criterion, Error, Evidence, Reading, numbers};

pub fn describe() -> Vec<Criterion> {
    vec![Criterion::lower_is_better("excess", "How much too large.").range(0.0, 1000.0).per_answer()]
}

pub fn evaluate(evidence: &dyn Evidence) -> Result<Vec<Reading>, Error> {
    (0..evidence.answer_count())
        .map(|number| {
            let answer = evidence.read_answer(number)?;
            let total: f64 = numbers(&answer.arguments[0]).iter().sum();
            let given = numbers(&answer.answer.unwrap_or_default())[0];
            Ok(Reading::of_answer("excess", number, given - total))
        })
        .collect()
}
"#;
    let source = "pub fn total(values: Vec<u32>) -> u64 {
    let rounds: u64 = crate::bakeoff::param::get(\"rounds\");
    let mut total = 0;
    for _ in 0..=rounds {
        total = values.iter().map(|value| u64::from(std::hint::black_box(*value))).sum();
    }
    total + rounds.abs_diff(40) * 10
}
";
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("wit")).unwrap();
    write("wit/total.wit", WIT);
    write("workload.rs", WORKLOAD);
    write("excess.rs", evaluator);
    write("total.rs", source);
    write(
        "bakeoff.toml",
        "name = \"sweep\"\nproblem = \"?\"\ninterface = { wit = \"wit\", call = \"total\" }\n\
         workload = { source = \"workload.rs\", sizes = [500] }\nmeasure = { budget = \"300 ms\" }\n\
         criterion = [{ name = \"excess\", from = \"evaluator:excess\" }]\n\
         [[evaluator]]\nname = \"mine\"\nsource = \"excess.rs\"\n[[approach]]\nname = \"a\"\n\
         source = \"total.rs\"\nsweep = { rounds = { from = 0, to = 65, step = 1 } }\n",
    );
    let output = run_bakeoff(&["run", folder.path().to_str().unwrap(), "--format", "json"]);
    assert!(output.ended_a_run(), "{}", output.stderr);
    let report = output.json();
    let chosen = |one: &&Value| one["screening"]["chosen"] == true;
    let rounds = |one: &Value| one["parameters"]["rounds"].as_str().unwrap().parse::<u64>();
    let variants = report["variants"].as_array().unwrap().iter();
    let mut raced: Vec<u64> = variants
        .filter(chosen)
        .map(|one| rounds(one).unwrap())
        .collect();
    raced.sort_unstable();
    assert_eq!(raced, [36, 37, 38, 39, 40, 41, 42, 43]);
    let best = variant(&report, "a-rounds-40");
    assert_eq!(best["screening"]["place"], 1, "{best:#}");
    assert_eq!(best["screening"]["total"], 1.0);
}
