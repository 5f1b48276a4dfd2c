//! Check of the format and the sizes of a component before it is compiled, in the child.
//!
//! The bytes are read once, before Cranelift sees them.

use super::failures::{load_failure, with_limit};
use super::instances::Instances;
use super::limits::{
    BODY_TIMES_LOCALS_MAX, FUNCTION_BYTES_MAX, FUNCTIONS_MAX, INSTANCES_MAX, LOCALS_MAX,
    MODULES_MAX,
};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_source::{COMPONENT_BYTES_MAX, oversize_component};
use wasmparser::{
    BinaryReaderError, CanonicalFunction, CanonicalOption, FunctionBody, Parser, Payload,
};

/// The sizes of a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) functions: u32,
    pub(super) function_bytes_max: u64,
    pub(super) locals_max: u32,
    /// True if the component exchanges strings in another encoding than UTF-8, which the host recodes.
    pub(super) recodes: bool,
    modules: u32,
    /// The memories of the module that is being read, imported ones included.
    memories: u32,
}

/// Measures a component, and refuses bytes that are no component, or would cost the compiler too much.
pub(super) fn inspect(bytes: &[u8], shown: &str) -> Result<Sizes, Failure> {
    if bytes.len() > COMPONENT_BYTES_MAX {
        return Err(oversize_component(shown, bytes.len() as u64));
    }
    if let Some(what) = not_a_component(bytes) {
        let message = format!("{shown} {what}");
        return Err(load_failure(FailureClass::InvalidComponent, message));
    }
    let mut sizes = Sizes::default();
    let mut instances = Instances::default();
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(|error| malformed(shown, &error))?;
        instances
            .read(&payload)
            .map_err(|error| malformed(shown, &error))?;
        sizes.read(payload, shown)?;
    }
    match instances.total() {
        Some(count) if count <= INSTANCES_MAX => Ok(sizes),
        Some(count) => Err(too_much(shown, "instances", count, INSTANCES_MAX)),
        None => {
            let message = format!(
                "{shown} instantiates components that it imports, so its instances cannot be counted before it runs"
            );
            Err(load_failure(FailureClass::LoadCompileLimit, message))
        }
    }
}

/// Refuses a core module that would cost the compiler too much, before a component is made of it.
pub(super) fn inspect_module(bytes: &[u8], shown: &str) -> Result<(), Failure> {
    let mut sizes = Sizes::default();
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(|error| malformed(shown, &error))?;
        sizes.read(payload, shown)?;
    }
    Ok(())
}

/// Returns true if a function that a component exports, or that a component in it gives to another,
/// has strings in another encoding than UTF-8. Imports do not matter: the host's work in a call of the
/// host is counted anyway.
fn lifts_other_strings(function: &CanonicalFunction) -> bool {
    let CanonicalFunction::Lift { options, .. } = function else {
        return false;
    };
    options.iter().any(|option| {
        matches!(
            option,
            CanonicalOption::UTF16 | CanonicalOption::CompactUTF16
        )
    })
}

/// Describes a file whose first bytes are not those of a component.
fn not_a_component(bytes: &[u8]) -> Option<&'static str> {
    let text = || {
        let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let is_text = [&b"(component"[..], b"(module", b";;"]
            .iter()
            .any(|s| bytes[start..].starts_with(s));
        is_text.then_some("is WebAssembly text; convert it with `wasm-tools parse`")
    };
    if bytes.is_empty() {
        Some("is empty")
    } else if Parser::is_component(bytes) {
        None
    } else if Parser::is_core_wasm(bytes) {
        Some("is a core WebAssembly module, not a component")
    } else if b"\0asm".starts_with(bytes) || (bytes.starts_with(b"\0asm") && bytes.len() < 8) {
        Some("breaks off within the first eight bytes of WebAssembly")
    } else if bytes.starts_with(b"\0asm") {
        Some("is WebAssembly of an unknown version")
    } else if bytes.starts_with(b"\x7fELF") {
        Some("is a native program, not a WebAssembly component")
    } else {
        text().or(Some("is not WebAssembly"))
    }
}

/// Returns the failure of bytes that begin as a component and are malformed later.
fn malformed(shown: &str, error: &BinaryReaderError) -> Failure {
    let message = if error.message().contains("unexpected end") {
        format!("{shown} breaks off: {error}")
    } else {
        format!("{shown} is not a valid component: {error}")
    };
    load_failure(FailureClass::InvalidComponent, message)
}

fn too_much(shown: &str, what: &str, count: u64, max: u64) -> Failure {
    let message = format!("{shown} has {count} {what}; a component may have {max}");
    let failure = load_failure(FailureClass::LoadCompileLimit, message);
    with_limit(failure, format!("{what} = {max}"))
}

