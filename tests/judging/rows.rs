//! `bakeoff judge`: rows of a file.

use super::Files;
use crate::support::{CommandOutput, bakeoff, run_bakeoff};
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

/// Rows of `a` and `b` in blocks; `b` is larger by this factor, and the order changes from block to block. The first row
/// is one of `a`.
fn rows(blocks: u32, factor: f64) -> String {
    let mut text = "variant,block,value\n".to_owned();
    for block in 0..blocks {
        let noise = 1.0 + 0.01 * f64::from(block * 7 % 5);
        let a = format!("a,{block},{}\n", 2.0 * noise);
        let b = format!("b,{block},{}\n", 2.0 * factor * (2.0 - noise).max(0.9));
        let [first, second] = if block % 3 == 1 { [b, a] } else { [a, b] };
        text += &first;
        text += &second;
    }
    text
}

#[test]
fn rows_are_judged_and_what_they_lack_is_the_first_thing_that_is_said() {
    let files = Files::new();
    let file = files.write("rows.csv", &rows(40, 1.5));
    let said = run_bakeoff(&["judge", &file, "--name", "loss", "--format", "json"]);
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    let report = said.json();
    assert_eq!(report["winner"], "a");
    assert_eq!(report["blocks"], 40);
    let row = &report["verdicts"][0];
    assert!(
        row["low"].as_f64() < row["value"].as_f64() && row["value"].as_f64() < row["high"].as_f64()
    );
    let said = run_bakeoff(&["judge", &file, "--name", "loss", "-q"]);
    assert!(
        said.stdout.starts_with("Take a: in loss it is "),
        "{}",
        said.stdout
    );

    let always = rows(40, 1.5).lines().fold(String::new(), |text, line| {
        // Without the blocks that begin with b.
        let block: Option<u32> = line.split(',').nth(1).and_then(|block| block.parse().ok());
        let is_kept = block.is_none_or(|block| block % 3 != 1);
        text + &(if is_kept {
            format!("{line}\n")
        } else {
            String::new()
        })
    });
    let said = run_bakeoff(&["judge", &files.write("always.csv", &always), "-q"]);
    assert!(
        said.stderr.starts_with("warning: The order was not drawn"),
        "{}",
        said.stderr
    );
    // A report for people begins with it, wherever it is written to.
    let said = run_bakeoff(&["judge", &files.text("always.csv")]);
    let begins = said.stdout.starts_with("warning: The order was not drawn");
    assert!(
        begins && said.stderr.is_empty(),
        "{}{}",
        said.stdout,
        said.stderr
    );
    let unpaired = "variant,value\na,1\na,2\nb,1\nb,2\n";
    let said = run_bakeoff(&["judge", &files.write("unpaired.csv", unpaired), "-q"]);
    assert_eq!(said.status, 1);
    assert!(
        said.stderr.starts_with("warning: The rows have no blocks"),
        "{}",
        said.stderr
    );
    for format in bakeoff::cli::report_format_names() {
        let said = run_bakeoff(&["judge", &file, "--format", &format]);
        assert!(said.status == 0 && said.stdout.contains('a'), "{format}");
    }
}

#[test]
fn a_test_of_rows_passes_or_not_and_says_why() {
    let files = Files::new();
    let worse = files.write("worse.csv", &rows(40, 1.5));
    let same = files.write("same.csv", &rows(40, 1.0));
    let test = |file: &str, allowed: &str, more: &[&str]| {
        let mut arguments = vec![
            "judge",
            file,
            "--baseline",
            "a",
            "--fail-if-worse",
            allowed,
            "--format",
            "json",
        ];
        arguments.extend(more);
        let said = run_bakeoff(&arguments);
        (
            said.status,
            said.json()["test"].as_str().unwrap().to_owned(),
        )
    };
    assert_eq!(test(&worse, "10%", &[]), (1, "slower".to_owned()));
    assert_eq!(test(&worse, "80%", &[]), (0, "not-slower".to_owned()));
    assert_eq!(test(&same, "10%", &[]), (0, "not-slower".to_owned()));
    assert_eq!(test(&worse, "44%", &[]), (1, "not-known".to_owned()));
    assert_eq!(
        test(&worse, "44%", &["--unsure", "pass"]),
        (0, "not-known".to_owned())
    );
    // Where higher is better, it is the first that is worse.
    assert_eq!(
        test(&worse, "10%", &["--higher-is-better"]),
        (0, "not-slower".to_owned())
    );
}

