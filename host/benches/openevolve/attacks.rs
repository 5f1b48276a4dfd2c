//! Candidates that are up to something.

/// What the hungry candidate takes, in bytes.
pub(crate) const HUNGRY_BYTES: u64 = 1 << 30;

/// Returns all attacks, each with its name.
pub(crate) fn all() -> [(&'static str, String); 5] {
    [
        ("endless", endless()),
        ("hungry, for 1 GiB", hungry()),
        ("crashing", crashing()),
        (
            "ending its process with success, which is a wrong answer",
            ending(),
        ),
        (
            "reading the evaluator\u{2019}s file before it answers",
            reading(),
        ),
    ]
}

fn endless() -> String {
    "pub fn total(values: Vec<u32>) -> u64 {\n    let mut sum = 0_u64;\n    loop {\n        sum = \
     std::hint::black_box(sum.wrapping_add(values.len() as u64));\n    }\n}\n"
        .to_owned()
}

fn hungry() -> String {
    "pub fn total(values: Vec<u32>) -> u64 {\n    let mut taken: Vec<Vec<u8>> = Vec::new();\n    for number in 0..64_u8 {\n        \
     taken.push(std::hint::black_box(vec![number | 1; 16 << 20]));\n    }\n    std::hint::black_box(&taken);\n    \
     values.iter().map(|value| u64::from(*value)).sum()\n}\n"
        .to_owned()
}

fn crashing() -> String {
    "pub fn total(values: Vec<u32>) -> u64 {\n    if values.len() > 1 {\n        std::process::abort();\n    }\n    0\n}\n"
        .to_owned()
}

/// It never adds anything: whoever looks at the exit status alone takes it for right.
fn ending() -> String {
    "pub fn total(values: Vec<u32>) -> u64 {\n    if values.len() > 1 {\n        std::process::exit(0);\n    }\n    0\n}\n"
        .to_owned()
}

/// It is right only where it can read how it is judged.
fn reading() -> String {
    "pub fn total(values: Vec<u32>) -> u64 {\n    let folder = std::env::var(\"BENCH_FOLDER\").unwrap_or_default();\n    \
     let text = std::fs::read_to_string(format!(\"{folder}/evaluator.py\")).unwrap_or_default();\n    \
     assert!(text.contains(\"combined_score\"), \"there is nothing to read\");\n    \
     values.iter().map(|value| u64::from(*value)).sum()\n}\n"
        .to_owned()
}
