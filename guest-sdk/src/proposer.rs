//! Types for proposers: the problem, what is known, and proposals.
//!
//! A proposer is one Rust file with one function. `bakeoff generate --proposer` builds it, tells it what there
//! is, and treats what it returns as it treats what a model writes.
//!
//! ```
//! #![forbid(unsafe_code)]
//! # mod bakeoff { pub use bakeoff_guest::proposer::*; }
//! use crate::bakeoff::{Error, Proposal, Task};
//!
//! pub fn propose(task: &Task) -> Result<Vec<Proposal>, Error> {
//!     let swept = task.known.iter().filter(|one| one.parameters.is_empty());
//!     let of = |text: &str| text.contains("const CHUNK: usize = 64;").then(|| {
//!         let read = "let chunk: usize = crate::bakeoff::param::get(\"chunk\");";
//!         text.replace("const CHUNK: usize = 64;", "").replace("// chunk", read).replace("CHUNK", "chunk")
//!     });
//!     let proposals = swept.filter_map(|one| {
//!         let proposal = Proposal::new(&format!("{} swept", one.name), &of(one.source()?)?);
//!         Some(proposal.about("The same, with chunks of other sizes.").sweep("chunk", ["16", "64", "256"]))
//!     });
//!     Ok(proposals.collect())
//! }
//!
//! // The same function in a test of one's own:
//! # fn main() {
//! use crate::bakeoff::Approach;
//! let known = Approach::of_source("sum", "const CHUNK: usize = 64;\nfn f() { // chunk\n g(CHUNK) }");
//! let task = Task { known: vec![known], ..Task::default() };
//! let proposal = &propose(&task).unwrap()[0];
//! assert!(proposal.files[0].text.contains("g(chunk)"));
//! assert_eq!(proposal.parameters[0].values, ["16", "64", "256"]);
//! # }
//! ```

/// A proposer of a crate of its own. A plain file has a function with this name instead.
pub trait Proposer {
    /// Returns approaches to a problem.
    ///
    /// # Errors
    /// There are no proposals, and why.
    fn propose(task: &Task) -> Result<Vec<Proposal>, Error>;
}

/// A file by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A parameter of an approach, with the values that are tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The values, as a prototype gets them.
    pub values: Vec<String>,
}

/// The task of a proposer: all that it is told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// The problem.
    pub problem: Problem,
    /// The approaches that there are.
    pub known: Vec<Approach>,
    /// The results of their variants in the last run; empty if there was none.
    pub outcomes: Vec<Outcome>,
    /// The number of approaches that are wanted: more are dropped.
    pub count: u32,
}

/// The problem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// The question, in the user's words.
    pub statement: String,
    /// The function that is called.
    pub call: String,
    /// The signature of that function in Rust.
    pub signature: String,
    /// The interface.
    pub wit: Vec<SourceFile>,
    /// The workload, which makes the inputs and judges answers, if it is a source.
    pub workload: Option<SourceFile>,
    /// The cases that are measured.
    pub cases: Vec<String>,
}

/// An approach that there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approach {
    /// Its name.
    pub name: String,
    /// A description of its work; may be empty.
    pub description: String,
    /// Its files; none for a component that was brought.
    pub files: Vec<SourceFile>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

impl Approach {
    /// An approach with this source.
    pub fn of_source(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            files: vec![SourceFile {
                name: format!("{name}.rs"),
                text: text.to_owned(),
            }],
            ..Self::default()
        }
    }

    /// The text of its source, if it has one.
    pub fn source(&self) -> Option<&str> {
        self.files.first().map(|file| file.text.as_str())
    }
}

/// A number about a variant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The source of the number: `time`, `peak-memory`, …
    pub source: String,
    /// The number.
    pub value: f64,
    /// Its unit.
    pub unit: String,
}

/// The results of a variant in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The name of its approach.
    pub approach: String,
    /// The values of its parameters, by name.
    pub parameters: Vec<(String, String)>,
    /// The reason why it has no result, if it has none.
    pub failure: Option<String>,
    /// Its rank; 1 is best.
    pub rank: Option<u32>,
    /// The weighted mean of its scores, from 0 to 1.
    pub total: Option<f64>,
    /// Its readings.
    pub readings: Vec<Reading>,
}

