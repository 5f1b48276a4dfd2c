//! The list of all questions: the last answer to each, when it was given, and whether a run goes on.

use super::monitor::{ListedFolders, Row};
use super::page::{ELSEWHERE, PageContent, page, part};
use super::places::Place;
use super::reports::Answer;
use bakeoff_domain::report::RankingOutcome;
use bakeoff_render::clipped;
use bakeoff_render::escape::Html;
use bakeoff_store::{RunStatus, RunSummary};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// The most characters of a problem, and of an answer.
const PROBLEM_CHARS_MAX: usize = 200;
const ANSWER_CHARS_MAX: usize = 600;

/// Returns the page of the list. `root` is the folder that the user named.
pub(crate) fn list_page(root: &Path, list: &str) -> String {
    // As it is called from elsewhere: `.` says nothing in a browser.
    let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
    let root = root.display().to_string();
    let markup = format!(
        "<h1>Experiments</h1>\n<p class=\"question\">Below {}</p>\n{}",
        Html(&root),
        part("list", list)
    );
    page(&PageContent {
        title: "Experiments",
        top: "",
        events: "events".to_owned(),
        markup,
    })
}

/// Returns the experiments without results as markup, by the entry of each; nothing where there is none.
pub(crate) fn unrun(places: &[Place], entry: impl Fn(&Place) -> String) -> String {
    if places.is_empty() {
        return String::new();
    }
    let entries: String = places.iter().map(entry).collect();
    format!("<h2>Without results</h2>\n<ul class=\"runs\">\n{entries}</ul>\n")
}

/// Returns the list as markup. With `may_run`, experiments without results follow it.
pub(crate) fn list(
    listed: &ListedFolders,
    answers: &BTreeMap<String, Answer>,
    may_run: bool,
) -> String {
    let mut out = String::new();
    if listed.rows.is_empty() && may_run && !listed.unrun.is_empty() {
        out.push_str("<p>No experiment has results yet.</p>\n");
    } else if listed.rows.is_empty() {
        out.push_str(
            "<p>No experiment has results yet. <code>bakeoff run DIR</code> in a terminal makes some, and they appear \
             here by themselves.</p>\n",
        );
    } else {
        out.push_str("<ul class=\"runs\">\n");
        for row in &listed.rows {
            out.push_str(&entry(row, answers.get(&row.place.id)));
        }
        out.push_str("</ul>\n");
    }
    if listed.is_partial {
        out.push_str(
            "<p class=\"what\">Some folders were left out, since there are too many, or they lie too deep: \
             <code>bakeoff serve DIR</code> of a folder below has those in it.</p>\n",
        );
    }
    out
}

fn entry(row: &Row, answer: Option<&Answer>) -> String {
    let id = &row.place.id;
    let path = shown(row.place.experiment());
    let mut out = String::new();
    let (name, state, problem) = match &row.summary {
        Ok(runs) => {
            let name = runs
                .last
                .as_ref()
                .map_or(path.as_str(), |run| run.name.as_str());
            (
                name,
                state(runs.last.as_ref(), row.is_held),
                runs.problem.as_str(),
            )
        }
        Err(_) => (path.as_str(), ("failed", "cannot be read".to_owned()), ""),
    };
    let (class, state) = state;
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<li>\n<h2><a id=\"to-{id}\" href=\"runs/{id}/\">{}</a> <span class=\"state {class}\">{}</span></h2>",
        Html(name),
        Html(&state)
    );
    if !problem.is_empty() {
        let _ = writeln!(
            out,
            "<p class=\"question\">{}</p>",
            Html(&clipped(problem, PROBLEM_CHARS_MAX))
        );
    }
    if let Err(reason) = &row.summary {
        let _ = writeln!(
            out,
            "<p class=\"what\">{}</p>",
            Html(&clipped(reason, ANSWER_CHARS_MAX))
        );
    }
    let runs = row.summary.as_ref().ok();
    if runs.is_some_and(|runs| runs.is_elsewhere) {
        let _ = writeln!(
            out,
            "<p class=\"what\" role=\"note\">{}</p>",
            Html(ELSEWHERE)
        );
    }
    let finished = runs.and_then(|runs| runs.finished.as_ref());
    match (finished, answer) {
        (Some(_), Some(answer)) => out.push_str(&answered(answer)),
        (Some(_), None) => out.push_str("<p>Its report is being worked out.</p>\n"),
        (None, _) => {}
    }
    let _ = write!(out, "<p class=\"soft\">{}", Html(&path));
    if let Some(run) = finished {
        let (number, time, shown) = (run.id.0, Html(&run.updated), when(&run.updated));
        let _ = write!(
            out,
            " · run {number}, finished <time datetime=\"{time}\">{}</time> after {:.0} s · <a id=\"report-{id}\" \
             href=\"runs/{id}/report\">report</a>",
            Html(&shown),
            run.seconds
        );
    }
    out + "</p>\n</li>\n"
}

