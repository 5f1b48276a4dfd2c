//! A comparison on its way: from files to an experiment that can be run, or to the reason why nothing is timed; and what is
//! asked of the files once that experiment was run.

use crate::Say;
use crate::bounds::SearchBounds;
use crate::derived::{Agreement, Derived};
use crate::error::CompareError;
use crate::first_look;
use crate::read_sources::{KnownInterface, ReadSources};
use crate::saved_inputs::SavedInputs;
use crate::undeclared_experiment::{approaches, code, experiment, sizes};
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::edition::Edition;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{Report, StoppedInSearch};
use bakeoff_domain::simd::Simd;
use bakeoff_domain::spec::{
    Approach, DeclaredInterface, DeclaringPlace, Experiment, Inputs, Measure,
};
use bakeoff_render::UntimedComparison;
use bakeoff_render::escape::Plain;
use bakeoff_run::HostOptions;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Least budget with which a comparison tests whether its verdict hangs on vectors: the test builds the files once
/// more.
const VECTORS_BUDGET_MIN: Duration = Duration::from_secs(10);

/// Files that are compared, and how.
pub struct Comparison<'a> {
    /// Sources and components, two at least.
    pub files: &'a [PathBuf],
    /// The function that is called, if it was named.
    pub call: Option<&'a str>,
    /// The WIT that has the function, if one was named.
    pub wit: Option<&'a Path>,
    /// The workload or the cases, if they are not drawn by the types of the function.
    pub inputs: GivenInputs<'a>,
    /// Sizes of inputs; chosen by what takes long enough, if empty.
    pub sizes: &'a [u32],
    /// Inputs and orders follow from it; drawn if not given.
    pub seed: Option<RunSeed>,
    /// Options for measuring the files.
    pub measure: Measure,
    /// Bounds of the search for differing inputs.
    pub bounds: SearchBounds,
    /// Use of vectors in files that are built.
    pub simd: Simd,
    /// Edition of Rust of the files.
    pub edition: Edition,
    /// The sources that the files were built from, if these were read.
    pub sources: Option<&'a ReadSources>,
}

