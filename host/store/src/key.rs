//! The key of a result: a digest of everything it depends on.

use bakeoff_source::digest_of_parts;

/// The inputs of a result, by name, and the digest over all of them.
///
/// Two results are the same if and only if their keys are: a key must name *everything* that
/// could make the result another one (source, interface, workload, limits, engine, compiler,
/// seed), and nothing else.
///
/// ```
/// use bakeoff_store::Key;
/// let key = Key::new([("source", "sha256:12"), ("compiler", "rustc 1.95.0")]);
/// assert_eq!(key.digest().len(), 64);
/// assert_ne!(key, Key::new([("source", "sha256:13"), ("compiler", "rustc 1.95.0")]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    digest: String,
    inputs: Vec<(String, String)>,
}

/// Returns the value of the input of this name; `None` if there is none.
pub fn input<'a>(inputs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = inputs.iter().find(|(other, _)| other == name);
    found.map(|(_, value)| value.as_str())
}

impl Key {
    /// Makes the key of named inputs; their order is part of it. A value is a digest or a short
    /// text.
    pub fn new<N: Into<String>, V: Into<String>>(inputs: impl IntoIterator<Item = (N, V)>) -> Self {
        let inputs: Vec<(String, String)> = inputs
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let texts = inputs.iter().flat_map(|(name, value)| [name, value]);
        let digest = digest_of_parts(texts.map(String::as_bytes));
        Self { digest, inputs }
    }

    /// SHA-256 over the inputs, as 64 hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The inputs by name, in their order.
    pub fn inputs(&self) -> &[(String, String)] {
        &self.inputs
    }

    /// Names of the inputs that differ between this key and an earlier one, in this key's order,
    /// then those that are gone.
    pub fn changed_since(&self, earlier: &[(String, String)]) -> Vec<String> {
        let changed = self
            .inputs
            .iter()
            .filter(|(name, value)| input(earlier, name) != Some(value));
        let gone = earlier
            .iter()
            .filter(|(name, _)| input(&self.inputs, name).is_none());
        changed.chain(gone).map(|(name, _)| name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_that_concatenate_to_the_same_text_have_different_keys() {
        assert_ne!(
            Key::new([("a", "bc")]).digest(),
            Key::new([("ab", "c")]).digest()
        );
        assert_ne!(
            Key::new([("a", ""), ("", "b")]).digest(),
            Key::new([("a", "b")]).digest()
        );
    }

    #[test]
    fn changed_added_and_removed_inputs_are_named() {
        let earlier = Key::new([("source", "1"), ("compiler", "x"), ("flags", "f")]);
        let later = Key::new([("source", "2"), ("compiler", "x"), ("seed", "7")]);
        assert_eq!(
            later.changed_since(earlier.inputs()),
            ["source", "seed", "flags"]
        );
    }
}
