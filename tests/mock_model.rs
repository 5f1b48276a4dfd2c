//! A mock of a chat completions API, which counts what it sends.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Barrier, Mutex};

/// What the mock counts for each reply.
pub(crate) const USAGE: [u64; 2] = [1_000, 400];

/// Function that answers a question.
type Answer = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// What a mock of a chat completions API saw and sent.
#[derive(Default)]
pub(crate) struct Mock {
    /// The replies, by a text that only the question to it has.
    pub(crate) replies: Vec<(String, String)>,
    /// How many replies it still sends to their end; from then on it sends none.
    pub(crate) left: usize,
    /// How often each reply was sent to its end.
    pub(crate) sent: BTreeMap<usize, u32>,
    /// The questions.
    pub(crate) asked: Vec<String>,
    /// The models that were asked, in the order of the questions.
    pub(crate) models: Vec<String>,
    /// Questions that it never answered.
    pub(crate) unanswered: u32,
    /// The number of questions that came to wait for others.
    pub(crate) waiting: usize,
    /// Questions with a text that are answered once so many of them wait.
    pub(crate) together: Option<(String, Arc<Barrier>)>,
    /// The reply to each question, in the place of `replies`.
    pub(crate) answer: Option<Answer>,
}

impl Mock {
    pub(crate) fn start(replies: Vec<(String, String)>) -> (Arc<Mutex<Self>>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let mock = Arc::new(Mutex::new(Self {
            replies,
            ..Self::default()
        }));
        let served = Arc::clone(&mock);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mock = Arc::clone(&served);
                std::thread::spawn(move || serve(&mock, stream));
            }
        });
        (mock, address)
    }
}

fn serve(mock: &Mutex<Mock>, mut stream: TcpStream) {
    let Some((model, prompt)) = read_prompt(&mut stream) else {
        return;
    };
    let together = mock.lock().unwrap().together.clone();
    if let Some((_, others)) = together.filter(|(text, _)| prompt.contains(text)) {
        mock.lock().unwrap().waiting += 1;
        others.wait();
    }
    let reply = {
        let mut mock = mock.lock().unwrap();
        mock.asked.push(prompt.clone());
        mock.models.push(model);
        let mut all = mock.replies.iter();
        let place = all.position(|(mark, _)| prompt.contains(mark.as_str()));
        let answer = mock.answer.as_ref().map(|answer| answer(&prompt));
        let place = match &answer {
            Some(_) => 0,
            None => place.unwrap_or_else(|| panic!("no reply to: {prompt}")),
        };
        match mock.left {
            0 => {
                mock.unanswered += 1;
                None
            }
            _ => {
                mock.left -= 1;
                *mock.sent.entry(place).or_default() += 1;
                Some(answer.unwrap_or_else(|| mock.replies[place].1.clone()))
            }
        }
    };
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    let _ = stream.write_all(head.as_bytes());
    let Some(reply) = reply else {
        // Until whoever asked is gone.
        let _ = stream.read(&mut [0]);
        return;
    };
    let events = [
        json!({"choices": [{"index": 0, "delta": {"content": reply}}]}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
        json!({"choices": [], "usage": {"prompt_tokens": USAGE[0], "completion_tokens": USAGE[1]}}),
    ];
    for event in events {
        let _ = stream.write_all(format!("data: {event}\n\n").as_bytes());
    }
    let _ = stream.write_all(b"data: [DONE]\n\n");
}

/// The model of a request, and its texts, one behind the other.
fn read_prompt(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 16 << 10];
        match stream.read(&mut chunk).ok()? {
            0 => return None,
            read => bytes.extend_from_slice(&chunk[..read]),
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            let is_length = name.eq_ignore_ascii_case("content-length");
            is_length.then(|| value.trim().parse::<usize>().ok())?
        })?;
        if body.len() >= length {
            let body: Value = serde_json::from_str(body).ok()?;
            let messages = body["messages"].as_array()?.iter();
            let texts = messages.map(|one| one["content"].as_str().unwrap_or_default());
            let model = body["model"].as_str().unwrap_or_default().to_owned();
            return Some((model, texts.collect::<Vec<_>>().join("\n")));
        }
    }
}
