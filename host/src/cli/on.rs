//! `bakeoff --on ssh:HOST COMMAND`: runs a command on another machine or in a container, and brings back what it wrote.

use super::failure::Failure;
use super::on_printer::Printer;
use super::{Status, resume_command};
use bakeoff_domain::language::Language;
use bakeoff_files::{Folder, FolderEntryKind};
use bakeoff_remote::{
    NamedFiles, OnStderr, RemoteCommand, RemoteError, RemoteOutcome, RemoteTarget, ReturnedFiles,
    Stream, plain_path,
};
use bakeoff_render::escape::Plain;
use clap::parser::ValueSource;
use clap::{Arg, Args, Command};
use std::any::TypeId;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The commands that can be run on another machine: what they need are files, and what they leave are files.
const COMMANDS: [&str; 9] = [
    "archive", "build", "check", "compare", "doctor", "evolve", "run", "vendor", "verify",
];

/// Options, by their names in code, of files that a command writes.
const OUTPUTS: [&str; 4] = ["out", "output", "save_case", "save_inputs"];

/// Options whose paths lead to something of the machine that the command runs on.
const OF_THE_MACHINE: [&str; 1] = ["cache_dir"];

/// Ending of an experiment's file, and the folder of its results beside it.
const EXPERIMENT: &str = "toml";
const RESULTS: &str = ".bakeoff";

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
        let above = std::env::current_dir().map_err(Failure::infrastructure)?;
        let (mut files, mut wanted) = (NamedFiles::default(), ReturnedFiles::default());
        for path in &self.on_send {
            let path = relative(&above, path);
            if !folder.has(&path) {
                return Err(Failure::usage(format!(
                    "--on-send {}: there is no such file",
                    Plain(&path.display().to_string())
                )));
            }
            files.add(&folder, text(&path)?).map_err(failed)?;
        }
        let mut absolute = Vec::new();
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
            for named in matches.get_raw(id).into_iter().flatten().map(Path::new) {
                let path = relative(&above, named);
                if path != named {
                    absolute.push((text(named)?.to_owned(), text(&path)?.to_owned()));
                }
                if OUTPUTS.contains(&id) {
                    wanted
                        .outputs
                        .push(plain_path(text(&path)?).map_err(failed)?);
                }
                if !folder.has(&path) {
                    continue;
                }
                let may_be_experiment = argument.is_positional();
                for path in needed(&folder, &path, may_be_experiment) {
                    files.add(&folder, text(&path)?).map_err(failed)?;
                }
                if may_be_experiment {
                    let path = plain_path(text(&path)?).map_err(failed)?;
                    wanted.experiments.extend(experiment_of(&folder, &path));
                }
            }
        }
        let mut arguments = forwarded(std::env::args_os().skip(1), name, &absolute)?;
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
            wanted,
            again: resume_command::command(),
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

/// Returns a path below a folder as one from there. Any other path stays.
fn relative(folder: &Path, path: &Path) -> PathBuf {
    match path.strip_prefix(folder) {
        Ok(below) if below == Path::new("") => PathBuf::from("."),
        Ok(below) => below.to_owned(),
        Err(_) => path.to_owned(),
    }
}

/// Returns the folder of the experiment that a command names by a folder, a file or results of it.
fn experiment_of(folder: &Folder, path: &str) -> Option<String> {
    let names: Vec<&str> = path.split('/').collect();
    if let Some(at) = names.iter().position(|name| *name == RESULTS) {
        return Some(names[..at].join("/"));
    }
    let is_file = folder.open(path).is_ok();
    let is_experiment = is_file
        && Path::new(path)
            .extension()
            .is_some_and(|end| end == EXPERIMENT);
    match (is_experiment, path.rsplit_once('/')) {
        (true, Some((above, _))) => Some(above.to_owned()),
        (true, None) => Some(String::new()),
        (false, _) => (!is_file).then(|| path.to_owned()),
    }
}

