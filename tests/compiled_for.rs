//! What Rust files are compiled for.

use crate::derived::compare;

/// Two functions that differ where there are no vectors.
const FILES: [&str; 2] = [
    "pub fn f(x: u32) -> u32 { if cfg!(target_feature = \"simd128\") { x ^ 1 } else { x ^ 2 } }",
    "pub fn f(x: u32) -> u32 { x ^ 1 }",
];

/// A file that goes nine times over its input, sixteen items at once, and one that goes once, item by item.
#[test]
fn a_verdict_that_hangs_on_vectors_is_told() {
    let by_sixteen = "pub fn f(v: &[u8]) -> u8 {
        let mut all = 0;
        for _ in 0..9 { all ^= std::hint::black_box(v).iter().fold(0u8, |a, b| a ^ b); }
        all }";
    let one_by_one = "pub fn f(v: &[u8]) -> u8 {
        v.iter().fold(0u8, |a, b| a ^ std::hint::black_box(*b)) }";
    let output = compare(
        &[by_sixteen, one_by_one],
        &["--size", "60000", "--seed", "5"],
    );
    let text = output
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert_eq!(output.status, 0, "{text}{}", output.stderr);
    assert!(text.contains("Take a"), "{text}");
    assert!(
        text.contains("The order may hang on vectors of 128 bits"),
        "{text}"
    );
}

#[test]
fn vectors_are_left_out_where_that_is_asked_and_what_was_built_is_not_mixed() {
    let measured = ["--size", "3000", "--budget", "100ms", "--format", "json"];
    // The same files, in the same cache, one after the other.
    for _ in 0..2 {
        let with = compare(&FILES, &measured);
        assert!(with.ended_a_run(), "{}{}", with.stdout, with.stderr);
        let compiler = with.json()["environment"]["compiler"].to_string();
        assert!(!compiler.contains("simd128"), "{compiler}");
        let without = compare(&FILES, &["--no-simd"]);
        assert_eq!(without.status, 1, "{}{}", without.stdout, without.stderr);
        assert!(
            without.stdout.contains("do not do the same"),
            "{}",
            without.stdout
        );
    }
    let alike = [
        FILES[1],
        "pub fn f(x: u32) -> u32 { 1 ^ x }\n// another text",
    ];
    let without = compare(&alike, &[&["--no-simd"], &measured[..]].concat());
    let compiler = without.json()["environment"]["compiler"].to_string();
    assert!(compiler.ends_with(", without simd128\""), "{compiler}");
}
