//! The plan of an exploration: how complex a problem is, and which tasks are done in which order.
//!
//! A model writes the plan; this module checks it against the dependencies that kinds of tasks have.

use super::idea::sentence;
use super::planned_criteria::{
    PlannedCriterion, WrittenCriterion, checked_criteria, criteria_schema,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The most tasks of a plan.
const TASKS_MAX: usize = bakeoff_domain::report::PLAN_TASKS_MAX;

/// The most tokens that a task may be estimated at.
const TOKENS_MAX: u32 = 16_384;

/// Complexity of a problem, by which a plan has more or fewer approaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Complexity {
    /// One to three approaches.
    Simple,
    /// Three to eight approaches.
    Moderate,
    /// Up to ten approaches.
    Complex,
}

impl Complexity {
    /// Returns the level's name, such as `simple`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Moderate => "moderate",
            Self::Complex => "complex",
        }
    }

    /// The least and the greatest number of approaches.
    pub fn approaches(self) -> (u32, u32) {
        match self {
            Self::Simple => (1, 3),
            Self::Moderate => (3, 8),
            Self::Complex => (3, 10),
        }
    }
}

/// Kind of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskKind {
    /// Write the interface.
    Interface,
    /// Write the workload, with its oracle and a plain solution.
    Workload,
    /// Name the approaches.
    Sketch,
    /// Write one approach.
    Approach,
    /// Make one approach of two others.
    Combine,
}

impl TaskKind {
    /// Returns the kind's name in plans, such as `approach`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Interface => "interface",
            Self::Workload => "workload",
            Self::Sketch => "sketch",
            Self::Approach => "approach",
            Self::Combine => "combine",
        }
    }
}

/// Starting point of a plan, which decides the kinds of its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanScope {
    /// A statement alone: interface and workload are written too.
    Statement,
    /// An experiment that has interface and workload.
    Experiment,
}

impl PlanScope {
    /// Returns the kinds of which there must be one task each.
    fn once(self) -> &'static [TaskKind] {
        match self {
            Self::Statement => &[TaskKind::Interface, TaskKind::Workload, TaskKind::Sketch],
            Self::Experiment => &[TaskKind::Sketch],
        }
    }

    /// Returns the kinds of tasks that a plan may have.
    fn kinds(self) -> Vec<TaskKind> {
        let more = [TaskKind::Approach, TaskKind::Combine];
        self.once().iter().copied().chain(more).collect()
    }
}

/// The complexity of a problem, as a model writes it.
#[derive(Clone, Debug, Deserialize)]
struct WrittenComplexity {
    level: Complexity,
    reasons: Vec<String>,
}

/// A task as a model writes it.
#[derive(Clone, Debug, Deserialize)]
struct WrittenTask {
    kind: TaskKind,
    title: String,
    depends_on: Vec<usize>,
    priority: i32,
    output_tokens: u32,
}

/// A plan as a model writes it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct WrittenPlan {
    complexity: WrittenComplexity,
    tasks: Vec<WrittenTask>,
    #[serde(default)]
    criteria: Vec<WrittenCriterion>,
    #[serde(default)]
    no_function: String,
}

impl WrittenPlan {
    /// Returns the reason why no typed function answers the question, as one line; `None` if one does.
    pub(super) fn no_function(&self) -> Option<String> {
        Some(sentence(&self.no_function)).filter(|reason| !reason.is_empty())
    }
}

/// A task of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedTask {
    /// Kind of the task.
    pub kind: TaskKind,
    /// Number of the task among those of its kind, from 1.
    pub number: usize,
    /// Title of the task, in the model's words.
    pub title: String,
    /// Indexes in the plan of the earlier tasks that it depends on.
    pub after: Vec<usize>,
    /// Ready tasks of a higher priority start first.
    pub priority: i32,
    /// Tokens that the task is expected to write.
    pub output_tokens: u32,
}

/// Tasks in an order in which they can be done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Complexity of the problem.
    pub complexity: Complexity,
    /// Reasons for this complexity, in sentences of the model's.
    pub reasons: Vec<String>,
    /// Criteria that the model proposes; empty if it proposes none, or was not asked for any.
    pub criteria: Vec<PlannedCriterion>,
    /// The tasks.
    pub tasks: Vec<PlannedTask>,
}

