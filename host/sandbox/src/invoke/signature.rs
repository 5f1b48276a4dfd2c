//! The types of a function that is called: its arguments and its answer.

use wasmtime::component::Type;
use wasmtime::component::types::ComponentFunc;

/// The most numbers that are passed without memory, as the canonical ABI has it.
const FLAT_MAX: usize = 16;

/// The types of the arguments and of the answer of a call.
#[derive(Clone, Debug)]
pub struct CallTypes {
    /// The types of the arguments.
    pub params: Vec<Type>,
    /// The type of the answer; `None` without one.
    pub result: Option<Type>,
}

impl CallTypes {
    /// The types of a function.
    pub fn of(function: &ComponentFunc) -> Self {
        Self {
            params: function.params().map(|(_, ty)| ty).collect(),
            result: function.results().next(),
        }
    }

    /// Returns true if a call may ask the guest for memory for its arguments: they have strings or lists, or are too
    /// many to be passed as plain numbers.
    pub fn asks_for_memory(&self) -> bool {
        let numbers = self.params.iter().map(numbers);
        let all = numbers.sum::<Option<usize>>();
        all.is_none_or(|all| all > FLAT_MAX)
    }
}

/// Returns at most how many plain numbers a value of this type is passed as; `None` if it may have memory of its own.
fn numbers(ty: &Type) -> Option<usize> {
    let of = |ty: Option<Type>| ty.as_ref().map_or(Some(0), numbers);
    match ty {
        Type::Bool
        | Type::S8
        | Type::U8
        | Type::S16
        | Type::U16
        | Type::S32
        | Type::U32
        | Type::S64
        | Type::U64
        | Type::Float32
        | Type::Float64
        | Type::Char
        | Type::Enum(_)
        | Type::Own(_)
        | Type::Borrow(_) => Some(1),
        Type::Flags(flags) => Some(flags.names().count().div_ceil(32)),
        Type::Record(record) => record.fields().map(|field| numbers(&field.ty)).sum(),
        Type::Tuple(tuple) => tuple.types().map(|ty| numbers(&ty)).sum(),
        Type::Variant(variant) => Some(
            1 + variant
                .cases()
                .map(|case| of(case.ty))
                .sum::<Option<usize>>()?,
        ),
        Type::Option(option) => Some(1 + numbers(&option.ty())?),
        Type::Result(result) => Some(1 + of(result.ok())? + of(result.err())?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasmtime::component::{Component, types::ComponentItem};
    use wasmtime::{Config, Engine};

    /// Returns whether a function with these parameters, as the text format writes them, may ask for memory.
    fn asks(params: &str) -> bool {
        let component = format!(
            "(component (type $r (record (field \"a\" u8) (field \"b\" f64)))
               (import \"r\" (type $n (eq $r))) (import \"f\" (func {params})))"
        );
        let engine = Engine::new(&Config::new()).unwrap();
        let component = wat::parse_str(component).unwrap();
        let component = Component::new(&engine, component).unwrap();
        let ty = component.component_type();
        let mut imports = ty.imports(&engine);
        let (_, function) = imports.find(|(name, _)| *name == "f").unwrap();
        let ComponentItem::ComponentFunc(function) = function.ty else {
            panic!("{params}: no function");
        };
        CallTypes::of(&function).asks_for_memory()
    }

    #[test]
    fn strings_and_lists_ask_for_memory() {
        let number = "(param \"n\" u64)";
        let many = |count: usize| -> String {
            let params = (0..count).map(|place| format!("(param \"n{place}\" u64)"));
            params.collect()
        };
        for numbers in [
            number,
            "",
            "(param \"r\" $n)",
            "(param \"o\" (option u8))",
            &many(16),
        ] {
            assert!(!asks(numbers), "{numbers}");
        }
        for memory in [
            "(param \"s\" string)",
            "(param \"l\" (list u8))",
            "(param \"o\" (option string))",
            "(param \"t\" (tuple u8 (list u8)))",
            &many(17),
        ] {
            assert!(asks(memory), "{memory}");
        }
    }
}
