//! Words of the authors of approaches, set off from all that was measured.

use super::clipped;
use super::document::Entry;
use bakeoff_domain::report::Report;
use bakeoff_domain::spec::AuthorWords;

/// The heading of the section.
pub(super) const HEADING: &str = "As its author says: nobody tried whether it is so";

/// The most approaches that are shown.
const APPROACHES_MAX: usize = 12;

/// The most characters of a sentence that are shown.
const SENTENCE_CHARS_MAX: usize = 300;

/// Returns what is said of each approach, in the order of the report's variants.
pub(super) fn entries(report: &Report) -> Vec<Entry> {
    let mut shown: Vec<&str> = Vec::new();
    for variant in &report.variants {
        if !shown.contains(&variant.approach.as_str()) {
            shown.push(&variant.approach);
        }
    }
    let said = shown.into_iter().filter_map(|approach| {
        let words = report.author_words.get(approach)?;
        Some(Entry {
            name: approach.to_owned(),
            status: String::new(),
            text: text(words),
            note: None,
        })
    });
    said.filter(|entry| !entry.text.is_empty())
        .take(APPROACHES_MAX)
        .collect()
}

fn text(words: &AuthorWords) -> String {
    let said = |text: &String| clipped(text, SENTENCE_CHARS_MAX);
    let mut lines: Vec<String> = words.rationale.iter().map(said).collect();
    let lists = [
        ("Characteristics", &words.characteristics),
        ("For it", &words.pros),
        ("Against it", &words.cons),
    ];
    for (title, sentences) in lists {
        if !sentences.is_empty() {
            let sentences: Vec<String> = sentences.iter().map(said).collect();
            lines.push(format!("{title}: {}", sentences.join("; ")));
        }
    }
    lines.join("\n")
}
