//! Rows of measured values, as CSV or as JSON lines.

use bakeoff_domain::series::{Row, SeriesJudge, ValueError};
use serde::Deserialize;
use std::io::{BufRead, Read as _};

/// The most bytes of a line.
const LINE_BYTES_MAX: usize = 64 << 10;
/// The most characters of a name.
const NAME_CHARS_MAX: usize = 200;
/// Numbers below this are exact.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
/// The separators of columns that are known by the line of headings.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// Bytes that some programs write before the first character of a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// An error in a file of rows, with its line.
#[derive(Debug)]
pub(crate) struct RowsError {
    /// The number of the line, from 1; `None` where it is about none.
    pub(crate) line: Option<u64>,
    /// Reason and next step.
    pub(crate) reason: String,
}

impl std::fmt::Display for RowsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.reason),
            None => write!(f, "{}", self.reason),
        }
    }
}

fn wrong(line: u64, reason: impl Into<String>) -> RowsError {
    RowsError {
        line: Some(line),
        reason: reason.into(),
    }
}

/// The form of rows, for messages.
const FORM: &str = "rows are CSV with a line of headings (variant,block,value and perhaps case), or JSON lines like \
                    {\"variant\": \"a\", \"block\": 1, \"value\": 0.5}";

/// Gives all rows to a judge, as they are written, until all is known. Returns true if it is.
///
/// # Errors
/// The reader fails, a line is no row, or the judge refuses one.
pub(crate) fn judge_rows(judge: &mut SeriesJudge, reader: impl BufRead) -> Result<bool, RowsError> {
    let mut is_decided = false;
    read(reader, |line, row| {
        is_decided = judge
            .push(&row)
            .map_err(|error| wrong(line, error.to_string()))?;
        Ok(!is_decided)
    })?;
    Ok(is_decided)
}

/// Reads rows one by one, as they are written, and gives each to `each` with its line, until that returns false.
///
/// # Errors
/// The reader fails, a line is neither, or `each` has an error.
fn read(
    mut reader: impl BufRead,
    mut each: impl FnMut(u64, Row) -> Result<bool, RowsError>,
) -> Result<(), RowsError> {
    let mut first = Vec::new();
    let mut before = 0;
    loop {
        first.clear();
        if line(&mut reader, &mut first, before + 1)? == 0 {
            return Err(RowsError {
                line: None,
                reason: format!("there are no rows: {FORM}"),
            });
        }
        before += 1;
        if let Some(marked) = first.strip_prefix(BYTE_ORDER_MARK) {
            first = marked.to_vec();
        }
        if !first.trim_ascii().is_empty() {
            break;
        }
    }
    if first.trim_ascii().starts_with(b"{") {
        json_lines(reader, &first, before, &mut each)
    } else {
        csv(reader, &first, before, &mut each)
    }
}

/// Reads a line with a bound, and returns the number of its bytes.
fn line(reader: &mut impl BufRead, into: &mut Vec<u8>, number: u64) -> Result<usize, RowsError> {
    let mut bounded = reader.take(LINE_BYTES_MAX as u64 + 1);
    let read = bounded.read_until(b'\n', into);
    let read = read.map_err(|error| wrong(number, format!("cannot be read: {error}")))?;
    if read > LINE_BYTES_MAX {
        return Err(wrong(
            number,
            format!("it is longer than {} KiB", LINE_BYTES_MAX >> 10),
        ));
    }
    Ok(read)
}

#[derive(Deserialize)]
struct JsonRow {
    variant: String,
    #[serde(default)]
    block: Option<Label>,
    #[serde(default)]
    case: Option<Label>,
    value: f64,
}

/// A name that may be written as a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Label {
    Whole(i64),
    Number(f64),
    Text(String),
}

impl Label {
    fn text(self, line: u64) -> Result<String, RowsError> {
        match self {
            Self::Whole(number) => Ok(number.to_string()),
            Self::Number(number) if number.abs() < EXACT_MAX => Ok(number.to_string()),
            Self::Number(_) => Err(wrong(
                line,
                "its block or case is a number beyond 2^53, which is not exact: write it in quotes",
            )),
            Self::Text(text) => Ok(text),
        }
    }
}

