//! The seed of a run. Timed inputs and orders are drawn from it, so no prototype may know it
//! beforehand.

use super::error::RunError;
use super::keys::Keys;
use super::options::RunOptions;
use super::variant_state::VariantState;
use bakeoff_domain::plan::RunSeed;
use bakeoff_store::{ResultKind, RunId, Start, Store, StoredResult, input};
use serde::de::IgnoredAny;

/// Returns the seed to begin with: the one that the user gave; else that of the last run, unless it
/// is [spent](is_spent); else a new one, which is drawn after the prototypes are written.
pub(super) fn choose(options: &RunOptions, store: &Store) -> Result<RunSeed, RunError> {
    let kept = match options.start {
        Start::Resume => store.last_seed()?,
        Start::Fresh => None,
    };
    match options.seed.or(kept) {
        Some(seed) => Ok(seed),
        None => draw(),
    }
}

/// Returns true if the seed of the last run must not be used again. The report has published it, so
/// anything that is timed and changed since may have been written for it: a prototype, the
/// interface, the workload. `id` and `keys` are those of the experiment under the last run's seed.
pub(super) fn is_spent(
    options: &RunOptions,
    store: &Store,
    id: &str,
    keys: &Keys,
    variants: &[VariantState],
) -> Result<bool, RunError> {
    if options.seed.is_some() || options.start == Start::Fresh {
        return Ok(false);
    }
    match store.runs()?.last() {
        Some(last) if last.experiment_id != id => Ok(!same_code(store, last.id, keys, variants)?),
        _ => Ok(false),
    }
}

/// Returns true if a run was made from the same prototypes, interface and workload; false if it
/// ended before this was stored.
fn same_code(
    store: &Store,
    run: RunId,
    keys: &Keys,
    variants: &[VariantState],
) -> Result<bool, RunError> {
    let builds: Vec<StoredResult<IgnoredAny>> = store.results(run, ResultKind::Build)?;
    let gates: Vec<StoredResult<IgnoredAny>> = store.results(run, ResultKind::Gate)?;
    let same_variant = |state: &VariantState| {
        let id = state.id().as_str();
        let mut own_builds = builds.iter().filter(|build| build.variant == id);
        let mut own_gates = gates.iter().filter(|gate| gate.variant == id);
        let granted = own_gates.find_map(|gate| input(&gate.inputs, "files"));
        let files = state.files.as_ref().map(|files| files.digest.as_str());
        let key = keys.build(state);
        own_builds.any(|build| agree(&build.inputs, key.inputs(), &["source", "interface"]))
            && granted.unwrap_or("none") == files.unwrap_or("none")
    };
    let gate_inputs = keys.gate_inputs();
    let gate_inputs = gate_inputs.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Ok(builds.len() == variants.len()
        && variants.iter().all(same_variant)
        && !gates.is_empty()
        && gates
            .iter()
            .all(|gate| agree(&gate.inputs, &gate_inputs, &["interface", "workload"])))
}

/// Returns true if the stored inputs with these names have the same values as others.
fn agree(kept: &[(String, String)], others: &[(String, String)], names: &[&str]) -> bool {
    let same = |name: &&str| {
        let kept = input(kept, name);
        kept.is_some() && kept == input(others, name)
    };
    names.iter().all(same)
}

/// Draws a seed from the system.
///
/// # Errors
/// The system gives no random numbers.
pub fn draw() -> Result<RunSeed, RunError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        RunError::Engine(format!(
            "the system gives no random numbers ({error}); name a seed with --seed"
        ))
    })?;
    Ok(RunSeed::Drawn(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_runs_draw_the_same_seed() {
        let (one, other) = (draw().unwrap(), draw().unwrap());
        assert_ne!(one, other);
        assert!(matches!(one, RunSeed::Drawn(_)));
    }

    #[test]
    fn inputs_agree_where_both_are_there_and_the_same() {
        let kept = |source: &str| vec![("source".to_owned(), source.to_owned())];
        let others = [("source", "a"), ("interface", "b")];
        let others = others.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert!(agree(&kept("a"), &others, &["source"]));
        assert!(!agree(&kept("b"), &others, &["source"]));
        assert!(!agree(&kept("a"), &others, &["source", "interface"]));
        assert!(!agree(&kept("a"), &others, &["none"]));
    }
}
