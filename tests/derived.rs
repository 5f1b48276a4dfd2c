//! `bakeoff compare a.rs b.rs` with nothing else.

use crate::support::{CommandOutput, run_bakeoff};
use std::fs;
use tempfile::TempDir;

/// Compares sources, which are named `a.rs`, `b.rs` and so on.
pub(crate) fn compare(sources: &[&str], more: &[&str]) -> CommandOutput {
    let folder = TempDir::new().unwrap();
    let mut arguments = vec!["compare".to_owned()];
    for (name, source) in ('a'..).zip(sources) {
        let path = folder.path().join(format!("{name}.rs"));
        fs::write(&path, source).unwrap();
        arguments.push(path.to_str().unwrap().to_owned());
    }
    arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    run_bakeoff(&arguments)
}

/// Compares sources that do the same in different forms: no verdict is asked for.
fn agree(sources: &[&str]) {
    let output = compare(
        sources,
        &["--size", "3000", "--budget", "100ms", "--format", "json"],
    );
    assert!(output.ended_a_run(), "{} {}", output.stdout, output.stderr);
    let report = output.json();
    for variant in report["variants"].as_array().unwrap() {
        assert!(variant["failure"].is_null(), "{variant:#}");
    }
}

#[test]
fn numbers_and_lists_are_taken_in_the_forms_that_public_code_has() {
    agree(&[
        "pub fn pick(values: Vec<i64>, k: u32) -> Vec<i64> { values.into_iter().take(k as usize).collect() }",
        "pub fn pick(values: &[i64], k: usize) -> &[i64] { &values[..k.min(values.len())] }",
        "pub fn pick(values: &Vec<i64>, k: &usize) -> Box<[i64]> { values.iter().take(*k).copied().collect() }",
        "pub fn pick<T: Copy>(values: &[T], k: usize) -> impl Iterator<Item = T> { values.iter().copied().take(k) }",
        "pub fn pick<I: IntoIterator<Item = i64>>(values: I, k: usize) -> Vec<i64> { values.into_iter().take(k).collect() }",
    ]);
}

#[test]
fn what_is_changed_in_place_is_the_answer() {
    agree(&[
        "pub fn turn(one: Option<&mut [u8]>, both: (&mut Vec<i16>, usize, &mut bool), rows: Vec<&mut u32>) -> usize {
            if let Some(one) = one { one.reverse(); }
            both.0.truncate(both.1 % 8); *both.2 = !*both.2;
            for row in rows { *row /= 2; } both.1 }",
        "pub fn turn(mut one: Option<&mut [u8]>, (list, most, sign): (&mut Vec<i16>, usize, &mut bool), mut rows: Vec<&mut u32>)
            -> usize {
            if let Some(one) = one.as_mut() { let n = one.len(); for i in 0..n / 2 { one.swap(i, n - 1 - i); } }
            while list.len() > most % 8 { list.pop(); } *sign ^= true;
            rows.iter_mut().for_each(|row| **row >>= 1); most }",
    ]);
    // What is left behind one of them tells files apart.
    let left = |sign: &str| format!("pub fn left(x: (&mut u8, u8)) {{ *x.0 = x.1 {sign} 1; }}");
    let output = compare(&[&left("|"), &left("&")], &[]);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    assert!(
        output.stdout.contains("nothing was timed. left(("),
        "{}",
        output.stdout
    );

    agree(&[
        "pub fn sort<T: Ord>(items: &mut [T]) { items.sort_unstable(); }",
        "pub fn sort(items: &mut Vec<u16>) { items.sort(); }",
        "pub fn sort(mut items: Vec<u16>) -> Vec<u16> { items.sort(); items }",
    ]);
    agree(&[
        "pub fn dedup(items: &mut Vec<usize>) -> usize { items.dedup(); items.len() }",
        "pub fn dedup(items: Vec<usize>) -> (usize, Vec<usize>) { let mut items = items; items.dedup(); (items.len(), items) }",
    ]);
}

