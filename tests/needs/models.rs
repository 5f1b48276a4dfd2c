//! Questions to a mock of model APIs that others wrote: npm's `@copilotkit/aimock`.

pub(crate) mod agents;

use bakeoff_provider::{AskError, ModelOptions, Models, ProviderKind, Purpose, Request};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The variable with the path of aimock's program.
const VARIABLE: &str = "BAKEOFF_AIMOCK";

/// The variable with the path of Claude Code's program.
const CLAUDE: &str = "BAKEOFF_CLAUDE";

/// The variable with the address of a server of a real model, with its version.
const REAL: &str = "BAKEOFF_MODEL_URL";

/// What the mock counts for each reply.
const USAGE: [u64; 2] = [1_230, 390];

/// How many questions are asked where some calls go wrong.
const QUESTIONS: usize = 20;

pub(crate) fn is_installed() -> bool {
    program().is_some() && Command::new("node").arg("--version").output().is_ok()
}

fn program() -> Option<PathBuf> {
    std::env::var_os(VARIABLE)
        .map(PathBuf::from)
        .filter(|path| path.is_file())
}

pub(crate) fn has_claude() -> bool {
    is_installed() && std::env::var_os(CLAUDE).is_some_and(|path| Path::new(&path).is_file())
}

pub(crate) fn has_real_model() -> bool {
    std::env::var_os(REAL).is_some()
}

/// A mock that is running.
struct Mock {
    child: Child,
    port: u16,
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Mock {
    fn start(folder: &Path, chaos: &[&str]) -> Self {
        let reply = json!({
            "content": json!({"text": "a"}).to_string(),
            "usage": {
                "prompt_tokens": USAGE[0], "completion_tokens": USAGE[1],
                "input_tokens": USAGE[0], "output_tokens": USAGE[1]
            }
        });
        let fixtures =
            json!({"fixtures": [{"match": {"userMessage": "Write it"}, "response": reply}]});
        Self::start_with(folder, &fixtures, chaos)
    }

    fn start_with(folder: &Path, fixtures: &Value, chaos: &[&str]) -> Self {
        let file = folder.join("fixtures.json");
        std::fs::write(&file, fixtures.to_string()).unwrap();
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .unwrap()
            .port();
        let child = Command::new("node")
            .arg(program().unwrap())
            .args([
                "-h",
                "127.0.0.1",
                "-p",
                &port.to_string(),
                "--log-level",
                "silent",
                "-f",
            ])
            .arg(&file)
            .args(chaos)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut mock = Self { child, port };
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(mock.child.try_wait().unwrap().is_none(), "aimock has ended");
            std::thread::sleep(Duration::from_millis(20));
        }
        mock
    }

    /// How many replies the mock sent to their end, by its own journal.
    fn replies(&self) -> u64 {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let request = "GET /__aimock/journal?limit=1000 HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n";
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (start, end) = (text.find('[').unwrap(), text.rfind(']').unwrap());
        let journal: Vec<Value> = serde_json::from_str(&text[start..=end]).unwrap();
        let is_reply = |entry: &&Value| {
            let response = &entry["response"];
            response["status"] == 200
                && response["fixture"].is_object()
                && response["chaosAction"].is_null()
        };
        journal.iter().filter(is_reply).count() as u64
    }

    fn open(&self, provider: ProviderKind, record: &Path) -> Models {
        let (model, path) = match provider {
            ProviderKind::Anthropic => ("claude-haiku-4-5", ""),
            _ => ("gpt-4.1", "/v1"),
        };
        Models::open(ModelOptions {
            model: Some(model.to_owned()),
            base_url: Some(format!("http://127.0.0.1:{}{path}", self.port)),
            record: Some(record.to_owned()),
            timeout: Duration::from_secs(60),
            concurrency: 4,
            ..ModelOptions::new(provider)
        })
        .unwrap()
    }
}

