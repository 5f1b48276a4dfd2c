//! Parsing of `[[evaluator]]`, and of criteria that take their readings from evaluators.

use super::error::{Finding, quoted};
use super::fields::guests::{EVALUATOR_COMPONENT, EVALUATOR_NAME, EVALUATOR_SOURCE};
use super::guests::{self, is_evaluator_name};
use super::paths::FileRef;
use super::section::Section;
use super::suggest;
use bakeoff_domain::spec::{Evaluator, EvaluatorSource, Experiment};
use std::ops::Range;

/// Reads all `[[evaluator]]`, each with the span of its code; `None` if one of them is invalid.
pub(super) fn evaluators(
    sections: Vec<Section<'_>>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<(Vec<Evaluator>, Vec<Range<usize>>)> {
    let kind = guests::Kind {
        one: "an evaluator",
        many: "evaluators",
        word: "evaluator",
        why: "criteria call it by that",
        name: &EVALUATOR_NAME,
        code: (&EVALUATOR_SOURCE, &EVALUATOR_COMPONENT),
    };
    let (guests, places) = guests::guests(&kind, sections, files, found)?;
    let evaluator = |(name, code)| Evaluator {
        name,
        code,
        criteria: Vec::new(),
    };
    Some((guests.into_iter().map(evaluator).collect(), places))
}

/// Reads the text after `evaluator:` in `from`: `CRITERION` or `EVALUATOR.CRITERION`.
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
