//! Templates: texts of questions to a model, with named places.
//!
//! A place is written `{{problem}}`. Each place of a kind of question has a meaning of its own, and some have to be there:
//! without them an option of the experiment would count for nothing. What is put into a place is never read as a template.

use super::error::{Finding, quoted};
use super::suggest;
use std::ops::Range;

/// The largest file of a template, in bytes.
pub const PROMPT_BYTES_MAX: u64 = 64 << 10;

/// The longest word between braces that is taken for the name of a place, in bytes.
const PLACE_BYTES_MAX: usize = 64;

/// Kind of question to a model whose text may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PromptKind {
    /// Question for what is known of the problem.
    Research,
    /// A plan of the approaches.
    Plan,
    /// Ideas of how the problem can be solved.
    Ideas,
    /// The source of one idea.
    Prototype,
    /// A source that failed, written anew.
    Repair,
    /// A source made from two others.
    Combine,
    /// A better candidate of a search.
    Improve,
}

/// A place of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptPlace {
    /// Name of the place.
    pub name: &'static str,
    /// True if a template has to have it.
    pub is_required: bool,
    /// Description of the text that is put there.
    pub about: &'static str,
}

/// A template that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptTemplate {
    text: String,
    pieces: Vec<Piece>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(Range<usize>),
    Place(&'static str),
}

const fn required(name: &'static str, about: &'static str) -> PromptPlace {
    PromptPlace {
        name,
        is_required: true,
        about,
    }
}

const fn optional(name: &'static str, about: &'static str) -> PromptPlace {
    PromptPlace {
        name,
        is_required: false,
        about,
    }
}

/// The problem of questions for sources and ideas.
const PROBLEM: PromptPlace = required(
    "problem",
    "the problem, the function, the workload, sizes or cases, and what counts",
);
const INSTRUCTIONS: PromptPlace = required(
    "instructions",
    "the texts of `instructions`; nothing without them",
);
const RULES: PromptPlace = required("rules", "the rules for a prototype, as a list");
const DEPTH: PromptPlace = required("depth", "a sentence that asks for the `depth`");

const RESEARCH: [PromptPlace; 1] = [required("problem", "the problem")];

const PLAN: [PromptPlace; 6] = [
    required("problem", "the problem"),
    required("tasks", "the tasks that a plan has, as a list"),
    required(
        "criteria",
        "what counts, or the request to say what should count",
    ),
    required(
        "fault",
        "what was wrong with a plan before; nothing at first",
    ),
    optional(
        "function",
        "a sentence on questions that no function answers; nothing in an experiment",
    ),
    optional("room", "calls at once, cores, time and budget"),
];

const IDEAS: [PromptPlace; 4] = [
    PROBLEM,
    required(
        "known",
        "the ideas that are there already; nothing without any",
    ),
    required(
        "wanted",
        "a sentence that asks for a number of ideas, by `diversity`",
    ),
    optional(
        "preference",
        "a sentence on what is preferred, by what counts",
    ),
];

const PROTOTYPE: [PromptPlace; 5] = [
    PROBLEM,
    required("idea", "the idea that is written"),
    INSTRUCTIONS,
    RULES,
    DEPTH,
];

const REPAIR: [PromptPlace; 8] = [
    PROBLEM,
    optional("idea", "the idea that is written"),
    INSTRUCTIONS,
    RULES,
    DEPTH,
    required("source", "the source that failed"),
    required(
        "fault",
        "the compiler's message, or the input with the answer or failure",
    ),
    optional(
        "earlier",
        "the faults of attempts before; nothing without any",
    ),
];

const COMBINE: [PromptPlace; 6] = [
    PROBLEM,
    required("first", "the first approach: its idea and source"),
    required("second", "the second approach: its idea and source"),
    INSTRUCTIONS,
    RULES,
    DEPTH,
];

