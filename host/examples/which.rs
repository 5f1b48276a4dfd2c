//! Asks an experiment from a program, instead of from the command line:
//!
//! ```text
//! cargo run --release --example which -- examples/top-k
//! ```

use bakeoff::{Error, Experiment, Status};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Children that build and run what is untrusted are this same program.
    if let Some(status) = bakeoff::enter_if_child() {
        return status;
    }
    let mut folders = std::env::args_os().skip(1).map(PathBuf::from);
    let Some(experiment) = folders.next() else {
        eprintln!("name the folder of an experiment, and, if you like, one for its results");
        return ExitCode::from(2);
    };
    match ask(experiment, folders.next()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn ask(folder: PathBuf, results: Option<PathBuf>) -> Result<(), Error> {
    let mut experiment = Experiment::open(folder)?;
    if let Some(results) = results {
        experiment = experiment.results(results);
    }
    let report = experiment.run()?;
    for variant in report.variants() {
        match (variant.rank(), variant.status()) {
            (Some(rank), _) => println!("{rank}. {}", variant.id()),
            (None, Status::Failed) => println!("-  {}: failed", variant.id()),
            (None, _) => println!("-  {}: not ranked", variant.id()),
        }
    }
    println!("{}", report.answer());
    Ok(())
}
