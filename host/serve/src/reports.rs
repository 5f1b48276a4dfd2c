//! Reports of finished runs: each follows from what is kept, as `bakeoff report` works it out, and is remembered.

use super::monitor::Row;
use super::page::ELSEWHERE;
use super::places::Place;
use bakeoff_domain::report::{RankingOutcome, Report, words};
use bakeoff_domain::wording;
use bakeoff_render::Options;
use bakeoff_run::audit::{self, ConcludedRun, ReportStanding, compare_runs, runs_shown};
use bakeoff_store::{Mode, Origin, RunId, RunStatus, RunSummary, Store, StoreError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most answers that are remembered: twice as many as there are rows.
const ANSWERS_MAX: usize = 1_000;
/// The most pages that are remembered.
const PAGES_MAX: usize = 4;
/// The most changes since the run before that a row names.
const CHANGES_MAX: usize = 3;

/// The number of a run with the time of its last event: together they name what is remembered of it.
type RunKey = (String, i64, String);

/// The reports of finished runs below a folder, and those that are remembered.
pub(crate) struct Reports {
    root: PathBuf,
    answers: BTreeMap<RunKey, Answer>,
    pages: Vec<(RunKey, Arc<str>)>,
}

/// The answer of a finished run, for the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    /// The answer in a sentence or two, or why there is none.
    pub(crate) text: String,
    /// Outcome of the ranking; `None` where no report follows.
    pub(crate) outcome: Option<RankingOutcome>,
    /// Changes since the run before, in words.
    pub(crate) changes: Vec<String>,
    /// Sentences about a report that is not the one which was made with the run.
    pub(crate) warnings: Vec<String>,
}

impl Reports {
    /// Begins with nothing remembered.
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            answers: BTreeMap::new(),
            pages: Vec::new(),
        }
    }

    /// Returns the answers of the rows that have a finished run, by their ids: of those that are not known yet, as many
    /// as are worked out within a time.
    pub(crate) fn answers(&mut self, rows: &[Row], within: Duration) -> BTreeMap<String, Answer> {
        let started = Instant::now();
        let mut found = BTreeMap::new();
        for row in rows {
            let Some(run) = row
                .summary
                .as_ref()
                .ok()
                .and_then(|runs| runs.finished.as_ref())
            else {
                continue;
            };
            let is_late = started.elapsed() > within;
            let answer = self.answer(&row.place, run, is_late);
            found.extend(answer.map(|answer| (row.place.id.clone(), answer)));
        }
        found
    }

    /// Returns the answer of a finished run: with `only_known`, if it was worked out before.
    pub(crate) fn answer(
        &mut self,
        place: &Place,
        run: &RunSummary,
        only_known: bool,
    ) -> Option<Answer> {
        let key = (place.id.clone(), run.id.0, run.updated.clone());
        if let Some(known) = self.answers.get(&key) {
            return Some(known.clone());
        }
        if only_known {
            return None;
        }
        let read = answer(&self.root, place, run.id).unwrap_or_else(|text| Answer {
            text,
            ..Answer::default()
        });
        if self.answers.len() >= ANSWERS_MAX {
            self.answers.clear();
        }
        self.answers.insert(key, read.clone());
        Some(read)
    }

    /// Returns the page of the report of a run, or of the last finished one; `None` if there is none.
    ///
    /// # Errors
    /// The reason why no report follows from what is kept.
    pub(crate) fn page(
        &mut self,
        place: &Place,
        run: Option<i64>,
    ) -> Result<Option<Arc<str>>, String> {
        let store = open(&self.root, place)?;
        let runs = store.runs().map_err(|error| error.to_string())?;
        let mut finished = runs
            .iter()
            .rev()
            .filter(|one| one.status == RunStatus::Finished);
        let Some(summary) = finished.find(|one| run.is_none_or(|run| one.id.0 == run)) else {
            return Ok(None);
        };
        // It shows other runs, too.
        let state = format!("{} of {}", summary.updated, runs.len());
        let key = (place.id.clone(), summary.id.0, state);
        if let Some((_, page)) = self.pages.iter().find(|(known, _)| *known == key) {
            return Ok(Some(page.clone()));
        }
        let Some(page) = page(&store, summary.id)? else {
            return Ok(None);
        };
        let page: Arc<str> = page.into();
        if self.pages.len() >= PAGES_MAX {
            self.pages.remove(0);
        }
        self.pages.push((key, page.clone()));
        Ok(Some(page))
    }
}

