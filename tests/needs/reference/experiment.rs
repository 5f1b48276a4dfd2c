//! The run that all others are made from: a real one of four variants and a duplicate on three sizes,
//! with a criterion for every reading that varies.

use crate::support::run_bakeoff;
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};

const WIT: &str = "package reference:test;
world prototype { export pick: func(numbers: list<u32>) -> u32; }
world workload {
  export generate: func(size: u32, seed: u64) -> list<u32>;
  export check: func(numbers: list<u32>, answer: u32) -> result<_, string>;
  export assess: func(numbers: list<u32>, answer: u32) -> list<tuple<string, f64>>;
}
";

const WORKLOAD: &str = "use crate::bakeoff::Rng;
pub fn generate(size: u32, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    (0..size).map(|_| rng.below(1000) as u32).collect()
}
pub fn check(numbers: Vec<u32>, answer: u32) -> Result<(), String> {
    if numbers.contains(&answer) { Ok(()) } else { Err(\"is not among them\".to_owned()) }
}
pub fn assess(_numbers: Vec<u32>, answer: u32) -> Vec<(String, f64)> {
    vec![(\"picked\".to_owned(), f64::from(answer))]
}
";

/// The world of a workload whose inputs are a fixed set, made by their names.
const SET_WIT: &str = "package reference:test;
world prototype { export pick: func(numbers: list<u32>) -> u32; }
world workload {
  export generate: func(instance: string) -> list<u32>;
  export check: func(numbers: list<u32>, answer: u32) -> result<_, string>;
}
";

const SET_WORKLOAD: &str = "use crate::bakeoff::Rng;
pub fn generate(instance: String) -> Vec<u32> {
    let size: u32 = instance.parse().unwrap();
    let mut rng = Rng::new(size.into());
    (0..size).map(|_| rng.below(1000) as u32).collect()
}
pub fn check(numbers: Vec<u32>, answer: u32) -> Result<(), String> {
    if numbers.contains(&answer) { Ok(()) } else { Err(\"is not among them\".to_owned()) }
}
";

/// What each variant picks. Two give the same answers; the last is the first once more.
const APPROACHES: [(&str, &str); 5] = [
    ("largest", "numbers.iter().copied().max().unwrap()"),
    ("first", "numbers[0]"),
    (
        "greatest",
        "numbers.iter().copied().fold(0, |a, b| if b > a { b } else { a })",
    ),
    ("smallest", "numbers.iter().copied().min().unwrap()"),
    ("twin", "numbers.iter().copied().max().unwrap()"),
];

/// By the place of the criterion: what ranks.
const SOURCES: [&str; 5] = [
    "time",
    "wall",
    "cold-start",
    "build-time",
    "assess:picked\"\ndirection = \"higher-is-better\"\nunit = \"1\"\nrange = [0, 1000]\n#",
];

/// The folder of the results of a finished run.
pub(super) struct Run {
    folder: tempfile::TempDir,
}

/// What a run is asked to do.
struct Question<'a> {
    wit: &'a str,
    workload: &'a str,
    /// `sizes = […]` or `instances = […]`.
    inputs: &'a str,
    sources: &'a [&'a str],
    precision: f64,
}

impl Run {
    /// Four variants and a duplicate on three sizes, by every reading that varies.
    pub(super) fn new() -> Self {
        let question = Question {
            wit: WIT,
            workload: WORKLOAD,
            inputs: "sizes = [20000, 40000, 80000]",
            sources: &SOURCES,
            precision: 0.5,
        };
        Self::of(&APPROACHES, &question)
    }

    /// Two variants on one size, by time alone.
    pub(super) fn of_two() -> Self {
        let question = Question {
            wit: WIT,
            workload: WORKLOAD,
            inputs: "sizes = [40000]",
            sources: &[],
            precision: 0.05,
        };
        Self::of(&APPROACHES[..2], &question)
    }

    /// Four variants and a duplicate on a fixed set of three instances, by time alone.
    pub(super) fn of_set() -> Self {
        let question = Question {
            wit: SET_WIT,
            workload: SET_WORKLOAD,
            inputs: "instances = [\"20000\", \"40000\", \"80000\"]",
            sources: &[],
            precision: 0.5,
        };
        Self::of(&APPROACHES, &question)
    }

    fn of(approaches: &[(&str, &str)], question: &Question) -> Self {
        let Question {
            wit,
            workload,
            inputs,
            sources,
            precision,
        } = question;
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("pick.wit", wit);
        write("workload.rs", workload);
        let mut text = format!(
            "name = \"picking\"\nproblem = \"Pick a number.\"
            interface = {{ wit = \"pick.wit\", call = \"pick\" }}
            workload = {{ source = \"workload.rs\", {inputs} }}
            measure = {{ precision = {precision}, budget = \"4 s\" }}\n"
        );
        for (name, picked) in approaches {
            let source = format!(
                "pub fn pick(numbers: Vec<u32>) -> u32 {{
                    let mixed = numbers.iter().fold(1_u32, |h, n| (h ^ n).wrapping_mul(16_777_619));
                    std::hint::black_box(mixed);
                    {picked}
                }}"
            );
            write(&format!("{name}.rs"), &source);
            text += &format!("[[approach]]\nname = \"{name}\"\nsource = \"{name}.rs\"\n");
        }
        for (place, source) in sources.iter().enumerate() {
            text += &format!("[[criterion]]\nname = \"c{place}\"\nfrom = \"{source}\"\n");
        }
        write("bakeoff.toml", &text);
        let output = run_bakeoff(&["run", folder.path().to_str().unwrap(), "--quiet"]);
        assert!(output.ended_a_run(), "{}", output.stderr);
        Self { folder }
    }

    /// A copy of the results, which may be changed.
    pub(super) fn copy(&self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in ["bakeoff.db", "report.json"] {
            let from = self.results().join(file);
            fs::copy(from, folder.path().join(file)).unwrap();
        }
        Self { folder }
    }

    pub(super) fn dir(&self) -> &str {
        self.folder.path().to_str().unwrap()
    }

    fn results(&self) -> PathBuf {
        self.folder.path().join(Path::new(".bakeoff/picking"))
    }

    pub(super) fn database(&self) -> Connection {
        Connection::open(self.folder.path().join("bakeoff.db")).unwrap()
    }

    /// Changes one row.
    pub(super) fn execute(&self, sql: &str) {
        assert_eq!(self.database().execute(sql, []).unwrap(), 1, "{sql}");
    }
}
