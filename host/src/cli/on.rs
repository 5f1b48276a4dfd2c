//! `bakeoff --on ssh:HOST COMMAND`: runs a command on another machine or in a container, and brings back what it wrote.

use super::Status;
use super::failure::Failure;
use bakeoff_files::{Folder, FolderEntryKind};
use bakeoff_remote::{
    NamedFiles, OnStderr, RemoteCommand, RemoteError, RemoteOutcome, RemoteTarget, Stream,
    plain_path,
};
use bakeoff_render::escape::{Lines, Plain};
use clap::parser::ValueSource;
use clap::{Arg, Args, Command};
use std::any::TypeId;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The commands that can be run on another machine: what they need are files, and what they leave are files.
const COMMANDS: [&str; 7] = [
    "build", "check", "compare", "doctor", "evolve", "run", "verify",
];

/// Options, by their names in code, of files that a command writes.
const OUTPUTS: [&str; 4] = ["out", "output", "save_case", "save_inputs"];

/// Options whose paths lead to something of the machine that the command runs on.
const OF_THE_MACHINE: [&str; 1] = ["cache_dir"];

/// Name of an experiment's file.
const EXPERIMENT: &str = "bakeoff.toml";

/// Endings of sources, which may have modules or headers beside them.
const SOURCES: [&str; 5] = ["rs", "c", "cc", "cpp", "zig"];

/// The most entries of a folder that are looked through for such files.
const BESIDE_MAX: usize = 10_000;

/// Options of the way to another machine, which do not go there.
const WAYS: [&str; 3] = ["--on", "--on-send", "--on-binary"];

/// The command that serves at the far end.
pub(super) const FAR_END: &str = "far-end";

/// The way to another machine.
#[derive(Debug, Args)]
#[command(next_help_heading = "Another machine")]
pub(super) struct OnOptions {
    /// Run the command on another machine, which ssh reaches, or in a container of an image that is here
    /// (`container:IMAGE`): the files that it names go there, and what it writes comes back
    #[arg(long, value_name = "ssh:HOST|container")]
    on: Option<RemoteTarget>,
    /// More that the command reads there: a file or folder below this one
    #[arg(long, value_name = "PATH", requires = "on")]
    on_send: Vec<PathBuf>,
    /// The program of a release for that machine, if this one is not for its processor
    #[arg(long, value_name = "FILE", requires = "on")]
    on_binary: Option<PathBuf>,
}

impl OnOptions {
    /// Returns the machine on which the command is to run, if it is not this one.
    pub(super) fn machine(&self) -> Option<&RemoteTarget> {
        self.on.as_ref()
    }

    /// Runs the command of this process's command line on another machine; `own` is what the command line may be.
    pub(super) async fn run(
        &self,
        target: &RemoteTarget,
        quiet: bool,
        own: Command,
    ) -> Result<ExitCode, Failure> {
        let command = self.command(&own)?;
        let mut news = |text: &str| {
            if !quiet {
                anstream::eprintln!("{}", Plain(text));
            }
        };
        let mut interrupts = interrupts();
        let binary = self.on_binary.as_deref();
        let mut connection = tokio::select! {
            connection = bakeoff_remote::connect(target, binary, FAR_END, &mut news, on_stderr()) => connection.map_err(failed)?,
            _ = interrupts.recv() => return Err(Failure::interrupted("interrupted before the command was started there")),
        };
        let mut printer = Printer::default();
        let ended = {
            let pipes = connection.pipes();
            let mut on_output = |stream: Stream, text: &[u8]| printer.print(stream, text);
            bakeoff_remote::run(pipes, &command, &mut interrupts, &mut on_output).await
        };
        printer.finish();
        let outcome = match ended {
            Ok(outcome) => outcome,
            Err(error) => {
                connection.give_up().await;
                return Err(failed(error));
            }
        };
        connection.close().await;
        for note in notes(&outcome, target, command.files.left_out) {
            news(&note);
        }
        Ok(match outcome.status.map(u8::try_from) {
            Some(Ok(status)) => ExitCode::from(status),
            _ => Status::Infrastructure.into(),
        })
    }

