//! `bakeoff compare --natively`: the same sources built for this machine and run as programs, after the components.

use super::failure::Failure;
use super::on_event::Listener;
use super::options::{Output, Safety};
use super::run::{self, Done, RunRequest};
use bakeoff_compile::{BuildKind, BuildRequest, Builder};
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::failure::Failure as VariantFailure;
use bakeoff_domain::report::{Natively, Report, words};
use bakeoff_domain::spec::{
    Approach, CallTiming, Code, Experiment, Inputs, Limits, Program, Source,
};
use bakeoff_domain::variant;
use bakeoff_files::{Reach, Scratch};
use bakeoff_render::escape::Plain;
use bakeoff_run::{KnownMachine, Tools, wasi_imports};
use bakeoff_source::interface::{Interface, World};
use bakeoff_store::{ResultsPlace, Start};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A comparison whose sources are to be run natively, too.
pub(super) struct Natives<'a> {
    /// The comparison, as its components ran.
    pub(super) experiment: &'a Experiment,
    pub(super) safety: &'a Safety,
    /// The host's policy, with leave to run programs.
    pub(super) policy: Policy,
    pub(super) machine: KnownMachine,
}

/// Returns the policy with the leave that `--natively` is.
///
/// # Errors
/// A file is no source, or the policy forbids programs.
pub(super) fn leave(files: &[PathBuf], policy: &Policy) -> Result<Policy, Failure> {
    let is_source = |file: &&PathBuf| file.extension().is_some_and(|end| end == "rs");
    if let Some(other) = files.iter().find(|file| !is_source(file)) {
        return Err(Failure::usage(format!(
            "{} is no Rust source, and with --natively each file is built for this machine: leave it out, or leave out \
             --natively",
            Plain(&other.display().to_string())
        )));
    }
    Ok(policy.clone().with_programs()?)
}

impl Natives<'_> {
    /// Builds the sources for this machine, runs them as programs with the inputs of the report, and adds what came of
    /// it. Returns false if the user interrupted it.
    pub(super) async fn add_to(
        self,
        report: &mut Report,
        output: &Output,
    ) -> Result<bool, Failure> {
        let folder = Scratch::new()
            .map_err(|error| Failure::infrastructure(format!("cannot make a folder: {error}")))?;
        let (experiment, failed) = self.programs(folder.work(), output).await?;
        let mut natively = if experiment.approaches.len() < 2 {
            Natively::default()
        } else {
            match self.run(experiment, folder.work(), report, output).await? {
                Some(programs) => Natively::of(report, programs),
                None => return Ok(false),
            }
        };
        natively.failures.extend(failed);
        report.natively = Some(natively);
        for sentence in words::natively_otherwise(report) {
            report.recommendation.text.push(' ');
            report.recommendation.text.push_str(&sentence);
        }
        Ok(true)
    }

    /// Builds the sources into a folder. Returns the comparison of their programs, and the failures of those that
    /// cannot be built, by variant.
    async fn programs(
        &self,
        folder: &Path,
        output: &Output,
    ) -> Result<(Experiment, BTreeMap<String, VariantFailure>), Failure> {
        let mut reporter = output.reporter();
        reporter("building the same sources for this machine");
        let tools = Tools::open(
            self.safety.unconfined(&self.policy)?,
            wasi_imports(&self.policy),
            self.safety.cache()?,
            1,
            &self.machine,
            &mut reporter,
        )
        .await?;
        let builder = Arc::into_inner(tools.builder)
            .ok_or_else(|| Failure::infrastructure("the builder is in use"))?;
        let builder = builder.compiling_for(self.experiment.simd, self.experiment.edition);
        let call = &self.experiment.interface;
        let interface = Interface::load(&call.wit, &call.call)
            .map_err(|error| Failure::usage(error.to_string()))?;
        let interface = Arc::new(interface);
        let ids = variant::declare(&self.experiment.approaches);
        let (mut approaches, mut failed) = (Vec::new(), BTreeMap::new());
        for (approach, variant) in self.experiment.approaches.iter().zip(ids) {
            match built(&builder, &interface, approach).await {
                Ok(program) => {
                    let file = PathBuf::from(variant.id.as_str());
                    std::fs::write(folder.join(&file), program).map_err(|error| {
                        Failure::infrastructure(format!("cannot write a program: {error}"))
                    })?;
                    approaches.push(of_program(approach, file));
                }
                Err(failure) => {
                    failed.insert(variant.id.to_string(), failure);
                }
            }
        }
        let mut experiment = Experiment {
            name: "natively".to_owned(),
            approaches,
            ..self.experiment.clone()
        };
        // A program has no other reading that a component has.
        experiment
            .criteria
            .retain(|criterion| criterion.source == Source::Time);
        absolute(&mut experiment.interface.wit)?;
        match &mut experiment.workload.inputs {
            Inputs::None => {}
            Inputs::Cases(file) => absolute(file)?,
            Inputs::Generated { code, .. } | Inputs::Instances { code, .. } => {
                if let Code::Source(file) | Code::Component(file) = code {
                    absolute(file)?;
                }
            }
        }
        Ok((experiment, failed))
    }

    async fn run(
        &self,
        experiment: Experiment,
        folder: &Path,
        report: &Report,
        output: &Output,
    ) -> Result<Option<Report>, Failure> {
        let mut loaded = LoadedExperiment::assembled(experiment, folder.to_owned())?;
        self.policy.apply_to(&mut loaded)?;
        let results = Scratch::new()
            .map_err(|error| Failure::infrastructure(format!("cannot make a folder: {error}")))?;
        let job = RunRequest {
            loaded: &loaded,
            folder: ResultsPlace::Named(results.work().to_owned()),
            start: Start::Fresh,
            seed: Some(report.experiment.seed),
            safety: self.safety,
            machine: self.machine.clone(),
            policy: self.policy.clone(),
            generation: None,
            rounds: None,
            judge: None,
            stopped_in_search: Vec::new(),
            spent: Duration::ZERO,
            listener: Listener::default(),
            resume: None,
        };
        let done = run::perform(job, output).await?;
        Ok(done.map(|Done { report, .. }| report))
    }
}

async fn built(
    builder: &Builder,
    interface: &Arc<Interface>,
    approach: &Approach,
) -> Result<Vec<u8>, VariantFailure> {
    let code = bakeoff_source::read_code(&approach.code, Path::new(""), Reach::Anywhere)?;
    let request = BuildRequest {
        interface: Arc::clone(interface),
        world: World::Prototype,
        code,
        kind: BuildKind::Release,
        memory_bytes: Limits::default().memory_bytes,
        parameters: false,
    };
    builder.build_native(&request).await
}

/// Returns the approach as a program of this file, whose call alone is timed.
fn of_program(approach: &Approach, file: PathBuf) -> Approach {
    let command = vec![file.display().to_string()];
    Approach {
        code: Code::Program(Program {
            file,
            command,
            timing: CallTiming::Alone,
        }),
        ..approach.clone()
    }
}

/// Makes a path independent of the current folder.
fn absolute(path: &mut PathBuf) -> Result<(), Failure> {
    *path = std::path::absolute(&path)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    Ok(())
}
