//! Options of the measurements of what agents left, one for each round.

use bakeoff_domain::plan::RunSeed;
use bakeoff_programs::{Decides, Shell, TimingOptions};
use bakeoff_run::RunError;
use std::time::Duration;

/// The error that all claims of all rounds together may have.
const ERROR: f64 = 0.05;

/// Rounds of which each is measured.
pub(crate) struct MeasuredRounds {
    /// The quantity that decides.
    pub(crate) decides: Decides,
    /// The most rounds.
    pub(crate) rounds: u32,
    /// Time for all runs of a measurement; chosen by how long a run takes, if it is not given.
    pub(crate) budget: Option<Duration>,
    /// The longest time of a run.
    pub(crate) wall: Duration,
    /// Seed of all orders; one is drawn for each round, if it is not given.
    pub(crate) seed: Option<RunSeed>,
}

/// Returns the options of each round. They share the error that all claims together may have.
///
/// # Errors
/// The system gives no random numbers.
pub(crate) fn timing_options(of: &MeasuredRounds) -> Result<Vec<TimingOptions>, RunError> {
    let options = |_| {
        Ok(TimingOptions {
            decides: of.decides.clone(),
            shell: Shell::IfNeeded,
            input: None,
            budget: of.budget,
            warm_up: 1,
            runs_min: 10,
            runs_max: 20_000,
            timeout: Some(of.wall),
            ignores_failure: false,
            same_output: false,
            seed: match of.seed {
                Some(seed) => seed,
                None => bakeoff_run::draw_seed()?,
            },
            confidence: 1.0 - ERROR / f64::from(of.rounds),
            practical: of.decides.usual_practical(),
            looks_at_files: false,
            margin: None,
        })
    };
    (0..of.rounds).map(options).collect()
}
