//! Differences of candidates from the ones that they were made from: of values, and of sources line by line.

use super::archive::Archive;
use super::candidate::Candidate;
use bakeoff_domain::report::{
    CandidateDifference, DIFFERENCE_CHARS_MAX, DIFFERENCE_LINES_MAX, DIFFERENCE_VALUES_MAX,
    DIFFERENCES_BYTES_MAX, DIFFERENCES_MAX, DifferenceLine, ValueDifference,
};
use bakeoff_domain::wording::clipped;
use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};
use std::collections::{BTreeMap, BTreeSet};

/// Lines alike that are kept before and after a difference.
const LINES_AROUND: usize = 3;

/// The most lines of a source that are compared.
const COMPARED_LINES_MAX: usize = 2_000;

/// The most lines of the difference of a candidate that no finalist descends from, in a report.
const OTHERS_LINES_MAX: usize = 40;

/// The largest difference that is told.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    lines: usize,
    chars: usize,
    values: usize,
}

/// Returns the difference of a candidate from its parent; `None` for one that was made from none.
pub fn difference(archive: &Archive, one: &Candidate) -> Option<CandidateDifference> {
    let all = Bounds {
        lines: usize::MAX,
        chars: usize::MAX,
        values: usize::MAX,
    };
    bounded(archive, one, all)
}

/// Returns the differences that a report has: first those of candidates on the way to one that races, then those of candidates that
/// were the best once, then others in their order, until the room for all is used up. They are in the order of the
/// candidates.
pub(crate) fn differences(archive: &Archive, finalists: &[usize]) -> Vec<CandidateDifference> {
    let parent = |index: &usize| archive.candidates[*index].parent;
    let way = finalists.iter().flat_map(|index| {
        // A parent comes before its candidate, so this ends.
        std::iter::successors(Some(*index), parent)
    });
    let on_way: BTreeSet<usize> = way.collect();
    let all = 0..archive.candidates.len();
    let once_best = all
        .clone()
        .filter(|index| archive.candidates[*index].best && !on_way.contains(index));
    let once_best: BTreeSet<usize> = once_best.collect();
    let others = all.filter(|index| !on_way.contains(index) && !once_best.contains(index));
    let mut found = BTreeMap::new();
    let mut bytes = 0;
    for index in on_way.iter().chain(&once_best).copied().chain(others) {
        let one = &archive.candidates[index];
        let lines = if on_way.contains(&index) {
            DIFFERENCE_LINES_MAX
        } else {
            OTHERS_LINES_MAX
        };
        let bounds = Bounds {
            lines,
            chars: DIFFERENCE_CHARS_MAX,
            values: DIFFERENCE_VALUES_MAX,
        };
        let Some(difference) = bounded(archive, one, bounds).filter(|one| !one.is_empty()) else {
            continue;
        };
        bytes += difference.bytes();
        if found.len() == DIFFERENCES_MAX || bytes > DIFFERENCES_BYTES_MAX {
            break;
        }
        found.insert(index, difference);
    }
    found.into_values().collect()
}

fn bounded(archive: &Archive, one: &Candidate, bounds: Bounds) -> Option<CandidateDifference> {
    let parent = archive.candidates.get(one.parent?)?;
    let values = values(parent, one, bounds);
    let (mut lines, mut more_lines) = (Vec::new(), 0);
    // Where neither has a source of its own, both have that of their approach.
    let has_own = one.program.source.is_some() || parent.program.source.is_some();
    let sources = archive.source_of(parent).zip(archive.source_of(one));
    if let Some((before, after)) = sources.filter(|_| has_own) {
        (lines, more_lines) = differing_lines(&before, &after, bounds);
    }
    Some(CandidateDifference {
        candidate: one.name.clone(),
        values,
        lines,
        more_lines,
    })
}

fn values(parent: &Candidate, one: &Candidate, bounds: Bounds) -> Vec<ValueDifference> {
    let (before, after) = (&parent.program.values, &one.program.values);
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let shown = |value: Option<&String>| value.map(|value| clipped(value, bounds.chars));
    let differing = names
        .into_iter()
        .filter(|name| before.get(*name) != after.get(*name));
    let differing = differing.map(|name| ValueDifference {
        name: clipped(name, bounds.chars),
        before: shown(before.get(name)),
        after: shown(after.get(name)),
    });
    differing.take(bounds.values).collect()
}

/// Returns the lines that differ, with some around them, and the number of those that differ beyond the bounds.
fn differing_lines(before: &str, after: &str, bounds: Bounds) -> (Vec<DifferenceLine>, u64) {
    let (before, after) = (lines(before), lines(after));
    // Numbers in the place of lines: long lines that are nearly alike are compared once.
    let mut numbers = BTreeMap::new();
    let mut numbered = |lines: &[&'_ str]| -> Vec<usize> {
        let number = |line: &&str| {
            let next = numbers.len();
            *numbers.entry((*line).to_owned()).or_insert(next)
        };
        lines.iter().map(number).collect()
    };
    let (old, new) = (numbered(&before), numbered(&after));
    let ops = capture_diff_slices(Algorithm::Patience, &old, &new);
    let mut found: Vec<DifferenceLine> = Vec::new();
    let mut more = 0;
    let mut end = None;
    for group in group_diff_ops(ops, LINES_AROUND) {
        for op in group {
            let (old, new) = (op.old_range(), op.new_range());
            let left_out = end.map_or(0, |end| old.start - end);
            if left_out > 0 && found.len() < bounds.lines {
                found.push(DifferenceLine::LeftOut(left_out as u64));
            }
            end = Some(old.end);
            let text = |line: &&str| clipped(line, bounds.chars);
            let of_op: Vec<DifferenceLine> = if matches!(op, DiffOp::Equal { .. }) {
                let same = before[old].iter().map(text);
                same.map(DifferenceLine::Same).collect()
            } else {
                let gone = before[old].iter().map(text).map(DifferenceLine::Before);
                let new = after[new].iter().map(text).map(DifferenceLine::After);
                gone.chain(new).collect()
            };
            let room = bounds.lines - found.len();
            let rest = of_op.iter().skip(room);
            more += rest.filter(|line| line.is_different()).count() as u64;
            found.extend(of_op.into_iter().take(room));
        }
    }
    (found, more)
}

