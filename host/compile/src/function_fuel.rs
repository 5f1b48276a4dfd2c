//! Counters in a component's code, added in the child, by which the fuel of calls is known by the functions of a source.
//!
//! A straight piece of code takes the same fuel whenever it is passed. So a counter for each piece tells all fuel, and
//! what stands in the piece tells for which functions: also where all of them were inlined in one. The code is that of the
//! build that is measured, with notes about lines beside it.

use super::marks::{Frame, FrameTable, MARK_POINTS_MAX, Marking, marked};
use super::source_functions::SourceFunctions;
use bakeoff_domain::function_fuel::{FuelMap, PieceFuel};
use wasm_encoder::{InstructionSink, MemArg};
use wasmparser::{Operator, Parser};

/// The beginning of the names of exports that return counters; the number of the instance follows.
pub const FUEL_EXPORT: &str = "bakeoff-fuel-m";

/// The version of the counters. Change it with their places or the fuel that they stand for.
pub const FUEL_SCHEME: &str = "function fuel 2";

/// The most bytes of counters of an instance.
pub const FUEL_MARK_BYTES_MAX: u32 = MARK_POINTS_MAX * FuelCounters::MARK_BYTES;

/// The size of a counter, in bytes.
const COUNTER_BYTES: u32 = 8;

/// Units of fuel that the engine takes at the beginning of a function.
const ENTRY_UNITS: u32 = 1;

/// A component with counters in its code, and the map of its points.
pub(super) type CountedComponent = (Vec<u8>, FuelMap);

/// Puts counters into the code of a component, whose source has these functions and one of the `files`' names.
///
/// # Errors
/// The component cannot be re-encoded, or has too much code, or none that could be counted.
pub(super) fn with_counters(
    component: &[u8],
    files: &[&str],
    functions: SourceFunctions,
) -> Result<CountedComponent, String> {
    let mut counters = FuelCounters { files, functions };
    let marked = marked(component, &mut counters)?;
    let instances = marked.instances.iter();
    let pieces = instances.flat_map(|(first, module)| {
        let own = marked.modules[*module].pieces.iter();
        own.map(move |piece| PieceFuel {
            point: first + piece.point,
            ..*piece
        })
    });
    let map = FuelMap {
        points: marked.points,
        pieces: pieces.collect(),
        functions: counters.functions.into_list(),
    };
    Ok((marked.component, map))
}

/// Counters of passes.
struct FuelCounters<'a> {
    files: &'a [&'a str],
    functions: SourceFunctions,
}

/// Fuel of a module's pieces.
struct ModuleFuel {
    table: FrameTable,
    pieces: Vec<PieceFuel>,
}

impl ModuleFuel {
    fn add(&mut self, point: u32, place: u64, units: u32) {
        let function = self.table.number_at(place);
        let last = self.pieces.iter_mut().rev();
        let mut of_point = last.take_while(|piece| piece.point == point);
        match of_point.find(|piece| piece.function == function) {
            Some(piece) => piece.units = piece.units.saturating_add(units),
            None => self.pieces.push(PieceFuel {
                point,
                function,
                units,
            }),
        }
    }
}

/// Returns the units of fuel that the engine takes for an operator, beside those for its length.
fn units(operator: &Operator<'_>) -> u32 {
    match operator {
        Operator::Nop
        | Operator::Drop
        | Operator::Block { .. }
        | Operator::Loop { .. }
        | Operator::Unreachable
        | Operator::Return
        | Operator::Else
        | Operator::End => 0,
        _ => 1,
    }
}

impl Marking for FuelCounters<'_> {
    const MARK_BYTES: u32 = COUNTER_BYTES;
    const EXPORT_PREFIX: &'static str = FUEL_EXPORT;
    const COUNTS_LENGTHS: bool = true;
    type Notes = ModuleFuel;

    fn notes(&mut self, module: &[u8], parser: Parser) -> ModuleFuel {
        let functions = &mut self.functions;
        let number = |frame: Frame<'_>| Some(functions.number_of(&frame));
        ModuleFuel {
            table: FrameTable::of(module, parser, self.files, number),
            pieces: Vec::new(),
        }
    }

    /// A piece without fuel needs no counter; the beginning of a function has some.
    fn begins_piece(operator: &Operator<'_>, is_first: bool) -> bool {
        is_first || units(operator) > 0
    }

    /// Behind a jump of no condition nothing is reached.
    fn ends_piece(operator: &Operator<'_>) -> bool {
        matches!(
            operator,
            Operator::If { .. }
                | Operator::Else
                | Operator::End
                | Operator::Loop { .. }
                | Operator::Br { .. }
                | Operator::BrIf { .. }
                | Operator::BrTable { .. }
                | Operator::Return
                | Operator::ReturnCall { .. }
                | Operator::ReturnCallIndirect { .. }
                | Operator::Unreachable
        )
    }

    fn leave(code: &mut InstructionSink<'_>, at: MemArg) {
        let at = MemArg { align: 3, ..at };
        code.i32_const(0)
            .i32_const(0)
            .i64_load(at)
            .i64_const(1)
            .i64_add()
            .i64_store(at);
    }

    fn note(
        notes: &mut ModuleFuel,
        point: u32,
        place: u64,
        operator: &Operator<'_>,
        is_first: bool,
    ) {
        let entry = if is_first { ENTRY_UNITS } else { 0 };
        match units(operator) + entry {
            0 => {}
            units => notes.add(point, place, units),
        }
    }

    /// Operators on many bytes or elements at once take a unit for each of them.
    fn counts_length(operator: &Operator<'_>) -> bool {
        matches!(
            operator,
            Operator::MemoryCopy { .. }
                | Operator::MemoryFill { .. }
                | Operator::MemoryInit { .. }
                | Operator::TableCopy { .. }
                | Operator::TableFill { .. }
                | Operator::TableInit { .. }
                | Operator::TableGrow { .. }
        )
    }

    fn add_length(code: &mut InstructionSink<'_>, at: MemArg, length: u32) {
        let at = MemArg { align: 3, ..at };
        code.i32_const(0)
            .i32_const(0)
            .i64_load(at)
            .local_get(length)
            .i64_extend_i32_u()
            .i64_add()
            .i64_store(at);
    }

    fn note_length(notes: &mut ModuleFuel, point: u32, place: u64) {
        notes.add(point, place, 1);
    }
}

#[cfg(test)]
mod tests;
