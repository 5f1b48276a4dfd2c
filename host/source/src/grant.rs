//! Reading the folders that an experiment grants, each through a capability on that folder alone.

use super::folders::{FolderPlace, Folders, FoldersBuilder};
use bakeoff_config::units::show_bytes;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The most files and folders in all grants of an approach.
pub const ENTRIES_MAX: usize = 10_000;

/// The most bytes of all files that an approach is granted. Each of its runners holds a copy.
pub const GRANTED_BYTES_MAX: u64 = 64 << 20;

/// The greatest depth of folders within a granted one.
pub const DEPTH_MAX: usize = 16;

/// A folder to be granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedFolder {
    /// The path at which the component finds it.
    pub at: String,
    /// A folder of the host; nothing outside of it is read.
    pub home: PathBuf,
    /// The granted folder, relative to `home`.
    pub folder: PathBuf,
    /// The folder as the experiment names it.
    pub shown: PathBuf,
}

/// The error of a folder that cannot be granted.
#[derive(Debug, thiserror::Error)]
#[error("{path} {reason}")]
pub struct GrantError {
    /// The index of the folder in the list of grants.
    pub index: usize,
    /// The path at which the error occurred, as the experiment names it.
    pub path: String,
    /// The reason, as a phrase to follow the path.
    pub reason: String,
}

/// Copies granted folders. Nothing outside of them is read, whatever links they contain, and
/// whatever is changed meanwhile.
///
/// # Errors
/// A symbolic link or anything else that is neither a file nor a folder, with its name; a name that
/// is not text; more than [`ENTRIES_MAX`], [`GRANTED_BYTES_MAX`] or [`DEPTH_MAX`]; or an error of
/// the operating system.
pub fn read_granted(folders: &[GrantedFolder]) -> Result<Folders, GrantError> {
    let mut builder = Folders::builder();
    for (index, granted) in folders.iter().enumerate() {
        let root =
            granted_folder(&mut builder, granted).map_err(|error| GrantError { index, ..error })?;
        builder.mount(&granted.at, root);
    }
    Ok(builder.finish())
}

fn granted_folder(
    builder: &mut FoldersBuilder,
    granted: &GrantedFolder,
) -> Result<FolderPlace, GrantError> {
    let shown = granted.shown.display().to_string();
    let unread = |error: io::Error| refused(&shown, format!("cannot be read: {error}"));
    // Without a name of its own, the experiment's folder is where we stand.
    let home = if granted.home.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &granted.home
    };
    let home = Dir::open_ambient_dir(home, ambient_authority()).map_err(unread)?;
    let dir = home.open_dir(&granted.folder).map_err(unread)?;
    folder(builder, &dir, &granted.shown, 0)
}

fn folder(
    builder: &mut FoldersBuilder,
    dir: &Dir,
    path: &Path,
    depth: usize,
) -> Result<FolderPlace, GrantError> {
    let shown = path.display().to_string();
    if depth > DEPTH_MAX {
        let reason = format!("nests deeper than the {DEPTH_MAX} folders that a grant may have");
        return Err(refused(&shown, reason));
    }
    let mut entries = Vec::new();
    let unread = |error: io::Error| refused(&shown, format!("cannot be read: {error}"));
    for entry in dir.entries().map_err(unread)? {
        let entry = entry.map_err(unread)?;
        if builder.count() + entries.len() >= ENTRIES_MAX {
            let reason = format!("is beyond the {ENTRIES_MAX} files and folders of a grant");
            return Err(refused(&shown, reason));
        }
        let name = entry.file_name();
        let path = path.join(&name);
        let shown = path.display().to_string();
        let name = name
            .into_string()
            .map_err(|_| refused(&shown, "has a name that is not text".into()))?;
        let unread = |error: io::Error| refused(&shown, format!("cannot be read: {error}"));
        let kind = entry.file_type().map_err(unread)?;
        let place = if kind.is_dir() {
            let inner = dir.open_dir(&name).map_err(unread)?;
            folder(builder, &inner, &path, depth + 1)?
        } else if kind.is_file() {
            file(builder, dir, &name, &shown)?
        } else if kind.is_symlink() {
            let reason = "is a symbolic link; put the file itself there";
            return Err(refused(&shown, reason.into()));
        } else {
            let reason = "is neither a file nor a folder; take it out of the granted folder";
            return Err(refused(&shown, reason.into()));
        };
        entries.push((name, place));
    }
    Ok(builder.folder(entries))
}