const IMPROVE: [PromptPlace; 8] = [
    PROBLEM,
    required("learnt", "what the search has learnt, as JSON"),
    required("sources", "the sources of the best candidates"),
    INSTRUCTIONS,
    RULES,
    DEPTH,
    required("wanted", "a sentence on what is wanted, by `mix`"),
    optional(
        "candidate",
        "the number of the candidate: round 2 candidate 3",
    ),
];

impl PromptKind {
    /// Every kind, in the order in which questions are asked.
    pub const ALL: [Self; 7] = [
        Self::Research,
        Self::Plan,
        Self::Ideas,
        Self::Prototype,
        Self::Repair,
        Self::Combine,
        Self::Improve,
    ];

    /// Returns the key in `[prompts]`: `improve`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Research => "research",
            Self::Plan => "plan",
            Self::Ideas => "ideas",
            Self::Prototype => "prototype",
            Self::Repair => "repair",
            Self::Combine => "combine",
            Self::Improve => "improve",
        }
    }

    /// Returns the question in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Research => "what is known of the problem, before ideas are asked for",
            Self::Plan => "the plan of a generation in a run",
            Self::Ideas => "ideas that differ from those that there are",
            Self::Prototype => "the source of one idea",
            Self::Repair => "a source that failed, written anew",
            Self::Combine => "one source made of two",
            Self::Improve => "a better candidate of a search, or a first try beside it",
        }
    }

    /// Returns the places of its templates.
    pub fn places(self) -> &'static [PromptPlace] {
        match self {
            Self::Research => &RESEARCH,
            Self::Plan => &PLAN,
            Self::Ideas => &IDEAS,
            Self::Prototype => &PROTOTYPE,
            Self::Repair => &REPAIR,
            Self::Combine => &COMBINE,
            Self::Improve => &IMPROVE,
        }
    }
}

impl PromptTemplate {
    /// Parses the text of a template. White space at its end does not count.
    ///
    /// # Errors
    /// All findings: places that are unknown, that stand there twice, or that are missing.
    pub fn parse(kind: PromptKind, text: &str) -> Result<Self, Vec<Finding>> {
        let text = text.trim_end();
        let (mut pieces, mut found) = (Vec::new(), Vec::new());
        let mut seen: Vec<(&'static str, Range<usize>)> = Vec::new();
        let mut begin = 0;
        for (span, word) in places_in(text) {
            let known = kind.places().iter().find(|place| place.name == word);
            let Some(place) = known else {
                found.push(unknown(kind, span, word));
                continue;
            };
            if let Some((_, first)) = seen.iter().find(|(name, _)| *name == place.name) {
                let twice = Finding::new(
                    span,
                    format!("`{{{{{word}}}}}` stands there twice"),
                    "a second time",
                    "each place is filled once: remove one of them",
                );
                found.push(twice.with_other(first.clone(), "first here"));
                continue;
            }
            seen.push((place.name, span.clone()));
            pieces.push(Piece::Text(begin..span.start));
            pieces.push(Piece::Place(place.name));
            begin = span.end;
        }
        pieces.push(Piece::Text(begin..text.len()));
        // A wrong word may be one of those that are missing.
        if found.is_empty() {
            let places = kind.places().iter().filter(|place| place.is_required);
            let missing = places.filter(|place| seen.iter().all(|(name, _)| *name != place.name));
            found.extend(missing.map(|place| {
                Finding::new(
                    text.len()..text.len(),
                    format!(
                        "the template for `{}` has no `{{{{{}}}}}`",
                        kind.name(),
                        place.name
                    ),
                    "it ends here",
                    format!(
                        "write `{{{{{}}}}}` where it is to stand: {}",
                        place.name, place.about
                    ),
                )
            }));
        }
        if !found.is_empty() {
            return Err(found);
        }
        Ok(Self {
            text: text.to_owned(),
            pieces,
        })
    }

    /// Returns the text with every place filled. What is put there is not searched for places.
    pub fn fill(&self, values: &[(&str, &str)]) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(span) => &self.text[span.clone()],
            Piece::Place(name) => {
                let mut values = values.iter();
                let value = values.find(|(place, _)| place == name);
                value.map_or("", |(_, text)| *text)
            }
        });
        pieces.collect()
    }

    /// Returns the text of the template.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Returns the places in a text, in their order, each with its span and its word. Braces around anything but one word are
