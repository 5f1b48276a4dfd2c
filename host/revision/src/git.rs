//! In the child: commands of git that read objects, and nothing else.

use super::protocol::{GitTask, is_id};
use bakeoff_confine::kill_with_parent;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The most bytes that are read of a message of git.
const MESSAGE_BYTES_MAX: u64 = 4 << 10;
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

/// Returns a command of git on the repository of a task.
pub(super) fn command(task: &GitTask, arguments: &[&str]) -> Command {
    let mut command = Command::new(&task.git);
    command.arg("--no-pager");
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command
        .arg("--git-dir")
        .arg(&task.git_dir)
        .args(arguments)
        .env_clear()
        .envs(ENVIRONMENT)
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
    /// The first line of its message, without what would act on a terminal.
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
    let mut child = command(task, arguments).stdout(Stdio::piped()).spawn()?;
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
        first_line(&String::from_utf8_lossy(&bytes))
    })
}

/// Returns the first line of a message, without the word before it and without control characters.
fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let line = ["fatal: ", "error: "]
        .iter()
        .find_map(|begin| line.strip_prefix(begin))
        .unwrap_or(line);
    line.chars().filter(|c| !c.is_control()).take(300).collect()
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

    /// Returns the contents of a file, or `None` if the repository lacks it.
    ///
    /// # Errors
    /// Git ended, or the object is larger, or no file.
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
        Ok(Some(contents))
    }

    /// Ends the process.
    pub(super) fn close(mut self) {
        drop(self.stdin);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_that_acts_on_no_terminal() {
        assert_eq!(
            first_line("fatal: bad \u{1b}[31mobject\nmore"),
            "bad [31mobject"
        );
        assert_eq!(first_line(""), "");
    }
}
