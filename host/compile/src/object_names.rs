//! Check of the names in the compiler's output, in the child, before a linker reads them.
//!
//! A source gives names to functions, data, sections and imports, and a linker may read more in a name
//! than a name. So the compiler's output may only have names of the characters that Rust's own names
//! have, in sections that the compiler itself makes.

use super::archive::Member;
use std::collections::BTreeSet;
use wasmparser::{
    KnownCustom, Linking, LinkingSectionReader, Parser, Payload, SymbolFlags, SymbolInfo,
};

/// Names of custom sections that the compiler makes.
const SECTIONS: [&str; 7] = [
    ".llvmbc",
    ".llvmcmd",
    "linking",
    "producers",
    "target_features",
    "name",
    "metadata.code.branch_hint",
];

/// Prefixes of the names of custom sections that the compiler or the bindings make.
const SECTION_PREFIXES: [&str; 3] = ["reloc.", ".debug_", "component-type:"];

/// Prefixes of the names of data segments that the compiler makes.
const SEGMENT_PREFIXES: [&str; 6] = [".rodata", ".data", ".bss", ".tdata", ".tbss", ".init_array"];

/// Prefixes of mangled names.
const MANGLED: [&str; 2] = ["_R", "_ZN"];

/// The longest name that a message quotes, in characters.
const SHOWN_CHARS: usize = 60;

/// Characters of the names that an object keeps to itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LocalNames {
    /// Characters of all other names.
    Usual,
    /// Printable characters of ASCII: Zig names a function of a generic type by its arguments, `Custom(i64,usize).grow`. No other
    /// object is linked by such a name, and the linker does no more than to keep it.
    Printable,
}

/// Checks an object of the compiler.
///
/// # Errors
/// The first forbidden name or part, as a phrase to follow "it has".
pub(super) fn check(object: &Member<'_>, local: LocalNames) -> Result<(), String> {
    let malformed = |_| format!("an object that cannot be read ({})", shown(object.name));
    if !Parser::is_core_wasm(object.bytes) {
        return Err(format!("a part that is no object ({})", shown(object.name)));
    }
    for payload in Parser::new(0).parse_all(object.bytes) {
        match payload.map_err(malformed)? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import.map_err(malformed)?;
                    check_name("an import from a module", import.module)?;
                    check_name("an import", import.name)?;
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    check_name("an export", export.map_err(malformed)?.name)?;
                }
            }
            Payload::CustomSection(section) => {
                check_section(section.name())?;
                if let KnownCustom::Linking(linking) = section.as_known() {
                    check_linking(linking, local, malformed)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the name of a function that both the crate's own and other objects define, under a name that is not
/// mangled; `None` if there is none. The linker would take the first definition for all calls of the function.
pub(super) fn defined_by_both(own: &[&Member<'_>], others: &[&Member<'_>]) -> Option<String> {
    let own: BTreeSet<&str> = own.iter().flat_map(|object| defined(object)).collect();
    if own.is_empty() {
        return None;
    }
    let others = others.iter().flat_map(|object| defined(object));
    others
        .into_iter()
        .find(|name| own.contains(name))
        .map(str::to_owned)
}

/// Returns the names of the functions that an object defines for other objects to call, without mangled names.
pub(super) fn defined<'a>(object: &Member<'a>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(object.bytes).flatten() {
        let Payload::CustomSection(section) = payload else {
            continue;
        };
        let KnownCustom::Linking(linking) = section.as_known() else {
            continue;
        };
        for part in linking.subsections().flatten() {
            let Linking::SymbolTable(symbols) = part else {
                continue;
            };
            for symbol in symbols.into_iter().flatten() {
                if let SymbolInfo::Func {
                    flags,
                    name: Some(name),
                    ..
                } = symbol
                    && !flags.intersects(SymbolFlags::UNDEFINED | SymbolFlags::BINDING_LOCAL)
                    && !MANGLED.iter().any(|prefix| name.starts_with(prefix))
                {
                    found.push(name);
                }
            }
        }
    }
    found
}

fn check_linking(
    linking: LinkingSectionReader<'_>,
    local: LocalNames,
    malformed: impl Fn(wasmparser::BinaryReaderError) -> String + Copy,
) -> Result<(), String> {
    for part in linking.subsections() {
        match part.map_err(malformed)? {
            Linking::SymbolTable(symbols) => {
                for symbol in symbols {
                    let symbol = symbol.map_err(malformed)?;
                    let is_free = local == LocalNames::Printable && is_local(&symbol);
                    match name(&symbol) {
                        Some(name) if is_free => check_printable("a symbol", name)?,
                        Some(name) => check_name("a symbol", name)?,
                        None => {}
                    }
                }
            }
            Linking::SegmentInfo(segments) => {
                for segment in segments {
                    check_segment(segment.map_err(malformed)?.name, local)?;
                }
            }
            Linking::ComdatInfo(groups) => {
                for group in groups {
                    check_name("a group", group.map_err(malformed)?.name)?;
                }
            }
            Linking::InitFuncs(_) => {}
            Linking::Unknown { ty, .. } => return Err(format!("linking data of kind {ty}")),
        }
    }
    Ok(())
}

fn name<'a>(symbol: &SymbolInfo<'a>) -> Option<&'a str> {
    match symbol {
        SymbolInfo::Data { name, .. } => Some(name),
        SymbolInfo::Func { name, .. }
        | SymbolInfo::Global { name, .. }
        | SymbolInfo::Event { name, .. }
        | SymbolInfo::Table { name, .. } => *name,
        SymbolInfo::Section { .. } => None,
    }
}

