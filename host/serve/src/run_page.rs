//! The page of the last run of an experiment: how far it is, who leads and how sure that is, and what happens.

use super::list_page::{answered, shown, when};
use super::live::RunState;
use super::page::{ELSEWHERE, PageContent, page, part};
use super::places::Place;
use super::reports::Answer;
use super::resources::{models, tasks};
use super::standings::standings;
use bakeoff_render::clipped;
use bakeoff_render::escape::Html;
use bakeoff_store::events::{Stage, title};
use bakeoff_store::{RunId, RunStatus};
use std::fmt::Write as _;

/// The most earlier runs that are listed.
const RUNS_MAX: usize = 24;
/// Id of the part that has the answer.
const ANSWER: &str = "answer";
/// The most characters of a message, and of a problem.
const MESSAGE_CHARS_MAX: usize = 1_000;

/// A part of the page that changes while the run goes on.
pub(crate) type Part = (&'static str, String);

/// Returns the page of a run. `answer` is that of the last finished run, and `beside` stands beside a run that may be
/// stopped and changed.
pub(crate) fn run_page(
    place: &Place,
    state: &RunState,
    answer: Option<Part>,
    beside: Option<Part>,
) -> String {
    let path = shown(place.experiment());
    let title = match state.progress.experiment.as_str() {
        "" => path.as_str(),
        name => name,
    };
    let mut markup = format!("<h1>{}</h1>\n", Html(title));
    if !state.problem.is_empty() {
        let problem = clipped(&state.problem, MESSAGE_CHARS_MAX);
        // Writing to a string cannot fail.
        let _ = writeln!(markup, "<p class=\"question\">{}</p>", Html(&problem));
    }
    if state.is_elsewhere {
        let _ = writeln!(
            markup,
            "<p class=\"what\" role=\"note\">{}</p>",
            Html(ELSEWHERE)
        );
    }
    let mut all = parts(place, state);
    // After the state.
    let answer = answer.unwrap_or((ANSWER, String::new()));
    all.splice(1..1, beside.into_iter().chain([answer]));
    for (id, text) in all {
        markup.push_str(&part(id, &text));
    }
    markup.push_str(&log(state));
    page(&PageContent {
        title,
        top: "../../",
        events: format!("events?after={}", state.sequence),
        markup,
    })
}

/// Returns the parts of the page that change, in their order.
pub(crate) fn parts(place: &Place, state: &RunState) -> Vec<Part> {
    vec![
        ("state", status(place, state)),
        ("standings", standings(state)),
        ("stages", stages(state)),
        ("tasks", tasks(state)),
        ("models", models(state)),
        ("runs", runs(state)),
    ]
}

/// Returns the part with the answer of a finished run, which is that of the page or an earlier one.
pub(crate) fn answer_part(state: &RunState, run: RunId, answer: Option<&Answer>) -> Part {
    let RunId(run) = run;
    let is_last = run == state.progress.run && !state.is_running();
    let heading = match answer {
        None => {
            return (
                ANSWER,
                "<p>Its report is being worked out.</p>\n".to_owned(),
            );
        }
        Some(_) if is_last => "<h2>Answer</h2>\n".to_owned(),
        Some(_) => format!("<h2>Answer of run {run}, the last that finished</h2>\n"),
    };
    let text = answer.map_or_else(String::new, answered);
    (ANSWER, heading + &text)
}

/// Returns what goes on, for how long, by whom, and what time is left as far as that is known.
fn status(place: &Place, state: &RunState) -> String {
    let progress = &state.progress;
    let (class, text) = match (progress.status, &state.holder) {
        (_, Some(_)) if progress.run == 0 => ("running", "A run begins.".to_owned()),
        (_, None) if progress.run == 0 => ("open", "There is no run yet.".to_owned()),
        (RunStatus::Running, Some(_)) => {
            let doing = progress.stage.map_or("between two stages", title);
            ("running", format!("Run {} goes on: {doing}.", progress.run))
        }
        (RunStatus::Running, None) => (
            "open",
            format!(
                "Nobody works on run {} any more: it was ended before its end. `bakeoff run` goes on with what is kept.",
                progress.run
            ),
        ),
        (RunStatus::Finished, _) => ("finished", format!("Run {} is finished.", progress.run)),
        (RunStatus::Failed, _) => ("failed", format!("Run {} failed.", progress.run)),
        (RunStatus::Interrupted, _) => ("open", format!("Run {} was interrupted.", progress.run)),
    };
    let mut out = format!("<p class=\"answer {class}\">{}", Html(&text));
    if progress.status == RunStatus::Finished {
        let run = progress.run;
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            " <a id=\"to-report\" href=\"report/{run}\">Its report</a> has scores, weights and sources."
        );
    }
    out.push_str("</p>\n");
    if let Some(message) = &progress.message {
        // One that was given in the folder of its experiment holds there.
        let folder = shown(place.experiment());
        let there = if message.split(' ').any(|word| word == ".") {
            format!(", in {},", Html(&folder))
        } else {
            String::new()
        };
        let message = clipped(message, MESSAGE_CHARS_MAX);
        let message = Html(&message);
        let _ = match progress.status {
            // A command from elsewhere is no command to be given to a shell here.
            RunStatus::Interrupted if state.is_elsewhere => {
                writeln!(
                    out,
                    "<p>It goes on where it was made, as with <code>bakeoff --on ssh:HOST run</code>.</p>"
                )
            }
            // The message is the command.
            RunStatus::Interrupted => {
                writeln!(
                    out,
                    "<p>In a terminal{there} it goes on with <code>{message}</code>.</p>"
                )
            }
            _ => writeln!(out, "<p class=\"what\">{message}</p>"),
        };
    }
    let mut facts = vec![format!("{:.0} s spent on it", progress.seconds)];
    facts.extend(time_left(state));
    if !progress.updated.is_empty() {
        facts.push(format!("last event {}", when(&progress.updated)));
    }
    if let Some(holder) = &state.holder {
        facts.push(holder.to_string());
    }
    let _ = writeln!(out, "<p class=\"soft\">{}</p>", Html(&facts.join(" · ")));
    out
}

