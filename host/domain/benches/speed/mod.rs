//! The speed at which replicas are analysed.

use crate::figures::{Demand, Figures, Unit};
use crate::random::Noise;
use crate::synthetic::{Order, World, begun, everybody, pilot, plan, remaining};
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::race::{Analysis, RaceSettings, analyse};
use std::hint::black_box;
use std::time::Instant;

/// The largest time of a re-analysis, in milliseconds.
const REANALYSIS_MS_MAX: f64 = 50.0;
/// The replicas of a race.
const REPLICAS: u32 = 96;

/// The replicas of 16 blocks of a race in which all variants are alike.
fn replicas(variants: usize, cases: usize) -> (RaceSettings, Replica, Vec<Replica>) {
    let mut world = World::busy(&vec![0.0; variants]);
    world.effects = vec![vec![0.0; cases]; variants];
    let settings = RaceSettings::new(variants, cases);
    let all = everybody(variants);
    let replica = |index| world.run(&plan(1, index, cases, &all, Order::Drawn), 1);
    let pilot = pilot(&world, &settings, 1);
    (settings, pilot, (0..REPLICAS).map(replica).collect())
}

pub(crate) fn reanalysis(figures: &mut Figures) {
    let standard = sorting_ms();
    for (variants, cases) in [(8, 1), (8, 3), (64, 3)] {
        let (settings, pilot, replicas) = replicas(variants, cases);
        let once = || analyse(&settings, Some(&pilot), &replicas);
        // As while it is run: what is next is asked after each replica.
        let step_by_step = || {
            let mut race = begun(&settings, &pilot);
            let mut analysis = race.analysis();
            for replica in &replicas {
                race.push(replica.clone());
                analysis = race.analysis();
                black_box(analysis.next(remaining(&settings, analysis.replicas), |_| 1.0));
            }
            analysis
        };
        let scope = format!("{variants} variants × {REPLICAS} × 16, {cases} case(s)");
        let demand = match (variants, cases) {
            (8, 1) => Demand::AtMost(1.0),
            _ => Demand::None,
        };
        let runs = if variants > 8 { 2 } else { 25 };
        let standard = standard * (variants * cases) as f64 / 8.0;
        let took = best_ms(runs, once);
        let what = format!("{scope}, once: of {REANALYSIS_MS_MAX} ms");
        figures.row("", &what, took / REANALYSIS_MS_MAX, Unit::One, demand);
        let what = "  in times that sorting as many samples takes";
        figures.row("", what, took / standard, Unit::One, Demand::None);
        let took = best_ms(runs, step_by_step) / f64::from(REPLICAS);
        let what = format!("{scope}, after each replica: of {REANALYSIS_MS_MAX} ms");
        figures.row("", &what, took / REANALYSIS_MS_MAX, Unit::One, Demand::None);
    }
}

/// The best of several, in milliseconds: on a busy machine the others measure the machine.
fn best_ms(runs: u32, analyse: impl Fn() -> Analysis) -> f64 {
    let time = |_| {
        let start = Instant::now();
        black_box(analyse());
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..runs).map(time).fold(f64::INFINITY, f64::min)
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
