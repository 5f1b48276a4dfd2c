//! `instances`: the names of fixed inputs, listed in the experiment file or in a file of their own.
//!
//! ```text
//! OR3-1
//! OR3-2
//! ```
//!
//! Such a file has one name on each line, without quotes; space around a name does not belong to it.
//! Nothing else is in it: no line is empty, and none is a comment.

use super::error::{ConfigError, Finding, Findings, quoted};
use super::fields::problem::{FILE, INSTANCE_CHARS_MAX, INSTANCES, INSTANCES_MAX};
use super::paths::{self, FileKind, FileRef};
use super::section::{At, Section};
use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;

/// The most bytes of all names together.
pub const INSTANCES_BYTES_MAX: usize = 512 << 10;

/// The names of instances, or the file that lists them.
#[derive(Debug)]
pub(super) enum Names {
    /// Names listed in the experiment file.
    Listed(Vec<String>),
    /// A file that lists the names.
    InFile(PathBuf),
}

/// Reads the key `instances`: names that differ, or a file that lists them.
pub(super) fn instances(
    section: &mut Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Names> {
    if section.is_table(&INSTANCES) {
        let file = file(section.section(&INSTANCES, found)?, found)?;
        files.push(file.clone());
        return Some(Names::InFile(file.path));
    }
    let wanted =
        "a list of names like `[\"small-1\", \"small-2\"]`, or `{ file = \"instances.txt\" }`";
    let list = section.array(&INSTANCES, wanted, found)?;
    let mut names = Vec::with_capacity(list.value.len());
    for one in &list.value {
        let Some(value) = one.value.as_str() else {
            let why = "`instances` has an element that is no text".to_owned();
            found.push(wrong(&one.span, why));
            return None;
        };
        let span = one.span.clone();
        names.push(At { value, span });
    }
    let faults = faults(&names, ListPlace::Key, &list.span);
    let sound = faults.is_empty();
    found.extend(faults);
    let names = names.into_iter().map(|name| name.value.to_owned());
    sound.then(|| Names::Listed(names.collect()))
}

/// `{ file = "instances.txt" }`
fn file(mut section: Section<'_>, found: &mut Vec<Finding>) -> Option<FileRef> {
    let file = section.text(&FILE, found);
    let example = "instances = { file = \"instances.txt\" }";
    section.missing(
        FILE.key,
        "it lists the names, one on each line",
        example,
        found,
    );
    section.close(found);
    paths::relative(&file?, FileKind::Instances, found)
}

/// Parses the text of a file of instances: one name on each line. `name` is its name in messages.
///
/// # Errors
/// [`ConfigError::Invalid`]: no name or more than 10,000, names with more than 512 KiB in all, empty
/// lines, a name that is there twice, is too long or has a control character.
pub fn parse_instances(text: &str, name: &str) -> Result<Vec<String>, ConfigError> {
    let names = lines(text);
    let faults = faults(&names, ListPlace::File, &(0..0));
    if !faults.is_empty() {
        return Err(ConfigError::Invalid(Findings::new(name, text, faults)));
    }
    let names = names.into_iter().map(|name| name.value.to_owned());
    Ok(names.collect())
}

/// Splits a text into lines without the space around them, with their spans. Byte order marks at the beginning are
/// no part of the first line.
fn lines(text: &str) -> Vec<At<&str>> {
    let is_before =
        |letter: char| letter == '\u{feff}' || (letter.is_whitespace() && letter != '\n');
    let body = text.trim_start_matches(is_before);
    let mut begin = text.len() - body.len();
    let mut lines = Vec::new();
    for line in body.split_inclusive('\n') {
        let value = line.trim();
        let at = begin + (line.len() - line.trim_start().len()).min(line.trim_end().len());
        lines.push(At {
            value,
            span: at..at + value.len(),
        });
        begin += line.len();
    }
    lines
}

/// Makes a finding about a list of names.
fn wrong(span: &Range<usize>, why: String) -> Finding {
    let help = format!(
        "instances are 1 to {INSTANCES_MAX} different names of 1 to {INSTANCE_CHARS_MAX} \
         characters, with {INSTANCES_BYTES_MAX} bytes in all and no control characters"
    );
    Finding::new(span.clone(), why, "impossible value", help)
}

/// The place of a list of names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListPlace {
    /// The key of the experiment file.
    Key,
    /// A file of its own.
    File,
}

/// Returns what is wrong with a list of names; `whole` is its span.
fn faults(names: &[At<&str>], place: ListPlace, whole: &Range<usize>) -> Vec<Finding> {
    let count = names.len();
    if !(1..=INSTANCES_MAX).contains(&count) {
        let why = match place {
            ListPlace::Key => format!("`instances` has {count} elements"),
            ListPlace::File if count == 0 => "the file of instances has no line".to_owned(),
            ListPlace::File => format!("the file of instances has {count} lines"),
        };
        return vec![wrong(whole, why)];
    }
    let bytes: usize = names.iter().map(|name| name.value.len()).sum();
    if bytes > INSTANCES_BYTES_MAX {
        let why = format!("the names of the instances have {bytes} bytes");
        return vec![wrong(whole, why)];
    }
    let mut places: HashMap<&str, &Range<usize>> = HashMap::with_capacity(count);
    let mut found = Vec::new();
    for (number, At { value, span }) in (1..).zip(names) {
        if value.is_empty() && place == ListPlace::File {
            found.push(wrong(span, format!("line {number} is empty")));
        } else if let Some(why) = fault(value) {
            found.push(wrong(span, why));
        } else if let Some(first) = places.get(value) {
            let why = format!("the instance {} is there twice", quoted(value));
            found.push(wrong(span, why).with_other((*first).clone(), "the first one"));
        } else {
            places.insert(value, span);
        }
    }
    found
}

/// Returns the reason why a text is no name of an instance; `None` for a valid name.
fn fault(name: &str) -> Option<String> {
    let chars = name.chars().count();
    if name.trim().is_empty() {
        return Some("an instance has an empty name".to_owned());
    }
    if chars > INSTANCE_CHARS_MAX {
        return Some(format!("the name of an instance has {chars} characters"));
    }
    name.chars()
        .any(char::is_control)
        .then(|| format!("the instance {} has a control character", quoted(name)))
}

/// Returns true if an experiment file could declare this list of names.
pub(super) fn are_sound(names: &[String]) -> bool {
    let distinct: std::collections::HashSet<&String> = names.iter().collect();
    (1..=INSTANCES_MAX).contains(&names.len())
        && distinct.len() == names.len()
        && names.iter().all(|name| fault(name).is_none())
        && names.iter().map(String::len).sum::<usize>() <= INSTANCES_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(&str, &str)> {
        let lines = lines(text).into_iter();
        let lines = lines.map(|line| (line.value, &text[line.span]));
        lines.collect()
    }

    #[test]
    fn a_line_is_a_name_however_it_ends() {
        for text in [
            "a\nb c\n",
            "\u{feff}a\r\n  b c\t\r\n",
            "\u{feff} \u{feff}\u{feff}a\nb c",
        ] {
            assert_eq!(of(text), [("a", "a"), ("b c", "b c")], "{text:?}");
            assert_eq!(parse_instances(text, "t").unwrap(), ["a", "b c"]);
        }
        assert_eq!(of("a\n \t\n\n"), [("a", "a"), ("", ""), ("", "")]);
        assert_eq!(of(""), []);
    }
}
