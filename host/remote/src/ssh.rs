//! Connections by `ssh`, and the program at their far end.

use super::connection::{Connection, Connector, FirstAnswer};
use super::error::RemoteError;
use super::program::SentProgram;
use super::stderr::OnStderr;
use bakeoff_files::SearchPath;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Name of the program that connects.
const PROGRAM: &str = "ssh";

/// The word by which the far end's shell says that it has no such program; its system and processor follow.
const LACKS: &str = "bakeoff-lacks ";

/// The word by which it says that it has kept the program.
const KEPT: &str = "bakeoff-kept";

/// The machine that a user named: `ssh:HOST`, or `ssh://USER@HOST:PORT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshTarget(String);

impl SshTarget {
    /// Takes the name of a machine as `ssh` does; `None` if it could be something else.
    pub(crate) fn new(host: &str) -> Option<Self> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "@.-_:/[]%+".contains(c);
        // A name that begins with a dash would be an option of ssh.
        let is_host = !host.is_empty() && !host.starts_with('-') && host.chars().all(is_name);
        is_host.then(|| Self(host.to_owned()))
    }

    /// Returns the machine as `ssh` takes it.
    pub fn host(&self) -> &str {
        &self.0
    }
}

/// A way to another machine by `ssh`, whose program is kept there by its digest.
pub(crate) struct Ssh {
    connector: PathBuf,
    search_path: OsString,
    target: SshTarget,
    program: SentProgram,
    on_stderr: OnStderr,
}

impl Ssh {
    /// Finds `ssh`, and the program that is to run there: `binary`, or this one.
    ///
    /// # Errors
    /// There is no `ssh` on the user's search path, or the program cannot be read.
    pub(crate) fn new(
        target: &SshTarget,
        binary: Option<&Path>,
        on_stderr: OnStderr,
    ) -> Result<Self, RemoteError> {
        let path = SearchPath::of_user();
        let connector = path.find(PROGRAM).ok_or_else(|| {
            RemoteError::Start(
                "there is no `ssh` on the search path: install OpenSSH's client".to_owned(),
            )
        })?;
        Ok(Self {
            connector,
            search_path: path.to_variable(),
            target: target.clone(),
            program: SentProgram::new(binary)?,
            on_stderr,
        })
    }

    /// Connects, and sends the program first if the other machine lacks it. `on_news` is told what takes long.
    ///
    /// # Errors
    /// The connection or the program there cannot be had.
    pub(crate) async fn connect(
        &self,
        argument: &str,
        on_news: &mut dyn FnMut(&str),
    ) -> Result<Connection, RemoteError> {
        let connection = match self.attempt(argument).await? {
            Ok(connection) => return Ok(connection),
            Err(machine) => {
                self.program.check_runs_on(self.target.host(), &machine)?;
                on_news(&format!("{} gets this program, once", self.target.host()));
                self.send_program().await?;
                self.attempt(argument).await?
            }
        };
        connection.map_err(|_| {
            RemoteError::Start("the other machine did not keep the program".to_owned())
        })
    }

    /// Starts the program there. The inner error is the system and processor of a machine that lacks it.
    async fn attempt(&self, argument: &str) -> Result<Result<Connection, String>, RemoteError> {
        let script = format!(
            "f=\"${{XDG_CACHE_HOME:-$HOME/.cache}}/bakeoff-programs/{}\"; if [ -x \"$f\" ]; then exec \"$f\" {argument}; fi; \
             echo \"{LACKS}$(uname -sm)\"",
            self.program.digest
        );
        let (text, status) = match self.start(&script)?.first_answer(None).await? {
            FirstAnswer::FarEnd(connection) => return Ok(Ok(*connection)),
            FirstAnswer::Other(answer) => answer,
        };
        let lacks = text.lines().find_map(|line| line.strip_prefix(LACKS));
        match (lacks, status) {
            (Some(machine), _) => Ok(Err(machine.trim().to_owned())),
            (None, Some(0)) => Err(RemoteError::Start(format!(
                "{} answers with something else: {text:?}. Its shell must print nothing of its own where it is started by \
                 ssh with a command",
                self.target.host()
            ))),
            (None, _) => Err(RemoteError::Start(format!(
                "{} cannot be reached, or does not start the program; what ssh says of it stands above",
                self.target.host()
            ))),
        }
    }

    async fn send_program(&self) -> Result<(), RemoteError> {
        let digest = &self.program.digest;
        let script = format!(
            "umask 077; d=\"${{XDG_CACHE_HOME:-$HOME/.cache}}/bakeoff-programs\"; t=\"$d/new.$$\"; \
             mkdir -p \"$d\" && cat >\"$t\" && case \"$(sha256sum \"$t\")\" in {digest}*) chmod 700 \"$t\" && \
             mv \"$t\" \"$d/{digest}\" && echo {KEPT};; *) rm -f \"$t\"; echo half of it came;; esac"
        );
        let program = self.program.open()?;
        let (said, _) = self.start(&script)?.answer_to(program).await?;
        if said.lines().any(|line| line == KEPT) {
            return Ok(());
        }
        Err(RemoteError::Start(format!(
            "{} did not take the program: {:?}",
            self.target.host(),
            said.trim()
        )))
    }

    fn start(&self, script: &str) -> Result<Connector, RemoteError> {
        // Ctrl-C reaches all processes of a terminal, and must not end the connection through which it is passed on.
        let mut command = std::process::Command::new("/bin/sh");
        command
            .args(["-c", "trap '' INT; exec \"$0\" \"$@\""])
            .arg(&self.connector)
            .args(["-T", "-o", "ServerAliveInterval=15", "--"])
            .arg(self.target.host())
            .arg(format!("exec /bin/sh -c '{script}'"))
            .env("PATH", &self.search_path);
        Connector::start(command, PROGRAM, &self.on_stderr)
    }
}
