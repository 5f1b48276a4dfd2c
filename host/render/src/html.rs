//! The document of a report as one self-contained HTML page: no requests, for dark and light schemes, keyboards and
//! screen readers. It says all without scripts; with them, weights can be moved ([`super::page`]).

use super::code::CodeSample;
use super::document::{Block, Entry, Heading};
use super::escape::Html;
use super::page::{self, Exploring};
use super::table::{Align, Table};
use super::{Options, candidate_entries, charts, report, side_by_side};
use bakeoff_domain::report::{RankingOutcome, Report};
use std::fmt::Write;

/// The style of the page; charts have their own.
pub const STYLE: &str = include_str!("html.css");

/// Returns the report as a page, which begins with the answer.
pub fn html(report: &Report, options: &Options) -> String {
    let exploring = page::exploring(report);
    written(&report::document(report, options), exploring.as_ref())
}

/// Returns blocks as a page, with the parts that let its reader weigh criteria, if there are some.
pub(super) fn written(blocks: &[Block], exploring: Option<&Exploring>) -> String {
    let mut page = Page {
        out: String::new(),
        notice: None,
        panel: exploring.map(|parts| parts.panel.as_str()),
        in_section: false,
    };
    page.blocks(blocks);
    page.end_section();
    let scripts = exploring.map_or("", |parts| &parts.scripts);
    let points = page::points();
    page.out + "</main>\n" + scripts + &points + "</body>\n</html>\n"
}

struct Page<'a> {
    out: String,
    /// Sentence that stands before all else.
    notice: Option<String>,
    /// Panel with which weights can be moved.
    panel: Option<&'a str>,
    /// True if a section is open.
    in_section: bool,
}

