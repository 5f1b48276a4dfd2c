//! Explorations that are killed: at every boundary of the record, with a call under way, and at moments after the
//! last reply. What goes on from there pays for no reply twice and comes to the same end.

use crate::mock_model::{Mock, USAGE};
use crate::support::bakeoff;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/explore")
}

/// The replies of the example, each with what only its question has.
fn replies() -> Vec<(String, String)> {
    let text = fs::read_to_string(example().join("model.jsonl")).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names = ["", "binary-search", "tree-over-ranks", "counted-ends"];
    let mark = |line: &Value| {
        let subject = line["subject"].as_str().unwrap();
        let place = subject
            .rsplit(' ')
            .next()
            .and_then(|last| last.parse().ok());
        let name = names
            .get(place.unwrap_or(0_usize))
            .copied()
            .unwrap_or_default();
        match line["purpose"].as_str().unwrap() {
            "plan" => "plan the work as tasks".to_owned(),
            "interface" => "Write its interface in WIT".to_owned(),
            "workload" if subject.contains("repair") => "They cannot be used:".to_owned(),
            "workload" => "Write three things.".to_owned(),
            "approaches" => "Prefer those of which it is not clear".to_owned(),
            "combination" => "Write one file that takes what is best of both".to_owned(),
            // Behind the problem stands the idea, marked by its own digest.
            "repair" => format!("{name}: "),
            _ => format!("{name}: "),
        }
    };
    let mut replies: Vec<(u8, String, String)> = Vec::new();
    for line in &lines {
        let purpose = line["purpose"].as_str().unwrap();
        // What a question has that comes later, is looked for first.
        let order = match purpose {
            "combination" => 0,
            "repair" => 1,
            "workload" if line["subject"] != "workload" => 1,
            "approaches" | "prototype" => 2,
            _ => 3,
        };
        replies.push((order, mark(line), line["reply"].to_string()));
    }
    replies.sort_by_key(|(order, ..)| *order);
    // A repair is told apart from the first question by what follows it.
    let is_repair = |order: u8, mark: &str| order == 1 && mark.ends_with(": ");
    replies
        .into_iter()
        .map(|(order, mark, reply)| match is_repair(order, &mark) {
            true => ("This file was written for it:".to_owned(), reply),
            false => (mark, reply),
        })
        .collect()
}

/// Begins an exploration that does not measure.
fn begin(out: &Path, address: &str) -> Child {
    begin_within(100_000_000, out, address)
}

