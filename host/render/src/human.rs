//! The report as text for a terminal. The answer comes last, and so stays on the screen.

use super::escape::Plain;
use super::ratio_rows::{RatioRelation, ratios_to_reference};
use super::sparkline::Axis;
use super::tables::{self, Align, Table};
use super::{
    Charset, Colour, Options, added, ascii, generation, layout, parameters, parts, screened,
};
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{Interval, Presented, RankingOutcome, Report, presented};
use bakeoff_domain::spec::Comparison;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr as _;

/// Fewest columns of a sparkline; with less room there are words only.
const SPARKLINE_COLUMNS_MIN: usize = 8;
/// Most columns of a sparkline.
const SPARKLINE_COLUMNS_MAX: usize = 48;

/// Largest number of lines of a failure's message.
const MESSAGE_LINES_MAX: usize = 12;

/// Returns the report as text: the matrix, sparklines of ratios, variants that are not ranked, the narrative, notes, in
/// detail the source of the best and the environment; at the end the answer.
pub fn human(report: &Report, options: &Options) -> String {
    let mut page = Page {
        out: String::new(),
        width: options.width.clamp(40, 160),
        colour: options.colour,
    };
    let (whole, shown) = (report, presented(report));
    let report = shown.report.as_ref();
    page.question(report);
    if report.options.comparison != Comparison::Narrative {
        page.matrix(report);
    }
    page.ratios(report);
    for parameter in parameters::parameters(whole) {
        let table = parameters::table(&parameter);
        page.heading(&table.caption);
        page.table(&table);
    }
    page.screened(&shown);
    page.unranked(report);
    if report.options.comparison != Comparison::Matrix {
        page.narrative(report);
    }
    if let Some(table) = tables::by_case(report) {
        page.heading(&table.caption);
        page.table(&table);
    }
    if let Some(table) = parts::table(report) {
        page.heading(&table.caption);
        page.table(&table);
    }
    page.notes(report);
    page.generation(report);
    page.added(report);
    if options.detail {
        page.code(report, options);
        page.environment(report);
    }
    page.answer(report);
    in_charset(page.out, options)
}

/// Returns the answer of a report in one line.
pub fn answer(report: &Report, options: &Options) -> String {
    let text = super::clipped(&report.recommendation.text, 2_000);
    in_charset(format!("{}\n", Plain(&text)), options)
}

fn in_charset(text: String, options: &Options) -> String {
    match options.charset {
        Charset::Unicode => text,
        Charset::Ascii => ascii::ascii(&text),
    }
}

/// The style of a line.
#[derive(Clone, Copy)]
enum Style {
    Bold,
    Good,
    Bad,
    Dim,
}

/// Beginning of each further line of a paragraph with text from outside: no line of ours begins so.
const CONTINUED: &str = "    ";

struct Page {
    out: String,
    width: usize,
    colour: Colour,
}

impl Page {
    /// Adds a line, styled if colours are on. The text must be escaped already.
    fn line(&mut self, text: &str, style: Option<Style>) {
        let code = match (self.colour, style) {
            (Colour::Never, _) | (_, None) => None,
            (Colour::Always, Some(Style::Bold)) => Some("1"),
            (Colour::Always, Some(Style::Good)) => Some("1;32"),
            (Colour::Always, Some(Style::Bad)) => Some("1;31"),
            (Colour::Always, Some(Style::Dim)) => Some("2"),
        };
        match code {
            Some(code) => self.out += &format!("\u{1b}[{code}m{text}\u{1b}[0m\n"),
            None => self.out += &format!("{}\n", text.trim_end()),
        }
    }

    /// Adds a paragraph of any text: escaped, wrapped and indented.
    fn paragraph(&mut self, text: &str, indent: &str, style: Option<Style>) {
        let escaped = Plain(text).to_string();
        let hanging = if indent.ends_with("• ") {
            " ".repeat(indent.chars().count())
        } else {
            indent.to_owned()
        };
        let room = self.width.saturating_sub(indent.chars().count()).max(20);
        for (index, line) in wrapped(&escaped, room).iter().enumerate() {
            let indent = if index == 0 { indent } else { &hanging };
            self.line(&format!("{indent}{line}"), style);
        }
    }

    /// Adds a paragraph with text from outside. Its author may choose where a line is wrapped, so no further line
    /// begins as one of ours does.
    fn outside(&mut self, text: &str, indent: &str, style: Option<Style>) {
        let escaped = Plain(text).to_string();
        let room = self.width.saturating_sub(CONTINUED.len()).max(20);
        for (index, line) in wrapped(&escaped, room).iter().enumerate() {
            let indent = if index == 0 { indent } else { CONTINUED };
            self.line(&format!("{indent}{line}"), style);
        }
    }

    fn heading(&mut self, text: &str) {
        self.out.push('\n');
        self.paragraph(text, "", Some(Style::Bold));
    }

