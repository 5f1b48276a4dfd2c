//! Rows that `bakeoff judge` compares, worked out again.

use crate::support::{CommandOutput, root, run_bakeoff};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A generator of numbers between 0 and 1, the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Rows of some variants on some cases, each variant this much larger than the one before. Some values are far larger
/// than others, and some blocks lack a variant.
fn rows(seed: u64, variants: usize, cases: usize, blocks: usize, apart: f64) -> String {
    let mut numbers = Numbers(seed);
    let mut text = "variant,block,case,value\n".to_owned();
    for block in 0..blocks {
        let turn = (numbers.next() * variants as f64) as usize;
        for place in 0..variants {
            let variant = (place + turn) % variants;
            if variants > 2 && numbers.next() < 0.05 {
                continue;
            }
            for case in 0..cases {
                let tail = if numbers.next() < 0.04 { 3.0 } else { 0.0 };
                let scale = 10_f64.powi(4 * case as i32 - 3);
                let value =
                    scale * (1.0 + apart * variant as f64) * (1.0 + 0.1 * numbers.next() + tail);
                let _ = writeln!(text, "v{variant},{block},c{case},{value}");
            }
        }
    }
    text
}

/// Eighths of inches that maize of crossed and of self-fertilised flowers grew to, in pairs of one pot (Darwin, "The effects
/// of cross and self fertilisation", 1876, as Fisher has them in "The design of experiments").
const MAIZE: [(f64, f64); 15] = [
    (188.0, 139.0),
    (96.0, 163.0),
    (168.0, 160.0),
    (176.0, 160.0),
    (153.0, 147.0),
    (172.0, 149.0),
    (177.0, 149.0),
    (163.0, 122.0),
    (146.0, 132.0),
    (173.0, 144.0),
    (186.0, 130.0),
    (168.0, 144.0),
    (177.0, 102.0),
    (184.0, 124.0),
    (96.0, 144.0),
];
/// Hours that ten patients slept longer with each of two drugs (Student, "The probable error of a mean", 1908).
const SLEEP: [(f64, f64); 10] = [
    (0.7, 1.9),
    (-1.6, 0.8),
    (-0.2, 1.1),
    (-1.2, 0.1),
    (-0.1, -0.1),
    (3.4, 4.4),
    (3.7, 5.5),
    (0.8, 1.6),
    (0.0, 4.6),
    (2.0, 3.4),
];

/// Published pairs as rows, as they are printed: one of each pair always comes first.
fn published(pairs: &[(f64, f64)]) -> String {
    let mut text = "variant,block,value\n".to_owned();
    for (block, (a, b)) in pairs.iter().enumerate() {
        let _ = writeln!(text, "a,{block},{a}\nb,{block},{b}");
    }
    text
}

/// Judges a file, and returns the report and what the reference says of it.
fn judged(file: &Path, options: &[&str], change: impl FnOnce(&str) -> String) -> CommandOutput {
    let mut arguments = vec!["judge", file.to_str().unwrap(), "--format", "json"];
    arguments.extend(options);
    let output = run_bakeoff(&arguments);
    assert!([0, 1].contains(&output.status), "{}", output.stderr);
    let report = file.with_extension("json");
    fs::write(&report, change(&output.stdout)).unwrap();
    // Without -B it would leave compiled files beside its source.
    let mut reference = Command::new("python3");
    reference
        .arg("-B")
        .arg(root().join("tests/reference/judge.py"));
    CommandOutput::from(reference.args([file, &report]).output().unwrap())
}

pub(crate) fn verdicts_about_rows_follow_from_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let mut sure = 0;
    for (seed, (variants, cases, blocks, apart)) in [
        (2, 1, 7, 0.5),
        (2, 1, 60, 0.5),
        (2, 1, 300, 0.0),
        (2, 3, 80, 0.1),
        (3, 1, 120, 0.1),
        (4, 2, 150, 0.3),
        (5, 1, 40, 1.0),
    ]
    .into_iter()
    .enumerate()
    {
        let file = folder.path().join(format!("{seed}.csv"));
        fs::write(&file, rows(seed as u64 + 7, variants, cases, blocks, apart)).unwrap();
        for options in [
            &[][..],
            &["--higher-is-better", "--practical", "5%"],
            &["--range", "0..1000000"],
        ] {
            let said = judged(&file, options, |report| {
                sure += report.matches("\"beats\"").count() + report.matches("\"beaten\"").count();
                report.to_owned()
            });
            assert_eq!(said.status, 0, "{seed} {options:?}: {}", said.stdout);
            assert!(!said.stdout.starts_with("0 "), "{}", said.stdout);
        }
    }
    assert!(sure > 20, "{sure} sure verdicts");
    // Two famous series are too short for a claim that holds whenever one looks, and their order was not drawn.
    let series: [(&str, String, &[&str]); 2] = [
        ("maize", published(&MAIZE), &["--higher-is-better"]),
        (
            "sleep",
            published(&SLEEP),
            &["--higher-is-better", "--range", "-24..24"],
        ),
    ];
    for (name, text, options) in series {
        let file = folder.path().join(format!("{name}.csv"));
        fs::write(&file, text).unwrap();
        let said = judged(&file, options, |report| {
            let value: serde_json::Value = serde_json::from_str(report).unwrap();
            assert_eq!(value["outcome"], "no-call", "{name}: {report}");
            let warning = value["warnings"][0].as_str().unwrap_or_default();
            assert!(
                warning.starts_with("The order was not drawn"),
                "{name}: {report}"
            );
            report.to_owned()
        });
        assert_eq!(said.status, 0, "{name}: {}", said.stdout);
        assert!(!said.stdout.starts_with("0 "), "{}", said.stdout);
    }
    let file = folder.path().join("1.csv");
    let changed = judged(&file, &[], |report| {
        assert!(report.contains("\"beats\""), "{report}");
        report.replacen("\"beats\"", "\"tie\"", 1)
    });
    assert_eq!(changed.status, 1, "{}", changed.stdout);
}