impl Outcome {
    /// The value of one of its parameters.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// An approach that is proposed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposal {
    /// Its name.
    pub name: String,
    /// A description of its work, in a sentence.
    pub description: String,
    /// Its parameters. Each combination of values becomes a variant.
    pub parameters: Vec<Parameter>,
    /// Its files.
    pub files: Vec<SourceFile>,
}

impl Proposal {
    /// A proposal of one Rust file.
    pub fn new(name: &str, source: &str) -> Self {
        Self {
            name: name.to_owned(),
            files: vec![SourceFile {
                name: "prototype.rs".to_owned(),
                text: source.to_owned(),
            }],
            ..Self::default()
        }
    }

    /// Sets the description of its work, a sentence.
    #[must_use]
    pub fn about(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Adds a parameter with its values.
    #[must_use]
    pub fn sweep<V: Into<String>>(
        mut self,
        name: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.parameters.push(Parameter {
            name: name.to_owned(),
            values: values.into_iter().map(Into::into).collect(),
        });
        self
    }
}

/// The reason why there are no proposals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// Nothing can be proposed for such a problem, or nothing more.
    NothingToPropose(String),
    /// Another reason.
    Other(String),
}

/// A text is an error as it is.
impl From<String> for Error {
    fn from(text: String) -> Self {
        Self::Other(text)
    }
}

/// A text is an error as it is.
impl From<&str> for Error {
    fn from(text: &str) -> Self {
        Self::Other(text.to_owned())
    }
}

/// The reason why there is no completion. In a `propose` that returns [`Error`], `?` ends with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompletionError {
    /// No model was named; the text says how to.
    NoModel(String),
    /// The call was not made, since it could pass the budget.
    BudgetExhausted(String),
    /// The model cannot be reached.
    Unavailable(String),
    /// The model declined to answer.
    Refused(String),
    /// There was a reply, and it cannot be used.
    Unusable(String),
    /// More completions were asked for than there may be.
    TooMany(String),
    /// The prompt is longer than it may be.
    TooLarge(String),
    /// Another reason.
    Other(String),
}

/// Its text is the error.
impl From<CompletionError> for Error {
    fn from(error: CompletionError) -> Self {
        use CompletionError as E;
        let (E::NoModel(why)
        | E::BudgetExhausted(why)
        | E::Unavailable(why)
        | E::Refused(why)
        | E::Unusable(why)
        | E::TooMany(why)
        | E::TooLarge(why)
        | E::Other(why)) = error;
        Self::Other(why)
    }
}

/// Asks the model that the user named for a reply to a prompt, of at most so many tokens. Each is paid for by the
/// user, within the user's budget, and known again after an interruption.
///
/// The host asks while the component is not running, and then calls `propose` again from its beginning, on a fresh
/// instance, with what is known by then.
///
/// In a test, [`answer_with`] answers.
///
/// # Errors
/// There is no completion, and why; the proposer may go on without.
pub fn complete(prompt: &str, tokens_max: u32) -> Result<String, CompletionError> {
    #[cfg(target_arch = "wasm32")]
    return super::ask::complete(prompt, tokens_max);
    #[cfg(not(target_arch = "wasm32"))]
    ANSWER.with(|answer| (answer.borrow())(prompt, tokens_max))
}

/// The function that answers in a test.
#[cfg(not(target_arch = "wasm32"))]
type Answer = Box<dyn Fn(&str, u32) -> Result<String, CompletionError>>;

#[cfg(not(target_arch = "wasm32"))]
thread_local! {
    static ANSWER: std::cell::RefCell<Answer> = std::cell::RefCell::new(Box::new(|_, _| {
        Err(CompletionError::NoModel("there is no model in a test: `answer_with` answers".to_owned()))
    }));
}

/// Sets the function that answers in a test, from here on, for each [`complete`] on this thread.
#[cfg(not(target_arch = "wasm32"))]
pub fn answer_with(answer: impl Fn(&str, u32) -> Result<String, CompletionError> + 'static) {
    ANSWER.with(|one| *one.borrow_mut() = Box::new(answer));
}
