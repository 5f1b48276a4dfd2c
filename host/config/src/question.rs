//! Questions in words: `kind = "opinion"`. Their approaches are texts, their criteria opinions, and nothing is run.

use super::error::{Finding, quoted};
use super::fields::approach::{
    COMMAND, COMPONENT, DESCRIPTION, GRANT, INSTRUCTIONS, NAME, SOURCE, SWEEP, TEXT, WRITE,
};
use super::fields::experiment::{
    AGGREGATOR_TABLES, APPROACH_TABLES, BUILD_TABLE, EVALUATOR_TABLES, GENERATE_TABLE,
    INTERFACE_TABLE, KIND, LIMITS_TABLE, MEASURE_TABLE, PROMPTS_TABLE, ROUNDS_TABLE,
    WORKLOAD_TABLE,
};
use super::paths::{self, FileKind, FileRef};
use super::problem::{ApproachPlace, Approaches, refuse_duplicate};
use super::prose::{optional, prose, words};
use super::section::{At, Section};
use bakeoff_domain::report::{APPROACH_TEXT_BYTES_MAX, JUDGED_SOURCES_MAX};
use bakeoff_domain::spec::{Approach, ApproachText, Code, Criterion, Experiment};
use std::ops::Range;

/// The tables of an experiment that is run.
const RUN_TABLES: [&str; 10] = [
    INTERFACE_TABLE.key,
    WORKLOAD_TABLE.key,
    LIMITS_TABLE.key,
    MEASURE_TABLE.key,
    EVALUATOR_TABLES.key,
    AGGREGATOR_TABLES.key,
    BUILD_TABLE.key,
    GENERATE_TABLE.key,
    PROMPTS_TABLE.key,
    ROUNDS_TABLE.key,
];

/// The keys of an approach that is run.
const RUN_KEYS: [&str; 7] = [
    SOURCE.key,
    COMPONENT.key,
    COMMAND.key,
    WRITE.key,
    INSTRUCTIONS.key,
    GRANT.key,
    SWEEP.key,
];

