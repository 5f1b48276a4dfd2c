//! A server on loopback that speaks both APIs, well and badly, and counts what it sent.

use crate::prices::Tokens;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Behaviour of the server for one request.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// A whole reply that took these tokens, in pieces.
    Whole(String, Tokens),
    /// A whole reply that took these tokens, a byte at a time.
    Drip(String, Tokens),
    /// A whole reply without a count.
    Uncounted(String),
    /// A whole reply that ended for this reason, in the words of each API: Anthropic's, OpenAI's.
    Stopped(String, Tokens, &'static str, &'static str),
    /// A status with more headers and a body.
    Status(u16, &'static str, String),
    /// The beginning of a reply, then the connection ends.
    CutAfter(&'static str),
    /// The beginning of a reply, then nothing for ever.
    StallAfter(&'static str),
    /// The connection ends before anything is sent.
    Closed,
    /// A reply that never ends.
    Endless,
    /// These bytes as the body of a stream.
    Raw(&'static [u8]),
    /// The beginning of a reply, then an error among the events.
    ErrorEvent,
}

/// Log of what the server saw and sent.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Heads and bodies of all requests.
    pub(super) requests: Vec<(String, Value)>,
    /// The sums over all whole replies.
    pub(super) counted: Tokens,
}

/// A server with its answers to come.
#[derive(Clone, Debug)]
pub(super) struct MockServer {
    address: String,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    log: Arc<Mutex<Log>>,
}

impl MockServer {
    /// Starts a server that gives these answers, one for each request, and then status 418.
    pub(super) async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            answers: Arc::new(Mutex::new(answers.into_iter().collect())),
            log: Arc::default(),
        };
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let server = serving.clone();
                // A client that has heard enough closes the connection.
                tokio::spawn(async move { drop(server.serve(stream).await) });
            }
        });
        server
    }

    pub(super) fn address(&self) -> String {
        self.address.clone()
    }

    pub(super) fn requests(&self) -> Vec<(String, Value)> {
        self.log.lock().unwrap().requests.clone()
    }

    pub(super) fn counted(&self) -> Tokens {
        self.log.lock().unwrap().counted
    }

    async fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let (head, body) = read_request(&mut stream).await?;
        let api = if head.contains("/chat/completions") {
            Api::OpenAi
        } else {
            Api::Anthropic
        };
        self.log.lock().unwrap().requests.push((head, body));
        let next = self.answers.lock().unwrap().pop_front();
        match next.unwrap_or(Answer::Status(418, "", "no answer is left".to_owned())) {
            Answer::Closed => Ok(()),
            Answer::Status(status, headers, body) => {
                let head = format!(
                    "HTTP/1.1 {status} Status\r\n{headers}Content-Length: {}\r\n\r\n",
                    body.len()
                );
                stream.write_all((head + &body).as_bytes()).await
            }
            answer => {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
                stream.write_all(head.as_bytes()).await?;
                self.stream_reply(&mut stream, api, answer).await
            }
        }
    }

    async fn stream_reply(
        &self,
        stream: &mut TcpStream,
        api: Api,
        answer: Answer,
    ) -> std::io::Result<()> {
        match answer {
            Answer::Whole(text, tokens) => {
                let events =
                    api.start(&tokens) + &api.pieces(&text) + &api.end(Some(&tokens), None);
                self.count(&tokens);
                stream.write_all(events.as_bytes()).await
            }
            Answer::Drip(text, tokens) => {
                let events =
                    api.start(&tokens) + &api.pieces(&text) + &api.end(Some(&tokens), None);
                self.count(&tokens);
                for byte in events.as_bytes() {
                    stream.write_all(&[*byte]).await?;
                    stream.flush().await?;
                    tokio::task::yield_now().await;
                }
                Ok(())
            }
            Answer::Uncounted(text) => {
                stream
                    .write_all((api.pieces(&text) + &api.end(None, None)).as_bytes())
                    .await
            }
            Answer::Stopped(text, tokens, anthropic, openai) => {
                let reason = match api {
                    Api::Anthropic => anthropic,
                    Api::OpenAi => openai,
                };
                let events =
                    api.start(&tokens) + &api.pieces(&text) + &api.end(Some(&tokens), Some(reason));
                self.count(&tokens);
                stream.write_all(events.as_bytes()).await
            }
            Answer::CutAfter(text) => stream.write_all(api.pieces(text).as_bytes()).await,
            Answer::StallAfter(text) => {
                stream.write_all(api.pieces(text).as_bytes()).await?;
                // Until the client has had enough.
                stream.read(&mut [0; 64]).await.map(drop)
            }
            Answer::Endless => {
                let piece = api.pieces("again and again ");
                loop {
                    stream.write_all(piece.as_bytes()).await?;
                }
            }
            Answer::Raw(bytes) => stream.write_all(bytes).await,
            Answer::ErrorEvent => {
                let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "overloaded"}});
                stream
                    .write_all((api.pieces("{") + &event(&error)).as_bytes())
                    .await
            }
            Answer::Closed | Answer::Status(..) => Ok(()),
        }
    }

    fn count(&self, tokens: &Tokens) {
        let counted = &mut self.log.lock().unwrap().counted;
        counted.input += tokens.input;
        counted.output += tokens.output;
        counted.cache_read += tokens.cache_read;
        counted.cache_write += tokens.cache_write;
    }
}

