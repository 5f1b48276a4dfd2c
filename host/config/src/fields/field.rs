//! A key of a table as data, and a table of keys.

use super::json::{Json, Keywords};
use bakeoff_domain::report::words::capitalised;

/// A key of a table of the experiment file: all that is known of it before a file is read.
pub(crate) struct Field<K: ?Sized> {
    /// The key.
    pub(crate) key: &'static str,
    /// The meaning of its value: a sentence without its first capital letter and its full stop, with links as in Markdown.
    pub(crate) about: &'static str,
    /// The rule for files without the key.
    pub(crate) absent: Absent,
    /// A line that has the key.
    pub(crate) example: &'static str,
    /// The kind of its value, with bounds.
    pub(crate) kind: K,
}

/// The rule for files without a key.
#[derive(Clone, Copy)]
pub(crate) enum Absent {
    /// Such a file is refused.
    Needed,
    /// This value applies, as TOML.
    Default(&'static str),
    /// Something that no value of the key says, in words.
    Otherwise(&'static str),
}

/// The absence of a key that has no effect.
pub(crate) const NONE: Absent = Absent::Otherwise("none");

/// A kind of values.
pub(crate) trait Kind {
    /// Returns the keywords of a JSON schema that these values fit.
    fn schema(&self) -> Keywords;

    /// Returns the kind with its bounds, for the reference: `duration, 1 ms – 1 h`.
    fn phrase(&self) -> String;

    /// Returns true if the schema has bounds that are wider than those of the kind.
    fn has_wider_schema(&self) -> bool {
        false
    }

    /// Returns the keys of a table that has a header of its own.
    fn section(&self) -> Option<&'static Table> {
        None
    }
}

/// All keys of a table of the experiment file, in the order of the reference.
pub(crate) struct Table {
    /// The keys.
    pub(crate) keys: &'static [&'static Field<dyn Kind>],
}

impl Table {
    /// Returns the keywords of a JSON schema that such tables fit.
    pub(crate) fn schema(&self) -> Keywords {
        let properties = self.keys.iter().map(|field| (field.key, field.schema()));
        let mut schema = vec![
            ("type", "object".into()),
            ("properties", Json::Object(properties.collect())),
            ("additionalProperties", Json::Flag(false)),
        ];
        let needed = self
            .keys
            .iter()
            .filter(|field| matches!(field.absent, Absent::Needed));
        let needed: Vec<Json> = needed.map(|field| field.key.into()).collect();
        if !needed.is_empty() {
            schema.push(("required", Json::List(needed)));
        }
        schema
    }

    /// Returns the table of the reference in Markdown.
    pub(crate) fn page(&self) -> String {
        let head = "| key | type | default | example |\n|---|---|---|---|\n".to_owned();
        self.keys.iter().fold(head, |text, field| {
            let kind = field.kind.phrase();
            let absent = match field.absent {
                Absent::Needed => "needed".to_owned(),
                Absent::Default(value) => format!("`{value}`"),
                Absent::Otherwise(words) => words.to_owned(),
            };
            let (key, about, example) = (field.key, field.about, field.example);
            text + &format!("| `{key}` | {kind}: {about} | {absent} | `{example}` |\n")
        })
    }
}

impl Field<dyn Kind> {
    /// Returns the schema of the key's value.
    fn schema(&self) -> Json {
        let mut about = self.about.to_owned();
        if self.kind.has_wider_schema() {
            about += &format!(" ({})", self.kind.phrase());
        }
        let mut schema = vec![("description", Json::Text(sentence(&about)))];
        schema.extend(self.kind.schema());
        if let Absent::Default(value) = self.absent {
            schema.push(("default", Json::of_toml(value)));
        }
        Json::Object(schema)
    }
}

/// Returns a description with a capital letter and a full stop, and the words of links without their targets.
pub(crate) fn sentence(about: &str) -> String {
    let (mut plain, mut rest) = (String::new(), about);
    while let Some((before, after)) = rest.split_once("](") {
        let (outside, words) = before.rsplit_once('[').unwrap_or((before, ""));
        rest = after.split_once(')').map_or("", |(_, after)| after);
        match (outside.strip_suffix(" ("), rest.strip_prefix(')')) {
            // A reference in parentheses says nothing without its target.
            (Some(outside), Some(after)) => {
                plain += outside;
                rest = after;
            }
            _ => plain = plain + outside + words,
        }
    }
    plain += rest;
    capitalised(&plain) + "."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_becomes_a_sentence_without_links() {
        let about = "`[[x]]` is a file, or [one in a registry](plugging-in.md#a); see [this](b.md) ([how](c.md))";
        let plain = "`[[x]]` is a file, or one in a registry; see this.";
        assert_eq!(sentence(about), plain);
        assert_eq!(sentence("the name"), "The name.");
    }
}
