//! The plan of a model as it is shown, before anything more is paid for.

use super::planning::Planning;
use bakeoff_domain::numbers;
use bakeoff_domain::report::ExpectedCost;
use bakeoff_propose::Plan;
use bakeoff_render::escape::Plain;
use serde::Serialize;

/// The most approaches that a budget is said to have room for: a plan never has more.
const ROOM_MAX: u32 = 24;

impl Planning {
    /// Returns the plan as JSON.
    pub(crate) fn json(&self) -> String {
        bakeoff_render::indented_json(&PlanOutput::from(self))
    }

    /// Returns the plan as text without control characters.
    pub(crate) fn text(&self) -> String {
        text(self)
    }
}

/// A plan, in JSON.
#[derive(Serialize)]
struct PlanOutput<'a> {
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

/// Returns a plan as text without control characters.
fn text(planning: &Planning) -> String {
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

/// Returns a duration in words: `about 4 minutes`.
fn about(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("about {} s", numbers::significant(seconds, 2))
    } else {
        format!("about {:.0} minutes", seconds / 60.0)
    }
}
