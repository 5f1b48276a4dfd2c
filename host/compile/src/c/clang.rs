//! The C compiler of this machine, the C library for WebAssembly, and the compiler for Zig, as the parent finds them.

use super::zig::Zig;
use crate::choice::{Programs, resolved};
use crate::shared_libraries::shared_libraries;
use crate::toolchain_error::ToolchainError;
use bakeoff_domain::language::Language;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Names of the target, as folders of the C library have them; the newer one first.
const TARGETS: [&str; 2] = ["wasm32-wasip1", "wasm32-wasi"];

/// Folders in which systems install the C library for WebAssembly.
const ROOTS: [&str; 2] = ["/usr", "/usr/share/wasi-sysroot"];

/// The variable that names a WASI SDK: clang and the C library in one folder.
const SDK: &str = "WASI_SDK_PATH";

/// The command that installs what C needs, on Debian and its kin.
const INSTALL: &str = "`apt-get install clang wasi-libc` (for C++ also `libc++-dev-wasm32`), or a WASI SDK that the variable \
                       WASI_SDK_PATH names";

/// Reason why sources in C cannot be built on this machine, with the next step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("sources in C and C++ cannot be built here: {reason}; {INSTALL}")]
pub struct NoClang {
    reason: String,
}

/// Reason why sources in Zig cannot be built on this machine, with the next step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "sources in Zig cannot be built here: {reason}; put the `zig` of https://ziglang.org on PATH (`pip install ziglang` has it, \
     as the file `zig` in the folder of its package)"
)]
pub struct NoZig {
    reason: String,
}

/// Paths that a builder child needs for sources in C and C++, and in Zig where that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClangPaths {
    pub(super) clang: PathBuf,
    /// The target's name, as this library has it.
    pub(super) target: String,
    /// Folders of headers, in the order of the search.
    pub(super) headers: Vec<PathBuf>,
    pub(super) library: PathBuf,
    /// The folder of headers of C++ and its libraries, if they are there.
    pub(super) cpp: Option<CppPaths>,
    pub(super) zig: Option<Zig>,
}

/// Paths of the library of C++.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CppPaths {
    pub(super) headers: PathBuf,
    pub(super) libraries: [PathBuf; 2],
}

/// Compiler for C and C++ with their libraries for WebAssembly.
#[derive(Clone, Debug)]
pub struct Clang {
    pub(crate) paths: ClangPaths,
    version: String,
    /// Files that a fenced compiler reads and executes: itself, and its shared libraries.
    pub(crate) execute: Vec<PathBuf>,
}

impl Clang {
    /// Finds the compiler: that of a WASI SDK that `WASI_SDK_PATH` names, or the `clang` on the search path.
    ///
    /// # Errors
    /// There is none, it has no WebAssembly, or there is no C library for that.
    pub async fn find() -> Result<Self, NoClang> {
        let sdk = std::env::var_os(SDK).filter(|value| !value.is_empty());
        Self::find_with(&Programs::of_user(false), sdk.map(PathBuf::from)).await
    }

    async fn find_with(programs: &Programs, sdk: Option<PathBuf>) -> Result<Self, NoClang> {
        let missing = |reason: &str| NoClang {
            reason: reason.to_owned(),
        };
        let (named, roots) = match sdk {
            Some(sdk) if !sdk.is_absolute() => {
                return Err(missing(&format!(
                    "{SDK} is `{}`, which is no absolute path",
                    sdk.display()
                )));
            }
            Some(sdk) if !sdk.join("bin/clang").is_file() => {
                return Err(missing(&format!(
                    "{SDK} is `{}`, where there is no bin/clang",
                    sdk.display()
                )));
            }
            Some(sdk) => (sdk.join("bin/clang"), vec![sdk.join("share/wasi-sysroot")]),
            None => {
                let found = programs.path.find("clang").ok_or_else(|| {
                    missing(
                        "there is no `clang` in a folder of PATH that is absolute, outside of this folder, and closed \
                         to other users",
                    )
                })?;
                (found, ROOTS.map(PathBuf::from).to_vec())
            }
        };
        let clang = resolved(named);
        let ask = async |argument: &str| {
            let said = programs.output_of(&clang, &[argument]).await;
            said.map_err(|error| match error {
                // Its words on the whole are about the compiler of Rust.
                ToolchainError::NoCompiler { reason } => missing(&reason),
                error => missing(&error.to_string()),
            })
        };
        let targets = ask("--print-targets").await?;
        if !targets.split_whitespace().any(|word| word == "wasm32") {
            return Err(missing(&format!(
                "{} does not compile for wasm32",
                clang.display()
            )));
        }
        let version = ask("--version").await?;
        let version = version.lines().next().unwrap_or_default().trim().to_owned();
        let own_headers = PathBuf::from(ask("-print-resource-dir").await?.trim()).join("include");
        let Some((headers, libraries, target)) = c_library(&roots) else {
            return Err(missing("there is no C library for wasm32 (wasi-libc)"));
        };
        let execute = shared_libraries(programs, &clang).await;
        Ok(Self {
            paths: ClangPaths {
                cpp: cpp(&headers, &libraries),
                zig: None,
                headers: vec![own_headers, headers],
                library: libraries.join("libc.a"),
                target: target.to_owned(),
                clang: clang.clone(),
            },
            version,
            execute: [clang].into_iter().chain(execute).collect(),
        })
    }