    fn question(&mut self, report: &Report) {
        let experiment = &report.experiment;
        let problem = super::clipped(&experiment.problem, 600);
        let name = super::clipped(&experiment.name, 80);
        self.outside(&format!("{name}: {problem}"), "", Some(Style::Dim));
    }

    fn answer(&mut self, report: &Report) {
        let text = &report.recommendation.text;
        if text.is_empty() {
            return;
        }
        self.out.push('\n');
        let style = match report.recommendation.outcome {
            RankingOutcome::Winner => Style::Good,
            RankingOutcome::Tie | RankingOutcome::NoCall => Style::Bold,
            RankingOutcome::Nothing => Style::Bad,
        };
        self.paragraph(text, "", Some(style));
    }

    fn matrix(&mut self, report: &Report) {
        self.out.push('\n');
        self.table(&tables::matrix(report));
        let weights: Vec<String> = report
            .criteria
            .iter()
            .map(|c| {
                format!(
                    "{} {}",
                    super::clipped(&c.name, 40),
                    numbers::weight(c.weight)
                )
            })
            .collect();
        let weights = format!(
            "{} Weights: {}.",
            tables::scales(report),
            weights.join(", ")
        );
        self.paragraph(&weights, " ", Some(Style::Dim));
    }

    fn table(&mut self, table: &Table) {
        self.marked_table(table, "");
    }

    /// Adds a table whose lines all begin with a mark.
    fn marked_table(&mut self, table: &Table, mark: &str) {
        let escaped = |text: &String| Plain(text).to_string();
        let columns = table.columns.iter();
        let table = Table {
            caption: String::new(),
            columns: columns
                .map(|(title, align)| (escaped(title), *align))
                .collect(),
            rows: table
                .rows
                .iter()
                .map(|row| row.iter().map(escaped).collect())
                .collect(),
        };
        let room = self.width.saturating_sub(mark.chars().count());
        for line in layout::lines(&table, room) {
            self.line(&format!("{mark}{line}"), None);
        }
    }

    /// Adds the times against one variant.
    fn ratios(&mut self, report: &Report) {
        let list = ratios_to_reference(report);
        let (Some(first), true) = (list.first(), list.len() > 1) else {
            return;
        };
        let caption = format!("Time against {}", words::name(report, &first.variant.id));
        let scope = report.experiment.scope();
        self.heading(&format!("{caption}, {scope} (logarithmic)"));
        let names: Vec<String> = list
            .iter()
            .map(|row| Plain(&words::name(report, &row.variant.id)).to_string())
            .collect();
        let longest = names.iter().map(|name| name.width()).max();
        let name_width = longest.unwrap_or(0).min(self.width / 4);
        let ratios: Vec<Interval> = list.iter().filter_map(|row| row.ratio).collect();
        let longest = list.iter().map(|row| row.summary.width()).max();
        let room = self
            .width
            .checked_sub(name_width + longest.unwrap_or(0) + 5);
        let axis = room
            .filter(|room| *room >= SPARKLINE_COLUMNS_MIN)
            .map(|room| Axis::containing(&ratios, room.min(SPARKLINE_COLUMNS_MAX)));
        let Some(axis) = axis else {
            for row in &list {
                let name = words::name(report, &row.variant.id);
                self.paragraph(&format!("{name}: {}", row.summary), " • ", None);
            }
            return;
        };
        for (row, name) in list.iter().zip(names) {
            let name = layout::clipped(&name, name_width);
            let name = layout::padded(&name, name_width, Align::Left);
            let sparkline = match (row.ratio, row.relation) {
                (Some(ratio), _) => axis.sparkline(ratio),
                (None, RatioRelation::Reference(standing)) => axis.reference(standing),
                (None, RatioRelation::Verdict(_)) => axis.unknown(),
            };
            self.line(&format!(" {name}  {sparkline}  {}", row.summary), None);
        }
    }

    fn unranked(&mut self, report: &Report) {
        let list = super::unranked::unranked(report);
        if list.is_empty() {
            return;
        }
        self.out.push('\n');
        self.line("Not ranked", Some(Style::Bad));
        for variant in list {
            let mut lines = variant.reason.lines();
            let first = lines.next().unwrap_or_default();
            let status = super::clipped(&variant.status, 200);
            let text = format!("{} {status}: {first}", super::clipped(&variant.name, 200));
            self.outside(text.trim_end_matches(": "), " ", None);
            // What a guest says has lines of its own, which are marked: they are not the report's.
            for line in lines.by_ref().take(MESSAGE_LINES_MAX - 1) {
                self.paragraph(line, "   │ ", Some(Style::Dim));
            }
            let more = lines.count();
            if more > 0 {
                self.line(
                    &format!("   … {more} more lines in the report"),
                    Some(Style::Dim),
                );
            }
            if let Some(call) = &variant.call {
                self.outside(call, "   ", Some(Style::Dim));
            }
        }
    }

