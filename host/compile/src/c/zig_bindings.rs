//! The declarations of the header `prototype.h`, in Zig.
//!
//! The header is what `wit-bindgen` makes of an interface, so its forms are few: structs, unions as the last field of one, other
//! names for numbers, constants, and functions. Names stay as they are. A pointer in a struct is one of C (`[*c]T`); a
//! parameter is a pointer to one value (`*T`), or an optional one (`?*T`) where it stands for an option.

use crate::failures::ungenerated;
use bakeoff_domain::failure::Failure;
use std::fmt::Write as _;

/// Name of the module, as a source imports it.
pub(super) const MODULE: &str = "prototype";

/// Types of C that headers have, and the same in Zig.
const TYPES: [(&str, &str); 13] = [
    ("bool", "bool"),
    ("double", "f64"),
    ("float", "f32"),
    ("int16_t", "i16"),
    ("int32_t", "i32"),
    ("int64_t", "i64"),
    ("int8_t", "i8"),
    ("size_t", "usize"),
    ("uint16_t", "u16"),
    ("uint32_t", "u32"),
    ("uint64_t", "u64"),
    ("uint8_t", "u8"),
    ("void", "void"),
];

/// Words that are no name in Zig unless they are quoted.
const KEYWORDS: [&str; 58] = [
    "addrspace",
    "align",
    "allowzero",
    "and",
    "anyframe",
    "anyopaque",
    "anytype",
    "asm",
    "async",
    "await",
    "bool",
    "break",
    "callconv",
    "catch",
    "comptime",
    "const",
    "continue",
    "defer",
    "else",
    "enum",
    "errdefer",
    "error",
    "export",
    "extern",
    "false",
    "fn",
    "for",
    "if",
    "inline",
    "isize",
    "linksection",
    "noalias",
    "noinline",
    "noreturn",
    "nosuspend",
    "null",
    "opaque",
    "or",
    "orelse",
    "packed",
    "pub",
    "resume",
    "return",
    "struct",
    "suspend",
    "switch",
    "test",
    "threadlocal",
    "true",
    "try",
    "type",
    "undefined",
    "union",
    "unreachable",
    "usize",
    "usingnamespace",
    "var",
    "void",
];

/// Translates a header.
pub(super) fn of_header(header: &str) -> Result<String, Failure> {
    let mut text = String::new();
    let mut lines = header.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if line.starts_with("typedef ") && line.ends_with('{') {
            let (name, fields) = body(&mut lines, "    ")?;
            let of = of_slice(&fields);
            writeln!(text, "pub const {name} = extern struct {{\n{fields}{of}}};")
                .unwrap_or_default();
        } else if let Some(rest) = line.strip_prefix("typedef ") {
            let (name, of) = declared(rest.trim_end_matches(';'))?;
            writeln!(text, "pub const {name} = {};", number(of)?).unwrap_or_default();
        } else if let Some(rest) = line.strip_prefix("#define ") {
            // The guard of the header has no value.
            if let Some((name, value)) = rest.split_once(' ') {
                writeln!(text, "pub const {name} = {value};").unwrap_or_default();
            }
        } else if line.ends_with(");") {
            let line = line.strip_prefix("extern ").unwrap_or(line);
            text += &function(line.trim_end_matches(");"))?;
        }
    }
    Ok(text)
}

/// Returns the function that makes a list or a text of a slice, for a struct that is one. The address of an empty slice may lie
/// beyond the end of memory, where an answer's part may not begin.
fn of_slice(fields: &str) -> String {
    let item = fields
        .strip_prefix("    ptr: [*c]")
        .and_then(|rest| rest.strip_suffix(",\n    len: usize,\n"));
    let Some(item) = item.filter(|item| !item.contains('\n')) else {
        return String::new();
    };
    format!(
        "\n    /// Returns a slice of `std.heap.c_allocator` as a part of an answer.\n    pub fn of(slice: []{item}) @This() {{\n        \
         if (slice.len == 0) return .{{ .ptr = @ptrFromInt(@alignOf({item})), .len = 0 }};\n        \
         return .{{ .ptr = slice.ptr, .len = slice.len }};\n    }}\n"
    )
}

/// Reads a struct or a union to its end: its name, and its fields, each on a line that begins with `indent`.
fn body<'a>(
    lines: &mut impl Iterator<Item = &'a str>,
    indent: &str,
) -> Result<(&'a str, String), Failure> {
    let mut fields = String::new();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("} ") {
            return Ok((name.trim_end_matches(';'), fields));
        }
        let (name, of) = if line == "union {" {
            let (name, of) = body(lines, "        ")?;
            (name, format!("extern union {{\n{of}{indent}}}"))
        } else {
            let (name, of) = declared(line.trim_end_matches(';'))?;
            (name, in_struct(of)?)
        };
        writeln!(fields, "{indent}{}: {of},", quoted(name)).unwrap_or_default();
    }
    Err(unknown("a struct or a union without an end"))
}

