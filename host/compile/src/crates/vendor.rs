//! Fetching of crates, in the parent, by the toolchain's cargo, which unpacks them and runs no code of theirs.

use super::package;
use crate::cache::Cache;
use crate::choice::{Programs, output_of_kept};
use crate::toolchain::Toolchain;
use bakeoff_config::{LOCK_BYTES_MAX, LOCK_FILE, read_lock};
use bakeoff_domain::crates::{AllowedCrate, Crates, LockedCrate};
use bakeoff_files::{Scratch, own_folder, owned_by_others, read_bounded};
use bakeoff_source::content_address;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of fetched crates in the folder of the cache.
const FOLDER: &str = "crates";

/// The folder of the sources in the folder of a lock.
const SOURCES: &str = "sources";

/// The most lists of crates whose sources are kept: fetching one more forgets the one that was fetched
/// first.
const KEPT_MAX: usize = 32;

/// The longest time that fetching may take.
const WALL: Duration = Duration::from_secs(900);

/// The longest part of cargo's message that is shown, in bytes.
const SAID_BYTES_MAX: usize = 4 << 10;

/// The reason why the crates cannot be fetched.
#[derive(Debug, thiserror::Error)]
pub enum VendorError {
    /// The toolchain has no cargo.
    #[error(
        "the Rust toolchain {sysroot} has no cargo, which fetches crates; use one of https://rustup.rs"
    )]
    NoCargo {
        /// The toolchain.
        sysroot: String,
    },
    /// Cargo failed to fetch the crates.
    #[error("{reason}\n{said}\n{next}")]
    Cargo {
        /// The kind of failure.
        reason: &'static str,
        /// The message of cargo.
        said: String,
        /// The next step for the user.
        next: &'static str,
    },
    /// The earlier lock is what cargo fails on.
    #[error("{LOCK_FILE} cannot be used: {reason}; remove it, and the latest versions are taken")]
    Lock {
        /// The kind of failure. Nothing of the file is quoted.
        reason: &'static str,
    },
    /// The fetched crates cannot be used.
    #[error("the crates cannot be used: {0}")]
    Unusable(String),
    /// The folder for the crates cannot be written.
    #[error("cannot keep the crates in {folder}: {reason}")]
    Folder {
        /// The folder.
        folder: String,
        /// The error of the system.
        reason: String,
    },
}

/// Returns the folder of the sources that belong to a lock, whether it exists or not.
pub(super) fn sources_of(cache: &Path, lock: &str) -> PathBuf {
    let name = content_address(lock.as_bytes());
    cache.join(FOLDER).join(name).join(SOURCES)
}

/// Returns the toolchain's own cargo; an error if it has none.
pub(super) fn cargo_of(toolchain: &Toolchain) -> Result<PathBuf, VendorError> {
    let cargo = toolchain.compiler.sysroot.join("bin/cargo");
    if cargo.is_file() {
        Ok(cargo)
    } else {
        Err(VendorError::NoCargo {
            sysroot: toolchain.compiler.sysroot.display().to_string(),
        })
    }
}

/// Fetches crates and all their dependencies into the cache, and returns them with the text of their lock. Versions
/// of an earlier lock are kept where they still fit.
///
/// # Errors
/// See [`VendorError`].
pub async fn vendor(
    toolchain: &Toolchain,
    cache: &Cache,
    crates: &[AllowedCrate],
    lock: Option<&str>,
) -> Result<Crates, VendorError> {
    let place = Place::open(toolchain, cache)?;
    let work = place.scratch.work();
    package::write(work, crates, lock).map_err(|error| place.failed(error))?;
    if let Some(said) = place.fetch(toolchain).await? {
        if lock.is_none() {
            return Err(explain(&said, work));
        }
        // Cargo quotes a lock that it cannot use, which may be a second name of any file of the user's: what is shown
        // is said without it.
        std::fs::remove_file(work.join("Cargo.lock")).map_err(|error| place.failed(error))?;
        return Err(match place.fetch(toolchain).await? {
            Some(said) => explain(&said, work),
            None => VendorError::Lock {
                reason: kind_of_lock_failure(&said),
            },
        });
    }
    let text = read_bounded(&work.join("Cargo.lock"), LOCK_BYTES_MAX);
    let text = text.map_err(|error| place.failed(error))?;
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
    let lock =
        text.ok_or_else(|| VendorError::Unusable("the lock is no text of 1 MiB".to_owned()))?;
    read_lock(&lock, crates).map_err(|error| VendorError::Unusable(error.to_string()))?;
    place.keep(cache, &lock)?;
    Ok(Crates {
        allowed: crates.to_vec(),
        lock,
    })
}

