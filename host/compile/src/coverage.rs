//! In the child: marks in a component's code, which calls leave where they pass.
//!
//! Each module of the component gets a memory of its own for marks, a byte for each straight piece of code, which the
//! piece sets when it begins. The component gets an export for each instance of such a module that returns all marks as
//! one list of bytes: the memory itself, lifted. Nothing else of the component changes, so that a call takes the way
//! that it takes without marks; only its fuel is higher.

mod indices;
mod lines;

use super::module_counts::ModuleCounts;
use bakeoff_domain::coverage::{CoverageMap, CoverageUnit};
use indices::Indices;
use lines::LineTable;
use wasm_encoder::reencode::{self, Error, Reencode, ReencodeComponent};
use wasm_encoder::{
    Alias, CanonicalFunctionSection, CanonicalOption, CodeSection, Component,
    ComponentAliasSection, ComponentExportKind, ComponentExportSection, ComponentTypeSection,
    ComponentValType, ExportKind, ExportSection, Function, FunctionSection, Instruction, MemArg,
    MemorySection, MemoryType, Module, PrimitiveValType, TypeSection, ValType,
};
use wasmparser::{CustomSectionReader, FunctionBody, Operator, Parser};

/// The beginning of the names of exports that return marks; the number of the instance follows.
pub const COVERAGE_EXPORT: &str = "bakeoff-coverage-m";

/// The version of the marks. Change it with the places of marks or the code between them: kept coverages depend on it.
pub const COVERAGE_SCHEME: &str = "coverage 2";

/// The most instances of modules whose marks are counted.
pub const COVERED_INSTANCES_MAX: usize = 16;

/// The most points of a component.
pub const COVERAGE_POINTS_MAX: u32 = 200_000;

/// Names of a module's exports of the marks: the memory, and the function that returns where they lie.
const MEMORY_EXPORT: &str = "bakeoff-coverage-memory";
const MARKS_EXPORT: &str = "bakeoff-coverage-marks";

/// Size of a page of linear memory, in bytes.
const PAGE_BYTES: u64 = 64 << 10;

/// Bytes before the marks: the address and the number of the marks, as the function that returns them leaves them there.
const HEAD_BYTES: u32 = 8;

/// A component with marks in its code.
pub(super) struct Marked {
    pub(super) component: Vec<u8>,
    pub(super) map: CoverageMap,
}

/// Puts marks into the code of a component. Lines of code are those of a source with one of the given `files`' names.
///
/// # Errors
/// The component cannot be re-encoded, or has too much code, or none that could be marked.
pub(super) fn marked(component: &[u8], files: &[&str]) -> Result<Marked, String> {
    let indices = Indices::of(component).map_err(|error| error.to_string())?;
    let mut marker = Marker {
        files,
        depth: 0,
        number: 0,
        module: None,
        marked: Vec::new(),
        failed: None,
    };
    let mut written = Component::new();
    let parsed = marker.parse_component(&mut written, Parser::new(0), component);
    parsed.map_err(|error| error.to_string())?;
    if let Some(why) = marker.failed {
        return Err(why);
    }
    let mut map = CoverageMap {
        unit: if files.is_empty() {
            CoverageUnit::Blocks
        } else {
            CoverageUnit::Lines
        },
        ..CoverageMap::default()
    };
    let mut exporter = Exporter::new(indices);
    for (instance, module) in exporter.indices.instances.clone().into_iter().enumerate() {
        let module = marker.marked.iter().find(|one| Some(one.number) == module);
        let Some(module) = module else { continue };
        if exporter.exported == COVERED_INSTANCES_MAX {
            return Err(format!(
                "it makes more than {COVERED_INSTANCES_MAX} instances of its modules"
            ));
        }
        exporter.export(instance as u32);
        let lines = module.lines.iter();
        map.lines
            .extend(lines.map(|(point, line)| (map.points + point, *line)));
        map.points = map.points.saturating_add(module.points);
    }
    match map.points {
        0 => return Err("it has no code with a memory of its own".to_owned()),
        COVERAGE_POINTS_MAX.. => {
            return Err(format!(
                "it has more than {COVERAGE_POINTS_MAX} pieces of code"
            ));
        }
        _ => {}
    }
    exporter.write(&mut written);
    Ok(Marked {
        component: written.finish(),
        map,
    })
}

/// A module with marks.
struct MarkedModule {
    /// Index of the module in the component.
    number: u32,
    points: u32,
    /// Points with lines.
    lines: Vec<(u32, u32)>,
}

