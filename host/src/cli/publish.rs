//! `bakeoff publish`: puts a component into a registry.

use super::baseline::{MeasuredComponent, chosen};
use super::build::{BuiltFor, InterfaceArguments, Prepared};
use super::compiled_for::CompiledFor;
use super::failure::Failure;
use super::options::{Format, Output, Safety};
use super::registry_options::{RegistryArguments, not_a_reference};
use super::report_source::{ReportPlace, is_experiment};
use super::{Status, show};
use bakeoff_compare::code_of;
use bakeoff_domain::reference::ComponentReference;
use bakeoff_domain::spec::Code;
use bakeoff_registry::{Publication, Published, publish};
use bakeoff_render::escape::Plain;
use bakeoff_run::audit::KeptRun;
use bakeoff_source::BuildInput;
use bakeoff_source::interface::{Interface, World};
use bakeoff_store::RunId;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// Put a component into a registry: a variant of a run, an evaluator, a proposer
///
/// Of an experiment, or a folder of results, it is the component that was measured. A file is built first, or checked if it is
/// a component already. Its WIT and its description stand beside it. What is printed is the reference with the digest by
/// which everybody gets this component and no other: the same component, with the same words, has the same digest wherever
/// it is published. Credentials are those of `docker login`, or of BAKEOFF_REGISTRY, BAKEOFF_REGISTRY_USER and
/// BAKEOFF_REGISTRY_PASSWORD.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff publish my-question oci://ghcr.io/team/heap:1
  bakeoff publish my-question oci://ghcr.io/team/sort:1 --variant sort
  bakeoff publish panics.rs oci://ghcr.io/team/panics:1 --world evaluator --description 'Counts what may panic.'
  bakeoff publish heap.wasm oci://localhost:5000/heap:1 --wit wit --call top-k")]
pub(super) struct Arguments {
    /// An experiment's folder or file, a folder of results, or a source or component
    from: PathBuf,
    /// Where to: oci://registry/name:tag
    #[arg(value_name = "REFERENCE")]
    to: String,
    /// The variant to publish [default: the recommended one]
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// The run that measured it [default: the last that has a report]
    #[arg(long, value_name = "N")]
    run: Option<i64>,
    /// Description for whoever finds it [default: the description of the variant's approach]
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Move the tag, if it names something else already
    #[arg(long)]
    move_tag: bool,
    #[command(flatten)]
    interface: InterfaceArguments,
    #[command(flatten)]
    compiled_for: CompiledFor,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    safety: Safety,
}

/// The output in JSON.
#[derive(Serialize)]
struct PublishOutput<'a> {
    reference: &'a ComponentReference,
    title: &'a str,
    bytes: usize,
    moved_from: Option<&'a str>,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let to = ComponentReference::parse(&arguments.to).map_err(not_a_reference)?;
    let options = arguments.registry.options()?;
    let publication = match code_of(&arguments.from) {
        Ok(code) => of_file(arguments, &code, output).await?,
        Err(refused) if arguments.from.is_file() && !is_experiment(&arguments.from) => {
            return Err(refused.into());
        }
        Err(_) => of_run(arguments, output).await?,
    };
    let published = publish(&to, &publication, arguments.move_tag, &options).await?;
    print(&publication, &published, output)
}

/// Builds a file, or checks it, for the interface that is named.
async fn of_file(
    arguments: &Arguments,
    code: &Code,
    output: &Output,
) -> Result<Publication, Failure> {
    if arguments.variant.is_some() || arguments.run.is_some() {
        return Err(Failure::usage(
            "--variant and --run are for an experiment: name its folder in the place of the file",
        ));
    }
    let interface = arguments.interface.load()?;
    let world = arguments.interface.world();
    let prepared = Prepared::open(code, &arguments.safety, output).await?;
    let input = prepared.read(code);
    let input = input.map_err(|failure| Failure::variant(&failure))?;
    let compiled_for = (
        arguments.compiled_for.simd(),
        arguments.compiled_for.edition(),
    );
    let built_for = BuiltFor {
        interface,
        world,
        compiled_for,
    };
    let title = arguments.from.file_stem().unwrap_or_default();
    Ok(Publication {
        title: match ComponentReference::parse(&arguments.from.to_string_lossy()) {
            Ok(reference) => name_of(&reference),
            Err(_) => title.to_string_lossy().into_owned(),
        },
        description: arguments.description.clone().unwrap_or_default(),
        ..described(prepared, input, built_for).await?
    })
}