    /// Returns the command of this process's command line, with the files that it names.
    fn command(&self, own: &Command) -> Result<RemoteCommand, Failure> {
        let matches = own.clone().get_matches();
        let named = matches
            .subcommand()
            .filter(|(name, _)| COMMANDS.contains(name));
        let named = named.and_then(|(name, inner)| Some((own.find_subcommand(name)?, name, inner)));
        let Some((declared, name, matches)) = named else {
            return Err(Failure::usage(format!(
                "--on is for {}; other commands have to be started on the other machine itself",
                COMMANDS.join(", ")
            )));
        };
        let folder = Folder::named_by_user(Path::new(".")).map_err(Failure::infrastructure)?;
        let (mut files, mut outputs) = (NamedFiles::default(), Vec::new());
        for path in &self.on_send {
            if !folder.has(path) {
                return Err(Failure::usage(format!(
                    "--on-send {}: there is no such file",
                    Plain(&path.display().to_string())
                )));
            }
            files.add(&folder, text(path)?).map_err(failed)?;
        }
        for argument in declared
            .get_arguments()
            .filter(|argument| takes_a_path(argument))
        {
            let id = argument.get_id().as_str();
            let is_of_user = matches!(
                matches.value_source(id),
                Some(ValueSource::CommandLine | ValueSource::DefaultValue)
            );
            if !is_of_user || OF_THE_MACHINE.contains(&id) {
                continue;
            }
            for path in matches.get_raw(id).into_iter().flatten().map(Path::new) {
                if OUTPUTS.contains(&id) {
                    outputs.push(plain_path(text(path)?).map_err(failed)?);
                } else if folder.has(path) {
                    for path in needed(&folder, path) {
                        files.add(&folder, text(&path)?).map_err(failed)?;
                    }
                }
            }
        }
        let mut arguments = forwarded(std::env::args_os().skip(1), name)?;
        let is_of_terminal = std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
        let is_default = matches.value_source("color") == Some(ValueSource::DefaultValue);
        let has_no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if is_of_terminal && is_default && !has_no_colour {
            arguments.insert(0, "--color=always".to_owned());
        }
        Ok(RemoteCommand {
            arguments,
            folder,
            files,
            outputs,
        })
    }
}

/// Serves one command that comes from another machine, on stdin and stdout.
pub(super) async fn serve_far_end() -> ! {
    let served = async {
        let program = std::env::current_exe()?;
        bakeoff_remote::serve(tokio::io::stdin(), tokio::io::stdout(), &program).await
    };
    // The near end is told of an error. Stdin is still being read, which a return would wait for.
    std::process::exit(i32::from(served.await.is_err()))
}

/// Returns true if the values of an argument are paths.
fn takes_a_path(argument: &Arg) -> bool {
    argument.get_value_parser().type_id() == TypeId::of::<PathBuf>()
}

/// Returns what a command needs that names a path: of an experiment's file the folder, of a source the files beside it
/// that end alike, which may be its modules.
fn needed(folder: &Folder, path: &Path) -> Vec<PathBuf> {
    let above = path.parent().unwrap_or(Path::new(""));
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_experiment = path.file_name().is_some_and(|name| name == EXPERIMENT);
    let is_source = extension.is_some_and(|extension| SOURCES.contains(&extension));
    let mut needed = vec![path.to_owned()];
    if is_experiment {
        needed.push(Path::new(".").join(above));
    } else if is_source {
        let beside = folder
            .below(above)
            .and_then(|above| above.entries(BESIDE_MAX));
        let beside = beside.ok().flatten().unwrap_or_default();
        let files = beside
            .into_iter()
            .filter(|entry| entry.kind == FolderEntryKind::File);
        let is_alike = |path: &PathBuf| {
            let other = path.extension().and_then(|other| other.to_str());
            other == extension || matches!(other, Some("h" | "hpp"))
        };
        needed.extend(files.map(|entry| above.join(entry.name)).filter(is_alike));
    }
    needed
}

fn text(path: &Path) -> Result<&str, Failure> {
    path.to_str().ok_or_else(|| {
        let shown = path.display().to_string();
        Failure::usage(format!("{}: its name is not UTF-8", Plain(&shown)))
    })
}

/// Returns the arguments of a command line without those of the way to the machine, which stand before the command.
fn forwarded(
    all: impl Iterator<Item = std::ffi::OsString>,
    command: &str,
) -> Result<Vec<String>, Failure> {
    let mut kept = Vec::new();
    let (mut is_before, mut skips) = (true, false);
    for argument in all {
        let argument = argument.into_string().map_err(|argument| {
            let shown = argument.display().to_string();
            Failure::usage(format!("{}: it is not UTF-8", Plain(&shown)))
        })?;
        if std::mem::take(&mut skips) {
            continue;
        }
        let name = argument.split('=').next().unwrap_or_default();
        if is_before && WAYS.contains(&name) {
            skips = name == argument;
            continue;
        }
        is_before &= argument != command;
        kept.push(argument);
    }
    Ok(kept)
}

/// Returns what shows the lines that the program that connects says, the other machine's among them.
fn on_stderr() -> OnStderr {
    Arc::new(|line| anstream::eprintln!("{}", Plain(line)))
}

/// Returns a queue in which each Ctrl-C stands.
fn interrupts() -> UnboundedReceiver<()> {
    let (sender, receiver) = unbounded_channel();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).is_ok() {}
    });
    receiver
}

