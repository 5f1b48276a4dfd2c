//! E18: what each rule saves and costs. Every race is judged by all rules, and by all but one.

mod short;

use crate::bulk::{Tally, count, over_seeds, per_cent};
use crate::figures::{Demand, Figures, Unit};
use crate::machine::{self, Machine, Process};
use crate::random::Noise;
use crate::recorded;
use crate::trace::Trace;
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::race::{RaceSettings, analyse, first_scales};
use bakeoff_domain::verdict::Verdict;
use short::{ALL, Rules, ShortRace};

/// The most replicas of a race.
const REPLICAS: u32 = 48;
/// The rules that are left out, one at a time; the first row has them all.
const WITHOUT: [(&str, Rules); 6] = [
    ("all rules", ALL),
    (
        "without total times",
        Rules {
            totals: false,
            ..ALL
        },
    ),
    (
        "without blocks",
        Rules {
            blocks: false,
            ..ALL
        },
    ),
    (
        "without the clock's resolution",
        Rules {
            resolution: false,
            ..ALL
        },
    ),
    (
        "without the pilot's scale",
        Rules {
            first_scale: false,
            ..ALL
        },
    ),
    (
        "without few layouts' 5 %",
        Rules {
            layouts: false,
            ..ALL
        },
    ),
];

/// The truth about a race.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Truth {
    /// Neither is faster: any claim is an error.
    Same,
    /// The first is slower: the opposite claim is an error.
    Slower,
}

/// A kind of race: its settings, its truth, and its replicas from a seed and an index, of which the first is the
/// pilot's.
struct Scene<'s> {
    what: &'s str,
    settings: RaceSettings,
    truth: Truth,
    few_layouts: bool,
    replica: &'s (dyn Fn(u32, &mut Noise, f64) -> Replica + Sync),
    /// What belongs to the race: the same in all its replicas.
    of_race: f64,
}

/// By rule left out: errors, right verdicts, replicas until the verdict or the end.
type Found = Tally<18>;

fn run(scene: &Scene<'_>, races: u64) -> Found {
    let one = |seed: u64| {
        let mut random = Noise::new(seed ^ 0xE18);
        let of_race = scene.of_race * random.normal();
        let all: Vec<Replica> = (0..=REPLICAS)
            .map(|index| (scene.replica)(index, &mut random, of_race))
            .collect();
        let (pilot, replicas) = all.split_first().expect("there is a pilot");
        let mut tally = [0; 18];
        for (place, (_, rules)) in WITHOUT.iter().enumerate() {
            let mut race = ShortRace::new(&scene.settings, pilot, *rules, scene.few_layouts);
            let mut took = 0;
            let mut verdict = Verdict::NoCall;
            for replica in replicas {
                race.push(replica);
                took += 1;
                verdict = race.verdict();
                if verdict != Verdict::NoCall {
                    break;
                }
            }
            let (is_wrong, is_right) = match scene.truth {
                Truth::Same => (
                    matches!(verdict, Verdict::Beats | Verdict::Beaten),
                    verdict == Verdict::Tie,
                ),
                Truth::Slower => (verdict == Verdict::Beats, verdict == Verdict::Beaten),
            };
            tally[3 * place] = u64::from(is_wrong);
            tally[3 * place + 1] = u64::from(is_right);
            tally[3 * place + 2] = took;
        }
        Tally(tally)
    };
    over_seeds(races, one)
}

fn rows(scene: &Scene<'_>, races: u64, figures: &mut Figures) {
    let Tally(found) = run(scene, races);
    for (place, (rules, _)) in WITHOUT.iter().enumerate() {
        // A rule that is never used here changes nothing: such rows say nothing.
        let own = &found[3 * place..3 * place + 3];
        if place > 0 && own == &found[..3] {
            continue;
        }
        let what = format!("{}, {rules} ({races} races): wrong", scene.what);
        let demand = if place == 0 {
            Demand::AtMost(5.0)
        } else {
            Demand::None
        };
        figures.row("E18", &what, per_cent(own[0], races), Unit::PerCent, demand);
        let right = per_cent(own[1], races);
        figures.row("E18", "  right", right, Unit::PerCent, Demand::None);
        let mean = own[2] as f64 / races as f64;
        figures.row("E18", "  replicas, mean", mean, Unit::One, Demand::None);
    }
}

