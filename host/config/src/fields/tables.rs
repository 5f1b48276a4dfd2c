//! Kinds of values that are tables, and values of one of several kinds.

use super::field::{Field, Kind, Table, sentence};
use super::json::{Json, Keywords};
use super::kinds::{any_of, counted, joined, whole};
use std::ops::RangeInclusive;

/// A table whose keys the user chooses.
pub(crate) struct Map<K> {
    /// The kind of each value.
    pub(crate) of: K,
    /// The number of keys.
    pub(crate) count: RangeInclusive<usize>,
}

/// A value of one of several kinds.
pub(crate) struct OneOf(pub(crate) &'static [&'static dyn Kind]);

/// A table within a value.
pub(crate) struct Inline(pub(crate) &'static Table);

/// A table with a header of its own: `[limits]`.
pub(crate) struct Section(pub(crate) &'static Table);

/// Tables with headers of their own: `[[approach]]`.
pub(crate) struct Sections {
    /// The meaning of one of them, as in a field.
    pub(crate) one: &'static str,
    /// The keys of each.
    pub(crate) table: &'static Table,
    /// The number of them.
    pub(crate) count: RangeInclusive<usize>,
}

impl<K: Kind> Kind for Map<K> {
    fn schema(&self) -> Keywords {
        vec![
            ("type", "object".into()),
            ("minProperties", whole(*self.count.start())),
            ("maxProperties", whole(*self.count.end())),
            ("additionalProperties", Json::Object(self.of.schema())),
        ]
    }

    fn phrase(&self) -> String {
        format!("table of {} keys of your own", counted(&self.count))
    }
}

impl Kind for OneOf {
    fn schema(&self) -> Keywords {
        any_of(self.0.iter().map(|kind| kind.schema()))
    }

    fn phrase(&self) -> String {
        let kinds = self.0.iter().map(|kind| kind.phrase());
        joined(kinds.collect(), "or")
    }
}

impl Kind for Inline {
    fn schema(&self) -> Keywords {
        self.0.schema()
    }

    fn phrase(&self) -> String {
        let key = |field: &&Field<dyn Kind>| format!("`{}` ({})", field.key, field.kind.phrase());
        let keys = self.0.keys.iter().map(key);
        format!("table with {}", joined(keys.collect(), "and"))
    }
}

impl Kind for Section {
    fn schema(&self) -> Keywords {
        self.0.schema()
    }

    fn phrase(&self) -> String {
        "table".to_owned()
    }

    fn section(&self) -> Option<&'static Table> {
        Some(self.0)
    }
}

impl Kind for Sections {
    fn schema(&self) -> Keywords {
        let mut schema = vec![("type", "array".into())];
        if *self.count.start() > 0 {
            schema.push(("minItems", whole(*self.count.start())));
        }
        let mut each = vec![("description", Json::Text(sentence(self.one)))];
        each.extend(self.table.schema());
        schema.push(("maxItems", whole(*self.count.end())));
        schema.push(("items", Json::Object(each)));
        schema
    }

    fn phrase(&self) -> String {
        format!("{} tables", counted(&self.count))
    }

    fn section(&self) -> Option<&'static Table> {
        Some(self.table)
    }
}
