//! A worker's side of programs: the hosts that it starts beside a runner, one for each program, and their ends.

use super::hosted_program::HostedProgram;
use super::runner_end::RunnerExit;
use bakeoff_confine::{
    Child, ChildJob, Confinement, ExitCause, Fence, HostSetup, PROGRAM_HOST, Processes, Rlimits,
    SpawnError, socket_pair,
};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_files::{Scratch, entries_named, files_of_interpreter};
use bakeoff_runner::GuestFailure;
use bakeoff_sandbox::GuestError;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Files and folders of the system that a program may read and start, where they are.
const SYSTEM: [&str; 10] = [
    "/usr",
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
];

/// Devices that a program may read, where they are.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"];

/// The memory that a host has itself, in bytes.
const HOST_BYTES: u64 = 64 << 20;

/// The most bytes that a program's folder may hold, the program's own files included.
const FOLDER_BYTES_MAX: u64 = 128 << 20;

/// The most bytes of one file that a program writes.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// The time in which a host has to end after its runner did.
const EXIT_PATIENCE: Duration = Duration::from_secs(5);

/// The variable `PATH` of a program.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The hosts of a runner's programs.
pub(super) struct ProgramHosts(Vec<RunningHost>);

struct RunningHost {
    child: Child,
    variant: VariantIndex,
    memory_bytes: u64,
    _folder: Scratch,
}

impl ProgramHosts {
    /// Starts a host for each program, and returns the sockets of the runner beside them.
    ///
    /// # Errors
    /// A host cannot be started, for this reason.
    pub(super) async fn start(
        confinement: &Confinement,
        programs: &[HostedProgram],
        core: Option<usize>,
    ) -> Result<(Self, Vec<Arc<OwnedFd>>), String> {
        let (mut hosts, mut sockets) = (Vec::new(), Vec::new());
        for program in programs {
            let folder = Scratch::new().map_err(|error| error.to_string())?;
            let (own, of_runner) = socket_pair().map_err(|error| error.to_string())?;
            let setup = HostSetup {
                interpreter: program.interpreter.clone(),
                folder: folder.work().to_owned(),
                path: PATH.to_owned(),
            };
            let setup = postcard::to_stdvec(&setup).map_err(|error| error.to_string())?;
            let parts: [&[u8]; 1] = [&setup];
            let mut job = ChildJob::new(PROGRAM_HOST.name, &parts, fence(program, folder.work()));
            job.core = core;
            job.rss_bytes_max = Some(program.memory_bytes.saturating_add(HOST_BYTES));
            job.folder_bytes_max = Some(FOLDER_BYTES_MAX);
            job.sockets = vec![Arc::new(own)];
            let child = confinement.spawn(job).await;
            hosts.push(RunningHost {
                child: child.map_err(|error: SpawnError| error.to_string())?,
                variant: program.variant,
                memory_bytes: program.memory_bytes,
                _folder: folder,
            });
            sockets.push(Arc::new(of_runner));
        }
        Ok((Self(hosts), sockets))
    }

    /// Ends the hosts after their runner, and returns the end that one of them explains.
    pub(super) async fn end(self) -> Option<RunnerExit> {
        let mut explained = None;
        for host in self.0 {
            let Ok(exit) = timeout(EXIT_PATIENCE, host.child.finish()).await else {
                continue;
            };
            let (what, limit) = match exit.cause {
                ExitCause::MemoryWatchdog => (
                    "the program took more memory than it may",
                    format!("memory = {} MiB", host.memory_bytes >> 20),
                ),
                ExitCause::FolderWatchdog => (
                    "the program wrote more into its folder than it may",
                    format!("{} MiB for the folder", FOLDER_BYTES_MAX >> 20),
                ),
                _ => continue,
            };
            explained = Some(RunnerExit::Failed(vec![GuestFailure {
                variant: Some(host.variant),
                calls: Vec::new(),
                error: GuestError {
                    class: FailureClass::MemoryLimit,
                    message: what.to_owned(),
                    limit: Some(limit),
                },
            }]));
        }
        explained
    }
}

/// Returns the fence of a host: the system and the interpreter's own libraries to be read and started, its own folder to
/// be written, nothing else.
fn fence(program: &HostedProgram, folder: &Path) -> Fence {
    let system = SYSTEM.iter().map(PathBuf::from);
    let own = program
        .interpreter
        .iter()
        .flat_map(|path| files_of_interpreter(path));
    let mut execute: Vec<PathBuf> = system
        .chain(own)
        .chain(java_settings())
        .filter(|path| path.exists())
        .collect();
    execute.push(folder.to_owned());
    let devices = DEVICES.iter().map(PathBuf::from);
    Fence {
        execute,
        read: devices.filter(|path| path.exists()).collect(),
        write: vec![folder.to_owned()],
        working_dir: folder.to_owned(),
        processes: Processes::Host,
        rlimits: Rlimits {
            file_bytes: Some(FILE_BYTES_MAX),
            open_files: Some(1_024),
            ..Rlimits::default()
        },
    }
}

/// Returns the folders below `/etc` into which the files of a Java that the system brings are links.
fn java_settings() -> Vec<PathBuf> {
    entries_named(Path::new("/etc"), |name| name.starts_with("java-"))
}
