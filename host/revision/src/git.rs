//! Commands of git that the child runs: those that read objects, and nothing else.

use super::own_settings;
use super::protocol::{GitTask, is_id};
use bakeoff_confine::kill_with_parent;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The most bytes that are read of a message of git.
const MESSAGE_BYTES_MAX: u64 = 4 << 10;
/// The most bytes of a line of it that are shown.
const SHOWN_BYTES_MAX: usize = 300;
/// The longest name of a format in a repository's settings, in bytes.
const FORMAT_BYTES_MAX: u64 = 64;
/// Digits of an id by SHA-256.
const SHA256_DIGITS: usize = 64;
/// The longest line before an object, in bytes.
const HEADER_BYTES_MAX: u64 = 256;

/// Settings that stand above those of the repository: nothing of it is run, and nothing is fetched. The bounds on memory
/// are for packs of any size.
const SETTINGS: [&str; 9] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.alternateRefsCommand=",
    "core.packedGitWindowSize=64m",
    "core.packedGitLimit=512m",
    "credential.helper=",
    "protocol.allow=never",
    // The user may well own the folder through a group, or as root of a container.
    "safe.directory=*",
    "uploadpack.packObjectsHook=",
];

/// The environment of git.
const ENVIRONMENT: [(&str, &str); 13] = [
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("HOME", "/"),
    ("LC_ALL", "C"),
    ("PATH", "/usr/bin:/bin"),
];

/// Returns a command of git on the repository of a task, with [settings of our own](own_settings).
pub(super) fn command(task: &GitTask, arguments: &[&str]) -> Command {
    let mut command = bare_command(task);
    command
        .arg("--git-dir")
        .arg(&task.git_dir)
        .args(arguments)
        .env("GIT_COMMON_DIR", &task.settings);
    command
}

/// Gives a command of git the settings that stand above those of a repository, and an environment of ours alone. Nothing
/// that a repository names is run then, but what its own settings say of filters: a caller sees to it that git reads none
/// of them.
pub fn git_command_line(command: &mut Command) {
    command.arg("--no-pager");
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command.env_clear().envs(ENVIRONMENT);
}

/// Returns a command of git on no repository.
fn bare_command(task: &GitTask) -> Command {
    let mut command = Command::new(&task.git);
    git_command_line(&mut command);
    command
        .current_dir(&task.tree)
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    kill_with_parent(&mut command);
    command
}

/// Output of a command of git.
pub(super) struct GitOutput {
    pub(super) succeeded: bool,
    pub(super) stdout: Vec<u8>,
    /// The line of its message that says why it ended, without what would act on a terminal; empty if it said nothing.
    pub(super) said: String,
}

/// Runs a command of git, of whose output up to so many bytes are read.
///
/// # Errors
/// Git cannot be started, or writes more.
pub(super) fn output(
    task: &GitTask,
    arguments: &[&str],
    bytes_max: u64,
) -> io::Result<Option<GitOutput>> {
    output_of(command(task, arguments), bytes_max)
}

/// Writes the settings of our own: how the repository stores objects and names, and nothing else of what it sets.
///
/// # Errors
/// Git cannot be run, its settings cannot be read, or ours not be written.
pub(super) fn write_settings(task: &GitTask) -> Result<(), String> {
    let unwritten = |error: io::Error| format!("its settings cannot be read: {error}");
    let mut formats = Vec::new();
    for (name, values) in own_settings::FORMATS {
        let mut command = bare_command(task);
        command
            .args(["config", "--no-includes", "--file"])
            .arg(task.common_dir.join(own_settings::FILE))
            .args(["--get", &format!("extensions.{name}")])
            // There is none: no other settings are looked for.
            .env("GIT_DIR", "/dev/null");
        let found = output_of(command, FORMAT_BYTES_MAX).map_err(unwritten)?;
        let found = found.ok_or("its settings name an unknown format")?;
        if !found.said.is_empty() {
            return Err(format!("git says: {}", found.said));
        }
        let value = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        if values.contains(&&*value) {
            formats.push((name, value));
        } else if found.succeeded {
            return Err(format!(
                "its settings name {value:?} as {name}, which is not known here"
            ));
        }
    }
    let file = task.settings.join(own_settings::FILE);
    std::fs::write(file, own_settings::text(&formats)).map_err(unwritten)
}

fn output_of(mut command: Command, bytes_max: u64) -> io::Result<Option<GitOutput>> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let said = message_of(&mut child);
    let mut stdout = Vec::new();
    if let Some(pipe) = child.stdout.take() {
        pipe.take(bytes_max + 1).read_to_end(&mut stdout)?;
    }
    if stdout.len() as u64 > bytes_max {
        let _ = child.kill();
        let _ = child.wait();
        return Ok(None);
    }
    let status = child.wait()?;
    Ok(Some(GitOutput {
        succeeded: status.success(),
        stdout,
        said: said.join().unwrap_or_default(),
    }))
}

