//! The types of a function that is called: its arguments and its answer.

use super::canonical_abi::FLAT_PARAMS_MAX;
use super::layout::Layout;
use wasmtime::component::Type;
use wasmtime::component::types::ComponentFunc;

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
    /// many to be passed as plain numbers. What has no layout may.
    pub fn asks_for_memory(&self) -> bool {
        let layouts: Option<Vec<Layout>> = self.params.iter().map(Layout::of).collect();
        layouts.is_none_or(|layouts| {
            let flat: usize = layouts.iter().map(|layout| layout.flat_count).sum();
            flat > FLAT_PARAMS_MAX || layouts.iter().any(|layout| layout.has_pieces)
        })
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
        let many = |count: usize| -> String {
            let params = (0..count).map(|place| format!("(param \"n{place}\" u64)"));
            params.collect()
        };
        for numbers in [
            "(param \"n\" u64)",
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
