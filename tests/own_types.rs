//! Types of a file's own, wide numbers and long arrays in `bakeoff compare a.rs b.rs`.

use crate::derived::compare;
use crate::support::run_bakeoff;
use std::fs;
use tempfile::TempDir;

/// An enum with and without fields, and a function of it.
const FIGURES: &str = "#[derive(Debug, Clone, PartialEq)]
    pub enum Figure { Disc(u32), Box { w: u32, h: u32 }, None }
    pub fn largest(figures: &[Figure], least: u128) -> Option<Figure> {
        let area = |figure: &Figure| match figure {
            Figure::Disc(r) => 3 * u128::from(*r) * u128::from(*r),
            Figure::Box { w, h } => u128::from(*w) * u128::from(*h),
            Figure::None => 0,
        };
        BODY
    }";

/// Compares two bodies of the function.
fn figures(bodies: [&str; 2], more: &[&str]) -> crate::support::CommandOutput {
    let sources = bodies.map(|body| FIGURES.replace("BODY", body));
    compare(&[&sources[0], &sources[1]], more)
}

const FOLDS: &str = "let mut best: Option<&Figure> = None;
    for figure in figures { if area(figure) >= least && best.is_none_or(|b| area(figure) > area(b)) { best = Some(figure); } }
    best.cloned()";

#[test]
fn enums_wide_numbers_and_long_arrays_are_passed_and_answered() {
    let sorts =
        "let mut all: Vec<Figure> = figures.iter().filter(|f| area(f) >= least).cloned().collect();
        all.reverse(); all.sort_by_key(|f| area(f)); all.pop()";
    let more = ["--size", "3000", "--budget", "100ms", "--format", "json"];
    let output = figures([FOLDS, sorts], &more);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    for variant in output.json()["variants"].as_array().unwrap() {
        assert!(variant["failure"].is_null(), "{variant:#}");
    }
    let output = compare(
        &[
            "const SIDE: usize = 20;
             pub fn turn(board: [[bool; SIDE]; SIDE], by: i128) -> ([u8; 32], i128) {
                 let mut sums = [0; 32];
                 for (sum, row) in sums.iter_mut().zip(&board) { *sum = row.iter().filter(|set| **set).count() as u8; }
                 (sums, by.wrapping_mul(-3)) }",
            "pub fn turn(board: &[[bool; 20]; 20], by: i128) -> ([u8; 32], i128) {
                 (std::array::from_fn(|at| board.get(at).map_or(0, |row| row.iter().map(|set| u8::from(*set)).sum())),
                  0i128.wrapping_sub(by).wrapping_mul(3)) }",
        ],
        &more,
    );
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    for variant in output.json()["variants"].as_array().unwrap() {
        assert!(variant["failure"].is_null(), "{variant:#}");
    }
}

#[test]
fn what_a_function_lends_of_its_argument_is_read_and_compared() {
    let largest = |more: &str| {
        format!(
            "pub fn largest(list: &mut [i32]) -> Option<&mut i32> {{ {more} list.iter_mut().max() }}"
        )
    };
    let cut = |cut: &str| {
        format!(
            "pub fn cut(list: &mut Vec<f32>) -> &mut Vec<f32> {{
                 for x in &mut *list {{ if *x < {cut} {{ *x = 0.0 }} }} list }}"
        )
    };
    for (right, same, wrong) in [
        (
            largest(""),
            largest("let _ = 1;"),
            largest("list.reverse();"),
        ),
        (cut("0.0"), cut("0.0f32"), cut("0.5")),
    ] {
        let output = compare(&[&right, &same], &["--budget", "100ms"]);
        assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
        let output = compare(&[&right, &wrong], &["--budget", "60s"]);
        assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    }
}

#[test]
fn a_difference_in_them_is_shown_kept_as_a_case_and_is_a_test_that_fails() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [right, wrong] = [
        ("right.rs", FOLDS),
        ("wrong.rs", &FOLDS.replace(">= least", "> least")),
    ]
    .map(|(name, body)| {
        fs::write(path(name), FIGURES.replace("BODY", body)).unwrap();
        path(name)
    });
    let kept = path("kept.toml");
    let output = run_bakeoff(&[
        "compare",
        &right,
        &wrong,
        "--seed",
        "20",
        "--budget",
        "60s",
        "--save-case",
        &kept,
    ]);
    let text = &output.stdout;
    assert_eq!(output.status, 1, "{text}{}", output.stderr);
    assert!(text.contains("nothing was timed. largest(["), "{text}");
    assert!(text.contains("use first::*;"), "{text}");
    assert!(text.contains("let least: u128 = "), "{text}");
    assert!(
        text.contains("let figures: Vec<Figure> = vec![Figure::"),
        "{text}"
    );
    // The test compiles, and fails.
    let test: String = text
        .lines()
        .skip_while(|line| !line.contains("#[path ="))
        .take_while(|line| !line.starts_with("They differ"))
        .map(|line| format!("{}\n", line.trim_start()))
        .collect();
    fs::write(path("test.rs"), test).unwrap();
    let built = std::process::Command::new("rustc")
        .args(["--edition", "2024", "--test", "--cap-lints", "allow", "-o"])
        .args([path("test"), path("test.rs")])
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let ran = std::process::Command::new(path("test")).output().unwrap();
    let ran = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.contains("both_answer_the_same ... FAILED"), "{ran}");
    // The case is one that `--cases` takes.
    let again = run_bakeoff(&[
        "compare", &right, &wrong, "--cases", &kept, "--budget", "100ms",
    ]);
    let text = format!("{}{}", again.stdout, again.stderr);
    assert!(
        text.contains("disagreement") || text.contains("do not agree"),
        "{text}"
    );
}

#[test]
fn enums_that_are_declared_differently_are_shown_side_by_side() {
    let file = |cases: &str| {
        format!(
            "pub enum Hue {{ {cases} }} pub fn f(hue: Hue) -> bool {{ matches!(hue, Hue::Red) }}"
        )
    };
    let output = compare(&[&file("Red, Green"), &file("Red, Blue(u8)")], &[]);
    assert_eq!(output.status, 2, "{}{}", output.stdout, output.stderr);
    for part in ["Hue { Red, Green }", "Hue { Red, Blue(u8) }"] {
        assert!(output.explains(part), "{}", output.stderr);
    }
    // Whose fields others cannot give is refused with what to change.
    let closed = "pub struct Point { x: f64, pub y: f64 } pub fn f(p: &[Point]) -> f64 { p[0].x }";
    let output = compare(&[closed, closed], &[]);
    assert_eq!(output.status, 2, "{}{}", output.stdout, output.stderr);
    let said = "it passes Point (whose field x is private: declare it `pub`)";
    assert!(output.explains(said), "{}", output.stderr);
    // What borrows has no value of its own, and the message says what would have one.
    let lent = "pub struct Word<'a> { pub text: &'a str } pub fn f(word: Word) -> usize { word.text.len() }";
    let output = compare(&[lent, lent], &[]);
    assert_eq!(output.status, 2, "{}{}", output.stdout, output.stderr);
    let said = "it passes Word (which borrows for 'a: declare it with fields that own their values";
    assert!(output.explains(said), "{}", output.stderr);
    // What no value can be made of is refused by its name.
    let tree = "pub enum Tree { Leaf, Node(Box<Tree>) } pub fn f(tree: Tree) -> bool { true }";
    let output = compare(&[tree, tree], &[]);
    assert!(
        output.explains("which has no counterpart in WIT"),
        "{}",
        output.stderr
    );
}
