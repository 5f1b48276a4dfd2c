//! Inputs from examples and tests in compared files.

use super::from_rust::DerivedInterface;
use super::literal::{Literal, read_literals, written_call};
use super::shape::Shape;
use std::collections::BTreeSet;

/// The most examples that are tried, of all files.
const EXAMPLES_MAX: usize = 64;

impl DerivedInterface {
    /// Returns the arguments with which examples and tests in the files call the function, each of them once. Arguments
    /// that do not fit the types that the files have in common are left out.
    pub fn examples(&self) -> Vec<Vec<Literal>> {
        let parameters = &self.signature.parameters;
        let shapes: Vec<&Shape> = parameters.iter().map(|(_, shape)| shape).collect();
        let functions = self.functions.iter().map(|(_, function)| function);
        let texts = functions.flat_map(|function| &function.examples);
        let mut known = BTreeSet::new();
        let read = texts.filter_map(|text| read_literals(text, &shapes));
        let distinct = read.filter(|arguments| known.insert(written_call("", arguments)));
        distinct.take(EXAMPLES_MAX).collect()
    }
}
