//! The arguments of the tools. Their schemas are made from these types, and their doc comments are the
//! descriptions that an agent reads.

use super::error::{ToolError, briefly};
use rmcp::model::JsonObject;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// A text, or the path of a file below a root. Give exactly one of the two.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FileArgument {
    /// The text itself.
    pub(super) text: Option<String>,
    /// The path of a file below a root, instead of a text. What ends in .wasm is a component.
    pub(super) path: Option<String>,
}

/// One way to solve the problem: Rust source as text, or the path of a file below a root.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceArgument {
    /// A short name for it: letters, digits, `-` and `_`.
    pub(super) name: String,
    /// Rust source with the public function; only the standard library, no crates.
    pub(super) text: Option<String>,
    /// The path of a .rs or .wasm file below a root, instead of a text.
    pub(super) path: Option<String>,
}

/// A call, and the answer that it must give.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseArgument {
    /// The call in WAVE: `top-k([3, 1, 2], 1)`.
    pub(super) call: String,
    /// The answer in WAVE: `[3]`. In all cases or in none.
    pub(super) expect: Option<String>,
}

/// Compares sources.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CompareArguments {
    /// The ways to compare, at least two.
    #[schemars(length(min = 2, max = 64))]
    pub(super) sources: Vec<SourceArgument>,
    /// The function to call; the one that all sources have in common, if not given. With `wit` its name
    /// there: `top-k`.
    pub(super) call: Option<String>,
    /// The WIT of the function, with `call`; without it types are read from the sources and components. Inputs are
    /// random by these types unless they are given.
    pub(super) wit: Option<FileArgument>,
    /// Rust source that makes the inputs and judges the answers; needs `sizes`.
    pub(super) workload: Option<FileArgument>,
    /// Calls, with or without their answers, instead of a workload.
    #[schemars(length(max = 256))]
    pub(super) cases: Option<Vec<CaseArgument>>,
    /// Sizes of the inputs, 1 or more; chosen by what takes long enough, if not given.
    #[schemars(length(max = 32), inner(range(min = 1)))]
    pub(super) sizes: Option<Vec<u32>>,
    /// The seed of a run before, as its report or its disagreement names it: makes the same inputs again.
    pub(super) seed: Option<String>,
    /// Time for checking and measuring, after building, in seconds; 20, if not given.
    #[schemars(range(min = 0.001, max = 3600.0))]
    pub(super) budget_seconds: Option<f64>,
    /// `quick`: five seconds in all but for building, and an answer only where it is obvious. `careful`: three times the usual
    /// budget. Not with `budget_seconds`.
    pub(super) effort: Option<EffortArgument>,
    /// Longest wait of this call for the result, in seconds; 45, if not given. If the run takes longer, the answer has
    /// an id for the tool `result`.
    #[schemars(range(min = 0.0, max = 600.0))]
    pub(super) wait_seconds: Option<f64>,
}

/// Effort for an answer.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub(super) enum EffortArgument {
    Quick,
    Careful,
}

/// Runs an experiment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RunArguments {
    /// A folder with a bakeoff.toml, below a root.
    pub(super) folder: String,
    /// Time for checking and measuring, after building, in seconds; as the experiment says, if not given.
    #[schemars(range(min = 0.001, max = 3600.0))]
    pub(super) budget_seconds: Option<f64>,
    /// `quick`: five seconds in all but for building, and an answer only where it is obvious. `careful`: three times the usual
    /// budget. Not with `budget_seconds`.
    pub(super) effort: Option<EffortArgument>,
    /// The seed of a run before, as its report names it: makes the same inputs and orders again.
    pub(super) seed: Option<String>,
    /// Number of cores that measure at the same time; as the experiment says, if not given.
    #[schemars(range(min = 1))]
    pub(super) workers: Option<u32>,
    /// Number of rounds of a search for better approaches before the race: other values of a `sweep`, changed places in
    /// sources. 0 for none; as the experiment says, if not given.
    #[schemars(range(max = 1000))]
    pub(super) rounds: Option<u32>,
    /// Starts over instead of going on with what was measured before.
    #[serde(default)]
    pub(super) fresh: bool,
    /// Longest wait of this call for the result, in seconds; 45, if not given. If the run takes longer, the answer has
    /// an id for the tool `result`.
    #[schemars(range(min = 0.0, max = 600.0))]
    pub(super) wait_seconds: Option<f64>,
}

