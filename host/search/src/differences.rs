//! Differences between candidates: those of another descent than others, and readings relative to those of another.

use super::archive::Archive;
use super::candidate::CandidateOutcome;
use std::collections::{BTreeMap, BTreeSet};

/// The least share by which readings differ.
const DIFFERENCE_MIN: f64 = 0.01;

/// Returns the indexes of candidates that passed and are of another descent than all of these, the best first and one of
/// each descent: none is an ancestor of another, and they share no ancestor but what the search began with.
pub(crate) fn other_descents(archive: &Archive, best: &[usize]) -> Vec<usize> {
    let known: BTreeSet<usize> = best
        .iter()
        .map(|index| first_made(archive, *index))
        .collect();
    let ancestors: BTreeSet<usize> = best.iter().flat_map(|one| line_of(archive, *one)).collect();
    let is_other = |index: usize| {
        let mut line = line_of(archive, index);
        let is_known = known.contains(&first_made(archive, index)) || ancestors.contains(&index);
        !is_known && !line.any(|one| best.contains(&one))
    };
    let all = archive.candidates.iter().enumerate();
    let passed = all.filter(|(_, one)| one.outcome == CandidateOutcome::Passed && !one.control);
    let other = passed
        .map(|(index, _)| index)
        .filter(|index| is_other(*index));
    let mut other: Vec<usize> = other.collect();
    let figure = |index: usize| {
        let one = &archive.candidates[index];
        (one.ratio.unwrap_or(0.0), one.total.unwrap_or(0.0))
    };
    other.sort_by(|a, b| {
        let ((speed, total), (other_speed, other_total)) = (figure(*b), figure(*a));
        (speed.total_cmp(&other_speed)).then(total.total_cmp(&other_total))
    });
    let mut seen = BTreeSet::new();
    other.retain(|index| seen.insert(first_made(archive, *index)));
    other
}

/// Returns a candidate's index and those of its ancestors, the nearest first.
fn line_of(archive: &Archive, index: usize) -> impl Iterator<Item = usize> {
    // A parent comes before its candidate, so this ends.
    std::iter::successors(Some(index), |index| archive.candidates[*index].parent)
}

/// Returns the index of the first candidate of a descent: of those that the search made, or that of an approach that it
/// began with for this itself.
fn first_made(archive: &Archive, index: usize) -> usize {
    let made = line_of(archive, index).take_while(|one| archive.candidates[*one].parent.is_some());
    made.last().unwrap_or(index)
}

/// Returns readings over others, by source, where they differ.
pub(crate) fn over<'a>(
    own: &'a BTreeMap<String, f64>,
    others: &'a BTreeMap<String, f64>,
) -> impl Iterator<Item = (&'a str, f64)> {
    let pairs = own.iter().filter_map(|(source, value)| {
        let other = others.get(source).filter(|other| **other != 0.0)?;
        Some((source.as_str(), value / other))
    });
    pairs.filter(|(_, over)| over.is_finite() && (over - 1.0).abs() > DIFFERENCE_MIN)
}

#[cfg(test)]
mod tests {
    use super::super::archive::tests::program;
    use super::super::candidate::NewCandidate;
    use super::*;

    /// An archive in which each candidate after the first two has this parent; all passed.
    fn descending(parents: &[usize]) -> Archive {
        let mut archive = Archive::default();
        let own = ["a", "b"].map(|name| (name.to_owned(), program(name, 0)));
        archive.begin_with(own.to_vec());
        for (value, parent) in parents.iter().enumerate() {
            let made = NewCandidate {
                parent: *parent,
                by: "model".into(),
                change: String::new(),
                wish: None,
                program: program("a", value + 1),
                control: false,
            };
            archive.add(1, vec![made]);
        }
        archive
    }

    #[test]
    fn those_of_another_descent_share_no_made_ancestor_and_come_best_first() {
        // 2 and 3 of a, 4 of 2, 5 of 3, 6 of 5.
        let mut archive = descending(&[0, 0, 2, 3, 5]);
        for (index, ratio) in [(3, 1.1), (5, 1.3), (6, 1.2)] {
            archive.candidates[index].ratio = Some(ratio);
        }
        // Of 3, 5 and 6 the fastest, and the approach that the best was not made from.
        assert_eq!(other_descents(&archive, &[4]), [5, 1]);
        // What was made from one of the best is no other descent.
        assert_eq!(other_descents(&archive, &[0, 4]), [1]);
        archive.candidates[5].outcome = CandidateOutcome::Gated;
        assert_eq!(other_descents(&archive, &[2]), [6, 1]);
    }

    #[test]
    fn readings_are_told_relative_to_others_where_they_differ() {
        let of = |pairs: &[(&str, f64)]| -> BTreeMap<String, f64> {
            pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), *value))
                .collect()
        };
        let own = of(&[
            ("fuel", 50.0),
            ("memory", 1.001),
            ("size", 3.0),
            ("loss", 1.0),
        ]);
        let others = of(&[("fuel", 100.0), ("memory", 1.0), ("loss", 0.0)]);
        assert_eq!(over(&own, &others).collect::<Vec<_>>(), [("fuel", 0.5)]);
    }
}
