//! `bakeoff doctor`: tests this machine.

use super::Status;
use super::failure::Failure;
use super::options::{Format, Output, Safety};
use bakeoff_config::Policy;
use bakeoff_run::doctor;
use clap::Args;
use std::path::PathBuf;

/// Tests this machine: confinement, compiler, clocks, noise, cores and folders
///
/// Takes about seven seconds and changes nothing. Exits with 5 if this machine cannot confine
/// untrusted code.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff doctor
  bakeoff doctor examples/top-k     also tests the folder of its results
  bakeoff doctor --format json")]
pub(super) struct Arguments {
    /// The folder of an experiment, in which results would be stored
    #[arg(default_value = ".")]
    experiment: PathBuf,
    #[command(flatten)]
    safety: Safety,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    if !output.quiet && output.format == Format::Human {
        anstream::eprintln!("testing this machine, for about 7 s");
    }
    let examination = doctor::examine(doctor::Request {
        unconfined: arguments.safety.unconfined(&Policy::of_host()?)?,
        experiment: &arguments.experiment,
        cache: arguments.safety.cache()?,
    })
    .await;
    match output.format {
        Format::Json => super::show::write_json(&examination)?,
        _ => {
            let width = super::show::width();
            super::show::write(&bakeoff_render::doctor(
                &examination,
                width,
                output.colour(),
            ))?;
        }
    }
    Ok(if examination.can_run {
        Status::Done
    } else {
        Status::Infrastructure
    })
}
