//! Options on the fence around agents.

use crate::cli::failure::Failure;
use crate::cli::fence_reach;
use bakeoff_agents::FenceReach;
use bakeoff_confine::Network;
use clap::Args;
use std::path::PathBuf;

/// Options on the fence around agents.
#[derive(Debug, Args)]
pub(crate) struct FenceOptions {
    /// Let agents use the network
    #[arg(long)]
    network: bool,
    /// Variable of the environment that agents and verifications get, besides PATH, LANG and TERM
    #[arg(long, value_name = "VARIABLE")]
    env: Vec<String>,
    /// File or folder that agents and verifications may read and start programs of, besides the system's
    #[arg(long, value_name = "PATH")]
    read: Vec<PathBuf>,
}

impl FenceOptions {
    /// Returns what agents and verifications can reach.
    pub(crate) fn reach(&self) -> Result<FenceReach, Failure> {
        let network = if self.network {
            Network::Open
        } else {
            Network::Closed
        };
        fence_reach::reach(network, &self.env, &self.read)
    }
}
