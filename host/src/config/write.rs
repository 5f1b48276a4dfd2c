//! Approaches that are added to an experiment file.

/// An approach that an experiment file does not name yet.
#[derive(Clone, Debug)]
pub struct NewApproach {
    /// Its name.
    pub name: String,
    /// Its idea; empty if there is none.
    pub description: String,
    /// Its Rust file, relative to the experiment's folder.
    pub source: String,
}

/// Returns a text as a value of an experiment file.
pub fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// Returns the text of an experiment file with more approaches at its end. What stands in it stays as it
/// is.
pub fn with_approaches(text: &str, approaches: &[NewApproach]) -> String {
    let mut text = text.trim_end().to_owned();
    text.push('\n');
    for approach in approaches {
        let entry = |key: &str, value: &str| format!("{key} = {}\n", quoted(value));
        text.push_str("\n[[approach]]\n");
        text.push_str(&entry("name", &approach.name));
        if !approach.description.is_empty() {
            text.push_str(&entry("description", &approach.description));
        }
        text.push_str(&entry("source", &approach.source));
    }
    text
}
