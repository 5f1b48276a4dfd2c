//! JSON whose keys keep their order, which is that of the reference.

use serde::ser::{Serialize, SerializeMap as _, Serializer};

/// The keys of an object, with their values.
pub(crate) type Keywords = Vec<(&'static str, Json)>;

/// A value.
pub(crate) enum Json {
    Text(String),
    Whole(i64),
    Number(f64),
    Flag(bool),
    List(Vec<Json>),
    Object(Keywords),
}

impl Json {
    /// Returns a number, without a point where it is whole.
    pub(crate) fn number(value: f64) -> Self {
        if value.fract() == 0.0 && value.abs() <= 1e15 {
            Self::Whole(value as i64)
        } else {
            Self::Number(value)
        }
    }

    /// Returns the value of a text in quotes, a flag or a number, as TOML has them.
    pub(crate) fn of_toml(value: &str) -> Self {
        if let Some(text) = value.strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
            return text.into();
        }
        match value.replace('_', "").parse() {
            Ok(number) => Self::number(number),
            Err(_) => Self::Flag(value == "true"),
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Whole(number) => serializer.serialize_i64(*number),
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::List(list) => serializer.collect_seq(list),
            Self::Object(keys) => {
                let mut object = serializer.serialize_map(Some(keys.len()))?;
                for (key, value) in keys {
                    object.serialize_entry(key, value)?;
                }
                object.end()
            }
        }
    }
}
