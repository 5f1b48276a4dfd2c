//! The examination of this machine, by tests: its confinement, compiler, clocks and noise, and the
//! smallest difference between two prototypes that a run could see. Each finding has its meaning and
//! advice.

mod clocks;
mod cores;
mod facts;
mod finding;
mod findings;
mod folders;
mod neighbours;
mod noise;
mod workers;

pub use facts::{
    ClangFacts, ClockFacts, ClocksFacts, ConfinementFacts, CoreFacts, FolderFacts, FolderPurpose,
    MachineFacts, MissingConfinement, NoiseFacts, ToolchainFacts,
};
pub use finding::{FindingState, MachineFinding};
pub use findings::findings;
pub use workers::{RemoteMachineFacts, ServerFacts};

use crate::Unconfined;
use bakeoff_compile::{Clang, TARGET, Toolchain};
use bakeoff_confine::{Confinement, Level};
use bakeoff_domain::language::Language;
use serde::Serialize;
use std::path::Path;

/// The version of [`Examination`] as JSON. It goes up when a field changes its meaning or goes.
pub const FORMAT_VERSION: u32 = 1;

/// The result of `bakeoff doctor`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Examination {
    /// [`FORMAT_VERSION`].
    pub version: u32,
    /// The version of bakeoff.
    pub bakeoff: String,
    /// True if prototypes can be built and run: confined, or because the user allowed it without confinement.
    pub can_run: bool,
    /// The findings, for people.
    pub findings: Vec<MachineFinding>,
    /// The facts that they follow from.
    pub facts: MachineFacts,
    /// The workers behind a server, if it was to be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<ServerFacts>,
}

impl Examination {
    /// Makes the examination of a machine with these facts.
    pub fn of(facts: MachineFacts) -> Self {
        Self {
            version: FORMAT_VERSION,
            bakeoff: env!("CARGO_PKG_VERSION").to_owned(),
            can_run: facts.confinement.level.is_some(),
            findings: findings(&facts),
            facts,
            workers: None,
        }
    }

    /// Returns the examination with what a server of workers said.
    #[must_use]
    pub fn with_workers(mut self, workers: ServerFacts) -> Self {
        self.findings.extend(workers.findings());
        self.workers = Some(workers);
        self
    }
}

/// The scope of an examination.
#[derive(Clone, Copy, Debug)]
pub struct ExaminationScope<'a> {
    /// Decision of the user about builds and runs without confinement.
    pub unconfined: Unconfined,
    /// The folder of an experiment, in which results would be stored.
    pub experiment: &'a Path,
    /// The folder of the build cache; `None`: the user's default.
    pub cache: Option<&'a Path>,
}

/// Examines this machine. Takes about seven seconds, two of them for the noise; changes nothing.
pub async fn examine(request: ExaminationScope<'_>) -> Examination {
    let before = cores::Ticks::now();
    let (confinement, missing) = probe_confinement(request.unconfined).await;
    let toolchain = Toolchain::find_unchanged().await;
    let confinement = match (confinement, &toolchain) {
        (Some(confinement), Ok(toolchain)) => {
            Some(bakeoff_compile::usable_confinement(toolchain, confinement).await)
        }
        (confinement, _) => confinement,
    };
    let mut compiler = ToolchainFacts::default();
    let mut noise = NoiseFacts {
        practical: bakeoff_domain::spec::Measure::default().practical,
        problem: Some("nothing is run without confinement".to_owned()),
        ..NoiseFacts::default()
    };
    match (&toolchain, &confinement) {
        (Err(error), _) => {
            compiler.problem = Some(error.to_string());
            noise.problem = Some("there is no compiler".to_owned());
        }
        (Ok(toolchain), None) => compiler = toolchain_facts(toolchain),
        (Ok(toolchain), Some(confinement)) => {
            compiler = toolchain_facts(toolchain);
            match noise::build(toolchain, confinement).await {
                Ok(programs) => {
                    compiler.build_cpu_s = Some(programs.spin.cpu.as_secs_f64());
                    let cores = bakeoff_confine::usable_cores();
                    noise = noise::measure(&programs, confinement, &cores).await;
                }
                Err(problem) => {
                    compiler.problem = Some(problem);
                    noise.problem = Some("the test program does not build".to_owned());
                }
            }
        }
    }
    let folders = folders::examine(request.experiment, request.cache);
    Examination::of(MachineFacts {
        confinement: confinement_facts(confinement.as_ref(), missing),
        toolchain: compiler,
        clang: clang_facts().await,
        clocks: clocks::examine(),
        noise,
        cores: cores::examine(before),
        folders,
    })
}

/// Probes the confinement of this machine, and returns it with the reason why the level `standard` is missing.
async fn probe_confinement(
    unconfined: Unconfined,
) -> (Option<Confinement>, Option<MissingConfinement>) {
    match (Confinement::probe().await, unconfined) {
        (Ok(confinement), _) => (Some(confinement), None),
        (Err(error), unconfined) => {
            let missing = MissingConfinement {
                reason: error.reason,
                next: error.next,
            };
            let allowed = match unconfined {
                Unconfined::Refused => None,
                Unconfined::Allowed => Confinement::allow_unconfined().await.ok(),
            };
            (allowed, Some(missing))
        }
    }
}

fn confinement_facts(
    confinement: Option<&Confinement>,
    missing: Option<MissingConfinement>,
) -> ConfinementFacts {
    ConfinementFacts {
        level: confinement.map(Confinement::level),
        means: confinement.map(Confinement::mechanisms),
        missing,
        bubblewrap_installed: bakeoff_confine::bubblewrap_is_installed(),
        root: rustix::process::geteuid().is_root(),
    }
}

fn toolchain_facts(toolchain: &Toolchain) -> ToolchainFacts {
    ToolchainFacts {
        rustc: Some(toolchain.rustc().display().to_string()),
        chosen: Some(toolchain.choice().words().to_owned()),
        version: toolchain.version().lines().next().map(str::to_owned),
        target: Some(TARGET.to_owned()),
        build_cpu_s: None,
        problem: None,
    }
}

async fn clang_facts() -> ClangFacts {
    match Clang::find().await {
        Ok(clang) => {
            let clang = clang.with_zig_if_there().await;
            ClangFacts {
                clang: Some(clang.path().display().to_string()),
                version: Some(clang.version().to_owned()),
                has_cpp: clang.has(Language::Cpp),
                zig: clang.zig_version().map(str::to_owned),
                problem: None,
            }
        }
        Err(error) => ClangFacts {
            problem: Some(error.to_string()),
            ..ClangFacts::default()
        },
    }
}

/// Returns true if a level confines untrusted code.
fn is_safe(level: Level) -> bool {
    level >= Level::Standard
}
