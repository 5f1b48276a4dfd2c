//! Opening and reading of plain files; anything else is refused.

use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a plain file for reading. Anything else is refused by its kind, and never waited for: a pipe
/// would block until somebody writes to it, and a device may do anything.
///
/// # Errors
/// As for [`File::open`], or the path leads to no plain file.
pub fn open_plain(path: &Path) -> io::Result<File> {
    // Opening a device can have effects of its own, so there is a look at it first. What is open is
    // looked at again: something else may have taken its place.
    plain(rustix::fs::stat(path)?.st_mode)?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = rustix::fs::open(path, flags, Mode::empty())?;
    plain(rustix::fs::fstat(&opened)?.st_mode)?;
    Ok(File::from(opened))
}

/// Reads a plain file; `None` if it has more than `bytes_max` bytes.
///
/// # Errors
/// As for [`open_plain`], or the file cannot be read.
pub fn read_bounded(path: &Path, bytes_max: u64) -> io::Result<Option<Vec<u8>>> {
    bounded(open_plain(path)?, bytes_max)
}

pub(super) fn bounded(file: File, bytes_max: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= bytes_max).then_some(bytes))
}

/// Returns the kind of anything but a plain file at a path, as a phrase to follow "it is"; `None` for a plain
/// file, and where there is nothing.
pub fn not_plain(path: &Path) -> Option<&'static str> {
    kind(rustix::fs::stat(path).ok()?.st_mode)
}

pub(super) fn plain(mode: rustix::fs::RawMode) -> io::Result<()> {
    match kind(mode) {
        None => Ok(()),
        Some(kind) => Err(io::Error::other(format!("it is {kind}, not a file"))),
    }
}

/// Returns a mode in 32 bits: on some systems it has fewer.
pub(super) fn mode_bits(mode: impl Into<u32>) -> u32 {
    mode.into()
}

pub(super) fn kind(mode: rustix::fs::RawMode) -> Option<&'static str> {
    match FileType::from_raw_mode(mode) {
        FileType::RegularFile => None,
        FileType::Directory => Some("a folder"),
        FileType::Fifo => Some("a pipe"),
        FileType::Socket => Some("a socket"),
        FileType::CharacterDevice | FileType::BlockDevice => Some("a device"),
        FileType::Symlink => Some("a link"),
        _ => Some("of an unknown kind"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipe::make_pipe;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_plain_file_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "abc").unwrap();
        assert_eq!(not_plain(&file), None);
        assert_eq!(
            read_bounded(&file, 3).unwrap().as_deref(),
            Some(&b"abc"[..])
        );
        assert_eq!(read_bounded(&file, 2).unwrap(), None);
        let missing = open_plain(&folder.path().join("missing")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn everything_else_is_refused_by_its_kind_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        make_pipe(&at("pipe"));
        symlink("pipe", at("link")).unwrap();
        let _socket = UnixListener::bind(at("socket")).unwrap();
        for (path, kind) in [
            (at("pipe"), "a pipe"),
            (at("link"), "a pipe"),
            (at("socket"), "a socket"),
            (folder.path().to_owned(), "a folder"),
            ("/dev/zero".into(), "a device"),
            ("/dev/tty".into(), "a device"),
        ] {
            let refused = open_plain(&path).unwrap_err().to_string();
            assert_eq!(refused, format!("it is {kind}, not a file"));
            assert_eq!(not_plain(&path), Some(kind));
        }
    }

    /// A thread points a link at a file and a pipe by turns, also between the check and the opening.
    #[test]
    fn a_pipe_that_takes_the_place_of_a_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "abc").unwrap();
        make_pipe(&at("pipe"));
        symlink("file", at("named")).unwrap();
        std::thread::scope(|scope| {
            let changing = scope.spawn(|| {
                for number in 0..2_000 {
                    let target = ["pipe", "file"][number % 2];
                    symlink(target, at("next")).unwrap();
                    std::fs::rename(at("next"), at("named")).unwrap();
                }
            });
            while !changing.is_finished() {
                match open_plain(&at("named")) {
                    Ok(file) => assert!(file.metadata().unwrap().is_file()),
                    Err(error) => assert_eq!(error.to_string(), "it is a pipe, not a file"),
                }
            }
        });
    }
}
