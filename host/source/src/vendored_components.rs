//! Components from registries that `bakeoff vendor` fetched: in the folder of the cache, by their digests.
//!
//! A run reads them there and asks no registry. Whatever lies there is believed only as far as it has the digest that the
//! experiment names.

use super::bounds::COMPONENT_BYTES_MAX;
use super::code::{BuildInput, content_address, read_code};
use super::image_manifest::{ImageManifest, MANIFEST_BYTES_MAX};
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::reference::ComponentReference;
use bakeoff_domain::spec::Code;
use bakeoff_files::{Folder, Reach, cache_folder, own_folder};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The folder of components in the cache.
const COMPONENTS: &str = "components";

/// The components that this user fetched.
#[derive(Clone, Debug)]
pub struct VendoredComponents {
    /// The folder of the cache; `None` if the platform names none.
    cache: Option<PathBuf>,
}

/// The reason why a component is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Absence {
    /// The reference has no digest.
    NoDigest,
    /// It was not fetched, or is not here any more.
    NotFetched,
    /// The content here has another digest.
    Changed,
}

impl Absence {
    fn of(&self, reference: &ComponentReference) -> String {
        match self {
            Self::NoDigest => format!(
                "{reference} has no digest, and a tag alone may be another component tomorrow"
            ),
            Self::NotFetched => format!("{reference} is not vendored on this machine"),
            Self::Changed => format!(
                "{reference} is not what was vendored any more: somebody changed the folder of the cache"
            ),
        }
    }

    fn next_step(&self) -> &'static str {
        match self {
            Self::NoDigest => "`bakeoff vendor` says which it has, and fetches the component",
            Self::NotFetched => "`bakeoff vendor` fetches it, and nothing else does",
            Self::Changed => "`bakeoff vendor` fetches it again",
        }
    }
}

impl VendoredComponents {
    /// Returns the components in the folder of a cache, or in that of the user's own cache.
    pub fn of_cache(folder: Option<&Path>) -> Self {
        Self {
            cache: folder.map_or_else(cache_folder, |folder| Some(folder.to_owned())),
        }
    }

    /// Returns true if the component is here, as its digest says.
    pub fn has(&self, reference: &ComponentReference) -> bool {
        self.get(reference).is_ok()
    }

    /// Reads a component.
    ///
    /// # Errors
    /// `invalid-component`, with the next step, if it was not fetched, or is not what was fetched any more.
    pub fn read(&self, reference: &ComponentReference) -> Result<BuildInput, Failure> {
        match self.get(reference) {
            Ok(bytes) => Ok(BuildInput::Component {
                path_shown: reference.to_string(),
                bytes: bytes.into(),
            }),
            Err(absence) => Err(Failure {
                class: FailureClass::InvalidComponent,
                message: format!("{}: {}", absence.of(reference), absence.next_step()),
                phase: Phase::Load,
                limit: None,
            }),
        }
    }

    /// Returns why a component cannot be read, and the next step; `None` if it can.
    pub fn absence(&self, reference: &ComponentReference) -> Option<(String, &'static str)> {
        let absence = self.get(reference).err()?;
        Some((absence.of(reference), absence.next_step()))
    }

    fn get(&self, reference: &ComponentReference) -> Result<Vec<u8>, Absence> {
        let digest = reference.digest().ok_or(Absence::NoDigest)?;
        let digest = digits(digest).ok_or(Absence::NotFetched)?;
        let folder = self.folder().map_err(|_| Absence::NotFetched)?;
        let manifest = verified(&folder, &manifest_file(digest), digest, MANIFEST_BYTES_MAX)?;
        let manifest = ImageManifest::parse(&manifest).map_err(|_| Absence::Changed)?;
        let layer = digits(&manifest.layer().digest).ok_or(Absence::Changed)?;
        verified(&folder, &component_file(layer), layer, COMPONENT_BYTES_MAX)
    }

    fn folder(&self) -> io::Result<Folder> {
        let cache = self.cache.as_ref().ok_or(io::ErrorKind::NotFound)?;
        Folder::named_by_user(cache)?.below(COMPONENTS)
    }

