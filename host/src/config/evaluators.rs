//! `[[evaluator]]`, and criteria from what evaluators give.

use super::error::{Finding, quoted};
use super::paths::FileRef;
use super::problem;
use super::section::{At, Section};
use super::suggest;
use bakeoff_domain::spec::{Evaluator, EvaluatorSource, Experiment};
use std::ops::Range;

/// The most evaluators of an experiment.
pub const EVALUATORS_MAX: usize = 16;
/// The most characters of the name of an evaluator or of one of its criteria.
pub const EVALUATOR_NAME_CHARS_MAX: usize = 64;

/// Returns true if a text can be the name of an evaluator or of a criterion that one gives.
pub fn is_evaluator_name(name: &str) -> bool {
    (1..=EVALUATOR_NAME_CHARS_MAX).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// All `[[evaluator]]`, each with the span of its code.
pub(super) fn evaluators(
    sections: Vec<Section<'_>>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<(Vec<Evaluator>, Vec<Range<usize>>)> {
    let wanted = sections.len();
    let mut taken: Vec<At<&str>> = Vec::new();
    let (mut list, mut places) = (Vec::new(), Vec::new());
    for mut section in sections {
        let name = section.text("name", found);
        let why = "criteria call it by that";
        section.missing("name", why, "name = \"source-size\"", found);
        let code = problem::code(&mut section, files, found);
        let place = section.key("source").or_else(|| section.key("component"));
        if place.is_none() {
            found.push(Finding::new(
                section.span.clone(),
                "this evaluator has no code",
                "neither `source` nor `component` here",
                "add a line like `source = \"evaluator.rs\"` or `component = \"evaluator.wasm\"`",
            ));
        }
        section.close(found);
        let name = name.filter(|name| is_free_name(name, &taken, found));
        if let (Some(name), Some(code), Some(place)) = (name, code, place) {
            list.push(Evaluator {
                name: name.value.to_owned(),
                code,
                criteria: Vec::new(),
            });
            places.push(place);
            taken.push(name);
        }
    }
    (list.len() == wanted).then_some((list, places))
}

/// Returns true if an evaluator may have this name, and no other has it.
fn is_free_name(name: &At<&str>, taken: &[At<&str>], found: &mut Vec<Finding>) -> bool {
    if !is_evaluator_name(name.value) {
        found.push(Finding::new(
            name.span.clone(),
            format!("an evaluator cannot be called {}", quoted(name.value)),
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
            format!("two evaluators are called {}", quoted(name.value)),
            "the second one",
            "rename one",
        )
        .with_other(other.span.clone(), "the first one"),
    );
    false
}

/// What follows `evaluator:` in `from`: `CRITERION` or `EVALUATOR.CRITERION`.
pub(super) fn source(
    text: &str,
    span: &Range<usize>,
    found: &mut Vec<Finding>,
) -> Option<EvaluatorSource> {
    let (evaluator, criterion) = text.split_once('.').unwrap_or(("", text));
    let is_source =
        is_evaluator_name(criterion) && (evaluator.is_empty() || is_evaluator_name(evaluator));
    if is_source && !text.starts_with('.') {
        return Some(EvaluatorSource {
            evaluator: evaluator.to_owned(),
            criterion: criterion.to_owned(),
            exact: false,
        });
    }
    found.push(Finding::new(
        span.clone(),
        format!("no criterion of an evaluator is called {}", quoted(text)),
        "not a name",
        "write `evaluator:CRITERION`, or `evaluator:EVALUATOR.CRITERION` where two evaluators give it",
    ));
    None
}

/// Refuses criteria from evaluators that the file does not declare.
pub(super) fn refuse_undeclared(
    experiment: &Experiment,
    place: impl Fn(usize) -> Range<usize>,
    found: &mut Vec<Finding>,
) {
    let names = || experiment.evaluators.iter().map(|one| one.name.as_str());
    for (index, criterion) in experiment.criteria.iter().enumerate() {
        let Some(source) = criterion.source.evaluated() else {
            continue;
        };
        let wanted = source.evaluator.as_str();
        if wanted.is_empty() && experiment.evaluators.is_empty() {
            found.push(Finding::new(
                place(index),
                format!(
                    "the criterion {} needs an evaluator",
                    quoted(&criterion.name)
                ),
                "the file declares none",
                "add a section `[[evaluator]]` with `name` and `source` or `component`",
            ));
        } else if !wanted.is_empty() && !names().any(|name| name == wanted) {
            let help = match suggest::nearest(wanted, names()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("add a section `[[evaluator]]` with `name = \"{wanted}\"`"),
            };
            found.push(Finding::new(
                place(index),
                format!("no evaluator is called {}", quoted(wanted)),
                "the file declares no such one",
                help,
            ));
        }
    }
}
