//! The call that failed, in words.

use super::escape::ShellWord;
use bakeoff_domain::report::{CaseLabel, FailedCall, VariantReport};

/// Names the call that failed, and the command that makes it again.
pub(super) fn failed_call(variant: &VariantReport) -> Option<String> {
    let FailedCall { case, seed } = variant.failed_call.as_ref()?;
    let label = case.to_string();
    let (named, seed) = match case {
        CaseLabel::Size(size) => (
            format!("size {size}, seed {seed}"),
            format!(" --seed {seed}"),
        ),
        // The call itself is the input.
        CaseLabel::Call(_) => (super::clipped(&label, 200), String::new()),
    };
    Some(format!(
        "The call: {named}. To make it again, in the experiment's folder: bakeoff check {} --case \
         {}{seed}",
        ShellWord(&variant.file),
        ShellWord(&label)
    ))
}
