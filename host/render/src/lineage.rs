//! Origins of the candidates of a search. What they are called, and how they differ, is text from outside.

use super::rounds::{CHARS_MAX, criterion, figure, figure_of};
use super::table::{Align, Table};
use bakeoff_domain::numbers;
use bakeoff_domain::report::{Finalist, Report, RoundCandidate, Rounds};
use std::collections::{BTreeMap, BTreeSet};

/// The most steps of the way to a finalist in a sentence: the last ones.
const STEPS_MAX: usize = 20;

/// The most steps of the way to a finalist in a list, and of the way up from a candidate: what was read may go in a circle.
const WAY_MAX: usize = 200;

/// The most candidates in the tree.
const TREE_MAX: usize = 500;

/// A candidate in the tree of a search.
pub(super) struct TreeRow<'a> {
    pub(super) candidate: &'a RoundCandidate,
    /// The candidate that it was made from, if it is known.
    pub(super) parent: Option<&'a RoundCandidate>,
    /// The number of candidates above it.
    pub(super) depth: usize,
}

/// Returns candidates below the ones that they were made from; of too many those on the way to a finalist, those that were
/// the best once with what they were made from, and then the earliest.
pub(super) fn tree(rounds: &Rounds) -> Vec<TreeRow<'_>> {
    let shown = shown(rounds);
    let mut children: BTreeMap<&str, Vec<&RoundCandidate>> = BTreeMap::new();
    let is_shown = |one: &&RoundCandidate| shown.contains(one.name.as_str());
    for one in rounds.lineage.iter().rev().filter(|one| one.round > 0) {
        if is_shown(&one) {
            children.entry(&one.parent).or_default().push(one);
        }
    }
    let begun = rounds.lineage.iter().rev().filter(|one| one.round == 0);
    let begun = begun.filter(is_shown);
    let mut open: Vec<(&RoundCandidate, Option<&RoundCandidate>, usize)> =
        begun.map(|one| (one, None, 0)).collect();
    let mut rows = Vec::new();
    // What was read may be damaged; each candidate is taken out once, so there is no circle.
    while let Some((candidate, parent, depth)) = open.pop() {
        rows.push(TreeRow {
            candidate,
            parent,
            depth,
        });
        let own = children.remove(candidate.name.as_str());
        let own = own.unwrap_or_default().into_iter();
        open.extend(own.map(|child| (child, Some(candidate), depth + 1)));
    }
    rows
}

/// Returns the names of the candidates that the tree shows.
fn shown(rounds: &Rounds) -> BTreeSet<&str> {
    let all = || rounds.lineage.iter();
    let mut shown = BTreeSet::new();
    if rounds.lineage.len() > TREE_MAX {
        let known = by_name(rounds);
        let finalists = rounds.finalists.iter().map(|one| one.name.as_str());
        let once_best = all().filter(|one| one.best).map(|one| one.name.as_str());
        for name in finalists.chain(once_best) {
            let line: Vec<&str> = (line_of(&known, name).map(|one| one.name.as_str())).collect();
            let is_new = |name: &&&str| !shown.contains(**name);
            if shown.len() + line.iter().filter(is_new).count() <= TREE_MAX {
                shown.extend(line);
            }
        }
    }
    for one in all() {
        if shown.len() == TREE_MAX {
            break;
        }
        shown.insert(one.name.as_str());
    }
    shown
}

fn by_name(rounds: &Rounds) -> BTreeMap<&str, &RoundCandidate> {
    let all = rounds.lineage.iter().rev();
    all.map(|one| (one.name.as_str(), one)).collect()
}

/// Returns a candidate and those that it descends from, the nearest first.
fn line_of<'a>(
    known: &BTreeMap<&'a str, &'a RoundCandidate>,
    name: &str,
) -> impl Iterator<Item = &'a RoundCandidate> {
    let find = move |name: &str| known.get(name).copied();
    let line = std::iter::successors(find(name), move |one| {
        (one.round > 0).then(|| find(&one.parent)).flatten()
    });
    line.take(WAY_MAX)
}

