//! Every format of a fixed report against its golden file, and hostile text in every format.

mod claims;
mod exploring;
mod fixture;
mod machines;
mod naughty;
mod searched;

use bakeoff_domain::report::{RankingOutcome, Report, StoppedInSearch, assemble, rescore};
use bakeoff_domain::spec::RecommendationStyle;
use bakeoff_render::{AskedTest, Charset, Colour, Options};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use unicode_width::UnicodeWidthStr as _;

/// Compares with `tests/golden/report/NAME`, or writes it when `BLESS=1` is set.
fn golden(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/golden/report")
        .join(name);
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, text).unwrap();
        return;
    }
    let wanted = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; BLESS=1 writes it", path.display()));
    for (number, (got, wanted)) in text.lines().zip(wanted.lines()).enumerate() {
        assert_eq!(
            got,
            wanted,
            "{name}, line {}; BLESS=1 accepts it",
            number + 1
        );
    }
    assert_eq!(text, wanted, "{name}; BLESS=1 accepts it");
}

fn options() -> Options {
    Options {
        width: 100,
        colour: Colour::Never,
        charset: Charset::Unicode,
        detail: true,
        sources: fixture::sources(),
        charts: Some("charts".to_owned()),
        runs: fixture::runs(),
        warnings: Vec::new(),
    }
}

#[test]
fn text_is_golden() {
    let report = fixture::report();
    golden("report.txt", &bakeoff_render::human(&report, &options()));
    let narrow = Options {
        width: 60,
        colour: Colour::Always,
        detail: false,
        ..options()
    };
    golden("report-60.txt", &bakeoff_render::human(&report, &narrow));
    let ascii = Options {
        width: 80,
        charset: Charset::Ascii,
        ..options()
    };
    let text = bakeoff_render::human(&report, &ascii);
    assert!(text.is_ascii(), "{text}");
    golden("report-ascii.txt", &text);
}

/// Letters of some scripts and pictures take two columns of a terminal.
#[test]
fn columns_are_straight_whatever_letters_names_have() {
    let mut report = fixture::report();
    let names = ["堆排序", "🦀 crab", "한국어", "plain", "e\u{301}t\u{e9}"];
    for (variant, name) in report.variants.iter_mut().zip(names) {
        variant.name = name.to_owned();
    }
    let text = bakeoff_render::human(&report, &options());
    let rows = |first: &str, end: &str| -> Vec<String> {
        let (_, from) = text.split_once(first).unwrap();
        let (rows, _) = from.split_once(end).unwrap();
        rows.lines().skip(2).map(str::to_owned).collect()
    };
    let wide = |row: &String| names.iter().any(|name| row.contains(name));
    let matrix = rows("\n variant", "\n Scores");
    assert!(matrix.iter().filter(|row| wide(row)).count() == names.len());
    let widths: BTreeSet<usize> = matrix.iter().map(|row| row.width()).collect();
    assert_eq!(widths.len(), 1, "{text}");
    // The point, or the mark at 1, of each line of characters is as far from the left.
    let lines = rows("\nTime against", "\n\n");
    let marks = lines.iter().filter_map(|row| row.split_once('·'));
    let places: BTreeSet<usize> = marks.map(|(before, _)| before.width()).collect();
    assert_eq!(places.len(), 1, "{text}");
}

#[test]
fn forty_columns_are_enough() {
    let narrow = Options {
        width: 40,
        ..options()
    };
    let text = bakeoff_render::human(&fixture::report(), &narrow);
    let (_, from) = text.split_once("Time against").unwrap();
    let (ratios, _) = from.split_once("\n\n").unwrap();
    assert!(ratios.contains("sure"), "{text}");
    for line in ratios.lines() {
        assert!(line.chars().count() <= 40, "{line}");
    }
}

#[test]
fn the_answer_is_the_last_that_is_said_and_one_line_alone() {
    let report = fixture::report();
    let answer = bakeoff_render::answer(&report, &options());
    assert_eq!(answer.matches('\n').count(), 1);
    assert!(answer.starts_with("Take heap"), "{answer}");
    let text = bakeoff_render::human(&report, &options());
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&text).ends_with(&words(&answer)), "{text}");
    let brief = Options {
        detail: false,
        ..options()
    };
    let brief = bakeoff_render::human(&report, &brief);
    assert!(
        !brief.contains("Source of") && !brief.contains("Seed:"),
        "{brief}"
    );
}