/// The same with so many tokens at most.
fn begin_within(tokens: u32, out: &Path, address: &str) -> Child {
    let statement = fs::read_to_string(example().join("statement.txt")).unwrap();
    let mut command = bakeoff(&[
        "explore",
        &statement,
        "--provider",
        "openai",
        "--model",
        "mock",
    ]);
    command
        .args([
            "--base-url",
            address,
            "--tokens",
            &tokens.to_string(),
            // So that one call is under way when it is killed.
            "--calls-at-once",
            "1",
            "--no-run",
            "--out",
        ])
        .arg(out)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn lines(out: &Path) -> usize {
    let record = fs::read(out.join(".bakeoff/models.jsonl")).unwrap_or_default();
    let lines = record.iter().filter(|byte| **byte == b'\n').count();
    // The first one is the record's id.
    lines.saturating_sub(1)
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// What an exploration leaves, but for times and costs.
fn left(out: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for name in ["bakeoff.toml", "workload.rs", "wit", "approaches"] {
        let path = out.join(name);
        let entries = match path.is_dir() {
            true => fs::read_dir(&path)
                .unwrap()
                .map(|one| one.unwrap().path())
                .collect(),
            false => vec![path],
        };
        for entry in entries {
            let relative = entry.strip_prefix(out).unwrap().to_owned();
            files.insert(relative, fs::read(&entry).unwrap());
        }
    }
    files
}

#[test]
fn an_exploration_that_is_killed_at_every_boundary_pays_for_no_reply_twice() {
    let folder = TempDir::new().unwrap();
    let (mock, address) = Mock::start(replies());
    let count = mock.lock().unwrap().replies.len();
    // As it is without a kill.
    let whole = folder.path().join("whole/out");
    mock.lock().unwrap().left = usize::MAX;
    let done = begin(&whole, &address).wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(0), "{said}");
    assert_eq!(mock.lock().unwrap().sent.len(), count, "{said}");

    // Each life hears one reply more, and is killed while the next call is under way.
    let out = folder.path().join("killed/out");
    mock.lock().unwrap().sent.clear();
    for life in 1..count {
        {
            let mut mock = mock.lock().unwrap();
            (mock.left, mock.unanswered) = (1, 0);
        }
        let mut child = begin(&out, &address);
        while mock.lock().unwrap().unanswered == 0 {
            if child.try_wait().unwrap().is_some() {
                let said = child.wait_with_output().unwrap().stderr;
                panic!("life {life} has ended: {}", String::from_utf8_lossy(&said));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        kill(child);
    }
    // The last one hears the last reply, and is killed at some moments of what is left to do.
    mock.lock().unwrap().left = usize::MAX;
    let mut child = begin(&out, &address);
    while lines(&out) < 2 * count - 1 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    kill(child);
    for moment in [20, 60, 120, 250] {
        if out.join("bakeoff.toml").exists() {
            break;
        }
        let mut child = begin(&out, &address);
        std::thread::sleep(Duration::from_millis(moment));
        let _ = child.kill();
        child.wait().unwrap();
    }
    if !out.join("bakeoff.toml").exists() {
        let done = begin(&out, &address).wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(0), "{said}");
    }
    assert_eq!(left(&out), left(&whole));

    // Every reply was sent once; what was under way is booked with the most it can have taken, and marked.
    let sent = mock.lock().unwrap().sent.clone();
    assert!(sent.values().all(|times| *times == 1), "{sent:?}");
    assert_eq!(sent.len(), count);
    let record = fs::read_to_string(out.join(".bakeoff/models.jsonl")).unwrap();
    let exchanges: Vec<Value> = record
        .lines()
        // The first one is the record's id.
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (whole, cut): (Vec<&Value>, Vec<&Value>) = exchanges
        .iter()
        .partition(|one| one["outcome"] == "complete");
    assert_eq!((whole.len(), cut.len()), (count, count - 1));
    let tokens = |one: &Value, key: &str| one["usage"][key].as_u64().unwrap_or(0);
    for key in ["input_tokens", "output_tokens"] {
        let counted = USAGE[usize::from(key == "output_tokens")] * count as u64;
        assert_eq!(
            whole.iter().map(|one| tokens(one, key)).sum::<u64>(),
            counted
        );
    }
    for one in cut {
        assert_eq!(one["usage"]["upper_bound"], true, "{one}");
        assert!(tokens(one, "output_tokens") > USAGE[1], "{one}");
    }
}

#[test]
fn an_exploration_that_budgets_ended_goes_on_with_larger_ones_and_pays_for_no_reply_twice() {
    let folder = TempDir::new().unwrap();
    let (mock, address) = Mock::start(replies());
    mock.lock().unwrap().left = usize::MAX;
    let done = |out: &Path, tokens| {
        let child = begin_within(tokens, out, &address);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap(), said)
    };
    let whole = folder.path().join("whole/out");
    assert_eq!(done(&whole, 100_000_000).0, 0);
    let once = mock.lock().unwrap().sent.clone();

    mock.lock().unwrap().sent.clear();
    let out = folder.path().join("ended/out");
    let is_complete = || -> bool {
        let kept = fs::read(out.join(".bakeoff/generation.json")).unwrap();
        let kept: Value = serde_json::from_slice(&kept).unwrap();
        kept["is_complete"].as_bool().unwrap()
    };
    let mut ended_with_an_experiment = 0;
    let mut tokens = 12_000;
    loop {
        let (status, said) = done(&out, tokens);
        if status == 0 {
            break;
        }
        assert_eq!(status, 4, "{tokens}: {said}");
        assert!(said.contains("budget-exhausted"), "{said}");
        if out.join("bakeoff.toml").exists() {
            assert!(!is_complete());
            ended_with_an_experiment += 1;
            if ended_with_an_experiment == 1 {
                // On what is no longer there as it was, it does not go on, and asks nobody.
                let path = out.join("workload.rs");
                let text = fs::read(&path).unwrap();
                fs::write(&path, "// mine").unwrap();
                let before = mock.lock().unwrap().sent.clone();
                let (status, said) = done(&out, 100_000_000);
                assert_eq!(status, 2, "{said}");
                assert!(said.contains("workload.rs was changed"), "{said}");
                assert_eq!(mock.lock().unwrap().sent, before);
                fs::write(&path, text).unwrap();
            }
        }
        tokens += 1_500;
    }
    assert!(ended_with_an_experiment > 0);
    assert!(is_complete());
    assert_eq!(mock.lock().unwrap().sent, once);
    // What was refused first may have come after what was not: the same files, perhaps under other numbers.
    let contents = |out: &Path| {
        let mut contents: Vec<Vec<u8>> = left(out)
            .into_iter()
            .filter(|(path, _)| !path.ends_with("bakeoff.toml"))
            .map(|(_, bytes)| bytes)
            .collect();
        contents.sort();
        contents
    };
    assert_eq!(contents(&out), contents(&whole));
    let text = fs::read_to_string(out.join("bakeoff.toml")).unwrap();
    assert_eq!(text.matches("[[approach]]").count(), 5, "{text}");
    // It is done: the same command is refused now.
    assert_eq!(done(&out, 100_000_000).0, 2);
}

/// The replies of a plan with three approaches to the other example, each with what only its question has.
fn replies_of_a_run(example: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(example.join("model.jsonl")).unwrap();
    let task = |kind: &str| json!({"kind": kind, "title": kind, "depends_on": [], "priority": 0, "output_tokens": 400});
    let tasks = ["sketch", "approach", "approach", "approach"].map(task);
    let plan = json!({"complexity": {"level": "moderate", "reasons": []}, "tasks": tasks});
    let mut replies = vec![("plan the work as tasks".to_owned(), plan.to_string())];
    let names = ["merge-sort", "fenwick-tree", "sorted-insertion"];
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let subject = line["subject"].as_str().unwrap();
        let mark = match line["purpose"].as_str().unwrap() {
            "plan" => continue,
            "approaches" => "Prefer those of which it is not clear".to_owned(),
            "repair" => "This file was written for it:".to_owned(),
            _ => {
                let place: usize = subject.rsplit(' ').next().unwrap().parse().unwrap();
                format!("{}: ", names[place - 1])
            }
        };
        let reply = (mark, line["reply"].to_string());
        match line["purpose"] == "repair" {
            true => replies.insert(0, reply),
            false => replies.push(reply),
        }
    }
    replies
}

