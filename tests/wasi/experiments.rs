//! Whole experiments with components that import WASI, by the built binary, behind its fences.

use super::components::{
    clocks, exits, hoards, imports, linked, looks_around, one_more, plain, random_bytes, reads,
    sleeps, workload, writes,
};
use crate::support::{run_bakeoff, run_experiment, variant};
use std::fs;

const ANSWER: &str = "(i64.extend_i32_u (local.get 0))";

/// An experiment's folder: these components, and one case that the argument itself answers.
pub(super) fn experiment(
    expect: u64,
    components: &[(&str, Vec<u8>)],
    more: &str,
) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write(
        "api.wit",
        b"package example:wasi; world prototype { export solve: func(n: u32) -> u64; }",
    );
    let case = format!("[[case]]\ncall = \"solve(7)\"\nexpect = \"{expect}\"\n");
    write("cases.toml", case.as_bytes());
    let mut text = "name = \"wasi\"\nproblem = \"Answer.\"\n\
         [interface]\nwit = \"api.wit\"\ncall = \"solve\"\n\
         [workload]\ncases = \"cases.toml\"\n"
        .to_owned();
    text += more;
    for (name, component) in components {
        write(&format!("{name}.wasm"), component);
        text += &format!("[[approach]]\nname = \"{name}\"\ncomponent = \"{name}.wasm\"\n");
    }
    write("bakeoff.toml", text.as_bytes());
    folder
}

fn path(folder: &tempfile::TempDir) -> &str {
    folder.path().to_str().unwrap()
}

fn failure<'a>(report: &'a serde_json::Value, id: &str) -> (&'a str, &'a str) {
    let failure = &variant(report, id)["failure"];
    (
        failure["class"].as_str().unwrap_or("none"),
        failure["message"].as_str().unwrap_or_default(),
    )
}

#[test]
fn who_wants_more_than_there_is_fails_alone_and_by_name() {
    let all = [
        ("plain", plain()),
        ("talks", writes(100, 3, "", ANSWER)),
        ("naps", sleeps(1_000)),
        ("sleeps-forever", sleeps(u64::MAX)),
        ("floods", writes(4096, u64::MAX, "", ANSWER)),
        ("floods-with-nothing", writes(0, u64::MAX, "", ANSWER)),
        ("exits", exits()),
        ("hoards", hoards(2_000)),
        ("random-flood", random_bytes(50 << 20)),
        ("clock-flood", clocks(u64::MAX)),
        ("sockets", imports("wasi:sockets/tcp@0.2.0")),
        ("http", imports("wasi:http/types@0.2.0")),
        ("future", imports("wasi:cli/run@0.3.0")),
        ("exit-of-the-future", imports("wasi:cli/exit@0.3.0")),
    ];
    let folder = experiment(
        7,
        &all,
        "[limits]\noutput = \"1 MiB\"\n[measure]\nbudget = \"20 s\"\n",
    );
    let (said, report, _out) = run_experiment(path(&folder), &[]);
    for id in ["plain", "talks", "naps"] {
        assert!(
            variant(&report, id)["failure"].is_null(),
            "{id}: {}",
            said.stdout
        );
    }
    for (id, class) in [
        ("sleeps-forever", "wall-limit"),
        ("floods", "output-limit"),
        ("floods-with-nothing", "host-limit"),
        ("exits", "exited"),
        ("hoards", "host-limit"),
        ("random-flood", "host-limit"),
        ("clock-flood", "host-limit"),
        ("sockets", "forbidden-import"),
        ("http", "forbidden-import"),
        ("future", "forbidden-import"),
        ("exit-of-the-future", "forbidden-import"),
    ] {
        let (found, message) = failure(&report, id);
        assert_eq!(found, class, "{id}: {message}");
    }
    assert!(
        failure(&report, "sockets")
            .1
            .contains("`wasi:sockets/tcp@0.2.0`: there is no network")
    );
    assert!(
        failure(&report, "exit-of-the-future")
            .1
            .contains("another version of WASI")
    );
    // What they tried is said of each.
    let tried = |id: &str| variant(&report, id)["attempts"][0]["what"].clone();
    assert_eq!(tried("exits"), "exit");
    assert_eq!(tried("floods"), "output-flood");
    assert!(
        report["notes"]
            .to_string()
            .contains("exits tried to end its process (once")
    );
    assert!(variant(&report, "plain")["attempts"].is_null());
    assert_eq!(variant(&report, "naps")["imports"][0], "wasi:io/poll@0.2.0");
}

#[test]
fn the_world_is_empty_also_behind_the_fence() {
    let folder = experiment(
        0,
        &[("looks", looks_around())],
        "[measure]\nbudget = \"1 s\"\n",
    );
    let (_, report, _out) = run_experiment(path(&folder), &[]);
    assert_eq!(failure(&report, "looks"), ("none", ""));
}

#[test]
fn what_a_prototype_of_source_imports_is_still_nothing() {
    let (_, report, _out) = run_experiment("tests/planted/cases", &[]);
    for one in report["variants"].as_array().unwrap() {
        assert!(one["imports"].is_null(), "{one}");
    }
}

