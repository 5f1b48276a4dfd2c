//! `width` of `[rounds]`: the number of candidates of a round.

use super::amounts::word_or_whole;
use super::error::Finding;
use super::fields::rounds::WIDTH;
use super::section::Section;
use std::ops::RangeInclusive;

/// The number of candidates of a first round, and of one after three without a new best, where it follows from what is
/// found.
const WIDTH_ADAPTIVE: RangeInclusive<u32> = 4..=32;

/// The number of candidates of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// The same in every round.
    Fixed(u32),
    /// Few as long as they find something better, and twice as many after each round that did not.
    Adaptive,
}

impl Width {
    /// Returns the number of candidates of a round that comes after so many without a new best.
    pub fn after(self, without_new: u32) -> u32 {
        match self {
            Self::Fixed(width) => width,
            Self::Adaptive => {
                let doubled = WIDTH_ADAPTIVE.start() << without_new.min(8);
                doubled.min(*WIDTH_ADAPTIVE.end())
            }
        }
    }

    /// Returns the most candidates of a round.
    pub fn most(self) -> u32 {
        self.after(u32::MAX)
    }
}

/// `width`: a number of candidates, or `"adaptive"`.
pub(super) fn width(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<Width> {
    let help = "write `width = 8`, or `width = \"adaptive\"` for more where less finds nothing";
    let width = word_or_whole(section, &WIDTH, ("candidates", help), found)?;
    Some(width.map_or(Width::Adaptive, Width::Fixed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_become_wider_where_they_find_nothing() {
        let widths = [0, 1, 2, 3, 4, u32::MAX].map(|without| Width::Adaptive.after(without));
        assert_eq!(widths, [4, 8, 16, 32, 32, 32]);
        assert_eq!(Width::Fixed(7).after(9), 7);
        assert_eq!(Width::Adaptive.most(), 32);
    }
}
