//! A file of cases: calls and expected answers in WAVE.
//!
//! ```toml
//! [[case]]
//! call = "top-k([3, 1, 2], 1)"
//! expect = "[3]"
//! ```
//!
//! Only the texts are read here. The interface is checked later, and [`CaseFile::wrong`] makes the errors of
//! cases that do not fit it.

use super::error::{ConfigError, Finding, Findings};
use super::experiment::syntax;
use super::section::{At, Section};
use std::ops::Range;

/// The most cases of a file.
pub const CASES_MAX: usize = 256;

/// A file of cases.
#[derive(Clone, Debug)]
pub struct CaseFile {
    /// The cases in their order, at least one. Either all or none have an expected answer.
    pub cases: Vec<Case>,
    name: String,
    text: String,
    places: Vec<CasePlaces>,
}

/// A call, with its expected answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The call in WAVE: `top-k([3, 1, 2], 1)`.
    pub call: String,
    /// The answer in WAVE: `[3]`; `None`: answers are compared with each other.
    pub expect: Option<String>,
}

/// A text of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CasePart {
    /// `call`
    Call,
    /// `expect`
    Expect,
}

#[derive(Clone, Debug)]
struct CasePlaces {
    header: Range<usize>,
    call: Range<usize>,
    expect: Option<Range<usize>>,
}

impl CaseFile {
    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Makes an error that points at a text of a case, by the case's index, for a text that the WAVE parser or the
    /// interface refuses.
    pub fn wrong(&self, case: usize, part: CasePart, message: &str, help: &str) -> ConfigError {
        let places = self.places.get(case);
        let span = places.map(|places| match part {
            CasePart::Call => places.call.clone(),
            CasePart::Expect => places.expect.clone().unwrap_or(places.header.clone()),
        });
        let finding = Finding::new(span.unwrap_or_default(), message, "here", help);
        ConfigError::Invalid(Findings::new(&self.name, &self.text, vec![finding]))
    }
}

/// Parses a text of cases. `name` is its name in messages.
///
/// # Errors
/// [`ConfigError::Invalid`]: syntax, unknown keys, no case or more than 256, a case without a
/// call, answers expected by some cases only.
pub fn parse_cases(text: &str, name: &str) -> Result<CaseFile, ConfigError> {
    let mut found = Vec::new();
    let read = match syntax(text) {
        Ok(table) => {
            let mut root = Section::new("the file", table.get_ref(), 0..0);
            root.missing("case", "it lists the calls", "[[case]]", &mut found);
            let sections = root.sections("case", CASES_MAX, &mut found);
            let read = sections
                .into_iter()
                .filter_map(|section| case(section, &mut found))
                .collect();
            root.close(&mut found);
            read
        }
        Err(wrong) => {
            found = wrong;
            Vec::new()
        }
    };
    let (cases, places): (Vec<Case>, Vec<CasePlaces>) = read.into_iter().unzip();
    refuse_mixed(&cases, &places, &mut found);
    if cases.is_empty() && found.is_empty() {
        found.push(Finding::new(
            0..0,
            "the file lists no case",
            "no `[[case]]` here",
            "begin each case with a line `[[case]]`",
        ));
    }
    if !found.is_empty() {
        return Err(ConfigError::Invalid(Findings::new(name, text, found)));
    }
    Ok(CaseFile {
        cases,
        name: name.to_owned(),
        text: text.to_owned(),
        places,
    })
}

/// Reads one case, with the places of its texts.
fn case(mut section: Section<'_>, found: &mut Vec<Finding>) -> Option<(Case, CasePlaces)> {
    let call = section.text("call", found);
    let example = "call = \"top-k([3, 1, 2], 1)\"";
    section.missing("call", "it is the input", example, found);
    let expect = section.text("expect", found);
    let header = section.span.clone();
    let expected = section.key("expect").is_some();
    section.close(found);
    let call = call?;
    if expected && expect.is_none() {
        return None;
    }
    let (expect, expect_at) = expect
        .map(|At { value, span }| (value.to_owned(), span))
        .unzip();
    let places = CasePlaces {
        header,
        call: call.span,
        expect: expect_at,
    };
    let case = Case {
        call: call.value.to_owned(),
        expect,
    };
    Some((case, places))
}

/// Refuses a file where only some cases have an expected answer: a passed check would mean different things.
fn refuse_mixed(cases: &[Case], places: &[CasePlaces], found: &mut Vec<Finding>) {
    let expecting = cases.iter().position(|case| case.expect.is_some());
    let silent = cases.iter().position(|case| case.expect.is_none());
    if let (Some(expecting), Some(silent)) = (expecting, silent) {
        found.push(
            Finding::new(
                places[silent].header.clone(),
                "some cases say what they expect, and this one does not",
                "no `expect` here",
                "give every case its `expect`; or none, and answers are compared with each other",
            )
            .with_other(places[expecting].header.clone(), "this one does"),
        );
    }
}
