//! The folders that bakeoff writes to: their free space, and the time of a write.

use super::facts::{FolderFacts, FolderPurpose};
use bakeoff_compile::Cache;
use bakeoff_files::Folder;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Instant;

/// Size of the file that is written as a test: about that of a result.
const TRIAL_BYTES: usize = 64 << 10;

/// The name of the test file, if it had one.
const TRIAL: &str = "trial";

/// The folder of an experiment's results, in the experiment's own folder.
const RESULTS: &str = ".bakeoff";

/// Examines the folder for results of the experiment in `experiment`, the cache (the user's default
/// if none is named), and the temporary folder.
pub(super) fn examine(experiment: &Path, cache: Option<&Path>) -> Vec<FolderFacts> {
    vec![
        results_folder(experiment),
        cache_folder(cache),
        folder(FolderPurpose::Temporary, &std::env::temp_dir()),
    ]
}

/// Examines the folder for results, which may have come with an experiment: it is reached from the experiment's open
/// folder.
fn results_folder(experiment: &Path) -> FolderFacts {
    let opened = opened(experiment).and_then(|folder| match folder.below(RESULTS) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(folder),
        below => below,
    });
    facts(FolderPurpose::Results, &experiment.join(RESULTS), opened)
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

/// Examines a folder that the user, or the system, named.
fn folder(purpose: FolderPurpose, path: &Path) -> FolderFacts {
    facts(purpose, path, opened(path))
}

fn facts(purpose: FolderPurpose, path: &Path, opened: io::Result<Folder>) -> FolderFacts {
    let room = opened.as_ref().ok().map(rustix::fs::fstatvfs);
    let written = opened.and_then(|folder| write(&folder));
    FolderFacts {
        purpose,
        path: path.display().to_string(),
        free_bytes: room
            .and_then(Result::ok)
            .map(|room| room.f_bavail.saturating_mul(room.f_frsize)),
        write_ms: written.as_ref().ok().copied(),
        mode: None,
        problem: written.err().map(|error| error.to_string()),
    }
}

/// Opens the folder, or its nearest existing ancestor, in which it would be created.
fn opened(path: &Path) -> io::Result<Folder> {
    let absolute = std::path::absolute(path)?;
    for folder in absolute.ancestors() {
        match Folder::named_by_user(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
    }
    Folder::named_by_user(Path::new("/"))
}

/// Returns the time until a small file is on the disk, in milliseconds. The file gets no name.
fn write(folder: &Folder) -> io::Result<f64> {
    let start = Instant::now();
    let new = folder.new_private_file(TRIAL)?;
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

    #[test]
    fn results_that_are_a_link_are_a_problem_and_nothing_is_written_behind_it() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        std::fs::create_dir(at("experiment")).unwrap();
        std::fs::create_dir(at("outside")).unwrap();
        // What a killed writer would have left, and the next one removes.
        std::fs::write(at("outside/.bakeoff-new-abc123"), "").unwrap();
        assert_eq!(results_folder(&at("experiment")).problem, None);
        std::os::unix::fs::symlink("../outside", at("experiment/.bakeoff")).unwrap();
        let found = results_folder(&at("experiment"));
        let problem = found.problem.unwrap();
        assert!(problem.contains("it is a link"), "{problem}");
        assert!(found.free_bytes.is_none() && found.write_ms.is_none());
        assert!(at("outside/.bakeoff-new-abc123").exists());
    }
}
