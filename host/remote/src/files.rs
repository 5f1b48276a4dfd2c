//! Files of a folder that are sent: found, bounded and read.

use super::error::RemoteError;
use super::messages::{Digest, FileHead};
use super::returned_files::BEFORE;
use bakeoff_files::{Folder, FolderEntryKind};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path};

/// The most files that are sent, or come back.
pub(crate) const FILES_MAX: usize = 20_000;

/// The most bytes that they have together, and one of them.
pub(crate) const BYTES_MAX: u64 = 1 << 30;

/// The most bytes of a path, and the most folders on its way.
const PATH_BYTES_MAX: usize = 1_024;
const DEPTH_MAX: usize = 32;

/// A file by which programs mark a folder of what can be made again, such as Cargo's `target`.
const CACHE_TAG: &str = "CACHEDIR.TAG";

/// Files below a folder, by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedFiles {
    /// Paths of plain files, with `/`, each once.
    pub paths: Vec<String>,
    /// Number of links, pipes and such, which are left out.
    pub left_out: usize,
}

impl NamedFiles {
    /// Finds the files that a path below a folder names: itself, or all below it, but for `.git`, for folders of what
    /// can be made again (those with a `CACHEDIR.TAG`), and for what was replaced by files that came.
    ///
    /// # Errors
    /// It cannot be read, its names are no text, or there are too many files.
    pub fn add(&mut self, folder: &Folder, path: &str) -> Result<(), RemoteError> {
        let path = plain_path(path)?;
        self.visit(folder, &path, 0)
    }

    fn visit(&mut self, folder: &Folder, path: &str, depth: usize) -> Result<(), RemoteError> {
        let here = if path.is_empty() {
            folder.try_clone()
        } else {
            match folder.look(path) {
                Ok(Some(found)) if found.kind == FolderEntryKind::File => {
                    return self.take(path.to_owned());
                }
                Ok(Some(found)) if found.kind == FolderEntryKind::Folder => folder.below(path),
                Ok(_) => {
                    self.left_out += 1;
                    return Ok(());
                }
                Err(error) => Err(error),
            }
        };
        let here = here.map_err(|error| RemoteError::file(path, error))?;
        if depth == DEPTH_MAX {
            let reason = format!("folders in folders, {DEPTH_MAX} deep: name what is needed of it");
            return Err(RemoteError::file(path, reason));
        }
        let is_cache = !path.is_empty() && here.has(CACHE_TAG);
        if is_cache {
            return Ok(());
        }
        let entries = here.entries(FILES_MAX);
        let entries = entries.map_err(|error| RemoteError::file(path, error))?;
        for entry in entries.ok_or_else(too_many)? {
            let Some(name) = entry.name.to_str() else {
                let name = entry.name.display().to_string();
                return Err(RemoteError::file(&name, "its name is not UTF-8"));
            };
            let inner = match path {
                "" => name.to_owned(),
                path => format!("{path}/{name}"),
            };
            match entry.kind {
                FolderEntryKind::File => self.take(inner)?,
                FolderEntryKind::Folder if name == ".git" || name == BEFORE => {}
                FolderEntryKind::Folder => self.visit(folder, &inner, depth + 1)?,
                FolderEntryKind::Link | FolderEntryKind::Other => self.left_out += 1,
            }
        }
        Ok(())
    }

    fn take(&mut self, path: String) -> Result<(), RemoteError> {
        if let Err(place) = self.paths.binary_search(&path) {
            if self.paths.len() == FILES_MAX {
                return Err(too_many());
            }
            self.paths.insert(place, path);
        }
        Ok(())
    }
}

fn too_many() -> RemoteError {
    RemoteError::TooMuch(format!(
        "more than {FILES_MAX} files would be sent: start it in a smaller folder, or name the files"
    ))
}

