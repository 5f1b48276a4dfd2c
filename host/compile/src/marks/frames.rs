//! The places of a source that a module's code stands for, through all calls that were inlined.
//!
//! Optimised code of a function is to a large part code of others that was inlined in it: of libraries, and of the
//! source's own. A piece of code stands for the innermost of the inlined calls that is in the source itself: what a
//! library does inline for a line of the source counts at that line. Code that the compiler made of several lines, such
//! as that which counts the turns of a loop, has none; it counts with the code before it in the same function.

use super::lines::{dwarf, is_file, sections};
use addr2line::{Context, LookupResult};
use gimli::Reader;
use std::borrow::Cow;
use wasmparser::{Parser, Payload};

/// The longest name of a function that is read, in bytes.
const NAME_BYTES_MAX: usize = 400;

/// A place in a source, with the name of the function that it is in as the compiler noted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    /// The line, from 1.
    pub(crate) line: u32,
    /// The column, from 1, if it is known.
    pub(crate) column: Option<u32>,
    /// The name of the function; empty if it has none.
    pub(crate) function: Cow<'a, str>,
}

/// Numbers of the places of a source that code stands for, by the place of the code. Places count from the beginning of the section of code.
#[derive(Debug, Default)]
pub(crate) struct FrameTable {
    /// The first places of code that stands for one thing, each with that; `None` for code of no line of the source.
    runs: Vec<(u64, Option<u32>)>,
}

impl FrameTable {
    /// Looks up all code of a module. `number` gives a number to a place in one of the `files`, if it has one.
    pub(crate) fn of(
        module: &[u8],
        parser: Parser,
        files: &[&str],
        mut number: impl FnMut(Frame<'_>) -> Option<u32>,
    ) -> Self {
        let mut table = Self::default();
        if files.is_empty() {
            return table;
        }
        let sections = sections(module, parser.clone());
        let context = dwarf(&sections).and_then(Context::from_dwarf);
        let Ok(context) = context else {
            return table;
        };
        let mut start = 0;
        for payload in parser.parse_all(module) {
            match payload {
                Ok(Payload::CodeSectionStart { range, .. }) => start = range.start,
                Ok(Payload::CodeSectionEntry(body)) => {
                    let Ok(operators) = body.get_operators_reader() else {
                        break;
                    };
                    let mut code = Vec::new();
                    for operator in operators.into_iter_with_offsets() {
                        let Ok((_, offset)) = operator else { break };
                        let place = offset.saturating_sub(start) as u64;
                        code.push((place, frame(&context, place, files, &mut number)));
                    }
                    table.add_function(&code);
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        table
    }

    /// Adds the code of a function. Code of no line stands for what the code before it stands for; at the beginning, for what
    /// comes next.
    fn add_function(&mut self, code: &[(u64, Line)]) {
        let known = |(_, line): &(u64, Line)| match line {
            Line::Of(number) => Some(*number),
            Line::Unknown => None,
        };
        let mut last = code.iter().find_map(known).flatten();
        for one in code {
            last = known(one).unwrap_or(last);
            self.add(one.0, last);
        }
    }

    fn add(&mut self, place: u64, number: Option<u32>) {
        if self.runs.last().is_none_or(|(_, last)| *last != number) {
            self.runs.push((place, number));
        }
    }

    /// Returns the number of what the code at a place stands for.
    pub(crate) fn number_at(&self, place: u64) -> Option<u32> {
        let after = self.runs.partition_point(|(first, _)| *first <= place);
        self.runs.get(after.checked_sub(1)?)?.1
    }
}

/// Line of the source that code stands for.
enum Line {
    /// One with this number, or none of the source.
    Of(Option<u32>),
    /// One that the compiler did not note: code of several lines.
    Unknown,
}

/// Returns the number of the innermost call at a place that is in one of the files.
fn frame<R: Reader>(
    context: &Context<R>,
    place: u64,
    files: &[&str],
    number: &mut impl FnMut(Frame<'_>) -> Option<u32>,
) -> Line {
    // Nothing of a component is in a file beside it.
    let LookupResult::Output(Ok(mut frames)) = context.find_frames(place) else {
        return Line::Of(None);
    };
    // That of the function itself comes last.
    let mut is_known = true;
    while let Ok(Some(frame)) = frames.next() {
        let location = frame.location.as_ref();
        let line = location.and_then(|location| location.line);
        let line = line.filter(|line| *line > 0);
        is_known = line.is_some();
        let file = location.and_then(|location| location.file);
        let is_source = |path: &str| files.iter().any(|file| is_file(path.as_bytes(), file));
        let Some(line) = line.filter(|_| file.is_some_and(is_source)) else {
            continue;
        };
        let column = location.and_then(|location| location.column);
        let name = frame
            .function
            .as_ref()
            .and_then(|name| name.raw_name().ok());
        let name = name.filter(|name| name.len() <= NAME_BYTES_MAX);
        return Line::Of(number(Frame {
            line,
            column: column.filter(|column| *column > 0),
            function: name.unwrap_or_default(),
        }));
    }
    if is_known {
        Line::Of(None)
    } else {
        Line::Unknown
    }
}
