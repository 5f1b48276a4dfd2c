//! `bakeoff compare a.rs b.rs` with nothing else: the function and its types are read from the sources,
//! inputs are drawn by their types, and the approaches judge each other.

use super::failure::Failure;
use super::first_look::{FUEL_MAX, Findings, FirstLook, INPUTS_OF_EACH, LARGER, SMALL, shown};
use super::options::{Output, Safety};
use crate::compile::read_public_functions;
use crate::config::{LoadedExperiment, Policy};
use crate::confine::Confinement;
use crate::files::{Reach, Scratch};
use crate::interface::{ComparedFile, DerivedInterface};
use crate::measure::RepeatedCall;
use crate::render::escape::{Lines, Plain};
use crate::run::{self, Unconfined};
use crate::source::{BuildInput, read_code};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::{InputPurpose, RunSeed, sample_seeds};
use bakeoff_domain::spec::{Approach, Code, Experiment, Inputs, Interface};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The interface and the workload that follow from sources.
pub(super) struct Derived {
    pub(super) found: DerivedInterface,
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
    /// They are not, or there are none: why, for the reader.
    Not(String),
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
        for approach in approaches {
            files.push(read_file(&approach.code, &confinement).await?);
        }
        let found = DerivedInterface::find(&files, call).map_err(Failure::usage)?;
        let derived = Self {
            folder: Scratch::new().map_err(cannot_write)?,
            found,
            confinement,
        };
        std::fs::write(derived.wit(), derived.found.wit(false)).map_err(cannot_write)?;
        derived.draw_inputs(true)?;
        Ok(derived)
    }

    /// Writes the workload that draws the inputs, with edge cases or without.
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
        let workload = read_file(code, &self.confinement).await?;
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

    /// Calls all approaches on the same random inputs, small ones first. If all fail on some of them,
    /// those are left out, and the workload draws no edge cases any more.
    ///
    /// # Errors
    /// Something that does not depend on the approaches failed.
    pub(super) async fn first_look(
        &self,
        mut experiment: Experiment,
        seed: RunSeed,
        safety: &Safety,
        policy: &Policy,
        output: &Output,
    ) -> Result<Agreement, Failure> {
        experiment.limits.fuel = experiment.limits.fuel.min(FUEL_MAX);
        let mut loaded = LoadedExperiment::assembled(experiment, PathBuf::new())?;
        policy.apply_to(&mut loaded)?;
        let host = safety.host_options(policy.clone())?;
        let mut say = output.reporter();
        say("trying the same random inputs on all files");
        let survey = run::Survey::open(&loaded, &host, &mut say).await?;
        let looked = self.look(&survey, &loaded, seed).await?;
        let (text, left_out) = match looked {
            Looked::Same { sizes, inputs } => return Ok(Agreement::Same { sizes, inputs }),
            Looked::Differ(text) => return Ok(Agreement::Not(text)),
            Looked::AllFail { text, left_out } => (text, left_out),
        };
        self.draw_inputs(false)?;
        let survey = run::Survey::open(&loaded, &host, &mut say).await?;
        Ok(match self.look(&survey, &loaded, seed).await? {
            Looked::Same { sizes, inputs } => Agreement::Same {
                sizes,
                inputs: format!("{inputs} {left_out}"),
            },
            Looked::Differ(text) => Agreement::Not(text),
            Looked::AllFail { .. } => Agreement::Not(text),
        })
    }

    /// Calls all approaches on the inputs of the workload as it is now.
    async fn look(
        &self,
        survey: &run::Survey,
        loaded: &LoadedExperiment,
        seed: RunSeed,
    ) -> Result<Looked, Failure> {
        let mut calls = Vec::new();
        let mut larger = Vec::new();
        for case in 0..SMALL.len() {
            calls.extend((0..INPUTS_OF_EACH).map(|input| (case, seed_of(seed, case, input))));
        }
        for (place, size) in LARGER.iter().enumerate() {
            // Of two inputs one is hardly ever short.
            larger.push((*size, vec![calls.len(), calls.len() + 1]));
            let case = SMALL.len() + place;
            calls.extend([0, 1].map(|input| (case, seed_of(seed, case, input))));
        }
        let surveyed = survey.call_all(&calls).await?;
        // Nobody is recommended because another file does not build.
        if let Some(failure) = surveyed.iter().find_map(|calls| calls.as_ref().err()) {
            return Err(Failure::variant(failure));
        }
        let names = loaded
            .experiment
            .approaches
            .iter()
            .map(|approach| &*approach.name);
        let built: Vec<(&str, &[RepeatedCall])> = names
            .zip(&surveyed)
            .filter_map(|(name, calls)| Some((name, &calls.as_ref().ok()?[..])))
            .collect();
        let look = FirstLook {
            calls: built.iter().map(|(_, calls)| *calls).collect(),
        };
        let findings = look.compare();
        // Every approach was built and called: its place here is that in the experiment.
        let what_it_did = async |place: usize, input: usize| {
            let made = &built[place].1[input];
            let trapped = made.error.as_ref();
            if trapped.is_some_and(|error| error.class == FailureClass::Trap)
                && let Some(panic) = survey.panic_of(place, calls[input]).await
            {
                return format!("fails: {panic}");
            }
            shown(made)
        };
        let call = &self.found.call;
        Ok(match (findings.differ, findings.fail) {
            (Some((input, count)), _) => {
                let mut text = format!(
                    "The files do not do the same, so nothing was timed. {}:\n",
                    input_text(call, look.calls[0], input)
                );
                for (place, (name, _)) in built.iter().enumerate() {
                    let answer = what_it_did(place, input).await;
                    let _ = writeln!(text, "  {}: {}", Plain(name), Lines(&answer));
                }
                let tried = findings.inputs;
                let _ = write!(
                    text,
                    "They differ on {count} of {tried} random inputs; this is the shortest. {OTHER_INPUTS} \
                     The same inputs come again with --seed {seed}."
                );
                Looked::Differ(text)
            }
            (None, Some((input, count))) => {
                let shortest = input_text(call, look.calls[0], input);
                let tried = findings.inputs;
                Looked::AllFail {
                    text: format!(
                        "All files fail on {count} of {tried} random inputs, so nothing was timed. \
                         {shortest}: {}\n{OTHER_INPUTS}",
                        Lines(&what_it_did(0, input).await)
                    ),
                    left_out: format!(
                        "{count} others, on which all files fail, are left out, and so are inputs like them \
                         (the shortest: {shortest})."
                    ),
                }
            }
            (None, None) => Looked::Same {
                sizes: look.timed_sizes(&larger),
                inputs: agreed_inputs(&findings),
            },
        })
    }
}

