//! `bakeoff compare`: files compared directly, without an experiment file.

use super::assembled::{BUDGET, approaches, code, experiment, is_crate, no_crate, sizes};
use super::compiled_for::CompiledFor;
use super::derived::{Agreement, Derived};
use super::effort::Effort;
use super::failure::Failure;
use super::first_look;
use super::looking::UNTIMED;
use super::natively::{self, Natives};
use super::options::{Format, Output, Safety};
use super::regression::Unsure;
use super::run::{self, Done, RunRequest};
use super::saved_inputs::{not_written, save};
use super::two_runs::{self, RunReference};
use super::{Status, again, counts, regression, show, step_summary};
use bakeoff_config::{LoadedExperiment, Policy, units};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{CaseLabel, Report, StoppedInSearch};
use bakeoff_domain::simd::Simd;
use bakeoff_domain::spec::{
    BudgetScope, Declared, Experiment, Inputs, Interface, Measure, Workers,
};
use bakeoff_files::Scratch;
use bakeoff_render::escape::Plain;
use bakeoff_render::{ComparisonOutcome, Untimed};
use bakeoff_run::KnownMachine;
use bakeoff_store::{ResultsPlace, Start};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Measures files against each other, without an experiment file: Rust sources and components,
/// mixed. Results are kept only with --out.
///
/// Nothing else need be said: the function that all have in common is called, its types are read off the
/// files, inputs are drawn at random, and the files judge each other. Where their answers
/// differ, the shortest such input is shown, and nothing is timed.
///
/// Or says what became different between two kept runs: each is `N` (run N of the experiment here),
/// `DIR:N`, or `DIR` (its last run). Nothing is run then.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff compare sort.rs heap.rs
  bakeoff compare sort.rs heap.wasm --call top-k --size 10000
  bakeoff compare sort.rs heap.rs --cases cases.toml
  bakeoff compare sort.rs heap.rs heap.wasm --wit wit --call top-k --workload workload.rs --size 16000,256000
  bakeoff compare sort.rs heap.rs --wit wit --call top-k --cases cases.toml --budget 10s
  bakeoff compare old.wasm new.rs --wit wit --call top-k --cases cases.toml --fail-if-slower 2%
  bakeoff compare 1 2                                  two kept runs of the experiment here
  bakeoff compare examples/top-k:1 examples/top-k:3 --format json

Exit status: as of `run`. With --fail-if-slower the test alone decides, whichever is the best: 1 if a
later file is surely slower, or if that is not known, as of one that failed (unless --unsure pass); 3 if it
passes though a file failed; otherwise 0.")]
pub(super) struct Arguments {
    /// The files, at least two: what ends in .wasm is a component, what ends in .rs is built. Or
    /// two runs: N, DIR:N or DIR
    #[arg(required = true, value_name = "FILE|RUN")]
    files: Vec<PathBuf>,
    /// The WIT: a file, or a folder of them; read off the files, if not given
    #[arg(long, value_name = "PATH")]
    wit: Option<PathBuf>,
    /// The function that is called: top-k, or interface.function; the one that all files have in
    /// common, if not given
    #[arg(long, value_name = "NAME")]
    call: Option<String>,
    /// Workload that makes the inputs and judges the answers: Rust source, or a component
    #[arg(long, value_name = "FILE", requires = "sizes")]
    workload: Option<PathBuf>,
    /// Sizes of inputs, separated by commas; chosen by what takes long enough, if not given
    #[arg(long = "size", value_name = "N", value_delimiter = ',',
          value_parser = counts::size)]
    sizes: Vec<u32>,
    /// Calls and expected answers in a file, instead of a workload
    ///
    /// The file is TOML, with up to 256 cases in WAVE; `expect` in all of them or in none:
    ///   [[case]]
    ///   call = "top-k([3, 1, 2], 1)"
    ///   expect = "[3]"
    #[arg(long, value_name = "FILE", verbatim_doc_comment, conflicts_with_all = ["workload", "sizes"])]
    cases: Option<PathBuf>,
    /// Inputs and orders follow from it, as in the run that reported it; drawn anew without
    #[arg(long, value_name = "N", value_parser = counts::run_seed)]
    seed: Option<RunSeed>,
    /// Time for all of it but building: the search for differing inputs (a tenth at most), checks, timing (half at
    /// least): 500ms, 40s, 2min; until it is known and 20s at most, if not given
    #[arg(long, value_name = "TIME", value_parser = run::parse_budget)]
    budget: Option<Duration>,
    #[command(flatten)]
    effort: Effort,
    /// Cores to use at once
    #[arg(long, value_name = "N", value_parser = counts::workers)]
    workers: Option<u32>,
    /// Exit with 1 if a later file is slower than the first by more than this, or if that is not known
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    fail_if_slower: Option<f64>,
    /// With --fail-if-slower: what follows if it is not known whether a file is slower
    #[arg(long, value_enum, default_value = "fail", requires = "fail_if_slower")]
    unsure: Unsure,
    /// Where the files differ on a drawn input, the file in which its call is kept, for --cases
    #[arg(long, value_name = "FILE", conflicts_with_all = ["wit", "workload", "cases"])]
    save_case: Option<PathBuf>,
    /// The file in which inputs that were timed are kept, up to 1 MiB of them, for --cases
    #[arg(long, value_name = "FILE", conflicts_with_all = ["wit", "workload", "cases"])]
    save_inputs: Option<PathBuf>,
    #[command(flatten)]
    compiled_for: CompiledFor,
    /// Build the sources for this machine, too, and run them as programs, behind a fence: both times, and where the
    /// order is another one
    #[arg(long, conflicts_with = "out")]
    natively: bool,
    /// The folder in which results are kept
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    safety: Safety,
}

