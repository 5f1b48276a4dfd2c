//! The target that prototypes are compiled for: adding it to a toolchain that lacks it.

use super::choice::{Programs, output_of_kept, resolved};
use super::toolchain_error::{TARGET, ToolchainError};
use bakeoff_source::{content_address, digest_of_parts};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the folder of the standard library for the target.
pub(super) fn libraries(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib").join(TARGET).join("lib")
}

/// Returns a digest of the standard library for the target: of the name and the content of each file that is linked.
pub(super) fn digest(sysroot: &Path) -> io::Result<String> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(libraries(sysroot))? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "rlib") {
            files.push(path);
        }
    }
    files.sort();
    let mut digests = Vec::new();
    for path in files {
        let name = path.file_name().unwrap_or_default();
        let content = content_address(&std::fs::read(&path)?);
        digests.push(format!("{} {content}", name.to_string_lossy()));
    }
    Ok(digest_of_parts(digests.iter().map(String::as_bytes)))
}

/// Adds the target to a toolchain if it is missing; calls `report` with a message first.
pub(super) async fn ensure(
    programs: &Programs,
    sysroot: &Path,
    report: &mut (dyn FnMut(&str) + Send),
) -> Result<(), ToolchainError> {
    // One of several processes adds it, and the others wait.
    let _lock = locked(sysroot.to_owned()).await;
    if has_core(&libraries(sysroot)) {
        Ok(())
    } else {
        add(programs, sysroot, report).await
    }
}

fn has_core(libraries: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(libraries) else {
        return false;
    };
    entries
        .flatten()
        .any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
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

/// Adds the target by rustup, if the toolchain is one of the user's rustup toolchains.
async fn add(
    programs: &Programs,
    sysroot: &Path,
    report: &mut (dyn FnMut(&str) + Send),
) -> Result<(), ToolchainError> {
    let missing = |tried: &str, next: String| ToolchainError::NoTarget {
        sysroot: sysroot.display().to_string(),
        tried: tried.to_owned(),
        next,
    };
    let toolchains = programs.rustup_home.as_ref();
    let toolchains = toolchains.map(|home| resolved(home.join("toolchains")));
    let name = sysroot
        .file_name()
        .filter(|_| toolchains.is_some_and(|own| sysroot.parent() == Some(&own)));
    let Some(name) = name else {
        let next = format!(
            "install its standard library for {TARGET} as you installed the toolchain, or use one of https://rustup.rs"
        );
        return Err(missing("", next));
    };
    let name = name.display();
    let command = format!("rustup target add {TARGET} --toolchain {name}");
    if !programs.adds_target {
        return Err(missing("", format!("run `{command}`")));
    }
    let Some(rustup) = programs.path.find("rustup") else {
        let tried = ", and there is no `rustup` in a folder of PATH that only you can change";
        return Err(missing(tried, format!("run `{command}`")));
    };
    report(&format!(
        "the Rust toolchain {name} lacks the target {TARGET}: running `{command}`"
    ));
    let adding = async {
        let mut added = programs.kept_command(&rustup)?;
        added.args(["target", "add", TARGET, "--toolchain"]);
        added.arg(name.to_string());
        output_of_kept(added).await
    };
    let tried = match adding.await {
        Ok(_) if has_core(&libraries(sysroot)) => return Ok(()),
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

#[cfg(test)]
mod tests {
    use super::super::scripted_toolchain::scripted;
    use super::super::toolchain::Toolchain;
    use super::*;

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
            adds_target: false,
            ..scripted(folder.path(), "exit 1")
        };
        let (found, said) = find(&programs).await;
        let message = found.unwrap_err().to_string();
        assert!(message.contains("has no target wasm32"), "{message}");
        assert!(message.contains("run `rustup target add"), "{message}");
        assert!(said.is_empty());
    }

    /// A toolchain outside of rustup's folder: by its name alone, rustup would add the target to another toolchain, or
    /// download that.
    #[tokio::test]
    async fn a_target_is_added_to_a_toolchain_of_the_user_only() {
        let folder = tempfile::tempdir().unwrap();
        let programs = Programs {
            rustup_home: Some(folder.path().join("elsewhere")),
            ..scripted(folder.path(), "exit 1")
        };
        let (found, said) = find(&programs).await;
        let message = found.unwrap_err().to_string();
        assert!(
            message.contains("as you installed the toolchain"),
            "{message}"
        );
        assert!(said.is_empty(), "{said:?}");
    }
}