#[test]
fn texts_options_and_results_have_a_counterpart() {
    agree(&[
        "pub fn words(text: &str) -> Vec<&str> { text.split(' ').collect() }",
        "pub fn words(text: String) -> Vec<String> { text.split(' ').map(str::to_owned).collect() }",
        "pub fn words(text: impl AsRef<str>) -> Vec<Box<str>> { text.as_ref().split(' ').map(Box::from).collect() }",
    ]);
    agree(&[
        "pub fn parse(words: &[&str], or: Option<&str>) -> Result<usize, std::num::ParseIntError> {
            or.or(words.first().copied()).unwrap_or(\"\").parse() }",
        "pub fn parse(words: &[String], or: Option<String>) -> Result<u32, String> {
            or.or(words.first().cloned()).unwrap_or_default().parse().map_err(|_| \"no number\".to_owned()) }",
    ]);
}

#[test]
fn where_they_differ_the_shortest_input_is_shown_and_nothing_is_timed() {
    let right = "pub fn largest(items: &[i32]) -> Option<i32> { items.iter().copied().max() }";
    // Wrong where all are negative.
    let wrong = "pub fn largest(items: &[i32]) -> Option<i32> {
        let mut most = 0; for item in items { most = most.max(*item); }
        if items.is_empty() { None } else { Some(most) } }";
    let output = compare(&[right, wrong], &[]);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    let text = &output.stdout;
    assert!(text.contains("nothing was timed. largest([-"), "{text}");
    assert!(
        text.contains("a: some(-") && text.contains("b: some(0)"),
        "{text}"
    );
    let panics =
        "pub fn largest(items: &[i32]) -> Option<i32> { Some(*items.iter().max().unwrap()) }";
    let output = compare(&[right, panics], &[]);
    assert!(output.stdout.contains("largest([])"), "{}", output.stdout);
    assert!(output.stdout.contains("b: fails: "), "{}", output.stdout);
    let never = "pub fn largest(items: &[i32]) -> i32 { items[items.len()] }";
    let output = compare(&[never, &format!("{never} ")], &[]);
    assert_eq!(output.status, 1);
    assert!(
        output.stdout.starts_with("All fail: no file answers on "),
        "{}",
        output.stdout
    );
}

#[test]
fn inputs_on_which_all_fail_are_left_out_and_single_functions_may_have_other_names() {
    let first = "pub fn largest(items: &[i32], k: usize) -> i32 {
        let mut all = items.to_vec(); all.sort(); all[all.len() - 1 - k] }";
    let second = "pub fn biggest(items: &[i32], place: usize) -> i32 {
        let mut all = items.to_vec(); all.sort_by(|a, b| b.cmp(a)); all[place] }";
    let output = compare(&[first, second], &["--budget", "3s"]);
    let words: Vec<&str> = output.stdout.split_whitespace().collect();
    let text = words.join(" ");
    assert!(output.ended_a_run(), "{text}{}", output.stderr);
    assert!(text.contains("b.rs as biggest"), "{text}");
    assert!(
        text.contains("on which all files fail, are left out"),
        "{text}"
    );
    assert!(text.contains("the shortest: largest(["), "{text}");
}

#[test]
fn nobody_is_recommended_where_another_file_does_not_build() {
    let right = "pub fn largest(items: &[i32]) -> Option<i32> { items.iter().copied().max() }";
    let broken = "pub fn largest(items: &[i32]) -> Option<i32> { items.first() }";
    let output = compare(&[right, broken], &[]);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    assert!(output.explains("mismatched types"), "{}", output.stderr);
    assert!(!output.stdout.contains("Take "), "{}", output.stdout);
}

#[test]
fn sizes_are_chosen_by_what_takes_long_enough() {
    let fibonacci = "pub fn fibonacci(n: u32) -> u64 { if n < 2 { n.into() } else { fibonacci(n - 1) + fibonacci(n - 2) } }";
    let other = "pub fn fibonacci(n: u32) -> u64 { match n { 0 => 0, 1 => 1, n => fibonacci(n - 2) + fibonacci(n - 1) } }";
    let json = ["--budget", "100ms", "--format", "json"];
    let report = compare(&[fibonacci, other], &json).json();
    let sizes = report["experiment"]["cases"].as_array().unwrap().clone();
    assert!(!sizes.is_empty(), "{report:#}");
    assert!(
        sizes
            .iter()
            .all(|size| (14..40).contains(&size.as_u64().unwrap())),
        "{sizes:?}"
    );
}

