//! Cases of a file, and their errors.

use serde::{Deserialize, Serialize};

/// A case of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaveCase {
    /// The call, in WAVE.
    pub call: String,
    /// The expected answer in WAVE, if there is one.
    pub expect: Option<String>,
}

/// The error of a case that does not fit the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongCase {
    /// The text that is wrong.
    pub part: WrongPart,
    /// The reason, beginning with the name of the text.
    pub reason: String,
}

/// One of the texts of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WrongPart {
    /// The text of `call`.
    Call,
    /// The text of `expect`.
    Expect,
}
