//! Reading a TOML table key by key, with spans.
//!
//! serde stops at the first error. [`Section`] reads on, so that one run of `bakeoff` shows all errors; and a
//! key is known only if it is read, so that no key can be accepted and then ignored.

use super::error::{Finding, quoted};
use super::fields::field::Field;
use super::fields::kinds::Choice;
use super::fields::tables::Sections;
use super::suggest;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// A value with its span in the file, in bytes.
#[derive(Clone, Debug)]
pub(super) struct At<T> {
    /// The value.
    pub(super) value: T,
    /// The span.
    pub(super) span: Range<usize>,
}

/// A key to be read: that of a field of the experiment file, or one of another file.
pub(super) trait Key {
    /// Returns the key.
    fn name(&self) -> &'static str;
}

impl Key for &'static str {
    fn name(&self) -> &'static str {
        self
    }
}

impl<K: ?Sized> Key for &Field<K> {
    fn name(&self) -> &'static str {
        self.key
    }
}

/// A table that is being read.
pub(super) struct Section<'a> {
    /// The name of the table in messages: `[limits]`, `the file`.
    title: String,
    /// The span of its header.
    pub(super) span: Range<usize>,
    table: &'a DeTable<'a>,
    asked: Vec<&'static str>,
}

/// A number as TOML wrote it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    /// A whole number.
    Integer(i64),
    /// Any other number, also infinite or not a number.
    Float(f64),
}

impl Number {
    /// Returns the number as a float; whole numbers beyond 2⁵³ are rounded.
    pub(super) fn to_f64(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

impl<'a> Section<'a> {
    /// Begins to read a table.
    pub(super) fn new(
        title: impl Into<String>,
        table: &'a DeTable<'a>,
        span: Range<usize>,
    ) -> Self {
        Self {
            title: title.into(),
            span,
            table,
            asked: Vec::new(),
        }
    }

    /// Finds a key with its value, and marks it as known.
    fn find(&mut self, key: &'static str) -> Option<(Range<usize>, At<&'a DeValue<'a>>)> {
        self.asked.push(key);
        let (name, value) = self.table.get_key_value(key)?;
        let at = At {
            value: value.get_ref(),
            span: value.span(),
        };
        Some((name.span(), at))
    }

    /// Returns the span of a key, if it is there.
    pub(super) fn key(&self, key: impl Key) -> Option<Range<usize>> {
        let found = self.table.get_key_value(key.name());
        found.map(|(name, _)| name.span())
    }

    /// Returns the span of a key's value, if it is there.
    pub(super) fn value_place(&self, key: impl Key) -> Option<Range<usize>> {
        self.table.get(key.name()).map(toml::Spanned::span)
    }

    /// Returns true if a key's value is a table.
    pub(super) fn is_table(&self, key: impl Key) -> bool {
        let value = self.table.get(key.name());
        value.is_some_and(|value| value.get_ref().as_table().is_some())
    }

    /// Returns true if a key's value is this text.
    pub(super) fn is_text(&self, key: impl Key, text: &str) -> bool {
        let value = self.table.get(key.name());
        value.is_some_and(|value| value.get_ref().as_str() == Some(text))
    }

    /// Reads a value of one TOML type; another type is a finding.
    fn typed<T>(
        &mut self,
        key: &'static str,
        wanted: &str,
        found: &mut Vec<Finding>,
        read: impl Fn(&'a DeValue<'a>) -> Option<T>,
    ) -> Option<At<T>> {
        let (_, at) = self.find(key)?;
        let value = read(at.value);
        if value.is_none() {
            found.push(Finding::new(
                at.span.clone(),
                format!("`{key}` in {} is {}", self.title, kind(at.value)),
                format!("this is not {wanted}"),
                format!("`{key}` is {wanted}"),
            ));
        }
        value.map(|value| At {
            value,
            span: at.span,
        })
    }

    /// Reads a string.
    pub(super) fn text(&mut self, key: impl Key, found: &mut Vec<Finding>) -> Option<At<&'a str>> {
        self.typed(key.name(), "a text in quotes", found, DeValue::as_str)
    }

    /// Reads `true` or `false`.
    pub(super) fn flag(&mut self, key: impl Key, found: &mut Vec<Finding>) -> Option<At<bool>> {
        self.typed(key.name(), "`true` or `false`", found, DeValue::as_bool)
    }

    /// Reads a whole number.
    pub(super) fn integer(&mut self, key: impl Key, found: &mut Vec<Finding>) -> Option<At<i64>> {
        self.typed(key.name(), "a whole number below 2^63", found, integer)
    }

    /// Reads a number.
    pub(super) fn number(&mut self, key: impl Key, found: &mut Vec<Finding>) -> Option<At<Number>> {
        self.typed(key.name(), "a number", found, number)
    }

    /// Reads a string or a number, for amounts that may have a unit.
    pub(super) fn amount(
        &mut self,
        key: impl Key,
        wanted: &str,
        found: &mut Vec<Finding>,
    ) -> Option<At<Amount<'a>>> {
        self.typed(key.name(), wanted, found, |value| match value {
            DeValue::String(text) => Some(Amount::Text(text.as_ref())),
            other => number(other).map(Amount::Number),
        })
    }