fn json_lines(
    mut reader: impl BufRead,
    first: &[u8],
    before: u64,
    each: &mut impl FnMut(u64, Row) -> Result<bool, RowsError>,
) -> Result<(), RowsError> {
    let mut number = before;
    let mut text = first.to_vec();
    loop {
        if !text.trim_ascii().is_empty() {
            let row: JsonRow = serde_json::from_slice(&text)
                .map_err(|error| wrong(number, no_row(&error, &text)))?;
            let row = Row {
                variant: row.variant,
                block: row.block.map(|label| label.text(number)).transpose()?,
                case: row.case.map(|label| label.text(number)).transpose()?,
                value: row.value,
            };
            if !each(number, named(number, row)?)? {
                return Ok(());
            }
        }
        text.clear();
        number += 1;
        if line(&mut reader, &mut text, number)? == 0 {
            return Ok(());
        }
    }
}

/// The reason why a line is no row in JSON. Python and others write values that are no JSON.
fn no_row(error: &serde_json::Error, text: &[u8]) -> String {
    let column = error.column();
    let rest = text.get(column.saturating_sub(1)..).unwrap_or_default();
    let unsigned = rest.strip_prefix(b"-").unwrap_or(rest);
    let not_finite = [(&b"NaN"[..], f64::NAN), (b"Infinity", f64::INFINITY)];
    let found = not_finite
        .into_iter()
        .find(|(word, _)| unsigned.starts_with(word));
    if let Some((_, value)) = found {
        return format!("its value: {}", ValueError::NotFinite(value));
    }
    let full = error.to_string();
    let place = format!(" at line {} column {column}", error.line());
    let reason = full.strip_suffix(&place).unwrap_or(&full);
    format!("{reason}, in column {column}: {FORM}")
}

/// Returns the row if its names are such.
fn named(number: u64, row: Row) -> Result<Row, RowsError> {
    let names = [
        ("variant", Some(&row.variant)),
        ("block", row.block.as_ref()),
        ("case", row.case.as_ref()),
    ];
    for (what, name) in names {
        let Some(name) = name else { continue };
        if name.trim().is_empty() {
            return Err(wrong(number, format!("its {what} is empty")));
        }
        if name.chars().count() > NAME_CHARS_MAX {
            return Err(wrong(
                number,
                format!("its {what} has more than {NAME_CHARS_MAX} characters"),
            ));
        }
    }
    Ok(row)
}

fn csv(
    mut reader: impl BufRead,
    first: &[u8],
    before: u64,
    each: &mut impl FnMut(u64, Row) -> Result<bool, RowsError>,
) -> Result<(), RowsError> {
    let head = String::from_utf8_lossy(first);
    let head = head.trim();
    let count = |separator: &u8| head.bytes().filter(|byte| byte == separator).count();
    let separator = SEPARATORS.into_iter().max_by_key(count).unwrap_or(b',');
    let columns = cells(head.as_bytes(), separator, before)?;
    let column = |name: &str| {
        let mut found = columns.iter().enumerate();
        let mut found = found
            .by_ref()
            .filter(|(_, column)| column.eq_ignore_ascii_case(name));
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => Err(wrong(before, format!("two columns are called `{name}`"))),
            (place, _) => Ok(place.map(|(place, _)| place)),
        }
    };
    let (Some(variant), Some(value)) = (column("variant")?, column("value")?) else {
        return Err(wrong(
            before,
            format!("it has no columns `variant` and `value`: {FORM}"),
        ));
    };
    let (block, case) = (column("block")?, column("case")?);
    let mut number = before;
    let mut text = Vec::new();
    loop {
        text.clear();
        number += 1;
        if line(&mut reader, &mut text, number)? == 0 {
            return Ok(());
        }
        if text.trim_ascii().is_empty() {
            continue;
        }
        let record = cells(&text, separator, number)?;
        if record.len() != columns.len() {
            return Err(wrong(
                number,
                format!(
                    "it has {} columns, and the headings have {}",
                    record.len(),
                    columns.len()
                ),
            ));
        }
        let cell = |place: usize| record.get(place).unwrap_or_default().to_owned();
        let shown = cell(value);
        let row = Row {
            variant: cell(variant),
            block: block.map(cell),
            case: case.map(cell),
            value: shown.parse().map_err(|_| {
                wrong(
                    number,
                    format!("its value {shown:?} is no number: write it like 1.5"),
                )
            })?,
        };
        if !each(number, named(number, row)?)? {
            return Ok(());
        }
    }
}

