//! The criteria of an experiment that is written, and who decided them.

use bakeoff_config::LoadedExperiment;
use bakeoff_domain::spec::Criterion;
use bakeoff_propose::{Plan, usual_criteria};
use bakeoff_render::escape::Plain;
use serde::Serialize;

/// Origin of the criteria of an experiment that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CriteriaOrigin {
    /// The user chose them.
    User,
    /// They are those of an earlier experiment.
    Like,
    /// The model proposed them in its plan.
    Model,
    /// Nobody did: they are the usual ones.
    Usual,
    /// They stand in the experiment file, which was changed since it was written.
    File,
}

/// Criteria with their origin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct NewCriteria {
    pub(crate) origin: CriteriaOrigin,
    list: Vec<NewCriterion>,
    #[serde(skip)]
    pub(crate) criteria: Vec<Criterion>,
}

/// A criterion, as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct NewCriterion {
    name: String,
    weight: f64,
    from: String,
    /// Reason of the model's, if it proposed the criterion.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl NewCriteria {
    /// Chooses criteria: those that are decided, or those of the plan, or the usual ones.
    pub(crate) fn choose(decided: Option<(CriteriaOrigin, Vec<Criterion>)>, plan: &Plan) -> Self {
        if let Some((origin, criteria)) = decided {
            return Self::of(origin, criteria);
        }
        let proposed = plan.criteria.iter();
        let proposed: Vec<Criterion> = proposed.filter_map(|one| one.criterion()).collect();
        if proposed.is_empty() {
            return Self::of(CriteriaOrigin::Usual, usual_criteria());
        }
        let mut criteria = Self::of(CriteriaOrigin::Model, proposed);
        for (shown, planned) in criteria.list.iter_mut().zip(&plan.criteria) {
            shown.reason = Some(planned.reason.clone());
        }
        criteria
    }

    fn of(origin: CriteriaOrigin, criteria: Vec<Criterion>) -> Self {
        let list = criteria.iter().map(|one| NewCriterion {
            name: one.name.clone(),
            weight: one.weight,
            from: one.source.name(),
            reason: None,
        });
        Self {
            origin,
            list: list.collect(),
            criteria,
        }
    }

    /// Returns the criteria as they are now in the experiment that was written earlier, if there is one.
    pub(crate) fn or_of_file(self, earlier: Option<&LoadedExperiment>) -> Self {
        match earlier {
            Some(loaded) if loaded.experiment.criteria != self.criteria => {
                Self::of(CriteriaOrigin::File, loaded.experiment.criteria.clone())
            }
            _ => self,
        }
    }

    /// Returns the lines of the comment above the criteria in the experiment file.
    pub(crate) fn comment(&self) -> Vec<String> {
        if self.origin != CriteriaOrigin::Model {
            return Vec::new();
        }
        let mut lines = vec![
            "What counts, as the model proposed it in its plan. Change it where it is not what counts for you.".to_owned(),
        ];
        for one in &self.list {
            if let Some(reason) = one.reason.as_ref().filter(|reason| !reason.is_empty()) {
                lines.push(format!("{}: {reason}", one.name));
            }
        }
        lines
    }

    /// Returns the criteria as a line of text, with words on their origin before them.
    pub(crate) fn line(&self, origin: &str) -> String {
        let criteria = self.list.iter();
        let criteria = criteria.map(|one| format!("{} {}", Plain(&one.name), one.weight));
        let criteria: Vec<String> = criteria.collect();
        format!("What counts{origin}: {}\n", criteria.join(", "))
    }
}
