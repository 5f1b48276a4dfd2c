//! What each result depends on. A key names everything that could make the result another one, and
//! nothing else: that is what resuming rests on.

use super::candidate::Candidate;
use super::workshop::Workshop;
use crate::engine::{self, Profile};
use crate::store::Key;
use bakeoff_domain::spec::Experiment;
use sha2::{Digest, Sha256};

/// What all keys of a run share.
pub(super) struct Keys {
    interface: String,
    compiler: String,
    confinement: String,
    workload: String,
    limits: String,
    seed: String,
    checked: String,
    timed: String,
    measure: String,
}

impl Keys {
    pub(super) fn new(experiment: &Experiment, workshop: &Workshop) -> wasmtime::Result<Self> {
        let interface = workshop
            .interface
            .files()
            .iter()
            .flat_map(|file| [file.name.as_bytes(), file.text.as_bytes()]);
        let limits = experiment.limits;
        let measure = experiment.measure;
        Ok(Self {
            interface: digest(interface.chain([experiment.interface.call.as_bytes()])),
            compiler: workshop.tools.compiler.clone(),
            confinement: workshop.tools.confinement.level().name().to_owned(),
            workload: format!("{} {:?}", workshop.workload_digest, workshop.cases),
            limits: format!(
                "{} {} {:?} {}",
                limits.memory_bytes, limits.fuel, limits.wall, limits.output_bytes
            ),
            seed: experiment.workload.seed.to_string(),
            checked: engine::fingerprint(Profile::Checked)?,
            timed: engine::fingerprint(Profile::Timed)?,
            measure: format!(
                "{} {} {:?} {:?}",
                measure.confidence, measure.practical, measure.state, measure.margin
            ),
        })
    }

    /// A build: what comes out of the compiler.
    pub(super) fn build(&self, candidate: &Candidate) -> Key {
        Key::new([
            ("source", digest([candidate.code_bytes()])),
            ("interface", self.interface.clone()),
            ("compiler", self.compiler.clone()),
            ("engine", self.checked.clone()),
            ("confinement", self.confinement.clone()),
        ])
    }

    /// The gate of a component with what it is granted.
    pub(super) fn gate(&self, component: &str) -> Key {
        Key::new([
            ("component", component.to_owned()),
            ("interface", self.interface.clone()),
            ("workload", self.workload.clone()),
            ("limits", self.limits.clone()),
            ("seed", self.seed.clone()),
            ("engine", self.checked.clone()),
            ("confinement", self.confinement.clone()),
        ])
    }

    /// The race of several components, and what its pilot found out.
    pub(super) fn race(&self, components: &[String]) -> Key {
        Key::new([
            ("components", components.join(" ")),
            ("workload", self.workload.clone()),
            ("limits", self.limits.clone()),
            ("seed", self.seed.clone()),
            ("engine", self.timed.clone()),
            ("measure", self.measure.clone()),
            ("confinement", self.confinement.clone()),
        ])
    }

    /// The experiment as a whole.
    pub(super) fn experiment(&self, candidates: &[Candidate]) -> String {
        let code: Vec<String> = candidates
            .iter()
            .map(|candidate| {
                let files = candidate.files.as_ref();
                let files = files.map_or("", |files| &files.digest);
                let code = digest([candidate.code_bytes()]);
                format!("{} {code} {files}", candidate.id)
            })
            .collect();
        let key = Key::new([
            ("interface", self.interface.clone()),
            ("compiler", self.compiler.clone()),
            ("workload", self.workload.clone()),
            ("limits", self.limits.clone()),
            ("seed", self.seed.clone()),
            ("measure", self.measure.clone()),
            ("engine", format!("{} {}", self.checked, self.timed)),
            ("candidates", code.join("\n")),
        ]);
        key.digest().to_owned()
    }
}

/// SHA-256 over byte strings with their lengths, as hexadecimal digits.
pub(super) fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
