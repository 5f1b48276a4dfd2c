//! A server of NATS that lives as long as the bench.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, io};

/// The time in which the server must answer.
const START_MAX: Duration = Duration::from_secs(20);

/// A server with a store in a temporary folder.
pub(crate) struct NatsServer {
    process: Child,
    port: u16,
    _store: tempfile::TempDir,
}

impl NatsServer {
    /// Starts a server; `None` if there is no program for it.
    ///
    /// # Errors
    /// It does not start.
    pub(crate) fn start() -> io::Result<Option<Self>> {
        let Some(program) = program() else {
            return Ok(None);
        };
        let store = tempfile::tempdir()?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let process = Command::new(program)
            .args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"])
            .arg(store.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let server = Self {
            process,
            port,
            _store: store,
        };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if began.elapsed() > START_MAX {
                return Err(io::Error::other("the server of NATS does not answer"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(Some(server))
    }

    /// Returns the address of a team at this server.
    pub(crate) fn address(&self, team: &str) -> String {
        format!("nats://127.0.0.1:{}/{team}", self.port)
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn program() -> Option<PathBuf> {
    if let Some(named) = env::var_os("NATS_SERVER") {
        return Some(PathBuf::from(named));
    }
    let path = env::var_os("PATH")?;
    let mut programs = env::split_paths(&path).map(|folder| folder.join("nats-server"));
    programs.find(|program: &PathBuf| Path::is_file(program))
}
