//! What the statistics say on synthetic busy machines, in bulk, and how quickly.
//!
//! `cargo bench -p bakeoff-domain -- 2000` makes 2,000 runs of each row (500 by default). With
//! `--json FILE` the figures are written there too. Rows are named after the table in
//! `docs/measuring.md`. Everything but the last rows follows from seeds.

mod bulk;
mod figures;
mod random;
mod synthetic;

use bakeoff_domain::measurement::{Replica, Surroundings};
use bakeoff_domain::metric_share::reading_threshold;
use bakeoff_domain::race::{Analysis, Basis, Race, RaceSettings, analyse};
use bakeoff_domain::reading_verdict::Qualities;
use bakeoff_domain::spec::{Direction, Scale};
use bakeoff_domain::verdict::{PairVerdict, Verdict};
use bulk::{Tally, count, over_seeds, per_cent};
use figures::{Demand, Figures, Unit};
use random::Noise;
use std::hint::black_box;
use std::time::Instant;
use synthetic::{Order, World, everybody, plan, session, with_pilot};

/// Runs of a row unless the command line says otherwise.
const RUNS: u64 = 500;
/// The largest time of a re-analysis, in milliseconds.
const REANALYSIS_MS_MAX: f64 = 50.0;

fn main() -> std::io::Result<()> {
    let runs = std::env::args().find_map(|argument| argument.parse().ok());
    let runs: u64 = runs.unwrap_or(RUNS);
    println!("{runs} runs each, on a machine that does not exist");
    let mut figures = Figures::begin();
    identical_variants(runs, &mut figures);
    real_differences(runs, &mut figures);
    coverage(runs, &mut figures);
    first_run_penalty(runs, &mut figures);
    layout_noise(runs, &mut figures);
    neighbours(runs, &mut figures);
    neighbours_that_come_and_go(runs, &mut figures);
    qualities(runs, &mut figures);
    cold_starts(runs, &mut figures);
    reanalysis(&mut figures);
    figures.finish()
}

/// At most 5 % of the runs: what is claimed of identical variants.
const FALSE_MAX: Demand = Demand::AtMost(5.0);

fn claims_a_difference(analysis: &Analysis) -> bool {
    let sure = |verdict| matches!(verdict, Verdict::Beats | Verdict::Beaten);
    analysis.overall.iter().any(|pair| sure(pair.verdict))
}

fn identical_variants(runs: u64, figures: &mut Figures) {
    for variants in [2, 4, 8] {
        let world = World::busy(&vec![0.0; variants]);
        let settings = RaceSettings::new(variants, 1);
        let run = |seed| {
            let analysis = session(&world, &settings, seed, Order::Drawn).0;
            let found = [analysis.winner.is_some(), claims_a_difference(&analysis)];
            Tally(found.map(u64::from))
        };
        let Tally([winners, claims]) = over_seeds(runs, run);
        for (what, found) in [("winner", winners), ("claim about any pair", claims)] {
            let what = format!("{variants} identical variants: false {what}");
            let found = per_cent(found, runs);
            figures.row("E1", &what, found, Unit::PerCent, FALSE_MAX);
        }
    }
}

fn real_differences(runs: u64, figures: &mut Figures) {
    for (more, least) in [(0.02_f64, 95.0), (0.05, 99.0), (0.1, 99.0)] {
        let world = World::busy(&[more.ln_1p(), 0.0]);
        let settings = RaceSettings::new(2, 1);
        let run = |seed| {
            let analysis = session(&world, &settings, seed, Order::Drawn).0;
            let [found, wrong] = [1, 0].map(|who| u64::from(analysis.winner == Some(who)));
            Tally([found, wrong, u64::from(analysis.replicas)])
        };
        let Tally([found, wrong, replicas]) = over_seeds(runs, run);
        let mean = replicas as f64 / runs as f64;
        let what = format!("+{:.0} % found, after {mean:.1} replicas", more * 100.0);
        let (found, wrong) = (per_cent(found, runs), per_cent(wrong, runs));
        figures.row("E2", &what, found, Unit::PerCent, Demand::AtLeast(least));
        let what = format!("+{:.0} %: wrong sign", more * 100.0);
        figures.row("E2", &what, wrong, Unit::PerCent, Demand::AtMost(1.0));
    }
}

