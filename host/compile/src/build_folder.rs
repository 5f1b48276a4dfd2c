//! Files that the child writes for programs of the toolchain, and output files that these leave, in the build's folder.

use super::failures::build_failure;
use super::limits::FILE_BYTES;
use bakeoff_domain::failure::{Failure, FailureClass};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The name of the compiler's output file: an archive of objects.
pub(super) const OBJECTS_FILE: &str = "out.a";

/// Reads an output file, without following a link, and no more than the largest file that a build may write.
pub(super) fn read_output(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file for the programs of the toolchain.
pub(super) fn write_input(scratch: &Path, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(scratch.join(name), bytes).map_err(|error| {
        let message = format!("cannot write {name} into the build's folder: {error}");
        build_failure(FailureClass::MachineFailed, message)
    })
}

/// Returns the failure of a build whose folder lacks an expected file, or cannot be used.
pub(super) fn folder_failure(what: &str) -> Failure {
    let message = format!("the build's folder cannot be used: {what}");
    build_failure(FailureClass::BuildCrashed, message)
}
