//! Reports, shown again: worked out from the samples that are kept, and whatever says otherwise is
//! named. No toolchain is at hand, and nothing runs.

use crate::finished::{CASES, NO_ORACLE, PLANTED, TOP_K};
use crate::support::{CommandOutput, bakeoff};
use rusqlite::Connection;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A command where no compiler can be found.
fn run_bakeoff(arguments: &[&str]) -> CommandOutput {
    let mut command = bakeoff(arguments);
    command
        .env("PATH", "/nonexistent")
        .env("RUSTC", "/nonexistent/rustc");
    command.output().unwrap().into()
}

/// The report of a folder, as JSON.
/// What the command says, and the report without the notes that only repeat what is said on stderr.
fn report(dir: &str) -> (CommandOutput, Value) {
    let said = run_bakeoff(&["report", dir, "--format", "json"]);
    let mut report = said.json();
    let notes = report["notes"].as_array_mut().unwrap();
    notes.retain(|note| !said.stderr.lines().any(|line| line == note));
    (said, report)
}

fn database(results: &Path) -> Connection {
    Connection::open(results.join("bakeoff.db")).unwrap()
}

/// Alters the report in the database.
fn alter(results: &Path, sql: &str) {
    let db = database(results);
    assert_eq!(db.execute(sql, []).unwrap(), 1, "{sql}");
}

fn in_file(results: &Path) -> Value {
    serde_json::from_slice(&fs::read(results.join("report.json")).unwrap()).unwrap()
}

#[test]
fn what_is_shown_follows_from_the_samples_alone() {
    for (run, experiment) in [
        (&PLANTED, "planted"),
        (&NO_ORACLE, "planted-no-oracle"),
        (&CASES, "planted-cases"),
    ] {
        let finished = run.copy();
        let results = finished.results(experiment);
        let kept = in_file(&results);
        let (said, shown) = report(finished.dir());
        assert_eq!(said.stderr, "", "{experiment}");
        assert_eq!(shown, kept, "{experiment}");
        fs::remove_file(results.join("report.json")).unwrap();
        // Nothing of what is concluded is taken from the kept report.
        alter(
            &results,
            "UPDATE run SET report = json_set(report, '$.verdicts', json('[]'), '$.pareto',
             json('[]'), '$.recommendation.text', '', '$.replicas', NULL, '$.notes[#]', 'x')",
        );
        let (said, shown) = report(finished.dir());
        assert_eq!(said.status, 1, "{experiment}: {}", said.stderr);
        assert_eq!(shown, kept, "{experiment}");
    }
}

#[test]
fn verdicts_by_wall_time_are_claimed_only_where_a_criterion_uses_it() {
    let finished = CASES.copy();
    let pairs = |report: &Value| report["wall_verdicts"].as_array().map_or(0, Vec::len);
    let (_, without) = report(finished.dir());
    assert_eq!(pairs(&without), 0);
    alter(
        &finished.results("planted-cases"),
        "UPDATE run SET settings = json_set(settings, '$.criteria[0].source', 'Wall')",
    );
    let (_, with) = report(finished.dir());
    assert!(pairs(&with) > 0, "{with:#}");
    // The verdicts by time have half of α then: what was not rejected before is not rejected now. Where neighbours
    // decide, an interval is widened, which half of α may no longer find.
    let (with, without) = (&with["verdicts"][0], &without["verdicts"][0]);
    let end = |row: &Value| row["low"].as_f64().unwrap_or(0.0);
    let is_inverted = without
        .get("sign_inversion")
        .is_some_and(|one| !one.is_null());
    assert!(
        is_inverted || end(with) <= end(without),
        "{with:#}\n{without:#}"
    );
}

/// A pair of a report by its place.
fn pair(report: &Value, place: usize) -> String {
    let row = &report["verdicts"][place];
    let text = |key: &str| row[key].as_str().unwrap().to_owned();
    format!("{} against {}", text("a"), text("b"))
}