/// Returns the candidate whose way is shown in full: of the search's finalists the one that is ahead in the race, or the best of the
/// search.
pub(super) fn best_finalist<'a>(report: &Report, rounds: &'a Rounds) -> Option<&'a Finalist> {
    let rank = |one: &&Finalist| {
        let mut variants = report.variants.iter();
        let own = variants.find(|variant| variant.approach == one.name);
        own.and_then(|own| own.rank).unwrap_or(u32::MAX)
    };
    let made = rounds.finalists.iter().filter(|one| !one.control);
    made.min_by_key(rank)
}

/// Returns the way to a finalist, from the approach that it descends from, each step without those above it.
pub(super) fn way_to<'a>(rounds: &'a Rounds, finalist: &Finalist) -> Vec<TreeRow<'a>> {
    let mut line: Vec<&RoundCandidate> = line_of(&by_name(rounds), &finalist.name).collect();
    line.reverse();
    let parents = std::iter::once(None).chain(line.iter().copied().map(Some));
    let rows = line.iter().zip(parents);
    rows.map(|(candidate, parent)| TreeRow {
        candidate,
        parent,
        depth: 0,
    })
    .collect()
}

/// Returns candidates as a table: the deeper in the tree the further to the right, with their figures over those of their
/// parents.
pub(super) fn table(
    report: &Report,
    rounds: &Rounds,
    caption: &str,
    rows: &[TreeRow<'_>],
) -> Table {
    let by = criterion(report, rounds);
    let mut table = Table::of("candidate", caption);
    table.column("made by", Align::Left);
    table.column("difference from its parent", Align::Left);
    table.column("outcome", Align::Left);
    table.column("found at", Align::Right);
    table.column("over its parent", Align::Right);
    for row in rows {
        let one = row.candidate;
        table.row(vec![
            format!(
                "{}{}",
                "· ".repeat(row.depth.min(30)),
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
            over_parent(report, rounds, row).unwrap_or_else(|| "–".to_owned()),
        ]);
    }
    table
}

/// Returns the figure of a candidate over that of its parent, in words.
pub(super) fn over_parent(report: &Report, rounds: &Rounds, row: &TreeRow<'_>) -> Option<String> {
    let of = |one: &RoundCandidate| figure_of(report, rounds, one.ratio, one.reading);
    let gain = of(row.candidate)? / of(row.parent?)?;
    let is_told = gain.is_finite() && row.candidate.round > 0;
    is_told.then(|| format!("{} ×", numbers::significant(gain, 3)))
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
        let rows = table(&report, &rounds, "", &tree(&rounds)).rows;
        let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(names, ["a", "· a 1.1", "· · a 2.1", "· a 1.2"]);
        assert_eq!(rows[2][4..], ["2.50 ×", "2.00 ×"].map(str::to_owned));
        // A circle is not reached from what the search began with.
        rounds.lineage[1].parent = "a 2.1".to_owned();
        assert_eq!(tree(&rounds).len(), 2);
    }

    #[test]
    fn of_too_many_candidates_the_way_to_a_finalist_is_never_left_out() {
        let mut rounds = rounds();
        let filler = rounds.lineage[2].clone();
        let late = rounds.lineage.split_off(1);
        rounds.lineage.extend((0..1_000).map(|n| RoundCandidate {
            name: format!("a 9.{n}"),
            ..filler.clone()
        }));
        rounds.lineage.extend(late);
        let names = |rounds: &Rounds| -> Vec<String> {
            let rows = tree(rounds);
            rows.iter().map(|row| row.candidate.name.clone()).collect()
        };
        let shown = names(&rounds);
        assert_eq!(shown.len(), TREE_MAX);
        for name in ["a", "a 1.1", "a 2.1", "a 9.0"] {
            assert!(shown.iter().any(|one| one == name), "{name}");
        }
        assert!(!shown.iter().any(|one| one == "a 9.900"));
        rounds.lineage[1_001].parent = "a 2.1".to_owned();
        assert!(names(&rounds).len() <= TREE_MAX);
    }
}