#[test]
fn rows_are_followed_until_all_is_known() {
    let mut child = bakeoff(&["judge", "-", "--follow", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Its end is not the end of the rows: that comes only when the pipe breaks.
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for line in rows(100_000, 1.5).lines() {
            if writeln!(stdin, "{line}").is_err() {
                return true;
            }
        }
        false
    });
    let said: CommandOutput = child.wait_with_output().unwrap().into();
    assert_eq!(said.status, 0, "{}", said.stderr);
    let report = said.json();
    assert_eq!(
        (&report["winner"], &report["ended"]),
        (&Value::from("a"), &Value::from("settled"))
    );
    assert!(
        report["blocks"].as_u64().unwrap() < 100,
        "{}",
        report["blocks"]
    );
    assert!(writer.join().unwrap(), "it read to the end");

    let files = Files::new();
    let file = files.write("growing.csv", &rows(3, 1.5));
    let child = bakeoff(&["judge", &file, "--follow", "-q"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let whole = rows(60, 1.5);
    let rest = &whole[rows(3, 1.5).len()..];
    let mut grown = fs::OpenOptions::new()
        .append(true)
        .open(Path::new(&file))
        .unwrap();
    grown.write_all(rest.as_bytes()).unwrap();
    let said: CommandOutput = child.wait_with_output().unwrap().into();
    assert_eq!(said.status, 0);
    assert!(said.stdout.starts_with("Take a: "), "{}", said.stdout);
}

#[test]
fn rows_that_cannot_be_judged_are_named_with_their_line() {
    let files = Files::new();
    for (text, arguments, why) in [
        ("", &[][..], "there are no rows"),
        (
            "variant,block,value\na,1,0\n",
            &[],
            "line 2: the value of a: 0 is not above 0",
        ),
        (
            "variant,block,value\na,1,2\n",
            &["--range", "0..1"],
            "line 2: the value of a: 2 lies outside of 0..1",
        ),
        (
            "variant,block,value\na,1,2\n",
            &[],
            "rows of two variants or more are compared, and these have 1",
        ),
        (
            "variant,block,value\na,1,x\n",
            &[],
            "line 2: its value \"x\" is no number",
        ),
        (
            "variant;block;value\na;1;1,5\n",
            &[],
            "its value \"1,5\" is no number: write it like 1.5",
        ),
        (
            "variant,block,value\na,1,NaN\n",
            &[],
            "line 2: the value of a: NaN is not a finite number: give a run that failed a number",
        ),
        (
            "{\"variant\": \"a\", \"block\": 1, \"value\": NaN}\n",
            &["--range", "0..1"],
            "line 1: its value: NaN is not a finite number: give a run that failed a number",
        ),
        (
            "variant,value\na,1\n",
            &["--follow"],
            "rows without a block",
        ),
        ("a b c\n", &[], "no columns `variant` and `value`"),
    ] {
        let file = files.write("rows.csv", text);
        let mut all = vec!["judge", file.as_str()];
        all.extend(arguments);
        let said = run_bakeoff(&all);
        assert_eq!(said.status, 2, "{text:?}: {}", said.stdout);
        assert!(said.explains(why), "{text:?}: {}", said.stderr);
    }
    let said = run_bakeoff(&["judge", "old.csv", "new.csv"]);
    assert_eq!((said.status, said.stdout.as_str()), (2, ""));
    assert!(said.explains("reads one file"), "{}", said.stderr);
    assert!(
        said.explains("bakeoff init DIR --from A B"),
        "{}",
        said.stderr
    );
    let said = run_bakeoff(&["judge", "/no/such/rows.csv"]);
    assert_eq!(said.status, 2);
    assert!(
        said.explains("cannot read /no/such/rows.csv"),
        "{}",
        said.stderr
    );
}

/// Names come from outside, and may be made to look like something else.
#[test]
fn case_195_names_of_rows_and_commands_are_escaped() {
    let files = Files::new();
    let hostile = "\"\u{1b}[31m::error::x\u{202e}\"";
    let text: String = rows(20, 1.5).replace("b,", &format!("{hostile},"));
    let file = files.write("rows.csv", &text);
    for format in bakeoff::cli::report_format_names() {
        let said = run_bakeoff(&["judge", &file, "--format", &format]);
        assert_eq!(said.status, 0, "{format}: {}", said.stderr);
        let is_bad = |c: char| c == '\u{1b}' || c == '\u{202e}';
        assert!(!said.stdout.contains(is_bad), "{format}: {}", said.stdout);
        let is_command = |line: &str| line.trim_start().starts_with("::error");
        assert!(
            !said.stdout.lines().any(is_command),
            "{format}: {}",
            said.stdout
        );
    }
}
