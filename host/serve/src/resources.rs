//! The use that a run makes of cores and models: its tasks and their cores, its questions and their costs.

use super::live::RunState;
use bakeoff_domain::report::words;
use bakeoff_domain::wording;
use bakeoff_render::clipped;
use bakeoff_render::escape::Html;
use std::fmt::Write as _;

/// The most waiting tasks and cores that are named.
const TASKS_MAX: usize = 8;
/// The most questions to a model that are named.
const QUESTIONS_MAX: usize = 4;
/// The most characters of a line.
const LINE_CHARS_MAX: usize = 1_000;

/// Returns the tasks of the queue, what waits for what, and the cores.
pub(crate) fn tasks(state: &RunState) -> String {
    let tasks = &state.progress.tasks;
    let mut out = String::new();
    if state.is_running() && tasks.running + tasks.waiting > 0 {
        let (done, running, waiting) = (tasks.done, tasks.running, tasks.waiting);
        let _ = writeln!(
            out,
            "<p>{done} tasks done, {running} going on, {waiting} waiting</p>"
        );
        out.push_str("<ul>\n");
        for one in tasks.waits.iter().take(TASKS_MAX) {
            let text = format!("{} waits for {}", one.task, one.waits_for);
            let _ = writeln!(out, "<li>{}</li>", Html(&clipped(&text, LINE_CHARS_MAX)));
        }
        let more = tasks.waiting.saturating_sub(TASKS_MAX as u64);
        if more > 0 {
            let _ = writeln!(out, "<li>and {more} more</li>");
        }
        out.push_str("</ul>\n");
    }
    if !tasks.workers.is_empty() {
        out.push_str("<ul>\n");
        for worker in tasks.workers.iter().take(TASKS_MAX) {
            let core = worker
                .core
                .map_or_else(|| "no core".to_owned(), |core| format!("core {core}"));
            let (tasks, seconds) = (wording::counted(worker.tasks, "task"), worker.busy_seconds);
            let _ = writeln!(out, "<li>{core}: {tasks} in {seconds:.1} s</li>");
        }
        let more = tasks.workers.len().saturating_sub(TASKS_MAX);
        if more > 0 {
            let _ = writeln!(out, "<li>and {more} more cores</li>");
        }
        out.push_str("</ul>\n");
    }
    if !tasks.machines.is_empty() {
        out.push_str("<ul>\n");
        for one in tasks.machines.iter().take(TASKS_MAX) {
            let text = format!(
                "elsewhere, {}: {} tasks in {:.1} s, {} of them lost",
                one.machine, one.tasks, one.busy_seconds, one.lost
            );
            let _ = writeln!(out, "<li>{}</li>", Html(&clipped(&text, LINE_CHARS_MAX)));
        }
        let more = tasks.machines.len().saturating_sub(TASKS_MAX);
        if more > 0 {
            let _ = writeln!(out, "<li>and {more} more machines</li>");
        }
        out.push_str("</ul>\n");
    }
    if out.is_empty() {
        return out;
    }
    format!("<h2>Tasks and cores</h2>\n{out}")
}

/// Returns the spending on models beside its bounds, and the search before the race.
pub(crate) fn models(state: &RunState) -> String {
    let mut out = String::new();
    if let Some((spending, is_asking)) = &state.models {
        let most = if spending.upper_bound { "at most " } else { "" };
        let mut text = format!(
            "{}: {} calls, {most}{} tokens",
            spending.model, spending.calls, spending.tokens
        );
        if let Some(bound) = spending.tokens_max {
            text += &format!(" of {bound}");
        }
        text += &match (spending.usd, spending.usd_max) {
            (None, _) => ", at a price that is not known".to_owned(),
            (Some(usd), Some(bound)) => format!(", {most}{usd:.4} of {bound:.4} US dollars"),
            (Some(usd), None) => format!(", {most}{usd:.4} US dollars"),
        };
        let _ = writeln!(out, "<p>{}</p>", Html(&clipped(&text, LINE_CHARS_MAX)));
        if *is_asking && !spending.under_way.is_empty() {
            let asked = spending
                .under_way
                .iter()
                .map(|one| format!("{} ({})", one.purpose, one.subject));
            let asked = words::listed(asked.collect(), QUESTIONS_MAX);
            let text = format!("It waits for {asked}");
            let _ = writeln!(out, "<p>{}</p>", Html(&clipped(&text, LINE_CHARS_MAX)));
        }
    }
    if let Some(search) = &state.search {
        let mut text = format!(
            "A search tried {} candidates in {} rounds",
            search.candidates, search.rounds
        );
        if search.failed > 0 {
            text += &format!(", {} of them failed", search.failed);
        }
        if let Some(best) = search.best_in_words() {
            text += &format!("; the best so far is {best}, which claims nothing: the race does");
        }
        let _ = writeln!(out, "<p>{}.</p>", Html(&clipped(&text, LINE_CHARS_MAX)));
    }
    if out.is_empty() {
        return out;
    }
    format!("<h2>Models and search</h2>\n{out}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_provider::{AskedQuestion, Purpose, Spending};
    use bakeoff_store::events::WaitingTask;
    use bakeoff_store::{LockHolder, RunStatus};

    #[test]
    fn waits_and_costs_stand_beside_their_bounds_and_are_escaped() {
        let mut state = RunState::default();
        assert_eq!(tasks(&state) + &models(&state), "");
        state.holder = Some(LockHolder::default());
        state.progress.status = RunStatus::Running;
        state.progress.tasks.waiting = 30;
        let one = WaitingTask {
            task: "check of <b>".to_owned(),
            waits_for: "a core".to_owned(),
        };
        state.progress.tasks.waits = vec![one; 16];
        let text = tasks(&state);
        assert!(
            text.contains("0 tasks done, 0 going on, 30 waiting") && text.contains("and 22 more"),
            "{text}"
        );
        assert_eq!(
            text.matches("check of &lt;b&gt; waits for a core").count(),
            TASKS_MAX
        );
        let question = AskedQuestion {
            purpose: Purpose::Prototype,
            subject: "<b>".to_owned(),
        };
        let spending = Spending {
            model: "<b>".to_owned(),
            calls: 2,
            tokens: 10,
            usd: Some(0.5),
            tokens_max: Some(20),
            usd_max: Some(1.0),
            under_way: vec![question],
            ..Spending::default()
        };
        state.models = Some((spending, true));
        let text = models(&state);
        assert!(
            text.contains("2 calls, 10 tokens of 20, 0.5000 of 1.0000 US dollars"),
            "{text}"
        );
        assert!(
            text.contains("waits for") && !text.contains("<b>"),
            "{text}"
        );
    }
}
