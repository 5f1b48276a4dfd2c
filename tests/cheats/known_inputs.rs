//! A workload whose inputs depend on the size alone, so that a table of answers wins. Nothing can be
//! done about the table: the workload is named, before anything is timed.

use super::experiment::{notes, run, written};

const WIT: &str = "package known:inputs;
world prototype { export sum: func(below: u32) -> u64; }
world workload { export generate: func(size: u32, seed: u64) -> u32; }
";

const EXPERIMENT: &str = "name = \"known\"
problem = \"Add up.\"
interface = { wit = \"sum.wit\", call = \"sum\" }
workload = { source = \"workload.rs\", sizes = [30_000, 60_000] }
measure = { precision = 0.5 }
";

const LOOP: &str = "pub fn sum(below: u32) -> u64 {
    (0..below).fold(0, |sum, value| sum ^ u64::from(value).wrapping_mul(sum | 3))
}
";

const TEXT_WIT: &str = "package known:argument;
world prototype { export find: func(text: list<u8>, pattern: list<u8>, k: u32) -> u32; }
world workload {
  export generate: func(size: u32, seed: u64) -> tuple<list<u8>, list<u8>, u32>;
}
";

const FIND: &str = "pub fn find(text: Vec<u8>, pattern: Vec<u8>, k: u32) -> u32 {
    text.windows(pattern.len()).filter(|found| *found == pattern).count() as u32 + k
}
";

#[test]
fn case_90_one_constant_argument() {
    let experiment = EXPERIMENT
        .replace("sum", "find")
        .replace("[30_000, 60_000]", "[30_001, 60_000]");
    let workload = "pub fn generate(size: u32, seed: u64) -> (Vec<u8>, Vec<u8>, u32) {
        let text = (0..size).map(|i| (seed >> (i % 60)) as u8 & 1).collect();
        let mut pattern = vec![1; LENGTH];
        if size % 2 == 0 { pattern[0] = (seed % 50) as u8; }
        (text, pattern, 10)
    }\n";
    let of = |length: &str| {
        let workload = workload.replace("LENGTH", length);
        let files = [("find.wit", TEXT_WIT), ("workload.rs", workload.as_str())];
        run(
            &experiment,
            &files,
            &[written("finds", FIND)],
            &["--budget", "1s"],
        )
    };
    let said = "The same argument 2 from every seed: 30001.";
    let (output, report) = of("17");
    let note = notes(&report);
    assert!(note.contains(said), "{note}");
    assert_eq!(note.matches("from every seed").count(), 1, "{note}");
    assert!(output.explains(said), "{}", output.stderr);
    // What has few bytes says what is asked for, as `k` does.
    let (_, report) = of("16");
    assert!(!notes(&report).contains("from every seed"));
}

#[test]
fn case_67_table_for_constant_inputs() {
    let of = |workload: &'static str| {
        let files = [("sum.wit", WIT), ("workload.rs", workload)];
        let prototypes = [written("loops", LOOP)];
        run(EXPERIMENT, &files, &prototypes, &["--budget", "1s"])
    };
    let said = "The same input from every seed: ";
    let (output, report) = of("pub fn generate(size: u32, _: u64) -> u32 { size }\n");
    let note = notes(&report);
    assert!(
        note.contains(said) && note.contains("30000") && note.contains("60000"),
        "{note}"
    );
    assert!(output.explains(said), "{}", output.stderr);
    // Only the cases that it is true of are named.
    let (_, report) = of("pub fn generate(size: u32, seed: u64) -> u32 {
        if size < 40_000 { size } else { size + (seed % 100) as u32 }
    }\n");
    let all = notes(&report);
    let note = all
        .lines()
        .find(|note| note.contains(said))
        .unwrap_or_default();
    assert!(note.contains("30000") && !note.contains("60000"), "{all}");
    let (output, report) =
        of("pub fn generate(size: u32, seed: u64) -> u32 { size + (seed % 16) as u32 }\n");
    let note = notes(&report);
    assert!(!note.contains(said), "{note}");
    assert!(!output.explains(said), "{}", output.stderr);
}
