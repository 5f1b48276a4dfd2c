//! Structs that Rust source declares. WIT knows them as tuples of their fields, in the order in which they are declared,
//! so that files which declare the same fields in another order would be given each other's values.

use serde::{Deserialize, Serialize};

/// A struct with the names of its fields, or their places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StructFields {
    /// The name of the struct.
    pub name: String,
    /// The names of its fields, in the order of their declaration.
    pub fields: Vec<String>,
}

impl StructFields {
    /// Returns true if a field of this name stands at another place in the other struct.
    fn has_moved(&self, other: &Self) -> bool {
        self.fields.iter().enumerate().any(|(place, field)| {
            let there = other.fields.iter().position(|name| name == field);
            there.is_some_and(|there| there != place)
        })
    }

    fn written(&self) -> String {
        format!("{} {{ {} }}", self.name, self.fields.join(", "))
    }
}

/// Returns the message that two files declare a struct with the same fields in another order; `None` if they do not. A
/// struct is held against that of its name, or, where there is none, against those with as many fields.
pub(super) fn fields_apart(
    (first_file, first): (&str, &[StructFields]),
    (other_file, other): (&str, &[StructFields]),
) -> Option<String> {
    let is_in = |structs: &[StructFields], name: &str| structs.iter().any(|one| one.name == name);
    let mut pairs = first
        .iter()
        .flat_map(|a| other.iter().map(move |b| (a, b)))
        .filter(|(a, b)| {
            let alone = !is_in(other, &a.name) && !is_in(first, &b.name);
            a.name == b.name || alone && a.fields.len() == b.fields.len()
        });
    let (a, b) = pairs.find(|(a, b)| a.has_moved(b))?;
    Some(format!(
        "the fields of a struct have another order: {first_file} has {}, {other_file} has {}; declare them in the same \
         order, since values are passed by place",
        a.written(),
        b.written()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(name: &str, fields: &[&str]) -> StructFields {
        StructFields {
            name: name.to_owned(),
            fields: fields.iter().map(|field| (*field).to_owned()).collect(),
        }
    }

    #[test]
    fn fields_in_another_order_are_seen_in_structs_that_are_meant_to_be_the_same() {
        let span = fields("Span", &["start", "end"]);
        let both_apart =
            |a: &[StructFields], b: &[StructFields]| fields_apart(("a.rs", a), ("b.rs", b));
        let apart = |b: StructFields| both_apart(std::slice::from_ref(&span), &[b]);
        let turned = fields("Span", &["end", "start"]);
        let said = apart(turned).unwrap();
        assert!(
            said.contains("a.rs has Span { start, end }, b.rs has Span { end, start }"),
            "{said}"
        );
        for other in [
            fields("Interval", &["end", "start"]),
            fields("Interval", &["length", "start"]),
            fields("Span", &["first", "start", "end"]),
        ] {
            assert!(apart(other).is_some());
        }
        for other in [
            span.clone(),
            fields("Interval", &["low", "high"]),
            fields("Span", &["start", "length"]),
        ] {
            assert_eq!(apart(other), None);
        }
        // Structs that both files have are not held against each other.
        let both = [span.clone(), fields("Gap", &["end", "start"])];
        assert_eq!(both_apart(&both, &both), None);
    }
}
