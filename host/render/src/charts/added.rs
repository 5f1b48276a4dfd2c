//! Charts of tables that aggregators add: bars of one column of numbers, or points of two.

use super::canvas::{Anchor, Canvas, WIDTH, label};
use super::chart::Chart;
use crate::added_sections;
use crate::escape::Plain;
use crate::layout;
use bakeoff_domain::report::words::numbers;
use bakeoff_domain::report::{AddedSection, AddedTable, Report};

const LEFT: f64 = 190.0;
const RIGHT: f64 = WIDTH - 160.0;
const TOP: f64 = 16.0;
/// Height of a bar with the gap below it.
const BAR: f64 = 24.0;
/// Height of the plane of points.
const PLANE: f64 = 280.0;
/// The most bars that are drawn; the table has all rows.
const BARS_MAX: usize = 40;
/// Share of an axis by which it goes beyond the points at its ends.
const MARGIN: f64 = 0.05;
/// The widest name beside a bar, and the widest number behind one, in columns of a terminal, which are at most 9 units wide.
const NAME_COLUMNS: usize = 19;
const NUMBER_COLUMNS: usize = 16;
/// The largest number that is drawn: differences of two are finite.
const NUMBER_MAX: f64 = 1e300;

/// Returns the charts of all sections that have one.
pub(crate) fn charts(report: &Report) -> Vec<Chart> {
    let numbered = (1..).zip(&report.sections);
    numbered
        .filter_map(|(number, section)| chart(number, section))
        .collect()
}

/// Returns the chart of a section: of a table whose first column names its rows, bars if one other column is of numbers, and
/// points of the first two if several are. At least two rows need their numbers.
pub(crate) fn chart(number: usize, section: &AddedSection) -> Option<Chart> {
    let table = section.table.as_ref()?;
    let columns = table.columns.iter().enumerate().skip(1);
    let numeric: Vec<usize> = columns
        .filter(|(_, column)| column.numeric)
        .map(|(place, _)| place)
        .collect();
    let (canvas, bottom, description) = match numeric[..] {
        [] => return None,
        [column] => bars(table, column)?,
        [x, y, ..] => points(table, (x, y))?,
    };
    let (name, title) = (format!("section-{number}"), section.heading());
    Some(Chart {
        svg: canvas.finish(&name, &title, &description, bottom),
        name,
        title,
        description,
        table: added_sections::table(section)?,
    })
}

/// Returns the number of a cell, if it is one.
fn number(cell: &str) -> Option<f64> {
    let parsed: f64 = cell.trim().parse().ok()?;
    (parsed.abs() <= NUMBER_MAX).then_some(parsed)
}

fn bars(table: &AddedTable, column: usize) -> Option<(Canvas, f64, String)> {
    let rows: Vec<(&str, &str, f64)> = table
        .rows
        .iter()
        .filter_map(|row| Some((row[0].as_str(), row[column].as_str(), number(&row[column])?)))
        .collect();
    let left_out = rows.len().saturating_sub(BARS_MAX);
    let rows = &rows[..rows.len().min(BARS_MAX)];
    if rows.len() < 2 {
        return None;
    }
    let values = || rows.iter().map(|(_, _, value)| *value);
    let (low, high) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
    if low == high {
        return None;
    }
    let x = |value: f64| LEFT + (value - low) / (high - low) * (RIGHT - LEFT);
    let bottom = TOP + BAR * rows.len() as f64;
    let mut canvas = Canvas::new();
    canvas.line((x(0.0), TOP - 4.0), (x(0.0), bottom), "axis");
    for (place, (name, text, value)) in rows.iter().enumerate() {
        let top = TOP + BAR * place as f64;
        let middle = top + BAR / 2.0;
        let (from, to) = (x(value.min(0.0)), x(value.max(0.0)));
        canvas.rect((from, top + 3.0), (to - from, BAR - 6.0), 0);
        let name = fitting(name, NAME_COLUMNS);
        canvas.text((LEFT - 8.0, middle), &name, Anchor::End, false);
        let text = fitting(text, NUMBER_COLUMNS);
        canvas.text((to + 6.0, middle), &text, Anchor::Start, true);
    }
    let what = label(&table.columns[column].title);
    let more = more(left_out);
    let shown = format!("{what}{more}");
    canvas.text((LEFT, bottom + 18.0), &shown, Anchor::Start, true);
    let by = label(&table.columns[0].title);
    let description = format!("Bars of {what}, from 0, by {by}{more}.");
    Some((canvas, bottom + 28.0, description))
}

