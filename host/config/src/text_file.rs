//! Text files that an experiment, or its user, names.

use super::error::{ConfigError, EXPERIMENT};
use bakeoff_files::{Reach, not_plain};
use std::path::Path;

/// The largest experiment file, file of cases or file of instances, in bytes.
pub const FILE_BYTES_MAX: u64 = 1 << 20;

/// Reads a plain text file of bounded size.
pub(super) fn read(
    path: &Path,
    what: &'static str,
    reach: Reach<'_>,
) -> Result<String, ConfigError> {
    read_bounded_text(path, (what, FILE_BYTES_MAX), reach)
}

/// Reads a plain text file that has no more than so many bytes: whole KiB, or whole MiB.
pub(super) fn read_bounded_text(
    path: &Path,
    (what, bytes_max): (&'static str, u64),
    reach: Reach<'_>,
) -> Result<String, ConfigError> {
    let shown = || path.display().to_string().escape_debug().to_string();
    let unreadable = |reason: String| ConfigError::Unreadable {
        path: shown(),
        reason,
    };
    let bytes = reach
        .read_bounded(path, bytes_max)
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => ConfigError::Missing {
                what,
                path: shown(),
            },
            _ => match not_plain(path) {
                Some(kind) if what == EXPERIMENT => unreadable(format!(
                    "it is {kind}, not a file; remove it, and put the {what} there as a plain file"
                )),
                Some(kind) => unreadable(format!("it is {kind}, not a file; name a plain file")),
                None => unreadable(error.to_string()),
            },
        })?;
    let most = match bytes_max >> 20 {
        0 => format!("{} KiB", bytes_max >> 10),
        mebibytes => format!("{mebibytes} MiB"),
    };
    let bytes = bytes.ok_or_else(|| unreadable(format!("it is larger than {most}")))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        unreadable(format!("it is not UTF-8 (from byte {at} on)"))
    })
}