impl Plan {
    /// Checks and orders a plan that a model wrote. `wanted` is the number of approaches that the user asked for, if
    /// any.
    ///
    /// # Errors
    /// The plan cannot be done; the error is the reason, as a message for the model.
    pub(super) fn of(
        written: &WrittenPlan,
        scope: PlanScope,
        wanted: Option<u32>,
    ) -> Result<Self, String> {
        let tasks = &written.tasks;
        let count = |kind| tasks.iter().filter(|task| task.kind == kind).count();
        for kind in scope.once() {
            if count(*kind) != 1 {
                return Err(format!("there must be one task of kind {}", json!(kind)));
            }
        }
        let kinds = scope.kinds();
        if let Some(other) = tasks.iter().find(|task| !kinds.contains(&task.kind)) {
            return Err(format!(
                "there is nothing to do of kind {}",
                json!(other.kind)
            ));
        }
        let approaches = count(TaskKind::Approach) as u32;
        let (least, most) = match wanted {
            Some(wanted) => (wanted, wanted),
            None => written.complexity.level.approaches(),
        };
        if !(least..=most).contains(&approaches) {
            return Err(format!(
                "there are {approaches} tasks of kind \"approach\", and from {least} to {most} are wanted"
            ));
        }
        let after = dependencies(tasks)?;
        let order = order(&after)?;
        let place = |old: usize| order.iter().position(|one| *one == old).unwrap_or(0);
        let mut planned: Vec<PlannedTask> = Vec::with_capacity(tasks.len());
        for old in &order {
            let task = &tasks[*old];
            let same = planned.iter().filter(|one| one.kind == task.kind).count();
            planned.push(PlannedTask {
                kind: task.kind,
                number: same + 1,
                title: sentence(&task.title),
                after: after[*old].iter().map(|old| place(*old)).collect(),
                priority: task.priority.clamp(0, 9),
                output_tokens: task.output_tokens.min(TOKENS_MAX),
            });
        }
        let reasons = written.complexity.reasons.iter();
        let criteria = checked_criteria(&written.criteria)?;
        Ok(Self {
            complexity: written.complexity.level,
            reasons: reasons.map(|reason| sentence(reason)).collect(),
            criteria,
            tasks: planned,
        })
    }

    /// Returns the number of approaches in the plan.
    pub fn approaches(&self) -> u32 {
        let tasks = self.tasks.iter();
        tasks.filter(|task| task.kind == TaskKind::Approach).count() as u32
    }
}

/// Returns the dependencies of each task: those that the model names, and the one that its kind has anyway.
fn dependencies(tasks: &[WrittenTask]) -> Result<Vec<BTreeSet<usize>>, String> {
    let the = |kind| tasks.iter().position(|task| task.kind == kind);
    let mut all = Vec::with_capacity(tasks.len());
    for (place, task) in tasks.iter().enumerate() {
        let mut after: BTreeSet<usize> = task.depends_on.iter().copied().collect();
        if let Some(wrong) = after
            .iter()
            .find(|one| **one >= tasks.len() || **one == place)
        {
            return Err(format!(
                "task {place} depends on {wrong}, which is no other task"
            ));
        }
        let needed = match task.kind {
            TaskKind::Interface => None,
            TaskKind::Workload => the(TaskKind::Interface),
            TaskKind::Sketch => the(TaskKind::Workload),
            TaskKind::Approach => the(TaskKind::Sketch),
            TaskKind::Combine => {
                let is_approach = |one: &&usize| tasks[**one].kind == TaskKind::Approach;
                if after.len() != 2 || after.iter().filter(is_approach).count() != 2 {
                    return Err(format!(
                        "task {place} combines two approaches, so it depends on two tasks of kind \"approach\" \
                         and on nothing else"
                    ));
                }
                None
            }
        };
        after.extend(needed);
        all.push(after);
    }
    Ok(all)
}

/// Returns the tasks' indexes in an order in which each task comes after its dependencies.
fn order(after: &[BTreeSet<usize>]) -> Result<Vec<usize>, String> {
    let mut order: Vec<usize> = Vec::with_capacity(after.len());
    while order.len() < after.len() {
        let is_next = |place: &usize| {
            !order.contains(place) && after[*place].iter().all(|one| order.contains(one))
        };
        match (0..after.len()).find(is_next) {
            Some(next) => order.push(next),
            None => return Err("some tasks wait for each other in a circle".to_owned()),
        }
    }
    Ok(order)
}

/// The schema of a plan, which proposes criteria if it is asked for them.
pub(super) fn plan_schema(scope: PlanScope, with_criteria: bool) -> Value {
    let mut schema = tasks_schema(scope);
    if with_criteria {
        schema["required"] = json!(["complexity", "criteria", "tasks", "no_function"]);
        schema["properties"]["criteria"] = criteria_schema();
    }
    schema
}

