//! OpenAI's chat completions API, and other APIs of the same form: a request as its JSON, and the events of its stream.

use super::endpoint::ApiAddress;
use super::request::Request;
use super::schema::{BoundsUse, reduce};
use super::stream::{Message, Stop};
use serde_json::{Value, json};

/// Address of the API, and the environment variables for another address and for the key.
pub(super) const ADDRESS: ApiAddress = ApiAddress {
    official: "https://api.openai.com/v1",
    address_variable: "OPENAI_BASE_URL",
    key_variable: "OPENAI_API_KEY",
};

/// Address of a local Ollama. It needs no key; a gateway in front of it may.
pub(super) const OLLAMA: ApiAddress = ApiAddress {
    official: "http://127.0.0.1:11434/v1",
    address_variable: "OLLAMA_BASE_URL",
    key_variable: "OLLAMA_API_KEY",
};

/// Returns the address of completions.
pub(super) fn url(base: &str) -> String {
    format!("{base}/chat/completions")
}

/// A server that speaks this API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Server {
    /// OpenAI's own.
    OpenAi,
    /// Another one, somewhere.
    Other,
    /// Ollama, or a server on this machine, such as llama.cpp's: it holds the model to the bounds in a schema.
    Enforcing,
}

/// Returns the body of a request. The limit has another name at OpenAI than in all other APIs.
pub(super) fn body(model: &str, request: &Request, server: Server) -> Value {
    let bounds = match server {
        Server::OpenAi | Server::Other => BoundsUse::Refused,
        Server::Enforcing => BoundsUse::Enforced,
    };
    let reduced = reduce(&request.schema, bounds);
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    messages.push(json!({"role": "user", "content": request.prompt}));
    let limit = match server {
        Server::OpenAi => "max_completion_tokens",
        Server::Other | Server::Enforcing => "max_tokens",
    };
    let mut body = json!({
        "model": model,
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": messages,
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "answer",
                "strict": reduced.all_required,
                "schema": reduced.schema,
            }
        },
    });
    body[limit] = json!(request.output_tokens_max);
    body
}

/// Takes an event of a stream.
pub(super) fn on_event(message: &mut Message, event: &Value) -> Result<(), String> {
    if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
        let reason = error["message"].as_str().or(error.as_str());
        let reason = reason.unwrap_or("without a reason");
        return Err(format!("the provider reports an error: {reason}"));
    }
    let choice = &event["choices"][0];
    let delta = &choice["delta"];
    if let Some(text) = delta["content"].as_str().filter(|text| !text.is_empty()) {
        message.text.push_str(text);
        message.pieces += 1;
    }
    // As llama.cpp and Ollama name thoughts; OpenAI does not send them.
    for name in ["reasoning_content", "reasoning"] {
        if let Some(text) = delta[name].as_str().filter(|text| !text.is_empty()) {
            message.thought_bytes += text.len();
            message.pieces += 1;
        }
    }
    if let Some(text) = delta["refusal"].as_str() {
        message.refusal.push_str(text);
    }
    if let Some(reason) = choice["finish_reason"].as_str() {
        message.stop = Some(match reason {
            "length" => Stop::Limit,
            "content_filter" => Stop::Refused,
            _ => Stop::Ended,
        });
    }
    count(message, &event["usage"]);
    Ok(())
}

/// Counts the tokens of a reply. Tokens of the cache are among those of the prompt, and thoughts among those that were
/// written.
fn count(message: &mut Message, usage: &Value) {
    let (Some(prompt), Some(output)) = (
        usage["prompt_tokens"].as_u64(),
        usage["completion_tokens"].as_u64(),
    ) else {
        return;
    };
    let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64();
    let cached = cached.unwrap_or(0).min(prompt);
    let tokens = &mut message.count.tokens;
    (tokens.input, tokens.cache_read, tokens.output) = (prompt - cached, cached, output);
    message.count.has_prompt = true;
    message.count.has_output = true;
}
