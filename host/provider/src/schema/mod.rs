//! The schema of a reply: reduced to what APIs accept, and whole for the check.

mod validator;

use super::excerpt::excerpt;
use bakeoff_files::parse_json_of;
use serde_json::{Map, Value, json};

/// The most values of a reply.
const VALUES_MAX: usize = 1 << 16;

/// The most problems of a reply that are named.
const PROBLEMS_MAX: usize = 5;

/// Keywords that every API accepts as they are.
const PLAIN: [&str; 5] = ["type", "enum", "title", "description", "required"];

/// Keywords that bound a list, a text or a number.
const BOUNDS: [&str; 6] = [
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
];

/// The largest bound of a list or a text that is sent to a server which enforces bounds: such a server makes a grammar of
/// the schema, which grows with it.
const ENFORCED_MAX: u64 = 1_000;

/// Checks replies against a schema.
#[derive(Debug)]
pub(super) struct ReplySchema(Value);

impl ReplySchema {
    /// Prepares a schema.
    ///
    /// # Errors
    /// The value is not a schema of the keywords that are checked.
    pub(super) fn new(schema: &Value) -> Result<Self, String> {
        match validator::flaw(schema) {
            Some(flaw) => Err(excerpt(&format!("the schema is invalid: {flaw}"))),
            None => Ok(Self(schema.clone())),
        }
    }

    /// Returns the object that a reply holds, without what is more than was asked for, or what is wrong with the reply.
    pub(super) fn check(&self, reply: &str) -> Result<Value, String> {
        let mut value = object_in(reply)?;
        leave_out_more(&self.0, &mut value);
        add_defaults(&self.0, &mut value);
        let problems: Vec<String> = validator::problems(&self.0, &value, PROBLEMS_MAX)
            .iter()
            .map(|problem| match problem.path.as_str() {
                "" => excerpt(&problem.text),
                path => format!("at {}: {}", excerpt(path), excerpt(&problem.text)),
            })
            .collect();
        if problems.is_empty() {
            Ok(value)
        } else {
            Err(problems.join("; "))
        }
    }
}

/// Leaves out keys that a closed object does not have, and the items of a list beyond the most: a model that says more
/// than it was asked for has said what it was asked for.
fn leave_out_more(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(object) => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
                return;
            };
            if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
                object.retain(|key, _| properties.contains_key(key));
            }
            for (key, value) in object {
                if let Some(schema) = properties.get(key) {
                    leave_out_more(schema, value);
                }
            }
        }
        Value::Array(items) => {
            let most = schema.get("maxItems").and_then(Value::as_u64);
            if let Some(most) = most.and_then(|most| usize::try_from(most).ok()) {
                items.truncate(most);
            }
            if let Some(schema) = schema.get("items") {
                for item in items {
                    leave_out_more(schema, item);
                }
            }
        }
        _ => {}
    }
}

/// Adds keys of an object that a reply lacks and that have a default: a model need not say that there is nothing to say.
fn add_defaults(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(object) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            for (key, schema) in properties.into_iter().flatten() {
                match (object.get_mut(key), schema.get("default")) {
                    (Some(value), _) => add_defaults(schema, value),
                    (None, Some(default)) => {
                        object.insert(key.clone(), default.clone());
                    }
                    (None, None) => {}
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for item in items {
                    add_defaults(schema, item);
                }
            }
        }
        _ => {}
    }
}

/// Returns the JSON object of a reply: all of it, or what stands between its first and last brace, as in
/// a fenced block with a sentence before it.
fn object_in(reply: &str) -> Result<Value, String> {
    let text = reply.trim();
    if text.is_empty() {
        return Err("it is empty".to_owned());
    }
    let parse = |text: &str| parse_json_of::<Value>(text.as_bytes(), VALUES_MAX);
    let whole = parse(text);
    let inner = || match (text.find('{'), text.rfind('}')) {
        (Some(start), Some(end)) if start < end => parse(&text[start..=end]).ok(),
        _ => None,
    };
    match whole {
        Ok(value) if value.is_object() => Ok(value),
        Ok(_) => Err("it is JSON, but not an object".to_owned()),
        Err(error) => inner()
            .filter(Value::is_object)
            .ok_or_else(|| excerpt(&format!("it is not JSON: {error}"))),
    }
}

