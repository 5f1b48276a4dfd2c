//! Approaches that an agent writes itself, as a model would, or gives.

use super::client::Client;
use super::text;
use crate::support::root;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

/// A prototype of the example that is right.
pub(super) const RIGHT: &str = "pub fn count_inversions(values: Vec<i32>) -> u64 {
    let mut count = 0;
    for (place, value) in values.iter().enumerate() {
        count += values[place..].iter().filter(|later| *later < value).count() as u64;
    }
    count
}";

/// The example of inversions, below a root of its own.
pub(super) fn example() -> TempDir {
    let folder = TempDir::new().unwrap();
    let from = root().join("examples/inversions");
    for name in [
        "bakeoff.toml",
        "workload.rs",
        "wit/inversions.wit",
        "approaches/all_pairs.rs",
    ] {
        let to = folder.path().join("project").join(name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from.join(name), to).unwrap();
    }
    folder
}

pub(super) fn client(folder: &TempDir, more: &[&str]) -> Client {
    let mut client = Client::start_with(&[folder.path().to_str().unwrap()], more);
    client.initialize();
    client
}

/// Recorded replies, as an agent that gives one to each question.
struct Agent(Vec<Value>);

impl Agent {
    fn of(cassette: &str) -> Self {
        let lines = fs::read_to_string(root().join(cassette)).unwrap();
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        Self(lines.collect())
    }

    /// The answers to tasks; those that were given are not given again.
    fn answers(&mut self, tasks: &[Value]) -> Value {
        let answer = |task: &Value| {
            let fits = |one: &Value| {
                one["purpose"] == task["purpose"] && one["subject"] == task["subject"]
            };
            let place = self
                .0
                .iter()
                .position(fits)
                .unwrap_or_else(|| panic!("{task:#}"));
            json!({"task": task["task"], "reply": self.0.remove(place)["reply"]})
        };
        tasks.iter().map(answer).collect()
    }
}

/// Calls `develop` until no task is left. Returns the last answer, and the purposes of all tasks.
fn developed(client: &mut Client, arguments: &Value, agent: &mut Agent) -> (Value, Vec<String>) {
    let (mut arguments, mut seen) = (arguments.clone(), Vec::new());
    arguments["wait_seconds"] = json!(300);
    for _ in 0..20 {
        let result = client.call("develop", &arguments);
        assert_eq!(result["isError"], false, "{}", text(&result));
        let values = &result["structuredContent"];
        let tasks = values["tasks"].as_array().unwrap();
        if tasks.is_empty() {
            return (result, seen);
        }
        assert!(values["next"].as_str().unwrap().contains("`answers`"));
        for task in tasks {
            assert_eq!(task["schema"]["type"], "object", "{task:#}");
            assert!(text(&result).contains(task["task"].as_str().unwrap()));
            seen.push(task["purpose"].as_str().unwrap().to_owned());
            if task["purpose"] == "repair" {
                let prompt = task["prompt"].as_str().unwrap();
                assert!(
                    prompt.contains("out of bounds") || prompt.contains("wrong-answer"),
                    "{prompt}"
                );
            }
        }
        arguments["answers"] = agent.answers(tasks);
    }
    panic!("{seen:?}");
}

#[test]
fn an_agent_writes_approaches_as_a_model_would_and_repairs_what_fails() {
    let folder = example();
    let mut client = client(&folder, &[]);
    let mut agent = Agent::of("examples/inversions/model.jsonl");
    let (done, seen) = developed(&mut client, &json!({"folder": "project"}), &mut agent);
    assert_eq!(
        seen,
        [
            "approaches",
            "prototype",
            "prototype",
            "prototype",
            "repair"
        ]
    );
    let approaches = done["structuredContent"]["approaches"].as_array().unwrap();
    let names: Vec<&Value> = approaches.iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["merge-sort", "fenwick-tree", "sorted-insertion"]);
    assert!(
        approaches.iter().all(|one| one["outcome"] == "passed"),
        "{done:#}"
    );
    assert!(text(&done).contains("call `run`"), "{}", text(&done));
    let at = |name: &str| folder.path().join("project").join(name);
    let experiment = fs::read_to_string(at("bakeoff.toml")).unwrap();
    assert!(
        experiment.contains("source = \"approaches/generated-3.rs\""),
        "{experiment}"
    );
    let record = fs::read_to_string(at(".bakeoff/generation.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(
        (&record["model"], &record["tokens"]),
        (&json!("manual"), &json!(0))
    );
    client.end();
}