fn open(root: &Path, place: &Place) -> Result<Store, String> {
    let opened = place.results(root).open(Mode::Read);
    opened.map_err(|error| error.to_string())
}

fn concluded(store: &Store, run: RunId) -> Result<Option<ConcludedRun>, String> {
    audit::concluded(store, Some(run)).map_err(|error| error.to_string())
}

/// Returns the answer of a finished run, with what changed since the one before.
fn answer(root: &Path, place: &Place, run: RunId) -> Result<Answer, String> {
    let store = open(root, place)?;
    let Some(concluded) = concluded(&store, run)? else {
        return Err(format!("run {} has no report", run.0));
    };
    Ok(Answer {
        text: bakeoff_render::answer(&concluded.report, &Options::default())
            .trim_end()
            .to_owned(),
        outcome: Some(concluded.report.recommendation.outcome),
        changes: changes(&store, &concluded),
        // Whether it comes from elsewhere stands in the row, also where there is no report.
        warnings: warnings_of(&concluded),
    })
}

/// Returns what changed since the finished run before, in words; nothing where there is none, or where its report does
/// not follow from what is kept.
fn changes(store: &Store, now: &ConcludedRun) -> Vec<String> {
    let runs = store.runs().unwrap_or_default();
    let mut before = runs.iter().rev().filter(|one| one.id < now.run);
    let before = before.find(|one| one.status == RunStatus::Finished);
    let Some(before) = before.and_then(|one| concluded(store, one.id).ok().flatten()) else {
        return Vec::new();
    };
    let compared = compare_runs(&before.report, &now.report);
    let name = |report: &Report, id: &Option<String>| match id {
        Some(id) => words::name(report, id),
        None => "nobody".to_owned(),
    };
    let mut changes = Vec::new();
    if compared.winner.0 != compared.winner.1 {
        let (then, now) = (
            name(&before.report, &compared.winner.0),
            name(&now.report, &compared.winner.1),
        );
        changes.push(format!("the best was {then}, and is {now}"));
    }
    let verdicts = compared
        .verdicts
        .iter()
        .filter(|one| one.case.is_none())
        .count();
    if verdicts > 0 {
        let verdicts = wording::counted(verdicts, "verdict");
        changes.push(format!("{verdicts} changed"));
    }
    for (what, then, now) in compared.environment {
        changes.push(format!("{what} {then} → {now}"));
    }
    let more = changes.len().saturating_sub(CHANGES_MAX);
    changes.truncate(CHANGES_MAX);
    if more > 0 {
        changes.push(format!("and {more} more"));
    }
    changes
}

/// Returns the sentences about the origin of a report that whoever reads it must know.
fn warnings(store: &Store, run: &ConcludedRun) -> Vec<String> {
    let elsewhere = (store.origin() == Origin::Elsewhere).then(|| ELSEWHERE.to_owned());
    elsewhere.into_iter().chain(warnings_of(run)).collect()
}

/// Returns the sentences about a report that is not the one which was made with its run.
fn warnings_of(run: &ConcludedRun) -> Vec<String> {
    let mut warnings = Vec::new();
    match &run.standing {
        ReportStanding::Same => {}
        ReportStanding::Differs(_) => warnings.push(
            "The report in the database is not what follows from the samples, and what follows from them is shown: \
             `bakeoff verify` names the differences."
                .to_owned(),
        ),
        ReportStanding::OtherVersion { made_by } => warnings.push(format!(
            "bakeoff {made_by} made this run, and by the rules of this one, {}, its report comes out otherwise: that \
             one is shown.",
            env!("CARGO_PKG_VERSION")
        )),
        ReportStanding::Unfinished(status) => warnings.push(format!(
            "This run went on after its report was made, and has not ended: it is {}.",
            status.name()
        )),
    }
    warnings
}

/// Returns the page of the report of a run.
fn page(store: &Store, run: RunId) -> Result<Option<String>, String> {
    let Some(concluded) = concluded(store, run)? else {
        return Ok(None);
    };
    let refused = |error: StoreError| error.to_string();
    let options = Options {
        sources: audit::sources(store, run).map_err(refused)?,
        runs: runs_shown(store, &concluded.report).map_err(refused)?,
        warnings: warnings(store, &concluded),
        ..Options::default()
    };
    Ok(Some(bakeoff_render::html(&concluded.report, &options)))
}
