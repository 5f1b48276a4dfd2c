//! The commands around a run: what they say, and what they refuse. Nothing here depends on how
//! long anything takes, only on what is far slower than something else.

use crate::finished::TOP_K;
use crate::support::{CommandOutput, bakeoff, measuring_slot, root, run_bakeoff};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The report of a folder with other weights, as JSON.
fn weighed(folder: &Path, weights: &[&str]) -> Value {
    let mut arguments = vec!["report", text(folder), "--format", "json"];
    for weight in weights {
        arguments.extend(["--weight", *weight]);
    }
    let said = run_bakeoff(&arguments);
    assert_eq!(said.status, 0, "{}", said.stderr);
    said.json()
}

fn assert_refused(said: &CommandOutput, why: &str) {
    assert_eq!(said.status, 2, "{} {}", said.stdout, said.stderr);
    assert_eq!(said.stdout, "", "something was said all the same");
    assert!(said.explains(why), "{}", said.stderr);
}

#[test]
fn other_weights_move_the_winner_and_run_nothing() {
    let finished = TOP_K.copy();
    let (report, folder) = (&TOP_K.report, &finished.results("top-k"));
    let kept = fs::read(folder.join("report.json")).unwrap();
    let database = fs::read(folder.join("bakeoff.db")).unwrap();

    assert_eq!(&weighed(folder, &[]), report);
    let alone = ["performance=0", "memory=0", "simplicity=1"];
    let simplest = weighed(folder, &alone);
    assert_eq!(simplest["recommendation"]["winner"], "sort");
    let fastest = weighed(folder, &["performance=1", "memory=0", "simplicity=0"]);
    assert_ne!(fastest["recommendation"]["winner"], "sort");
    assert!(
        simplest["notes"]
            .to_string()
            .contains("simplicity 1 (was 0.1)"),
        "{}",
        simplest["notes"]
    );
    assert_eq!(simplest["verdicts"], report["verdicts"]);

    assert_eq!(fs::read(folder.join("report.json")).unwrap(), kept);
    assert_eq!(fs::read(folder.join("bakeoff.db")).unwrap(), database);

    for (format, beginning) in [("md", "# "), ("html", "<!doctype html"), ("csv", "")] {
        let said = run_bakeoff(&["report", text(folder), "--format", format]);
        assert_eq!(said.status, 0, "{}", said.stderr);
        assert!(
            said.stdout.to_lowercase().starts_with(beginning),
            "{format}: {}",
            said.stdout
        );
        assert!(said.stdout.contains("heap"), "{format}");
    }

    refuses_weights(folder);
    lists_runs(folder);
}

fn refuses_weights(folder: &Path) {
    for (weights, why) in [
        (vec!["performance=-1"], "a weight is 0 or more"),
        (vec!["performance=NaN"], "must be a finite number"),
        (vec!["performance=inf"], "must be a finite number"),
        (vec!["performance=fast"], "is not a number"),
        (vec!["performance"], "a weight is written NAME=X"),
        (vec!["beauty=1"], "there is no criterion \"beauty\""),
        (
            vec!["performance=0", "memory=0", "simplicity=0"],
            "all weights are 0",
        ),
    ] {
        let mut arguments = vec!["report", text(folder)];
        for weight in weights {
            arguments.extend(["--weight", weight]);
        }
        assert_refused(&run_bakeoff(&arguments), why);
    }
}

fn lists_runs(folder: &Path) {
    let said = run_bakeoff(&["runs", text(folder), "--format", "json"]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let runs = said.json();
    assert_eq!(runs[0]["run"], 1);
    assert_eq!(runs[0]["status"], "finished");
    let table = run_bakeoff(&["runs", text(folder)]);
    assert!(table.stdout.contains("finished"), "{}", table.stdout);
    let run = |number: u32| format!("{}:{number}", text(folder));
    let same = run_bakeoff(&["compare", &run(1), text(folder), "--format", "json"]);
    assert_eq!(same.json()["verdicts"], serde_json::json!([]));
    let none = run_bakeoff(&["compare", &run(1), &run(7)]);
    assert_refused(&none, "there is no run 7");
    let measured = run_bakeoff(&["compare", &run(1), &run(1), "--budget", "1s"]);
    assert_refused(&measured, "leave out --budget");
}

#[test]
fn a_folder_without_results_is_refused_and_a_report_in_it_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let dir = text(folder.path());
    let commands = ["report", "pick", "runs", "status", "verify"];
    for command in commands {
        assert_refused(&run_bakeoff(&[command, dir]), "holds no results");
    }
    let golden = root().join("tests/golden/report/report.json");
    let golden = fs::read_to_string(golden).unwrap();
    let file = folder.path().join("report.json");
    for content in [&golden, "", "{\"schema_version\": 2}", "[1, 2]"] {
        fs::write(&file, content).unwrap();
        for command in commands {
            let why = "has report.json and no results: a report is concluded from results";
            assert_refused(&run_bakeoff(&[command, dir]), why);
        }
    }
}

