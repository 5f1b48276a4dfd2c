//! A copy of an experiment with another file: for another parameter, without an editor.

use super::places::is_passed_over;
use bakeoff_config::FILE_NAME;
use bakeoff_files::{Folder, FolderEntryKind};
use bakeoff_store::DATABASE;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// The most files of an experiment that are copied, their bytes together, and the folders on the way to one.
const FILES_MAX: usize = 1_000;
const BYTES_MAX: u64 = 64 << 20;
const DEPTH_MAX: usize = 8;
/// The most characters of the name of a folder.
const NAME_CHARS_MAX: usize = 100;

/// Files by their paths in the experiment's folder.
type Files = Vec<(PathBuf, Vec<u8>)>;

/// Returns a name that can be that of a new folder or file beside others, and nothing else.
///
/// # Errors
/// The form of a name.
pub(crate) fn plain_name(name: &str) -> Result<&str, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins && name.chars().all(is_plain) && name.len() <= NAME_CHARS_MAX {
        Ok(name)
    } else {
        Err(format!(
            "a name has 1 to {NAME_CHARS_MAX} of A-Z, a-z, 0-9, `.`, `_` and `-`, and begins with a letter or a digit"
        ))
    }
}

/// Copies the files of an experiment into a new folder `name` of `parent`, with `text` as its experiment file. Results
/// and other hidden folders stay behind.
///
/// # Errors
/// There is something of that name, a file is none that can be copied, or cannot be read or written; nothing is written
/// before all is read.
pub(crate) fn copy(
    experiment: &Folder,
    parent: &Folder,
    name: &str,
    text: &str,
) -> Result<(), String> {
    if name == DATABASE || is_passed_over(OsStr::new(name)) {
        return Err(format!(
            "an experiment called {name} would not be found: choose another name"
        ));
    }
    let mut reading = Reading {
        files: Vec::new(),
        bytes: 0,
    };
    reading.read(experiment, Path::new(""), 0)?;
    let made = parent.make_new(name).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => format!("there is something called {name} already"),
        _ => format!("the folder {name} cannot be made: {error}"),
    })?;
    let write = || {
        for (path, bytes) in &reading.files {
            made.write_new(path, bytes)?;
        }
        made.write_new(FILE_NAME, text.as_bytes())
    };
    write().map_err(|error| {
        format!("the folder {name} was made, and not all can be written to it: {error}")
    })
}

struct Reading {
    files: Files,
    bytes: u64,
}

impl Reading {
    fn read(&mut self, folder: &Folder, below: &Path, depth: usize) -> Result<(), String> {
        let shown = |name: &OsStr| below.join(name).display().to_string();
        let failed =
            |name: &OsStr, error: io::Error| format!("{} cannot be copied: {error}", shown(name));
        let entries = folder.entries(FILES_MAX);
        let entries = entries.map_err(|error| failed(OsStr::new(""), error))?;
        let too_many = || format!("it has more than {FILES_MAX} files: copy it by hand");
        for entry in entries.ok_or_else(too_many)? {
            let name = &*entry.name;
            if is_passed_over(name) || below.as_os_str().is_empty() && name == FILE_NAME {
                continue;
            }
            match entry.kind {
                FolderEntryKind::Folder if depth == DEPTH_MAX => {
                    return Err(format!("{} lies too deep: copy it by hand", shown(name)));
                }
                FolderEntryKind::Folder => {
                    let child = folder.below(name).map_err(|error| failed(name, error))?;
                    self.read(&child, &below.join(name), depth + 1)?;
                }
                FolderEntryKind::File => {
                    let left = BYTES_MAX - self.bytes;
                    let read = folder
                        .read(name, left)
                        .map_err(|error| failed(name, error))?;
                    let bytes = read.ok_or_else(|| {
                        format!(
                            "its files have more than {} MiB: copy it by hand",
                            BYTES_MAX >> 20
                        )
                    })?;
                    if self.files.len() == FILES_MAX {
                        return Err(too_many());
                    }
                    self.bytes += bytes.len() as u64;
                    self.files.push((below.join(name), bytes));
                }
                FolderEntryKind::Link | FolderEntryKind::Other => {
                    return Err(format!("{} is no plain file: copy it by hand", shown(name)));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_copy_has_the_files_without_results_and_its_own_experiment_file() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("one/approaches")).unwrap();
        fs::create_dir_all(at("one/.bakeoff/x")).unwrap();
        fs::write(at("one/approaches/a.rs"), "a").unwrap();
        fs::write(at("one/.bakeoff/x/bakeoff.db"), "results").unwrap();
        fs::write(at("one/bakeoff.toml"), "old").unwrap();
        let folder = |name: &str| Folder::named_by_user(&at(name)).unwrap();
        copy(&folder("one"), &folder(""), "two", "new").unwrap();
        let read = |name: &str| fs::read_to_string(at(name)).unwrap();
        assert_eq!(
            (&*read("two/approaches/a.rs"), &*read("two/bakeoff.toml")),
            ("a", "new")
        );
        assert!(!at("two/.bakeoff").exists());
        let refused = copy(&folder("one"), &folder(""), "two", "newer").unwrap_err();
        assert!(
            refused.contains("already") && read("two/bakeoff.toml") == "new",
            "{refused}"
        );
        symlink("/etc/passwd", at("one/approaches/link.rs")).unwrap();
        let refused = copy(&folder("one"), &folder(""), "three", "new").unwrap_err();
        assert!(
            refused.contains("approaches/link.rs is no plain file"),
            "{refused}"
        );
        assert!(!at("three").exists());
        fs::remove_file(at("one/approaches/link.rs")).unwrap();
        for number in 0..FILES_MAX {
            fs::write(at(&format!("one/approaches/{number}.rs")), "").unwrap();
        }
        let refused = copy(&folder("one"), &folder(""), "three", "new").unwrap_err();
        assert!(
            refused.contains("more than 1000 files") && !at("three").exists(),
            "{refused}"
        );
    }

    #[test]
    fn names_that_lead_elsewhere_or_hide_are_refused() {
        for name in ["", ".", "..", "../x", "a/b", ".x", "-x", "a b", "ä", "a\n"] {
            assert!(plain_name(name).is_err(), "{name:?}");
        }
        assert!(plain_name(&"a".repeat(NAME_CHARS_MAX + 1)).is_err());
        assert_eq!(plain_name("top-k.2_x"), Ok("top-k.2_x"));
    }
}
