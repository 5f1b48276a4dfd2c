//! A program that answers, such as an agent: the prompt on its stdin, the reply on its stdout.

use super::environment::Environment;
use super::error::OpenError;
use super::excerpt::excerpt;
use super::options::ModelOptions;
use super::prices::Tokens;
use super::process::{Program, ProgramEnd};
use super::reply::{CallResult, Count, Ending, NoReply, Reply};
use super::request::Request;
use super::secret::{Secret, Secrets};
use bakeoff_files::{SearchPath, others_can_change, parse_json};
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Variables that a program needs to find the user's files, settings and language.
const ENVIRONMENT: [&str; 6] = ["HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ"];

/// The longest argument, as the schema of a reply is one.
const ARGUMENT_BYTES_MAX: usize = 100 << 10;

/// A value from this length on may be a key, whatever its name.
const KEY_BYTES_MIN: usize = 16;

/// A program that answers.
#[derive(Debug)]
pub(super) struct CommandModel {
    program: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(OsString, OsString)>,
    model: String,
    timeout: Duration,
}

impl CommandModel {
    /// Finds the program. The values of variables that are named for it are returned as keys.
    ///
    /// # Errors
    /// There is no such program, or others than the user can change it; an argument or a variable is
    /// missing.
    pub(super) fn open(
        options: &ModelOptions,
        environment: Environment<'_>,
        path: &SearchPath,
    ) -> Result<(Self, Secrets), OpenError> {
        let wrong = |reason: String| OpenError::Options(reason);
        let Some((name, arguments)) = options.command.split_first() else {
            return Err(wrong(
                "no command is named: set `command` to a program and its arguments".to_owned(),
            ));
        };
        if options.model.is_none() && arguments.iter().any(|word| word.contains("{model}")) {
            return Err(wrong(
                "the command has `{model}`, but no model is named".to_owned(),
            ));
        }
        let keeps_within_money = arguments.iter().any(|word| word.contains("{max_usd}"));
        if options.microdollars_max.is_some() && !keeps_within_money {
            return Err(wrong(
                "a budget of money needs a command that keeps within it: pass `{max_usd}` to the option of it that \
                 limits what it spends, or set a budget of tokens"
                    .to_owned(),
            ));
        }
        let mut secrets = Secrets::default();
        let mut variables = vec![(OsString::from("PATH"), path.to_variable())];
        for name in ENVIRONMENT {
            variables.extend(environment.get(name).map(|value| (name.into(), value)));
        }
        for name in &options.command_env {
            let value = environment.get(name).ok_or_else(|| {
                wrong(format!(
                    "the command is to get the variable {}, which is not set",
                    excerpt(name)
                ))
            })?;
            if may_be_key(name, &value) {
                secrets.add(&Secret::new(value.to_string_lossy().into_owned()));
            }
            variables.push((name.into(), value));
        }
        let opened = Self {
            program: find(name, path)?,
            arguments: arguments.to_vec(),
            environment: variables,
            model: options.model.clone().unwrap_or_default(),
            timeout: options.timeout,
        };
        Ok((opened, secrets))
    }

    /// Returns the name of the program, and the model if there is one.
    pub(super) fn name(&self) -> String {
        let name = self.program.file_name().unwrap_or_default();
        format!("{} {}", name.to_string_lossy(), self.model)
            .trim_end()
            .to_owned()
    }

    /// Returns true if the program is told how much it may spend.
    pub(super) fn has_money_limit(&self) -> bool {
        self.arguments.iter().any(|word| word.contains("{max_usd}"))
    }

    /// Returns what the program reads: instructions, question, and the form of the answer.
    pub(super) fn input(&self, request: &Request) -> String {
        format!(
            "{}\n\n{}\n\nAnswer with one JSON object and nothing else. It has to match this JSON schema:\n{}\n",
            request.system, request.prompt, request.schema
        )
    }

    /// Runs the program to its end or to a limit, in an empty folder of its own.
    pub(super) async fn call(
        &self,
        input: String,
        request: &Request,
        microdollars_max: u64,
        on_bytes: &(dyn Fn(usize) + Send + Sync),
    ) -> CallResult {
        let schema = request.schema.to_string();
        if schema.len() > ARGUMENT_BYTES_MAX {
            return Err(NoReply::Failed {
                reason: "the schema of the reply is too long for an argument".to_owned(),
            });
        }
        let dollars = format!(
            "{}.{:06}",
            microdollars_max / 1_000_000,
            microdollars_max % 1_000_000
        );
        let tokens = request.output_tokens_max.to_string();
        let values = [
            ("{schema}", schema.as_str()),
            ("{max_usd}", &dollars),
            ("{max_tokens}", &tokens),
            ("{model}", &self.model),
        ];
        let program = Program {
            path: &self.program,
            arguments: self
                .arguments
                .iter()
                .map(|word| filled(word, &values))
                .collect(),
            environment: &self.environment,
            input: input.into_bytes(),
            time_max: self.timeout,
        };
        let ended = program
            .run(on_bytes)
            .await
            .map_err(|error| NoReply::Failed {
                reason: excerpt(&format!("it cannot be started: {error}")),
            })?;
        Ok(read(ended))
    }
}