/// Inputs that the user gives.
#[derive(Clone, Copy, Debug, Default)]
pub enum GivenInputs<'a> {
    /// No inputs: they are drawn by the types of the function.
    #[default]
    None,
    /// A workload, with the sizes of the comparison.
    Workload(&'a Path),
    /// A file of cases.
    Cases(&'a Path),
}

/// Result of the calls before anything is timed.
pub enum Prepared {
    /// Nothing is timed; the reason.
    Untimed(UntimedComparison),
    /// The files do the same as far as that was tried, or inputs are the user's own.
    Ready(Box<ReadyComparison>),
}

/// A comparison that can be run. Files that its experiment names live as long as this value.
pub struct ReadyComparison {
    /// The experiment, to be run.
    pub loaded: LoadedExperiment,
    /// Time that the search for differing inputs took.
    pub spent: Duration,
    /// Files that a limit stopped in the search, where another one answers.
    pub stopped: Vec<StoppedInSearch>,
    /// The experiment before the host's policy was applied.
    experiment: Experiment,
    derived: Option<Derived>,
    draws_inputs: bool,
}

/// An experiment that the files describe themselves.
struct DescribedExperiment {
    experiment: Experiment,
    spent: Duration,
    stopped: Vec<StoppedInSearch>,
}

impl Comparison<'_> {
    /// Reads the files, calls them on random inputs unless inputs are given, and returns what can be run.
    ///
    /// # Errors
    /// A file does not build, an option does not fit, or something failed that does not depend on the files.
    pub async fn prepare(
        &self,
        host: &HostOptions,
        say: Say<'_>,
    ) -> Result<Prepared, CompareError> {
        let declared = self.declared()?;
        let inputs = self.given()?;
        let approaches = approaches(self.files)?;
        if let (Some(interface), Some(inputs)) = (declared, &inputs) {
            let declared = DeclaringPlace::OnCommandLine;
            let what = (self.problem(), interface, inputs.clone());
            let experiment = self.experiment(what, approaches, declared);
            return self.ready(DescribedExperiment::of(experiment), None, host);
        }
        let known = KnownInterface {
            call: self.call,
            wit: self.wit,
            sources: self.sources,
        };
        let mut derived = Derived::read(&approaches, known, host).await?;
        match self
            .by_sources((approaches, inputs), &mut derived, say)
            .await?
        {
            Ok(described) => self.ready(described, Some(derived), host),
            Err(untimed) => Ok(Prepared::Untimed(untimed)),
        }
    }

    fn ready(
        &self,
        described: DescribedExperiment,
        derived: Option<Derived>,
        host: &HostOptions,
    ) -> Result<Prepared, CompareError> {
        let experiment = described.experiment;
        let mut loaded = LoadedExperiment::assembled(experiment.clone(), PathBuf::new())?;
        host.policy.apply_to(&mut loaded)?;
        Ok(Prepared::Ready(Box::new(ReadyComparison {
            loaded,
            spent: described.spent,
            stopped: described.stopped,
            experiment,
            derived,
            draws_inputs: matches!(self.inputs, GivenInputs::None),
        })))
    }

    fn problem(&self) -> String {
        let count = self.files.len();
        format!("Which of these {count} files takes less time?")
    }

    /// Returns the experiment that the files describe themselves, of which the interface and the inputs live as long as
    /// `derived`; the inner error says that the files do not do the same.
    async fn by_sources(
        &self,
        (approaches, given): (Vec<Approach>, Option<Inputs>),
        derived: &mut Derived,
        say: Say<'_>,
    ) -> Result<Result<DescribedExperiment, UntimedComparison>, CompareError> {
        let declared = match self.wit {
            Some(wit) => DeclaringPlace::ByTypes(wit.to_owned()),
            None => DeclaringPlace::BySources,
        };
        let with = |problem, inputs, interface| {
            let what = (problem, interface, inputs);
            self.experiment(what, approaches.clone(), declared.clone())
        };
        if let Some(inputs) = given {
            if let Inputs::Generated { code, .. } = &inputs {
                derived.take_oracle_of(code).await?;
            }
            let experiment = with(self.problem(), inputs, derived.interface());
            return Ok(Ok(DescribedExperiment::of(experiment)));
        }
        let first = derived.inputs(first_look::timed_sizes(&derived.found), Vec::new());
        let first = with(String::new(), first, derived.interface());
        let seed = match self.seed {
            Some(seed) => seed,
            None => bakeoff_run::draw_seed()?,
        };
        let asked = if self.sizes.is_empty() {
            None
        } else {
            Some(sizes(self.sizes)?)
        };
        let look = derived.first_look(first, asked.as_deref(), seed, self.bounds, say);
        let (chosen, texts, tried, spent, stopped) = match look.await? {
            Agreement::Not(untimed) => return Ok(Err(untimed)),
            Agreement::Same {
                sizes,
                texts,
                inputs,
                spent,
                stopped,
            } => (sizes, texts, inputs, spent, stopped),
        };
        let sizes = asked.unwrap_or(chosen);
        let problem = self.drawn_problem(derived, &sizes, &tried);
        let inputs = derived.inputs(sizes, texts);
        Ok(Ok(DescribedExperiment {
            experiment: with(problem, inputs, derived.interface()),
            spent,
            stopped,
        }))
    }

    /// Returns the question of a comparison on drawn inputs, with the sentences on those that were tried.
    fn drawn_problem(&self, derived: &Derived, sizes: &[u32], tried: &str) -> String {
        let found = &derived.found;
        let renamed = found.renamed.iter();
        let renamed: String = renamed
            .map(|(file, name)| format!(", in {file} as {name}"))
            .collect();
        let inputs_kind = if found.takes_only_numbers() {
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            format!("numbers up to {}", sizes.join(" and up to "))
        } else {
            "inputs".to_owned()
        };
        format!(
            "Which of these {} files takes less time for random {inputs_kind}? {}: {}{renamed}. {tried}",
            self.files.len(),
            found.call,
            found.signature()
        )
    }

    /// Returns the interface that is named, if one is. Its path is the user's own, relative to the current folder.
    fn declared(&self) -> Result<Option<DeclaredInterface>, CompareError> {
        let Some(wit) = self.wit else {
            return Ok(None);
        };
        if !wit.exists() {
            return Err(CompareError::usage(format!(
                "there is no file or folder {} for --wit",
                Plain(&wit.display().to_string())
            )));
        }
        let call = self.call.ok_or_else(|| {
            CompareError::usage("with --wit, --call NAME says which of its functions is called")
        })?;
        Ok(Some(DeclaredInterface {
            wit: wit.to_owned(),
            call: call.to_owned(),
        }))
    }

    /// Returns an experiment that compares the files.
    fn experiment(
        &self,
        (problem, interface, inputs): (String, DeclaredInterface, Inputs),
        approaches: Vec<Approach>,
        declared: DeclaringPlace,
    ) -> Experiment {
        let measure = self.measure;
        let assembled = experiment(problem, interface, inputs, approaches, measure, declared);
        Experiment {
            simd: self.simd,
            edition: self.edition,
            ..assembled
        }
    }

    /// Returns the inputs that are given, if some are.
    fn given(&self) -> Result<Option<Inputs>, CompareError> {
        Ok(match self.inputs {
            GivenInputs::Workload(file) => Some(Inputs::Generated {
                code: code(file)?,
                sizes: sizes(self.sizes)?,
                texts: Vec::new(),
            }),
            GivenInputs::Cases(cases) => Some(Inputs::Cases(cases.to_owned())),
            GivenInputs::None => None,
        })
    }
}

