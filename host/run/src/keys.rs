//! The keys of results. A stored result is used again if everything that it depends on is the same,
//! and for no other reason; resuming is built on this. Every value is encoded explicitly: a digest,
//! or `name=value` pairs.

use super::context::RunContext;
use super::variant_state::{Identity, VariantState};
use bakeoff_compile::engine::{self, Profile};
use bakeoff_compile::{COVERAGE_SCHEME, LAYOUT_SCHEME, LINES_RULE, RESERVE_SCHEME};
use bakeoff_domain::language::Language;
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_domain::plan::INSTANCES_PER_BLOCK;
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::spec::{Experiment, RaceMachines, Source, State};
use bakeoff_domain::texts::SizedTexts;
use bakeoff_domain::variant::{Variant, VariantId};
use bakeoff_source::{BuildInput, PackedFolders, digest_of_parts};
use bakeoff_store::Key;
use std::fmt::Write as _;
use std::path::Path;

/// The content address, in the key of a build, of code that could not be read.
const UNREADABLE: &str = "unreadable";

/// Returns the code of a variant as a build depends on it: its content address, or the file that cannot be read, whose
/// failure is its own.
pub(super) fn source_input(variant: &Variant) -> String {
    match &variant.iteration.source {
        Some(digest) => digest.clone(),
        None => format!("{UNREADABLE} {}", variant.file),
    }
}

/// The rules by which replicas are planned, measured and counted, as a part of the key of a race: replicas that were
/// measured by other rules are not continued.
const RACE_RULES: &str = "orders=drawn single-calls=warm alpha=table scale=pilot lowering=by-allocator seeds=hmac \
     failures=by-variant";

/// The rule by which the inputs of gates and assessments follow from a seed.
pub const SEED_RULE: &str = "hmac-sha256";

/// Values that all keys of a run share.
pub struct Keys {
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
    /// Bound on the checks of a variant below the usual one, if there is one.
    checks: Option<String>,
    /// No comparison mixes machines.
    machine: String,
    /// The machines of other kinds that race, too, if any do. The race of this machine does not depend on it.
    machines: Option<&'static str>,
}

impl Keys {
    /// Returns the values that the keys of a run share.
    ///
    /// # Errors
    /// The engine does not work on this machine.
    pub fn new(experiment: &Experiment, context: &RunContext) -> wasmtime::Result<Self> {
        let names = context.wit_names.iter();
        let interface = names
            .zip(context.interface.files())
            .flat_map(|(name, file)| [name.as_bytes(), file.text.as_bytes()]);
        let limits = experiment.limits;
        let measure = experiment.measure;
        let state = match measure.state {
            State::Pure => "pure",
            State::Kept => "kept",
        };
        let margin = measure.margin;
        // Replicas that were drawn from a set by another number are not continued.
        let draws = if experiment.workload.inputs.are_instances() {
            format!(" instances-per-block={INSTANCES_PER_BLOCK}")
        } else {
            String::new()
        };
        Ok(Self {
            interface: digest_of_parts(interface.chain([experiment.interface.call.as_bytes()])),
            compiler: context.tools.compiler.clone(),
            confinement: context.tools.confinement.level().name().to_owned(),
            workload: format!(
                "digest={} cases={}",
                context.workload_digest,
                cases_digest(&context.cases)
            ),
            limits: format!(
                "memory_bytes={} fuel={} wall_ns={} output_bytes={}",
                limits.memory_bytes,
                limits.fuel,
                limits.wall.as_nanos(),
                limits.output_bytes
            ),
            seed: context.config.seed.to_string(),
            check_seed: context.config.check_seed.to_string(),
            checked: engine::fingerprint(Profile::Checked)?,
            timed: engine::fingerprint(Profile::Timed)?,
            checks: (context.config.repeats_fuel).map(|fuel| format!("repeats-fuel={fuel}")),
            machine: bakeoff_measure::machine_name(),
            machines: (measure.machines == RaceMachines::Each).then_some("each"),
            measure: format!(
                "confidence={} practical={} state={state} margin={} share={} cold-start={}{draws}",
                measure.confidence,
                measure.practical,
                margin.map_or_else(|| "none".to_owned(), |margin| margin.to_string()),
                experiment.metric_share(),
                experiment.uses(&Source::ColdStart)
            ),
        })
    }

    /// Returns the key of a build, whose result is the compiler's output.
    pub(super) fn build(&self, state: &VariantState) -> Key {
        let source = source_input(&state.variant);
        let inputs = [
            ("source", source.as_str()),
            ("interface", &self.interface),
            ("compiler", &self.compiler),
            ("engine", &self.checked),
            ("confinement", &self.confinement),
            ("lines", LINES_RULE),
        ];
        let granted = state.is_swept().then_some(("imports", "parameters"));
        // The same text may be that of a program in two languages.
        let language = Language::of(Path::new(&state.variant.file)).unwrap_or_default();
        let language = (language != Language::Rust).then_some(("language", language.name()));
        Key::new(inputs.into_iter().chain(granted).chain(language))
    }

