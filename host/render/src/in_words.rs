//! The parts of a report that only a question in words has: what could be measured instead of asking for opinions, and the
//! texts that were judged. All of it is text from outside.

use super::clipped;
use super::document::{Block, Heading, Text};
use bakeoff_domain::report::Report;
use bakeoff_domain::report::words::{self, MEASURABLE};

/// The most characters of a sentence: what would be measured, and the command.
const SENTENCE_CHARS_MAX: usize = 2_000;

/// Returns the section of what could be measured; nothing if something was.
pub(super) fn measurable(report: &Report) -> Vec<Block> {
    let sentences = sentences(report).into_iter();
    let sentences: Vec<Text> = sentences.map(Text::outside).collect();
    if sentences.is_empty() {
        return Vec::new();
    }
    vec![
        Block::Heading(Heading::new(MEASURABLE)),
        Block::List(sentences),
    ]
}

/// Returns a sentence for each criterion that could be measured, and one for the others.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let sentences = report.in_words.iter().flat_map(words::measurable);
    sentences
        .map(|text| clipped(&text, SENTENCE_CHARS_MAX))
        .collect()
}

/// Returns the texts, each in a section of its own, in the order of the variants. A terminal has them where details are
/// asked for.
pub(super) fn texts(report: &Report) -> Vec<Block> {
    let texts = report.in_words.as_ref().map(|words| &words.texts);
    let Some(texts) = texts.filter(|_| report.options.code_samples) else {
        return Vec::new();
    };
    let shown = report.variants.iter().filter_map(|variant| {
        let text = texts.get(&variant.id)?;
        let title = format!("{}, in words", words::name(report, &variant.id));
        let mut heading = Heading::new("");
        heading.title = Text::outside(title.clone());
        heading.in_terminal = Some(Text::outside(title));
        heading.is_detail = true;
        Some([Block::Heading(heading), Block::Words(text.clone())])
    });
    shown.flatten().collect()
}
