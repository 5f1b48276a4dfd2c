//! The command line.

mod again;
mod build;
mod check;
mod compare;
mod completions;
mod doctor;
mod export;
mod failure;
mod init;
mod kept;
mod options;
mod pack;
mod pick;
mod progress;
mod regression;
mod report;
mod run;
mod runs;
mod show;
mod status;
mod two_runs;
mod verify;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

pub use status::Status;

/// Tries the ways to solve a problem in a sandbox, measures them against each other, and says
/// which one to take and how sure that is.
#[derive(Debug, Parser)]
#[command(name = "bakeoff", version, about, propagate_version = true, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    output: options::Output,
}

const EXAMPLES: &str = "\
Examples:
  bakeoff run examples/top-k              try four ways, and say which one to take
  bakeoff run examples/top-k --budget 5s  the same, with less time
  bakeoff report examples/top-k --weight memory=2
  bakeoff compare old.rs new.rs --wit wit --call top-k --cases cases.toml
  bakeoff build src/heap.rs --wit wit --call top-k -o heap.wasm
  bakeoff check heap.wasm --wit wit --call top-k
  bakeoff compare 1 2                     what became different between two kept runs
  bakeoff verify examples/top-k           are its figures the same when found out again?

Exit status:
  0  done, also with a tie            3  done, but some variants failed
  1  no answer, --fail-if-slower,     5  confinement, store or engine
     or a figure that differs
  2  usage or configuration         130  interrupted; the command that resumes is printed";

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an experiment
    Run(run::Arguments),
    /// Measure files against each other, without an experiment file; or hold two kept runs against
    /// each other
    Compare(compare::Arguments),
    /// Show a finished run again, also with other weights
    Report(report::Arguments),
    /// Say where the recommended variant's source is, or copy it
    Pick(pick::Arguments),
    /// List the runs of an experiment
    Runs(runs::Arguments),
    /// Find out again what a finished run rests on, and say what is the same
    Verify(verify::Arguments),
    /// Pack a finished run into one file, for another machine
    Pack(pack::Arguments),
    /// Write what is kept as JSON lines or CSV
    Export(export::Arguments),
    /// Write a small experiment to start from
    Init(init::Arguments),
    /// Build one prototype to a component
    Build(build::Arguments),
    /// Say what a prototype or component imports and exports, and what it would be refused for
    Check(check::Arguments),
    /// Look at this machine: what confines, builds and times prototypes here
    Doctor(doctor::Arguments),
    /// Write completions for a shell
    Completions(completions::CompletionArguments),
    /// Write the manual's pages
    Man(completions::ManArguments),
}

/// Parses the command line and does what it says.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    cli.output.apply();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            anstream::eprintln!("error: cannot start: {error}");
            return Status::Infrastructure.into();
        }
    };
    let outcome = runtime.block_on(async {
        match cli.command {
            Command::Run(arguments) => run::run(&arguments, &cli.output).await,
            Command::Compare(arguments) => compare::run(&arguments, &cli.output).await,
            Command::Report(arguments) => report::run(&arguments, &cli.output),
            Command::Pick(arguments) => pick::run(&arguments, &cli.output),
            Command::Runs(arguments) => runs::run(&arguments, &cli.output),
            Command::Verify(arguments) => verify::run(&arguments, &cli.output).await,
            Command::Pack(arguments) => pack::run(&arguments, &cli.output).await,
            Command::Export(arguments) => export::run(&arguments, &cli.output),
            Command::Init(arguments) => init::run(&arguments),
            Command::Build(arguments) => build::run(&arguments, &cli.output).await,
            Command::Check(arguments) => check::run(&arguments, &cli.output).await,
            Command::Doctor(arguments) => doctor::run(&arguments, &cli.output).await,
            Command::Completions(arguments) => completions::complete(&arguments),
            Command::Man(arguments) => completions::man(&arguments),
        }
    });
    match outcome {
        Ok(status) => status.into(),
        Err(failure) => failure.show(),
    }
}
