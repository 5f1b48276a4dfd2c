//! The file of tasks that coding agents work off: `tasks.toml`.
//!
//! ```toml
//! [[task]]
//! name = "parser"
//! prompt = "Write src/parser.rs."
//! check = "cargo test parser"
//!
//! [[task]]
//! name = "evaluator"
//! after = ["parser"]
//! prompt = "Write src/evaluator.rs, which uses the parser."
//!
//! [[task]]
//! name = "fastest"
//! after = ["evaluator"]
//! experiment = "experiments/sum.toml"
//! into = "src/sum.rs"
//! ```

use super::error::{ConfigError, Finding, Findings, quoted};
use super::experiment::syntax;
use super::section::{At, Section};
use super::suggest;
use super::write::{entry, quoted as quoted_text};
use std::ops::Range;

/// The name of the file in its folder.
pub const TASKS_FILE_NAME: &str = "tasks.toml";
/// The most tasks of a file.
pub const AGENT_TASKS_MAX: usize = 64;
/// The most commands that check one task.
pub const CHECKS_MAX: usize = 8;
/// The longest prompt, in characters.
pub const PROMPT_CHARS_MAX: usize = 16_000;
/// The longest command of a check, in characters.
const CHECK_CHARS_MAX: usize = 2_000;
/// The longest path of a file, in characters.
const PATH_CHARS_MAX: usize = 500;
/// The longest name of an experiment with agents, a variant or a task, in bytes.
const NAME_BYTES_MAX: usize = 64;
/// The greatest priority; the least one is its negative.
pub const PRIORITY_MAX: i32 = 100;
/// Minutes that a task is expected to take, if nothing says otherwise.
pub const ESTIMATE_MINUTES: f64 = 10.0;
/// The least and the greatest estimate, in minutes.
pub const ESTIMATE_RANGE: (f64, f64) = (0.1, 1_440.0);
/// The name of the branch with all results, which no task can have.
pub const RESULT_NAME: &str = "result";

/// Task of a file of tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentTask {
    /// Name of the task, a part of its branch's name.
    pub name: String,
    /// Work that does it.
    pub work: TaskWork,
    /// Places in the list of the tasks that it waits for, all of them before its own.
    pub after: Vec<usize>,
    /// Priority: of the tasks that could start, those of a higher one do.
    pub priority: i32,
    /// Minutes that it is expected to take.
    pub estimate_minutes: f64,
    /// Commands that what its agent left has to pass, in order.
    pub checks: Vec<String>,
}

/// Work that does a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskWork {
    /// An agent, which is told this text.
    Agent(String),
    /// An experiment, whose winner's source becomes a file.
    Experiment {
        /// Path of the experiment file, or of its folder, from the top of the repository.
        file: String,
        /// Path of the file that the source becomes, from the top of the repository.
        into: String,
    },
}

/// Returns true if the text can name an experiment with agents, a variant or a task: a folder, and a part of a branch's
/// name.
pub fn is_branch_part(text: &str) -> bool {
    let is_char = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=NAME_BYTES_MAX).contains(&text.len())
        && text.bytes().all(is_char)
        && text
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_alphanumeric())
        && !text.contains("..")
        && !text.ends_with('.')
        && !text.to_ascii_lowercase().ends_with(".lock")
}

/// Texts of a task that is written.
#[derive(Clone, Copy, Debug)]
pub struct AgentTaskTexts<'a> {
    /// Name of the task.
    pub name: &'a str,
    /// Text that its agent is told.
    pub prompt: &'a str,
    /// Names of the tasks that it waits for.
    pub after: &'a [String],
    /// Priority of it.
    pub priority: i32,
    /// Minutes that it is expected to take.
    pub estimate_minutes: f64,
    /// Command that checks it, if there is one.
    pub check: Option<&'a str>,
}

/// Returns a task as a file of tasks has it.
pub fn agent_task_entries(task: &AgentTaskTexts<'_>) -> String {
    let mut text = format!("\n[[task]]\n{}", entry("name", task.name));
    if !task.after.is_empty() {
        let names: Vec<String> = task.after.iter().map(|name| quoted_text(name)).collect();
        text += &format!("after = [{}]\n", names.join(", "));
    }
    if task.priority != 0 {
        text += &format!("priority = {}\n", task.priority);
    }
    text += &format!("estimate = {:?}\n", task.estimate_minutes);
    if let Some(check) = task.check {
        text += &entry("check", check);
    }
    text + &entry("prompt", task.prompt)
}

