//! A package at one revision, built: what calls its functions, as components.

use super::failure::Failure;
use super::options::Output;
use super::revision_side::{Located, Setting, Side};
use bakeoff_compile::{
    BuildKind, BuildRequest, Builder, BuiltCrates, Cache, CratesError, FileKind, OwnPackage,
    Toolchain, caller_source, read_public_functions, vendor_locked,
};
use bakeoff_config::read_package_lock;
use bakeoff_domain::crates::LockedCrate;
use bakeoff_domain::edition::Edition;
use bakeoff_domain::spec::Limits;
use bakeoff_render::escape::{Lines, Plain};
use bakeoff_run::{CompilerNeed, Tools, wasi_imports};
use bakeoff_source::BuildInput;
use bakeoff_source::interface::{ComparedFile, Interface, World};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The beginning of cargo's message about a crate that it has no source of.
const NO_CRATE: &str = "no matching package";
/// The most crates that are named in an error.
const NAMED_MAX: usize = 5;

impl Side {
    /// Returns a builder whose sources may call the package. Crates that it needs are fetched first, if that is
    /// allowed.
    ///
    /// # Errors
    /// The package cannot be built, or needs crates that were not allowed.
    pub(super) async fn builder(
        &self,
        setting: &Setting<'_>,
        output: &Output,
    ) -> Result<Builder, Failure> {
        let at = self.package_shown();
        let at = Plain(&at);
        let locked = self.locked()?;
        if !locked.is_empty() && !setting.allows_crates {
            let mut names: Vec<&str> = locked.iter().map(|one| one.name.as_str()).collect();
            let more = names.len().saturating_sub(NAMED_MAX);
            names.truncate(NAMED_MAX);
            let more = match more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            return Err(Failure::usage(format!(
                "{at} has crates in its Cargo.lock ({}{more}): with --allow-crates they are fetched from crates.io, \
                 unless they are here, and built inside the fence, with their build scripts and macros",
                names.join(", ")
            )));
        }
        let mut say = output.reporter();
        if let (false, Some(lock)) = (locked.is_empty(), &self.lock) {
            let cache = setting.safety.cache()?;
            let cache = cache.map_or_else(Cache::open_default, Cache::open);
            let cache = cache.map_err(Failure::infrastructure)?;
            let toolchain = Toolchain::find(&mut say).await;
            let toolchain = toolchain.map_err(Failure::infrastructure)?;
            let fetched = vendor_locked(&toolchain, &cache, &locked, lock).await;
            fetched.map_err(|error| Failure::usage(error.to_string()))?;
        }
        say(&format!("building {at}"));
        let tools = Tools::open(
            setting.safety.unconfined(setting.policy)?,
            CompilerNeed::Sources,
            wasi_imports(setting.policy),
            setting.safety.cache()?,
            1,
            &setting.machine,
            &mut say,
        )
        .await?;
        let builder = Arc::into_inner(tools.builder)
            .ok_or_else(|| Failure::infrastructure("the builder is in use"))?;
        // The source that calls the package is ours.
        let builder = builder.compiling_for(setting.simd, Edition::default());
        let manifest = self.manifest();
        let built = builder.with_package(self.own_package(&manifest, !locked.is_empty()));
        built.await.map_err(|error| self.not_built(error, ""))
    }

    /// Returns the package, built for this machine, with the crates that [`Side::builder`] fetched.
    ///
    /// # Errors
    /// It cannot be built.
    pub(super) async fn package_natively(
        &self,
        builder: &Builder,
        output: &Output,
    ) -> Result<BuiltCrates, Failure> {
        let at = self.package_shown();
        output.reporter()(&format!("building {} for this machine", Plain(&at)));
        let manifest = self.manifest();
        let package = self.own_package(&manifest, !self.locked()?.is_empty());
        let built = builder.package_natively(package).await;
        built.map_err(|error| self.not_built(error, " for this machine"))
    }

    /// The package at its revision, for messages.
    fn package_shown(&self) -> String {
        format!("{} at {}", self.package.name, self.revision)
    }

    /// Returns the crates of the package's lock; none without a lock.
    fn locked(&self) -> Result<Vec<LockedCrate>, Failure> {
        let locked = self.lock.as_deref().map(read_package_lock).transpose();
        let at = self.package_shown();
        let locked = locked.map_err(|why| Failure::usage(format!("{}: {why}", Plain(&at))))?;
        Ok(locked.unwrap_or_default())
    }

    fn manifest(&self) -> PathBuf {
        let folder = self.checkout.folder().join(&self.package.folder);
        folder.join("Cargo.toml")
    }

    fn own_package<'a>(&'a self, manifest: &'a Path, needs_crates: bool) -> OwnPackage<'a> {
        OwnPackage {
            files: self.checkout.folder(),
            manifest,
            library: &self.package.library,
            identity: &self.checkout.contents,
            lock: self.lock.as_deref(),
            needs_crates,
        }
    }

    /// Returns the failure of a build; `machine` is empty, or the machine that it was for, after a space.
    fn not_built(&self, error: CratesError, machine: &str) -> Failure {
        let at = self.package_shown();
        let at = Plain(&at);
        match error {
            CratesError::Build(why) if self.lock.is_none() && why.contains(NO_CRATE) => {
                Failure::no_answer(format!(
                    "{at} needs crates, and has no Cargo.lock, neither at this revision nor in the working tree: `cargo \
                     generate-lockfile` writes one, which counts for both revisions, and --allow-crates takes them"
                ))
            }
            CratesError::Build(why) => {
                let left_out = self.left_out().map(|left_out| format!("\n{left_out}"));
                Failure::no_answer(format!(
                    "{at} cannot be built{machine}: {}{}",
                    Lines(&why),
                    Plain(&left_out.unwrap_or_default())
                ))
            }
            other => Failure::infrastructure(other),
        }
    }

    /// Returns a source that calls the function, and what it says of itself.
    ///
    /// # Errors
    /// No call of it can be written; the text says why.
    pub(super) async fn caller(
        &self,
        setting: &Setting<'_>,
        located: &Located<'_>,
    ) -> Result<(String, ComparedFile), String> {
        let text = caller_source(&setting.confinement, &located.called, located.text());
        let text = text.await.map_err(|error| error.reason)?;
        let read = read_public_functions(&setting.confinement, FileKind::Rust, text.as_bytes());
        let read = read.await.map_err(|error| error.reason)?;
        let file = ComparedFile {
            shown: self.revision.clone(),
            is_component: false,
            functions: read.functions,
            uncallable: read.uncallable,
        };
        Ok((text, file))
    }
}

/// Returns the build of a source that calls a package, by an interface. `shown` is its name in messages.
pub(super) fn request(interface: &Arc<Interface>, source: &str, shown: &str) -> BuildRequest {
    BuildRequest {
        interface: Arc::clone(interface),
        world: World::Prototype,
        code: BuildInput::Source {
            path_shown: shown.to_owned(),
            text: source.into(),
        },
        kind: BuildKind::Release,
        memory_bytes: Limits::default().memory_bytes,
        parameters: false,
    }
}

/// Builds a source that calls a package, as a component.
///
/// # Errors
/// It does not compile; the text is the compiler's.
pub(super) async fn component(
    builder: &Builder,
    request: &BuildRequest,
) -> Result<Vec<u8>, String> {
    let built = builder.build(request).await;
    built
        .map(|built| built.component.clone())
        .map_err(|failure| failure.message)
}
