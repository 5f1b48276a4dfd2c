//! `[judge]`: the model whose opinion some criteria are; and these criteria.

use super::amounts::whole;
use super::asked_model::AskedModel;
use super::error::{Finding, quoted};
use super::fields::approach::SENTENCE_CHARS_MAX;
use super::fields::criterion::{BASE, BY, COULD_MEASURE, GATE, QUESTION, RANGE, SCALE, UNIT, WHAT};
use super::fields::generate::VOTES;
use super::paths::FileRef;
use super::prose::prose;
use super::section::Section;
use bakeoff_domain::spec::{Criterion, JudgeSource, Scale, Source, WayToMeasure};
use std::ops::Range;

/// The number of votes, unless the file says otherwise: two orders of the sources, each also backwards.
const VOTES_DEFAULT: u32 = 4;

/// The scale of opinions without a unit.
pub(super) const SCORES: Scale = Scale::Linear {
    low: 0.0,
    high: 10.0,
};

/// Options of an experiment for opinions: the table `[judge]`.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeTable {
    /// The model, and what it may cost.
    pub asked: AskedModel,
    /// The number of votes on each criterion.
    pub votes: u32,
}

impl JudgeTable {
    /// Returns a text of all that decides who is asked, for the keys of kept votes. More votes, or more money, are no
    /// reason to ask again for those that there are.
    pub fn identity(&self) -> String {
        let asked = &self.asked;
        let cassette = asked.cassette.as_ref().map(|file| file.display());
        format!(
            "provider={} model={} cassette={}",
            asked.provider.name(),
            asked.model.as_deref().unwrap_or("none"),
            cassette.map_or_else(|| "none".to_owned(), |file| file.to_string())
        )
    }
}

