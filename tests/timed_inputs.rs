//! Inputs that `bakeoff compare a.rs b.rs` times.

use crate::derived::compare;
use crate::support::run_bakeoff;
use std::fs;
use tempfile::TempDir;

/// What the search does not reach: the size that is asked for is larger than any that it tries.
#[test]
fn a_difference_that_is_met_in_the_run_is_shown_as_one_that_the_search_finds() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let sum = |at_last: &str| {
        format!(
            "pub fn sum(items: &[u32]) -> u32 {{ let all = items.iter().fold(0u32, |a, b| a.wrapping_add(*b)); {at_last} all }}"
        )
    };
    fs::write(path("a.rs"), sum("")).unwrap();
    fs::write(
        path("wrong.rs"),
        sum("if items.len() == 3000 { return 7; }"),
    )
    .unwrap();
    fs::write(
        path("traps.rs"),
        sum("assert!(items.len() != 3000, \"too many\");"),
    )
    .unwrap();
    let (a, kept) = (path("a.rs"), path("kept.toml"));
    for (other, does) in [("wrong", "  wrong: 7\n"), ("traps", "  traps: fails: ")] {
        let file = path(&format!("{other}.rs"));
        let output = run_bakeoff(&["compare", &a, &file, "--size", "3000", "--save-case", &kept]);
        let text = &output.stdout;
        assert_eq!(output.status, 1, "{text}{}", output.stderr);
        assert!(
            text.starts_with(
                "Disagreement: the files do not do the same, so none is recommended. sum(["
            ),
            "{text}"
        );
        assert!(
            text.contains("They differ on an input of size 3000"),
            "{text}"
        );
        assert!(text.contains(does), "{text}");
        assert!(
            fs::read_to_string(&kept)
                .unwrap()
                .starts_with("[[case]]\ncall = \"sum([")
        );
        fs::remove_file(&kept).unwrap();
    }
    // Where there is no such call, nothing is written, and why is said.
    let same = path("same.rs");
    fs::write(&same, sum("").replace("0u32", "std::hint::black_box(0u32)")).unwrap();
    let agree = ["compare", &a, &same, "--budget", "100ms", "--size", "3000"];
    let output = run_bakeoff(&[&agree[..], &["--save-case", &kept]].concat());
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    assert!(
        output.explains("is not written: no input was found on which the files differ"),
        "{}",
        output.stderr
    );
}

/// What a comparison says of its inputs, in one line.
fn problem(report: &serde_json::Value) -> String {
    let problem = report["experiment"]["problem"].as_str();
    problem.unwrap_or_else(|| panic!("{report:#}")).to_owned()
}

/// One in 37 inputs is one on which nobody answers, of whatever kind and size.
#[test]
fn inputs_on_which_all_files_fail_are_left_out_wherever_they_are_met() {
    let fails = |order: &str| {
        format!(
            "pub fn sum(items: &[u32]) -> u32 {{
                let all = items.iter(){order}.fold(0u32, |a, b| a.wrapping_mul(31).wrapping_add(*b));
                let sum = items.iter().fold(0u32, |a, b| a.wrapping_add(*b));
                assert!(items.len() < 2 || sum % 37 != 0, \"divisible\");
                std::hint::black_box(all);
                sum
            }}"
        )
    };
    let options = ["--budget", "3s", "--size", "3000", "--format", "json"];
    let output = compare(&[&fails(""), &fails(".rev()")], &options);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    let report = output.json();
    let problem = problem(&report);
    assert!(problem.contains("others are timed."), "{problem}");
    for variant in report["variants"].as_array().unwrap() {
        assert!(variant["failure"].is_null(), "{variant:#}");
    }
}

/// A file that errs where a short text is looked for in a long one: no text of the search is as long.
#[test]
fn where_there_are_two_texts_one_is_shorter_in_some_inputs() {
    let find = |before: &str| {
        format!(
            "pub fn find(hay: &str, needle: &str) -> Option<usize> {{ {before} hay.find(needle) }}"
        )
    };
    let wrong = find(
        "if hay.len() > 1500 && !needle.is_empty() && needle.len() < 20 { return Some(hay.len()); }",
    );
    let options = ["--size", "2000", "--format", "json"];
    let output = compare(&[&find(""), &wrong], &options);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    assert_eq!(
        output.json()["outcome"],
        "disagreement",
        "{}",
        output.stdout
    );
}

