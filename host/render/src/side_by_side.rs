//! Sources side by side: the first one beside each of the others, line by line, as markup.

use super::code::CodeSample;
use super::escape::Html;
use bakeoff_domain::report::words::numbers;
use bakeoff_domain::wording;
use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};
use std::fmt::Write;

/// Lines alike that are kept before and after a difference.
const LINES_AROUND: usize = 3;
/// The most sources that stand beside the first.
const OTHERS_MAX: usize = 9;
/// The most lines of a source that are compared.
const LINES_MAX: usize = 1_000;
/// The most rows of all tables together.
const ROWS_MAX: usize = 2_000;

/// A row of a table.
#[derive(Debug, PartialEq, Eq)]
enum Row {
    /// Number of lines that are the same in both, and left out.
    LeftOut(usize),
    /// A line that is the same in both, at these places, from 0 on.
    Same(usize, usize),
    /// A line of the first source, one of the other, or one of each that stand in the same place.
    Different(Option<usize>, Option<usize>),
}

/// Returns the section, if there are two sources at least.
pub(super) fn section(samples: &[CodeSample]) -> Option<String> {
    let (first, others) = samples.split_first()?;
    if others.is_empty() {
        return None;
    }
    let mut markup = String::from("<section id=\"sides\">\n<h2>Sources side by side</h2>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        markup,
        "<p>{0} on the left, each of the others on the right. A − marks a line that only {0} has, a + one that only \
         the other has.</p>",
        Html(&first.name)
    );
    let mut rows_left = ROWS_MAX;
    let mut shown = 0;
    for other in others.iter().take(OTHERS_MAX) {
        let (left, right) = (lines(&first.source), lines(&other.source));
        let rows = rows(&left, &right);
        if rows.len() > rows_left {
            break;
        }
        rows_left -= rows.len();
        table(&mut markup, (first, &left), (other, &right), &rows);
        shown += 1;
    }
    if shown < others.len() {
        let left_out = numbers::count((others.len() - shown) as u64);
        let _ = writeln!(
            markup,
            "<p>{left_out} of the others are left out: the page would be too long.</p>"
        );
    }
    markup += "</section>\n";
    Some(markup)
}

fn lines(source: &str) -> Vec<&str> {
    source.lines().take(LINES_MAX).collect()
}

/// Returns the rows of a table: differences, the lines around them, and the number of lines that
/// are left out.
fn rows(left: &[&str], right: &[&str]) -> Vec<Row> {
    let ops = capture_diff_slices(Algorithm::Patience, left, right);
    let mut rows = Vec::new();
    let mut end = 0;
    for group in group_diff_ops(ops, LINES_AROUND) {
        for op in group {
            let (old, new) = (op.old_range(), op.new_range());
            if old.start > end {
                rows.push(Row::LeftOut(old.start - end));
            }
            end = old.end;
            if matches!(op, DiffOp::Equal { .. }) {
                rows.extend(old.zip(new).map(|(old, new)| Row::Same(old, new)));
                continue;
            }
            for place in 0..old.len().max(new.len()) {
                let old = old.clone().nth(place);
                rows.push(Row::Different(old, new.clone().nth(place)));
            }
        }
    }
    if left.len() > end {
        rows.push(Row::LeftOut(left.len() - end));
    }
    rows
}

type Side<'a> = (&'a CodeSample, &'a [&'a str]);

