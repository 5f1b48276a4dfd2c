//! The document of a report as text for a terminal. The answer comes last, and so stays on the screen.

use super::document::{Block, Entry, Heading, Text};
use super::escape::Plain;
use super::lines::{Lines, Style};
use super::ratio_rows::RatioRow;
use super::table::Table;
use super::{Charset, Options, ascii, layout, report, sparkline};
use bakeoff_domain::report::{RankingOutcome, Report};
use unicode_width::UnicodeWidthStr as _;

/// Largest number of characters of a name, and of a status.
const TITLE_CHARS_MAX: usize = 200;
/// Largest number of lines of a failure's message.
const MESSAGE_LINES_MAX: usize = 12;
/// Largest number of lines of a source.
const SOURCE_LINES_MAX: usize = 40;
/// Largest number of characters of a line of a source.
const SOURCE_LINE_CHARS_MAX: usize = 400;

/// Beginning of each line of a message from outside: no line of ours begins so.
const MESSAGE: &str = "   │ ";
/// Beginning of each line of a section from outside: no line of ours begins so.
const QUOTED: &str = " > ";

/// Returns the report as text: the blocks of its document, and at the end the answer.
pub fn human(report: &Report, options: &Options) -> String {
    written(&report::document(report, options), options)
}

/// Returns blocks as text for a terminal, the answer at the end.
pub(super) fn written(blocks: &[Block], options: &Options) -> String {
    let mut page = Page {
        lines: Lines::new(options.width.clamp(40, 160), options.colour),
        detail: options.detail,
        is_hidden: false,
    };
    page.blocks(blocks);
    let answers = blocks.iter().filter_map(|block| match block {
        Block::Answer { text, outcome } => Some((text, *outcome)),
        _ => None,
    });
    for (text, outcome) in answers {
        page.answer(text, outcome);
    }
    in_charset(page.lines.out, options)
}

/// Returns warnings as the first lines of a text for a terminal.
pub(super) fn warnings(warnings: &[String], options: &Options) -> String {
    let mut lines = Lines::new(options.width.clamp(40, 160), options.colour);
    for warning in warnings {
        let text = format!("warning: {}", super::clipped(warning, 2_000));
        lines.outside(&text, "", Some(Style::Bad));
    }
    in_charset(lines.out, options)
}

/// Returns the answer of a report in one line.
pub fn answer(report: &Report, options: &Options) -> String {
    line(&report.recommendation.text, options)
}

/// Returns a text in one line.
pub(super) fn line(text: &str, options: &Options) -> String {
    let text = super::clipped(text, 2_000);
    in_charset(format!("{}\n", Plain(&text)), options)
}

fn in_charset(text: String, options: &Options) -> String {
    match options.charset {
        Charset::Unicode => text,
        Charset::Ascii => ascii::ascii(&text),
    }
}

struct Page {
    lines: Lines,
    detail: bool,
    /// True in a section that is left out.
    is_hidden: bool,
}

