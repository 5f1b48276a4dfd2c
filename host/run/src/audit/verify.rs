//! Verifying a finished run: its report is recomputed from the raw samples, and everything exact
//! (components, answers, fuel, memory) is computed again from the files that were measured.

use super::comparison;
use super::figures::{FigureOutcome, Figures, Verification, compare_values};
use super::kept_run::KeptRun;
use super::{report, validate};
use crate::{
    HostOptions, Keys, Record, RunContext, RunError, SEED_RULE, VariantState, environment,
    read_variants, runner_error,
};
use bakeoff_compile::{BuildKind, BuildRecord, BuiltComponent, LINES_RULE};
use bakeoff_config::{ConfigError, LoadedExperiment};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::report::MachineCost;
use bakeoff_domain::spec;
use bakeoff_domain::variant::VariantId;
use bakeoff_measure::{Assessment, GateRecord};
use bakeoff_runner::{CheckedCase, gate_calls};
use serde_json::{Value, json};
use std::sync::Arc;

/// Verifies a run. `loaded` is its experiment as it was run ([`KeptRun::loaded`]), within the
/// host's policy.
///
/// # Errors
/// Nothing confines untrusted code, there is no toolchain, or the workload cannot be built or run.
/// A figure that differs from the stored one is no error, but a result.
pub async fn verify(
    kept: &KeptRun,
    loaded: &LoadedExperiment,
    host: &HostOptions,
    report: &mut (dyn FnMut(&str) + Send),
) -> Result<Verification, RunError> {
    let record = &kept.evidence.record;
    let refused =
        |why| ConfigError::Refused(format!("what is kept cannot be that of a run: {why}"));
    validate::check_evidence(record, &kept.report, &kept.evidence.replicas).map_err(refused)?;
    if let Some(rule) = other_rule(record) {
        return Err(ConfigError::Refused(format!(
            "it was made by another rule than today's ({rule}), so it cannot be made again here: \
             `bakeoff report` shows what it found, and `bakeoff run --fresh` measures anew"
        ))
        .into());
    }
    let seed = record.race_seed().map_err(refused)?;
    let variants = read_variants(record.variants.clone(), loaded, &kept.files, &host.policy)?;
    let context = RunContext::open(loaded, &kept.files, host, seed, report).await?;
    let keys = Keys::new(&loaded.experiment, &context)
        .map_err(|error| RunError::Engine(format!("{error:#}")))?;
    let here = environment(&context, &host.policy);
    let mut verifier = Verifier {
        kept,
        loaded,
        context,
        variants,
        figures: Figures::default(),
        other_compiler: None,
        other_engine: None,
        machines: Vec::new(),
    };
    let was = &record.environment;
    if was.compiler != here.compiler {
        verifier.other_compiler = Some((was.compiler.clone(), here.compiler));
    }
    verifier.inputs(&keys);
    report("building and checking");
    verifier.build_and_check().await?;
    verifier.assess().await?;
    verifier.cover().await?;
    verifier.evaluate().await?;
    verifier.aggregate().await?;
    report("working out the verdicts");
    verifier.report();
    verifier.times(&here.cpu);
    let (figures, machines) = (verifier.figures, verifier.machines);
    Ok(Verification {
        machines,
        ..figures.verification(&record.experiment.name, record.run)
    })
}

/// Describes the rule by which a run was made, if today's is another: that by which inputs follow from seeds, or that
/// by which lines are counted.
fn other_rule(record: &Record) -> Option<String> {
    let generated = matches!(
        record.experiment.workload.inputs,
        spec::Inputs::Generated { .. }
    );
    let gates = record.gates.iter().filter(|_| generated);
    let seeds = gates.map(|gate| {
        (
            "inputs from seeds",
            SEED_RULE,
            bakeoff_store::input(&gate.inputs, "seeds"),
        )
    });
    let builds = record.builds.iter();
    let lines = builds.map(|build| {
        (
            "lines",
            LINES_RULE,
            bakeoff_store::input(&build.inputs, "lines"),
        )
    });
    let (what, _, by) = seeds
        .chain(lines)
        .find(|(_, rule, by)| *by != Some(*rule))?;
    Some(format!("{what} by {}", by.unwrap_or("none")))
}

/// A verification in progress.
pub(super) struct Verifier<'a> {
    pub(super) kept: &'a KeptRun,
    pub(super) loaded: &'a LoadedExperiment,
    pub(super) context: RunContext,
    pub(super) variants: Vec<VariantState>,
    pub(super) figures: Figures,
    /// The compiler of the run and the one here, if they differ.
    other_compiler: Option<(String, String)>,
    /// The engine of the run's gates and the one here, if they differ.
    other_engine: Option<(String, String)>,
    /// The work of other machines.
    pub(super) machines: Vec<MachineCost>,
}

