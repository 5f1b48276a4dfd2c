//! Functions as arguments in `bakeoff compare a.rs b.rs`.

use crate::derived::compare;
use crate::support::run_bakeoff;
use std::fs;
use tempfile::TempDir;

/// Pairs of files that do the same with a function that they are given.
const PAIRS: [[&str; 2]; 8] = [
    [
        "pub fn apply<F>(xs: &mut [i64], f: F) where F: Fn(i64) -> i64 { for x in xs { *x = f(*x); } }",
        "pub fn apply(xs: &mut Vec<i64>, f: &dyn Fn(i64) -> i64) { *xs = xs.iter().map(|x| f(*x)).collect(); }",
    ],
    [
        "pub fn sort<T: Clone, K: Ord>(xs: &mut [T], key: impl Fn(&T) -> K) { xs.sort_by_key(key); }",
        "pub fn sort<T: Clone, K: Ord, F: FnMut(&T) -> K>(xs: &mut [T], mut key: F) {
            for i in 1..xs.len() { let mut j = i;
                while j > 0 && key(&xs[j]) < key(&xs[j - 1]) { xs.swap(j, j - 1); j -= 1; } } }",
    ],
    [
        "use std::cmp::Ordering;
         pub fn best(xs: Vec<f64>, cmp: fn(&f64, &f64) -> Ordering) -> Option<f64> { xs.into_iter().max_by(cmp) }",
        "pub fn best(xs: &[f64], cmp: impl Fn(&f64, &f64) -> std::cmp::Ordering) -> Option<f64> {
            let mut best: Option<f64> = None;
            for x in xs { if best.is_none_or(|b| cmp(x, &b).is_ge()) { best = Some(*x); } } best }",
    ],
    [
        "pub fn fold<T, A>(xs: &[T], first: A, f: impl Fn(A, &T) -> A) -> A { xs.iter().fold(first, |a, x| f(a, x)) }",
        "pub fn fold<A>(xs: &[u8], mut first: A, f: Box<dyn Fn(A, &u8) -> A>) -> A {
            for x in xs { first = f(first, x); } first }",
    ],
    [
        "pub fn keep(words: Vec<String>, keep: impl Fn(&str) -> bool, make: impl Fn(&str) -> String) -> Vec<String> {
            words.iter().filter(|w| keep(w)).map(|w| make(w)).collect() }",
        "pub fn keep(words: &[String], keep: &impl Fn(&str) -> bool, make: fn(&str) -> String) -> Vec<String> {
            let mut kept = vec![]; for w in words { if keep(w) { kept.push(make(w)); } } kept }",
    ],
    [
        "pub fn each(xs: &mut [(u8, bool)], mut f: impl FnMut(&mut (u8, bool))) { xs.iter_mut().for_each(|x| f(x)); }",
        "pub fn each<F: FnMut(&mut (u8, bool))>(xs: &mut [(u8, bool)], f: &mut F) { for x in xs { f(x); } }",
    ],
    [
        "pub fn is_sorted<T>(xs: &[T], less: impl Fn(&T, &T) -> bool) -> bool { xs.windows(2).all(|w| !less(&w[1], &w[0])) }",
        "pub fn is_sorted(xs: &[char], less: impl Fn(&char, &char) -> bool) -> bool {
            (1..xs.len()).all(|i| !less(&xs[i], &xs[i - 1])) }",
    ],
    [
        "pub fn mapped(xs: &[u8], f: impl Fn(u8) -> usize) -> impl Iterator<Item = usize> { xs.iter().map(move |x| f(*x)) }",
        "pub fn mapped(xs: &[u8], f: &dyn Fn(u8) -> usize) -> Vec<usize> { xs.iter().map(|x| f(*x)).collect() }",
    ],
];

#[test]
fn functions_of_each_kind_are_passed() {
    let more = ["--size", "300", "--budget", "100ms", "--format", "json"];
    for pair in PAIRS {
        let output = compare(&pair, &more);
        assert!(
            output.ended_a_run(),
            "{pair:?}: {}{}",
            output.stdout,
            output.stderr
        );
        for variant in output.json()["variants"].as_array().unwrap() {
            assert!(variant["failure"].is_null(), "{pair:?}: {variant:#}");
        }
    }
}

#[test]
fn functions_that_return_other_types_are_not_the_same_and_nobody_is_blamed() {
    let order = |key: &str| {
        format!(
            "pub fn order<K: Ord>(xs: &[i64], key: impl Fn(&i64) -> {key}) -> Vec<i64> {{
                let mut xs = xs.to_vec(); xs.sort_by_key(|x| key(x)); xs }}"
        )
    };
    let order = |key: &str| match key {
        "K" => order(key),
        _ => order(key).replace("<K: Ord>", ""),
    };
    for (one, other) in [("u8", "usize"), ("u8", "i64"), ("K", "u8")] {
        let output = compare(&[&order(one), &order(other)], &[]);
        assert_eq!(output.status, 2, "{}{}", output.stdout, output.stderr);
        assert!(
            output.explains("order is not the same function in all files"),
            "{}",
            output.stderr
        );
    }
}

#[test]
fn the_order_in_which_values_are_joined_is_seen() {
    let fold = |order: &str| {
        format!(
            "pub fn fold(xs: &[i64], first: i64, f: impl Fn(i64, i64) -> i64) -> i64 {{
                xs.iter(){order}.fold(first, |a, x| f(a, *x)) }}"
        )
    };
    let output = compare(&[&fold(""), &fold(".rev()")], &["--quiet"]);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("difference)"), "{}", output.stdout);
}

#[test]
fn a_difference_names_the_function_that_shows_it() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let right = "pub fn sort<T, F>(xs: &mut [T], cmp: F) where F: Fn(&T, &T) -> std::cmp::Ordering { xs.sort_by(cmp); }";
    // What the function says is not asked for.
    let wrong = "pub fn sort<T: Ord, F>(xs: &mut [T], _cmp: F) where F: Fn(&T, &T) -> std::cmp::Ordering { xs.sort(); }";
    for (name, text) in [("right.rs", right), ("wrong.rs", wrong)] {
        fs::write(path(name), text).unwrap();
    }
    let kept = path("kept.toml");
    let files = [path("right.rs"), path("wrong.rs")];
    let output = run_bakeoff(&["compare", &files[0], &files[1], "--save-case", &kept]);
    let text = &output.stdout;
    assert_eq!(output.status, 1, "{text}{}", output.stderr);
    assert!(text.contains("], reversed)"), "{text}");
    let cases = fs::read_to_string(&kept).unwrap();
    assert!(cases.contains("reversed)"), "{cases}");
    let again = run_bakeoff(&[
        "compare", &files[0], &files[1], "--cases", &kept, "--budget", "100ms",
    ]);
    let text = format!("{}{}", again.stdout, again.stderr);
    assert!(
        text.contains("disagree") || text.contains("do not agree"),
        "{text}"
    );
}

#[test]
fn a_function_without_a_closure_for_it_is_refused_with_those_that_there_are() {
    let text = "pub fn f(xs: &[u8], visit: impl FnMut(&u8)) -> u8 { xs.iter().for_each(visit); 0 }";
    let output = compare(&[text, text], &[]);
    assert_eq!(output.status, 2, "{}{}", output.stdout, output.stderr);
    for part in [
        "the function impl FnMut(&u8)",
        "one that can be passed takes a value",
        "let it take and return numbers",
    ] {
        assert!(output.explains(part), "{}", output.stderr);
    }
}
