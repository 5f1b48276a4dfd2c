//! The table of cases in `docs/security.md`, held to the tests that it names.

use crate::support::root;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// How many cases the corpus has. What was found near one of them has a letter behind its number.
const CASES: u32 = 113;

/// Numbers that no case has.
const SKIPPED: RangeInclusive<u32> = 104..=109;

/// The cases of the corpus that no test stands for, because what they attack does not exist.
const ABSENT: [u32; 6] = [15, 16, 49, 57, 58, 93];

fn sources(folder: &Path, found: &mut String) {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

/// The cells of the rows of all tables whose last column names tests.
fn rows(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut names_tests = false;
    for line in text.lines() {
        let cells = line.trim().trim_matches('|').split('|');
        let cells: Vec<String> = cells.map(|cell| cell.trim().to_owned()).collect();
        if !line.starts_with('|') {
            names_tests = false;
        } else if cells.last().is_some_and(|cell| cell == "test") {
            names_tests = true;
        } else if names_tests && !line.starts_with("|---") {
            rows.push(cells);
        }
    }
    rows
}

/// The names in backquotes that are tests: the last part of a path.
fn tests(cell: &str) -> Vec<&str> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted
        .map(|name| name.rsplit("::").next().unwrap())
        .collect()
}

#[test]
fn every_case_of_the_table_has_a_test_and_every_test_a_row() {
    let text = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let mut code = String::new();
    sources(&root().join("tests"), &mut code);
    sources(&root().join("host"), &mut code);
    let rows = rows(&text);
    let numbers: Vec<u32> = rows.iter().filter_map(|row| row[0].parse().ok()).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    let expected =
        (1..=CASES).filter(|number| !ABSENT.contains(number) && !SKIPPED.contains(number));
    let missing: Vec<u32> = expected.filter(|n| !numbers.contains(n)).collect();
    assert_eq!(missing, Vec::<u32>::new());
    let mut named = Vec::new();
    for row in &rows {
        let of_row = tests(row.last().unwrap());
        assert!(!of_row.is_empty(), "{} names no test", row[0]);
        for test in of_row {
            assert!(
                code.contains(&format!("fn {test}()")),
                "there is no test {test}"
            );
            named.push(test);
        }
    }
    let cases = code
        .split("fn case_")
        .skip(1)
        .filter_map(|rest| rest.split_once('('));
    for (case, _) in cases {
        // This file's own pattern is not a test.
        if case.starts_with(|c: char| c.is_ascii_digit()) {
            let name = format!("case_{case}");
            assert!(
                named.contains(&name.as_str()),
                "{name} is in no row of the table"
            );
        }
    }
}
