//! Cells of exported tables. They may be shown on a terminal, and opened in a spreadsheet.

use bakeoff_domain::is_active;
use bakeoff_files::parse_json;
use rusqlite::types::ValueRef;
use serde_json::Value;

/// Columns that hold JSON: objects in JSON lines, text in CSV.
const JSON_COLUMNS: [&str; 4] = ["parameters", "inputs", "value", "data"];

/// Adds a value of a column as JSON.
pub(super) fn push_json(line: &mut String, name: &str, value: ValueRef<'_>) {
    push_inert(line, &json(name, value).to_string());
}

/// Adds JSON to a line, with escapes in the place of characters that control a terminal: it may be shown on one.
fn push_inert(line: &mut String, json: &str) {
    for c in json.chars() {
        if is_active(c) {
            let mut units = [0; 2];
            let units = c.encode_utf16(&mut units).iter();
            line.extend(units.map(|unit| format!("\\u{unit:04x}")));
        } else {
            line.push(c);
        }
    }
}

fn json(name: &str, value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            let text = String::from_utf8_lossy(text);
            let parsed = JSON_COLUMNS
                .contains(&name)
                .then(|| parse_json(text.as_bytes()));
            match parsed {
                Some(Ok(value)) => value,
                _ => Value::String(text.into_owned()),
            }
        }
    }
}

/// Adds a value as a cell of CSV.
pub(super) fn push_csv(line: &mut String, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => {}
        ValueRef::Integer(number) => line.push_str(&number.to_string()),
        ValueRef::Real(number) => line.push_str(&number.to_string()),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            let text = spreadsheet_safe(&String::from_utf8_lossy(text));
            let quoted = text.contains([',', '"', '\n', ' ', '\'']);
            if quoted {
                line.push('"');
                line.push_str(&text.replace('"', "\"\""));
                line.push('"');
            } else {
                line.push_str(&text);
            }
        }
    }
}

/// A text that neither a spreadsheet takes for a formula nor a terminal for a control sequence.
fn spreadsheet_safe(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| match c {
            '\t' | '\n' => ' ',
            c if c.is_control() => '\u{fffd}',
            // Marks and overrides that turn the direction of writing.
            '\u{061c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            c => c,
        })
        .collect();
    if plain
        .trim_start()
        .starts_with(['=', '+', '-', '@', '|', '%'])
    {
        return format!("'{plain}");
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> String {
        let mut line = String::new();
        push_csv(&mut line, ValueRef::Text(text.as_bytes()));
        line
    }

    #[test]
    fn a_cell_is_neither_a_formula_nor_a_control_sequence() {
        assert_eq!(cell("heap"), "heap");
        assert_eq!(cell("a,b"), "\"a,b\"");
        assert_eq!(cell("say \"hi\""), "\"say \"\"hi\"\"\"");
        assert_eq!(cell("=1+2"), "\"'=1+2\"");
        assert_eq!(cell("\t@SUM(A1)"), "\"' @SUM(A1)\"");
        assert_eq!(cell("a\n=1\r\nb"), "\"a =1\u{fffd} b\"");
        assert_eq!(cell("-x"), "\"'-x\"");
        assert_eq!(cell("\u{1b}[31mred"), "\u{fffd}[31mred");
        assert_eq!(cell("a\u{202e}b"), "a\u{fffd}b");
        let mut line = String::new();
        push_csv(&mut line, ValueRef::Integer(-5));
        assert_eq!(line, "-5", "a number is no formula");
    }

    #[test]
    fn json_has_no_active_characters_and_reads_back_as_the_same_value() {
        let text = "a\u{9b}31m\u{202e}\u{e0041}b";
        let mut line = String::new();
        push_json(&mut line, "answer", ValueRef::Text(text.as_bytes()));
        assert!(line.is_ascii(), "{line}");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }
}