/// Reads `[judge]`.
pub(super) fn judge(
    mut section: Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<JudgeTable> {
    let asked = AskedModel::read(&mut section, "--judge", files, found);
    let votes = whole(&mut section, &VOTES, found);
    section.close(found);
    Some(JudgeTable {
        asked: asked?,
        votes: votes.map_or(VOTES_DEFAULT, |at| at.value.unsigned_abs() as u32),
    })
}

/// Reads `question` of a criterion, which opinions have and no other source has. The name is filled in later.
pub(super) fn source(
    section: &mut Section<'_>,
    is_judge: bool,
    found: &mut Vec<Finding>,
) -> Option<Source> {
    let place = section.value_place(&QUESTION);
    let question = section.text(&QUESTION, found);
    let is_way = section.key(&COULD_MEASURE);
    let measurable = way_to_measure(section, found);
    if !is_judge {
        if let Some(place) = place.or(is_way.clone()) {
            found.push(Finding::new(
                place,
                if is_way.is_some() {
                    "`could_measure` belongs to `from = \"judge\"`"
                } else {
                    "`question` belongs to `from = \"judge\"`"
                },
                "no meaning here",
                "remove it, or write `from = \"judge\"`",
            ));
        }
        return None;
    }
    let why = "it is what the model is asked about each source";
    section.missing_field(&QUESTION, why, found);
    let question = prose(question, &QUESTION, found)?;
    if is_way.is_some() && measurable.is_none() {
        return None;
    }
    if let Some(gate) = section.key(&GATE) {
        found.push(Finding::new(
            gate,
            "an opinion has no `gate`",
            "it would eliminate variants",
            "remove it: an opinion counts in the total, and takes a rank from nobody",
        ));
    }
    if section.key(&UNIT).is_none() {
        for key in [SCALE.key, RANGE.key, BASE.key] {
            if let Some(place) = section.key(key) {
                found.push(Finding::new(
                    place,
                    format!("`{key}` cannot be set for scores"),
                    "without a unit, opinions are scores from 0 to 10",
                    "remove it, or give the `unit` of the number that the model is asked for",
                ));
            }
        }
    }
    Some(Source::Judge(JudgeSource {
        criterion: String::new(),
        question: question.value,
        measurable,
    }))
}

/// Reads `could_measure` of a criterion.
fn way_to_measure(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<WayToMeasure> {
    let mut way = section.section(&COULD_MEASURE, found)?;
    way.missing_field(&BY, "it says by which command", found);
    let by = way.choice(&BY, found);
    way.missing_field(&WHAT, "it says what would be measured", found);
    let what = way.text(&WHAT, found);
    way.close(found);
    let (by, what) = (by?.value, what?);
    let made = WayToMeasure {
        by,
        what: what.value.to_owned(),
    };
    if made.is_sound() {
        return Some(made);
    }
    found.push(Finding::new(
        what.span,
        "`what` is no line of 1 to 600 characters",
        "impossible value",
        "it stands in a command that is shown: write it in one line, without control characters",
    ));
    None
}

/// Returns a criterion under its name, which the source of an opinion has, too.
pub(super) fn named(mut criterion: Criterion, name: String) -> Criterion {
    if let Source::Judge(source) = &mut criterion.source {
        source.criterion.clone_from(&name);
    }
    Criterion { name, ..criterion }
}

/// Returns true if an opinion is within the bounds of an experiment file; so is everything that is none.
pub(super) fn is_sound(criterion: &Criterion) -> bool {
    criterion.source.judged().is_none_or(|source| {
        source.criterion == criterion.name
            && source.question.chars().nth(SENTENCE_CHARS_MAX).is_none()
            && source
                .measurable
                .as_ref()
                .is_none_or(WayToMeasure::is_sound)
            && criterion.gate.is_none()
    })
}

/// Refuses opinions without a table that says who is asked, the table without them, and opinions that alone have a
/// weight where something is measured. `table` is the span of the table, if there is one.
pub(super) fn refuse_alone(
    in_words: bool,
    criteria: &[Criterion],
    place: impl Fn(usize) -> Range<usize>,
    table: Option<Range<usize>>,
    found: &mut Vec<Finding>,
) {
    let first = criteria
        .iter()
        .position(|one| one.source.judged().is_some());
    match (first, table) {
        (Some(first), None) => found.push(Finding::new(
            place(first),
            format!(
                "the criterion {} asks a model, and nothing says which",
                quoted(&criteria[first].name)
            ),
            "there is no [judge]",
            "add a table: [judge], with `provider` and `model`",
        )),
        (None, Some(table)) => found.push(Finding::new(
            table,
            "[judge] without a criterion `from = \"judge\"` asks nothing",
            "nobody needs it",
            "add such a criterion, with a `question`, or remove [judge]",
        )),
        _ => {}
    }
    let counts = |one: &&Criterion| one.weight > 0.0;
    let mut counting = criteria.iter().filter(counts);
    if let Some(first) = first
        && !in_words
        && counting.all(|one| one.source.judged().is_some())
    {
        found.push(Finding::new(
            place(first),
            "only opinions have a weight, and an opinion puts nobody ahead",
            "nothing that is measured counts",
            "give a criterion that is measured a weight above 0",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::super::experiment::decode;

    fn findings(tail: &str) -> Vec<String> {
        let text = format!(
            "name = \"x\"\nproblem = \"y\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n[workload]\nsource = \"w.rs\"\n\
             sizes = [9]\n[[approach]]\nname = \"a\"\nsource = \"a.rs\"\n{tail}"
        );
        let found = decode(&text).found.into_iter();
        found.map(|one| one.message).collect()
    }

    const SPEED: &str = "[[criterion]]\nname = \"speed\"\nfrom = \"time\"\n";
    const EASE: &str =
        "[[criterion]]\nname = \"ease\"\nfrom = \"judge\"\nquestion = \"Is it easy?\"\n";
    const JUDGE: &str = "[judge]\nprovider = \"ollama\"\nmodel = \"m\"\n";

    #[test]
    fn an_opinion_is_asked_for_by_a_question_and_a_table() {
        assert_eq!(
            findings(&format!("{SPEED}{EASE}{JUDGE}")),
            Vec::<String>::new()
        );
        let unit = "unit = \"$/month\"\ndirection = \"lower-is-better\"\nscale = \"linear\"\nrange = [0, 99]\n";
        assert_eq!(
            findings(&format!("{SPEED}{EASE}{unit}{JUDGE}")),
            Vec::<String>::new()
        );
        for (tail, reason) in [
            (format!("{SPEED}{EASE}"), "nothing says which"),
            (format!("{SPEED}{JUDGE}"), "asks nothing"),
            (format!("{EASE}{JUDGE}"), "only opinions"),
            (format!("{SPEED}question = \"?\"\n"), "`question` belongs"),
            (
                format!("{SPEED}{EASE}gate = {{ score = {{ min = 1 }} }}\n{JUDGE}"),
                "no `gate`",
            ),
            (
                format!("{SPEED}{EASE}scale = \"ratio\"\n{JUDGE}"),
                "`scale` cannot",
            ),
            (format!("{SPEED}{EASE}unit = \"$\"\n{JUDGE}"), "`direction`"),
            (format!("{SPEED}{EASE}{JUDGE}votes = 21\n"), "`votes`"),
        ] {
            let found = findings(&tail);
            assert_eq!(found.len(), 1, "{tail}: {found:?}");
            assert!(found[0].contains(reason), "{tail}: {found:?}");
        }
    }

    #[test]
    fn case_209_a_file_names_no_program_and_no_address_of_a_judge() {
        for key in ["command = [\"sh\"]", "base_url = \"http://127.0.0.1:1/v1\""] {
            let found = findings(&format!("{SPEED}{EASE}{JUDGE}{key}\n"));
            let is_said = found.iter().any(|one| one.contains("from anybody"));
            assert!(is_said, "{found:?}");
        }
    }
}