/// Returns the most time that measuring may still take, while it goes on.
fn time_left(state: &RunState) -> Option<String> {
    let (budget, spent) = (state.budget?, state.race_spent?);
    if !state.is_running() {
        return None;
    }
    let left = budget - spent;
    Some(if left >= 1.0 {
        format!("at most {left:.0} s of measuring left, and as a rule less")
    } else {
        "the time for measuring is used up, but for the replica that goes on".to_owned()
    })
}

/// Returns the stages with their steps and their times.
fn stages(state: &RunState) -> String {
    let mut rows = String::new();
    for (stage, steps) in &state.progress.stages {
        let (done, all) = (steps.done, steps.steps.max(steps.done));
        let most = if *stage == Stage::Measure {
            "at most "
        } else {
            ""
        };
        let totals = state.stages.get(stage);
        let time = totals.map_or_else(String::new, |totals| {
            format!("{:.1} s", totals.seconds(state.progress.seconds))
        });
        let kept = match totals.map_or(0, |totals| totals.kept) {
            0 => String::new(),
            kept => format!("<br>{kept} kept from before"),
        };
        let going = if state.progress.stage == Some(*stage) && state.is_running() {
            "goes on"
        } else {
            ""
        };
        let _ = writeln!(
            rows,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{done} of {most}{all}{kept}</td>\
             <td class=\"number\">{time}</td><td>{going}</td></tr>",
            title(*stage)
        );
    }
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<h2>Stages</h2>\n<table>\n<thead><tr><th scope=\"col\">Stage</th><th scope=\"col\" class=\"number\">Steps</th>\
         <th scope=\"col\" class=\"number\">Time</th><th scope=\"col\"><span class=\"hidden\">State</span></th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n"
    )
}

/// Returns the runs of the experiment, the last first, with their reports.
fn runs(state: &RunState) -> String {
    let mut out = String::new();
    for run in state.runs.iter().rev().take(RUNS_MAX) {
        let id = run.id.0;
        let winner = clipped(
            run.winner.as_deref().map_or("–", |id| state.name(id)),
            MESSAGE_CHARS_MAX,
        );
        let report = match run.status {
            RunStatus::Finished => format!("<a id=\"report-{id}\" href=\"report/{id}\">report</a>"),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{id}</th><td class=\"when\">{}</td><td>{}</td><td class=\"number\">{:.1} s</td><td>{}</td>\
             <td>{report}</td></tr>",
            Html(&when(&run.started)),
            run.status.name(),
            run.seconds,
            Html(&winner)
        );
    }
    if out.is_empty() {
        return out;
    }
    format!(
        "<h2>Runs</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Runs\">\n<table>\n<thead><tr>\
         <th scope=\"col\">Run</th><th scope=\"col\">Began</th><th scope=\"col\">State</th>\
         <th scope=\"col\" class=\"number\">Time</th><th scope=\"col\">Best</th>\
         <th scope=\"col\"><span class=\"hidden\">Report</span></th></tr></thead>\n<tbody>\n{out}</tbody>\n</table>\n</div>\n"
    )
}

/// Returns the log, to which the script adds what comes.
fn log(state: &RunState) -> String {
    let mut out = String::from(
        "<h2>Events</h2>\n<div class=\"log\" role=\"log\" tabindex=\"0\" aria-label=\"Events\">\n<ol id=\"log\">\n",
    );
    for line in &state.lines {
        let text = line.text.as_deref().unwrap_or_default();
        let text = clipped(text, MESSAGE_CHARS_MAX);
        let _ = writeln!(
            out,
            "<li><span class=\"soft\">{:.1} s</span> {}</li>",
            line.seconds,
            Html(&text)
        );
    }
    out + "</ol>\n</div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_store::LockHolder;

    #[test]
    fn the_time_left_is_that_of_the_budget_of_now_while_it_is_measured() {
        let place = Place::new("mine".into());
        let mut state = RunState {
            budget: Some(60.0),
            race_spent: Some(20.0),
            holder: Some(LockHolder::default()),
            ..RunState::default()
        };
        state.progress.run = 1;
        state.progress.status = RunStatus::Running;
        assert!(status(&place, &state).contains("at most 40 s of measuring left"));
        state.race_spent = Some(61.0);
        assert!(status(&place, &state).contains("the time for measuring is used up"));
        // It was gone on with, and has more.
        state.budget = Some(600.0);
        assert!(status(&place, &state).contains("at most 539 s of measuring left"));
        state.race_spent = None;
        assert!(!status(&place, &state).contains("measuring"));
        (state.race_spent, state.holder) = (Some(61.0), None);
        assert!(!status(&place, &state).contains("measuring left"));
    }
}