/// Pairs that change places with what else runs on the core, and pairs that do not: how often a
/// verdict is withheld, and how often one is given.
fn neighbours(runs: u64, figures: &mut Figures) {
    let layouts = |effect: f64| World {
        layout_sd: 0.03,
        ..World::busy(&[effect, 0.0])
    };
    let inverting = |crowded: f64| World {
        crowded,
        crowded_effect: 0.3,
        ..World::busy(&[-0.08, 0.0])
    };
    let rows = [
        (
            "identical, layout noise of 3 %",
            layouts(0.0),
            Demand::AtMost(5.0),
            Demand::AtMost(5.0),
        ),
        (
            "+5 %, layout noise of 3 %",
            layouts(0.05),
            Demand::AtMost(5.0),
            Demand::None,
        ),
        (
            "inverts on half of the replicas",
            inverting(0.5),
            Demand::None,
            Demand::AtMost(5.0),
        ),
        (
            "inverts on a fifth of them",
            inverting(0.2),
            Demand::None,
            Demand::None,
        ),
    ];
    for (what, world, withheld_max, given_max) in rows {
        let settings = RaceSettings::new(2, 1);
        let run = |seed| {
            let analysis = session(&world, &settings, seed, Order::Drawn).0;
            let withheld = analysis
                .overall
                .iter()
                .any(PairVerdict::is_withheld_by_inversion);
            Tally([withheld, claims_a_difference(&analysis)].map(u64::from))
        };
        let Tally([withheld, given]) = over_seeds(runs, run);
        let row = format!("{what}: verdict withheld");
        figures.row(
            "",
            &row,
            per_cent(withheld, runs),
            Unit::PerCent,
            withheld_max,
        );
        let row = format!("{what}: verdict given");
        figures.row("", &row, per_cent(given, runs), Unit::PerCent, given_max);
    }
}

/// Neighbours that come and go from block to block: of identical variants, and of one that is 8 % faster on a
/// quiet core and slower on a crowded one.
fn neighbours_that_come_and_go(runs: u64, figures: &mut Figures) {
    let settings = RaceSettings::new(2, 1);
    for crowded_blocks in [0.3, 0.7] {
        let world = World {
            crowded_blocks: Some(crowded_blocks),
            ..World::busy(&[0.0, 0.0])
        };
        let run = |seed| session(&world, &settings, seed, Order::Drawn).0;
        let wrong = count(runs, |seed| claims_a_difference(&run(seed)));
        let what = format!(
            "crowded in {:.0} % of blocks: false claim",
            100.0 * crowded_blocks
        );
        figures.row("E1", &what, per_cent(wrong, runs), Unit::PerCent, FALSE_MAX);
    }
    for crowded_blocks in [0.2, 0.5, 0.7] {
        let world = World {
            crowded_blocks: Some(crowded_blocks),
            crowded_effect: 0.4,
            ..World::busy(&[-0.08, 0.0])
        };
        let run = |seed| {
            let analysis = session(&world, &settings, seed, Order::Drawn).0;
            let verdict = analysis.overall[0].verdict;
            let basis = analysis.settings.basis == Basis::Quiet;
            let found = [
                basis,
                basis && verdict == Verdict::Beats,
                basis && verdict == Verdict::Beaten,
            ];
            Tally(found.map(u64::from))
        };
        let Tally([quiet, right, wrong]) = over_seeds(runs, run);
        let what = format!(
            "turns, in {:.0} % of blocks: rests on quiet cores",
            100.0 * crowded_blocks
        );
        figures.row(
            "E12",
            &what,
            per_cent(quiet, runs),
            Unit::PerCent,
            Demand::None,
        );
        let what = "  of these, the verdict of quiet cores";
        figures.row(
            "",
            what,
            per_cent(right, quiet.max(1)),
            Unit::PerCent,
            Demand::AtLeast(95.0),
        );
        let what = "  of these, the opposite one";
        figures.row(
            "",
            what,
            per_cent(wrong, quiet.max(1)),
            Unit::PerCent,
            Demand::AtMost(1.0),
        );
    }
}

/// Returns whether the interval held the truth after each of 96 replicas: ours, and Student's.
fn always_covers(effect: f64, seed: u64) -> (bool, bool) {
    let world = World::busy(&[effect, 0.0]);
    let mut race = Race::new(with_pilot(&world, &RaceSettings::new(2, 1), seed));
    let (mut ours, mut students) = (true, true);
    let mut differences = Vec::new();
    for index in 0..96 {
        let plan = plan(seed, index, 1, &everybody(2), Order::Drawn);
        let replica = world.run(&plan, seed);
        let alone = analyse(&RaceSettings::new(2, 1), std::slice::from_ref(&replica));
        differences.extend(alone.overall[0].interval.ratio.map(f64::ln));
        race.push(replica);
        let interval = race.analysis().overall[0].interval;
        let truth = effect.exp();
        ours &= interval.low.is_none_or(|low| low <= truth);
        ours &= interval.high.is_none_or(|high| truth <= high);
        students &= index < 2 || student_covers(&differences, effect);
    }
    (ours, students)
}

