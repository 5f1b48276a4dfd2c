//! What prototypes try that are called in three parts: prepare, run and output.

use crate::finished::copy_experiment;
use crate::support::{root, run_experiment, variant, verdict};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::sync::LazyLock;

/// The example's quickest approach, after a change.
fn changed(from: &str, to: &str) -> String {
    let path = root().join("examples/index/approaches/sorted.rs");
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

const FIRST: &str = "#![forbid(unsafe_code)]\n";
/// What is done with time that nobody should see.
const WORK: &str =
    "std::hint::black_box((0..2_000_000_u64).fold(0, |sum, n| sum ^ std::hint::black_box(n)));";

/// Names and sources of those that are built.
fn sources() -> Vec<(&'static str, String)> {
    let with_drop = |body: &str| {
        let drop = format!("impl Drop for Index {{ fn drop(&mut self) {{ {body} }} }}");
        format!("{FIRST}{}\n{drop}\n", changed("//! Sort", "//! Sort"))
    };
    vec![
        ("honest", FIRST.to_owned() + &changed("//!", "//!")),
        ("panics-at-last", with_drop("panic!(\"nobody looks\")")),
        ("works-at-last", with_drop(WORK)),
        (
            "works-in-output",
            changed(
                "std::mem::take(&mut",
                &format!("{WORK} std::mem::take(&mut"),
            ),
        ),
        (
            "never-ends",
            changed("let keys = &self.keys;", "loop {} let keys = &self.keys;"),
        ),
        (
            "panics-in-run",
            changed(
                "let keys = &self.keys;",
                "let keys = &self.keys[..self.keys.len() + 1];",
            ),
        ),
        // What an earlier call prepared is there again only where instances are kept.
        (
            "keeps-what-was-prepared",
            changed(
                "keys.sort_unstable();",
                "keys.sort_unstable(); let keys = KEPT.get_or_init(|| keys).clone();",
            ) + "static KEPT: std::sync::OnceLock<Vec<u64>> = std::sync::OnceLock::new();\n",
        ),
    ]
}

/// A core module whose handle is another one than was made: `handle` leaves it on the stack.
fn module(handle: &str) -> Vec<u8> {
    let interface = "example:index/lookups";
    let text = format!(
        r#"(module
  (import "[export]{interface}" "[resource-new]index" (func $new (param i32) (result i32)))
  (import "[export]{interface}" "[resource-drop]index" (func $drop (param i32)))
  (memory (export "memory") 40)
  (global $top (mut i32) (i32.const 1024))
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (global.set $top (i32.and (i32.add (global.get $top) (i32.const 7)) (i32.const -8)))
    (global.get $top)
    (global.set $top (i32.add (global.get $top) (local.get 3))))
  (func (export "{interface}#[static]index.prepare") (param i32 i32 i32 i32) (result i32)
    (local $made i32)
    (local.set $made (call $new (i32.const 7)))
    {handle})
  (func (export "{interface}#[method]index.run") (param i32))
  (func (export "{interface}#[method]index.output") (param i32) (result i32) (i32.const 16)))"#
    );
    wat::parse_str(text).unwrap()
}

struct Batch(Value);

/// One run of all of them.
static BATCH: LazyLock<Batch> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    copy_experiment(&root().join("examples/index"), folder.path());
    let mut file = String::from(
        "name = \"sessions\"\nproblem = \"Prepare, run, output.\"\n\
         [interface]\nwit = \"wit\"\ncall = \"lookups.index\"\n\
         [workload]\nsource = \"workload.rs\"\nsizes = [400, 2_000]\n\
         [limits]\nfuel = 400_000_000\n\
         [measure]\nprecision = 0.5\nbudget = \"60 s\"\n\
         [[criterion]]\nname = \"performance\"\nweight = 1.0\nfrom = \"time\"\n",
    );
    let mut add = |name: &str, field: &str, path: &str, bytes: &[u8]| {
        let entry = format!("[[approach]]\nname = \"{name}\"\n{field} = \"approaches/{path}\"\n");
        let _ = file.write_str(&entry);
        fs::write(folder.path().join("approaches").join(path), bytes).unwrap();
    };
    for (name, text) in sources() {
        add(name, "source", &format!("{name}.rs"), text.as_bytes());
    }
    for (name, handle) in [
        (
            "gives-a-dropped-one",
            "(call $drop (local.get $made)) (local.get $made)",
        ),
        ("gives-one-never-made", "(i32.const 77)"),
    ] {
        add(name, "component", &format!("{name}.wasm"), &module(handle));
    }
    fs::write(folder.path().join("bakeoff.toml"), file).unwrap();
    let (output, report, _results) = run_experiment(folder.path().to_str().unwrap(), &[]);
    assert!(output.ended_a_run(), "{}", output.stderr);
    Batch(report)
});

impl Batch {
    fn assert_failed(&self, id: &str, class: &str, message: &str) {
        let failure = &variant(&self.0, id)["failure"];
        assert_eq!(failure["class"], class, "{id}: {failure:#}");
        let said = failure["message"].as_str().unwrap();
        assert!(said.contains(message), "{id}: {said}");
        self.assert_unharmed();
    }

    /// The honest one stands, and each of its parts was timed.
    fn assert_unharmed(&self) {
        let honest = variant(&self.0, "honest");
        assert_eq!(honest["failure"], Value::Null, "{honest:#}");
        for part in ["prepare-time", "run-time", "output-time"] {
            let reading = &honest["readings"][part];
            assert!(
                reading["value"].as_f64().unwrap() > 0.0,
                "{part}: {reading}"
            );
            assert_eq!(reading["by_case"].as_array().unwrap().len(), 2);
        }
    }

    fn share_of_output(&self, id: &str) -> f64 {
        let readings = &variant(&self.0, id)["readings"];
        let time = |part: &str| readings[part]["value"].as_f64().unwrap();
        let output = time("output-time");
        output / (time("prepare-time") + time("run-time") + output)
    }
}

#[test]
fn case_155_session_that_traps_while_it_is_freed() {
    BATCH.assert_failed("panics-at-last", "trap", "nobody looks");
}

#[test]
fn case_156_session_that_never_ends_or_panics_in_run() {
    BATCH.assert_failed("never-ends", "fuel-limit", "used up its fuel");
    BATCH.assert_failed("panics-in-run", "trap", "out of range");
}

#[test]
fn case_157_session_that_works_where_only_the_answer_is_asked_for() {
    for late in ["works-at-last", "works-in-output"] {
        assert_eq!(verdict(&BATCH.0, "honest", late), "beats", "{late}");
        let share = BATCH.share_of_output(late);
        assert!(share > 0.5, "{late}: {share}");
    }
    BATCH.assert_unharmed();
}

#[test]
fn case_158_session_that_answers_from_what_was_prepared_before() {
    BATCH.assert_failed("keeps-what-was-prepared", "wrong-answer", "keys are less");
}

#[test]
fn case_159_session_whose_handle_is_none() {
    for id in ["gives-a-dropped-one", "gives-one-never-made"] {
        BATCH.assert_failed(id, "trap", "handle");
    }
}
