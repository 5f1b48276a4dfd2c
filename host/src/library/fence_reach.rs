//! Reach of the user's commands behind a fence.

use bakeoff_confine::Network;
use bakeoff_programs::FenceReach;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Returns true if a folder holds the user's home.
pub(crate) fn holds_home(folder: &Path) -> bool {
    let home = home();
    // The system names folders without links.
    let target = home.as_ref().and_then(|home| home.canonicalize().ok());
    let mut homes = home.iter().chain(&target);
    homes.any(|home| home.starts_with(folder))
}

fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from)
}

/// Returns what commands can reach: the folders of PATH that hold nothing of the user's own, Rust's toolchains, the
/// variables of the environment `env`, and the paths `read`.
///
/// # Errors
/// There is no such variable, or nothing of such a name.
pub(crate) fn reach(
    network: Network,
    env: &[String],
    read: &[PathBuf],
) -> Result<FenceReach, String> {
    let mut variables: Vec<(String, OsString)> = Vec::new();
    for name in env {
        let value = std::env::var_os(name);
        let value =
            value.ok_or_else(|| format!("{name} is no variable of the environment here"))?;
        variables.push((name.clone(), value));
    }
    let mut readable = read.to_vec();
    if let Some(missing) = readable.iter().find(|path| !path.exists()) {
        return Err(format!(
            "there is nothing called {}, which commands behind a fence are to read",
            missing.display()
        ));
    }
    let working = std::env::current_dir().ok();
    let holds_working = |folder: &Path| {
        let working = working.as_ref();
        working.is_some_and(|working| working.starts_with(folder))
    };
    // Programs of PATH, but nothing that holds the user's own files.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let programs = std::env::split_paths(&path);
    readable
        .extend(programs.filter(|folder| {
            folder.is_absolute() && !holds_home(folder) && !holds_working(folder)
        }));
    // Rust's programs there are links to those of a toolchain.
    let toolchains = home().map(|home| home.join(".rustup"));
    if let Some(toolchains) = toolchains.filter(|folder| folder.is_dir())
        && !env.iter().any(|name| name == "RUSTUP_HOME")
    {
        variables.push((
            "RUSTUP_HOME".to_owned(),
            toolchains.clone().into_os_string(),
        ));
        readable.push(toolchains);
    }
    Ok(FenceReach {
        network,
        variables,
        readable,
    })
}
