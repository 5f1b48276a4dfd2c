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
    let file = results.join("report.json");
    let whole = fs::read(&file).unwrap();
    let kept = in_file(&results);
    let (said, shown) = report(dir);
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    assert_eq!(shown, kept);

    let mut altered = kept.clone();
    altered["verdicts"][0]["verdict"] = "tie".into();
    altered["verdicts"][0]["ratio"] = 1.into();
    fs::write(&file, altered.to_string()).unwrap();
    let (said, shown) = report(dir);
    assert_eq!((said.status, &shown), (1, &kept));
    let ratio = &kept["verdicts"][0]["ratio"];
    for words in [
        "report.json is not what follows from the samples",
        &pair(&kept, 0),
        "it says [\"tie\",1",
        &format!(
            "the samples say [{},{ratio}",
            kept["verdicts"][0]["verdict"]
        ),
    ] {
        assert!(
            said.stderr.contains(words),
            "no `{words}` in {}",
            said.stderr
        );
    }
    assert!(!said.stderr.contains("in the database"), "{}", said.stderr);
    let weighed = ["report", dir, "--weight", "memory=3", "--format", "json"];
    let of_altered = run_bakeoff(&weighed);
    fs::write(&file, &whole).unwrap();
    let mut of_altered = of_altered.json();
    let notes = of_altered["notes"].as_array_mut().unwrap();
    let said = notes.remove(0);
    assert!(
        said.as_str()
            .unwrap()
            .starts_with("report.json is not what follows")
    );
    assert_eq!(run_bakeoff(&weighed).json(), of_altered);

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
    assert!(!said.stderr.contains("report.json"), "{}", said.stderr);
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
fn what_cannot_be_worked_out_again_is_shown_as_it_was_kept_and_said() {
    let finished = CASES.copy();
    let (dir, results) = (finished.dir(), finished.results("planted-cases"));
    // Whether there is an answer in so little time depends on the machine.
    let has_answer = report(dir).0.status != 1;
    let database = results.join("bakeoff.db");
    alter(
        &results,
        "UPDATE run SET report = json_set(report, '$.recommendation.winner', 'reversed')",
    );
    fs::remove_file(results.join("report.json")).unwrap();
    let altered = fs::read(&database).unwrap();
    for (sql, why) in [
        (
            "UPDATE run SET bakeoff = '0.0.1'",
            "bakeoff 0.0.1 made it, and by the rules of this one",
        ),
        (
            "UPDATE run SET status = 'interrupted'",
            "run 1 went on after this report was made",
        ),
        (
            "UPDATE result SET value = '{}' WHERE kind = 'pilot'",
            "cannot be understood",
        ),
        (
            "UPDATE result SET value = json_set(value, '$.sampling.aside', json('[70]'))
             WHERE kind = 'pilot'",
            "its pilot speaks of variants",
        ),
        (
            "UPDATE result SET value = json_set(value, '$.failure', json('{\"class\": \"trap\",
             \"message\": \"\", \"phase\": \"check\", \"limit\": null}'))
             WHERE kind = 'gate' AND id = (SELECT result FROM reliance WHERE kind = 'gate'
             AND variant = 'select')",
            "other variants would have raced",
        ),
    ] {
        alter(&results, sql);
        let (said, shown) = report(dir);
        assert_eq!(shown["recommendation"]["winner"], "reversed", "{sql}");
        let words = "shown as it was kept, not worked out again from the samples";
        for words in [words, why] {
            assert!(said.explains(words), "no `{words}` in {}", said.stderr);
        }
        // What should follow and does not is no answer, and nothing is picked from it.
        let is_explained = sql.contains("SET bakeoff") || sql.contains("SET status");
        assert_eq!(said.status == 1, !(is_explained && has_answer), "{sql}");
        let picked = run_bakeoff(&["pick", dir]);
        let is_refused = picked.explains("nothing is picked: the report does not follow");
        assert_eq!(is_refused, !is_explained, "{sql}: {}", picked.stderr);
        for (format, mark) in [("html", "role=\"note\""), ("md", "> "), ("json", "notes")] {
            let text = run_bakeoff(&["report", dir, "--format", format]).stdout;
            assert!(
                text.contains(mark) && text.contains("not worked out again"),
                "{format}"
            );
        }
        fs::write(&database, &altered).unwrap();
    }
    let (said, shown) = report(dir);
    assert_eq!(said.status, 1, "{}", said.stderr);
    assert_ne!(shown["recommendation"]["winner"], "reversed");
}

#[test]
fn case_165_a_report_beside_the_results_that_is_none_of_theirs() {
    let finished = CASES.copy();
    let (dir, results) = (finished.dir(), finished.results("planted-cases"));
    let file = results.join("report.json");
    let kept = fs::read_to_string(&file).unwrap();
    let (said, _) = report(dir);
    assert!(said.stderr.is_empty(), "{}", said.stderr);
    // Of another machine, with another winner, so that no figure is held against it; and no report at all.
    let mut other: Value = serde_json::from_str(&kept).unwrap();
    other["environment"]["cpu"] = "another".into();
    other["recommendation"]["winner"] = "reversed".into();
    let forged = other.to_string();
    for (text, why) in [
        (&*forged, "is of no run that they have, and is not shown"),
        (
            "{\"schema_version\": 1}",
            "cannot be read as a report, and is not shown",
        ),
    ] {
        fs::write(&file, text).unwrap();
        let (said, shown) = report(dir);
        assert_ne!(shown["recommendation"]["winner"], "reversed");
        assert!(said.explains(why), "{}", said.stderr);
        assert_eq!(said.status, 1);
    }
    fs::remove_file(&file).unwrap();
    let (said, _) = report(dir);
    assert!(said.stderr.is_empty(), "{}", said.stderr);
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
fn a_file_alone_is_shown_as_it_says() {
    let finished = CASES.copy();
    let results = finished.results("planted-cases");
    let sent = finished.path("sent.json");
    let mut altered = in_file(&results);
    altered["recommendation"]["winner"] = "sort".into();
    fs::write(&sent, altered.to_string()).unwrap();
    let (said, shown) = report(sent.to_str().unwrap());
    assert_eq!(shown["recommendation"]["winner"], "sort");
    assert!(said.explains("as the file says"), "{}", said.stderr);
}
