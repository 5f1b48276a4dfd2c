//! Files that commands write into the folder of an experiment.

use super::failure::Failure;
use crate::files::NewFile;
use crate::render::escape::Plain;
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// Replaces a file by another of this content, all at once.
pub(super) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let new = NewFile::for_path(path)?;
    let mut file = new.file();
    file.write_all(text.as_bytes())?;
    if let Ok(before) = fs::metadata(path) {
        file.set_permissions(before.permissions())?;
    }
    file.sync_all()?;
    new.put_in_place()
}

/// A file that cannot be written, as the end of a command.
pub(super) fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    let shown = path.display().to_string();
    Failure::usage(format!("cannot write {}: {error}", Plain(&shown)))
}
