//! Part of `bakeoff status` on the models that an experiment asks.

use bakeoff_domain::wording;
use bakeoff_provider::Spending;
use bakeoff_render::escape::Plain;
use bakeoff_store::events::{ApproachWriting, WritingProgress, WritingState};
use serde::Serialize;

/// The most questions under way that are named.
const NAMED_MAX: usize = 4;

/// The most approaches that have a line each.
const LINES_MAX: usize = 16;

/// Spending on models so far.
#[derive(Debug, Serialize)]
pub(super) struct ModelsStatus {
    #[serde(flatten)]
    pub(super) spending: Spending,
    /// True while a process asks the models.
    pub(super) is_asking: bool,
    /// The approaches that the models write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) writing: Option<WritingProgress>,
}

impl ModelsStatus {
    /// Returns a line on the cost and, while a process asks, one on the questions that are under
    /// way.
    pub(super) fn text(&self) -> String {
        let spending = &self.spending;
        let verb = if self.is_asking { "asking" } else { "asked" };
        let s = wording::ending(spending.calls);
        let most = if spending.upper_bound { "at most " } else { "" };
        let mut text = format!(
            "{verb} {}: {} call{s}, {most}{} tokens",
            Plain(&spending.model),
            spending.calls,
            spending.tokens
        );
        if let Some(bound) = spending.tokens_max {
            text += &format!(" of {bound}");
        }
        text += &match (spending.usd, spending.usd_max) {
            (None, _) => ", at a price that is not known".to_owned(),
            (Some(usd), Some(bound)) => format!(", {most}{usd:.4} of {bound:.4} US dollars"),
            (Some(0.0), None) => String::new(),
            (Some(usd), None) => format!(", {most}{usd:.4} US dollars"),
        };
        text.push('\n');
        let under_way = &spending.under_way;
        if self.is_asking && !under_way.is_empty() {
            let named = under_way.iter().take(NAMED_MAX);
            let named: Vec<String> = named
                .map(|one| match one.subject.as_str() {
                    "" => one.purpose.to_string(),
                    subject => format!("{} ({})", one.purpose, Plain(subject)),
                })
                .collect();
            let more = match under_way.len().saturating_sub(NAMED_MAX) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            text += &format!("  waits for {}{more}\n", named.join(", "));
        }
        // Once all are written, the experiment and its runs say more.
        let writing = self.writing.iter().filter(|writing| !writing.is_complete);
        for (name, approach) in writing
            .flat_map(|writing| &writing.approaches)
            .take(LINES_MAX)
        {
            text += &format!("  {}: {}\n", Plain(name), Plain(&state(approach)));
        }
        text
    }
}

/// Returns the state of an approach that is written, in words.
fn state(approach: &ApproachWriting) -> String {
    let class = approach.failure.as_deref();
    match (approach.state, class) {
        (WritingState::Idea, _) => "an idea; its writing waits".to_owned(),
        (WritingState::Writing, None) => "is being written".to_owned(),
        (WritingState::Writing, Some(class)) => format!(
            "is being written anew, after {class} in attempt {}",
            approach.attempts
        ),
        (WritingState::Passed, _) => "passed".to_owned(),
        (WritingState::Duplicate, _) => "does the same work as another".to_owned(),
        (WritingState::Failed, class) => format!("given up: {}", class.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_provider::{AskedQuestion, Purpose};

    #[test]
    fn costs_stand_beside_their_bounds_and_texts_of_others_are_escaped() {
        let question = AskedQuestion {
            purpose: Purpose::Prototype,
            subject: "approach 2\u{1b}[2J".to_owned(),
        };
        let mut status = ModelsStatus {
            spending: Spending {
                model: "anthropic m\u{1b}".to_owned(),
                calls: 3,
                tokens: 1_234,
                usd: Some(0.0125),
                tokens_max: Some(20_000),
                usd_max: Some(0.5),
                under_way: vec![question; 5],
                ..Spending::default()
            },
            is_asking: true,
            writing: None,
        };
        let text = status.text();
        assert!(!text.contains('\u{1b}'), "{text}");
        assert!(
            text.contains("3 calls, 1234 tokens of 20000, 0.0125 of 0.5000 US dollars"),
            "{text}"
        );
        assert!(text.contains("prototype (approach 2") && text.contains("and 1 more"));
        let approach = |state, failure: Option<&str>| ApproachWriting {
            state,
            attempts: 1,
            failure: failure.map(str::to_owned),
        };
        let approaches = [
            ("a\u{1b}", approach(WritingState::Writing, Some("trap"))),
            ("b", approach(WritingState::Idea, None)),
        ];
        let approaches = approaches.map(|(name, approach)| (name.to_owned(), approach));
        status.writing = Some(WritingProgress {
            approaches: approaches.into(),
            ..WritingProgress::default()
        });
        let text = status.text();
        assert!(
            text.contains("is being written anew, after trap in attempt 1\n"),
            "{text}"
        );
        assert!(
            text.ends_with("  b: an idea; its writing waits\n"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'));
        status.writing = None;
        status.is_asking = false;
        status.spending.upper_bound = true;
        status.spending.usd = None;
        let text = status.text();
        assert!(
            text.starts_with("asked ") && !text.contains("waits for"),
            "{text}"
        );
        assert!(
            text.contains("at most 1234 tokens") && text.contains("price that is not known"),
            "{text}"
        );
    }
}