/// Least budget with which a comparison tests whether its verdict hangs on vectors: the test builds the files once
/// more.
const VECTORS_BUDGET_MIN: Duration = Duration::from_secs(10);

fn no_run_and_no_file(named: &Path) -> Failure {
    Failure::usage(format!(
        "{} is neither a run nor a file: a run is N, DIR:N, or DIR, and `bakeoff runs DIR` lists them",
        Plain(&named.display().to_string())
    ))
}

fn parse_percent(text: &str) -> Result<f64, String> {
    units::percent(text).map_err(|error| error.to_string())
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    if let Some((before, after)) = arguments.runs()? {
        return two_runs::run(&before, &after, output);
    }
    let policy = Policy::of_host()?;
    let native_leave = arguments
        .natively
        .then(|| natively::leave(&arguments.files, &policy));
    let native_leave = native_leave.transpose()?;
    // The files of a derived experiment live as long as this.
    let mut derived = None;
    let mut spent = Duration::ZERO;
    let mut stopped = Vec::new();
    let experiment = match &arguments.wit {
        Some(wit) => arguments.experiment(wit)?,
        None => {
            let approaches = approaches(&arguments.files)?;
            let call = arguments.call.as_deref();
            let read = Derived::read(&approaches, call, &arguments.safety, &policy).await;
            let derived = derived.insert(read.or_else(|failure| not_built(failure, output))?);
            let found = arguments.by_sources(derived, &policy, output, &mut spent, &mut stopped);
            match found.await.or_else(|failure| not_built(failure, output))? {
                Ok(experiment) => experiment,
                Err(untimed) => return arguments.show_untimed(&untimed, output),
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
            arguments
                .out
                .clone()
                .unwrap_or_else(|| temporary.work().to_owned()),
        ),
        start: Start::Resume,
        seed: arguments.seed,
        safety: &arguments.safety,
        machine: machine.clone(),
        policy: policy.clone(),
        generation: None,
        stopped_in_search: stopped,
        spent,
        resume: arguments.out.is_some().then(again::command),
    };
    let Some(Done {
        mut report,
        sources,
    }) = run::perform(job, output).await?
    else {
        return Ok(Status::Interrupted);
    };
    if let (Some(derived), Some(file)) = (&derived, &arguments.save_inputs) {
        let safety = &arguments.safety;
        let inputs = derived.timed_inputs(&report, experiment.clone(), safety, &policy);
        save(file, &inputs.await?)?;
    }
    if let (Some(derived), Some(input)) = (&derived, differing_input(&report))
        && arguments.draws_inputs()
    {
        let (seed, safety) = (report.experiment.seed, &arguments.safety);
        let experiment = experiment.clone();
        let found = derived.difference_at(input, experiment, seed, safety, &policy, output);
        if let Some(untimed) = found.await? {
            return arguments.show_untimed(&untimed, output);
        }
    }
    if let Some(file) = &arguments.save_case {
        not_written(file, "no input was found on which the files differ");
    }
    if let Some(policy) = native_leave {
        let natives = Natives {
            experiment: &experiment,
            safety: &arguments.safety,
            policy,
            machine,
        };
        if !natives.add_to(&mut report, output).await? {
            return Ok(Status::Interrupted);
        }
    }
    if let Some(derived) = &derived
        && arguments.draws_inputs()
        && experiment.simd == Simd::On
        && experiment.measure.budget >= VECTORS_BUDGET_MIN
    {
        let safety = &arguments.safety;
        let hangs = derived.hangs_on_vectors(&report, experiment, safety, &policy);
        report.notes.extend(hangs.await?);
    }
    step_summary::append(&report, &sources);
    let Some(allowed) = arguments.fail_if_slower else {
        let outcome = ComparisonOutcome::of(&report);
        show::print_comparison(&report, sources, outcome, &[], output)?;
        return Ok(Status::of(&report));
    };
    let (tests, outcomes) =
        regression::none_slower(&report, &loaded.experiment, allowed, arguments.unsure);
    let outcome = regression::outcome(&outcomes);
    show::print_comparison(&report, sources, outcome, &tests, output)?;
    for test in &tests {
        anstream::eprintln!("{}", test.found);
    }
    Ok(Status::of_check(
        tests.iter().all(|test| test.passed),
        &report,
    ))
}

/// Writes a failure to build a file in the requested format, unless that is text, and returns the failure: a program
/// that reads a format waits for an output.
fn not_built<T>(failure: Failure, output: &Output) -> Result<T, Failure> {
    if failure.is_no_answer() && output.format != Format::Human {
        let untimed = Untimed {
            outcome: ComparisonOutcome::BuildFailed,
            reason: failure.text(),
            ..UNTIMED
        };
        show::print_untimed(&untimed, output)?;
    }
    Err(failure)
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
        match call.case {
            CaseLabel::Size(size) if failure.class == FailureClass::Disagreement || fails_alone => {
                Some((size, call.seed))
            }
            _ => None,
        }
    })
}

