//! Files of the user's own: those that a model is told beside the problem, and others that are read in the same way.

use bakeoff_files::read_bounded;
use bakeoff_render::escape::Plain;
use std::fmt;
use std::path::Path;

/// The largest file that is told, in bytes.
const FILE_BYTES_MAX: u64 = 64 << 10;

/// A file that the user named and that cannot be used. Its text is escaped.
#[derive(Debug)]
pub(crate) struct NamedFileError(String);

impl fmt::Display for NamedFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NamedFileError {}

/// Reads the text of a file that an option names, and that a model is told.
///
/// # Errors
/// It cannot be read, is no text, or is too large.
pub(crate) fn read_told(option: &str, file: &Path) -> Result<String, NamedFileError> {
    let too_large = "it has more than 64 KiB: give the part that matters";
    read_text(option, file, (FILE_BYTES_MAX, too_large))
}

/// Reads the text of a file that an option names, of so many bytes at most; beyond them with this message.
///
/// # Errors
/// It cannot be read, is no text, or is too large.
pub(crate) fn read_text(
    option: &str,
    file: &Path,
    (bytes_max, too_large): (u64, &str),
) -> Result<String, NamedFileError> {
    let shown = file.display().to_string();
    let wrong = |why: &str| NamedFileError(format!("{option} {}: {why}", Plain(&shown)));
    let bytes = read_bounded(file, bytes_max).map_err(|error| wrong(&error.to_string()))?;
    let bytes = bytes.ok_or_else(|| wrong(too_large))?;
    String::from_utf8(bytes).map_err(|_| wrong("it is no text in UTF-8"))
}
