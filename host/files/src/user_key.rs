//! Secret keys of this user: data that they authenticate was written by this user's bakeoff on this machine.
//!
//! A key stands in a file of a folder that belongs to the user alone, and the file holds its own inode and
//! time of birth. A key file that came with somebody's folder, where `HOME` or `XDG_DATA_HOME` points into
//! that, is another file than it says, and is not used.

use super::new_file::NewFile;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Size of a key, in bytes: a block of SHA-256, the most that HMAC uses.
const KEY_BYTES: usize = 64;
/// Size of the inode and time of birth in a key file, in bytes.
const BIRTH_BYTES: usize = 20;
/// Size of an HMAC, in bytes.
pub const MAC_BYTES: usize = 32;
/// Name of the file with the key that authenticates results.
const RESULTS_KEY: &str = "results.key";

/// A secret key of this user.
#[derive(Clone)]
pub struct UserKey {
    keyed: Hmac<Sha256>,
    /// True for the key of results that this process had to make.
    is_new: bool,
}

/// Key of results that this process had to make.
#[derive(Debug)]
struct NewKey {
    path: PathBuf,
    /// Reason why what was there before is no key; `None` if nothing was.
    replaced: Option<String>,
}

/// The key of results that this process had to make, if it had to.
static NEW_KEY: OnceLock<NewKey> = OnceLock::new();
/// True once something with a seal was met that a new key does not verify.
static IS_UNVERIFIED: AtomicBool = AtomicBool::new(false);

impl std::fmt::Debug for UserKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UserKey")
    }
}

impl UserKey {
    /// Returns the key that authenticates results: `bakeoff/results.key` in the user's folder for
    /// data (`$XDG_DATA_HOME`, or `~/.local/share`). A missing key is made.
    ///
    /// # Errors
    /// There is no folder for data, or it cannot be used; the text says why, without a full stop.
    pub fn of_results() -> Result<Self, String> {
        let folder = Self::folder_of_results()?;
        let failed = |error: io::Error| format!("cannot use {}: {error}", folder.display());
        if !folder.is_absolute() {
            // It would be another one in every folder that one stands in, and come with that.
            return Err(failed(io::Error::other("HOME is not an absolute path")));
        }
        if !own_folder(&folder).map_err(failed)? {
            let error = io::Error::other("it belongs to another user");
            return Err(failed(error));
        }
        let path = folder.join(RESULTS_KEY);
        let key = match read(&path) {
            Ok(key) => key,
            Err(error) => {
                let key = make(&folder, RESULTS_KEY).map_err(failed)?;
                let is_missing = error.kind() == io::ErrorKind::NotFound;
                let replaced = (!is_missing).then(|| error.to_string());
                let _ = NEW_KEY.set(NewKey { path, replaced });
                key
            }
        };
        let is_new = NEW_KEY.get().is_some();
        Ok(Self {
            is_new,
            ..Self::new(&key)
        })
    }

    /// Returns what the user should know of a key of results that this process had to make: it took the place of another one,
    /// or what is there was sealed with another one.
    pub fn news_of_results() -> Option<String> {
        let new = NEW_KEY.get()?;
        let path = new.path.display();
        match &new.replaced {
            Some(reason) => Some(format!(
                "{path} was no key of yours any more ({reason}), and was made anew: what was sealed until now (results, records of \
                 models, what agents left) cannot be verified any more and counts as from elsewhere. A restored backup does that, \
                 and so does a program with your rights, such as an agent, that changes the file's mode"
            )),
            None => IS_UNVERIFIED.load(Ordering::Relaxed).then(|| {
                format!(
                    "{path} was missing, and was made anew: what is here was sealed with another key, cannot be verified, and counts \
                     as from elsewhere. It is another user's or another machine's, or the file was removed, or HOME or \
                     XDG_DATA_HOME has changed"
                )
            }),
        }
    }

    /// Notes that something with a seal was met that the key of results does not verify.
    pub fn tell_unverified() {
        IS_UNVERIFIED.store(true, Ordering::Relaxed);
    }

    /// Returns the folder of the key that authenticates results, whether it exists or not.
    ///
    /// # Errors
    /// There is no folder for data.
    pub fn folder_of_results() -> Result<PathBuf, String> {
        use etcetera::BaseStrategy;
        let strategy = etcetera::choose_base_strategy()
            .map_err(|_| "no folder for data: set HOME or XDG_DATA_HOME".to_owned())?;
        Ok(strategy.data_dir().join("bakeoff"))
    }