/// Reads the message of git beside its output.
fn message_of(child: &mut Child) -> std::thread::JoinHandle<String> {
    let pipe = child.stderr.take();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe
                .by_ref()
                .take(MESSAGE_BYTES_MAX)
                .read_to_end(&mut bytes);
            // Git waits while nobody reads.
            let _ = io::copy(&mut pipe, &mut io::sink());
        }
        reason(&String::from_utf8_lossy(&bytes))
    })
}

/// Returns the line of a message that says why git ended, or else its first: warnings may stand before it. The word at
/// its begin is left out, and what would act on a terminal escaped.
fn reason(message: &str) -> String {
    let behind = |begin: &str| message.lines().find_map(|line| line.strip_prefix(begin));
    let first = || message.lines().next().unwrap_or_default();
    let line = ["fatal: ", "error: "].into_iter().find_map(behind);
    let mut shown = String::new();
    for c in line.unwrap_or_else(first).chars() {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown.truncate(shown.floor_char_boundary(SHOWN_BYTES_MAX));
    shown
}

/// Objects of a repository, read one after the other by one process of git.
pub(super) struct Objects {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Objects {
    pub(super) fn open(task: &GitTask) -> io::Result<Self> {
        let mut child = command(task, &["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let missing = || io::Error::other("a pipe is missing");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        Ok(Self {
            child,
            stdin,
            stdout,
        })
    }

    /// Returns the contents of a file, or `None` if the repository lacks it. Git does not look whether an object that it
    /// prints is the one that its id stands for, so that is done here.
    ///
    /// # Errors
    /// Git ended, or the object is larger, no file, or another one.
    pub(super) fn read(&mut self, id: &str, bytes_max: u64) -> io::Result<Option<Vec<u8>>> {
        if !is_id(id) {
            return Err(io::Error::other("an object without an id"));
        }
        writeln!(self.stdin, "{id}")?;
        self.stdin.flush()?;
        let mut header = Vec::new();
        self.stdout
            .by_ref()
            .take(HEADER_BYTES_MAX)
            .read_until(b'\n', &mut header)?;
        let header = String::from_utf8_lossy(&header);
        let words: Vec<&str> = header.split_whitespace().collect();
        let bytes = match words.as_slice() {
            [named, "blob", bytes] if *named == id => bytes.parse::<u64>().ok(),
            [_, "missing"] => return Ok(None),
            _ => None,
        };
        let bytes = bytes
            .filter(|bytes| *bytes <= bytes_max)
            .ok_or_else(|| io::Error::other("git answered with another object"))?;
        let mut contents = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX)];
        self.stdout.read_exact(&mut contents)?;
        let mut end = [0];
        self.stdout.read_exact(&mut end)?;
        if id_of_file(id.len(), &contents) == id {
            Ok(Some(contents))
        } else {
            Err(io::Error::other(
                "the repository has other contents under its id, which `git fsck` names",
            ))
        }
    }

    /// Ends the process.
    pub(super) fn close(mut self) {
        drop(self.stdin);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the id of a file with these contents, of so many digits: by SHA-1, or by SHA-256.
fn id_of_file(digits: usize, contents: &[u8]) -> String {
    fn digest<D: Digest>(contents: &[u8]) -> Vec<u8> {
        let head = format!("blob {}\0", contents.len());
        D::new()
            .chain_update(head)
            .chain_update(contents)
            .finalize()
            .to_vec()
    }
    let digest = if digits == SHA256_DIGITS {
        digest::<Sha256>(contents)
    } else {
        digest::<Sha1>(contents)
    };
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_file_is_that_of_git() {
        // `printf 'a\n' | git hash-object --stdin`, in a repository of each format.
        let (sha1, sha256) = (id_of_file(40, b"a\n"), id_of_file(64, b"a\n"));
        assert_eq!(sha1, "78981922613b2afb6025042ff6bd878ac1994e85");
        assert_eq!(
            sha256,
            "f8625e43f9e04f24291f77cdbe4c71b3c2a3b0003f60419b3ed06a058d766c8b"
        );
    }

    #[test]
    fn a_message_is_one_line_that_acts_on_no_terminal() {
        assert_eq!(
            reason("fatal: bad \u{1b}[31mobject\nmore"),
            "bad \\u{1b}[31mobject"
        );
        assert_eq!(reason(""), "");
        assert_eq!(reason(&"ä".repeat(400)).len(), 300);
    }

    #[test]
    fn the_reason_stands_behind_warnings_and_errors() {
        let said = "warning: refname 'a' is ambiguous.\nerror: bad object\nfatal: Not a commit";
        assert_eq!(reason(said), "Not a commit");
        assert_eq!(reason("warning: x\nerror: bad object\n"), "bad object");
        assert_eq!(reason("warning: x\ny"), "warning: x");
    }
}