fn file(
    builder: &mut FoldersBuilder,
    dir: &Dir,
    name: &str,
    shown: &str,
) -> Result<FolderPlace, GrantError> {
    let unread = |error: io::Error| refused(shown, format!("cannot be read: {error}"));
    let mut options = OpenOptions::new();
    // What was a file a moment ago may be a link or a pipe by now: neither is followed or waited on.
    options
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let opened = dir.open_with(name, &options).map_err(unread)?;
    if !opened.metadata().map_err(unread)?.is_file() {
        return Err(refused(shown, "is not a file any more".into()));
    }
    let room = GRANTED_BYTES_MAX - builder.bytes().min(GRANTED_BYTES_MAX);
    let mut contents = Vec::new();
    opened
        .take(room + 1)
        .read_to_end(&mut contents)
        .map_err(unread)?;
    if contents.len() as u64 > room {
        let most = show_bytes(GRANTED_BYTES_MAX);
        let reason = format!("is beyond the {most} that an approach may be granted");
        return Err(refused(shown, reason));
    }
    Ok(builder.file(&contents))
}

fn refused(path: &str, reason: String) -> GrantError {
    GrantError {
        index: 0,
        path: path.to_owned(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::super::folders::FolderNode;
    use super::*;
    use std::fs;

    fn read(home: &Path, folder: &str) -> Result<Folders, String> {
        let granted = GrantedFolder {
            at: "/data".into(),
            home: home.to_owned(),
            folder: folder.into(),
            shown: folder.into(),
        };
        read_granted(&[granted]).map_err(|error| error.to_string())
    }

    #[test]
    fn a_folder_is_copied_with_all_below_it() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("data/inner")).unwrap();
        fs::write(home.path().join("data/inner/b.txt"), "bee").unwrap();
        fs::write(home.path().join("outside.txt"), "secret").unwrap();
        let folders = read(home.path(), "data").unwrap();
        let (at, root) = folders.mounts().next().unwrap();
        assert_eq!(at, "/data");
        let inner = folders.named(root, "inner").unwrap();
        let file = folders.named(inner, "b.txt").unwrap();
        assert_eq!(folders.at(file), FolderNode::File(b"bee"));
        assert_eq!(folders.bytes(), 3);
        let before = folders.pack().unwrap().digest;
        fs::write(home.path().join("data/inner/b.txt"), "bea").unwrap();
        let after = read(home.path(), "data").unwrap().pack().unwrap().digest;
        assert_ne!(after, before);
    }

    #[test]
    fn what_is_no_plain_file_is_refused_by_its_name() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("data");
        fs::create_dir(&data).unwrap();
        fs::write(home.path().join("secret"), "x").unwrap();
        std::os::unix::fs::symlink("../secret", data.join("link")).unwrap();
        let said = read(home.path(), "data").unwrap_err();
        assert!(said.starts_with("data/link is a symbolic link"), "{said}");
        fs::remove_file(data.join("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(data.join("sock")).unwrap();
        let said = read(home.path(), "data").unwrap_err();
        assert!(said.starts_with("data/sock is neither a file"), "{said}");
    }

    #[test]
    fn a_granted_folder_that_is_a_link_out_is_not_followed() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "x").unwrap();
        let home = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), home.path().join("data")).unwrap();
        assert!(read(home.path(), "data").is_err());
        assert!(read(home.path(), "..").is_err());
    }

    #[test]
    fn size_number_and_depth_are_bounded() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("data");
        fs::create_dir(&data).unwrap();
        // A hole: it has the size, and takes no space.
        fs::File::create(data.join("big"))
            .unwrap()
            .set_len(GRANTED_BYTES_MAX + 1)
            .unwrap();
        let said = read(home.path(), "data").unwrap_err();
        assert!(said.starts_with("data/big is beyond the 64 MiB"), "{said}");
        fs::remove_file(data.join("big")).unwrap();
        let deep: PathBuf = std::iter::repeat_n("d", DEPTH_MAX + 1).collect();
        fs::create_dir_all(data.join(&deep)).unwrap();
        assert!(
            read(home.path(), "data")
                .unwrap_err()
                .contains("nests deeper")
        );
        fs::remove_dir_all(data.join("d")).unwrap();
        for number in 0..=ENTRIES_MAX {
            fs::File::create(data.join(number.to_string())).unwrap();
        }
        assert!(
            read(home.path(), "data")
                .unwrap_err()
                .contains("10000 files")
        );
    }
}
