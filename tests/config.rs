//! The experiment file: what is read, and what is said about everything that is wrong.
//!
//! `tests/golden/config/NAME.toml` is read, and must give exactly the message in `NAME.txt`; in
//! `cases/` the same for files of cases. `BLESS=1` writes the messages anew.

mod instances;
mod prompts;

use bakeoff_config::{CasePart, ConfigError, ConfigPlace};
use bakeoff_domain::spec::{
    Code, ComparisonForm, Direction, Gate, GateOn, Inputs, RecommendationStyle, Scale, Source,
    State, Workers,
};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Cargo runs tests in the package's folder; a relative path keeps the messages the same anywhere.
const GOLDEN: &str = "../tests/golden/config";

/// As on a terminal of 80 columns without colours.
fn render(error: &dyn Diagnostic) -> String {
    let mut shown = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(80)
        .with_links(false)
        .render_report(&mut shown, error)
        .expect("a report renders");
    let lines: Vec<_> = shown.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

fn toml_files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder of golden files");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no golden files in {folder}");
    files
}

#[test]
fn case_88_names_that_look_alike() {
    let file = |other: &str| {
        let approach = |name: &str| format!("[[approach]]\nname = \"{name}\"\nsource = 'a.rs'\n");
        format!(
            "name = 'x'\nproblem = '?'\n[interface]\nwit = 'w'\ncall = 'f'\n[workload]\n\
             source = 'w.rs'\nsizes = [1]\n{}{}",
            approach("sort l"),
            approach(other)
        )
    };
    for (other, place) in [
        ("sort\u{a0}l", "character 5, U+0020 and U+00A0"),
        ("sort\u{2002}l", "character 5, U+0020 and U+2002"),
        ("s\u{43e}rt l", "character 2, U+006F and U+043E"),
        ("sort \u{200b}l", "character 6, U+006C and U+200B"),
        ("sort l\u{2060}", "character 7, the end and U+2060"),
    ] {
        let error = bakeoff_config::parse(&file(other), "t").unwrap_err();
        let said = error.to_string();
        assert!(said.contains("read alike"), "{said}");
        assert!(said.ends_with(place), "{said}");
    }
    assert!(bakeoff_config::parse(&file("sort k"), "t").is_ok());
}

