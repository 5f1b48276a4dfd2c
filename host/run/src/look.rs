//! A look at candidates: every one is built, checked and assessed, and the best by fuel are timed for a short time. It
//! steers a search, and claims nothing: there is no race and no verdict.

use super::beginning::announce;
use super::coarse_race::{CoarseExtent, asks_for_time};
use super::coarse_times::{CoarseRace, CoarseVerdict};
use super::error::RunError;
use super::execute::in_session;
use super::instances;
use super::options::RunOptions;
use super::screening::readings;
use super::session::Run;
use super::shared_cores::SharedCores;
use super::standing::Step;
use super::variant_state::{Identity, VariantState};
use bakeoff_config::{ConfigPlace, LoadedExperiment};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::report::{CriterionSummary, Interval};
use bakeoff_domain::score::{
    COARSE_TIME, RACING_MAX, ScreenedFigures, StandIn, VariantReadings, screen_with_gates,
};
use bakeoff_domain::spec::Inputs;
use bakeoff_domain::variant::VariantId;
use bakeoff_store::{RunStatus, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The most candidates of a look that are timed beside those that are named.
pub const TIMED_MAX: usize = 8;

/// The least time that the timing of a look may take, if the budget has it: in less, nothing is told apart.
const BUDGET_MIN: Duration = Duration::from_secs(2);

/// The share of the budget that the timing of a look may take.
const BUDGET_SHARE: f64 = 0.1;

/// The most replicas of the timing of a look.
const REPLICAS_MAX: u32 = 4;

/// Returns the time that the timing of a look may take, of the budget of a race.
pub fn look_budget(budget: Duration) -> Duration {
    budget.mul_f64(BUDGET_SHARE).max(BUDGET_MIN.min(budget))
}

/// A candidate as it was seen.
#[derive(Clone, Debug)]
pub struct Looked {
    /// Name of the approach.
    pub approach: String,
    /// Identity of the component with its grant, if it was built.
    pub identity: Option<Identity>,
    /// The failure, if there was one.
    pub failure: Option<Failure>,
    /// The values of readings that are known without a race, by source.
    pub readings: BTreeMap<String, f64>,
    /// Place among all that were looked at, from 1; `None` for those that failed.
    pub place: Option<u32>,
    /// Place with fuel in the place of times, from 1; it is the same whenever one looks.
    pub fuel_place: Option<u32>,
    /// Total from 0 to 1, relative to all that were looked at.
    pub total: Option<f64>,
    /// The time of a call in nanoseconds, if it was timed.
    pub time_ns: Option<f64>,
    /// Verdicts of the short race on it against others, by the names of their approaches.
    pub against: BTreeMap<String, CoarseVerdict>,
    /// True if it passes the gates of all criteria, as far as they are known.
    pub passes: bool,
}

/// Candidates as they were seen, and the time that it took.
#[derive(Clone, Debug)]
pub struct Look {
    /// The candidates.
    pub candidates: Vec<Looked>,
    /// Duration of building, checking and assessing them.
    pub checking: Duration,
    /// Duration of timing the best of them.
    pub timing: Duration,
}

/// Wishes for a look.
#[derive(Clone, Copy, Debug)]
pub struct LookOptions<'a> {
    /// Names of approaches that are timed before any other.
    pub timed: &'a BTreeSet<String>,
    /// Cores that others work on meanwhile, but not while something is timed.
    pub shared: Option<&'a SharedCores>,
}

/// Looks at the approaches of an experiment. Results are kept in the store, so that a look which is made again measures
/// nothing anew.
///
/// # Errors
/// See [`RunError`].
pub async fn look(
    loaded: &LoadedExperiment,
    options: &RunOptions,
    wanted: LookOptions<'_>,
    report: &mut (dyn FnMut(&str) + Send),
    subscribe: impl FnOnce(&mut Store),
) -> Result<Look, RunError> {
    let go = async |session: &mut Run<'_>, _| {
        let looked = session.look(wanted).await;
        session.add_to_surveys();
        looked
    };
    let (looked, mut store) = in_session(loaded, options, report, subscribe, go).await?;
    store.stop_run(RunStatus::Interrupted)?;
    Ok(looked)
}

