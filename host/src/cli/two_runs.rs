//! `bakeoff compare RUN RUN`: shows what changed between two runs.

use super::failure::Failure;
use super::kept_timing::{self, ReportedTiming};
use super::options::{Format, Output};
use super::{Status, changed_times, report_source, show};
use bakeoff_domain::anchored::TimeChanges;
use bakeoff_domain::series::Quantity;
use bakeoff_render::escape::Plain;
use bakeoff_run::audit::{
    ReportedRun, RunComparison, VariantChange, VerdictChange, compare_runs, time_changes,
};
use bakeoff_run::{Evidence, Record};
use bakeoff_store::RunId;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A stored run, as the user refers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RunReference {
    /// An experiment's folder, or a folder of results.
    folder: PathBuf,
    /// Number of the run; `None`: the last one with a report.
    run: Option<i64>,
}

impl RunReference {
    /// Parses a reference: `3` is run 3 of the experiment in this folder, `DIR:3` is run 3 of that
    /// one, `DIR` is its last run. `None` for anything else, and for the name of a file.
    pub(super) fn parse(word: &Path) -> Option<Self> {
        if word.is_file() {
            return None;
        }
        let text = word.to_str()?;
        let number = |text: &str| {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| digits)
        };
        let (folder, run) = match text.rsplit_once(':') {
            _ if word.is_dir() => (word.to_owned(), None),
            Some((folder, run)) => (PathBuf::from(folder), Some(number(run)?)),
            None => (PathBuf::from("."), Some(number(text)?)),
        };
        folder.is_dir().then_some(Self { folder, run })
    }

    /// Returns the comparison of commands that is kept in the folder, if one is.
    ///
    /// # Errors
    /// It is damaged, or a number of a run is given.
    pub(super) fn timing(&self) -> Result<Option<ReportedTiming>, Failure> {
        let found = kept_timing::find(&self.folder)?;
        if found.is_some() && self.run.is_some() {
            return Err(Failure::usage(format!(
                "{} has a comparison of commands, which has no number: name the folder alone",
                self.folder.display()
            )));
        }
        Ok(found)
    }

    fn report(&self) -> Result<(report_source::DisplayedReport, Record), Failure> {
        let store = report_source::open(&report_source::results(&self.folder)?)?;
        let shown = report_source::of_run(&store, self.run.map(RunId), &self.folder)?;
        let evidence = Evidence::read(&store, shown.run, shown.report.cost.seconds)?;
        Ok((shown, evidence.record))
    }
}

/// Changes from one run to another, as they are written in JSON.
#[derive(Serialize)]
struct Difference {
    #[serde(flatten)]
    reports: RunComparison,
    times: TimeChanges,
}

/// Returns the error about a comparison of commands beside a run.
pub(super) fn not_of_a_kind() -> Failure {
    Failure::usage(
        "one of the two is a comparison of commands (`bakeoff time --out`), and the other is of runs: name two of a kind",
    )
}

/// Shows the changes from the first run to the second. Times are compared by way of a component that was timed in both,
/// or not at all.
pub(super) fn run(
    before: &RunReference,
    after: &RunReference,
    output: &Output,
) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    // The second is not looked at where the first is refused.
    let (before, before_record) = before.report()?;
    if after.timing()?.is_some() {
        return Err(not_of_a_kind());
    }
    let (after, after_record) = after.report()?;
    let run = |report, record| ReportedRun { report, record };
    let difference = Difference {
        reports: compare_runs(&before.report, &after.report),
        times: time_changes(
            &run(&before.report, &before_record),
            &run(&after.report, &after_record),
        ),
    };
    match output.format {
        Format::Json => show::write_json(&difference)?,
        _ => {
            let none = "no variant that was timed in both runs has another component";
            let times = changed_times::lines(&difference.times, &Quantity::time("time"), none);
            show::write(&(differences(&difference.reports) + &times))?;
        }
    }
    Ok(before.status(after.status(Status::Done)))
}

fn differences(comparison: &RunComparison) -> String {
    let mut text = String::new();
    let (before, after) = &comparison.winner;
    text += &if before == after {
        format!("winner: {} in both runs\n", word(before.as_deref()))
    } else {
        format!(
            "winner: {} → {}\n",
            word(before.as_deref()),
            word(after.as_deref())
        )
    };
    for (name, before, after) in &comparison.environment {
        text += &format!(
            "environment differs: {name} {} → {}\n",
            Plain(before),
            Plain(after)
        );
    }
    text += "variants:\n";
    for change in &comparison.variants {
        text += &variant(change);
    }
    if comparison.pairs_in_both == 0 {
        return text + "verdicts: no pair was compared in both runs\n";
    }
    if comparison.verdicts.is_empty() {
        return text + "verdicts: the same for all pairs in both runs\n";
    }
    text += "changed verdicts:\n";
    for change in &comparison.verdicts {
        text += &verdict(change);
    }
    text
}

fn variant(change: &VariantChange) -> String {
    let mut parts = vec![match change.status {
        (None, Some(after)) => format!("new: {}", after.name()),
        (Some(before), None) => format!("removed: was {}", before.name()),
        (Some(before), Some(after)) if before != after => {
            format!("{} → {}", before.name(), after.name())
        }
        (Some(both), Some(_)) => both.name().to_owned(),
        (None, None) => "in neither run".to_owned(),
    }];
    if let (Some(before), Some(after)) = change.rank {
        parts.push(if before == after {
            format!("rank {after}")
        } else {
            format!("rank {before} → {after}")
        });
    }
    if let (Some(before), Some(after)) = change.total {
        parts.push(format!("total {before:.2} → {after:.2}"));
    }
    format!("  {}: {}\n", Plain(&change.id), parts.join("; "))
}

fn verdict(change: &VerdictChange) -> String {
    let case = change.case.as_ref().map(|case| format!(" on {case}"));
    format!(
        "  {} against {}{}: {} → {}\n",
        Plain(&change.a),
        Plain(&change.b),
        Plain(&case.unwrap_or_default()),
        change.before.name(),
        change.after.name()
    )
}

fn word(id: Option<&str>) -> String {
    id.map_or_else(|| "none".to_owned(), |id| Plain(id).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_referred_to_by_number_and_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = |end: &str| PathBuf::from(format!("{}{end}", folder.path().display()));
        let reference = |folder: PathBuf, run| Some(RunReference { folder, run });
        assert_eq!(
            RunReference::parse(Path::new("12")),
            reference(".".into(), Some(12))
        );
        assert_eq!(RunReference::parse(&path("")), reference(path(""), None));
        assert_eq!(
            RunReference::parse(&path(":3")),
            reference(path(""), Some(3))
        );
        for word in ["", "1a", "-1", "+1", "heap.rs", ":1", "/none/such:1", "1:"] {
            assert_eq!(RunReference::parse(Path::new(word)), None, "{word}");
        }
        std::fs::write(path("/7"), "").unwrap();
        assert_eq!(RunReference::parse(&path("/7")), None, "a file");
    }
}
