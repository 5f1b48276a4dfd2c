//! Whoever answers questions for ideas and for sources: a model, or a writer of sources beside it.

use bakeoff_provider::Models;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

/// Question for a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceQuestion {
    /// Name of the approach.
    pub name: String,
    /// Number of the attempt, from 1. All after the first are repairs.
    pub attempt: u32,
    /// Text of the question.
    pub prompt: String,
}

/// Source that is being written, or the reason why there is none.
pub type FutureSource = Pin<Box<dyn Future<Output = Result<String, String>> + Send>>;

type Writer = dyn Fn(SourceQuestion) -> FutureSource + Send + Sync;

/// Writer of sources in the place of a model. What it writes is built, called and repaired like a model's.
#[derive(Clone)]
pub struct SourceWriter(Arc<Writer>);

impl SourceWriter {
    /// Makes a writer of a function.
    pub fn new(writer: impl Fn(SourceQuestion) -> FutureSource + Send + Sync + 'static) -> Self {
        Self(Arc::new(writer))
    }

    /// Has a source written; `Err` is the reason why there is none.
    pub(super) async fn write(&self, question: SourceQuestion) -> Result<String, String> {
        (self.0)(question).await
    }
}

impl fmt::Debug for SourceWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SourceWriter")
    }
}

/// Answers to the questions of a generation.
#[derive(Clone)]
pub enum Answers {
    /// A model names ideas, and writes sources.
    Model(Arc<Models>),
    /// A writer writes the sources.
    Writer {
        /// Writer of sources.
        writer: SourceWriter,
        /// Model that names ideas; `None` if all of them are named already.
        ideas: Option<Arc<Models>>,
    },
}

impl Answers {
    /// Returns the model that names ideas, if there is one.
    pub fn ideas(&self) -> Option<&Arc<Models>> {
        match self {
            Self::Model(models) => Some(models),
            Self::Writer { ideas, .. } => ideas.as_ref(),
        }
    }
}

impl From<&Arc<Models>> for Answers {
    fn from(models: &Arc<Models>) -> Self {
        Self::Model(Arc::clone(models))
    }
}

impl From<&Self> for Answers {
    fn from(answers: &Self) -> Self {
        answers.clone()
    }
}
