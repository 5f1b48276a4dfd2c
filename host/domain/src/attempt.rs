//! Attempts: what a component tried and was refused.

use serde::{Deserialize, Serialize};

/// A kind of refused operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttemptKind {
    /// Opening a path outside its granted folders.
    OpenOutside,
    /// Writing to a granted file or folder, which can be read only.
    WriteToGrant,
    /// Ending the process.
    Exit,
    /// Growing its memories or tables beyond the limit.
    MemoryGrowth,
    /// Writing more output than the limit.
    OutputFlood,
    /// Calling the host more often than the limit.
    HostCallFlood,
    /// Getting more random bytes at once than the limit.
    RandomFlood,
    /// Holding more handles than the limit.
    HandleFlood,
    /// Sleeping past the wall-time limit of a call.
    OverlongSleep,
}

impl AttemptKind {
    /// The phrase that follows "tried": `to open a path outside its granted folders`.
    pub fn words(self) -> &'static str {
        match self {
            Self::OpenOutside => "to open a path outside its granted folders",
            Self::WriteToGrant => "to write to a read-only grant",
            Self::Exit => "to end its process",
            Self::MemoryGrowth => "to grow its memory beyond the limit",
            Self::OutputFlood => "to write more output than the limit",
            Self::HostCallFlood => "to call the host more often than the limit",
            Self::RandomFlood => "to get more random bytes at once than the limit",
            Self::HandleFlood => "to hold more handles than the limit",
            Self::OverlongSleep => "to sleep past the wall-time limit",
        }
    }
}

/// One kind of attempt of one variant, over all its checked calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Kind of the refused operation.
    pub what: AttemptKind,
    /// Number of times that it was tried.
    pub times: u64,
    /// The object of the first attempt: a path, a number. Foreign text of at most
    /// [`EXAMPLE_CHARS_MAX`] characters.
    pub example: Option<String>,
}

/// The largest number of characters of an example.
pub const EXAMPLE_CHARS_MAX: usize = 200;

/// All attempts of a variant as one sentence without its name: `tried to … (3 times: …), to …`.
/// `None` if there were none.
///
/// ```
/// use bakeoff_domain::attempt::{Attempt, AttemptKind, sentence};
/// let exit = Attempt { what: AttemptKind::Exit, times: 2, example: None };
/// assert_eq!(sentence(&[exit]).unwrap(), "tried to end its process (2 times)");
/// assert_eq!(sentence(&[]), None);
/// ```
pub fn sentence(attempts: &[Attempt]) -> Option<String> {
    let part = |attempt: &Attempt| {
        let times = match attempt.times {
            1 => "once".to_owned(),
            times => format!("{times} times"),
        };
        let example = attempt.example.as_ref().map_or(String::new(), |example| {
            format!(": `{}`", example.escape_debug())
        });
        format!("{} ({times}{example})", attempt.what.words())
    };
    let parts: Vec<String> = attempts.iter().map(part).collect();
    (!parts.is_empty()).then(|| format!("tried {}", parts.join(", ")))
}
