//! The cache of built components, on disk.
//!
//! Loading compiled code is as unsafe as running it, so an entry is only used if its HMAC is valid
//! under a key that only its owner can read. An invalid entry is removed, and built again.

use bakeoff_files::{Folder, MAC_BYTES, UserKey, cache_folder, own_folder, remove_abandoned_below};
use bakeoff_source::digest_of_parts;
use serde::{Serialize, de::DeserializeOwned};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

/// The most bytes in a cache. The entry of a prototype has about 250 KB.
pub const CACHE_BYTES_MAX: u64 = 1 << 30;

/// The largest entry, in bytes.
const ENTRY_BYTES_MAX: u64 = 256 << 20;

/// The name of the key file.
const KEY_FILE: &str = "key";

/// The file extension of entries.
const ENTRY_END: &str = ".built";

/// The folder of fetched crates in the cache, with the temporary folders in which they are fetched.
const CRATES: &str = "crates";

/// The most files that are looked at when the cache has become too large.
const FILES_MAX: usize = 1 << 20;

/// A folder of entries, and the key that authenticates them.
#[derive(Debug)]
pub struct Cache {
    folder: Folder,
    key: UserKey,
    bytes_max: u64,
}

/// The reason why the cache cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The platform names no folder for caches.
    #[error("no folder for the cache: set HOME or XDG_CACHE_HOME to an absolute path")]
    NoFolder,
    /// The folder cannot be used.
    #[error("cannot use the cache in {folder}: {source}")]
    Folder {
        /// The folder.
        folder: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The folder belongs to another user, who could change its entries.
    #[error(
        "cannot use the cache in {folder}: it belongs to another user; remove it or choose another"
    )]
    Foreign {
        /// The folder.
        folder: String,
    },
}

/// The name of an entry: a hash of everything on which the content depends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Name(String);

impl Name {
    /// Returns the name for these parts.
    pub(super) fn of(parts: &[&[u8]]) -> Self {
        Self(digest_of_parts(parts.iter().copied()))
    }
}

impl Cache {
    /// Opens the cache of this user: `bakeoff` in the platform's folder for caches
    /// (`$XDG_CACHE_HOME`, or `~/.cache`).
    ///
    /// # Errors
    /// As for [`open`](Self::open), and if the platform names no such folder.
    pub fn open_default() -> Result<Self, CacheError> {
        let folder = cache_folder().ok_or(CacheError::NoFolder)?;
        Self::open(&folder)
    }

    /// Opens the cache in a folder. A missing folder is made, for its owner alone.
    ///
    /// # Errors
    /// The folder or its key cannot be made or read, or belongs to another user.
    pub fn open(folder: &Path) -> Result<Self, CacheError> {
        let failed = |source| CacheError::Folder {
            folder: folder.display().to_string(),
            source,
        };
        if !own_folder(folder).map_err(failed)? {
            return Err(CacheError::Foreign {
                folder: folder.display().to_string(),
            });
        }
        let key = UserKey::in_folder(folder, KEY_FILE).map_err(failed)?;
        let folder = Folder::named_by_user(folder).map_err(failed)?;
        if let Ok(crates) = folder.below(CRATES) {
            remove_abandoned_below(&crates);
        }
        Ok(Self {
            folder,
            key,
            bytes_max: CACHE_BYTES_MAX,
        })
    }

    /// Returns the folder of the entries.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the cache with another bound on its size, in bytes.
    #[must_use]
    pub fn with_bytes_max(mut self, bytes_max: u64) -> Self {
        self.bytes_max = bytes_max;
        self
    }

    /// Returns the entry of a name, if there is one with a valid HMAC. An invalid one is removed.
    pub(super) fn get<T: DeserializeOwned>(&self, name: &Name) -> Option<T> {
        let file = file_of(name);
        let read = self.folder.read(&file, ENTRY_BYTES_MAX);
        // What is no plain file has no entry, and is removed like one that is not valid.
        let bytes = match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            read => read.ok().flatten().unwrap_or_default(),
        };
        let entry = self
            .verified(name, &bytes)
            .and_then(|bytes| postcard::from_bytes(bytes).ok());
        if entry.is_none() {
            // Another process may have removed it first.
            drop(self.folder.remove(&file));
        }
        entry
    }

    /// Stores an entry. A failure is ignored: the entry will be built again.
    pub(super) fn put<T: Serialize>(&self, name: &Name, entry: &T) {
        let Ok(bytes) = postcard::to_stdvec(entry) else {
            return;
        };
        if bytes.len() as u64 + MAC_BYTES as u64 > ENTRY_BYTES_MAX {
            return;
        }
        let write = || -> io::Result<()> {
            let new = self.folder.new_private_file(file_of(name))?;
            let mut file = new.file();
            file.write_all(&self.key.mac(&[name.0.as_bytes(), &bytes]))?;
            file.write_all(&bytes)?;
            new.put_in_place()
        };
        if write().is_ok() {
            self.evict();
        }
    }

    /// Returns the bytes of an entry after its HMAC, if that is valid. It covers the name too: an entry
    /// that was moved to another name is not valid.
    fn verified<'a>(&self, name: &Name, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let (mac, bytes) = bytes.split_at_checked(MAC_BYTES)?;
        self.key
            .is_mac(&[name.0.as_bytes(), bytes], mac)
            .then_some(bytes)
    }

    /// Removes the oldest entries down to three quarters of the bound, if the cache exceeds it.
    fn evict(&self) {
        let mut entries = self.entries();
        let mut total: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        if total <= self.bytes_max {
            return;
        }
        entries.sort();
        for (_, bytes, file) in entries {
            if total <= self.bytes_max / 4 * 3 {
                break;
            }
            // Another process may evict as well.
            drop(self.folder.remove(file));
            total -= bytes;
        }
    }

    fn entries(&self) -> Vec<(SystemTime, u64, OsString)> {
        let names = self.folder.entries(FILES_MAX).ok().flatten();
        let described = names.into_iter().flatten().filter_map(|entry| {
            let is_entry = entry
                .name
                .as_encoded_bytes()
                .ends_with(ENTRY_END.as_bytes());
            let found = is_entry.then(|| self.folder.look(&entry.name).ok())??;
            found.map(|found| (found.modified, found.bytes, entry.name))
        });
        described.collect()
    }
}

