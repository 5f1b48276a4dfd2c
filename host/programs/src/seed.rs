//! The seed of orders.

use bakeoff_domain::plan::RunSeed;
use std::io;

/// Draws the seed of a comparison from the system.
///
/// # Errors
/// The system gives no randomness.
pub fn drawn_seed() -> io::Result<RunSeed> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(RunSeed::Drawn(bytes))
}
