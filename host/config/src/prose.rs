//! Parsing of sentences, and of what the author of an approach says of it.

use super::error::Finding;
use super::section::{At, Section};
use bakeoff_domain::spec::AuthorWords;

/// The most characters of a sentence of an author.
pub(super) const SENTENCE_CHARS_MAX: usize = 600;
/// The most sentences of a list.
pub(super) const SENTENCES_MAX: usize = 8;

/// Returns a text that is neither empty nor too long, and reports any other.
pub(super) fn prose(
    at: Option<At<&str>>,
    key: &str,
    chars_max: usize,
    found: &mut Vec<Finding>,
) -> Option<At<String>> {
    let at = at?;
    let chars = at.value.chars().count();
    let wrong = if at.value.trim().is_empty() {
        "is empty".to_owned()
    } else if chars > chars_max {
        format!("has {chars} characters")
    } else {
        return Some(At {
            value: at.value.to_owned(),
            span: at.span,
        });
    };
    found.push(Finding::new(
        at.span,
        format!("`{key}` {wrong}"),
        "impossible value",
        format!("it has 1 to {chars_max} characters"),
    ));
    None
}

/// Checks a text that may be missing as [`prose`] does; `None` if it is invalid.
pub(super) fn optional(
    text: Option<At<&str>>,
    key: &str,
    chars_max: usize,
    found: &mut Vec<Finding>,
) -> Option<Option<String>> {
    match text {
        Some(_) => prose(text, key, chars_max, found).map(|text| Some(text.value)),
        None => Some(None),
    }
}

/// Reads `rationale`, `characteristics`, `pros` and `cons`, each of which may be missing; `None` if one is invalid.
pub(super) fn words(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<AuthorWords> {
    let rationale = section.text("rationale", found);
    let rationale = optional(rationale, "rationale", SENTENCE_CHARS_MAX, found);
    let characteristics = list(section, "characteristics", found);
    let pros = list(section, "pros", found);
    let cons = list(section, "cons", found);
    Some(AuthorWords {
        rationale: rationale?,
        characteristics: characteristics?,
        pros: pros?,
        cons: cons?,
    })
}

/// Reads a list of sentences.
fn list(
    section: &mut Section<'_>,
    key: &'static str,
    found: &mut Vec<Finding>,
) -> Option<Vec<String>> {
    let Some(read) = section.array(key, "a list of sentences", found) else {
        return section.key(key).is_none().then(Vec::new);
    };
    if read.value.len() > SENTENCES_MAX {
        found.push(Finding::new(
            read.span,
            format!("`{key}` has {} elements", read.value.len()),
            "too many",
            format!("it has up to {SENTENCES_MAX} sentences: keep those that matter most"),
        ));
        return None;
    }
    let mut sentences = Vec::new();
    for one in read.value {
        let Some(value) = one.value.as_str() else {
            found.push(Finding::new(
                one.span,
                format!("`{key}` has an element that is no text"),
                "this is not a sentence",
                "it is a sentence, in quotes",
            ));
            return None;
        };
        let sentence = At {
            value,
            span: one.span,
        };
        sentences.push(prose(Some(sentence), key, SENTENCE_CHARS_MAX, found)?.value);
    }
    Some(sentences)
}