impl Verifier<'_> {
    /// Compares the inputs of the gates with those that this version would use here.
    fn inputs(&mut self, keys: &Keys) {
        let record = &self.kept.evidence.record;
        let Some(gate) = record.gates.first() else {
            return;
        };
        for (name, here) in keys.gate_inputs() {
            let was = bakeoff_store::input(&gate.inputs, name).unwrap_or_default();
            match name {
                // The level of confinement changes no answer.
                "confinement" => {}
                "engine" if was != here => {
                    let why = format!(
                        "checked with {was}, and here is {here}: fuel and memory may differ"
                    );
                    self.figures.skip("inputs", "engine", why);
                    self.other_engine = Some((was.to_owned(), here.to_owned()));
                }
                _ => self.figures.hold("inputs", name, was, here),
            }
        }
        if let Some(seed) = record.race.as_ref().and_then(|race| race.seed.as_deref()) {
            let here = self.context.config.seed.to_string();
            self.figures.hold("inputs", "seed", seed, here);
        }
    }

    /// Compares the records of two builds of the same component.
    pub(super) fn compare_builds(
        &mut self,
        id: &VariantId,
        kept: &BuildRecord,
        built: &BuiltComponent,
    ) {
        let here = BuildRecord::of(built, None);
        let mut hold = |figure: &str, kept: Value, here: Value| {
            self.figures.hold(id.as_str(), figure, kept, here);
        };
        hold("component", json!(kept.digest), json!(here.digest));
        hold(
            "component size",
            json!(kept.component_bytes),
            json!(here.component_bytes),
        );
        hold(
            "source lines",
            json!(kept.source_lines),
            json!(here.source_lines),
        );
        hold("imports", json!(kept.imports), json!(here.imports));
    }

    /// Reports a build that differs from the stored one.
    pub(super) fn other_component(
        &mut self,
        id: &VariantId,
        kept: &BuildRecord,
        built: &Result<Arc<BuiltComponent>, Failure>,
    ) {
        let class = |failure: &Failure| failure.class.name().to_owned();
        let was = kept.digest.clone().or(kept.failure.as_ref().map(class));
        let was = was.unwrap_or_default();
        let here = match built {
            Ok(built) => built.digest.clone(),
            Err(failure) => class(failure),
        };
        match &self.other_compiler {
            Some((compiler, other)) if was != here => {
                let why = format!(
                    "built by {compiler}, and here is {other}: another component may come out"
                );
                self.figures.skip(id.as_str(), "component", why);
            }
            _ => self.figures.hold(id.as_str(), "component", was, here),
        }
    }

    /// Assesses the answers of every variant again, on the inputs of the run.
    async fn assess(&mut self) -> Result<(), RunError> {
        for kept in &self.kept.evidence.record.assessments {
            let mut states = self.variants.iter();
            let state = states.find(|state| *state.id() == kept.variant);
            let seed =
                bakeoff_store::input(&kept.inputs, "seed").and_then(|seed| seed.parse().ok());
            let Some((state, seed)) = state.zip(seed) else {
                continue;
            };
            let Some(built) = state.built.clone() else {
                let why = "the component that ran was not kept";
                self.figures.skip(&kept.variant, "assessment", why);
                continue;
            };
            let mut config = self.context.config.clone();
            config.seed = seed;
            let here =
                bakeoff_measure::assess(&config, &built.checked, state.files.as_ref(), None).await;
            let here = here.map_err(|error| runner_error(self.loaded, error))?;
            let answers = |assessment: &Assessment| match &assessment.failure {
                Some(failure) => json!(failure.class.name()),
                None => json!(assessment.answers),
            };
            let (was, is) = (answers(&kept.value), answers(&here));
            self.exact(&kept.variant, "assessed answers".to_owned(), was, is);
        }
        Ok(())
    }

    /// Makes the calls again that show which code the checked inputs reach.
    async fn cover(&mut self) -> Result<(), RunError> {
        for kept in &self.kept.evidence.record.coverages {
            let mut states = self.variants.iter();
            let state = states.find(|state| *state.id() == kept.variant);
            let Some(code) = state.and_then(|state| state.code.clone()) else {
                continue;
            };
            let (swept, files) =
                state.map_or((false, None), |one| (one.is_swept(), one.files.clone()));
            let Some(was) = &kept.value.coverage else {
                continue;
            };
            let request = self.context.prototype(code, BuildKind::Coverage, swept);
            let built = self.context.tools.builder.build(&request).await;
            let map = built
                .as_ref()
                .ok()
                .and_then(|built| built.coverage.as_ref());
            let Some((built, map)) = built.as_ref().ok().zip(map) else {
                let why = "its code could not be marked here";
                self.figures.skip(&kept.variant, "coverage", why);
                continue;
            };
            let calls = gate_calls(self.context.config.check_seed, self.context.cases.len());
            let marked = (&built.checked[..], map);
            let config = &self.context.config;
            let here = bakeoff_measure::cover(config, marked, files.as_ref(), &calls, None).await;
            let here = here.map_err(|error| runner_error(self.loaded, error))?;
            let here = here.map_or_else(|error| json!(error.message), |here| json!(here));
            self.exact(&kept.variant, "coverage".to_owned(), json!(was), here);
        }
        Ok(())
    }

    /// Compares a gate with the stored one.
    pub(super) fn compare_gates(&mut self, index: usize, kept: &GateRecord, here: &GateRecord) {
        let id = self.variants[index].id().as_str().to_owned();
        let ended = |gate: &GateRecord| match &gate.failure {
            Some(failure) => failure.class.name(),
            None => "passed",
        };
        let by_time = |gate: &GateRecord| {
            let class = gate.failure.as_ref().map(|failure| failure.class);
            class == Some(FailureClass::WallLimit)
        };
        if by_time(kept) != by_time(here) {
            let why = format!(
                "{} then, {} here: whether a limit of wall time is met depends on the machine",
                ended(kept),
                ended(here)
            );
            self.figures.skip(&id, "check", why);
            return;
        }
        let check = "check".to_owned();
        self.exact(&id, check, ended(kept).into(), ended(here).into());
        let are_instances = self.context.config.inputs.are_instances();
        if are_instances {
            let (was, is) = (kept.cases.len(), here.cases.len());
            self.exact(&id, "instances".to_owned(), json!(was), json!(is));
        }
        let mut alike = 0;
        for (kept, here) in kept.cases.iter().zip(&here.cases) {
            // There may be thousands, of which those that differ are named.
            // A time is not the same again.
            let here = &CheckedCase {
                cpu_ns: kept.cpu_ns,
                ..here.clone()
            };
            if are_instances && kept == here {
                alike += 1;
                continue;
            }
            let case = self.context.cases.get(kept.case);
            let case = case.map(ToString::to_string).unwrap_or_default();
            let mut hold = |what: &str, kept, here| {
                self.exact(&id, format!("{what}, case {case}"), kept, here);
            };
            hold("answer", json!(kept.answer), json!(here.answer));
            hold("fuel", json!(kept.fuel), json!(here.fuel));
            // Whether there is time for other calls depends on the machine.
            if kept.calls > 1 && here.calls > 1 {
                let (later, later_here) = (json!(kept.fuel_later), json!(here.fuel_later));
                hold("fuel after other calls", later, later_here);
            }
            // That of a process is no more the same again than a time is.
            if kept.fuel > 0 || here.fuel > 0 {
                hold(
                    "peak memory",
                    json!(kept.peak.bytes),
                    json!(here.peak.bytes),
                );
            }
            if !kept.assessed.is_empty() || !here.assessed.is_empty() {
                hold("assessed", json!(kept.assessed), json!(here.assessed));
            }
        }
        if alike > 0 {
            let figure = "instances of the same answer, fuel, memory and quality".to_owned();
            self.exact(&id, figure, json!(alike), json!(alike));
        }
    }

    /// Compares figures that only a different engine may change.
    pub(super) fn exact(&mut self, about: &str, figure: String, kept: Value, here: Value) {
        match (compare_values(&kept, &here), &self.other_engine) {
            (FigureOutcome::Differs { kept, here }, Some((was, is))) => {
                let why = format!("{kept} with {was}, {here} with {is}");
                self.figures.skip(about, figure, why);
            }
            (outcome, _) => self.figures.add(about, figure, outcome),
        }
    }

    /// Recomputes the report from the evidence, and compares it with the stored one.
    fn report(&mut self) {
        match report::of_evidence(&self.kept.evidence, &self.kept.report) {
            Ok(again) => {
                comparison::reports(&mut self.figures, &self.kept.report, &again);
            }
            Err(why) => self.figures.hold("report", "report", "kept", why),
        }
    }

    /// Lists the figures that cannot be measured again.
    fn times(&mut self, cpu: &str) {
        let Self { kept, figures, .. } = self;
        let replicas = &kept.evidence.replicas;
        for race in &kept.evidence.record.machine_races {
            let count = race.replicas().len();
            if count > 0 {
                let why = format!(
                    "{count} replicas were measured by worker {} on {}: a race of another machine cannot be redone here; its \
                     verdicts were worked out again from what that worker sent",
                    race.machine, race.cpu
                );
                figures.skip("race on another machine", race.cpu.clone(), why);
            }
        }
        let samples: usize = replicas.iter().map(|one| one.samples.len()).sum();
        if samples == 0 {
            return;
        }
        let was = &kept.evidence.record.environment.cpu;
        let elsewhere = if was == cpu {
            String::new()
        } else {
            format!(" on {was}, and here is {cpu}")
        };
        let why = format!(
            "{samples} samples in {} replicas were measured{elsewhere}: times belong to their moment and machine; \
             `bakeoff run --fresh` measures anew",
            replicas.len()
        );
        figures.skip("race", "samples", why);
    }
}
