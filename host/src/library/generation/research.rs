//! The question of what is known of a problem. It is asked once for a folder: the answer is kept in the record beside the
//! experiment, with this user's seal.

use super::error::GenerationError;
use super::record::{keep_research, kept_research};
use bakeoff_config::{PromptKind, Prompts};
use bakeoff_propose::research;
use bakeoff_provider::{AskError, Models};
use bakeoff_source::content_address;
use std::path::Path;

/// Returns true if the record beside an experiment has no answer on this problem, as a model is told of it.
pub(crate) fn is_open(dir: &Path, told: &str, prompts: &Prompts) -> bool {
    kept_research(dir, &about(told, prompts)).is_none()
}

/// Returns the digest of a question: of the problem, and of the template if it is one of the experiment's own.
fn about(told: &str, prompts: &Prompts) -> String {
    let problem = content_address(told.as_bytes());
    match prompts.get(PromptKind::Research) {
        Some(own) => content_address(format!("{problem}\n{}", own.template.text()).as_bytes()),
        None => problem,
    }
}

/// Returns a problem, as a model is told of it, with what a model says is known of it: the kept answer, or else one that
/// is asked for and kept. The inner error is that of a model that gives no answer.
///
/// # Errors
/// The answer cannot be kept.
pub(crate) async fn with_research(
    models: &Models,
    dir: &Path,
    (told, prompts): (&str, &Prompts),
    say: &mut dyn FnMut(&str),
) -> Result<Result<String, AskError>, GenerationError> {
    let about = about(told, prompts);
    if let Some(kept) = kept_research(dir, &about) {
        say("what is known of the problem was asked before, and is kept");
        return Ok(Ok(kept.told_with(told)));
    }
    say("asking what is known of the problem");
    let research = match research(models, told, prompts).await {
        Ok(research) => research,
        Err(error) => return Ok(Err(error)),
    };
    keep_research(dir, &about, &research)?;
    say(&format!(
        "known of the problem: algorithms {}, pitfalls {}, edge cases {}",
        research.algorithms.len(),
        research.pitfalls.len(),
        research.edge_cases.len()
    ));
    Ok(Ok(research.told_with(told)))
}