#[test]
fn an_agent_writes_a_whole_experiment_from_a_statement() {
    let folder = TempDir::new().unwrap();
    let mut client = client(&folder, &[]);
    let statement = fs::read_to_string(root().join("examples/explore/statement.txt")).unwrap();
    let mut agent = Agent::of("examples/explore/model.jsonl");
    let arguments = json!({"folder": "made/here", "statement": statement.trim()});
    let (done, seen) = developed(&mut client, &arguments, &mut agent);
    for purpose in [
        "plan",
        "interface",
        "workload",
        "approaches",
        "prototype",
        "repair",
    ] {
        assert!(seen.iter().any(|one| one == purpose), "{purpose}: {seen:?}");
    }
    assert!(text(&done).contains("call `run`"), "{}", text(&done));
    assert!(folder.path().join("made/here/bakeoff.toml").exists());
    // There is one now.
    let again = client.call("develop", &arguments);
    assert_eq!(again["isError"], true);
    assert!(
        text(&again).contains("has an experiment already"),
        "{}",
        text(&again)
    );
    client.end();
}

#[test]
fn answers_to_nothing_and_replies_out_of_bounds_change_nothing() {
    let folder = example();
    let mut client = client(&folder, &[]);
    let develop = |client: &mut Client, answers: Value| {
        let arguments = json!({
            "folder": "project", "approaches": 1, "answers": answers, "wait_seconds": 120
        });
        client.call("develop", &arguments)
    };
    let first = develop(&mut client, json!([]));
    let task = first["structuredContent"]["tasks"][0]["task"].clone();
    let source = json!({"source": RIGHT});
    // To a task that nobody gave out.
    let other = develop(
        &mut client,
        json!([{"task": "0123456789abcdef\u{1b}[2J", "reply": source}]),
    );
    let said = other["structuredContent"]["message"].as_str().unwrap();
    assert!(
        said.contains("never given out") && !said.contains('\u{1b}'),
        "{said}"
    );
    assert_eq!(other["structuredContent"]["tasks"][0]["task"], task);
    // Of another schema, and with a verdict of its own.
    for reply in [
        json!({"source": RIGHT}),
        json!(7),
        json!("no JSON"),
        json!({"approaches": []}),
    ] {
        let refused = develop(&mut client, json!([{"task": task, "reply": reply}]));
        let again = &refused["structuredContent"]["tasks"][0];
        assert_eq!(again["task"], task, "{refused:#}");
        assert!(again["refused"].is_string(), "{refused:#}");
    }
    // Too many, too large, two to one task, and keys that are none.
    let answer = |task: usize| json!({"task": task.to_string(), "reply": source});
    let many: Vec<Value> = (0..1_000).map(answer).collect();
    let large = json!({"source": "x".repeat(2 << 20)});
    for (answers, why) in [
        (json!(many), "64 are taken"),
        (json!([{"task": task, "reply": large}]), "1048576, the most"),
        (json!([answer(1), answer(1)]), "two answers"),
        (
            json!([{"task": task, "reply": {}, "passed": true}]),
            "unknown field",
        ),
    ] {
        let refused = develop(&mut client, answers);
        assert_eq!(refused["isError"], true, "{refused:#}");
        assert!(text(&refused).contains(why), "{}", text(&refused));
        assert!(text(&refused).len() < 4_000);
    }
    for (arguments, why) in [
        (
            json!({"folder": "project", "approaches": 11}),
            "10 are the most",
        ),
        (
            json!({"folder": "project", "ideas": []}),
            "go with `statement`",
        ),
        (
            json!({"folder": "project", "criteria": {"memory": 1}}),
            "go with `statement`",
        ),
        (
            json!({"folder": "x", "statement": "y", "criteria": {"speed": 1}}),
            "performance, memory",
        ),
        (
            json!({"folder": "x", "statement": "\u{1b}[2J"}),
            "control characters",
        ),
        (json!({"folder": "x", "statement": " "}), "1 to 4000"),
        (
            json!({"folder": "x", "statement": "y".repeat(5_000)}),
            "1 to 4000",
        ),
        (
            json!({"folder": "project", "provider": "command"}),
            "unknown field",
        ),
    ] {
        let refused = client.call("develop", &arguments);
        assert_eq!(refused["isError"], true, "{refused:#}");
        assert!(text(&refused).contains(why), "{why}: {}", text(&refused));
    }
    let project = folder.path().join("project");
    let own = fs::read(root().join("examples/inversions/bakeoff.toml")).unwrap();
    assert_eq!(fs::read(project.join("bakeoff.toml")).unwrap(), own);
    assert_eq!(fs::read_dir(project.join("approaches")).unwrap().count(), 1);
    assert!(!folder.path().join("x/bakeoff.toml").exists());
    client.end();
}

