//! JSON from elsewhere, whose values have a bound before memory is taken for them.

use serde::de::{DeserializeOwned, Error as _};

/// The most values of a text, unless its reader has another bound: three bytes of JSON may take hundreds
/// in memory.
pub const JSON_VALUES_MAX: usize = 4 << 20;

/// Parses JSON of at most [`JSON_VALUES_MAX`] values.
///
/// # Errors
/// It has more, or is not such a value.
pub fn parse_json<T: DeserializeOwned>(json: &[u8]) -> serde_json::Result<T> {
    parse_json_of(json, JSON_VALUES_MAX)
}

/// Parses JSON of at most so many values. They are counted by the commas, of which a text has as many,
/// but for the last value of each list; commas in texts count too.
///
/// # Errors
/// It has more, or is not such a value.
pub fn parse_json_of<T: DeserializeOwned>(json: &[u8], values_max: usize) -> serde_json::Result<T> {
    match json.iter().filter(|byte| **byte == b',').count() {
        values if values > values_max => Err(serde_json::Error::custom(format_args!(
            "it has {values} values, more than the limit of {values_max}"
        ))),
        _ => serde_json::from_slice(json),
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
}
