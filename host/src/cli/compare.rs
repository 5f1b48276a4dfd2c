//! `bakeoff compare`: files compared directly, without an experiment file.

use super::compare_options::Arguments;
use super::failure::Failure;
use super::file_comparison::{FileComparison, Files};
use super::options::{Format, Output};
use super::two_runs::{self, RunReference};
use super::{Status, revisions, show, two_timings};
use bakeoff_compare::{UNTIMED, is_crate, no_crate};
use bakeoff_render::escape::Plain;
use bakeoff_render::{ComparisonOutcome, UntimedComparison};
use std::path::Path;

fn no_run_and_no_file(named: &Path) -> Failure {
    Failure::usage(format!(
        "{} is neither a run nor a file: a run is N, DIR:N, or DIR, and `bakeoff runs DIR` lists them; revisions of a \
         package are compared with --package NAME",
        Plain(&named.display().to_string())
    ))
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    show::has_format(output.format)?;
    if arguments.package.is_some() {
        let compared = revisions::run(arguments, output).await;
        return compared.or_else(|failure| not_built(failure, output));
    }
    if let Some((before, after)) = arguments.runs()? {
        let Some(timing) = before.timing()? else {
            return two_runs::run(&before, &after, output);
        };
        let other = after.timing()?.ok_or_else(two_runs::not_of_a_kind)?;
        return two_timings::run(&timing, &other, output);
    }
    let files = Files {
        named: &arguments.files,
        call: arguments.call.as_deref(),
        sources: None,
        confidence: None,
        programs: None,
    };
    let compared = arguments.compared(&files, output).await;
    match compared.or_else(|failure| not_built(failure, output))? {
        FileComparison::Interrupted => Ok(Status::Interrupted),
        FileComparison::Untimed(untimed) => arguments.show_untimed(&untimed, output),
        FileComparison::Timed(timed) => arguments.show_timed(&timed, output),
    }
}

/// Writes a failure to build a file in the requested format, unless that is text, and returns the failure: a program
/// that reads a format waits for an output.
fn not_built<T>(failure: Failure, output: &Output) -> Result<T, Failure> {
    if failure.is_no_answer() && output.format != Format::Human {
        let untimed = UntimedComparison {
            outcome: ComparisonOutcome::BuildFailed,
            reason: failure.text(),
            ..UNTIMED
        };
        show::print_untimed(&untimed, output)?;
    }
    Err(failure)
}

impl Arguments {
    /// Returns the two stored runs, if the arguments name runs.
    fn runs(&self) -> Result<Option<(RunReference, RunReference)>, Failure> {
        let [before, after] = self.files.as_slice() else {
            return Ok(None);
        };
        let (before, after) = match (RunReference::parse(before), RunReference::parse(after)) {
            (Some(before), Some(after)) => (before, after),
            (Some(_), None) if !after.exists() => return Err(no_run_and_no_file(after)),
            (None, Some(_)) if !before.exists() => return Err(no_run_and_no_file(before)),
            _ => return Ok(None),
        };
        if let Some(folder) = self.files.iter().find(|folder| is_crate(folder)) {
            return Err(Failure::usage(no_crate(folder)));
        }
        let given = [
            ("--wit", self.wit.is_some()),
            ("--call", self.call.is_some()),
            ("--workload", self.workload.is_some()),
            ("--cases", self.cases.is_some()),
            ("--seed", self.seed.is_some()),
            ("--budget", self.budget.is_some()),
            ("--quick or --careful", self.effort.is_given()),
            ("--workers", self.workers.is_some()),
            ("--fail-if-slower", self.fail_if_slower.is_some()),
            ("--save-case", self.save_case.is_some()),
            ("--save-inputs", self.save_inputs.is_some()),
            ("--natively", self.natively),
            ("--out", self.out.is_some()),
        ];
        let given = given.into_iter().chain(self.compiled_for.given());
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(Failure::usage(format!(
                "{} and {} name kept runs, which are compared without running anything: leave out {name}, or name files",
                Plain(&self.files[0].display().to_string()),
                Plain(&self.files[1].display().to_string())
            ))),
            None => Ok(Some((before, after))),
        }
    }
}
