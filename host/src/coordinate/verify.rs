//! Verifying a finished run: its verdicts worked out again from the raw samples, and everything that
//! is exact (components, answers, fuel, memory) found out again.

use super::builds::BuildRecord;
use super::checks::runner_error;
use super::conclude::{self, Findings};
use super::evidence::Evidence;
use super::figures::{Figures, Outcome, Verification, held};
use super::timing::Timed;
use super::workshop::{Means, Workshop};
use super::{Candidate, RunError, find_twins, grants, keys, recompute, reconcile, sound};
use crate::artifact::Artifact;
use crate::build::{Built, CodeBytes, Kind, Request, source_lines};
use crate::config::{ConfigError, Loaded};
use crate::interface::World;
use crate::measure::{self, GateRecord};
use crate::store::{self, Files, IterationFile, Key, SafeId};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::report::{self, Report};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// A finished run with what it was made from.
pub struct Given<'a> {
    /// The experiment as it was run, with its inputs at hand.
    pub loaded: &'a Loaded,
    /// What the run found out.
    pub evidence: &'a Evidence,
    /// What was kept of the prototypes.
    pub prototypes: Prototypes,
}

/// What was kept of the prototypes beside the results.
pub enum Prototypes {
    /// The files of a folder of results: used where the code does not build to the component that
    /// ran.
    Results(Files),
    /// The folder of a bundle: its experiment names the components that ran, and their sources lie
    /// beside them.
    Bundle(PathBuf),
}

impl Prototypes {
    /// The component that ran, if it is kept apart from the code.
    pub(super) fn component(&self, id: &str, digest: &str) -> Option<CodeBytes> {
        let Self::Results(files) = self else {
            return None;
        };
        let path = files.iteration(&SafeId::new(id).ok()?, 1, IterationFile::Component);
        let artifact = Artifact::load(&path, &path.display().to_string()).ok()?;
        (artifact.digest == digest).then(|| artifact.code())
    }

    /// Lines of the source that a component was built from.
    fn source_lines(&self, id: &str) -> Option<u64> {
        let path = match self {
            Self::Results(files) => {
                files.iteration(&SafeId::new(id).ok()?, 1, IterationFile::Source)
            }
            Self::Bundle(folder) => folder.join(super::bundle::source_path(id)),
        };
        let text = super::candidate::read_text(&path).ok()?;
        Some(source_lines(&text))
    }
}

/// Verifies a run.
///
/// # Errors
/// Nothing confines untrusted code, there is no toolchain, or the workload cannot be built or run.
/// What comes out otherwise than it was kept is no error, but a figure that differs.
pub async fn verify(
    given: &Given<'_>,
    means: &Means,
    say: &mut (dyn FnMut(&str) + Send),
) -> Result<Verification, RunError> {
    let evidence = given.evidence;
    let (record, cases) = (&evidence.record, recompute::cases(evidence).len());
    sound::check_indexes(record, &evidence.report, &evidence.replicas, cases).map_err(|why| {
        ConfigError::Refused(format!("what is kept cannot be that of a run: {why}"))
    })?;
    let experiment = &given.loaded.experiment;
    let seed = given.evidence.report.experiment.seed;
    let candidates = grants::candidates(given.loaded, &means.policy)?;
    let workshop = Workshop::open(given.loaded, means, seed, say).await?;
    let keys = keys::Keys::new(experiment, &workshop)
        .map_err(|error| RunError::Engine(format!("{error:#}")))?;
    let here = conclude::environment(&workshop, &means.policy);
    let mut verifying = Verifying {
        given,
        candidates,
        workshop,
        keys,
        figures: Figures::default(),
        other_compiler: None,
        other_engine: None,
    };
    let was = &given.evidence.record.environment;
    if was.compiler != here.compiler {
        verifying.other_compiler = Some((was.compiler.clone(), here.compiler));
    }
    verifying.inputs();
    say("building");
    verifying.build().await;
    say("checking");
    verifying.check().await?;
    say("working out the verdicts");
    verifying.conclude();
    verifying.times(&here.cpu);
    let record = &given.evidence.record;
    Ok(verifying
        .figures
        .verification(&record.experiment.name, record.run))
}

/// A verification under way.
struct Verifying<'a> {
    given: &'a Given<'a>,
    workshop: Workshop,
    keys: keys::Keys,
    candidates: Vec<Candidate>,
    figures: Figures,
    /// The compiler then and here, if they differ.
    other_compiler: Option<(String, String)>,
    /// The engine of the gate then and here, if they differ.
    other_engine: Option<(String, String)>,
}

