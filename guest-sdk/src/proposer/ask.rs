//! Glue between the questions of a proposer to a model and its bindings.

use super::bindings::bakeoff::completions::completions as wit;
use super::proposing::CompletionError;

/// Asks the host for a completion.
#[cfg_attr(
    not(target_arch = "wasm32"),
    expect(dead_code, reason = "there is a host for components alone")
)]
pub(crate) fn complete(prompt: &str, tokens_max: u32) -> Result<String, CompletionError> {
    wit::complete(prompt, tokens_max).map_err(|error| match error {
        wit::Error::NoModel(why) => CompletionError::NoModel(why),
        wit::Error::BudgetExhausted(why) => CompletionError::BudgetExhausted(why),
        wit::Error::Unavailable(why) => CompletionError::Unavailable(why),
        wit::Error::Refused(why) => CompletionError::Refused(why),
        wit::Error::Unusable(why) => CompletionError::Unusable(why),
        wit::Error::TooMany(why) => CompletionError::TooMany(why),
        wit::Error::TooLarge(why) => CompletionError::TooLarge(why),
        wit::Error::Other(why) => CompletionError::Other(why),
    })
}