#[test]
fn what_the_confinement_is_made_of_is_shown() {
    let mut report = fixture::report();
    report.environment.fences = ["landlock 4", "seccomp"].map(str::to_owned).to_vec();
    let shown = "standard (landlock 4, seccomp)";
    assert!(bakeoff_render::human(&report, &options()).contains(shown));
    assert!(bakeoff_render::html(&report, &options()).contains(shown));
    let json: serde_json::Value = serde_json::from_str(&bakeoff_render::json(&report)).unwrap();
    assert_eq!(json["environment"]["fences"][1], "seccomp");
}

#[test]
fn markdown_and_its_charts_are_golden() {
    let report = fixture::report();
    golden("report.md", &bakeoff_render::markdown(&report, &options()));
    for chart in bakeoff_render::charts::charts(&report, &[]) {
        golden(&format!("{}.svg", chart.name), &chart.svg);
    }
}

#[test]
fn replicas_are_points_that_tell_their_times() {
    let mut report = fixture::report();
    let chart = |report: &Report| {
        let charts = bakeoff_render::charts::charts(report, &[]);
        charts.into_iter().find(|chart| chart.name == "replicas")
    };
    // Five variants with 12 replicas; the sixth left after 6.
    let svg = chart(&report).unwrap().svg;
    assert_eq!(svg.matches(", replica ").count(), 5 * 12 + 6);

    // What no call takes is not drawn, and few of many replicas are.
    let replicas = report.replicas.as_mut().unwrap();
    let row = replicas.log_times[0].clone();
    replicas.log_times = vec![row; 4_096];
    for wild in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 700.0, -700.0] {
        replicas.log_times.push(vec![Some(wild); 6]);
    }
    let wild = chart(&report).unwrap().svg;
    assert_eq!(wild.matches(", replica ").count(), 480);
    assert!(!wild.contains("NaN") && !wild.contains("inf"), "{wild}");

    // One replica shows no spread.
    report.replicas.as_mut().unwrap().log_times.truncate(1);
    assert_eq!(chart(&report), None);
}

#[test]
fn json_is_golden_and_reads_back() {
    let report = fixture::report();
    let text = bakeoff_render::json(&report);
    golden("report.json", &text);
    let back: Report = serde_json::from_str(&text).unwrap();
    assert_eq!(
        bakeoff_render::human(&back, &options()),
        bakeoff_render::human(&report, &options())
    );
}

#[test]
fn csv_is_golden() {
    golden("report.csv", &bakeoff_render::csv(&fixture::report()));
}

#[test]
fn junit_is_golden_and_has_what_was_asked_for() {
    let report = fixture::report();
    golden("report.xml", &bakeoff_render::junit(&report, &[]));
    let asked = [("not slower", true), ("quick", false)].map(|(name, passed)| AskedTest {
        name: format!("{name} <&>"),
        passed,
        found: format!("{name}: \"found\" \u{1b}[31m"),
    });
    let text = bakeoff_render::junit(&report, &asked);
    assert!(
        text.contains("name=\"not slower &lt;&amp;&gt;\"/>"),
        "{text}"
    );
    let failure = "<failure type=\"not-passed\" message=\"quick: &quot;found&quot; ";
    assert!(text.contains(failure), "{text}");
    assert!(!text.contains("name=\"answer\""), "{text}");
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn html_is_golden_and_asks_nobody_for_anything() {
    let text = bakeoff_render::html(&fixture::report(), &options());
    let (script, data) = (
        text.matches("<script>").count(),
        text.matches("<script type=").count(),
    );
    assert_eq!((script, data), (2, 2));
    // The scripts that its policy names, and two elements of data.
    let text = exploring::without_data(&text);
    golden("report.html", &text);
    let namespace = "http://www.w3.org/2000/svg";
    let rest = text.replace(namespace, "");
    for outside in [
        "http:",
        "https:",
        "=\"//",
        "src=",
        "unsafe-inline",
        "<link rel=\"stylesheet",
        "@import",
        "url(",
    ] {
        assert!(!rest.contains(outside), "{outside} in the page");
    }
}

#[test]
fn a_page_shows_sources_side_by_side_and_the_runs_of_its_question() {
    let report = fixture::report();
    let page = bakeoff_render::html(&report, &options());
    assert!(page.contains("<h2>Sources side by side</h2>"));
    assert!(page.contains("heap and sort: 4 lines differ"), "{page}");
    assert!(page.contains("<h2>Runs of this question</h2>"));
    assert!(page.contains("Since run 3: compiler 1.80 → "), "{page}");
    // One source stands beside none, and one run is no history.
    let mut alone = options();
    alone.sources.remove("v-sort");
    alone.runs.truncate(1);
    let page = bakeoff_render::html(&report, &alone);
    for absent in ["Sources side by side", "Runs of this question"] {
        assert!(!page.contains(absent), "{absent}");
    }
}

/// Titles between two marks, in the order of a text.
fn titles<'a>(text: &'a str, before: &str, after: &str) -> Vec<&'a str> {
    let parts = text.split(before).skip(1);
    parts.filter_map(|part| part.split(after).next()).collect()
}

