//! Approaches that a model is to write: `[[approach]]` with `write = true`.

use super::error::Finding;
use super::fields::approach::{COMMAND, COMPONENT, GRANT, INSTRUCTIONS, SOURCE, SWEEP, WRITE};
use super::fields::field::Field;
use super::paths::{self, FileKind, FileRef};
use super::section::Section;
use bakeoff_domain::spec::AuthorWords;
use std::ops::Range;
use std::path::PathBuf;

/// An approach that has no code yet: the user's idea, which a model is to write.
#[derive(Clone, Debug, PartialEq)]
pub struct WishedApproach {
    /// The name.
    pub name: String,
    /// The idea, in a sentence.
    pub description: Option<String>,
    /// Words of its author.
    pub words: AuthorWords,
    /// A file with wishes for this approach, relative to the experiment's folder.
    pub instructions: Option<PathBuf>,
    /// The place of `write = true` in the text of the experiment file, and of `instructions`.
    places: (Range<usize>, Option<Range<usize>>),
}

/// The wish of an approach for its code: the place of `write`, and the file of `instructions` with its place.
pub(super) struct Wish {
    write: Range<usize>,
    instructions: Option<(PathBuf, Range<usize>)>,
}

impl Wish {
    /// Returns the approach that is wished for.
    pub(super) fn approach(
        self,
        name: String,
        description: Option<String>,
        words: AuthorWords,
    ) -> WishedApproach {
        let (instructions, place) = self.instructions.unzip();
        WishedApproach {
            name,
            description,
            words,
            instructions,
            places: (self.write, place),
        }
    }
}

