//! `bakeoff compare RUN RUN`: what became different between two kept runs.

use super::failure::Failure;
use super::options::{Format, Output};
use super::{Status, kept, show};
use crate::render::inert::Plain;
use crate::store::{Mode, RunComparison, RunId, Store, VariantChange, VerdictChange, compare};
use bakeoff_domain::report::Status as VariantStatus;
use bakeoff_domain::verdict::Verdict;
use std::path::{Path, PathBuf};

/// A kept run, as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// An experiment's folder, or a folder of results.
    folder: PathBuf,
    /// The number of the run; `None`: the last one with a report.
    run: Option<i64>,
}

impl Named {
    /// `3`: run 3 of the experiment here; `DIR:3`: run 3 of that one; `DIR`: its last run. Nothing
    /// else is a run, and a file never is one, whatever it is called.
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

    fn report(&self) -> Result<kept::Shown, Failure> {
        let store = Store::open(&kept::results(&self.folder)?, Mode::Read)?;
        let found = kept::of_run(&store, self.run.map(RunId))?;
        let shown = found.ok_or_else(|| {
            let folder = self.folder.display().to_string();
            let which = match self.run {
                Some(run) => format!("run {run} of {}", Plain(&folder)),
                None => format!("every run of {}", Plain(&folder)),
            };
            Failure::usage(format!(
                "{which} is without a report: `bakeoff run` goes on with the last one"
            ))
        })?;
        kept::sound(&shown.report, &self.folder)?;
        Ok(shown)
    }
}

/// Says what became different from the first to the second. Times of two runs are no match for a
/// comparison within one: nothing is concluded from them here.
pub(super) fn run(before: &Named, after: &Named, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let (before, after) = (before.report()?, after.report()?);
    let comparison = compare(&before.report, &after.report);
    match output.format {
        Format::Json => show::write_json(&comparison)?,
        _ => show::write(&differences(&comparison))?,
    }
    Ok(before.status(after.status(Status::Done)))
}

fn differences(comparison: &RunComparison) -> String {
    let mut text = String::new();
    let (before, after) = &comparison.winner;
    text += &match before == after {
        true => format!("winner: {}, in both\n", word(before.as_deref())),
        false => format!(
            "winner: {}, then {}\n",
            word(before.as_deref()),
            word(after.as_deref())
        ),
    };
    for (name, before, after) in &comparison.environment {
        text += &format!(
            "measured elsewhere, so times may not be compared: {name} was {}, then {}\n",
            Plain(before),
            Plain(after)
        );
    }
    text += "variants:\n";
    for change in &comparison.variants {
        text += &variant(change);
    }
    if comparison.verdicts.is_empty() {
        return text + "verdicts: the same wherever both runs give one\n";
    }
    text += "verdicts that differ:\n";
    for change in &comparison.verdicts {
        text += &verdict(change);
    }
    text
}

fn variant(change: &VariantChange) -> String {
    let mut parts = vec![match change.status {
        (None, Some(after)) => format!("new, {}", status(after)),
        (Some(before), None) => format!("was {}, and is gone", status(before)),
        (Some(before), Some(after)) if before != after => {
            format!("{}, then {}", status(before), status(after))
        }
        (Some(both), Some(_)) => status(both).to_owned(),
        (None, None) => "in neither".to_owned(),
    }];
    if let (Some(before), Some(after)) = change.rank {
        parts.push(match before == after {
            true => format!("rank {after}"),
            false => format!("rank {before}, then {after}"),
        });
    }
    if let (Some(before), Some(after)) = change.total {
        parts.push(format!("score {before:.2}, then {after:.2}"));
    }
    format!("  {}: {}\n", Plain(&change.id), parts.join("; "))
}

fn verdict(change: &VerdictChange) -> String {
    let case = change.case.as_ref().map(|case| format!(" on {case}"));
    format!(
        "  {} against {}{}: {}, then {}\n",
        Plain(&change.a),
        Plain(&change.b),
        Plain(&case.unwrap_or_default()),
        said(change.before),
        said(change.after)
    )
}

fn word(id: Option<&str>) -> String {
    id.map_or_else(|| "none".to_owned(), |id| Plain(id).to_string())
}

fn status(status: VariantStatus) -> &'static str {
    match status {
        VariantStatus::Ranked => "ranked",
        VariantStatus::Eliminated => "eliminated",
        VariantStatus::Failed => "failed",
        VariantStatus::Unranked => "unranked",
    }
}

fn said(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Beats => "beats it",
        Verdict::Beaten => "is beaten",
        Verdict::Tie => "ties",
        Verdict::NoCall => "no call",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_named_by_number_and_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = |end: &str| PathBuf::from(format!("{}{end}", folder.path().display()));
        let named = |folder: PathBuf, run| Some(Named { folder, run });
        assert_eq!(Named::parse(Path::new("12")), named(".".into(), Some(12)));
        assert_eq!(Named::parse(&path("")), named(path(""), None));
        assert_eq!(Named::parse(&path(":3")), named(path(""), Some(3)));
        for word in ["", "1a", "-1", "+1", "heap.rs", ":1", "/none/such:1", "1:"] {
            assert_eq!(Named::parse(Path::new(word)), None, "{word}");
        }
        std::fs::write(path("/7"), "").unwrap();
        assert_eq!(Named::parse(&path("/7")), None, "a file");
    }
}
