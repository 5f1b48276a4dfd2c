//! `bakeoff pack`: a finished run packed as one file, for another machine.

use super::failure::Failure;
use super::options::{Format, Output};
use super::run_place::RunPlace;
use super::verify::Which;
use super::{Status, report_source, show};
use bakeoff_domain::ids;
use bakeoff_render::escape::Plain;
use bakeoff_run::audit::{self, KeptRun};
use bakeoff_store::RunId;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Packs a finished run into one file: components, sources, inputs, raw samples, report and where
/// it was measured, each with its digest. `bakeoff verify FILE` checks it on any machine.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff pack examples/top-k                          writes top-k.bundle
  bakeoff pack examples/top-k --run 2 --out run-2.bundle
  tar --list --file top-k.bundle                       a bundle is a plain tar archive")]
pub(super) struct Arguments {
    /// An experiment's folder or file, or a folder of results in it
    #[arg(default_value = ".", value_name = "DIR|FILE")]
    from: PathBuf,
    #[command(flatten)]
    which: Which,
    /// The file to write, which must not exist yet, instead of NAME.bundle here
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The output in JSON.
#[derive(Serialize)]
struct PackOutput<'a> {
    bundle: String,
    experiment: &'a str,
    run: i64,
    files: usize,
    bytes: u64,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let place = RunPlace::find(&arguments.from, arguments.which.results.as_deref())?;
    let store = report_source::open(&place.results)?;
    let kept = KeptRun::read(&store, arguments.which.run.map(RunId))?;
    let name = ids::slug(&kept.evidence.record.experiment.name);
    let to = arguments.out.clone();
    let to = to.unwrap_or_else(|| PathBuf::from(format!("{name}.bundle")));
    let manifest = audit::pack(&kept, &to)?;
    let bundle = to.display().to_string();
    let said = PackOutput {
        bundle: bundle.clone(),
        experiment: &manifest.experiment,
        run: manifest.run,
        files: manifest.files.len(),
        bytes: manifest.files.iter().map(|file| file.bytes).sum(),
    };
    match output.format {
        Format::Json => show::write_json(&said)?,
        _ => show::write(&format!(
            "{}: run {} of {}, {} files; on any machine: bakeoff verify {}\n",
            Plain(&bundle),
            said.run,
            Plain(said.experiment),
            said.files,
            Plain(&bundle)
        ))?,
    }
    Ok(Status::Done)
}
