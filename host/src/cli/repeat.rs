//! `bakeoff check FILE --case CASE --seed N`: one call of a prototype, made again.

use super::build::InterfaceArguments;
use super::compiled_for::CompiledFor;
use super::failure::Failure;
use super::options::{Format, Output, Safety};
use super::{Status, show, whole_numbers};
use bakeoff_compare::{approach, code_of, experiment};
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::spec::{
    Approach, Code, DeclaredInterface, DeclaringPlace, Experiment, Inputs, Measure, Parameter,
};
use bakeoff_render::escape::{Lines, Plain};
use bakeoff_run::RepeatOutcome;
use bakeoff_runner::RepeatedCall;
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The call, and what makes its input.
#[derive(Debug, Args)]
pub(super) struct CallArguments {
    /// Make one call on this case, as a report names it: a size, the name of an instance, or a call from
    /// a file of cases, which #3 names by its place
    #[arg(long, value_name = "CASE")]
    case: Option<String>,
    /// The seed of the call's input, as a report names it
    #[arg(long, value_name = "N", requires = "case", value_parser = whole_numbers::seed)]
    seed: Option<u64>,
    /// The value of a parameter, for a file with a sweep [default: the first value of each]
    #[arg(long = "parameter", value_name = "NAME=VALUE", requires = "case", value_parser = parameter)]
    parameters: Vec<Parameter>,
    /// Workload that makes the input and judges the answer, without an experiment: Rust source, or a component
    #[arg(long, value_name = "FILE", requires = "case")]
    workload: Option<PathBuf>,
    /// Calls and expected answers in a file, without an experiment
    #[arg(
        long,
        value_name = "FILE",
        requires = "case",
        conflicts_with = "workload"
    )]
    cases: Option<PathBuf>,
}

/// Parses `arity=4`.
fn parameter(text: &str) -> Result<Parameter, String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    Ok(Parameter {
        name: name.to_owned(),
        values: vec![value.to_owned()],
    })
}

impl CallArguments {
    /// Gives the prototype its parameters: those of the command line, or else the first of its sweep.
    fn set_parameters(&self, experiment: &mut Experiment) {
        if let Some(approach) = experiment.approaches.first_mut() {
            let known = |name: &str| self.parameters.iter().any(|one| one.name == name);
            approach.sweep.retain(|parameter| !known(&parameter.name));
            approach.sweep.extend(self.parameters.iter().cloned());
            approach.sweep.sort_by(|a, b| a.name.cmp(&b.name));
            for parameter in &mut approach.sweep {
                parameter.values.truncate(1);
            }
        }
    }

    /// Returns the case, if a call is to be made.
    pub(super) fn case(&self) -> Option<&str> {
        self.case.as_deref()
    }
}

/// The output in JSON.
#[derive(Serialize)]
struct RepeatOutput {
    file: String,
    case: String,
    seed: Option<u64>,
    /// `right`, `answered` (nobody can tell whether it is right), or the class of the failure.
    outcome: String,
    arguments: Option<String>,
    answer: Option<String>,
    /// The description of the failure; of a panic, its message and place.
    message: Option<String>,
    limit: Option<String>,
}

