//! Leave to ask a model, which the user gives where the server is started; and the prompt.

use super::client::Client;
use super::developing::{RIGHT, client, example};
use super::text;
use crate::mock_model::Mock;
use crate::support::{root, run_bakeoff};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A model that names one idea and writes it.
fn one_idea() -> Vec<(String, String)> {
    let idea = json!({"approaches": [{
        "name": "filters", "description": "Count by filters.", "rationale": "", "key_characteristics": [],
        "pros": [], "cons": [], "guidelines": ""
    }]});
    let source = json!({"source": RIGHT.replace("let mut count = 0;", "let mut count = 0_u64;\n    std::hint::black_box(&values);")});
    vec![
        ("The idea to write:".to_owned(), source.to_string()),
        ("Prefer those of which".to_owned(), idea.to_string()),
    ]
}

/// The bound of tokens that the last command of a folder had.
fn tokens_max(project: &Path) -> u64 {
    let file = fs::read(project.join(".bakeoff/models.progress.json")).unwrap();
    let spending: Value = serde_json::from_slice(&file).unwrap();
    spending["tokens_max"].as_u64().unwrap()
}

#[test]
fn a_model_is_asked_with_the_users_leave_and_within_one_bound_for_all_calls() {
    let [first, second] = [(); 2].map(|()| example());
    let (mock, address) = Mock::start(one_idea());
    mock.lock().unwrap().left = 2;
    let roots = [&first, &second].map(|folder| folder.path().to_str().unwrap());
    let base = format!("--base-url={address}");
    let leave = [
        "--generate",
        "--provider=openai",
        "--model=m",
        "--tokens=100000",
        &base,
    ];
    let mut client = Client::start_with(&roots, &leave);
    client.initialize();
    let tools = client.request("tools/list", &json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), bakeoff::mcp::tool_names().len());
    let generate = |client: &mut Client, folder: &TempDir, wait: u64| {
        let project = folder.path().join("project");
        let arguments = json!({"folder": project, "approaches": 1, "wait_seconds": wait});
        client.call("generate", &arguments)
    };
    let made = generate(&mut client, &first, 120);
    let approaches = &made["structuredContent"]["approaches"];
    assert_eq!(approaches[0]["outcome"], "passed", "{made:#}");
    assert_eq!(tokens_max(&first.path().join("project")), 100_000);

    // No reply comes any more, and the call is ended: it counts with the most that it can have taken.
    let waiting = generate(&mut client, &second, 0);
    let id = waiting["structuredContent"]["id"].clone();
    while mock.lock().unwrap().unanswered == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let left = 100_000 - 2 * 1_400;
    assert_eq!(tokens_max(&second.path().join("project")), left);
    client.call("cancel", &json!({"id": id}));
    mock.lock().unwrap().left = 2;
    let third = example();
    let to = second.path().join("third");
    fs::rename(third.path().join("project"), &to).unwrap();
    let made = client.call(
        "generate",
        &json!({"folder": to, "approaches": 1, "wait_seconds": 120}),
    );
    assert_eq!(
        made["structuredContent"]["approaches"][0]["outcome"], "passed",
        "{made:#}"
    );
    assert!(tokens_max(&to) < left - 8_192, "{}", tokens_max(&to));
    client.end();
}

