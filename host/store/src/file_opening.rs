//! The opening of files by SQLite. It takes paths, and opens the journals beside a database by itself, whenever it
//! needs them: so each file is examined here once it is open, and nothing relies on what was found there before.

use super::database_folder::{DatabaseFolder, in_open_folder};
use super::system::{open_without_links, set_errno};
use rusqlite::{Connection, OpenFlags, ffi};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawMode, statat};
use rustix::io::Errno;
use std::ffi::{CStr, c_char, c_int};
use std::mem::transmute;
use std::os::fd::{IntoRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Flags that every file is opened with: no link is followed, and nothing is waited for.
const GUARDED: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Files of the system that SQLite opens: one in the place of a closed standard stream, one to draw numbers from.
const OF_SYSTEM: [&CStr; 2] = [c"/dev/null", c"/dev/urandom"];

/// Endings of the names of files that SQLite makes beside a database.
const JOURNALS: [&[u8]; 3] = [b"-wal", b"-shm", b"-journal"];

/// Opens a database in an open folder. The database and the files that SQLite opens beside it must be plain files, and
/// no links; of these, only a database that is opened for reading may have a second name.
///
/// # Errors
/// The errors of [`Connection::open_with_flags`]; SQLite's calls of the system cannot be replaced.
pub(super) fn open(
    folder: &DatabaseFolder,
    name: &str,
    flags: OpenFlags,
) -> rusqlite::Result<Connection> {
    refuse_unguarded()?;
    let flags = flags | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Connection::open_with_flags(folder.path(name), flags)
}

/// Opens a database for reading, as a file that nobody can change.
///
/// # Errors
/// The errors of [`open`].
pub(super) fn open_immutable(
    folder: &DatabaseFolder,
    name: &str,
    flags: OpenFlags,
) -> rusqlite::Result<Connection> {
    refuse_unguarded()?;
    let uri = immutable_uri(&folder.path(name));
    let flags = flags | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Connection::open_with_flags(uri, flags)
}

fn refuse_unguarded() -> rusqlite::Result<()> {
    if *GUARD {
        Ok(())
    } else {
        Err(rusqlite::Error::SqliteFailure(
            ffi::Error::new(ffi::SQLITE_CANTOPEN),
            Some("SQLite cannot be guarded".to_owned()),
        ))
    }
}

/// The types that SQLite calls its `open` and `unlink` by.
type OpenFunction = unsafe extern "C" fn(*const c_char, c_int, c_int) -> c_int;
type UnlinkFunction = unsafe extern "C" fn(*const c_char) -> c_int;

/// True once SQLite opens its files by [`open_for_sqlite`] and removes them by [`unlink_for_sqlite`], in all of this
/// process.
static GUARD: LazyLock<bool> = LazyLock::new(|| {
    // SAFETY: without a name, it is the default one, which lives as long as the process.
    let system = unsafe { ffi::sqlite3_vfs_find(std::ptr::null()) };
    // SAFETY: it is null, or points to what SQLite registered and never changes.
    let Some(set) = (unsafe { system.as_ref() }).and_then(|system| system.xSetSystemCall) else {
        return false;
    };
    let (open, unlink): (OpenFunction, UnlinkFunction) = (open_for_sqlite, unlink_for_sqlite);
    // SAFETY: SQLite calls what it is given for "open" with these arguments alone; the type that it takes stands for
    // that of any function.
    let open = unsafe { transmute::<OpenFunction, unsafe extern "C" fn()>(open) };
    // SAFETY: the same for "unlink".
    let unlink = unsafe { transmute::<UnlinkFunction, unsafe extern "C" fn()>(unlink) };
    let calls = [(c"open", open), (c"unlink", unlink)];
    calls.into_iter().all(|(name, function)| {
        // SAFETY: the name is a string that ends, and the function lives as long as the process.
        unsafe { set(system, name.as_ptr(), Some(function)) == ffi::SQLITE_OK }
    })
});

/// Opens a file in the place of the system's `open`: returns its number, or -1 with the reason in `errno`.
///
/// # Safety
/// `path` is a string that ends, as for `open`.
unsafe extern "C" fn open_for_sqlite(path: *const c_char, flags: c_int, mode: c_int) -> c_int {
    // SAFETY: as the caller says.
    let path = unsafe { CStr::from_ptr(path) };
    match opened(path, flags, mode) {
        Ok(file) => file.into_raw_fd(),
        Err(error) => failed(error),
    }
}

/// Removes a file in the place of the system's `unlink`: returns 0, or -1 with the reason in `errno`.
///
/// # Safety
/// `path` is a string that ends, as for `unlink`.
unsafe extern "C" fn unlink_for_sqlite(path: *const c_char) -> c_int {
    // SAFETY: as the caller says.
    let path = unsafe { CStr::from_ptr(path) };
    let removed = match in_open_folder(path) {
        Some((folder, name)) => rustix::fs::unlinkat(&folder, name, AtFlags::empty()),
        None => rustix::fs::unlink(path),
    };
    removed.map_or_else(failed, |()| 0)
}

fn failed(error: Errno) -> c_int {
    set_errno(error);
    -1
}

fn opened(path: &CStr, flags: c_int, mode: c_int) -> Result<OwnedFd, Errno> {
    let flags = OFlags::from_bits_retain(flags.cast_unsigned()) | GUARDED;
    let mode = if flags.contains(OFlags::CREATE) {
        Mode::from_raw_mode(mode.cast_unsigned() as RawMode)
    } else {
        Mode::empty()
    };
    if OF_SYSTEM.contains(&path) {
        return rustix::fs::open(path, flags, mode);
    }
    let in_folder = in_open_folder(path);
    // Opening a device can have effects of its own, so there is a look at it first.
    let looked_at = match &in_folder {
        Some((folder, name)) => statat(folder, *name, AtFlags::SYMLINK_NOFOLLOW),
        None => statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW),
    };
    if let Ok(found) = looked_at {
        refuse(found.st_mode, flags)?;
    }
    let opened = match in_folder {
        Some((folder, name)) => rustix::fs::openat(&folder, name, flags, mode)?,
        // A temporary file, in the folder for these: it is new, and that folder may be a link.
        None if flags.contains(OFlags::EXCL) => rustix::fs::open(path, flags, mode)?,
        None => open_without_links(path, flags, mode)?,
    };
    let found = rustix::fs::fstat(&opened)?;
    refuse(found.st_mode, flags)?;
    // SQLite tries once more to read what it cannot open to write, and changes the mode of a journal that is empty.
    let is_journal = JOURNALS.iter().any(|end| path.to_bytes().ends_with(end));
    let is_changed = is_journal || flags.intersects(OFlags::WRONLY | OFlags::RDWR);
    if is_changed && found.st_nlink > 1 {
        Err(Errno::MLINK)
    } else {
        Ok(opened)
    }
}

