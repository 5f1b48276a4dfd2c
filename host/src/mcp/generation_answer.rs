//! The answer about approaches that were written, and about tasks that wait.

use super::answer::{Answer, AnswerForms, ApproachAnswer, OpenTaskAnswer, forms};
use super::error::shortened;
use super::limits::ANSWER_BYTES_MAX;
use bakeoff_render::escape::{Lines, Plain};
use serde_json::Value;

/// The most bytes of what was wrong with one approach.
const MESSAGE_BYTES_MAX: usize = 2 << 10;

/// Returns the answer about what a command wrote, or gives out to be written.
pub(super) fn about_generation(made: &Value, id: &str, said: Option<&str>) -> AnswerForms {
    let approaches: Vec<ApproachAnswer> = list(made, "approaches").map(approach).collect();
    let passed = approaches.iter().filter(|one| one.file.is_some()).count();
    let open = list(made, "tasks").count();
    let tasks = fitting(list(made, "tasks").map(task));
    let unused: Vec<String> = list(made, "unused_answers")
        .filter_map(Value::as_str)
        .map(|id| Plain(id).to_string())
        .collect();
    let mut message = match (approaches.len(), passed) {
        (0, _) => String::new(),
        (all, passed) => format!("{passed} of {all} approaches passed and are in the experiment. "),
    };
    if open > 0 {
        message += &format!("{open} tasks wait for your answers");
        message += &match open - tasks.len() {
            0 => ".".to_owned(),
            left => format!(", of which {left} are given out once others are answered."),
        };
    }
    if !unused.is_empty() {
        message += &format!(
            " No task waits for the answers to {}: they were never given out here, or are answered already.",
            unused.join(", ")
        );
    }
    if let Some(reason) = made["unusable"]["reason"].as_str() {
        let kind = Plain(made["unusable"]["task"].as_str().unwrap_or_default()).to_string();
        let reason = shortened(&lines(reason), MESSAGE_BYTES_MAX, "shortened");
        message += &format!(" The {kind} cannot be used: {reason}");
    }
    if let Some(said) = said.filter(|_| open == 0) {
        message += &format!(
            " It has not come to its end: {}",
            shortened(said, MESSAGE_BYTES_MAX, "shortened")
        );
    }
    let message = match message.trim() {
        "" => "no approach was written".to_owned(),
        message => message.to_owned(),
    };
    let next = match (open, passed) {
        (0, 0) => None,
        (0, _) => Some("measure them: call `run` with the same folder".to_owned()),
        _ => Some(
            "answer each task with one JSON object of its schema, by what its prompt says: call `develop` with the same \
             arguments, and `answers`: [{\"task\": \"ID\", \"reply\": {…}}]"
                .to_owned(),
        ),
    };
    let answer = Answer {
        id: Some(id.to_owned()),
        message,
        next,
        approaches,
        tasks,
        ..Answer::default()
    };
    forms(text(id, &answer), &answer)
}

fn text(id: &str, answer: &Answer) -> String {
    let mut text = format!("{id}\n{}\n", answer.message);
    for one in &answer.approaches {
        let file = one.file.as_deref().unwrap_or("not written");
        text += &format!("\n{}: {}, {file}\n", one.name, one.outcome);
        if let Some(message) = &one.message {
            text += &format!("  {}\n", message.replace('\n', "\n  "));
        }
    }
    for one in &answer.tasks {
        text += &format!("\nTask {}: {} ({})\n", one.task, one.purpose, one.subject);
        if let Some(refused) = &one.refused {
            text += &format!("The last answer was not taken: {refused}\n");
        }
        text += &format!(
            "\n{}\n\nThe schema of the reply:\n{}\n",
            one.prompt, one.schema
        );
    }
    if let Some(next) = &answer.next {
        text += &format!("\nNext: {next}.\n");
    }
    text
}

fn list<'a>(made: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    made[key].as_array().into_iter().flatten()
}

/// Returns a text of several lines, escaped.
fn lines(text: &str) -> String {
    Lines(&text.replace('\t', "    ")).to_string()
}

fn field(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().map(|text| Plain(text).to_string())
}

fn approach(value: &Value) -> ApproachAnswer {
    let message = value["message"].as_str();
    ApproachAnswer {
        name: field(value, "name").unwrap_or_default(),
        outcome: field(value, "outcome").unwrap_or_default(),
        file: field(value, "file"),
        message: message.map(|text| shortened(&lines(text), MESSAGE_BYTES_MAX, "shortened")),
    }
}

fn task(value: &Value) -> OpenTaskAnswer {
    let text = |key: &str| value[key].as_str().map(lines).unwrap_or_default();
    OpenTaskAnswer {
        task: field(value, "task").unwrap_or_default(),
        purpose: field(value, "purpose").unwrap_or_default(),
        subject: field(value, "subject").unwrap_or_default(),
        prompt: format!("{}\n\n{}", text("system"), text("prompt")),
        schema: value["schema"].clone(),
        refused: field(value, "refused"),
    }
}

/// Returns the first tasks, as many as an answer has room for, and at least one.
fn fitting(tasks: impl Iterator<Item = OpenTaskAnswer>) -> Vec<OpenTaskAnswer> {
    let mut bytes = 0;
    let mut all: Vec<OpenTaskAnswer> = Vec::new();
    for task in tasks {
        bytes += task.prompt.len() + task.schema.to_string().len();
        if !all.is_empty() && bytes > ANSWER_BYTES_MAX {
            break;
        }
        all.push(task);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn open(task: usize, prompt: &str) -> Value {
        json!({
            "task": task.to_string(), "purpose": "prototype", "subject": "approach 1", "system": "S",
            "prompt": prompt, "schema": {"type": "object"}
        })
    }

    #[test]
    fn tasks_are_given_out_as_many_as_fit_and_texts_are_escaped() {
        let long = "x".repeat(ANSWER_BYTES_MAX / 2);
        let tasks: Vec<Value> = (0..4).map(|task| open(task, &long)).collect();
        let made = json!({"tasks": tasks, "unused_answers": ["\u{1b}[2J"]});
        let forms = about_generation(&made, "develop-1", None);
        assert_eq!(forms.values["tasks"].as_array().unwrap().len(), 1);
        for part in ["4 tasks wait", "3 are given out", "\\u{1b}"] {
            assert!(forms.text.contains(part), "{part}");
        }
        assert!(!forms.text.contains('\u{1b}'));
        // The first is given out whatever its length.
        let made = json!({"tasks": [open(1, &long.repeat(3))]});
        assert!(about_generation(&made, "develop-2", None).text.len() > ANSWER_BYTES_MAX);
    }

    #[test]
    fn what_passed_is_to_be_measured_and_what_failed_says_why() {
        let made = json!({"approaches": [
            {"name": "a", "outcome": "passed", "file": "approaches/generated-1.rs"},
            {"name": "b", "outcome": "trap", "message": "y".repeat(1 << 20)}
        ], "tasks": []});
        let forms = about_generation(&made, "develop-1", Some("the budget ended"));
        assert!(
            forms.values["message"]
                .as_str()
                .unwrap()
                .starts_with("1 of 2 approaches passed")
        );
        assert!(forms.text.contains("the budget ended") && forms.text.contains("call `run`"));
        assert!(forms.text.len() < 8_000);
        assert_eq!(forms.values["tasks"], json!([]));
    }
}
