//! What an agent at a client sees of coding agents in worktrees: it reads, and starts none.

use super::client::Client;
use super::text;
use crate::agents::{command, repository};
use crate::revisions::Repository;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;

/// A repository in which agents worked on two variants, of which one passed, and on one task.
fn worked_in() -> Option<Repository> {
    let repository = repository()?;
    let agent = "sh -c 'eval \"$(tail -n 1)\"'";
    let agents = [
        "agents",
        "Do it",
        "--agent",
        agent,
        "--verify",
        "sh tests/run.sh",
        "--variant",
        "good=echo 'expr $1 + $2' >add.sh",
        "--variant",
        "wrong=echo 'echo 4' >add.sh",
    ];
    let output = command(&repository, &agents);
    assert!(output.stderr.contains("good: passed"), "{}", output.stderr);
    repository.write(
        "todo.toml",
        "[[task]]\nname = \"one\"\nprompt = \"touch new\"\n",
    );
    let work = ["work", "todo.toml", "--agent", agent, "--yes"];
    let output = command(&repository, &work);
    assert_eq!(output.status, 0, "{}", output.stderr);
    Some(repository)
}

/// Calls a tool, which must not fail, and returns its values.
fn values(client: &mut Client, tool: &str, arguments: &Value) -> Value {
    let mut result = client.call(tool, arguments);
    assert!(result["isError"] != true, "{}", text(&result));
    result["structuredContent"].take()
}

fn refused(client: &mut Client, tool: &str, arguments: &Value, why: &str) {
    let result = client.call(tool, arguments);
    assert_eq!(result["isError"], true, "{result}");
    assert!(text(&result).contains(why), "{}", text(&result));
}

#[test]
fn states_and_branches_of_agents_are_shown_and_nothing_is_written() {
    let Some(repository) = worked_in() else {
        return;
    };
    let before = repository.git(&["for-each-ref"]) + &repository.git(&["status", "--porcelain"]);
    let mut client = Client::start(&[repository.path().to_str().unwrap()]);
    client.initialize();
    let all = values(&mut client, "status", &json!({"folder": ".bakeoff"}));
    assert_eq!(all["worktrees"].as_array().unwrap().len(), 3, "{all}");
    let agents = values(&mut client, "status", &json!({"folder": ".bakeoff/agents"}));
    assert_eq!(agents["worktrees"][0]["variant"], "good", "{agents}");
    assert_eq!(agents["worktrees"][1]["state"], "verification failed");
    let absolute = repository
        .path()
        .canonicalize()
        .unwrap()
        .join(".bakeoff/work");
    let work = values(&mut client, "status", &json!({"folder": absolute}));
    assert_eq!(work["tasks"][0]["done"], true, "{work}");
    let picked = values(&mut client, "pick", &json!({"folder": ".bakeoff/agents"}));
    assert_eq!(picked["branch"], "bakeoff/agents/good", "{picked}");
    assert!(
        picked["diff"].as_str().unwrap().contains("+expr $1 + $2"),
        "{picked}"
    );
    assert_eq!(picked["applied"], false);
    let wrong = json!({"folder": ".bakeoff/agents", "variant": "wrong"});
    let picked = values(&mut client, "pick", &wrong);
    assert_eq!(picked["outcome"], "verification failed", "{picked}");
    let task = json!({"folder": ".bakeoff/work", "variant": "one"});
    let picked = values(&mut client, "pick", &task);
    assert!(picked["stat"].as_str().unwrap().contains("new"), "{picked}");
    refused(
        &mut client,
        "pick",
        &json!({"folder": ".bakeoff/work"}),
        "`git merge bakeoff/work/result` takes what is merged there",
    );
    client.end();
    let after = repository.git(&["for-each-ref"]) + &repository.git(&["status", "--porcelain"]);
    assert_eq!(before, after);
}

#[test]
fn case_258_what_names_agents_leads_to_no_other_repository_and_changes_nothing() {
    let (Some(own), Some(other)) = (worked_in(), worked_in()) else {
        return;
    };
    let outside = other.path().join(".bakeoff");
    symlink(outside.join("agents"), own.path().join(".bakeoff/linked")).unwrap();
    fs::create_dir(own.path().join("in")).unwrap();
    symlink(&outside, own.path().join("in/.bakeoff")).unwrap();
    let mut client = Client::start(&[own.path().to_str().unwrap()]);
    client.initialize();
    let absolute = outside.join("agents");
    for folder in [
        ".bakeoff/linked",
        "in/.bakeoff/agents",
        "in/.bakeoff",
        "../.bakeoff",
        ".bakeoff/agents/../../../.bakeoff/agents",
        absolute.to_str().unwrap(),
    ] {
        for tool in ["status", "pick"] {
            refused(
                &mut client,
                tool,
                &json!({"folder": folder}),
                "cannot be opened",
            );
        }
    }
    for (variant, why) in [
        ("--apply", "there is no variant \"--apply\""),
        ("../../../x", "there is no variant"),
        ("good\n--apply", "has control characters"),
    ] {
        let given = json!({"folder": ".bakeoff/agents", "variant": variant});
        refused(&mut client, "pick", &given, why);
    }
    let elsewhere = json!({"folder": "tests", "variant": "good"});
    refused(&mut client, "pick", &elsewhere, "names one of agents");
    client.end();
    let add = fs::read_to_string(own.path().join("add.sh")).unwrap();
    assert_eq!(add, "echo $(($1 + $2))\n");
}