/// Returns true if mean ± 2 standard errors holds the truth.
fn student_covers(values: &[f64], truth: f64) -> bool {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean - truth).abs() <= 2.0 * (squares / (count * (count - 1.0))).sqrt()
}

fn coverage(runs: u64, figures: &mut Figures) {
    for effect in [0.0, 0.05_f64.ln_1p()] {
        let ours = count(runs, |seed| always_covers(effect, seed).0);
        let students = count(runs, |seed| always_covers(effect, seed).1);
        let what = format!(
            "effect {:.0} %: covered at all times",
            effect.exp_m1() * 100.0
        );
        figures.row(
            "E3",
            &what,
            per_cent(ours, runs),
            Unit::PerCent,
            Demand::AtLeast(95.0),
        );
        let what = "  mean ± 2 standard errors instead";
        figures.row(
            "",
            what,
            per_cent(students, runs),
            Unit::PerCent,
            Demand::None,
        );
    }
}

fn first_run_penalty(runs: u64, figures: &mut Figures) {
    let mut world = World::busy(&[0.0, 0.0]);
    world.first_penalty = 0.03;
    let settings = RaceSettings::new(2, 1);
    for (order, what, demand) in [
        (
            Order::Drawn,
            "first pays 3 %, order drawn: false",
            FALSE_MAX,
        ),
        (Order::Fixed, "  in a fixed order instead", Demand::None),
    ] {
        let run = |seed| session(&world, &settings, seed, order).0;
        let wrong = count(runs, |seed| claims_a_difference(&run(seed)));
        figures.row("E6", what, per_cent(wrong, runs), Unit::PerCent, demand);
    }
}

fn layout_noise(runs: u64, figures: &mut Figures) {
    let mut world = World::busy(&[0.0, 0.0]);
    world.layout_sd = 0.01;
    let settings = RaceSettings::new(2, 1);
    let run = |seed| session(&world, &settings, seed, Order::Drawn).0;
    let wrong = count(runs, |seed| claims_a_difference(&run(seed)));
    let what = "layout moves 1 % by process: false";
    figures.row("E7", what, per_cent(wrong, runs), Unit::PerCent, FALSE_MAX);
    let wrong = count(runs, |seed| {
        let plan = plan(seed, 0, 1, &everybody(2), Order::Drawn);
        let replica = world.run(&plan, seed);
        let log = |variant, block: u32| {
            let mut samples = replica.samples.iter();
            let sample = samples.find(|sample| (sample.variant, sample.block) == (variant, block));
            sample.map_or(f64::NAN, |sample| {
                (sample.cpu_ns as f64 / f64::from(sample.calls)).ln()
            })
        };
        let differences: Vec<f64> = (0..16).map(|block| log(0, block) - log(1, block)).collect();
        !student_covers(&differences, 0.0)
    });
    let what = "  mean ± 2 standard errors of one process";
    figures.row("", what, per_cent(wrong, runs), Unit::PerCent, Demand::None);
}

/// Qualities of the answers of four equally good variants to the same 256 rounds of inputs, seldom
/// worse by much, and of one that is better by 1 % of the range: a claim at any time counts.
fn qualities(runs: u64, figures: &mut Figures) {
    let scales = [
        (
            "in the mean",
            Scale::Linear {
                low: 0.0,
                high: 100.0,
            },
        ),
        ("on more inputs", Scale::Ratio { base: 10.0 }),
    ];
    let settings = RaceSettings::new(4, 1);
    let threshold = reading_threshold(settings.variants, settings.confidence, 0.5);
    for (what, scale) in scales {
        let run = |seed| {
            let mut random = Noise::new(seed ^ 0x5EED);
            let mut variants = vec![Vec::new(); settings.variants];
            let mut better = Vec::new();
            for _ in 0..256 {
                let level = 50.0 + 3.0 * random.normal();
                let mut one = || {
                    let bad_luck = if random.uniform() < 0.1 { 8.0 } else { 0.0 };
                    (level + 1.5 * random.normal() + bad_luck).clamp(0.0, 100.0)
                };
                variants.iter_mut().for_each(|variant| variant.push(one()));
                better.push((one() - 1.0).max(0.0));
            }
            let claims = |a: &[f64], b: &[f64]| {
                let qualities = Qualities {
                    pair: (0, 1),
                    a,
                    b,
                    same_answers: false,
                };
                qualities
                    .judge(scale, Direction::LowerIsBetter, threshold)
                    .verdict
            };
            let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| (a, b)));
            let claimed =
                |(a, b): (usize, usize)| claims(&variants[a], &variants[b]) != Verdict::NoCall;
            let wrong = pairs.into_iter().any(claimed);
            Tally([wrong, claims(&better, &variants[0]) == Verdict::Beats].map(u64::from))
        };
        let Tally([wrong, found]) = over_seeds(runs, run);
        let row = format!("quality {what}, 4 equal variants: false claim");
        figures.row("", &row, per_cent(wrong, runs), Unit::PerCent, FALSE_MAX);
        let row = format!("quality {what}: 1 % of the range found");
        figures.row("", &row, per_cent(found, runs), Unit::PerCent, Demand::None);
    }
}