/// Translates a declaration of a function, without the bracket at its end.
fn function(line: &str) -> Result<String, Failure> {
    let (head, parameters) = line.split_once('(').ok_or_else(|| unknown(line))?;
    let (name, answer) = declared(head)?;
    let mut translated = Vec::new();
    for parameter in parameters.split(',').map(str::trim) {
        if parameter.is_empty() || parameter == "void" {
            continue;
        }
        let (name, of) = declared(parameter)?;
        let of = match of.strip_suffix('*') {
            Some("const char") => "[*c]const u8".to_owned(),
            Some(of) if name.starts_with("maybe_") => format!("?*{}", number(of.trim())?),
            Some(of) => format!("*{}", number(of.trim())?),
            None => number(of)?.to_owned(),
        };
        translated.push(format!("{}: {of}", quoted(name)));
    }
    let translated = translated.join(", ");
    Ok(format!(
        "pub extern fn {name}({translated}) {};\n",
        number(answer)?
    ))
}

/// Splits a declaration: its name, and its type with the star of a pointer.
fn declared(text: &str) -> Result<(&str, &str), Failure> {
    let text = text.trim();
    let begins = text.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let begins = begins.ok_or_else(|| unknown(text))?;
    let (of, name) = text.split_at(begins + 1);
    Ok((name, of.trim()))
}

fn in_struct(of: &str) -> Result<String, Failure> {
    match of.strip_suffix('*') {
        Some(of) => Ok(format!("[*c]{}", number(of.trim())?)),
        None => number(of).map(str::to_owned),
    }
}

/// Returns the name of a type that is no pointer.
fn number(of: &str) -> Result<&str, Failure> {
    let known = TYPES.iter().find(|(c, _)| *c == of);
    let is_name = || of.ends_with("_t") && !of.contains([' ', '*']);
    match known {
        Some((_, zig)) => Ok(zig),
        None if is_name() => Ok(of),
        None => Err(unknown(of)),
    }
}

/// Returns a name as Zig has it: words of the language, and those that look like a number's type, are quoted.
fn quoted(name: &str) -> String {
    let is_integer = name
        .strip_prefix(['i', 'u'])
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    let is_float = ["f16", "f32", "f64", "f80", "f128"].contains(&name);
    if is_integer || is_float || KEYWORDS.contains(&name) {
        format!("@\"{name}\"")
    } else {
        name.to_owned()
    }
}

fn unknown(what: &str) -> Failure {
    ungenerated(format!(
        "the header has `{what}`, which has no translation to Zig"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_header_is_translated() {
        let header = "#ifndef __P\n#define __P\n#include <stdint.h>\n\
            typedef struct p_string_t {\n  uint8_t*ptr;\n  size_t len;\n} p_string_t;\n\
            // A comment.\n\
            typedef uint8_t p_color_t;\n\n#define P_COLOR_RED 0\n#define P_MARKS_B (1 << 1)\n\
            typedef struct {\n  bool is_err;\n  union {\n    p_string_t     ok;\n    double error;\n  } val;\n} p_result_t;\n\
            bool exports_p_work(p_color_t c, p_string_t *maybe_type, uint32_t ch, p_result_t *ret, p_string_t *err);\n\
            extern void p_string_set(p_string_t *ret, const char*s);\nuint64_t now(void);\n#endif\n";
        let zig = "pub const p_string_t = extern struct {\n    ptr: [*c]u8,\n    len: usize,\n\n    \
            /// Returns a slice of `std.heap.c_allocator` as a part of an answer.\n    pub fn of(slice: []u8) @This() {\n        \
            if (slice.len == 0) return .{ .ptr = @ptrFromInt(@alignOf(u8)), .len = 0 };\n        \
            return .{ .ptr = slice.ptr, .len = slice.len };\n    }\n};\n\
            pub const p_color_t = u8;\npub const P_COLOR_RED = 0;\npub const P_MARKS_B = (1 << 1);\n\
            pub const p_result_t = extern struct {\n    is_err: bool,\n    val: extern union {\n        ok: p_string_t,\n        \
            @\"error\": f64,\n    },\n};\n\
            pub extern fn exports_p_work(c: p_color_t, maybe_type: ?*p_string_t, ch: u32, ret: *p_result_t, err: *p_string_t) bool;\n\
            pub extern fn p_string_set(ret: *p_string_t, s: [*c]const u8) void;\npub extern fn now() u64;\n";
        assert_eq!(of_header(header).unwrap(), zig);
        assert_eq!(["u8", "f0"].map(quoted), ["@\"u8\"", "f0"]);
        assert!(of_header("typedef long p_t;").is_err());
    }
}