/// Returns what is to be said of the files.
fn notes(outcome: &RemoteOutcome, target: &RemoteTarget, left_out: usize) -> Vec<String> {
    let host = target.name();
    let mut notes = Vec::new();
    if left_out > 0 {
        notes.push(format!(
            "note: {left_out} links, pipes or such were not sent"
        ));
    }
    match (outcome.brought, &outcome.aside) {
        (0, _) => {}
        (count, None) => notes.push(format!("{count} files came back from {host}")),
        (count, Some(folder)) => notes.push(format!(
            "note: the {count} files that came back from {host} are in {folder}, since files here were changed meanwhile"
        )),
    }
    if !outcome.left.is_empty() {
        notes.push(format!(
            "note: what was written elsewhere stayed there and is gone: {}",
            outcome.left.join(", ")
        ));
    }
    notes
}

fn failed(error: RemoteError) -> Failure {
    match error {
        RemoteError::File { .. } | RemoteError::TooMuch(_) => Failure::usage(error.to_string()),
        RemoteError::Interrupted => Failure::interrupted(error.to_string()),
        error => Failure::infrastructure(error),
    }
}

/// Prints what a command of another machine prints. A terminal gets lines with colours, and no other commands.
#[derive(Debug, Default)]
struct Printer {
    /// The beginning of a line that goes on, of each stream.
    pending: [Vec<u8>; 2],
}

impl Printer {
    fn print(&mut self, stream: Stream, text: &[u8]) {
        let pending = &mut self.pending[usize::from(stream == Stream::Stderr)];
        pending.extend(text);
        if let Some(end) = pending.iter().rposition(|byte| *byte == b'\n') {
            let lines: Vec<u8> = pending.drain(..=end).collect();
            write(stream, &lines);
        } else if pending.len() > LINE_BYTES_MAX {
            write(stream, &std::mem::take(pending));
        }
    }

    fn finish(&mut self) {
        for (stream, pending) in [Stream::Stdout, Stream::Stderr]
            .into_iter()
            .zip(&self.pending)
        {
            write(stream, pending);
        }
    }
}

/// The longest line that is held back until its end is there, in bytes.
const LINE_BYTES_MAX: usize = 1 << 20;

fn write(stream: Stream, text: &[u8]) {
    let (is_terminal, mut to): (bool, Box<dyn std::io::Write>) = match stream {
        Stream::Stdout => (
            std::io::stdout().is_terminal(),
            Box::new(anstream::stdout()),
        ),
        Stream::Stderr => (
            std::io::stderr().is_terminal(),
            Box::new(anstream::stderr()),
        ),
    };
    let written = if is_terminal {
        to.write_all(coloured(&String::from_utf8_lossy(text)).as_bytes())
    } else {
        to.write_all(text)
    };
    // Whoever reads it may have seen enough.
    let _ = written.and_then(|()| to.flush());
}

/// Returns a text in which only colours are commands for the terminal.
fn coloured(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        let (before, colour) = rest.split_at(at);
        shown += &Lines(before).to_string();
        let inner = colour[2..].find(|c: char| !c.is_ascii_digit() && c != ';');
        match inner.filter(|end| colour[2 + end..].starts_with('m')) {
            Some(end) => {
                let (colour, behind) = colour.split_at(end + 3);
                shown += colour;
                rest = behind;
            }
            None => {
                shown += &Lines(&colour[..2]).to_string();
                rest = &colour[2..];
            }
        }
    }
    shown + &Lines(rest).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_does_not_go_along_and_all_else_does() {
        let forwarded = |text: &str| {
            let arguments = text.split(' ').map(Into::into);
            forwarded(arguments, "run").unwrap().join(" ")
        };
        for (all, kept) in [
            ("--on ssh:x run y --budget 1s", "run y --budget 1s"),
            (
                "--on=ssh:x --format json --on-send a run y --on",
                "--format json run y --on",
            ),
            ("-q --on-binary b --on ssh:run run run -v", "-q run run -v"),
        ] {
            assert_eq!(forwarded(all), kept, "{all}");
        }
    }

    #[test]
    fn a_terminal_gets_colours_and_no_other_commands() {
        assert_eq!(
            coloured("\u{1b}[1;32mgood\u{1b}[0m\n"),
            "\u{1b}[1;32mgood\u{1b}[0m\n"
        );
        for hostile in [
            "\u{1b}[2J",
            "\u{1b}]0;title\u{7}",
            "a\rb",
            "\u{1b}[1",
            "\u{1b}[31\u{1b}[2Jm",
            "\u{202e}",
        ] {
            let shown = coloured(hostile);
            assert!(
                !shown.contains(['\u{1b}', '\r', '\u{7}', '\u{202e}']),
                "{shown:?}"
            );
        }
    }
}