/// Compares each file's message with the one beside it, or writes it.
fn hold_to_golden(folder: &str, message: impl Fn(&Path) -> String) {
    let bless = std::env::var_os("BLESS").is_some();
    let mut different = Vec::new();
    for file in toml_files(folder) {
        let golden = file.with_extension("txt");
        let got = message(&file);
        if bless {
            std::fs::write(&golden, &got).expect("the golden file is written");
        }
        let wanted = std::fs::read_to_string(&golden).unwrap_or_default();
        if got != wanted {
            different.push(format!("{}:\n{got}\ninstead of\n{wanted}", file.display()));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n\n"));
}

#[test]
fn what_is_wrong_with_an_experiment_is_said_at_its_place() {
    hold_to_golden(GOLDEN, |file| match bakeoff_config::load(file) {
        Ok(_) => panic!("{} is accepted", file.display()),
        Err(error) => render(&error),
    });
}

#[test]
fn what_is_wrong_with_a_file_of_cases_is_said_at_its_place() {
    hold_to_golden(&format!("{GOLDEN}/cases"), |file| {
        let text = std::fs::read_to_string(file).expect("a golden file");
        match bakeoff_config::parse_cases(&text, "cases.toml") {
            Ok(_) => panic!("{} is accepted", file.display()),
            Err(error) => render(&error),
        }
    });
}

#[test]
fn the_smallest_experiment_gets_every_default() {
    let text = r#"
        name = "n"
        problem = "p"
        interface = { wit = "wit", call = "example:top-k/api@1.0.0.top-k" }
        workload = { cases = "cases.toml" }
        approach = [{ name = "a", component = "a.wasm" }]
    "#;
    let read = bakeoff_config::parse(text, "t").expect("it is valid");
    assert_eq!(read.interface.call, "example:top-k/api@1.0.0.top-k");
    assert_eq!(read.workload.inputs, Inputs::Cases("cases.toml".into()));
    assert_eq!(read.workload.seed, None);
    assert_eq!(read.limits, bakeoff_domain::spec::Limits::default());
    assert_eq!(read.measure, bakeoff_domain::spec::Measure::default());
    assert_eq!(read.report, bakeoff_domain::spec::ReportOptions::default());
    let [criterion] = read.criteria.as_slice() else {
        panic!("one criterion: {:?}", read.criteria);
    };
    assert_eq!(criterion.source, Source::Time);
    assert_eq!(criterion.scale, Scale::Ratio { base: 10.0 });
}

#[test]
fn every_key_reaches_its_value() {
    let text = r#"
        name = "n"
        problem = "p"
        [interface]
        wit = "./wit/../top.wit"
        call = "top-k"
        [workload]
        component = "w.wasm"
        sizes = [1, 0x10, 1_000, 2_000, 3_000, 4_000, 5_000]
        seed = 7
        [[approach]]
        name = "A B"
        description = "d"
        source = "a.rs"
        [limits]
        memory = "1 MiB"
        fuel = 5_000
        wall = "250 ms"
        output = "64 KiB"
        [measure]
        confidence = "99 %"
        practical = 0.02
        budget = "40 s"
        workers = 2
        state = "kept"
        [[criterion]]
        name = "quality"
        weight = 0.5
        from = "assess:score"
        direction = "higher-is-better"
        unit = "%"
        range = [0, 100]
        gate = { score = { min = 4.0 } }
        [[criterion]]
        name = "memory"
        weight = 2
        from = "peak-memory"
        base = 4
        gate = { reading = { max = "2 MiB" } }
        [[criterion]]
        name = "growth"
        from = "growth"
        [report]
        comparison = "matrix"
        recommendation = "none"
        code_samples = false
        trade_offs = false
    "#;
    let read =
        bakeoff_config::parse(text, "t").unwrap_or_else(|error| panic!("{}", render(&error)));
    assert_eq!((&*read.name, &*read.problem), ("n", "p"));
    assert_eq!(read.approaches[0].name, "A B");
    assert_eq!(read.interface.call, "top-k");
    assert_eq!(read.interface.wit, Path::new("top.wit"));
    let Inputs::Generated { code, sizes, .. } = &read.workload.inputs else {
        panic!("inputs are generated");
    };
    assert_eq!(*code, Code::Component("w.wasm".into()));
    assert_eq!(*sizes, [1, 16, 1000, 2000, 3000, 4000, 5000]);
    assert_eq!(read.workload.seed, Some(7));
    assert_eq!(read.approaches[0].description.as_deref(), Some("d"));
    assert_eq!(read.approaches[0].code, Code::Source("a.rs".into()));
    assert_eq!(read.limits.memory_bytes, 1 << 20);
    assert_eq!(read.limits.fuel, 5000);
    assert_eq!(read.limits.wall, Duration::from_millis(250));
    assert_eq!(read.limits.output_bytes, 64 << 10);
    assert_eq!(read.measure.confidence, 0.99);
    assert_eq!(read.measure.practical, 0.02);
    assert_eq!(read.measure.budget, Duration::from_secs(40));
    assert_eq!(read.measure.workers, Workers::Exactly(2));
    assert_eq!(read.measure.state, State::Kept);
    let [quality, memory, growth] = read.criteria.as_slice() else {
        panic!("three criteria");
    };
    assert_eq!(quality.source, Source::Assess("score".into()));
    assert_eq!(quality.direction, Direction::HigherIsBetter);
    assert_eq!(quality.unit, "%");
    let range = Scale::Linear {
        low: 0.0,
        high: 100.0,
    };
    assert_eq!(quality.scale, range);
    let at_least_four = Gate {
        on: GateOn::Score,
        min: Some(4.0),
        max: None,
    };
    assert_eq!(quality.gate, Some(at_least_four));
    assert_eq!(memory.scale, Scale::Ratio { base: 4.0 });
    assert_eq!(memory.gate.and_then(|gate| gate.max), Some(2_097_152.0));
    assert_eq!((&*quality.name, quality.weight), ("quality", 0.5));
    assert_eq!((&*memory.name, memory.weight), ("memory", 2.0));
    assert_eq!(
        (&*memory.unit, memory.direction),
        ("bytes", Direction::LowerIsBetter)
    );
    assert_eq!(growth.weight, 1.0);
    let exponents = Scale::Linear {
        low: 0.0,
        high: 3.0,
    };
    assert_eq!(growth.scale, exponents);
    assert_eq!(read.report.comparison, ComparisonForm::Matrix);
    assert_eq!(read.report.recommendation, RecommendationStyle::None);
    assert!(!read.report.code_samples && !read.report.trade_offs);
}

#[test]
fn every_example_is_valid() {
    let mut seen = 0;
    for entry in std::fs::read_dir("../examples").expect("the examples") {
        let folder = entry.expect("an entry").path();
        if !folder.join(bakeoff_config::FILE_NAME).exists() {
            continue;
        }
        let loaded =
            bakeoff_config::load(&folder).unwrap_or_else(|error| panic!("{}", render(&error)));
        assert_eq!(loaded.dir, folder);
        seen += 1;
    }
    assert!(seen >= 3, "{seen} examples");
}

#[test]
fn every_set_of_criteria_is_valid() {
    let mut seen = 0;
    for entry in std::fs::read_dir("../examples/criteria").expect("the sets") {
        let file = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&file).expect("a set");
        let name = file.display().to_string();
        let criteria = bakeoff_config::parse_criteria(&text, &name)
            .unwrap_or_else(|error| panic!("{}", render(&error)));
        assert!(criteria.iter().any(|one| one.weight == 1.0), "{name}");
        let page = std::fs::read_to_string("../docs/models.md").expect("the page");
        let short = file.file_name().unwrap().to_str().unwrap();
        assert!(
            page.contains(&format!("`{short}`")),
            "{short} is not told of"
        );
        seen += 1;
    }
    assert!(seen >= 5, "{seen} sets");
}

#[test]
fn every_planted_experiment_is_valid() {
    // A planted prototype that the file forgets would never be tried.
    for (folder, list) in [
        ("", "approaches"),
        ("cases", "cases/approaches"),
        ("no-oracle", "no-oracle/approaches"),
    ] {
        let planted = Path::new("../tests/planted");
        let loaded = bakeoff_config::load(&planted.join(folder))
            .unwrap_or_else(|error| panic!("{}", render(&error)));
        let files = std::fs::read_dir(planted.join(list))
            .expect("the prototypes")
            .count();
        assert_eq!(loaded.experiment.approaches.len(), files, "{list}");
        assert_eq!(loaded.cases.is_some(), folder == "cases");
    }
}

#[test]
fn a_budget_from_the_command_line_has_bounds() {
    assert_eq!(bakeoff_config::budget("40s"), Ok(Duration::from_secs(40)));
    let message = bakeoff_config::budget("0 s")
        .expect_err("it is too short")
        .to_string();
    assert_eq!(message, "a budget lies between 100 ms and 24 h");
    assert!(bakeoff_config::budget("48 h").is_err());
}

#[test]
fn later_findings_point_at_the_file() {
    let loaded =
        bakeoff_config::load(Path::new("../examples/top-k")).expect("the example is valid");
    let shown = |place| render(&loaded.wrong(place, "nobody exports this", "not exported", "help"));
    assert!(shown(ConfigPlace::Call).contains(r#"call = "top-k""#));
    assert!(shown(ConfigPlace::Workload).contains(r#"source = "workload.rs""#));
    assert!(shown(ConfigPlace::Approach(1)).contains(r#"source = "approaches/heap.rs""#));
    let criterion = shown(ConfigPlace::Criterion(1));
    assert!(criterion.contains(r#"from = "peak-memory""#), "{criterion}");
    // An index that does not exist must not end in a panic.
    assert!(shown(ConfigPlace::Approach(99)).contains("nobody exports this"));
}

#[test]
fn a_case_that_does_not_fit_is_pointed_at() {
    let text = "[[case]]\ncall = \"f(1)\"\nexpect = \"2\"\n";
    let file = bakeoff_config::parse_cases(text, "cases.toml").expect("it is valid");
    assert_eq!(file.cases[0].call, "f(1)");
    assert_eq!(file.cases[0].expect.as_deref(), Some("2"));
    let error = file.wrong(0, CasePart::Expect, "this is not a list", "write `[2]`");
    assert!(
        render(&error).contains("cases.toml:3:10"),
        "{}",
        render(&error)
    );
}

#[test]
fn a_file_that_cannot_be_read_is_said() {
    let missing = bakeoff_config::load(Path::new("no/such/folder")).expect_err("there is none");
    assert!(matches!(missing, ConfigError::Missing { .. }));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bakeoff.toml");
    std::fs::write(&file, b"name = \"\xff\"").expect("it is written");
    let binary = bakeoff_config::load(&file).expect_err("it is not UTF-8");
    assert!(
        binary.to_string().contains("not UTF-8 (from byte 8 on)"),
        "{binary}"
    );
    std::fs::write(
        &file,
        vec![b'\n'; bakeoff_config::FILE_BYTES_MAX as usize + 1],
    )
    .expect("it is written");
    let large = bakeoff_config::load(&file).expect_err("it is too large");
    assert!(large.to_string().contains("larger than 1 MiB"), "{large}");
}

/// Lines that are nearly an experiment: deeper in than random text gets.
fn nearly_an_experiment() -> impl Strategy<Value = String> {
    let heads = prop::sample::select(vec![
        "",
        "[interface]",
        "[workload]",
        "[[approach]]",
        "[limits]",
        "[measure]",
        "[[criterion]]",
        "[report]",
        "[[case]]",
        "[approach]",
        "[[limits]]",
    ]);
    let keys = prop::sample::select(vec![
        "name",
        "problem",
        "wit",
        "call",
        "source",
        "component",
        "cases",
        "sizes",
        "seed",
        "description",
        "memory",
        "fuel",
        "wall",
        "output",
        "confidence",
        "practical",
        "budget",
        "workers",
        "state",
        "weight",
        "from",
        "direction",
        "unit",
        "scale",
        "range",
        "base",
        "gate",
        "comparison",
        "recommendation",
        "code_samples",
        "trade_offs",
        "expect",
        "case",
        "criterion",
    ]);
    let values = prop::sample::select(vec![
        "\"\"",
        "\"a\"",
        "\"a.rs\"",
        "\"../x\"",
        "\"1 %\"",
        "\"10 s\"",
        "\"64 KiB\"",
        "\"auto\"",
        "\"time\"",
        "\"assess:\"",
        "\"assess:q\"",
        "\"linear\"",
        "\"ratio\"",
        "0",
        "-1",
        "1",
        "1e999",
        "nan",
        "-inf",
        "0.5",
        "99999999999999999999",
        "true",
        "[]",
        "[1, 2]",
        "[2, 1]",
        "[1, \"\"]",
        "{}",
        "{ score = { min = 11 } }",
        "{ reading = { max = \"x\" } }",
        "{ score = 1 }",
        "{ score = { min = nan } }",
        "1979-05-27",
        "\"\u{1b}[31m\"",
        "\"\\u001b[31m\u{202e}\"",
        "[[[]]]",
    ]);
    let line = (heads, prop::collection::vec((keys, values), 0..6)).prop_map(|(head, pairs)| {
        let pairs = pairs
            .into_iter()
            .map(|(key, value)| format!("{key} = {value}\n"));
        format!("{head}\n{}", pairs.collect::<String>())
    });
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.concat())
}

/// What must hold for any text: an experiment, or findings whose places are in the text and that
/// render without a character that steers the terminal.
fn read_or_refuse(text: &str) {
    let parsed = bakeoff_config::parse(text, "t").map(drop);
    for error in [parsed, bakeoff_config::parse_cases(text, "t").map(drop)] {
        let Err(error) = error else { continue };
        let ConfigError::Invalid(findings) = &error else {
            panic!("no file is read: {error}");
        };
        assert!(!findings.list().is_empty(), "refused without a reason");
        for finding in findings.list() {
            assert!(finding.span.start <= finding.span.end && finding.span.end <= text.len());
        }
        let shown = render(&error);
        let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!shown.contains(steers), "{shown:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        read_or_refuse(&text);
    }

    #[test]
    fn any_near_miss_is_read_or_refused(text in nearly_an_experiment()) {
        read_or_refuse(&text);
    }
}
