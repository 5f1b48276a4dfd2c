//! Functions that differ on few inputs: `bakeoff compare` finds one, and shows it.

use crate::support::run_bakeoff;
use std::fs;
use tempfile::TempDir;

/// What a format says of files that differ, and of one that does not build.
#[test]
fn formats_are_what_they_are_without_an_answer_too() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("a.rs"), "pub fn f(v: &[u8]) -> usize { v.len() }").unwrap();
    let forging = "pub fn f(v: &[u8]) -> usize { assert!(!v.is_empty(), \"\\nTake b: it is 9 × faster.\"); v.len() }";
    fs::write(path("b.rs"), forging).unwrap();
    fs::write(
        path("c.rs"),
        "pub fn f(v: &[u8]) -> usize { v.len() + \"\" }",
    )
    .unwrap();
    let said = |other: &str, more: &[&str]| {
        let output = run_bakeoff(&[&["compare", &path("a.rs"), &path(other)], more].concat());
        assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
        output.stdout
    };
    let differ: serde_json::Value =
        serde_json::from_str(&said("b.rs", &["--format", "json"])).unwrap();
    assert_eq!(differ["outcome"], "disagreement");
    assert_eq!(differ["call"], "f([])");
    assert_eq!(differ["answers"][0]["answer"], "0");
    let text = said("b.rs", &[]);
    assert!(text.contains("\n    │ Take b:"), "{text}");
    let line = said("b.rs", &["-q"]);
    assert_eq!(line.matches('\n').count(), 1, "{line}");
    assert!(line.contains("f([]): a: 0; b: fails: "), "{line}");
    for other in ["b.rs", "c.rs"] {
        let junit = said(other, &["--format", "junit"]);
        assert!(
            junit.starts_with("<?xml")
                && junit.contains("<failure")
                && junit.contains("<property name=\"outcome\" value=\""),
            "{junit}"
        );
    }
    let failed: serde_json::Value =
        serde_json::from_str(&said("c.rs", &["--format", "json"])).unwrap();
    assert_eq!(failed["outcome"], "build-failed");
    assert!(
        (failed["reason"].as_str().unwrap()).starts_with("Build failed: error[E0277]"),
        "{failed}"
    );
}

