//! One mock of a chat completions API for both: the same candidates in the same order, and when each was asked for.

use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// A mock that is running. It ends with the process.
pub(crate) struct Mock {
    pub(crate) address: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    candidates: Vec<String>,
    /// The time at which each candidate was asked for.
    asked: Vec<Instant>,
}

impl Mock {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = format!("http://{}/v1", listener.local_addr().expect("its address"));
        let state = Arc::new(Mutex::new(State::default()));
        let served = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&served);
                std::thread::spawn(move || while serve(&state, &stream).is_some() {});
            }
        });
        Self { address, state }
    }

    /// Gives these candidates from now on, in their order.
    pub(crate) fn load(&self, candidates: &[String]) {
        *self.state.lock().expect("no panic") = State {
            candidates: candidates.to_vec(),
            asked: Vec::new(),
        };
    }

    /// The seconds from each question for a candidate to the next one.
    pub(crate) fn seconds(&self) -> Vec<f64> {
        super::between(&self.state.lock().expect("no panic").asked)
    }

    pub(crate) fn first_asked(&self) -> Option<Instant> {
        let state = self.state.lock().expect("no panic");
        state.asked.first().copied()
    }

    pub(crate) fn asked(&self) -> usize {
        self.state.lock().expect("no panic").asked.len()
    }
}

/// Answers one request of a connection; `None` at its end.
fn serve(state: &Mutex<State>, mut stream: &TcpStream) -> Option<()> {
    let request = read_request(stream)?;
    let is_ideas = request["response_format"]
        .to_string()
        .contains("key_characteristics");
    let is_improvement = request["response_format"]
        .to_string()
        .contains("\"change\"");
    let is_schema = request["response_format"].is_object();
    let content = {
        let mut state = state.lock().ok()?;
        match is_ideas {
            true => ideas(state.candidates.len()),
            false => {
                let place = state.asked.len();
                state.asked.push(Instant::now());
                let last = state.candidates.len().saturating_sub(1);
                let source = state.candidates.get(place.min(last))?;
                match is_schema {
                    true if is_improvement => {
                        json!({ "change": "a little more", "source": source }).to_string()
                    }
                    true => json!({ "source": source }).to_string(),
                    false => format!("```rust\n{source}\n```"),
                }
            }
        }
    };
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 100, "total_tokens": 200});
    let body = match request["stream"] == true {
        true => {
            let text = json!({"choices": [{"index": 0, "delta": {"content": content}}]});
            let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
            let usage = json!({"choices": [], "usage": usage});
            format!("data: {text}\n\ndata: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
        }
        false => json!({
            "id": "x", "object": "chat.completion", "created": 0, "model": "mock", "usage": usage,
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": content}}]
        })
        .to_string(),
    };
    let kind = match request["stream"] == true {
        true => "text/event-stream",
        false => "application/json",
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()
}

/// Returns a reply with this number of ideas, none like another.
fn ideas(count: usize) -> String {
    let ideas = (0..count).map(|number| {
        json!({"name": format!("candidate {number}"), "description": "", "rationale": "",
               "key_characteristics": [format!("number {number}")]})
    });
    json!({ "approaches": ideas.collect::<Vec<_>>() }).to_string()
}

fn read_request(mut stream: &TcpStream) -> Option<Value> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 16 << 10];
        match stream.read(&mut chunk).ok()? {
            0 => return None,
            read => bytes.extend_from_slice(&chunk[..read]),
        }
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let Some(end) = end else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            let is_length = name.eq_ignore_ascii_case("content-length");
            is_length.then(|| value.trim().parse::<usize>().ok())?
        });
        let body = &bytes[end + 4..];
        if body.len() >= length.unwrap_or(0) {
            return Some(serde_json::from_slice(body).unwrap_or(Value::Null));
        }
    }
}
