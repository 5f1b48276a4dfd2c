//! Failures: a class, a phase, a message, and the limit that was exceeded.

use serde::{Deserialize, Serialize};

/// The class of a failure. Its name (kebab-case) is part of `report.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureClass {
    /// The compiler refused the source; the message is its own diagnostics.
    BuildFailed,
    /// The build used more CPU or wall time than it may.
    BuildTimeout,
    /// The build asked for more memory than it may have.
    BuildMemory,
    /// The build wrote more diagnostics or bytes than it may.
    BuildOutputLimit,
    /// The compiler crashed on the source.
    BuildCrashed,
    /// The file is not a component that could be loaded.
    InvalidComponent,
    /// The file is larger than a component may be.
    OversizeComponent,
    /// The component is too large or too strange to be compiled within the limits.
    LoadCompileLimit,
    /// The component lacks an export that the problem's world wants.
    MissingExport,
    /// The component has an export of the right name and another type.
    WrongWorld,
    /// The component imports something that is not granted.
    ForbiddenImport,
    /// A trial used up its fuel.
    FuelLimit,
    /// A trial asked for more memory or table elements than it may have.
    MemoryLimit,
    /// A trial ran longer than it may.
    WallLimit,
    /// A trial's call stack was exhausted.
    StackLimit,
    /// An answer, or what was written to the output, is larger than it may be.
    OutputLimit,
    /// A component asked the host for more than it may: calls, handles, random bytes.
    HostLimit,
    /// A component ended its process instead of answering.
    Exited,
    /// The guest trapped: a panic, an unreachable instruction, an access out of bounds.
    Trap,
    /// The oracle refused an answer.
    WrongAnswer,
    /// The workload's `check` or `assess` failed on an answer, and it is not shown that it fails on
    /// right ones too.
    UnjudgedAnswer,
    /// There is no oracle, and the variants disagree about an answer: none of them is shown to be right or wrong.
    Disagreement,
    /// The same input gave different answers or different fuel.
    Nondeterministic,
    /// The process that ran the trial died in a way that no limit explains.
    RunnerCrashed,
    /// The workload itself failed: no variant is to blame.
    WorkloadFailed,
    /// Nothing here confines untrusted code, and running without was not allowed.
    ConfinementUnavailable,
    /// This machine could not do its part: no room, no process, no engine. No variant is to blame.
    MachineFailed,
}

impl FailureClass {
    /// Returns true if the machine failed, which says nothing about the code.
    pub fn is_machine_fault(self) -> bool {
        matches!(self, Self::ConfinementUnavailable | Self::MachineFailed)
    }

    /// The class as it is written in reports: `wrong-answer`, `fuel-limit`, …
    ///
    /// ```
    /// use bakeoff_domain::failure::FailureClass;
    /// assert_eq!(FailureClass::WrongAnswer.name(), "wrong-answer");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::BuildFailed => "build-failed",
            Self::BuildTimeout => "build-timeout",
            Self::BuildMemory => "build-memory",
            Self::BuildOutputLimit => "build-output-limit",
            Self::BuildCrashed => "build-crashed",
            Self::InvalidComponent => "invalid-component",
            Self::OversizeComponent => "oversize-component",
            Self::LoadCompileLimit => "load-compile-limit",
            Self::MissingExport => "missing-export",
            Self::WrongWorld => "wrong-world",
            Self::ForbiddenImport => "forbidden-import",
            Self::FuelLimit => "fuel-limit",
            Self::MemoryLimit => "memory-limit",
            Self::WallLimit => "wall-limit",
            Self::StackLimit => "stack-limit",
            Self::OutputLimit => "output-limit",
            Self::HostLimit => "host-limit",
            Self::Exited => "exited",
            Self::Trap => "trap",
            Self::WrongAnswer => "wrong-answer",
            Self::UnjudgedAnswer => "unjudged-answer",
            Self::Disagreement => "disagreement",
            Self::Nondeterministic => "nondeterministic",
            Self::RunnerCrashed => "runner-crashed",
            Self::WorkloadFailed => "workload-failed",
            Self::ConfinementUnavailable => "confinement-unavailable",
            Self::MachineFailed => "machine-failed",
        }
    }
}

impl std::fmt::Display for FailureClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The phase in which a variant failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The build: from source to component.
    Build,
    /// The load: from bytes to a checked, compiled component.
    Load,
    /// The gate: every case once, with fuel, judged by the oracle.
    Check,
    /// The timed trials.
    Measure,
}

/// A failure: the class, a message for people, and the limit if one was exceeded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Class of the failure.
    pub class: FailureClass,
    /// A description; for `build-failed` the compiler's diagnostics.
    pub message: String,
    /// Phase in which the variant failed.
    pub phase: Phase,
    /// The limit that was exceeded, as the experiment file writes it: `memory = 256 MiB`.
    #[serde(default)]
    pub limit: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_what_serde_writes() {
        for class in [
            FailureClass::BuildOutputLimit,
            FailureClass::WrongWorld,
            FailureClass::Trap,
            FailureClass::UnjudgedAnswer,
            FailureClass::Disagreement,
        ] {
            assert_eq!(
                serde_json::to_string(&class).unwrap(),
                format!("\"{}\"", class.name())
            );
        }
    }
}
