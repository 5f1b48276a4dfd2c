//! Parsing of untrusted JSON: the number of values is bounded before memory is taken for them.

use serde::de::DeserializeOwned;
use serde_json::error::Category;

/// The most values of a JSON text, unless its reader sets another bound: three bytes of JSON may take hundreds
/// in memory.
pub const JSON_VALUES_MAX: usize = 4 << 20;

/// The reason why a text is not the expected JSON: the kind of the fault, and its place. The message quotes nothing
/// of the text, which may be that of a file that the user did not mean to show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JsonError(String);

impl From<serde_json::Error> for JsonError {
    fn from(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let said = error.to_string();
        let place = format!(" at line {line} column {column}");
        let kind = match error.classify() {
            // These have words of the parser alone.
            Category::Syntax | Category::Eof | Category::Io => return Self(said),
            Category::Data => kind(said.strip_suffix(&place).unwrap_or(&said)),
        };
        Self(match line {
            0 => kind,
            _ => kind + &place,
        })
    }
}

/// Returns the kind of a fault from serde's message, without the value that the message quotes.
fn kind(said: &str) -> String {
    let begins = |words: &[&str]| words.iter().any(|words| said.starts_with(words));
    if begins(&["missing field `", "duplicate field `", "data did not match"]) {
        // Names of ours.
        return said.to_owned();
    }
    if begins(&["unknown field `"]) {
        return "it has a field that is not known".to_owned();
    }
    let has_value = begins(&[
        "invalid type: ",
        "invalid value: ",
        "invalid length ",
        "unknown variant `",
    ]);
    // What was expected stands behind all that is quoted.
    match said.rsplit_once(", expected ") {
        Some((_, expected)) if has_value => format!("another value than expected: {expected}"),
        _ => "it has a value that cannot be".to_owned(),
    }
}

/// Parses JSON of at most [`JSON_VALUES_MAX`] values.
///
/// # Errors
/// The text has more values, or is not JSON of the type `T`.
pub fn parse_json<T: DeserializeOwned>(json: &[u8]) -> Result<T, JsonError> {
    parse_json_of(json, JSON_VALUES_MAX)
}

/// Parses JSON of at most `values_max` values. Values are counted by the commas, of which a text has as many,
/// but for the last value of each list; commas in texts count too.
///
/// # Errors
/// The text has more values, or is not JSON of the type `T`.
pub fn parse_json_of<T: DeserializeOwned>(json: &[u8], values_max: usize) -> Result<T, JsonError> {
    match json.iter().filter(|byte| **byte == b',').count() {
        values if values > values_max => Err(JsonError(format!(
            "it has {values} values, more than the limit of {values_max}"
        ))),
        _ => Ok(serde_json::from_slice(json)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_a_bound_before_they_are_parsed() {
        let list = |values| format!("[{}]", vec!["0"; values].join(","));
        let parse = |text: &str| parse_json_of::<Vec<u8>>(text.as_bytes(), 9);
        assert_eq!(parse(&list(10)).unwrap().len(), 10);
        let error = parse(&list(11)).unwrap_err().to_string();
        assert!(
            error.contains("10 values, more than the limit of 9"),
            "{error}"
        );
        assert!(parse_json::<u8>(b"1,").is_err());
    }

    #[test]
    fn an_error_names_kind_and_place_and_quotes_nothing() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only errors are looked at")]
        struct Read {
            number: u32,
            kind: Option<Kind>,
        }
        #[derive(Debug, serde::Deserialize)]
        enum Kind {
            A,
            B,
        }
        for (text, said) in [
            (
                "{\"number\": \"s3cret, expected s3cret\"}",
                "expected: u32 at line 1",
            ),
            ("\"s3cret\"", "expected: struct Read"),
            ("{\"s3cret\": 1}", "a field that is not known"),
            ("{\"s3cret`, expected x\": 1}", "a field that is not known"),
            (
                "{\"kind\": \"s3cret`, expected z\"}",
                "expected: `A` or `B`",
            ),
            ("{}", "missing field `number`"),
            ("{\"number\": 1, \"number\": 2}", "duplicate field `number`"),
            ("s3cret", "expected value at line 1"),
            ("{\"number\": 1", "EOF"),
        ] {
            let error = parse_json::<Read>(text.as_bytes()).unwrap_err().to_string();
            assert!(
                error.contains(said) && !error.contains("s3cret"),
                "{text}: {error}"
            );
        }
        let custom = <serde_json::Error as serde::de::Error>::custom("s3cret");
        assert_eq!(
            JsonError::from(custom).to_string(),
            "it has a value that cannot be"
        );
    }
}