fn request(number: usize) -> Request {
    Request {
        purpose: Purpose::Prototype,
        subject: format!("approach {number}"),
        system: String::new(),
        prompt: "Write it.".to_owned(),
        schema: json!({
            "type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}
        }),
        output_tokens_max: 400,
    }
}

fn ask_all(models: &Models) -> Vec<Result<Value, AskError>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut answers = Vec::new();
        for number in 0..QUESTIONS {
            answers.push(models.ask(&request(number)).await);
        }
        answers
    })
}

/// The tokens of all exchanges that were counted by the mock.
fn counted(record: &Path) -> [u64; 2] {
    let text = std::fs::read_to_string(record).unwrap();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.fold([0, 0], |[input, output], line| {
        let usage = &line["usage"];
        match usage["upper_bound"] == false && line["outcome"] == "complete" {
            true => [
                input + usage["input_tokens"].as_u64().unwrap(),
                output + usage["output_tokens"].as_u64().unwrap(),
            ],
            false => [input, output],
        }
    })
}

pub(crate) fn a_mock_of_others_is_answered_and_counted_exactly_whatever_it_breaks() {
    let chaos: [(&[&str], &[&str]); 4] = [
        (&[], &[]),
        // A question is asked six times: with three in ten dropped, one in sixty runs would end without an answer.
        (&["--chaos-drop", "0.1"], &[]),
        (&["--chaos-malformed", "0.2"], &["invalid-reply"]),
        (&["--chaos-disconnect", "0.2"], &["reply-cut"]),
    ];
    for provider in [ProviderKind::Anthropic, ProviderKind::OpenAi] {
        for (flags, classes) in chaos {
            let folder = tempfile::tempdir().unwrap();
            let record = folder.path().join("record.jsonl");
            let mock = Mock::start(folder.path(), flags);
            let models = mock.open(provider, &record);
            let answers = ask_all(&models);
            let mut answered = 0;
            for answer in answers {
                match answer {
                    Ok(answer) => {
                        assert_eq!(answer, json!({"text": "a"}));
                        answered += 1;
                    }
                    Err(error) => assert!(classes.contains(&error.class()), "{flags:?}: {error}"),
                }
            }
            assert!(answered > QUESTIONS / 2, "{flags:?}: {answered}");
            let replies = mock.replies();
            assert_eq!(
                counted(&record),
                USAGE.map(|tokens| tokens * replies),
                "{flags:?}"
            );
            let spent = models.spent().total;
            assert_eq!(spent.calls, replies + spent.upper_bound_calls);
        }
    }
}

pub(crate) fn a_mock_that_limits_its_rate_for_ever_is_unavailable() {
    let folder = tempfile::tempdir().unwrap();
    let mock = Mock::start(folder.path(), &["--chaos-ratelimit", "1"]);
    let models = mock.open(ProviderKind::OpenAi, &folder.path().join("record.jsonl"));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let error = runtime.block_on(models.ask(&request(1))).unwrap_err();
    assert_eq!(error.class(), "model-unavailable");
    assert!(error.to_string().contains("429"), "{error}");
    assert_eq!((models.spent().total.calls, mock.replies()), (0, 0));
}

/// A copy of the example.
fn example(folder: &Path) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/inversions");
    let to = folder.join("inversions");
    for name in [
        "bakeoff.toml",
        "workload.rs",
        "wit/inversions.wit",
        "approaches/all_pairs.rs",
        "model.jsonl",
    ] {
        std::fs::create_dir_all(to.join(name).parent().unwrap()).unwrap();
        std::fs::copy(from.join(name), to.join(name)).unwrap();
    }
    to
}