#[test]
fn inputs_that_are_like_examples_are_tried() {
    let sorted = |how: &str| {
        format!(
            "pub fn sorted(mut items: Vec<u32>) -> Vec<u32> {{ items.{how}(); items }}
            #[test] fn t() {{ for (from, to) in [(vec![3, 1, 2], vec![1, 2, 3]), (vec![], vec![])] {{
                assert_eq!(sorted(from), to); }} }}"
        )
    };
    let options = ["--budget", "3s", "--size", "300", "--format", "json"];
    let output = compare(&[&sorted("sort"), &sorted("sort_unstable")], &options);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    let problem = problem(&output.json());
    assert!(
        problem.contains(
            "2 inputs that stand in the files, in examples and tests, were tried before them, and "
        ),
        "{problem}"
    );
    assert!(
        problem.contains(" that differ a little from these."),
        "{problem}"
    );
}

/// Of numbers alone, large ones are timed where smaller ones take no time.
#[test]
fn numbers_are_as_large_as_takes_long_enough() {
    let naive = "pub fn divisors(n: u64) -> u64 { (1..=n).filter(|d| n % d == 0).count() as u64 }";
    let quick = "pub fn divisors(n: u64) -> u64 {
        let (mut count, mut d) = (0, 1);
        while d * d <= n { if n % d == 0 { count += if d * d == n { 1 } else { 2 }; } d += 1; }
        count }";
    let options = ["--budget", "20s", "--seed", "1", "--format", "json"];
    let report = compare(&[naive, quick], &options).json();
    let sizes = report["experiment"]["cases"].as_array().unwrap();
    let largest = sizes.iter().filter_map(serde_json::Value::as_u64).max();
    assert!(largest >= Some(16_777_216), "{sizes:?}");
    let by_bits = "pub fn bits(n: u64) -> u64 { let mut all = 0u64; for i in 0..n.isqrt() { all = all.wrapping_mul(31) ^ i; } all }";
    let other = by_bits.replace(
        "wrapping_mul(31) ^ i",
        "wrapping_mul(31) ^ std::hint::black_box(i)",
    );
    let report = compare(&[by_bits, &other], &options).json();
    let sizes = report["experiment"]["cases"].as_array().unwrap();
    assert_eq!(*sizes, [4_000_000_000u64], "{sizes:?}");
}

/// Who returns early on small inputs, and takes the square of the length on larger ones, does the same as others.
#[test]
fn more_work_on_larger_inputs_is_no_difference() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let count = |work: &str| {
        format!(
            "pub fn count(items: &[u32]) -> u64 {{
                let mut sum = 0u64;
                if items.len() > 10_000 {{ {work} }}
                std::hint::black_box(sum);
                items.len() as u64
            }}"
        )
    };
    let linear = "for a in items { sum = std::hint::black_box(sum + u64::from(*a)); }";
    let square =
        "for a in items { for b in items { sum = std::hint::black_box(sum + u64::from(a ^ b)); } }";
    fs::write(path("linear.rs"), count(linear)).unwrap();
    fs::write(path("square.rs"), count(square)).unwrap();
    let output = run_bakeoff(&[
        "compare",
        &path("linear.rs"),
        &path("square.rs"),
        "--budget",
        "6s",
        "--seed",
        "1",
        "--format",
        "json",
    ]);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    // It was stopped, and tried again with the fuel of a run.
    let problem = problem(&output.json());
    let stopped = "Smaller sizes are timed: on one of size 16384, square was stopped by a limit (";
    assert!(problem.contains(stopped), "{problem}");
}

