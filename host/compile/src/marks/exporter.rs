//! The exports that return the marks of a component's instances.

use super::indices::Indices;
use super::limits::{MARKS_EXPORT, MEMORY_EXPORT};
use wasm_encoder::{
    Alias, CanonicalFunctionSection, CanonicalOption, Component, ComponentAliasSection,
    ComponentExportKind, ComponentExportSection, ComponentTypeSection, ComponentValType,
    ExportKind, PrimitiveValType,
};

/// Sections at the end of a component that export the marks of instances.
pub(super) struct Exporter {
    pub(super) indices: Indices,
    /// The beginning of the names of the exports.
    prefix: &'static str,
    /// Number of exports so far.
    pub(super) exported: usize,
    aliases: ComponentAliasSection,
    types: ComponentTypeSection,
    lifted: CanonicalFunctionSection,
    exports: ComponentExportSection,
}

impl Exporter {
    pub(super) fn new(indices: Indices, prefix: &'static str) -> Self {
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
            prefix,
            exported: 0,
            aliases: ComponentAliasSection::new(),
            types,
            lifted: CanonicalFunctionSection::new(),
            exports: ComponentExportSection::new(),
        }
    }

    /// Exports the marks of an instance of a module with marks.
    pub(super) fn export(&mut self, instance: u32) {
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
        let name = format!("{}{number}", self.prefix);
        let function = self.indices.functions + number;
        self.exports
            .export(&*name, ComponentExportKind::Func, function, None);
        self.exported += 1;
    }

    pub(super) fn write(&self, component: &mut Component) {
        component
            .section(&self.aliases)
            .section(&self.types)
            .section(&self.lifted)
            .section(&self.exports);
    }
}
