//! JSON-RPC on stdin and stdout: one message on each line, of bounded length.
//!
//! Two threads read and write: a read from stdin cannot be called off, and a client that does not read stdout must not
//! hold up what ends a run. A line that is no request gets an error, and is forgotten.

use super::error::briefly;
use super::limits::REQUEST_BYTES_MAX;
use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot, watch};

/// The most messages that wait in either direction.
const MESSAGES_WAITING_MAX: usize = 64;

type Incoming = RxJsonRpcMessage<RoleServer>;
type Outgoing = TxJsonRpcMessage<RoleServer>;

/// The ids of requests that have no answer yet.
#[derive(Clone, Debug, Default)]
struct Unanswered(Arc<Mutex<HashSet<RequestId>>>);

impl Unanswered {
    /// Notes a message of the client. Returns false for a request with the id of another one: of two answers with one id
    /// the client could not tell which is which.
    fn takes(&self, message: &Incoming) -> bool {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match message {
            JsonRpcMessage::Request(request) => ids.insert(request.id.clone()),
            JsonRpcMessage::Notification(notification) => {
                // Who calls a request off gets no answer to it.
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    ids.remove(id);
                }
                true
            }
            _ => true,
        }
    }

    /// Notes a message to the client.
    fn answers(&self, message: &Outgoing) {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = id {
            let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            ids.remove(id);
        }
    }
}

/// Stdin and stdout as messages.
#[derive(Debug)]
pub(super) struct Lines {
    incoming: mpsc::Receiver<Incoming>,
    outgoing: Option<mpsc::Sender<Outgoing>>,
    /// Becomes true once there will be no more messages.
    ended: watch::Sender<bool>,
}

