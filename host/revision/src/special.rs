//! Files of a repository that git would wait for: whoever opens a FIFO waits for a writer.

use super::own_settings::LINKED;
use super::protocol::GitTask;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The most entries that are looked at: git packs objects long before there are as many.
const ENTRIES_MAX: usize = 1_000_000;
/// The deepest folder that is looked into.
const DEPTH_MAX: usize = 64;

/// Refuses a repository in which something that git reads is neither a file nor a folder nor a link.
///
/// # Errors
/// The text names it.
pub(super) fn refuse(task: &GitTask) -> Result<(), String> {
    let mut left = ENTRIES_MAX;
    let mut folders = vec![(task.common_dir.as_path(), "")];
    if task.git_dir != task.common_dir {
        folders.push((task.git_dir.as_path(), "its working tree's "));
    }
    for (folder, of) in folders {
        for name in LINKED {
            let found = first_special(&folder.join(name), &mut left, DEPTH_MAX);
            let found = found.map_err(|error| format!("its {name} cannot be read: {error}"))?;
            if let Some(path) = found {
                let shown = path.strip_prefix(folder).unwrap_or(&path);
                return Err(format!(
                    "{of}{shown:?} is no plain file, and git would wait for it: remove it, and `git fsck` says what is \
                     missing then"
                ));
            }
        }
    }
    Ok(())
}

/// Returns the first path at or below one that is neither a file nor a folder nor a link.
fn first_special(path: &Path, left: &mut usize, depth: usize) -> io::Result<Option<PathBuf>> {
    let kind = match path.symlink_metadata() {
        Ok(found) => found.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !kind.is_dir() {
        return Ok((!kind.is_file() && !kind.is_symlink()).then(|| path.to_owned()));
    }
    if depth == 0 {
        return Err(io::Error::other("its folders are nested too deeply"));
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        *left = left.checked_sub(1).ok_or_else(|| {
            io::Error::other("it has more than a million files: `git gc` packs them")
        })?;
        let kind = entry.file_type()?;
        if kind.is_file() || kind.is_symlink() {
            continue;
        }
        let found = first_special(&entry.path(), left, depth - 1)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_neither_file_nor_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut task = GitTask {
            git: PathBuf::new(),
            git_dir: folder.path().to_owned(),
            common_dir: folder.path().to_owned(),
            settings: PathBuf::new(),
            revision: String::new(),
            tree: PathBuf::new(),
        };
        let refs = folder.path().join("refs/heads");
        fs::create_dir_all(&refs).unwrap();
        fs::write(refs.join("main"), "").unwrap();
        std::os::unix::fs::symlink("/dev/zero", refs.join("link")).unwrap();
        refuse(&task).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(refs.join("waits")).unwrap();
        let refused = refuse(&task).unwrap_err();
        assert!(
            refused.contains("\"refs/heads/waits\" is no plain file"),
            "{refused}"
        );
        task.common_dir = folder.path().join("elsewhere");
        let refused = refuse(&task).unwrap_err();
        assert!(refused.starts_with("its working tree's"), "{refused}");
    }

    #[test]
    fn there_is_an_end_to_looking() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b/c")).unwrap();
        assert!(first_special(folder.path(), &mut 2, 9).is_err());
        assert!(first_special(folder.path(), &mut 9, 2).is_err());
        assert_eq!(first_special(folder.path(), &mut 9, 9).unwrap(), None);
    }
}
