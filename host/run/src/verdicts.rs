//! Verdicts between variants: those of the race, and those that follow for duplicates.

use super::race_outcome::RaceOutcome;
use super::variant_state::{VariantState, find};
use bakeoff_domain::measurement::{Metric, Replica, race_seconds};
use bakeoff_domain::race::{ClaimScope, Prospect, RaceSettings, analyse, first_scales, prospect};
use bakeoff_domain::report::{CaseLabel, Narrowed, ReplicaTimes, VerdictRow};
use bakeoff_domain::variant::VariantId;
use bakeoff_domain::verdict::PairVerdict;
use bakeoff_measure::evaluate;

/// The verdicts of a report.
#[derive(Default)]
pub(super) struct Verdicts {
    /// Verdicts by CPU time: all cases together, then by case.
    pub(super) by_time: Vec<VerdictRow>,
    /// Verdicts by wall time, all cases together; none unless they were asked for.
    pub(super) by_wall: Vec<VerdictRow>,
}

/// Returns all claimed verdicts of a race; those by wall time only if `claims_wall` is true.
pub(super) fn verdicts(
    variants: &[VariantState],
    cases: &[CaseLabel],
    outcome: Option<&RaceOutcome>,
    claims_wall: bool,
) -> Verdicts {
    let analysed = outcome.and_then(|outcome| Some((outcome, outcome.raced.analysis.as_ref()?)));
    let Some((outcome, analysis)) = analysed else {
        return untimed(variants, claims_wall);
    };
    let ids: Vec<String> = outcome.variants.iter().cloned().map(String::from).collect();
    let rows = |pairs: &[PairVerdict]| -> Vec<VerdictRow> {
        let rows = pairs.iter();
        rows.filter_map(|pair| VerdictRow::named(pair, &ids, cases))
            .collect()
    };
    let mut overall = rows(&analysis.overall);
    add_prospects(&mut overall, &ids, outcome);
    let mut by_time = with_duplicates(overall, variants);
    by_time.extend(ties_of_duplicates(variants));
    by_time.extend(with_duplicates(rows(&analysis.by_case), variants));
    let mut by_wall = Vec::new();
    if claims_wall {
        let mut settings = analysis.settings.clone();
        settings.metric = Metric::Wall;
        let pilot = outcome.raced.pilot.as_ref();
        let pilot = pilot.and_then(|pilot| pilot.replica.as_ref());
        if let Some(replica) = pilot {
            settings.first_scales = first_scales(&settings, replica);
        }
        let wall = analyse(&settings, pilot, outcome.counted()).overall;
        by_wall.extend(with_duplicates(rows(&wall), variants));
        by_wall.extend(ties_of_duplicates(variants));
    }
    Verdicts { by_time, by_wall }
}

/// Returns the verdicts where nothing was timed: ties, if all that could be compared are one component.
fn untimed(variants: &[VariantState], claims_wall: bool) -> Verdicts {
    if variants.iter().filter(|state| state.races()).count() != 1 {
        return Verdicts::default();
    }
    let by_time = ties_of_duplicates(variants);
    let by_wall = if claims_wall {
        by_time.clone()
    } else {
        Vec::new()
    };
    Verdicts { by_time, by_wall }
}

/// Returns every duplicate of a variant that has not failed, with that variant.
fn duplicates(variants: &[VariantState]) -> impl Iterator<Item = (&VariantId, &VariantId)> {
    variants.iter().filter_map(|state| {
        let original = find(variants, state.duplicate_of.as_ref()?)?;
        original.is_alive().then(|| (state.id(), original.id()))
    })
}

/// Returns the rows, and for each duplicate those of the variant that it duplicates.
pub(super) fn with_duplicates(
    mut rows: Vec<VerdictRow>,
    variants: &[VariantState],
) -> Vec<VerdictRow> {
    for (id, original) in duplicates(variants) {
        let copy = |row: &VerdictRow| {
            let mut row = row.clone();
            if *original == row.a {
                row.a = id.as_str().to_owned();
            } else if *original == row.b {
                row.b = id.as_str().to_owned();
            } else {
                return None;
            }
            Some(row)
        };
        let own: Vec<VerdictRow> = rows.iter().filter_map(copy).collect();
        rows.extend(own);
    }
    rows
}

/// Returns the ties of duplicates with the variants that they duplicate, and with each other; the interval is a point.
pub(super) fn ties_of_duplicates(variants: &[VariantState]) -> Vec<VerdictRow> {
    let duplicates: Vec<(&VariantId, &VariantId)> = duplicates(variants).collect();
    let mut rows = Vec::new();
    for (place, (id, original)) in duplicates.iter().enumerate() {
        let earlier = duplicates[..place].iter();
        let earlier = earlier.filter(|other| other.1 == *original);
        let same = std::iter::once(*original).chain(earlier.map(|(other, _)| *other));
        rows.extend(same.filter_map(|other| {
            let identical = PairVerdict {
                below_threshold: true,
                ..PairVerdict::identical(0, 1, None)
            };
            let ids = [other, *id].map(|id| id.as_str().to_owned());
            VerdictRow::named(&identical, &ids, &[])
        }));
    }
    rows
}

