//! A runner's end: the host of a program, as the runner asks it.

use super::protocol::{self, MeasuredAnswer, OfHost, ProgramFailure, ProgramStart, ToHost};
use crate::system;
use std::fs::File;
use std::io;

/// The host of a program, as a runner asks it.
#[derive(Debug)]
pub struct ProgramLink {
    socket: File,
}

/// The reason why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// The program failed.
    #[error("the program failed")]
    Failed(ProgramFailure),
    /// The host is gone, or none was started.
    #[error("the host of the program is gone: {0}")]
    Lost(io::Error),
}

impl From<io::Error> for ProgramError {
    fn from(error: io::Error) -> Self {
        Self::Lost(error)
    }
}

impl ProgramLink {
    /// Takes the next host that the parent started beside this runner, and gives it a program.
    ///
    /// # Errors
    /// There is no other host, or it is gone.
    pub fn open(program: ProgramStart) -> Result<Self, ProgramError> {
        let socket = system::next_socket();
        let socket = socket.ok_or_else(|| io::Error::other("none was started"))?;
        let mut link = Self {
            socket: File::from(socket),
        };
        link.ask(&ToHost::Load(program))?;
        Ok(link)
    }

    /// Starts the program anew, without anything that it kept.
    ///
    /// # Errors
    /// It cannot be started, or the host is gone.
    pub fn start(&mut self) -> Result<(), ProgramError> {
        self.ask(&ToHost::Start).map(drop)
    }

    /// Passes a line on to the program, which is started if it does not run, and returns its answer.
    ///
    /// # Errors
    /// The program failed, and has been ended, or the host is gone.
    pub fn call(&mut self, line: String) -> Result<MeasuredAnswer, ProgramError> {
        match self.ask(&ToHost::Call(line))? {
            OfHost::Answered(answered) => Ok(answered),
            _ => Err(io::Error::other("it answered something else").into()),
        }
    }

    /// Ends the program, and returns the most memory that it had, in bytes: at least that of its host, from which it
    /// was started.
    ///
    /// # Errors
    /// The host is gone.
    pub fn end(&mut self) -> Result<u64, ProgramError> {
        match self.ask(&ToHost::End)? {
            OfHost::Ended { peak_bytes } => Ok(peak_bytes),
            _ => Err(io::Error::other("it answered something else").into()),
        }
    }

    fn ask(&mut self, asked: &ToHost) -> Result<OfHost, ProgramError> {
        protocol::write(&mut self.socket, asked)?;
        match protocol::read(&mut self.socket)? {
            Some(OfHost::Failed(failure)) => Err(ProgramError::Failed(failure)),
            Some(answer) => Ok(answer),
            None => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
    }
}