fn tasks_schema(scope: PlanScope) -> Value {
    // A plan with too few tasks is asked for again, and one without a function has none.
    // Longer texts are cut.
    let text = |about: &str| json!({"type": "string", "description": about});
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["complexity", "tasks", "no_function"],
        "properties": {
            "no_function": {
                "type": "string",
                "default": "",
                "description": "empty; but if no function of typed values answers the question, the reason in a sentence"
            },
            "complexity": {
                "type": "object",
                "additionalProperties": false,
                "required": ["level", "reasons"],
                "properties": {
                    "level": {"enum": ["simple", "moderate", "complex"]},
                    "reasons": {"type": "array", "maxItems": 5, "items": text("a reason, in a sentence")}
                }
            },
            "tasks": {
                "type": "array",
                "maxItems": TASKS_MAX,
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["kind", "title", "depends_on", "priority", "output_tokens"],
                    "properties": {
                        "kind": {"enum": scope.kinds()},
                        "title": text("what is done, in a sentence"),
                        "depends_on": {
                            "type": "array",
                            "maxItems": TASKS_MAX,
                            "items": {"type": "integer", "minimum": 0, "maximum": TASKS_MAX}
                        },
                        "priority": {"type": "integer", "minimum": 0, "maximum": 9},
                        "output_tokens": {"type": "integer", "minimum": 1, "maximum": TOKENS_MAX}
                    }
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(level: &str, tasks: &[(&str, &[usize])]) -> Result<Plan, String> {
        plan_of(level, tasks, None)
    }

    fn plan_of(
        level: &str,
        tasks: &[(&str, &[usize])],
        wanted: Option<u32>,
    ) -> Result<Plan, String> {
        let tasks: Vec<Value> = tasks
            .iter()
            .map(|(kind, after)| {
                json!({"kind": kind, "title": format!("{kind}\u{1b}\n!"), "depends_on": after,
                       "priority": 12, "output_tokens": 4_000_000_000_u32})
            })
            .collect();
        let written = json!({"complexity": {"level": level, "reasons": []}, "tasks": tasks});
        Plan::of(
            &serde_json::from_value(written).unwrap(),
            PlanScope::Statement,
            wanted,
        )
    }

    const BEGIN: [(&str, &[usize]); 3] = [("sketch", &[]), ("workload", &[]), ("interface", &[])];

    const APPROACH: (&str, &[usize]) = ("approach", &[]);

    #[test]
    fn tasks_come_behind_what_they_need_whatever_the_model_says() {
        let tasks = [
            &BEGIN[..],
            &[("combine", &[4, 5]), ("approach", &[]), ("approach", &[4])],
        ]
        .concat();
        let plan = plan_of("simple", &tasks, Some(2)).unwrap();
        let kinds: Vec<(TaskKind, usize, &[usize])> = plan
            .tasks
            .iter()
            .map(|task| (task.kind, task.number, &task.after[..]))
            .collect();
        assert_eq!(
            kinds,
            [
                (TaskKind::Interface, 1, &[][..]),
                (TaskKind::Workload, 1, &[0]),
                (TaskKind::Sketch, 1, &[1]),
                (TaskKind::Approach, 1, &[2]),
                (TaskKind::Approach, 2, &[2, 3]),
                (TaskKind::Combine, 1, &[3, 4]),
            ]
        );
        let first = &plan.tasks[0];
        assert_eq!((first.priority, first.output_tokens), (9, TOKENS_MAX));
        assert_eq!(first.title, "interface !");
    }

    #[test]
    fn a_plan_that_cannot_be_done_says_why() {
        let with = |more: &[(&'static str, &'static [usize])]| [&BEGIN[..], more].concat();
        let wrong = |tasks: &[(&str, &[usize])]| plan("simple", tasks).unwrap_err();
        assert!(wrong(&with(&[])).contains("0 tasks of kind \"approach\""));
        assert!(wrong(&with(&[APPROACH; 4])).contains("from 1 to 3"));
        assert!(
            wrong(&[("interface", &[]), ("sketch", &[]), ("approach", &[])]).contains("workload")
        );
        assert!(wrong(&with(&[("approach", &[9])])).contains("depends on 9"));
        assert!(wrong(&with(&[("approach", &[4]), ("approach", &[3])])).contains("circle"));
        let circle = [
            ("interface", &[3][..]),
            BEGIN[0],
            BEGIN[1],
            ("approach", &[]),
        ];
        assert!(wrong(&circle).contains("circle"));
        assert!(wrong(&with(&[("approach", &[]), ("combine", &[3])])).contains("two"));
        assert!(plan("complex", &with(&[APPROACH; 10])).is_ok());
    }
}