/// All scenes.
pub(crate) fn rules(trace: &Trace, races: u64, figures: &mut Figures) {
    let calm = machine::CALM;
    let settings = RaceSettings::new(2, 1);
    let trace_settings = recorded::settings(trace, 2);
    agreement(&calm, races, figures);
    for (what, more) in [
        ("identical", 0.0),
        ("+2 %", 0.02),
        ("+5 %", 0.05),
        ("2 ×", 1.0_f64),
    ] {
        let effect = more.ln_1p();
        let truth = if more > 0.0 {
            Truth::Slower
        } else {
            Truth::Same
        };
        rows(
            &Scene {
                what: &format!("synthetic, {what}"),
                settings: settings.clone(),
                truth,
                few_layouts: false,
                replica: &|index, random, _| calm.replica(&settings, index, effect, random),
                of_race: 0.0,
            },
            races,
            figures,
        );
        rows(
            &Scene {
                what: &format!("recorded, {what}"),
                settings: trace_settings.clone(),
                truth,
                few_layouts: false,
                replica: &|index, random, _| recorded::replica(trace, index, 2, effect, random),
                of_race: 0.0,
            },
            races,
            figures,
        );
    }
    targeted(races, figures);
}

/// What single rules are for.
fn targeted(races: u64, figures: &mut Figures) {
    let settings = RaceSettings::new(2, 1);
    let quiet = Machine {
        process: Process::Normal(0.005),
        noise: (4, 0.01),
    };
    // Where code lies is worth 1.5 % in all replicas alike.
    for (what, effect, truth) in [
        ("code in one place, identical", 0.0, Truth::Same),
        ("code in one place, 2 ×", 2.0_f64.ln(), Truth::Slower),
    ] {
        let scene = Scene {
            what,
            settings: settings.clone(),
            truth,
            few_layouts: true,
            replica: &|index, random, layout| {
                quiet.replica(&settings, index, effect + layout, random)
            },
            of_race: 0.015,
        };
        rows(&scene, races, figures);
    }
    // One sample in forty takes 45 times as long: twice as slow in total, 8 % faster on most.
    let tail = |index: u32, random: &mut Noise, _: f64| {
        machine::replica(&settings, index, 1, |variant, _, _| {
            let slow = variant == 0 && random.uniform() * 40.0 < 1.0;
            let usual = if variant == 0 { 0.92 } else { 1.0 };
            let noise = (0.02 * machine::student(random, 4)).exp();
            noise * if slow { 45.0 } else { usual }
        })
    };
    let scene = Scene {
        what: "one sample in forty 45 × slower",
        settings: settings.clone(),
        truth: Truth::Slower,
        few_layouts: false,
        replica: &tail,
        of_race: 0.0,
    };
    rows(&scene, races, figures);
    // Samples of ten readings of the clock: they begin anywhere, and end on a tick.
    let mut coarse = settings.clone();
    coarse.clock_ns = 0.1 * machine::SAMPLE_NS;
    let ticks = |index: u32, random: &mut Noise, _: f64| {
        machine::replica(&settings, index, 1, |_, _, _| {
            let time = 10.0 * (0.001 * random.normal()).exp();
            (time + random.uniform()).floor() / 10.0
        })
    };
    let scene = Scene {
        what: "samples of ten ticks, identical",
        settings: coarse,
        truth: Truth::Same,
        few_layouts: false,
        replica: &ticks,
        of_race: 0.0,
    };
    rows(&scene, races, figures);
}

/// With all rules, the race itself says the same.
fn agreement(machine: &Machine, races: u64, figures: &mut Figures) {
    let races = races / 10;
    for effect in [0.0, 0.03, 2.0_f64.ln()] {
        let agrees = |seed: u64| {
            let mut random = Noise::new(seed ^ 0xA18);
            let mut settings = RaceSettings::new(2, 1);
            let pilot = machine.replica(&settings, 0, effect, &mut random);
            settings.first_scales = first_scales(&settings, &pilot);
            let mut short = ShortRace::new(&settings, &pilot, ALL, false);
            let mut replicas = Vec::new();
            let mut same = true;
            for index in 0..20 {
                replicas.push(machine.replica(&settings, index, effect, &mut random));
                short.push(&replicas[index as usize]);
                let verdict = analyse(&settings, Some(&pilot), &replicas).overall[0].verdict;
                same &= verdict == short.verdict();
            }
            same
        };
        let same = count(races, agrees);
        let what = format!("effect {effect:.2}: agrees with the race ({races} races)");
        let same = per_cent(same, races);
        figures.row("E18", &what, same, Unit::PerCent, Demand::AtLeast(99.0));
    }
}