impl DescribedExperiment {
    /// Returns an experiment before which nothing was searched.
    fn of(experiment: Experiment) -> Self {
        Self {
            experiment,
            spent: Duration::ZERO,
            stopped: Vec::new(),
        }
    }
}

impl ReadyComparison {
    /// Returns inputs that a run timed, as a file of cases; `None` if inputs were declared, and not drawn.
    ///
    /// # Errors
    /// The inputs are those of a file of cases, or something failed that does not depend on the files.
    pub async fn timed_inputs(&self, report: &Report) -> Result<Option<SavedInputs>, CompareError> {
        let Some(derived) = &self.derived else {
            return Ok(None);
        };
        let inputs = derived.timed_inputs(report, self.experiment.clone());
        Ok(Some(inputs.await?))
    }

    /// Returns the disagreement that a run found on a drawn input, on the simplest input that shows it.
    ///
    /// # Errors
    /// Something failed that does not depend on the files.
    pub async fn disagreement(
        &self,
        report: &Report,
        say: Say<'_>,
    ) -> Result<Option<UntimedComparison>, CompareError> {
        let derived = self.derived.as_ref().filter(|_| self.draws_inputs);
        let (Some(derived), Some(input)) = (derived, differing_input(report)) else {
            return Ok(None);
        };
        let seed = report.experiment.seed;
        let difference = derived.difference_at(input, self.experiment.clone(), seed, say);
        difference.await
    }

    /// Returns a sentence on the verdict of a run, if that may be another one without vectors. It builds the files once
    /// more, so a small budget has none.
    ///
    /// # Errors
    /// Something failed that does not depend on the files.
    pub async fn vectors_note(&self, report: &Report) -> Result<Option<String>, CompareError> {
        let experiment = &self.experiment;
        let is_worth_it = self.draws_inputs
            && experiment.simd == Simd::On
            && experiment.measure.budget >= VECTORS_BUDGET_MIN;
        match &self.derived {
            Some(derived) if is_worth_it => {
                derived.hangs_on_vectors(report, experiment.clone()).await
            }
            _ => Ok(None),
        }
    }
}

/// Returns the size and seed of an input on which files may differ, if a run found one: their answers differ, or one
/// fails where another goes on. A file that was stopped by a limit may only be slow, and stays a failed row.
fn differing_input(report: &Report) -> Option<(u32, u64)> {
    let somebody_goes_on = report
        .variants
        .iter()
        .any(|variant| variant.failure.is_none());
    let mut variants = report.variants.iter();
    variants.find_map(|variant| {
        let failure = variant.failure.as_ref()?;
        let call = variant.failed_call.as_ref()?;
        let fails_alone = somebody_goes_on && failure.limit.is_none();
        let is_one = failure.class == FailureClass::Disagreement || fails_alone;
        call.case.generated_from(call.seed).filter(|_| is_one)
    })
}