    /// Makes a random key that is stored nowhere, so that it ends with this process.
    pub fn of_this_process() -> io::Result<Self> {
        Ok(Self::new(&random()?))
    }

    /// Reads the key of this name in a folder. A key that is missing, or not this user's, is made anew.
    pub fn in_folder(folder: &Path, name: &str) -> io::Result<Self> {
        let key = read(&folder.join(name)).or_else(|_| make(folder, name))?;
        Ok(Self::new(&key))
    }

    fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self {
            keyed: <Hmac<Sha256> as Mac>::new(key.into()),
            is_new: false,
        }
    }

    /// Returns the HMAC of the concatenated parts.
    pub fn mac(&self, parts: &[&[u8]]) -> [u8; MAC_BYTES] {
        self.updated(parts).finalize().into_bytes().into()
    }

    /// Returns true if `mac` is the HMAC of the concatenated parts; compares in constant time.
    pub fn is_mac(&self, parts: &[&[u8]], mac: &[u8]) -> bool {
        let is_mac = self.updated(parts).verify_slice(mac).is_ok();
        if self.is_new && !is_mac {
            Self::tell_unverified();
        }
        is_mac
    }

    /// Returns the HMAC of the concatenated parts as hexadecimal digits.
    pub fn seal(&self, parts: &[&[u8]]) -> String {
        let mac = self.mac(parts);
        mac.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns true if `digits` are those of the HMAC of the concatenated parts; compares in constant time.
    pub fn is_seal(&self, parts: &[&[u8]], digits: &str) -> bool {
        let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        let mac: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
        mac.is_some_and(|mac| self.is_mac(parts, &mac))
    }

    fn updated(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut hmac = self.keyed.clone();
        for part in parts {
            hmac.update(part);
        }
        hmac
    }
}

/// Makes a folder for its owner alone where it is missing, closes it to all others, and opens it to its owner: any program of
/// that user may have changed its mode. Returns false if the folder belongs to another user.
pub fn own_folder(folder: &Path) -> io::Result<bool> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let found = folder.metadata()?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Ok(false);
    }
    if found.mode() & 0o077 != 0 || found.mode() & 0o500 != 0o500 {
        std::fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    }
    Ok(true)
}

/// Lets the user read a file of theirs again that nobody can read: any program of that user may have changed its mode.
fn let_owner_read(path: &Path) {
    let found = path.symlink_metadata();
    let is_closed = found.is_ok_and(|found| {
        found.is_file()
            && found.uid() == rustix::process::geteuid().as_raw()
            && found.mode() & 0o477 == 0
    });
    if is_closed {
        // Where that fails, the file cannot be read, which is said.
        let _ = std::fs::set_permissions(path, Permissions::from_mode(0o600));
    }
}

/// Reads a key from a file that only this user can read and write, and that is no copy.
fn read(path: &Path) -> io::Result<[u8; KEY_BYTES]> {
    let_owner_read(path);
    let mut file = File::options()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path)?;
    let found = file.metadata()?;
    let refused = |why: &str| Err(io::Error::other(why));
    if !found.is_file() || found.len() != (KEY_BYTES + BIRTH_BYTES) as u64 {
        return refused("it is no file of a key");
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return refused("it belongs to another user");
    }
    if found.mode() & 0o077 != 0 {
        return refused("its mode let others read or write it");
    }
    let mut key = [0; KEY_BYTES];
    let mut birth_said = [0; BIRTH_BYTES];
    file.read_exact(&mut key)?;
    file.read_exact(&mut birth_said)?;
    if birth_said != birth(&file)? {
        return refused("it is a copy of one");
    }
    Ok(key)
}

/// Returns the inode of a file and its time of birth, as far as the file system knows it: they tell a file from
/// a copy of it.
#[cfg(target_os = "linux")]
fn birth(file: &File) -> io::Result<[u8; BIRTH_BYTES]> {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    let wanted = StatxFlags::INO | StatxFlags::BTIME;
    let found = statx(file, c"", AtFlags::EMPTY_PATH, wanted)?;
    let is_known = StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::BTIME);
    let time = is_known.then_some((found.stx_btime.tv_sec, found.stx_btime.tv_nsec));
    Ok(birth_bytes(found.stx_ino, time))
}