#[test]
fn a_report_that_says_otherwise_than_the_samples_is_named() {
    let finished = TOP_K.copy();
    let (dir, results) = (finished.dir(), finished.results("top-k"));
    let kept = in_file(&results);
    let (said, shown) = report(dir);
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    assert_eq!(shown, kept);
    alter(
        &results,
        "UPDATE run SET report = json_set(report, '$.verdicts[0].verdict', 'tie',
         '$.recommendation.winner', 'sort')",
    );
    let (said, shown) = report(dir);
    assert_eq!((said.status, &shown), (1, &kept));
    let words = "the report in the database is not what follows from the samples";
    assert!(said.stderr.contains(words), "{}", said.stderr);
    assert!(said.stderr.contains(&pair(&kept, 0)), "{}", said.stderr);
    assert!(said.stderr.contains("it says sort"), "{}", said.stderr);
    let ratio = &kept["verdicts"][0]["ratio"];
    let figure = format!("it says [\"tie\",{ratio}");
    assert!(said.stderr.contains(&figure), "{}", said.stderr);
    let run = format!("{dir}:1");
    let compared = run_bakeoff(&["compare", &run, dir, "--format", "json"]);
    assert_eq!(compared.status, 1, "{}", compared.stderr);
    assert!(compared.stderr.contains(words), "{}", compared.stderr);
    assert_eq!(
        compared.json()["winner"][0],
        kept["recommendation"]["winner"]
    );
    let picked = run_bakeoff(&["pick", dir]);
    assert!(!picked.stdout.contains("sort.rs"), "{}", picked.stdout);
    assert!(picked.stderr.contains(words), "{}", picked.stderr);

    // Its samples are what a report is held against, whatever else says the same.
    let db = database(&results);
    db.execute(
        "UPDATE sample SET cpu_ns = cpu_ns * 3 WHERE entrant = 0",
        [],
    )
    .unwrap();
    let (said, shown) = report(dir);
    assert_eq!(said.status, 1);
    assert_ne!(shown["verdicts"], kept["verdicts"]);
}

/// Names, weights, the protocol, the machine and sentences do not follow from samples, but from the run's own record.
#[test]
fn what_a_report_says_of_declarations_is_verified() {
    for (place, value) in [
        ("/variants/0/name", Value::from("other")),
        ("/variants/0/file", "other.rs".into()),
        ("/variants/0/description", "another one".into()),
        ("/criteria/0/weight", 0.001.into()),
        ("/protocol/confidence", 0.9999.into()),
        ("/environment/cpu", "another one".into()),
        ("/environment/confinement", "none".into()),
        ("/experiment/problem", "another one".into()),
        ("/recommendation/text", "Take sort.".into()),
    ] {
        let finished = TOP_K.copy();
        let results = finished.results("top-k");
        let kept = in_file(&results);
        let mut altered = kept.clone();
        *altered.pointer_mut(place).unwrap() = value;
        let sql = "UPDATE run SET report = ?1";
        let changed = database(&results).execute(sql, [altered.to_string()]);
        assert_eq!(changed.unwrap(), 1);
        let (said, shown) = report(finished.dir());
        assert_eq!((said.status, &shown), (1, &kept), "{place}");
        let words = "the report in the database is not what follows from the samples";
        assert!(said.stderr.contains(words), "{place}: {}", said.stderr);
    }
}

