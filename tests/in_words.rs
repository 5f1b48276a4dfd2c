//! Questions in words: `bakeoff explore --opinion` and `kind = "opinion"`, from recorded replies and mock models.

mod hostile;

use crate::mock_model::Mock;
use crate::support::{CommandOutput, root, run_bakeoff, variant};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

const CACHING: &str = "Design a caching strategy for our read-heavy API";

fn example(name: &str) -> PathBuf {
    root().join("examples/opinions").join(name)
}

/// Explores into a folder below this one, from the replies of an example.
fn explore(folder: &Path, name: &str, more: &[&str]) -> CommandOutput {
    let cassette = example(name).join("opinions.jsonl");
    let out = folder.join("out");
    let words = [
        "explore",
        CACHING,
        "--out",
        out.to_str().unwrap(),
        "--provider",
        "replay",
        "--cassette",
        cassette.to_str().unwrap(),
    ];
    run_bakeoff(&[&words, more].concat())
}

/// The report of an experiment in a format.
fn report(folder: &Path, format: &str) -> String {
    let output = run_bakeoff(&["report", folder.to_str().unwrap(), "--format", format]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    output.stdout
}

#[test]
fn a_question_is_answered_in_words_from_the_statement_to_the_page() {
    let folder = TempDir::new().unwrap();
    let output = explore(folder.path(), "caching", &["--opinion", "--format", "json"]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let made = output.json();
    let model = made["opinions"]["model"].as_str().unwrap();
    let notice = &format!("Opinions of {model}: nothing was run.");
    assert_eq!(made["in_words"]["notice"], **notice);
    assert!(
        output
            .stdout
            .starts_with("{\n  \"schema_version\": 1,\n  \"in_words\": {\n    \"notice\""),
        "{}",
        output.stdout
    );
    assert_eq!(made["recommendation"]["winner"], Value::Null);
    assert_eq!(made["recommendation"]["outcome"], "tie");
    let said = made["recommendation"]["text"].as_str().unwrap();
    assert!(
        said.starts_with("In the opinion of replay of ") && said.ends_with("surely ahead."),
        "{said}"
    );
    let redis = variant(&made, "redis");
    assert_eq!(
        (&redis["rank"], &redis["status"]),
        (&json!(1), &json!("ranked"))
    );
    assert_eq!(redis["readings"]["judge:performance"]["value"], 8.5);
    let way = &made["in_words"]["measurable"][0];
    let command = way["command"].as_str().unwrap();
    assert!(
        way["criterion"] == "performance" && command.starts_with("bakeoff explore 'Given a trace"),
        "{way}"
    );
    assert_eq!(
        made["in_words"]["not_measurable"],
        json!(["cost", "simplicity"])
    );
    let text = made["in_words"]["texts"]["redis"].as_str().unwrap();
    assert!(
        text.contains("## Architecture") && text.contains("## Pseudocode"),
        "{text}"
    );
    let approaches = &made["generation"]["approaches"];
    assert_eq!(
        approaches[3]["file"], "approaches/materialized-views.md",
        "{approaches}{}",
        output.stderr
    );

    // What is checked in is what comes of it.
    let out = folder.path().join("out");
    for name in [
        "approaches/redis.md",
        "approaches/in-process.md",
        "opinions.jsonl",
    ] {
        let of_example = fs::read_to_string(example("caching").join(name)).unwrap();
        assert_eq!(
            fs::read_to_string(out.join(name)).unwrap(),
            of_example,
            "{name}"
        );
    }
    let file = |folder: &Path| fs::read_to_string(folder.join("bakeoff.toml")).unwrap();
    let of_example = file(&example("caching")).replace("name = \"caching\"", "name = \"out\"");
    assert_eq!(file(&out), of_example);

    // The place of the cassette is in the notice, so that lines end where they may.
    let human = report(&out, "human");
    let human = human.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(human.starts_with(notice), "{human}");
    let is_told =
        human.contains("What could be measured") && human.contains("bakeoff time COMMAND");
    assert!(is_told, "{human}");
    let page = report(&out, "html");
    let body = page.split_once("<body>\n").unwrap().1;
    let begins = format!("<p class=\"what\" role=\"note\">{notice}</p>\n<header>");
    assert!(body.starts_with(&begins), "{}", &body[..200]);
    assert!(
        body.contains("bakeoff explore &#39;Given a trace")
            || body.contains("bakeoff explore 'Given"),
        "{body}"
    );
    let markdown = report(&out, "md");
    assert!(markdown.starts_with(&format!("**{notice}**")), "{markdown}");
    for heading in [
        "## What could be measured",
        "## redis, in words",
        "## By criterion",
    ] {
        assert!(markdown.contains(heading), "{heading}: {markdown}");
    }
    let csv = report(&out, "csv");
    assert!(
        csv.starts_with("\"notice\",\"could be measured\",\"id\","),
        "{csv}"
    );
    assert!(
        csv.lines()
            .skip(1)
            .all(|row| row.starts_with(&format!("\"{notice}\","))),
        "{csv}"
    );
    let junit = report(&out, "junit");
    assert!(
        junit.contains(&format!("name=\"notice\" value=\"{notice}\"")),
        "{junit}"
    );

    // Nothing can be made again, and nothing else can be done with it.
    for command in [
        &["verify"][..],
        &["pack"],
        &["generate", "--provider", "ollama"],
    ] {
        let arguments = [&command[..1], &[out.to_str().unwrap()], &command[1..]].concat();
        let refused = run_bakeoff(&arguments);
        assert_eq!(refused.status, 2, "{command:?}: {}", refused.stderr);
        assert!(refused.explains("question in words"), "{}", refused.stderr);
    }
    let again = explore(folder.path(), "caching", &["--opinion"]);
    assert_eq!(again.status, 2, "{}", again.stderr);
    assert!(
        again.explains("has an experiment already"),
        "{}",
        again.stderr
    );
    // Other weights, without another question.
    let weighed = [
        "report",
        out.to_str().unwrap(),
        "--weight",
        "cost=50",
        "--format",
        "json",
    ];
    let weighed = run_bakeoff(&weighed).json();
    let first = &weighed["variants"][0];
    assert_eq!(first["id"], "in-process", "{first}");
}

/// Copies an example, since what is recorded lies beside an experiment.
fn copied(name: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("approaches")).unwrap();
    for below in ["", "approaches"] {
        for entry in fs::read_dir(example(name).join(below)).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_file() {
                let to = folder.path().join(below).join(entry.file_name());
                fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    folder
}

#[test]
fn both_examples_are_judged_offline() {
    for (name, approaches) in [("caching", 4), ("interface", 3)] {
        let folder = copied(name);
        let at = folder.path().to_str().unwrap();
        let output = run_bakeoff(&["run", at, "--judge", "--format", "json"]);
        assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
        let report = output.json();
        assert_eq!(report["variants"].as_array().unwrap().len(), approaches);
        for variant in report["variants"].as_array().unwrap() {
            assert_eq!(variant["status"], "ranked", "{variant:#}");
        }
    }
}

/// A folder with a question in words, whose approaches have these texts.
fn question(table: &str, texts: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    let mut file = String::from("name = \"q\"\nproblem = \"Which?\"\nkind = \"opinion\"\n");
    for (name, text) in texts {
        fs::write(folder.path().join(format!("{name}.md")), text).unwrap();
        file += &format!(
            "[[approach]]\nname = \"{name}\"\ndescription = \"{name}\"\ntext = \"{name}.md\"\n"
        );
    }
    file += "[[criterion]]\nname = \"ease\"\nfrom = \"judge\"\nquestion = \"Is it easy?\"\n";
    file += &format!("[judge]\n{table}votes = 2\n");
    fs::write(folder.path().join("bakeoff.toml"), file).unwrap();
    folder
}

const SERVER: &str = "provider = \"openai\"\nmodel = \"mock\"\ntokens = 10_000_000\n";

/// A mock model that gives every text with `wanted` in it 10, and others 5.
fn obedient(wanted: &'static str) -> (Arc<Mutex<Mock>>, String) {
    let (mock, address) = Mock::start(Vec::new());
    let answer = move |prompt: &str| {
        let texts = prompt.split("\nText ").skip(1);
        let entries = texts.map(|text| {
            let number = if text.contains(wanted) { 10 } else { 5 };
            (
                text[..1].to_owned(),
                json!({"number": number, "reason": "r"}),
            )
        });
        Value::from(entries.collect::<serde_json::Map<String, Value>>()).to_string()
    };
    let mut started = mock.lock().unwrap();
    started.left = usize::MAX;
    started.answer = Some(Arc::new(answer));
    drop(started);
    (mock, address)
}

#[test]
fn without_leave_nobody_is_asked_and_the_rows_say_what_to_do() {
    let folder = question(SERVER, &[("one", "First."), ("two", "Second.")]);
    let at = folder.path().to_str().unwrap();
    let output = run_bakeoff(&["run", at, "--format", "json"]);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    assert!(
        output.explains("`bakeoff run --judge`"),
        "{}",
        output.stderr
    );
    assert!(!folder.path().join(".bakeoff/opinions.jsonl").exists());
    let report = output.json();
    let notice = "No model was asked for its opinions, and nothing was run.";
    assert_eq!(report["in_words"]["notice"], notice);
    assert_eq!(report["recommendation"]["outcome"], "nothing");
    for id in ["one", "two"] {
        let one = variant(&report, id);
        assert_eq!(one["status"], "unranked", "{one:#}");
        let why = one["reason"].as_str().unwrap();
        assert!(why.contains("bakeoff run --judge"), "{why}");
    }
    // With leave the same run has them, and asks once.
    let (mock, address) = obedient("First");
    let asking = [
        "run",
        at,
        "--judge",
        "--base-url",
        &address,
        "--format",
        "json",
    ];
    let judged = run_bakeoff(&asking);
    assert_eq!(judged.status, 0, "{}{}", judged.stdout, judged.stderr);
    assert_eq!(judged.json()["variants"][0]["id"], "one");
    assert_eq!(run_bakeoff(&asking).status, 0);
    let asked = mock.lock().unwrap().asked.clone();
    assert_eq!(asked.len(), 2, "one order, and the opposite one");
    for prompt in &asked {
        assert!(
            prompt.contains("Text A:") && prompt.contains("Text B:"),
            "{prompt}"
        );
        assert!(
            !prompt.contains("one.md") && !prompt.contains("Source A"),
            "{prompt}"
        );
    }
}

#[test]
fn what_is_about_running_has_no_meaning_in_words() {
    let folder = question(SERVER, &[("one", "First.")]);
    let at = folder.path().to_str().unwrap();
    for option in [
        &["--budget", "1s"][..],
        &["--generate"],
        &["--rounds", "2"],
        &["--quick"],
    ] {
        let refused = run_bakeoff(&[&["run", at][..], option].concat());
        assert_eq!(refused.status, 2, "{option:?}: {}", refused.stderr);
        assert!(
            refused.explains("nothing of it is run"),
            "{}",
            refused.stderr
        );
    }
    let refused = run_bakeoff(&["evolve", at]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.explains("question in words"), "{}", refused.stderr);
    let blank = question(SERVER, &[("one", " \n")]);
    let refused = run_bakeoff(&["run", blank.path().to_str().unwrap()]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.explains("has no words"), "{}", refused.stderr);
    let manual = [
        "explore",
        "?",
        "--opinion",
        "--provider",
        "manual",
        "--out",
        "nowhere",
    ];
    let refused = run_bakeoff(&manual);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(
        refused.explains("name another provider"),
        "{}",
        refused.stderr
    );
    let measured = [
        "explore",
        "?",
        "--criterion",
        "taste=1",
        "--provider",
        "ollama",
        "--out",
        "nowhere",
    ];
    let refused = run_bakeoff(&measured);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.explains("for --opinion"), "{}", refused.stderr);
}

#[test]
fn a_plan_without_a_function_ends_with_the_way_to_ask_in_words() {
    let folder = TempDir::new().unwrap();
    let cassette = folder.path().join("plan.jsonl");
    let reason = "It asks for a design, and \u{1b}[2J no input has a right answer.";
    let plan = json!({"purpose": "plan", "subject": "plan", "reply": {
        "complexity": {"level": "simple", "reasons": []}, "tasks": [], "no_function": reason,
    }});
    fs::write(&cassette, plan.to_string()).unwrap();
    let out = folder.path().join("out");
    let output = run_bakeoff(&[
        "explore",
        CACHING,
        "--out",
        out.to_str().unwrap(),
        "--provider",
        "replay",
        "--cassette",
        cassette.to_str().unwrap(),
    ]);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    assert!(output.explains("no typed function answers this question: It asks for a design"));
    assert!(output.explains("With --opinion"), "{}", output.stderr);
    assert!(!output.stderr.contains('\u{1b}'));
    // Nothing is written but the record of what was paid for.
    assert!(!out.join("bakeoff.toml").exists() && !out.join("approaches").exists());
}

#[test]
fn a_dry_run_shows_the_plan_and_what_a_budget_ends_goes_on() {
    let folder = TempDir::new().unwrap();
    let shown = explore(
        folder.path(),
        "interface",
        &["--opinion", "--dry-run", "--format", "json"],
    );
    assert_eq!(shown.status, 0, "{}{}", shown.stdout, shown.stderr);
    let plan = shown.json();
    assert_eq!(plan["approaches"][1]["name"], "graphql");
    assert_eq!(plan["criteria"][0]["could_measure"]["by"], "time");
    let out = folder.path().join("out");
    assert!(!out.join("bakeoff.toml").exists());

    // A cassette that ends after two of three texts.
    let replies = fs::read_to_string(example("interface").join("opinions.jsonl")).unwrap();
    let short: Vec<&str> = replies.lines().take(3).collect();
    let cassette = folder.path().join("short.jsonl");
    fs::write(&cassette, short.join("\n")).unwrap();
    let words = |cassette: &Path| {
        let cassette = cassette.to_str().unwrap().to_owned();
        let out = out.to_str().unwrap();
        run_bakeoff(&[
            "explore",
            CACHING,
            "--opinion",
            "--no-run",
            "--out",
            out,
            "--provider",
            "replay",
            "--cassette",
            &cassette,
        ])
    };
    let ended = words(&cassette);
    assert_eq!(ended.status, 4, "{}{}", ended.stdout, ended.stderr);
    assert!(
        ended.stdout.contains("has not come to its end"),
        "{}",
        ended.stdout
    );
    assert!(!out.join("bakeoff.toml").exists() && !out.join("approaches").exists());
    let whole = words(&example("interface").join("opinions.jsonl"));
    assert_eq!(whole.status, 0, "{}{}", whole.stdout, whole.stderr);
    assert!(out.join("approaches/grpc.md").exists());
    let kept = fs::read_to_string(out.join(".bakeoff/generation.json")).unwrap();
    assert!(kept.contains("\"is_complete\": true"), "{kept}");
}
