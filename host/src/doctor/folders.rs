//! The folders that bakeoff writes to: is there room, and does what is written arrive?

use super::facts::{Folder, Purpose};
use crate::build::Cache;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is written to try: as much as a result takes.
const TRIAL_BYTES: usize = 64 << 10;

/// Looks at the folder for results of an experiment in `experiment`, at the cache (the user's own
/// if none is named), and at the temporary one.
pub(super) fn examine(experiment: &Path, cache: Option<&Path>) -> Vec<Folder> {
    vec![
        folder(Purpose::Results, &experiment.join(".bakeoff")),
        cache_folder(cache),
        folder(Purpose::Temporary, &std::env::temp_dir()),
    ]
}

fn cache_folder(named: Option<&Path>) -> Folder {
    match named.map_or_else(Cache::open_default, Cache::open) {
        Ok(cache) => {
            let found = cache.folder().metadata();
            Folder {
                mode: found.ok().map(|it| format!("{:04o}", it.mode() & 0o7777)),
                ..folder(Purpose::Cache, cache.folder())
            }
        }
        Err(error) => Folder {
            purpose: Purpose::Cache,
            path: named.map_or_else(String::new, |path| path.display().to_string()),
            free_bytes: None,
            write_ms: None,
            mode: None,
            problem: Some(error.to_string()),
        },
    }
}

fn folder(purpose: Purpose, path: &Path) -> Folder {
    let there = existing(path);
    let room = rustix::fs::statvfs(&there);
    let written = write(&there);
    Folder {
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

/// The folder, or the nearest one above it that is there: what is missing is made in that.
fn existing(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = absolute.ancestors().find(|folder| folder.exists());
    there.unwrap_or(Path::new("/")).to_owned()
}

/// How long it takes until a small file is on the disk, in milliseconds. The file is removed.
fn write(folder: &Path) -> std::io::Result<f64> {
    let start = Instant::now();
    let mut file = tempfile::Builder::new()
        .prefix(".bakeoff-doctor-")
        .tempfile_in(folder)?;
    file.write_all(&[0; TRIAL_BYTES])?;
    file.as_file().sync_all()?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_yet_to_be_made_is_tried_above() {
        let parent = tempfile::tempdir().unwrap();
        let found = folder(Purpose::Results, &parent.path().join("a/b"));
        assert_eq!(found.problem, None);
        assert!(found.free_bytes.is_some() && found.write_ms.is_some());
        let left = std::fs::read_dir(parent.path()).unwrap().count();
        assert_eq!(left, 0, "nothing is left of the trial");
    }

    #[test]
    fn what_cannot_be_written_says_why() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let found = folder(Purpose::Results, file.path());
        assert!(found.problem.is_some() && found.write_ms.is_none());
    }
}
