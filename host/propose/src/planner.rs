//! Questions to a model for the plan of an exploration.

use super::plan::{Plan, PlanScope, WrittenPlan, plan_schema};
use super::plan_cost::PlanBounds;
use super::prompt::{SYSTEM, data};
use super::templates::filled;
use super::what_counts::criteria_words;
use super::writer::read;
use bakeoff_config::{PromptKind, Prompts};
use bakeoff_domain::generate::Diversity;
use bakeoff_domain::spec::Criterion;
use bakeoff_provider::{AskError, Models, Purpose, Request};
use serde_json::Value;

/// The most tokens of a plan.
const TOKENS_MAX: u32 = 8_192;

/// The most repairs: questions again for a plan that could not be done.
const REPAIRS_MAX: u32 = 2;

/// Reason why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The model gave no answer.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The reason why the last plan, like all before it, cannot be done.
    #[error("no plan of the model can be done: {0}")]
    Unusable(String),
    /// The reason why no function of typed values answers the question, in the model's words.
    #[error("no typed function answers this question: {0}")]
    NoFunction(String),
}

/// A request for a plan.
#[derive(Clone, Copy, Debug)]
pub struct PlanRequest<'a> {
    /// The problem as a model is told of it.
    pub statement: &'a str,
    /// Starting point of the plan.
    pub scope: PlanScope,
    /// Number of approaches that the user wants; `None` leaves it to the plan.
    pub approaches: Option<u32>,
    /// Diversity of the approaches.
    pub diversity: Diversity,
    /// The criteria that the approaches are compared by; `None` lets the plan propose some.
    pub criteria: Option<&'a [Criterion]>,
    /// Bounds within which the plan is carried out.
    pub bounds: PlanBounds,
    /// Templates of the experiment's own.
    pub prompts: &'a Prompts,
}

/// A plan, with the reply that it was read from.
#[derive(Clone, Debug)]
pub struct PlanReply {
    /// The plan.
    pub plan: Plan,
    /// The model's reply.
    pub reply: Value,
}

/// Asks for the complexity of a problem, and for the tasks that solve it. A plan with more approaches than its bounds have
/// room for goes back, unless the user wants that many.
///
/// # Errors
/// See [`PlanError`].
pub async fn plan(models: &Models, wanted: PlanRequest<'_>) -> Result<PlanReply, PlanError> {
    let bounds = wanted.bounds.words(models);
    let mut wrong: Option<String> = None;
    for attempt in 0..=REPAIRS_MAX {
        let request = request((wanted, &bounds), attempt, wrong.as_deref());
        let reply = models.ask(&request).await?;
        let written: WrittenPlan = read(reply.clone())?;
        if let (PlanScope::Statement, Some(reason)) = (wanted.scope, written.no_function()) {
            return Err(PlanError::NoFunction(reason));
        }
        let plan = Plan::of(&written, wanted.scope, wanted.approaches);
        match plan.and_then(|plan| fitting(plan, models, &wanted)) {
            Ok(plan) => return Ok(PlanReply { plan, reply }),
            Err(reason) => wrong = Some(reason),
        }
    }
    Err(PlanError::Unusable(wrong.unwrap_or_default()))
}

/// Returns the plan of a reply that was kept; `None` if it is none for this request.
pub fn plan_of_reply(reply: &Value, wanted: &PlanRequest<'_>) -> Option<Plan> {
    let written: WrittenPlan = read(reply.clone()).ok()?;
    Plan::of(&written, wanted.scope, wanted.approaches).ok()
}

/// Returns a plan that its bounds have room for. Where they have none for a single approach, or the user wants that many,
/// it is for the user to decide.
fn fitting(plan: Plan, models: &Models, wanted: &PlanRequest<'_>) -> Result<Plan, String> {
    let most = plan.affordable(models);
    match most.filter(|_| wanted.approaches.is_none()) {
        Some(most) if most > 0 && plan.approaches() > most => Err(format!(
            "its {} approaches would take more than there is, which has room for {most} of that length",
            plan.approaches()
        )),
        _ => Ok(plan),
    }
}

