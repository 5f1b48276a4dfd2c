//! The document of a report as Markdown, for GitHub and most other readers.

use super::document::{Block, Entry};
use super::escape::{FencedBlock, FencedText, Markdown};
use super::table::{Align, Table};
use super::{Options, report};
use bakeoff_domain::report::Report;

/// Returns the report as Markdown.
///
/// Most readers of Markdown drop inline SVG, so charts are images in files beside the report, if
/// `options.charts` names their folder. Their tables are in the text in any case.
pub fn markdown(report: &Report, options: &Options) -> String {
    written(
        &report::document(report, options),
        options.charts.as_deref(),
    )
}

/// Returns blocks as Markdown, with images of charts in a folder, if there is one.
pub(super) fn written(blocks: &[Block], charts: Option<&str>) -> String {
    let mut page = Page {
        out: String::new(),
        charts: charts.map(path_only),
    };
    page.blocks(blocks);
    page.out.trim_end().to_owned() + "\n"
}

struct Page {
    out: String,
    /// Folder of the images.
    charts: Option<String>,
}

impl Page {
    fn blocks(&mut self, blocks: &[Block]) {
        blocks.iter().for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Notice(text) => self.markup(&format!("**{}**", Markdown(text))),
            Block::Title { name, problem } => {
                self.markup(&format!("# {}", Markdown(name)));
                self.paragraph(problem);
            }
            Block::Warnings(warnings) => {
                for warning in warnings {
                    self.markup(&format!("> {}", Markdown(warning)));
                }
            }
            Block::Answer { text, .. } => self.markup(&format!("**{}**", Markdown(text))),
            Block::Panel => {}
            Block::Heading(heading) => {
                self.markup(&format!("## {}", Markdown(&heading.title.text)))
            }
            Block::Paragraph(text) => self.paragraph(&text.text),
            Block::List(items) => {
                let items = items.iter().map(|item| item.text.clone());
                self.list(items);
            }
            Block::Matrix {
                table,
                scales,
                weights,
            } => {
                self.table(table);
                self.paragraph(&format!("{scales} {weights}"));
            }
            Block::Table(table) | Block::Candidates { table, .. } => self.table(table),
            Block::Chart { chart, .. } => {
                if let Some(folder) = &self.charts {
                    let image = format!(
                        "![{}](<{folder}/{}.svg>)",
                        Markdown(&chart.title),
                        chart.name
                    );
                    self.markup(&image);
                }
                self.table(&chart.table);
            }
            Block::Entries(list) => list.iter().for_each(|entry| self.entry(entry)),
            Block::Words(text) => self.markup(&FencedText(text).to_string()),
            Block::Listing(code) => self.markup(&FencedBlock(code).to_string()),
            Block::Code(samples) => {
                for sample in samples {
                    self.markup(&format!("### {}", Markdown(&sample.title())));
                    if let Some(description) = &sample.description {
                        self.paragraph(description);
                    }
                    self.markup(&FencedBlock(&sample.source).to_string());
                }
            }
            Block::Pairs(pairs) => {
                let pairs = pairs.iter().map(|(name, value)| format!("{name}: {value}"));
                self.list(pairs);
            }
            Block::Quote(blocks) => self.quote(blocks),
            Block::Narrative(blocks) => self.blocks(blocks),
        }
    }

    /// Adds what is Markdown already.
    fn markup(&mut self, markdown: &str) {
        self.out += markdown;
        self.out += "\n\n";
    }

    fn paragraph(&mut self, text: &str) {
        self.markup(&Markdown(text).to_string());
    }

    fn list(&mut self, items: impl Iterator<Item = String>) {
        let items: String = items
            .map(|item| format!("- {}\n", Markdown(&item)))
            .collect();
        self.markup(items.trim_end());
    }

    fn table(&mut self, table: &Table) {
        let escaped = |text: &String| Markdown(text).to_string();
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let rule = |align: &Align| match align {
            Align::Left => "---".to_owned(),
            Align::Right => "--:".to_owned(),
        };
        let columns = table.columns.iter();
        self.out += &line(columns.clone().map(|(title, _)| escaped(title)).collect());
        self.out += &line(columns.map(|(_, align)| rule(align)).collect());
        for row in &table.rows {
            self.out += &line(row.iter().map(escaped).collect());
        }
        self.out.push('\n');
    }

    fn entry(&mut self, entry: &Entry) {
        let title = entry.title(usize::MAX);
        let title = Markdown(&title);
        if entry.text.contains('\n') {
            self.markup(&format!("- {title}\n\n{}", FencedBlock(&entry.text)))
        } else {
            self.markup(&format!("- {title}: {}", Markdown(&entry.text)))
        }
        if let Some(note) = &entry.note {
            self.markup(&format!("  {}", Markdown(note)));
        }
    }

    /// Adds blocks as a quotation, to its last line.
    fn quote(&mut self, blocks: &[Block]) {
        let begin = self.out.len();
        self.blocks(blocks);
        let quoted = self.out.split_off(begin);
        let quoted: Vec<String> = quoted
            .trim_end()
            .lines()
            .map(|line| format!("> {line}"))
            .collect();
        self.markup(&quoted.join("\n"));
    }
}

/// Returns a path between the angle brackets of a link, without characters that could end it.
fn path_only(path: &str) -> String {
    let kept = path
        .chars()
        .filter(|c| !matches!(c, '<' | '>' | '\\') && !super::escape::is_active(*c));
    kept.collect()
}
