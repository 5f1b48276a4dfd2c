//! Replies of a model, as their schemas describe them.

use bakeoff_source::SOURCE_BYTES_MAX;
use serde::Deserialize;
use serde_json::{Value, json};

/// The ideas of a model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Ideas {
    pub(super) approaches: Vec<WrittenIdea>,
}

/// An idea, in the model's words.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct WrittenIdea {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) rationale: String,
    pub(super) key_characteristics: Vec<String>,
    #[serde(default)]
    pub(super) pros: Vec<String>,
    #[serde(default)]
    pub(super) cons: Vec<String>,
    #[serde(default)]
    pub(super) guidelines: String,
}

/// A prototype of a model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct WrittenPrototype {
    pub(super) source: String,
}

/// A better candidate of a search, in the model's words.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct WrittenImprovement {
    pub(super) change: String,
    pub(super) source: String,
}

/// A completion of a model, as a proposer asks for it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Completion {
    pub(super) text: String,
}

impl Completion {
    /// Returns the JSON schema of a completion.
    pub(super) fn schema() -> Value {
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["text"],
            "properties": { "text": { "type": "string", "description": "the whole reply" } }
        })
    }
}

/// Returns the schema of [`Ideas`], with at most `most` of them.
pub(super) fn ideas_schema(most: u32) -> Value {
    // Longer texts are cut, and not asked for again: that would be paid for.
    let text = |about: &str| json!({"type": "string", "description": about});
    // A reply without them is one, too.
    let sentences =
        |about: &str| json!({"type": "array", "maxItems": 5, "default": [], "items": text(about)});
    let guidelines = json!({
        "type": "string",
        "description": "what its writer should mind, in a few sentences",
        "default": "",
    });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["approaches"],
        "properties": {
            "approaches": {
                "type": "array",
                "minItems": 1,
                "maxItems": most,
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": [
                        "name", "description", "rationale", "key_characteristics", "pros", "cons", "guidelines"
                    ],
                    "properties": {
                        "name": text("two or three words"),
                        "description": text("what it does, in a sentence"),
                        "rationale": text("when it is the better choice, in a sentence"),
                        "key_characteristics": {
                            "type": "array",
                            "maxItems": 8,
                            "items": text("what tells it from the others, in a few words")
                        },
                        "pros": sentences("what speaks for it, in a sentence"),
                        "cons": sentences("what speaks against it, in a sentence"),
                        "guidelines": guidelines
                    }
                }
            }
        }
    })
}

/// Returns the schema of [`WrittenPrototype`].
pub(super) fn prototype_schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["source"],
        "properties": {
            "source": {
                "type": "string",
                "description": "the whole Rust file",
                "minLength": 1,
                "maxLength": SOURCE_BYTES_MAX
            }
        }
    })
}

/// Returns the schema of [`WrittenImprovement`].
pub(super) fn improvement_schema() -> Value {
    let mut schema = prototype_schema();
    schema["required"] = json!(["change", "source"]);
    schema["properties"]["change"] =
        json!({"type": "string", "description": "what is new in it, in a few words"});
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_of_the_schemas_can_be_read() {
        let ideas = json!({"approaches": [{
            "name": "a", "description": "b", "rationale": "c", "key_characteristics": ["d"]
        }]});
        assert!(has_what_is_required(&ideas_schema(2), &ideas));
        assert_eq!(
            serde_json::from_value::<Ideas>(ideas)
                .unwrap()
                .approaches
                .len(),
            1
        );
        let prototype = json!({"source": "pub fn f() {}"});
        assert!(has_what_is_required(&prototype_schema(), &prototype));
        assert!(serde_json::from_value::<WrittenPrototype>(prototype).is_ok());
        assert!(!has_what_is_required(
            &ideas_schema(2),
            &json!({"approaches": []})
        ));
        assert!(!ideas_schema(2).to_string().contains("maxLength"));
    }

    /// Checks only the keywords that the schemas above use: the real check is the provider's.
    fn has_what_is_required(schema: &Value, value: &Value) -> bool {
        let required = schema["required"].as_array().into_iter().flatten();
        let has_all = required
            .into_iter()
            .all(|key| value.get(key.as_str().unwrap()).is_some());
        let items = &schema["properties"]["approaches"];
        let least = items["minItems"].as_u64().unwrap_or(0);
        let count = value["approaches"]
            .as_array()
            .map_or(least, |list| list.len() as u64);
        has_all && count >= least
    }
}
