//! The user's Rust toolchain: where its compiler is, and what the compiler needs to run.

use super::order::Compiler;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// The target that prototypes are compiled for.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// A Rust toolchain that can compile for [`TARGET`].
#[derive(Clone, Debug)]
pub struct Toolchain {
    pub(super) compiler: Compiler,
    version: String,
    /// What a fenced compiler reads and executes: itself, its linker, and the shared libraries of
    /// both.
    pub(super) execute: Vec<PathBuf>,
    /// What it only reads: the standard library for the target.
    pub(super) read: Vec<PathBuf>,
}

/// Why there is no toolchain to build with.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// There is no compiler.
    #[error(
        "no Rust compiler: `{command}` {reason}; install Rust from https://rustup.rs, or set RUSTC"
    )]
    NoCompiler {
        /// What was tried.
        command: String,
        /// What came of it.
        reason: String,
    },
    /// The compiler has no standard library for the target, and it could not be added.
    #[error("the Rust toolchain {sysroot} has no target {TARGET}{tried}; {next}")]
    NoTarget {
        /// The toolchain.
        sysroot: String,
        /// What was tried, if anything.
        tried: String,
        /// The exact command that adds it.
        next: String,
    },
}

/// The programs that a toolchain is looked for with.
#[derive(Clone, Debug)]
struct Programs {
    rustc: OsString,
    /// What may add a target. `None`: nothing is changed.
    rustup: Option<OsString>,
}

impl Toolchain {
    /// Finds the toolchain that `rustc` stands for here: the one of the environment variable
    /// `RUSTC`, else the first on the path. Where the target is missing and rustup is there, adds
    /// it, after saying so by `say`.
    ///
    /// # Errors
    /// There is no compiler, or it lacks the target and that could not be added; the message holds
    /// the command that helps.
    pub async fn find(say: &mut (dyn FnMut(&str) + Send)) -> Result<Self, ToolchainError> {
        let programs = Programs {
            rustc: rustc(),
            rustup: Some("rustup".into()),
        };
        Self::find_with(&programs, say).await
    }

    /// The same toolchain as it is: a missing target is not added.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    pub async fn find_as_it_is() -> Result<Self, ToolchainError> {
        let programs = Programs {
            rustc: rustc(),
            rustup: None,
        };
        Self::find_with(&programs, &mut |_| ()).await
    }

    async fn find_with(
        programs: &Programs,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Self, ToolchainError> {
        let asked = ask(&programs.rustc, &["--print", "sysroot"]).await?;
        let sysroot = real(PathBuf::from(asked.trim()));
        let own = sysroot.join("bin/rustc");
        // Where the folder has no compiler of its own, the one that was asked is no shim.
        let rustc = if own.is_file() {
            own
        } else {
            PathBuf::from(&programs.rustc)
        };
        let version = ask(rustc.as_os_str(), &["-vV"]).await?;
        let libraries = target_libraries(&sysroot);
        if !has_core(&libraries) {
            add_target(programs, &sysroot, say).await?;
        }
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        let tools = sysroot
            .join("lib/rustlib")
            .join(host.unwrap_or_default())
            .join("bin");
        let mut execute = vec![rustc.clone(), tools.clone()];
        let programs = [rustc.clone(), tools.join("rust-lld")];
        for program in &programs {
            for library in shared_libraries(program).await {
                if !execute.contains(&library) {
                    execute.push(library);
                }
            }
        }
        if execute.len() == 2 {
            // Another kind of loader, which does not list what it loads: the folders it looks in.
            let folders = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"].map(PathBuf::from);
            execute.extend(folders.into_iter().filter(|folder| folder.exists()));
            execute.push(sysroot.join("lib"));
        }
        execute.retain(|path| path.exists());
        let cache = PathBuf::from("/etc/ld.so.cache");
        let read = [libraries, cache]
            .into_iter()
            .filter(|path| path.exists())
            .collect();
        Ok(Self {
            compiler: Compiler { rustc, sysroot },
            version,
            execute,
            read,
        })
    }

    /// The compiler's version, as `rustc -vV` writes it: several lines, with its commit and host.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The compiler itself: the toolchain's own `rustc`.
    pub fn rustc(&self) -> &Path {
        &self.compiler.rustc
    }
}

