//! E19: whether advice is true. Races of many sizes of difference stop early; where a number of replicas is said to
//! settle them, they go on to it with replicas that nobody had seen.

use crate::bulk::{Tally, over_seeds, per_cent};
use crate::figures::{Demand, Figures, Unit};
use crate::machine;
use crate::random::Noise;
use crate::recorded;
use crate::trace::Trace;
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::race::{Prospect, RaceSettings, analyse, first_scales, prospect};
use bakeoff_domain::verdict::{PairVerdict, Verdict};

/// The differences that races have, in per cent.
const EFFECTS: [f64; 7] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0];
/// The replicas after which races stop.
const STOPS: [u32; 4] = [8, 12, 16, 24];

/// A replica from an index and an effect.
type Draw<'d> = &'d (dyn Fn(u32, f64, &mut Noise) -> Replica + Sync);

/// Races that were open; that were told a number of replicas; of these, settled with it; that were told a width; of
/// these, settled; and of these, with an interval at most a quarter wider than that.
type Found = Tally<6>;

fn race(settings: &RaceSettings, draw: Draw<'_>, seed: u64) -> Found {
    let mut random = Noise::new(seed ^ 0xE19);
    let effect = (EFFECTS[seed as usize % EFFECTS.len()] / 100.0).ln_1p();
    let stop = STOPS[seed as usize / EFFECTS.len() % STOPS.len()];
    let pilot = draw(0, effect, &mut random);
    let mut settings = settings.clone();
    settings.first_scales = first_scales(&settings, &pilot);
    let mut replicas: Vec<Replica> = (0..stop)
        .map(|index| draw(index, effect, &mut random))
        .collect();
    let verdict = |replicas: &[Replica]| -> PairVerdict {
        analyse(&settings, Some(&pilot), replicas)
            .overall
            .swap_remove(0)
    };
    let mut found = [0; 6];
    if verdict(&replicas).verdict != Verdict::NoCall {
        return Tally(found);
    }
    found[0] = 1;
    let Some(told) = prospect(&settings, Some(&pilot), &replicas, (0, 1)) else {
        return Tally(found);
    };
    let (Prospect::Settled { replicas: number }
    | Prospect::Open {
        replicas: number, ..
    }) = told;
    replicas.extend((stop..number).map(|index| draw(index, effect, &mut random)));
    let then = verdict(&replicas);
    let is_settled = u64::from(then.verdict != Verdict::NoCall);
    match told {
        Prospect::Settled { .. } => {
            found[1] = 1;
            found[2] = is_settled;
        }
        Prospect::Open { half_width, .. } => {
            found[3] = 1;
            found[4] = is_settled;
            let is_near = then.half_width().zip(half_width);
            found[5] = u64::from(is_near.is_some_and(|(is, said)| is <= 1.25 * said));
        }
    }
    Tally(found)
}

/// All of E19.
pub(crate) fn advice(trace: &Trace, races: u64, figures: &mut Figures) {
    let calm = machine::CALM;
    let synthetic = RaceSettings::new(2, 1);
    let recorded = recorded::settings(trace, 2);
    let on_calm =
        |index, effect, random: &mut Noise| calm.replica(&synthetic, index, effect, random);
    let on_trace =
        |index, effect, random: &mut Noise| recorded::replica(trace, index, 2, effect, random);
    let scenes: [(&str, &RaceSettings, Draw<'_>); 2] = [
        ("synthetic", &synthetic, &on_calm),
        ("recorded", &recorded, &on_trace),
    ];
    for (what, settings, draw) in scenes {
        let Tally([open, told, settled, narrowed, settled_anyway, near]) =
            over_seeds(races, |seed| race(settings, draw, seed));
        let row = |figures: &mut Figures, text: &str, count: u64, of: u64, demand| {
            let what = format!("{what}, {text} ({count} of {of})");
            figures.row(
                "E19",
                &what,
                per_cent(count, of.max(1)),
                Unit::PerCent,
                demand,
            );
        };
        row(
            figures,
            "open races that name a budget",
            told,
            open,
            Demand::None,
        );
        row(
            figures,
            "settled by that budget",
            settled,
            told,
            Demand::AtLeast(75.0),
        );
        row(
            figures,
            "open races that name a width",
            narrowed,
            open,
            Demand::None,
        );
        row(
            figures,
            "settled with four times the budget",
            settled_anyway,
            narrowed,
            Demand::None,
        );
        row(
            figures,
            "as narrow as was said, or within a quarter",
            near,
            narrowed,
            Demand::None,
        );
    }
}
