//! Result of an exploration, for a program.

use super::super::generation::Generation;
use super::new_criteria::CriteriaOrigin;
use super::outcome::ExplorationOutcome;
use super::question_plan::PlannedQuestion;
use crate::library::generation::planning::Planning;

/// A plan for an exploration, which a model made before anything more is paid for.
#[derive(Clone, Debug)]
pub struct ExplorationPlan {
    kind: PlanKind,
}

/// Kind of a plan, by what the exploration ends with.
#[derive(Clone, Debug)]
pub(super) enum PlanKind {
    /// An experiment that is measured.
    Measured(Planning),
    /// An answer in words.
    InWords(PlannedQuestion),
}

/// The end of an exploration: what came of the experiment and its approaches.
#[derive(Clone, Debug)]
pub struct ExplorationResult {
    outcome: ExplorationOutcome,
    generation: Generation,
    has_experiment: bool,
}

impl ExplorationPlan {
    pub(super) fn new(kind: PlanKind) -> Self {
        Self { kind }
    }

    /// Returns the number of approaches, with ideas of your own.
    pub fn approaches(&self) -> u32 {
        match &self.kind {
            PlanKind::Measured(planning) => planning.plan.approaches(),
            PlanKind::InWords(planned) => planned.plan.approaches.len() as u32,
        }
    }

    /// Returns the US dollars that the plan is expected to cost, without repairs; `None` where a price is not known, and for an
    /// answer [in words](super::Exploration::in_words).
    pub fn expected_usd(&self) -> Option<f64> {
        match &self.kind {
            PlanKind::Measured(planning) => planning.expected.usd,
            PlanKind::InWords(_) => None,
        }
    }

    /// Returns all of it as JSON, as `bakeoff explore --dry-run --format json` has it.
    pub fn json(&self) -> String {
        match &self.kind {
            PlanKind::Measured(planning) => planning.json(),
            PlanKind::InWords(planned) => planned.json(),
        }
    }

    /// Returns all of it as text without control characters.
    pub fn text(&self) -> String {
        match &self.kind {
            PlanKind::Measured(planning) => planning.text(),
            PlanKind::InWords(planned) => planned.text(),
        }
    }
}

impl ExplorationResult {
    pub(super) fn new(
        outcome: ExplorationOutcome,
        generation: Generation,
        has_experiment: bool,
    ) -> Self {
        Self {
            outcome,
            generation,
            has_experiment,
        }
    }

    /// Returns the same with warnings before its own.
    pub(super) fn after(self, warnings: Vec<String>) -> Self {
        Self {
            generation: self.generation.after(warnings),
            ..self
        }
    }

    pub(crate) fn outcome(&self) -> &ExplorationOutcome {
        &self.outcome
    }

    /// Returns the approaches and their cost, and whether it came to its end.
    pub fn generation(&self) -> &Generation {
        &self.generation
    }

    /// Returns true if the folder has an experiment: interface and workload can be used, or a question in words has an approach.
    pub fn has_experiment(&self) -> bool {
        self.has_experiment
    }

    /// Returns the reason why an interface, a workload or ideas could not be used after all repairs, if one could not. It may
    /// quote a compiler or what the model wrote.
    pub fn unusable(&self) -> Option<&str> {
        let unusable = self.outcome.unusable.as_ref();
        unusable.map(|answer| answer.reason.as_str())
    }

    /// Returns all of it as JSON, as `bakeoff explore --no-run --format json` has it.
    pub fn json(&self) -> String {
        bakeoff_render::indented_json(&self.outcome)
    }

    /// Returns all of it as text without control characters.
    pub fn text(&self) -> String {
        let mut first = String::new();
        if !self.generation.is_complete() {
            first += "It has not come to its end: the same request goes on, and pays for no reply twice.\n";
        }
        if let Some(criteria) = &self.outcome.criteria {
            first += &criteria.line(match criteria.origin {
                CriteriaOrigin::User => "",
                CriteriaOrigin::Like => ", taken over from an earlier experiment",
                CriteriaOrigin::Model => ", proposed by the model",
                CriteriaOrigin::Usual => ", as usual",
                CriteriaOrigin::File => ", by bakeoff.toml",
            });
        }
        self.outcome.text(&first, &self.generation.text())
    }
}
