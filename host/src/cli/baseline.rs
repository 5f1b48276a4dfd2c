//! `bakeoff baseline`: keeps a component of a finished run as an approach of its own, so that later code is
//! measured against it in the same run.

use super::failure::Failure;
use super::options::{Format, Output};
use super::{Status, report_source, show};
use crate::library::{cannot_write, replace};
use bakeoff_config::{FILE_NAME, LoadedExperiment};
use bakeoff_domain::report::{Report, VariantReport, VariantStatus};
use bakeoff_files::Folder;
use bakeoff_render::escape::Plain;
use bakeoff_run::Evidence;
use bakeoff_source::COMPONENT_BYTES_MAX;
use bakeoff_store::{RunId, Store};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Keeps a component of a finished run as an approach, so that a later run measures it beside the others
///
/// What is kept is the component that was measured, whatever becomes of its source and of the compiler. It is
/// written to baselines/NAME.wasm, and bakeoff.toml gets an approach that names it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff baseline my-question                   the recommended variant, as `baseline`
  bakeoff baseline my-question heap --name v1    the variant heap, as `v1`
  bakeoff run my-question                        then measures what is new beside it")]
pub(super) struct Arguments {
    /// An experiment's folder or file
    experiment: PathBuf,
    /// The variant to keep [default: the recommended one]
    variant: Option<String>,
    /// The name of the approach that it becomes: 1 to 40 of a-z, 0-9 and -
    #[arg(long, value_name = "NAME", default_value = "baseline", value_parser = name)]
    name: String,
    /// The run that measured it [default: the last that has a report]
    #[arg(long, value_name = "N")]
    run: Option<i64>,
}

fn name(text: &str) -> Result<String, String> {
    let plain = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-';
    if text.len() <= 40 && text.starts_with(char::is_alphanumeric) && text.chars().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("1 to 40 of a-z, 0-9 and -, beginning with a letter or digit".to_owned())
    }
}

/// The output in JSON.
#[derive(Serialize)]
struct BaselineOutput<'a> {
    id: &'a str,
    run: i64,
    approach: &'a str,
    file: &'a str,
    sha256: &'a str,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let loaded = bakeoff_config::load(&arguments.experiment)?;
    let store = report_source::open(&report_source::results(&arguments.experiment)?)?;
    let shown = report_source::of_run(&store, arguments.run.map(RunId), &arguments.experiment)?;
    let run = shown.run;
    let variant = chosen(&shown.report, arguments.variant.as_deref())?;
    let mut names = loaded
        .experiment
        .approaches
        .iter()
        .map(|one| one.name.as_str());
    if names.any(|name| name == arguments.name) {
        return Err(Failure::usage(format!(
            "there is an approach `{}` already: give the new one another name with --name",
            arguments.name
        )));
    }
    let evidence = Evidence::read(&store, run, shown.report.cost.seconds)?;
    let mut approaches = evidence.record.experiment.approaches.iter();
    let of_variant = approaches.find(|approach| approach.name == variant.approach);
    if of_variant.is_some_and(|approach| approach.code.program().is_some()) {
        return Err(Failure::usage(format!(
            "{} is a program, of which there is no component to keep: copy its file and its approach",
            Plain(&variant.name)
        )));
    }
    let measured = MeasuredComponent::of(&store, &evidence, variant)?;
    let file = write(&loaded, arguments, variant, run, &measured)?;
    match output.format {
        Format::Json => show::write_json(&BaselineOutput {
            id: &variant.id,
            run: run.0,
            approach: &arguments.name,
            file: &file,
            sha256: &measured.digest,
        })?,
        _ => show::write(&format!(
            "{file}: the component of {} in run {}, as the approach {}\n`bakeoff run {}` measures the others \
             beside it\n",
            Plain(&variant.name),
            run.0,
            arguments.name,
            Plain(&arguments.experiment.display().to_string())
        ))?,
    }
    Ok(Status::Done)
}

