//! A comparison on its way: from files to a report, or to the reason why nothing was timed.

use super::again;
use super::assembled::{approaches, code, experiment, sizes};
use super::compare_options::Arguments;
use super::derived::{Agreement, Derived, ReadSources};
use super::effort::SearchBounds;
use super::failure::Failure;
use super::first_look;
use super::natively::{self, NativeWish};
use super::on_event::Listener;
use super::options::Output;
use super::run::{self, Done, RunRequest};
use super::saved_inputs::{not_written, save};
use super::show::Sources;
use super::{Status, regression, show, step_summary};
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::report::{Report, StoppedInSearch};
use bakeoff_domain::simd::Simd;
use bakeoff_domain::spec::{Declared, Experiment, Inputs, Interface, Measure, Workers};
use bakeoff_files::Scratch;
use bakeoff_render::escape::Plain;
use bakeoff_render::{ComparisonOutcome, Untimed};
use bakeoff_run::{BuiltProgram, KnownMachine};
use bakeoff_store::{ResultsPlace, Start};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Least budget with which a comparison tests whether its verdict hangs on vectors: the test builds the files once
/// more.
const VECTORS_BUDGET_MIN: Duration = Duration::from_secs(10);

/// The files of a comparison.
pub(super) struct Files<'a> {
    pub(super) named: &'a [PathBuf],
    /// The function that is called, if it was named.
    pub(super) call: Option<&'a str>,
    /// The sources that they were built from, if these were read.
    pub(super) sources: Option<&'a ReadSources>,
    /// The confidence of all claims together, if it is not the usual one.
    pub(super) confidence: Option<f64>,
    /// The programs of this machine that were built of the same sources, one for each file, if they were built before.
    pub(super) programs: Option<&'a [BuiltProgram]>,
}

/// The end of a comparison.
pub(super) enum Compared {
    Interrupted,
    Untimed(Untimed),
    Timed(Box<Timed>),
}

/// A comparison that was run.
pub(super) struct Timed {
    pub(super) report: Report,
    pub(super) sources: Sources,
    pub(super) experiment: Experiment,
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

fn problem(files: &Files<'_>) -> String {
    format!(
        "Which of these {} files takes less time?",
        files.named.len()
    )
}

impl Arguments {
    /// Compares files as the options say, and prints nothing but progress.
    ///
    /// # Errors
    /// A file does not build, an option does not fit, or something failed that does not depend on the files.
    pub(super) async fn compared(
        &self,
        files: &Files<'_>,
        output: &Output,
    ) -> Result<Compared, Failure> {
        let policy = Policy::of_host()?;
        let natively = self.natively.then(|| match files.programs {
            Some(programs) => NativeWish::new(&policy, Some(programs.to_vec())),
            None => natively::leave(files.named, &policy),
        });
        let natively = natively.transpose()?;
        // The files of a derived experiment live as long as this.
        let mut derived = None;
        let mut spent = Duration::ZERO;
        let mut stopped = Vec::new();
        let experiment = match &self.wit {
            Some(wit) => self.experiment(files, wit)?,
            None => {
                let approaches = approaches(files.named)?;
                let read = Derived::read(
                    &approaches,
                    files.call,
                    files.sources,
                    &self.safety,
                    &policy,
                );
                let read = read.await?;
                let derived = derived.insert(read);
                let found =
                    self.by_sources(files, derived, &policy, output, &mut spent, &mut stopped);
                match found.await? {
                    Ok(experiment) => experiment,
                    Err(untimed) => return Ok(Compared::Untimed(untimed)),
                }
            }
        };
        let mut loaded = LoadedExperiment::assembled(experiment.clone(), PathBuf::new())?;
        policy.apply_to(&mut loaded)?;
        let machine = derived
            .as_ref()
            .map_or_else(KnownMachine::default, |derived| derived.machine.clone());
        let temporary = Scratch::new()
            .map_err(|error| Failure::infrastructure(format!("cannot make a folder: {error}")))?;
        let job = RunRequest {
            loaded: &loaded,
            folder: ResultsPlace::Named(
                self.out
                    .clone()
                    .unwrap_or_else(|| temporary.work().to_owned()),
            ),
            start: Start::Resume,
            seed: self.seed,
            safety: &self.safety,
            machine,
            policy: policy.clone(),
            generation: None,
            rounds: None,
            judge: None,
            stopped_in_search: stopped,
            spent,
            natively,
            listener: Listener::default(),
            resume: self.out.is_some().then(again::command),
        };
        let Some(Done {
            mut report,
            sources,
        }) = run::perform(job, output).await?
        else {
            return Ok(Compared::Interrupted);
        };
        if let (Some(derived), Some(file)) = (&derived, &self.save_inputs) {
            let safety = &self.safety;
            let inputs = derived.timed_inputs(&report, experiment.clone(), safety, &policy);
            save(file, &inputs.await?)?;
        }
        if let (Some(derived), Some(input)) = (&derived, differing_input(&report))
            && self.draws_inputs()
        {
            let (seed, safety) = (report.experiment.seed, &self.safety);
            let experiment = experiment.clone();
            let found = derived.difference_at(input, experiment, seed, safety, &policy, output);
            if let Some(untimed) = found.await? {
                return Ok(Compared::Untimed(untimed));
            }
        }
        if let Some(file) = &self.save_case {
            not_written(file, "no input was found on which the files differ");
        }
        if let Some(derived) = &derived
            && self.draws_inputs()
            && experiment.simd == Simd::On
            && experiment.measure.budget >= VECTORS_BUDGET_MIN
        {
            let safety = &self.safety;
            let hangs = derived.hangs_on_vectors(&report, experiment, safety, &policy);
            report.notes.extend(hangs.await?);
        }
        Ok(Compared::Timed(Box::new(Timed {
            report,
            sources,
            experiment: loaded.experiment,
        })))
    }