/// Returns what a command needs that names a path: of an experiment's file the folder, of a source the files beside it
/// that end alike, which may be its modules.
fn needed(folder: &Folder, path: &Path, may_be_experiment: bool) -> Vec<PathBuf> {
    let above = path.parent().unwrap_or(Path::new(""));
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_experiment = may_be_experiment && extension == Some(EXPERIMENT);
    let mut needed = vec![path.to_owned()];
    if is_experiment {
        needed.push(Path::new(".").join(above));
    } else if Language::of(path).is_some() {
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

/// Returns the arguments of a command line without those of the way to the machine, which stand before the command. Behind
/// it, `absolute` paths become the relative ones that they are paired with.
fn forwarded(
    all: impl Iterator<Item = std::ffi::OsString>,
    command: &str,
    absolute: &[(String, String)],
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
        let found = absolute.iter().find_map(|(path, relative)| {
            let option = argument.strip_suffix(path.as_str())?;
            let is_path = option.is_empty() || option.starts_with('-');
            (is_path && !is_before).then(|| format!("{option}{relative}"))
        });
        is_before &= argument != command;
        kept.push(found.unwrap_or(argument));
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
    let files = |count: usize| match count {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    match (outcome.brought, &outcome.placed.aside) {
        (0, _) => {}
        (count, None) => notes.push(format!("{} came back from {host}", files(count))),
        (count, Some(folder)) => notes.push(format!(
            "note: what came back from {host}, {}, is in {folder}, since files here were changed meanwhile",
            files(count)
        )),
    }
    if let Some(folder) = &outcome.placed.before {
        notes.push(format!(
            "what it replaced or removed here is kept in {folder} until the next time"
        ));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_does_not_go_along_and_all_else_does() {
        let forwarded = |text: &str| {
            let arguments = text.split(' ').map(Into::into);
            let absolute = [
                ("/home/x".to_owned(), ".".to_owned()),
                ("/home/x/y".to_owned(), "y".to_owned()),
            ];
            forwarded(arguments, "run", &absolute).unwrap().join(" ")
        };
        for (all, kept) in [
            ("--on ssh:x run y --budget 1s", "run y --budget 1s"),
            (
                "--on=ssh:x --format json --on-send a run y --on",
                "--format json run y --on",
            ),
            ("-q --on-binary b --on ssh:run run run -v", "-q run run -v"),
            (
                "run /home/x --out=/home/x/y -o/home/x/y",
                "run . --out=y -oy",
            ),
            ("run /home/x/z a/home/x", "run /home/x/z a/home/x"),
        ] {
            assert_eq!(forwarded(all), kept, "{all}");
        }
    }

    #[test]
    fn any_file_of_an_experiment_stands_for_its_folder() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join("x/.bakeoff/x")).unwrap();
        for file in ["x/languages.toml", "x/a.rs", "x/policy.toml", "own.toml"] {
            std::fs::write(home.path().join(file), "").unwrap();
        }
        let folder = Folder::named_by_user(home.path()).unwrap();
        let needed = |path: &str, may_be| {
            let needed = super::needed(&folder, Path::new(path), may_be);
            let shown: Vec<String> = needed
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            shown.join(" ")
        };
        assert_eq!(needed("x/languages.toml", true), "x/languages.toml ./x");
        assert_eq!(needed("x/policy.toml", false), "x/policy.toml");
        for (path, experiment) in [
            ("x", Some("x")),
            ("", Some("")),
            ("x/languages.toml", Some("x")),
            ("own.toml", Some("")),
            ("x/.bakeoff/x", Some("x")),
            ("x/a.rs", None),
        ] {
            assert_eq!(
                experiment_of(&folder, path).as_deref(),
                experiment,
                "{path}"
            );
        }
        let here = |path: &str| {
            relative(Path::new("/home/x"), Path::new(path))
                .display()
                .to_string()
        };
        assert_eq!(here("/home/x/y/z"), "y/z");
        assert_eq!(here("/home/x"), ".");
        assert_eq!(here("/home/xy"), "/home/xy");
        assert_eq!(here("y"), "y");
    }

    #[test]
    fn one_file_is_one_file() {
        let target: RemoteTarget = "ssh:fast".parse().unwrap();
        let outcome = |brought| RemoteOutcome {
            brought,
            ..RemoteOutcome::default()
        };
        let notes = |brought| notes(&outcome(brought), &target, 0).join("\n");
        assert_eq!(notes(1), "1 file came back from fast");
        assert_eq!(notes(2), "2 files came back from fast");
        assert_eq!(notes(0), "");
    }
}
