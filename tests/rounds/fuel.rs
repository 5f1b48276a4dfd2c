//! Fuel by function: who is told of it, and what it says.

use super::Valley;
use crate::mock_model::Mock;
use crate::support::{CommandOutput, bakeoff, run_bakeoff, variant};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Nearly all of its work is in `relax`, from line 9 to line 15, which is inlined in `total`.
const HOT: &str = "pub fn total(values: Vec<u32>) -> u64 {
    let mut sum = 0_u64;
    for round in 0..20 {
        sum = sum.wrapping_add(relax(&values, round));
    }
    sum.wrapping_add(odd(&values))
}

fn relax(values: &[u32], round: u64) -> u64 {
    let mut sum = 0_u64;
    for value in values {
        sum = sum.rotate_left(3) ^ (u64::from(*value) * 31 + round);
    }
    sum
}

fn odd(values: &[u32]) -> u64 {
    values.iter().map(|value| u64::from(*value) & 1).sum()
}
";

const WORKLOAD: &str = "use crate::bakeoff::Rng;
pub fn generate(size: u32, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    (0..size).map(|_| rng.below(1_000) as u32).collect()
}
pub fn check(values: Vec<u32>, answer: u64) -> Result<(), String> {
    let mut sum = values.iter().map(|value| u64::from(*value) & 1).sum::<u64>();
    for round in 0..20 {
        let turn = |sum: u64, value: &u32| sum.rotate_left(3) ^ (u64::from(*value) * 31 + round);
        sum = sum.wrapping_add(values.iter().fold(0, turn));
    }
    if sum == answer { Ok(()) } else { Err(format!(\"it is {sum}\")) }
}
";

/// An experiment whose approaches are these files; `more` is the rest of its file.
fn experiment(approaches: &[(&str, &str)], more: &str) -> TempDir {
    let inputs = ("size: u32, seed: u64", "sizes = [30, 400]");
    with_inputs(inputs, WORKLOAD, approaches, more)
}

fn with_inputs(
    (generate, cases): (&str, &str),
    workload: &str,
    approaches: &[(&str, &str)],
    more: &str,
) -> TempDir {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    let wit = format!(
        "package fuel:test;
        world prototype {{ export total: func(values: list<u32>) -> u64; }}
        world workload {{
            export generate: func({generate}) -> list<u32>;
            export check: func(values: list<u32>, answer: u64) -> result<_, string>;
        }}"
    );
    fs::write(at("problem.wit"), wit).unwrap();
    fs::write(at("workload.rs"), workload).unwrap();
    let mut text = format!(
        "name = \"total\"\nproblem = \"Add up.\"\n\
         interface = {{ wit = \"problem.wit\", call = \"total\" }}\n\
         workload = {{ source = \"workload.rs\", {cases} }}\n{more}"
    );
    for (file, source) in approaches {
        let (name, end) = file.rsplit_once('.').unwrap();
        let (kind, bytes) = match end {
            "wat" => ("component", wat::parse_str(source).unwrap()),
            _ => ("source", source.as_bytes().to_vec()),
        };
        fs::write(at(file), bytes).unwrap();
        text += &format!("[[approach]]\nname = \"{name}\"\n{kind} = \"{file}\"\n");
    }
    fs::write(at("bakeoff.toml"), text).unwrap();
    folder
}

/// A search whose candidates a model writes, without a race of times.
const ROUNDS: &str = "[generate]\nprovider = \"openai\"\nmodel = \"m\"\ntokens = 1_000_000\napproaches = 0\n\
    [rounds]\npropose = [\"model\"]\ncount = 2\nwidth = 1\npatience = 9\n\
    [[criterion]]\nname = \"work\"\nfrom = \"fuel\"\n";

fn run(folder: &Path, address: &str, more: &[&str]) -> CommandOutput {
    let words = [
        "run",
        folder.to_str().unwrap(),
        "--generate",
        "--base-url",
        address,
        "--format=json",
    ];
    let output = bakeoff(&[&words, more].concat()).output().unwrap();
    let output = CommandOutput::from(output);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    output
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn checked(folder: &Path) -> Vec<Value> {
    let words = ["check", folder.to_str().unwrap(), "--fuel", "--format=json"];
    let output = run_bakeoff(&words);
    let said: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}{}", output.stdout, output.stderr);
    });
    said["fuel_by_function"].as_array().unwrap().clone()
}

#[test]
fn a_model_is_told_in_which_functions_the_fuel_goes() {
    let folder = experiment(&[("hot.rs", HOT)], ROUNDS);
    let (mock, address) = Mock::start(Vec::new());
    {
        let mut mock = mock.lock().unwrap();
        mock.left = usize::MAX;
        // Twenty rounds become one less, with the last one behind them: another program of the same answers.
        let better = HOT.replace("0..20 {", "0..19 {").replace(
            "    sum.wrapping_add(odd",
            "    sum = sum.wrapping_add(relax(&values, 19));\n    sum.wrapping_add(odd",
        );
        let replies = [better, HOT.replace("rotate_left(3)", "rotate_right(61)")];
        let first = std::sync::atomic::AtomicUsize::new(0);
        mock.answer = Some(std::sync::Arc::new(move |_: &str| {
            let place = first.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            json!({"change": "other", "source": replies[place.min(1)]}).to_string()
        }));
    }
    let first = run(folder.path(), &address, &["--rounds=1"]);
    assert!(
        first.stderr.contains("counting fuel by function: hot"),
        "{}",
        first.stderr
    );
    let asked = in_one_line(&mock.lock().unwrap().asked[0]);
    let words =
        "\"fuel_by_function\": [ { \"function\": \"relax\", \"lines\": [ 9, 15 ], \"share\": 0.";
    assert!(asked.contains(words), "{asked}");
    assert!(asked.contains("\"function\": \"odd\""), "{asked}");
    assert!(
        asked.contains("shares of the functions of a source"),
        "{asked}"
    );

    // What was counted is kept, and told again.
    let record = folder.path().join(".bakeoff/total/rounds/rounds.json");
    let record = fs::read_to_string(record).unwrap();
    assert!(record.contains("\"fuel_by_function\""), "{record}");
    let second = run(folder.path(), &address, &["--rounds=2"]);
    let counting = |line: &&str| line.contains("counting fuel by function");
    let counting: Vec<&str> = second.stderr.lines().filter(counting).collect();
    let is_known = |line: &&str| !line.ends_with(": hot") && !line.contains("hot,");
    assert!(counting.iter().all(is_known), "{counting:?}");
    let asked = mock.lock().unwrap().asked.clone();
    assert_eq!(asked.len(), 2, "{}", second.stderr);
    assert!(in_one_line(&asked[1]).contains(words), "{}", asked[1]);
}

#[test]
fn a_search_that_asks_nobody_counts_no_fuel_by_function() {
    let valley = Valley::new();
    valley.change("count = 30", "count = 2");
    let output = valley.run(&["run"]);
    assert!(output.ended_a_run(), "{}", output.stderr);
    assert!(output.stderr.contains("round 2: "), "{}", output.stderr);
    assert!(
        !output.stderr.contains("counting fuel"),
        "{}",
        output.stderr
    );
    let record = fs::read_to_string(valley.record()).unwrap();
    assert!(!record.contains("fuel_by_function"), "{record}");
}

/// A proposer that says what it is told of fuel.
const TELLS: &str = r#"
use crate::bakeoff::{Error, Proposal, Task};

pub fn propose(task: &Task) -> Result<Vec<Proposal>, Error> {
    let own = task.known[0].source().unwrap_or_default().to_owned();
    let readings = task.outcomes.iter().flat_map(|one| &one.readings);
    let fuel = readings.filter(|one| one.source.starts_with("fuel:"));
    let told: Vec<String> = fuel.map(|one| format!("{} is {}", one.source, one.value > 0.01)).collect();
    Ok(vec![Proposal::new("told", &(own + "// more")).about(told.join(", "))])
}
"#;

#[test]
fn a_proposer_is_told_shares_as_readings() {
    let valley = Valley::fixed();
    fs::write(valley.0.path().join("tells.rs"), TELLS).unwrap();
    valley.change("count = 30", "count = 1");
    valley.change(
        "propose = [\"mutate\"]",
        "propose = [\"component\"]\nproposer = \"tells.rs\"",
    );
    let report = valley.report(&["run"]);
    let change = &report["rounds"]["lineage"][1]["change"];
    let told = change.as_str().unwrap();
    assert!(told.contains("fuel:place:1-5 is true"), "{report:#}");
}

/// A component that copies its input, and adds it up in a loop; `more` are further parts of it.
fn adding_component(more: &str) -> String {
    format!(
        "(component
          (core module $m
            (memory (export \"memory\") 1)
            (func (export \"cabi_realloc\") (param i32 i32 i32 i32) (result i32) i32.const 1024)
            (func (export \"none\") (result i32) i32.const 0)
            (func (export \"f\") (param $at i32) (param $len i32) (result i64) (local $sum i64)
              i32.const 16384 local.get $at local.get $len memory.copy
              block
                local.get $len i32.eqz br_if 0
                loop
                  local.get $sum local.get $at i64.load32_u i64.add local.set $sum
                  local.get $at i32.const 4 i32.add local.set $at
                  local.get $len i32.const 1 i32.sub local.tee $len
                  br_if 0
                end
              end
              local.get $sum))
          (core instance $i (instantiate $m))
          (alias core export $i \"f\" (core func $f))
          (alias core export $i \"none\" (core func $none))
          (alias core export $i \"memory\" (core memory $memory))
          (alias core export $i \"cabi_realloc\" (core func $realloc))
          (func $lifted (param \"values\" (list u32)) (result u64)
            (canon lift (core func $f) (memory $memory) (realloc $realloc)))
          (export \"total\" (func $lifted)) {more})"
    )
}

const SUM_WORKLOAD: &str = "pub fn generate(name: String) -> Vec<u32> {
    (0..400).map(|one| one * name.len() as u32).collect()
}
pub fn check(values: Vec<u32>, answer: u64) -> Result<(), String> {
    let sum: u64 = values.iter().map(|value| u64::from(*value)).sum();
    if sum == answer { Ok(()) } else { Err(format!(\"it is {sum}\")) }
}
";

#[test]
fn the_sum_of_all_is_the_fuel_that_the_engine_counts() {
    let sorts = "pub fn total(values: Vec<u32>) -> u64 {
    let mut copy = values.clone();
    copy.sort_by(|a, b| b.cmp(a));
    let text: Vec<String> = copy.iter().map(|value| format!(\"{value}\")).collect();
    text.iter().map(|one| one.parse::<u64>().unwrap()).sum()
}
";
    let component = adding_component("");
    let approaches = [("sorts.rs", sorts), ("brought.wat", &component)];
    let criterion = "[[criterion]]\nname = \"work\"\nfrom = \"fuel\"\n";
    let inputs = ("name: string", "instances = [\"seven\"]");
    let folder = with_inputs(inputs, SUM_WORKLOAD, &approaches, criterion);
    let counted = checked(folder.path());
    let words = ["run", folder.path().to_str().unwrap(), "--format=json"];
    let report = run_bakeoff(&words).json();
    for (place, name) in ["sorts", "brought"].into_iter().enumerate() {
        let fuel = &variant(&report, name)["readings"]["fuel"]["value"];
        let one = &counted[place];
        assert_eq!(
            one["fuel"].as_f64(),
            fuel.as_f64().map(f64::round),
            "{name}: {one} {fuel}"
        );
    }
    // A component that was brought has no functions of a source.
    assert_eq!(counted[1]["functions"], json!([]));
    let output = run_bakeoff(&["check", folder.path().to_str().unwrap(), "--fuel"]);
    assert!(
        output.stdout.contains("the component has no source"),
        "{}",
        output.stdout
    );
}

/// What a source calls its functions, and how many it has, is told as it is, and bounded; what fails only where fuel is
/// counted has no functions, and all else goes on.
#[test]
fn case_281_names_of_functions_are_data_and_a_failed_count_breaks_nothing() {
    let many: String = (0..3_000)
        .map(|one| format!("#[inline(never)] fn f{one}(x: u64) -> u64 {{ x ^ {one} }}\n"))
        .collect();
    let calls: String = (0..3_000)
        .map(|one| format!("sum ^= f{one}(sum); sum ^= {one};"))
        .collect();
    let long = "o".repeat(2_000);
    let odd = format!(
        "pub fn total(values: Vec<u32>) -> u64 {{ größe_関数{long}(&values) }}
#[inline(never)] fn größe_関数{long}(values: &[u32]) -> u64 {{
    let mut sum = 0; for value in values {{ sum += u64::from(*value); }} sum
}}"
    );
    let many = format!(
        "pub fn total(values: Vec<u32>) -> u64 {{
    let mut sum = 1; {calls}
    std::hint::black_box(sum);
    values.iter().map(|value| u64::from(*value)).sum()
}}
{many}"
    );
    // It exports counters of its own, which the count cannot have beside its own.
    let own = adding_component(
        "(func $counters (result (list u8)) (canon lift (core func $none) (memory $memory)))
         (export \"bakeoff-fuel-m0\" (func $counters))",
    );
    let approaches = [("odd.rs", &*odd), ("many.rs", &*many), ("own.wat", &*own)];
    let inputs = ("name: string", "instances = [\"seven\"]");
    let folder = with_inputs(inputs, SUM_WORKLOAD, &approaches, "");
    let counted = checked(folder.path());
    let name = counted[0]["functions"][0]["function"].as_str().unwrap();
    assert!(
        name.starts_with("größe_関数oo") && name.chars().count() == 100,
        "{name}"
    );
    assert!(counted[1]["fuel"].as_u64().unwrap() > 0, "{}", counted[1]);
    assert!(
        counted[1]["functions"].as_array().unwrap().len() <= 8,
        "{}",
        counted[1]
    );
    assert!(counted[2]["failure"].is_object(), "{}", counted[2]);
    assert_eq!(counted[2]["functions"], json!([]));
}

#[test]
fn functions_have_shares_and_people_are_shown_where_it_goes() {
    let copies = HOT.replace(
        "sum.wrapping_add(odd(&values))",
        "sum.wrapping_add(odd(&values.clone()))",
    );
    let folder = experiment(&[("hot.rs", HOT), ("copies.rs", &copies)], "");
    let counted = checked(folder.path());
    for (place, name) in ["hot", "copies"].into_iter().enumerate() {
        let one = &counted[place];
        assert_eq!(one["approach"], name, "{one}");
        let first = &one["functions"][0];
        assert_eq!(
            (&first["function"], &first["lines"]),
            (&"relax".into(), &json!([9, 15])),
            "{one}"
        );
        assert!(first["share"].as_f64().unwrap() > 0.5, "{one}");
        let shares = one["functions"].as_array().unwrap().iter();
        let sum: f64 = shares.map(|one| one["share"].as_f64().unwrap()).sum();
        assert!((0.9..=1.01).contains(&sum), "{one}");
    }
    let output = run_bakeoff(&["check", folder.path().to_str().unwrap(), "--fuel"]);
    let said = in_one_line(&output.stdout);
    assert!(
        said.contains("Fuel by function, which counts instructions and no time:"),
        "{said}"
    );
    assert!(said.contains(" % in relax (lines 9–15), "), "{said}");
    // It is about approaches on their inputs.
    let file = folder.path().join("hot.rs");
    let output = run_bakeoff(&["check", file.to_str().unwrap(), "--fuel"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.explains("name its folder"), "{}", output.stderr);
}