/// An agent that others wrote, as the program of `--provider command`, beside a mock of its API: its reply is the
/// tool call with which it ends, and tokens are those that the mock counted.
pub(crate) fn an_agent_of_others_writes_an_approach_and_is_counted_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let dir = example(folder.path());
    let recorded = std::fs::read_to_string(dir.join("model.jsonl")).unwrap();
    let reply = |purpose: &str, subject: &str| {
        let lines = recorded.lines();
        let mut lines = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
        let line = lines.find(|line| line["purpose"] == purpose && line["subject"] == subject);
        line.unwrap()["reply"].clone()
    };
    let fixture = |mark: &str, reply: &Value| {
        json!({"match": {"userMessage": mark}, "response": {
            "toolCalls": [{"name": "StructuredOutput", "arguments": reply.to_string()}],
            "usage": {"input_tokens": USAGE[0], "output_tokens": USAGE[1]}
        }})
    };
    let mut ideas = reply("approaches", "round 1");
    ideas["approaches"].as_array_mut().unwrap().truncate(1);
    // The agent itself holds the reply against the schema, in which these are required.
    for (key, value) in [
        ("pros", json!([])),
        ("cons", json!([])),
        ("guidelines", json!("")),
    ] {
        ideas["approaches"][0][key] = value;
    }
    let fixtures = json!({"fixtures": [
        fixture("Prefer those of which it is not clear", &ideas),
        fixture("Write the file.", &reply("prototype", "approach 1"))
    ]});
    let mock = Mock::start_with(folder.path(), &fixtures, &[]);
    let claude = std::env::var(CLAUDE).unwrap();
    let words = [
        &claude,
        "-p",
        "--bare",
        "--output-format",
        "json",
        "--json-schema",
        "{schema}",
        "--max-budget-usd",
        "{max_usd}",
        "--tools",
        "",
        "--model",
        "{model}",
    ];
    let mut command = crate::support::bakeoff(&["generate", dir.to_str().unwrap()]);
    command
        .args(["--approaches", "1", "--provider", "command", "--usd", "1"])
        .args(["--model", "claude-haiku-4-5", "--format", "json"])
        .args(words.map(|word| format!("--command={word}")))
        .args(
            ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"].map(|name| format!("--command-env={name}")),
        )
        .env("HOME", folder.path())
        .env("ANTHROPIC_API_KEY", "sk-test-0123456789")
        .env(
            "ANTHROPIC_BASE_URL",
            format!("http://127.0.0.1:{}", mock.port),
        );
    let output: crate::support::CommandOutput = command.output().unwrap().into();
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let made = output.json();
    assert_eq!(made["approaches"][0]["outcome"], "passed");
    assert_eq!(made["calls"], 2);
    let counted = mock.replies() * (USAGE[0] + USAGE[1]);
    assert_eq!(made["tokens"], counted);
    let record = std::fs::read_to_string(dir.join(".bakeoff/models.jsonl")).unwrap();
    assert!(!record.contains("sk-test"), "{record}");
}

/// A real model, small or large: whatever it writes, the command ends well, and says what became of it.
pub(crate) fn a_real_model_is_asked_and_what_it_writes_has_a_result() {
    let folder = tempfile::tempdir().unwrap();
    let dir = example(folder.path());
    let address = std::env::var(REAL).unwrap();
    let mut command = crate::support::bakeoff(&["generate", dir.to_str().unwrap()]);
    command
        .args([
            "--approaches",
            "1",
            "--repairs",
            "1",
            "--provider",
            "openai",
        ])
        .args([
            "--base-url",
            &address,
            "--model",
            "local",
            "--tokens",
            "400000",
        ])
        .args([
            "--reply-timeout",
            "2min",
            "--timeout",
            "5min",
            "--format",
            "json",
        ]);
    let output: crate::support::CommandOutput = command.output().unwrap().into();
    assert!(
        [0, 1, 3, 4].contains(&output.status),
        "{}{}",
        output.stdout,
        output.stderr
    );
    for approach in output.json()["approaches"].as_array().unwrap() {
        assert!(!approach["outcome"].as_str().unwrap().is_empty());
    }
    assert!(dir.join(".bakeoff/generation.json").exists());
}
