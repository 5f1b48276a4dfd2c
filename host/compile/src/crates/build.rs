//! Crates of an experiment, which the parent has one confined child build or takes from the cache, and
//! the folder in which prototypes' builds read them.

use super::package;
use super::protocol::{
    CratesEvent, CratesTask, FILES_MAX, ROLE, WantedLibraries, is_crate_name, is_file_name,
};
use super::target::LibraryTarget;
use super::vendor::{VendorError, cargo_of, sources_of};
use crate::build_protocol::LinkedCrates;
use crate::cache::{Cache, Name};
use crate::failures::cut;
use crate::host_tools;
use crate::toolchain::Toolchain;
use bakeoff_config::read_lock;
use bakeoff_confine::{ChildJob, Confinement, ExitCause, Fence, Processes, Rlimits};
use bakeoff_domain::crates::Crates;
use bakeoff_files::Scratch;
use bakeoff_source::digest_of_parts;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The version of the way in which crates are built; part of the keys of cached libraries.
pub(super) const SCHEME: &str = "crates 1";

/// The limits of a build of crates.
#[derive(Clone, Copy, Debug)]
pub struct BuildLimits {
    /// Wall time of the whole build.
    pub wall: Duration,
    /// CPU time of one process, in seconds.
    pub cpu_s: u64,
    /// The most bytes that the build's folder may hold.
    pub folder_bytes: u64,
}

impl Default for BuildLimits {
    /// Returns half an hour in all, five minutes for each process (`syn` takes 10 s, a large crate a minute) and 2 GiB
    /// (`syn` leaves 30 MB behind).
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(1_800),
            cpu_s: 300,
            folder_bytes: 2 << 30,
        }
    }
}

/// Address space of one process, in bytes.
const ADDRESS_SPACE_BYTES: u64 = 4 << 30;
/// Resident memory of all processes, in bytes.
const RESIDENT_BYTES_MAX: u64 = 4 << 30;
/// The largest file, in bytes.
const FILE_BYTES: u64 = 64 << 20;
/// Processes at a time: cargo, two compilers with their linkers and drivers, build scripts.
const PROCESSES_MAX: usize = 48;
/// Open files of one process.
const OPEN_FILES: u64 = 1_024;
/// The most bytes of all libraries.
const OUTPUT_BYTES_MAX: u64 = 240 << 20;

/// The reason why the crates cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CratesError {
    /// The crates' sources are not on this machine.
    #[error("the sources of the crates are not on this machine")]
    NotFetched,
    /// The lock is not for these crates.
    #[error("{0}")]
    Lock(String),
    /// The crates cannot be built.
    #[error("the crates cannot be built: {0}")]
    Build(String),
    /// The machine cannot build anything.
    #[error("{0}")]
    Machine(String),
    /// The toolchain has no cargo.
    #[error(transparent)]
    NoCargo(#[from] VendorError),
}

/// The built libraries, as the cache stores them.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Libraries {
    externs: Vec<(String, String)>,
    files: Vec<(String, Vec<u8>)>,
}

/// Crates that were built, in a temporary folder that lasts as long as this value.
#[derive(Debug)]
pub struct BuiltCrates {
    digest: String,
    externs: Vec<(String, String)>,
    folder: Scratch,
}

impl BuiltCrates {
    /// Builds crates for a machine, or takes them from the cache.
    ///
    /// # Errors
    /// See [`CratesError`].
    pub async fn open(
        toolchain: &Toolchain,
        confinement: &Confinement,
        cache: &Cache,
        crates: &Crates,
        target: LibraryTarget,
        limits: BuildLimits,
    ) -> Result<Self, CratesError> {
        let manifest = package::manifest(&crates.allowed);
        let mut parts = vec![
            SCHEME.as_bytes(),
            crates.lock.as_bytes(),
            manifest.as_bytes(),
            toolchain.version().as_bytes(),
            toolchain.compiler.sysroot.as_os_str().as_encoded_bytes(),
            confinement.level().name().as_bytes(),
        ];
        parts.extend(target.name_parts(toolchain));
        let name = Name::of(&parts);
        let libraries = match cache.get::<Libraries>(&name) {
            Some(known) => known,
            None => {
                let built = build(toolchain, confinement, cache, crates, target, limits).await?;
                cache.put(&name, &built);
                built
            }
        };
        Self::of(libraries).map_err(|error| CratesError::Machine(no_folder(&error)))
    }