impl Run<'_> {
    async fn look(&mut self, wanted: LookOptions<'_>) -> Result<Look, RunError> {
        let started = Instant::now();
        if !self.context.config.inputs.has_oracle() {
            let wrong = self.loaded.wrong(
                ConfigPlace::Workload,
                "a search makes programs that are wrong, and nothing judges their answers here",
                "no `check`, and no `expect`",
                "give the workload a `check`, or every case an `expect`; `--no-rounds` races what there is",
            );
            return Err(wrong.into());
        }
        announce(&mut self.store, &self.loaded.experiment, &self.variants)?;
        self.builds_elsewhere = true;
        self.build_and_check().await?;
        self.apply(Step::Prepared)?;
        let criteria = self.loaded.experiment.criteria.iter();
        let criteria: Vec<CriterionSummary> = criteria.map(CriterionSummary::from).collect();
        let known = self.known_readings()?;
        let by_fuel = ordered(&criteria, &known, StandIn::Fuel);
        let checking = started.elapsed();
        let coarse = if asks_for_time(&self.loaded.experiment) {
            let _quiet = match wanted.shared {
                Some(cores) => cores.all().await,
                None => None,
            };
            self.time_best(wanted.timed, &by_fuel).await?
        } else {
            CoarseRace::default()
        };
        let timing = started.elapsed().saturating_sub(checking);
        self.apply(Step::RacedCoarsely(&coarse))?;
        let fuel_places: Vec<Option<u32>> = by_fuel
            .iter()
            .map(|one| one.map(|one| one.figures.place))
            .collect();
        let places = places(&criteria, known.clone(), by_fuel, &self.times(&coarse));
        let looked = (self.variants.iter().zip(known)).zip(places.into_iter().zip(fuel_places));
        let candidates = looked
            .map(|((state, known), ((screened, time_ns), fuel_place))| {
                let value = |(source, reading): (String, Interval)| (source, reading.value);
                Looked {
                    approach: state.variant.approach.clone(),
                    identity: state.identity.clone(),
                    failure: state.failure.clone(),
                    readings: known.readings.into_iter().map(value).collect(),
                    place: screened.map(|one| one.figures.place),
                    fuel_place,
                    total: screened.and_then(|one| one.figures.total),
                    time_ns,
                    against: self.against_others(state, &coarse),
                    passes: screened.is_some_and(|one| one.passes),
                }
            })
            .collect();
        Ok(Look {
            candidates,
            checking,
            timing,
        })
    }

    /// Returns what is known of every variant without a race.
    fn known_readings(&mut self) -> Result<Vec<VariantReadings>, RunError> {
        let ids: Vec<VariantId> = (self.variants.iter())
            .map(|state| state.id().clone())
            .collect();
        let mut assessments = Vec::with_capacity(ids.len());
        for id in &ids {
            assessments.push(self.kept_assessment(id)?);
        }
        let experiment = &self.loaded.experiment;
        let counted = instances::counted(experiment, &self.variants);
        let cases = match &experiment.workload.inputs {
            Inputs::Instances { .. } => &[],
            Inputs::Generated { .. } | Inputs::Cases(_) | Inputs::None => &self.context.cases[..],
        };
        let states = self.variants.iter().zip(&assessments);
        Ok(states
            .map(|(state, assessment)| readings(state, assessment.as_ref(), cases, counted))
            .collect())
    }

    /// Times those that are named, and then the best by fuel.
    async fn time_best(
        &mut self,
        timed: &BTreeSet<String>,
        by_fuel: &[Option<ScreenedFigures>],
    ) -> Result<CoarseRace, RunError> {
        let mut order: Vec<usize> = (0..self.variants.len())
            .filter(|index| by_fuel[*index].is_some() && self.variants[*index].races())
            .collect();
        order.sort_by_key(|index| {
            let is_named = timed.contains(&self.variants[*index].variant.approach);
            let place = by_fuel[*index].map(|one| one.figures.place);
            (!is_named, place)
        });
        let most = (TIMED_MAX + timed.len()).min(RACING_MAX);
        let ids: Vec<VariantId> = order
            .iter()
            .take(most)
            .map(|index| self.variants[*index].id().clone())
            .collect();
        // One alone is ahead of nobody.
        if ids.len() < 2 {
            return Ok(CoarseRace::default());
        }
        let extent = CoarseExtent {
            variants: most,
            budget: look_budget(self.measure_left().budget),
            replicas: REPLICAS_MAX,
        };
        self.race_coarsely(&ids, extent).await
    }

    /// Returns the verdicts of a coarse race on a variant against others, by the names of their approaches; a duplicate has
    /// those of the variant that it duplicates.
    fn against_others(
        &self,
        state: &VariantState,
        coarse: &CoarseRace,
    ) -> BTreeMap<String, CoarseVerdict> {
        let others = self.variants.iter().filter_map(|other| {
            let (own, other_id) = (state.original().as_str(), other.original().as_str());
            let against = coarse.against(own, other_id)?;
            Some((other.variant.approach.clone(), against))
        });
        others.collect()
    }

    /// Returns the time of each variant in a coarse race; duplicates have that of the variant that they duplicate.
    fn times(&self, coarse: &CoarseRace) -> Vec<Option<f64>> {
        let time = |id: &VariantId| coarse.variants.get(id.as_str())?.time_ns();
        self.variants
            .iter()
            .map(|state| time(state.original()))
            .collect()
    }
}

