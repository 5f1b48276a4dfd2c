//! Candidates of a search as a page shows them: each can be opened, and says who made it, what it gained, and what it
//! changed in the one that it was made from. All names, changes, values and sources come from outside.

use super::escape::{Html, ShellWord};
use super::lineage::{TreeRow, over_parent};
use super::rounds::{CHARS_MAX, criterion, figure};
use super::{clipped, difference};
use bakeoff_domain::numbers;
use bakeoff_domain::report::{Against, CandidateDifference, Report, RoundCandidate, Rounds};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The longest message of a failure, in characters.
const MESSAGE_CHARS_MAX: usize = 300;

/// The longest change in words in an entry that is open, in characters.
const CHANGE_CHARS_MAX: usize = 400;

/// The longest name in a command, in characters: no search gives a longer one.
const NAME_CHARS_MAX: usize = 200;

/// The deepest level of the list; what is deeper stands on it.
const DEPTH_MAX: usize = 12;

/// A candidate that can be opened.
pub(super) struct CandidateEntry {
    /// Level in the list, from 0.
    depth: usize,
    /// Name, change and figure, in one line.
    title: String,
    /// True if it stands open at first.
    is_open: bool,
    /// True if the best descends from it.
    is_on_way: bool,
    /// Sentences on its making and its result.
    sentences: Vec<String>,
    /// Values and lines that it changed.
    difference: Option<CandidateDifference>,
}

/// Returns the steps of the way to a finalist, all open.
pub(super) fn of_way(report: &Report, rounds: &Rounds, way: &[TreeRow<'_>]) -> Vec<CandidateEntry> {
    let known = known(rounds);
    let entry = |row: &TreeRow<'_>| {
        let found = known.get(row.candidate.name.as_str()).copied();
        let mut entry = entry(report, rounds, row);
        entry.is_open = row.candidate.round > 0;
        entry.sentences.extend(rest(row.candidate, found));
        entry.difference = found.cloned();
        entry
    };
    way.iter().map(entry).collect()
}