    pub(super) fn of(libraries: Libraries) -> std::io::Result<Self> {
        let folder = Scratch::new()?;
        let mut parts: Vec<&[u8]> = Vec::new();
        for (name, bytes) in &libraries.files {
            std::fs::write(folder.work().join(name), bytes)?;
            parts.extend([name.as_bytes(), bytes.as_slice()]);
        }
        for (name, file) in &libraries.externs {
            parts.extend([name.as_bytes(), file.as_bytes()]);
        }
        Ok(Self {
            digest: digest_of_parts(parts.iter().copied()),
            externs: libraries.externs,
            folder,
        })
    }

    /// Returns a digest of all libraries.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the libraries as the task of a build names them.
    pub(crate) fn linked(&self) -> LinkedCrates {
        LinkedCrates {
            folder: self.folder().to_owned(),
            externs: self.externs(),
        }
    }

    /// Returns the folder from which compilers read the libraries.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.work()
    }

    /// Returns the name by which a source calls each crate, and its file.
    fn externs(&self) -> Vec<(String, PathBuf)> {
        let each = self.externs.iter();
        each.map(|(name, file)| (name.clone(), self.folder().join(file)))
            .collect()
    }
}

pub(super) fn no_folder(error: &std::io::Error) -> String {
    format!(
        "cannot make a folder for crates: {error}; make room in {}, or name another folder by TMPDIR",
        std::env::temp_dir().display()
    )
}

async fn build(
    toolchain: &Toolchain,
    confinement: &Confinement,
    cache: &Cache,
    crates: &Crates,
    target: LibraryTarget,
    limits: BuildLimits,
) -> Result<Libraries, CratesError> {
    let locked = read_lock(&crates.lock, &crates.allowed);
    let locked = locked
        .map_err(|error| CratesError::Lock(error.to_string()))?
        .allowed;
    let sources = fetched(cache, &crates.lock)?;
    let wanted = WantedLibraries::Allowed {
        crates: crates.allowed.clone(),
        locked,
        lock: crates.lock.clone(),
    };
    libraries(toolchain, confinement, wanted, target, &sources, limits).await
}

/// Returns the folder of the fetched sources of a lock.
pub(super) fn fetched(cache: &Cache, lock: &str) -> Result<PathBuf, CratesError> {
    // The cache's folder may be named by a relative path.
    sources_of(cache.folder(), lock)
        .canonicalize()
        .map_err(|_| CratesError::NotFetched)
}

