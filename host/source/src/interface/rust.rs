//! Conversion of functions, names and types of WIT to Rust.

use super::export::InterfaceCall;
use super::function::Function;
use super::types::Type;

/// Returns the signature that a prototype's file has for a function of the interface.
///
/// ```text
/// pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64>
/// ```
///
/// Records, variants, enums and flags are named by their path in the generated module
/// `crate::types`.
pub fn rust_signature(function: &Function) -> String {
    let params: Vec<String> = function
        .params
        .iter()
        .map(|param| format!("{}: {}", rust_name(&param.name), rust_type(&param.ty)))
        .collect();
    let result = match &function.result {
        Some(ty) => format!(" -> {}", rust_type(ty)),
        None => String::new(),
    };
    let name = rust_name(&function.name);
    format!("pub fn {name}({}){result}", params.join(", "))
}

/// Returns the Rust items that a prototype's file has for the call: the signature of a function, or a struct and its
/// methods without bodies for a resource that is called in three parts.
pub fn rust_form(call: &InterfaceCall) -> String {
    let signature = rust_signature(&call.function);
    if !call.is_session {
        return signature;
    }
    let name = camel_case(&call.function.name);
    let parts = signature
        .split_once('(')
        .and_then(|(_, rest)| rest.rsplit_once(") -> "));
    let (takes, gives) = parts.unwrap_or_default();
    format!(
        "pub struct {name} {{ … }}\n\
         impl {name} {{\n    \
         pub fn prepare({takes}) -> Self {{ … }}\n    \
         pub fn run(&mut self) {{ … }}\n    \
         pub fn output(&mut self) -> {gives} {{ … }}\n}}"
    )
}

/// Converts a WIT name to that of a Rust function or parameter: `top-k` is `top_k`, and `type` is
/// `type_`.
pub fn rust_name(name: &str) -> String {
    wit_bindgen_rust::to_rust_ident(name)
}

fn rust_type(ty: &Type) -> String {
    let unit = |ty: &Option<Box<Type>>| ty.as_deref().map_or("()".to_owned(), rust_type);
    match ty {
        Type::Plain(name) => plain(name).to_owned(),
        Type::List(item) => format!("Vec<{}>", rust_type(item)),
        Type::Option(item) => format!("Option<{}>", rust_type(item)),
        Type::Result(ok, err) => format!("Result<{}, {}>", unit(ok), unit(err)),
        Type::Tuple(items) => {
            let items: Vec<String> = items.iter().map(rust_type).collect();
            let comma = if items.len() == 1 { "," } else { "" };
            format!("({}{comma})", items.join(", "))
        }
        Type::Record(name, _)
        | Type::Variant(name, _)
        | Type::Enum(name, _)
        | Type::Flags(name, _) => format!("crate::types::{}", camel_case(name)),
    }
}

/// Returns the Rust name of a plain type: `s64` is `i64`.
pub(super) fn plain(name: &str) -> &str {
    match name {
        "s8" => "i8",
        "s16" => "i16",
        "s32" => "i32",
        "s64" => "i64",
        "string" => "String",
        same => same,
    }
}

/// Converts a WIT name to that of a Rust type, as in the generated bindings: `sorted-run` is
/// `SortedRun`, `HTTP-url` is `HttpUrl`.
pub(super) fn camel_case(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first
            .into_iter()
            .chain(letters.map(|letter| letter.to_ascii_lowercase()))
            .collect::<String>()
    };
    name.split('-').map(word).collect()
}
