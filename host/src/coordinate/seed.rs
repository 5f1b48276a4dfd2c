//! The seed of a run: what is timed follows from it, so no prototype may know it beforehand.

use super::{Options, RunError};
use crate::store::{Start, Store};

/// Bits of a seed that is drawn: too many to try, and few enough that every reader of JSON keeps
/// them.
const BITS: u32 = 53;

/// The seed that the user names; else that of the run that is gone on with; else a new one, which
/// nobody knows before the prototypes are written.
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

fn draw() -> Result<u64, RunError> {
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
}
