//! A module that gets marks, while it is written.

use super::super::module_counts::ModuleCounts;
use super::limits::{HEAD_BYTES, MARK_POINTS_MAX, too_many_points};
use wasm_encoder::{Function, InstructionSink, MemArg, ValType};
use wasmparser::{CompositeInnerType, Operator, Parser, Payload};

/// A kind of marks: where calls leave them, and what is noted of the pieces of code.
pub(crate) trait Marking {
    /// Size of a mark, in bytes.
    const MARK_BYTES: u32;

    /// The beginning of the names of exports that return marks; the number of the instance follows.
    const EXPORT_PREFIX: &'static str;

    /// True if some operators are counted by lengths.
    const COUNTS_LENGTHS: bool = false;

    /// Notes about the pieces of a module.
    type Notes;

    /// Returns the notes to begin a module with.
    fn notes(&mut self, module: &[u8], parser: Parser) -> Self::Notes;

    /// Returns true if a piece that begins here has its mark before this operator, and not before a later one.
    fn begins_piece(operator: &Operator<'_>, is_first: bool) -> bool;

    /// Returns true if a call that reaches the operator may not reach the one after it, or may come to that one from
    /// elsewhere.
    fn ends_piece(operator: &Operator<'_>) -> bool;

    /// Writes the instructions that leave a mark at a place of the marks' memory.
    fn leave(code: &mut InstructionSink<'_>, at: MemArg);

    /// Takes note of an operator in the piece of a point. `place` counts from the beginning of the section of code.
    fn note(
        notes: &mut Self::Notes,
        point: u32,
        place: u64,
        operator: &Operator<'_>,
        is_first: bool,
    );

    /// Returns true if the work of an operator grows with the number that it takes last, and that number is counted at a
    /// point of its own.
    fn counts_length(_operator: &Operator<'_>) -> bool {
        false
    }

    /// Writes the instructions that add a length in a local to a mark.
    fn add_length(_code: &mut InstructionSink<'_>, _at: MemArg, _length: u32) {}

    /// Takes note of a point at which lengths are counted.
    fn note_length(_notes: &mut Self::Notes, _point: u32, _place: u64) {}
}

/// The module that is being written.
pub(super) struct OpenModule<M: Marking> {
    pub(super) number: u32,
    /// Index of the type of the function that returns the marks.
    pub(super) ty: u32,
    /// Index of that function.
    pub(super) function: u32,
    /// Index of the memory of the marks.
    pub(super) memory: u32,
    pub(super) points: u32,
    pub(super) notes: M::Notes,
    /// Place of the section of code, from which places in it count.
    pub(super) code_start: usize,
    /// Numbers of parameters of the functions that are still to be written, the next one last.
    parameters: Vec<u32>,
    /// The function that is being written.
    open: OpenFunction,
}

/// The function that is being written.
#[derive(Clone, Copy, Default)]
struct OpenFunction {
    /// Index of the local for lengths.
    length: u32,
    /// True if the operator before ended a piece.
    begins: bool,
    /// True if no operator was written yet.
    is_first: bool,
}

impl<M: Marking> OpenModule<M> {
    /// Opens a module with its number. `parameters` are the numbers of parameters of its functions.
    pub(super) fn new(
        (number, counts): (u32, ModuleCounts),
        mut parameters: Vec<u32>,
        notes: M::Notes,
    ) -> Self {
        parameters.reverse();
        Self {
            number,
            ty: counts.types,
            function: counts.functions,
            memory: counts.memories,
            points: 0,
            notes,
            code_start: 0,
            parameters,
            open: OpenFunction::default(),
        }
    }

    /// Begins the next function, which has so many locals, and returns those to add.
    pub(super) fn open_function(&mut self, locals: u32) -> Option<(u32, ValType)> {
        let parameters = self.parameters.pop().unwrap_or_default();
        self.open = OpenFunction {
            length: parameters.saturating_add(locals),
            begins: true,
            is_first: true,
        };
        M::COUNTS_LENGTHS.then_some((1, ValType::I32))
    }

    /// Writes the marks that stand before an operator at an offset of the component, and takes note of it.
    ///
    /// # Errors
    /// There are too many points.
    pub(super) fn before(
        &mut self,
        function: &mut Function,
        operator: &Operator<'_>,
        offset: usize,
    ) -> Result<(), String> {
        let place = offset.saturating_sub(self.code_start) as u64;
        let is_first = std::mem::take(&mut self.open.is_first);
        if self.open.begins && M::begins_piece(operator, is_first) {
            let (_, at) = self.next_point()?;
            M::leave(&mut function.instructions(), at);
            self.open.begins = false;
        }
        if let (false, Some(point)) = (self.open.begins, self.points.checked_sub(1)) {
            M::note(&mut self.notes, point, place, operator, is_first);
        }
        if M::counts_length(operator) {
            let length = self.open.length;
            let (point, at) = self.next_point()?;
            let mut code = function.instructions();
            code.local_tee(length);
            M::add_length(&mut code, at, length);
            M::note_length(&mut self.notes, point, place);
            // The piece goes on, and its notes would be those of this point.
            self.open.begins = true;
        }
        self.open.begins |= M::ends_piece(operator);
        Ok(())
    }

    fn next_point(&mut self) -> Result<(u32, MemArg), String> {
        let point = self.points;
        if point >= MARK_POINTS_MAX {
            return Err(too_many_points());
        }
        self.points += 1;
        let at = self.place(u64::from(HEAD_BYTES + point * M::MARK_BYTES), 0);
        Ok((point, at))
    }

    fn place(&self, offset: u64, align: u32) -> MemArg {
        MemArg {
            offset,
            align,
            memory_index: self.memory,
        }
    }

    /// Returns the function that returns the marks: it leaves their address and number of bytes before them, and returns
    /// where these stand.
    pub(super) fn marks_function(&self) -> Function {
        let mut function = Function::new([]);
        let mut code = function.instructions();
        code.i32_const(0)
            .i32_const(HEAD_BYTES.cast_signed())
            .i32_store(self.place(0, 2));
        code.i32_const(0)
            .i32_const((self.points * M::MARK_BYTES).cast_signed())
            .i32_store(self.place(4, 2));
        code.i32_const(0).end();
        function
    }
}

/// Returns the numbers of parameters of a module's own functions.
pub(super) fn parameter_counts(module: &[u8], parser: Parser) -> wasmparser::Result<Vec<u32>> {
    let mut of_types = Vec::new();
    let mut counts = Vec::new();
    for payload in parser.parse_all(module) {
        match payload? {
            Payload::TypeSection(section) => {
                for group in section {
                    for ty in group?.into_types() {
                        of_types.push(match ty.composite_type.inner {
                            CompositeInnerType::Func(function) => function.params().len() as u32,
                            _ => 0,
                        });
                    }
                }
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    counts.push(of_types.get(ty? as usize).copied().unwrap_or_default());
                }
            }
            _ => {}
        }
    }
    Ok(counts)
}
