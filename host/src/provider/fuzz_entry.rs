//! The parsers of this room for fuzz targets: what comes from models, servers, commands and files.

use super::cassette::Cassette;
use super::command;
use super::process::Ended;
use super::reply::{Ending, Reply};
use super::schema::ReplySchema;
use super::stream::{OnEvent, ReplyStream};
use super::{anthropic, openai};
use serde_json::json;

/// Parses a cassette, and returns the number of replies that it can give.
///
/// # Errors
/// A line is not an exchange.
pub fn parse_cassette(bytes: &[u8]) -> Result<usize, String> {
    let cassette = Cassette::parse(bytes)?;
    let endings = cassette
        .paid()
        .filter_map(|exchange| exchange.ending().ok());
    Ok(endings.count())
}

/// Reads the stream of a reply as each of the APIs, and returns the messages that a user would see.
pub fn read_stream(bytes: &[u8]) -> Vec<String> {
    let apis: [OnEvent; 2] = [anthropic::on_event, openai::on_event];
    let read = |on_event| {
        let mut stream = ReplyStream::new(on_event, 1_000);
        let pieces = bytes.chunks(4096).find_map(|piece| stream.push(piece));
        let ending = pieces.unwrap_or_else(|| stream.end());
        message(stream.into_reply(ending))
    };
    apis.map(read).to_vec()
}

/// Reads what a command wrote, and returns the message that a user would see.
pub fn read_command_output(bytes: &[u8]) -> String {
    message(command::read(Ended::Exited {
        stdout: bytes.to_owned(),
        failure: None,
    }))
}

fn message(reply: Reply) -> String {
    match reply.ending {
        Ending::Complete(text) => {
            let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
            let checked = ReplySchema::new(&schema).and_then(|schema| schema.check(&text));
            checked.err().unwrap_or_default()
        }
        Ending::Refused(text) | Ending::TooLong(text) | Ending::Cut(text) => text,
        Ending::TimedOut(during) => during.to_owned(),
        Ending::Malformed {
            problem,
            reply_excerpt,
        } => format!("{problem} {reply_excerpt}"),
    }
}
