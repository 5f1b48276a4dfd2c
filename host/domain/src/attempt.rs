//! What a component tried and was refused: the doors that its code knocked at.

use serde::{Deserialize, Serialize};

/// Something that a component tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttemptKind {
    /// To open a path that leads out of the folders it was granted.
    OpenOutside,
    /// To write to a granted file or folder, which can be read only.
    WriteToGrant,
    /// To end the process.
    Exit,
    /// To have more memory or table elements than it may.
    MemoryGrowth,
    /// To write more than an output takes.
    OutputFlood,
    /// To call the host more often than it may.
    HostCallFlood,
    /// To get more random bytes at once than it may.
    RandomFlood,
    /// To hold more handles than it may.
    HandleFlood,
    /// To sleep beyond the wall limit of a call.
    OverlongSleep,
}

impl AttemptKind {
    /// What it is, after "tried": `to open a path outside of its folders`.
    pub fn words(self) -> &'static str {
        match self {
            Self::OpenOutside => "to open a path outside of its folders",
            Self::WriteToGrant => "to write to files that it may only read",
            Self::Exit => "to end its process",
            Self::MemoryGrowth => "to have more memory than it may",
            Self::OutputFlood => "to write more than an output takes",
            Self::HostCallFlood => "to call the host more often than it may",
            Self::RandomFlood => "to get more random bytes at once than it may",
            Self::HandleFlood => "to hold more handles than it may",
            Self::OverlongSleep => "to sleep beyond its wall limit",
        }
    }
}

/// One kind of attempt of one variant, over all its checked calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// What it tried.
    pub what: AttemptKind,
    /// How often.
    pub times: u64,
    /// On what, the first time: a path, a number. Foreign text, at most [`EXAMPLE_CHARS_MAX`] long.
    pub example: Option<String>,
}

/// Characters of an example at most.
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