impl Page<'_> {
    fn blocks(&mut self, blocks: &[Block]) {
        blocks.iter().for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Notice(text) => self.notice = Some(text.clone()),
            Block::Title { name, problem } => self.head(name, problem),
            Block::Warnings(warnings) => {
                for warning in warnings {
                    let warning = Html(warning);
                    self.add(format_args!(
                        "<p class=\"what\" role=\"note\">{warning}</p>"
                    ));
                }
            }
            Block::Answer { text, outcome } => self.answer(text, *outcome),
            Block::Panel => {
                if let Some(panel) = self.panel {
                    self.add(format_args!("{panel}"));
                }
            }
            Block::Heading(heading) => self.heading(heading),
            Block::Paragraph(text) => self.paragraph(&text.text),
            Block::List(items) => {
                self.add(format_args!("<ul>"));
                for item in items {
                    self.add(format_args!("<li>{}</li>", Html(&item.text)));
                }
                self.add(format_args!("</ul>"));
            }
            Block::Matrix {
                table,
                scales,
                weights,
            } => {
                self.add(format_args!("<div id=\"matrix\">"));
                self.table(table, true);
                self.add(format_args!("</div>"));
                if self.panel.is_some() {
                    self.paragraph(scales)
                } else {
                    self.paragraph(&format!("{scales} {weights}"))
                }
            }
            Block::Table(table) => self.table(table, false),
            Block::Chart { chart, .. } => self.chart(chart),
            Block::Words(text) => {
                let text = Html(text);
                self.add(format_args!("<pre tabindex=\"0\">{text}</pre>"));
            }
            Block::Listing(code) => {
                let code = Html(code);
                self.add(format_args!(
                    "<pre tabindex=\"0\"><code>{code}</code></pre>"
                ));
            }
            Block::Entries(list) => {
                self.add(format_args!("<dl>"));
                list.iter().for_each(|entry| self.entry(entry));
                self.add(format_args!("</dl>"));
            }
            Block::Candidates { entries, .. } => {
                let entries = candidate_entries::markup(entries);
                self.add(format_args!("{entries}"));
            }
            Block::Code(samples) => self.code(samples),
            Block::Pairs(pairs) => {
                self.add(format_args!("<dl class=\"pairs\">"));
                for (name, value) in pairs {
                    self.add(format_args!("<dt>{name}</dt><dd>{}</dd>", Html(value)));
                }
                self.add(format_args!("</dl>"));
            }
            Block::Quote(blocks) => {
                self.add(format_args!("<blockquote class=\"added\">"));
                self.blocks(blocks);
                self.add(format_args!("</blockquote>"));
            }
            Block::Narrative(blocks) => {
                self.end_section();
                self.add(format_args!("<div id=\"sections\">"));
                self.blocks(blocks);
                self.end_section();
                self.add(format_args!("</div>"));
            }
        }
    }

    /// Adds markup, in which text from outside is wrapped in [`Html`].
    fn add(&mut self, markup: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.out.write_fmt(markup);
        self.out.push('\n');
    }

    fn heading(&mut self, heading: &Heading) {
        self.end_section();
        self.in_section = true;
        let title = Html(&heading.title.text);
        self.add(format_args!("<section>\n<h2>{title}</h2>"));
    }

    fn end_section(&mut self) {
        if std::mem::take(&mut self.in_section) {
            self.add(format_args!("</section>"));
        }
    }

    fn head(&mut self, name: &str, problem: &str) {
        let scripts = page::script_policy(self.panel.is_some());
        let styles =
            [format!("\n{STYLE}"), charts::STYLE.to_owned()].map(|style| page::source_hash(&style));
        let styles = styles.join(" ");
        let notice = self.notice.take().map_or_else(String::new, |text| {
            format!("<p class=\"what\" role=\"note\">{}</p>\n", Html(&text))
        });
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
{notice}<header>
<h1>{name}</h1>
<p class="question">{problem}</p>
</header>
<main>"#,
            name = Html(name),
            problem = Html(problem)
        ));
    }

    fn answer(&mut self, text: &str, outcome: RankingOutcome) {
        let class = match outcome {
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

    /// Adds a table that scrolls sideways on a narrow screen, also by keyboard. Where each cell has the name of its
    /// column, it may become a list of rows.
    fn table(&mut self, table: &Table, has_names: bool) {
        self.add(format_args!(
            r#"<div class="wide" tabindex="0" role="region" aria-label="{0}">
<table>
<caption>{0}</caption>
<thead><tr>"#,
            Html(&table.caption)
        ));
        for (title, align) in &table.columns {
            let (class, title) = (class(*align), Html(title));
            self.add(format_args!(r#"<th scope="col"{class}>{title}</th>"#));
        }
        self.add(format_args!("</tr></thead>\n<tbody>"));
        for row in &table.rows {
            self.add(format_args!("<tr>"));
            let mut cells = row.iter().zip(&table.columns);
            if let Some((cell, _)) = cells.next() {
                self.add(format_args!(r#"<th scope="row">{}</th>"#, Html(cell)));
            }
            for (cell, (title, align)) in cells {
                let name = if has_names {
                    format!(" data-name=\"{}\"", Html(title))
                } else {
                    String::new()
                };
                let (class, cell) = (class(*align), Html(cell));
                self.add(format_args!("<td{class}{name}>{cell}</td>"));
            }
            self.add(format_args!("</tr>"));
        }
        self.add(format_args!("</tbody>\n</table>\n</div>"));
    }

    /// Adds a chart and its numbers.
    fn chart(&mut self, chart: &charts::Chart) {
        self.add(format_args!(
            r#"<div class="wide" tabindex="0" role="region" aria-label="Chart: {0}">
{1}
</div>
<details>
<summary>The numbers behind “{0}”</summary>"#,
            Html(&chart.title),
            chart.svg,
        ));
        self.table(&chart.table, false);
        self.add(format_args!("</details>"));
    }

    fn entry(&mut self, entry: &Entry) {
        let (name, status) = (Html(&entry.name), Html(&entry.status));
        if entry.status.is_empty() {
            self.add(format_args!("<dt>{name}</dt>"))
        } else {
            self.add(format_args!(
                "<dt>{name} <span class=\"what\">{status}</span></dt>"
            ))
        }
        let text = Html(&entry.text);
        if entry.text.contains('\n') {
            self.add(format_args!("<dd><pre tabindex=\"0\">{text}</pre></dd>"))
        } else {
            self.add(format_args!("<dd>{text}</dd>"))
        }
        if let Some(note) = &entry.note {
            self.add(format_args!("<dd>{}</dd>", Html(note)));
        }
    }

    /// Adds sources, and a section with the first of them beside the others.
    fn code(&mut self, samples: &[CodeSample]) {
        for sample in samples {
            let open = if sample.is_best { " open" } else { "" };
            let title = sample.title();
            self.add(format_args!(
                "<details{open}>\n<summary>{}</summary>",
                Html(&title)
            ));
            if let Some(description) = &sample.description {
                self.paragraph(description);
            }
            self.add(format_args!(
                "<pre tabindex=\"0\"><code>{}</code></pre>\n</details>",
                Html(&sample.source)
            ));
        }
        if let Some(sides) = side_by_side::section(samples) {
            self.end_section();
            self.add(format_args!("{sides}"));
        }
    }
}

fn class(align: Align) -> &'static str {
    match align {
        Align::Left => "",
        Align::Right => " class=\"number\"",
    }
}
