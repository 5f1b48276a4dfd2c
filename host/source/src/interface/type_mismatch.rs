//! Comparing the types of two functions.

use super::function::Function;
use super::types::Type;

/// A difference between the types of two functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeMismatch {
    /// The function that was found, as WIT: `func(list<u32>, u32) -> list<u32>`.
    pub found: String,
    /// The two structures of a type that has the same name in both, written out.
    pub note: Option<String>,
}

/// Compares a function with the one that is wanted, by types only: components do not depend on the
/// names of parameters. `None` if the types are the same.
pub fn type_mismatch(found: &Function, wanted: &Function) -> Option<TypeMismatch> {
    let pairs = pairs(found, wanted);
    let fits = found.params.len() == wanted.params.len()
        && found.result.is_some() == wanted.result.is_some()
        && pairs.iter().all(|(a, b)| a.same(b));
    if fits {
        return None;
    }
    let note = pairs.iter().find_map(|(a, b)| same_name_note(a, b));
    Some(TypeMismatch {
        found: found.types(),
        note,
    })
}

/// Returns the pairs of parameters and results, as far as both functions have them.
fn pairs<'a>(found: &'a Function, wanted: &'a Function) -> Vec<(&'a Type, &'a Type)> {
    let params = found
        .params
        .iter()
        .zip(&wanted.params)
        .map(|(a, b)| (&a.ty, &b.ty));
    params
        .chain(found.result.iter().zip(&wanted.result))
        .collect()
}

/// Describes the innermost types that have the same name but are not the same.
fn same_name_note(found: &Type, wanted: &Type) -> Option<String> {
    if found.same(wanted) || found.to_string() != wanted.to_string() {
        return None;
    }
    let inner = children(found).into_iter().zip(children(wanted));
    for (a, b) in inner {
        if let Some(note) = same_name_note(a, b) {
            return Some(note);
        }
    }
    Some(format!(
        "`{found}` is {} there, and {} in the interface",
        found.written_out(),
        wanted.written_out()
    ))
}

fn children(ty: &Type) -> Vec<&Type> {
    match ty {
        Type::Plain(_) | Type::Enum(..) | Type::Flags(..) => Vec::new(),
        Type::List(item) | Type::Option(item) => vec![item],
        Type::Result(ok, err) => ok.iter().chain(err).map(|ty| &**ty).collect(),
        Type::Tuple(items) => items.iter().collect(),
        Type::Record(_, fields) => fields.iter().map(|(_, ty)| ty).collect(),
        Type::Variant(_, cases) => cases.iter().filter_map(|(_, ty)| ty.as_ref()).collect(),
    }
}