/// Checks whether code fits an interface, or makes one call of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckArguments {
    /// The code: Rust source, or the path of a .rs or .wasm file below a root.
    pub(super) file: FileArgument,
    /// The WIT of the interface.
    pub(super) wit: FileArgument,
    /// The function to call, as the WIT names it: `top-k`, or `interface.function`.
    pub(super) call: String,
    /// Set for a workload with its oracle; otherwise the code is a prototype.
    #[serde(default)]
    pub(super) is_workload: bool,
    /// Makes one call on this case: a size for the workload, or a call from `cases`.
    pub(super) case: Option<String>,
    /// The seed of the call's input, as a report names it; with `case`.
    pub(super) seed: Option<u64>,
    /// Rust source that makes the input and judges the answer; with `case`.
    pub(super) workload: Option<FileArgument>,
    /// Calls and their answers instead of a workload; with `case`.
    pub(super) cases: Option<Vec<CaseArgument>>,
    /// Longest wait of this call for the result, in seconds; 45, if not given.
    #[schemars(range(min = 0.0, max = 600.0))]
    pub(super) wait_seconds: Option<f64>,
}

/// Shows the report of a run. Give `id` or `folder`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportArguments {
    /// The id of a run of this session.
    pub(super) id: Option<String>,
    /// The folder of an experiment or of results, below a root.
    pub(super) folder: Option<String>,
    /// Weights to use instead, by criterion: {"memory": 2}. Nothing is measured again.
    #[serde(default)]
    pub(super) weights: BTreeMap<String, f64>,
}

/// Returns the code of the winner. Give `id` or `folder`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PickArguments {
    /// The id of a comparison of this session.
    pub(super) id: Option<String>,
    /// The folder of an experiment or of results, below a root; or `.bakeoff/NAME` of a repository in which coding agents
    /// worked, for a branch with its changes.
    pub(super) folder: Option<String>,
    /// With such a folder of agents: the variant or task whose changes are shown, if it is not the one that is ahead.
    pub(super) variant: Option<String>,
}

/// Compares values that were measured elsewhere.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JudgeArguments {
    /// The rows: CSV with the headings variant,block,value and perhaps case, or JSON lines with these names. A block is a
    /// group of values that were measured one after the other, one of each variant, in an order drawn for each block.
    pub(super) rows: FileArgument,
    /// Name of the values, for texts: `loss`; `value`, if not given.
    pub(super) name: Option<String>,
    /// Unit of the values; `ns` and `bytes` are shown in the unit that fits.
    pub(super) unit: Option<String>,
    /// Set if higher values are better: rates, or scores in a `range`.
    #[serde(default)]
    pub(super) higher_is_better: bool,
    /// The lowest and the highest value that there can be, declared beforehand: means are compared, not ratios, and
    /// values may be 0 or below.
    pub(super) range: Option<[f64; 2]>,
    /// A difference in per cent that does not matter: two that are surely closer tie; 1, if not given.
    #[schemars(range(min = 0.001, max = 99.0))]
    pub(super) practical_percent: Option<f64>,
}

/// Waits for a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ResultArguments {
    /// The id of the run.
    pub(super) id: String,
    /// Longest wait of this call for the result, in seconds; 45, if not given, and 0 to look only.
    #[schemars(range(min = 0.0, max = 600.0))]
    pub(super) wait_seconds: Option<f64>,
}

/// Ends a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CancelArguments {
    /// The id of the run.
    pub(super) id: String,
}

/// Reads the arguments of a tool.
///
/// # Errors
/// The arguments do not fit the tool's schema; the error names the field.
pub(super) fn read<T: DeserializeOwned>(
    tool: &str,
    arguments: Option<JsonObject>,
) -> Result<T, ToolError> {
    let arguments = Value::Object(arguments.unwrap_or_default());
    serde_json::from_value(arguments).map_err(|error| {
        ToolError::new(format!(
            "the arguments of `{tool}` do not fit its schema: {}. Look at the schema in tools/list, and call \
             it again",
            briefly(&error.to_string())
        ))
    })
}

