//! The plan of a model, which is shown before anything more is paid for.

use super::failure::Failure;
use bakeoff_domain::report::ExpectedCost;
use bakeoff_propose::{Plan, QuestionPlan};
use bakeoff_provider::Models;
use bakeoff_render::escape::Plain;
use serde::Serialize;
use std::io::{BufRead as _, IsTerminal as _};

/// A plan, in JSON.
#[derive(Serialize)]
pub(super) struct PlanOutput<'a> {
    pub(super) plan: &'a Plan,
    pub(super) expected: &'a ExpectedCost,
}

/// Returns a plan as text.
pub(super) fn plan_text(plan: &Plan, expected: &ExpectedCost) -> String {
    let level = serde_json::to_value(plan.complexity).unwrap_or_default();
    let level = level.as_str().unwrap_or_default();
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
    text + &format!(
        "Expected: {} calls, about {} tokens{usd}; repairs come on top, and budgets hold whatever is expected.\n",
        expected.calls, expected.tokens
    )
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
