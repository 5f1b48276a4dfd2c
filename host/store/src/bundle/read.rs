//! Unpacking of bundles.

use super::{
    BUNDLE_BYTES_MAX, BundleError, BundleFile, BundleManifest, FILE_BYTES_MAX, FILES_MAX, MANIFEST,
    MANIFEST_BYTES_MAX, VERSION, is_safe,
};
use bakeoff_domain::hex;
use bakeoff_files::{not_plain, open_plain};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use tar::{Archive, Entry, EntryType};

/// Size of a block of an archive.
const BLOCK_BYTES: u64 = 512;
/// Size of the two empty blocks that end an archive, in bytes.
const END_BYTES: usize = 1024;

/// Unpacks a bundle into an empty folder, checks every digest, and returns its manifest.
///
/// # Errors
/// Any [`BundleError`]; the folder may contain a part of the bundle then.
pub fn unpack(bundle: &Path, into: &Path) -> Result<BundleManifest, BundleError> {
    let unpacking = Unpacking { bundle, into };
    if let Some(kind) = not_plain(bundle) {
        return Err(unpacking.malformed(format!("it is {kind}, not a file")));
    }
    let file = open_plain(bundle).map_err(|source| unpacking.io("read", bundle, source))?;
    let found = file
        .metadata()
        .map_err(|source| unpacking.io("read", bundle, source))?;
    // The limit has room for the headers of the archive.
    if found.len() > BUNDLE_BYTES_MAX + (2 << 20) {
        return Err(unpacking.refused(format!(
            "it has {} bytes, more than the limit of {BUNDLE_BYTES_MAX}",
            found.len()
        )));
    }
    let end = file
        .try_clone()
        .map_err(|source| unpacking.io("read", bundle, source))?;
    let mut archive = Archive::new(BufReader::new(file));
    // Raw: extensions of the format, which could change the name, size or type of an entry, appear
    // as entries of their own, which are refused.
    let entries = archive
        .entries()
        .map_err(|error| unpacking.broken(&error))?;
    let mut entries = entries.raw(true);
    let mut next = || -> Result<Option<Entry<'_, _>>, BundleError> {
        let entry = entries.next().transpose();
        entry.map_err(|error| unpacking.broken(&error))
    };
    let Some(first) = next()? else {
        return Err(unpacking.malformed("it is empty"));
    };
    let mut entries_end = end_of(&first);
    let manifest = unpacking.manifest(first)?;
    for packed in &manifest.files {
        let Some(entry) = next()? else {
            return Err(unpacking.malformed(format!("{} is missing", packed.path)));
        };
        entries_end = end_of(&entry);
        unpacking.file(entry, packed)?;
    }
    if next()?.is_some() {
        return Err(unpacking.refused("it has a file that its manifest does not name"));
    }
    // Two empty blocks are the end of an archive, and nothing comes after it.
    let mut blocks = [0_u8; END_BYTES];
    let ends = found.len() == entries_end + END_BYTES as u64
        && end.read_exact_at(&mut blocks, entries_end).is_ok()
        && blocks.iter().all(|byte| *byte == 0);
    if ends {
        Ok(manifest)
    } else {
        Err(unpacking.refused("its end is not that of its last file"))
    }
}

/// Returns the position in the archive at which the content of a file ends, padding included.
fn end_of(entry: &Entry<'_, impl Read>) -> u64 {
    let bytes = entry.size().next_multiple_of(BLOCK_BYTES);
    entry.raw_file_position().saturating_add(bytes)
}

struct Unpacking<'a> {
    bundle: &'a Path,
    into: &'a Path,
}