/// Returns the class and the words for the state of the last run.
fn state(last: Option<&RunSummary>, is_held: bool) -> (&'static str, String) {
    match last {
        _ if is_held => ("running", "runs now".to_owned()),
        Some(run) => match run.status {
            RunStatus::Finished => ("finished", "finished".to_owned()),
            RunStatus::Failed => ("failed", format!("run {} failed", run.id.0)),
            RunStatus::Running | RunStatus::Interrupted => {
                ("open", format!("run {} was interrupted", run.id.0))
            }
        },
        None => ("open", "no run yet".to_owned()),
    }
}

/// Returns an answer as markup, with what changed since the run before.
pub(crate) fn answered(answer: &Answer) -> String {
    let class = match answer.outcome {
        Some(RankingOutcome::Winner) => "winner",
        Some(RankingOutcome::Tie | RankingOutcome::NoCall) => "open",
        Some(RankingOutcome::Nothing) | None => "none",
    };
    let mut out = String::new();
    for warning in &answer.warnings {
        let _ = writeln!(out, "<p class=\"what\" role=\"note\">{}</p>", Html(warning));
    }
    let text = clipped(&answer.text, ANSWER_CHARS_MAX);
    let _ = writeln!(
        out,
        "<div class=\"answer {class}\"><p>{}</p></div>",
        Html(&text)
    );
    if !answer.changes.is_empty() {
        let changes = answer.changes.join("; ");
        let _ = writeln!(out, "<p>Since the run before: {}</p>", Html(&changes));
    }
    out
}

/// Returns a time of RFC 3339 for people: `2026-11-28 10:13 UTC`. What is no such time stays as it is.
pub(crate) fn when(time: &str) -> String {
    match (time.get(..10), time.get(10..11), time.get(11..16)) {
        (Some(day), Some("T"), Some(minute)) if time.ends_with('Z') => {
            format!("{day} {minute} UTC")
        }
        _ => time.to_owned(),
    }
}

/// Returns a path below the folder that the user named, as it is shown.
pub(crate) fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    if text.is_empty() {
        ".".to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Runs;
    use bakeoff_store::RunId;

    fn run(name: &str, status: RunStatus) -> RunSummary {
        RunSummary {
            id: RunId(2),
            name: name.to_owned(),
            experiment_id: String::new(),
            status,
            started: String::new(),
            updated: "2026-11-28T10:00:00.000Z".to_owned(),
            seconds: 12.0,
            winner: None,
            bakeoff: String::new(),
        }
    }

    #[test]
    fn texts_of_others_are_escaped() {
        let hostile = "<script>alert(1)</script>\"'";
        let finished = run(hostile, RunStatus::Finished);
        let row = |summary| Row {
            place: Place {
                id: "0".to_owned(),
                below: format!("{hostile}/.bakeoff/x").into(),
            },
            is_held: false,
            summary,
        };
        let read = Runs {
            last: Some(finished.clone()),
            finished: Some(finished),
            problem: hostile.to_owned(),
            is_elsewhere: true,
        };
        let listed = ListedFolders {
            rows: vec![row(Ok(read)), row(Err(hostile.to_owned()))],
            is_partial: true,
            unrun: Vec::new(),
        };
        let answer = Answer {
            text: hostile.to_owned(),
            outcome: Some(RankingOutcome::Winner),
            changes: vec![hostile.to_owned()],
            warnings: vec![hostile.to_owned()],
        };
        let text = list(&listed, &[("0".to_owned(), answer)].into(), false);
        assert!(!text.contains("<script") && !text.contains("\"'"), "{text}");
        assert_eq!(text.matches(ELSEWHERE).count(), 1, "{text}");
        assert_eq!(text.matches("&lt;script&gt;").count(), 9, "{text}");
        let page = list_page(Path::new(hostile), &text);
        assert_eq!(page.matches("<script").count(), 1, "{page}");
    }

    #[test]
    fn a_time_is_written_for_people() {
        assert_eq!(when("2026-11-28T10:13:14.328Z"), "2026-11-28 10:13 UTC");
        for other in ["", "yesterday", "2026-11-28T10:13", "äöüäöüäöüäöüZ"] {
            assert_eq!(when(other), other);
        }
    }

    #[test]
    fn a_state_is_that_of_the_last_run() {
        let said = |status, is_held| state(Some(&run("x", status)), is_held).1;
        assert_eq!(said(RunStatus::Running, true), "runs now");
        assert_eq!(said(RunStatus::Interrupted, false), "run 2 was interrupted");
        assert_eq!(said(RunStatus::Failed, false), "run 2 failed");
        assert_eq!(state(None, false).1, "no run yet");
    }
}