/// A schema as APIs accept it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReducedSchema {
    /// The schema, of which each object is closed.
    pub(super) schema: Value,
    /// True if every property is required, as OpenAI's strict mode wants it.
    pub(super) all_required: bool,
}

/// Use that an API makes of the bounds in a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundsUse {
    /// It may refuse a schema with bounds.
    Refused,
    /// It lets the model write nothing beyond them.
    Enforced,
}

/// Reduces a schema to keywords that an API accepts. Keywords that are left out are told in the description instead:
/// the model should know of them, since the reply is checked against them. The schema is one that [`ReplySchema::new`]
/// accepts, and so only as deep as that allows.
pub(super) fn reduce(schema: &Value, bounds: BoundsUse) -> ReducedSchema {
    let mut all_required = true;
    let schema = reduced(schema, bounds, &mut all_required);
    ReducedSchema {
        schema,
        all_required,
    }
}

/// Returns true if a keyword is a bound that is sent to an API.
fn is_enforced(name: &str, value: &Value, bounds: BoundsUse) -> bool {
    let is_small = || value.as_u64().is_some_and(|bound| bound <= ENFORCED_MAX);
    bounds == BoundsUse::Enforced
        && BOUNDS.contains(&name)
        && (matches!(name, "minimum" | "maximum") || is_small())
}

