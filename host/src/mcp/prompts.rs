//! The prompts of the server: texts with which a user begins a task of the agent.

use bakeoff_render::escape::Lines;
use rmcp::model::{JsonObject, Prompt, PromptArgument, PromptMessage, Role};

/// The name of the prompt that asks for an experiment.
pub(super) const PARALLEL_EXPERIMENT: &str = "parallel-experiment";

/// Text of the prompt that asks for an experiment: what to ask the user, and what to do then.
pub const PARALLEL_EXPERIMENT_TEXT: &str = include_str!("parallel-experiment.md");

/// The most characters of an argument.
const ARGUMENT_CHARS_MAX: usize = 8_192;

/// Arguments that the user may give beforehand: the name of each, its description, and its title in the text.
const ARGUMENTS: [(&str, &str, &str); 3] = [
    ("problem", "The problem to solve", "The problem"),
    (
        "approaches",
        "How many approaches; 3 to 5 are usual",
        "How many approaches",
    ),
    (
        "wishes",
        "Approaches that must be among them",
        "Wanted approaches",
    ),
];

/// Returns the prompts as clients list them.
pub(super) fn all() -> Vec<Prompt> {
    let argument = |(name, description, _): (&str, &str, &str)| {
        let argument = PromptArgument::new(name);
        argument.with_description(description).with_required(false)
    };
    let description = "Tries several ways to solve a problem, and says which to take";
    vec![
        Prompt::new(
            PARALLEL_EXPERIMENT,
            Some(description),
            Some(ARGUMENTS.map(argument).to_vec()),
        )
        .with_title("Try several approaches"),
    ]
}

/// Returns the messages of the prompt, with what the user said beforehand.
///
/// # Errors
/// An argument is unknown, no text, or too long.
pub(super) fn messages(arguments: Option<&JsonObject>) -> Result<Vec<PromptMessage>, String> {
    let empty = JsonObject::new();
    let arguments = arguments.unwrap_or(&empty);
    if let Some(unknown) = arguments
        .keys()
        .find(|key| !ARGUMENTS.iter().any(|(name, ..)| name == key))
    {
        return Err(format!(
            "the prompt has no argument {}",
            super::error::quoted(unknown)
        ));
    }
    let mut text = PARALLEL_EXPERIMENT_TEXT.to_owned();
    for (name, _, title) in ARGUMENTS {
        let Some(value) = arguments.get(name) else {
            continue;
        };
        let value = value
            .as_str()
            .filter(|value| value.chars().count() <= ARGUMENT_CHARS_MAX);
        let value = value.ok_or_else(|| {
            format!("`{name}` is no text of at most {ARGUMENT_CHARS_MAX} characters")
        })?;
        if !value.trim().is_empty() {
            text += &format!("\n{title}: {}\n", Lines(value.trim()));
        }
    }
    Ok(vec![PromptMessage::new_text(Role::User, text)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(arguments: &serde_json::Value) -> Result<String, String> {
        let messages = messages(arguments.as_object())?;
        Ok(serde_json::to_string(&messages[0].content).unwrap())
    }

    #[test]
    fn the_three_questions_are_asked_and_what_is_said_is_passed_on() {
        let text = said(&json!({"problem": "Sort \u{1b}[2J numbers", "wishes": " "})).unwrap();
        for part in [
            "Which problem?",
            "How many approaches?",
            "must be among them",
            "`develop`",
            "The problem: Sort ",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("u001b") && !text.contains("Wanted approaches:"));
        let long = "x".repeat(ARGUMENT_CHARS_MAX + 1);
        for wrong in [
            json!({"problem": 7}),
            json!({"problem": long}),
            json!({"other": "x"}),
        ] {
            assert!(said(&wrong).is_err());
        }
    }
}