#[test]
fn a_model_writes_an_experiment_from_a_statement_and_says_when_it_gives_no_more_answers() {
    let folder = TempDir::new().unwrap();
    let example = root().join("examples/explore");
    let statement = fs::read_to_string(example.join("statement.txt")).unwrap();
    let replies = fs::read_to_string(example.join("model.jsonl")).unwrap();
    let shorter = folder.path().join("plan.jsonl");
    fs::write(&shorter, replies.lines().next().unwrap()).unwrap();
    let explore = |cassette: &Path, to: &str| {
        let cassette = format!("--cassette={}", cassette.display());
        let leave = ["--generate", "--provider=replay", &cassette];
        let mut client = client(&folder, &leave);
        let arguments = json!({"folder": to, "statement": statement.trim(), "wait_seconds": 300});
        let explored = client.call("explore", &arguments);
        assert_eq!(explored["isError"], false, "{}", text(&explored));
        client.end();
        explored
    };
    let explored = explore(&example.join("model.jsonl"), "new/one");
    let approaches = explored["structuredContent"]["approaches"]
        .as_array()
        .unwrap();
    assert_eq!(approaches.len(), 4, "{explored:#}");
    assert!(
        text(&explored).contains("call `run`"),
        "{}",
        text(&explored)
    );
    assert!(folder.path().join("new/one/bakeoff.toml").exists());
    let ended = explore(&shorter, "two");
    let said = ended["structuredContent"]["message"].as_str().unwrap();
    assert!(said.contains("has not come to its end"), "{said}");
    assert!(said.contains("no further reply"), "{said}");
    assert!(!folder.path().join("two/bakeoff.toml").exists());
}

#[test]
fn without_leave_no_model_is_asked_and_leave_has_bounds() {
    let folder = example();
    let mut client = client(&folder, &[]);
    let tools = client.request("tools/list", &json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    for (tool, arguments) in [
        ("generate", json!({"folder": "project"})),
        (
            "explore",
            json!({"folder": "new", "statement": "Sort numbers."}),
        ),
    ] {
        assert!(tools.iter().all(|listed| listed["name"] != tool));
        let refused = client.call(tool, &arguments);
        assert_eq!(refused["isError"], true);
        assert!(
            text(&refused).contains("bakeoff mcp --generate"),
            "{}",
            text(&refused)
        );
    }
    assert!(!folder.path().join("new").exists());
    client.end();
    for (options, why) in [
        (&["--provider=ollama", "--model=m"][..], "add --generate"),
        (&["--generate"], "--provider"),
        (
            &["--generate", "--provider=openai", "--model=m"],
            "--usd or --tokens",
        ),
        (
            &[
                "--generate",
                "--provider=command",
                "--command=/bin/true",
                "--usd=1",
            ],
            "your rights",
        ),
        (&["--generate", "--provider=manual"], "`develop`"),
        (
            &["--generate", "--provider=ollama", "--model=m", "--ledger=x"],
            "--ledger",
        ),
        (
            &[
                "--generate",
                "--provider=openai",
                "--model=m",
                "--usd=1",
                "--cassette=x",
            ],
            "--cassette",
        ),
    ] {
        let refused = run_bakeoff(&[&["mcp"], options].concat());
        assert_eq!(refused.status, 2, "{options:?}: {}", refused.stderr);
        assert!(refused.explains(why), "{options:?}: {}", refused.stderr);
    }
}

#[test]
fn a_prompt_asks_the_three_questions() {
    let mut client = Client::start(&[]);
    let initialized = client.initialize();
    assert!(
        initialized["capabilities"]["prompts"].is_object(),
        "{initialized:#}"
    );
    let listed = client.request("prompts/list", &json!({}));
    let prompt = &listed["result"]["prompts"][0];
    assert_eq!(prompt["name"], "parallel-experiment", "{listed:#}");
    assert_eq!(prompt["arguments"].as_array().unwrap().len(), 3);
    let get = json!({"name": "parallel-experiment", "arguments": {"problem": "Count inversions"}});
    let got = client.request("prompts/get", &get);
    let said = got["result"]["messages"][0]["content"]["text"]
        .as_str()
        .unwrap();
    for part in [
        "Which problem?",
        "How many approaches?",
        "must be among them",
        "Count inversions",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    for wrong in [
        json!({"name": "other"}),
        json!({"name": "parallel-experiment", "arguments": {"x": "y"}}),
    ] {
        assert!(client.request("prompts/get", &wrong)["error"].is_object());
    }
    client.end();
}
