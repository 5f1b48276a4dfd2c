//! Messages on stderr about questions to a model that take longer than one call.

use super::options::Output;
use crate::library::generation::events::GenerationEvents;
use bakeoff_provider::{Models, ProgressStep, QuestionProgress};
use bakeoff_render::escape::Plain;
use std::sync::{Mutex, PoisonError};

/// Writes to stderr the notices about the record, and from then on the reason for which a question is asked again, and
/// when. Each question and its reply is one of the events, if there are any.
pub(super) fn told(models: Models, output: &Output, events: Option<&GenerationEvents>) -> Models {
    let mut say = output.reporter();
    for notice in models.notices() {
        say(&Plain(notice).to_string());
    }
    let (say, events) = (Mutex::new(say), events.cloned());
    models.with_progress(move |progress| {
        if let Some(events) = &events {
            events.on_call(progress);
        }
        if let Some(line) = line(progress) {
            let mut say = say.lock().unwrap_or_else(PoisonError::into_inner);
            say(&line);
        }
    })
}

/// Returns a line on a step for which a person would otherwise wait without knowing the reason; `None` for other steps.
fn line(progress: &QuestionProgress) -> Option<String> {
    let what = match progress.subject.as_str() {
        "" => progress.purpose.to_string(),
        subject => format!("{} ({})", progress.purpose, Plain(subject)),
    };
    match &progress.step {
        ProgressStep::Waiting { reason, wait } => Some(format!(
            "{what}: asked again in {:.1} s: {}",
            wait.as_secs_f64(),
            Plain(reason)
        )),
        ProgressStep::Repairing { problem } => Some(format!(
            "{what}: the reply cannot be used, and another is asked for: {}",
            Plain(problem)
        )),
        ProgressStep::Sent | ProgressStep::Receiving { .. } | ProgressStep::Received { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_provider::Purpose;
    use std::time::Duration;

    #[test]
    fn waits_and_repairs_are_said_and_texts_of_servers_are_escaped() {
        let line = |step| {
            line(&QuestionProgress {
                purpose: Purpose::Prototype,
                subject: "approach 2".to_owned(),
                step,
            })
        };
        let waiting = line(ProgressStep::Waiting {
            reason: "status 429\u{1b}[2J".to_owned(),
            wait: Duration::from_millis(2_500),
        });
        let waiting = waiting.unwrap();
        assert!(
            waiting.starts_with("prototype (approach 2): asked again in 2.5 s: status 429"),
            "{waiting}"
        );
        assert!(!waiting.contains('\u{1b}'));
        let repairing = line(ProgressStep::Repairing {
            problem: "it is not JSON".to_owned(),
        });
        assert!(repairing.unwrap().ends_with(": it is not JSON"));
        assert_eq!(line(ProgressStep::Sent), None);
    }
}
