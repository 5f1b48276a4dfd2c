//! Verdicts between variants: those of the race, and those that follow for duplicates.

use super::race_outcome::RaceOutcome;
use super::variant_state::{VariantState, find};
use crate::evaluate;
use bakeoff_domain::measurement::{Metric, Replica, race_seconds};
use bakeoff_domain::race::{ClaimScope, RaceSettings, analyse, first_scales};
use bakeoff_domain::report::{CaseLabel, ReplicaTimes, VerdictRow};
use bakeoff_domain::variant::VariantId;
use bakeoff_domain::verdict::PairVerdict;
use std::borrow::Cow;

/// The verdicts of a report.
#[derive(Default)]
pub(super) struct Verdicts {
    /// Verdicts by CPU time: all cases together, then by case.
    pub(super) by_time: Vec<VerdictRow>,
    /// Verdicts by wall time, all cases together; none unless they were asked for.
    pub(super) by_wall: Vec<VerdictRow>,
}

/// Returns all verdicts that are claimed of a race; `claims_wall` says whether those by wall time are.
pub(super) fn verdicts(
    variants: &[VariantState],
    cases: &[CaseLabel],
    outcome: Option<&RaceOutcome>,
    claims_wall: bool,
) -> Verdicts {
    let analysed = outcome.and_then(|outcome| Some((outcome, outcome.raced.analysis.as_ref()?)));
    let Some((outcome, analysis)) = analysed else {
        return Verdicts::default();
    };
    let ids: Vec<String> = outcome.variants.iter().cloned().map(String::from).collect();
    let rows = |pairs: &[PairVerdict], settle: fn(&PairVerdict, &RaceOutcome) -> Option<f64>| {
        let rows = pairs.iter().filter_map(|pair| {
            Some(VerdictRow {
                settle_seconds: settle(pair, outcome),
                ..VerdictRow::named(pair, &ids, cases)?
            })
        });
        with_duplicates(rows.collect(), variants)
    };
    let mut by_time = rows(&analysis.overall, settle_seconds);
    by_time.extend(ties_of_duplicates(variants));
    by_time.extend(rows(&analysis.by_case, |_, _| None));
    let mut by_wall = Vec::new();
    if claims_wall {
        let mut settings = analysis.settings.clone();
        settings.metric = Metric::Wall;
        let pilot = outcome.raced.pilot.as_ref();
        if let Some(replica) = pilot.and_then(|pilot| pilot.replica.as_ref()) {
            settings.first_scales = first_scales(&settings, replica);
        }
        let wall = analyse(&settings, outcome.counted()).overall;
        by_wall.extend(rows(&wall, |_, _| None));
        by_wall.extend(ties_of_duplicates(variants));
    }
    Verdicts { by_time, by_wall }
}

/// Returns every duplicate of a variant that has not failed, with that variant.
fn duplicates(variants: &[VariantState]) -> impl Iterator<Item = (&VariantId, &VariantId)> {
    variants.iter().filter_map(|state| {
        let original = find(variants, state.duplicate_of.as_ref()?)?;
        original.is_alive().then(|| (state.id(), original.id()))
    })
}

/// Returns the rows, and for each duplicate those of the variant that it repeats.
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

/// Returns the ties of duplicates with the variants that they repeat, and with each other; the interval
/// is a point.
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

/// Returns the total seconds of measuring at which a pair without a verdict would get one: as the
/// replicas predict at their pace, or, before the first one, as the pilot predicts on one core.
fn settle_seconds(pair: &PairVerdict, outcome: &RaceOutcome) -> Option<f64> {
    if !pair.is_open() {
        return None;
    }
    let analysis = outcome.raced.analysis.as_ref()?;
    let settings = &analysis.settings;
    let forecast = pair.forecast(
        settings.threshold(ClaimScope::AllCases),
        settings.practical_log(),
    );
    let needed = f64::from(forecast.replicas);
    if pair.replicas > 0 {
        let spent = race_seconds(&outcome.raced.replicas);
        return Some(spent * needed / f64::from(pair.replicas));
    }
    let pilot = outcome.raced.pilot.as_ref()?;
    let live_variants = analysis.next_live_variants();
    let replica = pilot.sampling.replica_seconds(&live_variants, 0);
    Some(pilot.seconds + needed * replica)
}

/// Returns the mean over cases, or over the instances of a set that were drawn, of the logarithm of a
/// variant's time, by variant and by replica that verdicts rest on.
pub(super) fn replica_times(outcome: &RaceOutcome, variants: &[VariantState]) -> ReplicaTimes {
    let analysis = outcome.raced.analysis.as_ref();
    let settings = analysis.map(|analysis| &analysis.settings);
    let weights = settings.map_or(Vec::new(), RaceSettings::weights);
    let are_instances = settings.is_some_and(|settings| settings.instances);
    let counted = |replica| match settings {
        Some(settings) => settings.counted(replica),
        None => Some(Cow::Borrowed(replica)),
    };
    let row = |replica: Cow<'_, Replica>| {
        let replica = &*replica;
        let time = |state: &VariantState| {
            let variant = outcome.index_of(state.id())?;
            match are_instances {
                true => evaluate::log_time_on_set(replica, variant, Metric::Cpu, &weights),
                false => evaluate::log_time(replica, variant, &weights),
            }
        };
        let variants = variants.iter().filter(|state| !state.is_screened_out());
        variants.map(time).collect()
    };
    let counted = outcome.counted().iter().filter_map(counted);
    let shown = |variants: &&VariantState| !variants.is_screened_out();
    ReplicaTimes {
        variants: variants
            .iter()
            .filter(shown)
            .map(|state| state.id().clone().into())
            .collect(),
        log_times: counted.map(row).collect(),
    }
}
