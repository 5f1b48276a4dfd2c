//! Variants of approaches: what is built, checked, timed and ranked, under one id from the experiment file to the
//! report.

use crate::ids;
use crate::spec::{Approach, Parameter};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The id of a variant: safe as a file name, unique within the experiment, the same in every room.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VariantId(String);

impl VariantId {
    /// An id that was assigned before and kept, by a store or a bundle. It may come from anybody: it must be checked
    /// before it is used as a file name.
    pub fn kept(id: String) -> Self {
        Self(id)
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for VariantId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialEq<str> for VariantId {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<String> for VariantId {
    fn eq(&self, other: &String) -> bool {
        self.0 == *other
    }
}

impl From<VariantId> for String {
    fn from(id: VariantId) -> Self {
        id.0
    }
}

/// One revision of a variant's code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// The number of the revision, from 1.
    pub number: u32,
    /// The number of the iteration that it was made from; `None` for code that was there first.
    pub parent: Option<u32>,
    /// SHA-256 of its code as 64 hexadecimal digits; `None` if the code could not be read.
    pub source: Option<String>,
}

impl Iteration {
    /// The number of a first iteration.
    pub const FIRST: u32 = 1;
}

/// A variant: an approach with its parameter values, and the revisions of its code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Id, assigned by [`declare`] and never again.
    pub id: VariantId,
    /// The name, as the user wrote it.
    pub name: String,
    /// The name of the approach it came from.
    pub approach: String,
    /// The idea, in a sentence, if one was given.
    pub description: Option<String>,
    /// Parameter values of the variant, by name.
    pub parameters: BTreeMap<String, String>,
    /// The path of its code relative to the experiment's folder, as the user wrote it.
    pub file: String,
    /// The current revision.
    pub iteration: Iteration,
}

/// The most variants of an experiment.
pub const VARIANTS_MAX: usize = 10_000;

/// The variants of an experiment in the order of declaration: one for each approach, or one for each
/// combination of its parameters' values, of which the last name varies fastest. The one place where ids
/// are assigned. Their code has not been read yet.
///
/// ```
/// use bakeoff_domain::spec::{Approach, Code};
/// use bakeoff_domain::variant::declare;
/// let approach = |name: &str| Approach {
///     name: name.into(),
///     description: None,
///     code: Code::Source("heap.rs".into()),
///     grants: Vec::new(),
///     sweep: Vec::new(),
///     words: Default::default(),
/// };
/// let variants = declare(&[approach("Heap"), approach("heap")]);
/// assert_eq!(variants[0].id.as_str(), "heap");
/// assert_eq!(variants[1].id.as_str(), "heap-2");
/// assert_eq!(variants[1].iteration.number, 1);
/// ```
pub fn declare(approaches: &[Approach]) -> Vec<Variant> {
    let named: Vec<(usize, String, BTreeMap<String, String>)> = places(approaches)
        .map(|(place, combination)| {
            let approach = &approaches[place];
            let parameters = combined(&approach.sweep, combination);
            (place, swept_name(&approach.name, &parameters), parameters)
        })
        .collect();
    let ids = ids::unique(named.iter().map(|(_, name, _)| name.as_str()));
    let variants = named.into_iter().zip(ids);
    let variants = variants.map(|((place, name, parameters), id)| {
        let approach = &approaches[place];
        Variant {
            id: VariantId(id),
            name,
            approach: approach.name.clone(),
            description: approach.description.clone(),
            parameters,
            file: approach.code.path().display().to_string(),
            iteration: Iteration {
                number: Iteration::FIRST,
                parent: None,
                source: None,
            },
        }
    });
    variants.collect()
}

/// Returns the index of each variant's approach, in the order of [`declare`].
pub fn approach_indexes(approaches: &[Approach]) -> Vec<usize> {
    places(approaches).map(|(place, _)| place).collect()
}

/// The index of an approach and the number of a combination, by variant; at most [`VARIANTS_MAX`].
fn places(approaches: &[Approach]) -> impl Iterator<Item = (usize, usize)> {
    let of_approach =
        |(place, approach): (usize, &Approach)| (0..approach.variants()).map(move |n| (place, n));
    let all = approaches.iter().enumerate().flat_map(of_approach);
    all.take(VARIANTS_MAX)
}

/// Returns the values of a combination, by its number.
fn combined(sweep: &[Parameter], mut number: usize) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for parameter in sweep.iter().rev() {
        let value = &parameter.values[number % parameter.values.len()];
        number /= parameter.values.len();
        values.insert(parameter.name.clone(), value.clone());
    }
    values
}

/// Returns the name of a variant: `heap`, or `heap[arity=4, fill=0.5]`.
fn swept_name(approach: &str, parameters: &BTreeMap<String, String>) -> String {
    if parameters.is_empty() {
        return approach.to_owned();
    }
    let values = parameters.iter();
    let values: Vec<String> = values
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("{approach}[{}]", values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{AuthorWords, Code};

    fn approach(name: &str, sweep: &[(&str, &[&str])]) -> Approach {
        let parameter = |(name, values): &(&str, &[&str])| Parameter {
            name: (*name).to_owned(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        Approach {
            name: name.to_owned(),
            description: None,
            code: Code::Source("a.rs".into()),
            grants: Vec::new(),
            sweep: sweep.iter().map(parameter).collect(),
            words: AuthorWords::default(),
        }
    }

    #[test]
    fn every_combination_is_a_variant_of_its_own() {
        let approaches = [
            approach("heap", &[("arity", &["2", "4"]), ("fill", &["0.5", "1.0"])]),
            approach("sort", &[]),
        ];
        let variants = declare(&approaches);
        let names: Vec<&str> = variants.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "heap[arity=2, fill=0.5]",
                "heap[arity=2, fill=1.0]",
                "heap[arity=4, fill=0.5]",
                "heap[arity=4, fill=1.0]",
                "sort"
            ]
        );
        assert_eq!(variants[2].parameters["arity"], "4");
        assert_eq!(variants[2].approach, "heap");
        assert!(variants[4].parameters.is_empty());
        assert_eq!(approach_indexes(&approaches), [0, 0, 0, 0, 1]);
        let ids: std::collections::BTreeSet<_> = variants.iter().map(|one| &one.id).collect();
        assert_eq!(ids.len(), variants.len());
    }

    #[test]
    fn values_that_read_alike_in_an_id_are_kept_apart() {
        let variants = declare(&[approach("a", &[("t", &["-1", "1"])])]);
        assert_ne!(variants[0].id, variants[1].id);
    }

    #[test]
    fn a_declaration_never_makes_more_variants_than_there_may_be() {
        let values: Vec<String> = (0..1_000).map(|value| value.to_string()).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let wide = approach("a", &[("x", &values), ("y", &values), ("z", &values)]);
        assert_eq!(wide.variants(), 1_000_000_000);
        assert_eq!(approach_indexes(&[wide]).len(), VARIANTS_MAX);
    }
}
