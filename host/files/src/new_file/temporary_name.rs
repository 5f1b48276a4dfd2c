//! Temporary names of new files, by which those of killed writers are found.

use std::ffi::OsStr;

/// The prefix of the name that a file has until it is in its place. It marks files of bakeoff: the next file that
/// is written beside them removes those whose writer is gone.
pub(super) const PREFIX: &str = ".bakeoff-new-";

/// The number of random letters and digits after the prefix.
pub(super) const RANDOM_CHARS: usize = 6;

/// The most attempts to make a file with a name: another process may take it for abandoned before it is
/// locked.
pub(super) const TRIES: u32 = 16;

/// Returns true if a [`NewFile`](super::NewFile) may have had this name.
pub(super) fn is_name(name: &OsStr) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    random.is_some_and(|random| {
        random.len() == RANDOM_CHARS && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
