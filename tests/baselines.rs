//! A question over time: a component that is kept, runs beside each other, and times by way of what did not
//! change.

use crate::finished::{FinishedRun, TOP_K};
use crate::support::{CommandOutput, run_bakeoff};
use std::fs;

/// Does the work of `sort` several times over.
const SLOWER: &str = "pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {
    let mut sorted = values.clone();
    for _ in 0..4 {
        sorted.clone_from(std::hint::black_box(&values));
        sorted.sort_unstable();
    }
    sorted.reverse();
    sorted.truncate(k as usize);
    sorted
}
";

fn of(finished: &FinishedRun, command: &str, more: &[&str]) -> CommandOutput {
    run_bakeoff(&[&[command, finished.dir()][..], more].concat())
}

#[test]
fn a_baseline_stays_as_it_was_measured_when_its_source_changes() {
    let finished = TOP_K.copy();
    let kept = of(
        &finished,
        "baseline",
        &["heap", "--name", "v1", "--format", "json"],
    );
    assert_eq!(kept.status, 0, "{}", kept.stderr);
    let kept = kept.json();
    assert_eq!((&kept["id"], &kept["run"]), (&"heap".into(), &1.into()));
    let bytes = fs::read(finished.path("baselines/v1.wasm")).unwrap();
    let digest = bakeoff_source::content_address(&bytes);
    assert_eq!(kept["sha256"], digest);

    let again = of(&finished, "baseline", &["heap", "--name", "v1"]);
    assert_eq!(again.status, 2);
    assert!(
        again.explains("there is an approach `v1` already"),
        "{}",
        again.stderr
    );
    let unknown = of(&finished, "baseline", &["none", "--name", "v1"]);
    assert!(
        unknown.explains("measured were heap, sort"),
        "{}",
        unknown.stderr
    );

    fs::write(finished.path("approaches/heap.rs"), SLOWER).unwrap();
    let second = of(&finished, "run", &["--format", "json"]);
    let report = second.json();
    let heap_again = crate::support::verdict(&report, "heap", "v1");
    assert_eq!(heap_again, "beaten", "{}", second.stderr);

    over_time(&finished);
    other_questions(&finished);
}

fn over_time(finished: &FinishedRun) {
    let runs = of(finished, "runs", &[]);
    for said in ["run 1:", "run 2:", "not compared"] {
        assert!(runs.stdout.contains(said), "{said}: {}", runs.stdout);
    }
    let rows = of(finished, "runs", &["--format", "json"]).json();
    assert_eq!(rows[0]["verdicts"].as_array().unwrap().len(), 1);
    assert_eq!(rows[1]["verdicts"].as_array().unwrap().len(), 3);

    // On the page too, both as the run left it and as the command makes it; of the pair that both runs have.
    let page = of(finished, "report", &["--format", "html"]).stdout;
    let left = fs::read_to_string(finished.results("top-k").join("report.html")).unwrap();
    for page in [page, left] {
        assert!(page.contains("<h2>Runs of this question</h2>"));
        assert!(page.contains("heap ÷ sort"), "another pair");
        assert!(page.contains("<td>not compared</td>"));
    }

    let [first, second] = [1, 2].map(|run| format!("{}:{run}", finished.dir()));
    let compared = run_bakeoff(&["compare", &first, &second, "--format", "json"]).json();
    let times = &compared["times"]["comparable"];
    assert_eq!(times["anchors"], serde_json::json!(["sort"]), "{compared}");
    assert_eq!(times["confidence"], 0.9);
    let change = &times["changes"][0];
    assert_eq!(
        (&change["id"], &change["anchor"]),
        (&"heap".into(), &"sort".into())
    );
    // Several times as long as `sort`, which took several times as long as it did.
    assert!(change["low"].as_f64().unwrap() > 2.0, "{change}");
    assert!(
        change["high"].as_f64() >= change["ratio"].as_f64(),
        "{change}"
    );
    let none = run_bakeoff(&["compare", &first, "/nowhere:1"]);
    assert_eq!(none.status, 2);
    assert!(
        none.explains("/nowhere:1 is neither a run nor a file"),
        "{}",
        none.stderr
    );
    let text = run_bakeoff(&["compare", &first, &second]).stdout;
    assert!(
        text.contains("× slower") && text.contains("against sort"),
        "{text}"
    );
    let back = run_bakeoff(&["compare", &second, &first]).stdout;
    assert!(back.contains("× faster"), "{back}");
}

/// The same approaches asked something else.
fn other_questions(finished: &FinishedRun) {
    let other = TOP_K.copy();
    let file = other.path("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace("[16_000, 64_000]", "[16_000, 32_000]");
    fs::write(&file, text).unwrap();
    let again = of(&other, "run", &["--quiet", "--budget", "2s"]);
    assert!(again.status <= 1, "{}", again.stderr);
    let run = format!("{}:2", finished.dir());
    let text = run_bakeoff(&["compare", &run, other.dir()]).stdout;
    assert!(text.contains("their workload differs"), "{text}");
    assert!(!text.contains("against then"), "{text}");
}
