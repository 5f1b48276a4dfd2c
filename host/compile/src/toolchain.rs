//! The user's Rust toolchain: its compiler, and the files that the compiler needs.

use super::build_protocol::Compiler;
use super::c::Clang;
use super::choice::{Programs, ToolchainChoice};
use super::shared_libraries::shared_libraries;
use super::toolchain_error::ToolchainError;
use super::{glue, rustc, target};
use bakeoff_domain::edition::Edition;
use bakeoff_domain::simd::Simd;
use bakeoff_source::digest_of_parts;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

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
    /// The compilers for C, C++ and Zig, if it was looked for and found.
    pub(super) clang: Option<Arc<Clang>>,
    /// The reason why there is no compiler, if there is none.
    missing: Option<String>,
    /// The fingerprint, once it is known.
    fingerprint: Arc<OnceLock<String>>,
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
        // Both are processes that are waited for.
        let (version, own_libraries) = tokio::join!(
            programs.output_of(&rustc, &["-vV"]),
            shared_libraries(programs, &rustc)
        );
        let version = version?;
        target::ensure(programs, &sysroot, report).await?;
        let tools = sysroot
            .join("lib/rustlib")
            .join(host_of(&version).unwrap_or_default())
            .join("bin");
        let mut execute = vec![rustc.clone(), tools.clone()];
        let linker = tools.join("rust-lld");
        let libraries = shared_libraries(programs, &linker).await;
        for library in own_libraries.into_iter().chain(libraries) {
            if !execute.contains(&library) {
                execute.push(library);
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
            clang: None,
            missing: None,
            fingerprint: Arc::default(),
        })
    }

    /// Finds the toolchain as [`find`](Self::find) does. Where there is none, returns one that builds components alone, and
    /// knows the reason.
    pub async fn find_or_missing(report: &mut (dyn FnMut(&str) + Send)) -> Self {
        let found = Self::find(report).await;
        found.unwrap_or_else(|error| Self {
            compiler: Compiler {
                rustc: PathBuf::new(),
                linker: PathBuf::new(),
                sysroot: PathBuf::new(),
                simd: Simd::default(),
                edition: Edition::default(),
            },
            version: "no Rust compiler".to_owned(),
            choice: ToolchainChoice::Missing,
            execute: Vec::new(),
            read: Vec::new(),
            clang: None,
            missing: Some(error.to_string()),
            fingerprint: Arc::default(),
        })
    }

    /// Returns the reason why there is no compiler, if there is none.
    pub fn missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    /// Returns a name of all that decides which component is made of a source, besides features and edition, which a source is
    /// built for: the compiler's version and host, the standard library, byte for byte, and what bakeoff adds. It is the same
    /// wherever the files lie. Empty where there is no compiler, or its library cannot be read.
    pub fn fingerprint(&self) -> String {
        let find = || {
            let library = match self.missing {
                None => target::digest(&self.compiler.sysroot).ok(),
                Some(_) => None,
            };
            let Some(library) = library else {
                return String::new();
            };
            let flags = rustc::FLAGS.iter().copied();
            let parts = [self.version.as_str(), &library].into_iter();
            let parts = parts.chain(flags).chain(glue::fingerprint());
            let digest = digest_of_parts(parts.map(str::as_bytes));
            let mut lines = self.version.lines();
            let release = lines.find_map(|line| line.strip_prefix("release: "));
            format!("rustc-{}-{digest}", release.unwrap_or("unknown"))
        };
        self.fingerprint.get_or_init(find).clone()
    }

    /// Returns the toolchain with a compiler that may use vector instructions or not, and compiles prototypes in this
    /// edition.
    #[must_use]
    pub fn compiling_for(mut self, simd: Simd, edition: Edition) -> Self {
        self.compiler.simd = simd;
        self.compiler.edition = edition;
        self
    }

    /// Returns the toolchain with the compilers for sources in C, C++ and Zig.
    #[must_use]
    pub fn with_clang(mut self, clang: Arc<Clang>) -> Self {
        self.clang = Some(clang);
        self
    }

    /// Returns the compiler's version, as `rustc -vV` writes it: several lines, with its commit and host.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the target of this machine, as the compiler calls it: `x86_64-unknown-linux-gnu`.
    pub(crate) fn host(&self) -> Option<&str> {
        host_of(&self.version)
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

/// Returns the target of the machine that a compiler runs on, by its version.
fn host_of(version: &str) -> Option<&str> {
    version.lines().find_map(|line| line.strip_prefix("host: "))
}
