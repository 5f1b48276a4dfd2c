//! Options on the fence around agents.

use crate::cli::failure::Failure;
use bakeoff_agents::Reach;
use bakeoff_confine::Network;
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Options on the fence around agents.
#[derive(Debug, Args)]
pub(super) struct FenceOptions {
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
    pub(super) fn reach(&self) -> Result<Reach, Failure> {
        let mut variables: Vec<(String, OsString)> = Vec::new();
        for name in &self.env {
            let value = std::env::var_os(name);
            let value = value.ok_or_else(|| {
                Failure::usage(format!("--env {name}: there is no such variable here"))
            })?;
            variables.push((name.clone(), value));
        }
        let mut readable = self.read.clone();
        if let Some(missing) = readable.iter().find(|path| !path.exists()) {
            return Err(Failure::usage(format!(
                "--read {}: there is nothing of that name",
                missing.display()
            )));
        }
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let working = std::env::current_dir().ok();
        let holds = |folder: &Path| {
            let own = [home.as_deref(), working.as_deref()];
            own.into_iter().flatten().any(|own| own.starts_with(folder))
        };
        // Programs of PATH, but nothing that holds the user's own files.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let programs = std::env::split_paths(&path);
        readable.extend(programs.filter(|folder| folder.is_absolute() && !holds(folder)));
        // Rust's programs there are links to those of a toolchain.
        let toolchains = home.map(|home| home.join(".rustup"));
        if let Some(toolchains) = toolchains.filter(|folder| folder.is_dir())
            && !self.env.iter().any(|name| name == "RUSTUP_HOME")
        {
            variables.push((
                "RUSTUP_HOME".to_owned(),
                toolchains.clone().into_os_string(),
            ));
            readable.push(toolchains);
        }
        Ok(Reach {
            network: if self.network {
                Network::Open
            } else {
                Network::Closed
            },
            variables,
            readable,
        })
    }
}
