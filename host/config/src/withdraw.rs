//! Removes an approach from the text of an experiment file.

use super::experiment::{parse, syntax};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Returns the text of an experiment file without the `[[approach]]` of a name; all else stays as it is. `None` if the
/// text has no such entry that can be removed alone: an approach in a list of inline tables, for instance.
pub fn without_approach(text: &str, name: &str) -> Option<String> {
    let table = syntax(text).ok()?;
    let entries = table.get_ref().get("approach")?.get_ref().as_array()?;
    let is_named = |entry: &&Spanned<DeValue<'_>>| {
        let table = entry.get_ref().as_table();
        table.is_some_and(|table| name_of(table) == Some(name))
    };
    let entry = entries.iter().find(is_named)?.get_ref().as_table()?;
    let place = place(text, entry)?;
    let mut shorter = text[..place.start].to_owned();
    shorter.push_str(&text[place.end..]);
    is_without(&shorter, text, name).then_some(shorter)
}

fn name_of<'a>(table: &'a DeTable<'_>) -> Option<&'a str> {
    table.get("name")?.get_ref().as_str()
}

/// Returns the place of an entry: from its header to the end of its last line, with the empty lines behind it.
fn place(text: &str, entry: &DeTable<'_>) -> Option<Range<usize>> {
    let (first, last) = extent(entry)?;
    let header = header(&text[..first])?;
    let end = text[last..]
        .find('\n')
        .map_or(text.len(), |at| last + at + 1);
    let empty = |line: &&str| line.trim().is_empty();
    let lines = text[end..].split_inclusive('\n').take_while(empty);
    Some(header..end + lines.map(str::len).sum::<usize>())
}

/// Returns the first and the last byte of the keys and values of a table.
fn extent(table: &DeTable<'_>) -> Option<(usize, usize)> {
    let places = table.iter().map(|(key, value)| {
        let own = (key.span().start, value.span().end.max(key.span().end));
        let inner = value.get_ref().as_table().and_then(extent);
        inner.map_or(own, |(start, end)| (own.0.min(start), own.1.max(end)))
    });
    places.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
}

/// Returns the place of the header before the first key of a table, between which there are only comments.
fn header(before: &str) -> Option<usize> {
    let mut end = before.rfind('\n').map_or(0, |at| at + 1);
    while end > 0 {
        let start = before[..end - 1].rfind('\n').map_or(0, |at| at + 1);
        let line = before[start..end].trim();
        if line.starts_with("[[") {
            return Some(start);
        }
        if !line.is_empty() && !line.starts_with('#') {
            return None;
        }
        end = start;
    }
    None
}

/// Returns true if a text says all that the other says, but for the approach of this name.
fn is_without(shorter: &str, text: &str, name: &str) -> bool {
    let values = |text: &str| toml::from_str::<toml::Table>(text).ok();
    let (Some(now), Some(mut before)) = (values(shorter), values(text)) else {
        return false;
    };
    if let Some(toml::Value::Array(approaches)) = before.get_mut("approach") {
        approaches.retain(|one| one.get("name").and_then(toml::Value::as_str) != Some(name));
        if approaches.is_empty() {
            before.remove("approach");
        }
    }
    now == before && parse(text, "").is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: &str = "name = \"x\" # the name\nproblem = '''\n[[approach]]\nname = \"a\"\n'''\n[interface]\nwit = \"wit\"\ncall = \"f\"\n\
                         [workload]\nsource = \"w.rs\"\nsizes = [9]\n\n# The first.\n";
    const A: &str = "[[approach]] # one\n# of it\nname = \"a\"\nsource = \"a.rs\"\nsweep = { N = [1,\n 2] } # two\n\n";
    const B: &str = "[[approach]]\nsource = \"b.rs\"\nname = \"b\"\n";
    const END: &str = "\n[measure]\nprecision = 0.5\n";

    #[test]
    fn an_entry_goes_and_the_rest_stays_byte_for_byte() {
        let text = format!("{BEGIN}{A}{B}{END}");
        assert_eq!(
            without_approach(&text, "a"),
            Some(format!("{BEGIN}{B}{END}"))
        );
        let without = without_approach(&text, "b").unwrap();
        assert_eq!(without, format!("{BEGIN}{A}{}", END.trim_start()));
        assert_eq!(without_approach(&text, "c"), None);
        let only = format!("{BEGIN}{A}");
        assert_eq!(without_approach(&only, "a"), Some(BEGIN.to_owned()));
    }

    #[test]
    fn what_cannot_be_removed_alone_stays() {
        let inline =
            "approach = [{name = \"a\", source = \"a.rs\"}, {name = \"b\", source = \"b.rs\"}]\n";
        assert_eq!(without_approach(&format!("{inline}{BEGIN}"), "a"), None);
        assert_eq!(without_approach("[[approach]\n", "a"), None);
    }
}
