//! The seed of a run: what is timed follows from it, so no prototype may know it beforehand.

use super::keys::Keys;
use super::{Candidate, Options, RunError};
use crate::store::{Key, Kind, RunId, Start, Store, Stored, input};
use serde::de::IgnoredAny;

/// Bits of a seed that is drawn: too many to try, and few enough that every reader of JSON keeps
/// them.
const BITS: u32 = 53;

/// The seed to begin with: the one that the user names; else that of the last run, unless it is
/// [spent](is_spent); else a new one, which nobody knows before the prototypes are written.
pub(super) fn choose(options: &Options, store: &Store) -> Result<u64, RunError> {
    let kept = match options.start {
        Start::Resume => store.last_seed()?,
        Start::Fresh => None,
    };
    match options.seed.or(kept) {
        Some(seed) => Ok(seed),
        None => draw(),
    }
}

/// Whether the seed of the last run must not be used again. Its report has told it, so whatever is
/// timed and was written since may have been written for it: a prototype, the interface, the
/// workload. `id` and `keys` are those of the experiment under the last run's seed.
pub(super) fn is_spent(
    options: &Options,
    store: &Store,
    id: &str,
    keys: &Keys,
    candidates: &[Candidate],
) -> Result<bool, RunError> {
    if options.seed.is_some() || options.start == Start::Fresh {
        return Ok(false);
    }
    match store.runs()?.last() {
        Some(last) if last.experiment_id != id => Ok(!same_code(store, last.id, keys, candidates)?),
        _ => Ok(false),
    }
}

/// Whether a run was made from the same prototypes, interface and workload. One that did not come so
/// far that this could be told was not.
fn same_code(
    store: &Store,
    run: RunId,
    keys: &Keys,
    candidates: &[Candidate],
) -> Result<bool, RunError> {
    let builds: Vec<Stored<IgnoredAny>> = store.results(run, Kind::Build)?;
    let gates: Vec<Stored<IgnoredAny>> = store.results(run, Kind::Gate)?;
    let same_variant = |candidate: &Candidate| {
        let mut of_it = builds.iter().filter(|build| build.variant == candidate.id);
        let mut gates = gates.iter().filter(|gate| gate.variant == candidate.id);
        let granted = gates.find_map(|gate| granted(input(&gate.inputs, "component")?));
        let files = candidate.files.as_ref().map(|files| files.digest.as_str());
        let key = keys.build(candidate);
        of_it.any(|build| agree(&build.inputs, &key, &["source", "interface"])) && granted == files
    };
    let key = keys.gate("");
    Ok(builds.len() == candidates.len()
        && candidates.iter().all(same_variant)
        && !gates.is_empty()
        && gates
            .iter()
            .all(|gate| agree(&gate.inputs, &key, &["interface", "workload"])))
}

/// The digest of the files in what decides what a variant does.
fn granted(identity: &str) -> Option<&str> {
    identity.split_once(" with ").map(|(_, files)| files)
}

/// Whether inputs that are kept have these values, as a key has.
fn agree(kept: &[(String, String)], key: &Key, names: &[&str]) -> bool {
    let same = |name: &&str| {
        let kept = input(kept, name);
        kept.is_some() && kept == input(key.inputs(), name)
    };
    names.iter().all(same)
}

pub(super) fn draw() -> Result<u64, RunError> {
    let drawn = getrandom::u64().map_err(|error| {
        RunError::Engine(format!(
            "the system gives no random numbers ({error}); name a seed with --seed"
        ))
    })?;
    Ok(drawn >> (u64::BITS - BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_runs_draw_the_same_seed() {
        let (one, other) = (draw().unwrap(), draw().unwrap());
        assert_ne!(one, other);
        assert!(one.max(other) < 1 << BITS);
    }

    #[test]
    fn inputs_agree_where_both_are_there_and_the_same() {
        let kept = |source: &str| vec![("source".to_owned(), source.to_owned())];
        let key = Key::new([("source", "a"), ("interface", "b")]);
        assert!(agree(&kept("a"), &key, &["source"]));
        assert!(!agree(&kept("b"), &key, &["source"]));
        assert!(!agree(&kept("a"), &key, &["source", "interface"]));
        assert!(!agree(&kept("a"), &key, &["none"]));
        assert_eq!(granted("c0ffee with 7ea"), Some("7ea"));
        assert_eq!(granted("c0ffee"), None);
    }
}
