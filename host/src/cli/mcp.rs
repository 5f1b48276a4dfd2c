//! `bakeoff mcp`: a server for coding agents.

use super::Status;
use super::failure::Failure;
use super::models::ModelArguments;
use bakeoff_render::escape::Plain;
use clap::Args;
use std::io::ErrorKind;
use std::path::PathBuf;

/// Serves coding agents on stdin and stdout, by the Model Context Protocol
///
/// Agents compare sources that they give inline; files and folders only below a --root. All that runs
/// is confined, and nothing an agent says can change that. No model is asked, unless --generate allows it.
/// docs/agents.md has the set-up of clients.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff mcp                                     sources inline, and roots of the client
  bakeoff mcp --root .                            also experiments and reports below this folder
  bakeoff mcp --root . --generate --provider anthropic --model claude-sonnet-5-5 --usd 1
                                                  also approaches of that model, for 1 US dollar in all
  claude mcp add bakeoff -- bakeoff mcp --root .

Ends when its client closes stdin; all runs are ended then, and their temporary files are removed.")]
pub(super) struct Arguments {
    /// A folder that agents may name, with all below it; may be given for several. Without any, the
    /// roots that the client sends, if it does
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<PathBuf>,
    /// Let agents have a model asked, with the tools generate and explore; --usd and --tokens are the most of all calls
    /// of this server
    #[arg(long, requires = "provider")]
    generate: bool,
    #[command(flatten)]
    model: ModelArguments,
}

pub(super) async fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let consent = match (arguments.generate, arguments.model.is_named()) {
        (true, _) => Some(arguments.model.consent()?),
        (false, false) => None,
        (false, true) => {
            return Err(Failure::usage(
                "a model is named, and no leave is given to ask it: add --generate",
            ));
        }
    };
    if !cfg!(target_os = "linux") {
        return Err(Failure::usage(
            "this system has no fences for the commands of agents (Landlock and seccomp are Linux's): let the agent's client \
             start the server on a Linux machine, with `ssh HOST bakeoff mcp`",
        ));
    }
    if let Some(why) = crate::mcp::missing_fence() {
        // stdout is the client's.
        anstream::eprintln!(
            "the commands of agents run without a fence of files around them, as this machine has none: {}. What \
             they build and run has fences of its own, or is refused",
            Plain(&why)
        );
    }
    match crate::mcp::serve(&arguments.roots, consent).await {
        Ok(()) => Ok(Status::Done),
        Err(error) if error.kind() == ErrorKind::Other => Err(Failure::infrastructure(error)),
        Err(error) => Err(Failure::usage(error.to_string())),
    }
}
