//! How much `compare` does for an answer: nothing for the same component, and little within a small budget.

use crate::derived::compare;

#[test]
fn the_same_component_is_neither_searched_nor_timed() {
    let sorts = "pub fn sorted(mut items: Vec<i32>) -> Vec<i32> { items.sort(); items }";
    // The second source is another text, and the same component.
    let json = ["--format", "json"];
    let output = compare(&[sorts, &format!("{sorts} ")], &json);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let report = output.json();
    let problem = report["experiment"]["problem"].as_str().unwrap();
    assert!(
        problem.contains("there is nothing to search for"),
        "{problem}"
    );
    assert_eq!(report["protocol"]["ended"], "not-measured", "{report:#}");
    assert_eq!(report["verdicts"][0]["verdict"], "tie", "{report:#}");
    let said = "Tie without timing: a and b are the same component, byte for byte.";
    let text = report["recommendation"]["text"].as_str().unwrap();
    assert!(text.starts_with(said), "{text}");
    for one in report["variants"].as_array().unwrap() {
        assert!(one["readings"]["time"].is_null(), "{one:#}");
        assert_eq!(one["rank"], 1, "{one:#}");
    }
    // Beside another one, they are timed once, and tie.
    let other = "pub fn sorted(mut items: Vec<i32>) -> Vec<i32> { items.sort_unstable(); items }";
    let output = compare(
        &[sorts, &format!("{sorts} "), other],
        &["--size", "300", "--budget", "2s", "--format", "json"],
    );
    let report = output.json();
    let tie = report["verdicts"].as_array().unwrap().iter();
    let mut tie = tie.filter(|row| row["a"] == "a" && row["b"] == "b");
    assert_eq!(tie.next().unwrap()["verdict"], "tie", "{report:#}");
}

#[test]
fn a_small_budget_bounds_the_search_and_the_checks_too() {
    let one = "pub fn sorted(mut items: Vec<i32>) -> Vec<i32> { items.sort(); items }";
    let two = "pub fn sorted(mut items: Vec<i32>) -> Vec<i32> { items.sort_unstable(); items }";
    let tried = |more: &[&str]| {
        let output = compare(&[one, two], more);
        assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
        let report = output.json();
        let problem = report["experiment"]["problem"].as_str().unwrap().to_owned();
        let (_, after) = problem.split_once("On the ").unwrap();
        let (count, _) = after.split_once(' ').unwrap();
        (count.parse::<u32>().unwrap(), report)
    };
    let (few, report) = tried(&["--budget", "100ms", "--format", "json"]);
    // Every size was tried, and not many times.
    assert!((1..400).contains(&few), "{few}");
    assert_eq!(report["protocol"]["budget_seconds"], 0.1);
    let output = compare(&[one, two], &["--quick", "--careful"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    let output = compare(&[one, two], &["--quick", "--budget", "1s"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    let output = compare(&[one, two], &["--quick", "--format", "json"]);
    assert_eq!(output.json()["protocol"]["budget_seconds"], 5.0);
}

/// Compares functions that work for so many steps, which follow from a number of their own in each input.
fn steps(files: &[(&str, &str)], seed: &str) -> serde_json::Value {
    let folder = tempfile::TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let generate = "pub fn generate(_size: u32, seed: u64) -> u64 {
        let z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }";
    std::fs::write(path("workload.rs"), generate).unwrap();
    let mut arguments = vec!["compare".to_owned()];
    for (name, steps) in files {
        let source = format!(
            "pub fn f(seed: u64) -> u64 {{ let steps = {steps}; let mut x = seed | 1;
            for _ in 0..steps {{ x ^= x << 13; x ^= x >> 7; x ^= x << 17; }} seed ^ u64::from(x == 0) }}"
        );
        std::fs::write(path(name), source).unwrap();
        arguments.push(path(name));
    }
    let options = [
        "--size",
        "1",
        "--seed",
        seed,
        "--format",
        "json",
        "--workload",
    ];
    arguments.extend(options.map(str::to_owned));
    arguments.push(path("workload.rs"));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = crate::support::run_bakeoff(&arguments);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    output.json()
}

/// With this seed, the first ten inputs have no slow one among them.
#[test]
fn case_184_slower_in_total() {
    let uneven = "if seed % 10 == 0 { 12_500_000 } else { 250_000 }";
    let report = steps(&[("uneven.rs", uneven), ("even.rs", "500_000")], "3");
    let winner = &report["recommendation"]["winner"];
    assert_ne!(winner, "uneven", "{report:#}");
    assert!(
        report["protocol"]["inputs"].as_u64().unwrap() >= 60,
        "{report:#}"
    );
}

/// With this seed, a slow input is among the first 64 that are timed, and none among those of the check.
#[test]
fn case_182_rare_sleeper() {
    let sleeper = "if seed % 200 == 0 { 1_000_000_000 } else { 50_000 }";
    let files = [
        ("quick.rs", "50_000"),
        ("slow.rs", "270_000"),
        ("sleeper.rs", sleeper),
    ];
    let report = steps(&files, "5");
    let verdict = |a: &str, b: &str| {
        let mut rows = report["verdicts"].as_array().unwrap().iter();
        let row = rows.find(|row| row["a"] == a && row["b"] == b && row["case"].is_null());
        row.map(|row| row["verdict"].as_str().unwrap().to_owned())
    };
    assert_eq!(
        verdict("quick", "slow").as_deref(),
        Some("beats"),
        "{report:#}"
    );
    let mean = |id: &str| {
        let variants = report["variants"].as_array().unwrap();
        let own = variants.iter().find(|variant| variant["id"] == id);
        own.unwrap()["readings"]["time"]["value"].as_f64()
    };
    // A slow input was met. Where it ended the first samples, there is no time at all.
    if let Some(sleeper) = mean("sleeper") {
        assert!(sleeper > mean("slow").unwrap(), "{report:#}");
    }
    assert_ne!(report["recommendation"]["winner"], "sleeper", "{report:#}");
    // So it is no winner over anybody who takes less in the mean.
    assert_ne!(
        verdict("sleeper", "slow").as_deref(),
        Some("beats"),
        "{report:#}"
    );
    assert_ne!(
        verdict("slow", "sleeper").as_deref(),
        Some("beaten"),
        "{report:#}"
    );
}