fn table(markup: &mut String, first: Side<'_>, other: Side<'_>, rows: &[Row]) {
    let different = rows.iter().filter(|row| matches!(row, Row::Different(..)));
    let difference = match different.count() {
        0 => "no line differs".to_owned(),
        1 => "1 line differs".to_owned(),
        count => format!("{} lines differ", numbers::count(count as u64)),
    };
    let names = (Html(&first.0.name), Html(&other.0.name));
    let _ = write!(
        markup,
        "<details>\n<summary>{0} and {1}: {difference}</summary>\n\
         <div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0} and {1} side by side\">\n\
         <table class=\"sides\">\n<colgroup><col class=\"place\"><col><col class=\"place\"><col></colgroup>\n<thead><tr><th scope=\"col\" colspan=\"2\">{0}</th>\
         <th scope=\"col\" colspan=\"2\">{1}</th></tr></thead>\n<tbody>\n",
        names.0, names.1
    );
    let line = |markup: &mut String,
                kind: &str,
                sign: &str,
                lines: &[&str],
                place: Option<usize>| {
        let Some((place, text)) = place.and_then(|at| Some((at, lines.get(at)?))) else {
            *markup += "<td class=\"void\"></td><td class=\"void\"></td>";
            return;
        };
        let number = place + 1;
        let _ = write!(
            markup,
            "<td class=\"{kind} place\">{sign} {number}</td><td class=\"{kind}\"><code>{}</code></td>",
            Html(text)
        );
    };
    for row in rows {
        *markup += "<tr>";
        match *row {
            Row::LeftOut(count) => {
                let lines = wording::counted_as(count as u64, "line", "lines");
                let _ = write!(
                    markup,
                    "<td class=\"same\" colspan=\"4\">{lines} alike</td>"
                );
            }
            Row::Same(old, new) => {
                line(markup, "same", "", first.1, Some(old));
                line(markup, "same again", "", other.1, Some(new));
            }
            Row::Different(old, new) => {
                line(markup, "gone", "−", first.1, old);
                line(markup, "new", "+", other.1, new);
            }
        }
        *markup += "</tr>\n";
    }
    *markup += "</tbody>\n</table>\n</div>\n</details>\n";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(left: &str, right: &str) -> Vec<Row> {
        rows(&lines(left), &lines(right))
    }

    #[test]
    fn lines_that_differ_stand_beside_each_other() {
        let rows = of("a\nb\nc", "a\nB\nc\nd");
        let wanted = [
            Row::Same(0, 0),
            Row::Different(Some(1), Some(1)),
            Row::Same(2, 2),
            Row::Different(None, Some(3)),
        ];
        assert_eq!(rows, wanted);
        assert_eq!(
            of("a\nb", "b"),
            [Row::Different(Some(0), None), Row::Same(1, 0)]
        );
    }

    #[test]
    fn what_is_alike_far_from_a_difference_is_counted() {
        let long: Vec<String> = (0..20).map(|line| format!("line {line}")).collect();
        let mut other = long.clone();
        other[10] = "another".to_owned();
        let rows = of(&long.join("\n"), &other.join("\n"));
        assert_eq!(rows.first(), Some(&Row::LeftOut(7)));
        assert_eq!(rows.last(), Some(&Row::LeftOut(6)));
        assert_eq!(rows.len(), 9);
        assert_eq!(of("a\nb", "a\nb"), [Row::LeftOut(2)]);
        assert_eq!(of("", ""), []);
    }

    /// Every line is in some row, or counted, whatever the two sources are.
    #[test]
    fn no_line_is_lost() {
        let mut state = 1_u64;
        let mut text = || {
            let mut next = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 33) as usize
            };
            let lines: Vec<String> = (0..next() % 40).map(|_| (next() % 5).to_string()).collect();
            lines.join("\n")
        };
        for _ in 0..500 {
            let (left, right) = (text(), text());
            let (left, right) = (lines(&left), lines(&right));
            let (mut old_end, mut new_end) = (0, 0);
            for row in rows(&left, &right) {
                let (old, new) = match row {
                    Row::LeftOut(count) => {
                        assert_eq!(
                            left[old_end..old_end + count],
                            right[new_end..new_end + count]
                        );
                        old_end += count;
                        new_end += count;
                        continue;
                    }
                    Row::Same(old, new) => {
                        assert_eq!(left[old], right[new]);
                        (Some(old), Some(new))
                    }
                    Row::Different(old, new) => (old, new),
                };
                for (place, end) in [(old, &mut old_end), (new, &mut new_end)] {
                    if let Some(place) = place {
                        assert_eq!(place, *end);
                        *end += 1;
                    }
                }
            }
            assert_eq!((old_end, new_end), (left.len(), right.len()));
        }
    }
}
