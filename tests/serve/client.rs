//! A server that a test started, and a client that says exactly what a test wants.

use crate::support::bakeoff;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Time after which a test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A running `bakeoff serve`.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

/// What a browser has once it opened the address.
pub(crate) struct Entered {
    pub(crate) path: String,
    pub(crate) cookie: String,
}

/// An answer of the server.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> &str {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known == name);
        found.map_or_else(|| panic!("no {name}: {self:?}"), |(_, value)| value)
    }

    pub(crate) fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|(known, _)| known == name)
    }
}

impl Server {
    pub(crate) fn start(dir: &str) -> Self {
        Self::start_with(dir, &[])
    }

    pub(crate) fn start_with(dir: &str, more: &[&str]) -> Self {
        Self::start_by(dir, more, |_| {})
    }

    /// Starts a server whose command is changed before.
    pub(crate) fn start_by(dir: &str, more: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        let arguments = [&["serve", dir, "--format", "json"], more].concat();
        let mut command = bakeoff(&arguments);
        change(&mut command);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        while serde_json::from_str::<Value>(&said).is_err() {
            assert!(
                lines.read_line(&mut said).unwrap() > 0,
                "no address: {said}"
            );
        }
        let address: Value = serde_json::from_str(&said).unwrap();
        Self::of(child, address["address"].as_str().unwrap())
    }

    /// A server that was started, and printed its address.
    pub(crate) fn of(child: Child, address: &str) -> Self {
        let address = address.to_owned();
        Self { child, address }
    }

    pub(crate) fn port(&self) -> u16 {
        let rest = self.address.strip_prefix("http://127.0.0.1:").unwrap();
        rest.split('/').next().unwrap().parse().unwrap()
    }

    /// The path of the address, with its token.
    pub(crate) fn entry(&self) -> String {
        format!("/?{}", self.address.split_once('?').unwrap().1)
    }

    /// Opens the address.
    pub(crate) fn enter(&self) -> Entered {
        let entered = self.get(&self.entry(), &[]);
        assert_eq!(entered.status, 303, "{entered:?}");
        let cookie = entered.header("set-cookie").split(';').next().unwrap();
        Entered {
            path: entered.header("location").to_owned(),
            cookie: cookie.to_owned(),
        }
    }

    pub(crate) fn get(&self, path: &str, headers: &[(&str, String)]) -> Response {
        self.request("GET", path, headers)
    }

    /// Gets a page below the one that the address leads to.
    pub(crate) fn page(&self, below: &str) -> Response {
        let own = self.enter();
        self.get(&format!("{}{below}", own.path), &[("Cookie", own.cookie)])
    }

    /// The path of the only run of a list, below the first page.
    pub(crate) fn run_path(&self, list: &Response) -> String {
        let rest = list.body.split("href=\"runs/").nth(1);
        let rest = rest.unwrap_or_else(|| panic!("no run: {}", list.body));
        format!("runs/{}/", rest.split('/').next().unwrap())
    }

    /// The token of the forms on a page.
    pub(crate) fn form_token(page: &Response) -> String {
        let rest = page.body.split("name=\"token\" value=\"").nth(1);
        let rest = rest.unwrap_or_else(|| panic!("no form: {}", page.body));
        rest.split('"').next().unwrap().to_owned()
    }

    /// Sends a form as a browser does from a page of this server.
    pub(crate) fn post(&self, below: &str, fields: &[(&str, &str)]) -> Response {
        self.post_from(&below[..below.rfind('/').unwrap() + 1], below, fields)
    }

    /// Sends a form with the token of another page.
    pub(crate) fn post_from(&self, page: &str, below: &str, fields: &[(&str, &str)]) -> Response {
        let token = Self::form_token(&self.page(page));
        let fields = [fields, &[("token", &*token)]].concat();
        let own = self.enter();
        let headers = [
            ("Cookie", own.cookie),
            ("Origin", format!("http://127.0.0.1:{}", self.port())),
            ("Sec-Fetch-Site", "same-origin".to_owned()),
            (
                "Content-Type",
                "application/x-www-form-urlencoded".to_owned(),
            ),
        ];
        self.send_body(&format!("{}{below}", own.path), &headers, &encoded(&fields))
    }

