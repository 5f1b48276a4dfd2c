//! Finished runs, verified where they are and as bundles elsewhere; bundles that somebody made up.

mod bundles;
mod failures;
mod forged;
mod recorded;
mod reported;

use crate::finished::{FinishedRun, NO_ORACLE, PLANTED, TOP_K, copy_experiment};
use crate::support::{CommandOutput, bakeoff, root, run_bakeoff};
use bakeoff_source::content_address;
use serde_json::Value;
use std::fs;

fn verify(of: &str) -> (CommandOutput, Value) {
    let said = run_bakeoff(&["verify", of, "--quiet", "--format", "json"]);
    assert!([0, 1].contains(&said.status), "{}", said.stderr);
    let value = said.json();
    (said, value)
}

/// Figures of a status, as `about: figure`.
fn figures(verification: &Value, status: &str) -> Vec<String> {
    let figures = verification["figures"].as_array().unwrap();
    let of = figures.iter().filter(|figure| figure["status"] == status);
    let name = |figure: &Value| {
        let text = |key: &str| figure[key].as_str().unwrap().to_owned();
        format!("{}: {}", text("about"), text("figure"))
    };
    of.map(name).collect()
}

#[test]
fn a_run_of_every_kind_of_prototype_is_reproduced_to_the_last_figure() {
    let finished = PLANTED.copy();
    let (said, verification) = verify(finished.dir());
    assert_eq!(figures(&verification, "differs"), Vec::<String>::new());
    assert_eq!(said.status, 0);
    let reproduced = figures(&verification, "reproduced");
    for figure in [
        "inputs: workload",
        "good: component",
        "good: fuel, case 16000",
        "good: reading time",
        "panics: check",
        "does-not-compile: component",
        "endless-loop: check",
        "report: winner",
    ] {
        assert!(
            reproduced.iter().any(|found| found == figure),
            "no {figure} in {reproduced:#?}"
        );
    }
    assert!(
        reproduced
            .iter()
            .any(|found| found.starts_with("verdicts: "))
    );
    let skipped = figures(&verification, "not-repeated");
    assert_eq!(skipped, ["race: samples"], "times are another moment's");
}

#[test]
fn what_was_tampered_with_differs_by_name() {
    let finished = TOP_K.copy();
    let database = finished.path(".bakeoff/top-k/bakeoff.db");
    let whole = fs::read(&database).unwrap();
    let (said, _) = verify(finished.dir());
    assert_eq!(said.status, 0);
    for (sql, expected) in [
        (
            "UPDATE result SET value = json_set(value, '$.cases[0].fuel', 12345) \
             WHERE kind = 'gate' AND id = (SELECT result FROM reliance WHERE kind = 'gate' \
             AND variant = 'heap')",
            "heap: fuel, case 16000",
        ),
        (
            "UPDATE run SET report = json_set(report, '$.verdicts[0].ratio', 0.001)",
            "verdicts: ",
        ),
        (
            "UPDATE sample SET cpu_ns = cpu_ns * 3 WHERE entrant = 0",
            "reading time",
        ),
        (
            "UPDATE run SET report = json_set(report, '$.recommendation.winner', 'sort')",
            "report: winner",
        ),
    ] {
        let db = rusqlite::Connection::open(&database).unwrap();
        assert!(db.execute(sql, []).unwrap() > 0, "{sql}");
        drop(db);
        let (said, verification) = verify(finished.dir());
        let differ = figures(&verification, "differs");
        assert_eq!(said.status, 1, "{sql}");
        assert!(
            differ.iter().any(|figure| figure.contains(expected)),
            "no {expected} in {differ:#?}"
        );
        let text = run_bakeoff(&["verify", finished.dir(), "--quiet"]);
        assert_eq!(text.status, 1);
        assert!(text.stdout.contains("DIFFERS"), "{}", text.stdout);
        fs::write(&database, &whole).unwrap();
    }
}

#[test]
fn what_was_measured_is_verified_packed_shown_and_picked_whatever_the_file_is_now() {
    let finished = TOP_K.copy();
    let source = finished.path("approaches/heap.rs");
    let measured = fs::read_to_string(&source).unwrap();
    let unchanged = pick(&finished, &[]);
    assert_eq!(unchanged.stdout.trim_end(), source.to_str().unwrap());
    assert_eq!(unchanged.stderr, "");
    fs::write(&source, format!("{measured}// edited-since\n")).unwrap();

    let (said, verification) = verify(finished.dir());
    assert_eq!(figures(&verification, "differs"), Vec::<String>::new());
    assert_eq!(said.status, 0);
    let bundle = finished.pack();
    let (said, _) = verify(bundle.to_str().unwrap());
    assert_eq!(said.status, 0);
    for format in ["md", "html"] {
        let report = run_bakeoff(&["report", finished.dir(), "--format", format]);
        assert!(report.stdout.contains("pub fn top_k"), "{format}");
        assert!(!report.stdout.contains("edited-since"), "{format}");
    }

    let picked = pick(&finished, &[]);
    assert!(picked.explains("is not what was measured any more"));
    let kept = fs::read_to_string(picked.stdout.trim_end()).unwrap();
    assert_eq!(kept, measured);
    let json = pick(&finished, &["--format", "json"]).json();
    assert_eq!(json["changed"], true);
    assert_eq!(json["sha256"], content_address(measured.as_bytes()));
    let copy = finished.path("copy.rs");
    let copied = pick(&finished, &["--copy", copy.to_str().unwrap()]);
    assert_eq!(copied.status, 0, "{}", copied.stderr);
    assert_eq!(fs::read_to_string(&copy).unwrap(), measured);
    fs::remove_file(&source).unwrap();
    assert!(pick(&finished, &[]).explains("is not what was measured any more"));

    // What was kept is no better than its digest.
    let content = finished.results("top-k").join("contents");
    let content = content.join(content_address(measured.as_bytes()));
    fs::write(content, "pub fn top_k() {}").unwrap();
    let tampered = pick(
        &finished,
        &["--copy", finished.path("x.rs").to_str().unwrap()],
    );
    assert_ne!(tampered.status, 0);
    assert!(!finished.path("x.rs").exists());
    let verified = run_bakeoff(&["verify", finished.dir(), "--quiet"]);
    assert_ne!(verified.status, 0, "{}", verified.stdout);
}

