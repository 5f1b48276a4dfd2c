//! Versions of a component's machine code that differ in where it lies.

use super::*;
use std::collections::HashSet;

/// Calls through a table of functions, which hold indexes, and keeps something in a static.
const TABLE: &str = "use std::sync::atomic::{AtomicU32, Ordering};
static CALLS: AtomicU32 = AtomicU32::new(0);
type Step = fn(i64) -> i64;
fn twice(a: i64) -> i64 { a * 2 }
fn next(a: i64) -> i64 { a + 1 }
fn square(a: i64) -> i64 { a * a }
pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {
    CALLS.fetch_add(1, Ordering::Relaxed);
    let steps: [Step; 3] = std::hint::black_box([twice, next, square]);
    let mut out: Vec<i64> = values.iter().enumerate().map(|(i, v)| steps[i % 3](*v)).collect();
    out.sort_by_key(|value| std::cmp::Reverse(*value));
    out.truncate(k as usize);
    out.push(CALLS.load(Ordering::Relaxed) as i64);
    out
}
";

#[tokio::test]
async fn every_version_is_other_code_that_does_the_same() {
    let built = build(&source(&top_k(), TABLE)).await.unwrap();
    assert_eq!(built.timed.len(), 8);
    let distinct: HashSet<_> = built.timed.iter().collect();
    assert_eq!(distinct.len(), 8);
    let engine = engine::new(Profile::Timed).unwrap();
    for code in &built.timed {
        let mut running = Running::linked(&engine, code, &Linker::new(&engine));
        for call in 1..4 {
            let answer = running.call("top-k", &[list(&[5, 7, 9, 2]), Val::U32(3)]);
            assert_eq!(answer.unwrap(), list(&[81, 10, 8, call]));
        }
    }
}

#[tokio::test]
async fn a_component_that_a_user_brings_has_versions_too_and_what_is_not_raced_has_none() {
    let own = build(&source(&top_k(), SORT)).await.unwrap();
    let brought = build(&component(&top_k(), &own.component)).await.unwrap();
    assert_eq!(brought.component, own.component);
    assert_eq!(brought.timed, own.timed);
    let calibrator = BuildRequest {
        code: BuildInput::Calibrator,
        ..source(&top_k(), SORT)
    };
    assert_eq!(build(&calibrator).await.unwrap().timed.len(), 1);
    let diagnostic = BuildRequest {
        kind: BuildKind::Diagnostic,
        ..source(&top_k(), SORT)
    };
    assert!(build(&diagnostic).await.unwrap().timed.is_empty());
}
