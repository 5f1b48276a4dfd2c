//! What is built, checked, timed and ranked: a variant of an approach, under one id from the
//! experiment file to the report.

use crate::ids;
use crate::spec::Approach;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The id of a variant: safe as a file name, unique within the experiment, the same in every room.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VariantId(String);

impl VariantId {
    /// An id that was assigned before and kept, by a store or a bundle. Whoever uses it as a file
    /// name must check it: it may come from anybody.
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
    /// Assigned by [`declare`], and never again.
    pub id: VariantId,
    /// The name, as the user wrote it.
    pub name: String,
    /// The name of the approach it came from.
    pub approach: String,
    /// The idea, in a sentence, if one was given.
    pub description: Option<String>,
    /// Its parameter values, by name.
    pub parameters: BTreeMap<String, String>,
    /// The path of its code relative to the experiment's folder, as the user wrote it.
    pub file: String,
    /// The current revision.
    pub iteration: Iteration,
}

/// The variants of an experiment, one for each approach, in the order of declaration: the one place
/// where ids are assigned. Their code has not been read yet.
///
/// ```
/// use bakeoff_domain::spec::{Approach, Code};
/// use bakeoff_domain::variant::declare;
/// let approach = |name: &str| Approach {
///     name: name.into(),
///     description: None,
///     code: Code::Source("heap.rs".into()),
///     grants: Vec::new(),
/// };
/// let variants = declare(&[approach("Heap"), approach("heap")]);
/// assert_eq!(variants[0].id.as_str(), "heap");
/// assert_eq!(variants[1].id.as_str(), "heap-2");
/// assert_eq!(variants[1].iteration.number, 1);
/// ```
pub fn declare(approaches: &[Approach]) -> Vec<Variant> {
    let ids = ids::unique(approaches.iter().map(|approach| approach.name.as_str()));
    let variant = |(approach, id): (&Approach, String)| Variant {
        id: VariantId(id),
        name: approach.name.clone(),
        approach: approach.name.clone(),
        description: approach.description.clone(),
        parameters: BTreeMap::new(),
        file: approach.code.path().display().to_string(),
        iteration: Iteration {
            number: Iteration::FIRST,
            parent: None,
            source: None,
        },
    };
    approaches.iter().zip(ids).map(variant).collect()
}
