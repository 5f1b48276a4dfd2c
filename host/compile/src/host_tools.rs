//! The host's linker, for builds of code that runs on this machine.

use std::path::PathBuf;

/// Folders of the host's linker and its libraries.
const FOLDERS: [&str; 5] = ["/usr", "/bin", "/lib", "/lib64", "/nix/store"];

/// Returns the folders of the host's linker and its libraries, as far as they are there.
pub(super) fn folders() -> impl Iterator<Item = PathBuf> {
    let folders = FOLDERS.into_iter().map(PathBuf::from);
    folders.filter(|path| path.exists())
}
