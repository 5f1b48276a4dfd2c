//! Sentences about a report, from its values only: never more than the verdicts say.
//!
//! Sentences are plain text with foreign names in them, shortened but not escaped: each renderer
//! escapes them for its format.

mod advice;
mod digits;
#[cfg(test)]
pub(super) mod fixture;
mod headline;
mod in_words;
mod machine_races;
mod natively;
mod notes;
pub mod numbers;
mod open;
mod opinions;
mod pairs;
mod readings;
mod score_rows;
mod sizes;
mod speed;
mod texts;
mod too_short;
mod trade_offs;
mod untimed;
mod view;

pub use digits::{score_decimals, source_digits, total_decimals};
pub use headline::headline;
pub use in_words::{MEASURABLE, measurable};
pub use machine_races::{MACHINES_NOTE, machine_title, machines, pairs_on};
pub use natively::{NATIVELY_NOTE, native_pair, natively, natively_otherwise};
pub use notes::NoteList;
pub use opinions::{OPINION, column_name, number as opinion_number};
pub use pairs::{pair, pair_short};
pub use score_rows::{NO_VALUE, rank, score_rows};
pub use sizes::{Crossover, crossovers};
pub use speed::{difference, estimate, pair_brief, span};
pub(crate) use view::joined;
pub use view::{
    ShownStanding, about_first, capitalised, listed, name, ordered_row, reference, variant_name,
    variant_names,
};

use super::Report;

/// The largest number of sentences in a section; the last one counts those left out.
const SENTENCES_MAX: usize = 12;

/// A section of the narrative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The heading.
    pub title: &'static str,
    /// Sentences of the section.
    pub sentences: Vec<String>,
}

/// All sections after the headline: alternatives, pairs, criteria, sizes and robustness. Empty ones
/// are left out.
pub fn narrative(report: &Report) -> Vec<Section> {
    // Of one criterion the chart says the same.
    let has_several_criteria = report.criteria.len() > 1;
    let robustness = if has_several_criteria {
        advice::robustness(report)
    } else {
        Vec::new()
    };
    let trade_offs = if report.options.trade_offs && has_several_criteria {
        trade_offs::sentences(report)
    } else {
        Vec::new()
    };
    let alternatives = match &report.in_words {
        Some(_) => in_words::alternatives(report),
        None => advice::alternatives(report),
    };
    let sections = [
        ("When to take another variant", alternatives),
        ("By pair", pairs::sentences(report)),
        ("By criterion", trade_offs),
        ("By size", sizes::sentences(report)),
        ("Robustness of the choice", robustness),
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

/// Sentences that say when to take another variant than the one that is recommended.
pub fn alternatives(report: &Report) -> Vec<String> {
    capped(advice::alternatives(report))
}

/// Sentences about the change of weights that another winner takes, and about the bootstrap share
/// of the winner.
pub fn robustness(report: &Report) -> Vec<String> {
    capped(advice::robustness(report))
}

/// The first sentences, and the number of those left out.
fn capped(mut sentences: Vec<String>) -> Vec<String> {
    if sentences.len() > SENTENCES_MAX {
        let more = sentences.len() - (SENTENCES_MAX - 1);
        sentences.truncate(SENTENCES_MAX - 1);
        sentences.push(format!("{more} more."));
    }
    sentences
}
