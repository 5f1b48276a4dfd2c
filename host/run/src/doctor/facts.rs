//! The facts about a machine: the `facts` of `bakeoff doctor --format json`.

use bakeoff_confine::{Level, Mechanisms};
use bakeoff_domain::verdict::Verdict;
use serde::Serialize;

/// All facts about a machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MachineFacts {
    /// Confinement of untrusted code.
    pub confinement: ConfinementFacts,
    /// The Rust toolchain.
    pub toolchain: ToolchainFacts,
    /// The compilers for C, C++ and Zig.
    pub clang: ClangFacts,
    /// The clocks.
    pub clocks: ClocksFacts,
    /// The noise of measurements.
    pub noise: NoiseFacts,
    /// The processor.
    pub cores: CoreFacts,
    /// The folders that bakeoff writes to.
    pub folders: Vec<FolderFacts>,
}

/// The confinement of untrusted code, tested with child processes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConfinementFacts {
    /// The level that results are stamped with; `None`: bakeoff refuses to build and to run.
    pub level: Option<Level>,
    /// The mechanisms that the level consists of.
    pub means: Option<Mechanisms>,
    /// The mechanism that is missing for the level `standard`; `None` if the level is reached.
    pub missing: Option<MissingConfinement>,
    /// True if a `bwrap` is on the search path.
    pub bubblewrap_installed: bool,
    /// True if bakeoff runs as root.
    pub root: bool,
}

/// A missing mechanism, with advice.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MissingConfinement {
    /// The reason why the level is not reached.
    pub reason: String,
    /// Advice.
    pub next: String,
}

/// The Rust toolchain.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ToolchainFacts {
    /// Path of the compiler itself, not of the shim that chooses one.
    pub rustc: Option<String>,
    /// Reason for the choice of this compiler, in words.
    pub chosen: Option<String>,
    /// The first line of `rustc -vV`.
    pub version: Option<String>,
    /// The installed target of prototypes.
    pub target: Option<String>,
    /// CPU time of the confined build of a small prototype, in seconds; `None`: not built.
    pub build_cpu_s: Option<f64>,
    /// The reason why there is no compiler, or why it does not build; `None` if it works.
    pub problem: Option<String>,
}

/// The compilers for sources in C, C++ and Zig.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClangFacts {
    /// Path of the compiler.
    pub clang: Option<String>,
    /// The first line of its version.
    pub version: Option<String>,
    /// True if there is a library of C++ for WebAssembly.
    pub has_cpp: bool,
    /// The version of Zig; `None` if sources in it cannot be built.
    pub zig: Option<String>,
    /// The reason why neither language can be built; `None` if C can.
    pub problem: Option<String>,
}

/// The clocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClocksFacts {
    /// The clock of the CPU time of a thread, which verdicts rest on.
    pub thread_cpu: ClockFacts,
    /// The monotonic clock, for wall time.
    pub monotonic: ClockFacts,
    /// Duration of the shortest call that can get a verdict, in nanoseconds.
    pub call_ns_min: f64,
}

/// A clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClockFacts {
    /// Resolution of the clock: the smallest step that was seen, in nanoseconds.
    pub step_ns: f64,
    /// Duration of a reading, in nanoseconds.
    pub cost_ns: f64,
}

/// The noise of measurements: one program timed against itself, as a run times two.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NoiseFacts {
    /// Duration of the measurement, in seconds.
    pub seconds: f64,
    /// Number of replicas: processes in which both ran.
    pub replicas: u32,
    /// Time of one copy of the program divided by time of the other; the true value is 1.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's interval.
    pub low: Option<f64>,
    /// Upper end of the ratio's interval.
    pub high: Option<f64>,
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// The smallest difference that would have been visible, as a fraction of the time: half the
    /// length of the interval.
    pub visible: Option<f64>,
    /// The default practical threshold of a run, as a fraction.
    pub practical: f64,
    /// True if the instances came from a pool; `None`: not known.
    pub pooled: Option<bool>,
    /// The reason why the noise was not measured; `None` if it was.
    pub problem: Option<String>,
}

/// The processor.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CoreFacts {
    /// Model of the processor.
    pub cpu: String,
    /// Cores that this process may run on, by number.
    pub usable: Vec<usize>,
    /// The usable cores that a thread could be pinned to.
    pub pinnable: Vec<usize>,
    /// Groups of usable cores that are threads of one physical core; `None`: not known.
    pub siblings: Option<Vec<Vec<usize>>>,
    /// Pairs of cores that were measured to slow each other down, of the first eight that a thread could be
    /// pinned to; `None`: not measured.
    pub disturbing: Option<Vec<[usize; 2]>>,
    /// Number of pairs of cores that were tried for `disturbing`.
    pub pairs_tried: usize,
    /// The frequency governor: `performance`, `powersave`, …; `None`: not known, as in most virtual
    /// machines.
    pub governor: Option<String>,
    /// The spread of the CPU times of the same work: the 90th percentile divided by the 10th,
    /// minus 1.
    pub drift: f64,
    /// The spread of the times of work that fills the core's execution units, as `drift` gives it for other work. It is
    /// larger than `drift` where something else uses the same physical cores, another thread of them or another
    /// machine.
    pub contention: f64,
    /// The share of the time of all cores that the hypervisor gave to other machines; `None`: not
    /// known.
    pub stolen: Option<f64>,
    /// The load average of the last minute; `None`: not known.
    pub load: Option<f64>,
}

/// The purpose of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FolderPurpose {
    /// Results of experiments.
    Results,
    /// The build cache.
    Cache,
    /// Builds, and files of tests.
    Temporary,
}

/// A folder that bakeoff writes to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FolderFacts {
    /// Purpose of the folder.
    pub purpose: FolderPurpose,
    /// Path of the folder, which need not exist yet.
    pub path: String,
    /// Free space on the folder's disk, in bytes.
    pub free_bytes: Option<u64>,
    /// Time until a small file was on the disk, in milliseconds.
    pub write_ms: Option<f64>,
    /// Permissions of the cache, in octal.
    pub mode: Option<String>,
    /// The reason why the folder cannot be used; `None` if it can.
    pub problem: Option<String>,
}