/// Refuses anything but a plain file, or a folder that is opened for reading: SQLite syncs folders to the disk.
fn refuse(mode: RawMode, flags: OFlags) -> Result<(), Errno> {
    match FileType::from_raw_mode(mode) {
        FileType::RegularFile => Ok(()),
        FileType::Directory if !flags.intersects(OFlags::WRONLY | OFlags::RDWR) => Ok(()),
        FileType::Directory => Err(Errno::ISDIR),
        FileType::Symlink => Err(Errno::LOOP),
        _ => Err(Errno::NXIO),
    }
}

/// Returns the URI of a file that nobody can change, with every character escaped that has a meaning in a URI.
fn immutable_uri(file: &Path) -> PathBuf {
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let mut uri = b"file:".to_vec();
    for &byte in file.as_os_str().as_bytes() {
        match byte {
            b'%' | b'?' | b'#' => uri.extend(format!("%{byte:02X}").bytes()),
            plain => uri.push(plain),
        }
    }
    uri.extend(b"?immutable=1");
    PathBuf::from(OsString::from_vec(uri))
}

/// Returns the flags that open a database for writing, and make it where it is missing.
pub(super) fn to_write() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_files::Folder;
    use rustix::fs::mknodat;
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    #[test]
    fn every_special_character_of_a_path_is_escaped_in_its_uri() {
        let uri = immutable_uri(Path::new("/a b/c?d#e%f"));
        assert_eq!(uri, Path::new("file:/a b/c%3Fd%23e%25f?immutable=1"));
    }

    fn database_folder(folder: &Path) -> DatabaseFolder {
        DatabaseFolder::new(Folder::named_by_user(folder).unwrap()).unwrap()
    }

    /// Makes a database with a journal ahead of it (WAL), whose journal files a reader and a writer open as well.
    fn written(folder: &Path) -> PathBuf {
        let open_folder = database_folder(folder);
        let db = open(&open_folder, "x.db", to_write()).unwrap();
        db.execute_batch("PRAGMA journal_mode = wal; CREATE TABLE t (n); INSERT INTO t VALUES (1)")
            .unwrap();
        folder.join("x.db")
    }

    fn read(folder: &DatabaseFolder) -> rusqlite::Result<i64> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        open(folder, "x.db", flags)?.query_row("SELECT max(n) FROM t", [], |row| row.get(0))
    }

    fn write(folder: &DatabaseFolder) -> rusqlite::Result<()> {
        open(folder, "x.db", to_write())?.execute_batch("INSERT INTO t VALUES (2)")
    }

    /// Plants a file of each other kind in the place of each file of a database, as if it took that place after all
    /// earlier checks.
    #[test]
    fn case_80_swapped_under_sqlite() {
        let host = tempfile::tempdir().unwrap();
        let secret = host.path().join("secret");
        let other = written(host.path());
        for end in ["", "-wal", "-shm", "-journal"] {
            for plant in ["link", "database", "second", "pipe", "device", "folder"] {
                // An empty file would be taken for a new one, and its mode be changed.
                fs::write(&secret, "").unwrap();
                fs::set_permissions(&secret, fs::Permissions::from_mode(0o640)).unwrap();
                let folder = tempfile::tempdir().unwrap();
                written(folder.path());
                let open_folder = database_folder(folder.path());
                let place = folder.path().join(format!("x.db{end}"));
                let _ = fs::remove_file(&place);
                match plant {
                    "link" => symlink(&secret, &place).unwrap(),
                    "database" => symlink(&other, &place).unwrap(),
                    "second" => fs::hard_link(&secret, &place).unwrap(),
                    "device" => symlink("/dev/zero", &place).unwrap(),
                    "folder" => fs::create_dir(&place).unwrap(),
                    _ => mknodat(CWD, &place, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap(),
                }
                let before = fs::read(&other).unwrap();
                let read = read(&open_folder);
                let written = write(&open_folder);
                let about = format!("{plant} as {end}: {read:?}, {written:?}");
                assert!(end == "-journal" || written.is_err(), "{about}");
                assert!(
                    !end.is_empty() || plant == "second" || read.is_err(),
                    "{about}"
                );
                let found = secret.metadata().unwrap();
                assert_eq!((found.len(), found.mode() & 0o777), (0, 0o640), "{about}");
                assert_eq!(fs::read(&other).unwrap(), before, "{about}");
                assert_eq!(fs::read_dir(host.path()).unwrap().count(), 2, "{about}");
            }
        }
    }

    #[test]
    fn a_folder_on_its_way_may_be_a_link_until_it_is_opened_and_not_after() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::create_dir(at("folder")).unwrap();
        fs::create_dir(at("outside")).unwrap();
        written(&at("folder"));
        symlink("folder", at("named")).unwrap();
        assert_eq!(read(&database_folder(&at("named"))), Ok(1));
        let name = |path: &str| std::ffi::CString::new(at(path).to_str().unwrap()).unwrap();
        let flags = (OFlags::RDWR | OFlags::CREATE).bits().cast_signed();
        opened(&name("folder/new"), flags, 0o600).unwrap();
        let through = opened(&name("named/other"), flags, 0o600).unwrap_err();
        assert_eq!(through, Errno::LOOP);
        assert!(!at("folder/other").exists());
        // A temporary file, below a folder for these that is a link.
        let flags = flags | OFlags::EXCL.bits().cast_signed();
        opened(&name("named/temporary"), flags, 0o600).unwrap();
    }

    /// Opens and removes files as SQLite does by itself, after the folder was moved away and another one put in its
    /// place.
    #[test]
    fn files_are_opened_and_removed_in_the_open_folder_whatever_has_its_place() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for folder in ["folder", "outside"] {
            fs::create_dir(at(folder)).unwrap();
            written(&at(folder));
        }
        let open_folder = database_folder(&at("folder"));
        let path = |name: &str| {
            let path = open_folder.path(name).into_os_string();
            std::ffi::CString::new(path.into_encoded_bytes()).unwrap()
        };
        fs::rename(at("folder"), at("moved")).unwrap();
        symlink("outside", at("folder")).unwrap();
        fs::write(at("outside/x.db-journal"), "theirs").unwrap();
        fs::write(at("moved/x.db-journal"), "ours").unwrap();
        let flags = (OFlags::RDWR | OFlags::CREATE).bits().cast_signed();
        opened(&path("new"), flags, 0o600).unwrap();
        assert!(at("moved/new").exists() && !at("outside/new").exists());
        let journal = path("x.db-journal");
        // SAFETY: the string lives until the call returns.
        let removed = unsafe { unlink_for_sqlite(journal.as_ptr()) };
        assert_eq!(removed, 0);
        assert!(!at("moved/x.db-journal").exists() && at("outside/x.db-journal").exists());
    }
}