/// The example with a table that asks a model for three approaches, and replies to that.
fn example_with_generate() -> (TempDir, Arc<Mutex<Mock>>, String) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/inversions");
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in [
        "workload.rs",
        "wit/inversions.wit",
        "approaches/all_pairs.rs",
    ] {
        fs::create_dir_all(at(name).parent().unwrap()).unwrap();
        fs::copy(from.join(name), at(name)).unwrap();
    }
    let text = fs::read_to_string(from.join("bakeoff.toml")).unwrap()
        + "\n[generate]\nprovider = \"openai\"\nmodel = \"mock\"\ntokens = 100_000_000\napproaches = 3\n";
    fs::write(at("bakeoff.toml"), text).unwrap();
    let (mock, address) = Mock::start(replies_of_a_run(&from));
    (folder, mock, address)
}

/// A run that is killed between the files that it writes: before the experiment names them, and after.
#[test]
fn a_run_that_is_killed_before_its_generation_is_complete_asks_for_nothing_again() {
    let (folder, mock, address) = example_with_generate();
    let at = |name: &str| folder.path().join(name);
    let before = fs::read_to_string(at("bakeoff.toml")).unwrap();
    let run = || {
        let mut command = bakeoff(&["run", "--generate", "--budget", "100ms", "--base-url"]);
        let output = command.arg(&address).arg(folder.path()).output().unwrap();
        let output: crate::support::CommandOutput = output.into();
        assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
        let mut files: Vec<_> = fs::read_dir(at("approaches"))
            .unwrap()
            .map(|one| one.unwrap().file_name())
            .collect();
        files.sort();
        (fs::read_to_string(at("bakeoff.toml")).unwrap(), files)
    };
    mock.lock().unwrap().left = usize::MAX;
    let whole = run();
    assert_eq!(mock.lock().unwrap().sent.len(), 6);
    assert_eq!(whole.1.len(), 4);

    mock.lock().unwrap().left = 0;
    let record = at(".bakeoff/generation.json");
    let kept = fs::read_to_string(&record).unwrap();
    let unfinished = kept.replace("\"is_complete\": true", "\"is_complete\": false");
    assert_ne!(kept, unfinished);
    for text in [&before, &whole.0] {
        fs::write(&record, &unfinished).unwrap();
        bakeoff::cli::seal_generation_again(folder.path()).unwrap();
        fs::write(at("bakeoff.toml"), text).unwrap();
        assert_eq!(run(), whole);
        assert_eq!(fs::read_to_string(&record).unwrap(), kept);
    }
    assert_eq!(mock.lock().unwrap().unanswered, 0);
}

/// A model that has seen all that was published, and replies once more after that.
#[test]
fn the_seed_of_timed_inputs_is_drawn_after_the_last_prototype_was_written() {
    let (folder, mock, address) = example_with_generate();
    let seed = |output: std::process::Output| -> Value {
        let output: crate::support::CommandOutput = output.into();
        assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
        output.json()["experiment"]["seed"].clone()
    };
    let words = ["run", "--budget", "100ms", "--format", "json"];
    let run = |more: &[&str]| {
        let mut command = bakeoff(&[&words, more].concat());
        command.arg(folder.path()).stdin(Stdio::null());
        command
    };
    // The seed of this run is in its report, for whoever writes prototypes from then on.
    let published = seed(run(&[]).output().unwrap());
    let events = folder.path().join(".bakeoff/inversions/events.jsonl");
    let before = fs::read_to_string(&events).unwrap();

    // All replies but the last: a repair of the second approach, or the prototype of the third.
    let asking = ["--generate", "--yes", "--base-url", &address];
    mock.lock().unwrap().left = 5;
    let mut child = run(&asking)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while mock.lock().unwrap().unanswered == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    // While the model writes the last one, no run has begun that has another seed.
    assert_eq!(fs::read_to_string(&events).unwrap(), before);
    kill(child);
    mock.lock().unwrap().left = usize::MAX;
    let drawn = seed(run(&asking).output().unwrap());
    assert_ne!(drawn, published);
    assert_eq!(drawn.as_str().unwrap().len(), 32, "128 bits: {drawn}");
    let after = fs::read_to_string(&events).unwrap();
    assert!(after.starts_with(&before) && after.contains("\"run\":2"));

    // And once it is drawn, nothing is written any more: it holds for a run that measures the same again.
    let again = seed(run(&asking).output().unwrap());
    assert_eq!(again, drawn);
}