/// Returns the cells of a line. A cell in quotes ends with its line.
fn cells(line: &[u8], separator: u8, number: u64) -> Result<csv::StringRecord, RowsError> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .trim(csv::Trim::All)
        .has_headers(false)
        .buffer_capacity(line.len().max(1))
        .from_reader(line);
    let mut record = csv::StringRecord::new();
    reader
        .read_record(&mut record)
        .map_err(|error| wrong(number, format!("{error}: {FORM}")))?;
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Result<Vec<(u64, Row)>, String> {
        let mut rows = Vec::new();
        let read = read(text.as_bytes(), |line, row| {
            rows.push((line, row));
            Ok(true)
        });
        read.map(|()| rows).map_err(|error| error.to_string())
    }

    fn short(text: &str) -> Vec<String> {
        let show = |(line, row): (u64, Row)| {
            let block = row.block.unwrap_or_default();
            let case = row.case.unwrap_or_default();
            format!("{line} {} {block} {case} {}", row.variant, row.value)
        };
        rows(text).unwrap().into_iter().map(show).collect()
    }

    #[test]
    fn rows_are_csv_in_any_order_of_columns_or_json_lines() {
        assert_eq!(
            short("value,Variant,block,note\n1.5,a,1,x\n 2e3 ,\"b, c\",1,y\n"),
            ["2 a 1  1.5", "3 b, c 1  2000"]
        );
        assert_eq!(short("variant;value;case\na;1;n=1\n"), ["2 a  n=1 1"]);
        assert_eq!(short("\u{feff}variant\tvalue\r\na\t1\r\n"), ["2 a   1"]);
        assert_eq!(
            short("\u{feff}{\"variant\":\"a\",\"value\":1}"),
            ["1 a   1"]
        );
        assert_eq!(
            short(
                "\n{\"variant\":\"a\",\"block\":7,\"value\":1}\n\n{\"variant\":\"b\",\"block\":\"7\",\"value\":2,\"x\":0}"
            ),
            ["2 a 7  1", "4 b 7  2"]
        );
    }

    #[test]
    fn an_error_names_its_line() {
        let error = |text: &str| rows(text).unwrap_err();
        assert!(error("").contains("there are no rows"));
        assert!(error("a,b\n1,2\n").starts_with("line 1: it has no columns"));
        assert!(error("variant,value\na,1\nb,x\n").starts_with("line 3: its value \"x\""));
        assert!(error("variant,block,value\na,1\n").starts_with("line 2: it has 2 columns"));
        assert!(error("variant,block,value\na,1,1,5\n").starts_with("line 2: it has 4 columns"));
        assert!(
            error("variant,value,VALUE\n").starts_with("line 1: two columns are called `value`")
        );
        let json = |value: &str| {
            let row = format!("{{\"variant\":\"a\",\"block\":1,\"value\":{value}}}\n");
            error(&format!("{}{row}", row.replace(value, "2")))
        };
        for value in ["NaN", "Infinity", "-Infinity"] {
            let said = json(value);
            assert!(said.starts_with("line 2: its value: "), "{said}");
            assert!(
                said.contains("is not a finite number: give a run"),
                "{said}"
            );
        }
        let said = json("null");
        assert!(said.starts_with("line 2: invalid type: null"), "{said}");
        assert!(said.contains(", in column 37: rows are CSV"), "{said}");
        let far = "{\"variant\":\"a\",\"block\":1e30,\"value\":1}";
        assert!(error(far).contains("write it in quotes"));
        // A quote that is never closed ends with its line.
        let open = format!("variant,value\n\"{}", "a\n".repeat(100_000));
        assert!(
            error(&open).starts_with("line 2: it has 1 columns"),
            "{}",
            error(&open)
        );
        assert!(
            error("{\"variant\":\"a\",\"value\":1}\n{\"variant\":1}\n").starts_with("line 2: ")
        );
        assert!(error("variant,value\n,1\n").starts_with("line 2: its variant is empty"));
        let long = format!("variant,value\na,1\n{}\n", "x".repeat(200_000));
        assert!(
            error(&long).contains("longer than 64 KiB"),
            "{}",
            error(&long)
        );
        let long = format!("{{\"variant\":\"{}\"}}", "x".repeat(200_000));
        assert!(error(&long).contains("longer than 64 KiB"));
        let name = format!("variant,value\n{},1\n", "x".repeat(201));
        assert!(error(&name).contains("more than 200 characters"));
    }

    #[test]
    fn reading_ends_when_it_is_told_to() {
        let mut seen = 0;
        read("variant,value\na,1\nb,2\nc,x\n".as_bytes(), |_, _| {
            seen += 1;
            Ok(seen < 2)
        })
        .unwrap();
        assert_eq!(seen, 2);
    }
}
