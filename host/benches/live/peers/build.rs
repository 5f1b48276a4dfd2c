//! Building the tools: a package of their own in cargo's target folder, and hyperfine as a program.

use super::tools::Tool;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The version of hyperfine that is installed if there is none.
const HYPERFINE: &str = "1.20.0";

/// The tools that are available, and those that are not.
pub(super) struct Peers {
    pub(super) tools: Vec<Tool>,
    /// The names of the missing tools, each with the reason.
    pub(super) missing: Vec<(&'static str, String)>,
}

impl Peers {
    /// Builds every tool that can be built.
    pub(super) fn build() -> Self {
        let (mut tools, mut missing) = (Vec::new(), Vec::new());
        let mut programs = BTreeMap::new();
        for (name, target, kind) in [
            ("criterion", "criterion", "--bench"),
            ("divan", "divan", "--bench"),
            ("tango", "tango", "--bench"),
            ("zenbench", "zen", "--bench"),
            ("hyperfine", "peers", "--bin"),
        ] {
            match program(kind, target) {
                Ok(file) => drop(programs.insert(name, file)),
                Err(reason) => missing.push((name, reason)),
            }
        }
        for (name, file) in programs {
            let tool = match name {
                "criterion" => Ok(Tool::Criterion(file)),
                "divan" => Ok(Tool::Divan(file)),
                "tango" => Ok(Tool::Tango(file)),
                "zenbench" => Ok(Tool::Zenbench(file)),
                _ => hyperfine().map(|hyperfine| Tool::Hyperfine {
                    hyperfine,
                    program: file,
                }),
            };
            match tool {
                Ok(tool) => tools.push(tool),
                Err(reason) => missing.push((name, reason)),
            }
        }
        Self { tools, missing }
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.stdin(Stdio::null());
    cargo.env("CARGO_TARGET_DIR", folder("peers"));
    cargo
}

/// Builds one target of the package, and returns its path.
fn program(kind: &str, target: &str) -> Result<PathBuf, String> {
    let output = cargo()
        .args(["build", "--release", "--message-format=json", kind, target])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers"))
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err(first_error(&output.stderr));
    }
    let messages = output.stdout.split(|byte| *byte == b'\n');
    let messages = messages.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let mut files = messages
        .filter(|message| message["target"]["name"] == target)
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from));
    files.next().ok_or("cargo built no program".to_owned())
}

/// Returns hyperfine's path: in the search path, or installed in cargo's target folder.
fn hyperfine() -> Result<PathBuf, String> {
    let found = Command::new("hyperfine").arg("--version").output();
    if found.is_ok_and(|output| output.status.success()) {
        return Ok("hyperfine".into());
    }
    let root = folder("hyperfine");
    let file = root.join("bin/hyperfine");
    if file.exists() {
        return Ok(file);
    }
    let output = cargo()
        .args(["install", "hyperfine", "--locked", "--version", HYPERFINE])
        .args([Path::new("--root"), &root])
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    match output.status.success() {
        true => Ok(file),
        false => Err(first_error(&output.stderr)),
    }
}

fn first_error(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let error = said.lines().find(|line| line.starts_with("error"));
    error.unwrap_or("cargo failed").to_owned()
}