/// Two files that find cube roots, in a folder: one takes the same for all numbers, the other less for small ones,
/// and no end of it for large ones. Every call is long enough to be timed.
fn cube_roots() -> (TempDir, [String; 2]) {
    let folder = TempDir::new().unwrap();
    let repeated = |body: &str| {
        format!(
            "pub fn cbrt(x: u64) -> u64 {{
                let mut last = 0;
                for _ in 0..500 {{ last = once(std::hint::black_box(x)); }}
                last
            }}
            fn once(x: u64) -> u64 {{ {body} }}
            fn cube(x: u64) -> u128 {{ u128::from(x) * u128::from(x) * u128::from(x) }}"
        )
    };
    let bisection = "let (mut low, mut high) = (0u64, 2_642_246u64);
        while low + 1 < high {
            let middle = std::hint::black_box((low + high) / 2);
            if cube(middle) <= u128::from(x) { low = middle } else { high = middle }
        }
        low";
    let counting = "let mut root = 0u64;
        while cube(std::hint::black_box(root) + 1) <= u128::from(x) { root += 1; }
        root";
    let files = [("bisection.rs", bisection), ("counting.rs", counting)].map(|(name, body)| {
        let path = folder.path().join(name);
        fs::write(&path, repeated(body)).unwrap();
        path.to_str().unwrap().to_owned()
    });
    (folder, files)
}

/// Who is stopped on large numbers is the faster one on small ones, and no winner for that: nor in what is kept.
#[test]
fn a_winner_that_was_stopped_where_another_file_answers_is_not_recommended() {
    let (folder, [bisection, counting]) = cube_roots();
    let kept = folder.path().join("kept").to_str().unwrap().to_owned();
    let options = ["--size", "100", "--seed", "1", "--budget", "8s"];
    let files = ["compare", &bisection, &counting];
    let output =
        run_bakeoff(&[&files[..], &options, &["--out", &kept, "--format", "json"]].concat());
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    let report = output.json();
    let first = &report["recommendation"];
    assert_eq!(first["withheld"], "counting", "{report:#}");
    assert!(first["winner"].is_null(), "{report:#}");
    let text = first["text"].as_str().unwrap();
    assert!(
        text.starts_with("No call: counting was stopped by a limit on "),
        "{text}"
    );
    let in_file = fs::read_to_string(folder.path().join("kept/report.json")).unwrap();
    let in_file: serde_json::Value = serde_json::from_str(&in_file).unwrap();
    assert_eq!(&in_file["recommendation"], first);
    let again = run_bakeoff(&["report", &kept, "--format", "json"]);
    assert_eq!((again.status, again.stderr.as_str()), (1, ""));
    assert_eq!(&again.json()["recommendation"], first);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for format in bakeoff::cli::report_format_names() {
        let shown = run_bakeoff(&["report", &kept, "--format", &format]);
        assert_eq!(shown.status, 1, "{format}: {}", shown.stderr);
        let shown = words(&shown.stdout);
        // CSV has rows of variants alone.
        assert!(
            format == "csv" || shown.contains("No call: counting was stopped by a limit on "),
            "{format}: {shown}"
        );
        assert!(!shown.contains("Take counting"), "{format}: {shown}");
    }
    let picked = run_bakeoff(&["pick", &kept]);
    assert_eq!(picked.status, 1, "{}", picked.stdout);
    assert!(
        picked.explains("counting was stopped by a limit"),
        "{}",
        picked.stderr
    );
    let verified = run_bakeoff(&["verify", &kept]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
    let exported = run_bakeoff(&["export", &kept, "--format", "jsonl", "--table", "runs"]);
    assert!(
        exported.stdout.contains("stopped_in_search"),
        "{}",
        exported.stdout
    );
}

/// What is not slower where it was timed may be slower without end where it was stopped.
#[test]
fn a_file_that_was_stopped_where_another_one_answers_does_not_pass_for_not_slower() {
    let (_folder, [bisection, counting]) = cube_roots();
    let options = [
        "--size",
        "100",
        "--seed",
        "1",
        "--budget",
        "8s",
        "--fail-if-slower",
        "5%",
    ];
    let test = |first: &str, later: &str, more: &[&str]| {
        run_bakeoff(&[&["compare", first, later], &options[..], more].concat())
    };
    let output = test(&bisection, &counting, &["--format", "json"]);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    assert_eq!(output.json()["outcome"], "not-known");
    let said = "Not known whether counting is slower than bisection by more than 5 %: counting was stopped by a limit on ";
    assert!(output.explains(said), "{}", output.stderr);
    let output = test(&bisection, &counting, &["--unsure", "pass"]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    assert!(output.explains(said), "{}", output.stderr);
    // Whoever was not stopped is judged by its times.
    let output = test(&counting, &bisection, &["--format", "json"]);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    assert_eq!(output.json()["outcome"], "slower");
}

/// Reverses a text, quickly if all of it is ASCII, or quickly if it is not.
fn reversing(is_quick_if: &str) -> String {
    format!(
        "pub fn reversed(text: &str) -> String {{
            if {is_quick_if} {{ return text.chars().rev().collect(); }}
            let mut all: Vec<(usize, char)> = text.chars().enumerate().collect();
            for _ in 0..4 {{ all.sort_by_key(|(place, letter)| (u32::from(*letter) % 7, *place)); }}
            all.sort_by_key(|(place, _)| usize::MAX - *place);
            all.into_iter().map(|(_, letter)| letter).collect()
        }}"
    )
}

