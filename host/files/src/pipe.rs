//! Named pipes for tests, on every system.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Makes a named pipe that its owner may read.
pub(crate) fn make_pipe(path: &Path) {
    let path = CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: the path is a string that ends, and lives through the call.
    let made = unsafe { libc::mkfifo(path.as_ptr(), 0o400) };
    assert_eq!(made, 0, "{path:?}");
}
