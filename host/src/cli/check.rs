//! `bakeoff check`: checks whether a file fits an interface, or whether an oracle can be believed.

use super::Status;
use super::build::{InterfaceArguments, WorldName};
use super::compiled_for::CompiledFor;
use super::failure::Failure;
use super::options::{Format, Output, Safety};
use super::repeat::CallArguments;
use bakeoff_compare::code_of;
use bakeoff_compile::{
    COMPLETIONS_IMPORT, EVALUATOR_IMPORT, ImportSupport, PARAMETER_IMPORTS, import_support,
};
use bakeoff_domain::spec::Code;
use bakeoff_render::escape::Plain;
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Checks the oracle of an experiment, or whether a prototype or component fits an interface
///
/// Of an experiment's folder: calls its approaches, changes their answers a little (an element dropped,
/// doubled or moved, a number off by one, another case, NaN), and counts what the oracle accepts of these.
/// Also says whether it contradicts itself, whether inputs say little, and which code they do not reach;
/// with --fuel, in which functions of the sources the fuel goes as well.
///
/// Of a file: does not run it.
/// Shows its exports and imports, or why it would be refused. WASI 0.2 is virtual: shows for each
/// import what it gets.
///
/// With --case it makes one call on a fresh instance instead, and shows arguments, answer, and what
/// the oracle or a panic says. The experiment that names the file says what is called; without one,
/// --wit, --call, and --workload or --cases do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff check examples/top-k              whether its oracle refuses wrong answers
  bakeoff check examples/top-k --fuel       and in which functions the fuel goes
  bakeoff check heap.wasm --wit wit --call top-k
  bakeoff check heap.rs --wit wit --call top-k --format json
  bakeoff check approaches/heap.rs --case 64000 --seed 7    a call that a report names as failed

Exit status: 0 if the file fits, the one call is right, or the oracle refuses wrong answers and agrees
with itself and with approaches that agree; 1 otherwise.")]
pub(super) struct Arguments {
    /// A component, a source in Rust, C, C++ or Zig, or the folder of an experiment
    file: PathBuf,
    /// Say in which functions of each source of an experiment the fuel of calls goes, too
    #[arg(long)]
    fuel: bool,
    #[command(flatten)]
    interface: CheckedInterface,
    #[command(flatten)]
    call: CallArguments,
    #[command(flatten)]
    compiled_for: CompiledFor,
    #[command(flatten)]
    safety: Safety,
}

/// The interface that the file is held against; with --case it may come from an experiment.
#[derive(Debug, Args)]
struct CheckedInterface {
    /// The WIT file, or a folder of WIT files [default: wit]
    #[arg(long, value_name = "PATH")]
    wit: Option<PathBuf>,
    /// The function to call: top-k, or interface.function; not for worlds of bakeoff's own
    #[arg(long, value_name = "NAME")]
    call: Option<String>,
    /// The world that the code is for
    #[arg(long, value_enum, default_value = "prototype")]
    world: WorldName,
}

impl CheckedInterface {
    /// Returns the interface, if its function is given or its world needs none.
    fn given(&self) -> Option<InterfaceArguments> {
        let is_given = self.call.is_some()
            || !matches!(self.world, WorldName::Prototype | WorldName::Workload);
        is_given.then(|| InterfaceArguments {
            wit: self.wit.clone(),
            call: self.call.clone(),
            world: self.world,
        })
    }
}

/// Separator of the lines of a list.
const LIST_SEPARATOR: &str = "\n             ";

/// The output of a check in JSON.
#[derive(Serialize)]
struct CheckOutput {
    file: String,
    accepted: bool,
    exports: Vec<String>,
    imports: Vec<String>,
    /// Provisions of the component's imports: a description of what it gets for each.
    gets: Vec<ImportProvision>,
    refusal: Option<bakeoff_domain::failure::Failure>,
}

/// An import, with a description of what the component gets for it.
#[derive(Serialize)]
struct ImportProvision {
    import: String,
    gets: &'static str,
}