/// The compiler that this user means.
fn rustc() -> OsString {
    let named = std::env::var_os("RUSTC").filter(|name| !name.is_empty());
    named.unwrap_or_else(|| "rustc".into())
}

fn target_libraries(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib").join(TARGET).join("lib")
}

fn has_core(libraries: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(libraries) else {
        return false;
    };
    entries
        .flatten()
        .any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
}

async fn ask(program: &std::ffi::OsStr, arguments: &[&str]) -> Result<String, ToolchainError> {
    let failed = |reason: String| ToolchainError::NoCompiler {
        command: format!("{} {}", program.display(), arguments.join(" ")),
        reason,
    };
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .await;
    let output = output.map_err(|error| failed(format!("cannot be started ({error})")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or_default().trim();
        return Err(failed(format!("failed ({last})")));
    }
    String::from_utf8(output.stdout).map_err(|_| failed("answered with no text".to_owned()))
}

/// Adds the target by rustup, if the toolchain is one of rustup's.
async fn add_target(
    programs: &Programs,
    sysroot: &Path,
    say: &mut (dyn FnMut(&str) + Send),
) -> Result<(), ToolchainError> {
    let missing = |tried: &str, next: String| ToolchainError::NoTarget {
        sysroot: sysroot.display().to_string(),
        tried: tried.to_owned(),
        next,
    };
    let parent = sysroot.parent().and_then(Path::file_name);
    let name = sysroot
        .file_name()
        .filter(|_| parent.is_some_and(|name| name == "toolchains"));
    let Some(name) = name else {
        let next = format!(
            "install its standard library for {TARGET} as you installed the toolchain, or use one of https://rustup.rs"
        );
        return Err(missing("", next));
    };
    let name = name.display();
    let command = format!("rustup target add {TARGET} --toolchain {name}");
    let Some(rustup) = &programs.rustup else {
        return Err(missing("", format!("run `{command}`")));
    };
    say(&format!(
        "the Rust toolchain {name} lacks the target {TARGET}: running `{command}`"
    ));
    let added = Command::new(rustup)
        .args(["target", "add", TARGET, "--toolchain"])
        .arg(name.to_string())
        .stdin(Stdio::null())
        .output()
        .await;
    let tried = match added {
        Ok(_) if has_core(&target_libraries(sysroot)) => return Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rev().find(|line| !line.trim().is_empty());
            format!(
                ", and rustup could not add it ({})",
                last.unwrap_or_default().trim()
            )
        }
        Err(error) => format!(", and rustup could not be started ({error})"),
    };
    Err(missing(&tried, format!("run `{command}`")))
}

/// The shared libraries of a program and the loader itself, as glibc's loader lists them instead
/// of running the program.
async fn shared_libraries(program: &Path) -> Vec<PathBuf> {
    let listing = Command::new(program)
        .env("LD_TRACE_LOADED_OBJECTS", "1")
        .stdin(Stdio::null())
        .output()
        .await;
    let Ok(listing) = listing else {
        return Vec::new();
    };
    let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
    listing.lines().filter_map(library).map(real).collect()
}

/// A path without symbolic links, if it exists: a fence around it may not have where they lead.
fn real(path: PathBuf) -> PathBuf {
    std::fs::canonicalize(&path).unwrap_or(path)
}