/// Returns the same on other systems.
#[cfg(not(target_os = "linux"))]
fn birth(file: &File) -> io::Result<[u8; BIRTH_BYTES]> {
    let found = file.metadata()?;
    let since = found.created().ok().and_then(|time| {
        let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some((i64::try_from(since.as_secs()).ok()?, since.subsec_nanos()))
    });
    Ok(birth_bytes(found.ino(), since))
}

/// Returns an inode and a time in seconds and nanoseconds, if it is known, as in a key file.
fn birth_bytes(inode: u64, time: Option<(i64, u32)>) -> [u8; BIRTH_BYTES] {
    let mut birth = [0; BIRTH_BYTES];
    birth[..8].copy_from_slice(&inode.to_le_bytes());
    if let Some((seconds, nanoseconds)) = time {
        birth[8..16].copy_from_slice(&seconds.to_le_bytes());
        birth[16..].copy_from_slice(&nanoseconds.to_le_bytes());
    }
    birth
}

fn random() -> io::Result<[u8; KEY_BYTES]> {
    let mut key = [0; KEY_BYTES];
    File::open("/dev/urandom")?.read_exact(&mut key)?;
    Ok(key)
}

/// Makes a key, or takes that of another process which makes one first. A file in its place that is no key of
/// this user is removed: data that it authenticated is no longer accepted.
fn make(folder: &Path, name: &str) -> io::Result<[u8; KEY_BYTES]> {
    let key = random()?;
    let path = folder.join(name);
    let mut put = put(&path, &key);
    if is_taken(&put) {
        if let Ok(other) = read(&path) {
            return Ok(other);
        }
        std::fs::remove_file(&path)?;
        put = self::put(&path, &key);
    }
    match put {
        Ok(()) => Ok(key),
        Err(_) if is_taken(&put) => read(&path),
        Err(error) => Err(error),
    }
}

/// Writes a key to a new file; fails if the path is taken.
fn put(path: &Path, key: &[u8; KEY_BYTES]) -> io::Result<()> {
    let new = NewFile::private(path)?;
    let mut file = new.file();
    file.write_all(key)?;
    let birth = birth(file)?;
    file.write_all(&birth)?;
    file.sync_all()?;
    new.put_where_free()
}

fn is_taken(put: &io::Result<()>) -> bool {
    matches!(put, Err(error) if error.kind() == io::ErrorKind::AlreadyExists)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(folder: &Path) -> [u8; MAC_BYTES] {
        UserKey::in_folder(folder, "key").unwrap().mac(&[b"x"])
    }

    #[test]
    fn a_key_is_made_once_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let first = key_of(folder.path());
        assert_eq!(key_of(folder.path()), first);
        let file = folder.path().join("key");
        assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
        let names = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 1, "nothing temporary is left");
        assert_ne!(key_of(tempfile::tempdir().unwrap().path()), first);
    }

    #[test]
    fn a_key_and_its_folder_that_were_closed_to_their_owner_are_opened_and_the_key_stays() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("bakeoff");
        assert!(own_folder(&folder).unwrap());
        let first = key_of(&folder);
        let set = |path: &Path, mode| {
            std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        };
        for mode in [0o000, 0o200] {
            set(&folder.join("key"), mode);
            set(&folder, mode);
            assert!(own_folder(&folder).unwrap());
            assert_eq!(key_of(&folder), first);
            let key = folder.join("key").metadata().unwrap();
            assert_eq!(key.mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_key_that_came_as_a_copy_or_that_others_could_read_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let first = key_of(folder.path());
        let spoil: [fn(&Path); 4] = [
            |file| {
                let bytes = std::fs::read(file).unwrap();
                std::fs::rename(file, file.with_extension("original")).unwrap();
                std::fs::write(file, bytes).unwrap();
                std::fs::set_permissions(file, Permissions::from_mode(0o600)).unwrap();
            },
            |file| std::fs::set_permissions(file, Permissions::from_mode(0o604)).unwrap(),
            |file| std::fs::write(file, "short").unwrap(),
            |file| {
                let original = file.with_extension("original");
                std::fs::remove_file(file).unwrap();
                std::os::unix::fs::symlink(original, file).unwrap();
            },
        ];
        let mut keys = vec![first];
        for spoil in spoil {
            spoil(&file);
            let next = key_of(folder.path());
            assert!(!keys.contains(&next));
            keys.push(next);
        }
    }
}
