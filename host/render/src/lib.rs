//! Reports as text for terminals, Markdown, JSON, CSV, JUnit's XML, criterion's files, and one self-contained HTML
//! page.
//!
//! Every name, message, description and source in a report comes from outside and may be hostile.
//! Each format has its own type in [`escape`], and writes text from outside only through it.

mod added_sections;
mod archive_map;
mod archive_text;
mod ascii;
mod author_words;
mod candidate_entries;
pub mod charts;
mod code;
mod criterion;
mod csv;
mod difference;
mod doctor;
mod document;
mod environment;
pub mod escape;
mod failed_call;
mod generation;
mod html;
mod in_words;
mod json;
mod junit;
mod layout;
mod legend;
mod lineage;
mod lines;
mod machine_races;
mod markdown;
mod natively;
mod opinions;
mod outcome;
mod page;
mod parameters;
mod parts;
mod ratio_rows;
mod report;
mod revised_functions;
mod revisions;
mod rounds;
mod run_cost;
mod screened_variants;
mod series;
mod side_by_side;
mod sparkline;
mod summary;
mod table;
mod tables;
mod terminal;
mod unfinished;
mod unranked_variants;
mod untimed_comparisons;

use bakeoff_run::audit::PastRun;
use std::collections::BTreeMap;

pub use archive_text::archive_map;
pub use bakeoff_domain::wording::clipped;
pub use criterion::{CriterionBenchmark, TimedSample, criterion};
pub use csv::{csv, csv_of_comparison, csv_of_kept};
pub use difference::difference;
pub use doctor::doctor;
pub use failed_call::approach_files;
pub use html::{STYLE as PAGE_STYLE, html};
pub use json::{json, json_of_comparison, written as indented_json};
pub use junit::{AskedTest, junit, junit_of_comparison, junit_of_kept};
pub use markdown::markdown;
pub use outcome::ComparisonOutcome;
pub use revised_functions::{
    RevisedFunction, RevisedNatively, RevisedTime, Revision, RevisionsReport,
};
pub use revisions::{
    answer_of_revisions, csv_of_revisions, html_of_revisions, human_of_revisions,
    json_of_revisions, junit_of_revisions, markdown_of_revisions,
};
pub use series::{
    answer_of_series, csv_of_series, html_of_series, human_of_series, json_of_series,
    junit_of_series, markdown_of_series, warnings_of_series,
};
pub use summary::summary;
pub use terminal::{answer, human};
pub use untimed_comparisons::{FileAnswer, Reproduction, UntimedComparison};

/// Use of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// No colours: plain text.
    #[default]
    Never,
    /// Headings and the answer are coloured.
    Always,
}

/// The characters that a terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charset {
    /// All characters.
    #[default]
    Unicode,
    /// ASCII: sparklines, signs and units are written with it.
    Ascii,
}

/// Options for rendering a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Columns of the terminal, clamped to 40..=160; for text only.
    pub width: usize,
    /// Colours of the terminal; for text only.
    pub colour: Colour,
    /// Characters that the terminal can show; for text only.
    pub charset: Charset,
    /// True to show the source of the best, the readings, the criteria and the environment; for text only.
    pub detail: bool,
    /// The source of each variant, by id, for code samples.
    pub sources: BTreeMap<String, String>,
    /// The folder, as Markdown links to it, with the images of [`charts::charts`] as `NAME.svg`;
    /// `None`: Markdown has the tables only.
    pub charts: Option<String>,
    /// The last runs of the same question, the oldest first; for the page and Markdown.
    pub runs: Vec<PastRun>,
    /// Warnings about the origin of the report, shown before the answer; for the page and Markdown, whose readers see
    /// no stderr beside them.
    pub warnings: Vec<String>,
}

impl Default for Options {
    /// 100 columns, no colour, all characters, no detail, no sources, no images in Markdown, no other runs, no
    /// warnings.
    fn default() -> Self {
        Self {
            width: 100,
            colour: Colour::Never,
            charset: Charset::Unicode,
            detail: false,
            sources: BTreeMap::new(),
            charts: None,
            runs: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// Largest number of characters of a failure's message. Compiler diagnostics can be long, and the
/// first ones matter most.
const MESSAGE_CHARS_MAX: usize = 4 << 10;
