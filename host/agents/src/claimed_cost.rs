//! Turns, tokens and dollars by the word of an agent.

use bakeoff_domain::wording::counted;
use bakeoff_files::parse_json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest last line of an agent that is looked at, in bytes.
const LINE_BYTES_MAX: usize = 1 << 20;
/// Tokens of one model, in `modelUsage`.
const OF_MODEL: [&str; 4] = [
    "inputTokens",
    "outputTokens",
    "cacheReadInputTokens",
    "cacheCreationInputTokens",
];

/// Turns, tokens and dollars by the word of an agent, which nobody else has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claimed {
    /// Turns of its conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// Tokens that it read and wrote, of all models, those from a cache included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Cost, in millionths of a dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub microdollars: Option<u64>,
}

impl Claimed {
    /// Reads it from the last line of what an agent wrote to stdout, where that is an object as `claude -p` writes it with
    /// `--output-format json` or `stream-json`.
    pub(crate) fn read(stdout: &[u8]) -> Option<Self> {
        let written = stdout.trim_ascii_end();
        let from = written.len().saturating_sub(LINE_BYTES_MAX);
        let line = written[from..].rsplit(|byte| *byte == b'\n').next()?;
        let value: Value = parse_json(line).ok()?;
        let result = match &value {
            Value::Array(events) => events.last()?,
            other => other,
        };
        if result["type"] != "result" {
            return None;
        }
        let dollars = result["total_cost_usd"].as_f64();
        let dollars = dollars.filter(|dollars| (0.0..1e9).contains(dollars));
        let claimed = Self {
            turns: result["num_turns"].as_u64(),
            tokens: tokens(result),
            microdollars: dollars.map(|dollars| (dollars * 1e6).round() as u64),
        };
        (claimed != Self::default()).then_some(claimed)
    }

    /// Returns it in words.
    pub fn in_words(&self) -> String {
        let dollars = self
            .microdollars
            .map(|micro| format!("${:.4}", micro as f64 / 1e6));
        let parts = [
            self.turns.map(|turns| counted(turns, "turn")),
            self.tokens.map(|tokens| counted(tokens, "token")),
            dollars,
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        parts.join(", ")
    }
}

/// Returns the tokens of all models; `None` if none are told.
fn tokens(result: &Value) -> Option<u64> {
    let models = result["modelUsage"].as_object()?.values();
    let counts = models.flat_map(|model| OF_MODEL.iter().map(|key| model[*key].as_u64()));
    counts.flatten().reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_says_what_an_agent_took_and_nothing_else_is_taken_for_it() {
        let last = r#"{"type":"result","num_turns":3,"total_cost_usd":0.0031799999,"modelUsage":{
            "a":{"inputTokens":10,"outputTokens":2,"cacheReadInputTokens":100},"b":{"inputTokens":1}}}"#;
        let last = last.replace('\n', " ");
        let claimed = Claimed {
            turns: Some(3),
            tokens: Some(113),
            microdollars: Some(3180),
        };
        assert_eq!(claimed.in_words(), "3 turns, 113 tokens, $0.0032");
        for stdout in [
            last.clone(),
            format!("{{\"type\":\"system\"}}\n{last}\n"),
            format!("[{{\"type\":\"system\"}},{last}]"),
        ] {
            assert_eq!(Claimed::read(stdout.as_bytes()).as_ref(), Some(&claimed));
        }
        let huge = r#"{"type":"result","num_turns":1,"total_cost_usd":-1,"modelUsage":{
            "a":{"inputTokens":18446744073709551615,"outputTokens":5}}}"#;
        let huge = Claimed::read(huge.replace('\n', " ").as_bytes()).unwrap();
        assert_eq!((huge.tokens, huge.microdollars), (Some(u64::MAX), None));
        assert!(huge.in_words().starts_with("1 turn, "));
        for none in [
            "",
            "done",
            "{\"type\":\"result\"}",
            "{\"num_turns\":3}",
            "[]",
            "{\"type\":\"result\",\"num_turns\":3}\ndone",
        ] {
            assert_eq!(Claimed::read(none.as_bytes()), None, "{none}");
        }
    }
}