/// Makes one call of the prototype in a file: with the experiment that names the file, or with the
/// interface and the workload of the command line.
pub(super) async fn run(
    file: &Path,
    interface: Option<(&InterfaceArguments, CompiledFor)>,
    call: &CallArguments,
    safety: &Safety,
    output: &Output,
) -> Result<Status, Failure> {
    let case = call.case().unwrap_or_default();
    let mut loaded = match interface {
        Some((interface, compiled_for)) => {
            let mut loaded = assembled(file, interface, call)?;
            compiled_for.apply_to(&mut loaded.experiment);
            loaded
        }
        None => declaring(file)?,
    };
    let policy = Policy::of_host()?;
    policy.apply_to(&mut loaded)?;
    call.set_parameters(&mut loaded.experiment);
    let index = choose_case(&mut loaded, case)?;
    let seed = match (call.seed, &loaded.experiment.workload.inputs) {
        (Some(seed), _) => seed,
        (None, Inputs::Cases(_) | Inputs::Instances { .. } | Inputs::None) => 0,
        (None, Inputs::Generated { .. }) => {
            return Err(Failure::usage(
                "which input of that size is missing: --seed N",
            ));
        }
    };
    let host = safety.host_options(policy)?;
    let mut say = output.reporter();
    let shown = RepeatOutput {
        file: file.display().to_string(),
        case: case.to_owned(),
        seed: call.seed,
        outcome: String::new(),
        arguments: None,
        answer: None,
        message: None,
        limit: None,
    };
    let shown = match bakeoff_run::repeat(&loaded, &host, (index, seed), &mut say).await? {
        RepeatOutcome::NotBuilt(failure) => return Err(Failure::variant(&failure)),
        RepeatOutcome::Called { call, has_oracle } => with_outcome(shown, call, has_oracle),
    };
    match output.format {
        Format::Json => show::write_json(&shown)?,
        _ => show::write(&text(&shown))?,
    }
    Ok(match shown.outcome.as_str() {
        RIGHT | ANSWERED => Status::Done,
        _ => Status::NoAnswer,
    })
}

const RIGHT: &str = "right";
const ANSWERED: &str = "answered";

fn with_outcome(shown: RepeatOutput, call: RepeatedCall, has_oracle: bool) -> RepeatOutput {
    let RepeatedCall {
        arguments,
        answer,
        error,
        reports,
        digest: _,
        fuel: _,
    } = call;
    let outcome = match &error {
        Some(error) => error.class.name(),
        None if has_oracle => RIGHT,
        None => ANSWERED,
    };
    RepeatOutput {
        outcome: outcome.to_owned(),
        arguments: Some(arguments).filter(|text| !text.is_empty()),
        answer,
        limit: error.as_ref().and_then(|error| error.limit.clone()),
        message: error.map(|error| reports.into_iter().next_back().unwrap_or(error.message)),
        ..shown
    }
}

fn text(shown: &RepeatOutput) -> String {
    let seed = shown.seed.map(|seed| format!(", seed {seed}"));
    let seed = seed.unwrap_or_default();
    let outcome = match shown.outcome.as_str() {
        RIGHT => "the answer is right, in the first call of a fresh instance",
        ANSWERED => {
            "it answered, in the first call of a fresh instance; there is no oracle to say whether that is right"
        }
        class => class,
    };
    let mut text = format!(
        "{}: case {}{seed}: {outcome}\n",
        Plain(&shown.file),
        Plain(&shown.case)
    );
    let fields = [
        ("arguments", &shown.arguments),
        ("answer", &shown.answer),
        ("failure", &shown.message),
        ("limit", &shown.limit),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            text += &format!("  {name:<10} {}\n", Lines(value));
        }
    }
    text
}

/// Returns the experiment around a file, with the approach of that file alone: the first of the
/// folders that contain the file whose experiment names it. For a component in a registry, these are the working folder and
/// those above it.
fn declaring(file: &Path) -> Result<LoadedExperiment, Failure> {
    let missing = |error| Failure::usage(format!("cannot read {}: {error}", file.display()));
    let reference = code_of(file).ok();
    let reference = reference.filter(|code| matches!(code, Code::Reference(_)));
    let is_reference = reference.is_some();
    let found = if is_reference { Path::new(".") } else { file };
    let found = found.canonicalize().map_err(missing)?;
    for folder in found.ancestors().skip(usize::from(!is_reference)) {
        if !folder.join(bakeoff_config::FILE_NAME).is_file() {
            continue;
        }
        let mut loaded = bakeoff_config::load(folder)?;
        let is_it = |approach: &Approach| {
            if let Some(reference) = &reference {
                return approach.code == *reference;
            }
            let path = loaded.dir.join(approach.code.path()).canonicalize();
            path.is_ok_and(|path| path == found)
        };
        if let Some(place) = loaded.experiment.approaches.iter().position(is_it) {
            let approach = loaded.experiment.approaches.swap_remove(place);
            loaded.experiment.approaches = vec![approach];
            return Ok(loaded);
        }
    }
    // Only an experiment says how a program is started.
    code_of(file)?;
    Err(Failure::usage(format!(
        "no experiment names {}: say what is called, with --wit, --call, and --workload or --cases",
        file.display()
    )))
}

