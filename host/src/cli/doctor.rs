//! `bakeoff doctor`: tests this machine.

use super::Status;
use super::failure::Failure;
use super::options::{Format, Output, Safety};
use super::other_machines::{ServerFiles, server_address};
use bakeoff_config::Policy;
use bakeoff_run::doctor::{self, ServerFacts};
use bakeoff_workers::ServerAddress;
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
  bakeoff doctor --workers nats://build-1:4222
  bakeoff doctor --format json")]
pub(super) struct Arguments {
    /// The folder of an experiment, in which results would be stored
    #[arg(default_value = ".")]
    experiment: PathBuf,
    /// Also ask a server who works there for runs of this machine, and who does not and why: nats://HOST:PORT; without, that of
    /// the host's policy, if it names one
    #[arg(long, value_name = "ADDRESS", value_parser = server_address)]
    workers: Option<ServerAddress>,
    #[command(flatten)]
    files: ServerFiles,
    #[command(flatten)]
    safety: Safety,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let policy = Policy::of_host()?;
    let unconfined = arguments.safety.unconfined(&policy)?;
    let server = arguments
        .files
        .server(arguments.workers.as_ref(), &policy)?;
    if server.is_none() && arguments.files.are_given() {
        return Err(Failure::usage(
            "--workers-creds and --workers-ca belong to --workers nats://HOST:PORT",
        ));
    }
    if !output.quiet && output.format == Format::Human {
        anstream::eprintln!("testing this machine, for about 7 s");
    }
    let mut examination = doctor::examine(doctor::ExaminationScope {
        unconfined,
        experiment: &arguments.experiment,
        cache: arguments.safety.cache()?,
    })
    .await;
    if let Some(server) = server {
        let workers = ServerFacts::ask(&server.address, &server.credentials, unconfined).await;
        examination = examination.with_workers(workers);
    }
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
