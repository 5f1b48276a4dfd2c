//! The report as one self-contained HTML page: no requests, for dark and light schemes, keyboards and screen
//! readers. It says all without scripts; with them, weights can be moved ([`super::page`]).

use super::escape::Html;
use super::table::{Align, Table};
use super::tables;
use super::{Options, added, charts, generation, page, parts, screened, side_by_side};
use bakeoff_domain::report::words;
use bakeoff_domain::report::{Presented, RankingOutcome, Report, presented};
use bakeoff_domain::spec::Comparison;
use bakeoff_run::audit::PastRun;
use std::fmt::{Display, Write};

/// The style of the page; charts have their own.
const STYLE: &str = include_str!("html.css");

/// Returns the report as a page, which begins with the answer.
pub fn html(report: &Report, options: &Options) -> String {
    let mut page = Page { out: String::new() };
    let (whole, shown) = (report, presented(report));
    let report = shown.report.as_ref();
    let exploring = page::exploring(whole);
    page.head(report, exploring.is_some());
    for warning in &options.warnings {
        page.add(format_args!(
            "<p class=\"what\" role=\"note\">{}</p>",
            Html(warning)
        ));
    }
    page.answer(report);
    if let Some(exploring) = &exploring {
        page.add(format_args!("{}", exploring.panel));
    }
    if report.options.comparison != Comparison::Narrative {
        page.section("Comparison");
        page.matrix(&tables::matrix(report));
        page.paragraph(&tables::scales(report));
        page.end();
    }
    page.charts(whole);
    page.screened(&shown);
    page.unranked(report);
    if report.options.comparison != Comparison::Matrix {
        page.narrative(report);
    }
    page.list("Notes", &report.notes);
    page.history(report, &options.runs);
    page.generation(report);
    page.added(report);
    if report.options.code_samples {
        page.code(report, options);
    }
    page.basis(report);
    page.out += "</main>\n";
    page.out += exploring
        .as_ref()
        .map_or("", |exploring| &exploring.scripts);
    page.out += &page::points();
    page.out += "</body>\n</html>\n";
    page.out
}

struct Page {
    out: String,
}

impl Page {
    /// Adds markup, in which text from outside is wrapped in [`Html`].
    fn add(&mut self, markup: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.out.write_fmt(markup);
        self.out.push('\n');
    }

    fn section(&mut self, title: impl Display) {
        self.add(format_args!("<section>\n<h2>{title}</h2>"));
    }

    fn end(&mut self) {
        self.add(format_args!("</section>"));
    }

    fn head(&mut self, report: &Report, is_exploring: bool) {
        let scripts = page::script_policy(is_exploring);
        let styles =
            [format!("\n{STYLE}"), charts::STYLE.to_owned()].map(|style| page::source_hash(&style));
        let styles = styles.join(" ");
        let name = super::clipped(&report.experiment.name, 200);
        let problem = super::clipped(&report.experiment.problem, 4_000);
        self.add(format_args!(
            r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {scripts}style-src {styles}; img-src data:; base-uri 'none'; form-action 'none'">
<link rel="icon" href="data:,">
<title>{name} – bakeoff</title>
<style>
{STYLE}</style>
</head>
<body>
<header>
<h1>{name}</h1>
<p class="question">{problem}</p>
</header>
<main>"#,
            name = Html(&name),
            problem = Html(&problem)
        ));
    }

    fn answer(&mut self, report: &Report) {
        let text = &report.recommendation.text;
        if text.is_empty() {
            return;
        }
        let class = match report.recommendation.outcome {
            RankingOutcome::Winner => "winner",
            RankingOutcome::Tie | RankingOutcome::NoCall => "open",
            RankingOutcome::Nothing => "none",
        };
        self.add(format_args!(
            r#"<section id="answer" class="answer {class}" aria-label="Answer">
<p>{}</p>
</section>"#,
            Html(text)
        ));
    }

    /// Adds a paragraph of any text.
    fn paragraph(&mut self, text: &str) {
        self.add(format_args!("<p>{}</p>", Html(text)));
    }

    /// Adds the comparison, which is a list of rows on a narrow screen.
    fn matrix(&mut self, table: &Table) {
        self.add(format_args!("<div id=\"matrix\">"));
        self.named_table(table, true);
        self.add(format_args!("</div>"));
    }

    /// Adds a table that scrolls sideways on a narrow screen, also by keyboard.
    fn table(&mut self, table: &Table) {
        self.named_table(table, false);
    }