    /// Reads one of several words, and returns the value that belongs to it.
    pub(super) fn choice<T: Copy>(
        &mut self,
        field: &Field<Choice<T>>,
        found: &mut Vec<Finding>,
    ) -> Option<At<T>> {
        let text = self.text(field, found)?;
        let Choice(words) = field.kind;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text.value) {
            return Some(At {
                value: *value,
                span: text.span,
            });
        }
        let help = match suggest::nearest(text.value, words.iter().map(|(word, _)| *word)) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => {
                let all: Vec<_> = words
                    .iter()
                    .map(|(word, _)| format!("\"{word}\""))
                    .collect();
                format!("it is one of {}", all.join(", "))
            }
        };
        found.push(Finding::new(
            text.span,
            format!("`{}` cannot be {}", field.key, quoted(text.value)),
            "unknown word",
            help,
        ));
        None
    }

    /// Reads an array, its elements with spans.
    pub(super) fn array(
        &mut self,
        key: impl Key,
        wanted: &str,
        found: &mut Vec<Finding>,
    ) -> Option<At<Vec<At<&'a DeValue<'a>>>>> {
        self.typed(key.name(), wanted, found, |value| {
            let elements = value.as_array()?.iter();
            Some(
                elements
                    .map(|one| At {
                        value: one.get_ref(),
                        span: one.span(),
                    })
                    .collect(),
            )
        })
    }

    /// Reads a text, or a list of texts; none if the key is not there. An element of another type is a finding.
    pub(super) fn one_or_more_texts(
        &mut self,
        key: impl Key,
        wanted: &str,
        found: &mut Vec<Finding>,
    ) -> Vec<At<&'a str>> {
        let key = key.name();
        let value = self.typed(key, wanted, found, |value| match value {
            DeValue::Array(_) | DeValue::String(_) => Some(value),
            _ => None,
        });
        let Some(At { value, span }) = value else {
            return Vec::new();
        };
        if let Some(value) = value.as_str() {
            return vec![At { value, span }];
        }
        let mut texts = Vec::new();
        for one in value.as_array().into_iter().flatten() {
            let span = one.span();
            match one.get_ref().as_str() {
                Some(value) => texts.push(At { value, span }),
                None => found.push(Finding::new(
                    span,
                    format!("`{key}` has an element that is {}", kind(one.get_ref())),
                    "this is not a text",
                    format!("`{key}` is {wanted}, in quotes"),
                )),
            }
        }
        texts
    }

    /// Begins to read a nested table: `[limits]`.
    pub(super) fn section(
        &mut self,
        key: impl Key,
        found: &mut Vec<Finding>,
    ) -> Option<Section<'a>> {
        let key = key.name();
        let table = self.typed(key, "a table", found, DeValue::as_table)?;
        Some(Section::new(format!("`{key}`"), table.value, table.span))
    }

    /// Begins to read the tables of an array of tables: `[[approach]]`. At most `max` of them are returned; more are a
    /// finding.
    pub(super) fn sections(
        &mut self,
        key: impl Key,
        max: usize,
        found: &mut Vec<Finding>,
    ) -> Vec<Section<'a>> {
        let key = key.name();
        let wanted = format!("a list of tables, each begun by `[[{key}]]`");
        let Some(list) = self.array(key, &wanted, found) else {
            return Vec::new();
        };
        if let Some(beyond) = list.value.get(max) {
            let count = list.value.len();
            found.push(Finding::new(
                beyond.span.clone(),
                format!("there are {count} of `[[{key}]]`, and {max} is the most"),
                "the first one too many",
                "make several experiments of it",
            ));
        }
        let mut sections = Vec::new();
        for one in list.value.into_iter().take(max) {
            match one.value.as_table() {
                Some(table) => {
                    sections.push(Section::new(format!("`[[{key}]]`"), table, one.span));
                }
                None => found.push(Finding::new(
                    one.span,
                    format!("`{key}` has an element that is {}", kind(one.value)),
                    "this is not a table",
                    format!("begin each of them with a line `[[{key}]]`"),
                )),
            }
        }
        sections
    }

    /// Begins to read the tables of a field of the experiment file, as many as it may have.
    pub(super) fn tables(
        &mut self,
        field: &Field<Sections>,
        found: &mut Vec<Finding>,
    ) -> Vec<Section<'a>> {
        self.sections(field, *field.kind.count.end(), found)
    }

    /// Returns all keys of a table whose keys the user chooses, each with its value. Ends the reading.
    pub(super) fn entries(self) -> Vec<(At<&'a str>, At<&'a DeValue<'a>>)> {
        let entry = |(name, value): (&'a toml::Spanned<_>, &'a toml::Spanned<DeValue<'a>>)| {
            let name: &'a toml::Spanned<std::borrow::Cow<'a, str>> = name;
            let key = At {
                value: name.get_ref().as_ref(),
                span: name.span(),
            };
            let value = At {
                value: value.get_ref(),
                span: value.span(),
            };
            (key, value)
        };
        self.table.iter().map(entry).collect()
    }

    /// Returns all keys of a table whose keys the user chooses, each with its string; `None` if a value is no string.
    /// Ends the reading.
    pub(super) fn texts(
        self,
        wanted: &str,
        found: &mut Vec<Finding>,
    ) -> Option<Vec<(At<&'a str>, At<&'a str>)>> {
        let mut texts = Some(Vec::new());
        for (name, value) in self.table.iter() {
            let key = At {
                value: name.get_ref().as_ref(),
                span: name.span(),
            };
            match value.get_ref().as_str() {
                Some(text) => {
                    let value = At {
                        value: text,
                        span: value.span(),
                    };
                    if let Some(texts) = &mut texts {
                        texts.push((key, value));
                    }
                }
                None => {
                    texts = None;
                    found.push(Finding::new(
                        value.span(),
                        format!(
                            "{} in {} is {}",
                            quoted(key.value),
                            self.title,
                            kind(value.get_ref())
                        ),
                        format!("this is not {wanted}"),
                        format!("it is {wanted}, in quotes"),
                    ));
                }
            }
        }
        texts
    }

    /// Returns the span of a key that has no meaning here, and marks it as known.
    pub(super) fn pass_over(&mut self, key: impl Key) -> Option<Range<usize>> {
        self.find(key.name()).map(|(name, _)| name)
    }

    /// Reports a missing key. A key of the wrong type is not missing: it has been reported already.
    pub(super) fn missing(
        &self,
        key: &'static str,
        why: &str,
        example: &str,
        found: &mut Vec<Finding>,
    ) {
        if self.key(key).is_none() {
            found.push(Finding::new(
                self.span.clone(),
                format!("`{key}` is missing in {}: {why}", self.title),
                format!("no `{key}` here"),
                format!("add a line like `{example}`"),
            ));
        }
    }

    /// Reports a missing field, with its example.
    pub(super) fn missing_field<K: ?Sized>(
        &self,
        field: &Field<K>,
        why: &str,
        found: &mut Vec<Finding>,
    ) {
        self.missing(field.key, why, field.example, found);
    }

    /// Ends the reading: keys that were not read are findings.
    pub(super) fn close(self, found: &mut Vec<Finding>) {
        for name in self.table.keys() {
            let word = name.get_ref().as_ref();
            if self.asked.contains(&word) {
                continue;
            }
            let help = match suggest::nearest(word, self.asked.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    let known: Vec<_> = self.asked.iter().map(|key| format!("`{key}`")).collect();
                    format!("known here: {}", known.join(", "))
                }
            };
            found.push(Finding::new(
                name.span(),
                format!("{} does not know the key {}", self.title, quoted(word)),
                "unknown key",
                help,
            ));
        }
    }
}

/// An amount with or without its unit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Amount<'a> {
    /// `"1 %"`
    Text(&'a str),
    /// `0.01`
    Number(Number),
}

/// Returns a whole number that fits 64 bits.
pub(super) fn integer(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// Returns a whole number, or a number with a point.
pub(super) fn number(value: &DeValue<'_>) -> Option<Number> {
    match value {
        DeValue::Float(float) => float.as_str().parse().ok().map(Number::Float),
        other => integer(other).map(Number::Integer),
    }
}

/// Returns the name of a value's type in messages.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a point",
        DeValue::Boolean(_) => "`true` or `false`",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
