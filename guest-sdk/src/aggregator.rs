//! Types for aggregators: sections, and the report as values.
//!
//! An aggregator is one Rust file with one function. bakeoff builds it, hands it the text of report.json
//! when a run is done, and shows the sections that it returns in every form of the report.
//!
//! ```
//! #![forbid(unsafe_code)]
//! # mod bakeoff { pub use bakeoff_guest::{aggregator::*, json::Json}; }
//! use crate::bakeoff::{Error, Json, Section};
//!
//! pub fn aggregate(report: &str) -> Result<Vec<Section>, Error> {
//!     let report = Json::parse(report)?;
//!     let mut section = Section::new("Smallest components").column("variant").number_column("bytes");
//!     for variant in report.key("variants").items() {
//!         let size = variant.key("readings").key("component-size").key("value").number();
//!         let name = variant.key("name").text().unwrap_or_default();
//!         section = section.row([name.to_owned(), size.map_or("–".to_owned(), |size| size.to_string())]);
//!     }
//!     Ok(vec![section])
//! }
//!
//! // The same function in a test of one's own:
//! # fn main() {
//! let text = r#"{"variants": [{"name": "heap", "readings": {"component-size": {"value": 9000}}}]}"#;
//! assert_eq!(aggregate(text).unwrap()[0].table.as_ref().unwrap().rows, [["heap", "9000"]]);
//! # }
//! ```

/// An aggregator of a crate of its own. A plain file has a function with this name instead.
pub trait Aggregator {
    /// Returns the sections that it adds to a report, whose text as JSON it is given.
    ///
    /// # Errors
    /// There is no section, and why.
    fn aggregate(report: &str) -> Result<Vec<Section>, Error>;
}

/// A section of the report. All of it is text: nothing is markup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// Its paragraphs.
    pub paragraphs: Vec<String>,
    /// The table below them.
    pub table: Option<Table>,
}

/// A table. Every row has as many cells as there are columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows. The first cell of each is its heading.
    pub rows: Vec<Vec<String>>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub title: String,
    /// True if its cells are numbers.
    pub numeric: bool,
}

impl Section {
    /// A section with nothing but a heading.
    pub fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            ..Self::default()
        }
    }

    /// Adds a paragraph.
    #[must_use]
    pub fn paragraph(mut self, text: impl Into<String>) -> Self {
        self.paragraphs.push(text.into());
        self
    }

    /// Adds a column of words to the table.
    #[must_use]
    pub fn column(self, title: &str) -> Self {
        self.with_column(title, false)
    }

    /// Adds a column of numbers to the table.
    #[must_use]
    pub fn number_column(self, title: &str) -> Self {
        self.with_column(title, true)
    }

    fn with_column(mut self, title: &str, numeric: bool) -> Self {
        let title = title.to_owned();
        let table = self.table.get_or_insert_default();
        table.columns.push(Column { title, numeric });
        self
    }

    /// Adds a row to the table, with a cell for each column.
    #[must_use]
    pub fn row(mut self, cells: impl IntoIterator<Item = String>) -> Self {
        let table = self.table.get_or_insert_default();
        table.rows.push(cells.into_iter().collect());
        self
    }
}

/// The reason why there is no section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The report has nothing that the aggregator could say something about.
    NotApplicable(String),
    /// Another reason.
    Other(String),
}

/// A text is an error as it is.
impl From<String> for Error {
    fn from(text: String) -> Self {
        Self::Other(text)
    }
}

/// A text is an error as it is.
impl From<&str> for Error {
    fn from(text: &str) -> Self {
        Self::Other(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_put_together_piece_by_piece() {
        let section = Section::new("a").paragraph("b").paragraph("c");
        assert_eq!(section.paragraphs, ["b", "c"]);
        assert_eq!(section.table, None);
        let section = section
            .column("name")
            .number_column("n")
            .row(["x".into(), "1".into()]);
        let table = section.table.unwrap();
        assert_eq!(table.rows, [["x", "1"]]);
        let numeric: Vec<bool> = table.columns.iter().map(|one| one.numeric).collect();
        assert_eq!(numeric, [false, true]);
    }
}
