//! Errors of values in JSON, with their places.

use std::borrow::Cow;

/// The most characters of a text that an error quotes.
const QUOTED_MAX: usize = 60;

/// A value that cannot be written as JSON, or a line that is not the answer of a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueJsonError {
    /// A line that is not JSON.
    #[error("not JSON: {0}")]
    Syntax(String),
    /// JSON, but not of the type of the answer.
    #[error("the answer{}: {what}", at(.place))]
    Answer {
        /// The place in the answer, `[3].name`; empty for the answer itself.
        place: String,
        /// The fault in words.
        what: String,
    },
    /// A type that has no form in JSON.
    #[error("{owner} is or holds {ty}, which has no form in JSON")]
    NoForm {
        /// The owner of the type: `argument 2`.
        owner: String,
        /// The type in words: `a resource`.
        ty: &'static str,
    },
    /// More or fewer arguments than the function takes.
    #[error("{given} arguments for a function that takes {wanted}")]
    Count {
        /// The number of arguments.
        given: usize,
        /// The number of parameters.
        wanted: usize,
    },
    /// An argument that does not have the type of its parameter.
    #[error("argument {number}: {what}")]
    Argument {
        /// The number of the argument, from 1.
        number: usize,
        /// The fault in words.
        what: String,
    },
}

/// A fault of an answer. It learns its place on the way out of the value.
#[derive(Debug)]
pub(super) struct Fault {
    /// The steps to the place, the last one first.
    steps: Vec<String>,
    what: String,
}

impl Fault {
    pub(super) fn new(what: String) -> Self {
        let steps = Vec::new();
        Self { steps, what }
    }

    /// Another value than the one that is wanted; `found` is its text.
    pub(super) fn expected(wanted: &str, found: &str) -> Self {
        Self::new(format!("expected {wanted}, found {}", shortened(found)))
    }

    /// The same fault, in an element of an array.
    pub(super) fn in_element(mut self, index: usize) -> Self {
        self.steps.push(format!("[{index}]"));
        self
    }

    /// The same fault, in a field of an object.
    pub(super) fn in_field(mut self, name: &str) -> Self {
        self.steps.push(format!(".{name}"));
        self
    }

    /// The error of an answer that has this fault.
    pub(super) fn of_answer(self) -> ValueJsonError {
        ValueJsonError::Answer {
            place: self.steps.into_iter().rev().collect(),
            what: self.what,
        }
    }
}

fn at(place: &str) -> String {
    if place.is_empty() {
        return String::new();
    }
    format!(" at {place}")
}

/// Cuts a text to [`QUOTED_MAX`] characters.
pub(super) fn shortened(text: &str) -> Cow<'_, str> {
    if text.chars().nth(QUOTED_MAX).is_none() {
        return Cow::Borrowed(text);
    }
    let first: String = text.chars().take(QUOTED_MAX - 1).collect();
    Cow::Owned(format!("{first}…"))
}
