//! The messages between the parent and a builder child.

use super::c::ClangPaths;
use super::imports::WasiImports;
use super::limits::EVENT_BYTES_MAX;
use bakeoff_domain::edition::Edition;
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::language::Language;
use bakeoff_domain::simd::Simd;
use bakeoff_source::interface::{WitFile, World};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// The name of the builder's role.
pub(super) const ROLE: &str = "builder";

/// The purpose of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuildKind {
    /// The build that is checked and measured: no import, nothing but the code.
    Release,
    /// The build that repeats a failed trial: line tables, and panics that report their message. A
    /// component that a user brings is taken as it is.
    Diagnostic,
    /// The build whose calls show the code that they reach: line tables, no optimisation, and marks in the code. The
    /// code of a component that a user brings is marked as it is.
    Coverage,
    /// The build whose calls show the fuel of each function: that of [`BuildKind::Release`] with line tables, and counters
    /// in the code.
    FunctionFuel,
}

impl BuildKind {
    /// Returns the name of the kind, for names of the cache.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Diagnostic => "diagnostic",
            Self::Coverage => "coverage",
            Self::FunctionFuel => "function-fuel",
        }
    }
}

/// The task of a child. The bytes of a component follow it in the payload.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct BuildTask {
    /// The interface, as files.
    pub(super) files: Vec<WitFile>,
    /// The call, as an experiment file writes it.
    pub(super) call: String,
    pub(super) world: World,
    pub(super) kind: BuildKind,
    pub(super) code: TaskInput,
    /// The user's file, as the user names it.
    pub(super) path_shown: String,
    /// Imports that the component may have, as components name them.
    pub(super) granted: Vec<String>,
    /// True if the component is granted the values of parameters.
    pub(super) parameters: bool,
    /// The rule for imports of WASI by a component that a user brings.
    pub(super) wasi: WasiImports,
    /// The memory that an instance may have, in bytes.
    pub(super) memory_bytes: u64,
    /// The crates that a source may use. `None` until the worker fills it in, which knows their folder.
    pub(super) crates: Option<LinkedCrates>,
    /// False if the component alone is wanted, and no code of it: another machine compiles that.
    pub(super) code_is_wanted: bool,
}

/// Crates that a source may use.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LinkedCrates {
    /// The folder of their libraries.
    pub(super) folder: PathBuf,
    /// The name by which a source calls each of them, and its file.
    pub(super) externs: Vec<(String, PathBuf)>,
}

/// The code of a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum TaskInput {
    /// A source, with the place where it is compiled.
    Source {
        text: String,
        language: Language,
        /// The worker's own compiler and folder; `None` until the worker fills it in.
        place: Option<Box<BuildPlace>>,
    },
    /// A component, whose bytes follow the task.
    Component,
    /// A component that another machine built, whose bytes follow the task: it is compiled and nothing else.
    Finished,
    /// The calibrator: a no-op component of the interface, which the child makes.
    NoOp,
    /// A component that another machine built of this source, whose bytes follow the task: it is inspected and compiled as
    /// one that was built here.
    BuiltElsewhere {
        text: String,
        /// True if memory for arguments comes from the allocator that every source gets, as that machine says.
        our_allocator: bool,
    },
}

/// The compiler and the folder for a source.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct BuildPlace {
    pub(super) compiler: Compiler,
    /// The compilers for C, C++ and Zig, if there is one.
    pub(super) clang: Option<ClangPaths>,
    /// An empty folder to write to.
    pub(super) scratch: PathBuf,
}

/// The paths of the compiler, and its options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Compiler {
    /// The toolchain's own `rustc`, not the shim that chooses one.
    pub(super) rustc: PathBuf,
    /// The toolchain's linker.
    pub(super) linker: PathBuf,
    /// The toolchain's folder.
    pub(super) sysroot: PathBuf,
    /// The option that lets it use vector instructions.
    pub(super) simd: Simd,
    /// The edition of the sources of prototypes.
    pub(super) edition: Edition,
}

/// A message of a child, in one frame. [`BuildEvent::Done`] is followed by raw frames: the component,
/// its code for the checked profile, and the versions for the timed profile that the summary counts; of a build for
/// coverage, its [map](bakeoff_domain::coverage::CoverageMap) in the place of the versions, and so of one for fuel by
/// function [its](bakeoff_domain::function_fuel::FuelMap).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum BuildEvent {
    /// The stage that begins: it decides the failure of a child that dies.
    Stage(BuildStage),
    /// The build failed. The fields are those of [`Failure`](bakeoff_domain::failure::Failure), whose
    /// own encoding omits empty fields and so cannot be read back from postcard.
    Failed {
        class: FailureClass,
        message: String,
        phase: Phase,
        limit: Option<String>,
    },
    /// The build succeeded.
    Done(ComponentSummary),
    /// A program for this machine was built, whose bytes follow.
    Program,
}

impl From<Failure> for BuildEvent {
    fn from(failure: Failure) -> Self {
        Self::Failed {
            class: failure.class,
            message: failure.message,
            phase: failure.phase,
            limit: failure.limit,
        }
    }
}

impl BuildEvent {
    /// Reads a frame; `None` if it is not an event, or larger than [`EVENT_BYTES_MAX`]: decoding could
    /// allocate far more memory than the frame has bytes.
    pub(super) fn read(frame: &[u8]) -> Option<Self> {
        let within = frame.len() <= EVENT_BYTES_MAX;
        within.then(|| postcard::from_bytes(frame).ok()).flatten()
    }
}

/// A stage of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum BuildStage {
    /// Making the crate and compiling it.
    Source,
    /// Inspecting the component and compiling it to machine code.
    Component,
}

/// The properties of a component that are known without running it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ComponentSummary {
    /// The imports, as components name them, without interfaces that hold only types.
    pub(super) imports: Vec<String>,
    /// The exports: `top-k: func(…) -> …`, or `ns:pkg/iface.top-k: func(…) -> …`.
    pub(super) exports: Vec<String>,
    /// The number of functions in all modules.
    pub(super) functions: u32,
    /// The largest body of a function, in bytes.
    pub(super) function_bytes_max: u64,
    /// The most locals of a function.
    pub(super) locals_max: u32,
    /// True if memory for arguments comes from the allocator that every source gets.
    pub(super) our_allocator: bool,
    /// The number of versions of the machine code for the timed profile.
    pub(super) layouts: u32,
    /// CPU time from source to component, the compiler's included; zero for a component that the
    /// user brought.
    pub(super) source_cpu: Duration,
    /// CPU time of the whole build, the compiler's included, up to here.
    pub(super) cpu: Duration,
    /// Logical lines of the source; `None` if there is none.
    pub(super) source_lines: Option<u64>,
    /// True if the component exchanges strings in another encoding than UTF-8, which the host recodes.
    pub(super) recodes: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_would_decode_to_far_more_memory_is_refused() {
        // A byte for each name of no length, which takes 24 in memory.
        let summary = |names: usize| {
            let names = vec![String::new(); names];
            let sizes = (0_u32, 0_u64, 0_u32, false, 0_u32);
            let cpu = [Duration::ZERO; 2];
            let rest = (None::<u64>, false);
            postcard::to_stdvec(&(2_u8, names, Vec::<String>::new(), sizes, cpu, rest))
        };
        let few = summary(1_000).unwrap();
        assert!(
            matches!(BuildEvent::read(&few), Some(BuildEvent::Done(summary)) if summary.imports.len() == 1_000)
        );
        assert!(BuildEvent::read(&summary(EVENT_BYTES_MAX).unwrap()).is_none());
    }
}