/// Reads `write` and `instructions`; `None` if the approach has code, or something is wrong.
pub(super) fn wish(
    section: &mut Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Wish> {
    let write = section.flag(&WRITE, found).filter(|write| write.value);
    let named = section.text(&INSTRUCTIONS, found);
    let at = section.key(&INSTRUCTIONS);
    let Some(write) = write else {
        if let Some(at) = at {
            found.push(Finding::new(
                at,
                "`instructions` of an approach are for a model that writes it",
                "nothing is written here",
                "add `write = true` in the place of the code, or remove `instructions`",
            ));
        }
        return None;
    };
    let others = [SOURCE.key, COMPONENT.key, COMMAND.key, SWEEP.key, GRANT.key];
    if let Some(other) = others.into_iter().find_map(|key| section.key(key)) {
        found.push(
            Finding::new(
                write.span.clone(),
                "`write` asks a model for the code of this approach, which has some",
                "one of the two",
                "remove `write`, or remove what belongs to the code that is there",
            )
            .with_other(other, "the other"),
        );
        return None;
    }
    let file = match named {
        Some(named) => Some(paths::relative(&named, FileKind::Told, found)?),
        None => None,
    };
    files.extend(file.clone());
    let instructions = file
        .map(|file| file.path)
        .zip(with_value(section, &INSTRUCTIONS));
    Some(Wish {
        write: with_value(section, &WRITE)?,
        instructions,
    })
}

/// Returns the span of a key and its value.
fn with_value<K>(section: &Section<'_>, field: &Field<K>) -> Option<Range<usize>> {
    let (from, to) = (section.key(field)?, section.value_place(field)?);
    Some(from.start..to.end)
}

/// Returns the text of an experiment file in which each of these wishes has the code that was written for it: the path of
/// its Rust file, relative to the experiment's folder.
pub fn with_wishes_written(text: &str, written: &[(&WishedApproach, String)]) -> String {
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for (wished, source) in written {
        let (write, instructions) = &wished.places;
        changes.push((write.clone(), format!("source = {}", super::quoted(source))));
        if let Some(place) = instructions {
            changes.push((with_separator(text, place), String::new()));
        }
    }
    changes.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    let mut text = text.to_owned();
    for (place, code) in changes {
        text.replace_range(place, &code);
    }
    text
}

/// Returns the place of a key with what goes with it: its line if nothing else stands there, and in an inline table the
/// comma behind it, or else the one before it.
fn with_separator(text: &str, key: &Range<usize>) -> Range<usize> {
    let start = text[..key.start].rfind('\n').map_or(0, |end| end + 1);
    let end = text[key.end..].find('\n').map(|end| key.end + end + 1);
    let end = end.unwrap_or(text.len());
    if text[start..key.start].trim().is_empty() && text[key.end..end].trim().is_empty() {
        return start..end;
    }
    let behind = text[key.end..].trim_start();
    if let Some(rest) = behind.strip_prefix(',') {
        return key.start..text.len() - rest.trim_start().len();
    }
    let before = text[..key.start].trim_end();
    match before.strip_suffix(',') {
        Some(rest) => rest.len()..key.end,
        None => key.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::experiment::decode;
    use super::*;

    const BEGIN: &str = "name = \"x\"\nproblem = \"y\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n[workload]\n\
                         source = \"w.rs\"\nsizes = [9]\n";

    #[test]
    fn a_wish_becomes_a_source_and_the_rest_of_the_file_stays() {
        let text = format!(
            "{BEGIN}[[approach]]\nname = \"a\"\nwrite = true # soon\ninstructions = \"a.md\"\npros = [\"p\"]\n\n\
             [[approach]]\nname = \"b\"\nsource = \"b.rs\"\n\n[[approach]]\nname = \"c\"\n  write = true\n"
        );
        let decoded = decode(&text);
        assert!(decoded.found.is_empty(), "{:?}", decoded.found);
        let wished = &decoded.wished;
        let names: Vec<&str> = wished.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["a", "c"]);
        assert_eq!(decoded.experiment.unwrap().approaches.len(), 1);
        let written = [
            (&wished[0], "approaches/a.rs".to_owned()),
            (&wished[1], "c.rs".to_owned()),
        ];
        let after = with_wishes_written(&text, &written);
        let expected = text
            .replacen("write = true", "source = \"approaches/a.rs\"", 1)
            .replacen("write = true", "source = \"c.rs\"", 1)
            .replacen("instructions = \"a.md\"\n", "", 1);
        assert_eq!(after, expected);
        assert!(decode(&after).wished.is_empty() && decode(&after).found.is_empty());
    }

    #[test]
    fn a_wish_in_an_inline_table_leaves_no_comma_behind() {
        for keys in [
            "name = \"a\", instructions = \"a.md\", write = true",
            "instructions = \"a.md\", write = true, name = \"a\"",
            "name = \"a\", write = true, instructions = \"a.md\" ",
            "write = true,\ninstructions = \"a.md\",\nname = \"a\"",
        ] {
            let (head, rest) = BEGIN.split_once("[interface]").unwrap();
            let text = format!("{head}approach = [{{ {keys} }}]\n[interface]{rest}");
            let decoded = decode(&text);
            assert!(decoded.found.is_empty(), "{:?}", decoded.found);
            let after = with_wishes_written(&text, &[(&decoded.wished[0], "a.rs".to_owned())]);
            let again = decode(&after);
            assert!(
                again.found.is_empty() && again.wished.is_empty(),
                "{after}: {:?}",
                again.found
            );
            assert_eq!(again.experiment.unwrap().approaches.len(), 1, "{after}");
        }
    }

    #[test]
    fn a_wish_beside_code_is_refused() {
        for (keys, part) in [
            (
                "write = true\nsource = \"a.rs\"",
                "asks a model for the code",
            ),
            (
                "source = \"a.rs\"\ninstructions = \"a.md\"",
                "a model that writes it",
            ),
            (
                "write = true\nsweep = { n = [1] }",
                "asks a model for the code",
            ),
            ("write = false", "no code"),
            ("write = 1", "write"),
        ] {
            let found = decode(&format!("{BEGIN}[[approach]]\nname = \"a\"\n{keys}\n")).found;
            let said: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
            assert!(
                said.iter().any(|one| one.contains(part)),
                "{keys}: {said:?}"
            );
        }
    }
}
