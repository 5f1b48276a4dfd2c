//! A file that replaces another as a whole, and that nothing is left of where its writer is killed.

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The mode of the files, before the user's mask.
const MODE: u32 = 0o666;

/// The prefix of names that a file has until it is in its place.
const PREFIX: &str = ".export-";

/// A file that is being written, and is in nobody's way until it is put in its place.
#[derive(Debug)]
pub struct NewFile {
    content: Content,
    folder: PathBuf,
    path: PathBuf,
}

#[derive(Debug)]
enum Content {
    /// It has no name, so it ends with its writer.
    Nameless(File),
    /// For file systems that have no nameless files.
    Named(NamedTempFile),
}

impl NewFile {
    /// Makes an empty file that is to become the one at `path`, and the folders on its way.
    ///
    /// # Errors
    /// As for making folders and files.
    pub fn for_path(path: &Path) -> io::Result<Self> {
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        std::fs::create_dir_all(folder)?;
        let content = match nameless(folder) {
            Some(file) => Content::Nameless(file),
            None => Content::Named(
                names()
                    .permissions(Permissions::from_mode(MODE))
                    .tempfile_in(folder)?,
            ),
        };
        Ok(Self {
            content,
            folder: folder.to_owned(),
            path: path.to_owned(),
        })
    }

    /// What is written to.
    pub fn file(&self) -> &File {
        match &self.content {
            Content::Nameless(file) => file,
            Content::Named(file) => file.as_file(),
        }
    }

    /// Gives the file its name, in place of any other of that name.
    ///
    /// # Errors
    /// As for links and renaming.
    pub fn put_in_place(self) -> io::Result<()> {
        let file = match self.content {
            Content::Named(file) => {
                file.persist(&self.path).map_err(|error| error.error)?;
                return Ok(());
            }
            Content::Nameless(file) => file,
        };
        // A link replaces nothing: the file first gets a name that is free.
        let linked = names().make_in(&self.folder, |free| {
            let from = own_handle(&file);
            Ok(rustix::fs::linkat(
                CWD,
                from,
                CWD,
                free,
                AtFlags::SYMLINK_FOLLOW,
            )?)
        })?;
        let linked = linked.into_temp_path();
        linked.persist(&self.path).map_err(|error| error.error)
    }
}

fn names() -> tempfile::Builder<'static, 'static> {
    let mut names = tempfile::Builder::new();
    names.prefix(PREFIX);
    names
}

/// Returns a file without a name; `None` if the file system has none, or it could get no name later.
fn nameless(folder: &Path) -> Option<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = rustix::fs::open(folder, flags, Mode::from_raw_mode(MODE)).ok()?;
    let file = File::from(file);
    own_handle(&file).exists().then_some(file)
}

fn own_handle(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn case_98_killed_while_it_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        if nameless(folder.path()).is_none() {
            // This file system cannot do it; the other test holds what it can do.
            return;
        }
        let new = NewFile::for_path(&path).unwrap();
        new.file().write_all(b"half").unwrap();
        assert_eq!(names_in(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn a_new_file_takes_the_place_of_the_old_one_with_either_kind_of_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        std::fs::write(&path, "old").unwrap();
        let new = NewFile::for_path(&path).unwrap();
        new.file().write_all(b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        new.put_in_place().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        let mut named = NewFile::for_path(&path).unwrap();
        named.content = Content::Named(names().tempfile_in(folder.path()).unwrap());
        named.file().write_all(b"newer").unwrap();
        named.put_in_place().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"newer");
        assert_eq!(names_in(folder.path()), ["rows"]);
    }
}
