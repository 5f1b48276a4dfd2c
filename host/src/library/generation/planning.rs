//! Planning: a plan of the model, kept beside the experiment, with what it is expected to take and what there is for it.

use super::error::GenerationError;
use super::record::{keep_plan, kept_plan};
use bakeoff_domain::report::{ExpectedCost, GenerationPlan, GenerationTask};
use bakeoff_propose::{
    PROMPT_TOKENS, Plan, PlanBounds, PlanReply, PlanRequest, plan, plan_of_reply,
};
use bakeoff_provider::Models;
use bakeoff_source::content_address;
use std::path::Path;

/// A plan, with what it is expected to take.
#[derive(Clone, Debug)]
pub(crate) struct Planning {
    pub(crate) plan: Plan,
    pub(crate) expected: ExpectedCost,
    pub(crate) bounds: PlanBounds,
    /// The number of approaches of the plan's length that the budgets have room for; `None` without budgets.
    pub(crate) affordable: Option<u32>,
    /// The provider and the model of repairs, if they are others than those of everything else.
    pub(crate) repairs_by: Option<String>,
    /// Names of the user's own ideas, which are the first approaches of the plan.
    pub(crate) wished: Vec<String>,
}

/// Asks for a plan and keeps it, or takes the one that is kept for the same request: so an exploration that goes on with a
/// larger budget, of which a plan is told, carries out the plan that it began with. `wanted` identifies the request.
///
/// # Errors
/// There is no plan, or it cannot be kept.
pub(crate) async fn planned(
    models: &Models,
    (dir, wanted): (&Path, &str),
    request: PlanRequest<'_>,
    (asks_research, wished): (bool, Vec<String>),
    say: &mut dyn FnMut(&str),
) -> Result<Planning, GenerationError> {
    let about = content_address(format!("{wanted}\n{}", request.statement).as_bytes());
    // A replay has its plan again at no cost, and counts what it took.
    let kept = kept_plan(dir, &about).filter(|_| !models.is_replay());
    let plan = match kept.and_then(|reply| plan_of_reply(&reply, &request)) {
        Some(plan) => {
            say("the plan was made before, and is kept");
            plan
        }
        None => {
            say(&format!("asking {} for a plan", models.name()));
            let PlanReply { plan, reply } = plan(models, request).await?;
            if !models.is_replay() {
                keep_plan(dir, &about, &reply)?;
            }
            plan
        }
    };
    Ok(Planning {
        expected: plan.expected(models, &request.bounds, asks_research),
        affordable: plan.affordable(models),
        repairs_by: models.repairs_name().map(str::to_owned),
        bounds: request.bounds,
        plan,
        wished,
    })
}

impl Planning {
    /// Returns the plan as it is kept with what came of it.
    pub(crate) fn kept(&self, models: &Models) -> GenerationPlan {
        let spent = models.spent();
        let tasks = self.plan.tasks.iter().map(|task| GenerationTask {
            task: format!("{} {}", task.kind.name(), task.number),
            title: task.title.clone(),
            after: task.after.iter().map(|place| *place as u32 + 1).collect(),
            expected_tokens: PROMPT_TOKENS + u64::from(task.output_tokens),
            cost: task.took(&spent, &self.wished),
        });
        GenerationPlan {
            complexity: self.plan.complexity.name().to_owned(),
            reasons: self.plan.reasons.clone(),
            tasks: tasks.collect(),
        }
    }
}
