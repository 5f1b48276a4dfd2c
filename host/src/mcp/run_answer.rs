//! The answer about a run as it is now.

use super::answer::{Answer, AnswerForms, AnswerKind, RunState, about_report, escaped, forms};
use super::error::shortened;
use super::generation_answer::about_generation;
use super::limits::ANSWER_BYTES_MAX;
use super::outcome::RunOutcome;
use super::runs::{Phase, Run, State};

/// Returns the answer about a run as it is now; the error is the text of its failure.
pub(super) fn about(run: &Run, state: &State, ahead: usize) -> Result<AnswerForms, String> {
    let Some(outcome) = &state.outcome else {
        return Ok(unfinished(run, state, ahead));
    };
    let answer = Answer {
        id: Some(run.id.clone()),
        ..Answer::default()
    };
    Ok(match &**outcome {
        RunOutcome::Failed(error) => return Err(format!("{} failed. {}", run.id, error.text())),
        RunOutcome::Report(report) => about_report(report, Some(&run.id)),
        RunOutcome::Disagreement(text) => {
            let text = shortened(text, ANSWER_BYTES_MAX, "shortened");
            forms(
                text.clone(),
                &Answer {
                    message: text,
                    outcome: Some(AnswerKind::Disagreement),
                    ..answer
                },
            )
        }
        RunOutcome::Checked(value) => {
            let value = escaped(value);
            let text = serde_json::to_string_pretty(&value).unwrap_or_default();
            forms(
                shortened(&text, ANSWER_BYTES_MAX, "shortened"),
                &Answer {
                    message: "checked".to_owned(),
                    check: Some(value),
                    ..answer
                },
            )
        }
        RunOutcome::Generated(made, said) => about_generation(made, &run.id, said.as_deref()),
        RunOutcome::Cancelled => {
            let message = format!("{} was called off; nothing of it is left", run.id);
            forms(
                message.clone(),
                &Answer {
                    state: RunState::Cancelled,
                    message,
                    ..answer
                },
            )
        }
    })
}

fn unfinished(run: &Run, state: &State, ahead: usize) -> AnswerForms {
    let seconds = run.since.elapsed().as_secs();
    let (run_state, message) = match state.phase {
        Phase::Waiting => (
            RunState::Waiting,
            format!(
                "{} waits for {ahead} other runs: only one measures at a time, since others would disturb it",
                run.id
            ),
        ),
        Phase::Running | Phase::Ended => (
            RunState::Running,
            format!("{} is not done after {seconds} s", run.id),
        ),
    };
    let next = format!(
        "call `result` with id {} to wait for it, or `cancel` to end it",
        run.id
    );
    let progress: Vec<String> = state.lines.iter().cloned().collect();
    let lines = progress.iter().map(|line| format!("\n  {line}"));
    let text = format!("{message}; {next}.{}", lines.collect::<String>());
    forms(
        text,
        &Answer {
            id: Some(run.id.clone()),
            state: run_state,
            message,
            next: Some(next),
            progress,
            ..Answer::default()
        },
    )
}