/// Returns a path without `.`, with `/` between its names; the empty text for the folder itself.
///
/// # Errors
/// It leads out of the folder, or is too long.
pub fn plain_path(path: &str) -> Result<String, RemoteError> {
    let mut names = Vec::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => names.extend(name.to_str()),
            _ => {
                let reason = "it leads out of the folder: start the command in a folder that has all that it reads";
                return Err(RemoteError::file(path, reason));
            }
        }
    }
    let plain = names.join("/");
    if plain.len() > PATH_BYTES_MAX || names.len() > DEPTH_MAX || plain.contains('\0') {
        return Err(RemoteError::file(path, "its path is too long"));
    }
    Ok(plain)
}

/// A file that is being sent.
pub(crate) struct Source {
    pub(crate) head: FileHead,
    file: File,
    left: u64,
    digest: Sha256,
}

impl Source {
    /// Opens a file.
    pub(crate) fn open(folder: &Folder, path: &str) -> Result<Self, RemoteError> {
        let fault = |error: io::Error| RemoteError::file(path, error);
        let file = folder.open(path).map_err(fault)?;
        let found = file.metadata().map_err(fault)?;
        let permissions = std::os::unix::fs::PermissionsExt::mode(&found.permissions());
        Ok(Self {
            head: FileHead {
                path: path.to_owned(),
                bytes: found.len(),
                is_executable: permissions & 0o100 != 0,
            },
            file,
            left: found.len(),
            digest: Sha256::new(),
        })
    }

    /// Returns the digest of the whole file.
    pub(crate) fn finish(self) -> Result<Digest, RemoteError> {
        if self.left > 0 {
            return Err(RemoteError::file(
                &self.head.path,
                "it became shorter while it was sent",
            ));
        }
        Ok(self.digest.finalize().into())
    }
}

impl Read for Source {
    /// Reads on; never more than the file had at first.
    fn read(&mut self, part: &mut [u8]) -> io::Result<usize> {
        let read = (&mut self.file).take(self.left).read(part)?;
        self.left -= read as u64;
        self.digest.update(&part[..read]);
        Ok(read)
    }
}

/// Returns the digest of a file below a folder; `None` if there is none.
///
/// # Errors
/// It cannot be read, or is no plain file.
pub(crate) fn digest_of(folder: &Folder, path: &str) -> Result<Option<Digest>, RemoteError> {
    if !folder.has(path) {
        return Ok(None);
    }
    let mut source = Source::open(folder, path)?;
    let copied = io::copy(&mut source, &mut io::sink());
    copied.map_err(|error| RemoteError::file(path, error))?;
    source.finish().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_found_but_for_links_caches_and_histories() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for folder in [
            "x/wit",
            "x/.git",
            "x/target",
            "x/.bakeoff/x",
            "x/bakeoff-before-elsewhere",
        ] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for file in [
            "x/bakeoff.toml",
            "x/wit/x.wit",
            "x/.git/config",
            "x/target/CACHEDIR.TAG",
            "x/target/large",
            "x/bakeoff-before-elsewhere/y",
            "x/.bakeoff/x/store.db",
            "beside",
        ] {
            fs::write(at(file), file).unwrap();
        }
        std::os::unix::fs::symlink("/etc/passwd", at("x/link")).unwrap();
        let folder = Folder::named_by_user(home.path()).unwrap();
        let mut found = NamedFiles::default();
        found.add(&folder, "./x").unwrap();
        found.add(&folder, "x/wit").unwrap();
        assert_eq!(
            found.paths,
            ["x/.bakeoff/x/store.db", "x/bakeoff.toml", "x/wit/x.wit"]
        );
        assert_eq!(found.left_out, 1);
        let mut all = NamedFiles::default();
        all.add(&folder, ".").unwrap();
        assert_eq!(all.paths.len(), 4);
        for path in ["../x", "/etc", "x/../../y"] {
            let refused = NamedFiles::default().add(&folder, path).unwrap_err();
            assert!(
                refused.to_string().contains("leads out"),
                "{path}: {refused}"
            );
        }
    }
}