    /// Returns the key of a round that times the builds of this `code`.
    pub(super) fn of_builds(&self, code: String, round: u32) -> Key {
        Key::new([
            ("code", code),
            ("interface", self.interface.clone()),
            ("compiler", self.compiler.clone()),
            ("engine", format!("{} {}", self.checked, self.timed)),
            ("confinement", self.confinement.clone()),
            ("seed", self.seed.clone()),
            ("machine", self.machine.clone()),
            ("round", round.to_string()),
        ])
    }

    /// Returns the key of the gate of a component with the files that it is granted. It does not depend on the run's
    /// seed: the rehearsal's seed was not known when the component was written, so its result is as good in a later
    /// run.
    pub(super) fn gate(&self, identity: &Identity) -> Key {
        let own = [
            ("component", identity.component.as_str()),
            ("files", identity.files_input()),
        ];
        // Whoever was checked briefly is checked anew where there is time for more.
        let checks = self.checks.as_deref().map(|checks| ("checks", checks));
        Key::new(own.into_iter().chain(self.gate_inputs()).chain(checks))
    }

    /// Returns the key of the task that checks the component of a build: all inputs of the gate are known before there
    /// is a component.
    pub(super) fn check(&self, build: &Key, files: Option<&PackedFolders>) -> Key {
        let own = [
            ("build", build.digest()),
            ("files", files.map_or("none", |files| files.digest.as_str())),
            ("seed", self.seed.as_str()),
        ];
        Key::new(own.into_iter().chain(self.gate_inputs()))
    }

    /// Returns the key of the assessment of a component's answers: that of its gate, with the seed of the inputs, which
    /// was not known when the component was written.
    pub(super) fn assessment(&self, identity: &Identity) -> Key {
        let own = [
            ("component", identity.component.as_str()),
            ("files", identity.files_input()),
            ("seed", self.seed.as_str()),
        ];
        Key::new(own.into_iter().chain(self.gate_inputs()))
    }

    /// Returns the key of the code of a variant that the checked inputs reach. Of a source the lines count, which the
    /// component does not tell.
    pub(super) fn coverage(&self, identity: &Identity, code: &BuildInput) -> Key {
        let code = code.content_address();
        let own = [
            ("component", identity.component.as_str()),
            ("files", identity.files_input()),
            ("code", &code),
            ("compiler", &self.compiler),
            ("marks", COVERAGE_SCHEME),
        ];
        Key::new(own.into_iter().chain(self.gate_inputs()))
    }