/// Puts a value in the place of its name. A value is not looked at again: it may hold another's name.
fn filled(word: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = word;
    while let Some(start) = rest.find('{') {
        filled.push_str(&rest[..start]);
        rest = &rest[start..];
        match values.iter().find(|(name, _)| rest.starts_with(name)) {
            Some((name, value)) => {
                filled.push_str(value);
                rest = &rest[name.len()..];
            }
            None => {
                filled.push('{');
                rest = &rest[1..];
            }
        }
    }
    filled + rest
}

/// Returns true for a variable that may hold a key, by its name or its length: a short one may hold a word
/// that is in any reply.
fn may_be_key(name: &str, value: &OsStr) -> bool {
    let name = name.to_uppercase();
    let words = ["KEY", "TOKEN", "SECRET", "PASS", "AUTH", "CREDENTIAL"];
    value.len() >= KEY_BYTES_MIN || words.iter().any(|word| name.contains(word))
}

/// Finds a program by its name on the user's search path, or by its whole path. No folder that came with
/// an experiment can hold it.
fn find(name: &str, path: &SearchPath) -> Result<PathBuf, OpenError> {
    let wrong =
        |reason: String| OpenError::Options(format!("the command `{}` {reason}", excerpt(name)));
    if !name.contains('/') {
        return path.find(name).ok_or_else(|| {
            wrong("is in no folder of PATH that only you and the system can write to".to_owned())
        });
    }
    let program = Path::new(name);
    if !program.is_absolute() {
        return Err(wrong(
            "is a relative path: give its name or its absolute path".to_owned(),
        ));
    }
    match others_can_change(program) {
        Ok(None) => Ok(program.to_owned()),
        Ok(Some(why)) => Err(wrong(format!("could be replaced by others: {why}"))),
        Err(error) => Err(wrong(format!("cannot be found: {error}"))),
    }
}

/// Returns the reply of a program that has ended.
pub(super) fn read(ended: ProgramEnd) -> Reply {
    let (stdout, failure) = match ended {
        ProgramEnd::Exited { stdout, failure } => (stdout, failure),
        ProgramEnd::TooMuch => {
            return uncounted(Ending::TooLong("what is read of a command".to_owned()));
        }
        ProgramEnd::TimedOut => return uncounted(Ending::TimedOut("the command did not end")),
    };
    let Ok(text) = String::from_utf8(stdout) else {
        return uncounted(Ending::Malformed {
            problem: "it is not UTF-8".to_owned(),
            reply_excerpt: String::new(),
        });
    };
    // It has the count and the cost, also where the program failed.
    if let Some(reply) = envelope(&text) {
        return reply;
    }
    match failure {
        Some(reason) => uncounted(Ending::Cut(reason)),
        None => uncounted(Ending::Complete(text)),
    }
}

fn uncounted(ending: Ending) -> Reply {
    Reply {
        ending,
        count: Count::default(),
    }
}

/// Reads a reply as `claude --output-format json` writes it: an object with the reply, what it took and what
/// it cost, or a list that ends with that object.
fn envelope(text: &str) -> Option<Reply> {
    let value: Value = parse_json(text.trim().as_bytes()).ok()?;
    let result = match &value {
        Value::Array(events) => events.iter().rfind(|event| event["type"] == "result")?,
        value if value["type"] == "result" => value,
        _ => return None,
    };
    if result.get("result").is_none() && result.get("subtype").is_none() {
        return None;
    }
    let count = Count {
        microdollars: result["total_cost_usd"].as_f64().and_then(microdollars),
        ..count_of(result)
    };
    let answer = match &result["structured_output"] {
        Value::Object(object) => Value::Object(object.clone()).to_string(),
        _ => result["result"].as_str().unwrap_or_default().to_owned(),
    };
    let count = Count {
        reply_bytes: answer.len() as u64,
        ..count
    };
    let ending = match result["is_error"].as_bool() {
        Some(true) => {
            let kind = result["subtype"].as_str().unwrap_or_default();
            Ending::Cut(excerpt(&format!(
                "the command reports an error: {kind} {answer}"
            )))
        }
        _ => Ending::Complete(answer),
    };
    Some(Reply { ending, count })
}

