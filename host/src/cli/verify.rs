//! `bakeoff verify`: the figures of a finished run, computed again.

use super::failure::Failure;
use super::options::{Format, Output, Safety};
use super::other_machines::{WorkersArguments, say_workers};
use super::run_place::RunPlace;
use super::{Status, report_source, show};
use crate::library::Verification;
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::spec::Workers;
use bakeoff_files::Scratch;
use bakeoff_run::KnownMachine;
use bakeoff_run::audit::{self, KeptRun};
use bakeoff_store::RunId;
use clap::Args;
use std::path::{Path, PathBuf};

/// Finds out again what a finished run rests on, and says figure by figure whether it is the same:
/// components, answers, fuel and memory by building and checking once more in the sandbox,
/// verdicts, scores and ranks from the raw samples. Times are not measured again: they belong to
/// their moment.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff verify examples/top-k
  bakeoff verify top-k.bundle                          what `bakeoff pack` made, here or elsewhere
  bakeoff verify examples/top-k --run 2 --format json
  bakeoff verify kept                                  of `bakeoff run --out kept`, or of `compare`
  bakeoff verify . --results kept                      the same, where folders were granted

Exit status: 0 if every figure that can be repeated here is the same, 1 if one differs.")]
pub(super) struct Arguments {
    /// An experiment's folder or file, a folder of results in it, or a bundle
    #[arg(default_value = ".", value_name = "DIR|FILE")]
    from: PathBuf,
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    workers: WorkersArguments,
    #[command(flatten)]
    safety: Safety,
}

/// The run and the folder of results that a command is about.
#[derive(Clone, Debug, Args)]
pub(super) struct Which {
    /// The number of the run, instead of the last one that is finished
    #[arg(long, value_name = "N")]
    pub(super) run: Option<i64>,
    /// The folder of the results, if it is not .bakeoff/NAME beside the experiment
    #[arg(long, value_name = "DIR")]
    pub(super) results: Option<PathBuf>,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let verification = if is_bundle(&arguments.from) {
        bundle(arguments, output).await?
    } else {
        folder(arguments, output).await?
    };
    let verification = Verification::new(verification);
    show::write(&match output.format {
        Format::Json => verification.json(),
        _ => verification.text(),
    })?;
    Ok(if verification.is_reproduced() {
        Status::Done
    } else {
        Status::NoAnswer
    })
}

/// Returns true for a file that is neither an experiment nor a report, and so can only be a bundle.
fn is_bundle(named: &Path) -> bool {
    let end = named.extension().and_then(|end| end.to_str());
    named.exists() && !named.is_dir() && !matches!(end, Some("toml" | "json"))
}

async fn folder(arguments: &Arguments, output: &Output) -> Result<audit::Verification, Failure> {
    let place = RunPlace::find(&arguments.from, arguments.which.results.as_deref())?;
    let store = report_source::open(&place.results)?;
    let kept = KeptRun::read(&store, arguments.which.run.map(RunId))?;
    let policy = Policy::of_host()?;
    let loaded = place.loaded(&kept, &policy)?;
    verify(&kept, loaded, policy, arguments, output).await
}

async fn bundle(arguments: &Arguments, output: &Output) -> Result<audit::Verification, Failure> {
    let which = &arguments.which;
    if which.run.is_some() || which.results.is_some() {
        return Err(Failure::usage(
            "a bundle holds one run and all that it takes: --run and --results are for folders",
        ));
    }
    let folder = Scratch::new()
        .map_err(|error| Failure::infrastructure(format!("cannot make a folder: {error}")))?;
    let policy = Policy::of_host()?;
    let kept = audit::unpack(&arguments.from, folder.work())?;
    let mut loaded = kept.loaded(folder.work())?;
    policy.apply_to(&mut loaded)?;
    verify(&kept, loaded, policy, arguments, output).await
}

async fn verify(
    kept: &KeptRun,
    mut loaded: LoadedExperiment,
    policy: Policy,
    arguments: &Arguments,
    output: &Output,
) -> Result<audit::Verification, Failure> {
    let (workers, safety) = (&arguments.workers, &arguments.safety);
    if let Some(cores) = workers.cores() {
        loaded.experiment.measure.workers = Workers::Exactly(cores);
    }
    let machine = KnownMachine::default();
    // Whoever verifies may be one who doubts those that the policy names.
    let connecting = workers.connect_named(&machine, (safety, &policy), output);
    connecting.await?;
    let mut report = output.reporter();
    let host = safety.host_options_on(policy, &machine)?;
    let verified = audit::verify(kept, &loaded, &host, &mut report).await;
    say_workers(&machine, output);
    Ok(verified?)
}