impl Arguments {
    /// Returns true if the inputs are drawn by the types of the function.
    fn draws_inputs(&self) -> bool {
        self.workload.is_none() && self.cases.is_none()
    }

    /// Prints the reason why nothing was timed, and writes the call that shows it to the file of `--save-case`.
    fn show_untimed(&self, untimed: &Untimed, output: &Output) -> Result<Status, Failure> {
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

    /// Returns the two stored runs, if the arguments name runs.
    fn runs(&self) -> Result<Option<(RunReference, RunReference)>, Failure> {
        let [before, after] = self.files.as_slice() else {
            return Ok(None);
        };
        let (before, after) = match (RunReference::parse(before), RunReference::parse(after)) {
            (Some(before), Some(after)) => (before, after),
            (Some(_), None) if !after.exists() => return Err(no_run_and_no_file(after)),
            (None, Some(_)) if !before.exists() => return Err(no_run_and_no_file(before)),
            _ => return Ok(None),
        };
        if let Some(folder) = self.files.iter().find(|folder| is_crate(folder)) {
            return Err(Failure::usage(no_crate(folder)));
        }
        let given = [
            ("--wit", self.wit.is_some()),
            ("--call", self.call.is_some()),
            ("--workload", self.workload.is_some()),
            ("--cases", self.cases.is_some()),
            ("--seed", self.seed.is_some()),
            ("--budget", self.budget.is_some()),
            ("--quick or --careful", self.effort.is_given()),
            ("--workers", self.workers.is_some()),
            ("--fail-if-slower", self.fail_if_slower.is_some()),
            ("--save-case", self.save_case.is_some()),
            ("--save-inputs", self.save_inputs.is_some()),
            ("--natively", self.natively),
            ("--out", self.out.is_some()),
        ];
        let given = given.into_iter().chain(self.compiled_for.given());
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(Failure::usage(format!(
                "two kept runs are compared without running anything: leave out {name}"
            ))),
            None => Ok(Some((before, after))),
        }
    }

