//! Sections that aggregators of the user add to a report. All of it is text from outside.

use serde::{Deserialize, Serialize};

/// The most sections of one aggregator.
pub const SECTIONS_MAX: usize = 16;
/// The most characters of a heading, of a section or of a column.
const TITLE_CHARS_MAX: usize = 200;
/// The most paragraphs of a section, and the most characters of one.
const PARAGRAPHS_MAX: usize = 64;
const PARAGRAPH_CHARS_MAX: usize = 4_000;
/// The most columns and rows of a table, and the most characters of a cell.
const COLUMNS_MAX: usize = 16;
const ROWS_MAX: usize = 500;
const CELL_CHARS_MAX: usize = 500;
/// The most characters of all sections of one aggregator.
const CHARS_MAX: usize = 100_000;
/// The most characters of a reason why there is no section.
const REASON_CHARS_MAX: usize = 600;

/// A section that an aggregator adds, or the reason why it adds none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedSection {
    /// The name of the aggregator.
    pub aggregator: String,
    /// Heading of the section; empty if the section is missing.
    pub title: String,
    /// Paragraphs of the section.
    #[serde(default)]
    pub paragraphs: Vec<String>,
    /// The table below them.
    #[serde(default)]
    pub table: Option<AddedTable>,
    /// Reason why there is no section: the aggregator failed, or says so.
    #[serde(default)]
    pub missing: Option<String>,
}

/// A table of a section. Every row has as many cells as there are columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedTable {
    /// The columns.
    pub columns: Vec<AddedColumn>,
    /// The rows; the first cell of each is its heading.
    pub rows: Vec<Vec<String>>,
}

/// A column of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedColumn {
    /// Heading of the column.
    pub title: String,
    /// True if the column's cells are numbers.
    pub numeric: bool,
}

impl AddedSection {
    /// The section that stands for those of an aggregator that gave none.
    pub fn missing(aggregator: &str, why: impl Into<String>) -> Self {
        Self {
            aggregator: aggregator.to_owned(),
            missing: Some(why.into()),
            ..Self::default()
        }
    }

    /// Returns the heading with the name of the aggregator, so that nobody takes it for the report's own words.
    pub fn heading(&self) -> String {
        if self.title.is_empty() {
            format!("From the aggregator {}", self.aggregator)
        } else {
            format!("From the aggregator {}: {}", self.aggregator, self.title)
        }
    }

    /// Returns the paragraphs; of a missing section, a sentence with the reason.
    pub fn sentences(&self) -> Vec<String> {
        match &self.missing {
            Some(why) => vec![format!("Nothing is added here: {why}.")],
            None => self.paragraphs.clone(),
        }
    }
}

/// Checks the sections of one aggregator, which come from outside.
///
/// # Errors
/// A part is larger than it may be, or a row of a table has too few or too many cells; as words that follow `it gave`.
pub fn check_sections(sections: &[AddedSection]) -> Result<(), String> {
    at_most(sections.len(), SECTIONS_MAX, "sections")?;
    let mut chars = 0;
    let mut add = |text: &str, most: usize, what: &str| {
        let count = text.chars().count();
        chars += count;
        at_most(count, most, &format!("characters in {what}"))?;
        at_most(chars, CHARS_MAX, "characters in all")
    };
    for section in sections {
        add(&section.title, TITLE_CHARS_MAX, "a heading")?;
        at_most(
            section.paragraphs.len(),
            PARAGRAPHS_MAX,
            "paragraphs in a section",
        )?;
        for paragraph in &section.paragraphs {
            add(paragraph, PARAGRAPH_CHARS_MAX, "a paragraph")?;
        }
        add(
            section.missing.as_deref().unwrap_or_default(),
            REASON_CHARS_MAX,
            "a reason",
        )?;
        let Some(table) = &section.table else {
            continue;
        };
        if table.columns.is_empty() {
            return Err("a table without columns".to_owned());
        }
        at_most(table.columns.len(), COLUMNS_MAX, "columns in a table")?;
        at_most(table.rows.len(), ROWS_MAX, "rows in a table")?;
        for column in &table.columns {
            add(&column.title, TITLE_CHARS_MAX, "a heading")?;
        }
        for row in &table.rows {
            let (cells, columns) = (row.len(), table.columns.len());
            if cells != columns {
                return Err(format!(
                    "a row of {cells} cells in a table of {columns} columns"
                ));
            }
            for cell in row {
                add(cell, CELL_CHARS_MAX, "a cell")?;
            }
        }
    }
    Ok(())
}

fn at_most(count: usize, most: usize, what: &str) -> Result<(), String> {
    if count <= most {
        Ok(())
    } else {
        Err(format!("more than {most} {what}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: usize, rows: Vec<Vec<String>>) -> AddedSection {
        AddedSection {
            title: "t".into(),
            table: Some(AddedTable {
                columns: vec![AddedColumn::default(); columns],
                rows,
            }),
            ..AddedSection::default()
        }
    }

    #[test]
    fn sections_have_a_size_that_can_be_shown() {
        let said = |section: AddedSection| check_sections(&[section]).unwrap_err();
        let row = |cells: usize| vec!["x".to_owned(); cells];
        assert_eq!(check_sections(&[table(2, vec![row(2); ROWS_MAX])]), Ok(()));
        assert_eq!(
            said(table(2, vec![row(2); 501])),
            "more than 500 rows in a table"
        );
        assert_eq!(
            said(table(17, Vec::new())),
            "more than 16 columns in a table"
        );
        assert_eq!(said(table(0, Vec::new())), "a table without columns");
        assert_eq!(
            said(table(2, vec![row(2), row(3)])),
            "a row of 3 cells in a table of 2 columns"
        );
        assert!(said(table(1, vec![vec!["x".repeat(501)]])).ends_with("in a cell"));
        let text = |text: String, count: usize| AddedSection {
            paragraphs: vec![text; count],
            ..AddedSection::default()
        };
        assert!(said(text("a".repeat(4_001), 1)).ends_with("in a paragraph"));
        assert!(said(text("a".into(), 65)).ends_with("paragraphs in a section"));
        assert!(said(text("é".repeat(4_000), 26)).ends_with("characters in all"));
        assert_eq!(check_sections(&[text("é".repeat(4_000), 25)]), Ok(()));
        assert!(check_sections(&vec![table(1, Vec::new()); 17]).is_err());
    }

    #[test]
    fn a_heading_says_whose_it_is() {
        let section = |title: &str| AddedSection {
            aggregator: "mine".into(),
            title: title.into(),
            ..AddedSection::default()
        };
        assert_eq!(
            section("Answer").heading(),
            "From the aggregator mine: Answer"
        );
        assert_eq!(section("").heading(), "From the aggregator mine");
        let missing = AddedSection::missing("mine", "it trapped");
        assert_eq!(missing.sentences(), ["Nothing is added here: it trapped."]);
    }
}