impl Page {
    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            match block {
                Block::Heading(heading) => self.heading(heading),
                Block::Narrative(blocks) => self.blocks(blocks),
                block if !self.is_hidden => self.block(block),
                _ => {}
            }
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Notice(text) => self.lines.outside(text, "", Some(Style::Bold)),
            Block::Title { name, problem } => {
                let (name, problem) = (super::clipped(name, 80), super::clipped(problem, 600));
                self.lines
                    .outside(&format!("{name}: {problem}"), "", Some(Style::Dim));
            }
            Block::Paragraph(text) => self.text(text, " "),
            Block::List(items) => items.iter().for_each(|text| self.text(text, " • ")),
            Block::Matrix {
                table,
                scales,
                weights,
            } => {
                self.table(table, "");
                self.lines
                    .paragraph(&format!("{scales} {weights}"), " ", Some(Style::Dim));
            }
            Block::Table(table) | Block::Candidates { table, .. } => self.table(table, ""),
            Block::Chart { chart, lines } => {
                if lines.is_empty() {
                    self.table(&chart.table, "")
                } else {
                    self.ratios(lines)
                }
            }
            Block::Entries(list) => list.iter().for_each(|entry| self.entry(entry)),
            Block::Code(samples) => {
                let best = samples.iter().find(|sample| sample.is_best);
                if let Some(best) = best {
                    self.code(&best.source, best.lines);
                }
            }
            // Every line is marked: none is the report's.
            Block::Words(text) => {
                for line in text.lines() {
                    self.lines.paragraph(line, MESSAGE, None);
                }
            }
            Block::Listing(code) => self.code(code, code.lines().count()),
            Block::Pairs(pairs) => {
                let pairs = pairs.iter();
                let pairs: Vec<String> = pairs
                    .map(|(name, text)| format!("{name}: {text}."))
                    .collect();
                self.lines.paragraph(&pairs.join(" "), "", Some(Style::Dim));
            }
            Block::Quote(blocks) => blocks.iter().for_each(|block| self.quoted(block)),
            Block::Warnings(_)
            | Block::Panel
            | Block::Answer { .. }
            | Block::Heading(_)
            | Block::Narrative(_) => {}
        }
    }

    /// Adds a block of a section from outside, all lines of which are marked.
    fn quoted(&mut self, block: &Block) {
        match block {
            Block::Paragraph(text) => self.lines.paragraph(&text.text, QUOTED, None),
            Block::Table(table) => self.table(table, QUOTED),
            Block::Chart { chart, .. } => self.table(&chart.table, QUOTED),
            _ => {}
        }
    }

    fn text(&mut self, text: &Text, indent: &str) {
        if text.is_outside {
            self.lines.outside(&text.text, indent, None)
        } else {
            self.lines.paragraph(&text.text, indent, None)
        }
    }

    /// Begins a section, or leaves it out.
    fn heading(&mut self, heading: &Heading) {
        let title = heading.in_terminal.as_ref();
        let title = title.filter(|_| self.detail || !heading.is_detail);
        self.is_hidden = title.is_none();
        let Some(title) = title else { return };
        self.lines.out.push('\n');
        let style = Some(if heading.is_bad {
            Style::Bad
        } else {
            Style::Bold
        });
        match title.is_outside {
            true => self.lines.outside(&title.text, "", style),
            false if title.text.is_empty() => {}
            false => self.lines.paragraph(&title.text, "", style),
        }
    }

    fn answer(&mut self, text: &str, outcome: RankingOutcome) {
        self.lines.out.push('\n');
        let style = match outcome {
            RankingOutcome::Winner => Style::Good,
            RankingOutcome::Tie | RankingOutcome::NoCall => Style::Bold,
            RankingOutcome::Nothing => Style::Bad,
        };
        self.lines.paragraph(text, "", Some(style));
    }

    /// Adds a table whose lines all begin with a mark.
    fn table(&mut self, table: &Table, mark: &str) {
        let escaped = |text: &String| Plain(text).to_string();
        let columns = table.columns.iter();
        let rows = table.rows.iter();
        let table = Table {
            caption: String::new(),
            columns: columns
                .map(|(title, align)| (escaped(title), *align))
                .collect(),
            rows: rows.map(|row| row.iter().map(escaped).collect()).collect(),
        };
        for line in layout::lines(&table, self.lines.width.saturating_sub(mark.width())) {
            self.lines.line(&format!("{mark}{line}"), None);
        }
    }

    /// Adds the times against one variant, as lines of characters if there is room for them.
    fn ratios(&mut self, list: &[RatioRow]) {
        match sparkline::lines(list, self.lines.width) {
            Some(lines) => lines.iter().for_each(|line| self.lines.line(line, None)),
            None => {
                for row in list {
                    let text = format!("{}: {}", row.name, row.summary);
                    self.lines.paragraph(&text, " • ", None);
                }
            }
        }
    }

    fn entry(&mut self, entry: &Entry) {
        let mut lines = entry.text.lines();
        let first = lines.next().unwrap_or_default();
        let text = format!("{}: {first}", entry.title(TITLE_CHARS_MAX));
        self.lines.outside(text.trim_end_matches(": "), " ", None);
        // What a guest says has lines of its own, which are marked: they are not the report's.
        for line in lines.by_ref().take(MESSAGE_LINES_MAX - 1) {
            self.lines.paragraph(line, MESSAGE, Some(Style::Dim));
        }
        let more = lines.count();
        if more > 0 {
            let more = format!("   … {more} more lines in the report");
            self.lines.line(&more, Some(Style::Dim));
        }
        if let Some(note) = &entry.note {
            self.lines.outside(note, "   ", Some(Style::Dim));
        }
    }

    /// Adds the beginning of a source with this many lines.
    fn code(&mut self, source: &str, lines: usize) {
        for line in source.lines().take(SOURCE_LINES_MAX) {
            let line = super::clipped(&line.replace('\t', "    "), SOURCE_LINE_CHARS_MAX);
            self.lines.line(&format!("   {}", Plain(&line)), None);
        }
        if lines > SOURCE_LINES_MAX {
            let more = format!("   … {} more lines", lines - SOURCE_LINES_MAX);
            self.lines.line(&more, Some(Style::Dim));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::CONTINUED;
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
                        line.starts_with(CONTINUED) || line.starts_with(MESSAGE),
                        "{line}"
                    );
                }
            }
        }
        assert!(broken > 100, "{broken}");
    }
}