impl Unpacking<'_> {
    fn manifest(&self, entry: Entry<'_, impl Read>) -> Result<BundleManifest, BundleError> {
        let bytes = self.header(&entry, MANIFEST)?;
        if bytes > MANIFEST_BYTES_MAX {
            return Err(self.refused(format!(
                "its manifest has {bytes} bytes, more than the limit of {MANIFEST_BYTES_MAX}"
            )));
        }
        let mut text = Vec::new();
        entry
            .take(MANIFEST_BYTES_MAX)
            .read_to_end(&mut text)
            .map_err(|error| self.broken(&error))?;
        let wrong = |error: serde_json::Error| {
            self.malformed(format!("its manifest cannot be understood ({error})"))
        };
        // Another format may have any other fields: its version is read first.
        let version: Version = serde_json::from_slice(&text).map_err(wrong)?;
        if version.version != VERSION {
            return Err(BundleError::OtherVersion {
                file: self.bundle.to_owned(),
                found: version.version,
                known: VERSION,
            });
        }
        let manifest: BundleManifest = serde_json::from_slice(&text).map_err(wrong)?;
        self.check(&manifest)?;
        Ok(manifest)
    }

    /// Refuses a manifest with unsafe paths or too much data, before anything is written.
    fn check(&self, manifest: &BundleManifest) -> Result<(), BundleError> {
        if manifest.files.len() > FILES_MAX {
            return Err(self.refused(format!(
                "it has {} files, more than the limit of {FILES_MAX}",
                manifest.files.len()
            )));
        }
        let mut paths = BTreeSet::new();
        let mut bytes = 0_u64;
        for file in &manifest.files {
            let shown = file.path.escape_default();
            if !is_safe(&file.path) || file.path == MANIFEST {
                return Err(self.refused(format!("`{shown}` cannot be the path of a file in it")));
            }
            if file.bytes > FILE_BYTES_MAX {
                return Err(self.refused(format!(
                    "{shown} has {} bytes, more than the limit of {FILE_BYTES_MAX}",
                    file.bytes
                )));
            }
            if !paths.insert(&file.path) {
                return Err(self.refused(format!("{shown} is in it twice")));
            }
            bytes += file.bytes;
        }
        for path in &paths {
            let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
            for folder in folders {
                if paths.contains(&folder.to_owned()) {
                    let shown = folder.escape_default();
                    return Err(self.refused(format!("{shown} is a file in it and a folder")));
                }
            }
        }
        if bytes > BUNDLE_BYTES_MAX {
            return Err(self.refused(format!(
                "its files have {bytes} bytes, more than the limit of {BUNDLE_BYTES_MAX}"
            )));
        }
        Ok(())
    }

    /// Returns the size in the header of an entry, which must be a plain file of this path.
    fn header(&self, entry: &Entry<'_, impl Read>, path: &str) -> Result<u64, BundleError> {
        let header = entry.header();
        if header.entry_type() != EntryType::Regular {
            return Err(self.refused(format!(
                "an entry where {path} should be is no plain file (it may be a link, a folder, a \
                 device or an extension)"
            )));
        }
        if &*entry.path_bytes() != path.as_bytes() {
            let found = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            return Err(self.refused(format!(
                "`{}` is where {path} should be",
                found.escape_default()
            )));
        }
        header.entry_size().map_err(|error| self.broken(&error))
    }

    fn file(&self, entry: Entry<'_, impl Read>, packed: &BundleFile) -> Result<(), BundleError> {
        let bytes = self.header(&entry, &packed.path)?;
        if bytes != packed.bytes {
            return Err(self.malformed(format!(
                "{} has {bytes} bytes, not {} as in its manifest",
                packed.path, packed.bytes
            )));
        }
        let to = self.into.join(&packed.path);
        let folder = to.parent().unwrap_or(self.into);
        std::fs::create_dir_all(folder).map_err(|source| self.io("create", folder, source))?;
        let mut out = File::create_new(&to).map_err(|source| self.io("write", &to, source))?;
        let sha256 = self.copy(entry.take(bytes), &mut out, &to)?;
        if sha256 != packed.sha256 {
            return Err(BundleError::Digest {
                file: self.bundle.to_owned(),
                path: packed.path.clone(),
                found: sha256,
                stated: packed.sha256.escape_default().to_string(),
            });
        }
        Ok(())
    }

    /// Copies a file, and returns the digest of its content.
    fn copy(&self, mut from: impl Read, out: &mut File, to: &Path) -> Result<String, BundleError> {
        let mut hasher = Sha256::new();
        let mut piece = vec![0; 64 << 10];
        loop {
            let length = from.read(&mut piece).map_err(|error| self.broken(&error))?;
            if length == 0 {
                return Ok(hex(&hasher.finalize()));
            }
            hasher.update(&piece[..length]);
            out.write_all(&piece[..length])
                .map_err(|source| self.io("write", to, source))?;
        }
    }

    fn malformed(&self, reason: impl Into<String>) -> BundleError {
        BundleError::Malformed {
            file: self.bundle.to_owned(),
            reason: reason.into(),
        }
    }

    fn refused(&self, reason: impl Into<String>) -> BundleError {
        BundleError::Refused {
            file: self.bundle.to_owned(),
            reason: reason.into(),
        }
    }

    /// Returns the error of an archive that cannot be read. The message may quote the archive, so
    /// it is escaped.
    fn broken(&self, error: &std::io::Error) -> BundleError {
        self.malformed(error.to_string().escape_debug().to_string())
    }

    fn io(&self, action: &'static str, path: &Path, source: std::io::Error) -> BundleError {
        BundleError::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }
}

/// The field that every version of the manifest has.
#[derive(serde::Deserialize)]
struct Version {
    version: u32,
}
