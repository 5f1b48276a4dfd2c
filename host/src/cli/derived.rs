//! `bakeoff compare a.rs b.rs` with nothing else: the function and its types are read from the sources,
//! inputs are drawn by their types, and the approaches judge each other.

use super::failure::Failure;
use super::looking::{Looked, Looking};
use super::options::{Output, Safety};
use crate::compile::read_public_functions;
use crate::config::Policy;
use crate::confine::Confinement;
use crate::files::{Reach, Scratch};
use crate::interface::{ComparedFile, Constants, DerivedInterface};
use crate::render::Untimed;
use crate::render::escape::Plain;
use crate::run::{self, Unconfined};
use crate::source::{BuildInput, read_code};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::spec::{Approach, Code, Experiment, Inputs, Interface};
use std::path::{Path, PathBuf};

/// The interface and the workload that follow from sources.
pub(super) struct Derived {
    pub(super) found: DerivedInterface,
    constants: Constants,
    confinement: Confinement,
    folder: Scratch,
}

/// What the first calls say.
pub(super) enum Agreement {
    /// The answers are the same: these sizes can be timed.
    Same {
        sizes: Vec<u32>,
        /// How many there were and what they say, in sentences.
        inputs: String,
    },
    /// They are not, or there are none.
    Not(Untimed),
}

impl Derived {
    /// Reads the functions of Rust files and components, each in a child of its own.
    ///
    /// # Errors
    /// A file is neither, or the files share no function; the error says what to do.
    pub(super) async fn read(
        approaches: &[Approach],
        call: Option<&str>,
        safety: &Safety,
        policy: &Policy,
    ) -> Result<Self, Failure> {
        let confinement = match safety.unconfined(policy)? {
            Unconfined::Refused => Confinement::probe().await,
            Unconfined::Allowed => Confinement::allow_unconfined().await,
        };
        let confinement = confinement.map_err(|error| Failure::from(run::RunError::from(error)))?;
        let mut files = Vec::new();
        let mut constants = Constants::default();
        for approach in approaches {
            let (file, own) = read_file(&approach.code, &confinement).await?;
            constants.extend(own);
            files.push(file);
        }
        let found = DerivedInterface::find(&files, call).map_err(Failure::usage)?;
        let derived = Self {
            folder: Scratch::new().map_err(cannot_write)?,
            found,
            constants,
            confinement,
        };
        std::fs::write(derived.wit(), derived.found.wit(false)).map_err(cannot_write)?;
        let searching = derived.found.searching_workload(&derived.constants);
        std::fs::write(derived.searching_workload(), searching).map_err(cannot_write)?;
        derived.draw_inputs(true)?;
        Ok(derived)
    }

    /// Writes the workload that draws the inputs that are timed, with edge cases or without.
    fn draw_inputs(&self, edge_cases: bool) -> Result<(), Failure> {
        std::fs::write(self.workload(), self.found.workload(edge_cases)).map_err(cannot_write)
    }

    /// Lets the interface have the oracle of a workload of the user's own, if that has one.
    ///
    /// # Errors
    /// The workload cannot be read.
    pub(super) async fn take_oracle_of(&mut self, code: &Code) -> Result<(), Failure> {
        let Code::Source(_) = code else {
            let name = code.path().display().to_string();
            return Err(Failure::usage(format!(
                "{} is a component, which says itself what it takes: give --wit and --call",
                Plain(&name)
            )));
        };
        let (workload, _) = read_file(code, &self.confinement).await?;
        let mut functions = workload.functions.iter();
        let judges = functions.any(|function| function.name == "check");
        std::fs::write(self.wit(), self.found.wit(judges)).map_err(cannot_write)
    }

    /// The interface as WIT.
    ///
    /// # Errors
    /// The temporary file is gone.
    pub(super) fn wit_text(&self) -> Result<String, Failure> {
        std::fs::read_to_string(self.wit()).map_err(|error| {
            Failure::infrastructure(format!("cannot read a temporary file: {error}"))
        })
    }

    fn wit(&self) -> PathBuf {
        self.folder.work().join("compared.wit")
    }

    fn workload(&self) -> PathBuf {
        self.folder.work().join("workload.rs")
    }

    fn searching_workload(&self) -> PathBuf {
        self.folder.work().join("searching.rs")
    }

    /// The interface, of which the files live as long as this.
    pub(super) fn interface(&self) -> Interface {
        Interface {
            wit: self.wit(),
            call: self.found.call.clone(),
        }
    }

    /// Random inputs of these sizes.
    pub(super) fn inputs(&self, sizes: Vec<u32>) -> Inputs {
        Inputs::Generated {
            code: Code::Source(self.workload()),
            sizes,
        }
    }

    /// Calls all approaches on the same random inputs: first on those on which they may differ, then on those
    /// that can be timed. If all fail on some, those are left out, and the workload draws no edge cases any
    /// more. The experiment's own inputs do not matter.
    ///
    /// # Errors
    /// Something that does not depend on the approaches failed.
    pub(super) async fn first_look(
        &self,
        experiment: Experiment,
        seed: RunSeed,
        safety: &Safety,
        policy: &Policy,
        output: &Output,
    ) -> Result<Agreement, Failure> {
        let looking = Looking {
            call: &self.found.call,
            searching: self.searching_workload(),
            timed: self.workload(),
            experiment,
            seed,
            host: safety.host_options(policy.clone())?,
            policy,
        };
        let mut say = output.reporter();
        say("trying the same inputs on all files");
        let (all_fail, mut inputs) = match looking.search(&mut say).await? {
            Looked::Differ(untimed) => return Ok(Agreement::Not(untimed)),
            Looked::Same { inputs, .. } => (false, inputs),
            Looked::AllFail {
                left_out, inputs, ..
            } => (true, format!("{inputs} {left_out}")),
        };
        self.draw_inputs(!all_fail)?;
        let timed = match looking.time(&mut say).await? {
            Looked::AllFail { .. } if !all_fail => {
                self.draw_inputs(false)?;
                looking.time(&mut say).await?
            }
            looked => looked,
        };
        Ok(match timed {
            Looked::Same {
                sizes,
                inputs: more,
            } => {
                inputs += &more;
                Agreement::Same { sizes, inputs }
            }
            Looked::Differ(untimed) | Looked::AllFail { untimed, .. } => Agreement::Not(untimed),
        })
    }
}

fn cannot_write(error: std::io::Error) -> Failure {
    Failure::infrastructure(format!("cannot write a temporary file: {error}"))
}

async fn read_file(
    code: &Code,
    confinement: &Confinement,
) -> Result<(ComparedFile, Constants), Failure> {
    let path: &Path = code.path();
    let name = path.display().to_string();
    let input = read_code(code, Path::new(""), Reach::Anywhere)
        .map_err(|failure| Failure::variant(&failure))?;
    let (read, kind, is_component) = match &input {
        BuildInput::Source { text, .. } => {
            let functions = read_public_functions(confinement, text.as_bytes());
            (functions.await, "Rust", false)
        }
        BuildInput::Component { bytes, .. } => {
            let functions = read_public_functions(confinement, bytes);
            (functions.await, "a component", true)
        }
        BuildInput::Calibrator => (Err("it is no file".to_owned()), "code", false),
    };
    let read = read.map_err(|reason| {
        Failure::usage(format!(
            "{} cannot be read as {kind}: {}",
            Plain(&name),
            Plain(&reason)
        ))
    })?;
    let file = ComparedFile {
        shown: name,
        is_component,
        functions: read.functions,
    };
    Ok((file, read.constants))
}