#[derive(Clone, Copy, Debug)]
enum Api {
    Anthropic,
    OpenAi,
}

impl Api {
    fn start(self, tokens: &Tokens) -> String {
        match self {
            Self::Anthropic => event(&json!({"type": "message_start", "message": {"usage": {
                "input_tokens": tokens.input, "cache_read_input_tokens": tokens.cache_read,
                "cache_creation_input_tokens": tokens.cache_write, "output_tokens": 1
            }}})),
            Self::OpenAi => event(
                &json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}),
            ),
        }
    }

    fn pieces(self, text: &str) -> String {
        let letters: Vec<char> = text.chars().collect();
        let pieces = letters.chunks(5).map(|piece| {
            let piece: String = piece.iter().collect();
            match self {
                Self::Anthropic => event(&json!({
                    "type": "content_block_delta", "delta": {"type": "text_delta", "text": piece}
                })),
                Self::OpenAi => {
                    event(&json!({"choices": [{"index": 0, "delta": {"content": piece}}]}))
                }
            }
        });
        pieces.collect()
    }

    fn end(self, tokens: Option<&Tokens>, reason: Option<&str>) -> String {
        match self {
            Self::Anthropic => {
                let mut delta = json!({"type": "message_delta", "delta": {"stop_reason": reason.unwrap_or("end_turn")}});
                if let Some(tokens) = tokens {
                    delta["usage"] = json!({"output_tokens": tokens.output});
                }
                event(&delta) + &event(&json!({"type": "message_stop"}))
            }
            Self::OpenAi => {
                let reason = reason.unwrap_or("stop");
                let mut end = event(
                    &json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
                );
                if let Some(tokens) = tokens {
                    // Tokens of the cache are among those of the prompt, and none are written to it.
                    end += &event(&json!({"choices": [], "usage": {
                        "prompt_tokens": tokens.input + tokens.cache_read, "completion_tokens": tokens.output,
                        "prompt_tokens_details": {"cached_tokens": tokens.cache_read}
                    }}));
                }
                end + "data: [DONE]\n\n"
            }
        }
    }
}

fn event(value: &Value) -> String {
    let name = value["type"]
        .as_str()
        .map(|name| format!("event: {name}\n"));
    format!("{}data: {value}\n\n", name.unwrap_or_default())
}

async fn read_request(stream: &mut TcpStream) -> std::io::Result<(String, Value)> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        match stream.read(&mut chunk).await? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => bytes.extend_from_slice(&chunk[..read]),
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| {
            let line = line.to_lowercase();
            line.strip_prefix("content-length: ")?.parse::<usize>().ok()
        });
        if body.len() >= length.unwrap_or(0) {
            return Ok((
                head.to_owned(),
                serde_json::from_str(body).unwrap_or_default(),
            ));
        }
    }
}
