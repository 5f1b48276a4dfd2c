//! `bakeoff pick`: the file of the variant to take.

use super::failure::Failure;
use super::kept::Kept;
use super::options::{Format, Output};
use super::{Status, show};
use crate::config::Loaded;
use crate::render::inert::Plain;
use bakeoff_domain::ids;
use bakeoff_domain::report::{Outcome, Report, Variant};
use clap::Args;
use serde::Serialize;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Says where the source, or component, of the recommended variant is, or makes a copy of it. Exits
/// with 1 if no variant could be recommended.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff pick examples/top-k
  bakeoff pick examples/top-k --copy src/top_k.rs")]
pub(super) struct Arguments {
    /// An experiment's folder or file, a folder of results, or a report.json
    #[arg(default_value = ".", value_name = "DIR|FILE")]
    from: PathBuf,
    /// Copies it to a file that does not exist yet
    #[arg(long, value_name = "FILE")]
    copy: Option<PathBuf>,
}

/// What is said of the winner in JSON.
#[derive(Serialize)]
struct Said<'a> {
    id: &'a str,
    name: &'a str,
    file: String,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let kept = Kept::find(&arguments.from)?;
    let report = kept.report()?.report;
    let winner = winner(&report)?;
    let own = kept
        .experiment
        .as_ref()
        .and_then(|loaded| file_of(loaded, &winner.id));
    let file = match (&arguments.copy, own) {
        (None, own) => own.unwrap_or_else(|| PathBuf::from(&winner.file)),
        (Some(to), Some(from)) => {
            copy(&from, to)?;
            to.clone()
        }
        // A report may have been sent by anybody: no file is opened because a report names it.
        (Some(_), None) => {
            return Err(Failure::usage(format!(
                "the experiment with {} was not found beside this report, so there is nothing to \
                 copy from: name the experiment's folder",
                Plain(&winner.id)
            )));
        }
    };
    let file = file.display().to_string();
    match output.format {
        Format::Json => show::write_json(&Said {
            id: &winner.id,
            name: &winner.name,
            file,
        })?,
        _ => show::write(&format!("{}\n", Plain(&file)))?,
    }
    Ok(Status::Done)
}

/// The variant that is recommended; or why there is none.
fn winner(report: &Report) -> Result<&Variant, Failure> {
    let recommendation = &report.recommendation;
    let find = |id: &String| report.variants.iter().find(|variant| variant.id == *id);
    if let Some(winner) = recommendation.winner.as_ref().and_then(find) {
        return Ok(winner);
    }
    let tied = recommendation.tied.iter().filter_map(find);
    let tied: Vec<String> = tied
        .map(|variant| format!("{} ({})", Plain(&variant.id), Plain(&variant.file)))
        .collect();
    let tied = tied.join(" and ");
    Err(Failure::no_answer(match recommendation.outcome {
        Outcome::Nothing => "nothing to pick: no variant passed and was ranked; `bakeoff report` \
                             says why of each"
            .to_owned(),
        Outcome::NoCall => format!(
            "nothing to pick: measuring ended before it was known which is ahead, {tied}; run \
             with a larger --budget, or take either"
        ),
        Outcome::Tie | Outcome::Winner => format!(
            "nothing to pick: the first place is shared by {tied}; take either, or let another \
             criterion decide"
        ),
    }))
}

/// Where the experiment has the code of a variant.
fn file_of(loaded: &Loaded, id: &str) -> Option<PathBuf> {
    let approaches = &loaded.experiment.approaches;
    let ids = ids::unique(approaches.iter().map(|approach| approach.name.as_str()));
    let mut named = ids.into_iter().zip(approaches);
    let (_, approach) = named.find(|(own, _)| own == id)?;
    Some(loaded.dir.join(approach.code.path()))
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::usage(format!(
            "cannot copy {} to {}: {error}",
            Plain(&from.display().to_string()),
            Plain(&to.display().to_string())
        ))
    };
    let mut source = File::open(from).map_err(failed)?;
    let mut copy = File::create_new(to).map_err(failed)?;
    std::io::copy(&mut source, &mut copy).map_err(failed)?;
    Ok(())
}
