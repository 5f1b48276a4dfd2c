//! Announcement of a runner's next step, as one word in the page that it shares with the parent.
//!
//! An announcement by a frame would wake the parent before every step, and on a small machine take
//! the core from the very process that is being timed. The parent looks at the page from time to
//! time instead, and when a runner has ended.

use bakeoff_confine::Frames;
use bakeoff_domain::measurement::{CaseIndex, VariantIndex};

/// A step that a runner announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Doing {
    /// Workload code: it makes the inputs of a case, or judges answers.
    Workload,
    /// Calls of a variant.
    Calling {
        /// The variant that is called.
        variant: VariantIndex,
        /// The number of calls, each of which may take at most the wall limit.
        calls: u32,
    },
}

/// An announcement. As a word it is, from the lowest bit on: 2 bits for the kind of step, 8 for the
/// number of calls, 16 for the variant, 16 for the case, and a number that tells it from the one
/// before. The word 0 is no announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// The number of the announcement, which wraps around at 2²².
    pub sequence: u32,
    /// The case of the step.
    pub case: CaseIndex,
    /// The announced step.
    pub doing: Doing,
}

/// Error of a word that is not an announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:#018x} announces nothing that a runner does")]
pub struct NotAnAnnouncement(pub u64);

const KIND_BITS: u32 = 2;
const CALLS_BITS: u32 = 8;
const VARIANT_BITS: u32 = 16;
const CASE_BITS: u32 = 16;
const SEQUENCE_BITS: u32 = 22;
const _: () = assert!(KIND_BITS + CALLS_BITS + VARIANT_BITS + CASE_BITS + SEQUENCE_BITS == 64);

const WORKLOAD: u64 = 1;
const CALLING: u64 = 2;

/// Returns the largest number of `bits` bits.
const fn most(bits: u32) -> u64 {
    (1 << bits) - 1
}

impl Announcement {
    /// Returns the announcement as a word. A number that is too large for its bits becomes the
    /// largest that is not: of calls, it makes no difference whether there are 255 or more, and no
    /// race has as many variants or cases.
    pub fn to_word(self) -> u64 {
        let (kind, calls, variant) = match self.doing {
            Doing::Workload => (WORKLOAD, 0, 0),
            Doing::Calling { variant, calls } => (CALLING, u64::from(calls), variant as u64),
        };
        let fields = [
            (
                u64::from(self.sequence) & most(SEQUENCE_BITS),
                SEQUENCE_BITS,
            ),
            (self.case as u64, CASE_BITS),
            (variant, VARIANT_BITS),
            (calls, CALLS_BITS),
            (kind, KIND_BITS),
        ];
        let append = |word: u64, (value, bits): (u64, u32)| (word << bits) | value.min(most(bits));
        fields.into_iter().fold(0, append)
    }

    /// Returns the announcement that a word stands for; `None` for the word 0.
    ///
    /// # Errors
    /// The word is no announcement of a step: none of our runners writes it.
    pub fn from_word(word: u64) -> Result<Option<Self>, NotAnAnnouncement> {
        if word == 0 {
            return Ok(None);
        }
        let mut rest = word;
        let mut take = |bits: u32| {
            let value = rest & most(bits);
            rest = rest.checked_shr(bits).unwrap_or(0);
            value
        };
        let (kind, calls) = (take(KIND_BITS), take(CALLS_BITS));
        let (variant, case) = (take(VARIANT_BITS), take(CASE_BITS));
        let doing = match (kind, calls, variant) {
            (WORKLOAD, 0, 0) => Doing::Workload,
            (CALLING, 1.., _) => Doing::Calling {
                variant: variant as VariantIndex,
                calls: calls as u32,
            },
            _ => return Err(NotAnAnnouncement(word)),
        };
        Ok(Some(Self {
            sequence: rest as u32,
            case: case as CaseIndex,
            doing,
        }))
    }
}

impl Doing {
    /// Returns the variant that is called, if one is.
    pub fn variant(self) -> Option<VariantIndex> {
        match self {
            Self::Calling { variant, .. } => Some(variant),
            Self::Workload => None,
        }
    }

    /// Announces this step on a case, before it begins.
    pub(super) fn announce(self, case: CaseIndex, frames: &Frames) {
        let last = frames.announced() >> (64 - SEQUENCE_BITS);
        let next = Announcement {
            sequence: (last as u32).wrapping_add(1),
            case,
            doing: self,
        };
        frames.announce(next.to_word());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CALLING_3: Doing = Doing::Calling {
        variant: 3,
        calls: 7,
    };

    fn word(sequence: u32, case: CaseIndex, doing: Doing) -> u64 {
        let announcement = Announcement {
            sequence,
            case,
            doing,
        };
        announcement.to_word()
    }

    #[test]
    fn every_field_comes_back() {
        for doing in [Doing::Workload, CALLING_3] {
            let announcement = Announcement {
                sequence: 0x3f_fffe,
                case: 65_535,
                doing,
            };
            let read = Announcement::from_word(announcement.to_word());
            assert_eq!(read, Ok(Some(announcement)));
        }
        assert_eq!(Announcement::from_word(0), Ok(None));
    }

    #[test]
    fn two_announcements_of_the_same_step_differ() {
        assert_ne!(word(1, 2, CALLING_3), word(2, 2, CALLING_3));
        // After the last number comes the first, and neither is no announcement.
        assert_ne!(word(1 << SEQUENCE_BITS, 0, Doing::Workload), 0);
    }

    #[test]
    fn a_number_that_does_not_fit_stays_in_its_field() {
        let large = Doing::Calling {
            variant: usize::MAX,
            calls: u32::MAX,
        };
        let read = Announcement::from_word(word(5, usize::MAX, large));
        let doing = Doing::Calling {
            variant: 65_535,
            calls: 255,
        };
        let expected = Announcement {
            sequence: 5,
            case: 65_535,
            doing,
        };
        assert_eq!(read, Ok(Some(expected)));
    }

    #[test]
    fn what_no_runner_writes_is_no_announcement() {
        let calls = |calls| {
            let doing = Doing::Calling { variant: 3, calls };
            word(1, 0, doing)
        };
        let workload = word(1, 0, Doing::Workload);
        for wrong in [
            // a number and nothing else, kinds that do not exist, no calls, a workload that has some,
            // and one that is a variant
            1 << 42,
            word(1, 0, CALLING_3) | 3,
            u64::MAX,
            calls(0),
            workload | 1 << KIND_BITS,
            workload | 1 << (KIND_BITS + CALLS_BITS),
        ] {
            let read = Announcement::from_word(wrong);
            assert_eq!(read, Err(NotAnAnnouncement(wrong)), "{wrong:#x}");
        }
    }

    proptest! {
        /// Each word that can be read is the one that would be written for its announcement.
        #[test]
        fn a_word_that_is_read_is_written_the_same(word: u64) {
            if let Ok(Some(announcement)) = Announcement::from_word(word) {
                prop_assert_eq!(announcement.to_word(), word);
            }
        }
    }
}
