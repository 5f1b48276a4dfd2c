//! What an agent may say, whoever made it say that: each gets an error, and the server goes on.

use super::client::Client;
use super::{LINEAR, SLOW, sources, text};
use crate::finished::TOP_K;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;

const CANARY: &str = "canary-of-the-host";

fn two() -> Value {
    sources(&[("linear", LINEAR), ("slow", SLOW)])
}

/// A tool call is refused in words that name the reason, quote little of what was given, and have
/// nothing of files that are out of reach.
fn refused(client: &mut Client, tool: &str, arguments: &Value, why: &str) {
    let result = client.call(tool, arguments);
    let shown = text(&result);
    assert_eq!(result["isError"], true, "{tool}: {shown}");
    assert!(shown.contains(why), "{tool}: {shown}");
    assert!(!shown.contains(CANARY) && shown.len() < 4_000, "{shown}");
}

#[test]
fn paths_that_lead_out_of_the_roots_are_refused() {
    let outside = tempfile::tempdir().unwrap();
    let at = |name: &str| outside.path().join(name);
    fs::create_dir_all(at("root/inside")).unwrap();
    fs::create_dir_all(at("beside")).unwrap();
    for secret in ["secret.rs", "beside/bakeoff.toml"] {
        fs::write(at(secret), CANARY).unwrap();
    }
    symlink(at("beside"), at("root/link")).unwrap();
    symlink("../../secret.rs", at("root/inside/link.rs")).unwrap();
    let path = |name: &str| at(name).to_str().unwrap().to_owned();
    let mut client = Client::start(&[&path("root")]);
    client.initialize();
    for folder in [
        "..",
        "../beside",
        "link",
        "inside/../../beside",
        "/",
        &path("beside"),
        "/proc/self/cwd",
        "a\0b",
    ] {
        for tool in ["run", "report", "pick"] {
            refused(&mut client, tool, &json!({"folder": folder}), "the");
        }
    }
    let long = "../".repeat(5_000);
    for file in [
        "../secret.rs",
        "inside/link.rs",
        &path("secret.rs"),
        "/etc/passwd.rs",
        &long,
    ] {
        let sources = json!([{"name": "a", "path": file}, {"name": "b", "text": LINEAR}]);
        refused(&mut client, "compare", &json!({"sources": sources}), "the");
        let check = json!({"file": {"text": LINEAR}, "wit": {"path": file}, "call": "total"});
        refused(&mut client, "check", &check, "the");
    }
    // A folder that is there, with nothing in it.
    refused(
        &mut client,
        "run",
        &json!({"folder": "inside"}),
        "bakeoff.toml",
    );
    client.end();
}

/// What git keeps of a link, in a folder that an agent works on.
#[test]
fn results_that_are_links_out_of_a_root_show_nothing_of_another_project() {
    let other = TOP_K.copy();
    for (link, to) in [
        (".bakeoff", other.path(".bakeoff")),
        (".bakeoff/top-k", other.results("top-k")),
        (
            ".bakeoff/top-k/report.json",
            other.results("top-k").join("report.json"),
        ),
        (
            ".bakeoff/top-k/bakeoff.db",
            other.results("top-k").join("bakeoff.db"),
        ),
        (
            ".bakeoff/top-k/contents",
            other.results("top-k").join("contents"),
        ),
    ] {
        let run = TOP_K.copy();
        let at = run.path(link);
        match at.is_dir() {
            true => fs::remove_dir_all(&at).unwrap(),
            false => fs::remove_file(&at).unwrap(),
        }
        symlink(to, &at).unwrap();
        let mut client = Client::start(&[run.dir()]);
        client.initialize();
        for tool in ["report", "pick", "run"] {
            let result = client.call(tool, &json!({"folder": "."}));
            let shown = text(&result);
            assert!(shown.contains("is a link"), "{link}, {tool}: {shown}");
            assert_eq!(result["isError"], true, "{link}, {tool}: {shown}");
            assert!(!shown.contains("faster"), "{link}: {shown}");
            assert!(!shown.contains("BinaryHeap"), "{link}: {shown}");
        }
        client.end();
    }
}

#[test]
fn a_server_without_roots_opens_no_path() {
    let mut client = Client::start(&[]);
    client.initialize();
    for folder in [".", "/", "/tmp"] {
        refused(
            &mut client,
            "run",
            &json!({"folder": folder}),
            "has no root",
        );
    }
    client.end();
}

#[test]
fn roots_of_the_client_count_only_where_the_user_gave_none() {
    let [users, clients] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut client = Client::start(&[users.path().to_str().unwrap()]).with_roots(&[clients.path()]);
    client.initialize();
    let folder = json!({"folder": clients.path()});
    refused(&mut client, "run", &folder, "not below a root");
    client.end();

    let mut client = Client::start(&[]).with_roots(&[clients.path()]);
    client.initialize();
    // It is opened, and has nothing in it.
    refused(&mut client, "run", &folder, "bakeoff.toml");
    refused(
        &mut client,
        "run",
        &json!({"folder": users.path()}),
        "not below a root",
    );
    client.end();
}