    /// Returns the key of an evaluator's readings of a variant: that of the variant's assessment, with `about`: the
    /// evaluator, and the evidence beside the answers.
    pub(super) fn evaluation(
        &self,
        identity: &Identity,
        about: [(&'static str, String); 4],
    ) -> Key {
        let assessment = self.assessment(identity);
        let inputs = assessment.inputs().iter().cloned();
        let about = about.map(|(name, value)| (name.to_owned(), value));
        Key::new(inputs.chain(about))
    }

    /// Returns the key of an aggregator's sections of a report, by the digests of both.
    pub(super) fn aggregation(&self, aggregator: &str, report: &str) -> Key {
        Key::new([
            ("aggregator", aggregator),
            ("report", report),
            ("limits", &self.limits),
            ("engine", &self.checked),
            ("confinement", &self.confinement),
        ])
    }

    /// Returns the inputs that all gates of a run depend on, by name.
    pub fn gate_inputs(&self) -> [(&'static str, &str); 7] {
        [
            ("interface", &self.interface),
            ("workload", &self.workload),
            ("limits", &self.limits),
            ("check-seed", &self.check_seed),
            ("seeds", SEED_RULE),
            ("engine", &self.checked),
            ("confinement", &self.confinement),
        ]
    }

    /// Returns the key of a race and of its pilot, in which each variant has its id: what is kept of a race tells its
    /// variants by them.
    pub(super) fn race<'a>(
        &self,
        components: impl IntoIterator<Item = (&'a VariantId, &'a Identity)>,
    ) -> Key {
        let mut encoded = String::new();
        for (id, identity) in components {
            // Writing to a text cannot fail.
            let _ = writeln!(
                encoded,
                "variant={id} component={} files={}",
                identity.component,
                identity.files_input()
            );
        }
        Key::new([
            ("components", encoded),
            ("workload", self.workload.clone()),
            ("limits", self.limits.clone()),
            ("seed", self.seed.clone()),
            (
                "engine",
                format!("{} {LAYOUT_SCHEME} {RESERVE_SCHEME}", self.timed),
            ),
            ("measure", self.measure.clone()),
            ("confinement", self.confinement.clone()),
            ("machine", self.machine.clone()),
            ("rules", RACE_RULES.to_owned()),
        ])
    }

    /// Returns the id of the experiment: a digest of everything that decides the result.
    pub(super) fn experiment(&self, variants: &[VariantState]) -> String {
        let mut code = String::new();
        for state in variants {
            let files = state.files.as_ref();
            // Writing to a text cannot fail.
            let _ = writeln!(
                code,
                "variant={} source={} files={}",
                state.id(),
                state.variant.iteration.source.as_deref().unwrap_or("none"),
                files.map_or("none", |files| files.digest.as_str())
            );
        }
        let engine = format!(
            "{} {} {LAYOUT_SCHEME} {RESERVE_SCHEME}",
            self.checked, self.timed
        );
        let inputs = [
            ("interface", self.interface.as_str()),
            ("compiler", &self.compiler),
            ("workload", &self.workload),
            ("limits", &self.limits),
            ("seed", &self.seed),
            ("check-seed", &self.check_seed),
            ("measure", &self.measure),
            ("engine", &engine),
            ("confinement", &self.confinement),
            ("machine", &self.machine),
            ("variants", &code),
        ];
        let machines = self.machines.map(|machines| ("machines", machines));
        let key = Key::new(inputs.into_iter().chain(machines));
        key.digest().to_owned()
    }
}

fn cases_digest(cases: &[CaseLabel]) -> String {
    let encoded: Vec<String> = cases
        .iter()
        .map(|case| match case {
            CaseLabel::Size(size) => format!("size={size}"),
            CaseLabel::Call(call) => format!("call={call}"),
            CaseLabel::Instance { instance } => format!("instance={instance}"),
            CaseLabel::Texts(SizedTexts { size, texts }) => {
                format!("size={size},texts={}", *texts as u64)
            }
        })
        .collect();
    digest_of_parts(encoded.iter().map(String::as_bytes))
}

/// Name of the input that the key of a variant's failure has beside those of its race.
const DROPOUT: &str = "variant";

/// Returns the key of a failure in a race: one for each of its variants, by their place.
pub(super) fn dropout(race: &Key, variant: VariantIndex) -> Key {
    let inputs = race.inputs().iter().cloned();
    Key::new(inputs.chain([(DROPOUT.to_owned(), variant.to_string())]))
}

/// Name of the input that the key of an overrun, a sample which took far longer than predicted, has beside those of its
/// race.
const OVERRUN: &str = "overrun";

/// Returns the key of an overrun: one for each variant of a race, by its index.
pub(super) fn overrun(race: &Key, variant: VariantIndex) -> Key {
    let inputs = race.inputs().iter().cloned();
    Key::new(inputs.chain([(OVERRUN.to_owned(), variant.to_string())]))
}

/// Returns true if an overrun with `inputs` is one of the race with the inputs `race`.
pub(super) fn is_overrun_of(inputs: &[(String, String)], race: &[(String, String)]) -> bool {
    matches!(inputs, [of_race @ .., (name, _)] if name == OVERRUN && of_race == race)
}

/// Returns true if a failure with `inputs` is one of the race with the inputs `race`.
pub(super) fn is_dropout_of(inputs: &[(String, String)], race: &[(String, String)]) -> bool {
    matches!(inputs, [of_race @ .., (name, _)] if name == DROPOUT && of_race == race)
}

/// Names of the inputs that the key of a race on a machine of another kind has beside those of the race here.
const OTHER_KIND: [&str; 2] = ["other-cpu", "other-engine"];

/// Returns the key of the race on a machine of another kind.
pub(super) fn machine_race(race: &Key, cpu: &str, engine: &str) -> Key {
    let kind = OTHER_KIND.map(str::to_owned).into_iter();
    let kind = kind.zip([cpu, engine].map(str::to_owned));
    Key::new(race.inputs().iter().cloned().chain(kind))
}

/// Returns true if a race elsewhere with `inputs` is one beside the race with the inputs `race`.
pub(super) fn is_machine_race_of(inputs: &[(String, String)], race: &[(String, String)]) -> bool {
    let [of_race @ .., (cpu, _), (engine, _)] = inputs else {
        return false;
    };
    OTHER_KIND == [cpu, engine] && of_race == race
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
            checks: None,
            machine: "h".into(),
            machines: None,
        };
        let id = |keys: Keys| keys.experiment(&[]);
        let changes: [fn(&mut Keys) -> &mut String; 11] = [
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
            |keys| &mut keys.machine,
        ];
        assert_eq!(id(keys()), id(keys()));
        for (number, change) in changes.into_iter().enumerate() {
            let mut other = keys();
            change(&mut other).push('x');
            assert_ne!(id(keys()), id(other), "input {number}");
        }
        let each = Keys {
            machines: Some("each"),
            ..keys()
        };
        assert_ne!(id(keys()), id(each));
    }

    #[test]
    fn granted_files_make_another_gate() {
        let identity = |files: Option<&str>| Identity {
            component: "c0ffee".into(),
            files: files.map(str::to_owned),
        };
        assert_ne!(identity(None), identity(Some("7ea")));
        assert_eq!(identity(Some("7ea")).files_input(), "7ea");
        assert_eq!(identity(None).files_input(), "none");
    }
}
