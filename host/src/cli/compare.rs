//! `bakeoff compare`: files compared directly, without an experiment file.

use super::assembled::{BUDGET, approaches, code, experiment, sizes};
use super::derived::{Agreement, Derived};
use super::failure::Failure;
use super::first_look;
use super::looking::FAILED;
use super::options::{Format, Output, Safety};
use super::regression::Unsure;
use super::run::{self, Done, Job};
use super::two_runs::{self, RunReference};
use super::{Status, again, counts, regression, show, step_summary};
use crate::config::{LoadedExperiment, Policy, units};
use crate::files::Scratch;
use crate::render::escape::Plain;
use crate::render::{AskedTest, Untimed};
use crate::store::Start;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::Report;
use bakeoff_domain::spec::{Declared, Experiment, Inputs, Interface, Measure, Workers};
use bakeoff_domain::variant::{self, Variant};
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
    /// What makes the inputs and judges the answers: Rust source, or a component
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
    /// Time for measuring, after building and checking: 500ms, 40s, 2min; 20s, if not given
    #[arg(long, value_name = "TIME", value_parser = run::parse_budget)]
    budget: Option<Duration>,
    /// Cores to use at once
    #[arg(long, value_name = "N", value_parser = counts::workers)]
    workers: Option<u32>,
    /// Exit with 1 if a later file is slower than the first by more than this, or if that is not known
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    fail_if_slower: Option<f64>,
    /// With --fail-if-slower: what follows if it is not known whether a file is slower
    #[arg(long, value_enum, default_value = "fail", requires = "fail_if_slower")]
    unsure: Unsure,
    /// The folder in which results are kept
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    safety: Safety,
}

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
    // The files of a derived experiment live as long as this.
    let mut derived = None;
    let experiment = match &arguments.wit {
        Some(wit) => arguments.experiment(wit)?,
        None => {
            let approaches = approaches(&arguments.files)?;
            let call = arguments.call.as_deref();
            let found = Derived::read(&approaches, call, &arguments.safety, &policy).await?;
            let derived = derived.insert(found);
            match arguments.by_sources(derived, &policy, output).await {
                Ok(Ok(experiment)) => experiment,
                Ok(Err(untimed)) => {
                    show::print_untimed(&untimed, output)?;
                    return Ok(Status::NoAnswer);
                }
                Err(failure) => {
                    // Whoever reads a format waits for one.
                    if failure.is_no_answer() && output.format != Format::Human {
                        let reason = failure.text();
                        show::print_untimed(&Untimed { reason, ..FAILED }, output)?;
                    }
                    return Err(failure);
                }
            }
        }
    };
    let mut loaded = LoadedExperiment::assembled(experiment, PathBuf::new())?;
    policy.apply_to(&mut loaded)?;
    let temporary = Scratch::new()
        .map_err(|error| Failure::infrastructure(format!("cannot make a folder: {error}")))?;
    let job = Job {
        loaded: &loaded,
        folder: arguments.out.as_deref().unwrap_or(temporary.work()),
        start: Start::Resume,
        seed: arguments.seed,
        safety: &arguments.safety,
        policy,
        generation: None,
        resume: arguments.out.is_some().then(again::command),
    };
    let Some(Done { report, sources }) = run::perform(job, output).await? else {
        return Ok(Status::Interrupted);
    };
    step_summary::append(&report, &sources);
    let Some(allowed) = arguments.fail_if_slower else {
        show::print(&report, sources, output)?;
        return Ok(Status::of(&report));
    };
    let tests = none_slower(&report, &loaded, allowed, arguments.unsure);
    show::print_with_tests(&report, sources, &tests, output)?;
    for test in &tests {
        anstream::eprintln!("{}", test.found);
    }
    Ok(Status::of_check(
        tests.iter().all(|test| test.passed),
        &report,
    ))
}

/// Tests whether each later file is slower than the first.
fn none_slower(
    report: &Report,
    loaded: &LoadedExperiment,
    allowed: f64,
    unsure: Unsure,
) -> Vec<AskedTest> {
    let variants = variant::declare(&loaded.experiment.approaches);
    let Some((baseline, later)) = variants.split_first() else {
        return Vec::new();
    };
    let baseline = baseline.id.as_str();
    let test = |later: &Variant| {
        let later = later.id.as_str();
        let result = regression::against(report, baseline, later, allowed);
        AskedTest {
            name: regression::question(baseline, later, allowed),
            passed: result.passes(unsure),
            found: result.line(baseline, later, allowed, &report.protocol),
        }
    };
    later.iter().map(test).collect()
}

impl Arguments {
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
        let given = [
            ("--wit", self.wit.is_some()),
            ("--call", self.call.is_some()),
            ("--workload", self.workload.is_some()),
            ("--cases", self.cases.is_some()),
            ("--seed", self.seed.is_some()),
            ("--budget", self.budget.is_some()),
            ("--workers", self.workers.is_some()),
            ("--fail-if-slower", self.fail_if_slower.is_some()),
            ("--out", self.out.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(Failure::usage(format!(
                "two kept runs are compared without running anything: leave out {name}"
            ))),
            None => Ok(Some((before, after))),
        }
    }

    /// Returns the experiment that the files describe themselves, of which the interface and the inputs
    /// live as long as `derived`; the inner error says that the files do not do the same.
    async fn by_sources(
        &self,
        derived: &mut Derived,
        policy: &Policy,
        output: &Output,
    ) -> Result<Result<Experiment, Untimed>, Failure> {
        let with =
            |problem, inputs, interface| self.with(problem, interface, inputs, Declared::BySources);
        if let Some(inputs) = self.inputs()? {
            if let Inputs::Generated { code, .. } = &inputs {
                derived.take_oracle_of(code).await?;
            }
            return with(self.problem(), inputs, derived.interface()).map(Ok);
        }
        let first = derived.inputs(first_look::TIMED.to_vec());
        let first = with(String::new(), first, derived.interface())?;
        let seed = match self.seed {
            Some(seed) => seed,
            None => crate::run::draw_seed()?,
        };
        let look = derived.first_look(first, seed, &self.safety, policy, output);
        let (chosen, inputs) = match look.await? {
            Agreement::Not(untimed) => return Ok(Err(untimed)),
            Agreement::Same { sizes, inputs } => (sizes, inputs),
        };
        let sizes = match self.sizes.is_empty() {
            true => chosen,
            false => sizes(&self.sizes)?,
        };
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

    /// Returns the experiment that the options describe. Its paths are the user's own, relative to
    /// the current folder.
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

    /// Returns an experiment with the files.
    fn with(
        &self,
        problem: String,
        interface: Interface,
        inputs: Inputs,
        declared: Declared,
    ) -> Result<Experiment, Failure> {
        let measure = Measure {
            budget: self.budget.unwrap_or(BUDGET),
            workers: self.workers.map_or(Workers::Auto, Workers::Exactly),
            margin: self.fail_if_slower,
            ..Measure::default()
        };
        let approaches = approaches(&self.files)?;
        Ok(experiment(
            problem, interface, inputs, approaches, measure, declared,
        ))
    }

    /// The inputs that the options name, if they do.
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
