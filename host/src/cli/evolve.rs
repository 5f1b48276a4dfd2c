//! `bakeoff evolve`: a search for better approaches, in rounds, and the race that says what came of it.

use super::failure::Failure;
use super::options::Output;
use super::{Status, run, run_options};
use bakeoff_config::ROUNDS_MAX;
use clap::Args;

/// Searches for better approaches in rounds, and races the best against those of the experiment
///
/// A round makes candidates of the best so far (other values of a `sweep`, a changed place in a source), builds and checks
/// them, and times the best by fuel for a short time. That steers, and claims nothing: what is claimed comes from the race
/// at the end, on inputs that are drawn after the last candidate was made. [rounds] in bakeoff.toml has the options;
/// `bakeoff run` does the same where that table is.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff evolve examples/tiles             search, and race what was found
  bakeoff evolve examples/tiles --dry-run   what that may take
  bakeoff evolve examples/tiles --more 2    two rounds more, and another race
  bakeoff archive examples/tiles --tree     what was tried, and what came of it

Exit status: that of `bakeoff run`.")]
pub(super) struct Arguments {
    #[command(flatten)]
    run: run_options::Arguments,
    /// Add this many rounds to those that are over
    #[arg(long, value_name = "N", conflicts_with_all = ["rounds", "no_rounds"], value_parser = clap::value_parser!(u32).range(1..=i64::from(ROUNDS_MAX)))]
    more: Option<u32>,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let purpose = run::Purpose::Search {
        more: arguments.more,
    };
    run::to(purpose, &arguments.run, output).await
}
