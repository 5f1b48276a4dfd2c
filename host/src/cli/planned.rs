//! The plan of a model, which is shown before anything more is paid for.

use super::failure::Failure;
use crate::library::generation::planning::Planning;
use bakeoff_domain::numbers;
use bakeoff_domain::report::ExpectedCost;
use bakeoff_propose::{Plan, QuestionPlan};
use bakeoff_provider::Models;
use bakeoff_render::escape::Plain;
use serde::Serialize;
use std::io::{BufRead as _, IsTerminal as _};

/// A plan, in JSON.
#[derive(Serialize)]
pub(super) struct PlanOutput<'a> {
    plan: &'a Plan,
    expected: &'a ExpectedCost,
    calls_at_once: u32,
    /// The number of approaches of the plan's length that the budgets have room for; `None` without budgets.
    affordable_approaches: Option<u32>,
    /// The provider and the model of repairs, if they are others than those of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    repairs_by: Option<&'a str>,
}

impl<'a> From<&'a Planning> for PlanOutput<'a> {
    fn from(planning: &'a Planning) -> Self {
        Self {
            plan: &planning.plan,
            expected: &planning.expected,
            calls_at_once: planning.bounds.calls_at_once,
            affordable_approaches: planning.affordable,
            repairs_by: planning.repairs_by.as_deref(),
        }
    }
}

/// Returns a plan as text.
pub(super) fn plan_text(planning: &Planning) -> String {
    let Planning { plan, expected, .. } = planning;
    let level = plan.complexity.name();
    let mut text = format!("A {level} problem: {} approaches.\n", plan.approaches());
    for reason in &plan.reasons {
        text += &format!("  {}\n", Plain(reason));
    }
    text += "The plan:\n";
    for (place, task) in plan.tasks.iter().enumerate() {
        let after: Vec<String> = task
            .after
            .iter()
            .map(|place| (place + 1).to_string())
            .collect();
        let after = if after.is_empty() {
            String::new()
        } else {
            format!(", after {}", after.join(" and "))
        };
        let kind = task.kind.name();
        text += &format!(
            "  {:>2}  {kind}: {} (about {} tokens{after})\n",
            place + 1,
            Plain(&task.title),
            task.output_tokens
        );
    }
    if !plan.criteria.is_empty() {
        text += "What counts, as the model proposes it:\n";
    }
    for one in &plan.criteria {
        text += &format!("  {} {}: {}\n", one.name, one.weight, Plain(&one.reason));
    }
    let usd = match expected.usd {
        Some(usd) => format!(", {usd:.4} US dollars"),
        None => ", at a price that is not known".to_owned(),
    };
    let calls_at_once = planning.bounds.calls_at_once;
    let time = expected.seconds.map_or_else(String::new, |seconds| {
        let calls = match calls_at_once {
            1 => "one call after the other".to_owned(),
            count => format!("{count} calls at once"),
        };
        format!(", {} with {calls}", about(seconds))
    });
    text += &format!(
        "Expected: {} calls, about {} tokens{usd}{time}; repairs come on top, and budgets hold whatever is expected.\n",
        expected.calls, expected.tokens
    );
    if let Some(name) = &planning.repairs_by {
        text += &format!("Repairs are asked of {}.\n", Plain(name));
    }
    match planning.affordable {
        Some(most) if most < plan.approaches() => {
            text += &format!(
                "That is more than there is: the budget has room for {most} of these approaches.\n"
            );
        }
        Some(most) if most < ROOM_MAX => {
            text += &format!(
                "The budget has room for {most} such approaches; {} would exceed it.\n",
                most + 1
            );
        }
        _ => {}
    }
    text
}

/// The most approaches that a budget is said to have room for: a plan never has more.
const ROOM_MAX: u32 = 24;

/// Returns a duration in words: `about 4 minutes`.
fn about(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("about {} s", numbers::significant(seconds, 2))
    } else {
        format!("about {:.0} minutes", seconds / 60.0)
    }
}

/// Returns the plan of a question in words as text.
pub(super) fn question_text(plan: &QuestionPlan) -> String {
    let mut text = "The approaches:\n".to_owned();
    for one in &plan.approaches {
        text += &format!("  {}: {}\n", Plain(&one.name), Plain(&one.description));
    }
    text += "Judged by:\n";
    for one in &plan.criteria {
        let way = one.could_measure.as_ref();
        let way = way.map_or("by opinion alone".to_owned(), |way| {
            format!("could be measured: {}", Plain(&way.command()))
        });
        text += &format!(
            "  {} (weight {}): {} ({way})\n",
            Plain(&one.name),
            one.weight,
            Plain(&one.question)
        );
    }
    text + "Nothing of it will be run.\n"
}

/// Asks on the terminal whether to go on. Returns true unasked without a terminal, and where the
/// model costs nothing.
pub(super) fn goes_on(models: &Models) -> Result<bool, Failure> {
    let is_free = models.expected_microdollars(1_000_000, 1_000_000) == Some(0);
    let is_free = is_free && models.repairs_name().is_none();
    if is_free || !is_on_terminal() {
        return Ok(true);
    }
    confirm("Go on? [y/N] ")
}

/// Returns true if stdin and stderr are a terminal, so that a person can be asked.
pub(super) fn is_on_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks a question on the terminal. Returns true if the answer is yes.
pub(super) fn confirm(question: &str) -> Result<bool, Failure> {
    anstream::eprint!("{question}");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| Failure::usage(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
