//! The coarse race of a large sweep: the variants that are ahead by fuel are timed for a short time, so that those
//! which race are chosen by time.
//!
//! It decides which variants race, and claims nothing. The race that follows has other inputs and orders, so that luck
//! in the coarse race does not count there.

use super::coarse_times::{CoarsePair, CoarseRace, CoarseTimes, CoarseVerdict};
use super::context::runner_error;
use super::error::RunError;
use super::race_options::race_options;
use super::session::Run;
use super::variant_state::{Identity, VariantState, find};
use bakeoff_domain::measurement::{Overrun, Replica};
use bakeoff_domain::race::Analysis;
use bakeoff_domain::score::{PlacesRule, RACING_MAX, first_of_each};
use bakeoff_domain::spec::{Experiment, Source};
use bakeoff_domain::variant::VariantId;
use bakeoff_measure::{Dropout, Pilot, RaceError, RaceListener, Raced, StoredRace, TimedVariant};
use bakeoff_store::{Owner, ResultKind};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::time::Duration;

/// The share of the budget that the coarse race may take.
const BUDGET_SHARE: f64 = 0.25;
/// The most variants of a race whose pairs are kept: their number grows with the square of it.
const VARIANTS_WITH_PAIRS_MAX: usize = 24;
/// The most replicas of the coarse race.
const REPLICAS_MAX: u32 = 8;

/// Extent of a coarse race.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoarseExtent {
    /// The most variants that are timed.
    pub(super) variants: usize,
    /// The time that it may take.
    pub(super) budget: Duration,
    /// The most replicas.
    pub(super) replicas: u32,
}

/// Returns true if the criteria are about time, so that fuel may mislead.
pub fn asks_for_time(experiment: &Experiment) -> bool {
    [Source::Time, Source::Wall]
        .iter()
        .any(|source| experiment.uses(source))
}

impl Run<'_> {
    /// Times the variants that a screening by fuel puts first, unless that result is stored. `None` where the criteria
    /// are not about time.
    pub(super) async fn coarse_race(&mut self) -> Result<Option<CoarseRace>, RunError> {
        if !asks_for_time(&self.loaded.experiment) {
            return Ok(None);
        }
        let mut order: Vec<(u32, &VariantState)> = self
            .variants
            .iter()
            .filter_map(|state| Some((state.screening?.figures.place, state)))
            .collect();
        order.sort_by_key(|(place, _)| *place);
        let mut known = BTreeSet::new();
        let distinct = order.into_iter().filter_map(|(_, state)| {
            let Identity { component, files } = state.identity.as_ref()?;
            known.insert((component, files)).then_some(state)
        });
        let distinct: Vec<&VariantState> = distinct.collect();
        let places: Vec<usize> = (0..distinct.len()).collect();
        let approach = |place: usize| &distinct[place].variant.approach;
        let order = first_of_each(&places, approach, RACING_MAX);
        let ids: Vec<VariantId> = order
            .iter()
            .map(|place| distinct[*place].id().clone())
            .collect();
        let extent = CoarseExtent {
            variants: RACING_MAX,
            budget: self.measure_left().budget.mul_f64(BUDGET_SHARE),
            replicas: REPLICAS_MAX,
        };
        self.race_coarsely(&ids, extent).await.map(Some)
    }

    /// Times the first of these variants for a short time, unless that result is stored.
    pub(super) async fn race_coarsely(
        &mut self,
        order: &[VariantId],
        extent: CoarseExtent,
    ) -> Result<CoarseRace, RunError> {
        let mut ids: Vec<VariantId> = Vec::new();
        let mut identities: Vec<Identity> = Vec::new();
        let mut timed: Vec<TimedVariant> = Vec::new();
        for id in order {
            let state = find(&self.variants, id);
            let Some(entry) = state.and_then(|state| self.entry(state)) else {
                continue;
            };
            ids.push(entry.variant.id);
            identities.push(entry.identity);
            timed.push(entry.timed);
            if ids.len() == extent.variants {
                break;
            }
        }
        let key = self.keys.race(ids.iter().zip(&identities));
        if let Some(kept) = self.store.get(ResultKind::CoarseRace, &key, Owner::RUN)? {
            return Ok(kept);
        }
        let mut measure = self.measure_left();
        measure.budget = extent.budget;
        measure.replicas_max = measure.replicas_max.min(extent.replicas);
        let options = race_options(
            &self.loaded.experiment,
            &measure,
            (&self.context.cores, self.spent),
            key.digest(),
        );
        let mut config = self.context.config.clone();
        config.seed = config.seed.of_coarse_race();
        let started = std::time::Instant::now();
        let mut listener = Unkept {
            is_interrupted: {
                let interrupt = self.options.interrupt.clone();
                Box::new(move || interrupt.is_raised())
            },
        };
        let raced = bakeoff_measure::race(
            &config,
            &timed,
            self.context.calibrator_code(),
            &options,
            StoredRace::default(),
            self.tasks.driver(),
            &mut listener,
        );
        let raced = raced.await.map_err(|error| match error {
            RaceError::Runner(error) => runner_error(self.loaded, error),
            RaceError::Listener(never) => match never {},
            RaceError::Interrupted => RunError::Interrupted,
        })?;
        let found = CoarseRace {
            seconds: started.elapsed().as_secs_f64(),
            variants: found(&ids, self.context.cases.len(), &raced),
            pairs: pairs(&ids, &raced),
            places: PlacesRule::ApproachesFirst,
        };
        self.store
            .put(ResultKind::CoarseRace, &key, Owner::RUN, &found)?;
        Ok(found)
    }
}

