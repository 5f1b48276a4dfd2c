//! The check of a value against a schema.
//!
//! Schemas of questions are written in this workspace, and use a few keywords of JSON Schema (draft 2020-12). A schema with any
//! other is refused, so that none is left unchecked.

use bakeoff_domain::wording;
use serde_json::{Number, Value};
use std::fmt::Write as _;

/// The deepest schema that is accepted. Every walk of a schema or of a value by its schema ends by this bound.
const DEPTH_MAX: usize = 32;

/// The most choices of an `enum` that are all named.
const CHOICES_MAX: usize = 3;

/// Types that a schema may name.
const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// Problem of a value.
#[derive(Debug, PartialEq)]
pub(super) struct Problem {
    /// JSON pointer to the part of the value that has it; empty for the whole.
    pub(super) path: String,
    /// Description that does not quote the value.
    pub(super) text: String,
}

/// Returns why a value is no schema of the keywords that are checked; `None` if it is one.
pub(super) fn flaw(schema: &Value) -> Option<String> {
    flaw_at(schema, 0)
}

fn flaw_at(schema: &Value, depth: usize) -> Option<String> {
    let Some(keywords) = schema.as_object() else {
        return Some(format!("{schema} is no object"));
    };
    if depth == DEPTH_MAX {
        return Some(format!("it is deeper than {DEPTH_MAX} levels"));
    }
    keywords.iter().find_map(|(name, value)| {
        let is_good = match name.as_str() {
            "type" => value.as_str().is_some_and(|name| TYPES.contains(&name)),
            "enum" => value.is_array(),
            "required" => {
                (value.as_array()).is_some_and(|names| names.iter().all(Value::is_string))
            }
            "additionalProperties" => value.is_boolean(),
            "minItems" | "maxItems" | "minLength" | "maxLength" => value.is_u64(),
            "minimum" | "maximum" => value.is_number(),
            "description" | "title" => value.is_string(),
            "default" => true,
            "items" => return flaw_at(value, depth + 1),
            "properties" => match value.as_object() {
                Some(properties) => {
                    return properties
                        .values()
                        .find_map(|schema| flaw_at(schema, depth + 1));
                }
                None => false,
            },
            _ => return Some(format!("the keyword `{name}` is not checked here")),
        };
        (!is_good).then(|| format!("`{name}` cannot be {value}"))
    })
}

/// Returns the problems of a value, at most so many, in the order of the schema's keywords. The schema has no [`flaw`].
pub(super) fn problems(schema: &Value, value: &Value, most: usize) -> Vec<Problem> {
    let mut check = Check {
        path: String::new(),
        found: Vec::new(),
        most,
    };
    check.value(schema, value);
    check.found
}

/// Check of a value under way.
struct Check {
    path: String,
    found: Vec<Problem>,
    most: usize,
}

impl Check {
    fn say(&mut self, text: String) {
        if self.found.len() < self.most {
            let path = self.path.clone();
            self.found.push(Problem { path, text });
        }
    }

    /// Checks a part of the value, which the path so far and one more step lead to.
    fn below(&mut self, step: &str, schema: &Value, value: &Value) {
        let length = self.path.len();
        self.path.push('/');
        self.path += &step.replace('~', "~0").replace('/', "~1");
        self.value(schema, value);
        self.path.truncate(length);
    }

    fn value(&mut self, schema: &Value, value: &Value) {
        for (name, asked) in schema.as_object().into_iter().flatten() {
            if self.found.len() == self.most {
                return;
            }
            match name.as_str() {
                "type" => {
                    if !asked.as_str().is_some_and(|name| has_type(name, value)) {
                        self.say(format!("value is not of type {asked}"));
                    }
                }
                "enum" => {
                    let choices = asked.as_array().map_or(&[][..], |choices| choices);
                    if !choices.contains(value) {
                        self.say(format!("value is not one of {}", listed(choices)));
                    }
                }
                _ => self.bound(name, asked, value),
            }
            match (name.as_str(), asked, value) {
                ("items", asked, Value::Array(items)) => {
                    for (place, item) in items.iter().enumerate() {
                        self.below(&place.to_string(), asked, item);
                    }
                }
                ("properties", Value::Object(properties), Value::Object(fields)) => {
                    for (name, asked) in properties {
                        if let Some(value) = fields.get(name) {
                            self.below(name, asked, value);
                        }
                    }
                }
                ("required", Value::Array(names), Value::Object(fields)) => {
                    for name in names.iter().filter_map(Value::as_str) {
                        if !fields.contains_key(name) {
                            self.say(format!("\"{name}\" is a required property"));
                        }
                    }
                }
                ("additionalProperties", Value::Bool(false), Value::Object(fields)) => {
                    let properties = schema.get("properties").and_then(Value::as_object);
                    let is_known =
                        |name: &String| properties.is_some_and(|all| all.contains_key(name));
                    let more = fields.keys().filter(|name| !is_known(name)).count();
                    if more > 0 {
                        self.say(format!("value has {more} more than its properties"));
                    }
                }
                _ => {}
            }
        }
    }

