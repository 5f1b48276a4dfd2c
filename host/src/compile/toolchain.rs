//! The user's Rust toolchain: its compiler, and the files that the compiler needs.

use super::build_protocol::Compiler;
use std::ffi::OsString;
use std::fs::File;
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
    /// Files that a fenced compiler reads and executes: itself, its linker, and their shared
    /// libraries.
    pub(super) execute: Vec<PathBuf>,
    /// Files that it only reads: the standard library for the target.
    pub(super) read: Vec<PathBuf>,
}

/// No usable toolchain was found.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// There is no compiler.
    #[error(
        "no Rust compiler: `{command}` {reason}; install Rust from https://rustup.rs, or set RUSTC"
    )]
    NoCompiler {
        /// The command that was run.
        command: String,
        /// Why it failed.
        reason: String,
    },
    /// The compiler has no standard library for the target, and it could not be added.
    #[error("the Rust toolchain {sysroot} has no target {TARGET}{tried}; {next}")]
    NoTarget {
        /// The toolchain.
        sysroot: String,
        /// What was tried to add it, if anything.
        tried: String,
        /// The command that adds it.
        next: String,
    },
}

/// The programs by which a toolchain is found.
#[derive(Clone, Debug)]
struct Programs {
    rustc: OsString,
    /// The program that adds a missing target. `None`: nothing is changed.
    rustup: Option<OsString>,
}

impl Toolchain {
    /// Finds the toolchain of `rustc`: that of the environment variable `RUSTC`, else the first on
    /// the path. If the target is missing, it is added by rustup; `report` is told so first.
    ///
    /// # Errors
    /// There is no compiler, or its target is missing and could not be added; the message names the
    /// command that adds it.
    pub async fn find(report: &mut (dyn FnMut(&str) + Send)) -> Result<Self, ToolchainError> {
        let programs = Programs {
            rustc: rustc(),
            rustup: Some("rustup".into()),
        };
        Self::find_with(&programs, report).await
    }

    /// Finds the same toolchain, but does not add a missing target.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    pub async fn find_unchanged() -> Result<Self, ToolchainError> {
        let programs = Programs {
            rustc: rustc(),
            rustup: None,
        };
        Self::find_with(&programs, &mut |_| ()).await
    }

    async fn find_with(
        programs: &Programs,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Self, ToolchainError> {
        let asked = output_of(&programs.rustc, &["--print", "sysroot"]).await?;
        let sysroot = resolved(PathBuf::from(asked.trim()));
        let own = sysroot.join("bin/rustc");
        // Without a compiler in the folder, the one that was asked is not a shim.
        let rustc = if own.is_file() {
            own
        } else {
            PathBuf::from(&programs.rustc)
        };
        let version = output_of(rustc.as_os_str(), &["-vV"]).await?;
        let libraries = target_libraries(&sysroot);
        let lock = locked(sysroot.clone()).await;
        if !has_core(&libraries) {
            add_target(programs, &sysroot, report).await?;
        }
        drop(lock);
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        let tools = sysroot
            .join("lib/rustlib")
            .join(host.unwrap_or_default())
            .join("bin");
        let mut execute = vec![rustc.clone(), tools.clone()];
        let linker = tools.join("rust-lld");
        let programs = [rustc.clone(), linker.clone()];
        for program in &programs {
            for library in shared_libraries(program).await {
                if !execute.contains(&library) {
                    execute.push(library);
                }
            }
        }
        if execute.len() == 2 {
            // The loader does not list what it loads: allow the folders in which it looks.
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
            compiler: Compiler {
                rustc,
                linker,
                sysroot,
            },
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

/// The compiler that the user chose.
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

async fn output_of(
    program: &std::ffi::OsStr,
    arguments: &[&str],
) -> Result<String, ToolchainError> {
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
        let stderr = String::from_utf8_lossy(&output.stderr);
        let last = stderr.lines().last().unwrap_or_default().trim();
        return Err(failed(format!("failed ({last})")));
    }
    String::from_utf8(output.stdout).map_err(|_| failed("printed invalid UTF-8".to_owned()))
}

/// Locks a folder against other processes of bakeoff: one of them adds the target, and the others wait
/// until it is there as a whole. `None` where the file system has no locks.
async fn locked(folder: PathBuf) -> Option<File> {
    let lock = move || {
        let folder = File::open(folder).ok()?;
        folder.lock().ok()?;
        Some(folder)
    };
    tokio::task::spawn_blocking(lock).await.ok().flatten()
}

/// Adds the target by rustup, if rustup manages the toolchain.
async fn add_target(
    programs: &Programs,
    sysroot: &Path,
    report: &mut (dyn FnMut(&str) + Send),
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
    report(&format!(
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
            let stderr = String::from_utf8_lossy(&output.stderr);
            let last = stderr.lines().rev().find(|line| !line.trim().is_empty());
            format!(
                ", and rustup could not add it ({})",
                last.unwrap_or_default().trim()
            )
        }
        Err(error) => format!(", and rustup could not be started ({error})"),
    };
    Err(missing(&tried, format!("run `{command}`")))
}

/// Lists the shared libraries of a program and its loader. glibc's loader prints them instead of
/// running the program.
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
    listing.lines().filter_map(library).map(resolved).collect()
}

/// Resolves symbolic links, if the path exists: a fence may not include their targets.
fn resolved(path: PathBuf) -> PathBuf {
    std::fs::canonicalize(&path).unwrap_or(path)
}

/// The path in a line of that list: `libc.so.6 => /lib/libc.so.6 (0x…)`, or `/lib64/ld-linux-x86-64.so.2 (0x…)`.
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

    /// A toolchain of shell scripts in a folder, laid out like rustup's. Its rustup runs `on_add`.
    fn scripted(folder: &Path, on_add: &str) -> Programs {
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
        let (found, said) = find(&scripted(folder.path(), &add)).await;
        assert!(found.unwrap().version().starts_with("rustc 1.0"));
        assert!(said[0].contains("rustup target add wasm32-unknown-unknown --toolchain fake"));
        // The second time there is nothing to report.
        assert!(find(&scripted(folder.path(), "exit 1")).await.1.is_empty());
    }

    #[tokio::test]
    async fn several_runs_at_once_add_the_target_once() {
        let folder = tempfile::tempdir().unwrap();
        let add = format!(
            "d=SYSROOT/lib/rustlib/{TARGET}/lib; mkdir $d.new || exit 1
             mkdir -p $d; touch $d/libstd-1.rlib; sleep 0.2; touch $d/libcore-1.rlib"
        );
        std::fs::create_dir_all(
            folder
                .path()
                .join("toolchains/fake/lib/rustlib")
                .join(TARGET),
        )
        .unwrap();
        let programs = scripted(folder.path(), &add);
        let (one, other) = tokio::join!(find(&programs), find(&programs));
        assert!(one.0.is_ok() && other.0.is_ok(), "{one:?} {other:?}");
        assert_eq!(one.1.len() + other.1.len(), 1);
    }

    #[tokio::test]
    async fn the_error_of_a_target_that_cannot_be_added_names_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let (found, _) = find(&scripted(folder.path(), "echo 'no network' >&2; exit 1")).await;
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
            ..scripted(folder.path(), "exit 1")
        };
        let (found, said) = find(&programs).await;
        let message = found.unwrap_err().to_string();
        assert!(message.contains("has no target wasm32"), "{message}");
        assert!(message.contains("run `rustup target add"), "{message}");
        assert!(said.is_empty());
    }

    #[tokio::test]
    async fn the_error_of_a_missing_compiler_says_where_to_get_one() {
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