/// text, as in `format!("{{}}")`.
fn places_in(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + text[from..].find("{{")?;
            let inside = &text[start + 2..];
            from = start + 2;
            let Some(length) = inside.find("}}") else {
                continue;
            };
            let word = inside[..length].trim();
            let is_word = (1..=PLACE_BYTES_MAX).contains(&word.len())
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
            if is_word {
                from = start + length + 4;
                return Some((start..from, word));
            }
        }
    })
}

fn unknown(kind: PromptKind, span: Range<usize>, word: &str) -> Finding {
    let names = kind.places().iter().map(|place| place.name);
    let all: Vec<String> = names
        .clone()
        .map(|name| format!("`{{{{{name}}}}}`"))
        .collect();
    let meant = suggest::nearest(word, names);
    let meant = meant.map_or_else(String::new, |name| {
        format!("did you mean `{{{{{name}}}}}`? ")
    });
    Finding::new(
        span,
        format!(
            "the template for `{}` has no place {}",
            kind.name(),
            quoted(word)
        ),
        "not a place",
        format!("{meant}its places are {}", all.join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(kind: PromptKind, text: &str) -> Vec<Finding> {
        PromptTemplate::parse(kind, text).expect_err("it should be refused")
    }

    #[test]
    fn what_is_put_into_a_place_is_never_a_place() {
        let template = PromptTemplate::parse(
            PromptKind::Ideas,
            "A {{problem}} B {{ known }}{{wanted}} {{preference}}\n\n",
        )
        .unwrap();
        let hostile = "{{wanted}} {{known}}";
        let filled = template.fill(&[
            ("problem", hostile),
            ("known", ""),
            ("wanted", "W"),
            ("preference", "{{problem}}"),
        ]);
        assert_eq!(filled, "A {{wanted}} {{known}} B W {{problem}}");
    }

    #[test]
    fn an_unknown_place_is_named_with_those_that_there_are() {
        let text = "one\n{{problm}} {{wanted}} {{known}}";
        let found = findings(PromptKind::Ideas, text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(&text[found[0].span.clone()], "{{problm}}");
        let help = found[0].help.as_deref().unwrap();
        assert!(
            help.starts_with("did you mean `{{problem}}`?") && help.contains("`{{preference}}`"),
            "{help}"
        );
    }

    #[test]
    fn every_place_that_has_to_be_there_is_asked_for() {
        for kind in PromptKind::ALL {
            let all = |without: &str| -> String {
                let places = kind.places().iter().filter(|place| place.name != without);
                places
                    .map(|place| format!("{{{{{}}}}}\n", place.name))
                    .collect()
            };
            assert!(PromptTemplate::parse(kind, &all("")).is_ok(), "{kind:?}");
            for place in kind.places() {
                let parsed = PromptTemplate::parse(kind, &all(place.name));
                assert_eq!(parsed.is_err(), place.is_required, "{kind:?} {place:?}");
                let found = parsed.err().unwrap_or_default();
                assert!(found.iter().all(|one| one.message.contains(place.name)));
            }
        }
    }

    #[test]
    fn a_place_stands_there_once() {
        let found = findings(PromptKind::Research, "{{problem}} {{problem}}");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].span, 12..23);
        assert_eq!(found[0].other.as_ref().unwrap().0, 0..11);
    }

    #[test]
    fn braces_around_anything_but_a_word_are_text() {
        let text = "{{problem}} format!(\"{{}}\") {{ two words }} {{{{x y}} {{";
        let template = PromptTemplate::parse(PromptKind::Research, text).unwrap();
        assert_eq!(
            template.fill(&[("problem", "P")]),
            text.replace("{{problem}}", "P")
        );
        assert_eq!(template.text(), text);
    }
}
