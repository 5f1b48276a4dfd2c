//! The changes of inputs since an earlier run, which are reported before work is repeated.

use super::error::RunError;
use super::session::Run;
use super::variant_state::find;
use bakeoff_domain::variant::{Variant, VariantId};
use bakeoff_store::events::{Event, Stage};
use bakeoff_store::{Key, Owner, ResultKind};
use std::collections::BTreeSet;

/// The names of inputs that each variant has for itself. All others are the same for every variant.
const OWN: [&str; 3] = ["source", "component", "files"];

/// Returns the inputs without a seed that was drawn anew only because the others changed.
fn without_consequence(mut inputs: Vec<String>) -> Vec<String> {
    if inputs.iter().any(|input| input != "seed") {
        inputs.retain(|input| input != "seed");
    }
    inputs
}

impl Run<'_> {
    /// Reports which inputs of the builds changed.
    pub(super) fn report_changed_builds(&mut self) -> Result<(), RunError> {
        let alive = self.variants.iter().filter(|state| state.is_alive());
        let keys = alive.map(|state| (state.variant.clone(), self.keys.build(state)));
        let keys = keys.collect();
        self.report_changed(Stage::Build, ResultKind::Build, keys, &mut BTreeSet::new())
    }

    /// Reports which inputs of the gate of a variant changed, now that it is built. Changes that all variants share are
    /// reported once: `reported` holds those.
    pub(super) fn report_changed_check(
        &mut self,
        id: &VariantId,
        reported: &mut BTreeSet<String>,
    ) -> Result<(), RunError> {
        let state = find(&self.variants, id);
        let identity = state.and_then(|state| Some((state, state.identity.as_ref()?)));
        let Some((state, identity)) = identity else {
            return Ok(());
        };
        let keys = vec![(state.variant.clone(), self.keys.gate(identity))];
        self.report_changed(Stage::Check, ResultKind::Gate, keys, reported)
    }

    /// Reports which inputs of the race changed.
    pub(super) fn report_changed_race(&mut self, key: &Key) -> Result<(), RunError> {
        let changed = self.store.changes(ResultKind::Pilot, key, Owner::RUN)?;
        match changed.map(without_consequence) {
            Some(inputs) if !inputs.is_empty() => self.emit_changed(None, Stage::Measure, inputs),
            _ => Ok(()),
        }
    }

    fn report_changed(
        &mut self,
        stage: Stage,
        kind: ResultKind,
        keys: Vec<(Variant, Key)>,
        reported: &mut BTreeSet<String>,
    ) -> Result<(), RunError> {
        let mut shared = BTreeSet::new();
        for (variant, key) in keys {
            let changed = self.store.changes(kind, &key, Owner::of(&variant))?;
            let changed = changed.unwrap_or_default();
            let (own, others): (Vec<String>, Vec<String>) = changed
                .into_iter()
                .partition(|input| OWN.contains(&input.as_str()));
            shared.extend(others.into_iter().filter(|input| !reported.contains(input)));
            if !own.is_empty() {
                self.emit_changed(Some(variant.id.into()), stage, own)?;
            }
        }
        reported.extend(shared.iter().cloned());
        if shared.is_empty() {
            Ok(())
        } else {
            self.emit_changed(None, stage, shared.into_iter().collect())
        }
    }

    fn emit_changed(
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
