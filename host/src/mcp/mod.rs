//! bakeoff for coding agents: a server of the Model Context Protocol on stdin and stdout.
//!
//! An agent gives sources, or names a folder below a root that the user gave. Each call becomes a
//! command of this same binary, as a person would run it, so that both have the same answers and the
//! same fences. An agent can choose no option that loosens them.

mod agent_commands;
mod answer;
mod arguments;
mod child;
mod commands;
mod consent;
mod error;
mod fence;
mod generating_arguments;
mod generating_commands;
mod generation_answer;
mod limits;
mod message_line;
mod outcome;
mod progress;
mod prompts;
mod roots;
mod run_answer;
mod runs;
mod series_answer;
mod server;
mod short_calls;
mod tools;
mod transport;
mod workspace;

pub use consent::Consent;
pub use fence::missing as missing_fence;
pub use limits::limits;
pub(crate) use message_line::{CommandError, MessageLine};
pub use prompts::PARALLEL_EXPERIMENT_TEXT;

use roots::Roots;
use runs::Runs;
use server::Server;
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use transport::{Ends, Lines};

/// The longest wait for the last answers to be written, at the end.
const LAST_ANSWERS_WAIT_MAX: Duration = Duration::from_secs(2);

/// Returns the names of the tools.
pub fn tool_names() -> Vec<&'static str> {
    tools::ToolName::ALL.map(tools::ToolName::name).to_vec()
}

/// Reads a line as a request of a client, as the server does. Returns the message to the client if the request is
/// refused. For fuzz targets.
pub fn refusal(line: &[u8]) -> Option<String> {
    transport::refusal(line)
}

/// Returns the names of the tools that are offered only with leave to ask a model.
pub fn tools_that_ask() -> Vec<&'static str> {
    let asking = tools::ToolName::ALL.into_iter();
    let asking = asking.filter(|tool| tool.asks_a_model());
    asking.map(tools::ToolName::name).collect()
}

/// Serves one client until it closes stdin, or until this process is asked to end. All runs are ended
/// then, and their folders are removed. With consent, agents may have a model asked.
///
/// # Errors
/// A root cannot be opened, or the client does not begin as the protocol says.
pub async fn serve(roots: &[PathBuf], consent: Option<Consent>) -> io::Result<()> {
    let roots = Roots::open(roots)?;
    bakeoff_files::remove_abandoned();
    let runs = Arc::new(Runs::default());
    let input = io::BufReader::new(io::stdin());
    let (lines, Ends { read, written }) = Lines::start(input, io::stdout())?;
    let server = Server::new(roots, Arc::clone(&runs), consent);
    let has_ended = read.clone();
    let serving = async {
        let service = rmcp::serve_server(server, lines).await;
        service.map_err(io::Error::other)?.waiting().await?;
        io::Result::Ok(())
    };
    let mut serving = pin!(serving);
    let served = tokio::select! {
        served = &mut serving => Some(served),
        () = closed(read) => None,
        asked = asked_to_end() => {
            asked?;
            runs.end().await;
            return Ok(());
        }
    };
    // Calls that wait for a run are answered now.
    runs.end().await;
    let last_answers = async {
        let served = match served {
            Some(served) => served,
            None => serving.await,
        };
        let _ = written.await;
        served
    };
    // A client that does not read any more is not waited for, and one that goes away may do so at any time.
    let served = tokio::time::timeout(LAST_ANSWERS_WAIT_MAX, last_answers).await;
    match served {
        Ok(Err(error)) if !*has_ended.borrow() => Err(error),
        _ => Ok(()),
    }
}

async fn closed(mut read: watch::Receiver<bool>) {
    let _ = read.wait_for(|closed| *closed).await;
}

async fn asked_to_end() -> io::Result<()> {
    let [mut terminate, mut interrupt, mut hang_up] = [
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
        signal(SignalKind::hangup())?,
    ];
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hang_up.recv() => {}
    }
    Ok(())
}
