//! Outcome of a call that was made again, as a runner sends it.

use bakeoff_sandbox::GuestError;
use serde::{Deserialize, Serialize};

/// Length of a call's arguments and answer as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallTexts {
    /// Enough text to recognise the values by.
    #[default]
    Shortened,
    /// The whole text, unless it is very long.
    Whole,
}

/// The outcome of a call that was made again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RepeatedCall {
    /// The arguments as text, shortened unless [`CallTexts::Whole`] was asked for.
    pub arguments: String,
    /// The answer as text, of the same length; `None` without an answer.
    pub answer: Option<String>,
    /// Digest of the answer, to compare it between variants.
    pub digest: Option<String>,
    /// Units of fuel, if the call ended.
    pub fuel: Option<u64>,
    /// The error of the call, or the reason why the oracle refuses the answer.
    pub error: Option<GuestError>,
    /// The reports of a diagnostic build before it trapped.
    pub reports: Vec<String>,
}

impl RepeatedCall {
    /// Makes the outcome of a call that ended its process, or was never made.
    pub fn failed(error: GuestError) -> Self {
        Self {
            error: Some(error),
            ..Self::default()
        }
    }
}
