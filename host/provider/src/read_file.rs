//! Reading of files that the options of a model name.

use super::error::OpenError;
use bakeoff_files::Reach;
use std::path::Path;

/// Reads a plain file of at most `bytes_max` bytes, which has to lie in the folder `within` if there is one: then
/// somebody else than the user named the file.
///
/// # Errors
/// The file cannot be read, does not lie in that folder, or has more bytes.
pub(super) fn read_file(
    path: &Path,
    within: Option<&Path>,
    bytes_max: u64,
) -> Result<Vec<u8>, OpenError> {
    let reach = match within {
        Some(folder) => Reach::Within(folder),
        None => Reach::Anywhere,
    };
    reach
        .read_bounded(path, bytes_max)
        .map_err(|error| OpenError::unreadable(path, error.to_string()))?
        .ok_or_else(|| OpenError::unreadable(path, format!("it has more than {bytes_max} bytes")))
}