#[test]
fn what_cannot_be_read_off_the_sources_is_named_with_what_to_do() {
    let refused = |sources: &[&str], more: &[&str], why: &str| {
        let output = compare(sources, more);
        assert_eq!(output.status, 2, "{}{}", output.stdout, output.stderr);
        assert!(output.explains(why), "{why}: {}", output.stderr);
    };
    let sort = "pub fn sort(items: Vec<i64>) -> Vec<i64> { items }";
    let map = "use std::collections::HashMap;
        pub fn sort<S>(items: HashMap<u32, String, S>) -> Vec<i64> { Vec::new() }";
    refused(
        &[sort, map],
        &[],
        "it passes HashMap<u32, String, S>, which has no counterpart",
    );
    refused(
        &[sort, "pub fn order() -> u8 { 0 } pub fn more() {}"],
        &[],
        "b.rs: it has order",
    );
    refused(&[sort, "fn sort() {}"], &[], "it has no `pub fn`");
    refused(
        &[sort, sort],
        &["--call", "merge"],
        "has no public function merge",
    );
    refused(
        &[sort, "pub fn sort(text: &str) -> Vec<i64> { Vec::new() }"],
        &[],
        "has func(text: string)",
    );
    let two = "pub fn sort(a: u8) -> u8 { a } pub fn merge(a: u8) -> u8 { a }";
    refused(&[two, two], &[], "say which one with --call");
    refused(
        &[sort, "pub fn sort(items: &[i64]) {}"],
        &[],
        "returns nothing",
    );
    // A parser would run out of stack.
    let deep = format!("pub fn sort() -> u8 {{ {}0 }}", "!".repeat(900_000));
    // What is no Rust has the class of what does not compile.
    for broken in ["pub fn sort(", &*deep] {
        let output = compare(&[sort, broken], &["--format", "json"]);
        assert_eq!(output.status, 1, "{}", output.stderr);
        assert!(
            output.explains("cannot be read as Rust"),
            "{}",
            output.stderr
        );
        assert_eq!(output.json()["outcome"], "build-failed");
    }
}

#[test]
fn a_panic_is_shown_by_what_it_says_and_agreed_errors_are_counted() {
    let right = "pub fn largest(items: &[i32]) -> Option<i32> { items.iter().copied().max() }";
    let panics = "pub fn largest(items: &[i32]) -> Option<i32> { Some(*items.iter().max().expect(\"no items\")) }";
    // The search has a tenth of it, so that both have the time for all inputs.
    let budget = ["--budget", "60s"];
    let text = compare(&[right, panics], &budget).stdout;
    assert!(
        text.contains("no items") && !text.contains("unreachable"),
        "{text}"
    );
    let seed = text
        .rsplit_once("--seed ")
        .unwrap()
        .1
        .trim()
        .trim_end_matches('.');
    let again = compare(&[right, panics], &[&budget[..], &["--seed", seed]].concat()).stdout;
    // All but the folder, which is another one.
    let found = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("They differ on"));
        line.unwrap().to_owned()
    };
    assert_eq!(found(&text), found(&again));
    let parse = "pub fn parse(text: &str) -> Result<i32, std::num::ParseIntError> { text.parse() }";
    let other = "pub fn parse(text: &str) -> Result<i32, std::num::ParseIntError> { std::hint::black_box(text).parse() }";
    let output = compare(&[parse, other], &["--size", "3000", "--budget", "100ms"]);
    let words: Vec<&str> = output.stdout.split_whitespace().collect();
    assert!(
        words.join(" ").contains("of them answered by an error)"),
        "{}",
        output.stdout
    );
}