fn points(table: &AddedTable, (x, y): (usize, usize)) -> Option<(Canvas, f64, String)> {
    let rows: Vec<(&Vec<String>, f64, f64)> = table
        .rows
        .iter()
        .filter_map(|row| Some((row, number(&row[x])?, number(&row[y])?)))
        .collect();
    if rows.len() < 2 {
        return None;
    }
    let across = Axis::of(rows.iter().map(|row| row.1), (LEFT, RIGHT));
    let upwards = Axis::of(rows.iter().map(|row| row.2), (TOP + PLANE, TOP));
    let [x_name, y_name] = [x, y].map(|column| label(&table.columns[column].title));
    let bottom = TOP + PLANE;
    let mut canvas = Canvas::new();
    canvas.line((LEFT, bottom), (RIGHT, bottom), "axis");
    canvas.line((LEFT, TOP), (LEFT, bottom), "axis");
    for (value, anchor) in [(across.low, Anchor::Start), (across.high, Anchor::End)] {
        let text = numbers::significant(value, 3);
        canvas.text((across.at(value), bottom + 18.0), &text, anchor, true);
    }
    for value in [upwards.low, upwards.high] {
        let text = numbers::significant(value, 3);
        canvas.text(
            (LEFT - 8.0, upwards.at(value) + 4.0),
            &text,
            Anchor::End,
            true,
        );
    }
    for (row, at_x, at_y) in &rows {
        let [name, x_text, y_text] = [0, x, y].map(|column| label(&row[column]));
        let text = format!("{name}: {x_text} and {y_text}");
        canvas.dot((across.at(*at_x), upwards.at(*at_y)), &text);
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    canvas.text((middle, bottom + 36.0), &x_name, Anchor::Middle, true);
    canvas.text((LEFT + 6.0, TOP + 12.0), &y_name, Anchor::Start, true);
    let description = format!(
        "Points of {x_name} (horizontal) and {y_name} (vertical), one for each {}.",
        label(&table.columns[0].title)
    );
    Some((canvas, bottom + 46.0, description))
}

/// Returns a phrase about rows that are not drawn.
fn more(left_out: usize) -> String {
    match left_out {
        0 => String::new(),
        count => format!(" (the first {BARS_MAX}; {count} more rows are in the table)"),
    }
}

/// Returns a text cut to so many columns of a terminal, with what controls a terminal written out.
fn fitting(text: &str, columns: usize) -> String {
    layout::clipped(&Plain(text).to_string(), columns)
}

/// A linear axis from a value to another, drawn between two coordinates.
struct Axis {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>, (start, end): (f64, f64)) -> Self {
        let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = ends;
        let margin = ((high - low) * MARGIN)
            .max(low.abs() * 0.01)
            .max(f64::MIN_POSITIVE);
        Self {
            low: low - margin,
            high: high + margin,
            start,
            end,
        }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        self.start + share.clamp(0.0, 1.0) * (self.end - self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::report::AddedColumn;

    fn section(columns: &[(&str, bool)], rows: &[&[&str]]) -> AddedSection {
        let columns = columns.iter().map(|(title, numeric)| AddedColumn {
            title: (*title).to_owned(),
            numeric: *numeric,
        });
        let rows = rows
            .iter()
            .map(|row| row.iter().map(|cell| (*cell).to_owned()).collect());
        AddedSection {
            aggregator: "mine".to_owned(),
            title: "<b>sizes</b>".to_owned(),
            table: Some(AddedTable {
                columns: columns.collect(),
                rows: rows.collect(),
            }),
            ..AddedSection::default()
        }
    }

    const NAME: (&str, bool) = ("variant", false);

    #[test]
    fn one_column_of_numbers_is_bars_from_zero() {
        let rows: [&[&str]; 4] = [
            &["heap", "30"],
            &["<sort>", "-10"],
            &["none", "–"],
            &["nan", "NaN"],
        ];
        let chart = chart(2, &section(&[NAME, ("bytes", true)], &rows)).unwrap();
        assert_eq!(chart.name, "section-2");
        // The whole width is 40, of which 10 lie left of zero.
        let whole = RIGHT - LEFT;
        let bar = |from: f64, width: f64| {
            format!(r#"x="{from:.1}" y="#) + &format!(r#""{{}}" width="{width:.1}""#)
        };
        let has = |from, width, top: f64| {
            let bar = bar(from, width).replace("{}", &format!("{top:.1}"));
            assert!(chart.svg.contains(&bar), "{bar}: {}", chart.svg);
        };
        has(LEFT + whole / 4.0, whole * 0.75, TOP + 3.0);
        has(LEFT, whole / 4.0, TOP + BAR + 3.0);
        assert_eq!(chart.svg.matches("<rect").count(), 2);
        assert!(chart.svg.contains("&lt;sort&gt;") && !chart.svg.contains("<b>"));
        assert_eq!(chart.table.rows.len(), 4);
    }

    #[test]
    fn what_does_not_fit_is_cut_and_what_is_not_drawn_is_said() {
        assert_eq!(
            fitting("123456789012345", NUMBER_COLUMNS),
            "123456789012345"
        );
        assert_eq!(
            fitting("12345678901234567", NUMBER_COLUMNS),
            "123456789012345…"
        );
        assert_eq!(
            fitting(&"値".repeat(30), NAME_COLUMNS),
            "値".repeat(9) + "…"
        );
        let cells: Vec<[String; 2]> = (0..50)
            .map(|row| [format!("r{row}"), (row + 1).to_string()])
            .collect();
        let rows: Vec<[&str; 2]> = cells
            .iter()
            .map(|[a, b]| [a.as_str(), b.as_str()])
            .collect();
        let rows: Vec<&[&str]> = rows.iter().map(|row| &row[..]).collect();
        let chart = chart(1, &section(&[NAME, ("n", true)], &rows)).unwrap();
        assert_eq!(chart.svg.matches("<rect").count(), BARS_MAX);
        let said = "(the first 40; 10 more rows are in the table)";
        assert_eq!(chart.svg.matches(said).count(), 2, "{}", chart.svg);
    }

    #[test]
    fn two_columns_of_numbers_are_points() {
        let columns = [
            NAME,
            ("kind", false),
            ("size", true),
            ("speed", true),
            ("more", true),
        ];
        let rows: [&[&str]; 3] = [
            &["a", "k", "1", "1e300", "x"],
            &["b", "k", "2", "-1e300", "x"],
            &["c", "k", "3", "1e301", "x"],
        ];
        let chart = chart(1, &section(&columns, &rows)).unwrap();
        assert_eq!(chart.svg.matches("<circle").count(), 2);
        assert!(
            !chart.svg.contains("NaN") && !chart.svg.contains("inf"),
            "{}",
            chart.svg
        );
        assert!(
            chart
                .description
                .contains("size (horizontal) and speed (vertical)")
        );
    }

    #[test]
    fn a_table_without_two_numbers_has_no_chart() {
        let one: [&[&str]; 2] = [&["a", "1"], &["b", "–"]];
        assert_eq!(chart(1, &section(&[NAME, ("n", true)], &one)), None);
        let words: [&[&str]; 2] = [&["a", "1"], &["b", "2"]];
        assert_eq!(chart(1, &section(&[NAME, ("n", false)], &words)), None);
        // The first column names the rows, whatever it has.
        assert_eq!(
            chart(1, &section(&[("n", true), ("word", false)], &words)),
            None
        );
        let zeros: [&[&str]; 2] = [&["a", "0"], &["b", "0"]];
        assert_eq!(chart(1, &section(&[NAME, ("n", true)], &zeros)), None);
        assert_eq!(chart(1, &AddedSection::default()), None);
    }
}
