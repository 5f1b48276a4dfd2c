//! A table with plain text in its cells: each format adds its own escapes.

/// Largest number of characters of a cell. Names and units come from outside and may be long; JSON
/// and CSV have them in full.
const CELL_CHARS_MAX: usize = 64;

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    /// Aligned to the left, for words.
    Left,
    /// Aligned to the right, for numbers.
    Right,
}

/// A table: a caption, a heading for each column, and rows with as many cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// Caption of the table.
    pub(super) caption: String,
    /// Heading and alignment of each column.
    pub(super) columns: Vec<(String, Align)>,
    /// Rows of the table; the first cell of each is its heading.
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(caption: &str) -> Self {
        Self::of("variant", caption)
    }

    /// Returns a table whose rows are something else than variants.
    pub(super) fn of(rows: &str, caption: &str) -> Self {
        Self {
            caption: caption.to_owned(),
            columns: vec![(rows.to_owned(), Align::Left)],
            rows: Vec::new(),
        }
    }

    pub(super) fn column(&mut self, title: &str, align: Align) {
        self.columns
            .push((super::clipped(title, CELL_CHARS_MAX), align));
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        let cells = cells
            .iter()
            .map(|cell| super::clipped(cell, CELL_CHARS_MAX));
        self.rows.push(cells.collect());
    }

    /// Returns the table if it has rows.
    pub(super) fn if_any(self) -> Option<Self> {
        (!self.rows.is_empty()).then_some(self)
    }
}