#[test]
fn inputs_and_an_oracle_of_ones_own_need_no_interface() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let right = "pub fn largest(items: &[i32]) -> Option<i32> { items.iter().copied().max() }";
    let wrong = "pub fn largest(items: Vec<i32>) -> Option<i32> { items.first().copied() }";
    let workload = write(
        "workload.rs",
        "pub fn generate(size: u32, seed: u64) -> Vec<i32> {
            (0..size).map(|at| (seed.wrapping_mul(u64::from(at) | 1) >> 40) as i32).collect() }
         pub fn check(items: Vec<i32>, answer: Option<i32>) -> Result<(), String> {
            if answer == items.iter().copied().max() { Ok(()) } else { Err(\"not the largest\".to_owned()) } }",
    );
    let measured = ["--budget", "100ms", "--format", "json"];
    let mut more = vec!["--workload", &workload, "--size", "3000"];
    more.extend(measured);
    let report = compare(&[right, wrong], &more).json();
    let failure = |report: &serde_json::Value, variant: usize| {
        report["variants"].as_array().unwrap()[variant]["failure"]["class"].clone()
    };
    let named = |id: &str| {
        let variants = report["variants"].as_array().unwrap();
        variants
            .iter()
            .position(|variant| variant["id"] == id)
            .unwrap()
    };
    assert_eq!(failure(&report, named("b")), "wrong-answer");
    assert!(failure(&report, named("a")).is_null());
    let cases = write(
        "cases.toml",
        "[[case]]\ncall = \"largest([3, 9])\"\nexpect = \"some(9)\"\n",
    );
    let mut more = vec!["--cases", &cases];
    more.extend(measured);
    let report = compare(&[right, wrong], &more).json();
    assert_eq!(failure(&report, named("b")), "wrong-answer");
}

#[test]
fn an_experiment_is_made_of_sources_that_runs_and_repeats_what_failed() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).unwrap();
        path(name)
    };
    let a = write(
        "a.rs",
        "pub fn sum(items: &[u32]) -> u32 { items.iter().fold(0, |a, b| a ^ b) }",
    );
    let b = write(
        "b.rs",
        "pub fn sum(items: &[u32]) -> u32 { let mut all = 0; for item in items { all ^= item; } all }",
    );
    let made = path("made");
    let output = run_bakeoff(&["init", &made, "--from", &a, &b]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    for file in [
        "bakeoff.toml",
        "wit/sum.wit",
        "workload.rs",
        "approaches/a.rs",
        "approaches/b.rs",
    ] {
        assert!(folder.path().join("made").join(file).is_file(), "{file}");
    }
    let output = run_bakeoff(&["run", &made, "--budget", "100ms", "--format", "json"]);
    assert!(output.ended_a_run(), "{} {}", output.stdout, output.stderr);
    let again = run_bakeoff(&["init", &made, "--from", &a, &b]);
    assert_eq!(again.status, 2);
    assert!(again.explains("exists already"), "{}", again.stderr);
}

#[test]
fn structs_arrays_and_collections_have_a_counterpart() {
    agree(&[
        "pub struct Point { pub x: f64, pub y: f64 }
         pub fn nearest(points: &[Point], to: &Point) -> Option<usize> {
             let apart = |p: &Point| (p.x - to.x).abs() + (p.y - to.y).abs();
             let mut best: Option<(f64, usize)> = None;
             for (place, point) in points.iter().enumerate() {
                 if best.is_none_or(|(least, _)| apart(point) < least) { best = Some((apart(point), place)); }
             }
             best.map(|(_, place)| place)
         }",
        "#[derive(Clone)] pub struct Pair(pub f64, pub f64);
         pub fn nearest(points: Vec<Pair>, to: Pair) -> Option<usize> {
             let mut best: Option<(f64, usize)> = None;
             for (place, Pair(x, y)) in points.iter().enumerate() {
                 let apart = (x - to.0).abs() + (y - to.1).abs();
                 if best.is_none_or(|(least, _)| apart < least) { best = Some((apart, place)); }
             }
             best.map(|(_, place)| place)
         }",
    ]);
    agree(&[
        "use std::collections::HashMap;
         pub fn count(words: Vec<String>) -> HashMap<String, usize> {
             let mut counts = HashMap::new();
             for word in words { *counts.entry(word).or_insert(0) += 1; }
             counts
         }",
        "use std::collections::BTreeMap;
         pub fn count(words: &[String]) -> BTreeMap<&str, usize> {
             let mut counts = BTreeMap::new();
             for word in words { *counts.entry(&**word).or_default() += 1; }
             counts
         }",
    ]);
    agree(&[
        "use std::collections::{HashSet, VecDeque};
         pub fn turned(mut line: VecDeque<u8>, by: [u16; 2], of: &HashSet<u8>) -> (Vec<u8>, [u16; 2]) {
             line.retain(|one| !of.contains(one));
             let turn = (usize::from(by[0]) % 7).min(line.len());
             line.rotate_left(turn);
             (line.into_iter().collect(), [by[1], by[0]])
         }",
        "use std::collections::BTreeSet;
         pub fn turned(line: &[u8], by: &[u16; 2], of: BTreeSet<u8>) -> (Vec<u8>, [u16; 2]) {
             let mut line: Vec<u8> = line.iter().copied().filter(|one| !of.contains(one)).collect();
             let turn = (usize::from(by[0]) % 7).min(line.len());
             line.rotate_left(turn);
             (line, [by[1], by[0]])
         }",
    ]);
}