/// Fetches all crates of the lock of a package of the user's into the cache, unless they are there.
///
/// # Errors
/// See [`VendorError`].
pub async fn vendor_locked(
    toolchain: &Toolchain,
    cache: &Cache,
    locked: &[LockedCrate],
    lock: &str,
) -> Result<(), VendorError> {
    if sources_of(cache.folder(), lock).is_dir() {
        return Ok(());
    }
    let place = Place::open(toolchain, cache)?;
    let work = place.scratch.work();
    package::write_exact(work, locked).map_err(|error| place.failed(error))?;
    match place.fetch(toolchain).await? {
        Some(said) => Err(explain(&said, work)),
        None => place.keep(cache, lock),
    }
}

/// The folder of fetched crates, and a new one in it for those that are being fetched.
struct Place {
    shown: String,
    folder: PathBuf,
    scratch: Scratch,
    cargo: PathBuf,
}

impl Place {
    fn open(toolchain: &Toolchain, cache: &Cache) -> Result<Self, VendorError> {
        let shown = cache.folder().join(FOLDER);
        let failed = |error| unwritable(&shown, &error);
        let cargo = cargo_of(toolchain)?;
        if !own_folder(&shown).map_err(failed)? {
            return Err(failed(std::io::Error::other("it belongs to another user")));
        }
        let folder = shown.canonicalize().map_err(failed)?;
        refuse_foreign_settings(&folder).map_err(failed)?;
        Ok(Self {
            scratch: Scratch::in_folder(&folder).map_err(failed)?,
            shown: shown.display().to_string(),
            folder,
            cargo,
        })
    }

    fn failed(&self, error: std::io::Error) -> VendorError {
        unwritable(Path::new(&self.shown), &error)
    }

    /// Has cargo fetch the crates of the package in the new folder, and returns its message if it fails.
    async fn fetch(&self, toolchain: &Toolchain) -> Result<Option<String>, VendorError> {
        let said = fetch(toolchain, &self.cargo, self.scratch.work()).await;
        said.map_err(|error| self.failed(error))
    }

    /// Keeps what was fetched as the sources of a lock.
    fn keep(&self, cache: &Cache, lock: &str) -> Result<(), VendorError> {
        let kept = sources_of(cache.folder(), lock);
        if kept.is_dir() {
            return Ok(());
        }
        let parent = kept.parent().unwrap_or(&self.folder);
        std::fs::create_dir_all(parent).map_err(|error| self.failed(error))?;
        let moved = std::fs::rename(self.scratch.work().join(SOURCES), &kept);
        // Another process may have been quicker.
        if !kept.is_dir() {
            moved.map_err(|error| self.failed(error))?;
        }
        forget_oldest(&cache.folder().join(FOLDER), KEPT_MAX);
        Ok(())
    }
}

fn unwritable(folder: &Path, error: &std::io::Error) -> VendorError {
    VendorError::Folder {
        folder: folder.display().to_string(),
        reason: error.to_string(),
    }
}