impl Verifying<'_> {
    /// Whether what the gates depended on is what is at hand.
    fn inputs(&mut self) {
        let Some(gate) = self.given.evidence.record.gates.first() else {
            return;
        };
        let here: Key = self.keys.gate("");
        for (name, kept) in &gate.inputs {
            let found = store::input(here.inputs(), name)
                .unwrap_or_default()
                .to_owned();
            match name.as_str() {
                // Each variant has its own, and the level of confinement changes no answer. The
                // seed of a run is that of its race; gates of earlier versions name it too.
                "component" | "confinement" | "seed" => {}
                "engine" if *kept != found => {
                    let why = format!(
                        "checked with {kept}, and here is {found}: fuel and memory may differ"
                    );
                    self.figures.skip("inputs", "engine", why);
                    self.other_engine = Some((kept.clone(), found));
                }
                _ => self
                    .figures
                    .hold("inputs", name.as_str(), kept.as_str(), found),
            }
        }
        let race = self.given.evidence.record.race.as_ref();
        if let Some(kept) = race.and_then(|race| race.seed.as_deref()) {
            let here = self.workshop.setting.seed.to_string();
            self.figures.hold("inputs", "seed", kept, here);
        }
    }

    async fn build(&mut self) {
        for index in 0..self.candidates.len() {
            let candidate = &self.candidates[index];
            let id = candidate.id.clone();
            let built = match candidate.code.clone() {
                Some(code) => self.built(code).await,
                None => Err(candidate
                    .failure
                    .clone()
                    .unwrap_or_else(recompute::unreadable)),
            };
            let Some(build) = self.given.evidence.record.build(&id) else {
                let why = "it could not be read when the run was made";
                self.figures.skip(&id, "component", why);
                continue;
            };
            let record = build.value.clone();
            let kept = record.digest.clone();
            if let (Ok(built), Some(kept)) = (&built, &kept)
                && built.digest == *kept
            {
                self.figures
                    .hold(&id, "component", kept.as_str(), built.digest.as_str());
                self.take_component(index, built, &record);
                continue;
            }
            self.another_component(&id, &record, &built);
            // What ran may still be at hand, and then all about it can be repeated.
            let code = kept.and_then(|digest| self.given.prototypes.component(&id, &digest));
            if let Some(code) = code
                && let Ok(built) = self.built(code).await
            {
                self.take_component(index, &built, &record);
            }
        }
        if let Prototypes::Bundle(_) = self.given.prototypes {
            let compiler = &self.given.evidence.record.environment.compiler;
            let why = format!(
                "a bundle is verified with the components that ran; building its sources again \
                 takes {compiler}"
            );
            self.figures.skip("inputs", "builds from source", why);
        }
    }

    async fn built(&self, code: CodeBytes) -> Result<Arc<Built>, Failure> {
        let request = Request {
            interface: Arc::clone(&self.workshop.interface),
            world: World::Prototype,
            code,
            kind: Kind::Release,
        };
        self.workshop.tools.builder.build(&request).await
    }

    /// Says how a build came out that is not the kept one.
    fn another_component(
        &mut self,
        id: &str,
        record: &BuildRecord,
        built: &Result<Arc<Built>, Failure>,
    ) {
        let class = |failure: &Failure| failure.class.name().to_owned();
        let kept = record
            .digest
            .clone()
            .or(record.failure.as_ref().map(class))
            .unwrap_or_default();
        let here = match built {
            Ok(built) => built.digest.clone(),
            Err(failure) => class(failure),
        };
        match &self.other_compiler {
            Some((was, is)) if kept != here => {
                let why =
                    format!("built by {was}, and here is {is}: another component may come out");
                self.figures.skip(id, "component", why);
            }
            _ => self.figures.hold(id, "component", kept, here),
        }
    }

    /// Takes the component that ran. Its build's time is the kept one: it is a measurement.
    fn take_component(&mut self, index: usize, built: &Arc<Built>, record: &BuildRecord) {
        let candidate = &mut self.candidates[index];
        let lines = self.given.prototypes.source_lines(&candidate.id);
        candidate.built = Some(Arc::new(Built {
            cpu: Duration::try_from_secs_f64(record.cpu_seconds).unwrap_or_default(),
            source_lines: built.source_lines.or(lines),
            ..Built::clone(built)
        }));
    }

    /// Every gate once more, one on each core.
    async fn check(&mut self) -> Result<(), RunError> {
        let mut waiting: Vec<(usize, GateRecord)> = Vec::new();
        for (index, candidate) in self.candidates.iter_mut().enumerate() {
            let gate = self.given.evidence.record.gate(&candidate.id);
            let Some(gate) = gate.map(|gate| gate.value.clone()) else {
                continue;
            };
            candidate.gate = Some(gate.clone());
            match candidate.built {
                Some(_) => waiting.push((index, gate)),
                None => self.figures.skip(
                    &candidate.id,
                    "check",
                    "the component that ran is not at hand",
                ),
            }
        }
        let cores = self.workshop.cores.clone();
        for batch in waiting.chunks(cores.len().max(1)) {
            let mut checking = JoinSet::new();
            for (place, (index, kept)) in batch.iter().enumerate() {
                let (mut setting, core) =
                    (self.workshop.setting.clone(), cores.get(place).copied());
                // A gate that was kept from an earlier run was rehearsed with that run's seed.
                setting.seed = kept.rehearsal_seed.unwrap_or(setting.seed);
                let built = self.candidates[*index].built.clone();
                let files = self.candidates[*index].files.clone();
                let checked = built.map(|built| built.checked.clone()).unwrap_or_default();
                let index = *index;
                checking.spawn(async move {
                    let checked = measure::check(&setting, &checked, files.as_ref(), core);
                    (index, checked.await)
                });
            }
            let mut found = Vec::new();
            while let Some(done) = checking.join_next().await {
                let (index, here) = done.map_err(|error| RunError::Engine(error.to_string()))?;
                let here = here.map_err(|error| runner_error(self.given.loaded, error))?;
                found.push((index, here));
            }
            found.sort_by_key(|(index, _)| *index);
            for (index, here) in found {
                let kept = batch.iter().find(|(other, _)| *other == index);
                if let Some((_, kept)) = kept {
                    self.gate(index, kept, &here);
                }
            }
        }
        Ok(())
    }

    /// Holds a gate against the kept one.
    fn gate(&mut self, index: usize, kept: &GateRecord, here: &GateRecord) {
        let id = self.candidates[index].id.clone();
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
                "{} then, {} here: a limit of wall time is met or not as the machine goes",
                ended(kept),
                ended(here)
            );
            self.figures.skip(&id, "check", why);
            return;
        }
        self.exact(
            &id,
            "check".to_owned(),
            ended(kept).into(),
            ended(here).into(),
        );
        for (kept, here) in kept.cases.iter().zip(&here.cases) {
            let case = self.workshop.cases.get(kept.case);
            let case = case.map(ToString::to_string).unwrap_or_default();
            let mut hold = |what: &str, kept, here| {
                self.exact(&id, format!("{what}, case {case}"), kept, here);
            };
            hold("answer", json!(kept.answer), json!(here.answer));
            hold("fuel", json!(kept.fuel), json!(here.fuel));
            let (later, later_here) = (json!(kept.fuel_later), json!(here.fuel_later));
            hold("fuel after other calls", later, later_here);
            hold(
                "peak memory",
                json!(kept.peak.bytes),
                json!(here.peak.bytes),
            );
            if !kept.assessed.is_empty() || !here.assessed.is_empty() {
                hold("assessed", json!(kept.assessed), json!(here.assessed));
            }
        }
    }

    /// Holds what only another engine may change.
    fn exact(
        &mut self,
        about: &str,
        figure: String,
        kept: serde_json::Value,
        here: serde_json::Value,
    ) {
        match (held(&kept, &here), &self.other_engine) {
            (Outcome::Differs { kept, here }, Some((was, is))) => {
                let why = format!("{kept} with {was}, {here} with {is}");
                self.figures.skip(about, figure, why);
            }
            (outcome, _) => self.figures.add(about, figure, outcome),
        }
    }

    /// Works out the report from what was kept, and holds it against the kept one.
    fn conclude(&mut self) {
        let evidence = self.given.evidence;
        let kept = &evidence.report;
        recompute::recall(&mut self.candidates, evidence);
        let mut notes = Vec::new();
        if !self.workshop.setting.source.has_oracle() {
            let cases = &self.workshop.cases;
            notes.push(recompute::compare_answers(&mut self.candidates, cases));
        }
        let identities: Vec<_> = self.candidates.iter().map(Candidate::identity).collect();
        find_twins(&mut self.candidates, &identities);
        recompute::recall_unpiloted(&mut self.candidates, evidence);
        let timed = self.replayed();
        let findings = Findings {
            experiment: &self.given.loaded.experiment,
            cases: &self.workshop.cases,
            seed: self.workshop.setting.seed,
            candidates: &self.candidates,
        };
        let facts = findings.facts(
            kept.experiment.id.clone(),
            kept.environment.clone(),
            timed.as_ref(),
            notes,
        );
        let again: Report = report::assemble(facts);
        reconcile::reports(&mut self.figures, kept, &again);
    }

    /// The race from its replicas. `None` if there was none, or if other variants raced.
    fn replayed(&mut self) -> Option<Timed> {
        let evidence = self.given.evidence;
        let race = evidence.record.race.as_ref()?;
        let racers = Candidate::racing(&self.candidates);
        let ids: Vec<&str> = racers
            .iter()
            .map(|index| self.candidates[*index].id.as_str())
            .collect();
        self.figures
            .hold("race", "who raced", json!(race.lists.variants), json!(ids));
        let (experiment, cases) = (&self.given.loaded.experiment, &self.workshop.cases);
        let (was, is) = (race.lists.cases.len(), cases.len());
        self.figures.hold("race", "cases", json!(was), json!(is));
        if race.lists.variants != ids || was != is {
            return None;
        }
        recompute::race_again(&mut self.candidates, experiment, evidence, cases, racers)
    }

    /// Says what no other moment can repeat.
    fn times(&mut self, cpu: &str) {
        let evidence = self.given.evidence;
        let samples: usize = evidence.replicas.iter().map(|one| one.samples.len()).sum();
        if samples == 0 {
            return;
        }
        let why = format!(
            "{samples} samples in {} replicas were measured on {}, and here is {cpu}: times belong \
             to their moment and machine; `bakeoff run --fresh` measures anew",
            evidence.replicas.len(),
            evidence.record.environment.cpu
        );
        self.figures.skip("race", "samples", why);
    }
}
