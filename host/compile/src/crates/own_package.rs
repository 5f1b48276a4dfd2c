//! A package of the user's own, which the parent has built with what it depends on, so that sources can call it.

use super::build::{
    BuildLimits, BuiltCrates, CratesError, Libraries, SCHEME, fetched, libraries, no_folder,
};
use super::protocol::WantedLibraries;
use super::target::LibraryTarget;
use crate::cache::{Cache, Name};
use crate::toolchain::Toolchain;
use bakeoff_confine::Confinement;
use bakeoff_files::Scratch;
use std::path::Path;

/// A package of the user's own, in a folder of its own with all that its manifest names by path.
#[derive(Clone, Copy, Debug)]
pub struct OwnPackage<'a> {
    /// The folder with all files. The build may write there.
    pub files: &'a Path,
    /// The package's manifest, within `files`.
    pub manifest: &'a Path,
    /// The name of its library in sources.
    pub library: &'a str,
    /// A digest of all files: builds are known by it.
    pub identity: &'a str,
    /// The lock beside the manifest or above it, if there is one.
    pub lock: Option<&'a str>,
    /// True if the package needs crates of a registry.
    pub needs_crates: bool,
}

impl BuiltCrates {
    /// Builds a package of the user's for a machine, or takes it from the cache. The crates that it needs have to be fetched before.
    ///
    /// # Errors
    /// See [`CratesError`].
    pub(crate) async fn of_package(
        toolchain: &Toolchain,
        confinement: &Confinement,
        cache: Option<&Cache>,
        package: OwnPackage<'_>,
        target: LibraryTarget,
        limits: BuildLimits,
    ) -> Result<Self, CratesError> {
        let unwritable = |error: std::io::Error| CratesError::Machine(no_folder(&error));
        let within = package.manifest.strip_prefix(package.files);
        let mut parts = vec![
            SCHEME.as_bytes(),
            b"package",
            package.identity.as_bytes(),
            within
                .unwrap_or(package.manifest)
                .as_os_str()
                .as_encoded_bytes(),
            package.library.as_bytes(),
            package.lock.unwrap_or_default().as_bytes(),
            toolchain.version().as_bytes(),
            toolchain.compiler.sysroot.as_os_str().as_encoded_bytes(),
            confinement.level().name().as_bytes(),
        ];
        parts.extend(target.name_parts(toolchain));
        let name = Name::of(&parts);
        let known = cache.and_then(|cache| cache.get::<Libraries>(&name));
        let libraries = match known {
            Some(known) => known,
            None => {
                let nothing = Scratch::new().map_err(unwritable)?;
                let sources = match (package.lock, cache) {
                    (Some(lock), Some(cache)) if package.needs_crates => fetched(cache, lock)?,
                    _ if package.needs_crates => return Err(CratesError::NotFetched),
                    _ => nothing.work().to_owned(),
                };
                let wanted = WantedLibraries::Package {
                    manifest: package.manifest.to_owned(),
                    files: package.files.to_owned(),
                    library: package.library.to_owned(),
                };
                let built =
                    libraries(toolchain, confinement, wanted, target, &sources, limits).await?;
                if let Some(cache) = cache {
                    cache.put(&name, &built);
                }
                built
            }
        };
        Self::of(libraries).map_err(unwritable)
    }
}