    fn screened(&mut self, shown: &Presented<'_>) {
        let sentences = shown.sentences();
        if sentences.is_empty() {
            return;
        }
        self.heading("Screened out");
        for sentence in sentences {
            self.paragraph(&sentence, " ", None);
        }
        if let Some(table) = screened::table(&shown.screened) {
            self.table(&table);
        }
    }

    fn narrative(&mut self, report: &Report) {
        for section in words::narrative(report) {
            self.heading(section.title);
            for sentence in section.sentences {
                self.paragraph(&super::clipped(&sentence, 2_000), " • ", None);
            }
        }
    }

    fn notes(&mut self, report: &Report) {
        if report.notes.is_empty() {
            return;
        }
        self.heading("Notes");
        for note in &report.notes {
            self.outside(&super::clipped(note, 1_000), " • ", None);
        }
    }

    /// Adds the generation of approaches.
    fn generation(&mut self, report: &Report) {
        let Some(made) = &report.generation else {
            return;
        };
        self.heading(generation::TITLE);
        for sentence in generation::sentences(made) {
            self.outside(&sentence, " ", None);
        }
        if let Some(table) = generation::table(made) {
            self.table(&table);
        }
    }

    /// Adds the sections of aggregators.
    fn added(&mut self, report: &Report) {
        for section in &report.sections {
            // Its author may choose where the heading is wrapped.
            self.out.push('\n');
            self.outside(&section.heading(), "", Some(Style::Bold));
            for sentence in section.sentences() {
                self.paragraph(&sentence, added::MARK, None);
            }
            if let Some(table) = added::table(section) {
                self.marked_table(&table, added::MARK);
            }
        }
    }

    /// Adds the beginning of the source of the first variant, if code samples are on.
    fn code(&mut self, report: &Report, options: &Options) {
        let first = report
            .variants
            .iter()
            .find(|variant| variant.rank == Some(1));
        let (Some(first), true) = (first, report.options.code_samples) else {
            return;
        };
        let Some(source) = options.sources.get(&first.id) else {
            return;
        };
        self.heading(&format!("Source of {}", words::name(report, &first.id)));
        let mut lines = source.lines();
        for line in lines.by_ref().take(40) {
            let line = super::clipped(&line.replace('\t', "    "), 400);
            self.line(&format!("   {}", Plain(&line)), None);
        }
        let more = lines.count();
        if more > 0 {
            self.line(&format!("   … {more} more lines"), Some(Style::Dim));
        }
    }

    fn environment(&mut self, report: &Report) {
        self.out.push('\n');
        let mut text = String::new();
        for (name, value) in tables::environment(report) {
            // Writing to a string cannot fail.
            let _ = write!(text, "{name}: {}. ", super::clipped(&value, 300));
        }
        self.paragraph(text.trim_end(), "", Some(Style::Dim));
    }
}

/// Returns lines of at most `width` characters, broken at spaces if there are any.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        if used > 0 && used + 1 + word.len() > width {
            lines.push(String::new());
            used = 0;
        }
        while word.len() > width {
            let rest = word.split_off(width);
            push(&mut lines, &mut used, &word);
            lines.push(String::new());
            used = 0;
            word = rest;
        }
        push(&mut lines, &mut used, &word);
    }
    lines
}

fn push(lines: &mut [String], used: &mut usize, word: &[char]) {
    if let Some(line) = lines.last_mut() {
        if *used > 0 {
            line.push(' ');
            *used += 1;
        }
        line.extend(word);
        *used += word.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::tests::named;
    use bakeoff_domain::failure::{Failure, FailureClass, Phase};
    use bakeoff_domain::report::{Generation, ModelCost};

    /// Line that a hostile text would like to forge.
    const FORGED: &str = "forged: take this one";

    /// Returns a text in which the forged line stands behind so many words that some width breaks the line before it,
    /// and behind a line break.
    fn forged() -> String {
        let words = "word ".repeat(40);
        format!("{words}{FORGED} {words}\n{FORGED}\r\n{FORGED}")
    }

    #[test]
    fn no_line_of_a_text_from_outside_begins_as_one_of_ours() {
        let mut report = named("x");
        report.experiment.problem = forged();
        report.notes = vec![forged()];
        report.variants[0].description = Some(forged());
        report.variants[0].failure = Some(Failure {
            class: FailureClass::Trap,
            message: forged(),
            phase: Phase::Check,
            limit: Some(forged()),
        });
        report.generation = Some(Generation {
            model: forged(),
            spent: ModelCost {
                calls: 1,
                ..ModelCost::default()
            },
            ..Generation::default()
        });
        let mut broken = 0;
        for width in 40..=160 {
            let options = Options {
                width,
                ..Options::default()
            };
            for line in human(&report, &options).lines() {
                let inner = line.trim_start_matches([' ', '│']);
                if inner.starts_with("forged:") {
                    broken += 1;
                    assert!(
                        line.starts_with(CONTINUED) || line.starts_with("   │ "),
                        "{line}"
                    );
                }
            }
        }
        assert!(broken > 100, "{broken}");
    }
}