fn pick(finished: &FinishedRun, more: &[&str]) -> CommandOutput {
    run_bakeoff(&[&["pick", finished.dir()], more].concat())
}

/// Whoever sends results may put other code beside the component that ran.
#[test]
fn code_that_its_build_was_not_made_from_is_not_handed_out() {
    let finished = TOP_K.copy();
    let results = finished.results("top-k");
    let evil = "pub fn top_k(_: Vec<i64>, _: u32) -> Vec<i64> { Vec::new() }\n";
    let address = content_address(evil.as_bytes());
    fs::write(results.join("contents").join(&address), evil).unwrap();
    let db = rusqlite::Connection::open(results.join("bakeoff.db")).unwrap();
    db.execute("UPDATE iteration SET source = ?1", [&address])
        .unwrap();
    drop(db);
    let copy = finished.path("copy.rs");
    let picked = pick(&finished, &["--copy", copy.to_str().unwrap()]);
    assert_eq!(picked.status, 2, "{}", picked.stderr);
    assert!(picked.explains("is not what its build was made from"));
    assert!(!copy.exists());
    assert_eq!(pick(&finished, &[]).status, 2);
    let verified = run_bakeoff(&["verify", finished.dir()]);
    assert!(verified.explains("is not what its build was made from"));
    assert_ne!(verified.status, 0);
    let report = run_bakeoff(&["report", finished.dir(), "--format", "md"]);
    assert!(!report.stdout.contains("Vec::new() }"), "{}", report.stdout);
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_refused_at_once() {
    for name in ["report.json", "bakeoff.db", "lock"] {
        let finished = TOP_K.copy();
        let path = finished.results("top-k").join(name);
        fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        for command in ["report", "verify"] {
            let said = run_bakeoff(&[command, finished.dir()]);
            assert!(said.explains("not a plain file"), "{}", said.stderr);
        }
    }
}

#[test]
fn what_is_not_finished_or_not_there_is_refused_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    for command in ["verify", "pack"] {
        let nothing = run_bakeoff(&[command, dir]);
        assert_eq!(nothing.status, 2, "{}", nothing.stderr);
        assert!(
            nothing.explains("run the experiment first"),
            "{}",
            nothing.stderr
        );
        let format = run_bakeoff(&[command, dir, "--format", "html"]);
        assert_eq!(format.status, 2);
        assert!(format.explains("human or json"), "{}", format.stderr);
    }
    copy_experiment(&root().join("examples/top-k"), folder.path());
    let unrun = run_bakeoff(&["verify", dir]);
    assert_eq!(unrun.status, 2, "{}", unrun.stderr);
    assert!(unrun.explains("run the experiment first"));
}

/// The code is like that of no other run, so that nothing of it is in the build cache.
#[test]
fn prototypes_of_the_same_code_are_one_build() {
    let (finished, _) = FinishedRun::of_changed("tests/planted/cases", |folder| {
        let file = folder.join("approaches/sort.rs");
        let code = fs::read_to_string(&file).unwrap();
        let code = format!("{code}\n// {}\n", folder.display());
        fs::write(file, &code).unwrap();
        fs::write(folder.join("approaches/again.rs"), code).unwrap();
        let file = folder.join("bakeoff.toml");
        let experiment = fs::read_to_string(&file).unwrap();
        let twin = "[[approach]]\nname = \"again\"\nsource = \"approaches/again.rs\"\n";
        fs::write(file, format!("{experiment}\n{twin}")).unwrap();
    });
    let (said, verification) = verify(finished.dir());
    assert_eq!(figures(&verification, "differs"), Vec::<String>::new());
    assert_eq!(said.status, 0);
    let reproduced = figures(&verification, "reproduced");
    for figure in ["sort: reading build-time", "again: reading build-time"] {
        assert!(
            reproduced.iter().any(|found| found == figure),
            "no {figure} in {reproduced:#?}"
        );
    }
}

#[test]
fn a_server_of_workers_is_used_where_an_option_names_it_and_not_where_the_policy_does() {
    let finished = NO_ORACLE.copy();
    let policy = finished.path("policy.toml");
    let server = "nats://127.0.0.1:1";
    fs::write(&policy, format!("[workers]\nnats = \"{server}\"\n")).unwrap();
    let verified = |more: &[&str]| {
        let words = [&["verify", finished.dir(), "--quiet"], more].concat();
        let mut command = bakeoff(&words);
        CommandOutput::from(command.env("BAKEOFF_POLICY", &policy).output().unwrap())
    };
    let by_policy = verified(&[]);
    assert_eq!(by_policy.status, 0, "{}", by_policy.stderr);
    let named = verified(&["--workers", server]);
    assert_eq!(named.status, 5, "{}", named.stderr);
    assert!(
        named.explains(&format!("no server of workers answers at {server}")),
        "{}",
        named.stderr
    );
}
