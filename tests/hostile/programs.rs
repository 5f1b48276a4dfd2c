//! Programs that try to leave their fence, to hurt others, or to win by what no component can do.

use super::batch::World;
use crate::programs::{WIT, WORKLOAD, compiled};
use crate::support::{variant, verdict};
use serde_json::Value;
use std::fs;

/// What programs do, and the class of the failure, if it is one, with words of its message.
const MODES: [(&str, &str, &str); 21] = [
    ("good", "", ""),
    ("good-too", "", ""),
    ("exits", "exited", "ended with status 3"),
    ("panics", "exited", "no such file: /dev/lost"),
    ("hangs", "wall-limit", ""),
    ("waits", "wall-limit", ""),
    ("grows", "memory-limit", "the program took more memory"),
    ("wrong-later", "wrong-answer", "expected"),
    (
        "no-json",
        "wrong-answer",
        "the line begins with \"the sum is",
    ),
    ("text", "wrong-answer", "expected an integer"),
    ("twice", "wrong-answer", "more than one line"),
    // Said, and no harm.
    ("complains", "", ""),
    // What they try fails; otherwise they say so instead of a number.
    ("forks", "", ""),
    ("detaches", "", ""),
    ("connects", "", ""),
    ("writes", "", ""),
    ("reads", "", ""),
    ("stops", "", ""),
    ("marks", "", ""),
    // Its work between answers is its time.
    ("keeps-on", "", ""),
    ("floods", "", ""),
];

#[test]
fn case_200_programs_stay_inside_and_each_fails_alone() {
    let world = World::new();
    world.write("experiment/total.wit", WIT);
    world.write("experiment/workload.rs", WORKLOAD);
    let sum = "pub fn total(values: Vec<u64>) -> u64 { values.iter().sum() }";
    world.write("experiment/sum.rs", sum);
    let program = world.path("experiment/answers");
    fs::copy(compiled(), &program).unwrap();
    let mut file = "name = \"programs\"\nproblem = \"Add up.\"\n\
                    interface = { wit = \"total.wit\", call = \"total\" }\n\
                    workload = { source = \"workload.rs\", sizes = [500, 2_000] }\n\
                    measure = { budget = \"20 s\" }\nlimits = { wall = \"1 s\" }\n\
                    [[approach]]\nname = \"component\"\nsource = \"sum.rs\"\n"
        .to_owned();
    let secret = world.text("temporary/canary.txt");
    for (mode, ..) in MODES {
        file.push_str(&format!(
            "[[approach]]\nname = \"{mode}\"\ncommand = [\"./answers\", \"{mode}\", \"{secret}\"]\n"
        ));
    }
    world.write("experiment/bakeoff.toml", file);
    let results = world.text("results");
    let arguments = [
        "run",
        ".",
        "--programs",
        "--budget",
        "90s",
        "--format",
        "json",
        "--out",
        &results,
    ];
    let said = world.run(&arguments);
    let report = said.json();
    for (mode, class, words) in MODES {
        let failure = &variant(&report, mode)["failure"];
        if mode == "floods" {
            // Whether a line of it ends before the bound depends on what the pipe held.
            assert!(!failure.is_null());
            continue;
        }
        let told = failure["message"].as_str().unwrap_or_default();
        assert_eq!(
            failure["class"].as_str().unwrap_or_default(),
            class,
            "{mode}: {failure:#}"
        );
        assert!(told.contains(words), "{mode}: {failure:#}");
    }
    let time = |name: &str| -> f64 {
        let reading: &Value = &variant(&report, name)["readings"]["time"]["value"];
        reading
            .as_f64()
            .unwrap_or_else(|| panic!("{name} was not timed: {report:#}"))
    };
    assert!(time("keeps-on") > 10.0 * time("good"));
    assert_ne!(verdict(&report, "good", "good-too"), "beats");
    assert_ne!(verdict(&report, "good-too", "good"), "beats");
    assert_eq!(
        fs::read_to_string(&secret)
            .unwrap()
            .matches("no Rust")
            .count(),
        1
    );
    let written = world.path("temporary/escaped");
    assert!(!written.exists());
}