#[test]
fn what_init_writes_runs_and_is_picked_from() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("new");
    let dir = text(&dir);
    let said = run_bakeoff(&["init", dir]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    assert!(said.stdout.contains("bakeoff run"), "{}", said.stdout);

    assert_refused(&run_bakeoff(&["report", dir]), "holds no results");
    let run = run_bakeoff(&["run", dir, "--budget", "60s", "--format", "json"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let report = run.json();
    for variant in report["variants"].as_array().unwrap() {
        assert_eq!(variant["status"], "ranked", "{variant:#}");
        assert_eq!(variant["pure"], true, "{variant:#}");
    }
    assert!(report["too_short"].is_null(), "{}", report["too_short"]);

    // Which of the two is ahead is for the machine to say.
    let picked = run_bakeoff(&["pick", dir]);
    let copy = folder.path().join("copy.rs");
    let copied = run_bakeoff(&["pick", dir, "--copy", text(&copy)]);
    let Some(winner) = report["recommendation"]["winner"].as_str() else {
        assert_eq!((picked.status, copied.status), (1, 1));
        return;
    };
    assert_eq!(picked.status, 0, "{}", picked.stderr);
    let own = Path::new(dir).join(format!("approaches/{winner}.rs"));
    assert_eq!(Path::new(picked.stdout.trim_end()), own);
    assert_eq!(copied.status, 0, "{}", copied.stderr);
    assert_eq!(fs::read(&copy).unwrap(), fs::read(&own).unwrap());
    let again = run_bakeoff(&["pick", dir, "--copy", text(&copy)]);
    assert_refused(&again, "already, which is left as it is: name a new file");
}

#[test]
fn init_overwrites_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("workload.rs"), "mine").unwrap();
    assert_refused(
        &run_bakeoff(&["init", text(folder.path())]),
        "exists already",
    );
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "a refusal writes nothing");
    let kept = fs::read_to_string(folder.path().join("workload.rs")).unwrap();
    assert_eq!(kept, "mine");
}

const APPROACHES: &str = "examples/top-k/approaches";

/// Two files head to head, the first of which is the baseline.
/// Compares two files; a size and a budget among `more` replace the usual ones.
fn compare(first: &str, second: &str, more: &[&str]) -> CommandOutput {
    let mut arguments = vec![
        "compare",
        first,
        second,
        "--wit",
        "examples/top-k/wit",
        "--call",
        "top-k",
        "--workload",
        "examples/top-k/workload.rs",
        "--format",
        "json",
    ];
    for (option, usual) in [("--size", "64000"), ("--budget", "60s")] {
        if !more.contains(&option) {
            arguments.extend([option, usual]);
        }
    }
    arguments.extend(more);
    run_bakeoff(&arguments)
}

/// A budget in which not one replica ends: sorting a list of this size once takes most of it.
const TOO_LITTLE_TIME: [&str; 4] = ["--size", "1000000", "--budget", "100ms"];

#[test]
fn what_is_surely_slower_fails_the_check() {
    let quick = format!("{APPROACHES}/quickselect.rs");
    let slow = format!("{APPROACHES}/sort.rs");
    let limit = ["--fail-if-slower", "10%"];

    let slower = compare(&quick, &slow, &limit);
    assert_eq!(slower.status, 1, "{}", slower.stderr);
    let line = "Slower: sort is slower than quickselect by more than 10 %";
    assert!(slower.stderr.contains(line), "{}", slower.stderr);
    assert_eq!(slower.json()["outcome"], "slower");
    assert_eq!(slower.json()["recommendation"]["winner"], "quickselect");

    let faster = compare(&slow, &quick, &limit);
    assert_eq!(faster.status, 0, "{}", faster.stderr);
    let line = "Not slower: quickselect is not slower than sort by more than 10 %";
    assert!(faster.stderr.contains(line), "{}", faster.stderr);
    assert_eq!(faster.json()["outcome"], "not-slower");
}

