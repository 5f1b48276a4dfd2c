//! Facts that a worker announces of its machine, and those of them that must be the same on both sides.

use bakeoff_confine::Level;
use bakeoff_confine::tasks::one_line;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The longest name of a machine or a team, in characters.
const TOKEN_CHARS_MAX: usize = 63;

/// The longest fact, in characters.
const FACT_CHARS_MAX: usize = 200;

/// The longest version of bakeoff, in bytes.
const VERSION_BYTES_MAX: usize = 40;

/// The most cores of a machine.
pub(super) const CORES_MAX: u32 = 1_024;

/// Returns true for what can be a part of a subject: a name of letters, digits, `-` and `_`.
pub(super) fn is_token(text: &str) -> bool {
    (1..=TOKEN_CHARS_MAX).contains(&text.len())
        && text
            .bytes()
            .all(|one| one.is_ascii_alphanumeric() || matches!(one, b'-' | b'_'))
}

/// The name of a machine, which is unique in a team.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MachineName(String);

impl MachineName {
    /// Returns the name, with a `-` in place of each character that a name cannot have; `None` if nothing is left.
    pub fn like(text: &str) -> Option<Self> {
        let fits = |one: char| one.is_ascii_alphanumeric() || matches!(one, '-' | '_');
        let name: String = text
            .chars()
            .take(TOKEN_CHARS_MAX)
            .map(|one| if fits(one) { one } else { '-' })
            .collect();
        Self::try_from(name).ok()
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for MachineName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if is_token(&text) {
            Ok(Self(text))
        } else {
            Err(format!(
                "a machine's name has 1 to {TOKEN_CHARS_MAX} letters, digits, `-` and `_`"
            ))
        }
    }
}

impl From<MachineName> for String {
    fn from(name: MachineName) -> Self {
        name.0
    }
}

impl fmt::Display for MachineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Facts of a machine, as its worker announces them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerFacts {
    /// The version of bakeoff.
    pub bakeoff: String,
    /// The fingerprint of the engine: what is compiled by it behaves the same where it is the same.
    pub engine: String,
    /// The level of the fence.
    pub fence: String,
    /// The processor, for people.
    pub cpu: String,
    /// The number of cores that take tasks; 0 when the worker leaves.
    pub cores: u32,
    /// Number of this start of the worker: two workers of one name differ in it.
    pub start: u64,
    /// The number of tasks that it did since then.
    pub tasks: u64,
    /// The fingerprint of the toolchain: what is built by it is the same where it is the same. Empty without one.
    pub toolchain: String,
}

/// Announcement of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WorkerAnnouncement {
    /// Facts.
    Facts(WorkerFacts),
    /// An announcement that this version does not understand.
    Foreign {
        /// The version of bakeoff that it names first, as announcements of all versions do; empty if it names none.
        bakeoff: String,
    },
}

impl WorkerAnnouncement {
    /// Reads an announcement.
    pub(super) fn read(bytes: &[u8]) -> Self {
        if let Some(facts) = WorkerFacts::read(bytes) {
            return Self::Facts(facts);
        }
        let version = postcard::take_from_bytes::<String>(bytes);
        let version = version.map(|(version, _)| version);
        let is_version = |text: &String| text.len() <= VERSION_BYTES_MAX && text.is_ascii();
        Self::Foreign {
            bakeoff: version.ok().filter(is_version).unwrap_or_default(),
        }
    }
}

impl WorkerFacts {
    /// Reads an announcement; `None` if it is none, or too long to be shown.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut facts: Self = postcard::from_bytes(bytes).ok()?;
        let texts = [
            &mut facts.bakeoff,
            &mut facts.engine,
            &mut facts.fence,
            &mut facts.cpu,
            &mut facts.toolchain,
        ];
        for text in texts {
            if text.chars().count() > FACT_CHARS_MAX {
                return None;
            }
            // They stand in sentences: no line of what is said about a worker is the worker's own.
            *text = one_line(text);
        }
        (facts.cores <= CORES_MAX).then_some(facts)
    }

    /// Returns the announcement.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // Texts and numbers, as all of them are, can be encoded.
        postcard::to_stdvec(self).unwrap_or_default()
    }

    /// Returns the reason why a worker with these facts cannot do tasks of a machine with those of `run`, if there is one.
    pub fn unfit_for(&self, run: &Self) -> Option<String> {
        let other_engine = || {
            let (own, of_run) = (&self.engine, &run.engine);
            format!("its engine is {own}, and that of the run is {of_run}")
        };
        self.unfit_to_race(run)
            .or_else(|| (self.engine != run.engine).then(other_engine))
    }

    /// Returns the reason why a worker with these facts cannot have a race of its own for `run`, if there is one: it may have
    /// another engine, since nothing of that race is compared with another machine.
    pub fn unfit_to_race(&self, run: &Self) -> Option<String> {
        if self.bakeoff != run.bakeoff {
            return Some(format!(
                "it is bakeoff {}, and the run is of {}",
                self.bakeoff, run.bakeoff
            ));
        }
        // A level that this version does not know is none.
        let is_open = |facts: &Self| FENCES.iter().all(|level| level.name() != facts.fence);
        if is_open(self) && !is_open(run) {
            return Some("nothing confines what it runs, and the run is confined".to_owned());
        }
        None
    }

    /// Returns true if a machine with these facts makes the same components of sources as one with this toolchain, by its
    /// fingerprint.
    pub fn builds_for(&self, toolchain: &str) -> bool {
        !self.toolchain.is_empty() && self.toolchain == toolchain
    }

    /// Returns true if machines with these facts are of one kind: their times may be expected to be alike.
    pub fn is_same_kind(&self, other: &Self) -> bool {
        // Announcements have their words with single blanks between them.
        let words = self.cpu.split_whitespace();
        self.engine == other.engine && words.eq(other.cpu.split_whitespace())
    }
}

/// The levels of machines on which something is confined.
const FENCES: [Level; 2] = [Level::Full, Level::Standard];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_part_of_a_subject() {
        assert_eq!(
            MachineName::like("build 1.example").unwrap().as_str(),
            "build-1-example"
        );
        assert_eq!(MachineName::like(""), None);
        for wrong in ["", "a.b", "a b", "*", ">", &"a".repeat(64)] {
            assert!(MachineName::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
