//! Aggregators that a user brings: from the experiment file to a section in every form of the report.

use crate::evaluators::{experiment, refusal, run};
use crate::support::{root, run_bakeoff, run_experiment};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// What `init` writes, and a criterion's share for each variant.
const TEMPLATE: &str = include_str!("../host/src/cli/template/aggregator.rs");

/// The size of each component, as the docs have it.
const SIZES: &str = r#"#![forbid(unsafe_code)]
use crate::bakeoff::{Error, Json, Section};

pub fn aggregate(report: &str) -> Result<Vec<Section>, Error> {
    let report = Json::parse(report)?;
    let mut section = Section::new("Smallest components").column("variant").number_column("bytes");
    for variant in report.key("variants").items() {
        let size = variant.key("readings").key("component-size").key("value").number();
        let name = variant.key("name").text().unwrap_or_default();
        section = section.row([name.to_owned(), size.map_or("–".to_owned(), |size| size.to_string())]);
    }
    Ok(vec![section])
}
"#;

fn section<'a>(report: &'a Value, aggregator: &str) -> &'a Value {
    let mut sections = report["sections"].as_array().unwrap().iter();
    let found = sections.find(|one| one["aggregator"] == aggregator);
    found.unwrap_or_else(|| panic!("nothing from {aggregator}: {}", report["sections"]))
}

fn declared(names: &[&str]) -> String {
    let section =
        |name: &&str| format!("[[aggregator]]\nname = \"{name}\"\nsource = \"{name}.rs\"\n");
    names.iter().map(section).collect()
}

#[test]
fn an_aggregator_in_one_rust_file_is_in_every_form_of_the_report_and_is_kept_and_verified() {
    let files = [
        ("best.rs", TEMPLATE.as_bytes()),
        ("sizes.rs", SIZES.as_bytes()),
    ];
    let folder = experiment(&declared(&["best", "sizes"]), &files);
    let (output, report, results) = run(&folder);
    let best = section(&report, "best");
    assert_eq!(best["title"], "Highest score by each criterion");
    assert!(best["missing"].is_null(), "{best}");
    assert_eq!(best["table"]["columns"][2]["numeric"], true);
    let row = &best["table"]["rows"][0];
    assert_eq!(row[0], "performance");
    let scores = &crate::support::variant(&report, row[1].as_str().unwrap())["scores"];
    let score = scores["performance"]["value"].as_f64().unwrap();
    assert_eq!(
        row[2],
        format!("{score:.1}"),
        "{output:?}",
        output = output.stderr
    );

    let out = results.path().to_str().unwrap();
    for (format, heading) in [
        (
            "human",
            "From the aggregator best: Highest score by each criterion",
        ),
        (
            "md",
            "## From the aggregator best: Highest score by each criterion",
        ),
        (
            "html",
            "<h2>From the aggregator best: Highest score by each criterion</h2>",
        ),
    ] {
        let shown = run_bakeoff(&["report", out, "--format", format]);
        assert!(shown.stdout.contains(heading), "{format}: {}", shown.stdout);
    }
    // A column of numbers is drawn, on the page and beside Markdown.
    let page = run_bakeoff(&["report", out, "--format", "html"]).stdout;
    let drawn = "aria-label=\"Chart: From the aggregator sizes: Smallest components\"";
    assert!(page.contains(drawn) && page.contains("Bars of bytes, from 0, by variant."));
    let kept = |name: &str| fs::read_to_string(results.path().join(name)).unwrap();
    let markdown = kept("report.md");
    assert!(
        markdown.contains("> ![From the aggregator sizes") && markdown.contains("section-2.svg"),
        "{markdown}"
    );
    assert!(kept("charts/section-2.svg").starts_with("<svg"));
    assert!(kept("report.json").contains("Highest score by each criterion"));
    let again = run_bakeoff(&["report", out, "--format", "json"]);
    assert_eq!(again.json()["sections"], report["sections"]);
    let verified = run_bakeoff(&["verify", out, "--format", "json"]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
    let figures = verified.json();
    let figures = figures["figures"].as_array().unwrap();
    let figure = |one: &&Value| one["figure"] == "sections of aggregator best";
    assert_eq!(figures.iter().find(figure).unwrap()["status"], "reproduced");
    let weighed = run_bakeoff(&[
        "report",
        out,
        "--weight",
        "performance=2",
        "--format",
        "json",
    ]);
    let notes = weighed.json()["notes"].to_string();
    assert!(notes.contains("with the weights of the run"), "{notes}");
    // What somebody writes into the file of the report is not read.
    let forged = kept("report.json").replace("Highest score by each", "Lowest score by each");
    fs::write(results.path().join("report.json"), forged).unwrap();
    let shown = run_bakeoff(&["report", out]);
    assert!(shown.ended_a_run(), "{}", shown.stderr);
    assert!(
        shown.stdout.contains("Highest score by each")
            && !shown.stdout.contains("Lowest score by each")
    );
    let bundle = results.path().join("it.bakeoff");
    let bundle = bundle.to_str().unwrap();
    assert_eq!(run_bakeoff(&["pack", out, "--out", bundle]).status, 0);
    assert_eq!(run_bakeoff(&["verify", bundle]).status, 0);
}

/// Each aggregator does one thing that none should: what is said of it.
const FAULTS: [(&str, &str, &str); 8] = [
    ("trap", "panic!(\"no idea\")", "no idea"),
    ("loop", "loop { std::hint::black_box(0); }", "fuel-limit"),
    (
        "memory",
        "Ok(vec![Section::new(&\"a\".repeat(vec![1_u8; 1 << 28].len()))])",
        "memory-limit",
    ),
    (
        "text",
        "Ok(vec![Section::new(\"x\").paragraph(\"a\".repeat(10_000_000))])",
        "output-limit",
    ),
    (
        "long",
        "Ok(vec![Section::new(\"x\").paragraph(\"a\".repeat(5_000))])",
        "more than 4000 characters in a paragraph",
    ),
    (
        "many",
        "Ok(vec![Section::new(\"x\"); 17])",
        "more than 16 sections",
    ),
    (
        "ragged",
        "Ok(vec![Section::new(\"x\").column(\"a\").row([])])",
        "a row of 0 cells in a table of 1 columns",
    ),
    (
        "word",
        "Err(\"nothing\\nto say\".into())",
        "the aggregator says: nothing to say",
    ),
];

#[test]
fn case_120_aggregators_that_fail_or_flood_leave_a_note_in_their_place() {
    let file = |act: &str| {
        format!(
            "use crate::bakeoff::{{Error, Section}};
#[allow(unreachable_code)]
pub fn aggregate(report: &str) -> Result<Vec<Section>, Error> {{
    let _ = report;
    {act}
}}
"
        )
    };
    // Markup and escapes are text.
    let hostile =
        "Ok(vec![Section::new(\"</h2><script>x</script>\").paragraph(\"\\u{1b}]0;x\\u{7} [a](b)\")
        .column(\"=1\").row([\"<img src=x>|\\u{202e}\".to_owned()])])";
    let mut texts = vec![("hostile.rs".to_owned(), file(hostile))];
    texts.extend(FAULTS.map(|(name, act, _)| (format!("{name}.rs"), file(act))));
    let names: Vec<&str> = texts
        .iter()
        .map(|(name, _)| name.trim_end_matches(".rs"))
        .collect();
    let files: Vec<(&str, &[u8])> = texts
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_bytes()))
        .collect();
    let folder = experiment(&declared(&names), &files);
    let (output, report, results) = run(&folder);
    assert!(
        report["recommendation"]["text"]
            .as_str()
            .is_some_and(|text| !text.is_empty())
    );
    for (name, _, why) in FAULTS {
        let missing = section(&report, name)["missing"]
            .as_str()
            .unwrap_or_default();
        assert!(missing.contains(why), "{name}: {missing}");
    }
    assert!(report.to_string().len() < 200_000 && !output.stderr.contains("aaaaaaaaaa"));
    let out = results.path().to_str().unwrap();
    let shown = |format: &str| run_bakeoff(&["report", out, "--format", format]).stdout;
    let human = shown("human");
    assert!(human.contains("Nothing is added here: the aggregator failed: trap: panicked at"));
    assert!(!human.contains(['\u{1b}', '\u{7}', '\u{202e}']) && human.contains("\\u{1b}]0;x"));
    // What bakeoff itself recommends is still the last that is said.
    let last = report["recommendation"]["text"].as_str().unwrap();
    let last = last.split_whitespace().last().unwrap();
    assert!(human.trim_end().ends_with(last), "{human}");
    let html = shown("html");
    // The page's own script, of the points of charts.
    assert_eq!(html.matches("<script").count(), 1);
    assert!(!html.contains("<img") && html.contains("&lt;script&gt;"));
    let markdown = shown("md");
    assert!(markdown.contains("\\[a\\](b)") && !markdown.contains("<img"));
}