#[test]
fn folders_out_of_the_roots_and_links_in_them_are_not_written() {
    let folder = example();
    let outside = TempDir::new().unwrap();
    let mut client = client(&folder, &[]);
    symlink(outside.path(), folder.path().join("link")).unwrap();
    let beside = outside.path().join("made").display().to_string();
    for path in [
        "..",
        "../made",
        "link",
        "link/made",
        "/",
        "/proc/self/cwd",
        &beside,
        "a\0b",
        "",
    ] {
        for (tool, arguments) in [
            ("develop", json!({"folder": path})),
            (
                "develop",
                json!({"folder": path, "statement": "Sort numbers."}),
            ),
            (
                "add",
                json!({"folder": path, "source": {"name": "a", "text": RIGHT}}),
            ),
            ("status", json!({"folder": path})),
        ] {
            let refused = client.call(tool, &arguments);
            assert_eq!(refused["isError"], true, "{tool} {path}: {refused:#}");
        }
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    let project = folder.path().join("project");
    // What is planted in an experiment.
    for link in [".bakeoff", "approaches"] {
        let at = project.join(link);
        let aside = folder.path().join("aside");
        let was_there = fs::rename(&at, &aside).is_ok();
        symlink(outside.path(), &at).unwrap();
        let developed = client.call(
            "develop",
            &json!({"folder": "project", "wait_seconds": 120}),
        );
        assert_eq!(developed["isError"], true, "{link}: {developed:#}");
        let new = json!({"name": "new", "text": RIGHT});
        let added = client.call("add", &json!({"folder": "project", "source": new}));
        if link == "approaches" {
            assert_eq!(added["isError"], true, "{link}: {added:#}");
        }
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0, "{link}");
        fs::remove_file(&at).unwrap();
        if was_there {
            fs::rename(&aside, &at).unwrap();
        }
    }
    client.end();
}

#[test]
fn an_approach_is_added_once() {
    let folder = example();
    let mut client = client(&folder, &[]);
    let add = |client: &mut Client, name: &str, code: &str| {
        let source = json!({"name": name, "text": code});
        let arguments =
            json!({"folder": "project", "source": source, "description": "By\nfilters."});
        client.call("add", &arguments)
    };
    let added = add(&mut client, "filters", RIGHT);
    let file = "approaches/filters.rs";
    assert_eq!(
        added["structuredContent"]["added"][0]["file"], file,
        "{added:#}"
    );
    for (name, code, why) in [
        ("filters", "other", "there is an approach filters already"),
        ("other", RIGHT, "approach filters has the same content"),
        ("../x", RIGHT, "is refused"),
    ] {
        let refused = add(&mut client, name, code);
        assert_eq!(refused["isError"], true, "{refused:#}");
        let said = text(&refused).replace('\n', " ");
        assert!(said.contains(why), "{said}");
    }
    let experiment = fs::read_to_string(folder.path().join("project/bakeoff.toml")).unwrap();
    assert!(experiment.contains("name = \"filters\""), "{experiment}");
    assert_eq!(experiment.matches("[[approach]]").count(), 2);
    client.end();
}
