//! A client in a few lines, which also sees what the server starts and leaves behind.

use crate::support::bakeoff;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The longest wait for anything. Nothing is measured by it: it ends a test that would hang.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server, and this side of its pipes.
pub(crate) struct Client {
    server: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    seen: Vec<Value>,
    last_id: u64,
    /// What it answers when it is asked for its roots; none if it does not know of roots.
    roots: Option<Vec<String>>,
    /// The folder for temporary files of the server and of all that it starts.
    temporary: TempDir,
}

impl Client {
    /// Starts a server with these roots.
    pub(crate) fn start(roots: &[&str]) -> Self {
        Self::start_in(TempDir::new().unwrap(), roots)
    }

    /// Starts a server with these roots and options.
    pub(super) fn start_with(roots: &[&str], more: &[&str]) -> Self {
        Self::start_as(TempDir::new().unwrap(), roots, more)
    }

    /// Starts a server with this folder for temporary files.
    pub(super) fn start_in(temporary: TempDir, roots: &[&str]) -> Self {
        Self::start_as(temporary, roots, &[])
    }

    fn start_as(temporary: TempDir, roots: &[&str], more: &[&str]) -> Self {
        let mut arguments = [&["mcp"], more].concat();
        for root in roots {
            arguments.extend(["--root", *root]);
        }
        let mut server = bakeoff(&arguments)
            .env("TMPDIR", temporary.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(server.stdout.take().unwrap());
        let (sender, messages) = mpsc::channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.unwrap();
                assert!(!line.contains('\u{1b}'), "{line}");
                let message = serde_json::from_str(&line).unwrap();
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            stdin: server.stdin.take(),
            server,
            messages,
            seen: Vec::new(),
            last_id: 0,
            roots: None,
            temporary,
        }
    }

    /// Says these roots when it is asked for them.
    pub(super) fn with_roots(self, roots: &[&Path]) -> Self {
        let address = |root: &&Path| format!("file://{}", root.display());
        Self {
            roots: Some(roots.iter().map(address).collect()),
            ..self
        }
    }

    /// Writes bytes as they are.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).and_then(|()| stdin.flush()).unwrap();
    }

    fn write_message(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Sends a request, and returns its id.
    pub(super) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.write_message(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}),
        );
        id
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.write_message(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The next message.
    pub(super) fn receive(&mut self) -> Value {
        self.messages.recv_timeout(PATIENCE).unwrap()
    }

    /// Sends a request and returns the response; what else comes is kept.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        loop {
            let message = self.receive();
            if message["method"] == "roots/list" {
                let roots = self.roots.iter().flatten().map(|uri| json!({"uri": uri}));
                let result = json!({"roots": roots.collect::<Vec<Value>>()});
                let id = &message["id"];
                self.write_message(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
            } else if message["id"] == id {
                return message;
            }
            self.seen.push(message);
        }
    }

    /// Calls a tool and returns its result, which may be an error of the tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let call = json!({"name": tool, "arguments": arguments});
        let mut response = self.request("tools/call", &call);
        assert!(response["error"].is_null(), "{response:#}");
        response["result"].take()
    }

    pub(crate) fn initialize(&mut self) -> Value {
        let capabilities = match self.roots {
            Some(_) => json!({"roots": {}}),
            None => json!({}),
        };
        let params = json!({
            "protocolVersion": "2025-06-18", "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "0"}
        });
        let mut response = self.request("initialize", &params);
        self.notify("notifications/initialized", &json!({}));
        response["result"].take()
    }

    /// The parameters of the notifications that came so far.
    pub(super) fn notifications(&self, method: &str) -> Vec<&Value> {
        let seen = self
            .seen
            .iter()
            .filter(|message| message["method"] == method);
        seen.map(|message| &message["params"]).collect()
    }

    /// Closes stdin, waits until the server ends well, and returns its folder for temporary files.
    pub(crate) fn end(mut self) -> TempDir {
        self.stdin = None;
        assert!(self.server.wait().unwrap().success());
        self.temporary
    }

    /// Kills the server, and returns its folder for temporary files.
    pub(super) fn kill(mut self) -> TempDir {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
        self.temporary
    }

    /// Waits until a run has a fenced child, and returns all processes that descend from the server.
    pub(super) fn wait_for_fenced(&self) -> Processes {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            let processes = Processes::below(self.server.id());
            if processes.any_is_fenced() {
                return processes;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("nothing was started");
    }

    /// Waits until nothing is left in the folder for temporary files: the control process of a run that
    /// was killed may be gone a moment later.
    pub(super) fn wait_for_empty_folder(&self) {
        let until = Instant::now() + PATIENCE;
        while !children_below(self.temporary.path()).is_empty() {
            assert!(
                Instant::now() < until,
                "{:?}",
                children_below(self.temporary.path())
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The names in a folder.
pub(super) fn children_below(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect()
}

/// Returns true if there is a file of that name in a folder or below it.
pub(super) fn has_below(folder: &Path, name: &str) -> bool {
    fs::read_dir(folder).unwrap().flatten().any(|entry| {
        let path = entry.path();
        entry.file_name() == name || path.is_dir() && has_below(&path, name)
    })
}

/// Processes by id, each with the time at which it started: an id may be used again.
pub(super) struct Processes {
    all: BTreeMap<u32, String>,
    /// Those that the server itself started.
    commands: BTreeMap<u32, String>,
}

impl Processes {
    fn below(server: u32) -> Self {
        let mut parents = BTreeMap::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let name = entry.file_name();
            let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            if let Some((parent, started)) = parent_and_start(pid) {
                parents.insert(pid, (parent, started));
            }
        }
        let mut found: BTreeMap<u32, String> = BTreeMap::new();
        loop {
            let before = found.len();
            for (pid, (parent, started)) in &parents {
                if *parent == server || found.contains_key(parent) {
                    found.insert(*pid, started.clone());
                }
            }
            if found.len() == before {
                let is_command = |pid: &u32| parents[pid].0 == server;
                let commands = found.iter().filter(|(pid, _)| is_command(pid));
                return Self {
                    commands: commands.map(|(pid, start)| (*pid, start.clone())).collect(),
                    all: found,
                };
            }
        }
    }

    fn any_is_fenced(&self) -> bool {
        let is_fenced = |pid: &u32| {
            let command = fs::read_to_string(format!("/proc/{pid}/cmdline"));
            command.is_ok_and(|command| command.contains("--bakeoff-child"))
        };
        self.all.keys().any(is_fenced)
    }

    /// What the server started has ended, without waiting for it.
    pub(super) fn assert_commands_ended(&self) {
        assert!(!self.commands.is_empty());
        for (pid, started) in &self.commands {
            assert!(!is_running(*pid, started), "process {pid} is left");
        }
    }

    /// Waits until all of them have ended.
    pub(super) fn wait_for_end(&self) {
        let until = Instant::now() + PATIENCE;
        for (pid, started) in &self.all {
            while is_running(*pid, started) {
                assert!(Instant::now() < until, "process {pid} is left");
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

fn is_running(pid: u32, started: &str) -> bool {
    parent_and_start(pid).is_some_and(|(_, start)| start == started)
}

/// The parent of a process, and the time at which it started; `None` if it has ended.
fn parent_and_start(pid: u32) -> Option<(u32, String)> {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may have anything in it.
    let mut fields = status.rsplit_once(") ")?.1.split(' ');
    let is_zombie = fields.next()? == "Z";
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.to_owned();
    (!is_zombie).then_some((parent, started))
}