/// A task as it was read, with the places of its texts.
struct ReadTask {
    task: AgentTask,
    name_place: Range<usize>,
    waits_for: Vec<At<String>>,
}

/// Parses a text of tasks, and returns them in an order in which they can be done: that of the file, but a task comes
/// after those that it waits for. `name` is the name of the text in messages.
///
/// # Errors
/// [`ConfigError::Invalid`] with all findings: syntax, unknown keys, no task or more than 64, names that are none or that
/// two tasks have, tasks that wait for none or for each other.
pub fn parse_agent_tasks(text: &str, name: &str) -> Result<Vec<AgentTask>, ConfigError> {
    let invalid = |found| ConfigError::Invalid(Findings::new(name, text, found));
    let table = syntax(text).map_err(invalid)?;
    let mut found = Vec::new();
    let mut root = Section::new("the file", table.get_ref(), 0..0);
    root.missing("task", "it lists the work", "[[task]]", &mut found);
    let sections = root.sections("task", AGENT_TASKS_MAX, &mut found);
    let mut read: Vec<ReadTask> = sections
        .into_iter()
        .filter_map(|section| task(section, &mut found))
        .collect();
    root.close(&mut found);
    if read.is_empty() && found.is_empty() {
        found.push(Finding::new(
            0..0,
            "the file lists no task",
            "no `[[task]]` here",
            "begin each task with a line `[[task]]`",
        ));
    }
    refuse_same_names(&read, &mut found);
    if found.is_empty() {
        resolve(&mut read, &mut found);
    }
    let order = order(&read, &mut found);
    if !found.is_empty() {
        return Err(invalid(found));
    }
    Ok(ordered(read, &order))
}

/// Reads one task; `None` if its name or its work is missing or wrong.
fn task(mut section: Section<'_>, found: &mut Vec<Finding>) -> Option<ReadTask> {
    let name = section.text("name", found);
    section.missing("name", "its branch has it", "name = \"parser\"", found);
    let name = name.filter(|name| is_task_name(name, found));
    let work = task_work(&mut section, found);
    let waits_for = section.one_or_more_texts("after", "the name of a task, or a list", found);
    let priority = section.integer("priority", found);
    let priority = priority.map_or(0, |priority| checked_priority(&priority, found));
    let estimate = section.number("estimate", found).map(|number| At {
        value: number.value.to_f64(),
        span: number.span,
    });
    let estimate = estimate.map_or(ESTIMATE_MINUTES, |one| checked_estimate(&one, found));
    let checks = section.one_or_more_texts("check", "a command, or a list", found);
    if let Some(beyond) = checks.get(CHECKS_MAX) {
        found.push(Finding::new(
            beyond.span.clone(),
            format!(
                "there are {} checks, and {CHECKS_MAX} is the most",
                checks.len()
            ),
            "the first one too many",
            "put them into a script, and name that",
        ));
    }
    let is_usual = |check: &&At<&str>| is_usual_text("check", check, CHECK_CHARS_MAX, found);
    let checks: Vec<String> = checks
        .iter()
        .filter(is_usual)
        .map(|check| check.value.to_owned())
        .collect();
    section.close(found);
    let (name, work) = (name?, work?);
    Some(ReadTask {
        task: AgentTask {
            name: name.value.to_owned(),
            work,
            after: Vec::new(),
            priority,
            estimate_minutes: estimate,
            checks,
        },
        name_place: name.span,
        waits_for: waits_for
            .into_iter()
            .map(|one| At {
                value: one.value.to_owned(),
                span: one.span,
            })
            .collect(),
    })
}

