//! Anthropic's messages API: a request as its JSON, and the events of its stream.

use super::endpoint::ApiAddress;
use super::request::Request;
use super::schema::{BoundsUse, reduce};
use super::stream::{Message, Stop};
use serde_json::{Value, json};

/// Address of the API, and the environment variables for another address and for the key.
pub(super) const ADDRESS: ApiAddress = ApiAddress {
    official: "https://api.anthropic.com",
    address_variable: "ANTHROPIC_BASE_URL",
    key_variable: "ANTHROPIC_API_KEY",
};

/// The version of the API.
pub(super) const VERSION: &str = "2023-06-01";

/// Returns the address of messages.
pub(super) fn url(base: &str) -> String {
    format!("{}/v1/messages", base.trim_end_matches("/v1"))
}

/// Returns the body of a request.
pub(super) fn body(model: &str, request: &Request) -> Value {
    let mut body = json!({
        "model": model,
        "max_tokens": request.output_tokens_max,
        "stream": true,
        "messages": [{"role": "user", "content": request.prompt}],
        "output_config": {
            "format": {"type": "json_schema", "schema": reduce(&request.schema, BoundsUse::Refused).schema}
        },
    });
    if !request.system.is_empty() {
        body["system"] = json!(request.system);
    }
    body
}

/// Takes an event of a stream.
pub(super) fn on_event(message: &mut Message, event: &Value) -> Result<(), String> {
    match event["type"].as_str() {
        Some("message_start") => {
            let usage = &event["message"]["usage"];
            count_prompt(message, usage);
            message.count.tokens.output = usage["output_tokens"].as_u64().unwrap_or(0);
        }
        Some("content_block_delta") => {
            let delta = &event["delta"];
            message.pieces += 1;
            match delta["type"].as_str() {
                Some("text_delta") => message.text.push_str(text(&delta["text"])),
                Some("thinking_delta") => message.thought_bytes += text(&delta["thinking"]).len(),
                _ => {}
            }
        }
        Some("message_delta") => {
            message.stop = event["delta"]["stop_reason"]
                .as_str()
                .map(stop)
                .or(message.stop);
            let usage = &event["usage"];
            count_prompt(message, usage);
            // The count of a whole message, not of this event.
            if let Some(output) = usage["output_tokens"].as_u64() {
                message.count.tokens.output = output;
                message.count.has_output = true;
            }
        }
        Some("message_stop") => message.is_done = true,
        Some("error") => {
            let reason = text(&event["error"]["message"]);
            return Err(format!("the provider reports an error: {reason}"));
        }
        _ => {}
    }
    Ok(())
}

/// Counts the tokens of a prompt. Input, reads from the cache and writes to it are separate counts: none contains
/// another.
fn count_prompt(message: &mut Message, usage: &Value) {
    let tokens = &mut message.count.tokens;
    for (count, name) in [
        (&mut tokens.input, "input_tokens"),
        (&mut tokens.cache_read, "cache_read_input_tokens"),
        (&mut tokens.cache_write, "cache_creation_input_tokens"),
    ] {
        if let Some(number) = usage[name].as_u64() {
            *count = number;
            message.count.has_prompt |= name == "input_tokens";
        }
    }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "max_tokens" | "model_context_window_exceeded" => Stop::Limit,
        "refusal" => Stop::Refused,
        _ => Stop::Ended,
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