/// Has cargo fetch the crates of the package in a folder, and returns its message if it fails.
async fn fetch(
    toolchain: &Toolchain,
    cargo: &Path,
    work: &Path,
) -> std::io::Result<Option<String>> {
    let programs = Programs::of_user(false);
    let mut command = programs.kept_command(cargo)?;
    command
        .args([
            "vendor",
            "--respect-source-config",
            "--versioned-dirs",
            "--color=never",
            SOURCES,
        ])
        .env("RUSTC", &toolchain.compiler.rustc)
        .current_dir(work);
    let output = tokio::time::timeout(WALL, output_of_kept(command)).await;
    let output = output.map_err(|_| std::io::Error::other("cargo took more than 15 minutes"))??;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((!output.status.success()).then_some(said))
}

/// Removes the sources that were fetched first, down to `most` lists of crates. Folders that cannot be removed stay,
/// and are tried again when the next ones are fetched.
fn forget_oldest(folder: &Path, most: usize) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let dated = entries.filter_map(|entry| {
        let path = entry.path();
        // A folder without sources is one that somebody is just fetching into.
        let found = path.join(SOURCES).symlink_metadata().ok()?;
        Some((found.modified().ok()?, path))
    });
    let mut kept: Vec<_> = dated.collect();
    kept.sort();
    let too_many = kept.len().saturating_sub(most);
    for (_, path) in kept.into_iter().take(too_many) {
        let _ = std::fs::remove_dir_all(path);
    }
}

/// Refuses settings of another user in the folders above, from each of which cargo takes settings.
fn refuse_foreign_settings(folder: &Path) -> std::io::Result<()> {
    for above in folder.ancestors() {
        let settings = above.join(".cargo");
        if let Ok(Some(why)) = owned_by_others(&settings) {
            return Err(std::io::Error::other(format!(
                "cargo would take settings from {}: {why}",
                settings.display()
            )));
        }
    }
    Ok(())
}

/// Returns the kind of a failure that an earlier lock causes, by cargo's message.
fn kind_of_lock_failure(said: &str) -> &'static str {
    if said.contains("checksum") {
        "the registry has another checksum for one of its crates"
    } else if said.contains("failed to select a version") {
        "the registry lacks a version of it"
    } else {
        "cargo cannot read it"
    }
}

/// Returns the error for a failure of cargo, by its message: the kind of failure, and the next step.
fn explain(said: &str, work: &Path) -> VendorError {
    let has = |words: &[&str]| words.iter().any(|words| said.contains(words));
    let (reason, next) = if has(&["no matching package", "failed to select a version"]) {
        (
            "there is no such crate, or no such version of it:",
            "write a name and a version that https://crates.io has into `crates`",
        )
    } else if has(&[
        "spurious network error",
        "failed to download",
        "Could not resolve",
        "download of",
    ]) {
        (
            "the crates cannot be fetched from the network:",
            "run it again where the registry can be reached; what was fetched before is used without",
        )
    } else {
        ("cargo cannot fetch the crates:", "mend what cargo says")
    };
    let work = work.display().to_string();
    let said = said.replace(&work, "");
    let from = said.find("error:").unwrap_or(0);
    let said = &said[from..];
    let end = said.floor_char_boundary(SAID_BYTES_MAX);
    VendorError::Cargo {
        reason,
        said: said[..end].trim_end().to_owned(),
        next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sources_that_were_fetched_first_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        for (age, name) in [(40, "old"), (10, "new"), (20, "middle")] {
            let sources = folder.path().join(name).join(SOURCES);
            std::fs::create_dir_all(&sources).unwrap();
            let when = std::time::SystemTime::now() - Duration::from_secs(age);
            let open = std::fs::File::open(&sources).unwrap();
            open.set_modified(when).unwrap();
        }
        std::fs::create_dir(folder.path().join("being-fetched")).unwrap();
        forget_oldest(folder.path(), 2);
        let mut left: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["being-fetched", "middle", "new"]);
    }
}
