//! Memory in advance for code that is timed, which the child puts into a component.
//!
//! To grow a memory is a system call, and the pages that come with it are new to the process: a
//! program that allocates would mostly be timed for the kernel's work. So a timed component gets all
//! memory that it may have from the start, and its `memory.grow` only counts pages of it. The guest
//! sees no difference: `memory.size` is what it would be, growing fails beyond the same limit, and
//! new pages are zero. Memory beyond that size exists all the same: code that reads it finds zeros,
//! where a checked call would trap.
//!
//! A component whose memory is shared between modules, that has several, or whose tables grow, is left as it is: its
//! memory grows by system calls, and their time counts. Tables count against the same limit, so that a table which
//! grows would find nothing left of it.

use super::module_counts::ModuleCounts;
use std::borrow::Cow;
use wasm_encoder::reencode::{self, Error, Reencode, ReencodeComponent};
use wasm_encoder::{
    BlockType, CodeSection, Component, ConstExpr, Function, FunctionSection, GlobalSection,
    GlobalType, Instruction, Module, TypeSection, ValType,
};
use wasmparser::{CustomSectionReader, Operator, Parser, Payload, TypeRef};

/// The version of this scheme. Change it with the re-encoding: cached builds and stored measurements
/// depend on it.
pub const SCHEME: &str = "reserve 2";

/// Size of a page of linear memory, in bytes.
const PAGE_BYTES: u64 = 64 << 10;

/// Host memory for an element of a table, in bytes.
const TABLE_ELEMENT_BYTES: u64 = 8;

/// Returns the component with all of `memory_bytes` in advance; the component itself if it has not
/// exactly one memory, never lets it grow, or lets its tables grow.
pub(super) fn in_advance(component: &[u8], memory_bytes: u64) -> Cow<'_, [u8]> {
    match reserved(component, memory_bytes) {
        Ok(Some(reserved)) => Cow::Owned(reserved),
        // A component that cannot be re-encoded is timed as it is.
        Ok(None) | Err(_) => Cow::Borrowed(component),
    }
}

fn reserved(component: &[u8], memory_bytes: u64) -> Result<Option<Vec<u8>>, Error> {
    let Some(memory) = Memory::find(component, memory_bytes)? else {
        return Ok(None);
    };
    let mut reserver = Reserver {
        memory,
        module: None,
        reserved: false,
        grows_tables: false,
    };
    let mut written = Component::new();
    reserver.parse_component(&mut written, Parser::new(0), component)?;
    let fits = reserver.reserved && !reserver.grows_tables;
    Ok(fits.then(|| written.finish()))
}

/// The only memory of a component, and the pages that it gets.
#[derive(Clone, Copy)]
struct Memory {
    /// The pages that it declares.
    declared: u32,
    /// The pages that it gets.
    reserved: u32,
}

impl Memory {
    /// Finds the memory of a component; `None` if it has none, several, one that a module imports, or one that
    /// cannot be given more pages.
    fn find(component: &[u8], memory_bytes: u64) -> Result<Option<Self>, Error> {
        let (mut memories, mut table_elements) = (Vec::new(), 0_u64);
        for payload in Parser::new(0).parse_all(component) {
            match payload? {
                Payload::MemorySection(section) => {
                    for memory in section {
                        memories.push(memory?);
                    }
                }
                Payload::TableSection(section) => {
                    for table in section {
                        table_elements = table_elements.saturating_add(table?.ty.initial);
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        if matches!(import?.ty, TypeRef::Memory(_)) {
                            return Ok(None);
                        }
                    }
                }
                _ => {}
            }
        }
        let [memory] = memories.as_slice() else {
            return Ok(None);
        };
        if memory.memory64 || memory.shared || memory.page_size_log2.is_some() {
            return Ok(None);
        }
        // Tables are counted against the same limit.
        let left = memory_bytes.saturating_sub(table_elements.saturating_mul(TABLE_ELEMENT_BYTES));
        let allowed = (left / PAGE_BYTES).min(memory.maximum.unwrap_or(u64::MAX));
        let pages = |pages: u64| u32::try_from(pages.min(1 << 16)).unwrap_or(1 << 16);
        let (declared, reserved) = (pages(memory.initial), pages(allowed));
        Ok((reserved > declared).then_some(Self { declared, reserved }))
    }
}

/// Re-encodes a component, with memory in advance.
struct Reserver {
    memory: Memory,
    /// The numbers of what the module that is being written has, if it is the one with the memory: the indices of the
    /// type and the function by which it grows, and of the global that holds the pages in use. `None` otherwise, and
    /// between modules.
    module: Option<ModuleCounts>,
    /// True once the module with the memory was found.
    reserved: bool,
    /// True once an instruction that grows a table was found, in any module.
    grows_tables: bool,
}

