//! Files that are written into the folder of an experiment.

use bakeoff_files::{Folder, FolderEntryKind};
use bakeoff_render::escape::Plain;
use std::fmt;
use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// A file or folder of an experiment that cannot be written. Its text is escaped.
#[derive(Debug)]
pub(crate) struct PlaceError(String);

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlaceError {}

/// Replaces a file in a folder that the user named by another of this content, all at once.
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = Folder::made_by_user(path.parent().unwrap_or(Path::new("")))?;
    let name = path.file_name().unwrap_or_default();
    let new = folder.new_file(name)?;
    let mut file = new.file();
    file.write_all(text.as_bytes())?;
    // A link is replaced itself, and its permissions are not taken over.
    if let Some(before) = folder.look(name)?
        && before.kind == FolderEntryKind::File
    {
        file.set_permissions(Permissions::from_mode(before.permissions))?;
    }
    file.sync_all()?;
    new.put_in_place()
}

/// Checks that files can be written into a folder that the user named, before anything is paid for. A name that ends
/// with `/` is that of a folder.
///
/// # Errors
/// A link, a pipe or another thing that is not written through stands in the place of a file or folder.
pub(crate) fn check_places(folder: &Path, names: &[&str]) -> Result<(), PlaceError> {
    let opened = match Folder::named_by_user(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(|error| cannot_write(folder, &error))?,
    };
    for name in names {
        let (name, wanted) = match name.strip_suffix('/') {
            Some(name) => (name, FolderEntryKind::Folder),
            None => (*name, FolderEntryKind::File),
        };
        let path = folder.join(name);
        let found = opened.look(name);
        let Some(found) = found.map_err(|error| cannot_write(&path, &error))? else {
            continue;
        };
        let is_file = wanted == FolderEntryKind::File;
        let reason = match found.kind {
            FolderEntryKind::File if is_file && found.names == 1 => continue,
            FolderEntryKind::Folder if !is_file => continue,
            FolderEntryKind::File if is_file => {
                "it has a second name, under which it may be anybody's file".to_owned()
            }
            _ => {
                let kind = found.not_plain.unwrap_or("a file");
                let needed = if is_file { "file" } else { "folder" };
                format!("it is {kind}, and a {needed} is needed")
            }
        };
        let shown = path.display().to_string();
        return Err(PlaceError(format!(
            "cannot write {}: {reason}; move it away, or name another folder",
            Plain(&shown)
        )));
    }
    Ok(())
}

/// Returns the error of a file that cannot be written.
pub(crate) fn cannot_write(path: &Path, error: &std::io::Error) -> PlaceError {
    let shown = path.display().to_string();
    PlaceError(format!("cannot write {}: {error}", Plain(&shown)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_place_that_is_taken_is_said_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let said =
            |names: &[&str]| check_places(folder.path(), names).map_err(|error| error.to_string());
        assert_eq!(said(&["a.rs", "below/"]), Ok(()));
        assert!(check_places(&at("none"), &["a.rs"]).is_ok());
        fs::write(at("a.rs"), "").unwrap();
        fs::create_dir(at("below")).unwrap();
        assert_eq!(said(&["a.rs", "below/"]), Ok(()));
        for (names, reason) in [
            (["below", "a.rs"], "it is a folder"),
            (["a.rs/", "a.rs"], "it is a file"),
        ] {
            assert!(said(&names).unwrap_err().contains(reason));
        }
        fs::hard_link(at("a.rs"), at("second")).unwrap();
        std::os::unix::fs::symlink("below", at("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        for (name, reason) in [
            ("a.rs", "second name"),
            ("socket", "it is a socket, and a file is needed"),
            ("link/", "a link"),
            ("link", "a link"),
        ] {
            let message = said(&[name]).unwrap_err();
            assert!(message.contains(reason), "{message}");
        }
    }

    #[test]
    fn the_mode_is_that_of_the_file_and_never_that_of_what_a_link_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
        fs::write(at("own"), "").unwrap();
        fs::set_permissions(at("own"), Permissions::from_mode(0o640)).unwrap();
        replace(&at("own"), "new").unwrap();
        assert_eq!(
            (fs::read(at("own")).unwrap(), mode("own")),
            (b"new".to_vec(), 0o640)
        );
        fs::write(at("other"), "kept").unwrap();
        fs::set_permissions(at("other"), Permissions::from_mode(0o711)).unwrap();
        std::os::unix::fs::symlink("other", at("link")).unwrap();
        replace(&at("link"), "new").unwrap();
        assert_ne!(mode("link"), 0o711);
        assert_eq!(fs::read(at("other")).unwrap(), b"kept");
    }
}
