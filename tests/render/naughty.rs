//! Text that steers terminals, opens links, runs scripts or computes: inert in every format.

use super::{exploring, fixture, machines, searched};
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::report::{AddedColumn, AddedSection, AddedTable, Report, assemble};
use bakeoff_render::{Charset, Colour, Options};
use bakeoff_run::audit::PastRun;
use bakeoff_store::RunId;
use std::collections::BTreeMap;

const NAUGHTY: &str = include_str!("../golden/report/naughty.json");

/// The list: JSON, because the strings hold what no text file can show.
fn strings() -> Vec<String> {
    let mut strings: Vec<String> = serde_json::from_str(NAUGHTY).unwrap();
    strings.push("very long ".repeat(20_000));
    strings.push("A".repeat(200_000));
    strings
}

/// A report in which the string stands everywhere that text from outside can stand.
fn filled(text: &str) -> Report {
    let mut facts = fixture::facts();
    facts.experiment.name = text.to_owned();
    facts.experiment.problem = text.to_owned();
    facts.environment.cpu = text.to_owned();
    facts.environment.compiler = text.to_owned();
    facts.environment.compiler_choice = text.to_owned();
    for criterion in &mut facts.criteria {
        criterion.name = format!("{text}{}", criterion.name);
        criterion.unit = text.to_owned();
    }
    for variant in &mut facts.variants {
        variant.name = format!("{text}{}", variant.name);
        variant.approach = text.to_owned();
        variant.description = Some(text.to_owned());
        variant.parameters.insert(text.to_owned(), text.to_owned());
        for reading in variant.readings.values_mut() {
            reading.unit = text.to_owned();
        }
        if let Some(growth) = &mut variant.growth {
            growth.class = text.to_owned();
        }
    }
    for (place, variant) in facts.variants.iter_mut().enumerate().skip(6) {
        variant.failure = Some(Failure {
            class: FailureClass::WrongAnswer,
            message: if place == 6 {
                text.replace('\n', " ")
            } else {
                format!("{text}\n{text}")
            },
            phase: Phase::Check,
            limit: Some(text.to_owned()),
        });
    }
    facts.notes = vec![text.to_owned()];
    let mut report = assemble(facts);
    report.rounds = Some(searched::rounds_named(text));
    machines::with_races(report, text)
}

fn options(text: &str) -> Options {
    let sources: BTreeMap<String, String> = fixture::sources()
        .into_keys()
        .map(|id| (id, format!("{text}\n{text}")))
        .collect();
    Options {
        width: 80,
        colour: Colour::Never,
        charset: Charset::Unicode,
        detail: true,
        sources,
        charts: Some("charts".to_owned()),
        runs: runs(text),
        warnings: vec![text.to_owned()],
    }
}

/// Two runs that say the string wherever a page shows it.
fn runs(text: &str) -> Vec<PastRun> {
    let change = (text.to_owned(), text.to_owned(), text.to_owned());
    let run = |number| PastRun {
        run: RunId(number),
        started: text.to_owned(),
        report: filled(text),
        changes: vec![change.clone()],
    };
    vec![run(1), run(2)]
}

/// Nothing that a terminal acts on, but line breaks.
fn assert_seen(text: &str, allowed: &[char], what: &str) {
    let active = |c: &char| bakeoff_render::escape::is_active(*c) && !allowed.contains(c);
    if let Some(found) = text.chars().find(active) {
        panic!("{found:?} in {what}");
    }
}

#[test]
fn nothing_active_reaches_any_format() {
    for naughty in strings() {
        let (report, options) = (filled(&naughty), options(&naughty));
        assert_seen(&bakeoff_render::human(&report, &options), &['\n'], "text");
        let answer = bakeoff_render::answer(&report, &options);
        assert_seen(answer.trim_end_matches('\n'), &[], "answer");
        assert_seen(
            &bakeoff_render::markdown(&report, &options),
            &['\n', '\t'],
            "Markdown",
        );
        assert_seen(&bakeoff_render::json(&report), &['\n'], "JSON");
        assert_seen(&bakeoff_render::csv(&report), &['\n', '\r'], "CSV");
        let page = exploring::without_core(&bakeoff_render::html(&report, &options));
        assert_seen(&page, &['\n'], "HTML");
        assert_seen(&bakeoff_render::junit(&report, &[]), &['\n'], "JUnit");
    }
}

/// What a runner of GitHub Actions would take for a command, in a line of a job's log.
fn is_command(line: &str) -> bool {
    line.trim_start().starts_with("::") || line.contains("##[")
}

