//! Messages between a runner and the host of a program: postcard behind their lengths.

use bakeoff_domain::spec::CallTiming;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// Size of a message's length, in bytes.
const LENGTH_BYTES: usize = 4;

/// The largest message, in bytes: a request with its arguments, or the files of a program.
const MESSAGE_BYTES_MAX: usize = 1 << 30;

/// Setup of the host of a program, as the parent sends it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HostSetup {
    /// The program that the command names; `None` if that is a file of the experiment.
    pub interpreter: Option<PathBuf>,
    /// The folder in which the program runs, and may write.
    pub folder: PathBuf,
    /// The variable `PATH` of the program.
    pub path: String,
}

/// A file of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramFile {
    /// The path relative to the program's folder.
    pub path: String,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
}

/// A program: what is started, and the files that it finds in its folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramStart {
    /// The command: an interpreter, or a file of the program, and its arguments.
    pub command: Vec<String>,
    /// The file of [`command`](Self::command) that is the program, as it is written there; it can be executed.
    pub file: String,
    /// The files.
    pub files: Vec<ProgramFile>,
    /// The most bytes of an answer.
    pub answer_bytes_max: u64,
    /// The part of a call that counts as its time.
    pub timing: CallTiming,
}

/// A message to a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum ToHost {
    /// The program, once, before all else.
    Load(ProgramStart),
    /// Starts the program anew, in a folder that has its files and nothing else.
    Start,
    /// Passes a line on to the program and reads its answer.
    Call(String),
    /// Ends the program.
    End,
}

/// A message of a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum OfHost {
    /// It is done.
    Done,
    /// The answer to a line.
    Answered(MeasuredAnswer),
    /// The program has ended.
    Ended {
        /// The most memory that it had, in bytes.
        peak_bytes: u64,
    },
    /// The program failed.
    Failed(ProgramFailure),
}

/// An answer of a program, and what it took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasuredAnswer {
    /// The answer, a line without its end.
    pub line: String,
    /// CPU time of the program since the answer before, in nanoseconds, start-up before the first; or that of the call
    /// alone.
    pub cpu_ns: u64,
    /// Time from before the request was written until the answer was read, in nanoseconds; or that of the call alone.
    pub wall_ns: u64,
}

/// The failure of a program. The text is the last line that it wrote to stderr, if it wrote any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgramFailure {
    /// It cannot be started, for this reason.
    NotStarted(String),
    /// It ended, in this way.
    Ended {
        /// The way, as a phrase that follows "it": `ended with status 1`.
        how: String,
        /// Its last line on stderr.
        said: Option<String>,
    },
    /// Its answer has more bytes than it may.
    TooLong(u64),
    /// It wrote more than one line for one request.
    MoreThanOneLine,
    /// It wrote something else than the empty lines around its call.
    NoTurn,
    /// Its answer is not UTF-8.
    NotText,
}

/// Writes a message.
pub(crate) fn write<M: Serialize>(socket: &mut impl Write, message: &M) -> io::Result<()> {
    let mut bytes = vec![0; LENGTH_BYTES];
    bytes = postcard::to_extend(message, bytes).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len() - LENGTH_BYTES).map_err(io::Error::other)?;
    bytes[..LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
    socket.write_all(&bytes)
}

/// Reads a message; `None` at the end.
pub(crate) fn read<M: DeserializeOwned>(socket: &mut impl Read) -> io::Result<Option<M>> {
    let mut length = [0; LENGTH_BYTES];
    match socket.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > MESSAGE_BYTES_MAX {
        return Err(io::Error::other("a message that is too long"));
    }
    let mut bytes = Vec::new();
    socket.take(length as u64).read_to_end(&mut bytes)?;
    postcard::from_bytes(&bytes)
        .map(Some)
        .map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let mut bytes = Vec::new();
        write(&mut bytes, &ToHost::Call("[1]".to_owned())).unwrap();
        write(&mut bytes, &ToHost::End).unwrap();
        let mut rest = &bytes[..];
        let call = Some(ToHost::Call("[1]".to_owned()));
        assert_eq!(read::<ToHost>(&mut rest).unwrap(), call);
        assert_eq!(read::<ToHost>(&mut rest).unwrap(), Some(ToHost::End));
        assert_eq!(read::<ToHost>(&mut rest).unwrap(), None);
        // Nothing is held for a length alone.
        assert!(read::<ToHost>(&mut &[0xff_u8, 0xff, 0xff, 0x7f][..]).is_err());
        assert!(read::<ToHost>(&mut &[9_u8, 0, 0, 0, 2][..]).is_err());
    }
}