    /// Returns the experiment that the files describe themselves, of which the interface and the inputs live as long as
    /// `derived`; the inner error says that the files do not do the same. Sets `spent` to the time that the search for
    /// differing inputs took, and `stopped` to the files that a limit stopped in it.
    async fn by_sources(
        &self,
        derived: &mut Derived,
        policy: &Policy,
        output: &Output,
        spent: &mut Duration,
        stopped: &mut Vec<StoppedInSearch>,
    ) -> Result<Result<Experiment, Untimed>, Failure> {
        let with =
            |problem, inputs, interface| self.with(problem, interface, inputs, Declared::BySources);
        if let Some(inputs) = self.inputs()? {
            if let Inputs::Generated { code, .. } = &inputs {
                derived.take_oracle_of(code).await?;
            }
            return with(self.problem(), inputs, derived.interface()).map(Ok);
        }
        let first = derived.inputs(first_look::timed_sizes(&derived.found));
        let first = with(String::new(), first, derived.interface())?;
        let seed = match self.seed {
            Some(seed) => seed,
            None => bakeoff_run::draw_seed()?,
        };
        let bounds = self.effort.search(first.measure.budget);
        let asked = if self.sizes.is_empty() {
            None
        } else {
            Some(sizes(&self.sizes)?)
        };
        let sizes = asked.as_deref();
        let look = derived.first_look(first, sizes, seed, &self.safety, policy, bounds, output);
        let (chosen, inputs) = match look.await? {
            Agreement::Not(untimed) => return Ok(Err(untimed)),
            Agreement::Same {
                sizes,
                inputs,
                spent: searched,
                stopped: files,
            } => {
                *spent = searched;
                *stopped = files;
                (sizes, inputs)
            }
        };
        let sizes = asked.unwrap_or(chosen);
        let found = &derived.found;
        let renamed = found.renamed.iter();
        let renamed: String = renamed
            .map(|(file, name)| format!(", in {file} as {name}"))
            .collect();
        let problem = format!(
            "Which of these {} files takes less time for random inputs? {}: {}{renamed}. {inputs}",
            self.files.len(),
            found.call,
            found.signature()
        );
        with(problem, derived.inputs(sizes), derived.interface()).map(Ok)
    }

    /// Returns the experiment that the options describe. Its paths are the user's own, relative to the current folder.
    fn experiment(&self, wit: &Path) -> Result<Experiment, Failure> {
        let call = self
            .call
            .clone()
            .ok_or_else(|| Failure::usage("which function is called is missing: --call NAME"))?;
        let inputs = self.inputs()?.ok_or_else(|| {
            Failure::usage("inputs come from --workload FILE with --size N, or from --cases FILE")
        })?;
        let wit = wit.to_owned();
        self.with(
            self.problem(),
            Interface { wit, call },
            inputs,
            Declared::OnCommandLine,
        )
    }

    fn problem(&self) -> String {
        format!("Which of these {} files takes less time?", self.files.len())
    }

    /// Returns an experiment that compares the files.
    fn with(
        &self,
        problem: String,
        interface: Interface,
        inputs: Inputs,
        declared: Declared,
    ) -> Result<Experiment, Failure> {
        let mut measure = Measure {
            budget: BUDGET,
            scope: BudgetScope::Everything,
            workers: self.workers.map_or(Workers::Auto, Workers::Exactly),
            margin: self.fail_if_slower,
            ..Measure::default()
        };
        self.effort.apply(&mut measure, self.budget);
        let approaches = approaches(&self.files)?;
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
            }),
            (None, Some(cases)) => Some(Inputs::Cases(cases.clone())),
            (None, None) => None,
        })
    }
}
