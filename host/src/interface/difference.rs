use super::{Function, Type};

/// Where two functions of one name part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What is there, as WIT: `func(list<u32>, u32) -> list<u32>`.
    pub found: String,
    /// The types that have one name and two structures, written out, as `found` and `wanted`.
    pub note: Option<String>,
}

/// Compares a function with the one that is wanted, by types only: a component does not care how a
/// parameter is called. `None`: they are the same.
pub fn difference(found: &Function, wanted: &Function) -> Option<Difference> {
    let pairs = pairs(found, wanted);
    let fits = found.params.len() == wanted.params.len()
        && found.result.is_some() == wanted.result.is_some()
        && pairs.iter().all(|(a, b)| a.same(b));
    if fits {
        return None;
    }
    let note = pairs.iter().find_map(|(a, b)| parting(a, b));
    Some(Difference {
        found: found.types(),
        note,
    })
}

/// Parameters and results, side by side, as far as both have them.
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

/// The innermost types that are written alike and are not the same.
fn parting(found: &Type, wanted: &Type) -> Option<String> {
    if found.same(wanted) || found.to_string() != wanted.to_string() {
        return None;
    }
    let inner = children(found).into_iter().zip(children(wanted));
    for (a, b) in inner {
        if let Some(note) = parting(a, b) {
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
