//! The chart of a search's archive: a map of its cells, the stronger the better the best in each is.

use super::canvas::{Anchor, Canvas, WIDTH, label};
use super::chart::Chart;
use crate::archive_map::{HEADING, NamedMap};
use bakeoff_domain::report::Report;

const LEFT: f64 = 130.0;
const RIGHT: f64 = WIDTH - 20.0;
const TOP: f64 = 28.0;

/// Height of a cell.
const TILE_HEIGHT: f64 = 34.0;

/// Space between two cells.
const GAP: f64 = 2.0;

/// Width of a character, at most.
const CHAR_WIDTH: f64 = 8.0;

/// Returns the map of the archive, if the search had cells.
pub(crate) fn chart(report: &Report) -> Option<Chart> {
    let named = NamedMap::of(report, report.rounds.as_ref()?)?;
    let (across, down) = named.extent();
    let width = (RIGHT - LEFT) / across as f64;
    let bottom = TOP + TILE_HEIGHT * down as f64;
    let x = |column: usize| LEFT + width * column as f64;
    // The larger reading of the second axis is above.
    let y = |row: usize| bottom - TILE_HEIGHT * (row + 1) as f64;
    let room = (width / CHAR_WIDTH) as usize;

    let mut canvas = Canvas::new();
    for (cell, strength) in named.map.cells.iter().zip(named.strengths()) {
        let column = cell.at.first().copied().unwrap_or(0);
        let row = cell.at.get(1).copied().unwrap_or(0);
        let size = (width - GAP, TILE_HEIGHT - GAP);
        canvas.tile((x(column), y(row)), size, strength, &named.in_words(cell));
        let middle = x(column) + (width - GAP) / 2.0;
        let figure = named.figure(cell);
        if figure.chars().count() <= room {
            canvas.text((middle, y(row) + 21.0), &figure, Anchor::Middle, false);
        }
    }
    let labels: Vec<String> = (0..across).map(|range| named.range(0, range)).collect();
    let longest = labels.iter().map(|text| label(text).chars().count()).max();
    // As many names as stand beside each other.
    let every = longest.unwrap_or(0).div_ceil(room.max(1)).max(1);
    for (column, text) in labels.iter().enumerate().step_by(every) {
        let middle = x(column) + (width - GAP) / 2.0;
        let at = (middle.min(RIGHT - half_width(text)), bottom + 18.0);
        canvas.text(at, &label(text), Anchor::Middle, true);
    }
    if down > 1 {
        for row in 0..down {
            let text = crate::clipped(&named.range(1, row), (LEFT / CHAR_WIDTH) as usize - 1);
            canvas.text((LEFT - 8.0, y(row) + 21.0), &text, Anchor::End, true);
        }
        let name = label(&named.axis_name(1));
        canvas.text((8.0, TOP - 10.0), &name, Anchor::Start, true);
    }
    let name = label(&named.axis_name(0));
    let middle = f64::midpoint(LEFT, RIGHT);
    canvas.text((middle, bottom + 38.0), &name, Anchor::Middle, true);
    let title = HEADING.to_owned();
    let description = format!(
        "{} A cell is the stronger, the better its best is among them.",
        named.sentence()
    );
    Some(Chart {
        svg: canvas.finish("archive", &title, &description, bottom + 46.0),
        name: "archive".to_owned(),
        title,
        description,
        table: named.list(),
    })
}

/// Returns half of the width of a name below the map.
fn half_width(text: &str) -> f64 {
    label(text).chars().count() as f64 * CHAR_WIDTH / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive_map::tests::map;
    use crate::rounds::tests::rounds;
    use bakeoff_domain::report::Rounds;

    fn drawn(change: impl Fn(&mut Rounds)) -> Option<Chart> {
        let mut rounds = Rounds {
            archive: Some(map()),
            ..rounds()
        };
        change(&mut rounds);
        chart(&Report {
            rounds: Some(rounds),
            ..crate::tables::tests::named("a")
        })
    }

    #[test]
    fn case_278_each_filled_cell_is_drawn_and_told_as_text() {
        let chart = drawn(|_| {}).unwrap();
        assert_eq!(chart.svg.matches("<rect").count(), 3);
        let best =
            r#"fill-opacity="0.40" class="f0"><title>a 2.1: fuel 100; source-lines 20 to 40, "#;
        assert!(chart.svg.contains(best), "{}", chart.svg);
        assert_eq!(chart.table.rows.len(), 3);
        let hostile = drawn(|rounds| {
            let archive = rounds.archive.as_mut().unwrap();
            archive.cells[0].name = "</title><script>".to_owned();
        });
        assert!(!hostile.unwrap().svg.contains("<script"));
        assert!(drawn(|rounds| rounds.archive = None).is_none());
    }
}
