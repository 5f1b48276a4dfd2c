//! Entry points for fuzz targets: the parsers of what comes from models, servers, commands and files.

use super::cassette::Cassette;
use super::command;
use super::process::ProgramEnd;
use super::record_seal::RecordSeal;
use super::reply::{Ending, Reply};
use super::schema::ReplySchema;
use super::spending::Spending;
use super::stream::{OnEvent, ReplyStream};
use super::under_way::lost;
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

/// Reads the stream of a reply as each of the APIs, in pieces of so many bytes, and returns the messages that a user
/// would see.
pub fn read_stream(bytes: &[u8], piece_bytes: usize) -> Vec<String> {
    let apis: [OnEvent; 2] = [anthropic::on_event, openai::on_event];
    let read = |on_event| {
        let mut stream = ReplyStream::new(on_event, 1_000);
        let pieces = bytes
            .chunks(piece_bytes)
            .find_map(|piece| stream.push(piece));
        let ending = pieces.unwrap_or_else(|| stream.end());
        message(stream.into_reply(ending))
    };
    apis.map(read).to_vec()
}

/// Reads what a command wrote, and returns the message that a user would see.
pub fn read_command_output(bytes: &[u8]) -> String {
    message(command::read(ProgramEnd::Exited {
        stdout: bytes.to_owned(),
        failure: None,
    }))
}

/// Reads a record of exchanges, and behind the first NUL the calls that were under way beside it: as files that have no
/// seal of ours, and as they are read where they have. Returns the messages that a user would see.
///
/// # Errors
/// No key can be drawn.
pub fn read_record(bytes: &[u8]) -> std::io::Result<Vec<String>> {
    let at = bytes.iter().position(|byte| *byte == 0);
    let (record, under_way) = bytes.split_at(at.unwrap_or(bytes.len()));
    let under_way = under_way.strip_prefix(&[0]).unwrap_or(under_way);
    let empty = RecordSeal::forgotten()?;
    let is_ours = empty.clone().with_lines(record).is_some() && !record.is_empty();
    if is_ours || empty.opened_under_way(under_way).is_some() {
        return Ok(vec!["\u{7}a seal was forged".to_owned()]);
    }
    let mut said: Vec<String> = Cassette::parse(record).err().into_iter().collect();
    for exchange in lost(under_way, record).unwrap_or_default() {
        said.extend(exchange.ending().err().map(|error| error.to_string()));
    }
    Ok(said)
}

/// Reads the progress of models, and returns the message if it cannot be read.
pub fn read_progress(bytes: &[u8]) -> Option<String> {
    Spending::parse(bytes).err().map(|error| error.to_string())
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