#[test]
fn case_121_an_aggregator_of_another_version_or_world_is_refused_and_0_1_0_is_taken() {
    let bytes = fs::read(root().join("tests/fixtures/aggregator-0.1.0/aggregator.wasm")).unwrap();
    let declared = "[[aggregator]]\nname = \"mine\"\ncomponent = \"aggregator.wasm\"\n";
    let folder = experiment(declared, &[("aggregator.wasm", &bytes)]);
    let (_, report, _results) = run(&folder);
    let added = section(&report, "mine");
    assert_eq!(added["paragraphs"][0], "2 variants", "{added}");
    let changed = |from: &str, to: &str| crate::evaluators::replaced(bytes.clone(), from, to);
    let evaluator = fs::read(root().join("tests/fixtures/evaluator-0.1.0/evaluator.wasm")).unwrap();
    for (bytes, why) in [
        (
            changed("@0.1.0", "@0.7.0"),
            "@0.1.0`: build it against that",
        ),
        (
            changed("paragraphs", "paragrafes"),
            "paragrafes: list<string>",
        ),
        (evaluator, "bakeoff:evaluator/types@0.1.0"),
    ] {
        let folder = experiment(declared, &[("aggregator.wasm", &bytes)]);
        let output = refusal(&folder);
        assert!(output.explains(why), "{why}: {}", output.stderr);
        assert!(output.explains("the aggregator `mine` cannot be used"));
    }
}

#[test]
fn what_init_writes_works_also_with_an_evaluator_and_in_a_folder_that_has_an_experiment() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("question");
    let dir = dir.to_str().unwrap();
    let first = run_bakeoff(&[
        "init",
        dir,
        "--aggregator",
        "summary",
        "--evaluator",
        "panics",
    ]);
    assert_eq!(first.status, 0, "{}", first.stderr);
    let second = run_bakeoff(&["init", dir, "--aggregator", "other-one"]);
    assert_eq!(second.status, 0, "{}", second.stderr);
    assert!(
        second
            .stdout
            .contains("source = \"aggregators/other_one.rs\"")
    );
    let file = Path::new(dir).join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replacen("[measure]", "[measure]\nprecision = 0.5", 1);
    fs::write(&file, text).unwrap();
    let (output, report, _results) = run_experiment(dir, &[]);
    assert!(output.ended_a_run(), "{}", output.stderr);
    assert_eq!(
        section(&report, "summary")["table"]["rows"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
}
