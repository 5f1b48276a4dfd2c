//! The shared libraries of programs that a fence lets in.

use super::choice::{Programs, resolved};
use std::path::{Path, PathBuf};

/// Lists the shared libraries of a program and its loader. glibc's loader prints them instead of
/// running the program.
pub(super) async fn shared_libraries(programs: &Programs, program: &Path) -> Vec<PathBuf> {
    let mut command = programs.command(program);
    let listing = command.env("LD_TRACE_LOADED_OBJECTS", "1").output().await;
    let Ok(listing) = listing else {
        return Vec::new();
    };
    let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
    listing.lines().filter_map(library).map(resolved).collect()
}

/// Returns the path in a line of the loader's list: `libc.so.6 => /lib/libc.so.6 (0x…)`, or
/// `/lib64/ld-linux-x86-64.so.2 (0x…)`.
fn library(line: &str) -> Option<PathBuf> {
    let line = line.trim();
    let path = line.split_once(" => ").map_or(line, |(_, path)| path);
    let (path, _) = path.rsplit_once(" (0x")?;
    path.starts_with('/').then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loader_lists_paths() {
        let path = |line| library(line).map(|path| path.display().to_string());
        assert_eq!(
            path("\tlibc.so.6 => /lib/libc.so.6 (0x1)").as_deref(),
            Some("/lib/libc.so.6")
        );
        assert_eq!(
            path("\t/lib64/ld.so (0x1)").as_deref(),
            Some("/lib64/ld.so")
        );
        assert_eq!(path("\tlinux-vdso.so.1 (0x1)"), None);
        assert_eq!(path("\tlibz.so.1 => not found"), None);
    }
}
