//! Sentences about a report, from its values only: what an engineer would say who had read all of
//! it, and never more than the verdicts carry.
//!
//! Sentences are plain text with names as they came in, shortened: whoever shows them makes them
//! inert for the place they go to.

mod advice;
mod headline;
pub mod numbers;
mod open;
mod pairs;
mod sizes;
mod speed;
mod trade_offs;
mod view;

pub use headline::headline;
pub use pairs::{pair, pair_briefly};
pub use sizes::{Crossing, crossings};
pub use view::{fastest, name, ordered_row};

use super::Report;

/// Sentences in a section, at most: what is left out is counted in the last one.
const SENTENCES_MAX: usize = 12;

/// A part of the narrative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// What it is about.
    pub title: &'static str,
    /// One statement each.
    pub sentences: Vec<String>,
}

/// Everything that is said beyond the headline, in the order of reading: when to take another one,
/// each pair, what leads in what, the sizes, how far weights may move. Empty sections are left out.
pub fn narrative(report: &Report) -> Vec<Section> {
    let trade_offs = if report.options.trade_offs {
        trade_offs::sentences(report)
    } else {
        Vec::new()
    };
    let sections = [
        ("When to take another one", advice::alternatives(report)),
        ("Pair by pair", pairs::sentences(report)),
        ("By criterion", trade_offs),
        ("By size", sizes::sentences(report)),
        ("How firm the choice is", advice::firmness(report)),
    ];
    sections
        .into_iter()
        .filter(|(_, sentences)| !sentences.is_empty())
        .map(|(title, sentences)| Section {
            title,
            sentences: capped(sentences),
        })
        .collect()
}

/// The first sentences, and how many more there were.
fn capped(mut sentences: Vec<String>) -> Vec<String> {
    if sentences.len() > SENTENCES_MAX {
        let more = sentences.len() - (SENTENCES_MAX - 1);
        sentences.truncate(SENTENCES_MAX - 1);
        sentences.push(format!("And {more} more of the kind."));
    }
    sentences
}
