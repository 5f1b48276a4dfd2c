//! A Rust test that reproduces a difference between the functions of two files.

use super::from_rust::DerivedInterface;
use super::literal::Literal;
use super::rust::rust_name;
use super::wit_names::is_kebab;

impl DerivedInterface {
    /// Returns a Rust file with a failing test that the functions of two of the files give equal answers to these
    /// arguments. `None` if one of the files is no Rust, takes its values in another way than by value or reference, or
    /// returns an enum without `Debug`.
    pub fn test(&self, files: [usize; 2], arguments: &[Literal]) -> Option<String> {
        let has_enums = !self.signature.enums().is_empty();
        let is_shown = |place: &usize| {
            let function = self.functions.get(*place);
            function.is_some_and(|(_, function)| function.is_shown)
        };
        let mut text = String::new();
        let mut calls = Vec::new();
        for (module, place) in ["first", "second"].into_iter().zip(files) {
            let (file, function) = self.functions.get(place)?;
            let passing = function.passing.as_ref()?;
            let names = self.signature.parameters.iter().enumerate();
            let passed = names
                .zip(passing)
                .map(|((place, (name, _)), (before, behind))| {
                    format!("{before}{}{behind}", variable(name, place))
                });
            let passed: Vec<String> = passed.collect();
            text.push_str(&format!("#[path = {file:?}]\nmod {module};\n"));
            calls.push(format!(
                "{module}::{}({})",
                function.name,
                passed.join(", ")
            ));
        }
        text.push_str("\n#[test]\nfn both_answer_the_same() {\n");
        if !has_enums {
            text.push_str(&self.bound("    ", arguments));
            text.push_str(&format!("    assert_eq!({});\n}}\n", calls.join(", ")));
            return Some(text);
        }
        // Each file has types of its own, which look alike.
        for (module, call) in ["first", "second"].into_iter().zip(calls) {
            let bound = self.bound("        ", arguments);
            text.push_str(&format!(
                "    let {module} = {{\n        use {module}::*;\n{bound}        {call}\n    }};\n"
            ));
        }
        let compared = match self.signature.result.enums().is_empty() {
            true => "first, second",
            false if files.iter().all(is_shown) => {
                "format!(\"{first:?}\"), format!(\"{second:?}\")"
            }
            false => return None,
        };
        text.push_str(&format!("    assert_eq!({compared});\n}}\n"));
        Some(text)
    }

    /// Returns a `let` statement for each argument.
    fn bound(&self, indent: &str, arguments: &[Literal]) -> String {
        let parameters = self.signature.parameters.iter().zip(arguments);
        let bound = parameters
            .enumerate()
            .map(|(place, ((name, shape), value))| {
                let (name, ty) = (variable(name, place), shape.rust());
                format!("{indent}let {name}: {ty} = {};\n", value.rust(shape))
            });
        bound.collect()
    }
}

/// Returns the name of a variable for a parameter.
fn variable(name: &str, place: usize) -> String {
    if is_kebab(name) {
        rust_name(name)
    } else {
        format!("argument{place}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::{ComparedFile, PublicFunction, Shape, Signature};

    #[test]
    fn a_test_calls_both_functions_as_they_take_their_values() {
        let file = |shown: &str, passing: &[(&str, &str)]| ComparedFile {
            shown: shown.to_owned(),
            is_component: false,
            uncallable: Vec::new(),
            functions: vec![PublicFunction {
                name: "top_k".to_owned(),
                signature: Ok(Signature {
                    parameters: vec![
                        ("values".to_owned(), Shape::list(Shape::plain("s64"))),
                        ("k".to_owned(), Shape::plain("u32")),
                    ],
                    result: Shape::plain("bool"),
                }),
                structs: Vec::new(),
                examples: Vec::new(),
                is_shown: true,
                passing: (!passing.is_empty()).then(|| {
                    let owned = passing
                        .iter()
                        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
                    owned.collect()
                }),
            }],
        };
        let files = [
            file("a.rs", &[("&", ""), ("", " as usize")]),
            file("b.rs", &[("", ".clone()"), ("", "")]),
            file("c.wasm", &[]),
        ];
        let found = DerivedInterface::find(&files, None).unwrap();
        let arguments = [
            Literal::List(vec![Literal::Whole(3), Literal::Whole(-1)]),
            Literal::Whole(1),
        ];
        let expected = "#[path = \"a.rs\"]\nmod first;\n#[path = \"b.rs\"]\nmod second;\n\n\
            #[test]\nfn both_answer_the_same() {\n    let values: Vec<i64> = vec![3, -1];\n    let k: u32 = 1;\n    \
            assert_eq!(first::top_k(&values, k as usize), second::top_k(values.clone(), k));\n}\n";
        assert_eq!(found.test([0, 1], &arguments).as_deref(), Some(expected));
        assert_eq!(found.test([0, 2], &arguments), None);
    }
}