#[test]
fn texts_on_which_the_order_of_files_is_another_one_are_timed_by_themselves() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("a.rs"), reversing("text.is_ascii()")).unwrap();
    fs::write(path("b.rs"), reversing("!text.is_ascii()")).unwrap();
    let (kept, out) = (path("kept.toml"), path("out"));
    let files = [path("a.rs"), path("b.rs")];
    let budget = ["--budget", "6s", "--format", "json", "--save-inputs", &kept];
    let compare = ["compare", &files[0], &files[1], "--out", &out];
    let output = run_bakeoff(&[&compare[..], &budget].concat());
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    let report = output.json();
    let cases = report["experiment"]["cases"].as_array().unwrap().clone();
    let kinds: Vec<&str> = cases
        .iter()
        .filter_map(|case| case["texts"].as_str())
        .collect();
    assert_eq!(kinds.len(), 2, "{cases:?}");
    let [is_ascii, is_not] = [
        ["words", "lines", "digits"].as_slice(),
        &["accents", "scripts"],
    ];
    let opposite = kinds.iter().filter(|kind| is_ascii.contains(kind)).count() == 1
        && kinds.iter().filter(|kind| is_not.contains(kind)).count() == 1;
    assert!(opposite, "{cases:?}");
    let said = problem(&report);
    assert!(
        said.contains("Texts of two kinds are timed by themselves, too"),
        "{said}"
    );
    for variant in report["variants"].as_array().unwrap() {
        assert!(variant["failure"].is_null(), "{variant:#}");
    }
    // What is kept says the same, and is what follows from the samples.
    let again = run_bakeoff(&["report", &out, "--format", "json"]).json();
    assert_eq!(again["experiment"]["cases"], report["experiment"]["cases"]);
    assert_eq!(again["verdicts"], report["verdicts"]);
    // Where a process had time to be timed, the inputs of these cases are kept, too: of four, two are of one kind.
    if report["protocol"]["replicas"].as_u64().unwrap() > 0 {
        let saved = fs::read_to_string(&kept).unwrap();
        let calls = saved.lines().filter(|line| line.starts_with("call"));
        let beyond = calls.filter(|line| !line.is_ascii()).count();
        assert!(beyond > 0, "{saved}");
    }
}

#[test]
fn a_function_without_texts_has_no_kinds_of_them() {
    let sum = |order: &str| {
        format!(
            "pub fn sum(items: &[u32]) -> u32 {{ items.iter(){order}.fold(0u32, |a, b| a.wrapping_add(*b)) }}"
        )
    };
    let output = compare(
        &[&sum(""), &sum(".rev()")],
        &["--budget", "100ms", "--format", "json"],
    );
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    let report = output.json();
    let mut cases = report["experiment"]["cases"].as_array().unwrap().iter();
    assert!(cases.all(serde_json::Value::is_u64), "{report:#}");
    assert!(!problem(&report).contains("Texts"), "{report:#}");
}