/// Has a child build libraries for a machine, with the sources of crates in a folder.
pub(super) async fn libraries(
    toolchain: &Toolchain,
    confinement: &Confinement,
    wanted: WantedLibraries,
    target: LibraryTarget,
    sources: &Path,
    limits: BuildLimits,
) -> Result<Libraries, CratesError> {
    let cargo = cargo_of(toolchain)?;
    let machine = |error: &dyn std::fmt::Display| CratesError::Machine(error.to_string());
    let scratch = Scratch::new().map_err(|error| CratesError::Machine(no_folder(&error)))?;
    let mut fence = fence(toolchain, sources, scratch.work(), limits);
    if let WantedLibraries::Package { files, .. } = &wanted {
        fence.write.push(files.clone());
    }
    let triple = target.triple(toolchain).map_err(|why| machine(&why))?;
    let task = CratesTask {
        wanted,
        target: triple.to_owned(),
        sources: sources.to_owned(),
        cargo,
        rustc: toolchain.compiler.rustc.clone(),
        sysroot: toolchain.compiler.sysroot.clone(),
        scratch: scratch.work().to_owned(),
        features: target.features(toolchain).map(str::to_owned),
    };
    let task = postcard::to_stdvec(&task).map_err(|error| machine(&error))?;
    let payload = [task.as_slice()];
    let mut job = ChildJob::new(ROLE, &payload, fence);
    job.frame_bytes_max = FILE_BYTES as usize + (1 << 20);
    job.output_bytes_max = OUTPUT_BYTES_MAX;
    job.rss_bytes_max = Some(RESIDENT_BYTES_MAX);
    job.folder_bytes_max = Some(limits.folder_bytes);
    // The outer layer would hide the devices that cargo opens; the fence itself is the same without.
    let confinement = confinement.clone().without_outer_layer();
    let mut child = confinement
        .spawn(job)
        .await
        .map_err(|error| machine(&error))?;
    let mut frames: Vec<Vec<u8>> = Vec::new();
    let read = async {
        while let Ok(Some(frame)) = child.next_frame().await {
            if frames.len() > FILES_MAX {
                break;
            }
            frames.push(frame);
        }
    };
    let in_time = tokio::time::timeout(limits.wall, read).await.is_ok();
    if !in_time {
        child.kill();
    }
    let exit = child.finish().await;
    let mut frames = frames.into_iter();
    let event = frames.next().as_deref().and_then(CratesEvent::read);
    match event {
        Some(CratesEvent::Failed(reason)) => Err(CratesError::Build(cut(&reason))),
        Some(CratesEvent::Built { externs, files }) => {
            let contents: Vec<Vec<u8>> = frames.collect();
            let usable = files.iter().all(|name| is_file_name(name))
                && externs
                    .iter()
                    .all(|(name, file)| is_crate_name(name) && files.contains(file))
                && files.len() == contents.len();
            if usable {
                Ok(Libraries {
                    externs,
                    files: files.into_iter().zip(contents).collect(),
                })
            } else {
                Err(CratesError::Build(
                    "what was built cannot be read".to_owned(),
                ))
            }
        }
        None if !in_time => Err(CratesError::Build(format!(
            "it takes more than {} s, or waits for something that never comes",
            limits.wall.as_secs()
        ))),
        None => Err(CratesError::Build(ended(&exit.cause, limits))),
    }
}

/// Returns the reason why a child ended without a report, in words.
fn ended(cause: &ExitCause, limits: BuildLimits) -> String {
    match cause {
        ExitCause::MemoryWatchdog => {
            format!("it needs more than {RESIDENT_BYTES_MAX} bytes of memory")
        }
        ExitCause::FolderWatchdog => format!(
            "it keeps more than {} bytes in its folder",
            limits.folder_bytes
        ),
        ExitCause::ProcessWatchdog => {
            format!("it starts more than {PROCESSES_MAX} processes at a time")
        }
        ExitCause::OutputOverflow => {
            format!("its libraries have more than {OUTPUT_BYTES_MAX} bytes")
        }
        other => format!("the build ended without a result ({other:?})"),
    }
}

/// Returns the fence of a build of crates: cargo, the compiler, the host's linker, and build scripts and macros that
/// they compiled may be started; only the build's own folder may be written; there is no network.
fn fence(toolchain: &Toolchain, sources: &Path, scratch: &Path, limits: BuildLimits) -> Fence {
    let mut execute = toolchain.execute.clone();
    execute.push(toolchain.compiler.sysroot.clone());
    execute.extend(host_tools::folders());
    execute.push(scratch.to_owned());
    let mut read = toolchain.read.clone();
    read.push(sources.to_owned());
    Fence {
        execute,
        read,
        write: vec![scratch.to_owned(), PathBuf::from("/dev/null")],
        working_dir: scratch.to_owned(),
        processes: Processes::Spawn {
            at_most: PROCESSES_MAX,
        },
        rlimits: Rlimits {
            address_space_bytes: Some(ADDRESS_SPACE_BYTES),
            cpu_soft_s: Some(limits.cpu_s),
            cpu_hard_s: Some(limits.cpu_s + 5),
            file_bytes: Some(FILE_BYTES),
            open_files: Some(OPEN_FILES),
        },
    }
}
