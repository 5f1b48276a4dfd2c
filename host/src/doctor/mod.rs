//! What this machine offers, found out by trying: what confines, compiles and times prototypes here,
//! and what difference between two of them could be seen. Each finding says what it means and what
//! to do.

mod clocks;
mod cores;
mod facts;
mod findings;
mod folders;
mod noise;

pub use facts::{Clock, Clocks, Compiler, Cores, Facts, Fences, Folder, Missing, Noise, Purpose};
pub use findings::{Finding, State, findings};

use crate::build::{self, TARGET, Toolchain};
use crate::confine::{self, Confinement, Level};
use crate::coordinate::Unconfined;
use crate::measure;
use serde::Serialize;
use std::path::Path;

/// The version of [`Examination`] as JSON. It goes up when a field changes its meaning or goes.
pub const FORMAT_VERSION: u32 = 1;

/// All that `bakeoff doctor` says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Examination {
    /// [`FORMAT_VERSION`].
    pub version: u32,
    /// The version of bakeoff.
    pub bakeoff: String,
    /// Whether anything can be built or run: safely, or because the user allowed it otherwise.
    pub can_run: bool,
    /// What was found, for people.
    pub findings: Vec<Finding>,
    /// The same as numbers and names.
    pub facts: Facts,
}

impl Examination {
    /// What follows from facts.
    pub fn of(facts: Facts) -> Self {
        Self {
            version: FORMAT_VERSION,
            bakeoff: env!("CARGO_PKG_VERSION").to_owned(),
            can_run: facts.confinement.level.is_some(),
            findings: findings(&facts),
            facts,
        }
    }
}

/// What to look at.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Whether the user allows builds and runs that nothing confines.
    pub unconfined: Unconfined,
    /// The folder of an experiment, beside which results would be kept.
    pub experiment: &'a Path,
    /// The folder of the build cache, if not the user's own.
    pub cache: Option<&'a Path>,
}

/// Examines this machine. Takes some seconds, most of them for the noise floor; changes nothing.
pub async fn examine(request: Request<'_>) -> Examination {
    let before = cores::Ticks::now();
    let (confinement, missing) = confine(request.unconfined).await;
    let toolchain = Toolchain::find_as_it_is().await;
    let confinement = match (confinement, &toolchain) {
        (Some(confinement), Ok(toolchain)) => Some(build::fit(toolchain, confinement).await),
        (confinement, _) => confinement,
    };
    let mut compiler = Compiler::default();
    let mut noise = Noise {
        practical: bakeoff_domain::spec::Measure::default().practical,
        problem: Some("nothing is started where nothing confines it".to_owned()),
        ..Noise::default()
    };
    match (&toolchain, &confinement) {
        (Err(error), _) => {
            compiler.problem = Some(error.to_string());
            noise.problem = Some("there is nothing to build what would be measured".to_owned());
        }
        (Ok(toolchain), None) => compiler = describe(toolchain),
        (Ok(toolchain), Some(confinement)) => {
            compiler = describe(toolchain);
            match noise::build(toolchain, confinement).await {
                Ok(programs) => {
                    compiler.build_cpu_s = Some(programs.spin.cpu.as_secs_f64());
                    noise = noise::measure(&programs, confinement, &measure::usable_cores()).await;
                }
                Err(problem) => {
                    compiler.problem = Some(problem);
                    noise.problem = Some("what would be measured does not build".to_owned());
                }
            }
        }
    }
    Examination::of(Facts {
        confinement: fences(confinement.as_ref(), missing),
        toolchain: compiler,
        clocks: clocks::examine(),
        noise,
        cores: cores::examine(before),
        folders: folders::examine(request.experiment, request.cache),
    })
}

/// What confines, and what is missing for it to be worth the name.
async fn confine(unconfined: Unconfined) -> (Option<Confinement>, Option<Missing>) {
    match (Confinement::probe().await, unconfined) {
        (Ok(confinement), _) => (Some(confinement), None),
        (Err(error), unconfined) => {
            let missing = Missing {
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

fn fences(confinement: Option<&Confinement>, missing: Option<Missing>) -> Fences {
    Fences {
        level: confinement.map(Confinement::level),
        means: confinement.map(Confinement::means),
        missing,
        bubblewrap_installed: confine::bubblewrap_is_installed(),
        root: rustix::process::geteuid().is_root(),
    }
}

fn describe(toolchain: &Toolchain) -> Compiler {
    Compiler {
        rustc: Some(toolchain.rustc().display().to_string()),
        version: toolchain.version().lines().next().map(str::to_owned),
        target: Some(TARGET.to_owned()),
        build_cpu_s: None,
        problem: None,
    }
}

/// Whether a level keeps its promises.
fn is_safe(level: Level) -> bool {
    level >= Level::Standard
}
