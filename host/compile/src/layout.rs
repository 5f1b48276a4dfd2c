//! Versions of a component, made in the child, that differ only in the addresses of their machine code.
//!
//! Where a loop begins within a cache line, and which branches share a predictor's slot, is decided
//! by all the code before it: an accident, the same in every process that loads the same code, and
//! worth several per cent. Measuring again does not average it away. So each component is compiled
//! several times with empty functions, which nobody calls, among its own: a number of them at the
//! front moves all code by up to a page, and one more or none before each function moves it against
//! its neighbours. Cranelift starts functions at multiples of 32 bytes, so that is the step.
//!
//! Version n has the same pattern in every component. Two components with the same code therefore
//! have the same versions, and as each replica draws one for each of them, independently and
//! uniformly, the difference of the two is symmetric around zero.

use bakeoff_domain::plan::{LAYOUTS, splitmix64};
use wasm_encoder::reencode::{self, Error, Reencode, ReencodeComponent};
use wasm_encoder::{CodeSection, Component, Function, FunctionSection, Module, TypeSection};
use wasmparser::{CustomSectionReader, Parser, Payload};

/// The version of this layout scheme. Change it with the patterns: cached builds and stored measurements
/// depend on it.
pub const SCHEME: &str = "layout 2";

/// The most versions of a component.
pub(super) const VERSIONS_MAX: usize = LAYOUTS as usize;

/// The most empty functions at the front: 32 bytes each, so a page of 4 KiB less one step.
const FRONT_MAX: u64 = 127;

/// Returns the number of versions of a component, by the bytes of its code: data does not make compiling
/// longer, and padding a component with data does not lower the number. Each version is compiled on its
/// own: for a prototype of 30 KB that is ten milliseconds, for an interpreter of 18 MB it would be
/// fifteen seconds.
pub(super) fn versions(component: &[u8]) -> usize {
    match code_bytes(component) {
        0..=0x2_0000 => VERSIONS_MAX,
        0x2_0001..=0x8_0000 => 4,
        0x8_0001..=0x20_0000 => 2,
        _ => 1,
    }
}

/// Returns the size of the code sections of all modules in a component, in bytes; up to the first malformed part.
fn code_bytes(component: &[u8]) -> u64 {
    let payloads = Parser::new(0).parse_all(component);
    let sizes = payloads.map_while(|payload| match payload {
        Ok(Payload::CodeSectionStart { size, .. }) => Some(u64::from(size)),
        Ok(_) => Some(0),
        Err(_) => None,
    });
    sizes.sum()
}

/// Returns the version with this number. It behaves like the component; names of functions are left
/// out.
///
/// # Errors
/// The component is malformed, or cannot be re-encoded.
pub(super) fn version(component: &[u8], number: u64) -> Result<Vec<u8>, Error> {
    let mut spacer = Spacer {
        number,
        module: None,
    };
    let mut spaced = Component::new();
    spacer.parse_component(&mut spaced, Parser::new(0), component)?;
    Ok(spaced.finish())
}

/// Re-encodes a component, with empty functions added.
struct Spacer {
    number: u64,
    /// The spacing of the core module that is being written; `None` between modules, where function
    /// indices are those of the component.
    module: Option<Spacing>,
}

/// The new positions of the functions of one module.
struct Spacing {
    /// The number of imported functions, which come first and do not move.
    imported: u32,
    /// The type of the empty functions, behind the module's own types.
    empty_type: u32,
    /// The number of empty functions right before each of the module's own functions.
    before: Vec<u32>,
    /// The new index of each of the module's own functions, among the functions that the module defines.
    moved: Vec<u32>,
}