fn request(
    (wanted, bounds): (PlanRequest<'_>, &str),
    attempt: u32,
    wrong: Option<&str>,
) -> Request {
    let count = match wanted.approaches {
        Some(count) => format!("{count} tasks of kind `approach`"),
        None => "as many tasks of kind `approach` as the complexity is worth: 1 to 3 for a simple problem, 3 to 8 \
                 for a moderate one, up to 10 for a complex one"
            .to_owned(),
    };
    let spread = match wanted.diversity {
        Diversity::Low => "variations of one promising idea",
        Diversity::Medium => "other algorithms or data structures",
        Diversity::High => "ideas as far apart as there are any",
    };
    let begin = match wanted.scope {
        PlanScope::Statement => {
            "- one `interface` (the function's types), one `workload` (its inputs, a check of answers, and a plain \
             solution) and one `sketch` (names the approaches);"
        }
        PlanScope::Experiment => {
            "- one `sketch` (names the approaches): the function's types, its inputs and the check of answers are \
             there already;"
        }
    };
    let counts = match wanted.criteria {
        Some(criteria) => format!("What counts is decided:\n{}\n", data(&criteria_words(criteria))),
        None => "`criteria` is your proposal of what counts, and how much, for whoever has this problem: of performance \
                 (CPU time of a call), wall (wall time of a call), memory (the most that a call takes), fuel \
                 (instructions), size (of the compiled code), simplicity (lines of source), cold-start (the first call) \
                 and build-time. Name those that matter here; without a reason to the contrary, performance counts most.\n"
            .to_owned(),
    };
    let function = match wanted.scope {
        PlanScope::Statement => {
            " A question of design, of taste, of infrastructure or of other products is none that a function of typed \
             values answers: plan no tasks then, and say why in `no_function`, instead of another problem."
        }
        PlanScope::Experiment => "",
    };
    let wrong = wrong.map_or_else(String::new, |reason| {
        format!("\nThe last plan cannot be done: {reason}. Write it anew.\n")
    });
    Request {
        purpose: Purpose::Plan,
        subject: match attempt {
            0 => "plan".to_owned(),
            number => format!("plan, repair {number}"),
        },
        system: SYSTEM.to_owned(),
        prompt: filled(
            wanted.prompts,
            PromptKind::Plan,
            &[
                ("problem", &data(wanted.statement)),
                ("tasks", &format!("{begin}\n- {count}: {spread};")),
                ("function", function),
                ("room", bounds),
                ("criteria", &counts),
                ("fault", &wrong),
            ],
        ),
        schema: plan_schema(wanted.scope, wanted.criteria.is_none()),
        output_tokens_max: TOKENS_MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::super::explore_options::usual_criteria;
    use super::*;
    use std::time::Duration;

    #[test]
    fn criteria_are_asked_for_only_where_nobody_decided_them() {
        let (criteria, prompts) = (usual_criteria(), Prompts::default());
        let wanted = |criteria| PlanRequest {
            statement: "Sort.",
            scope: PlanScope::Statement,
            approaches: None,
            diversity: Diversity::Medium,
            criteria,
            bounds: PlanBounds {
                calls_at_once: 1,
                cores: 1,
                timeout: Duration::from_secs(60),
                tokens: None,
                microdollars: None,
            },
            prompts: &prompts,
        };
        let open = request((wanted(None), "Two cores."), 0, None);
        assert!(open.prompt.contains("Two cores."));
        assert!(open.schema["properties"]["criteria"].is_object());
        assert!(open.prompt.contains("your proposal of what counts"));
        let decided = request((wanted(Some(&criteria)), ""), 0, None);
        assert!(decided.schema["properties"]["criteria"].is_null());
        assert!(
            decided.prompt.contains("memory (weight 0.3)"),
            "{}",
            decided.prompt
        );
    }
}
