//! Questions to servers on loopback, to programs and to cassettes.

mod command;
mod cost;
mod keys;
mod mock_server;
mod planted;
mod record;
mod replies;

use super::environment::Environment;
use super::limiter::RetryPolicy;
use super::prices::Tokens;
use super::{ModelOptions, Models, OpenError, ProviderKind, Purpose, Request};
use bakeoff_files::SearchPath;
use mock_server::{Answer, MockServer};
use serde_json::{Value, json};
use std::time::Duration;

const KEY: &str = "sk-test-0123456789";

/// Both APIs, with a model whose price is known.
const APIS: [(ProviderKind, &str); 2] = [
    (ProviderKind::Anthropic, "claude-haiku-4-5"),
    (ProviderKind::OpenAi, "gpt-4.1"),
];

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

/// Retry policy with the usual steps, and shorter waits.
const RETRIES: RetryPolicy = RetryPolicy {
    tries_max: 4,
    cuts_max: 2,
    first: Duration::from_millis(2),
    longest: Duration::from_millis(8),
    asked_max: Duration::from_secs(5),
};

fn options((provider, model): (ProviderKind, &str)) -> ModelOptions {
    ModelOptions {
        model: Some(model.to_owned()),
        timeout: Duration::from_secs(60),
        ..ModelOptions::new(provider)
    }
}

/// Opens the models of a server that the user trusts with the key.
fn open(server: &MockServer, options: ModelOptions) -> Models {
    try_open(server, options).unwrap().with_retries(RETRIES)
}

fn try_open(server: &MockServer, options: ModelOptions) -> Result<Models, OpenError> {
    let lookup = |name: &str| match name {
        "ANTHROPIC_API_KEY" | "OPENAI_API_KEY" => Some(KEY.into()),
        "ANTHROPIC_BASE_URL" | "OPENAI_BASE_URL" => Some(server.address().into()),
        _ => None,
    };
    Models::open_with(options, Environment::new(&lookup), &SearchPath::default())
}

#[test]
fn questions_can_be_asked_on_any_thread() {
    fn of_any_thread<T: Send>(value: T) -> T {
        value
    }
    block_on(async {
        let server = MockServer::start([whole("a")]).await;
        let models = open(&server, options(APIS[0]));
        let question = request("");
        let asking = of_any_thread(models.ask(&question));
        assert_eq!(of_any_thread(asking.await), Ok(answer("a")));
    });
}

fn request(subject: &str) -> Request {
    Request {
        purpose: Purpose::Prototype,
        subject: subject.to_owned(),
        system: "Be brief.".to_owned(),
        prompt: "Write it.".to_owned(),
        schema: json!({
            "type": "object", "required": ["text"],
            "properties": {"text": {"type": "string", "minLength": 1}}
        }),
        output_tokens_max: 500,
    }
}

fn answer(text: &str) -> Value {
    json!({ "text": text })
}

fn tokens(input: u64, output: u64, cache_read: u64) -> Tokens {
    Tokens {
        input,
        output,
        cache_read,
        cache_write: 0,
    }
}

fn whole(text: &str) -> Answer {
    Answer::Whole(answer(text).to_string(), tokens(100, 10, 0))
}

fn busy(headers: &'static str) -> Answer {
    Answer::Status(
        429,
        headers,
        json!({"error": {"message": "slow down"}}).to_string(),
    )
}