impl Spacing {
    /// Counts the functions and types of a module, and draws the gaps.
    fn of(module: &[u8], parser: Parser, number: u64) -> Result<Option<Self>, Error> {
        let (mut imported, mut types, mut own) = (0, 0, 0);
        for payload in parser.parse_all(module) {
            match payload? {
                Payload::TypeSection(section) => {
                    for group in section {
                        types += group?.types().len() as u32;
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        imported += u32::from(matches!(
                            import?.ty,
                            wasmparser::TypeRef::Func(_) | wasmparser::TypeRef::FuncExact(_)
                        ));
                    }
                }
                Payload::FunctionSection(section) => own = section.count(),
                _ => {}
            }
        }
        if own == 0 {
            return Ok(None);
        }
        let gap = |function: u32| match function {
            0 => (drawn(number, 0) % (FRONT_MAX + 1)) as u32,
            _ => (drawn(number, function) & 1) as u32,
        };
        let before: Vec<u32> = (0..own).map(gap).collect();
        let mut shift = 0;
        let moved = before.iter().zip(0..).map(|(gap, function): (&u32, u32)| {
            shift += gap;
            function + shift
        });
        Ok(Some(Self {
            imported,
            empty_type: types,
            moved: moved.collect(),
            before,
        }))
    }

    fn index(&self, function: u32) -> u32 {
        let own = function.checked_sub(self.imported);
        let moved = own.and_then(|own| self.moved.get(own as usize));
        moved.map_or(function, |moved| self.imported + moved)
    }
}

/// Returns a pseudo-random number for a version and a function.
fn drawn(number: u64, function: u32) -> u64 {
    splitmix64(number << 32 ^ u64::from(function))
}

impl Reencode for Spacer {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        Ok(self
            .module
            .as_ref()
            .map_or(function, |spacing| spacing.index(function)))
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Result<(), Error> {
        reencode::utils::parse_type_section(self, types, section)?;
        if self.module.is_some() {
            types.ty().function([], []);
        }
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: wasmparser::FunctionSectionReader<'_>,
    ) -> Result<(), Error> {
        for (ty, own) in section.into_iter().zip(0..) {
            for _ in 0..self.before(own) {
                functions.function(self.empty_type());
            }
            functions.function(self.type_index(ty?)?);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Result<(), Error> {
        for (body, own) in section.into_iter().zip(0..) {
            for _ in 0..self.before(own) {
                let mut empty = Function::new([]);
                empty.instructions().end();
                code.function(&empty);
            }
            self.parse_function_body(code, body?)?;
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

impl ReencodeComponent for Spacer {
    fn parse_component_submodule(
        &mut self,
        component: &mut Component,
        parser: Parser,
        module: &[u8],
    ) -> Result<(), Error> {
        self.module = Spacing::of(module, parser.clone(), self.number)?;
        let written =
            reencode::component_utils::parse_component_submodule(self, component, parser, module);
        self.module = None;
        written
    }
}

impl Spacer {
    fn before(&self, own: usize) -> u32 {
        let spacing = self.module.as_ref();
        spacing.map_or(0, |spacing| spacing.before.get(own).copied().unwrap_or(0))
    }

    fn empty_type(&self) -> u32 {
        self.module.as_ref().map_or(0, |spacing| spacing.empty_type)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{ConstExpr, DataSection, MemorySection, MemoryType, ModuleSection};

    /// Returns a component of one module with this many bytes of code and of data.
    fn component(code: usize, data: usize) -> Vec<u8> {
        let mut module = Module::new();
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut functions = FunctionSection::new();
        functions.function(0);
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: 64,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let mut body = Function::new([]);
        for _ in 0..code {
            body.instructions().nop();
        }
        body.instructions().end();
        let mut bodies = CodeSection::new();
        bodies.function(&body);
        let mut segments = DataSection::new();
        segments.active(0, &ConstExpr::i32_const(0), vec![7; data]);
        module.section(&types);
        module.section(&functions);
        module.section(&memories);
        module.section(&bodies);
        module.section(&segments);
        let mut component = Component::new();
        component.section(&ModuleSection(&module));
        component.finish()
    }

    #[test]
    fn case_89_padding_of_data() {
        assert_eq!(versions(&component(1000, 0)), VERSIONS_MAX);
        assert_eq!(versions(&component(1000, 3 << 20)), VERSIONS_MAX);
        for (code, expected) in [(200 << 10, 4), (1 << 20, 2), (3 << 20, 1)] {
            assert_eq!(versions(&component(code, 0)), expected);
            assert_eq!(versions(&component(code, 1 << 20)), expected);
        }
        assert_eq!(versions(b"nothing"), VERSIONS_MAX);
    }
}
