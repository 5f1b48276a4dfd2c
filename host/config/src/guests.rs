//! Sections of evaluators and aggregators: a name, and `source` or `component` of the user's own code.

use super::error::{Finding, quoted};
use super::fields::field::Field;
use super::fields::guests::EVALUATOR_NAME_CHARS_MAX;
use super::fields::kinds::Slug;
use super::paths::FileRef;
use super::problem::{self, CodeFields};
use super::section::{At, Section};
use bakeoff_domain::spec::Code;
use std::ops::Range;

/// Returns true if a text can be the name of an evaluator, of a criterion that one gives, or of an aggregator.
pub fn is_evaluator_name(name: &str) -> bool {
    (1..=EVALUATOR_NAME_CHARS_MAX).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// The words of messages about one kind of section.
pub(super) struct Kind {
    /// The singular with its article: `an evaluator`.
    pub(super) one: &'static str,
    /// The plural: `evaluators`.
    pub(super) many: &'static str,
    /// The singular: `evaluator`.
    pub(super) word: &'static str,
    /// The reason why a name is needed: `criteria call it by that`.
    pub(super) why: &'static str,
    /// The field of the name.
    pub(super) name: &'static Field<Slug>,
    /// The fields of the code.
    pub(super) code: CodeFields,
}

/// Names and code of the sections, and the span of each code.
pub(super) type Guests = (Vec<(String, Code)>, Vec<Range<usize>>);

/// Reads sections of one kind; `None` if one of them is invalid.
pub(super) fn guests(
    kind: &Kind,
    sections: Vec<Section<'_>>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Guests> {
    let wanted = sections.len();
    let word = kind.word;
    let mut taken: Vec<At<&str>> = Vec::new();
    let (mut list, mut places) = (Vec::new(), Vec::new());
    for mut section in sections {
        let name = section.text(kind.name, found);
        section.missing_field(kind.name, kind.why, found);
        let code = problem::code(&mut section, kind.code, files, found);
        let place = problem::code_place(&section, kind.code);
        if place.is_none() {
            found.push(Finding::new(
                section.span.clone(),
                format!("this {word} has no code"),
                "neither `source` nor `component` here",
                format!(
                    "add a line like `source = \"{word}.rs\"` or `component = \"{word}.wasm\"`"
                ),
            ));
        }
        section.close(found);
        let name = name.filter(|name| is_free_name(kind, name, &taken, found));
        if let (Some(name), Some(code), Some(place)) = (name, code, place) {
            list.push((name.value.to_owned(), code));
            places.push(place);
            taken.push(name);
        }
    }
    (list.len() == wanted).then_some((list, places))
}

/// Returns true if a name is valid and not taken, and reports it otherwise.
fn is_free_name(
    kind: &Kind,
    name: &At<&str>,
    taken: &[At<&str>],
    found: &mut Vec<Finding>,
) -> bool {
    if !is_evaluator_name(name.value) {
        found.push(Finding::new(
            name.span.clone(),
            format!("{} cannot be called {}", kind.one, quoted(name.value)),
            "impossible value",
            format!("a name has 1 to {EVALUATOR_NAME_CHARS_MAX} of a-z, 0-9 and `-`"),
        ));
        return false;
    }
    let Some(other) = taken.iter().find(|other| other.value == name.value) else {
        return true;
    };
    found.push(
        Finding::new(
            name.span.clone(),
            format!("two {} are called {}", kind.many, quoted(name.value)),
            "the second one",
            "rename one",
        )
        .with_other(other.span.clone(), "the first one"),
    );
    false
}
