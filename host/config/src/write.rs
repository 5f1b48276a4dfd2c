//! Adds approaches to the text of an experiment file.

use bakeoff_domain::spec::{AuthorWords, Parameter};
use std::collections::BTreeMap;

/// An approach that an experiment file does not name yet.
#[derive(Clone, Debug)]
pub struct NewApproach {
    /// The name of the approach.
    pub name: String,
    /// The idea; empty if there is none.
    pub description: String,
    /// Words of its author.
    pub words: AuthorWords,
    /// The path of the Rust file, relative to the experiment's folder.
    pub source: String,
    /// The parameters with the values to try.
    pub sweep: Vec<Parameter>,
}

/// Returns a text as a value of an experiment file.
pub fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// Returns a key with a text, as a line of an experiment file.
pub fn entry(key: &str, value: &str) -> String {
    format!("{key} = {}\n", quoted(value))
}

/// Returns the beginning of an approach: its table, its name, and its idea unless that is empty.
pub fn approach_entries(name: &str, description: &str) -> String {
    let mut text = format!("\n[[approach]]\n{}", entry("name", name));
    if !description.is_empty() {
        text.push_str(&entry("description", description));
    }
    text
}

/// Returns the words of an author that there are.
pub fn words_entries(words: &AuthorWords) -> String {
    let rationale = words.rationale.as_deref();
    let mut text = rationale.map_or_else(String::new, |one| entry("rationale", one));
    for (key, sentences) in [
        ("characteristics", &words.characteristics),
        ("pros", &words.pros),
        ("cons", &words.cons),
    ] {
        if !sentences.is_empty() {
            let list: Vec<String> = sentences.iter().map(|one| quoted(one)).collect();
            text.push_str(&format!("{key} = [{}]\n", list.join(", ")));
        }
    }
    text
}

/// Returns the text of an experiment file with one more approach, which a model is to write from its name and this idea.
pub fn with_idea(text: &str, name: &str, description: &str) -> String {
    let begun = approach_entries(name, description);
    format!("{}\n{begun}write = true\n", text.trim_end())
}

/// Returns the text of an experiment file with more approaches at its end. The existing text stays as it is, but
/// for white space at its end.
pub fn with_approaches(text: &str, approaches: &[NewApproach]) -> String {
    let mut text = text.trim_end().to_owned();
    text.push('\n');
    for approach in approaches {
        text.push_str(&approach_entries(&approach.name, &approach.description));
        text.push_str(&words_entries(&approach.words));
        text.push_str(&entry("source", &approach.source));
        if !approach.sweep.is_empty() {
            text.push_str(&format!("sweep = {{ {} }}\n", sweep(&approach.sweep)));
        }
    }
    text
}

/// Returns the text of an experiment file with one more approach at its end, which is a component. Its sweep
/// has the one value in `parameters` for each parameter.
pub fn with_component(
    text: &str,
    name: &str,
    description: &str,
    component: &str,
    parameters: &BTreeMap<String, String>,
) -> String {
    let begun = approach_entries(name, description);
    let mut text = format!("{}\n{begun}", text.trim_end());
    text += &entry("component", component);
    if !parameters.is_empty() {
        let single = |(name, value): (&String, &String)| Parameter {
            name: name.clone(),
            values: vec![value.clone()],
        };
        let single: Vec<Parameter> = parameters.iter().map(single).collect();
        text += &format!("sweep = {{ {} }}\n", sweep(&single));
    }
    text
}

/// Formats parameters as a TOML table in one line.
fn sweep(parameters: &[Parameter]) -> String {
    let list = |values: &[String]| values.iter().map(|one| value(one)).collect::<Vec<_>>();
    let parameters = parameters.iter();
    let parameters =
        parameters.map(|one| format!("{} = [{}]", one.name, list(&one.values).join(", ")));
    parameters.collect::<Vec<_>>().join(", ")
}

/// Formats a value in TOML: as a number if that reads back the same, otherwise as a text.
fn value(text: &str) -> String {
    match text.parse::<i64>() {
        Ok(number) if number.to_string() == text => text.to_owned(),
        _ => toml::Value::from(text).to_string(),
    }
}