    /// Adds a table that scrolls sideways, in which each cell may know the name of its column.
    fn named_table(&mut self, table: &Table, has_names: bool) {
        self.add(format_args!(
            r#"<div class="wide" tabindex="0" role="region" aria-label="{0}">
<table>
<caption>{0}</caption>
<thead><tr>"#,
            Html(&table.caption)
        ));
        for (title, align) in &table.columns {
            self.add(format_args!(
                r#"<th scope="col"{}>{}</th>"#,
                class(*align),
                Html(title)
            ));
        }
        self.add(format_args!("</tr></thead>\n<tbody>"));
        for row in &table.rows {
            self.add(format_args!("<tr>"));
            for (index, (cell, (title, align))) in row.iter().zip(&table.columns).enumerate() {
                if index == 0 {
                    self.add(format_args!(r#"<th scope="row">{}</th>"#, Html(cell)));
                } else {
                    let name = match has_names {
                        true => format!(" data-name=\"{}\"", Html(title)),
                        false => String::new(),
                    };
                    self.add(format_args!(
                        "<td{}{name}>{}</td>",
                        class(*align),
                        Html(cell)
                    ));
                }
            }
            self.add(format_args!("</tr>"));
        }
        self.add(format_args!("</tbody>\n</table>\n</div>"));
    }

    fn charts(&mut self, report: &Report) {
        for chart in charts::charts(report, &[]) {
            self.chart(&chart);
            self.end();
        }
    }

    /// Begins a section with a chart and its numbers.
    fn chart(&mut self, chart: &charts::Chart) {
        self.section(Html(&chart.title));
        self.add(format_args!(
            r#"<div class="wide" tabindex="0" role="region" aria-label="Chart: {}">
{}
</div>
<details>
<summary>The numbers behind “{}”</summary>"#,
            Html(&chart.title),
            chart.svg,
            Html(&chart.title)
        ));
        self.table(&chart.table);
        self.add(format_args!("</details>"));
    }

    /// Adds the verdicts of the last runs, and the differences of their environments.
    fn history(&mut self, report: &Report, runs: &[PastRun]) {
        let Some(chart) = charts::history(report, runs) else {
            return;
        };
        self.chart(&chart);
        let since = runs.iter().filter(|run| !run.changes.is_empty());
        for run in since {
            let changes = run.changes.iter();
            let changes = changes.map(|(what, then, now)| format!("{what} {then} → {now}"));
            let changes: Vec<String> = changes.collect();
            self.paragraph(&format!("Since run {}: {}.", run.run.0, changes.join("; ")));
        }
        self.end();
    }

    fn unranked(&mut self, report: &Report) {
        let list = super::unranked::unranked(report);
        if list.is_empty() {
            return;
        }
        self.section("Not ranked");
        self.add(format_args!("<dl>"));
        for variant in list {
            self.add(format_args!(
                "<dt>{} <span class=\"what\">{}</span></dt>",
                Html(&variant.name),
                Html(&variant.status)
            ));
            if variant.reason.contains('\n') {
                self.add(format_args!(
                    "<dd><pre tabindex=\"0\">{}</pre></dd>",
                    Html(&variant.reason)
                ));
            } else {
                self.add(format_args!("<dd>{}</dd>", Html(&variant.reason)));
            }
            if let Some(call) = &variant.call {
                self.add(format_args!("<dd>{}</dd>", Html(call)));
            }
        }
        self.add(format_args!("</dl>"));
        self.end();
    }

    fn list(&mut self, title: &str, sentences: &[String]) {
        if sentences.is_empty() {
            return;
        }
        self.section(Html(title));
        self.add(format_args!("<ul>"));
        for sentence in sentences {
            let sentence = super::clipped(sentence, 2_000);
            self.add(format_args!("<li>{}</li>", Html(&sentence)));
        }
        self.add(format_args!("</ul>"));
        self.end();
    }

    fn screened(&mut self, shown: &Presented<'_>) {
        let sentences = shown.sentences();
        if sentences.is_empty() {
            return;
        }
        self.section("Screened out");
        for sentence in sentences {
            self.paragraph(&sentence);
        }
        if let Some(table) = screened::table(&shown.screened) {
            self.table(&table);
        }
        self.end();
    }

    /// Adds the generation of approaches.
    fn generation(&mut self, report: &Report) {
        let Some(made) = &report.generation else {
            return;
        };
        self.section("Generated approaches");
        for sentence in generation::sentences(made) {
            self.paragraph(&sentence);
        }
        if let Some(table) = generation::table(made) {
            self.table(&table);
        }
        self.end();
    }

    /// Adds the sections of aggregators.
    fn added(&mut self, report: &Report) {
        for section in &report.sections {
            self.section(Html(&section.heading()));
            self.add(format_args!("<blockquote class=\"added\">"));
            for sentence in section.sentences() {
                self.paragraph(&sentence);
            }
            if let Some(table) = added::table(section) {
                self.table(&table);
            }
            self.add(format_args!("</blockquote>"));
            self.end();
        }
    }

    fn narrative(&mut self, report: &Report) {
        self.add(format_args!("<div id=\"sections\">"));
        for section in words::narrative(report) {
            self.list(section.title, &section.sentences);
        }
        self.add(format_args!("</div>"));
    }

    fn code(&mut self, report: &Report, options: &Options) {
        let samples = super::code::samples(report, options);
        if samples.is_empty() {
            return;
        }
        self.section("Code");
        for sample in &samples {
            let is_first = sample.is_best;
            let open = if is_first { " open" } else { "" };
            self.add(format_args!(
                "<details{open}>\n<summary>{}</summary>",
                Html(&sample.title())
            ));
            if let Some(description) = &sample.description {
                self.add(format_args!("<p>{}</p>", Html(description)));
            }
            self.add(format_args!(
                "<pre tabindex=\"0\"><code>{}</code></pre>\n</details>",
                Html(&sample.source)
            ));
        }
        self.end();
        if let Some(sides) = side_by_side::section(&samples) {
            self.add(format_args!("{sides}"));
        }
    }

    /// Adds the readings, the criteria and the environment.
    fn basis(&mut self, report: &Report) {
        self.section("Readings, criteria and environment");
        if let Some(parts) = parts::table(report) {
            self.table(&parts);
        }
        if let Some(readings) = tables::readings(report) {
            self.table(&readings);
        }
        self.table(&tables::criteria(report));
        self.add(format_args!("<dl class=\"pairs\">"));
        for (name, value) in super::environment::pairs(report) {
            let value = super::clipped(&value, 300);
            self.add(format_args!("<dt>{name}</dt><dd>{}</dd>", Html(&value)));
        }
        self.add(format_args!("</dl>"));
        self.end();
    }
}

fn class(align: Align) -> &'static str {
    match align {
        Align::Left => "",
        Align::Right => " class=\"number\"",
    }
}