/// What the calls on some inputs say.
enum Looked {
    /// The answers are the same.
    Same { sizes: Vec<u32>, inputs: String },
    /// Two differ: how, for the reader.
    Differ(String),
    /// All fail on some inputs, and agree on the others.
    AllFail {
        /// For the reader, if nothing can be timed.
        text: String,
        /// For the reader, if others can be.
        left_out: String,
    },
}

fn cannot_write(error: std::io::Error) -> Failure {
    Failure::infrastructure(format!("cannot write a temporary file: {error}"))
}

/// What to do about inputs that are not meant.
const OTHER_INPUTS: &str = "If such inputs are not meant, say which are: --workload FILE --size N, or \
                            --cases FILE; `bakeoff init DIR --from` these files writes an example of both.";

/// The inputs on which all answers were the same, and how many of these answers say little.
fn agreed_inputs(findings: &Findings) -> String {
    let tried = findings.inputs;
    let errors = match findings.errors {
        0 => String::new(),
        errors => format!(" ({errors} of them answered by an error)"),
    };
    format!("On the {tried} inputs that were tried first{errors}, their answers are the same.")
}

/// A call as text.
fn input_text(call: &str, calls: &[RepeatedCall], input: usize) -> String {
    let arguments = calls.get(input).map_or("", |call| &call.arguments);
    format!("{}({})", Plain(call), Plain(arguments))
}

/// The seed of an input: another one for each. A race draws its own.
fn seed_of(seed: RunSeed, case: CaseIndex, input: u64) -> u64 {
    let secret = seed.secret().derive("first-look", &[]);
    sample_seeds(&secret, InputPurpose::Gate, 0, 0, case).of_call(input as u32)
}

async fn read_file(code: &Code, confinement: &Confinement) -> Result<ComparedFile, Failure> {
    let path: &Path = code.path();
    let name = path.display().to_string();
    let input = read_code(code, Path::new(""), Reach::Anywhere)
        .map_err(|failure| Failure::variant(&failure))?;
    let (functions, kind, is_component) = match &input {
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
    let functions = functions.map_err(|reason| {
        Failure::usage(format!(
            "{} cannot be read as {kind}: {}",
            Plain(&name),
            Plain(&reason)
        ))
    })?;
    Ok(ComparedFile {
        shown: name,
        is_component,
        functions,
    })
}
