//! Where the candidates of a search came from. What they are called, and how they differ, is text from outside.

use super::rounds::{CHARS_MAX, criterion, figure, figure_of};
use super::table::{Align, Table};
use bakeoff_domain::numbers;
use bakeoff_domain::report::{Candidate, Finalist, Report, Rounds};
use std::collections::BTreeMap;

/// The most steps of the way to a finalist: the last ones.
const STEPS_MAX: usize = 20;

/// The most candidates in the tree.
const TREE_MAX: usize = 500;

/// Returns every candidate below the one that it was made from, the deeper the further to the right, with its figure over
/// that of its parent; `None` where no candidate was made.
pub(super) fn tree(report: &Report, rounds: &Rounds) -> Option<Table> {
    let by = criterion(report, rounds);
    let mut table = Table::of("candidate", "Where each candidate came from");
    table.column("made by", Align::Left);
    table.column("difference from its parent", Align::Left);
    table.column("outcome", Align::Left);
    table.column("found at", Align::Right);
    table.column("over its parent", Align::Right);
    let mut children: BTreeMap<&str, Vec<&Candidate>> = BTreeMap::new();
    for one in rounds.lineage.iter().rev().filter(|one| one.round > 0) {
        children.entry(&one.parent).or_default().push(one);
    }
    let begun = rounds.lineage.iter().rev().filter(|one| one.round == 0);
    let mut open: Vec<(&Candidate, usize)> = begun.map(|one| (one, 0)).collect();
    // What was read may be damaged; each candidate is taken out once, so there is no circle.
    while let Some((one, depth)) = open.pop() {
        if table.rows.len() == TREE_MAX {
            break;
        }
        let parent = rounds.lineage.iter().find(|other| other.name == one.parent);
        let of = |one: &Candidate| figure_of(report, rounds, one.ratio, one.reading);
        let gain = parent.and_then(|parent| Some(of(one)? / of(parent)?));
        let gain = gain.filter(|gain| gain.is_finite() && one.round > 0);
        table.row(vec![
            format!(
                "{}{}",
                "· ".repeat(depth.min(30)),
                super::clipped(&one.name, CHARS_MAX)
            ),
            if one.control {
                format!("{}, for the control", super::clipped(&one.by, 40))
            } else {
                super::clipped(&one.by, 40)
            },
            super::clipped(&one.change, CHARS_MAX),
            super::clipped(&one.outcome, 40),
            figure(by, one.ratio, one.reading),
            gain.map_or("–".to_owned(), |gain| {
                format!("{} ×", numbers::significant(gain, 3))
            }),
        ]);
        let own = children.remove(one.name.as_str()).unwrap_or_default();
        open.extend(own.into_iter().map(|child| (child, depth + 1)));
    }
    (rounds.candidates > 0).then_some(table)
}

/// Returns the way to each finalist, from the approach that it descends from, as one text.
pub(super) fn ways(rounds: &Rounds) -> Vec<String> {
    rounds
        .finalists
        .iter()
        .map(|one| way(rounds, one))
        .collect()
}

fn way(rounds: &Rounds, finalist: &Finalist) -> String {
    let find = |name: &str| rounds.lineage.iter().find(|one| one.name == name);
    let mut steps = Vec::new();
    let mut at = find(&finalist.name);
    // What was read may be damaged, and go in a circle.
    while let (Some(one), true) = (at, steps.len() < STEPS_MAX) {
        if one.round == 0 {
            break;
        }
        let change = super::clipped(&one.change, CHARS_MAX);
        steps.push(format!(
            "{change} (round {}, {})",
            one.round,
            super::clipped(&one.by, 40)
        ));
        at = find(&one.parent);
    }
    steps.reverse();
    let origin = super::clipped(&finalist.origin, CHARS_MAX);
    let name = super::clipped(&finalist.name, CHARS_MAX);
    format!("{name} is {origin} with: {}.", steps.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rounds::tests::rounds;

    #[test]
    fn the_way_to_a_finalist_is_told_from_its_beginning() {
        assert_eq!(
            ways(&rounds()),
            ["a 2.1 is a with: n 1 → 2 (round 1, climb); n 2 → 3 (round 2, climb)."]
        );
        let mut circle = rounds();
        circle.lineage[1].parent = "a 2.1".to_owned();
        assert!(ways(&circle)[0].len() < 2_000);
    }

    #[test]
    fn each_candidate_stands_below_its_parent() {
        let report = crate::tables::tests::named("a");
        let mut rounds = rounds();
        rounds.lineage[3].ratio = Some(2.5);
        let rows = tree(&report, &rounds).unwrap().rows;
        let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(names, ["a", "· a 1.1", "· · a 2.1", "· a 1.2"]);
        assert_eq!(rows[2][4..], ["2.50 ×", "2.00 ×"].map(str::to_owned));
        // A circle is not reached from what the search began with.
        rounds.lineage[1].parent = "a 2.1".to_owned();
        assert_eq!(tree(&report, &rounds).unwrap().rows.len(), 2);
    }
}