/// `libc.so.6 => /lib/libc.so.6 (0x…)`, or `/lib64/ld-linux-x86-64.so.2 (0x…)`.
fn library(line: &str) -> Option<PathBuf> {
    let line = line.trim();
    let path = line.split_once(" => ").map_or(line, |(_, path)| path);
    let (path, _) = path.rsplit_once(" (0x")?;
    path.starts_with('/').then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A toolchain of shell scripts, in a folder as rustup has it. `on_add` is what its rustup
    /// does.
    fn fake(folder: &Path, on_add: &str) -> Programs {
        let sysroot = folder.join("toolchains/fake");
        std::fs::create_dir_all(sysroot.join("bin")).unwrap();
        let script = |path: PathBuf, text: String| {
            std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path.into_os_string()
        };
        let sysroot = sysroot.display();
        let text = format!(
            "case $1 in --print) echo {sysroot};; *) echo 'rustc 1.0'; echo 'host: h';; esac"
        );
        script(folder.join("toolchains/fake/bin/rustc"), text.clone());
        Programs {
            rustc: script(folder.join("rustc"), text),
            rustup: Some(script(
                folder.join("rustup"),
                on_add.replace("SYSROOT", &sysroot.to_string()),
            )),
        }
    }

    async fn find(programs: &Programs) -> (Result<Toolchain, ToolchainError>, Vec<String>) {
        let mut said = Vec::new();
        let found = Toolchain::find_with(programs, &mut |line| said.push(line.to_owned())).await;
        (found, said)
    }

    #[tokio::test]
    async fn a_missing_target_is_added_after_saying_so() {
        let folder = tempfile::tempdir().unwrap();
        let add =
            format!("d=SYSROOT/lib/rustlib/{TARGET}/lib; mkdir -p $d; touch $d/libcore-1.rlib");
        let (found, said) = find(&fake(folder.path(), &add)).await;
        assert!(found.unwrap().version().starts_with("rustc 1.0"));
        assert!(said[0].contains("rustup target add wasm32-unknown-unknown --toolchain fake"));
        // The second time there is nothing to say.
        assert!(find(&fake(folder.path(), "exit 1")).await.1.is_empty());
    }

    #[tokio::test]
    async fn a_target_that_cannot_be_added_is_answered_with_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let (found, _) = find(&fake(folder.path(), "echo 'no network' >&2; exit 1")).await;
        let message = found.unwrap_err().to_string();
        assert!(message.contains("(no network)"), "{message}");
        let command = "run `rustup target add wasm32-unknown-unknown --toolchain fake`";
        assert!(message.ends_with(command), "{message}");
    }

    #[tokio::test]
    async fn a_target_is_not_added_where_nothing_may_be_changed() {
        let folder = tempfile::tempdir().unwrap();
        let programs = Programs {
            rustup: None,
            ..fake(folder.path(), "exit 1")
        };
        let (found, said) = find(&programs).await;
        let message = found.unwrap_err().to_string();
        assert!(message.contains("has no target wasm32"), "{message}");
        assert!(message.contains("run `rustup target add"), "{message}");
        assert!(said.is_empty());
    }

    #[tokio::test]
    async fn no_compiler_is_answered_with_where_to_get_one() {
        let programs = Programs {
            rustc: "/nonexistent/rustc".into(),
            rustup: None,
        };
        let message = find(&programs).await.0.unwrap_err().to_string();
        assert!(
            message.contains("/nonexistent/rustc") && message.contains("rustup.rs"),
            "{message}"
        );
    }

    #[test]
    fn a_loader_lists_paths() {
        let path = |line| library(line).map(|path| path.display().to_string());
        assert_eq!(
            path("\tlibc.so.6 => /lib/libc.so.6 (0x1)").as_deref(),
            Some("/lib/libc.so.6")
        );
        assert_eq!(
            path("\t/lib64/ld.so (0x1)").as_deref(),
            Some("/lib64/ld.so")
        );
        assert_eq!(path("\tlinux-vdso.so.1 (0x1)"), None);
        assert_eq!(path("\tlibz.so.1 => not found"), None);
    }
}