    /// Keeps a component with its manifest, whose digests were checked.
    ///
    /// # Errors
    /// The folder of the cache is none, or another user's, or cannot be written to.
    pub fn keep(&self, manifest: &[u8], component: &[u8]) -> io::Result<()> {
        let cache = self.cache.as_ref().ok_or_else(|| {
            let why = "no folder for the cache: set HOME or XDG_CACHE_HOME to an absolute path";
            io::Error::other(why)
        })?;
        if !own_folder(cache)? {
            return Err(io::Error::other(format!(
                "{} belongs to another user",
                cache.display()
            )));
        }
        let folder = Folder::named_by_user(cache)?.make(COMPONENTS)?;
        let put = |name: String, bytes: &[u8]| -> io::Result<()> {
            let new = folder.new_private_file(name)?;
            new.file().write_all(bytes)?;
            new.put_in_place()
        };
        // The manifest last: with it, the component counts as fetched.
        put(component_file(&content_address(component)), component)?;
        put(manifest_file(&content_address(manifest)), manifest)
    }
}

/// Reads code as [`read_code`] does, or a component that was fetched.
///
/// # Errors
/// As for [`read_code`] and [`VendoredComponents::read`].
pub fn read_code_or_vendored(
    code: &Code,
    (dir, reach): (&Path, Reach<'_>),
    vendored: &VendoredComponents,
) -> Result<BuildInput, Failure> {
    match code {
        Code::Reference(reference) => vendored.read(reference),
        _ => read_code(code, dir, reach),
    }
}

/// Returns the hexadecimal digits of a digest.
fn digits(digest: &str) -> Option<&str> {
    digest.strip_prefix("sha256:")
}

fn manifest_file(digits: &str) -> String {
    format!("{digits}.json")
}

fn component_file(digits: &str) -> String {
    format!("{digits}.wasm")
}

/// Reads a file whose content has this SHA-256.
fn verified(
    folder: &Folder,
    name: &str,
    digits: &str,
    bytes_max: usize,
) -> Result<Vec<u8>, Absence> {
    let read = folder.read(name, bytes_max as u64);
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Absence::NotFetched),
        Ok(Some(bytes)) if content_address(&bytes) == digits => Ok(bytes),
        _ => Err(Absence::Changed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image_manifest::tests::manifest;
    use crate::image_manifest::{Descriptor, LAYER_MEDIA_TYPE};

    fn pair(component: &[u8]) -> (Vec<u8>, ComponentReference) {
        let layer = Descriptor {
            media_type: LAYER_MEDIA_TYPE.into(),
            digest: format!("sha256:{}", content_address(component)),
            size: component.len() as u64,
        };
        let bytes = serde_json::to_vec(&manifest(&layer)).unwrap();
        let text = format!("oci://localhost/a:1@sha256:{}", content_address(&bytes));
        (bytes, ComponentReference::parse(&text).unwrap())
    }

    #[test]
    fn what_was_kept_is_read_by_its_digest() {
        let cache = tempfile::tempdir().unwrap();
        let vendored = VendoredComponents::of_cache(Some(&cache.path().join("new")));
        let (manifest, reference) = pair(b"component");
        let said = vendored.read(&reference).unwrap_err().message;
        assert!(said.contains("`bakeoff vendor` fetches it"), "{said}");
        vendored.keep(&manifest, b"component").unwrap();
        assert_eq!(vendored.read(&reference).unwrap().bytes(), b"component");
        assert!(vendored.has(&reference));
        let tag = ComponentReference::parse("oci://localhost/a:1").unwrap();
        let said = vendored.read(&tag).unwrap_err().message;
        assert!(said.contains("no digest"), "{said}");
    }

    #[test]
    fn what_somebody_changed_is_not_read() {
        let cache = tempfile::tempdir().unwrap();
        let vendored = VendoredComponents::of_cache(Some(cache.path()));
        let (manifest, reference) = pair(b"component");
        let folder = cache.path().join(COMPONENTS);
        let component = folder.join(component_file(&content_address(b"component")));
        let said = || vendored.read(&reference).unwrap_err().message;
        vendored.keep(&manifest, b"component").unwrap();
        std::fs::write(&component, "another").unwrap();
        assert!(said().contains("somebody changed"), "{}", said());
        std::fs::remove_file(&component).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &component).unwrap();
        assert!(said().contains("somebody changed"), "{}", said());
        std::fs::remove_file(&component).unwrap();
        assert!(said().contains("not vendored"), "{}", said());
        vendored.keep(&manifest, b"component").unwrap();
        let (other, _) = pair(b"another");
        let at = folder.join(manifest_file(&content_address(&manifest)));
        std::fs::write(at, other).unwrap();
        assert!(said().contains("somebody changed"), "{}", said());
    }
}
