//! What changed since an earlier run: said before it is done again.

use super::{Run, RunError};
use crate::events::{Event, Stage};
use crate::store::{Key, Kind, Owner};
use std::collections::BTreeSet;

/// Inputs that a variant has for itself. All others are the same for everyone.
const OWN: [&str; 2] = ["source", "component"];

/// The inputs without a seed that was drawn anew because of the others.
fn without_consequence(mut inputs: Vec<String>) -> Vec<String> {
    if inputs.iter().any(|input| input != "seed") {
        inputs.retain(|input| input != "seed");
    }
    inputs
}

impl Run<'_> {
    /// Says what changed for the builds.
    pub(super) fn tell_changed_builds(&mut self) -> Result<(), RunError> {
        let alive = self
            .candidates
            .iter()
            .filter(|candidate| candidate.is_alive());
        let keys = alive.map(|candidate| (candidate.id.clone(), self.keys.build(candidate)));
        let keys = keys.collect();
        self.tell_changed(Stage::Build, Kind::Build, keys)
    }

    /// Says what changed for the gates.
    pub(super) fn tell_changed_checks(&mut self) -> Result<(), RunError> {
        let built = self.candidates.iter().filter_map(|candidate| {
            let identity = candidate.identity()?;
            Some((candidate.id.clone(), self.keys.gate(&identity)))
        });
        let keys = built.collect();
        self.tell_changed(Stage::Check, Kind::Gate, keys)
    }

    /// Says what changed for the race.
    pub(super) fn tell_changed_race(&mut self, key: &Key) -> Result<(), RunError> {
        let changed = self.store.changes(Kind::Pilot, key, Owner::RUN)?;
        match changed.map(without_consequence) {
            Some(inputs) if !inputs.is_empty() => self.changed(None, Stage::Measure, inputs),
            _ => Ok(()),
        }
    }

    fn tell_changed(
        &mut self,
        stage: Stage,
        kind: Kind,
        keys: Vec<(String, Key)>,
    ) -> Result<(), RunError> {
        let mut shared = BTreeSet::new();
        for (id, key) in keys {
            let owner = Owner {
                variant: &id,
                iteration: 1,
            };
            let changed = self.store.changes(kind, &key, owner)?.unwrap_or_default();
            let (own, others): (Vec<String>, Vec<String>) = changed
                .into_iter()
                .partition(|input| OWN.contains(&input.as_str()));
            shared.extend(others);
            if !own.is_empty() {
                self.changed(Some(id), stage, own)?;
            }
        }
        match shared.is_empty() {
            true => Ok(()),
            false => self.changed(None, stage, shared.into_iter().collect()),
        }
    }

    fn changed(
        &mut self,
        variant_id: Option<String>,
        stage: Stage,
        inputs: Vec<String>,
    ) -> Result<(), RunError> {
        self.store.emit(Event::InputChanged {
            variant_id,
            stage,
            inputs,
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_seed_is_told_only_where_nothing_else_changed() {
        let told = |inputs: &[&str]| {
            without_consequence(inputs.iter().map(|input| (*input).to_owned()).collect())
        };
        assert_eq!(told(&["seed"]), ["seed"]);
        assert_eq!(told(&["components", "seed"]), ["components"]);
        assert_eq!(told(&[]), Vec::<String>::new());
    }
}