/// Re-encodes a component, with marks in the code of its own modules.
struct Marker<'a> {
    files: &'a [&'a str],
    /// Number of components and modules that are open.
    depth: u32,
    /// Number of the outer component's modules so far.
    number: u32,
    /// The module that is being written, if it gets marks.
    module: Option<OpenModule>,
    marked: Vec<MarkedModule>,
    failed: Option<String>,
}

/// The module that is being written.
struct OpenModule {
    number: u32,
    /// Index of the type of the function that returns the marks.
    ty: u32,
    /// Index of that function.
    function: u32,
    /// Index of the memory of the marks.
    memory: u32,
    points: u32,
    lines: Vec<(u32, u32)>,
    table: LineTable,
    /// Place of the section of code, from which the line table counts.
    code_start: usize,
}

impl OpenModule {
    /// Returns the instructions that leave a mark at the next point.
    fn mark(&mut self) -> [Instruction<'static>; 3] {
        let at = HEAD_BYTES + self.points;
        self.points += 1;
        [
            Instruction::I32Const(at.cast_signed()),
            Instruction::I32Const(1),
            Instruction::I32Store8(self.place(0, 0)),
        ]
    }

    fn place(&self, offset: u64, align: u32) -> MemArg {
        MemArg {
            offset,
            align,
            memory_index: self.memory,
        }
    }

    /// Notes that the last point has the code at an offset of the component.
    fn passes(&mut self, offset: usize) {
        let address = offset.saturating_sub(self.code_start) as u64;
        let Some((line, point)) = self.table.line_at(address).zip(self.points.checked_sub(1))
        else {
            return;
        };
        let is_new = self.lines.last() != Some(&(point, line));
        if is_new && !self.of_point(point).any(|known| known == line) {
            self.lines.push((point, line));
        }
    }

    /// Returns the lines of the last point.
    fn of_point(&self, point: u32) -> impl Iterator<Item = u32> {
        let last = self.lines.iter().rev();
        last.take_while(move |(known, _)| *known == point)
            .map(|(_, line)| *line)
    }

    /// Returns the function that returns the marks: it leaves their address and number before them, and returns where
    /// these stand.
    fn marks_function(&self) -> Function {
        let mut function = Function::new([]);
        let mut code = function.instructions();
        code.i32_const(0)
            .i32_const(HEAD_BYTES.cast_signed())
            .i32_store(self.place(0, 2));
        code.i32_const(0)
            .i32_const(self.points.cast_signed())
            .i32_store(self.place(4, 2));
        code.i32_const(0).end();
        function
    }
}

/// Returns true if a call that reaches the instruction may not reach the one after it, or may come to that one from
/// elsewhere.
fn ends_piece(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::If { .. } | Operator::Else | Operator::End | Operator::BrIf { .. }
    )
}

