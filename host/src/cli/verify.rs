//! `bakeoff verify`: a finished run's figures, found out again.

use super::failure::Failure;
use super::options::{Format, Output, Safety};
use super::{Status, kept, show};
use crate::config::Policy;
use crate::coordinate::{self, Evidence, Given, Outcome, Prototypes, Verification};
use crate::render::inert::Plain;
use crate::store::{Mode, RunId, Store};
use clap::Args;
use std::path::{Path, PathBuf};

/// Finds out again what a finished run rests on, and says figure by figure whether it is the same:
/// components, answers, fuel and memory by building and checking once more in the sandbox, verdicts,
/// scores and ranks from the raw samples. Times are not measured again: they belong to their moment.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff verify examples/top-k
  bakeoff verify top-k.bundle                          what `bakeoff pack` made, here or elsewhere
  bakeoff verify examples/top-k --run 2 --format json
  bakeoff verify . --results kept                      of `bakeoff run --out kept`
  bakeoff verify . --results kept --also ../other      of `bakeoff compare a.rs ../other/b.rs --out kept`

Exit status: 0 if every figure that can be repeated here is the same, 1 if one differs.")]
pub(super) struct Arguments {
    /// An experiment's folder or file, a folder of results in it, or a bundle
    #[arg(default_value = ".", value_name = "DIR|FILE")]
    from: PathBuf,
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    safety: Safety,
}

/// Which run of which folder.
#[derive(Clone, Debug, Args)]
pub(super) struct Which {
    /// The number of the run, instead of the last one that is finished
    #[arg(long, value_name = "N")]
    pub(super) run: Option<i64>,
    /// The folder of the results, if it is not .bakeoff/NAME beside the experiment
    #[arg(long, value_name = "DIR")]
    pub(super) results: Option<PathBuf>,
    /// One more folder that files may be read from which the run recorded: for a run of `compare` on
    /// files that lie elsewhere. May be given several times
    #[arg(long, value_name = "DIR")]
    pub(super) also: Vec<PathBuf>,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let verification = match is_bundle(&arguments.from) {
        true => bundle(arguments, output).await?,
        false => folder(arguments, output).await?,
    };
    match output.format {
        Format::Json => show::write_json(&verification)?,
        _ => show::write(&text(&verification))?,
    }
    Ok(match verification.differ {
        0 => Status::Done,
        _ => Status::NoAnswer,
    })
}

/// A file that is neither an experiment nor a report: only a bundle is left.
fn is_bundle(named: &Path) -> bool {
    let end = named.extension().and_then(|end| end.to_str());
    named.is_file() && !matches!(end, Some("toml" | "json"))
}

async fn folder(arguments: &Arguments, output: &Output) -> Result<Verification, Failure> {
    let place = kept::Place::find(&arguments.from, arguments.which.results.as_deref())?;
    let store = Store::open(&place.results, Mode::Read)?;
    let evidence = Evidence::read(&store, arguments.which.run.map(RunId))?;
    let policy = Policy::of_host()?;
    let loaded = place.as_run(&evidence.record, &arguments.which.also, &policy)?;
    let given = Given {
        loaded: &loaded,
        evidence: &evidence,
        prototypes: Prototypes::Results(store.files().clone()),
    };
    verify(&given, policy, arguments, output).await
}

async fn bundle(arguments: &Arguments, output: &Output) -> Result<Verification, Failure> {
    let which = &arguments.which;
    if which.run.is_some() || which.results.is_some() || !which.also.is_empty() {
        return Err(Failure::usage(
            "a bundle holds one run and all that it takes: --run, --results and --also are for \
             folders",
        ));
    }
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::infrastructure(format!("cannot make a folder: {error}")))?;
    let policy = Policy::of_host()?;
    let mut unpacked = coordinate::unpack(&arguments.from, folder.path())?;
    policy.narrow(&mut unpacked.loaded)?;
    let given = Given {
        loaded: &unpacked.loaded,
        evidence: &unpacked.evidence,
        prototypes: Prototypes::Bundle(folder.path().to_owned()),
    };
    verify(&given, policy, arguments, output).await
}

async fn verify(
    given: &Given<'_>,
    policy: Policy,
    arguments: &Arguments,
    output: &Output,
) -> Result<Verification, Failure> {
    let mut say = output.sayer();
    let means = arguments.safety.means(policy)?;
    Ok(coordinate::verify(given, &means, &mut say).await?)
}

/// Every figure, by what it is about, and what they come to.
fn text(verification: &Verification) -> String {
    let mut text = String::new();
    let mut about: Option<&str> = None;
    for figure in &verification.figures {
        if about != Some(&figure.about) {
            text += &format!("{}\n", Plain(&figure.about));
            about = Some(&figure.about);
        }
        let name = Plain(&figure.figure).to_string();
        text += &match &figure.outcome {
            Outcome::Reproduced { value } => {
                format!("  {name:<34}  reproduced  {}\n", Plain(value))
            }
            Outcome::ReproducedToLastDigits { kept, here } => format!(
                "  {name:<34}  reproduced but for the last digits: {}, here {}\n",
                Plain(kept),
                Plain(here)
            ),
            Outcome::Differs { kept, here } => format!(
                "  {name:<34}  DIFFERS: kept is {}, here is {}\n",
                Plain(kept),
                Plain(here)
            ),
            Outcome::NotRepeated { why } => {
                format!("  {name:<34}  not repeated here: {}\n", Plain(why))
            }
        };
    }
    let of = format!(
        "run {} of {}",
        verification.run,
        Plain(&verification.experiment)
    );
    let counts = format!(
        "{} figures reproduced, {} differ, {} not repeated here",
        verification.reproduced, verification.differ, verification.not_repeated
    );
    text + &format!("\n{of}: {counts}\n")
}