/// Cold starts of four identical variants, whoever is first paying a fifth, in 96 replicas: a claim at
/// any time counts.
fn cold_starts(runs: u64, figures: &mut Figures) {
    let settings = RaceSettings {
        cold_start: true,
        metric_share: 0.5,
        ..RaceSettings::new(4, 1)
    };
    let run = |seed| {
        let mut random = Noise::new(seed ^ 0xC01D);
        let replica = |index| {
            let mut order: Vec<(f64, usize)> = (0..4).map(|one| (random.uniform(), one)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let level = 0.2 * random.normal();
            let mut cold_ns = vec![None; 4];
            for (place, (_, variant)) in order.into_iter().enumerate() {
                let first = if place == 0 { 0.2 } else { 0.0 };
                let tail = if random.uniform() < 0.1 { 0.7 } else { 0.0 };
                let log = level + first + tail + 0.1 * random.normal();
                cold_ns[variant] = Some((150_000.0 * log.exp()) as u64);
            }
            Replica {
                index,
                solo: true,
                samples: Vec::new(),
                baselines: Vec::new(),
                cold_ns,
                parts: Vec::new(),
                surroundings: Surroundings::default(),
            }
        };
        let replicas: Vec<Replica> = (0..96).map(replica).collect();
        let sure = |verdict| matches!(verdict, Verdict::Beats | Verdict::Beaten);
        let analysis = analyse(&settings, &replicas);
        analysis.cold_start.iter().any(|pair| sure(pair.verdict))
    };
    let wrong = per_cent(count(runs, run), runs);
    let what = "cold start, 4 identical variants: false claim";
    figures.row("E10", what, wrong, Unit::PerCent, FALSE_MAX);
}

fn reanalysis(figures: &mut Figures) {
    let standard = sorting_ms();
    for cases in [1, 3] {
        let mut world = World::busy(&[0.0; 8]);
        world.effects = vec![vec![0.0; cases]; 8];
        let settings = RaceSettings::new(8, cases);
        let replica = |index| world.run(&plan(1, index, cases, &everybody(8), Order::Drawn), 1);
        let replicas: Vec<_> = (0..96).map(replica).collect();
        let once = || analyse(&settings, &replicas);
        // As a finished run is looked at again: what a race asks after each replica is asked again.
        let again = || {
            let mut race = Race::new(settings.clone());
            for replica in &replicas {
                race.push(replica.clone());
                black_box(race.should_fall_back_to_solo());
            }
            race.analysis()
        };
        let scope = format!("8 variants × 96 × 16, {cases} case(s)");
        let demand = match cases {
            1 => Demand::AtMost(1.0),
            _ => Demand::None,
        };
        let standard = standard * cases as f64;
        for (how, took) in [
            ("once", best_ms(once)),
            ("as a finished run is", best_ms(again)),
        ] {
            let what = format!("{scope}, {how}: of {REANALYSIS_MS_MAX} ms");
            let share = took / REANALYSIS_MS_MAX;
            figures.row("", &what, share, Unit::One, demand);
            let what = "  in times that sorting as many samples takes";
            figures.row("", what, took / standard, Unit::One, Demand::None);
        }
    }
}

/// The best of several, in milliseconds: on a busy machine the others measure the machine.
fn best_ms(analyse: impl Fn() -> Analysis) -> f64 {
    let time = |_| {
        let start = Instant::now();
        assert_eq!(analyse().overall.len(), 28);
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..25).map(time).fold(f64::INFINITY, f64::min)
}

/// Milliseconds that sorting 8 × 96 × 16 numbers takes: something to compare with that everyone has.
fn sorting_ms() -> f64 {
    let mut noise = Noise::new(1);
    let numbers: Vec<f64> = (0..8 * 96 * 16).map(|_| noise.uniform()).collect();
    let time = |_| {
        let mut numbers = numbers.clone();
        let start = Instant::now();
        numbers.sort_by(f64::total_cmp);
        black_box(numbers);
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..25).map(time).fold(f64::INFINITY, f64::min)
}