#[test]
fn what_is_not_known_fails_the_check_unless_that_is_let_pass() {
    let quick = format!("{APPROACHES}/quickselect.rs");
    let slow = format!("{APPROACHES}/sort.rs");
    let limit = [&["--fail-if-slower", "10%"], &TOO_LITTLE_TIME[..]].concat();
    let line = "Not known whether sort is slower than quickselect by more than 10 %";

    let fails = compare(&quick, &slow, &limit);
    assert_eq!(fails.status, 1, "{}", fails.stderr);
    assert!(fails.stderr.contains(line), "{}", fails.stderr);
    assert!(fails.stderr.contains("--budget"), "{}", fails.stderr);

    let pass = [&limit[..], &["--unsure", "pass"]].concat();
    let passes = compare(&quick, &slow, &pass);
    assert_eq!(passes.status, 0, "{}", passes.stderr);
    assert!(passes.stderr.contains(line), "{}", passes.stderr);
    assert_eq!(passes.json()["outcome"], "not-known");
}

#[test]
fn a_run_without_an_answer_fails_and_one_with_a_tie_does_not() {
    let sort = format!("{APPROACHES}/sort.rs");
    let heap = format!("{APPROACHES}/heap.rs");
    let open = compare(&sort, &heap, &TOO_LITTLE_TIME);
    assert_eq!(open.status, 1, "{}", open.stderr);
    assert!(open.json()["recommendation"]["winner"].is_null());

    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.rs");
    std::fs::copy(crate::support::root().join(&heap), &copy).unwrap();
    let tie = compare(&heap, text(&copy), &[]);
    assert_eq!(tie.status, 0, "{}", tie.stderr);
    assert_eq!(tie.json()["outcome"], "tie");
}

#[test]
fn sources_and_components_are_mixed_and_of_the_same_code_neither_wins() {
    let folder = tempfile::tempdir().unwrap();
    let component = folder.path().join("built.wasm");
    let source = format!("{APPROACHES}/heap.rs");
    let built = run_bakeoff(&[
        "build",
        &source,
        "--wit",
        "examples/top-k/wit",
        "--call",
        "top-k",
        "-o",
        text(&component),
    ]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    // Whether a tie is sure depends on what else runs on the machine; and one run in twenty may claim what is not
    // so, but not two of two.
    let mut claims = Vec::new();
    let (out, report) = loop {
        let out = folder.path().join(format!("out-{}", claims.len()));
        let allowed = [
            "--fail-if-slower",
            "2%",
            "--unsure",
            "pass",
            "--out",
            text(&out),
        ];
        let said = compare(&source, text(&component), &allowed);
        let report = said.json();
        let verdict = crate::support::verdict(&report, "heap", "built");
        if ["tie", "no-call"].contains(&&*verdict) {
            assert_eq!(said.status, 0, "{}", said.stderr);
            break (out, report);
        }
        claims.push(verdict);
        assert!(claims.len() < 2, "{claims:?}");
    };
    assert!(out.join("report.html").is_file());
    // Its outcome is that of the race, and not of what was asked for.
    let again = run_bakeoff(&["report", text(&out), "--format", "json"]);
    let without_outcome = |mut report: Value| {
        assert!(report["outcome"].is_string(), "{report:#}");
        report.as_object_mut().unwrap().remove("outcome");
        report
    };
    assert_eq!(without_outcome(again.json()), without_outcome(report));
}

#[test]
fn calls_in_a_file_are_compared_without_an_experiment_and_one_is_made_again_as_the_report_says() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().join("it's here");
    for (from, to) in [
        ("approaches/sort.rs", "sort.rs"),
        ("approaches/reversed.rs", "the reversed.rs"),
        ("wit/top-k.wit", "the wit/top-k.wit"),
        ("cases.toml", "it's cases.toml"),
    ] {
        let to = here.join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(root().join("tests/planted/cases").join(from), to).unwrap();
    }
    let run = |mut command: Command| -> CommandOutput {
        let _slot = measuring_slot();
        command.current_dir(&here).output().unwrap().into()
    };
    let files = ["compare", "sort.rs", "the reversed.rs"];
    let inputs = [
        "--wit",
        "the wit",
        "--call",
        "top-k",
        "--cases",
        "it's cases.toml",
    ];
    let test = ["--budget", "60s", "--fail-if-slower", "2%"];
    let said = run(bakeoff(&[&files[..], &inputs, &test].concat()));
    // The one that is compared with the first failed.
    assert_eq!(said.status, 1, "{}", said.stderr);
    let unknown = "Not known whether the reversed";
    assert!(said.stderr.contains(unknown), "{}", said.stderr);
    assert!(
        said.stdout.contains("failed: wrong-answer"),
        "{}",
        said.stdout
    );

    // What is printed is a command for a shell, in the same folder.
    let printed = said.stdout.split_once("bakeoff check").unwrap().1;
    let printed = printed.split_once("\n\n").unwrap().0;
    let printed: Vec<&str> = printed.split_whitespace().collect();
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("\"$0\" check {}", printed.join(" ")));
    shell.arg(bakeoff(&[]).get_program());
    for (name, value) in bakeoff(&[]).get_envs() {
        value.map(|value| shell.env(name, value));
    }
    let again = run(shell);
    assert_eq!(again.status, 1, "{printed:?}\n{}", again.stderr);
    assert!(again.stdout.contains("wrong-answer"), "{}", again.stdout);
}