#[test]
fn sizes_names_and_values_out_of_bounds_are_refused_and_the_server_goes_on() {
    let mut client = Client::start(&[]);
    client.initialize();
    let large = "x".repeat(10 << 20);
    let sources = json!([{"name": "a", "text": large}, {"name": "b", "text": LINEAR}]);
    refused(
        &mut client,
        "compare",
        &json!({"sources": sources}),
        "1048576, the most",
    );
    for name in [
        "\u{1b}]52;c;aGk=\u{7}",
        "../../x",
        "a\0b",
        "-o",
        "\u{202e}",
        "",
        "a b",
        &large,
    ] {
        let sources = json!([{"name": name, "text": LINEAR}, {"name": "b", "text": LINEAR}]);
        refused(
            &mut client,
            "compare",
            &json!({"sources": sources}),
            "the name",
        );
    }
    let steers = "\u{1b}[2J".repeat(1_000);
    for (tool, arguments, why) in [
        (
            "compare",
            json!({"sources": two(), "call": &steers}),
            "\\u{1b}",
        ),
        (
            "compare",
            json!({"sources": two(), "call": "a\0"}),
            "control characters",
        ),
        (
            "compare",
            json!({"sources": two(), "budget_seconds": 1e9}),
            "at most",
        ),
        (
            "compare",
            json!({"sources": two(), "wait_seconds": -1}),
            "from 0 to",
        ),
        (
            "compare",
            json!({"sources": two(), "allow_unconfined": true}),
            "unknown field",
        ),
        (
            "compare",
            json!({"sources": two(), "env": {"PATH": "/"}}),
            "unknown field",
        ),
        ("compare", json!({"sources": large}), "invalid type"),
        ("compare", json!({}), "missing field"),
        ("result", json!({"id": &large}), "there is no run"),
        ("cancel", json!({"id": &steers}), "there is no run"),
        ("report", json!({}), "either `id`"),
        (
            "pick",
            json!({"id": "compare-1", "folder": "."}),
            "either `id`",
        ),
    ] {
        // The function of that name is looked for in a command.
        refused(&mut client, tool, &arguments, why);
    }
    client.end();
}

#[test]
fn what_is_no_request_gets_an_error_and_the_server_goes_on() {
    let mut client = Client::start(&[]);
    client.initialize();
    for (line, code) in [
        ("{\"jsonrpc\"", -32700),
        ("\u{1b}[2J", -32700),
        ("[1, 2]", -32600),
    ] {
        client.write(format!("{line}\n").as_bytes());
        let error = client.receive();
        assert_eq!(error["error"]["code"], code, "{error}");
    }
    let unknown = client.request(
        "tools/call",
        &json!({"name": "exec\u{1b}", "arguments": {}}),
    );
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let message = unknown["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("`exec\\u{1b}`") && message.contains("compare"),
        "{message}"
    );
    assert!(client.request("no/such/method", &json!({}))["error"].is_object());
    let no_report = client.request("resources/read", &json!({"uri": "file:///etc/passwd"}));
    assert!(no_report["error"].is_object(), "{no_report}");

    // A request without an end is answered before its end, and not kept.
    for _ in 0..40 {
        client.write(&vec![b'x'; 1 << 20]);
    }
    let error = client.receive();
    assert!(
        error["error"]["message"]
            .as_str()
            .unwrap()
            .contains("32 MiB"),
        "{error}"
    );
    client.write(b"\n");
    assert!(client.request("ping", &json!({}))["result"].is_object());
    client.end();
}

/// A server of workers is sent code, and is believed what it answers.
#[test]
fn case_308_an_agent_names_no_server_of_workers() {
    let finished = TOP_K.copy();
    let mut client = Client::start(&[finished.dir()]);
    client.initialize();
    let server = "nats://127.0.0.1:1";
    for (tool, key) in [
        ("run", "workers"),
        ("compare", "workers"),
        ("run", "workers_creds"),
        ("generate", "workers"),
        ("explore", "workers"),
    ] {
        let mut arguments = match tool {
            "compare" => json!({"sources": two()}),
            "explore" => json!({"folder": "new", "statement": "Add up."}),
            _ => json!({"folder": "."}),
        };
        arguments[key] = json!(server);
        let call = json!({"name": tool, "arguments": arguments});
        let response = client.request("tools/call", &call);
        let shown = response.to_string();
        let is_refused = response["error"].is_object() || response["result"]["isError"] == true;
        assert!(is_refused, "{tool}: {shown}");
        assert!(!shown.contains("no server of workers"), "{tool}: {shown}");
    }
    let folder = server.replace("nats", "--workers=nats");
    refused(&mut client, "run", &json!({"folder": folder}), "the");
    client.end();
}