/// The most pairs whose race is simulated further to forecast the effect of more time.
const PROSPECTS_MAX: usize = 16;

/// Adds a forecast of the effect of more measuring to the rows of unbeaten variants without a verdict.
fn add_prospects(rows: &mut [VerdictRow], ids: &[String], outcome: &RaceOutcome) {
    let Some(analysis) = &outcome.raced.analysis else {
        return;
    };
    let is_unbeaten = |pair: &&PairVerdict| {
        [pair.a, pair.b]
            .iter()
            .all(|one| analysis.unbeaten.contains(one))
    };
    let open = analysis.overall.iter().filter(|pair| pair.is_open());
    for pair in open.filter(is_unbeaten).take(PROSPECTS_MAX) {
        let [a, b] = [pair.a, pair.b].map(|place| &ids[place]);
        if let Some(row) = rows.iter_mut().find(|row| row.a == *a && row.b == *b) {
            add_prospect(row, pair, outcome, &analysis.settings);
        }
    }
}

/// Adds a forecast of the effect of more measuring at the pace of the replicas, or, where there is no interval yet, the
/// least time that could bring a verdict; before the first replica, by the pilot's prediction for one core.
fn add_prospect(
    row: &mut VerdictRow,
    pair: &PairVerdict,
    outcome: &RaceOutcome,
    settings: &RaceSettings,
) {
    let raced = &outcome.raced;
    // A budget bounds the checks too.
    let before = raced.pilot.as_ref().map_or(0.0, |pilot| pilot.used_s);
    let pace = race_seconds(&raced.replicas) / f64::from(pair.replicas.max(1));
    if pair.half_width().is_some() {
        let pilot = raced
            .pilot
            .as_ref()
            .and_then(|pilot| pilot.replica.as_ref());
        match prospect(settings, pilot, outcome.counted(), (pair.a, pair.b)) {
            Some(Prospect::Settled { replicas }) => {
                row.settle_seconds = Some(before + pace * f64::from(replicas));
            }
            Some(Prospect::Open {
                replicas,
                half_width: Some(half_width),
            }) => {
                let seconds = before + pace * f64::from(replicas);
                row.narrowed = Some(Narrowed {
                    seconds,
                    half_width,
                });
            }
            Some(Prospect::Open {
                half_width: None, ..
            })
            | None => {}
        }
        return;
    }
    let threshold = settings.threshold(ClaimScope::AllCases);
    let forecast = pair.forecast(threshold, settings.practical_log());
    let by_blocks = raced.pilot.as_ref().and_then(|pilot| {
        let replicas = pilot.sampling.obvious_replicas(&[pair.a, pair.b])?;
        Some(replicas.max(pair.replicas + 1))
    });
    let least = forecast.replicas.min(by_blocks.unwrap_or(u32::MAX));
    row.settle_seconds = match &raced.pilot {
        _ if pair.replicas > 0 => Some(before + pace * f64::from(least)),
        Some(pilot) => {
            let together = raced.analysis.as_ref().map_or(&[][..], |all| &all.unbeaten);
            Some(before + pilot.seconds + pilot.sampling.seconds_of(least, together))
        }
        None => None,
    };
}

/// Returns the mean over cases, or over the instances of a set that were drawn, of the logarithm of a
/// variant's time, by variant and by replica.
pub(super) fn replica_times(outcome: &RaceOutcome, variants: &[VariantState]) -> ReplicaTimes {
    let analysis = outcome.raced.analysis.as_ref();
    let settings = analysis.map(|analysis| &analysis.settings);
    let weights = settings.map_or(Vec::new(), RaceSettings::weights);
    let are_instances = settings.is_some_and(|settings| settings.instances);
    let row = |replica: &Replica| {
        let time = |state: &VariantState| {
            let variant = outcome.index_of(state.id())?;
            if are_instances {
                evaluate::log_time_on_set(replica, variant, Metric::Cpu, &weights)
            } else {
                evaluate::log_time(replica, variant, &weights)
            }
        };
        let variants = variants.iter().filter(|state| !state.is_screened_out());
        variants.map(time).collect()
    };
    let shown = |variants: &&VariantState| !variants.is_screened_out();
    ReplicaTimes {
        variants: variants
            .iter()
            .filter(shown)
            .map(|state| state.id().clone().into())
            .collect(),
        log_times: outcome.counted().iter().map(row).collect(),
    }
}
