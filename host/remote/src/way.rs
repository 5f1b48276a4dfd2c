//! The way to the machine on which a command is to run.

use super::connection::Connection;
use super::container::Container;
use super::error::RemoteError;
use super::ssh::Ssh;
use super::stderr::OnStderr;
use super::target::RemoteTarget;
use std::path::Path;

/// Connects to a machine, and starts the program there with an argument: `binary`, or this program. `on_news` is told
/// what takes long, and `on_stderr` what the program that connects says.
///
/// # Errors
/// What connects is not installed, or the machine or the program there cannot be had.
pub async fn connect(
    target: &RemoteTarget,
    binary: Option<&Path>,
    argument: &str,
    on_news: &mut dyn FnMut(&str),
    on_stderr: OnStderr,
) -> Result<Connection, RemoteError> {
    match target {
        RemoteTarget::Ssh(target) => {
            let way = Ssh::new(target, binary, on_stderr)?;
            way.connect(argument, on_news).await
        }
        RemoteTarget::Container(target) => {
            let way = Container::new(target, binary, on_stderr)?;
            way.connect(argument).await
        }
    }
}
