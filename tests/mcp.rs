//! `bakeoff mcp`, as a client sees it: JSON-RPC on the stdin and stdout of the process.

mod agents;
pub(crate) mod client;
mod developing;
mod docs;
mod hostile;
mod leave;

use crate::finished::{TOP_K, copy_experiment};
use crate::support::{measuring_slot, root};
use client::{Client, children_below, has_below};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const LINEAR: &str =
    "pub fn total(values: &[u32]) -> u64 { values.iter().map(|v| u64::from(*v)).sum() }";

/// The same, twenty times over.
const SLOW: &str = "pub fn total(values: &[u32]) -> u64 {
    let once = || values.iter().map(|v| u64::from(*v)).sum::<u64>();
    (0..20).map(|_| std::hint::black_box(once())).max().unwrap_or_default()
}";

const WRONG: &str =
    "pub fn total(values: &[u32]) -> u64 { values.iter().skip(2).map(|v| u64::from(*v)).sum() }";

fn sources(of: &[(&str, &str)]) -> Value {
    of.iter()
        .map(|(name, text)| json!({"name": name, "text": text}))
        .collect()
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[test]
fn an_agent_lists_the_tools_and_compares_two_sources() {
    let _slot = measuring_slot();
    let mut client = Client::start(&[]);
    let initialized = client.initialize();
    assert_eq!(initialized["serverInfo"]["name"], "bakeoff");
    let tools = client.request("tools/list", &json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    let mut offered = bakeoff::mcp::tool_names();
    offered.retain(|name| !bakeoff::mcp::tools_that_ask().contains(name));
    assert_eq!(names, offered);

    let arguments = json!({
        "sources": sources(&[("linear", LINEAR), ("slow", SLOW)]),
        "budget_seconds": 3, "wait_seconds": 120
    });
    let call = json!({
        "name": "compare", "arguments": arguments, "_meta": {"progressToken": "seen"}
    });
    let response = client.request("tools/call", &call);
    let result = &response["result"];
    assert_eq!(result["isError"], false, "{response:#}");
    let values = &result["structuredContent"];
    assert_eq!(
        (&values["id"], &values["state"]),
        (&json!("compare-1"), &json!("done"))
    );
    assert!(
        text(result).contains(
            values["message"]
                .as_str()
                .unwrap()
                .split(':')
                .next()
                .unwrap()
        )
    );
    let ids: Vec<&Value> = values["variants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| &v["id"])
        .collect();
    assert!(
        ids.contains(&&json!("linear")) && ids.contains(&&json!("slow")),
        "{values:#}"
    );
    assert_eq!(values["verdicts"][0]["case"], Value::Null);
    assert_eq!(values["confidence"], 0.95);
    let steps: Vec<f64> = client
        .notifications("notifications/progress")
        .iter()
        .inspect(|params| assert_eq!(params["progressToken"], "seen"))
        .map(|params| params["progress"].as_f64().unwrap())
        .collect();
    assert!(
        !steps.is_empty() && steps.is_sorted_by(|a, b| a < b),
        "{steps:?}"
    );

    let listed = client.request("resources/list", &json!({}));
    assert_eq!(listed["result"]["resources"][0]["uri"], values["report"]);
    let read = client.request("resources/read", &json!({"uri": values["report"]}));
    let report = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(
        report.starts_with("# ") && report.contains("linear"),
        "{report}"
    );

    let weighed = client.call(
        "report",
        &json!({"id": "compare-1", "weights": {"performance": 2}}),
    );
    assert!(
        text(&weighed).contains("performance 2"),
        "{}",
        text(&weighed)
    );
    let picked = client.call("pick", &json!({"id": "compare-1"}));
    match values["winner"].as_str() {
        Some(_) => assert!(text(&picked).contains("pub fn total"), "{picked:#}"),
        None => assert_eq!(picked["isError"], true, "{picked:#}"),
    }
    client.end();
}

#[test]
fn what_cannot_be_compared_says_why_in_the_compilers_words_or_with_the_input() {
    let mut client = Client::start(&[]);
    client.initialize();
    let compare = |client: &mut Client, other: &str| {
        let sources = sources(&[("linear", LINEAR), ("other", other)]);
        client.call("compare", &json!({"sources": sources, "wait_seconds": 120}))
    };
    let broken = LINEAR.replace(".sum()", ".sum::<u32>()");
    let refused = compare(&mut client, &broken);
    assert_eq!(refused["isError"], true);
    for part in ["Build failed", "other.rs", "E0277", "u32"] {
        assert!(text(&refused).contains(part), "{}", text(&refused));
    }
    let no_rust = compare(&mut client, "pub fn total(");
    assert_eq!(no_rust["isError"], true);
    assert!(
        text(&no_rust).contains("cannot be read as Rust"),
        "{}",
        text(&no_rust)
    );

    let differ = compare(&mut client, WRONG);
    assert_eq!(differ["isError"], false);
    assert_eq!(differ["structuredContent"]["outcome"], "disagreement");
    assert!(text(&differ).contains("total("), "{}", text(&differ));
    client.end();
}

#[test]
fn a_run_that_is_called_off_leaves_no_process_and_no_folder() {
    let mut client = Client::start(&[]);
    client.initialize();
    let start = json!({
        "sources": sources(&[("linear", LINEAR), ("slow", SLOW)]),
        "budget_seconds": 600, "wait_seconds": 0
    });
    // By the tool.
    let started = client.call("compare", &start);
    assert_eq!(
        started["structuredContent"]["id"], "compare-1",
        "{started:#}"
    );
    let waiting = client.call("compare", &start);
    assert_eq!(
        waiting["structuredContent"]["state"], "waiting",
        "{waiting:#}"
    );
    let processes = client.wait_for_fenced();
    let cancelled = client.call("cancel", &json!({"id": "compare-1"}));
    assert_eq!(
        cancelled["structuredContent"]["state"], "cancelled",
        "{cancelled:#}"
    );
    processes.assert_commands_ended();
    processes.wait_for_end();
    let cancelled = client.call("cancel", &json!({"id": "compare-2"}));
    assert_eq!(cancelled["structuredContent"]["state"], "cancelled");
    client.wait_for_empty_folder();

    // By the protocol, while the call waits.
    let mut waits = start.clone();
    waits["wait_seconds"] = json!(600);
    let id = client.send(
        "tools/call",
        &json!({"name": "compare", "arguments": waits}),
    );
    let processes = client.wait_for_fenced();
    client.notify("notifications/cancelled", &json!({"requestId": id}));
    let ended = client.call("result", &json!({"id": "compare-3"}));
    assert_eq!(
        ended["structuredContent"]["state"], "cancelled",
        "{ended:#}"
    );
    processes.assert_commands_ended();
    processes.wait_for_end();
    client.wait_for_empty_folder();

    // By a client that goes away.
    client.call("compare", &start);
    let processes = client.wait_for_fenced();
    let folder = client.end();
    processes.assert_commands_ended();
    processes.wait_for_end();
    assert_eq!(children_below(folder.path()), Vec::<String>::new());
}

#[test]
fn a_server_that_is_killed_takes_its_runs_with_it() {
    let mut client = Client::start(&[]);
    client.initialize();
    client.call(
        "compare",
        &json!({"sources": sources(&[("linear", LINEAR), ("slow", SLOW)]), "wait_seconds": 0}),
    );
    let processes = client.wait_for_fenced();
    let folder = client.kill();
    processes.wait_for_end();
    // A run that had gone on to its end would have written it.
    assert!(!has_below(folder.path(), "report.json"));
    // Its files go with the next server.
    assert_ne!(children_below(folder.path()), Vec::<String>::new());
    let next = Client::start_in(folder, &[]);
    assert_eq!(children_below(next.end().path()), Vec::<String>::new());
}

#[test]
fn results_and_experiments_below_a_root_are_read_weighed_and_run() {
    let finished = TOP_K.copy();
    let experiment = Path::new(finished.dir());
    let file = experiment.join("bakeoff.toml");
    let shorter = fs::read_to_string(&file)
        .unwrap()
        .replace("[measure]", "[measure]\nprecision = 0.5");
    let mut client = Client::start(&[experiment.to_str().unwrap()]);
    client.initialize();
    let winner = &TOP_K.report["recommendation"]["winner"];
    let report = client.call("report", &json!({"folder": "."}));
    assert_eq!(&report["structuredContent"]["winner"], winner, "{report:#}");
    assert!(report["structuredContent"]["alternatives"].is_array());
    let weights = json!({"performance": 0, "memory": 0, "simplicity": 1});
    let weighed = client.call(
        "report",
        &json!({"folder": ".bakeoff/top-k", "weights": weights}),
    );
    assert_eq!(
        weighed["structuredContent"]["winner"], "sort",
        "{weighed:#}"
    );
    let wrong = client.call("report", &json!({"folder": ".", "weights": {"beauty": 1}}));
    assert!(
        wrong["isError"] == true && text(&wrong).contains("beauty"),
        "{wrong:#}"
    );
    if let Some(winner) = winner.as_str() {
        let picked = client.call("pick", &json!({"folder": "."}));
        let own = experiment.join(picked["structuredContent"]["file"].as_str().unwrap());
        let code = fs::read_to_string(own).unwrap();
        assert_eq!(picked["structuredContent"]["code"], code, "{winner}");
    }

    fs::write(&file, shorter).unwrap();
    let _slot = measuring_slot();
    let run = client.call(
        "run",
        &json!({"folder": ".", "fresh": true, "wait_seconds": 300, "seed": "7", "workers": 1}),
    );
    assert_eq!(run["structuredContent"]["state"], "done", "{run:#}");
    let own = fs::read_to_string(finished.results("top-k").join("report.json")).unwrap();
    let own: Value = serde_json::from_str(&own).unwrap();
    assert_eq!(own["experiment"]["seed"], 7);
    assert_eq!(own["cost"]["workers"].as_array().unwrap().len(), 1);
    assert_eq!(
        run["structuredContent"]["variants"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    client.end();
}

#[test]
fn a_run_may_search_before_it_races() {
    let folder = tempfile::tempdir().unwrap();
    copy_experiment(&root().join("tests/planted/valley"), folder.path());
    let mut client = Client::start(&[folder.path().to_str().unwrap()]);
    client.initialize();
    let _slot = measuring_slot();
    let approaches = |arguments: Value, client: &mut Client| -> Vec<String> {
        let run = client.call("run", &arguments);
        let variants = run["structuredContent"]["variants"].as_array();
        let variants = variants.unwrap_or_else(|| panic!("{run:#}")).iter();
        let names = variants.map(|one| one["name"].as_str().unwrap().to_owned());
        names.collect()
    };
    let wait = |rounds: u32| json!({"folder": ".", "rounds": rounds, "wait_seconds": 120});
    let found = approaches(wait(2), &mut client);
    assert!(
        found.iter().any(|name| name.starts_with("walker 2.")),
        "{found:?}"
    );
    let wrong = client.call("run", &json!({"folder": ".", "rounds": 5_000}));
    assert!(
        wrong["isError"] == true && text(&wrong).contains("5000"),
        "{wrong:#}"
    );
    client.end();
}

#[test]
fn case_166_results_from_elsewhere_are_said_to_be() {
    let finished = TOP_K.copy();
    let mut client = Client::start(&[finished.dir()]);
    client.initialize();
    let own = client.call("report", &json!({"folder": "."}));
    assert!(own["structuredContent"].get("warning").is_none(), "{own:#}");
    let change = |sql: &str| {
        let file = finished.results("top-k").join("bakeoff.db");
        let db = rusqlite::Connection::open(file).unwrap();
        assert_eq!(db.execute(sql, []).unwrap(), 1, "{sql}");
    };
    change("UPDATE run SET report = json_set(report, '$.recommendation.text', 'Take FORGED')");
    let said = client.call("report", &json!({"folder": "."}));
    let warning = said["structuredContent"]["warning"].as_str().unwrap();
    assert!(warning.contains("come from elsewhere"), "{said:#}");
    assert!(
        warning.contains("is not what follows from the samples"),
        "{said:#}"
    );
    assert!(text(&said).starts_with("MIND: "), "{said:#}");
    // Beside a pilot from which nothing follows.
    change("UPDATE result SET value = '{}' WHERE kind = 'pilot'");
    for tool in ["report", "pick"] {
        let refused = client.call(tool, &json!({"folder": "."}));
        assert_eq!(refused["isError"], true, "{refused:#}");
        let why = text(&refused);
        assert!(
            why.contains("cannot be understood") && !why.contains("FORGED"),
            "{refused:#}"
        );
    }
    client.end();
}

#[test]
fn values_that_an_agent_measured_are_judged() {
    let mut client = Client::start(&[]);
    client.initialize();
    let mut rows = "variant,block,value\n".to_owned();
    for block in 0..20 {
        let pair = if block % 2 == 0 {
            ["a", "b"]
        } else {
            ["b", "a"]
        };
        for variant in pair {
            let value = if variant == "a" { "1.0" } else { "1.5" };
            rows += &format!("{variant},{block},{value}\n");
        }
    }
    let judged = client.call("judge", &json!({"rows": {"text": rows}, "name": "loss"}));
    let values = &judged["structuredContent"];
    assert_eq!(values["outcome"], "winner", "{judged:#}");
    assert_eq!(values["winner"], "a");
    assert_eq!(values["verdicts"][0]["verdict"], "beats");
    assert!(values.get("warning").is_none());
    let unpaired = rows.replace(',', ";").replace("block", "note");
    let warned = client.call("judge", &json!({"rows": {"text": unpaired}}));
    assert!(
        text(&warned).starts_with("MIND: The rows have no blocks"),
        "{warned:#}"
    );
    let refused = client.call("judge", &json!({"rows": {"text": "variant,value\na,-1\n"}}));
    assert_eq!(refused["isError"], true);
    assert!(text(&refused).contains("line 2"), "{refused:#}");
}

#[test]
fn an_oracle_is_asked_about_one_call() {
    let mut client = Client::start(&[crate::support::root().join("examples").to_str().unwrap()]);
    client.initialize();
    let arguments = json!({
        "file": {"path": "top-k/approaches/heap.rs"}, "wit": {"path": "top-k/wit/top-k.wit"},
        "call": "top-k", "wait_seconds": 120
    });
    let fits = client.call("check", &arguments);
    assert_eq!(
        fits["structuredContent"]["check"]["accepted"], true,
        "{fits:#}"
    );
    let mut one_call = arguments.clone();
    one_call["file"] =
        json!({"text": "pub fn top_k(items: Vec<i64>, _k: u32) -> Vec<i64> { items }"});
    one_call["workload"] = json!({"path": "top-k/workload.rs"});
    one_call["case"] = json!("50");
    one_call["seed"] = json!(7);
    let wrong = client.call("check", &one_call);
    let check = &wrong["structuredContent"]["check"];
    assert_eq!(check["outcome"], "wrong-answer", "{wrong:#}");
    client.end();
}