    /// Checks a bound of a number, of the characters of a text or of the items of a list.
    fn bound(&mut self, name: &str, asked: &Value, value: &Value) {
        let count = match value {
            Value::String(text) => text.chars().count() as u64,
            Value::Array(items) => items.len() as u64,
            _ => 0,
        };
        let limit = asked.as_u64().unwrap_or_default();
        let plural = wording::ending(limit);
        let text = match (name, value) {
            ("minLength", Value::String(_)) if count < limit => {
                format!("value is shorter than {limit} character{plural}")
            }
            ("maxLength", Value::String(_)) if count > limit => {
                format!("value is longer than {limit} character{plural}")
            }
            ("minItems", Value::Array(_)) if count < limit => {
                format!("value has less than {limit} item{plural}")
            }
            ("maxItems", Value::Array(_)) if count > limit => {
                format!("value has more than {limit} item{plural}")
            }
            ("minimum", Value::Number(number)) if is_less(number, asked) => {
                format!("value is less than the minimum of {asked}")
            }
            ("maximum", Value::Number(number)) if is_more(number, asked) => {
                format!("value is greater than the maximum of {asked}")
            }
            _ => return,
        };
        self.say(text);
    }
}

fn has_type(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
        Value::String(_) => name == "string",
        // 1.0 is an integer, too.
        Value::Number(number) => {
            let is_whole = || number.as_f64().is_some_and(|number| number.fract() == 0.0);
            name == "number" || (name == "integer" && (!number.is_f64() || is_whole()))
        }
    }
}

fn is_less(number: &Number, limit: &Value) -> bool {
    let (number, limit) = (number.as_f64(), limit.as_f64());
    number
        .zip(limit)
        .is_some_and(|(number, limit)| number < limit)
}

fn is_more(number: &Number, limit: &Value) -> bool {
    let (number, limit) = (number.as_f64(), limit.as_f64());
    number
        .zip(limit)
        .is_some_and(|(number, limit)| number > limit)
}

/// Returns choices as a phrase: `"a", "b" or "c"`.
fn listed(choices: &[Value]) -> String {
    let named = if choices.len() > CHOICES_MAX {
        CHOICES_MAX - 1
    } else {
        choices.len()
    };
    let mut text = String::new();
    for (place, choice) in choices[..named].iter().enumerate() {
        let link = match place {
            0 => "",
            _ if place + 1 == choices.len() => " or ",
            _ => ", ",
        };
        let _ = write!(text, "{link}{choice}");
    }
    if named < choices.len() {
        let _ = write!(text, " or {} other candidates", choices.len() - named);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_keyword_is_held() {
        let list =
            json!({"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "integer"}});
        let text = json!({"type": "string", "minLength": 1, "maxLength": 2});
        let number = json!({"type": "number", "minimum": -1, "maximum": 2.5});
        let object = json!({
            "type": "object", "required": ["a/b"], "additionalProperties": false,
            "properties": {"a/b": {"type": "null"}, "c": {"enum": ["x", "y", "z"]}}
        });
        for (schema, value, wanted) in [
            (&list, json!([1, 2.0]), ""),
            (&list, json!([]), ": value has less than 1 item"),
            (&list, json!([1, 2, 3]), ": value has more than 2 items"),
            (
                &list,
                json!([1, 2.5]),
                "/1: value is not of type \"integer\"",
            ),
            (&list, json!({}), ": value is not of type \"array\""),
            (&text, json!("äö"), ""),
            (&text, json!(""), ": value is shorter than 1 character"),
            (&text, json!("abc"), ": value is longer than 2 characters"),
            (&number, json!(2.5), ""),
            (&number, json!(-1), ""),
            (&number, json!(-2), ": value is less than the minimum of -1"),
            (
                &number,
                json!(u64::MAX),
                ": value is greater than the maximum of 2.5",
            ),
            (&number, json!(true), ": value is not of type \"number\""),
            (&object, json!({"a/b": null, "c": "y"}), ""),
            (&object, json!({}), ": \"a/b\" is a required property"),
            (
                &object,
                json!({"a/b": 1}),
                "/a~1b: value is not of type \"null\"",
            ),
            (
                &object,
                json!({"a/b": null, "c": 1}),
                "/c: value is not one of \"x\", \"y\" or \"z\"",
            ),
            (
                &object,
                json!({"a/b": null, "d": 1}),
                ": value has 1 more than its properties",
            ),
        ] {
            assert_eq!(flaw(schema), None);
            let found = problems(schema, &value, 9);
            let found: Vec<String> = (found.iter())
                .map(|one| format!("{}: {}", one.path, one.text))
                .collect();
            assert_eq!(found.join("; "), wanted, "{schema} {value}");
        }
    }

    #[test]
    fn problems_are_bounded_and_choices_named_in_short() {
        let many = json!((0..100).collect::<Vec<u32>>());
        let schema = json!({"items": {"enum": ["a", "b", "c", "d"]}});
        let found = problems(&schema, &many, 3);
        assert_eq!(found.len(), 3);
        assert_eq!(found[2].path, "/2");
        let wanted = "value is not one of \"a\", \"b\" or 2 other candidates";
        assert_eq!(found[0].text, wanted);
    }

    #[test]
    fn a_schema_that_would_not_be_checked_is_refused() {
        let mut deep = json!({});
        for _ in 0..=DEPTH_MAX {
            deep = json!({"items": deep});
        }
        for (schema, wanted) in [
            (json!(true), "true is no object"),
            (
                json!({"$ref": "file:///etc/passwd"}),
                "the keyword `$ref` is not checked here",
            ),
            (
                json!({"items": {"pattern": "a"}}),
                "the keyword `pattern` is not checked here",
            ),
            (
                json!({"properties": {"a": {"type": "text"}}}),
                "`type` cannot be \"text\"",
            ),
            (json!({"properties": []}), "`properties` cannot be []"),
            (json!({"maxItems": -1}), "`maxItems` cannot be -1"),
            (deep, "it is deeper than 32 levels"),
        ] {
            assert_eq!(flaw(&schema).as_deref(), Some(wanted), "{schema}");
        }
    }
}