/// Name of the experiment, and of its one approach.
const NAME: &str = "check";

/// Returns an experiment of one approach as the command line describes it.
fn assembled(
    file: &Path,
    interface: &InterfaceArguments,
    call: &CallArguments,
) -> Result<LoadedExperiment, Failure> {
    let inputs = match (&call.workload, &call.cases) {
        (Some(workload), _) => {
            let code = code_of(workload)?;
            let case = call.case().unwrap_or_default();
            // A number is a size, and everything else the name of an instance.
            match case.parse::<u32>() {
                Ok(size) => Inputs::Generated {
                    code,
                    sizes: vec![size],
                    texts: Vec::new(),
                },
                Err(_) => Inputs::Instances {
                    code,
                    names: vec![case.to_owned()],
                    file: None,
                },
            }
        }
        (None, Some(cases)) => Inputs::Cases(cases.clone()),
        (None, None) => {
            return Err(Failure::usage(
                "what makes the input is missing: --workload FILE, or --cases FILE",
            ));
        }
    };
    if interface.wit.is_none() {
        // Read unasked, it must not lead elsewhere.
        interface.load()?;
    }
    let interface = DeclaredInterface {
        wit: interface.path().to_owned(),
        call: interface.call()?.to_owned(),
    };
    let approaches = vec![approach(NAME.to_owned(), code_of(file)?)];
    let (measure, declared) = (Measure::default(), DeclaringPlace::OnCommandLine);
    let experiment = experiment(
        String::new(),
        interface,
        inputs,
        approaches,
        measure,
        declared,
    );
    let experiment = Experiment {
        name: NAME.to_owned(),
        ..experiment
    };
    Ok(LoadedExperiment::assembled(experiment, PathBuf::new())?)
}

/// Returns the index of a case, as a report names it. A workload makes inputs of any size, so the one
/// that is asked for is the only one then.
fn choose_case(loaded: &mut LoadedExperiment, case: &str) -> Result<CaseIndex, Failure> {
    if let Inputs::Generated { sizes, texts, .. } = &mut loaded.experiment.workload.inputs {
        let wrong = |why| Failure::usage(format!("{case} is not a size of inputs: {why}"));
        let size = whole_numbers::size(case).map_err(wrong)?;
        *sizes = vec![size];
        texts.clear();
        return Ok(0);
    }
    if let Inputs::Instances { names, .. } = &mut loaded.experiment.workload.inputs {
        if !names.iter().any(|name| name == case) {
            return Err(Failure::usage(format!(
                "the experiment has no instance {}",
                Plain(case)
            )));
        }
        *names = vec![case.to_owned()];
        return Ok(0);
    }
    let cases = loaded.cases.as_ref().map(|file| file.cases.as_slice());
    let cases = cases.unwrap_or_default();
    if let Some(place) = case.strip_prefix('#') {
        let index = place
            .parse::<usize>()
            .ok()
            .and_then(|place| place.checked_sub(1));
        return index.filter(|index| *index < cases.len()).ok_or_else(|| {
            Failure::usage(format!(
                "the file of cases has {} calls, and {} is the place of none",
                cases.len(),
                Plain(case)
            ))
        });
    }
    cases
        .iter()
        .position(|one| one.call == case)
        .ok_or_else(|| Failure::usage(format!("the file of cases has no call {}", Plain(case))))
}