/// Returns the component of a variant as it was measured in a run, once it is known to fit the interface of that run.
async fn of_run(arguments: &Arguments, output: &Output) -> Result<Publication, Failure> {
    let named = &arguments.interface;
    if named.wit.is_some() || named.call.is_some() || named.world() != World::Prototype {
        return Err(Failure::usage(
            "--wit, --call and --world are for a file: those of a run are known. An evaluator or a proposer is published by its \
             file, such as `bakeoff publish evaluators/panics.rs oci://… --world evaluator`",
        ));
    }
    let place = ReportPlace::find(&arguments.from)?;
    let (store, shown) = place.report_of(arguments.run.map(RunId))?;
    let variant = chosen(&shown.report, arguments.variant.as_deref())?;
    let kept = KeptRun::read(&store, Some(shown.run))?;
    let record = &kept.evidence.record;
    let mut approaches = record.experiment.approaches.iter();
    let approach = approaches.find(|one| one.name == variant.approach);
    if approach.is_some_and(|one| one.code.program().is_some()) {
        return Err(Failure::usage(format!(
            "{} is a program, of which there is no component to publish",
            Plain(&variant.name)
        )));
    }
    let measured = MeasuredComponent::of(&store, &kept.evidence, variant)?;
    if !measured.parameters.is_empty() {
        return Err(Failure::usage(format!(
            "{} is a value of a sweep, and a component alone has none of its values: write them into its source, measure that, \
             and publish it",
            Plain(&variant.name)
        )));
    }
    let interface = Interface::parse(kept.files.wit.clone(), &record.experiment.interface.call);
    let interface = interface.map_err(|error| Failure::usage(error.to_string()))?;
    let interface = Arc::new(interface);
    let measured_code = Code::Component(PathBuf::new());
    let prepared = Prepared::open(&measured_code, &arguments.safety, output).await?;
    let code = BuildInput::Component {
        path_shown: variant.name.clone(),
        bytes: measured.bytes.clone().into(),
    };
    let built_for = BuiltFor {
        interface,
        world: World::Prototype,
        compiled_for: (record.experiment.simd, record.experiment.edition),
    };
    let own = approach.and_then(|one| one.description.clone());
    Ok(Publication {
        component: measured.bytes,
        title: variant.name.clone(),
        description: arguments.description.clone().or(own).unwrap_or_default(),
        ..described(prepared, code, built_for).await?
    })
}

/// Builds code, or checks it, and returns what is said of the component, without its names.
async fn described(
    prepared: Prepared,
    code: BuildInput,
    built_for: BuiltFor,
) -> Result<Publication, Failure> {
    let (interface, world) = (Arc::clone(&built_for.interface), built_for.world);
    let built = prepared.build(code, built_for).await;
    let built = built.map_err(|failure| Failure::variant(&failure))?;
    let texts: Vec<&str> = interface
        .files()
        .iter()
        .map(|file| file.text.as_str())
        .collect();
    Ok(Publication {
        component: built.component.to_vec(),
        title: String::new(),
        description: String::new(),
        world: world.name().to_owned(),
        wit: texts.join("\n"),
        imports: built.imports.clone(),
        exports: built.exports.clone(),
    })
}

/// Returns the last part of the name of a repository.
fn name_of(reference: &ComponentReference) -> String {
    let name = reference.repository().rsplit('/').next();
    name.unwrap_or_default().to_owned()
}

fn print(
    publication: &Publication,
    published: &Published,
    output: &Output,
) -> Result<Status, Failure> {
    let moved_from = published.moved_from.as_deref();
    match output.format {
        Format::Json => show::write_json(&PublishOutput {
            reference: &published.reference,
            title: &publication.title,
            bytes: publication.component.len(),
            moved_from,
        })?,
        _ => {
            let mut text = format!("{}\n", published.reference);
            if let Some(before) = moved_from {
                text += &format!("the tag was {} before\n", Plain(before));
            }
            text += "name it so as `component` of an experiment, and `bakeoff vendor` fetches it\n";
            show::write(&text)?;
        }
    }
    Ok(Status::Done)
}