#[test]
fn where_no_report_follows_from_what_is_kept_the_error_says_why() {
    let finished = CASES.copy();
    let (dir, results) = (finished.dir(), finished.results("planted-cases"));
    let database = results.join("bakeoff.db");
    alter(
        &results,
        "UPDATE run SET report = json_set(report, '$.recommendation.winner', 'reversed')",
    );
    let altered = fs::read(&database).unwrap();
    for (sql, status, why) in [
        (
            "UPDATE result SET value = '{}' WHERE kind = 'pilot'",
            5,
            "cannot be understood",
        ),
        (
            "UPDATE run SET inputs = NULL",
            5,
            "the inputs of a run are missing",
        ),
        (
            "UPDATE result SET value = json_set(value, '$.sampling.aside', json('[70]'))
             WHERE kind = 'pilot'",
            2,
            "its pilot speaks of variants",
        ),
        (
            "UPDATE result SET value = json_set(value, '$.failure', json('{\"class\": \"trap\",
             \"message\": \"\", \"phase\": \"check\", \"limit\": null}'))
             WHERE kind = 'gate' AND id = (SELECT result FROM reliance WHERE kind = 'gate'
             AND variant = 'select')",
            2,
            "other variants would have raced",
        ),
    ] {
        alter(&results, sql);
        let both = format!("{dir}:1");
        for command in [
            &["report", dir][..],
            &["report", dir, "--format", "html"],
            &["pick", dir],
            &["compare", &both, dir],
        ] {
            let said = run_bakeoff(command);
            assert_eq!(said.status, status, "{command:?} {sql}: {}", said.stderr);
            assert_eq!(said.stdout, "", "{command:?} {sql}");
            assert!(said.explains(why), "no `{why}` in {}", said.stderr);
            assert!(said.explains("--fresh"), "{}", said.stderr);
        }
        let runs = run_bakeoff(&["runs", dir, "--format", "json"]);
        assert_eq!(runs.status, 1, "{sql}: {}", runs.stderr);
        assert!(runs.explains(why), "{}", runs.stderr);
        assert_eq!(runs.json()[0]["winner"], Value::Null, "{sql}");
        fs::write(&database, &altered).unwrap();
    }
    let (said, shown) = report(dir);
    assert_eq!(said.status, 1, "{}", said.stderr);
    assert_ne!(shown["recommendation"]["winner"], "reversed");
    let runs = run_bakeoff(&["runs", dir, "--format", "json"]);
    assert_eq!(runs.json()[0]["winner"], shown["recommendation"]["winner"]);
}

#[test]
fn what_another_version_concluded_otherwise_is_said_and_not_shown() {
    let finished = CASES.copy();
    let (dir, results) = (finished.dir(), finished.results("planted-cases"));
    let own = report(dir);
    alter(&results, "UPDATE run SET bakeoff = '0.0.1'");
    let (said, shown) = report(dir);
    let words = "bakeoff 0.0.1 made run 1, and by the rules of this one";
    assert!(!said.explains(words), "{}", said.stderr);
    assert_eq!(shown, own.1);
    alter(
        &results,
        "UPDATE run SET report = json_set(report, '$.recommendation.winner', 'reversed')",
    );
    let (said, shown) = report(dir);
    assert!(said.explains(words), "{}", said.stderr);
    assert_eq!((said.status, shown), (own.0.status, own.1));
}

#[test]
fn a_run_that_went_on_and_has_not_ended_has_the_report_from_before() {
    let finished = CASES.copy();
    let (dir, results) = (finished.dir(), finished.results("planted-cases"));
    let (own, kept) = report(dir);
    alter(&results, "UPDATE run SET status = 'interrupted'");
    let (said, shown) = report(dir);
    assert_eq!((said.status, shown), (own.status, kept));
    let words = "run 1 went on after this report was made, and has not ended";
    assert!(said.explains(words), "{}", said.stderr);
    for (format, mark) in [("html", "role=\"note\""), ("md", "> "), ("json", "notes")] {
        let text = run_bakeoff(&["report", dir, "--format", format]).stdout;
        assert!(text.contains(mark) && text.contains(words), "{format}");
    }
}