/// Returns the verdicts of a race on its pairs, over all cases; none of a race with many variants, where nobody asks for
/// them.
fn pairs(ids: &[VariantId], raced: &Raced) -> Vec<CoarsePair> {
    if ids.len() > VARIANTS_WITH_PAIRS_MAX {
        return Vec::new();
    }
    let verdicts = raced.analysis.iter().flat_map(|analysis| &analysis.overall);
    let named = |index: usize| ids.get(index).map(|id| id.as_str().to_owned());
    let pairs = verdicts.filter_map(|pair| {
        Some(CoarsePair {
            a: named(pair.a)?,
            b: named(pair.b)?,
            against: CoarseVerdict {
                verdict: pair.verdict,
                ratio: pair.interval,
            },
        })
    });
    pairs.collect()
}

/// Returns the times and failures of a race's variants, by their ids.
fn found(ids: &[VariantId], cases: usize, raced: &Raced) -> BTreeMap<String, CoarseTimes> {
    let mut found: Vec<CoarseTimes> = vec![
        CoarseTimes {
            case_ns: vec![None; cases],
            failure: None,
        };
        ids.len()
    ];
    let times = raced.analysis.iter().flat_map(|analysis| &analysis.times);
    for time in times {
        let own = found
            .get_mut(time.variant)
            .and_then(|own| own.case_ns.get_mut(time.case));
        if let Some(own) = own {
            *own = Some(time.mean_ns);
        }
    }
    for dropout in &raced.failed {
        if let Some(own) = found.get_mut(dropout.variant) {
            own.failure = Some(dropout.failure.clone());
        }
    }
    let ids = ids.iter().map(|id| id.as_str().to_owned());
    ids.zip(found).collect()
}

/// A listener that stores nothing: only the race's result is stored.
struct Unkept {
    is_interrupted: Box<dyn Fn() -> bool + Send>,
}

impl RaceListener for Unkept {
    type Error = Infallible;

    fn on_pilot(&mut self, _: &Pilot) -> Result<(), Infallible> {
        Ok(())
    }

    fn on_replica(&mut self, _: &Replica) -> Result<(), Infallible> {
        Ok(())
    }

    fn on_analysis(&mut self, _: &Analysis, _: usize) -> Result<(), Infallible> {
        Ok(())
    }

    fn on_dropout(&mut self, _: &Dropout, _: u32) -> Result<(), Infallible> {
        Ok(())
    }

    fn on_overrun(&mut self, _: &Overrun, _: u32) -> Result<(), Infallible> {
        Ok(())
    }

    fn on_discarded(&mut self, _: u32, _: &str) -> Result<(), Infallible> {
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        (self.is_interrupted)()
    }
}