/// Reads what does a task: a prompt for its agent, or an experiment with the file that its winner becomes.
fn task_work(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<TaskWork> {
    let prompt = section.text("prompt", found);
    let experiment = section.text("experiment", found);
    let into = section.text("into", found);
    let Some(experiment) = experiment else {
        if let Some(into) = into {
            found.push(Finding::new(
                into.span,
                "`into` is for the winner of an experiment, and there is none",
                "this file",
                "add `experiment = \"FILE.toml\"`, or leave it out",
            ));
        }
        let example = "prompt = \"Write src/parser.rs.\"";
        section.missing("prompt", "its agent is told that", example, found);
        let prompt = prompt?;
        return is_usual_text("prompt", &prompt, PROMPT_CHARS_MAX, found)
            .then(|| TaskWork::Agent(prompt.value.to_owned()));
    };
    if let Some(prompt) = prompt {
        found.push(Finding::new(
            prompt.span,
            "a task has a `prompt` or an `experiment`, and this one has both",
            "this prompt",
            "make them two tasks, one after the other",
        ));
    }
    let example = "into = \"src/parser.rs\"";
    section.missing(
        "into",
        "the source of the winner becomes that file",
        example,
        found,
    );
    let into = into?;
    let are_paths =
        [("experiment", &experiment), ("into", &into)].map(|(key, path)| is_path(key, path, found));
    (are_paths == [true, true]).then(|| TaskWork::Experiment {
        file: experiment.value.to_owned(),
        into: into.value.to_owned(),
    })
}

/// Returns true for a path of a file in the repository: of plain names alone, none of which is hidden.
fn is_path(key: &str, path: &At<&str>, found: &mut Vec<Finding>) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && !name.starts_with(['.', '-']) && !name.contains(['\\', ':'])
    };
    if !is_usual_text(key, path, PATH_CHARS_MAX, found) {
        return false;
    }
    let fits = key != "experiment" || path.value.ends_with(".toml");
    let is_path = fits && path.value.split('/').all(is_name);
    if !is_path {
        found.push(Finding::new(
            path.span.clone(),
            if fits {
                format!("`{key}` is no path of a file in the repository")
            } else {
                "`experiment` is no experiment file, such as `bakeoff.toml`".to_owned()
            },
            "this path",
            "names with `/` between them, from the top of the repository, none of which begins with `.` or `-`",
        ));
    }
    is_path
}

fn is_task_name(name: &At<&str>, found: &mut Vec<Finding>) -> bool {
    let (why, help) = if name.value.eq_ignore_ascii_case(RESULT_NAME) {
        let help = "the branch with all results has this name: give the task another one";
        ("cannot name a task", help)
    } else if is_branch_part(name.value) {
        return true;
    } else {
        let help = "letters, digits, `-`, `_` and single dots, at most 64: a branch has this name";
        ("is no name of a task", help)
    };
    found.push(Finding::new(
        name.span.clone(),
        format!("{} {why}", quoted(name.value)),
        "this name",
        help,
    ));
    false
}

/// Returns true for a text that is there, is no longer than this, and controls no terminal.
fn is_usual_text(key: &str, text: &At<&str>, chars_max: usize, found: &mut Vec<Finding>) -> bool {
    // A command or a path is shown before it is used, as what it is.
    let is_line = key != "prompt";
    let is_control = |c: char| c.is_control() && (is_line || !matches!(c, '\n' | '\r' | '\t'));
    let (why, label, help) = if text.value.trim().is_empty() {
        let help = format!("`{key}` says something, or is left out where it may be");
        (format!("`{key}` is empty"), "nothing is said here", help)
    } else if text.value.chars().nth(chars_max).is_some() {
        let help = "put the rest into a file of the repository, and name that".to_owned();
        let why = format!("`{key}` has more than {chars_max} characters");
        (why, "this is too long", help)
    } else if text.value.contains(is_control) {
        let why = format!("`{key}` has control characters");
        let help = if is_line {
            "letters and signs of one line; a script of the repository can have more"
        } else {
            "letters, signs, tabs and line breaks alone"
        };
        let help = help.to_owned();
        (why, "in this text", help)
    } else {
        return true;
    };
    found.push(Finding::new(text.span.clone(), why, label, help));
    false
}

fn checked_priority(priority: &At<i64>, found: &mut Vec<Finding>) -> i32 {
    let most = i64::from(PRIORITY_MAX);
    if !(-most..=most).contains(&priority.value) {
        found.push(Finding::new(
            priority.span.clone(),
            format!("`priority` cannot be {}", priority.value),
            "out of range",
            format!("it is a whole number from -{most} to {most}; without it, it is 0"),
        ));
    }
    priority.value.clamp(-most, most) as i32
}