fn reduced(schema: &Value, bounds: BoundsUse, all_required: &mut bool) -> Value {
    let mut inside = |value: &Value| reduced(value, bounds, all_required);
    let (mut kept, mut told) = (Map::new(), Vec::new());
    for (key, value) in schema.as_object().into_iter().flatten() {
        let name = key.as_str();
        let value = match value {
            value if PLAIN.contains(&name) => value.clone(),
            value if is_enforced(name, value, bounds) => value.clone(),
            value if name == "items" => inside(value),
            Value::Object(named) if name == "properties" => named
                .iter()
                .map(|(name, value)| (name.clone(), inside(value)))
                .collect(),
            _ if matches!(name, "default" | "additionalProperties") => continue,
            value => {
                told.push(format!("{name}: {value}"));
                continue;
            }
        };
        kept.insert(key.clone(), value);
    }
    if let Some(properties) = kept.get("properties").and_then(Value::as_object) {
        let required = kept.get("required").and_then(Value::as_array);
        *all_required &= required.map_or(0, Vec::len) == properties.len();
    }
    if kept.contains_key("properties") || kept.get("type") == Some(&json!("object")) {
        kept.insert("additionalProperties".to_owned(), json!(false));
    }
    if !told.is_empty() {
        let description = kept.get("description").and_then(Value::as_str);
        let description = format!("{} ({})", description.unwrap_or_default(), told.join(", "));
        kept.insert("description".to_owned(), json!(description.trim_start()));
    }
    Value::Object(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "required": ["names"],
            "additionalProperties": false,
            "properties": {
                "names": {
                    "type": "array", "minItems": 1, "maxItems": 2,
                    "items": {"type": "string", "maxLength": 5, "description": "A name."}
                },
                "kind": {"type": "object", "properties": {}}
            }
        })
    }

    #[test]
    fn a_reply_is_checked_against_the_whole_schema() {
        let check = |reply: &str| ReplySchema::new(&schema()).unwrap().check(reply);
        let good = json!({"names": ["a"]});
        for reply in [
            r#"{"names": ["a"]}"#,
            "Here it is:\n```json\n{\"names\": [\"a\"]}\n```\nDone.",
        ] {
            assert_eq!(check(reply).unwrap(), good);
        }
        for (reply, problem) in [
            ("", "empty"),
            (" \n", "empty"),
            ("[]", "not an object"),
            ("null", "not an object"),
            ("{\"names\": [\"a\"", "not JSON"),
            ("no } and {", "not JSON"),
            ("{}", "names"),
            (r#"{"names": []}"#, "at /names"),
            (r#"{"names": ["a", "toolong"]}"#, "at /names/1"),
            (r#"{"names": ["a", 7]}"#, "at /names/1"),
            ("\u{1b}[2J", "not JSON"),
        ] {
            let error = check(reply).unwrap_err();
            assert!(error.contains(problem), "{reply}: {error}");
        }
        // What was not asked for is left out.
        for reply in [
            r#"{"names": ["a"], "more": 1}"#,
            r#"{"names": ["a"], "names2": {"deep": []}}"#,
        ] {
            assert_eq!(check(reply).unwrap(), good);
        }
        let three = check(r#"{"names": ["a", "b", "c"]}"#).unwrap();
        assert_eq!(three, json!({"names": ["a", "b"]}));
        // The reason is told, and not the value, which is longer.
        let long = format!(r#"{{"names": ["{}"]}}"#, "x".repeat(5_000));
        let error = check(&long).unwrap_err();
        assert!(error.contains("longer than 5"), "{error}");
        let deep = format!("{{\"names\": {}{}}}", "[".repeat(9999), "]".repeat(9999));
        assert!(check(&deep).unwrap_err().contains("not JSON"));
        let many = format!("{{\"names\": [{}0]}}", "0,".repeat(VALUES_MAX + 1));
        assert!(check(&many).unwrap_err().contains("limit"));
        let hostile = format!(
            r#"{{"names": ["{}\u001b]0;x\u0007\u202e"]}}"#,
            "x".repeat(99_999)
        );
        let error = check(&hostile).unwrap_err();
        assert!(
            error.len() < 2_000 && !error.contains(['\u{1b}', '\u{202e}']),
            "{error:?}"
        );
    }

    #[test]
    fn a_schema_that_refers_to_anything_is_refused() {
        for reference in [
            "https://example.com/x.json",
            "file:///etc/passwd",
            "#/$defs/a",
        ] {
            let error = ReplySchema::new(&json!({"$ref": reference})).unwrap_err();
            assert!(error.contains("schema is invalid"), "{error}");
        }
    }

    #[test]
    fn a_reduced_schema_has_what_every_api_accepts_and_tells_the_rest() {
        let reduced = reduce(&schema(), BoundsUse::Refused);
        assert_eq!(
            reduced.schema,
            json!({
                "type": "object",
                "required": ["names"],
                "additionalProperties": false,
                "properties": {
                    "names": {
                        "type": "array",
                        "description": "(maxItems: 2, minItems: 1)",
                        "items": {"type": "string", "description": "A name. (maxLength: 5)"}
                    },
                    "kind": {"type": "object", "properties": {}, "additionalProperties": false}
                }
            })
        );
        assert!(!reduced.all_required);
        let strict =
            json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "null"}}});
        assert!(reduce(&strict, BoundsUse::Refused).all_required);
    }
    #[test]
    fn bounds_are_sent_to_who_enforces_them_unless_they_are_large() {
        let mut wanted = schema();
        wanted["properties"]["source"] = json!({"type": "string", "maxLength": 1_000_000});
        wanted["properties"]["count"] = json!({"type": "integer", "maximum": 10_000_000});
        let reduced = reduce(&wanted, BoundsUse::Enforced).schema;
        let of = |name: &str| &reduced["properties"][name];
        assert_eq!(of("names")["maxItems"], 2);
        assert_eq!(
            of("names")["items"],
            json!({"type": "string", "maxLength": 5, "description": "A name."})
        );
        assert_eq!(of("count")["maximum"], 10_000_000);
        assert_eq!(
            of("source"),
            &json!({"type": "string", "description": "(maxLength: 1000000)"})
        );
    }
}