    /// Returns the experiment that the files describe themselves, of which the interface and the inputs live as long as
    /// `derived`; the inner error says that the files do not do the same. Sets `spent` to the time that the search for
    /// differing inputs took, and `stopped` to the files that a limit stopped in it.
    async fn by_sources(
        &self,
        files: &Files<'_>,
        derived: &mut Derived,
        policy: &Policy,
        output: &Output,
        spent: &mut Duration,
        stopped: &mut Vec<StoppedInSearch>,
    ) -> Result<Result<Experiment, Untimed>, Failure> {
        let with = |problem, inputs, interface| {
            self.with(files, problem, interface, inputs, Declared::BySources)
        };
        if let Some(inputs) = self.inputs()? {
            if let Inputs::Generated { code, .. } = &inputs {
                derived.take_oracle_of(code).await?;
            }
            return with(problem(files), inputs, derived.interface()).map(Ok);
        }
        let first = derived.inputs(first_look::timed_sizes(&derived.found), Vec::new());
        let first = with(String::new(), first, derived.interface())?;
        let seed = match self.seed {
            Some(seed) => seed,
            None => bakeoff_run::draw_seed()?,
        };
        let bounds = SearchBounds {
            natively: self.natively,
            ..self.effort.search(first.measure.budget)
        };
        let asked = if self.sizes.is_empty() {
            None
        } else {
            Some(sizes(&self.sizes)?)
        };
        let sizes = asked.as_deref();
        let look = derived.first_look(first, sizes, seed, &self.safety, policy, bounds, output);
        let (chosen, texts, inputs) = match look.await? {
            Agreement::Not(untimed) => return Ok(Err(untimed)),
            Agreement::Same {
                sizes,
                texts,
                inputs,
                spent: searched,
                stopped: files,
            } => {
                *spent = searched;
                *stopped = files;
                (sizes, texts, inputs)
            }
        };
        let sizes = asked.unwrap_or(chosen);
        let found = &derived.found;
        let renamed = found.renamed.iter();
        let renamed: String = renamed
            .map(|(file, name)| format!(", in {file} as {name}"))
            .collect();
        let inputs_kind = if found.takes_only_numbers() {
            let sizes = sizes.iter();
            let sizes: Vec<String> = sizes.map(u32::to_string).collect();
            format!("numbers up to {}", sizes.join(" and up to "))
        } else {
            "inputs".to_owned()
        };
        let problem = format!(
            "Which of these {} files takes less time for random {inputs_kind}? {}: {}{renamed}. {inputs}",
            files.named.len(),
            found.call,
            found.signature()
        );
        with(problem, derived.inputs(sizes, texts), derived.interface()).map(Ok)
    }

