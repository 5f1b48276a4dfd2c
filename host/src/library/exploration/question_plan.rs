//! The plan of a question in words as it is shown, before anything more is paid for.

use bakeoff_propose::QuestionPlan;
use bakeoff_render::escape::Plain;
use serde::Serialize;

/// A plan in words, for the question that it answers.
#[derive(Clone, Debug)]
pub(crate) struct PlannedQuestion {
    pub(crate) question: String,
    pub(crate) plan: QuestionPlan,
}

/// A plan in words, in JSON.
#[derive(Serialize)]
struct PlanOutput<'a> {
    question: &'a str,
    approaches: Vec<PlannedApproach<'a>>,
    #[serde(flatten)]
    plan: &'a QuestionPlan,
}

/// An approach of a plan in words, in JSON.
#[derive(Serialize)]
struct PlannedApproach<'a> {
    name: &'a str,
    description: &'a str,
}

impl PlannedQuestion {
    /// Returns the plan as JSON.
    pub(crate) fn json(&self) -> String {
        let approaches = self.plan.approaches.iter();
        let approaches = approaches.map(|one| PlannedApproach {
            name: &one.name,
            description: &one.description,
        });
        bakeoff_render::indented_json(&PlanOutput {
            question: &self.question,
            approaches: approaches.collect(),
            plan: &self.plan,
        })
    }

    /// Returns the plan as text without control characters.
    pub(crate) fn text(&self) -> String {
        let mut text = "The approaches:\n".to_owned();
        for one in &self.plan.approaches {
            text += &format!("  {}: {}\n", Plain(&one.name), Plain(&one.description));
        }
        text += "Judged by:\n";
        for one in &self.plan.criteria {
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
}