#[test]
fn a_comparison_that_cannot_be_made_is_refused() {
    let sort = "examples/top-k/approaches/sort.rs";
    let heap = "examples/top-k/approaches/heap.rs";
    let wit = ["--wit", "examples/top-k/wit", "--call", "top-k"];
    let inputs = [
        "--workload",
        "examples/top-k/workload.rs",
        "--size",
        "64000",
    ];
    let compare = |parts: &[&[&str]]| {
        let mut arguments = vec!["compare"];
        arguments.extend(parts.concat());
        run_bakeoff(&arguments)
    };

    assert_refused(
        &compare(&[&[sort], &wit, &inputs]),
        "2 to 64 files are compared",
    );
    let missing = compare(&[&[sort, "nowhere.rs"], &wit, &inputs]);
    assert_refused(&missing, "there is no file nowhere.rs");
    let python = compare(&[&[sort, "README.md"], &wit, &inputs]);
    assert_refused(
        &python,
        "is no source in Rust (.rs), C (.c), C++ (.cc, .cpp, .cxx) or Zig",
    );
    let both = compare(&[&[sort, heap], &wit, &inputs, &["--cases", "cases.toml"]]);
    assert_refused(&both, "cannot be used with");
    let percent = compare(&[&[sort, heap], &wit, &inputs, &["--fail-if-slower", "2"]]);
    assert_refused(&percent, "the unit is missing");
    let other = ["--wit", "examples/top-k/wit", "--call", "no-such-call"];
    assert_refused(&compare(&[&[sort, heap], &other, &inputs]), "no-such-call");
}

#[test]
fn completions_and_pages_name_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let said = run_bakeoff(&["completions", shell]);
        assert_eq!(said.status, 0, "{}", said.stderr);
        for command in ["run", "report", "compare", "pick"] {
            assert!(said.stdout.contains(command), "{shell}: {command}");
        }
    }
    let page = run_bakeoff(&["man"]);
    assert!(page.stdout.contains(".TH"), "{}", page.stdout);
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    let said = run_bakeoff(&["man", "--out", text(&pages)]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    for page in ["bakeoff.1", "bakeoff-report.1", "bakeoff-compare.1"] {
        assert!(pages.join(page).is_file(), "{page}");
    }
}

#[test]
fn a_case_is_named_by_its_place() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let long = format!("total([{}2])", "1, ".repeat(3_000));
    std::fs::write(
        path("cases.toml"),
        format!("[[case]]\ncall = \"total([1])\"\nexpect = \"1\"\n\n[[case]]\ncall = \"{long}\"\nexpect = \"2\"\n"),
    )
    .unwrap();
    std::fs::write(
        path("x.wit"),
        "package a:b; world prototype { export total: func(items: list<s64>) -> s64; }",
    )
    .unwrap();
    std::fs::write(
        path("a.rs"),
        "pub fn total(items: Vec<i64>) -> i64 { items.iter().sum() }",
    )
    .unwrap();
    let check = |case: &str| {
        let (file, wit, cases) = (path("a.rs"), path("x.wit"), path("cases.toml"));
        run_bakeoff(&[
            "check", &file, "--wit", &wit, "--call", "total", "--cases", &cases, "--case", case,
        ])
    };
    let second = check("#2");
    assert_eq!(second.status, 1, "{}{}", second.stdout, second.stderr);
    assert!(
        second.stdout.contains("case #2: wrong-answer"),
        "{}",
        second.stdout
    );
    assert!(second.stdout.len() < 4_000, "{}", second.stdout.len());
    assert_eq!(check("#1").status, 0);
    for none in ["#0", "#3", "#x"] {
        let refused = check(none);
        assert_eq!(refused.status, 2, "{}", refused.stderr);
        assert!(refused.explains("the place of none"), "{}", refused.stderr);
    }
}

#[test]
fn what_the_command_line_quotes_acts_on_no_terminal() {
    for arguments in [
        &["--\u{1b}[31mred"][..],
        &["com\u{1b}]0;title\u{7}pare"],
        &["report", "--run", "1\u{202e}"],
    ] {
        let said: CommandOutput = bakeoff(arguments).output().unwrap().into();
        assert_eq!(said.status, 2, "{}", said.stderr);
        assert!(
            !said.stderr.contains(['\u{1b}', '\u{7}', '\u{202e}']),
            "{:?}",
            said.stderr
        );
        assert!(said.stderr.contains("error: "), "{}", said.stderr);
    }
}