impl Lines {
    /// Starts to read and to write.
    pub(super) fn start(
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<(Self, Ends)> {
        let (incoming_sender, incoming) = mpsc::channel(MESSAGES_WAITING_MAX);
        let (outgoing, outgoing_receiver) = mpsc::channel(MESSAGES_WAITING_MAX);
        let (ended, has_ended) = watch::channel(false);
        let (done, written) = oneshot::channel();
        let answers = outgoing.clone();
        let unanswered = Unanswered::default();
        let answered = unanswered.clone();
        let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
        thread("mcp-read").spawn(move || read(input, &incoming_sender, &answers, &unanswered))?;
        thread("mcp-write").spawn(move || {
            write(output, outgoing_receiver, &answered);
            let _: Result<(), ()> = done.send(());
        })?;
        let lines = Self {
            incoming,
            outgoing: Some(outgoing),
            ended,
        };
        Ok((
            lines,
            Ends {
                read: has_ended,
                written,
            },
        ))
    }
}

/// Signals of the ends of both directions.
#[derive(Debug)]
pub(super) struct Ends {
    /// Becomes true when no more messages come.
    pub(super) read: watch::Receiver<bool>,
    /// Completes once everything is written, and nothing more can be.
    pub(super) written: oneshot::Receiver<()>,
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: Outgoing,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        async move {
            let closed = || io::Error::from(io::ErrorKind::NotConnected);
            let outgoing = outgoing.ok_or_else(closed)?;
            outgoing.send(message).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<Incoming> {
        let message = self.incoming.recv().await;
        if message.is_none() {
            self.ended.send_replace(true);
        }
        message
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.outgoing = None;
        self.ended.send_replace(true);
        Ok(())
    }
}

fn write(mut output: impl Write, mut messages: mpsc::Receiver<Outgoing>, unanswered: &Unanswered) {
    while let Some(message) = messages.blocking_recv() {
        // Before the client can read it, and send another request with the same id.
        unanswered.answers(&message);
        let Ok(mut line) = serde_json::to_vec(&message) else {
            continue;
        };
        line.push(b'\n');
        if output
            .write_all(&line)
            .and_then(|()| output.flush())
            .is_err()
        {
            return;
        }
    }
}

fn read(
    mut input: impl BufRead,
    messages: &mpsc::Sender<Incoming>,
    answers: &mpsc::Sender<Outgoing>,
    unanswered: &Unanswered,
) {
    let mut line = Vec::new();
    loop {
        let (read, is_whole) = match bounded_line(&mut input, &mut line) {
            Ok(None) | Err(_) => return,
            Ok(Some(LineLength::Fits)) => (parse(&line), true),
            Ok(Some(LineLength::TooLong)) => (Err(too_long()), false),
        };
        let is_open = match read {
            Ok(None) => true,
            Ok(Some(message)) if !unanswered.takes(&message) => {
                answers.blocking_send(second_of_one_id()).is_ok()
            }
            Ok(Some(message)) => messages.blocking_send(message).is_ok(),
            Err(Unreadable { id, error }) => {
                answers.blocking_send(Outgoing::error(error, id)).is_ok()
            }
        };
        // The error is answered before the line ends: it may never.
        if !is_open || !is_whole && input.skip_until(b'\n').is_err() {
            return;
        }
    }
}

/// Returns the answer to a request with the id of one that has no answer yet. It names no id: it would be taken for the
/// answer to the first.
fn second_of_one_id() -> Outgoing {
    let error = ErrorData::invalid_request(
        "the request is refused: another one with its id has no answer yet; give each an id of its own",
        None,
    );
    Outgoing::error(error, None)
}

fn too_long() -> Unreadable {
    let error = ErrorData::invalid_request(
        format!(
            "the request is refused: a line has at most {} MiB; give less text in a call",
            REQUEST_BYTES_MAX >> 20
        ),
        None,
    );
    Unreadable { id: None, error }
}

enum LineLength {
    Fits,
    TooLong,
}

/// Reads up to the next line break; `None` at the end. A line that is too long is not kept, and the rest of it is left
/// unread.
fn bounded_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<LineLength>> {
    line.clear();
    // A large request leaves no large buffer behind.
    line.shrink_to(1 << 20);
    loop {
        let available = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if available.is_empty() {
            // A last line without a line break is no message.
            return Ok(None);
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        if line.len() + part.len() > REQUEST_BYTES_MAX {
            line.clear();
            return Ok(Some(LineLength::TooLong));
        }
        line.extend_from_slice(part);
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(Some(LineLength::Fits));
        }
    }
}

/// Answer to a line that is no message.
struct Unreadable {
    /// The id of the request, if it has one.
    id: Option<RequestId>,
    error: ErrorData,
}

/// Parses a line; `None` if it needs no answer: an empty one, or a notification that is not known here.
fn parse(line: &[u8]) -> Result<Option<Incoming>, Unreadable> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let why = match serde_json::from_slice(line) {
        Ok(message) => return Ok(Some(message)),
        Err(error) => error,
    };
    let value: Value = serde_json::from_slice(line).map_err(|error| Unreadable {
        id: None,
        error: ErrorData::parse_error(
            format!(
                "this is no JSON (line {}, column {}): send one JSON-RPC message on each line",
                error.line(),
                error.column()
            ),
            None,
        ),
    })?;
    let id = value.get("id");
    if id.is_none() && value.get("method").is_some() {
        // A notification that is not known here has no answer.
        return Ok(None);
    }
    let id = id.and_then(|id| serde_json::from_value(id.clone()).ok());
    let error = ErrorData::invalid_request(
        format!(
            "this is no request that is known here: {}",
            briefly(&why.to_string())
        ),
        None,
    );
    Err(Unreadable { id, error })
}

/// Reads a line as a message, and the arguments of a tool if it calls one. Returns the message to the client if it is
/// refused.
pub(super) fn refusal(line: &[u8]) -> Option<String> {
    use super::arguments as a;
    use super::generating_arguments as g;
    use super::tools::ToolName;
    use rmcp::model::ClientRequest;
    let message = match parse(line) {
        Ok(message) => message?,
        Err(unreadable) => return Some(unreadable.error.message.into_owned()),
    };
    let JsonRpcMessage::Request(request) = message else {
        return None;
    };
    let ClientRequest::CallToolRequest(call) = request.request else {
        return None;
    };
    let (name, given) = (&*call.params.name, call.params.arguments);
    let read = match ToolName::named(name)? {
        ToolName::Compare => a::read::<a::CompareArguments>(name, given).map(drop),
        ToolName::Run => a::read::<a::RunArguments>(name, given).map(drop),
        ToolName::Check => a::read::<a::CheckArguments>(name, given).map(drop),
        ToolName::Judge => a::read::<a::JudgeArguments>(name, given).map(drop),
        ToolName::Report => a::read::<a::ReportArguments>(name, given).map(drop),
        ToolName::Pick => a::read::<a::PickArguments>(name, given).map(drop),
        ToolName::Develop => a::read::<g::DevelopArguments>(name, given).map(drop),
        ToolName::Explore => a::read::<g::ExploreArguments>(name, given).map(drop),
        ToolName::Generate => a::read::<g::GenerateArguments>(name, given).map(drop),
        ToolName::Add => a::read::<g::AddArguments>(name, given).map(drop),
        ToolName::Status => a::read::<g::StatusArguments>(name, given).map(drop),
        ToolName::Result => a::read::<a::ResultArguments>(name, given).map(drop),
        ToolName::Cancel => a::read::<a::CancelArguments>(name, given).map(drop),
    };
    read.err().map(|error| error.text().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    /// Returns the messages that get through, and the errors as JSON.
    fn transferred(text: &[u8]) -> (Vec<Incoming>, Vec<Value>) {
        let (sender, mut messages) = mpsc::channel(MESSAGES_WAITING_MAX);
        let (answers, mut errors) = mpsc::channel(MESSAGES_WAITING_MAX);
        read(
            BufReader::new(text),
            &sender,
            &answers,
            &Unanswered::default(),
        );
        drop((sender, answers));
        let received = std::iter::from_fn(|| messages.blocking_recv()).collect();
        let errors = std::iter::from_fn(|| errors.blocking_recv());
        let errors = errors.map(|error| serde_json::to_value(error).unwrap());
        (received, errors.collect())
    }

    const PING: &str = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;

    #[test]
    fn a_second_request_with_an_id_is_refused_until_the_first_is_answered_or_called_off() {
        let (messages, errors) = transferred(format!("{PING}\n{PING}\n").as_bytes());
        assert_eq!((messages.len(), errors.len()), (1, 1));
        assert_eq!(errors[0]["error"]["code"], -32600);
        assert_eq!(errors[0].get("id"), None);
        let cancelled =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
        let (messages, errors) = transferred(format!("{PING}\n{cancelled}\n{PING}\n").as_bytes());
        assert_eq!((messages.len(), errors.len()), (3, 0));

        let unanswered = Unanswered::default();
        let (ping, _) = transferred(format!("{PING}\n").as_bytes());
        assert!(unanswered.takes(&ping[0]) && !unanswered.takes(&ping[0]));
        unanswered.answers(&Outgoing::error(
            too_long().error,
            Some(RequestId::Number(7)),
        ));
        assert!(unanswered.takes(&ping[0]));
    }

    #[test]
    fn what_is_no_message_gets_an_error_and_the_next_one_gets_through() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for (line, code, id) in [
            ("not json", -32700, Value::Null),
            ("{\"jsonrpc\":", -32700, Value::Null),
            (&*deep, -32700, Value::Null),
            ("\u{1b}[2J", -32700, Value::Null),
            ("[]", -32600, Value::Null),
            ("17", -32600, Value::Null),
            (
                r#"{"id":9,"method":"tools/call","params":[1]}"#,
                -32600,
                9.into(),
            ),
        ] {
            let (messages, errors) = transferred(format!("{line}\n{PING}\n").as_bytes());
            assert_eq!(messages.len(), 1, "{line:.40}");
            assert_eq!(errors.len(), 1, "{line:.40}");
            assert_eq!(
                errors[0]["error"]["code"], code,
                "{line:.40}: {}",
                errors[0]
            );
            assert_eq!(
                errors[0].get("id").cloned().unwrap_or_default(),
                id,
                "{line:.40}"
            );
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_not_kept_and_the_next_one_gets_through() {
        let mut text = vec![b'x'; REQUEST_BYTES_MAX + 1];
        text.extend(format!("\n{PING}\n").as_bytes());
        let (messages, errors) = transferred(&text);
        assert_eq!((messages.len(), errors.len()), (1, 1));
        let message = errors[0]["error"]["message"].as_str().unwrap();
        assert!(message.contains("32 MiB"), "{message}");
        // One without an end gets its error, too; what ends too early is no message.
        let (messages, errors) = transferred(&vec![b'x'; REQUEST_BYTES_MAX + 1]);
        assert_eq!((messages.len(), errors.len()), (0, 1));
        let (messages, errors) = transferred(PING.as_bytes());
        assert_eq!((messages.len(), errors.len()), (0, 0));
    }

    #[test]
    fn unknown_notifications_and_empty_lines_have_no_answer() {
        let text = format!(
            "\n  \r\n{{\"jsonrpc\":\"2.0\",\"method\":\"$/setTrace\",\"params\":3}}\n{PING}\r\n"
        );
        let (messages, errors) = transferred(text.as_bytes());
        assert!(errors.is_empty(), "{errors:?}");
        assert!(!messages.is_empty());
    }
}