/// Returns the tokens of all models that an agent asked, by `modelUsage`. Without it there is only `usage`, which
/// leaves out what it asked beside the question, such as a title.
fn count_of(result: &Value) -> Count {
    const BY_MODEL: [&str; 4] = [
        "inputTokens",
        "outputTokens",
        "cacheReadInputTokens",
        "cacheCreationInputTokens",
    ];
    const IN_ALL: [&str; 4] = [
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
    ];
    let models = result["modelUsage"].as_object();
    let models: Vec<&Value> = models
        .into_iter()
        .flat_map(|models| models.values())
        .collect();
    let (usages, names) = if models.is_empty() {
        (vec![&result["usage"]], IN_ALL)
    } else {
        (models, BY_MODEL)
    };
    let is_told = |name: &str| usages.iter().all(|usage| usage[name].is_u64());
    let sum = |name: &str| {
        let numbers = usages.iter().filter_map(|usage| usage[name].as_u64());
        numbers.fold(0, u64::saturating_add)
    };
    let [input, output, cache_read, cache_write] = names;
    Count {
        tokens: Tokens {
            input: sum(input),
            output: sum(output),
            cache_read: sum(cache_read),
            cache_write: sum(cache_write),
        },
        has_prompt: is_told(input),
        has_output: is_told(output),
        microdollars: None,
        reply_bytes: 0,
    }
}

/// Converts a cost in dollars to millionths, rounded up; `None` if it is no cost.
fn microdollars(dollars: f64) -> Option<u64> {
    (0.0..1e9)
        .contains(&dollars)
        .then(|| (dollars * 1e6 - 1e-6).ceil().max(0.0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_envelope_has_the_reply_and_what_it_took() {
        let result = json!({
            "type": "result", "subtype": "success", "is_error": false, "result": "text",
            "total_cost_usd": 0.0123456, "structured_output": {"a": 1},
            "usage": {
                "input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 3,
                "cache_creation_input_tokens": 4
            }
        });
        let listed = json!([{"type": "system"}, result]);
        for text in [result.to_string(), format!("{listed}\n")] {
            let reply = envelope(&text).unwrap();
            assert_eq!(reply.ending, Ending::Complete("{\"a\":1}".to_owned()));
            let tokens = reply.count.tokens;
            assert_eq!((tokens.input, tokens.output), (1, 2));
            assert_eq!((tokens.cache_read, tokens.cache_write), (3, 4));
            assert_eq!(reply.count.microdollars, Some(12_346));
            assert!(reply.count.has_prompt && reply.count.has_output);
        }
        let mut of_models = result.clone();
        of_models["modelUsage"] = json!({
            "large": {"inputTokens": 10, "outputTokens": 20, "cacheReadInputTokens": 30},
            "small": {"inputTokens": 1, "outputTokens": 2, "cacheCreationInputTokens": 4}
        });
        let count = envelope(&of_models.to_string()).unwrap().count;
        let sums = Tokens {
            input: 11,
            output: 22,
            cache_read: 30,
            cache_write: 4,
        };
        assert_eq!(
            (count.tokens, count.has_prompt && count.has_output),
            (sums, true)
        );
        of_models["modelUsage"]["small"] = json!({"inputTokens": 1});
        assert!(!envelope(&of_models.to_string()).unwrap().count.has_output);
        let failed = json!({
            "type": "result", "subtype": "error_max_budget_usd", "is_error": true, "total_cost_usd": -1.0
        });
        let reply = envelope(&failed.to_string()).unwrap();
        assert!(
            matches!(&reply.ending, Ending::Cut(reason) if reason.contains("max_budget")),
            "{reply:?}"
        );
        assert_eq!(
            (reply.count.microdollars, reply.count.has_output),
            (None, false)
        );
        for own in [
            "{\"a\": 1}",
            "[1]",
            "text",
            "{\"type\": \"result\", \"a\": 1}",
        ] {
            assert_eq!(envelope(own), None);
        }
    }

    #[test]
    fn a_key_is_known_by_its_name_or_its_length() {
        for (name, value, is_key) in [
            ("MY_API_KEY", "short-1", true),
            ("gh_token", "short-1", true),
            ("OTHER", "0123456789abcdef", true),
            ("MODE", "string", false),
        ] {
            assert_eq!(may_be_key(name, OsStr::new(value)), is_key, "{name}");
        }
    }

    #[test]
    fn a_value_in_an_argument_is_not_looked_at_again() {
        let values = [("{schema}", "{max_usd}"), ("{max_usd}", "1.5")];
        assert_eq!(
            filled("--a={schema} {max_usd} {x} {", &values),
            "--a={max_usd} 1.5 {x} {"
        );
    }
}
