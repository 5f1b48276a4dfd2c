//! Validation of a race that may be forged.

use crate::RaceRecord;
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::plan::Steadiness;
use bakeoff_domain::score::RACING_MAX;
use bakeoff_measure::Dropout;

/// The most that the cost or the resolution of a clock may be, in nanoseconds: a second.
const CLOCK_NS_MAX: f64 = 1e9;
/// The most blocks of a replica in evidence that may be forged.
const BLOCKS_MAX: u32 = 256;

/// Returns an error with this message unless something holds.
pub(super) fn hold(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds {
        Ok(())
    } else {
        Err(otherwise.to_owned())
    }
}

/// Checks a race: what it says is of variants and cases that raced.
///
/// # Errors
/// It speaks of others.
pub(super) fn check_race(race: &RaceRecord, cases: usize) -> Result<(), String> {
    let variants = race.lists.variants.len();
    hold(
        (1..=RACING_MAX).contains(&variants) && race.lists.cases.len() == cases,
        "its race has other variants or cases than its experiment",
    )?;
    let known = |dropouts: &[Dropout]| dropouts.iter().all(|one| one.variant < variants);
    let unpiloted = race.unpiloted.as_ref();
    let speaks_of_others = "its pilot speaks of variants or cases that did not race";
    hold(
        known(&race.dropouts) && unpiloted.is_none_or(|unpiloted| known(&unpiloted.failed)),
        speaks_of_others,
    )?;
    let mut overruns = race.overruns.iter();
    hold(
        overruns.all(|one| one.variant < variants && one.case < cases && one.calls > 0),
        "it has a sample of a variant or case that did not race",
    )?;
    let Some(pilot) = &race.pilot else {
        return Ok(());
    };
    let sampling = &pilot.sampling;
    let of_the_race = |variant: usize, case: usize| variant < variants && case < cases;
    let mut short = sampling.too_short.iter();
    let steady = match &sampling.steadiness {
        Steadiness::Steady => true,
        Steadiness::Trending(trends) => {
            let mut trends = trends.iter();
            trends.all(|trend| of_the_race(trend.variant, trend.case))
        }
    };
    hold(
        known(&pilot.failed)
            && sampling.aside.iter().all(|one| *one < variants)
            && short.all(|one| of_the_race(one.variant, one.case))
            && sampling
                .short_cases
                .iter()
                .all(|one| one.case < cases && one.uncertain_ns >= 0.0)
            && pilot.layouts.len() <= variants
            && sampling.untimed.iter().all(|one| *one < variants)
            && steady
            && sampling.calls.len() == cases,
        speaks_of_others,
    )?;
    if let Some(replica) = &pilot.replica {
        check_replica(replica, variants, cases)?;
    }
    hold(
        (0.0..=CLOCK_NS_MAX).contains(&pilot.clock_ns),
        "its clock has no granularity",
    )
}

/// Checks a replica of a race with so many variants and cases.
///
/// # Errors
/// It has samples of others.
pub(super) fn check_replica(
    replica: &Replica,
    variants: usize,
    cases: usize,
) -> Result<(), String> {
    let mut samples = replica.samples.iter();
    let sound = samples.all(|sample| {
        sample.variant < variants
            && sample.case < cases
            && sample.block < BLOCKS_MAX
            && sample.calls > 0
    });
    let mut parts = replica.parts.iter();
    let sound = sound && parts.all(|parts| parts.variant < variants && parts.case < cases);
    hold(
        sound && replica.baselines.len() == cases && replica.cold_ns.len() == variants,
        "a replica has samples of variants or cases that did not race",
    )
}