/// Returns the variant that is asked for, or the recommended one.
pub(super) fn chosen<'a>(
    report: &'a Report,
    asked: Option<&str>,
) -> Result<&'a VariantReport, Failure> {
    // Also one that has no rank was measured.
    let is_measured = |status| !matches!(status, VariantStatus::Failed | VariantStatus::Screened);
    let (measured, others): (Vec<&VariantReport>, Vec<&VariantReport>) = report
        .variants
        .iter()
        .partition(|one| is_measured(one.status));
    let listed = || {
        let ids: Vec<String> = measured
            .iter()
            .map(|one| Plain(&one.id).to_string())
            .collect();
        if ids.is_empty() {
            "none was measured to the end".to_owned()
        } else {
            format!("measured were {}", ids.join(", "))
        }
    };
    let wanted = match (asked, report.recommendation.winner.as_deref()) {
        (Some(asked), _) => asked,
        (None, Some(winner)) => winner,
        (None, None) => {
            return Err(Failure::no_answer(format!(
                "no variant is recommended: name one ({})",
                listed()
            )));
        }
    };
    let is_it = |one: &&&VariantReport| one.id == wanted || one.name == wanted;
    measured.iter().find(is_it).copied().ok_or_else(|| {
        let wanted_shown = Plain(wanted);
        Failure::usage(match others.iter().find(is_it) {
            Some(other) => format!(
                "{wanted_shown} was not measured to the end, it is {}: {}",
                other.status.name(),
                listed()
            ),
            None => format!("there is no variant `{wanted_shown}`: {}", listed()),
        })
    })
}

/// A component as it was measured, with the values of its parameters.
pub(super) struct MeasuredComponent {
    digest: String,
    pub(super) bytes: Vec<u8>,
    pub(super) parameters: BTreeMap<String, String>,
}

impl MeasuredComponent {
    pub(super) fn of(
        store: &Store,
        evidence: &Evidence,
        variant: &VariantReport,
    ) -> Result<Self, Failure> {
        let record = &evidence.record;
        let mut approaches = record.experiment.approaches.iter();
        let granted = approaches.any(|one| one.name == variant.approach && !one.grants.is_empty());
        if granted {
            return Err(Failure::usage(format!(
                "{} is granted folders, and a component alone would be measured without them: copy its \
                 approach in bakeoff.toml, with `component` in the place of `source` (`bakeoff build -o`)",
                Plain(&variant.name)
            )));
        }
        let not_kept = || {
            Failure::usage(format!(
                "the component of {} is not kept: `bakeoff run --fresh` measures and keeps it again",
                Plain(&variant.name)
            ))
        };
        let mut builds = record.builds.iter();
        let build = builds.find(|build| build.variant == variant.id);
        let digest = build.and_then(|build| build.value.digest.clone());
        let digest = digest.ok_or_else(not_kept)?;
        let contents = store.files().contents();
        let bytes = contents.get(&digest, COMPONENT_BYTES_MAX as u64)?;
        Ok(Self {
            bytes: bytes.ok_or_else(not_kept)?,
            digest,
            parameters: variant.parameters.clone(),
        })
    }
}

/// Writes the component to a new file, and names it in the experiment file; returns the file's name.
fn write(
    loaded: &LoadedExperiment,
    arguments: &Arguments,
    variant: &VariantReport,
    run: RunId,
    measured: &MeasuredComponent,
) -> Result<String, Failure> {
    let folder = Folder::named_by_user(&loaded.dir);
    let folder = folder.map_err(|error| cannot_write(&loaded.dir, &error))?;
    let file = format!("baselines/{}.wasm", arguments.name);
    let path = loaded.dir.join(&file);
    folder.write_new(&file, &measured.bytes).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::usage(format!(
            "{} exists already, and is not overwritten: remove it, or give the new one another name with --name",
            Plain(&path.display().to_string())
        )),
        _ => cannot_write(&path, &error).into(),
    })?;
    let experiment = if arguments.experiment.is_dir() {
        arguments.experiment.join(FILE_NAME)
    } else {
        arguments.experiment.clone()
    };
    let digest = measured.digest.get(..12).unwrap_or(&measured.digest);
    let description = format!(
        "{} as it was measured in run {} ({digest}).",
        variant.name, run.0
    );
    let text = bakeoff_config::with_component(
        &loaded.text,
        &arguments.name,
        &description,
        &file,
        &measured.parameters,
    );
    replace(&experiment, &text).map_err(|error| {
        // No approach names the file: the next attempt must be able to write it again.
        let _ = folder.remove(&file);
        cannot_write(&experiment, &error)
    })?;
    Ok(file)
}
