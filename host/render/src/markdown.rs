//! The report as Markdown, for GitHub and most other readers.

use super::escape::{Fenced, Markdown};
use super::table::{Align, Table};
use super::tables;
use super::{Options, added, charts, generation, parts, screened};
use bakeoff_domain::report::words;
use bakeoff_domain::report::{Presented, Report, presented};
use bakeoff_domain::spec::Comparison;

/// Returns the report as Markdown: the answer, the matrix, the narrative, failures, code,
/// environment.
///
/// Most readers of Markdown drop inline SVG, so charts are images in files beside the report, if
/// `options.charts` names their folder. Their tables are in the text in any case.
pub fn markdown(report: &Report, options: &Options) -> String {
    let mut page = Page { out: String::new() };
    let (whole, shown) = (report, presented(report));
    let report = shown.report.as_ref();
    let experiment = &report.experiment;
    page.block(&format!(
        "# {}",
        Markdown(&super::clipped(&experiment.name, 200))
    ));
    page.block(&Markdown(&super::clipped(&experiment.problem, 2_000)).to_string());
    for warning in &options.warnings {
        page.block(&format!("> {}", Markdown(warning)));
    }
    let answer = &report.recommendation.text;
    if !answer.is_empty() {
        page.block(&format!("**{}**", Markdown(answer)));
    }
    if report.options.comparison != Comparison::Narrative {
        page.heading("Comparison");
        page.table(&tables::matrix(report));
        page.block(&Markdown(&tables::scales(report)).to_string());
    }
    page.charts(whole, options);
    page.screened(&shown);
    page.unranked(report);
    if report.options.comparison != Comparison::Matrix {
        page.narrative(report);
    }
    page.list("Notes", &report.notes);
    page.generation(report);
    page.added(report);
    if report.options.code_samples {
        page.code(report, options);
    }
    if let Some(parts) = parts::table(report) {
        page.heading(&parts.caption);
        page.table(&parts);
    }
    if let Some(readings) = tables::readings(report) {
        page.heading("Readings");
        page.table(&readings);
    }
    page.heading("Criteria");
    page.table(&tables::criteria(report));
    page.environment(report);
    page.out
}

struct Page {
    out: String,
}

impl Page {
    /// Adds a block that is Markdown already.
    fn block(&mut self, markdown: &str) {
        self.out += markdown;
        self.out += "\n\n";
    }

    fn heading(&mut self, text: &str) {
        self.block(&format!("## {}", Markdown(text)));
    }

    fn table(&mut self, table: &Table) {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let titles = table.columns.iter();
        let titles = titles.map(|(title, _)| Markdown(title).to_string());
        self.out += &line(titles.collect());
        let rules = table.columns.iter().map(|(_, align)| match align {
            Align::Left => "---".to_owned(),
            Align::Right => "--:".to_owned(),
        });
        self.out += &line(rules.collect());
        for row in &table.rows {
            self.out += &line(row.iter().map(|c| Markdown(c).to_string()).collect());
        }
        self.out.push('\n');
    }

    fn list(&mut self, title: &str, sentences: &[String]) {
        if sentences.is_empty() {
            return;
        }
        self.heading(title);
        for sentence in sentences {
            let sentence = super::clipped(sentence, 2_000);
            self.out += &format!("- {}\n", Markdown(&sentence));
        }
        self.out.push('\n');
    }

    fn charts(&mut self, report: &Report, options: &Options) {
        for chart in charts::charts(report, &[]) {
            self.heading(&chart.title);
            if let Some(folder) = &options.charts {
                let path = format!("{folder}/{}.svg", chart.name);
                self.block(&format!(
                    "![{}](<{}>)",
                    Markdown(&chart.title),
                    path_only(&path)
                ));
            }
            self.table(&chart.table);
        }
    }

    fn unranked(&mut self, report: &Report) {
        let list = super::unranked::unranked(report);
        if list.is_empty() {
            return;
        }
        self.heading("Not ranked");
        for variant in list {
            let title = format!("{} {}", variant.name, variant.status);
            if variant.reason.contains('\n') {
                self.block(&format!("- {}", Markdown(&title)));
                self.block(&Fenced(&variant.reason).to_string());
            } else {
                self.block(&format!(
                    "- {}: {}",
                    Markdown(&title),
                    Markdown(&variant.reason)
                ));
            }
            if let Some(call) = &variant.call {
                self.block(&format!("  {}", Markdown(call)));
            }
        }
    }

    fn screened(&mut self, shown: &Presented<'_>) {
        self.list("Screened out", &shown.sentences());
        if let Some(table) = screened::table(&shown.screened) {
            self.table(&table);
        }
    }

    /// Adds the generation of approaches.
    fn generation(&mut self, report: &Report) {
        let Some(made) = &report.generation else {
            return;
        };
        self.heading("Generated approaches");
        for sentence in generation::sentences(made) {
            self.block(&Markdown(&sentence).to_string());
        }
        if let Some(table) = generation::table(made) {
            self.table(&table);
        }
    }

    /// Adds the sections of aggregators.
    fn added(&mut self, report: &Report) {
        for section in &report.sections {
            self.heading(&section.heading());
            let begin = self.out.len();
            for sentence in section.sentences() {
                self.block(&Markdown(&sentence).to_string());
            }
            if let Some(table) = added::table(section) {
                self.table(&table);
            }
            // A quotation, to its last line.
            let quoted: Vec<String> = self.out[begin..]
                .trim_end()
                .lines()
                .map(|line| format!("> {line}"))
                .collect();
            self.out.truncate(begin);
            self.block(&quoted.join("\n"));
        }
    }

    fn narrative(&mut self, report: &Report) {
        for section in words::narrative(report) {
            self.list(section.title, &section.sentences);
        }
    }

    fn code(&mut self, report: &Report, options: &Options) {
        let samples = super::code::samples(report, options);
        if samples.is_empty() {
            return;
        }
        self.heading("Code");
        for sample in samples {
            self.block(&format!("### {}", Markdown(&sample.title())));
            if let Some(description) = &sample.description {
                self.block(&Markdown(description).to_string());
            }
            self.block(&Fenced(&sample.source).to_string());
        }
    }

    fn environment(&mut self, report: &Report) {
        self.heading("How it was measured");
        for (name, value) in super::environment::pairs(report) {
            let value = super::clipped(&value, 300);
            self.out += &format!("- {name}: {}\n", Markdown(&value));
        }
    }
}

/// Returns a path between the angle brackets of a link, without characters that could end it.
fn path_only(path: &str) -> String {
    let kept = path
        .chars()
        .filter(|c| !matches!(c, '<' | '>' | '\\') && !super::escape::is_active(*c));
    kept.collect()
}
