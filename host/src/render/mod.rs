//! What people and agents see of a report: text for terminals, Markdown, JSON, CSV, and one HTML
//! page that needs nothing else.
//!
//! Every name, message, description and source in a report comes from outside and may be hostile.
//! Each sink has its own type in [`inert`] that makes text harmless there, and nothing else writes
//! foreign text.

mod ascii;
pub mod charts;
mod csv;
mod doctor;
mod html;
mod human;
pub mod inert;
mod json;
mod layout;
mod markdown;
mod strips;
mod tables;

use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{Report, Variant};
use std::collections::BTreeMap;

pub use csv::csv;
pub use doctor::doctor;
pub use html::html;
pub use human::human;
pub use json::json;
pub use markdown::markdown;

/// Whether escape sequences may be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    #[default]
    Never,
    /// Headings and the answer stand out by colour.
    Always,
}

/// Which signs a terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signs {
    /// All of them.
    #[default]
    Unicode,
    /// ASCII: strips, signs and units are written with it.
    Ascii,
}

/// How a report is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Columns of the terminal; only text is bound to it. Held to 40..=160.
    pub width: usize,
    /// Whether the terminal shows colours.
    pub colour: Colour,
    /// Which signs the terminal can show; only text is bound to it.
    pub signs: Signs,
    /// By variant id: the text of its source, for code samples.
    pub sources: BTreeMap<String, String>,
    /// The folder, as Markdown links to it, in which the pictures of [`charts::charts`] lie as
    /// `NAME.svg`; `None` leaves them out of Markdown, which then has their tables only.
    pub charts: Option<String>,
}

impl Default for Options {
    /// 100 columns, no colour, all signs, no sources, no pictures beside Markdown.
    fn default() -> Self {
        Self {
            width: 100,
            colour: Colour::Never,
            signs: Signs::Unicode,
            sources: BTreeMap::new(),
            charts: None,
        }
    }
}

/// The source of a variant, as both Markdown and HTML show it.
struct Sample<'a> {
    variant: &'a Variant,
    /// `heap (12 lines)`.
    title: String,
    /// The idea, if one was given.
    description: Option<String>,
    /// Its beginning.
    source: String,
}

/// The sources that are at hand, in the order of the variants.
fn samples<'a>(report: &'a Report, options: &Options) -> Vec<Sample<'a>> {
    let sample = |variant: &'a Variant| {
        let source = options.sources.get(&variant.id)?;
        let name = words::name(report, &variant.id);
        let lines = numbers::count(source.lines().count() as u64);
        let description = variant.description.as_ref();
        Some(Sample {
            variant,
            title: format!("{name} ({lines} lines)"),
            description: description.map(|text| clipped(text, DESCRIPTION_CHARS_MAX)),
            source: clipped(source, SOURCE_CHARS_MAX),
        })
    };
    report.variants.iter().filter_map(sample).collect()
}

/// Characters of a description that are shown, at most.
const DESCRIPTION_CHARS_MAX: usize = 2_000;

/// Characters of a source that are shown, at most.
const SOURCE_CHARS_MAX: usize = 16 << 10;

/// Characters of a failure's message that are shown, at most. Diagnostics of compilers are long,
/// and their beginning says most.
const MESSAGE_CHARS_MAX: usize = 4 << 10;

/// The beginning of a text, with a sign if there was more.
fn clipped(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
