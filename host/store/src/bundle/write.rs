//! Packing of bundles.

use super::{
    BUNDLE_BYTES_MAX, BundleError, BundleFile, BundleManifest, FILE_BYTES_MAX, FILES_MAX, MANIFEST,
    VERSION, is_safe,
};
use bakeoff_domain::hex;
use bakeoff_files::{NewFile, open_plain};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use tar::{Builder, EntryType, Header};

/// Packs files of a folder, in the order of their paths, into a new file, which is written as a whole
/// or not at all. `about` is the manifest without its list of files.
///
/// # Errors
/// [`BundleError::Exists`]; [`BundleError::Refused`] for everything that
/// [`unpack`](super::unpack) refuses; [`BundleError::Io`].
pub fn pack(
    about: BundleManifest,
    folder: &Path,
    mut paths: Vec<String>,
    out: &Path,
) -> Result<BundleManifest, BundleError> {
    if out.exists() {
        return Err(BundleError::Exists {
            file: out.to_owned(),
        });
    }
    paths.sort();
    let files = paths
        .into_iter()
        .map(|path| bundle_file(folder, path, out))
        .collect::<Result<Vec<_>, _>>()?;
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    if files.len() > FILES_MAX || bytes > BUNDLE_BYTES_MAX {
        let reason = format!(
            "{} files of {bytes} bytes are more than the limit of a bundle",
            files.len()
        );
        return Err(refused(out, reason));
    }
    let manifest = BundleManifest {
        version: VERSION,
        files,
        ..about
    };
    let failed = |source| BundleError::Io {
        action: "write",
        path: out.to_owned(),
        source,
    };
    let archive = NewFile::for_path(out).map_err(failed)?;
    write(&manifest, folder, archive.file()).map_err(failed)?;
    archive.put_where_free().map_err(failed)?;
    Ok(manifest)
}

fn refused(out: &Path, reason: String) -> BundleError {
    BundleError::Refused {
        file: out.to_owned(),
        reason,
    }
}

/// Returns a file of the folder with its size and digest.
fn bundle_file(folder: &Path, path: String, out: &Path) -> Result<BundleFile, BundleError> {
    if !is_safe(&path) {
        let reason = format!(
            "`{}` cannot be the name of a file in it: rename it to ASCII letters, digits, `.`, `_` \
             and `-`",
            path.escape_default()
        );
        return Err(refused(out, reason));
    }
    let full = folder.join(&path);
    let read = || {
        let mut file = open_plain(&full)?;
        let mut hasher = Sha256::new();
        let bytes = std::io::copy(&mut file, &mut hasher)?;
        Ok((bytes, hex(&hasher.finalize())))
    };
    let (bytes, sha256) = read().map_err(|source| BundleError::Io {
        action: "read",
        path: full.clone(),
        source,
    })?;
    if bytes > FILE_BYTES_MAX {
        return Err(refused(
            out,
            format!("{path} has {bytes} bytes, more than the limit of {FILE_BYTES_MAX}"),
        ));
    }
    Ok(BundleFile {
        path,
        bytes,
        sha256,
    })
}

fn write(manifest: &BundleManifest, folder: &Path, out: &File) -> std::io::Result<()> {
    let mut archive = Builder::new(BufWriter::new(out));
    let mut text = serde_json::to_vec_pretty(manifest)?;
    text.push(b'\n');
    append(&mut archive, MANIFEST, text.len() as u64, text.as_slice())?;
    for file in &manifest.files {
        let content = open_plain(&folder.join(&file.path))?.take(file.bytes);
        append(&mut archive, &file.path, file.bytes, content)?;
    }
    let mut out = archive.into_inner()?;
    out.flush()?;
    out.get_ref().sync_all()
}

/// Appends a file, without owner and time.
fn append(
    archive: &mut Builder<impl Write>,
    path: &str,
    bytes: u64,
    content: impl Read,
) -> std::io::Result<()> {
    let mut header = Header::new_ustar();
    header.set_path(path)?;
    header.set_size(bytes);
    header.set_entry_type(EntryType::Regular);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_cksum();
    archive.append(&header, content)
}