fn lines(source: &str) -> Vec<&str> {
    source.lines().take(COMPARED_LINES_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::super::candidate::{NewCandidate, Program};
    use super::*;
    use std::sync::Arc;

    fn program(source: Option<String>, n: usize) -> Program {
        Program {
            origin: "a".to_owned(),
            values: BTreeMap::from([("n".to_owned(), n.to_string())]),
            source: source.map(Arc::from),
        }
    }

    fn source(lines: usize, changed: &[usize]) -> String {
        let line = |at: usize| {
            let mark = if changed.contains(&at) { "'" } else { "" };
            format!("line {at}{mark}\n")
        };
        (0..lines).map(line).collect()
    }

    /// An archive with one approach, and candidates that were each made from the one before.
    fn chain(programs: Vec<Program>) -> Archive {
        let mut archive = Archive::default();
        let mut programs = programs.into_iter();
        let first = programs.next().unwrap();
        archive.begin_with(vec![("a".to_owned(), first)]);
        for (parent, program) in programs.enumerate() {
            let made = NewCandidate {
                parent,
                by: "mutate".into(),
                change: String::new(),
                wish: None,
                program,
                control: false,
            };
            archive.add(parent as u32 + 1, vec![made]);
        }
        archive
    }

    fn of(archive: &Archive, index: usize) -> CandidateDifference {
        difference(archive, &archive.candidates[index]).unwrap()
    }

    #[test]
    fn lines_that_differ_are_told_and_others_left_out() {
        let archive = chain(vec![
            program(Some(source(20, &[])), 1),
            program(Some(source(20, &[2, 15])), 2),
        ]);
        let found = of(&archive, 1);
        let text = |line: &DifferenceLine| match line {
            DifferenceLine::Same(text) => format!(" {text}"),
            DifferenceLine::Before(text) => format!("-{text}"),
            DifferenceLine::After(text) => format!("+{text}"),
            DifferenceLine::LeftOut(count) => format!("{count} left out"),
        };
        let lines: Vec<String> = found.lines.iter().map(text).collect();
        let expected = " line 0; line 1;-line 2;+line 2'; line 3; line 4; line 5;6 left out; line 12; line 13; line 14;-line 15;\
                        +line 15'; line 16; line 17; line 18";
        assert_eq!(lines.join(";"), expected);
        assert_eq!(found.more_lines, 0);
        assert_eq!(
            found.values,
            [ValueDifference {
                name: "n".to_owned(),
                before: Some("1".to_owned()),
                after: Some("2".to_owned()),
            }]
        );
        assert_eq!(difference(&archive, &archive.candidates[0]), None);
    }

    #[test]
    fn the_same_source_with_other_line_ends_has_no_lines_that_differ() {
        let archive = chain(vec![
            program(Some("a\nb".to_owned()), 1),
            program(Some("a\r\nb\n".to_owned()), 1),
        ]);
        assert!(of(&archive, 1).is_empty());
        // The code of the approach itself is not compared with itself.
        assert!(of(&chain(vec![program(None, 1), program(None, 1)]), 1).is_empty());
    }

    #[test]
    fn a_difference_is_cut_and_says_how_much_is_missing() {
        let bounds = Bounds {
            lines: 10,
            chars: 5,
            values: 1,
        };
        let changed: Vec<usize> = (0..100).collect();
        let (before, after) = (source(100, &[]), source(100, &changed));
        let (lines, more) = differing_lines(&before, &after, bounds);
        assert_eq!((lines.len(), more), (10, 190));
        assert_eq!(lines[0], DifferenceLine::Before("line …".to_owned()));
    }

    #[test]
    fn the_way_to_what_races_comes_first_where_there_is_no_room_for_all() {
        // Each candidate has another source of long lines, and none is like that of its parent.
        let long = |n: usize| {
            let line = |at: usize| format!("{n} {at} {}\n", "x".repeat(300));
            (0..100).map(line).collect::<String>()
        };
        let programs = (0..200).map(|n| program(Some(long(n)), n)).collect();
        let mut archive = chain(programs);
        let last = archive.candidates.len() - 1;
        archive.candidates[last].parent = Some(0);
        archive.candidates[150].best = true;
        let found = differences(&archive, &[last]);
        let bytes: usize = found.iter().map(CandidateDifference::bytes).sum();
        assert!(bytes <= DIFFERENCES_BYTES_MAX, "{bytes}");
        let names: Vec<&str> = found.iter().map(|one| one.candidate.as_str()).collect();
        let name = |index: usize| archive.candidates[index].name.as_str();
        assert!(found.len() < 40, "{}", found.len());
        assert!(
            names.contains(&name(last)) && names.contains(&name(150)),
            "{names:?}"
        );
        assert!(
            names.contains(&name(1)) && !names.contains(&name(100)),
            "{names:?}"
        );
        // That of the way is longer than others.
        let lines = |wanted: &str| {
            let mut all = found.iter();
            all.find(|one| one.candidate == wanted).unwrap().lines.len()
        };
        assert_eq!(
            (lines(name(last)), lines(name(150))),
            (200, OTHERS_LINES_MAX)
        );
    }
}
