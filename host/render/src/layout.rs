//! Tables as lines of a terminal. No word is broken: columns that do not fit side by side go into
//! another table below.

use super::table::{Align, Table};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Spaces between two columns: as many as fit, from `GAP` down to `GAP_MIN`.
const GAP: usize = 3;
const GAP_MIN: usize = 1;

/// Returns the lines of a table in a width, with a rule below the headings. The cells must be escaped already.
pub(super) fn lines(table: &Table, width: usize) -> Vec<String> {
    let widths = widths(table);
    let (first, others) = widths.split_first().map_or((0, &[][..]), |(w, o)| (*w, o));
    let first = first.min(width / 2);
    let room = width.saturating_sub(first + 1);
    let natural = |gap: usize| others.iter().map(|width| width + gap).sum::<usize>();
    let gap = (GAP_MIN..=GAP).rev().find(|gap| natural(*gap) <= room);
    let gap = gap.unwrap_or(GAP_MIN + 1);
    let mut lines = Vec::new();
    for columns in parts(others, gap, room) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        part(table, &widths, &columns, (first, gap), &mut lines);
    }
    lines
}

/// Returns the width of the widest cell of each column.
fn widths(table: &Table) -> Vec<usize> {
    let column = |(index, (title, _)): (usize, &(String, Align))| {
        let cells = table.rows.iter().filter_map(|row| row.get(index));
        let widths = cells.chain([title]).map(|cell| cell.width());
        widths.max().unwrap_or(0)
    };
    table.columns.iter().enumerate().map(column).collect()
}

/// Returns the columns after the first, in groups that fit side by side.
fn parts(widths: &[usize], gap: usize, room: usize) -> Vec<Vec<usize>> {
    let mut parts = vec![Vec::new()];
    let mut used = 0;
    for (index, width) in widths.iter().enumerate() {
        if used > 0 && used + width + gap > room {
            parts.push(Vec::new());
            used = 0;
        }
        used += width + gap;
        if let Some(part) = parts.last_mut() {
            part.push(index + 1);
        }
    }
    parts
}

/// Adds the lines of the first column beside some of the others.
fn part(
    table: &Table,
    widths: &[usize],
    columns: &[usize],
    (first, gap): (usize, usize),
    lines: &mut Vec<String>,
) {
    let line = |cells: Vec<&String>| {
        let mut line = format!(" {}", padded(&clipped(cells[0], first), first, Align::Left));
        for index in columns {
            let (cell, width) = (cells[*index], widths[*index]);
            line += &" ".repeat(gap);
            line += &padded(cell, width, table.columns[*index].1);
        }
        line
    };
    let heading = line(table.columns.iter().map(|(title, _)| title).collect());
    let rule = "─".repeat(heading.width() + 1);
    lines.push(heading);
    lines.push(rule);
    lines.extend(table.rows.iter().map(|row| line(row.iter().collect())));
}

/// Returns a text with spaces behind or before it, as wide as others of its column. Letters of some scripts take two
/// columns of a terminal, and signs that join others none.
pub(super) fn padded(text: &str, width: usize, align: Align) -> String {
    let spaces = " ".repeat(width.saturating_sub(text.width()));
    match align {
        Align::Left => format!("{text}{spaces}"),
        Align::Right => format!("{spaces}{text}"),
    }
}

/// Returns a text, cut to a width with `…` at its end.
pub(super) fn clipped(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let kept = text.chars().take_while(|letter| {
        let columns = letter.width().unwrap_or(0);
        let fits = columns <= left;
        left = left.saturating_sub(columns);
        fits
    });
    kept.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let column = |title: &str| (title.to_owned(), Align::Right);
        let row = |name: &str| vec![name.to_owned(), "10.0".to_owned(), "1".to_owned()];
        Table {
            caption: String::new(),
            columns: vec![
                ("variant".to_owned(), Align::Left),
                column("performance"),
                column("rank"),
            ],
            rows: vec![row("heap"), row("quickselect-in-place")],
        }
    }

    #[test]
    fn gaps_narrow_before_anything_else() {
        assert_eq!(
            lines(&table(), 60)[0],
            " variant                performance   rank"
        );
        assert_eq!(
            lines(&table(), 38)[0],
            " variant             performance rank"
        );
    }

    #[test]
    fn letters_of_two_columns_leave_the_others_where_they_are() {
        let mut table = table();
        table.rows[0][0] = "堆排序".to_owned();
        let lines = lines(&table, 60);
        assert_eq!(lines[2], " 堆排序                        10.0      1");
        assert_eq!(lines[3], " quickselect-in-place          10.0      1");
        assert_eq!(clipped("堆排序", 4), "堆…");
    }

    #[test]
    fn columns_that_do_not_fit_go_below_and_no_word_is_broken() {
        let lines = lines(&table(), 30);
        assert_eq!(
            lines,
            [
                " variant          performance",
                "──────────────────────────────",
                " heap                    10.0",
                " quickselect-in…         10.0",
                "",
                " variant          rank",
                "───────────────────────",
                " heap                1",
                " quickselect-in…     1",
            ]
        );
    }
}
