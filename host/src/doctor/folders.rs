//! The folders that bakeoff writes to: their free space, and the time of a write.

use super::facts::{FolderFacts, FolderPurpose};
use crate::compile::Cache;
use crate::files::NewFile;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Size of the file that is written as a test: about that of a result.
const TRIAL_BYTES: usize = 64 << 10;

/// Examines the folder for results of the experiment in `experiment`, the cache (the user's default
/// if none is named), and the temporary folder.
pub(super) fn examine(experiment: &Path, cache: Option<&Path>) -> Vec<FolderFacts> {
    vec![
        folder(FolderPurpose::Results, &experiment.join(".bakeoff")),
        cache_folder(cache),
        folder(FolderPurpose::Temporary, &std::env::temp_dir()),
    ]
}

fn cache_folder(named: Option<&Path>) -> FolderFacts {
    match named.map_or_else(Cache::open_default, Cache::open) {
        Ok(cache) => {
            let found = cache.folder().metadata();
            FolderFacts {
                mode: found.ok().map(|it| format!("{:04o}", it.mode() & 0o7777)),
                ..folder(FolderPurpose::Cache, cache.folder())
            }
        }
        Err(error) => FolderFacts {
            purpose: FolderPurpose::Cache,
            path: named.map_or_else(String::new, |path| path.display().to_string()),
            free_bytes: None,
            write_ms: None,
            mode: None,
            problem: Some(error.to_string()),
        },
    }
}

fn folder(purpose: FolderPurpose, path: &Path) -> FolderFacts {
    let existing = existing(path);
    let room = rustix::fs::statvfs(&existing);
    let written = write(&existing);
    FolderFacts {
        purpose,
        path: path.display().to_string(),
        free_bytes: room
            .ok()
            .map(|room| room.f_bavail.saturating_mul(room.f_frsize)),
        write_ms: written.as_ref().ok().copied(),
        mode: None,
        problem: written.err().map(|error| error.to_string()),
    }
}

/// The folder, or the nearest one above it that exists, in which it would be created.
fn existing(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = absolute.ancestors().find(|folder| folder.exists());
    there.unwrap_or(Path::new("/")).to_owned()
}

/// The time until a small file is on the disk, in milliseconds. The file is removed.
fn write(folder: &Path) -> std::io::Result<f64> {
    let start = Instant::now();
    let new = NewFile::private(&folder.join("trial"))?;
    let mut file = new.file();
    file.write_all(&[0; TRIAL_BYTES])?;
    file.sync_all()?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_does_not_exist_is_tested_in_the_one_above() {
        let parent = tempfile::tempdir().unwrap();
        let found = folder(FolderPurpose::Results, &parent.path().join("a/b"));
        assert_eq!(found.problem, None);
        assert!(found.free_bytes.is_some() && found.write_ms.is_some());
        let left = std::fs::read_dir(parent.path()).unwrap().count();
        assert_eq!(left, 0, "nothing is left of the trial");
    }

    #[test]
    fn a_folder_that_cannot_be_written_has_a_problem() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let found = folder(FolderPurpose::Results, file.path());
        assert!(found.problem.is_some() && found.write_ms.is_none());
    }
}