/// Returns the schema of a tool's arguments, in the few words that all clients know: everything in one
/// place, and no formats of numbers.
pub(super) fn schema<T: JsonSchema>() -> JsonObject {
    let mut settings = schemars::generate::SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = schema.to_value();
    simplify(&mut schema);
    match schema {
        Value::Object(mut schema) => {
            schema.remove("$schema");
            schema.remove("title");
            // The tool's own description says it.
            schema.remove("description");
            schema
        }
        _ => JsonObject::new(),
    }
}

fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let is_number = |kind: &Value| ["integer", "number"].iter().any(|name| kind == name);
            if let Some(Value::Array(kinds)) = object.get_mut("type") {
                // What may be left out need not be null.
                kinds.retain(|kind| kind != "null");
                if let [kind] = &kinds[..] {
                    let kind = kind.clone();
                    object.insert("type".to_owned(), kind);
                }
            }
            if let Some(Value::Array(options)) = object.get_mut("anyOf") {
                options.retain(|option| option["type"] != "null");
                if let [Value::Object(option)] = &options[..] {
                    let option = option.clone();
                    object.remove("anyOf");
                    for (key, value) in option {
                        object.entry(key).or_insert(value);
                    }
                }
            }
            if let Some(Value::Array(values)) = object.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            if object.get("type").is_some_and(is_number) {
                object.remove("format");
            }
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            object.values_mut().for_each(simplify);
        }
        Value::Array(values) => values.iter_mut().for_each(simplify),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::limits;
    use bakeoff_config::{APPROACHES_MAX, CASES_MAX, SIZES_MAX};
    use serde_json::json;

    fn object(value: Value) -> Option<JsonObject> {
        value.as_object().cloned()
    }

    #[test]
    fn schemas_have_no_references_null_types_or_formats_of_numbers() {
        let schema = Value::Object(schema::<CompareArguments>());
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["required"], json!(["sources"]));
        let source = &schema["properties"]["sources"]["items"];
        assert_eq!(source["properties"]["text"]["type"], "string");
        assert_eq!(source["required"], json!(["name"]));
        assert_eq!(schema["properties"]["sizes"]["items"]["type"], "integer");
        assert_eq!(schema["properties"]["sizes"]["items"]["minimum"], 1);
        assert_eq!(schema["properties"]["sizes"]["maxItems"], SIZES_MAX);
        assert_eq!(schema["properties"]["sources"]["maxItems"], APPROACHES_MAX);
        assert_eq!(schema["properties"]["cases"]["maxItems"], CASES_MAX);
        let at_most = |name: &str| schema["properties"][name]["maximum"].as_f64();
        assert_eq!(
            at_most("budget_seconds"),
            Some(limits::BUDGET_MAX.as_secs_f64())
        );
        assert_eq!(
            at_most("wait_seconds"),
            Some(limits::WAIT_MAX.as_secs_f64())
        );
        let efforts = &schema["properties"]["effort"]["enum"];
        assert_eq!(*efforts, json!(["quick", "careful"]));
        assert_eq!(schema["properties"]["wit"]["type"], "object");
        let text = schema.to_string();
        for unwanted in ["$ref", "null", "uint32", "\"double\"", "anyOf"] {
            assert!(!text.contains(unwanted), "{unwanted}: {text}");
        }
    }

    #[test]
    fn wrong_arguments_are_named_and_quoted_briefly() {
        let wrong = |arguments: Value| {
            let read: Result<RunArguments, _> = read("run", object(arguments));
            read.unwrap_err().text().to_owned()
        };
        assert!(wrong(json!({})).contains("missing field `folder`"));
        assert!(wrong(json!({"folder": ".", "root": "/"})).contains("unknown field `root`"));
        let long = wrong(json!({"folder": ".", "fresh": "\u{1b}[2J".repeat(100_000)}));
        assert!(long.len() < 2_000 && !long.contains('\u{1b}'), "{long}");
        assert!(long.contains("`run`"), "{long}");
    }
}
