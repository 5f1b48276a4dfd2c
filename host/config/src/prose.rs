//! Parsing of sentences, and of what the author of an approach says of it.

use super::error::Finding;
use super::fields::approach::{CHARACTERISTICS, CONS, PROS, RATIONALE};
use super::fields::field::Field;
use super::fields::kinds::{List, Text};
use super::section::{At, Section};
use bakeoff_domain::spec::AuthorWords;

/// Returns the text of a field that is neither empty nor too long, and reports any other.
pub(super) fn prose(
    at: Option<At<&str>>,
    field: &Field<Text>,
    found: &mut Vec<Finding>,
) -> Option<At<String>> {
    prose_of(at, field.key, field.kind.0, found)
}

/// Returns a text that is neither empty nor too long, and reports any other under the name `key`.
pub(super) fn prose_of(
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
    field: &Field<Text>,
    found: &mut Vec<Finding>,
) -> Option<Option<String>> {
    match text {
        Some(_) => prose(text, field, found).map(|text| Some(text.value)),
        None => Some(None),
    }
}

/// Reads `rationale`, `characteristics`, `pros` and `cons`, each of which may be missing; `None` if one is invalid.
pub(super) fn words(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<AuthorWords> {
    let rationale = section.text(&RATIONALE, found);
    let rationale = optional(rationale, &RATIONALE, found);
    let characteristics = list(section, &CHARACTERISTICS, found);
    let pros = list(section, &PROS, found);
    let cons = list(section, &CONS, found);
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
    field: &Field<List<Text>>,
    found: &mut Vec<Finding>,
) -> Option<Vec<String>> {
    let (key, sentences_max) = (field.key, *field.kind.count.end());
    let Some(read) = section.array(field, "a list of sentences", found) else {
        return section.key(field).is_none().then(Vec::new);
    };
    if read.value.len() > sentences_max {
        found.push(Finding::new(
            read.span,
            format!("`{key}` has {} elements", read.value.len()),
            "too many",
            format!("it has up to {sentences_max} sentences: keep those that matter most"),
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
        sentences.push(prose_of(Some(sentence), key, field.kind.of.0, found)?.value);
    }
    Some(sentences)
}