/// Reads `kind`. Returns true for a question in words, and `None` if it is wrong: what else the file must have is not known
/// then.
pub(super) fn is_in_words(root: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<bool> {
    if root.key(&KIND).is_none() {
        return Some(root.choice(&KIND, found).is_some());
    }
    root.choice(&KIND, found).map(|kind| kind.value)
}

/// Refuses the tables of an experiment that is run.
pub(super) fn refuse_run_tables(root: &mut Section<'_>, found: &mut Vec<Finding>) {
    for table in RUN_TABLES {
        if let Some(place) = root.pass_over(table) {
            found.push(Finding::new(
                place,
                format!("`{table}` has no meaning in a question in words"),
                "nothing is run here",
                "remove it; or, to measure approaches, remove `kind = \"opinion\"`",
            ));
        }
    }
}

/// Reads all `[[approach]]` of a question in words; `None` if one of them is invalid. The texts of files are read
/// when all is known to be valid.
pub(super) fn approaches(
    root: &mut Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Approaches> {
    let sections = root.sections(&APPROACH_TABLES, JUDGED_SOURCES_MAX, found);
    let wanted = sections.len();
    let mut taken: Vec<At<String>> = Vec::new();
    let (mut list, mut places) = (Vec::new(), Vec::new());
    for mut section in sections {
        let name = section.text(&NAME, found);
        section.missing(NAME.key, "reports call it by that", "name = \"cdn\"", found);
        let description = section.text(&DESCRIPTION, found);
        let place = section.value_place(&TEXT);
        let place = place.or_else(|| section.value_place(&DESCRIPTION));
        let place = place.unwrap_or(section.span.clone());
        let named = section.text(&TEXT, found);
        let file = match named {
            Some(named) => paths::relative(&named, FileKind::Told, found).map(Some),
            None => Some(None),
        };
        for key in RUN_KEYS {
            if let Some(place) = section.pass_over(key) {
                found.push(Finding::new(
                    place,
                    format!("`{key}` has no meaning in a question in words"),
                    "nothing is run here",
                    "say what the approach is in its `description`, or in a file: `text = \"approaches/cdn.md\"`",
                ));
            }
        }
        if section.key(&TEXT).is_none() && section.key(&DESCRIPTION).is_none() {
            found.push(Finding::new(
                section.span.clone(),
                "nothing says what this approach is",
                "neither `description` nor `text` here",
                "add `description = \"…\"`, or a file with more: `text = \"approaches/cdn.md\"`",
            ));
        }
        let words = words(&mut section, found);
        section.close(found);
        let name = prose(name, &NAME, found);
        let description = optional(description, &DESCRIPTION, found);
        if let Some(name) = &name {
            refuse_duplicate(&mut taken, name, found);
        }
        if let (Some(name), Some(description), Some(file), Some(words)) =
            (name, description, file, words)
        {
            let code = match file {
                Some(file) => {
                    files.push(file.clone());
                    ApproachText {
                        file: file.path,
                        text: String::new(),
                    }
                }
                None => ApproachText {
                    text: description.clone().unwrap_or_default(),
                    ..ApproachText::default()
                },
            };
            list.push(Approach {
                name: name.value,
                description,
                code: Code::Text(code),
                grants: Vec::new(),
                sweep: Vec::new(),
                words,
            });
            places.push(ApproachPlace {
                code: place,
                grants: Vec::new(),
            });
        }
    }
    (list.len() == wanted).then_some(Approaches {
        list,
        places,
        wished: Vec::new(),
    })
}

/// Refuses criteria that are measured, in a question in words; and ways to measure opinions, everywhere else.
pub(super) fn refuse_criteria(
    in_words: bool,
    criteria: &[Criterion],
    place: impl Fn(usize) -> Range<usize>,
    found: &mut Vec<Finding>,
) {
    for (index, criterion) in criteria.iter().enumerate() {
        let opinion = criterion.source.judged();
        let name = quoted(&criterion.name);
        if in_words && opinion.is_none() {
            found.push(Finding::new(
                place(index),
                format!("the criterion {name} is measured, and nothing of a question in words is"),
                "no opinion",
                "write `from = \"judge\"` with a `question`, and say with `could_measure` how it could be measured",
            ));
        }
        if !in_words && opinion.is_some_and(|one| one.measurable.is_some()) {
            found.push(Finding::new(
                place(index),
                format!("`could_measure` of the criterion {name} belongs to a question in words"),
                "no meaning here",
                "remove it: what can be measured here is a criterion of its own",
            ));
        }
    }
}

/// Returns true if a decoded experiment is either one in words as a whole, or not at all.
pub(super) fn is_sound(experiment: &Experiment) -> bool {
    let in_words = experiment.is_in_words();
    let approaches = experiment.approaches.iter();
    let mut texts = approaches.map(|one| one.code.words());
    let are_texts = texts.all(|text| match text {
        Some(text) => in_words && text.len() <= APPROACH_TEXT_BYTES_MAX,
        None => !in_words,
    });
    let mut criteria = experiment.criteria.iter();
    let are_opinions = criteria.all(|one| one.source.judged().is_some());
    let guests = experiment.evaluators.len() + experiment.aggregators.len();
    let is_short = experiment.approaches.len() <= JUDGED_SOURCES_MAX;
    are_texts && (!in_words || (are_opinions && guests == 0 && is_short))
}

#[cfg(test)]
mod tests {
    use super::super::experiment::decode;
    use super::*;

    const HEAD: &str = "name = \"x\"\nproblem = \"y\"\nkind = \"opinion\"\n";
    const APPROACH: &str = "[[approach]]\nname = \"a\"\ndescription = \"b\"\n";
    const JUDGE: &str = "[judge]\nprovider = \"ollama\"\nmodel = \"m\"\n";
    const EASE: &str =
        "[[criterion]]\nname = \"ease\"\nfrom = \"judge\"\nquestion = \"Is it easy?\"\n";

    fn findings(text: &str) -> Vec<String> {
        let found = decode(text).found.into_iter();
        found.map(|one| one.message).collect()
    }

    #[test]
    fn a_question_in_words_has_texts_and_opinions() {
        let way = "could_measure = { by = \"time\", what = \"requests\" }\n";
        let text = format!("{HEAD}{APPROACH}{JUDGE}{EASE}{way}");
        let decoded = decode(&text);
        assert_eq!(decoded.found, []);
        let experiment = decoded.experiment.unwrap();
        assert!(experiment.is_in_words());
        assert_eq!(experiment.approaches[0].code.words(), Some("b"));
        let source = experiment.criteria[0].source.judged().unwrap();
        assert_eq!(source.measurable.as_ref().unwrap().what, "requests");
    }

    #[test]
    fn case_224_an_experiment_that_was_sent_is_in_words_as_a_whole_or_not_at_all() {
        let text = format!("{HEAD}{APPROACH}{JUDGE}{EASE}");
        let experiment = decode(&text).experiment.unwrap();
        crate::within_bounds(&experiment).unwrap();
        let mut mixed = experiment.clone();
        mixed.workload.inputs = bakeoff_domain::spec::Inputs::Cases("c.toml".into());
        assert!(crate::within_bounds(&mixed).is_err());
        let mut mixed = experiment.clone();
        mixed.criteria = crate::default_criteria();
        assert!(crate::within_bounds(&mixed).is_err());
        let mut long = experiment;
        if let Code::Text(words) = &mut long.approaches[0].code {
            words.text = "x".repeat(1 << 20);
        }
        assert!(crate::within_bounds(&long).is_err());
    }

    #[test]
    fn of_a_wrong_kind_nothing_else_is_said() {
        for kind in ["\"opinions\"", "7"] {
            let text =
                format!("name = \"x\"\nproblem = \"y\"\nkind = {kind}\n{APPROACH}{JUDGE}{EASE}");
            let found = findings(&text);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with("`kind` "), "{found:?}");
        }
    }

    #[test]
    fn what_is_run_has_no_place_in_it() {
        let way = "could_measure = { by = \"time\", what = \"requests\" }\n";
        let interface = "[interface]\nwit = \"wit\"\ncall = \"f\"\n";
        let speed = "[[criterion]]\nname = \"speed\"\nfrom = \"time\"\n";
        let hostile = "could_measure = { by = \"time\", what = \"a\\u001b[2J\" }\n";
        for (text, reason) in [
            (
                format!("{HEAD}{APPROACH}{JUDGE}{EASE}{interface}"),
                "`interface` has no meaning",
            ),
            (
                format!("{HEAD}{APPROACH}source = \"a.rs\"\n{JUDGE}{EASE}"),
                "`source` has no meaning",
            ),
            (
                format!("{HEAD}{APPROACH}{JUDGE}{EASE}{speed}"),
                "`speed` is measured",
            ),
            (format!("{HEAD}{APPROACH}{EASE}"), "nothing says which"),
            (format!("{HEAD}{APPROACH}{JUDGE}"), "`criterion` is missing"),
            (
                format!("{HEAD}[[approach]]\nname = \"a\"\n{JUDGE}{EASE}"),
                "nothing says what",
            ),
            (
                format!("{HEAD}{APPROACH}text = \"../b.md\"\n{JUDGE}{EASE}"),
                "leaves",
            ),
            (
                format!("{HEAD}{APPROACH}{JUDGE}{EASE}{hostile}"),
                "no line of",
            ),
            (
                format!("name = \"x\"\nproblem = \"y\"\nkind = \"vote\"\n{APPROACH}"),
                "vote",
            ),
        ] {
            let found = findings(&text);
            let is_said = found.iter().any(|one| one.contains(reason));
            assert!(is_said, "{text}: {found:?}");
        }
        let run = format!(
            "name = \"x\"\nproblem = \"y\"\n{interface}[workload]\nsource = \"w.rs\"\nsizes = [9]\n[[approach]]\n\
             name = \"a\"\nsource = \"a.rs\"\n"
        );
        for (text, reason) in [
            (format!("{run}text = \"a.md\"\n"), "`text` belongs"),
            (
                format!("{run}{JUDGE}{speed}{EASE}{way}"),
                "`could_measure` of",
            ),
        ] {
            let found = findings(&text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].contains(reason), "{found:?}");
        }
    }
}