/// Returns the name of an entry's file.
fn file_of(name: &Name) -> String {
    format!("{}{ENTRY_END}", name.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::path::PathBuf;

    fn path_of(cache: &Cache, name: &Name) -> PathBuf {
        cache.folder().join(file_of(name))
    }

    fn name(text: &str) -> Name {
        Name::of(&[text.as_bytes()])
    }

    #[test]
    fn what_was_put_is_got_by_another_that_opens_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("new")).unwrap();
        cache.put(&name("a"), &vec![1_u8, 2]);
        let other = Cache::open(&folder.path().join("new")).unwrap();
        assert_eq!(other.get(&name("a")), Some(vec![1_u8, 2]));
        assert_eq!(other.get::<Vec<u8>>(&name("b")), None);
    }

    #[test]
    fn an_entry_with_any_byte_changed_or_missing_is_discarded() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        cache.put(&name("a"), &vec![7_u8; 10]);
        let path = path_of(&cache, &name("a"));
        let good = std::fs::read(&path).unwrap();
        let mut bad: Vec<Vec<u8>> = (0..good.len()).map(|end| good[..end].to_vec()).collect();
        bad.extend((0..good.len()).map(|at| {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            bytes
        }));
        for bytes in bad {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(cache.get::<Vec<u8>>(&name("a")), None);
            assert!(!path.exists());
        }
        std::fs::write(&path, good).unwrap();
        assert!(cache.get::<Vec<u8>>(&name("a")).is_some());
    }

    #[test]
    fn an_entry_under_another_name_or_key_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        cache.put(&name("a"), &1_u8);
        std::fs::copy(path_of(&cache, &name("a")), path_of(&cache, &name("b"))).unwrap();
        assert_eq!(cache.get::<u8>(&name("b")), None);
        std::fs::write(folder.path().join(KEY_FILE), [0; 64]).unwrap();
        assert_eq!(
            Cache::open(folder.path()).unwrap().get::<u8>(&name("a")),
            None
        );
    }

    #[test]
    fn only_its_owner_can_look_into_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        Cache::open(folder.path()).unwrap();
        let mode = |path: PathBuf| path.metadata().unwrap().mode() & 0o777;
        assert_eq!(mode(folder.path().to_owned()), 0o700);
        assert_eq!(mode(folder.path().join(KEY_FILE)), 0o600);
    }

    #[test]
    fn the_oldest_are_evicted() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap().with_bytes_max(4_000);
        for index in 0..5_u64 {
            cache.put(&name(&index.to_string()), &vec![1_u8; 900]);
            let file = std::fs::File::open(path_of(&cache, &name(&index.to_string()))).unwrap();
            let age = std::time::Duration::from_secs(1_000 - index);
            file.set_modified(SystemTime::now() - age).unwrap();
        }
        // The fifth passes 4,000 bytes; 3,000 hold three of 934.
        let kept = |index: u64| cache.get::<Vec<u8>>(&name(&index.to_string())).is_some();
        assert_eq!([0, 1, 2, 3, 4].map(kept), [false, false, true, true, true]);
    }

    #[test]
    fn what_a_killed_fetch_left_is_removed_when_the_cache_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let crates = folder.path().join(CRATES);
        let left = crates.join("bakeoff-work-abc123");
        std::fs::create_dir_all(left.join("work/sources")).unwrap();
        std::fs::set_permissions(&left, Permissions::from_mode(0o700)).unwrap();
        std::fs::write(left.join("lock"), "").unwrap();
        std::fs::create_dir(crates.join("kept")).unwrap();
        Cache::open(folder.path()).unwrap();
        assert!(!left.exists() && crates.join("kept").exists());
    }
}
