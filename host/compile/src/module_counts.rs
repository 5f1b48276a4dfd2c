//! Numbers of what a module has, imports included: the indices of what is added behind.

use wasmparser::{Parser, Payload, Result, TypeRef};

/// Numbers of what a module has, and the sections that it has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ModuleCounts {
    pub(super) types: u32,
    pub(super) functions: u32,
    pub(super) memories: u32,
    pub(super) globals: u32,
    /// True if a memory is its own, and not imported.
    pub(super) has_memory: bool,
    /// True if there is a section of globals.
    pub(super) has_globals: bool,
    /// True if a function is its own.
    pub(super) has_code: bool,
    /// True if it exports something.
    pub(super) has_exports: bool,
}

impl ModuleCounts {
    /// Counts what a module has.
    pub(super) fn of(module: &[u8], parser: Parser) -> Result<Self> {
        let mut counts = Self::default();
        for payload in parser.parse_all(module) {
            counts.add(&payload?)?;
        }
        Ok(counts)
    }

    /// Counts what the next part of a module has.
    pub(super) fn add(&mut self, payload: &Payload<'_>) -> Result<()> {
        match payload {
            Payload::TypeSection(section) => {
                for group in section.clone() {
                    self.types += group?.types().len() as u32;
                }
            }
            Payload::ImportSection(section) => {
                for import in section.clone().into_imports() {
                    match import?.ty {
                        TypeRef::Func(_) | TypeRef::FuncExact(_) => self.functions += 1,
                        TypeRef::Memory(_) => self.memories += 1,
                        TypeRef::Global(_) => self.globals += 1,
                        _ => {}
                    }
                }
            }
            Payload::FunctionSection(section) => self.functions += section.count(),
            Payload::MemorySection(section) => {
                self.has_memory = section.count() > 0;
                self.memories += section.count();
            }
            Payload::GlobalSection(section) => {
                self.has_globals = true;
                self.globals += section.count();
            }
            Payload::ExportSection(section) => self.has_exports = section.count() > 0,
            Payload::CodeSectionStart { count, .. } => self.has_code = *count > 0,
            _ => {}
        }
        Ok(())
    }
}
