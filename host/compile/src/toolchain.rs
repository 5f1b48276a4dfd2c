//! The user's Rust toolchain: its compiler, and the files that the compiler needs.

use super::build_protocol::Compiler;
use super::choice::{Programs, ToolchainChoice, resolved};
use super::target;
use super::toolchain_error::ToolchainError;
use bakeoff_domain::edition::Edition;
use bakeoff_domain::simd::Simd;
use std::path::{Path, PathBuf};

/// A Rust toolchain that can compile for [`TARGET`].
#[derive(Clone, Debug)]
pub struct Toolchain {
    pub(super) compiler: Compiler,
    version: String,
    choice: ToolchainChoice,
    /// Files that a fenced compiler reads and executes: itself, its linker, and their shared
    /// libraries.
    pub(super) execute: Vec<PathBuf>,
    /// Files that a fenced compiler only reads: the standard library for the target.
    pub(super) read: Vec<PathBuf>,
}

impl Toolchain {
    /// Finds the user's toolchain (see [`ToolchainChoice`]). If the target is missing, it is added by
    /// rustup; `report` is called with a message first.
    ///
    /// # Errors
    /// There is no compiler, or its target is missing and could not be added; the message names the
    /// command that adds it.
    pub async fn find(report: &mut (dyn FnMut(&str) + Send)) -> Result<Self, ToolchainError> {
        Self::find_with(&Programs::of_user(true), report).await
    }

    /// Finds the same toolchain, but does not add a missing target.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    pub async fn find_unchanged() -> Result<Self, ToolchainError> {
        Self::find_with(&Programs::of_user(false), &mut |_| ()).await
    }

    pub(super) async fn find_with(
        programs: &Programs,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Self, ToolchainError> {
        let (rustc, sysroot, choice) = programs.choose().await?;
        let version = programs.output_of(&rustc, &["-vV"]).await?;
        target::ensure(programs, &sysroot, report).await?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        let tools = sysroot
            .join("lib/rustlib")
            .join(host.unwrap_or_default())
            .join("bin");
        let mut execute = vec![rustc.clone(), tools.clone()];
        let linker = tools.join("rust-lld");
        for program in [&rustc, &linker] {
            for library in shared_libraries(programs, program).await {
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
        let read = [target::libraries(&sysroot), cache]
            .into_iter()
            .filter(|path| path.exists())
            .collect();
        Ok(Self {
            compiler: Compiler {
                rustc,
                linker,
                sysroot,
                simd: Simd::default(),
                edition: Edition::default(),
            },
            version,
            choice,
            execute,
            read,
        })
    }

    /// Returns the toolchain with a compiler that may use vector instructions or not, and compiles prototypes in this
    /// edition.
    #[must_use]
    pub fn compiling_for(mut self, simd: Simd, edition: Edition) -> Self {
        self.compiler.simd = simd;
        self.compiler.edition = edition;
        self
    }

    /// Returns the compiler's version, as `rustc -vV` writes it: several lines, with its commit and host.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the reason why this toolchain was chosen.
    pub fn choice(&self) -> ToolchainChoice {
        self.choice
    }

    /// Returns the path of the compiler itself: the toolchain's own `rustc`.
    pub fn rustc(&self) -> &Path {
        &self.compiler.rustc
    }
}

/// Lists the shared libraries of a program and its loader. glibc's loader prints them instead of
/// running the program.
async fn shared_libraries(programs: &Programs, program: &Path) -> Vec<PathBuf> {
    let mut command = programs.command(program);
    let listing = command.env("LD_TRACE_LOADED_OBJECTS", "1").output().await;
    let Ok(listing) = listing else {
        return Vec::new();
    };
    let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
    listing.lines().filter_map(library).map(resolved).collect()
}

/// Returns the path in a line of the loader's list: `libc.so.6 => /lib/libc.so.6 (0x…)`, or
/// `/lib64/ld-linux-x86-64.so.2 (0x…)`.
fn library(line: &str) -> Option<PathBuf> {
    let line = line.trim();
    let path = line.split_once(" => ").map_or(line, |(_, path)| path);
    let (path, _) = path.rsplit_once(" (0x")?;
    path.starts_with('/').then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

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
