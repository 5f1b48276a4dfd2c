//! Marks in a component's code, added in the child, which calls leave where they pass.
//!
//! Each module of the component gets a memory of its own for marks, a place in it for each straight piece of code, which
//! the piece changes when it begins. The component gets an export for each instance of such a module that returns all
//! marks as one list of bytes: the memory itself, lifted. Nothing else of the component changes, so that a call takes the
//! way that it takes without marks; only its fuel is higher.

mod exporter;
mod frames;
mod indices;
mod limits;
mod lines;
mod module;

pub(super) use frames::{Frame, FrameTable};
pub(super) use limits::MARK_POINTS_MAX;
pub(super) use lines::LineTable;
pub(super) use module::Marking;

use super::module_counts::ModuleCounts;
use exporter::Exporter;
use indices::Indices;
use limits::{HEAD_BYTES, MARKS_EXPORT, MEMORY_EXPORT, too_many_points};
use module::OpenModule;
use wasm_encoder::reencode::{self, Error, Reencode, ReencodeComponent};
use wasm_encoder::{
    CodeSection, Component, ExportKind, ExportSection, Function, FunctionSection, MemorySection,
    MemoryType, Module, TypeSection, ValType,
};
use wasmparser::{CustomSectionReader, FunctionBody, Parser};

/// The most instances of modules whose marks are read.
pub const MARKED_INSTANCES_MAX: usize = 16;

/// Size of a page of linear memory, in bytes.
const PAGE_BYTES: u64 = 64 << 10;

/// A component with marks in its code.
pub(super) struct Marked<N> {
    pub(super) component: Vec<u8>,
    /// Number of points.
    pub(super) points: u32,
    /// The notes about each module with marks.
    pub(super) modules: Vec<N>,
    /// The instances whose marks are exported, in their order: the first point of each, and the place of its module.
    pub(super) instances: Vec<(u32, usize)>,
}

/// Puts marks into the code of a component.
///
/// # Errors
/// The component cannot be re-encoded, or has too much code, or none that could be marked.
pub(super) fn marked<M: Marking>(
    component: &[u8],
    marking: &mut M,
) -> Result<Marked<M::Notes>, String> {
    let indices = Indices::of(component).map_err(|error| error.to_string())?;
    let mut marker = Marker {
        marking,
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
    let modules = marker.marked;
    let mut exporter = Exporter::new(indices, M::EXPORT_PREFIX);
    let (mut points, mut instances) = (0_u32, Vec::new());
    for (instance, number) in exporter.indices.instances.clone().into_iter().enumerate() {
        let place = modules.iter().position(|one| Some(one.number) == number);
        let Some(place) = place else { continue };
        if exporter.exported == MARKED_INSTANCES_MAX {
            return Err(format!(
                "it makes more than {MARKED_INSTANCES_MAX} instances of its modules"
            ));
        }
        exporter.export(instance as u32);
        instances.push((points, place));
        points = points.saturating_add(modules[place].points);
    }
    match points {
        0 => return Err("it has no code with a memory of its own".to_owned()),
        MARK_POINTS_MAX.. => return Err(too_many_points()),
        _ => {}
    }
    exporter.write(&mut written);
    Ok(Marked {
        component: written.finish(),
        points,
        modules: modules.into_iter().map(|one| one.notes).collect(),
        instances,
    })
}

/// A module with marks.
struct MarkedModule<N> {
    /// Index of the module in the component.
    number: u32,
    points: u32,
    notes: N,
}

/// Re-encodes a component, with marks in the code of its own modules.
struct Marker<'a, M: Marking> {
    marking: &'a mut M,
    /// Number of components and modules that are open.
    depth: u32,
    /// Number of the outer component's modules so far.
    number: u32,
    /// The module that is being written, if it gets marks.
    module: Option<OpenModule<M>>,
    marked: Vec<MarkedModule<M::Notes>>,
    failed: Option<String>,
}

impl<M: Marking> Reencode for Marker<'_, M> {
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
            let bytes = u64::from(HEAD_BYTES + MARK_POINTS_MAX * M::MARK_BYTES);
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
        let mut locals = Vec::new();
        let mut count = 0_u32;
        for group in body.get_locals_reader()? {
            let (number, ty) = group?;
            count = count.saturating_add(number);
            locals.push((number, self.val_type(ty)?));
        }
        if let Some(module) = &mut self.module {
            locals.extend(module.open_function(count));
        }
        let mut function = Function::new(locals);
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            let (operator, offset) = reader.read_with_offset()?;
            if let Some(module) = &mut self.module
                && let Err(why) = module.before(&mut function, &operator, offset)
            {
                self.failed.get_or_insert(why);
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

impl<M: Marking> ReencodeComponent for Marker<'_, M> {
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
            if can_be_marked {
                let notes = self.marking.notes(module, parser.clone());
                let parameters = module::parameter_counts(module, parser.clone())?;
                self.module = Some(OpenModule::new((self.number, counts), parameters, notes));
            }
            self.number += 1;
        }
        let written =
            reencode::component_utils::parse_component_submodule(self, component, parser, module);
        if let Some(done) = self.module.take_if(|_| is_own) {
            self.marked.push(MarkedModule {
                number: done.number,
                points: done.points,
                notes: done.notes,
            });
        }
        written
    }
}
