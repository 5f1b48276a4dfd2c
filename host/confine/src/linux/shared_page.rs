//! One word of memory that a child shares with the parent. The child writes it, the parent reads it
//! when it likes: no system call, and nobody is woken.

use super::memory_file;
use rustix::fs::SealFlags;
use rustix::io::FdFlags;
use rustix::mm::{MapFlags, ProtFlags};
use std::ffi::c_void;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Seals with which the size of the file stays what it is, so that no reader of a mapping faults.
const SEALS: SealFlags = SealFlags::SEAL
    .union(SealFlags::SHRINK)
    .union(SealFlags::GROW);

/// The parent's view of the word that a child announces. It stays readable after the child's end.
#[derive(Clone, Debug)]
pub struct Announced(Option<Arc<Mapping>>);

impl Announced {
    /// Returns the view of a child whose job has no shared page.
    pub(super) fn nothing() -> Self {
        Self(None)
    }

    /// Returns the word that the child announced last; 0 if it announced none. It is foreign input:
    /// the child can write anything, at any time.
    pub fn word(&self) -> u64 {
        self.0.as_ref().map_or(0, |page| page.read())
    }
}

/// A page that this process can only read, and that another one writes.
#[derive(Debug)]
struct Mapping(NonNull<c_void>);

// SAFETY: the mapping is only read, by atomic loads, and lives until it is dropped.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    fn read(&self) -> u64 {
        // SAFETY: the mapping is valid and aligned to a page, and its file cannot shrink. All
        // processes access it by atomic operations; a relaxed load does not write.
        let word = unsafe { &*self.0.as_ptr().cast::<AtomicU64>() };
        word.load(Ordering::Relaxed)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this length, and nothing refers to it any more. A
        // failure leaves it in place.
        let _ = unsafe { rustix::mm::munmap(self.0.as_ptr(), bytes()) };
    }
}

fn bytes() -> usize {
    rustix::param::page_size()
}

/// Creates a page, and returns its file and the parent's view of it.
///
/// # Errors
/// Too many open files, or no memory.
pub(super) fn create() -> io::Result<(OwnedFd, Announced)> {
    let file = memory_file::create()?;
    rustix::fs::ftruncate(&file, bytes() as u64)?;
    rustix::fs::fcntl_add_seals(&file, SEALS)?;
    let page = map(&file, ProtFlags::READ)?;
    Ok((file, Announced(Some(Arc::new(Mapping(page))))))
}

fn map(file: &OwnedFd, access: ProtFlags) -> io::Result<NonNull<c_void>> {
    // SAFETY: a new mapping overlaps nothing.
    let start = unsafe {
        rustix::mm::mmap(
            std::ptr::null_mut(),
            bytes(),
            access,
            MapFlags::SHARED,
            file,
            0,
        )?
    };
    NonNull::new(start).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

/// Passes the file of a page to the child that `command` starts: its number is an argument, and only
/// this child inherits it.
pub(super) fn pass(file: OwnedFd, command: &mut Command) {
    command.arg(file.as_raw_fd().to_string());
    let keep = move || Ok(rustix::io::fcntl_setfd(&file, FdFlags::empty())?);
    // SAFETY: between fork and exec only one system call is made, on a descriptor that the closure
    // owns, and nothing is allocated: an error of a plain kind holds no memory.
    unsafe { command.pre_exec(keep) };
}

/// Maps the page whose file the parent passed under this number, for the lifetime of this process,
/// and closes the file.
///
/// # Errors
/// There is no such file, or it is not a sealed page.
pub(super) fn receive(number: RawFd) -> io::Result<&'static AtomicU64> {
    if number <= libc::STDERR_FILENO {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: the parent left this descriptor open for this process, and nothing else owns it. A
    // number that is not open only fails below.
    let file = unsafe { OwnedFd::from_raw_fd(number) };
    let sealed = rustix::fs::fcntl_get_seals(&file)?.contains(SEALS);
    if !sealed || rustix::fs::fstat(&file)?.st_size != bytes() as i64 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let page = map(&file, ProtFlags::READ | ProtFlags::WRITE)?;
    // SAFETY: the mapping is aligned to a page, can be written, and is never unmapped; its file
    // cannot shrink.
    Ok(unsafe { &*page.as_ptr().cast::<AtomicU64>() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::IntoRawFd;

    #[test]
    fn a_word_that_one_side_writes_is_read_by_the_other() {
        let (file, announced) = create().unwrap();
        assert_eq!(announced.word(), 0);
        let page = receive(file.into_raw_fd()).unwrap();
        page.store(u64::MAX - 7, Ordering::Relaxed);
        assert_eq!(announced.word(), u64::MAX - 7);
    }

    #[test]
    fn the_size_of_a_page_is_fixed() {
        let (file, _announced) = create().unwrap();
        let file = File::from(file);
        assert!(file.set_len(0).is_err());
        assert!(file.set_len(1 << 20).is_err());
    }

    #[test]
    fn a_file_that_is_not_a_page_is_refused() {
        let open = memory_file::create().unwrap();
        assert!(receive(open.into_raw_fd()).is_err());
        let sealed = memory_file::seal(&[b"another file"]).unwrap();
        assert!(receive(sealed.into_raw_fd()).is_err());
        assert!(receive(-1).is_err());
    }

    #[test]
    fn a_child_without_a_page_announces_nothing() {
        assert_eq!(Announced::nothing().word(), 0);
    }
}
