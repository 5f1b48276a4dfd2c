//! A report as blocks, which [`super::report`] builds once and the terminal, Markdown and HTML each write in their way.
//! All of them show the same blocks in the same order; what the terminal leaves out is said by headings.

use super::candidate_entries::CandidateEntry;
use super::charts::Chart;
use super::code::CodeSample;
use super::ratio_rows::RatioRow;
use super::table::Table;
use bakeoff_domain::report::RankingOutcome;

/// A part of a document.
pub(super) enum Block {
    /// Sentence before all else: that nothing was run.
    Notice(String),
    /// Name and problem of the experiment, at the beginning.
    Title { name: String, problem: String },
    /// Warnings about the origin of the report; the readers of a terminal have them on stderr.
    Warnings(Vec<String>),
    /// Answer of the report. It stands last in a terminal, so that it stays on the screen.
    Answer {
        text: String,
        outcome: RankingOutcome,
    },
    /// Panel with which the reader of a page moves the weights.
    Panel,
    /// Heading of a section, which ends at the next heading.
    Heading(Heading),
    /// Paragraph.
    Paragraph(Text),
    /// List of sentences.
    List(Vec<Text>),
    /// Comparison matrix, the meaning of its scores, and the weights of the criteria, which a page with a panel has there.
    Matrix {
        table: Table,
        scales: String,
        weights: String,
    },
    /// Table.
    Table(Table),
    /// Chart with the table of its numbers; a terminal has the lines instead of both, or the table if there are none.
    Chart { chart: Chart, lines: Vec<RatioRow> },
    /// Names with what is said of them: variants without a rank and the reasons, files and their answers.
    Entries(Vec<Entry>),
    /// Candidates of a search: a page lets each be opened, Markdown has the table.
    Candidates {
        table: Table,
        entries: Vec<CandidateEntry>,
    },
    /// Sources; a terminal shows the first of the best.
    Code(Vec<CodeSample>),
    /// Code in a text.
    Listing(String),
    /// Text from outside with lines of its own, shown as it is.
    Words(String),
    /// Values with their names.
    Pairs(Vec<(&'static str, String)>),
    /// Blocks that all come from outside, marked as such to their last line.
    Quote(Vec<Block>),
    /// Sections that follow the weights which the reader of a page chooses.
    Narrative(Vec<Block>),
}

/// A name from outside, with what is said of it.
#[derive(PartialEq)]
pub(super) struct Entry {
    /// Name of a variant or a file, or names of several variants.
    pub(super) name: String,
    /// Status of a variant: `failed: wrong-answer`, `eliminated`, `unranked`; may be empty.
    pub(super) status: String,
    /// Reason or answer; may have several lines.
    pub(super) text: String,
    /// Further sentence, such as the call that failed and the command that makes it again.
    pub(super) note: Option<String>,
}

impl Entry {
    /// Returns the name with the status, each cut to a number of characters.
    pub(super) fn title(&self, chars_max: usize) -> String {
        let [name, status] = [&self.name, &self.status].map(|text| super::clipped(text, chars_max));
        format!("{name} {status}").trim_end().to_owned()
    }
}

/// A text, and whether somebody else chose how long it is. Every format escapes all text; in addition, a terminal
/// sets off each line of a text from outside, as its author may choose where it is wrapped.
pub(super) struct Text {
    pub(super) text: String,
    pub(super) is_outside: bool,
}

impl Text {
    /// Returns a text of ours, in which there may be names from outside.
    pub(super) fn ours(text: impl Into<String>) -> Self {
        let (text, is_outside) = (text.into(), false);
        Self { text, is_outside }
    }

    /// Returns a text from outside.
    pub(super) fn outside(text: impl Into<String>) -> Self {
        let (text, is_outside) = (text.into(), true);
        Self { text, is_outside }
    }
}

/// The heading of a section.
pub(super) struct Heading {
    /// Title of the section.
    pub(super) title: Text,
    /// Title in a terminal, empty for a section without one there; `None` if a terminal does not show the section.
    pub(super) in_terminal: Option<Text>,
    /// True if a terminal shows the section only where details are asked for.
    pub(super) is_detail: bool,
    /// True for a section about failures.
    pub(super) is_bad: bool,
}

impl Heading {
    /// Returns the heading of a section that has another title in a terminal, or is not shown there.
    pub(super) fn with(title: &str, in_terminal: Option<&str>) -> Self {
        Self {
            title: Text::ours(title),
            in_terminal: in_terminal.map(Text::ours),
            is_detail: false,
            is_bad: false,
        }
    }

    /// Returns the heading of a section that is called the same everywhere.
    pub(super) fn new(title: &str) -> Self {
        Self::with(title, Some(title))
    }
}