/// Counts what a module has; `None` if it has no memory of its own, never grows it, or has no section of globals.
fn counted(module: &[u8], parser: Parser) -> Result<Option<ModuleCounts>, Error> {
    let mut counts = ModuleCounts::default();
    let mut grows = false;
    for payload in parser.parse_all(module) {
        let payload = payload?;
        counts.add(&payload)?;
        if let Payload::CodeSectionEntry(body) = payload {
            for operator in body.get_operators_reader()? {
                grows |= matches!(operator?, Operator::MemoryGrow { .. });
            }
        }
    }
    let fits = counts.has_memory && grows && counts.has_globals;
    Ok(fits.then_some(counts))
}

impl Memory {
    /// Returns the function that grows the memory: within the pages in advance it only counts; beyond
    /// them the memory itself grows.
    fn grow_function(self, size: u32) -> Function {
        let (delta, new) = (0, 1);
        let mut function = Function::new([(1, ValType::I32)]);
        let mut code = function.instructions();
        code.global_get(size)
            .local_get(delta)
            .i32_add()
            .local_set(new);
        // More pages than there are numbers for.
        code.local_get(new)
            .global_get(size)
            .i32_lt_u()
            .if_(BlockType::Empty);
        code.i32_const(-1).return_().end();
        code.local_get(new)
            .i32_const(self.reserved.cast_signed())
            .i32_gt_u();
        code.if_(BlockType::Empty);
        code.local_get(new)
            .memory_size(0)
            .i32_gt_u()
            .if_(BlockType::Empty);
        code.local_get(new).memory_size(0).i32_sub().memory_grow(0);
        code.i32_const(-1).i32_eq().if_(BlockType::Empty);
        code.i32_const(-1).return_().end();
        code.end();
        code.end();
        code.global_get(size).local_get(new).global_set(size).end();
        function
    }
}

impl Reencode for Reserver {
    type Error = std::convert::Infallible;

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Result<(), Error> {
        reencode::utils::parse_type_section(self, types, section)?;
        if self.module.is_some() {
            types.ty().function([ValType::I32], [ValType::I32]);
        }
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: wasmparser::FunctionSectionReader<'_>,
    ) -> Result<(), Error> {
        reencode::utils::parse_function_section(self, functions, section)?;
        if let Some(added) = self.module {
            functions.function(added.types);
        }
        Ok(())
    }

    fn memory_type(
        &mut self,
        memory: wasmparser::MemoryType,
    ) -> Result<wasm_encoder::MemoryType, Error> {
        let mut memory = reencode::utils::memory_type(self, memory);
        if self.module.is_some() {
            memory.minimum = u64::from(self.memory.reserved);
        }
        Ok(memory)
    }

    fn parse_global_section(
        &mut self,
        globals: &mut GlobalSection,
        section: wasmparser::GlobalSectionReader<'_>,
    ) -> Result<(), Error> {
        reencode::utils::parse_global_section(self, globals, section)?;
        if self.module.is_some() {
            let ty = GlobalType {
                val_type: ValType::I32,
                mutable: true,
                shared: false,
            };
            globals.global(
                ty,
                &ConstExpr::i32_const(self.memory.declared.cast_signed()),
            );
        }
        Ok(())
    }

    fn instruction<'a>(&mut self, operator: Operator<'a>) -> Result<Instruction<'a>, Error> {
        self.grows_tables |= matches!(operator, Operator::TableGrow { .. });
        match (self.module, operator) {
            (Some(added), Operator::MemoryGrow { .. }) => Ok(Instruction::Call(added.functions)),
            (Some(added), Operator::MemorySize { .. }) => Ok(Instruction::GlobalGet(added.globals)),
            (_, operator) => reencode::utils::instruction(self, operator),
        }
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Result<(), Error> {
        reencode::utils::parse_code_section(self, code, section)?;
        if let Some(added) = self.module {
            code.function(&self.memory.grow_function(added.globals));
        }
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

impl ReencodeComponent for Reserver {
    fn parse_component_submodule(
        &mut self,
        component: &mut Component,
        parser: Parser,
        module: &[u8],
    ) -> Result<(), Error> {
        self.module = counted(module, parser.clone())?;
        self.reserved |= self.module.is_some();
        let written =
            reencode::component_utils::parse_component_submodule(self, component, parser, module);
        self.module = None;
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_reserved(code: &str) -> bool {
        let component = format!(
            "(component (core module (memory 1) (table $t 1 funcref) (global $g (mut i32) (i32.const 0))
               (func (export \"f\") (result i32) (memory.grow (i32.const 1)) {code})))"
        );
        let component = wat::parse_str(component).unwrap();
        matches!(in_advance(&component, 8 << 20), Cow::Owned(_))
    }

    #[test]
    fn tables_that_grow_leave_memory_as_it_is() {
        assert!(is_reserved("drop (global.get $g)"));
        assert!(!is_reserved(
            "drop (table.grow $t (ref.null func) (i32.const 8192))"
        ));
    }
}
