//! Prototypes that count their calls, where instances are kept.

use super::batch::World;
use crate::support::variant;

/// Close to the root in the calls that are assessed, and far from it in those that are timed.
#[test]
fn case_201_qualities_of_other_calls_are_said() {
    let world = World::new();
    world.write(
        "experiment/root.wit",
        "package kept:test;
world prototype { export root: func(of: f64) -> f64; }
world workload {
  export generate: func(size: u32, seed: u64) -> f64;
  export check: func(of: f64, answer: f64) -> result<_, string>;
  export assess: func(of: f64, answer: f64) -> list<tuple<string, f64>>;
}
",
    );
    world.write(
        "experiment/workload.rs",
        "pub fn generate(size: u32, seed: u64) -> f64 { f64::from(size) + (seed % 1000) as f64 }
pub fn check(of: f64, answer: f64) -> Result<(), String> {
    if (answer - of.sqrt()).abs() < 1e3 { Ok(()) } else { Err(\"far off\".into()) }
}
pub fn assess(of: f64, answer: f64) -> Vec<(String, f64)> {
    vec![(\"error\".into(), (answer - of.sqrt()).abs())]
}
",
    );
    let newton = |steps: &str| {
        format!(
            "static CALLS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
pub fn root(of: f64) -> f64 {{
    let call = CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let mut root = 1.0 + of / 100.0;
    for _ in 0..({steps}) {{
        root = std::hint::black_box((root + of / root) / 2.0);
    }}
    root
}}
"
        )
    };
    world.write("experiment/honest.rs", newton("call.min(0) + 20_000"));
    let counts = newton("if call < 1_000 { 20_000 } else { 5_000 }");
    world.write("experiment/counts.rs", counts);
    let file = "name = \"kept\"\nproblem = \"Take roots.\"\n\
                interface = { wit = \"root.wit\", call = \"root\" }\n\
                workload = { source = \"workload.rs\", sizes = [1_000] }\n\
                measure = { budget = \"3 s\", STATE }\n\
                approach = [{ name = \"honest\", source = \"honest.rs\" }, \
                { name = \"counts\", source = \"counts.rs\" }]\n\
                [[criterion]]\nname = \"time\"\nweight = 1\nfrom = \"time\"\n\
                [[criterion]]\nname = \"error\"\nweight = 1\nfrom = \"assess:error\"\n\
                direction = \"lower-is-better\"\nrange = [0, 1]\n";
    for (state, is_said) in [("kept", true), ("pure", false)] {
        let text = file.replace("STATE", &format!("state = \"{state}\""));
        world.write("experiment/bakeoff.toml", text);
        let said = world.run(&["run", ".", "--seed", "7", "--format", "json"]);
        let report = said.json();
        assert!(
            variant(&report, "counts")["failure"].is_null(),
            "{report:#}"
        );
        let notes = report["notes"].to_string();
        let told = notes.contains("Qualities are those of answers to other calls");
        assert_eq!(told, is_said, "{state}: {notes}");
    }
}
