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

    /// Returns the most times that a call asks the guest for memory for its arguments: for each string and list, and
    /// once if they are too many to be passed as plain numbers. `None` if there is no such number, as for a list of
    /// strings, or for what has no layout.
    pub fn allocations_max(&self) -> Option<u64> {
        let layouts: Option<Vec<Layout>> = self.params.iter().map(Layout::of).collect();
        let layouts = layouts?;
        let flat: usize = layouts.iter().map(|layout| layout.flat_count).sum();
        let pieces: Option<u64> = layouts.iter().map(Layout::pieces_max).sum();
        pieces.map(|pieces| pieces + u64::from(flat > FLAT_PARAMS_MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasmtime::component::{Component, types::ComponentItem};
    use wasmtime::{Config, Engine};

    /// Returns how often a call of a function with these parameters, as the text format writes them, may ask for memory.
    fn asks(params: &str) -> Option<u64> {
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
        CallTypes::of(&function).allocations_max()
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
            assert_eq!(asks(numbers), Some(0), "{numbers}");
        }
        for (memory, times) in [
            ("(param \"s\" string)", Some(1)),
            ("(param \"l\" (list u8))", Some(1)),
            ("(param \"o\" (option string))", Some(1)),
            ("(param \"t\" (tuple u8 (list u8) string))", Some(2)),
            ("(param \"v\" (result string (error (list u8))))", Some(1)),
            (&many(17), Some(1)),
            ("(param \"l\" (list string))", None),
            ("(param \"l\" (list (tuple u8 (option (list u8)))))", None),
        ] {
            assert_eq!(asks(memory), times, "{memory}");
        }
    }
}
