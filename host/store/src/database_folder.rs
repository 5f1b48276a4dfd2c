//! Folders with databases, open for as long as SQLite uses what is in them.
//!
//! SQLite takes paths. For each path in one of these folders, the file is opened or removed by its name in the open
//! folder instead, wherever the path leads by then.

use super::system::real_path;
use bakeoff_files::Folder;
use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The folders that are in use now.
static IN_USE: Mutex<Vec<InUse>> = Mutex::new(Vec::new());

/// A folder that SQLite knows by its path.
#[derive(Debug)]
struct InUse {
    /// Path of the folder when it was opened, without a link.
    real: PathBuf,
    /// Device and inode.
    id: (u64, u64),
    handle: Arc<OwnedFd>,
    users: usize,
}

/// An open folder of results, in which SQLite opens a database. It has to live longer than the connection.
#[derive(Debug)]
pub(super) struct DatabaseFolder {
    folder: Folder,
    real: PathBuf,
    id: (u64, u64),
}

impl DatabaseFolder {
    /// Lets SQLite open files in this folder.
    ///
    /// # Errors
    /// The folder is gone, or another one has its path while it is in use.
    pub(super) fn new(folder: Folder) -> io::Result<Self> {
        let real = real_path(&folder)?;
        let id = folder.identity()?;
        let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        match in_use.iter_mut().find(|one| one.real == real) {
            Some(one) if one.id == id => one.users += 1,
            Some(_) => {
                let what = "another folder has taken its place while it is in use";
                return Err(io::Error::other(what));
            }
            None => in_use.push(InUse {
                real: real.clone(),
                id,
                handle: Arc::new(folder.as_fd().try_clone_to_owned()?),
                users: 1,
            }),
        }
        drop(in_use);
        Ok(Self { folder, real, id })
    }

    /// The open folder.
    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The path of a file in it, for messages.
    pub(super) fn shown(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The path of a file in it, for SQLite.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.real.join(name)
    }
}

impl Drop for DatabaseFolder {
    fn drop(&mut self) {
        let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |one: &InUse| one.real == self.real && one.id == self.id;
        if let Some(at) = in_use.iter().position(same) {
            in_use[at].users -= 1;
            if in_use[at].users == 0 {
                in_use.swap_remove(at);
            }
        }
    }
}

/// Returns the open folder that a path of SQLite's lies in, and the name there; `None` if no folder in use has that
/// path.
pub(super) fn in_open_folder(path: &CStr) -> Option<(Arc<OwnedFd>, &OsStr)> {
    let path = Path::new(OsStr::from_bytes(path.to_bytes()));
    let (folder, name) = (path.parent()?, path.file_name()?);
    let in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
    let found = in_use.iter().find(|one| one.real == folder)?;
    Some((found.handle.clone(), name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::fs;

    fn c_path(path: &Path) -> CString {
        CString::new(path.as_os_str().as_bytes()).unwrap()
    }

    #[test]
    fn a_folder_is_known_as_long_as_anybody_uses_it() {
        let home = tempfile::tempdir().unwrap();
        let open = || DatabaseFolder::new(Folder::named_by_user(home.path()).unwrap()).unwrap();
        let (first, second) = (open(), open());
        let path = c_path(&first.path("x.db"));
        drop(first);
        assert_eq!(in_open_folder(&path).unwrap().1, "x.db");
        drop(second);
        assert!(in_open_folder(&path).is_none());
    }

    #[test]
    fn another_folder_in_its_place_is_refused_while_it_is_in_use() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let open = || DatabaseFolder::new(Folder::named_by_user(&at("folder")).unwrap());
        fs::create_dir(at("folder")).unwrap();
        let used = open().unwrap();
        fs::rename(at("folder"), at("moved")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        let refused = open().unwrap_err().to_string();
        assert!(refused.contains("taken its place"), "{refused}");
        drop(used);
        assert!(open().is_ok());
    }
}
