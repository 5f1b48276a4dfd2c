//! What was found out about a machine, as numbers and names. These are the `facts` of
//! `bakeoff doctor --format json`.

use crate::confine::{Level, Means};
use bakeoff_domain::verdict::Verdict;
use serde::Serialize;

/// All that was found out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Facts {
    /// What confines untrusted code.
    pub confinement: Fences,
    /// What compiles prototypes.
    pub toolchain: Compiler,
    /// What times them.
    pub clocks: Clocks,
    /// What can be told apart.
    pub noise: Noise,
    /// What they run on.
    pub cores: Cores,
    /// Where files are kept.
    pub folders: Vec<Folder>,
}

/// What confines untrusted code, found out by sending children to try.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fences {
    /// The level that results are stamped with. `None`: bakeoff refuses to build and to run.
    pub level: Option<Level>,
    /// What it is made of.
    pub means: Option<Means>,
    /// What is missing for the level `standard`, and what to do.
    pub missing: Option<Missing>,
    /// Whether a `bwrap` is on the search path.
    pub bubblewrap_installed: bool,
    /// Whether bakeoff runs as root.
    pub root: bool,
}

/// What is missing, and what to do about it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Missing {
    /// What is missing.
    pub reason: String,
    /// What to do.
    pub next: String,
}

/// The Rust toolchain.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Compiler {
    /// The compiler itself, not the shim that chooses one.
    pub rustc: Option<String>,
    /// The first line of `rustc -vV`.
    pub version: Option<String>,
    /// The target of prototypes, which it has.
    pub target: Option<String>,
    /// CPU time of a small prototype's build behind the fence, in seconds. `None`: not built.
    pub build_cpu_s: Option<f64>,
    /// Why there is no compiler, or why it does not build.
    pub problem: Option<String>,
}

/// The clocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Clocks {
    /// CPU time of a thread: what verdicts rest on.
    pub thread_cpu: Clock,
    /// The monotonic clock: wall time.
    pub monotonic: Clock,
    /// The shortest call that gets a verdict, in nanoseconds.
    pub call_ns_min: f64,
}

/// One clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Clock {
    /// The smallest step that was seen, in nanoseconds.
    pub step_ns: f64,
    /// What reading it costs, in nanoseconds.
    pub cost_ns: f64,
}

/// The same program measured against itself, as a run measures two.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Noise {
    /// How long that took, in seconds.
    pub seconds: f64,
    /// Replicas: processes in which both ran.
    pub replicas: u32,
    /// Time of the one divided by that of the other. Truly 1.
    pub ratio: Option<f64>,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// What is said of the two.
    pub verdict: Option<Verdict>,
    /// The difference that would have been seen for sure, as a fraction of the time: half the
    /// interval's length.
    pub visible: Option<f64>,
    /// The practical threshold that a run has by default, as a fraction.
    pub practical: f64,
    /// Why it was not measured.
    pub problem: Option<String>,
}

/// The processor.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cores {
    /// Model.
    pub cpu: String,
    /// Cores that this process may run on, by number.
    pub usable: Vec<usize>,
    /// Those of them that a thread could be pinned to.
    pub pinnable: Vec<usize>,
    /// Groups of usable cores that are threads of one physical core. `None`: the system does not
    /// say.
    pub siblings: Option<Vec<Vec<usize>>>,
    /// How the frequency is chosen: `performance`, `powersave`, … `None`: the system does not say,
    /// as in most virtual machines.
    pub governor: Option<String>,
    /// How much longer the same work took in a slow slice of time than in a fast one, by CPU time:
    /// the 90th percentile divided by the 10th, minus 1.
    pub drift: f64,
    /// The same for work that fills the core's execution units: more than `drift` where something
    /// else uses the same physical cores, another thread of them or another machine.
    pub contention: f64,
    /// The share of all cores' time that the hypervisor gave to others meanwhile. `None`: the
    /// system does not say.
    pub stolen: Option<f64>,
    /// The load average of the last minute.
    pub load: Option<f64>,
}

/// What a folder is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// Results of experiments.
    Results,
    /// The build cache.
    Cache,
    /// Builds, and files to probe with.
    Temporary,
}

/// A folder that bakeoff writes to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Folder {
    /// What it is for.
    pub purpose: Purpose,
    /// Where it is, or would be made.
    pub path: String,
    /// Room on its disk, in bytes.
    pub free_bytes: Option<u64>,
    /// How long a small file took until it was on the disk, in milliseconds.
    pub write_ms: Option<f64>,
    /// Permissions, in octal, where they matter.
    pub mode: Option<String>,
    /// Why it cannot be used.
    pub problem: Option<String>,
}