/// A right function, one that is subtly wrong, and the characters of a short input that shows it.
type Planted = (&'static str, &'static str, &'static str, usize);

/// Compares each pair, and finds the difference in all of them.
fn found(pairs: &[Planted]) {
    let folder = TempDir::new().unwrap();
    for (what, right, wrong, most) in pairs {
        let paths = [("right", right), ("wrong", wrong)].map(|(name, source)| {
            let path = folder.path().join(format!("{name}.rs"));
            fs::write(&path, format!("pub fn f{source}")).unwrap();
            path.to_str().unwrap().to_owned()
        });
        let output = run_bakeoff(&[
            "compare", &paths[0], &paths[1], "--budget", "60s", "--seed", "20",
        ]);
        let text = &output.stdout;
        assert_eq!(output.status, 1, "{what}: {text}{}", output.stderr);
        let (_, input) = text
            .split_once("do not do the same, so nothing was timed. f(")
            .unwrap_or_else(|| panic!("{what}: {text}"));
        let (input, _) = input.split_once("):\n").unwrap();
        // Making it simple takes the time that it has, and may end at an input that no single change makes simpler.
        assert!(input.len() <= 2 * most + 40, "{what}: {input}");
    }
}

#[test]
fn numbers_at_their_ends_and_near_constants() {
    found(&[
        (
            "zero",
            "(x: i32) -> i32 { if x == 0 { 0 } else { 100 / x } }",
            "(x: i32) -> i32 { 100 / x }",
            8,
        ),
        (
            "the smallest",
            "(x: i32) -> u32 { x.unsigned_abs() }",
            "(x: i32) -> u32 { if x == i32::MIN { 0 } else { x.unsigned_abs() } }",
            16,
        ),
        (
            "too large a sum",
            "(a: u32, b: u32) -> u32 { a.saturating_add(b) }",
            "(a: u32, b: u32) -> u32 { a.wrapping_add(b) }",
            24,
        ),
        (
            "the middle of two",
            "(a: u32, b: u32) -> u32 { ((u64::from(a) + u64::from(b)) / 2) as u32 }",
            "(a: u32, b: u32) -> u32 { a.wrapping_add(b) / 2 }",
            24,
        ),
        (
            "two edges at once",
            "(a: u64, b: u64, c: i8) -> u64 { a ^ b ^ c as u64 }",
            "(a: u64, b: u64, c: i8) -> u64 { if a == u64::MAX >> 1 && b == u64::MAX - 1 { 7 } else { a ^ b ^ c as u64 } }",
            48,
        ),
        (
            "a constant",
            "(x: u64) -> u64 { x ^ 1 }",
            "(x: u64) -> u64 { if x == 0xdead_beef_0042 { 7 } else { x ^ 1 } }",
            24,
        ),
        (
            "the highest bit",
            "(x: u64) -> u32 { x.count_ones() }",
            "(x: u64) -> u32 { (x & (u64::MAX >> 1)).count_ones() }",
            24,
        ),
    ]);
}

#[test]
fn lists_of_rare_lengths_and_orders() {
    found(&[
        (
            "empty",
            "(v: &[i64]) -> i64 { v.iter().max().copied().unwrap_or(0) }",
            "(v: &[i64]) -> i64 { v.iter().max().copied().unwrap_or(-1) }",
            2,
        ),
        (
            "duplicates",
            "(mut v: Vec<u8>) -> Vec<u8> { v.sort(); v.dedup(); v }",
            "(v: Vec<u8>) -> Vec<u8> { let mut v = v; v.dedup(); v.sort(); v }",
            24,
        ),
        (
            "negative remainders",
            "(v: &[i32]) -> usize { v.iter().filter(|x| *x % 2 != 0).count() }",
            "(v: &[i32]) -> usize { v.iter().filter(|x| *x % 2 == 1).count() }",
            8,
        ),
        (
            "the last one",
            "(v: &[i32], x: i32) -> bool { v.contains(&x) }",
            "(v: &[i32], x: i32) -> bool { v[..v.len().saturating_sub(1)].contains(&x) }",
            20,
        ),
        (
            "a rest of seven",
            "(v: &[u16]) -> u32 { v.iter().map(|x| u32::from(*x)).sum() }",
            "(v: &[u16]) -> u32 { let s = v.iter().map(|x| u32::from(*x)).sum(); if v.len() % 64 == 63 { 0 } else { s } }",
            800,
        ),
        (
            "the rest of a merge",
            "(a: &[u8], b: &[u8]) -> usize { a.len() + b.len() }",
            "(a: &[u8], b: &[u8]) -> usize { a.len().min(b.len()) * 2 }",
            16,
        ),
        (
            "a stable order",
            "(mut v: Vec<(u8, u8)>) -> Vec<(u8, u8)> { v.sort_by_key(|x| x.0); v }",
            "(mut v: Vec<(u8, u8)>) -> Vec<(u8, u8)> { v.sort_by_key(|x| std::cmp::Reverse(x.1)); v.sort_by_key(|x| x.0); v }",
            40,
        ),
    ]);
}

#[test]
fn texts_that_are_not_only_letters() {
    found(&[
        (
            "ends of lines",
            "(s: &str) -> usize { s.lines().map(str::len).sum() }",
            "(s: &str) -> usize { s.split_terminator('\\n').map(str::len).sum() }",
            24,
        ),
        (
            "white space",
            "(s: &str) -> &str { s.trim() }",
            "(s: &str) -> &str { s.trim_matches(|c: char| c.is_ascii_whitespace()) }",
            24,
        ),
        (
            "letters of two cases",
            "(s: &str) -> String { s.to_uppercase() }",
            "(s: &str) -> String { s.chars().flat_map(|c| c.to_uppercase().take(1)).collect() }",
            40,
        ),
        (
            "the last sigma",
            "(s: &str) -> String { s.to_lowercase() }",
            "(s: &str) -> String { s.chars().flat_map(char::to_lowercase).collect() }",
            40,
        ),
        (
            "bytes for letters",
            "(s: &str) -> usize { s.chars().count() }",
            "(s: &str) -> usize { s.len() }",
            16,
        ),
        (
            "a needle",
            "(s: &str, n: &str) -> Option<usize> { s.find(n) }",
            "(s: &str, n: &str) -> Option<usize> { if n.len() > 1 && n.len() < s.len() { None } else { s.find(n) } }",
            60,
        ),
        (
            "a number that is too large",
            "(s: &str) -> Option<u32> { s.parse().ok() }",
            "(s: &str) -> Option<u32> { s.parse::<u64>().ok().map(|x| x as u32) }",
            40,
        ),
    ]);
}

#[test]
fn floats_that_are_no_numbers_and_calls_that_do_not_end() {
    found(&[
        (
            "no number",
            "(v: &[f64]) -> f64 { v.iter().copied().fold(0.0, f64::max) }",
            "(v: &[f64]) -> f64 { v.iter().copied().fold(0.0, |a, b| if b < a { a } else { b }) }",
            60,
        ),
        (
            "infinity",
            "(x: f64) -> f64 { x.clamp(-1e300, 1e300) }",
            "(x: f64) -> f64 { x }",
            30,
        ),
        // The loop of a well-known binary search.
        (
            "no end",
            "(v: &[u8]) -> usize { v.len() }",
            "(v: &[u8]) -> usize { if v.len() == 3 { loop { std::hint::black_box(()) } } v.len() }",
            16,
        ),
        (
            "no end where it is long",
            "(v: &[u8]) -> usize { v.len() }",
            "(v: &[u8]) -> usize { while v.len() > 500 { std::hint::black_box(()) } v.len() }",
            600,
        ),
        (
            "an option",
            "(v: &[Option<u8>]) -> usize { v.iter().flatten().count() }",
            "(v: &[Option<u8>]) -> usize { v.iter().take_while(|x| x.is_some()).count() }",
            30,
        ),
    ]);
}

#[test]
fn who_takes_long_for_large_numbers_is_slow_and_not_wrong() {
    let folder = TempDir::new().unwrap();
    let naive = "pub fn fib(n: u32) -> u64 { if n < 2 { u64::from(n) } else { fib(n - 1).wrapping_add(fib(n - 2)) } }";
    let quick = "pub fn fib(n: u32) -> u64 { let (mut a, mut b) = (0_u64, 1_u64);
        for _ in 0..n { (a, b) = (b, a.wrapping_add(b)); } a }";
    let paths = [("naive", naive), ("quick", quick)].map(|(name, source)| {
        let path = folder.path().join(format!("{name}.rs"));
        fs::write(&path, source).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let output = run_bakeoff(&[
        "compare", &paths[0], &paths[1], "--budget", "100ms", "--size", "10",
    ]);
    let words: Vec<&str> = output.stdout.split_whitespace().collect();
    let text = words.join(" ");
    assert!(output.ended_a_run(), "{text}{}", output.stderr);
    assert!(
        text.contains("a file was stopped by a limit of fuel"),
        "{text}"
    );
    // Nobody ends on any size: that is said, and nothing is left half done.
    fs::write(
        &paths[0],
        "pub fn fib(n: u32) -> u64 { if n > 5 { loop {} } 0 }",
    )
    .unwrap();
    fs::write(
        &paths[1],
        "pub fn fib(n: u32) -> u64 { while n > 5 { std::hint::black_box(n); } 0 }",
    )
    .unwrap();
    let output = run_bakeoff(&["compare", &paths[0], &paths[1], "--budget", "100ms"]);
    assert_eq!(output.status, 1, "{}", output.stderr);
    assert!(
        output.stdout.contains(
            "Not timed: no size of input can be timed: on one of size 10, naive was stopped"
        ),
        "{}",
        output.stdout
    );
    let new = folder.path().join("new");
    let made = run_bakeoff(&[
        "init",
        new.to_str().unwrap(),
        "--from",
        &paths[0],
        &paths[1],
    ]);
    assert_eq!(made.status, 0, "{}", made.stderr);
    assert!(bakeoff_config::load(&new).is_ok());
}

/// A count that wraps, on lists of 256 items: 256 equal ones are shown, as a test and as a case that differs again.
#[test]
fn a_difference_is_made_simple_and_can_be_kept() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(
        path("a.rs"),
        "pub fn count(items: &[i64]) -> usize { items.len() }",
    )
    .unwrap();
    let wraps = "pub fn count(items: &[i64]) -> usize { items.len() as u8 as usize }";
    fs::write(path("b.rs"), wraps).unwrap();
    let (a, b, case) = (path("a.rs"), path("b.rs"), path("case.toml"));
    let output = run_bakeoff(&["compare", &a, &b, "--save-case", &case]);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    let text = &output.stdout;
    for expected in [
        "\n  a: 256\n  b: 0\n",
        "        let items: Vec<i64> = vec![0; 256];\n        assert_eq!(first::count(&items), second::count(&items));",
        "The call is cut here",
        "this is the simplest that ",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    assert!(output.explains("the call is kept in"), "{}", output.stderr);
    let zeros = format!("[[case]]\ncall = \"count([{}0])\"\n", "0, ".repeat(255));
    assert_eq!(fs::read_to_string(&case).unwrap(), zeros);
    let again = run_bakeoff(&["compare", &a, &b, "--cases", &case]);
    assert_eq!(again.status, 1);
    assert!(
        again.stdout.contains("256 by a; 0 by b"),
        "{}",
        again.stdout
    );
}

#[test]
fn long_answers_are_shown_where_they_part() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let up_to = |end: &str| {
        format!(
            "pub fn f(v: u8) -> Vec<u32> {{ let mut all: Vec<u32> = (0..400).collect(); {end} all }}"
        )
    };
    fs::write(path("a.rs"), up_to("all[300] += u32::from(v);")).unwrap();
    fs::write(path("b.rs"), up_to("all[300] += u32::from(v) / 2;")).unwrap();
    let output = run_bakeoff(&["compare", &path("a.rs"), &path("b.rs")]);
    let text = &output.stdout;
    assert!(text.contains("nothing was timed. f(1):\n  a: … "), "{text}");
    assert!(
        text.contains("298, 299, 301, 301, 302") && text.contains("298, 299, 300, 301, 302"),
        "{text}"
    );
    assert!(
        text.contains("The answers part at item 300, counted from 0"),
        "{text}"
    );
}

#[test]
fn words_of_the_sources_lengths_in_them_and_bytes_that_are_nearly_text() {
    let words = "(text: &str) -> bool { let mut words = text.split(' '); words.next() == Some(\"get\") && words.next() == Some(\"key\") }";
    let cases = "(text: &str) -> bool { let mut words = text.split(' '); match (words.next(), words.next()) { \
        (Some(a), Some(b)) => a != b && SAME, _ => false } }";
    let unicode = cases.replace("SAME", "a.to_lowercase() == b.to_lowercase()");
    let ascii = cases.replace("SAME", "a.eq_ignore_ascii_case(b)");
    found(&[
        (
            "two constants as words",
            words,
            "(_: &str) -> bool { false }",
            16,
        ),
        (
            "a constant as length",
            "(v: &[u8]) -> bool { v.len() == 37 }",
            "(_: &[u8]) -> bool { false }",
            120,
        ),
        (
            "a word in two cases",
            Box::leak(unicode.into_boxed_str()),
            Box::leak(ascii.into_boxed_str()),
            16,
        ),
        (
            "a text in bytes that lacks its end",
            "(v: &[u8]) -> bool { std::str::from_utf8(v).is_err_and(|e| e.error_len().is_none() && e.valid_up_to() > 2) }",
            "(_: &[u8]) -> bool { false }",
            40,
        ),
        (
            "a sign before a number",
            "(s: &str) -> Option<u16> { s.parse().ok() }",
            "(s: &str) -> Option<u16> { if s.starts_with('+') && s.len() > 2 { None } else { s.parse().ok() } }",
            24,
        ),
        (
            "text in bytes",
            "(v: &[u8]) -> bool { std::str::from_utf8(v).is_ok_and(|text| text.chars().any(|c| c > '\\u{7ff}')) }",
            "(_: &[u8]) -> bool { false }",
            40,
        ),
    ]);
}

/// An input that no search by types would draw stands in a test of one file, or in an example of its documentation.
#[test]
fn inputs_in_examples_and_tests_of_the_files_are_tried_first() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    // A product of two numbers that stand nowhere, found by nobody who draws them.
    let body = "(a: u64, text: &str) -> bool { a.wrapping_mul(2_654_435_761) % 1_000_003 == REST && text.len() == 30 }";
    let rest = |number: u64| number.wrapping_mul(2_654_435_761) % 1_000_003;
    let text = "z".repeat(30);
    let right = file(
        "right.rs",
        "pub fn f(_: u64, _: &str) -> bool { false }".to_owned(),
    );
    let number = 778_234_112;
    let wrong = format!(
        "pub fn f{}",
        body.replace("REST", &rest(number).to_string())
    );
    let in_test = format!(
        "{wrong}\n#[cfg(test)]\nmod tests {{ #[test] fn t() {{ let n = {number}; assert!(super::f(n, \"{text}\")); }} }}"
    );
    let in_table = format!(
        "{wrong}\n#[test] fn t() {{ for (n, text, is) in [(1, \"\", false), ({number}, \"{text}\", true)] {{ assert_eq!(f(n, text), is); }} }}"
    );
    let in_documentation =
        format!("/// ```\n/// assert!(f({number}, \"{text}\"));\n/// ```\n{wrong}");
    for (source, name, all) in [
        (in_test, "test.rs", 1),
        (in_documentation, "documentation.rs", 1),
        (in_table, "table.rs", 2),
    ] {
        let right = file(
            &format!("right_{name}"),
            fs::read_to_string(&right).unwrap(),
        );
        let other = file(name, source);
        let output = run_bakeoff(&["compare", &right, &other, "--seed", "20"]);
        let shown = output.stdout.replace('\n', " ");
        assert_eq!(output.status, 1, "{shown}{}", output.stderr);
        assert!(
            shown.contains(&format!(
                "They differ on 1 of {all} inputs that stand in the files"
            )),
            "{shown}"
        );
        assert!(shown.contains(&format!("f({number}, \"")), "{shown}");
    }
    // It is remembered, and found again where it does not stand in the file any more.
    let known = file("right_table.rs", fs::read_to_string(&right).unwrap());
    let other = file("wrong.rs", wrong.clone());
    let output = run_bakeoff(&["compare", &known, &other, "--quick"]);
    assert!(
        output
            .stdout
            .contains("an input that told these files, or earlier versions of them, apart before"),
        "{}{}",
        output.stdout,
        output.stderr
    );
    // Without both, nothing is found, which is why it is worth being tried.
    let right_elsewhere = file("right_elsewhere.rs", fs::read_to_string(&right).unwrap());
    let other = file("wrong_elsewhere.rs", wrong);
    let output = run_bakeoff(&[
        "compare",
        &right_elsewhere,
        &other,
        "--seed",
        "20",
        "--quick",
    ]);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
}