/// Returns the figures of each candidate, by index: those that pass all gates come first, and the totals are those without
/// gates, so that of two which fail one the nearer is ahead.
fn ordered(
    criteria: &[CriterionSummary],
    known: &[VariantReadings],
    stand_in: StandIn,
) -> Vec<Option<ScreenedFigures>> {
    let gated = screen_with_gates(criteria, known.to_vec(), stand_in);
    let free = criteria
        .iter()
        .cloned()
        .map(|one| CriterionSummary { gate: None, ..one });
    let mut free = screen_with_gates(&free.collect::<Vec<_>>(), known.to_vec(), stand_in);
    for (own, gated) in free.iter_mut().zip(gated) {
        if let (Some(own), Some(gated)) = (own, gated) {
            own.passes = gated.passes;
        }
    }
    let mut order: Vec<usize> = (0..free.len())
        .filter(|index| free[*index].is_some())
        .collect();
    order.sort_by_key(|index| free[*index].map(|one| (!one.passes, one.figures.place)));
    for (place, index) in (1..).zip(order) {
        if let Some(one) = &mut free[index] {
            one.figures.place = place;
        }
    }
    free
}

/// Returns the figures of each candidate: those with times come first, in their order with these, and then the others in
/// their order by fuel.
fn places(
    criteria: &[CriterionSummary],
    mut known: Vec<VariantReadings>,
    by_fuel: Vec<Option<ScreenedFigures>>,
    times: &[Option<f64>],
) -> Vec<(Option<ScreenedFigures>, Option<f64>)> {
    if times.iter().all(Option::is_none) {
        return by_fuel.into_iter().map(|one| (one, None)).collect();
    }
    for (known, time) in known.iter_mut().zip(times) {
        match time {
            Some(time) => {
                let time = Interval::exact(*time);
                known.readings.insert(COARSE_TIME.to_owned(), time);
            }
            None => known.failed = true,
        }
    }
    let timed = ordered(criteria, &known, StandIn::CoarseTime);
    // Whoever fails a gate is behind all that pass, timed or not.
    let passing = timed.iter().flatten().filter(|one| one.passes).count() as u32;
    let mut rest: Vec<usize> = (0..times.len())
        .filter(|index| match (&timed[*index], &by_fuel[*index]) {
            (Some(one), _) => !one.passes,
            (None, other) => other.is_some(),
        })
        .collect();
    let figures = |index: usize| timed[index].or(by_fuel[index]);
    rest.sort_by_key(|index| {
        let one = figures(*index);
        let passes = one.is_some_and(|one| one.passes);
        (!passes, one.map(|one| one.figures.place))
    });
    let mut placed: Vec<Option<ScreenedFigures>> = timed.clone();
    for (place, index) in (passing + 1..).zip(rest) {
        placed[index] = figures(index).map(|mut one| {
            one.figures.place = place;
            one
        });
    }
    placed.into_iter().zip(times.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::spec::{Direction, Gate, GateOn, Scale};

    fn criterion(source: &str, gate: Option<f64>) -> CriterionSummary {
        CriterionSummary {
            name: source.to_owned(),
            weight: 1.0,
            source: source.to_owned(),
            direction: Direction::LowerIsBetter,
            unit: String::new(),
            scale: Scale::Ratio { base: 10.0 },
            gate: gate.map(|max| Gate {
                on: GateOn::Reading,
                min: None,
                max: Some(max),
            }),
            exact: false,
            opinion: None,
        }
    }

    fn variant(fuel: f64, lines: f64) -> VariantReadings {
        let readings = [("fuel", fuel), ("lines", lines)];
        let readings = readings.map(|(source, value)| (source.to_owned(), Interval::exact(value)));
        VariantReadings {
            readings: readings.into_iter().collect(),
            ..VariantReadings::default()
        }
    }

    #[test]
    fn of_two_that_fail_a_gate_the_nearer_is_ahead() {
        let criteria = [criterion("lines", Some(10.0))];
        let known = [variant(1.0, 50.0), variant(1.0, 20.0), variant(1.0, 90.0)];
        let found = ordered(&criteria, &known, StandIn::Fuel);
        let places: Vec<u32> = found.iter().map(|one| one.unwrap().figures.place).collect();
        assert_eq!(places, [2, 1, 3]);
        assert!(
            found
                .iter()
                .flatten()
                .all(|one| !one.passes && one.figures.total.is_some())
        );
    }

    #[test]
    fn times_come_before_fuel_and_gates_before_both() {
        let criteria = [criterion("time", None), criterion("lines", Some(10.0))];
        let known = vec![
            variant(100.0, 5.0),
            variant(200.0, 5.0),
            variant(50.0, 50.0),
            variant(10.0, 5.0),
        ];
        let order = |times: &[Option<f64>]| {
            let by_fuel = ordered(&criteria, &known, StandIn::Fuel);
            let placed = places(&criteria, known.clone(), by_fuel, times);
            let places = placed.iter().map(|(one, _)| one.unwrap().figures.place);
            (places.collect::<Vec<u32>>(), placed[2].0.unwrap().passes)
        };
        // By fuel alone; the third fails its gate.
        assert_eq!(order(&[None; 4]), (vec![2, 3, 4, 1], false));
        // The first two and the third were timed, against their fuel.
        let times = [Some(30.0), Some(20.0), Some(1.0), None];
        assert_eq!(order(&times), (vec![2, 1, 4, 3], false));
    }
}