impl Reencode for Marker<'_> {
    type Error = std::convert::Infallible;

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Result<(), Error> {
        reencode::utils::parse_type_section(self, types, section)?;
        if self.module.is_some() {
            types.ty().function([], [ValType::I32]);
        }
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: wasmparser::FunctionSectionReader<'_>,
    ) -> Result<(), Error> {
        reencode::utils::parse_function_section(self, functions, section)?;
        if let Some(module) = &self.module {
            functions.function(module.ty);
        }
        Ok(())
    }

    /// Adds the memory of the marks. The number of points, and with it the memory's size, is known when the code has been
    /// written, which comes later: the memory has room for as many points as there can be, which the system gives it
    /// page by page.
    fn parse_memory_section(
        &mut self,
        memories: &mut MemorySection,
        section: wasmparser::MemorySectionReader<'_>,
    ) -> Result<(), Error> {
        reencode::utils::parse_memory_section(self, memories, section)?;
        if self.module.is_some() {
            let bytes = u64::from(HEAD_BYTES + COVERAGE_POINTS_MAX);
            let pages = bytes.div_ceil(PAGE_BYTES);
            memories.memory(MemoryType {
                minimum: pages,
                maximum: Some(pages),
                memory64: false,
                shared: false,
                page_size_log2: None,
            });
        }
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Result<(), Error> {
        reencode::utils::parse_export_section(self, exports, section)?;
        if let Some(module) = &self.module {
            exports.export(MEMORY_EXPORT, ExportKind::Memory, module.memory);
            exports.export(MARKS_EXPORT, ExportKind::Func, module.function);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Result<(), Error> {
        if let Some(module) = &mut self.module {
            module.code_start = section.range().start;
        }
        reencode::utils::parse_code_section(self, code, section)?;
        if let Some(module) = &self.module {
            code.function(&module.marks_function());
        }
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Result<(), Error> {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        let mut reader = body.get_operators_reader()?;
        let mut begins = true;
        while !reader.eof() {
            let (operator, offset) = reader.read_with_offset()?;
            if let Some(module) = &mut self.module {
                if module.points >= COVERAGE_POINTS_MAX {
                    let why = format!("it has more than {COVERAGE_POINTS_MAX} pieces of code");
                    self.failed.get_or_insert(why);
                    begins = false;
                }
                // Where a piece has no instruction but its end there is nothing to reach.
                if begins && !matches!(operator, Operator::End | Operator::Else) {
                    for instruction in module.mark() {
                        function.instruction(&instruction);
                    }
                    begins = false;
                }
                // A jump of no condition is noted at the line to which it leads as often as at its own.
                if !begins && !matches!(operator, Operator::Br { .. }) {
                    module.passes(offset);
                }
                begins |= ends_piece(&operator);
            }
            function.instruction(&self.instruction(operator)?);
        }
        code.function(&function);
        Ok(())
    }

    /// Leaves custom sections out: names and notes of tools.
    fn parse_custom_section(
        &mut self,
        _: &mut Module,
        _: CustomSectionReader<'_>,
    ) -> Result<(), Error> {
        Ok(())
    }
}

impl ReencodeComponent for Marker<'_> {
    fn push_depth(&mut self) {
        self.depth += 1;
    }

    fn pop_depth(&mut self) {
        self.depth -= 1;
    }

    fn parse_component_submodule(
        &mut self,
        component: &mut Component,
        parser: Parser,
        module: &[u8],
    ) -> Result<(), Error> {
        let is_own = self.depth == 0;
        if is_own {
            let counts = ModuleCounts::of(module, parser.clone())?;
            let can_be_marked = counts.has_memory && counts.has_code && counts.has_exports;
            self.module = can_be_marked.then(|| OpenModule {
                number: self.number,
                ty: counts.types,
                function: counts.functions,
                memory: counts.memories,
                points: 0,
                lines: Vec::new(),
                table: LineTable::of(module, parser.clone(), self.files),
                code_start: 0,
            });
            self.number += 1;
        }
        let written =
            reencode::component_utils::parse_component_submodule(self, component, parser, module);
        if let Some(done) = self.module.take_if(|_| is_own) {
            self.marked.push(MarkedModule {
                number: done.number,
                points: done.points,
                lines: done.lines,
            });
        }
        written
    }
}

/// Sections at the end of a component that export the marks of instances.
struct Exporter {
    indices: Indices,
    /// Number of exports so far.
    exported: usize,
    aliases: ComponentAliasSection,
    types: ComponentTypeSection,
    lifted: CanonicalFunctionSection,
    exports: ComponentExportSection,
}

impl Exporter {
    fn new(indices: Indices) -> Self {
        let mut types = ComponentTypeSection::new();
        types
            .defined_type()
            .list(ComponentValType::Primitive(PrimitiveValType::U8));
        let mut function = types.function();
        let none: [(&str, ComponentValType); 0] = [];
        function
            .params(none)
            .result(Some(ComponentValType::Type(indices.types)));
        Self {
            indices,
            exported: 0,
            aliases: ComponentAliasSection::new(),
            types,
            lifted: CanonicalFunctionSection::new(),
            exports: ComponentExportSection::new(),
        }
    }

    /// Exports the marks of an instance of a module with marks.
    fn export(&mut self, instance: u32) {
        let number = self.exported as u32;
        for (kind, name) in [
            (ExportKind::Memory, MEMORY_EXPORT),
            (ExportKind::Func, MARKS_EXPORT),
        ] {
            self.aliases.alias(Alias::CoreInstanceExport {
                instance,
                kind,
                name,
            });
        }
        let memory = CanonicalOption::Memory(self.indices.core_memories + number);
        let ty = self.indices.types + 1;
        let function = self.indices.core_functions + number;
        self.lifted.lift(function, ty, [memory]);
        let name = format!("{COVERAGE_EXPORT}{number}");
        let function = self.indices.functions + number;
        self.exports
            .export(&*name, ComponentExportKind::Func, function, None);
        self.exported += 1;
    }

    fn write(&self, component: &mut Component) {
        component
            .section(&self.aliases)
            .section(&self.types)
            .section(&self.lifted)
            .section(&self.exports);
    }
}

#[cfg(test)]
mod tests;