#[test]
fn granted_files_reach_a_component_and_leave_nothing_behind() {
    let readers = [
        ("reads", reads("inner/b", 0, 1)),
        ("escapes", reads("../api.wit", 0, 1)),
    ];
    let folder = experiment(7, &readers, "[measure]\nbudget = \"1 s\"\n");
    fs::create_dir_all(folder.path().join("fixtures/inner")).unwrap();
    fs::write(folder.path().join("fixtures/inner/b"), [1, 2, 4]).unwrap();
    let file = folder.path().join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    let grant = "component = \"reads.wasm\"\ngrant = { files = { \"/data\" = \"fixtures\" } }";
    let text = text.replace("component = \"reads.wasm\"", grant);
    let grant = "component = \"escapes.wasm\"\ngrant = { files = { \"/data\" = \"fixtures\" } }";
    fs::write(&file, text.replace("component = \"escapes.wasm\"", grant)).unwrap();
    let out = tempfile::tempdir().unwrap();
    let kept = out.path().to_str().unwrap();
    let run = || run_bakeoff(&["run", path(&folder), "--format", "json", "--out", kept]).json();
    let report = run();
    assert_eq!(failure(&report, "reads"), ("none", ""), "{report:#}");
    let (class, message) = failure(&report, "escapes");
    assert_eq!(class, "wrong-answer", "{message}");
    assert!(message.contains("1031"), "{message}");
    assert_eq!(
        variant(&report, "escapes")["attempts"][0]["example"],
        "../api.wit"
    );

    let changed = || {
        let events = fs::read_to_string(out.path().join("events.jsonl")).unwrap();
        let lines = events
            .lines()
            .filter(|line| line.contains("bakeoff:input:changed"));
        lines.map(str::to_owned).collect::<Vec<String>>()
    };
    run();
    assert_eq!(changed(), [""; 0], "nothing changed");

    // Other contents are another result: nothing that was found out before counts.
    fs::write(folder.path().join("fixtures/inner/b"), [1, 2, 5]).unwrap();
    assert_eq!(failure(&run(), "reads").0, "wrong-answer");
    let said = changed().join("\n");
    assert!(
        said.contains("\"variant_id\":\"reads\",\"stage\":\"check\""),
        "{said}"
    );
}

#[test]
fn a_workload_that_is_a_component_gets_the_same_world() {
    let both = [("plain", plain()), ("wrong", one_more())];
    let folder = experiment(7, &both, "[measure]\nbudget = \"1 s\"\n");
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("workload.wasm", &workload());
    write(
        "api.wit",
        b"package example:wasi;
world prototype { export solve: func(n: u32) -> u64; }
world workload {
  export generate: func(size: u32, seed: u64) -> u32;
  export check: func(n: u32, answer: u64) -> result<_, string>;
}",
    );
    let file = folder.path().join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    let own = "component = \"workload.wasm\"\nsizes = [1]";
    fs::write(&file, text.replace("cases = \"cases.toml\"", own)).unwrap();
    let (_, report, _out) = run_experiment(path(&folder), &[]);
    assert_eq!(failure(&report, "plain"), ("none", ""));
    let (class, message) = failure(&report, "wrong");
    assert_eq!((class, message), ("wrong-answer", "another number"));
}

#[test]
fn a_component_without_lines_is_warned_of_before_anything_is_built() {
    let criteria = "[measure]\nbudget = \"200 ms\"\n\
         [[criterion]]\nname = \"memory\"\nfrom = \"peak-memory\"\n\
         [[criterion]]\nname = \"simplicity\"\nfrom = \"source-lines\"\n";
    let folder = experiment(7, &[("plain", plain())], criteria);
    let file = folder.path().join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    let approach = "[[approach]]\nname = \"written\"\nsource = \"written.rs\"\n";
    fs::write(&file, text + approach).unwrap();
    let source = "pub fn solve(n: u32) -> u64 {\n    n.into()\n}\n";
    fs::write(folder.path().join("written.rs"), source).unwrap();
    let said = run_bakeoff(&["run", path(&folder), "--format", "json"]);
    let warning = said.stderr.find("plain: a component has no source");
    let building = said.stderr.find("building");
    assert!(warning.is_some() && warning < building, "{}", said.stderr);
    let report = said.json();
    assert_eq!(variant(&report, "written")["rank"], 1);
    assert_eq!(variant(&report, "plain")["status"], "unranked");
    let reason = variant(&report, "plain")["reason"]
        .as_str()
        .unwrap_or_default();
    assert!(
        reason.contains("no reading of source-lines: a component has no source"),
        "{reason}"
    );
}

#[test]
fn a_component_linked_from_many_modules_runs() {
    // A collection of Python packages has 246 native extensions, beside some twenty libraries.
    let all = [("many", linked(280)), ("too-many", linked(511))];
    let folder = experiment(287, &all, "[measure]\nbudget = \"1 s\"\n");
    let (_, report, _out) = run_experiment(path(&folder), &[]);
    let many = variant(&report, "many");
    assert!(many["failure"].is_null(), "{many:#}");
    assert!(
        many["readings"]["fuel"]["value"].as_f64() > Some(280.0),
        "{many:#}"
    );
    assert_eq!(failure(&report, "too-many").0, "load-compile-limit");
}