fn check_section(name: &str) -> Result<(), String> {
    let known = SECTIONS.contains(&name) || begins(name, &SECTION_PREFIXES);
    // Bindings have the world's name in it, after a space.
    if known && name.chars().all(|c| is_usual(c) || c == ' ') {
        Ok(())
    } else {
        Err(format!("a section that is named {}", shown(name)))
    }
}

fn check_segment(name: &str, local: LocalNames) -> Result<(), String> {
    match local {
        _ if !begins(name, &SEGMENT_PREFIXES) => {
            Err(format!("a section that is named {}", shown(name)))
        }
        LocalNames::Usual => check_name("a section", name),
        LocalNames::Printable => check_printable("a section", name),
    }
}

/// Returns true for a symbol that is defined in an object and seen by no other one.
fn is_local(symbol: &SymbolInfo<'_>) -> bool {
    let (SymbolInfo::Func { flags, .. } | SymbolInfo::Data { flags, .. }) = symbol else {
        return false;
    };
    flags.contains(SymbolFlags::BINDING_LOCAL) && !flags.contains(SymbolFlags::UNDEFINED)
}

fn check_printable(what: &str, name: &str) -> Result<(), String> {
    if name.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        Ok(())
    } else {
        Err(format!("{what} that is named {}", shown(name)))
    }
}

fn begins(name: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}

fn check_name(what: &str, name: &str) -> Result<(), String> {
    let first = name.chars().next();
    let begins_usually =
        first.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '['));
    if begins_usually && name.chars().all(is_usual) {
        Ok(())
    } else {
        Err(format!("{what} that is named {}", shown(name)))
    }
}

/// Returns true for the characters of Rust's mangled names, of LLVM's names and of the names of interfaces.
fn is_usual(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.$:/@#[]<>*-".contains(c)
}

