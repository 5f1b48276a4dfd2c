//! A repository's objects and names of commits behind settings of our own, so that git reads none of the repository's.
//!
//! Git takes settings from the folder that working trees share. Here that is a temporary one (`GIT_COMMON_DIR`), with
//! links to what the repository keeps. Settings of a repository may include files that the fence hides, which ends git:
//! `actions/checkout` writes such settings. They may also name a remote to fetch objects from, programs, or a working
//! tree that is not there.

use super::repository::Repository;
use bakeoff_files::Folder;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// The file of settings, in either folder.
pub(super) const FILE: &str = "config";

/// Names of what git reads of a repository: its objects, names of commits with their logs, and where its history is cut off.
pub(super) const LINKED: [&str; 6] = [
    "objects",
    "refs",
    "packed-refs",
    "reftable",
    "logs",
    "shallow",
];

/// The settings that say how objects and names are stored, with the only values that are taken over.
pub(super) const FORMATS: [(&str, &[&str]); 2] = [
    ("objectFormat", &["sha1", "sha256"]),
    ("refStorage", &["files", "reftable"]),
];

/// Links what git reads of a repository into an empty folder. The parent does it: a child makes no links.
///
/// # Errors
/// As for making links.
pub(super) fn link(common_dir: &Path, settings: &Path) -> io::Result<()> {
    for name in LINKED {
        let target = common_dir.join(name);
        if target.exists() {
            std::os::unix::fs::symlink(target, settings.join(name))?;
        }
    }
    Ok(())
}

/// The largest file of settings that is looked at, in bytes.
const SETTINGS_BYTES_MAX: u64 = 1 << 20;

/// Writes the settings of our own into an empty folder, for git as the only user of a repository whose objects have ids
/// by SHA-1, and links there what git reads of it. Returns false, and writes nothing, for any other repository.
///
/// # Errors
/// The settings of the repository cannot be read, or ours not be written.
pub fn write_own_settings(repository: &Repository, folder: &Path) -> io::Result<bool> {
    let common = Folder::named_by_user(repository.common_dir())?;
    if common.has("reftable") {
        return Ok(false);
    }
    let settings = common.read(FILE, SETTINGS_BYTES_MAX)?.unwrap_or_default();
    let settings = String::from_utf8_lossy(&settings).to_ascii_lowercase();
    if settings.contains("objectformat") && settings.contains("sha256") {
        return Ok(false);
    }
    link(repository.common_dir(), folder)?;
    Folder::named_by_user(folder)?.write_new(FILE, text(&[]).as_bytes())?;
    Ok(true)
}

/// Returns the text of the settings, for the formats of a repository.
pub(super) fn text(formats: &[(&str, String)]) -> String {
    let mut text =
        "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n".to_owned();
    for (name, value) in formats {
        let _ = writeln!(text, "\t{name} = {value}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_and_names_of_commits_are_linked() {
        let folder = tempfile::tempdir().unwrap();
        let [common, own] = ["common", "own"].map(|name| folder.path().join(name));
        for name in ["objects", "refs", "hooks", "info"] {
            std::fs::create_dir_all(common.join(name)).unwrap();
        }
        std::fs::create_dir(&own).unwrap();
        std::fs::write(common.join(FILE), "[include]\n\tpath = /etc/passwd\n").unwrap();
        link(&common, &own).unwrap();
        let entries = std::fs::read_dir(&own).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["objects", "refs"]);
    }

    #[test]
    fn settings_name_the_formats_alone() {
        let formats = [("objectFormat", "sha256".to_owned())];
        assert!(text(&formats).ends_with("[extensions]\n\tobjectFormat = sha256\n"));
    }
}
