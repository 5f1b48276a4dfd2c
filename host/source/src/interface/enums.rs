//! Enums that Rust source declares, and their counterparts in WIT: an `enum`, or a `variant` if a case has fields.

use super::rust::camel_case;
use super::shape::{EnumCase, EnumShape, Shape};
use super::types::Type;
use super::wit_names::{escaped, wit_name};
use std::collections::BTreeSet;
use std::fmt;

/// Converts the name of a Rust type or case to that in WIT: `HTTPError` is `http-error`.
fn wit_name_of_type(rust: &str) -> String {
    let letters: Vec<char> = rust.chars().collect();
    let mut words = String::new();
    for (place, letter) in letters.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(place + 1);
        let begins = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                !before.is_ascii_uppercase() || after.is_some_and(char::is_ascii_lowercase)
            });
        if begins {
            words.push('_');
        }
        words.push(*letter);
    }
    wit_name(&words)
}

impl EnumCase {
    /// Returns the name in WIT.
    pub fn wit_name(&self) -> String {
        wit_name_of_type(&self.name)
    }

    /// Returns the name in the bindings for Rust.
    pub fn bound_name(&self) -> String {
        camel_case(&self.wit_name())
    }

    /// Returns the payload of the case in WIT, a tuple for several fields; `None` for a case without fields.
    pub fn payload(&self) -> Option<Shape> {
        match self.fields.as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            several => Some(Shape::Tuple(several.to_vec())),
        }
    }
}

impl EnumShape {
    /// Returns the name in WIT.
    pub fn wit_name(&self) -> String {
        wit_name_of_type(&self.name)
    }

    /// Returns the name in the bindings for Rust.
    pub fn bound_name(&self) -> String {
        camel_case(&self.wit_name())
    }

    /// Returns true if the enum has cases, all with different names in the bindings.
    pub fn has_distinct_names(&self) -> bool {
        let names: BTreeSet<String> = self.cases.iter().map(EnumCase::bound_name).collect();
        !self.cases.is_empty() && names.len() == self.cases.len()
    }

    /// Returns true if a WIT type has the same name and the same cases.
    pub(super) fn fits(&self, ty: &Type) -> bool {
        match ty {
            Type::Enum(name, cases) => {
                let mut own = self.cases.iter();
                *name == self.wit_name()
                    && cases.len() == self.cases.len()
                    && cases.iter().all(|case| {
                        own.next()
                            .is_some_and(|own| own.fields.is_empty() && own.wit_name() == *case)
                    })
            }
            Type::Variant(name, cases) => {
                let fits = |(case, payload): &(String, Option<Type>), own: &EnumCase| {
                    own.wit_name() == *case
                        && match (own.payload(), payload) {
                            (None, None) => true,
                            (Some(own), Some(payload)) => own.fits(payload),
                            _ => false,
                        }
                };
                *name == self.wit_name()
                    && cases.len() == self.cases.len()
                    && (cases.iter().zip(&self.cases)).all(|(case, own)| fits(case, own))
            }
            _ => false,
        }
    }

    /// Returns the declaration in WIT.
    pub(super) fn declaration(&self) -> String {
        let has_fields = self.cases.iter().any(|case| !case.fields.is_empty());
        let cases = self.cases.iter().map(|case| {
            let name = escaped(&case.wit_name());
            match case.payload() {
                Some(payload) => format!("{name}({payload})"),
                None => name,
            }
        });
        let cases: Vec<String> = cases.collect();
        let kind = if has_fields { "variant" } else { "enum" };
        let name = escaped(&self.wit_name());
        format!("  {kind} {name} {{ {} }}\n", cases.join(", "))
    }

    /// Returns the Rust source by which a workload draws values: an `impl` of the trait `Random`.
    pub(super) fn drawing(&self) -> String {
        let case = |(place, case): (usize, &EnumCase)| {
            let name = case.bound_name();
            let drawn = case.payload().map(|payload| {
                let drawn = format!("<{} as Random>::random(inputs)", payload.drawn_rust());
                format!("({})", payload.given(&drawn))
            });
            let drawn = drawn.unwrap_or_default();
            if place + 1 == self.cases.len() {
                format!("            _ => Self::{name}{drawn},\n")
            } else {
                format!("            {place} => Self::{name}{drawn},\n")
            }
        };
        let cases: String = self.cases.iter().enumerate().map(case).collect();
        format!(
            "\nimpl Random for crate::types::{} {{\n    fn drawn(inputs: &mut Inputs) -> Self {{\n        \
             match inputs.case({}) {{\n{cases}        }}\n    }}\n}}\n",
            self.bound_name(),
            self.cases.len()
        )
    }
}

/// The declaration in Rust, for messages: `Figure { Disc(f64), None }`.
impl fmt::Display for EnumShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cases = self.cases.iter().map(|case| {
            let fields = case.names.iter().zip(&case.fields);
            let fields = fields.map(|(name, shape)| {
                if case.is_named {
                    format!("{name}: {shape}")
                } else {
                    shape.to_string()
                }
            });
            let fields: Vec<String> = fields.collect();
            let name = &case.name;
            match (fields.is_empty(), case.is_named) {
                (true, _) => name.clone(),
                (false, true) => format!("{name} {{ {} }}", fields.join(", ")),
                (false, false) => format!("{name}({})", fields.join(", ")),
            }
        });
        let cases: Vec<String> = cases.collect();
        write!(f, "{} {{ {} }}", self.name, cases.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_become_words() {
        for (rust, wit, bound) in [
            ("Red", "red", "Red"),
            ("DeepBlue", "deep-blue", "DeepBlue"),
            ("HTTPError", "http-error", "HttpError"),
            ("A1B", "a1-b", "A1B"),
            ("Ways_3", "ways3", "Ways3"),
            ("X", "x", "X"),
        ] {
            let wit_name = wit_name_of_type(rust);
            assert_eq!((&*wit_name, &*camel_case(&wit_name)), (wit, bound));
        }
    }
}
