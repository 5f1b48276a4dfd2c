//! What people and agents see of a report: text for terminals, Markdown, JSON, CSV, and one HTML
//! page that needs nothing else.
//!
//! Every name, message, description and source in a report comes from outside and may be hostile.
//! Each sink has its own type in [`inert`] that makes text harmless there, and nothing else writes
//! foreign text.

pub mod charts;
mod csv;
mod doctor;
mod html;
mod human;
pub mod inert;
mod json;
mod markdown;
mod strips;
mod tables;

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

/// How a report is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Columns of the terminal; only text is bound to it. Held to 40..=160.
    pub width: usize,
    /// Whether the terminal shows colours.
    pub colour: Colour,
    /// By variant id: the text of its source, for code samples.
    pub sources: BTreeMap<String, String>,
    /// The folder, as Markdown links to it, in which the pictures of [`charts::charts`] lie as
    /// `NAME.svg`; `None` leaves them out of Markdown, which then has their tables only.
    pub charts: Option<String>,
}

impl Default for Options {
    /// 100 columns, no colour, no sources, no pictures beside Markdown.
    fn default() -> Self {
        Self {
            width: 100,
            colour: Colour::Never,
            sources: BTreeMap::new(),
            charts: None,
        }
    }
}

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
