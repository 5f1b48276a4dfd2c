//! Questions to a model for the plan of an exploration.

use super::plan::{Plan, PlanScope, WrittenPlan, plan_schema};
use super::prompt::{SYSTEM, data};
use super::writer::read;
use bakeoff_domain::generate::Diversity;
use bakeoff_provider::{AskError, Models, Purpose, Request};

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

/// Asks for the complexity of a problem, and for the tasks that solve it. `approaches` is the number that the user
/// wants; `None` leaves it to the plan.
///
/// # Errors
/// See [`PlanError`].
pub async fn plan(
    models: &Models,
    statement: &str,
    scope: PlanScope,
    approaches: Option<u32>,
    diversity: Diversity,
) -> Result<Plan, PlanError> {
    let mut wrong: Option<String> = None;
    for attempt in 0..=REPAIRS_MAX {
        let wanted = (scope, approaches, diversity);
        let request = request(statement, wanted, attempt, wrong.as_deref());
        let written: WrittenPlan = read(models.ask(&request).await?)?;
        if let (PlanScope::Statement, Some(reason)) = (scope, written.no_function()) {
            return Err(PlanError::NoFunction(reason));
        }
        match Plan::of(&written, scope, approaches) {
            Ok(plan) => return Ok(plan),
            Err(reason) => wrong = Some(reason),
        }
    }
    Err(PlanError::Unusable(wrong.unwrap_or_default()))
}

fn request(
    statement: &str,
    (scope, approaches, diversity): (PlanScope, Option<u32>, Diversity),
    attempt: u32,
    wrong: Option<&str>,
) -> Request {
    let count = match approaches {
        Some(count) => format!("{count} tasks of kind `approach`"),
        None => "as many tasks of kind `approach` as the complexity is worth: 1 to 3 for a simple problem, 3 to 8 \
                 for a moderate one, up to 10 for a complex one"
            .to_owned(),
    };
    let spread = match diversity {
        Diversity::Low => "variations of one promising idea",
        Diversity::Medium => "other algorithms or data structures",
        Diversity::High => "ideas as far apart as there are any",
    };
    let begin = match scope {
        PlanScope::Statement => {
            "- one `interface` (the function's types), one `workload` (its inputs, a check of answers, and a plain \
             solution) and one `sketch` (names the approaches);"
        }
        PlanScope::Experiment => {
            "- one `sketch` (names the approaches): the function's types, its inputs and the check of answers are \
             there already;"
        }
    };
    let function = match scope {
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
        prompt: format!(
            "The problem:\n{}\n\nTo find out which way of solving it is the fastest, one typed function will be \
             written in several ways and measured. Say how complex the problem is, and plan the work as tasks:\n\
             {begin}\n- {count}: {spread};\n\
             - `combine`, where making one of two approaches is promising: it depends on exactly these two tasks.\n\
             `depends_on` has places in the list, counted from 0. Of tasks that could start, those of a higher \
             priority do. `output_tokens` is how much you expect to write.{function}\n{wrong}",
            data(statement)
        ),
        schema: plan_schema(scope),
        output_tokens_max: TOKENS_MAX,
    }
}