#[test]
fn case_165_a_report_beside_results_is_not_read() {
    let finished = CASES.copy();
    let (dir, results) = (finished.dir(), finished.results("planted-cases"));
    let file = results.join("report.json");
    let kept = fs::read_to_string(&file).unwrap();
    let commands: [&[&str]; 5] = [
        &["report", dir, "--format", "json"],
        &["report", dir, "--weight", "memory=3", "--format", "json"],
        &["pick", dir],
        &["runs", dir, "--format", "json"],
        &["compare", &format!("{dir}:1"), dir],
    ];
    let all = || commands.map(run_bakeoff);
    let before = all();
    let mut other: Value = serde_json::from_str(&kept).unwrap();
    other["recommendation"]["winner"] = "reversed".into();
    let of_this_run = other.to_string();
    other["environment"]["cpu"] = "another".into();
    for text in [
        &*of_this_run,
        &other.to_string(),
        "{\"schema_version\": 9}",
        "",
    ] {
        fs::write(&file, text).unwrap();
        for (was, is) in before.iter().zip(all()) {
            assert_eq!((was.status, &was.stdout), (is.status, &is.stdout));
            assert_eq!(was.stderr, is.stderr);
        }
    }
    // A pipe would be waited for, and a link followed: neither is opened.
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(all()[0].stdout, before[0].stdout);
    let verified = bakeoff(&["verify", dir, "--quiet"]).output().unwrap();
    assert_eq!(CommandOutput::from(verified).status, 0);
}

#[test]
fn a_run_rests_on_the_replicas_that_were_there_when_it_was_over() {
    let finished = TOP_K.copy();
    let (dir, results) = (finished.dir(), finished.results("top-k"));
    // A later run of the same race added the last replica.
    let (_, before) = report(dir);
    let db = database(&results);
    let last = "(SELECT max(id) FROM replica)";
    // Replicas finish in any order: the first number that none has.
    let next = "(SELECT min(number) + 1 FROM replica
                 WHERE number + 1 NOT IN (SELECT number FROM replica))";
    db.execute_batch(&format!(
        "INSERT INTO run (id, root, name, experiment_id, seed, bakeoff, started, updated, status,
             spent_ms, environment, settings)
         SELECT 2, root, name, 'other', seed, bakeoff, started, updated, 'interrupted',
             spent_ms, environment, settings FROM run WHERE id = 1;
         INSERT INTO replica SELECT 9999, race, {next}, solo, 2, at, core, started_s, seconds,
             preemptions, steal_ticks, load, contention_probe_ns, parts, core_contention FROM replica WHERE id = {last};
         INSERT INTO sample SELECT 9999, number, entrant, race_case, block, position, calls,
             cpu_ns * (1 + 8 * entrant), wall_ns FROM sample
             WHERE replica = (SELECT max(replica) FROM sample);
         INSERT INTO baseline SELECT 9999, race_case, cpu_ns, wall_ns FROM baseline
             WHERE replica = (SELECT max(replica) FROM baseline);
         INSERT INTO cold SELECT 9999, entrant, cpu_ns FROM cold
             WHERE replica = (SELECT max(replica) FROM cold);"
    ))
    .unwrap();
    bakeoff_store::seal_again(&results).unwrap();
    let (said, shown) = report(dir);
    assert_eq!((said.stderr.as_str(), &shown), ("", &before));
    db.execute("UPDATE replica SET run = 1", []).unwrap();
    let (said, shown) = report(dir);
    let words = "is not what follows from the samples";
    assert!(said.stderr.contains(words), "{}", said.stderr);
    assert_ne!(shown["verdicts"], before["verdicts"]);
}

#[test]
fn a_report_that_is_named_as_a_file_is_refused() {
    let finished = CASES.copy();
    let file = finished.results("planted-cases").join("report.json");
    let sent = finished.path("sent.json");
    fs::copy(&file, &sent).unwrap();
    for file in [&file, &sent] {
        for command in ["report", "pick", "runs", "status", "verify", "pack"] {
            let said = run_bakeoff(&[command, file.to_str().unwrap()]);
            assert_eq!(said.status, 2, "{command}: {}", said.stdout);
            assert_eq!(said.stdout, "", "{command}");
            for words in ["concluded from results", "name the folder of results"] {
                assert!(said.explains(words), "{command}: {}", said.stderr);
            }
        }
    }
}