    /// Adds the compiler for Zig: the `zig` on the search path.
    ///
    /// # Errors
    /// It is not there.
    pub async fn with_zig(mut self) -> Result<Self, NoZig> {
        let programs = Programs::of_user(false);
        let zig = Zig::find(&programs).await;
        let zig = zig.map_err(|reason| NoZig { reason })?;
        self.execute.push(zig.path.clone());
        self.execute
            .extend(shared_libraries(&programs, &zig.path).await);
        self.paths.zig = Some(zig);
        Ok(self)
    }

    /// Adds the compiler for Zig, if it is there.
    pub async fn with_zig_if_there(self) -> Self {
        self.clone().with_zig().await.unwrap_or(self)
    }

    /// Returns the version of Zig; `None` without it.
    pub fn zig_version(&self) -> Option<&str> {
        self.paths.zig.as_ref().map(|zig| &*zig.version)
    }

    /// Returns the path of the compiler for Zig.
    pub(crate) fn zig_path(&self) -> Option<&Path> {
        self.paths.zig.as_ref().map(|zig| &*zig.path)
    }

    /// Returns the first line of the compiler's version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the path of the compiler.
    pub fn path(&self) -> &Path {
        &self.paths.clang
    }

    /// Returns true if sources in this language can be built.
    pub fn has(&self, language: Language) -> bool {
        match language {
            Language::Rust | Language::C => true,
            Language::Cpp => self.paths.cpp.is_some(),
            Language::Zig => self.paths.zig.is_some(),
        }
    }

    /// Returns what a fenced compiler only reads: headers and libraries. Beside a library the linker finds the names
    /// that it leaves to others.
    pub(crate) fn read(&self) -> Vec<PathBuf> {
        let paths = &self.paths;
        let libraries = paths.library.parent().map(Path::to_owned);
        let cpp = paths.cpp.iter();
        let cpp = cpp.flat_map(|cpp| cpp.libraries.iter().chain([&cpp.headers]));
        let zig = paths.zig.iter().map(|zig| &zig.library);
        let all = paths.headers.iter().chain(&libraries).chain(cpp).chain(zig);
        let links = all.clone().map(|path| resolved(path.clone()));
        let mut read: Vec<PathBuf> = all.cloned().chain(links).collect();
        read.dedup();
        read
    }
}

/// Returns the first C library below these folders: its headers, its libraries, and the name of its target.
fn c_library(roots: &[PathBuf]) -> Option<(PathBuf, PathBuf, &'static str)> {
    for root in roots {
        for target in TARGETS {
            let [headers, libraries] = ["include", "lib"].map(|part| root.join(part).join(target));
            if headers.join("stdlib.h").is_file() && libraries.join("libc.a").is_file() {
                return Some((headers, libraries, target));
            }
        }
    }
    None
}

/// Returns the paths of the library of C++, if it is there.
fn cpp(headers: &Path, libraries: &Path) -> Option<CppPaths> {
    let headers = headers.join("c++/v1");
    let libraries = ["libc++.a", "libc++abi.a"].map(|name| libraries.join(name));
    let is_there = headers.join("vector").is_file() && libraries.iter().all(|one| one.exists());
    is_there.then_some(CppPaths { headers, libraries })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_missing_is_named_with_the_next_step() {
        let programs = Programs::default();
        let said = Clang::find_with(&programs, None)
            .await
            .unwrap_err()
            .to_string();
        assert!(
            said.contains("no `clang`") && said.contains("apt-get install"),
            "{said}"
        );
        let said = Clang::find_with(&programs, Some("sdk".into()))
            .await
            .unwrap_err()
            .to_string();
        assert!(said.contains("no absolute path"), "{said}");
        let said = Clang::find_with(&programs, Some("/nowhere".into()))
            .await
            .unwrap_err()
            .to_string();
        assert!(
            said.contains("WASI_SDK_PATH is `/nowhere`, where there is no bin/clang"),
            "{said}"
        );
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("bin")).unwrap();
        std::fs::write(folder.path().join("bin/clang"), "").unwrap();
        let said = Clang::find_with(&programs, Some(folder.path().to_owned())).await;
        let said = said.unwrap_err().to_string();
        assert!(
            said.contains("cannot be started") && !said.contains("Rust compiler"),
            "{said}"
        );
    }
}