    pub(crate) fn send_body(&self, path: &str, headers: &[(&str, String)], body: &str) -> Response {
        let length = ("Content-Length", body.len().to_string());
        let mut stream = self.send("POST", "1.1", path, &[headers, &[length]].concat());
        // The server may refuse it before it has all.
        let _ = stream.write_all(body.as_bytes());
        Self::response(stream)
    }

    pub(crate) fn request(&self, method: &str, path: &str, headers: &[(&str, String)]) -> Response {
        Self::response(self.send(method, "1.1", path, headers))
    }

    fn response(mut stream: TcpStream) -> Response {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let headers = lines.filter_map(|line| line.split_once(": "));
        Response {
            status: status.parse().unwrap(),
            headers: headers
                .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
                .collect(),
            body: body.to_owned(),
        }
    }

    /// Follows the events of a run, as lines.
    pub(crate) fn follow(
        &self,
        run: &str,
        headers: &[(&str, String)],
        after: u64,
    ) -> BufReader<TcpStream> {
        let own = self.enter();
        let headers = [headers, &[("Cookie", own.cookie)]].concat();
        let path = format!("{}{run}events?after={after}", own.path);
        BufReader::new(self.send("GET", "1.0", &path, &headers))
    }

    fn send(
        &self,
        method: &str,
        version: &str,
        path: &str,
        headers: &[(&str, String)],
    ) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port())).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut text = format!("{method} {path} HTTP/{version}\r\nConnection: close\r\n");
        if headers.iter().all(|(name, _)| *name != "Host") {
            text += &format!("Host: 127.0.0.1:{}\r\n", self.port());
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        stream.write_all((text + "\r\n").as_bytes()).unwrap();
        stream
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A form as it is sent.
pub(crate) fn encoded(fields: &[(&str, &str)]) -> String {
    let encoded = |text: &str| -> String {
        let bytes = text.bytes().map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
            b' ' => "+".to_owned(),
            other => format!("%{other:02X}"),
        });
        bytes.collect()
    };
    let pairs = fields
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    pairs.collect::<Vec<String>>().join("&")
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Events that were read.
#[derive(Debug, Default)]
pub(crate) struct Events {
    pub(crate) text: String,
}

impl Events {
    /// The numbers of the events of the run, as they came.
    pub(crate) fn ids(&self) -> Vec<u64> {
        let lines = self
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("id: "));
        lines.map(|id| id.parse().unwrap()).collect()
    }

    fn all_parts(&self) -> Vec<(String, String)> {
        let data = self
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        let values = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
        let text = |value: &Value| value.as_str().map(str::to_owned);
        values
            .filter_map(|value| Some((text(&value["id"])?, text(&value["html"])?)))
            .collect()
    }

    /// The parts of the page, as they were sent last.
    pub(crate) fn parts(&self) -> BTreeMap<String, String> {
        self.all_parts().into_iter().collect()
    }

    /// Every state of a part that was sent.
    pub(crate) fn part_texts(&self, id: &str) -> Vec<String> {
        let parts = self.all_parts().into_iter();
        parts
            .filter(|(part, _)| part == id)
            .map(|(_, html)| html)
            .collect()
    }
}

/// Reads events until there is enough of them.
pub(crate) fn events(
    stream: &mut BufReader<TcpStream>,
    is_enough: impl Fn(&Events) -> bool,
) -> Events {
    let started = Instant::now();
    let mut found = Events::default();
    loop {
        let mut line = String::new();
        let count = stream.read_line(&mut line).unwrap();
        found.text += &line;
        if line == "\n" && is_enough(&found) {
            return found;
        }
        assert!(
            count > 0 && started.elapsed() < PATIENCE,
            "not enough: {}",
            found.text
        );
    }
}

/// Asks until there is an answer.
pub(crate) fn until<T>(ask: impl Fn() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(started.elapsed() < PATIENCE, "no answer");
        std::thread::sleep(Duration::from_millis(200));
    }
}