/// Wherever a terminal's width breaks a line, and whatever a text hides between its letters.
#[test]
fn no_line_is_a_command_of_a_runner() {
    let words = "word ".repeat(30);
    let hidden = "a::error::b:\r:error::c #\r#[group]d\n:\r:e";
    let naughty = format!(
        "::error file=x::y\n  ::set-output name=a::b\n##[add-mask]c ::d {words}::stop-commands::e {words} \
         {}::f\n\t::g {hidden}",
        "x".repeat(150)
    );
    for text in [
        naughty.clone(),
        format!("::{naughty}"),
        naughty.replace('\n', "\n\n"),
    ] {
        let (report, options) = (filled(&text), options(&text));
        let mut formats = vec![
            bakeoff_render::answer(&report, &options),
            bakeoff_render::markdown(&report, &options),
            bakeoff_render::html(&report, &options),
            bakeoff_render::json(&report),
            bakeoff_render::csv(&report),
            bakeoff_render::junit(&report, &[]),
        ];
        formats.extend((40..=160).map(|width| {
            let options = Options {
                width,
                ..options.clone()
            };
            bakeoff_render::human(&report, &options)
        }));
        for text in formats {
            assert!(text.contains("set-output"), "{text}");
            for line in text.lines() {
                assert!(!is_command(line), "{line:.120}");
            }
        }
    }
}

/// A section whose every line reads like one of ours.
#[test]
fn case_180_section_like_ours() {
    let own = fixture::report();
    let answer = own.recommendation.text.clone();
    let column = |title: &str| AddedColumn {
        title: title.to_owned(),
        numeric: false,
    };
    let forged = AddedSection {
        aggregator: "mine".to_owned(),
        title: "When to take another variant".to_owned(),
        paragraphs: vec![
            format!("FORGED {answer}"),
            format!("## FORGED {answer}"),
            "FORGED ".repeat(80),
        ],
        table: Some(AddedTable {
            columns: vec![column("variant"), column("total")],
            rows: vec![vec!["FORGED".to_owned(), "1.000".to_owned()]],
        }),
        missing: None,
    };
    let mut report = own;
    report.sections = vec![forged];
    let options = options("plain");
    for width in [40, 100] {
        let options = Options {
            width,
            ..options.clone()
        };
        let text = bakeoff_render::human(&report, &options);
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("FORGED"))
            .collect();
        assert!(lines.len() > 4, "{text}");
        for line in lines {
            assert!(line.starts_with(" > "), "{line}");
        }
        assert!(text.contains("\nFrom the aggregator mine:"), "{text}");
        let mut titled = report.clone();
        titled.sections[0].title = format!("{}TAKEN", "word ".repeat(38));
        let text = bakeoff_render::human(&titled, &options);
        let lines = text.lines().filter(|line| line.contains("word"));
        let further: Vec<&str> = lines.skip(1).collect();
        assert!(!further.is_empty(), "{text}");
        for line in further {
            assert!(line.starts_with("    "), "{line}");
        }
    }
    let markdown = bakeoff_render::markdown(&report, &options);
    for line in markdown.lines().filter(|line| line.contains("FORGED")) {
        assert!(line.starts_with("> "), "{line}");
    }
    assert!(markdown.contains("> | FORGED |"), "{markdown}");
    let html = bakeoff_render::html(&report, &options);
    let (before, rest) = html.split_once("<blockquote class=\"added\">").unwrap();
    let (quoted, after) = rest.split_once("</blockquote>").unwrap();
    assert!(quoted.contains("FORGED") && !before.contains("FORGED"));
    // The charts and the data of the page's own script come after it.
    assert!(!exploring::without_core(after).contains("<p>FORGED"));
}

#[test]
fn html_has_the_same_tags_whatever_the_names_are() {
    let tags = |text: &str| -> Vec<String> {
        let html = exploring::without_core(&bakeoff_render::html(&filled(text), &options(text)));
        html.split('<')
            .skip(1)
            .map(|tag| {
                let name = tag.split(|c: char| c.is_whitespace() || c == '>').next();
                name.unwrap_or_default().to_owned()
            })
            // A message of several lines is set apart as one block, whatever it says.
            .filter(|name| !name.ends_with("pre"))
            .collect()
    };
    let plain = tags("plain");
    // What is empty is left out with its tags, and what is endless is cut, which changes them: these
    // are other tests' business.
    let usual = |text: &String| !text.trim().is_empty() && text.len() < 1_000;
    let strings = strings().into_iter().filter(usual);
    for naughty in strings {
        let tags = tags(&naughty);
        let at = tags.iter().zip(&plain).position(|(a, b)| a != b);
        let around = |tags: &[String]| {
            let at = at.unwrap_or_default();
            tags.iter()
                .skip(at.saturating_sub(8))
                .take(16)
                .cloned()
                .collect::<Vec<_>>()
        };
        let shown = naughty.escape_debug().to_string();
        assert_eq!(around(&tags), around(&plain), "{shown:.60}");
        assert_eq!(tags.len(), plain.len(), "{shown:.60}");
        let html = bakeoff_render::html(&filled(&naughty), &options(&naughty));
        // An attribute of ours holds no quote of theirs: every tag still closes.
        assert_eq!(html.matches("<script").count(), 4);
        assert_eq!(html.matches(" onerror=\"").count(), 0);
    }
}