/// Returns the candidates of a tree, all closed. Those on the way, whose differences stand there, are marked.
pub(super) fn of_tree(
    report: &Report,
    rounds: &Rounds,
    tree: &[TreeRow<'_>],
    way: &[TreeRow<'_>],
) -> Vec<CandidateEntry> {
    let known = known(rounds);
    let way: BTreeSet<&str> = way.iter().map(|row| row.candidate.name.as_str()).collect();
    let entry = |row: &TreeRow<'_>| {
        let name = row.candidate.name.as_str();
        let mut entry = entry(report, rounds, row);
        entry.is_on_way = way.contains(name);
        if entry.is_on_way && row.candidate.round > 0 {
            let above = "What it changed stands above, with the way.";
            entry.sentences.push(above.to_owned());
        } else {
            let found = known.get(name).copied();
            entry.sentences.extend(rest(row.candidate, found));
            entry.difference = found.cloned();
        }
        entry
    };
    tree.iter().map(entry).collect()
}

/// Returns the differences of a search by the names of their candidates.
fn known(rounds: &Rounds) -> BTreeMap<&str, &CandidateDifference> {
    let all = rounds.differences.iter();
    all.map(|one| (one.candidate.as_str(), one)).collect()
}

fn entry(report: &Report, rounds: &Rounds, row: &TreeRow<'_>) -> CandidateEntry {
    CandidateEntry {
        depth: row.depth.min(DEPTH_MAX),
        title: title(report, rounds, row.candidate),
        is_open: false,
        is_on_way: false,
        sentences: sentences(report, rounds, row),
        difference: None,
    }
}

/// Returns the candidate in one line: `a 2.1: n 2 → 3, 1.25 ×`.
fn title(report: &Report, rounds: &Rounds, one: &RoundCandidate) -> String {
    let change = if one.round == 0 {
        "an approach of the experiment".to_owned()
    } else {
        clipped(&one.change, CHARS_MAX)
    };
    let outcome = match one.outcome.as_str() {
        "passed" => String::new(),
        "gated" => "fails a gate".to_owned(),
        "same" => "the same program as an earlier one".to_owned(),
        class => format!("failed: {}", clipped(class, 40)),
    };
    let figure = figure(criterion(report, rounds), one.ratio, one.reading);
    let figure = if figure == "–" {
        String::new()
    } else {
        figure
    };
    let parts = [change, outcome, figure];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let name = clipped(&one.name, CHARS_MAX);
    if parts.is_empty() {
        return name;
    }
    format!("{name}: {}", parts.join(", "))
}

/// Says who made a candidate of what, what it gained, and what became of it.
fn sentences(report: &Report, rounds: &Rounds, row: &TreeRow<'_>) -> Vec<String> {
    let one = row.candidate;
    let mut all = Vec::new();
    if one.round > 0 {
        all.push(made(one));
        if one.change.chars().count() > CHARS_MAX {
            let change = clipped(&one.change, CHANGE_CHARS_MAX);
            all.push(format!("What is new in it: {change}."));
        }
    }
    let message = one.message.as_deref().unwrap_or_default();
    let message = clipped(message, MESSAGE_CHARS_MAX);
    match one.outcome.as_str() {
        "passed" => {}
        "gated" => all.push("It passed its checks, and fails a gate of a criterion.".to_owned()),
        "same" => all.push(format!(
            "It is the same program as {message}, and was not measured."
        )),
        class => all.push(format!("It failed, {}: {message}", clipped(class, 40))),
    }
    all.extend(gained(report, rounds, row));
    let mut took = rounds.took.iter().filter(|took| took.round > 0);
    let then = took.find(|took| {
        let best = took.best.as_ref();
        best.is_some_and(|best| best.is_new && best.name == one.name)
    });
    all.extend(then.map(|took| format!("It became the best in round {}.", took.round)));
    all
}

fn made(one: &RoundCandidate) -> String {
    let wish = match one.wish.as_deref() {
        _ if one.control && one.by == "model" => ", told nothing of the search",
        _ if one.control => ", drawn without regard to any result",
        Some("improve") => ", asked for a better version of the best",
        Some("combine") => ", asked for the best of two in one",
        Some("new") => ", asked for another idea than those that were tried",
        _ => "",
    };
    format!(
        "Made in round {} by {}{wish}, from {}.",
        one.round,
        clipped(&one.by, 40),
        clipped(&one.parent, CHARS_MAX)
    )
}

/// Says at which figure a candidate was found, and which that of its parent is.
fn gained(report: &Report, rounds: &Rounds, row: &TreeRow<'_>) -> Option<String> {
    let one = row.candidate;
    let by = criterion(report, rounds);
    let own = figure(by, one.ratio, one.reading);
    if own == "–" {
        return None;
    }
    let is_read = by.is_some() && one.reading.is_some();
    let found = match by.filter(|_| is_read) {
        Some(by) => format!(
            "In the search it had {} {own}",
            clipped(&by.name, CHARS_MAX)
        ),
        None => format!(
            "In the last short race that timed it, it had {own} the speed of {}{}",
            clipped(&rounds.reference, CHARS_MAX),
            one.against.as_ref().map_or_else(String::new, interval)
        ),
    };
    let parent = row.parent.filter(|_| one.round > 0);
    let over = parent.and_then(|parent| {
        let other = figure(by, parent.ratio, parent.reading);
        let over = over_parent(report, rounds, row)?;
        let name = clipped(&parent.name, CHARS_MAX);
        Some(format!(
            "; {name}, from which it was made, {other} ({over})"
        ))
    });
    let over = over.unwrap_or_default();
    Some(format!(
        "{found}{over}. That steered the search, and claims nothing."
    ))
}

/// Returns the interval and the verdict of a short race.
fn interval(against: &Against) -> String {
    let end = |end: Option<f64>| end.map_or("?".to_owned(), |end| numbers::significant(end, 3));
    format!(
        " ({}–{}: {})",
        end(against.low),
        end(against.high),
        against.verdict.name()
    )
}

/// Says where the rest of a difference is, if it is not all here.
fn rest(one: &RoundCandidate, known: Option<&CandidateDifference>) -> Option<String> {
    if one.round == 0 {
        return None;
    }
    let begin = match known {
        Some(known) if known.more_lines == 0 => return None,
        Some(known) => match known.more_lines {
            1 => "1 more line differs".to_owned(),
            more => format!("{} more lines differ", numbers::count(more)),
        },
        None => "What it changed is not in this report".to_owned(),
    };
    Some(format!(
        "{begin}: bakeoff archive DIR --diff {}",
        ShellWord(&clipped(&one.name, NAME_CHARS_MAX))
    ))
}

/// Returns candidates as lists within lists, each of which can be opened without a script.
pub(super) fn markup(entries: &[CandidateEntry]) -> String {
    let mut out = String::from("<ul class=\"candidates\">\n");
    let mut depth = 0;
    for (place, entry) in entries.iter().enumerate() {
        // A level is never left out downwards.
        let wanted = entry.depth.min(depth + 1);
        if place > 0 && wanted > depth {
            out.push_str("<ul>\n");
        } else if place > 0 {
            out.push_str("</li>\n");
            out.push_str(&"</ul></li>\n".repeat(depth - wanted));
        }
        depth = if place == 0 { 0 } else { wanted };
        written(&mut out, entry);
    }
    if !entries.is_empty() {
        out.push_str("</li>\n");
    }
    out.push_str(&"</ul></li>\n".repeat(depth));
    out.push_str("</ul>\n");
    out
}

fn written(out: &mut String, entry: &CandidateEntry) {
    let class = if entry.is_on_way {
        " class=\"way\""
    } else {
        ""
    };
    let title = Html(&entry.title);
    // Writing to a text cannot fail.
    if entry.sentences.is_empty() && entry.difference.is_none() {
        let _ = writeln!(out, "<li{class}>{title}");
        return;
    }
    let open = if entry.is_open { " open" } else { "" };
    let _ = writeln!(out, "<li{class}><details{open}><summary>{title}</summary>");
    for sentence in &entry.sentences {
        let _ = writeln!(out, "<p>{}</p>", Html(sentence));
    }
    if let Some(own) = &entry.difference {
        let values = difference::values(own);
        for value in values {
            let _ = writeln!(out, "<p>{}</p>", Html(&value));
        }
        out.push_str(&difference::lines_as_markup(own));
    }
    out.push_str("</details>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lineage::{best_finalist, tree, way_to};
    use crate::rounds::tests::rounds;
    use bakeoff_domain::report::{DifferenceLine, ValueDifference};
    use bakeoff_domain::verdict::Verdict;

    fn searched() -> Rounds {
        let mut rounds = rounds();
        rounds.lineage[3].ratio = Some(2.5);
        rounds.lineage[3].against = Some(Against {
            verdict: Verdict::Beats,
            low: Some(2.1),
            high: Some(2.9),
        });
        rounds.lineage[3].by = "model".to_owned();
        rounds.lineage[3].wish = Some("combine".to_owned());
        rounds.lineage[2].message = Some("unreachable at line 3".to_owned());
        let line = |text: &str| DifferenceLine::After(text.to_owned());
        rounds.differences = vec![
            CandidateDifference {
                candidate: "a 1.1".to_owned(),
                lines: vec![line("first")],
                ..CandidateDifference::default()
            },
            CandidateDifference {
                candidate: "a 2.1".to_owned(),
                values: vec![ValueDifference {
                    name: "n".to_owned(),
                    before: Some("2".to_owned()),
                    after: Some("3".to_owned()),
                }],
                lines: vec![line("</pre><script>second")],
                more_lines: 1_234,
            },
        ];
        rounds
    }

    fn pages() -> (String, String) {
        let report = crate::tables::tests::named("a");
        let rounds = searched();
        let way = way_to(&rounds, best_finalist(&report, &rounds).unwrap());
        let of_way = markup(&of_way(&report, &rounds, &way));
        let of_tree = markup(&of_tree(&report, &rounds, &tree(&rounds), &way));
        (of_way, of_tree)
    }

    #[test]
    fn each_step_to_the_best_says_what_it_changed_and_gained() {
        let (way, _) = pages();
        assert_eq!(way.matches("<details open>").count(), 2, "{way}");
        for part in [
            "<summary>a: an approach of the experiment, 1.25 ×</summary>",
            "<ins>+ first</ins>",
            "<summary>a 2.1: n 2 → 3, 2.50 ×</summary>",
            "<p>Made in round 2 by model, asked for the best of two in one, from a 1.1.</p>",
            "it had 2.50 × the speed of a (2.10–2.90: faster); a 1.1, from which it was made, 1.25 × (2.00 ×). That steered the \
             search, and claims nothing.",
            "<p>It became the best in round 2.</p>",
            "<p>n: 2 → 3</p>",
            "<ins>+ &lt;/pre&gt;&lt;script&gt;second</ins>",
            "<p>1234 more lines differ: bakeoff archive DIR --diff &#39;a 2.1&#39;</p>",
        ] {
            assert!(way.contains(part), "{part}: {way}");
        }
    }

    #[test]
    fn the_tree_is_lists_within_lists_and_marks_the_way() {
        let (_, tree) = pages();
        assert_eq!(tree.matches("<ul").count(), tree.matches("</ul>").count());
        assert_eq!(tree.matches("<li").count(), tree.matches("</li>").count());
        let order: Vec<usize> = ["a: an", "<ul>", "a 1.1:", "a 2.1:", "</ul>", "a 1.2:"]
            .iter()
            .map(|part| tree.find(part).unwrap_or_else(|| panic!("{part}: {tree}")))
            .collect();
        assert!(order.is_sorted(), "{tree}");
        assert_eq!(tree.matches("<li class=\"way\">").count(), 3, "{tree}");
        for part in [
            "<summary>a 1.2: n 1 → 2, failed: trap, 1.25 ×</summary>",
            "<p>It failed, trap: unreachable at line 3</p>",
            "<p>What it changed is not in this report: bakeoff archive DIR --diff &#39;a 1.2&#39;</p>",
            "<p>What it changed stands above, with the way.</p>",
        ] {
            assert!(tree.contains(part), "{part}: {tree}");
        }
        // What the way shows is not shown again.
        assert!(!tree.contains("<ins>"), "{tree}");
    }

    #[test]
    fn levels_that_a_damaged_list_leaves_out_do_not_unbalance_it() {
        let levels = [3, 9, 9, 2, 0, 40, 1];
        let entry = |depth: &usize| CandidateEntry {
            depth: *depth,
            title: "x".to_owned(),
            is_open: false,
            is_on_way: false,
            sentences: Vec::new(),
            difference: None,
        };
        let entries: Vec<CandidateEntry> = levels.iter().map(entry).collect();
        let text = markup(&entries);
        assert_eq!(text.matches("<ul").count(), text.matches("</ul>").count());
        assert_eq!(text.matches("<li").count(), text.matches("</li>").count());
        assert_eq!(text.matches("<li>x").count(), levels.len());
    }
}
