//! The lines of a source that a module's code came from, as the compiler noted them (DWARF, `.debug_line`).

use gimli::{Dwarf, EndianSlice, LittleEndian};
use std::collections::BTreeMap;
use wasmparser::{Parser, Payload};

pub(super) type Bytes<'a> = EndianSlice<'a, LittleEndian>;

/// The lines of a source, by the place of their code. Places count from the beginning of the section of code.
#[derive(Debug, Default)]
pub(crate) struct LineTable {
    /// The end and the line of each piece of code, by its beginning.
    pieces: BTreeMap<u64, (u64, u32)>,
}

impl LineTable {
    /// Reads the lines of a module that are of a file with one of these names; none where the compiler noted none, or
    /// what it noted cannot be read.
    pub(crate) fn of(module: &[u8], parser: Parser, files: &[&str]) -> Self {
        let mut table = Self::default();
        if !files.is_empty() {
            let sections = sections(module, parser);
            // What was read before an error is right.
            let _ = table.read(&sections, files);
        }
        table
    }

    /// Returns the line of the code at a place, if it is one of the source.
    pub(crate) fn line_at(&self, place: u64) -> Option<u32> {
        let (_, (end, line)) = self.pieces.range(..=place).next_back()?;
        (place < *end).then_some(*line)
    }

    fn read(&mut self, sections: &BTreeMap<&str, &[u8]>, files: &[&str]) -> gimli::Result<()> {
        let dwarf = dwarf(sections)?;
        let mut units = dwarf.units();
        while let Some(header) = units.next()? {
            let unit = dwarf.unit(header)?;
            let Some(program) = unit.line_program.clone() else {
                continue;
            };
            let mut rows = program.rows();
            // The row before, if it is of the source.
            let mut before: Option<(u64, u32)> = None;
            while let Some((header, row)) = rows.next_row()? {
                let here = row.address();
                if let Some((start, line)) = before.take()
                    && start < here
                {
                    self.pieces.insert(start, (here, line));
                }
                if row.end_sequence() {
                    continue;
                }
                let line = row.line().and_then(|line| u32::try_from(line.get()).ok());
                let Some(entry) = row.file(header) else {
                    continue;
                };
                let name = dwarf.attr_string(&unit, entry.path_name())?;
                let is_source = files.iter().any(|file| is_file(name.slice(), file));
                before = line.filter(|_| is_source).map(|line| (here, line));
            }
        }
        Ok(())
    }
}

/// Returns true if a path ends in the name of a file.
pub(super) fn is_file(path: &[u8], name: &str) -> bool {
    let before = path.strip_suffix(name.as_bytes());
    before.is_some_and(|before| before.is_empty() || before.ends_with(b"/"))
}

/// Returns what the sections of a module hold.
pub(super) fn dwarf<'a>(sections: &BTreeMap<&str, &'a [u8]>) -> gimli::Result<Dwarf<Bytes<'a>>> {
    Dwarf::load(|id| {
        let bytes = sections.get(id.name()).copied().unwrap_or_default();
        Ok(EndianSlice::new(bytes, LittleEndian))
    })
}

/// Returns the sections of a module in which compilers note such things, by name.
pub(super) fn sections(module: &[u8], parser: Parser) -> BTreeMap<&str, &[u8]> {
    let payloads = parser.parse_all(module);
    let sections = payloads.filter_map(|payload| match payload {
        Ok(Payload::CustomSection(section)) if section.name().starts_with(".debug") => {
            Some((section.name(), section.data()))
        }
        _ => None,
    });
    sections.collect()
}