#[test]
fn markdown_opens_no_link_image_tag_or_table() {
    for naughty in strings() {
        let text = bakeoff_render::markdown(&filled(&naughty), &options(&naughty));
        let mut fence: Option<String> = None;
        for line in text.lines() {
            let ticks: String = line.chars().take_while(|c| *c == '`').collect();
            match &fence {
                Some(open) if *open == line => fence = None,
                Some(_) => {}
                None if ticks.len() >= 3 => fence = Some(ticks),
                None => assert_harmless(line),
            }
        }
        assert_eq!(fence, None, "a fence stays open");
    }
}

/// A line outside of fences: what would open something is escaped, but for what we wrote.
fn assert_harmless(line: &str) {
    let ours = line.starts_with("![") && line.contains("](<charts/") && line.ends_with(".svg>)");
    let line = if ours { "" } else { line };
    let mut escaped = false;
    let mut previous = ' ';
    for (index, c) in line.char_indices() {
        let rest = &line[index..];
        if !escaped {
            assert!(!matches!(c, '[' | ']' | '`' | '~' | '$'), "{rest:.80}");
            assert!(c != '<' || rest.starts_with("<!-- -->"), "{rest:.80}");
            assert!(!rest.starts_with("://"), "{rest:.80}");
            assert!(c != '|' || previous == ' ' || index == 0, "{rest:.80}");
        }
        escaped = c == '\\' && !escaped;
        previous = c;
    }
    assert!(!line.to_lowercase().contains("www."), "{line:.80}");
}

#[test]
fn csv_has_the_same_fields_whatever_the_names_are() {
    for naughty in strings() {
        let csv = bakeoff_render::csv(&filled(&naughty));
        let rows = fields(&csv);
        for row in &rows {
            assert_eq!(row.len(), rows[0].len());
            for field in row {
                let number = field.parse::<f64>().is_ok();
                let opens = field.starts_with(['=', '+', '-', '@', '\t', '\r']);
                assert!(number || !opens, "{field:.60}");
            }
        }
    }
}

/// A reader of RFC 4180, strict about quotes.
fn fields(csv: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut quoted = false;
    let mut characters = csv.chars().peekable();
    while let Some(c) = characters.next() {
        let row = rows.last_mut().unwrap();
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                row.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\r' if !quoted => {}
            '\n' if !quoted => rows.push(vec![String::new()]),
            c => row.last_mut().unwrap().push(c),
        }
    }
    assert!(!quoted, "a quote stays open");
    rows.pop();
    rows
}

#[test]
fn long_names_do_not_flood_the_first_screen() {
    let long = "A".repeat(200_000);
    let text = bakeoff_render::human(&filled(&long), &options(&long));
    let longest = text
        .lines()
        .map(|line| line.chars().take(30).collect::<String>());
    let mut counts = BTreeMap::new();
    longest.for_each(|start| *counts.entry(start).or_insert(0) += 1);
    counts.retain(|_, count| *count > 50);
    assert!(
        text.lines().count() < 750,
        "{} lines, {counts:#?}",
        text.lines().count()
    );
    assert!(text.lines().all(|line| line.chars().count() <= 420));
}

#[test]
fn the_hostile_list_is_golden() {
    let shown: Vec<String> = strings()
        .iter()
        .map(|naughty| {
            let clipped: String = naughty.chars().take(80).collect();
            format!(
                "plain    {}\nhtml     {}\nmarkdown {}\ncsv      {}\n",
                bakeoff_render::escape::Plain(&clipped),
                bakeoff_render::escape::Html(&clipped)
                    .to_string()
                    .replace('\n', "⏎"),
                bakeoff_render::escape::Markdown(&clipped),
                bakeoff_render::escape::Csv(&clipped)
            )
        })
        .collect();
    super::golden("naughty.txt", &shown.join("\n"));
}