fn checked_estimate(estimate: &At<f64>, found: &mut Vec<Finding>) -> f64 {
    let (least, most) = ESTIMATE_RANGE;
    if (least..=most).contains(&estimate.value) {
        return estimate.value;
    }
    found.push(Finding::new(
        estimate.span.clone(),
        format!("`estimate` cannot be {}", estimate.value),
        "out of range",
        format!(
            "it is in minutes, from {least} to {most}; without it, {ESTIMATE_MINUTES} are expected"
        ),
    ));
    ESTIMATE_MINUTES
}

/// Refuses two tasks of one name: a file system may take `A` and `a` for one, so these are the same.
fn refuse_same_names(read: &[ReadTask], found: &mut Vec<Finding>) {
    for (place, one) in read.iter().enumerate() {
        let mut before = read[..place].iter();
        let same = before.find(|other| other.task.name.eq_ignore_ascii_case(&one.task.name));
        if let Some(same) = same {
            let message = format!("two tasks are named {}", quoted(&one.task.name));
            let help = "give one of them another name";
            let finding = Finding::new(one.name_place.clone(), message, "here again", help);
            found.push(finding.with_other(same.name_place.clone(), "here first"));
        }
    }
}

/// Finds the tasks that each one waits for.
fn resolve(read: &mut [ReadTask], found: &mut Vec<Finding>) {
    let names: Vec<String> = read.iter().map(|one| one.task.name.clone()).collect();
    for (own, one) in read.iter_mut().enumerate() {
        for wanted in &one.waits_for {
            let place = names.iter().position(|name| *name == wanted.value);
            let (why, help) = match place {
                Some(place) if place == own => (
                    "waits for itself".to_owned(),
                    "leave its own name out".to_owned(),
                ),
                Some(place) => {
                    if !one.task.after.contains(&place) {
                        one.task.after.push(place);
                    }
                    continue;
                }
                None => {
                    let near = suggest::nearest(&wanted.value, names.iter().map(String::as_str));
                    (
                        format!("waits for {}, which is no task", quoted(&wanted.value)),
                        near.map_or("name another task of this file".to_owned(), |near| {
                            format!("did you mean `{near}`?")
                        }),
                    )
                }
            };
            found.push(Finding::new(
                wanted.span.clone(),
                format!("the task {} {why}", quoted(&one.task.name)),
                "this one",
                help,
            ));
        }
    }
}

/// Returns the places of tasks in an order in which each comes after those that it waits for.
fn order(read: &[ReadTask], found: &mut Vec<Finding>) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(read.len());
    while order.len() < read.len() {
        let is_next = |place: &usize| {
            let after = &read[*place].task.after;
            !order.contains(place) && after.iter().all(|one| order.contains(one))
        };
        match (0..read.len()).find(is_next) {
            Some(next) => order.push(next),
            None => {
                found.push(circle(read, &order));
                break;
            }
        }
    }
    order
}

/// Makes the finding of tasks that wait for each other, one of which is among those that are in no order.
fn circle(read: &[ReadTask], order: &[usize]) -> Finding {
    let waits_for = |place: usize| {
        let mut after = read[place].task.after.iter().copied();
        after.find(|one| !order.contains(one))
    };
    let first = (0..read.len()).find(|place| !order.contains(place));
    let mut way: Vec<usize> = Vec::new();
    let mut next = first;
    while let Some(place) = next.filter(|place| !way.contains(place)) {
        way.push(place);
        next = waits_for(place);
    }
    let begin = way.iter().position(|place| Some(*place) == next);
    let circle = &way[begin.unwrap_or(0)..];
    let names: Vec<String> = circle
        .iter()
        .chain(circle.first())
        .map(|place| quoted(&read[*place].task.name))
        .collect();
    let place = circle.first().map(|place| read[*place].name_place.clone());
    Finding::new(
        place.unwrap_or_default(),
        format!(
            "these tasks wait for each other in a circle: {}",
            names.join(" waits for ")
        ),
        "one of them",
        "remove one of these names from an `after`",
    )
}

/// Returns the tasks in this order.
fn ordered(read: Vec<ReadTask>, order: &[usize]) -> Vec<AgentTask> {
    let mut places = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        places[*old] = new;
    }
    let mut tasks: Vec<AgentTask> = read.into_iter().map(|one| one.task).collect();
    for task in &mut tasks {
        for place in &mut task.after {
            *place = places[*place];
        }
        task.after.sort_unstable();
    }
    order.iter().map(|old| tasks[*old].clone()).collect()
}

#[cfg(test)]
mod tests;