    /// Returns the experiment that the options describe. Its paths are the user's own, relative to the current folder.
    fn experiment(&self, files: &Files<'_>, wit: &Path) -> Result<Experiment, Failure> {
        if !wit.exists() {
            return Err(Failure::usage(format!(
                "there is no file or folder {} for --wit",
                Plain(&wit.display().to_string())
            )));
        }
        let call = self.call.clone().ok_or_else(|| {
            Failure::usage("with --wit, --call NAME says which of its functions is called")
        })?;
        let inputs = self.inputs()?.ok_or_else(|| {
            Failure::usage("inputs come from --workload FILE with --size N, or from --cases FILE")
        })?;
        let wit = wit.to_owned();
        self.with(
            files,
            problem(files),
            Interface { wit, call },
            inputs,
            Declared::OnCommandLine,
        )
    }

    /// Returns an experiment that compares the files.
    fn with(
        &self,
        files: &Files<'_>,
        problem: String,
        interface: Interface,
        inputs: Inputs,
        declared: Declared,
    ) -> Result<Experiment, Failure> {
        let mut measure = Measure {
            workers: self.workers.map_or(Workers::Auto, Workers::Exactly),
            margin: self.fail_if_slower,
            ..Measure::default()
        };
        if let Some(confidence) = files.confidence {
            measure.confidence = confidence;
        }
        self.effort.apply(&mut measure, self.budget);
        let approaches = approaches(files.named)?;
        let mut experiment = experiment(problem, interface, inputs, approaches, measure, declared);
        self.compiled_for.apply_to(&mut experiment);
        Ok(experiment)
    }

    /// Returns the inputs that the options name, if they name some.
    fn inputs(&self) -> Result<Option<Inputs>, Failure> {
        Ok(match (&self.workload, &self.cases) {
            (Some(file), _) => Some(Inputs::Generated {
                code: code(file)?,
                sizes: sizes(&self.sizes)?,
                texts: Vec::new(),
            }),
            (None, Some(cases)) => Some(Inputs::Cases(cases.clone())),
            (None, None) => None,
        })
    }

    /// Prints the reason why nothing was timed, and writes the call that shows it to the file of `--save-case`.
    pub(super) fn show_untimed(
        &self,
        untimed: &Untimed,
        output: &Output,
    ) -> Result<Status, Failure> {
        match (&self.save_case, &untimed.reproduction) {
            (Some(file), Some(reproduction)) => {
                let shown = file.display().to_string();
                let shown = Plain(&shown);
                std::fs::write(file, &reproduction.cases)
                    .map_err(|error| Failure::usage(format!("cannot write {shown}: {error}")))?;
                anstream::eprintln!("the call is kept in {shown}, for --cases");
            }
            (Some(file), None) if untimed.outcome == ComparisonOutcome::Disagreement => {
                not_written(
                    file,
                    "the call is too long to be written out, or made no difference again",
                );
            }
            (Some(file), None) => {
                not_written(file, "no input was found on which the files differ");
            }
            (None, _) => {}
        }
        show::print_untimed(untimed, output)?;
        Ok(Status::NoAnswer)
    }

    /// Prints the report of a comparison, and what came of the test that was asked for.
    pub(super) fn show_timed(&self, timed: &Timed, output: &Output) -> Result<Status, Failure> {
        let Timed {
            report,
            sources,
            experiment,
        } = timed;
        step_summary::append(report, sources);
        let Some(allowed) = self.fail_if_slower else {
            let outcome = ComparisonOutcome::of(report);
            show::print_comparison(report, sources.clone(), outcome, &[], output)?;
            return Ok(Status::of(report));
        };
        let (tests, outcomes) = regression::none_slower(report, experiment, allowed, self.unsure);
        let outcome = regression::outcome(&outcomes);
        show::print_comparison(report, sources.clone(), outcome, &tests, output)?;
        for test in &tests {
            anstream::eprintln!("{}", test.found);
        }
        Ok(Status::of_check(
            tests.iter().all(|test| test.passed),
            report,
        ))
    }
}