#[test]
fn components_say_themselves_what_they_take() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let wit = "package local:sums;
        world prototype { export add-up: func(the-numbers: list<s64>) -> s64; }
        world workload {
            export generate: func(size: u32, seed: u64) -> list<s64>;
            record colour { red: u8 }
            export paint: func(shade: colour) -> colour;
        }";
    fs::write(path("sums.wit"), wit).unwrap();
    let one_by_one = "pub fn add_up(numbers: Vec<i64>) -> i64 { numbers.iter().fold(0, |a, b| a.wrapping_add(*b)) }";
    let in_pairs = "pub fn add_up(numbers: Vec<i64>) -> i64 {
        numbers.chunks(2).map(|two| two.iter().fold(0i64, |a, b| a.wrapping_add(*b))).fold(0, i64::wrapping_add) }";
    for (name, source) in [("a", one_by_one), ("b", in_pairs)] {
        let source_path = path(&format!("{name}.rs"));
        fs::write(&source_path, source).unwrap();
        let wasm = path(&format!("{name}.wasm"));
        let built = run_bakeoff(&[
            "build",
            &source_path,
            "--wit",
            &path("sums.wit"),
            "--call",
            "add-up",
            "-o",
            &wasm,
        ]);
        assert_eq!(built.status, 0, "{}", built.stderr);
    }
    // Beside a source that names everything otherwise.
    fs::write(path("total.rs"), one_by_one.replace("add_up", "total")).unwrap();
    let (a, b, total) = (path("a.wasm"), path("b.wasm"), path("total.rs"));
    let options = ["--size", "3000", "--budget", "100ms", "--format", "json"];
    let output = run_bakeoff(&[&["compare", &total, &a, &b][..], &options[..]].concat());
    assert!(output.ended_a_run(), "{} {}", output.stdout, output.stderr);
    let report = output.json();
    assert_eq!(report["variants"].as_array().unwrap().len(), 3);
    let problem = report["experiment"]["problem"].to_string();
    assert!(
        problem.contains("add-up: func(the-numbers: list<s64>) -> s64")
            && problem.contains("as total"),
        "{problem}"
    );
    // A component that is none, and one whose types have names.
    fs::write(path("cut.wasm"), &fs::read(&a).unwrap()[..500]).unwrap();
    let said = run_bakeoff(&["compare", &a, &path("cut.wasm")]);
    assert_eq!(said.status, 2);
    assert!(
        said.stderr
            .contains("cut.wasm cannot be read as a component"),
        "{}",
        said.stderr
    );
    let painting = "pub fn generate(_: u32, _: u64) -> Vec<i64> { Vec::new() }
        pub fn paint(shade: crate::types::Colour) -> crate::types::Colour { shade }";
    fs::write(path("paint.rs"), painting).unwrap();
    let (source, wasm) = (path("paint.rs"), path("paint.wasm"));
    let built = run_bakeoff(&[
        "build",
        &source,
        "--wit",
        &path("sums.wit"),
        "--call",
        "add-up",
        "--world",
        "workload",
        "-o",
        &wasm,
    ]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let said = run_bakeoff(&["compare", &wasm, &wasm, "--call", "paint"]);
    assert_eq!(said.status, 2);
    let words: Vec<&str> = said
        .stderr
        .split_whitespace()
        .filter(|word| *word != "│")
        .collect();
    let words = words.join(" ");
    assert!(
        words.contains("shade is the record colour") && words.contains("--wit"),
        "{words}"
    );
    // An experiment that one can go on with is made of sources.
    let new_folder = path("new");
    let said = run_bakeoff(&["init", &new_folder, "--from", &a, &b]);
    assert_eq!(said.status, 2);
    assert!(said.stderr.contains("no Rust source"), "{}", said.stderr);
}

/// Who fails on inputs with large values, as all do, is timed on the others.
#[test]
fn kinds_of_values_on_which_all_fail_are_not_timed() {
    let sum = "pub fn sum(items: &[i32]) -> i32 { items.iter().map(|item| { assert!(item.unsigned_abs() <= 200); *item }).sum() }";
    let last = "pub fn sum(items: &[i32]) -> i32 { let mut sum = 0; for item in items.iter().rev() { \
        assert!((-200..=200).contains(item)); sum += item; } sum }";
    let output = compare(&[sum, last], &["--size", "1000", "--budget", "1s"]);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    let words: Vec<&str> = output.stdout.split_whitespace().collect();
    let text = words.join(" ");
    let by_kind = text.contains("All files fail on some inputs of any values,")
        && text.contains("inputs like these are not timed");
    // Where a busy machine leaves time for few calls, none that fails may be met until inputs are chosen one by one.
    let one_by_one = text.contains("inputs that could be timed: only the");
    assert!(by_kind || one_by_one, "{text}");
    assert!(!text.contains("of equal values"), "{text}");
}