/// Returns a name for a message: cut, and with characters that are not printable escaped.
fn shown(name: &str) -> String {
    let short: String = name.chars().take(SHOWN_CHARS).collect();
    let more = if short.len() < name.len() { "…" } else { "" };
    format!("`{}{more}`", short.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{
        CustomSection, DataSymbolDefinition, EntityType, ImportSection, LinkingSection, MemoryType,
        Module, SymbolTable,
    };

    fn checked(module: &Module) -> Result<(), String> {
        checked_as(module, LocalNames::Usual)
    }

    fn checked_as(module: &Module, local: LocalNames) -> Result<(), String> {
        let member = Member {
            name: "out.o",
            bytes: &module.clone().finish(),
        };
        check(&member, local)
    }

    fn with_symbol(name: &str) -> Module {
        with_symbol_of(name, 0)
    }

    fn with_symbol_of(name: &str, flags: u32) -> Module {
        let mut symbols = SymbolTable::new();
        let definition = DataSymbolDefinition {
            index: 0,
            offset: 0,
            size: 1,
        };
        symbols.data(flags, name, Some(definition));
        let mut linking = LinkingSection::new();
        linking.symbol_table(&symbols);
        let mut module = Module::new();
        module.section(&linking);
        module
    }

    fn with_section(name: &str) -> Module {
        let mut module = Module::new();
        module.section(&CustomSection {
            name: name.into(),
            data: (&[][..]).into(),
        });
        module
    }

    fn with_import(from: &str, name: &str) -> Module {
        let memory = MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        };
        let mut imports = ImportSection::new();
        imports.import(from, name, EntityType::Memory(memory));
        let mut module = Module::new();
        module.section(&imports);
        module
    }

    #[test]
    fn names_of_the_compiler_and_of_interfaces_are_usual() {
        for name in [
            "top-k",
            "cabi_post_a:b/c@1.0.0#f",
            "a:b/c#[constructor]r",
            "_ZN4core3ptr85drop_in_place$LT$std..rt..lang_start$LT$$LP$$RP$$GT$17h0E",
            ".Lanon.1f.2",
            "switch.table._ZN1a1bE",
        ] {
            assert_eq!(checked(&with_symbol(name)), Ok(()), "{name}");
        }
        for name in [
            "producers",
            "reloc..debug_info",
            ".debug_str",
            "component-type:wit-bindgen:0.60.0:a:b:c:encoded world",
        ] {
            assert_eq!(checked(&with_section(name)), Ok(()), "{name}");
        }
        assert_eq!(checked(&with_import("$root", "[resource-drop]r")), Ok(()));
    }

    #[test]
    fn names_that_a_linker_could_take_for_more_are_refused() {
        for name in [
            "@prototype.rs",
            "-mllvm",
            "--export-all",
            "a b",
            "a\nb",
            "a\0b",
            "a\"b",
            "a\\b",
            "a,b",
            "ä",
            "",
        ] {
            let refused = checked(&with_symbol(name)).unwrap_err();
            assert!(refused.starts_with("a symbol that is named"), "{refused}");
            let refused = checked(&with_import(name, "b")).unwrap_err();
            assert!(refused.starts_with("an import from a module"), "{refused}");
            let refused = checked(&with_import("a", name)).unwrap_err();
            assert!(refused.starts_with("an import"), "{refused}");
            let refused = checked(&with_section(name)).unwrap_err();
            assert!(refused.starts_with("a section that is named"), "{refused}");
        }
        for name in ["evil", "component-type:a\nb", "dylink.0"] {
            assert!(checked(&with_section(name)).is_err(), "{name}");
        }
    }

    #[test]
    fn names_that_an_object_keeps_to_itself_may_be_those_of_generic_types() {
        let (global, local) = (0, SymbolFlags::BINDING_LOCAL.bits());
        let name = "hash_map.Custom(i64,usize,hash_map.AutoContext(i64),80).grow";
        let checked = |name, flags, names| checked_as(&with_symbol_of(name, flags), names);
        assert_eq!(checked(name, local, LocalNames::Printable), Ok(()));
        for (name, flags, names) in [
            (name, global, LocalNames::Printable),
            (name, local, LocalNames::Usual),
            ("a\nb", local, LocalNames::Printable),
            ("ä", local, LocalNames::Printable),
        ] {
            assert!(checked(name, flags, names).is_err(), "{name}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for bytes in [&b"bitcode"[..], b"\0asm\x01\0\0\0\xff"] {
            let part = Member { name: "a\n", bytes };
            let refused = check(&part, LocalNames::Usual).unwrap_err();
            assert!(refused.contains("`a\\n`"), "{refused}");
        }
    }

    #[test]
    fn a_long_name_is_cut_in_the_message() {
        let refused = checked(&with_symbol(&"@".repeat(1_000))).unwrap_err();
        assert!(refused.len() < 120, "{refused}");
    }
}
