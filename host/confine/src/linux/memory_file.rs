//! Sealed memory files: they pass bytes to a child that nobody can change between check and use.

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::mm::{MapFlags, ProtFlags};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};

/// Seals with which nobody can change the file: not its bytes, its size or the seals.
const SEALS: SealFlags = SealFlags::SEAL
    .union(SealFlags::SHRINK)
    .union(SealFlags::GROW)
    .union(SealFlags::WRITE);

/// Returns a memory file that holds `parts`, one after the other, and can never change.
///
/// # Errors
/// Too many open files, or no memory.
pub(super) fn seal(parts: &[&[u8]]) -> io::Result<OwnedFd> {
    let mut file = File::from(create()?);
    for part in parts {
        file.write_all(part)?;
    }
    rustix::fs::fcntl_add_seals(&file, SEALS)?;
    Ok(file.into())
}

/// Creates an empty memory file, as not executable, which Linux 6.3 and later demand and older ones reject.
pub(super) fn create() -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let name = c"bakeoff";
    match rustix::fs::memfd_create(name, flags | MemfdFlags::NOEXEC_SEAL) {
        Err(rustix::io::Errno::INVAL) => Ok(rustix::fs::memfd_create(name, flags)?),
        other => Ok(other?),
    }
}

/// Maps a sealed memory file for the lifetime of the process.
///
/// # Errors
/// `InvalidInput` if the file is not sealed; otherwise the error of the system.
pub(super) fn map(file: impl AsFd) -> io::Result<&'static [u8]> {
    let sealed = rustix::fs::fcntl_get_seals(&file).unwrap_or(SealFlags::empty());
    if !sealed.contains(SEALS) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "stdin is not a sealed memory file",
        ));
    }
    let length = usize::try_from(rustix::fs::fstat(&file)?.st_size).unwrap_or(0);
    if length == 0 {
        return Ok(&[]);
    }
    // SAFETY: a new private mapping overlaps nothing. It is never unmapped, and the seals keep the
    // file from changing or shrinking under it, so the slice is valid and constant for good.
    unsafe {
        let start = rustix::mm::mmap(
            std::ptr::null_mut(),
            length,
            ProtFlags::READ,
            MapFlags::PRIVATE,
            file,
            0,
        )?;
        Ok(std::slice::from_raw_parts(start.cast(), length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_read_back_and_cannot_be_changed() {
        let sealed = seal(&[b"one ", b"", b"two"]).unwrap();
        assert_eq!(map(&sealed).unwrap(), b"one two");
        let mut file = File::from(sealed);
        assert!(file.write_all(b"x").is_err());
        assert!(file.set_len(0).is_err());
    }

    #[test]
    fn an_unsealed_file_is_refused() {
        let open = create().unwrap();
        let error = map(&open).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn nothing_is_an_empty_slice() {
        assert_eq!(map(seal(&[]).unwrap()).unwrap(), b"");
    }
}
