//! Reading of files that the options of a model name.

use super::error::OpenError;
use bakeoff_files::read_bounded;
use std::path::Path;

/// Reads a plain file of at most `bytes_max` bytes.
///
/// # Errors
/// The file cannot be read, or has more bytes.
pub(super) fn read_file(path: &Path, bytes_max: u64) -> Result<Vec<u8>, OpenError> {
    read_bounded(path, bytes_max)
        .map_err(|error| OpenError::unreadable(path, error.to_string()))?
        .ok_or_else(|| OpenError::unreadable(path, format!("it has more than {bytes_max} bytes")))
}