impl Sizes {
    fn read(&mut self, payload: Payload<'_>, shown: &str) -> Result<(), Failure> {
        match payload {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                self.modules += 1;
                if self.modules > MODULES_MAX {
                    let count = u64::from(self.modules);
                    return Err(too_much(shown, "modules", count, MODULES_MAX.into()));
                }
            }
            Payload::CodeSectionStart { count, .. } => {
                self.functions = self.functions.saturating_add(count);
                if self.functions > FUNCTIONS_MAX {
                    let count = u64::from(self.functions);
                    return Err(too_much(shown, "functions", count, FUNCTIONS_MAX.into()));
                }
            }
            Payload::CodeSectionEntry(body) => self.read_body(&body, shown)?,
            Payload::Version { .. } => self.memories = 0,
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import.map_err(|error| malformed(shown, &error))?;
                    let memory = matches!(import.ty, wasmparser::TypeRef::Memory(_));
                    self.add_memories(memory.into(), shown)?;
                }
            }
            Payload::MemorySection(section) => self.add_memories(section.count(), shown)?,
            Payload::ComponentCanonicalSection(functions) => {
                for function in functions {
                    let function = function.map_err(|error| malformed(shown, &error))?;
                    self.recodes |= lifts_other_strings(&function);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Counts memories of a module, and refuses more than one. The engine itself would accept several, as its own
    /// modules need them.
    fn add_memories(&mut self, count: u32, shown: &str) -> Result<(), Failure> {
        self.memories = self.memories.saturating_add(count);
        if self.memories <= 1 {
            return Ok(());
        }
        let message = format!("{shown} has a module with several memories; a module may have one");
        Err(load_failure(FailureClass::InvalidComponent, message))
    }

    fn read_body(&mut self, body: &FunctionBody<'_>, shown: &str) -> Result<(), Failure> {
        let bytes = body.range().len() as u64;
        if bytes > FUNCTION_BYTES_MAX as u64 {
            return Err(too_much(
                shown,
                "bytes in one function",
                bytes,
                FUNCTION_BYTES_MAX as u64,
            ));
        }
        let mut locals = 0_u32;
        let groups = body
            .get_locals_reader()
            .map_err(|error| malformed(shown, &error))?;
        for group in groups {
            let (count, _) = group.map_err(|error| malformed(shown, &error))?;
            locals = locals.saturating_add(count);
        }
        if locals > LOCALS_MAX {
            return Err(too_much(
                shown,
                "locals in one function",
                locals.into(),
                LOCALS_MAX.into(),
            ));
        }
        let product = bytes * u64::from(locals);
        if product > BODY_TIMES_LOCALS_MAX {
            let what = "bytes times locals in one function";
            return Err(too_much(shown, what, product, BODY_TIMES_LOCALS_MAX));
        }
        self.function_bytes_max = self.function_bytes_max.max(bytes);
        self.locals_max = self.locals_max.max(locals);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{
        CodeSection, Component, ComponentInstanceSection, Function, FunctionSection, Module,
        ModuleSection, NestedComponentSection, TypeSection, ValType,
    };

    /// Returns a component around one module of `count` functions, each with this many locals and
    /// instructions.
    fn component(count: u32, locals: u32, instructions: usize) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut functions = FunctionSection::new();
        let mut code = CodeSection::new();
        for _ in 0..count {
            functions.function(0);
            let mut body = Function::new([(locals, ValType::I32)]);
            for _ in 0..instructions {
                body.instructions().nop();
            }
            body.instructions().end();
            code.function(&body);
        }
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&code);
        let mut component = Component::new();
        component.section(&ModuleSection(&module));
        component.finish()
    }

    fn refused(bytes: &[u8]) -> (FailureClass, String) {
        let failure = inspect(bytes, "a.wasm").unwrap_err();
        (failure.class, failure.message)
    }

    #[test]
    fn an_ordinary_component_is_measured() {
        let sizes = inspect(&component(3, 7, 100), "a.wasm").unwrap();
        assert_eq!((sizes.functions, sizes.locals_max), (3, 7));
        assert!((100..110).contains(&sizes.function_bytes_max));
    }

    #[test]
    fn a_component_that_costs_the_compiler_too_much_is_refused_with_the_limit() {
        for (bytes, what) in [
            (component(FUNCTIONS_MAX + 1, 0, 0), "100001 functions"),
            (component(1, 0, FUNCTION_BYTES_MAX), "bytes in one function"),
            (
                component(1, LOCALS_MAX + 1, 0),
                "5001 locals in one function",
            ),
            (component(1, 4_000, 600_000), "bytes times locals"),
        ] {
            let failure = inspect(&bytes, "a.wasm").unwrap_err();
            assert_eq!(failure.class, FailureClass::LoadCompileLimit);
            assert!(failure.message.contains(what), "{}", failure.message);
            assert!(failure.limit.is_some());
        }
    }

    #[test]
    fn a_file_of_another_format_is_named() {
        let component = component(1, 0, 0);
        for (bytes, what) in [
            (&b""[..], "is empty"),
            (b"\0as", "breaks off"),
            (&component[..component.len() - 3], "breaks off"),
            (b"\0asm\x01\0\0\0", "is a core WebAssembly module"),
            (b"\0asm\x77\0\x01\0", "of an unknown version"),
            (b"\x7fELF\x02\x01\x01", "is a native program"),
            (b" (component)", "WebAssembly text"),
            (b"random bytes here", "is not WebAssembly"),
            (b"\0asm\x0d\0\x01\0\xff\xff\xff", "is not a valid component"),
        ] {
            let (class, message) = refused(bytes);
            assert_eq!(class, FailureClass::InvalidComponent);
            assert!(
                message.starts_with("a.wasm ") && message.contains(what),
                "{message}"
            );
        }
    }

    #[test]
    fn a_module_has_one_memory_and_a_component_as_many_as_it_has_modules() {
        let inspected = |text: &str| inspect(&wat::parse_str(text).unwrap(), "a.wasm");
        let module = "(core module (import \"a\" \"b\" (table 1 funcref)) (memory 1))";
        let imports = "(core module (import \"a\" \"b\" (memory 1)))";
        inspected(&format!(
            "(component {module} {imports} (component {module}))"
        ))
        .unwrap();
        for several in [
            "(core module (memory 1) (memory 1))",
            "(core module (import \"a\" \"b\" (memory 1)) (memory 1))",
            "(core module (import \"a\" \"b\" (memory 1)) (import \"a\" \"c\" (memory 1)))",
        ] {
            for text in [
                format!("(component {several})"),
                format!("(component {module} (component {several}))"),
            ] {
                let failure = inspected(&text).unwrap_err();
                assert_eq!(failure.class, FailureClass::InvalidComponent, "{text}");
                let message = failure.message;
                assert!(message.contains("several memories"), "{message}");
            }
        }
    }

    #[test]
    fn modules_are_counted() {
        let nested = |count: u32| {
            let mut outer = Component::new();
            for _ in 0..count {
                outer.section(&NestedComponentSection(&Component::new()));
            }
            outer.finish()
        };
        inspect(&nested(MODULES_MAX), "a.wasm").unwrap();
        let (class, message) = refused(&nested(MODULES_MAX + 1));
        assert_eq!(class, FailureClass::LoadCompileLimit);
        assert!(message.contains("513 modules"), "{message}");
    }

    /// A component whose `levels` definitions each instantiate the one before them twice.
    fn doubling(levels: u32) -> Vec<u8> {
        let mut outer = Component::new();
        outer.section(&NestedComponentSection(&Component::new()));
        for level in 0..levels {
            let mut definition = Component::new();
            let mut alias = wasm_encoder::ComponentAliasSection::new();
            alias.alias(wasm_encoder::Alias::Outer {
                kind: wasm_encoder::ComponentOuterAliasKind::Component,
                count: 1,
                index: level,
            });
            definition.section(&alias);
            let mut instances = ComponentInstanceSection::new();
            for _ in 0..2 {
                let none: [(&str, wasm_encoder::ComponentExportKind, u32); 0] = [];
                instances.instantiate(0, none);
            }
            definition.section(&instances);
            outer.section(&NestedComponentSection(&definition));
        }
        let mut instances = ComponentInstanceSection::new();
        let none: [(&str, wasm_encoder::ComponentExportKind, u32); 0] = [];
        instances.instantiate(levels, none);
        outer.section(&instances);
        outer.finish()
    }

    #[test]
    fn instances_are_counted_before_they_are_made() {
        // Level n makes itself and two of level n - 1: 2^(n+1) - 1; and the whole is one more.
        let count = |levels| {
            let bytes = doubling(levels);
            let mut instances = Instances::default();
            for payload in Parser::new(0).parse_all(&bytes) {
                instances.read(&payload.unwrap()).unwrap();
            }
            instances.total()
        };
        assert_eq!(count(0), Some(2));
        assert_eq!(count(3), Some(16));
        assert_eq!(count(20), Some(1 << 21));
        let (class, message) = refused(&doubling(20));
        assert_eq!(class, FailureClass::LoadCompileLimit);
        assert!(message.contains("2097152 instances"), "{message}");
    }
}
