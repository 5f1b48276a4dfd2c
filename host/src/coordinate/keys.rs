//! What each result depends on. A key names everything that could make the result another one, and
//! nothing else: that is what resuming rests on.

use super::candidate::Candidate;
use super::workshop::Workshop;
use crate::build::LAYOUT_SCHEME;
use crate::engine::{self, Profile};
use crate::interface::WitFile;
use crate::store::Key;
use bakeoff_domain::hex;
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
    check_seed: String,
    checked: String,
    timed: String,
    measure: String,
}

impl Keys {
    pub(super) fn new(experiment: &Experiment, workshop: &Workshop) -> wasmtime::Result<Self> {
        let files = workshop.interface.files();
        let names = among_themselves(files);
        let interface = names
            .iter()
            .zip(files)
            .flat_map(|(name, file)| [name.as_bytes(), file.text.as_bytes()]);
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
            seed: workshop.setting.seed.to_string(),
            check_seed: workshop.setting.check_seed.to_string(),
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

    /// The gate of a component with what it is granted. It does not depend on the run's seed: the
    /// rehearsal follows from one that nobody knew when it was made, and is as good in a later run.
    pub(super) fn gate(&self, component: &str) -> Key {
        Key::new([
            ("component", component.to_owned()),
            ("interface", self.interface.clone()),
            ("workload", self.workload.clone()),
            ("limits", self.limits.clone()),
            ("check-seed", self.check_seed.clone()),
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
            ("engine", format!("{} {LAYOUT_SCHEME}", self.timed)),
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
            ("check-seed", self.check_seed.clone()),
            ("measure", self.measure.clone()),
            (
                "engine",
                format!("{} {} {LAYOUT_SCHEME}", self.checked, self.timed),
            ),
            ("confinement", self.confinement.clone()),
            ("candidates", code.join("\n")),
        ]);
        key.digest().to_owned()
    }
}

/// The names of files without the folder that all of them are in: where it stands, and from where
/// somebody named it, makes no interface another one.
pub(super) fn among_themselves(files: &[WitFile]) -> Vec<&str> {
    let folder = |name: &str| name.rfind('/').map_or(0, |slash| slash + 1);
    let Some((first, others)) = files.split_first() else {
        return Vec::new();
    };
    let mut shared = &first.name[..folder(&first.name)];
    for other in others {
        while !other.name.starts_with(shared) {
            shared = &shared[..folder(shared.trim_end_matches('/'))];
        }
    }
    let rest = files.iter().map(|file| &file.name[shared.len()..]);
    rest.collect()
}

/// SHA-256 over byte strings with their lengths, as hexadecimal digits.
pub(super) fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hex(&hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_a_result_depends_on_makes_another_experiment() {
        let keys = || Keys {
            interface: "i".into(),
            compiler: "rustc".into(),
            confinement: "full".into(),
            workload: "w".into(),
            limits: "l".into(),
            seed: "1".into(),
            check_seed: "2".into(),
            checked: "fuel".into(),
            timed: "plain".into(),
            measure: "m".into(),
        };
        let id = |keys: Keys| keys.experiment(&[]);
        let changes: [fn(&mut Keys) -> &mut String; 10] = [
            |keys| &mut keys.interface,
            |keys| &mut keys.compiler,
            |keys| &mut keys.confinement,
            |keys| &mut keys.workload,
            |keys| &mut keys.limits,
            |keys| &mut keys.seed,
            |keys| &mut keys.check_seed,
            |keys| &mut keys.checked,
            |keys| &mut keys.timed,
            |keys| &mut keys.measure,
        ];
        assert_eq!(id(keys()), id(keys()));
        for (number, change) in changes.into_iter().enumerate() {
            let mut other = keys();
            change(&mut other).push('x');
            assert_ne!(id(keys()), id(other), "input {number}");
        }
    }

    #[test]
    fn a_folder_has_the_same_names_from_wherever_it_is_named() {
        let names = |paths: &[&str]| {
            let file = |path: &&str| WitFile {
                name: (*path).to_owned(),
                text: String::new(),
            };
            let files: Vec<WitFile> = paths.iter().map(file).collect();
            let names = among_themselves(&files);
            names.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(
            names(&["a/wit/deps/x.wit", "a/wit/y.wit"]),
            ["deps/x.wit", "y.wit"]
        );
        assert_eq!(
            names(&["./wit/deps/x.wit", "./wit/y.wit"]),
            ["deps/x.wit", "y.wit"]
        );
        assert_eq!(names(&["wit/y.wit"]), ["y.wit"]);
        assert_eq!(names(&["y.wit"]), ["y.wit"]);
        assert_eq!(
            names(&["/wita/y.wit", "/wit/x.wit"]),
            ["wita/y.wit", "wit/x.wit"]
        );
        assert_eq!(names(&["/y.wit", "x.wit"]), ["/y.wit", "x.wit"]);
    }
}
