//! Comparisons of commands that are kept: reported again, and compared with each other.

use super::{Files, time};
use crate::support::{CommandOutput, bakeoff, run_bakeoff};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;

/// Compares two commands that write these numbers, and keeps that in a folder. What `app` writes is in a file.
fn kept(files: &Files, out: &str, reference: u32, app: u32, more: &[&str]) -> CommandOutput {
    let app = files.write("app", &format!("METRIC n={app}\n"));
    let (reference, app) = (format!("echo METRIC n={reference}"), format!("cat {app}"));
    let out = files.text(out);
    let arguments = [
        "-n",
        "reference",
        "-n",
        "app",
        "--metric",
        "n",
        "--runs",
        "10",
        "--out",
        &out,
        "--seed",
        "7",
        "--format",
        "json",
    ];
    time(&[&[reference.as_str(), &app], &arguments[..], more].concat())
}

fn compared(files: &Files, more: &[&str]) -> CommandOutput {
    let (before, after) = (files.text("before"), files.text("after"));
    run_bakeoff(&[&["compare", &before, &after], more].concat())
}

#[test]
fn a_kept_comparison_is_reported_again_in_every_format() {
    let files = Files::new();
    let said = kept(&files, "kept", 100, 150, &[]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let folder = files.text("kept");
    let again = |format: &str| run_bakeoff(&["report", &folder, "--format", format]);
    assert_eq!(again("json").stdout, said.stdout);
    for format in bakeoff::cli::report_format_names() {
        let part = match &*format {
            "html" => "<!doctype html>",
            "csv" => "\"reference\",\"app\"",
            "junit" => "<testsuite",
            _ => "Take reference: in n it",
        };
        let said = again(&format);
        assert_eq!(said.status, 0, "{format}: {}", said.stderr);
        assert!(said.stdout.contains(part), "{format}: {}", said.stdout);
        assert!(!said.stdout.contains("elsewhere"), "{}", said.stdout);
    }
    // Nothing that is kept is lost, and nothing runs before that is said.
    let refused = kept(&files, "kept", 100, 150, &[]);
    assert_eq!(refused.status, 2, "{}", refused.stdout);
    assert!(
        refused.explains("a comparison of commands is kept there"),
        "{}",
        refused.stderr
    );
    assert_eq!(again("json").stdout, said.stdout);
    let weighted = run_bakeoff(&["report", &folder, "--weight", "time=2"]);
    assert!(
        weighted.explains("leave out --weight"),
        "{}",
        weighted.stderr
    );
    for command in ["runs", "pick", "verify"] {
        let said = run_bakeoff(&[command, &folder]);
        assert_eq!(said.status, 2, "{command}: {}", said.stdout);
        assert!(
            said.explains("has a comparison of commands"),
            "{}",
            said.stderr
        );
    }
    // The test that was asked for is asked again.
    let test = kept(&files, "tested", 100, 150, &["--fail-if-worse", "5%"]);
    let again = run_bakeoff(&["report", &files.text("tested"), "--format", "json"]);
    assert_eq!((test.status, again.status), (1, 1), "{}", again.stderr);
    assert_eq!(again.json()["test"], "slower");
    assert_eq!(again.stdout, test.stdout);
}

#[test]
fn a_command_that_failed_has_failed_where_it_is_kept() {
    let files = Files::new();
    let out = files.text("kept");
    let said = time(&[
        "echo METRIC n=1",
        "echo METRIC n=2",
        "false",
        "--metric",
        "n",
        "--runs",
        "12",
        "--out",
        &out,
        "--format",
        "json",
    ]);
    let again = run_bakeoff(&["report", &out, "--format", "json"]);
    assert_eq!((said.status, again.status), (3, 3), "{}", again.stderr);
    assert_eq!(again.stdout, said.stdout);
}

#[test]
fn two_kept_comparisons_say_what_changed_by_way_of_what_did_not() {
    let files = Files::new();
    kept(&files, "before", 100, 150, &[]);
    kept(&files, "after", 100, 300, &[]);
    let said = compared(&files, &[]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    for line in [
        "winner: reference in both comparisons\n",
        "  reference: the same command, with the same files\n",
        "  app: the same command, with other files\n",
        "verdicts: the same for all pairs in both comparisons\n",
        "n against then, by way of what did not change (reference; all intervals at 90 %):\n",
        "  app: 2.0000 × higher, against reference\n",
    ] {
        assert!(said.stdout.contains(line), "{line}{}", said.stdout);
    }
    let change =
        &compared(&files, &["--format", "json"]).json()["times"]["comparable"]["changes"][0];
    assert_eq!(change["anchor"], "reference");
    assert!(
        (change["ratio"].as_f64().unwrap() - 2.0).abs() < 0.01,
        "{change}"
    );
    assert!(change["low"].as_f64().unwrap() > 1.9, "{change}");
    let numbered = run_bakeoff(&[
        "compare",
        &(files.text("before") + ":1"),
        &files.text("after"),
    ]);
    assert_eq!(numbered.status, 2);
    assert!(
        numbered.explains("which has no number"),
        "{}",
        numbered.stderr
    );
}

#[test]
fn times_of_two_moments_are_not_compared_without_a_command_that_stayed_the_same() {
    let reason = |files: &Files| {
        let said = compared(files, &["--format", "json"]).json();
        let reason = &said["times"]["not-comparable"]["reason"];
        reason
            .as_str()
            .unwrap_or_else(|| panic!("{said:#}"))
            .to_owned()
    };
    let files = Files::new();
    kept(&files, "before", 100, 150, &[]);
    // Another command under the same name.
    kept(&files, "after", 101, 300, &[]);
    assert!(reason(&files).contains("does not change beside the others"));
    let said = compared(&files, &[]);
    assert!(
        said.stdout.contains("reference: another command"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout.contains("n cannot be compared"),
        "{}",
        said.stdout
    );
    fs::remove_dir_all(files.path("after")).unwrap();
    let input = files.write("input", "x");
    kept(&files, "after", 100, 300, &["--input", &input]);
    assert!(reason(&files).contains("their input differs"));
    // What did not change has to agree with itself.
    let files = Files::new();
    let both = |out: &str, number: &str| {
        let varies = files.text("varies");
        // The words and files are the same, and what it reads is not.
        fs::write(&varies, number).unwrap();
        let command = format!("sh -c 'echo METRIC n=$(cat \"{varies}\")'");
        let out = files.text(out);
        time(&[
            "echo METRIC n=1",
            &command,
            "-n",
            "a",
            "-n",
            "b",
            "-N",
            "--metric",
            "n",
            "--runs",
            "10",
            "--out",
            &out,
            "-q",
        ]);
    };
    both("before", "2");
    both("after", "3");
    assert!(
        reason(&files).contains("of which neither changed"),
        "{}",
        reason(&files)
    );
    let results = tempfile::tempdir().unwrap();
    let mixed = run_bakeoff(&[
        "compare",
        &files.text("before"),
        results.path().to_str().unwrap(),
    ]);
    assert_eq!(mixed.status, 2);
    assert!(mixed.explains("name two of a kind"), "{}", mixed.stderr);
}

/// Compares commands by the numbers that they write, and keeps that in a folder.
fn kept_numbers(files: &Files, out: &str, numbers: &[(&str, u32)]) {
    let commands: Vec<String> = numbers
        .iter()
        .map(|(_, number)| format!("echo METRIC n={number}"))
        .collect();
    let mut arguments: Vec<&str> = commands.iter().map(String::as_str).collect();
    for (name, _) in numbers {
        arguments.extend(["-n", name]);
    }
    let out = files.text(out);
    arguments.extend(["--metric", "n", "--runs", "10", "--out", &out, "-q"]);
    let said = time(&arguments);
    assert_eq!(said.status, 0, "{}", said.stderr);
}

#[test]
fn two_without_a_common_command_have_nothing_to_compare_by() {
    let files = Files::new();
    kept_numbers(&files, "before", &[("a", 100), ("b", 150)]);
    kept_numbers(&files, "after", &[("c", 100), ("d", 150)]);
    let said = compared(&files, &[]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    for line in [
        "verdicts: no pair of commands is in both comparisons\n",
        "so there is nothing to compare by",
    ] {
        assert!(said.stdout.contains(line), "{line}{}", said.stdout);
    }
    assert!(!said.stdout.contains("the same for all pairs"));
    let json = compared(&files, &["--format", "json"]).json();
    assert_eq!(json["pairs_in_both"], 0, "{json:#}");
}

#[test]
fn of_several_that_did_not_change_it_is_said_by_which_one_a_change_is_told() {
    let files = Files::new();
    let same = [("reference", 100), ("other", 120)];
    kept_numbers(&files, "before", &[same[0], same[1], ("app", 150)]);
    kept_numbers(&files, "after", &[same[0], same[1], ("app", 300)]);
    let said = compared(&files, &[]);
    let header = "(reference, other; each by the one that gives the narrowest interval; all intervals at 90 %)";
    assert!(said.stdout.contains(header), "{}", said.stdout);
    assert!(
        said.stdout.contains("  app: 2.0000 × higher, against "),
        "{}",
        said.stdout
    );
}

#[test]
fn a_comparison_from_elsewhere_is_marked_and_a_damaged_one_is_refused() {
    let files = Files::new();
    kept(&files, "kept", 100, 150, &[]);
    let folder = files.text("kept");
    let file = files.path("kept/time.jsonl");
    let own = fs::read_to_string(&file).unwrap();
    let report = || -> (CommandOutput, Value) {
        let said = run_bakeoff(&["report", &folder, "--format", "json"]);
        let report = serde_json::from_str(&said.stdout).unwrap_or_default();
        (said, report)
    };
    assert_eq!(report().1["warnings"], serde_json::json!([]));
    // Another key, or another number, and it is nobody's.
    let mut command = bakeoff(&["report", &folder]);
    command.env("XDG_DATA_HOME", files.path("data"));
    let said: CommandOutput = command.output().unwrap().into();
    let first = said.stdout.lines().next().unwrap_or_default();
    let is_warned = first.starts_with("warning: ") && first.contains("come from elsewhere");
    assert!(is_warned, "{}", said.stdout);
    let names = own.replace("\"reference\"", "\"\\u001b[31mred<script>\"");
    for changed in [own.replacen("150.0", "50.0", 1), names] {
        assert_ne!(changed, own);
        fs::write(&file, changed).unwrap();
        let (said, report) = report();
        assert!(
            report["warnings"][0].to_string().contains("elsewhere"),
            "{report}"
        );
        assert!(said.explains("come from elsewhere"), "{}", said.stderr);
        for format in ["human", "md", "html"] {
            let said = run_bakeoff(&["report", &folder, "--format", format]);
            assert!(!said.stdout.contains('\u{1b}'), "{format}");
            assert!(
                !said.stdout.contains("red<script>") || format == "human",
                "{format}"
            );
        }
    }
    let line = |number: usize| own.lines().nth(number).unwrap();
    for (text, why) in [
        (String::new(), "it ends in its first line"),
        (
            own.replacen("\"bakeoff_time\":1", "\"bakeoff_time\":2", 1),
            "version 2",
        ),
        (
            own.replacen("\"app\"", "\"reference\"", 1),
            "no names of their own",
        ),
        (own.replacen("150.0", "-1.0", 1), "is not above 0"),
        (own.replacen("150.0", "0.0", 1), "damaged or forged"),
        (
            own.replacen("[[1,", "[[7,", 1).replacen("[[0,", "[[7,", 1),
            "line 3",
        ),
        (
            own.replacen("\"runs_max\":10", "\"runs_max\":2", 1),
            "more blocks than there may be",
        ),
        (format!("{}\n{}\n[]\n", line(0), line(1)), "line 3"),
        (
            own.replacen("\"confidence\":0.95", "\"confidence\":1.5", 1),
            "confidence",
        ),
    ] {
        assert_ne!(text, own, "{why}");
        fs::write(&file, text).unwrap();
        let (said, _) = report();
        assert_eq!(said.status, 2, "{why}: {}", said.stdout);
        assert!(said.explains(why), "{why}: {}", said.stderr);
        assert!(said.explains("time.jsonl"), "{}", said.stderr);
        // An option that `report` does not have is no advice.
        assert!(!said.explains("--range"), "{}", said.stderr);
    }
    fs::remove_file(&file).unwrap();
    symlink("/etc/passwd", &file).unwrap();
    assert!(report().0.explains("link"), "{}", report().0.stderr);
}
