//! Sessions: resources that are called in three parts, made of the input, run once, and asked for the answer.
//!
//! A session is called like a function with the name of the resource, the parameters of `prepare` and the
//! result of `output`.

use super::function::Function;
use super::types::Unsupported;
use wit_parser::{FunctionKind, Handle, Interface, Resolve, Type, TypeDefKind, TypeId};

/// The functions of a session, in the order in which they are called.
pub const PARTS: [&str; 3] = ["prepare", "run", "output"];

/// Returns a function for each resource of an interface that has at least one of the three functions, under its
/// name, or the reason why it cannot be called.
pub(super) fn sessions(
    resolve: &Resolve,
    interface: &Interface,
) -> Vec<(String, Result<Function, Unsupported>)> {
    let types = interface.types.iter();
    let resources = types.filter(|(_, id)| resolve.types[**id].kind == TypeDefKind::Resource);
    let sessions = resources.filter_map(|(name, id)| {
        let [prepare, run, output] = PARTS.map(|part| {
            let mut functions = interface.functions.values();
            functions.find(|one| one.kind.resource() == Some(*id) && one.item_name() == part)
        });
        prepare.or(run).or(output)?;
        let wrong = || Unsupported::Session(name.clone());
        let function = match (prepare, run, output) {
            (Some(prepare), Some(run), Some(output)) => {
                of_parts(resolve, *id, name, [prepare, run, output])
                    .and_then(|function| function.ok_or_else(wrong))
            }
            _ => Err(wrong()),
        };
        Some((name.clone(), function))
    });
    sessions.collect()
}

/// Returns the function that stands for the three parts; `None` if one of them has another form.
fn of_parts(
    resolve: &Resolve,
    resource: TypeId,
    name: &str,
    [prepare, run, output]: [&wit_parser::Function; 3],
) -> Result<Option<Function>, Unsupported> {
    let is_made = match prepare.result {
        Some(Type::Id(id)) => is_own(resolve, id, resource),
        _ => false,
    };
    // Its own handle is the first parameter of a method.
    let asks_nothing = |method: &wit_parser::Function| method.params.len() == 1;
    let fits = prepare.kind == FunctionKind::Static(resource)
        && is_made
        && [run, output].map(|method| method.kind.clone())
            == [
                FunctionKind::Method(resource),
                FunctionKind::Method(resource),
            ]
        && asks_nothing(run)
        && asks_nothing(output)
        && run.result.is_none()
        && output.result.is_some();
    match fits {
        true => Function::of_session(resolve, name, prepare, output).map(Some),
        false
            if [prepare, run, output]
                .iter()
                .any(|part| part.kind.is_async()) =>
        {
            Err(Unsupported::Async)
        }
        false => Ok(None),
    }
}

/// Returns true if a type is a handle that owns this resource.
fn is_own(resolve: &Resolve, mut id: TypeId, resource: TypeId) -> bool {
    while id != resource {
        // Names for names may be many, each for the one before it.
        id = match &resolve.types[id].kind {
            TypeDefKind::Handle(Handle::Own(owned)) => *owned,
            TypeDefKind::Type(Type::Id(named)) => *named,
            _ => return false,
        };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::{Interface, WitFile};

    fn called(resource: &str) -> Result<String, String> {
        let text = format!(
            "package a:b; interface jobs {{ resource job {{ {resource} }} }}
             world prototype {{ export jobs; }}"
        );
        let name = "a.wit".to_owned();
        let interface = Interface::parse(vec![WitFile { name, text }], "jobs.job");
        let interface = interface.map_err(|error| error.to_string())?;
        assert!(interface.call().is_session);
        Ok(interface.call().function.to_string())
    }

    #[test]
    fn a_resource_with_three_parts_is_called_as_one_function() {
        let parts = "prepare: static func(values: list<s64>, k: u32) -> job; run: func();
            output: func() -> list<s64>; other: func(); constructor(a: u8);";
        assert_eq!(
            called(parts).as_deref(),
            Ok("job: func(values: list<s64>, k: u32) -> list<s64>")
        );
    }

    #[test]
    fn a_resource_of_another_form_is_refused_with_the_form() {
        let prepare = "prepare: static func(a: u8) -> job;";
        for parts in [
            format!("{prepare} run: func();"),
            format!("{prepare} run: func(); output: func();"),
            format!("{prepare} run: func(a: u8); output: func() -> u8;"),
            format!("{prepare} run: func() -> u8; output: func() -> u8;"),
            format!("{prepare} run: static func(); output: func() -> u8;"),
            format!("{prepare} run: func(); output: func(a: u8) -> u8;"),
            "prepare: static func(a: u8) -> option<job>; run: func(); output: func() -> u8;".into(),
            "prepare: func(a: u8) -> job; run: func(); output: func() -> u8;".into(),
        ] {
            let message = called(&parts).unwrap_err();
            assert!(message.contains("prepare: static func(…)"), "{message}");
        }
        let handle = format!("{prepare} run: func(); output: func() -> job;");
        assert!(called(&handle).unwrap_err().contains("passes the resource"));
        let parts = format!("{prepare} run: async func(); output: func() -> u8;");
        assert!(called(&parts).unwrap_err().contains("async"));
        // Nothing of it is there.
        let message = called("constructor(a: u8); go: func();").unwrap_err();
        assert!(message.contains("is not exported"), "{message}");
    }
}
