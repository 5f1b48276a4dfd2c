//! `bakeoff report`: the report of a run, also with other weights, or of what is known of one that has not ended. Nothing
//! is run.

use super::failure::Failure;
use super::options::{Format, Output};
use super::report_source::ReportPlace;
use super::{Status, kept_timing, show};
use bakeoff_domain::report::{self, Report};
use bakeoff_domain::score::{WeightError, parse_weight};
use bakeoff_run::audit::{self, runs_shown};
use bakeoff_store::RunId;
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Shows the report of a finished run again, in any format, also with other weights. It is worked
/// out anew from the samples that are kept. Of a run that was stopped it shows what is known so far,
/// and how to go on. Nothing is built, run or written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff report examples/top-k
  bakeoff report examples/top-k --weight memory=2 --weight simplicity=0
  bakeoff report examples/top-k --format html > report.html
  bakeoff report examples/top-k --run 2

Exit status: as of the run; 1 if the report that was kept is not what follows from the samples, or the run
has not ended.")]
pub(super) struct Arguments {
    /// An experiment's folder or file, or a folder of results, also those of `bakeoff time --out`
    #[arg(default_value = ".", value_name = "DIR|FILE")]
    from: PathBuf,
    /// How much a criterion counts instead; may be given for several
    #[arg(long = "weight", value_name = "NAME=X")]
    weights: Vec<String>,
    /// The number of the run, instead of the last one that has a report
    #[arg(long, value_name = "N")]
    run: Option<i64>,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    if let Some(timing) = kept_timing::find(&arguments.from)? {
        let given = [
            ("--weight", !arguments.weights.is_empty()),
            ("--run", arguments.run.is_some()),
        ];
        return match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(Failure::usage(format!(
                "a comparison of commands has no weights and no number: leave out {name}"
            ))),
            None => kept_timing::show(&timing, output),
        };
    }
    let weights = weights(&arguments.weights).map_err(refused)?;
    let place = ReportPlace::find(&arguments.from)?;
    let (store, shown) = place.report_so_far(arguments.run.map(RunId))?;
    let report = reweighted(&shown.with_warnings(), &weights).map_err(refused)?;
    let sources = audit::sources(&store, shown.run)?;
    let runs = match output.format {
        Format::Html if shown.report.unfinished.is_none() => runs_shown(&store, &shown.report)?,
        _ => Vec::new(),
    };
    show::print_kept(&report, sources, runs, &shown.warnings, output)?;
    Ok(shown.status(Status::of(&report)))
}

fn refused(error: WeightError) -> Failure {
    Failure::usage(error.to_string())
}

/// Returns the weights by criterion; if one is named twice, the later one counts.
fn weights(texts: &[String]) -> Result<BTreeMap<String, f64>, WeightError> {
    texts.iter().map(|text| parse_weight(text)).collect()
}

/// Returns the report with other weights, and a note of those that differ from the run's.
fn reweighted(report: &Report, weights: &BTreeMap<String, f64>) -> Result<Report, WeightError> {
    if weights.is_empty() {
        return Ok(report.clone());
    }
    let mut again = report::rescore(report, weights)?;
    let criteria = report.criteria.iter().zip(&again.criteria);
    let changes: Vec<String> = criteria
        .filter(|(before, after)| before.weight != after.weight)
        .map(|(before, after)| format!("{} {} (was {})", after.name, after.weight, before.weight))
        .collect();
    if !changes.is_empty() {
        let note = format!("weights were changed after the run: {}", changes.join(", "));
        again.notes.push(note);
        if !again.sections.is_empty() {
            let note = "what aggregators add is about the report with the weights of the run";
            again.notes.push(note.to_owned());
        }
    }
    Ok(again)
}
