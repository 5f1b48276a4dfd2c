//! Files that commands write into the folder of an experiment.

use super::failure::Failure;
use bakeoff_files::{Folder, FolderEntryKind};
use bakeoff_render::escape::Plain;
use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Replaces a file in a folder that the user named by another of this content, all at once.
pub(super) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
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

/// Returns the error of a command that cannot write a file.
pub(super) fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    let shown = path.display().to_string();
    Failure::usage(format!("cannot write {}: {error}", Plain(&shown)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
