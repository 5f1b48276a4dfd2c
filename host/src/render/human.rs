//! Text for a terminal: the first screen answers the question.

use super::inert::Plain;
use super::strips::Axis;
use super::tables::{self, Table};
use super::{Colour, Options, Signs, ascii, layout};
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{Interval, Outcome, Report};
use bakeoff_domain::spec::Comparison;
use std::fmt::Write;

/// Columns of a strip: below the least there are words only.
const STRIP_MIN: usize = 8;
const STRIP_MAX: usize = 48;

/// Lines of a failure's message that are shown.
const MESSAGE_LINES_MAX: usize = 12;

/// The report as text: the answer, the matrix, strips of ratios, who is left out and why, the
/// narrative, where it was measured.
pub fn human(report: &Report, options: &Options) -> String {
    let mut page = Page {
        out: String::new(),
        width: options.width.clamp(40, 160),
        colour: options.colour,
    };
    page.question(report);
    page.answer(report);
    if report.options.comparison != Comparison::Narrative {
        page.matrix(report);
    }
    page.strips(report);
    page.left_out(report);
    if report.options.comparison != Comparison::Matrix {
        page.narrative(report);
    }
    if let Some(table) = tables::by_case(report) {
        page.heading(&table.caption);
        page.table(&table);
    }
    page.notes(report);
    page.code(report, options);
    page.environment(report);
    match options.signs {
        Signs::Unicode => page.out,
        Signs::Ascii => ascii::ascii(&page.out),
    }
}

/// Escape sequences that are ours.
#[derive(Clone, Copy)]
enum Style {
    Bold,
    Good,
    Bad,
    Dim,
}

struct Page {
    out: String,
    width: usize,
    colour: Colour,
}

impl Page {
    /// One line, styled if colours are wanted. The text must be inert already.
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

    /// A paragraph of foreign text, wrapped and indented.
    fn paragraph(&mut self, text: &str, indent: &str, style: Option<Style>) {
        let inert = Plain(text).to_string();
        let hanging = if indent.ends_with("• ") {
            " ".repeat(indent.chars().count())
        } else {
            indent.to_owned()
        };
        let room = self.width.saturating_sub(indent.chars().count()).max(20);
        for (index, line) in wrapped(&inert, room).iter().enumerate() {
            let indent = if index == 0 { indent } else { &hanging };
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
        self.paragraph(&format!("{name}: {problem}"), "", Some(Style::Dim));
    }

    fn answer(&mut self, report: &Report) {
        let text = &report.recommendation.text;
        if text.is_empty() {
            return;
        }
        self.out.push('\n');
        let style = match report.recommendation.outcome {
            Outcome::Winner => Style::Good,
            Outcome::Tie | Outcome::NoCall => Style::Bold,
            Outcome::Nothing => Style::Bad,
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
            "Scores 0–10, higher is better. Weights: {}.",
            weights.join(", ")
        );
        self.paragraph(&weights, " ", Some(Style::Dim));
    }

    fn table(&mut self, table: &Table) {
        let inert = |text: &String| Plain(text).to_string();
        let columns = table.columns.iter();
        let table = Table {
            caption: String::new(),
            columns: columns
                .map(|(title, align)| (inert(title), *align))
                .collect(),
            rows: table
                .rows
                .iter()
                .map(|row| row.iter().map(inert).collect())
                .collect(),
        };
        for line in layout::lines(&table, self.width) {
            self.line(&line, None);
        }
    }

    /// Ratios against the fastest.
    fn strips(&mut self, report: &Report) {
        let list = tables::against_fastest(report);
        let (Some(best), true) = (list.first(), list.len() > 1) else {
            return;
        };
        let caption = format!("Time against {}", words::name(report, &best.variant.id));
        self.heading(&format!("{caption}, all cases together (logarithmic)"));
        let names: Vec<String> = list
            .iter()
            .map(|a| Plain(&words::name(report, &a.variant.id)).to_string())
            .collect();
        let longest = names.iter().map(|name| name.chars().count()).max();
        let name_width = longest.unwrap_or(0).min(self.width / 4);
        let ratios: Vec<Interval> = list.iter().filter_map(|a| a.ratio).collect();
        let longest = list.iter().map(|a| a.said.chars().count()).max();
        let room = self
            .width
            .checked_sub(name_width + longest.unwrap_or(0) + 5);
        let axis = room
            .filter(|room| *room >= STRIP_MIN)
            .map(|room| Axis::holding(&ratios, room.min(STRIP_MAX)));
        for (against, name) in list.iter().zip(names) {
            let name: String = name.chars().take(name_width).collect();
            let strip = match (&axis, against.ratio) {
                (None, _) => String::new(),
                (Some(axis), Some(ratio)) => format!("  {}", axis.strip(Some(ratio))),
                (Some(axis), None) if against.variant.id == best.variant.id => {
                    format!("  {}", axis.strip(None))
                }
                (Some(axis), None) => format!("  {}", axis.blank()),
            };
            self.line(
                &format!(" {name:<name_width$}{strip}  {}", against.said),
                None,
            );
        }
    }

    fn left_out(&mut self, report: &Report) {
        let list = tables::left_out(report);
        if list.is_empty() {
            return;
        }
        self.out.push('\n');
        self.line("Not ranked", Some(Style::Bad));
        for out in list {
            let mut lines = out.why.lines();
            let first = lines.next().unwrap_or_default();
            let what = super::clipped(&out.what, 200);
            let text = format!("{} {what}: {first}", super::clipped(&out.name, 80));
            self.paragraph(text.trim_end_matches(": "), " ", None);
            for line in lines.by_ref().take(MESSAGE_LINES_MAX - 1) {
                self.paragraph(line, "   ", Some(Style::Dim));
            }
            let more = lines.count();
            if more > 0 {
                self.line(
                    &format!("   … {more} more lines in the report"),
                    Some(Style::Dim),
                );
            }
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
            self.paragraph(&super::clipped(note, 1_000), " • ", None);
        }
    }

    /// The source of the first place, where it is wanted and short enough for a terminal.
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
        for (what, which) in tables::environment(report) {
            // A string takes whatever is written to it.
            let _ = write!(text, "{what}: {}. ", super::clipped(&which, 300));
        }
        self.paragraph(text.trim_end(), "", Some(Style::Dim));
    }
}

/// Lines of at most `width` characters, broken at spaces where there are any.
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
