//! Signatures of functions, as shapes.

use super::shape::{EnumShape, Shape};
use super::wit_names::escaped;
use serde::{Deserialize, Serialize};

/// The signature of a function: the shapes of its parameters and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// The names and shapes of the parameters.
    pub parameters: Vec<(String, Shape)>,
    /// The result; arguments that are changed in place belong to it.
    pub result: Shape,
}

impl Signature {
    /// Returns the enums of parameters and result, each once and after the enums in its fields.
    pub(super) fn enums(&self) -> Vec<&EnumShape> {
        let mut enums = Vec::new();
        let shapes = self.parameters.iter().map(|(_, shape)| shape);
        for shape in shapes.chain([&self.result]) {
            shape.collect_enums(&mut enums);
        }
        enums
    }

    /// Returns the WIT interface that declares the enums, and the `use` line of a world; both empty without enums.
    pub(super) fn declared_enums(&self) -> (String, String) {
        let enums = self.enums();
        if enums.is_empty() {
            return Default::default();
        }
        let declarations: String = enums.iter().map(|of| of.declaration()).collect();
        let names: Vec<String> = enums.iter().map(|of| escaped(&of.wit_name())).collect();
        (
            format!("interface kinds {{\n{declarations}}}\n\n"),
            format!("  use kinds.{{{}}};\n", names.join(", ")),
        )
    }

    /// Returns the Rust source by which a workload draws the enums: an `impl` of the trait `Random` for each.
    pub(super) fn drawn_enums(&self) -> String {
        let enums = self.enums().into_iter();
        enums.map(EnumShape::drawing).collect()
    }

    /// Returns a text of the enums that two files declare differently under the same name, for a message.
    pub(super) fn enums_apart(&self, other: &Self, files: (&str, &str)) -> String {
        let (own, others) = (self.enums(), other.enums());
        let pairs = own.iter().filter_map(|own| {
            let other = others.iter().find(|other| other.name == own.name)?;
            (other != own)
                .then(|| format!("; {} has the enum {own}, {} has {other}", files.0, files.1))
        });
        pairs.collect()
    }

    /// Unifies two signatures of the same function, with the names of this one; `None` if they differ.
    pub(super) fn unified(&self, other: &Self) -> Option<Self> {
        if self.parameters.len() != other.parameters.len() {
            return None;
        }
        let pairs = self.parameters.iter().zip(&other.parameters);
        let parameters = pairs.map(|((name, a), (_, b))| Some((name.clone(), a.unified(b)?)));
        Some(Self {
            parameters: parameters.collect::<Option<_>>()?,
            result: self.result.unified(&other.result)?,
        })
    }

    /// Returns the signature with the names of another one's parameters.
    pub(super) fn named_as(self, other: Self) -> Self {
        let names = other.parameters.into_iter().map(|(name, _)| name);
        let shapes = self.parameters.into_iter().map(|(_, shape)| shape);
        Self {
            parameters: names.zip(shapes).collect(),
            result: self.result,
        }
    }

    /// Returns the signature with numbers in the place of type parameters.
    pub(super) fn decided(&self) -> Self {
        let parameters = self.parameters.iter();
        Self {
            parameters: parameters
                .map(|(name, shape)| (name.clone(), shape.decided()))
                .collect(),
            result: self.result.decided(),
        }
    }
}

/// The notation of WIT: `func(values: list<s64>, k: u32) -> list<s64>`.
impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parameters = self.parameters.iter();
        let parameters: Vec<String> = parameters
            .map(|(name, shape)| format!("{name}: {shape}"))
            .collect();
        write!(f, "func({}) -> {}", parameters.join(", "), self.result)
    }
}
