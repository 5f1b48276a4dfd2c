//! Marks that tell which code calls reach, added in the child: a byte for each straight piece.

use super::marks::{LineTable, MARK_POINTS_MAX, Marking, marked};
use bakeoff_domain::coverage::{CoverageMap, CoverageUnit};
use wasm_encoder::{InstructionSink, MemArg};
use wasmparser::{Operator, Parser};

/// The beginning of the names of exports that return marks; the number of the instance follows.
pub const COVERAGE_EXPORT: &str = "bakeoff-coverage-m";

/// The version of the marks. Change it with the places of marks or the code between them: kept coverages depend on it.
pub const COVERAGE_SCHEME: &str = "coverage 2";

/// The most bytes of marks of an instance.
pub const COVERAGE_MARK_BYTES_MAX: u32 = MARK_POINTS_MAX * CoverageMarks::MARK_BYTES;

/// A component with marks in its code, and the map of its points.
pub(super) type CoveredComponent = (Vec<u8>, CoverageMap);

/// Puts marks into the code of a component. Lines of code are those of a source with one of the given `files`' names.
///
/// # Errors
/// The component cannot be re-encoded, or has too much code, or none that could be marked.
pub(super) fn with_marks(component: &[u8], files: &[&str]) -> Result<CoveredComponent, String> {
    let marked = marked(component, &mut CoverageMarks { files })?;
    let instances = marked.instances.iter();
    let lines = instances.flat_map(|(first, module)| {
        let own = marked.modules[*module].lines.iter();
        own.map(move |(point, line)| (first + point, *line))
    });
    let map = CoverageMap {
        points: marked.points,
        unit: if files.is_empty() {
            CoverageUnit::Blocks
        } else {
            CoverageUnit::Lines
        },
        lines: lines.collect(),
    };
    Ok((marked.component, map))
}

/// Marks that are set where a call passes.
struct CoverageMarks<'a> {
    files: &'a [&'a str],
}

/// The lines of a module's points.
struct PointLines {
    table: LineTable,
    /// Points with lines.
    lines: Vec<(u32, u32)>,
}

impl Marking for CoverageMarks<'_> {
    const MARK_BYTES: u32 = 1;
    const EXPORT_PREFIX: &'static str = COVERAGE_EXPORT;
    type Notes = PointLines;

    fn notes(&mut self, module: &[u8], parser: Parser) -> PointLines {
        PointLines {
            table: LineTable::of(module, parser, self.files),
            lines: Vec::new(),
        }
    }

    /// Returns false where a piece has no instruction but its end: there is nothing to reach.
    fn begins_piece(operator: &Operator<'_>, _is_first: bool) -> bool {
        !matches!(operator, Operator::End | Operator::Else)
    }

    fn ends_piece(operator: &Operator<'_>) -> bool {
        matches!(
            operator,
            Operator::If { .. } | Operator::Else | Operator::End | Operator::BrIf { .. }
        )
    }

    fn leave(code: &mut InstructionSink<'_>, at: MemArg) {
        let address = (at.offset as u32).cast_signed();
        code.i32_const(address)
            .i32_const(1)
            .i32_store8(MemArg { offset: 0, ..at });
    }

    fn note(
        notes: &mut PointLines,
        point: u32,
        place: u64,
        operator: &Operator<'_>,
        _is_first: bool,
    ) {
        // A jump of no condition is noted at the line to which it leads as often as at its own.
        if matches!(operator, Operator::Br { .. }) {
            return;
        }
        let Some(line) = notes.table.line_at(place) else {
            return;
        };
        let is_new = notes.lines.last() != Some(&(point, line));
        let last = notes.lines.iter().rev();
        let mut of_point = last.take_while(|(known, _)| *known == point);
        if is_new && !of_point.any(|(_, known)| *known == line) {
            notes.lines.push((point, line));
        }
    }
}

#[cfg(test)]
mod tests;