/// The page has the panel and another view of the sources in addition, the terminal no picture.
#[test]
fn all_formats_have_the_same_sections_in_the_same_order() {
    for report in [fixture::report()]
        .into_iter()
        .chain(fixture::others().into_iter().map(|(_, report)| report))
    {
        let markdown = bakeoff_render::markdown(&report, &options());
        let markdown = titles(&markdown, "\n## ", "\n");
        let page = bakeoff_render::html(&report, &options());
        let page: Vec<&str> = titles(&page, "<h2>", "</h2>")
            .into_iter()
            .filter(|title| !["Weigh it yourself", "Sources side by side"].contains(title))
            .collect();
        assert_eq!(markdown, page);
        let text = bakeoff_render::human(&report, &options());
        let mut places = Vec::new();
        for title in markdown {
            places.extend(text.find(&format!("\n\n{title}\n")));
        }
        assert!(places.len() > 2 && places.is_sorted(), "{text}");
    }
}

#[test]
fn other_ends_are_golden() {
    for (name, report) in fixture::others() {
        golden(
            &format!("{name}.txt"),
            &bakeoff_render::human(&report, &options()),
        );
    }
}

#[test]
fn a_finished_report_is_scored_again_from_its_file() {
    let report = fixture::report();
    let back: Report = serde_json::from_str(&bakeoff_render::json(&report)).unwrap();
    let weights = BTreeMap::from([("simplicity".to_owned(), 30.0), ("memory".to_owned(), 0.0)]);
    let again = rescore(&back, &weights).unwrap();
    assert_ne!(again.recommendation.winner, report.recommendation.winner);
    let same = rescore(&again, &fixture::weights(&report)).unwrap();
    assert_eq!(
        bakeoff_render::human(&same, &options()),
        bakeoff_render::human(&report, &options())
    );
}

/// In every format, with every style and with other weights.
#[test]
fn who_was_stopped_in_the_search_is_recommended_nowhere() {
    let before = fixture::report();
    let winner = before.recommendation.winner.clone().unwrap();
    let variant = before.variants.iter().find(|one| one.id == winner);
    let approach = variant.unwrap().approach.clone();
    for style in [
        RecommendationStyle::Decisive,
        RecommendationStyle::Options,
        RecommendationStyle::Conditional,
    ] {
        let mut facts = fixture::facts();
        facts.options.recommendation = style;
        facts.stopped_in_search = vec![StoppedInSearch {
            approach: approach.clone(),
            stopped: 12,
            tried: 1_390,
        }];
        let report = assemble(facts);
        let weights = BTreeMap::from([("memory".to_owned(), 0.4)]);
        let again = rescore(&report, &weights).unwrap();
        for report in [report, again] {
            let first = &report.recommendation;
            assert_eq!(first.winner, None);
            assert_eq!(first.withheld.as_ref(), Some(&winner));
            assert_eq!(first.outcome, RankingOutcome::NoCall);
            assert!(
                first.tied.contains(&winner) && first.tied.len() > 1,
                "{first:?}"
            );
            let said = format!(
                "No call: {approach} was stopped by a limit on 12 of the 1390 inputs that were tried first"
            );
            for text in [
                bakeoff_render::human(&report, &options()),
                bakeoff_render::markdown(&report, &options()),
                bakeoff_render::html(&report, &options()),
                bakeoff_render::junit(&report, &[]),
                bakeoff_render::json(&report),
            ] {
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(text.contains(&said), "{text}");
                assert!(!text.contains(&format!("Take {approach}")), "{text}");
            }
        }
    }
}