/// Returns the provision of each import of an accepted component.
fn provisions(imports: &[String]) -> Vec<ImportProvision> {
    let provided = |import: &String| match import_support(import) {
        _ if import == EVALUATOR_IMPORT => Some(ImportProvision {
            import: import.clone(),
            gets: "the evidence of one variant",
        }),
        _ if import == COMPLETIONS_IMPORT => Some(ImportProvision {
            import: import.clone(),
            gets: "completions of a model, if one is named",
        }),
        _ if PARAMETER_IMPORTS.contains(&import.as_str()) => Some(ImportProvision {
            import: import.clone(),
            gets: "the values of its parameters, in an approach with a `sweep`",
        }),
        ImportSupport::Virtual(gets) => Some(ImportProvision {
            import: import.clone(),
            gets,
        }),
        ImportSupport::Refused(_) => None,
    };
    imports.iter().filter_map(provided).collect()
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let (file, safety) = (&arguments.file, &arguments.safety);
    let interface = arguments.interface.given();
    if !file.exists() && !matches!(code_of(file), Ok(Code::Reference(_))) {
        return Err(Failure::usage(format!(
            "there is no file or folder {}",
            Plain(&file.display().to_string())
        )));
    }
    if is_experiment(file) {
        if interface.is_some() || arguments.call.case().is_some() {
            return Err(Failure::usage(format!(
                "{} is an experiment, which says itself what is called: name it alone",
                Plain(&file.display().to_string())
            )));
        }
        arguments.compiled_for.refuse_beside_an_experiment()?;
        return super::oracle::run(file, arguments.fuel, safety, output).await;
    }
    if arguments.fuel {
        return Err(Failure::usage(format!(
            "--fuel is about the approaches of an experiment, on its inputs, and {} is none: name its folder",
            Plain(&file.display().to_string())
        )));
    }
    if arguments.call.case().is_some() {
        let call = &arguments.call;
        let interface = interface
            .as_ref()
            .map(|interface| (interface, arguments.compiled_for));
        if interface.is_none() {
            arguments.compiled_for.refuse_beside_an_experiment()?;
        }
        return super::repeat::run(file, interface, call, safety, output).await;
    }
    let code = code_of(file)?;
    let interface = interface.ok_or_else(|| Failure::usage("with --wit DIR, --call NAME says which function is called; `bakeoff compare` reads both off Rust sources"))?;
    let (built, _) =
        super::build::built(&code, &interface, arguments.compiled_for, safety, output).await?;
    let file = arguments.file.display().to_string();
    let checked = match built {
        Ok(built) => CheckOutput {
            file,
            accepted: true,
            exports: built.exports.clone(),
            imports: built.imports.clone(),
            gets: provisions(&built.imports),
            refusal: None,
        },
        Err(failure) if failure.class.is_machine_fault() => {
            return Err(Failure::variant(&failure));
        }
        Err(failure) => CheckOutput {
            file,
            accepted: false,
            exports: Vec::new(),
            imports: Vec::new(),
            gets: Vec::new(),
            refusal: Some(failure),
        },
    };
    let status = if checked.accepted {
        Status::Done
    } else {
        Status::NoAnswer
    };
    match output.format {
        Format::Json => super::show::write_json(&checked)?,
        _ => super::show::write(&text(&checked))?,
    }
    Ok(status)
}

/// Returns true for a folder, or a file in TOML.
fn is_experiment(path: &Path) -> bool {
    path.is_dir()
        || path
            .extension()
            .is_some_and(|extension| extension == "toml")
}

fn text(checked: &CheckOutput) -> String {
    let file = Plain(&checked.file);
    match &checked.refusal {
        Some(failure) => {
            let limit = failure
                .limit
                .as_ref()
                .map_or(String::new(), |limit| format!(" ({limit})"));
            // The lines of a compiler or a guest are marked: they are not ours.
            let lines = failure.message.lines();
            let lines: String = lines.map(|line| format!("  │ {}\n", Plain(line))).collect();
            format!("{file} would be refused: {}{limit}\n{lines}", failure.class)
        }
        None => {
            let shown =
                |import: &ImportProvision| format!("{}: {}", Plain(&import.import), import.gets);
            let imports = if checked.gets.is_empty() {
                "nothing".to_owned()
            } else {
                checked
                    .gets
                    .iter()
                    .map(shown)
                    .collect::<Vec<_>>()
                    .join(LIST_SEPARATOR)
            };
            format!(
                "{file} fits\n  exports    {}\n  imports    {imports}\n",
                checked.exports.join(LIST_SEPARATOR)
            )
        }
    }
}
