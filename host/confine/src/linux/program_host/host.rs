//! The child in which a program runs: it starts it, passes requests on, and measures what each takes.

use super::filter;
use super::running_program::RunningProgram;
use crate::frames::Frames;
use crate::job::Role;
use crate::linux::sockets;
use crate::program::protocol::{self, HostSetup, OfHost, ProgramFailure, ProgramStart, ToHost};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::Command;

/// The role of a host of programs.
pub const PROGRAM_HOST: Role = Role {
    name: "program",
    before_fence: Role::nothing,
    run,
};

/// A host at work.
struct Host {
    setup: HostSetup,
    start: Option<ProgramStart>,
    running: Option<RunningProgram>,
}

fn run(payload: &[u8], _: &mut Frames) -> Result<(), String> {
    let setup = postcard::from_bytes(payload).map_err(|error| error.to_string())?;
    let socket = sockets::next_socket().ok_or("nobody asks for a program")?;
    let mut socket = File::from(socket);
    let mut host = Host {
        setup,
        start: None,
        running: None,
    };
    let failed = |error: io::Error| error.to_string();
    while let Some(asked) = protocol::read::<ToHost>(&mut socket).map_err(failed)? {
        let answer = host.serve(asked).unwrap_or_else(OfHost::Failed);
        protocol::write(&mut socket, &answer).map_err(failed)?;
    }
    Ok(())
}

impl Host {
    fn serve(&mut self, asked: ToHost) -> Result<OfHost, ProgramFailure> {
        match asked {
            ToHost::Load(start) => {
                self.start = Some(start);
                Ok(OfHost::Done)
            }
            ToHost::Start => {
                self.running = Some(self.start_anew()?);
                Ok(OfHost::Done)
            }
            ToHost::Call(line) => {
                let mut running = match self.running.take() {
                    Some(running) => running,
                    None => self.start_anew()?,
                };
                let answer = running.call(&line, self.loaded()?.answer_bytes_max)?;
                self.running = Some(running);
                Ok(OfHost::Answered(answer))
            }
            ToHost::End => {
                let peak_bytes = self.running.take().map_or(0, RunningProgram::end);
                // What it keeps in files, it keeps in memory.
                let own = self.start.iter().flat_map(|start| &start.files);
                let own: u64 = own.map(|file| file.bytes.len() as u64).sum();
                let written = bytes_in(&self.setup.folder).saturating_sub(own);
                Ok(OfHost::Ended {
                    peak_bytes: peak_bytes.saturating_add(written),
                })
            }
        }
    }

    fn loaded(&self) -> Result<&ProgramStart, ProgramFailure> {
        let missing = || ProgramFailure::NotStarted("it is not loaded".to_owned());
        self.start.as_ref().ok_or_else(missing)
    }

    /// Ends the program, if it runs, and starts it in a folder that has its files and nothing else.
    fn start_anew(&mut self) -> Result<RunningProgram, ProgramFailure> {
        self.running = None;
        let start = self.loaded()?;
        lay_out(&self.setup.folder, start).map_err(|error| {
            ProgramFailure::NotStarted(format!("its files cannot be written: {error}"))
        })?;
        let own = self.setup.folder.join(&start.file);
        let program = self.setup.interpreter.as_ref().unwrap_or(&own);
        let mut command = Command::new(program);
        let folder = &self.setup.folder;
        command
            .args(start.command.iter().skip(1))
            .current_dir(folder)
            .env_clear()
            .env("PATH", &self.setup.path)
            .env("HOME", folder)
            .env("TMPDIR", folder)
            .env("LANG", "C.UTF-8")
            // Whoever forgets to flush would wait for ever.
            .env("PYTHONUNBUFFERED", "1");
        filter::around(&mut command).map_err(ProgramFailure::NotStarted)?;
        RunningProgram::start(&mut command, start.timing)
    }
}

/// Returns the bytes of all files in a folder. Where it cannot be read, they are not counted: its files belong to the
/// program.
fn bytes_in(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes_in(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    bytes.sum()
}

/// Empties a folder, and writes the program's files into it.
fn lay_out(folder: &Path, start: &ProgramStart) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    for file in &start.files {
        let path = folder.join(&file.path);
        if let Some(above) = path.parent() {
            fs::create_dir_all(above)?;
        }
        let mode = if file.path == start.file {
            0o700
        } else {
            0o600
        };
        let mut made = OpenOptions::new();
        let mut made = made.write(true).create_new(true).mode(mode).open(&path)?;
        made.write_all(&file.bytes)?;
    }
    Ok(())
}
