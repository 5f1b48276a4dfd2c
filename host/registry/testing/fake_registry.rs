//! A registry on loopback that keeps what it is given, answers well or badly, and remembers who asked what.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

/// What a registry wants of those who ask.
#[derive(Clone, Debug, Default)]
pub(crate) enum Access {
    /// Nothing.
    #[default]
    Open,
    /// This value of `Authorization`.
    Basic(String),
    /// This token, which is given at that address.
    Token(String, String),
}

/// An answer that is not the registry's own.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// A status, lines of headers and a body.
    Status(u16, String, Vec<u8>),
    /// A body that never ends, without a length.
    Endless,
    /// A body without a length.
    Unsized(Vec<u8>),
    /// A length that the body does not have.
    Claims(u64),
    /// No answer at all.
    Closed,
}

/// A request, as it came.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) authorization: Option<String>,
}

#[derive(Debug, Default)]
struct State {
    access: Access,
    /// Contents by their paths.
    contents: BTreeMap<String, Vec<u8>>,
    /// Answers by a part of the path.
    answers: Vec<(String, Answer)>,
    asked: Vec<ReceivedRequest>,
}

/// A registry that ends with the test's process.
#[derive(Clone, Debug)]
pub(crate) struct FakeRegistry {
    host: String,
    state: Arc<Mutex<State>>,
}

impl FakeRegistry {
    /// Starts an empty registry.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let registry = Self {
            host: listener.local_addr().unwrap().to_string(),
            state: Arc::default(),
        };
        let serving = registry.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let registry = serving.clone();
                // A client that has heard enough closes the connection.
                std::thread::spawn(move || drop(registry.serve(stream)));
            }
        });
        registry
    }

    /// The host and port, as references name them.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Makes it want this from now on.
    pub(crate) fn wants(&self, access: Access) {
        self.state().access = access;
    }

    /// Makes it answer so from now on where a path has this part; the last word counts.
    pub(crate) fn answers(&self, part: &str, answer: Answer) {
        self.state().answers.insert(0, (part.to_owned(), answer));
    }

    /// Makes it answer as a registry from now on.
    pub(crate) fn answers_well(&self) {
        self.state().answers.clear();
    }

    /// Puts content at a path, or takes it away.
    pub(crate) fn put(&self, path: &str, content: Option<Vec<u8>>) {
        match content {
            Some(content) => drop(self.state().contents.insert(path.to_owned(), content)),
            None => drop(self.state().contents.remove(path)),
        }
    }

    /// The content at a path.
    pub(crate) fn content(&self, path: &str) -> Option<Vec<u8>> {
        self.state().contents.get(path).cloned()
    }

    /// What it was asked so far.
    pub(crate) fn asked(&self) -> Vec<ReceivedRequest> {
        self.state().asked.clone()
    }

    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? <= 2 {
                break;
            }
            head.push(line.trim_end().to_owned());
        }
        let header = |wanted: &str| {
            let lines = head.iter().skip(1).filter_map(|line| line.split_once(": "));
            let mut found = lines.filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.next().map(|(_, value)| value.to_owned())
        };
        let length = header("content-length").and_then(|value| value.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut body)?;
        let mut words = head.first().map_or("", String::as_str).split(' ');
        let asked = ReceivedRequest {
            method: words.next().unwrap_or_default().to_owned(),
            path: words.next().unwrap_or_default().to_owned(),
            authorization: header("authorization"),
        };
        let planned = {
            let mut state = self.state();
            state.asked.push(asked.clone());
            let mut answers = state.answers.iter();
            let found = answers.find(|(part, _)| asked.path.contains(part.as_str()));
            found.map(|(_, answer)| answer.clone())
        };
        let answer = planned.unwrap_or_else(|| self.answer(&asked, body));
        match answer {
            Answer::Closed => Ok(()),
            Answer::Endless => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
                loop {
                    stream.write_all(&[b' '; 4096])?;
                }
            }
            Answer::Unsized(body) => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
                stream.write_all(&body)
            }
            Answer::Claims(length) => {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\nshort");
                stream.write_all(head.as_bytes())
            }
            Answer::Status(status, headers, body) => {
                let head = format!(
                    "HTTP/1.1 {status} Status\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                stream.write_all(head.as_bytes())?;
                if asked.method == "HEAD" {
                    return Ok(());
                }
                stream.write_all(&body)
            }
        }
    }

    /// Answers as a registry does.
    fn answer(&self, asked: &ReceivedRequest, body: Vec<u8>) -> Answer {
        let mut state = self.state();
        let (wanted, challenge) = match &state.access {
            Access::Open => (None, String::new()),
            Access::Basic(value) => (Some(value.clone()), "Basic realm=\"fake\"".to_owned()),
            Access::Token(token, realm) => (
                Some(format!("Bearer {token}")),
                format!("Bearer realm=\"{realm}\",service=\"fake\",scope=\"repository:all:*\""),
            ),
        };
        if wanted.is_some() && asked.authorization != wanted {
            let headers = format!("WWW-Authenticate: {challenge}\r\n");
            let body = br#"{"errors": [{"code": "UNAUTHORIZED", "message": "who?"}]}"#;
            return Answer::Status(401, headers, body.to_vec());
        }
        let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
        let status = |status| Answer::Status(status, String::new(), Vec::new());
        match asked.method.as_str() {
            "GET" | "HEAD" => match state.contents.get(path) {
                Some(content) => Answer::Status(200, String::new(), content.clone()),
                None => status(404),
            },
            "POST" => Answer::Status(202, format!("Location: {path}1?state=x\r\n"), Vec::new()),
            "PUT" => {
                let uploaded = path.split_once("uploads/").zip(query.split_once("digest="));
                let place = match uploaded {
                    Some(((before, _), (_, digest))) => {
                        format!("{before}{}", digest.replace("%3A", ":"))
                    }
                    None => path.to_owned(),
                };
                if let Some((before, _)) = place.split_once("/manifests/") {
                    let digest = bakeoff_source::content_address(&body);
                    let by_digest = format!("{before}/manifests/sha256:{digest}");
                    state.contents.insert(by_digest, body.clone());
                }
                state.contents.insert(place, body);
                status(201)
            }
            _ => status(405),
        }
    }
}
