//! What the statistics say on synthetic busy machines, in bulk, and how quickly.
//!
//! `cargo bench -p bakeoff-domain -- 2000` makes 2,000 runs of each row (500 by default). Rows are
//! named after the table in `docs/measuring.md`. Everything but the last rows follows from seeds.

mod synthetic;

use bakeoff_domain::race::{Analysis, Race, Settings, analyse};
use bakeoff_domain::verdict::Verdict;
use std::ops::AddAssign;
use std::time::Instant;
use synthetic::{Order, World, everybody, plan, session};

/// Runs of a row unless the command line says otherwise.
const RUNS: u64 = 500;
/// What re-analysing may take, in milliseconds.
const REANALYSIS_MS_MAX: f64 = 50.0;

fn main() {
    let runs = std::env::args().find_map(|argument| argument.parse().ok());
    let runs: u64 = runs.unwrap_or(RUNS);
    println!(
        "{:<5} {:<44} {:>9}  demand",
        "",
        format!("{runs} runs each"),
        "found"
    );
    identical_variants(runs);
    real_differences(runs);
    coverage(runs);
    first_run_penalty(runs);
    layout_noise(runs);
    reanalysis();
}

fn row(id: &str, what: &str, found: f64, demand: &str) {
    println!("{id:<5} {what:<44} {found:>8.2}%  {demand}");
}

/// The sum over all seeds below `runs`, over all cores.
fn over_seeds<T>(runs: u64, one: impl Fn(u64) -> T + Sync) -> T
where
    T: AddAssign + Default + Send,
{
    let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    std::thread::scope(|scope| {
        let one = &one;
        let share = |first: u64| {
            let mut sum = T::default();
            (first..runs)
                .step_by(threads as usize)
                .for_each(|seed| sum += one(seed));
            sum
        };
        let workers: Vec<_> = (0..threads)
            .map(|first| scope.spawn(move || share(first)))
            .collect();
        let mut total = T::default();
        for worker in workers {
            total += worker.join().expect("a run does not panic");
        }
        total
    })
}

fn per_cent(count: u64, runs: u64) -> f64 {
    100.0 * count as f64 / runs as f64
}

/// How many of the runs say what `says` looks for.
fn count(runs: u64, says: impl Fn(u64) -> bool + Sync) -> u64 {
    over_seeds(runs, |seed| u64::from(says(seed)))
}

fn claims_a_difference(analysis: &Analysis) -> bool {
    let sure = |verdict| matches!(verdict, Verdict::Beats | Verdict::Beaten);
    analysis.overall.iter().any(|pair| sure(pair.verdict))
}

fn identical_variants(runs: u64) {
    for variants in [2, 4, 8] {
        let world = World::busy(&vec![0.0; variants]);
        let settings = Settings::new(variants, 1);
        let run = |seed| session(&world, &settings, seed, Order::Drawn).0;
        let winners = count(runs, |seed| run(seed).winner.is_some());
        let claims = count(runs, |seed| claims_a_difference(&run(seed)));
        let what = format!("{variants} identical variants: false winner");
        row("E1", &what, per_cent(winners, runs), "≤ 5 %");
        let what = format!("{variants} identical variants: any false claim");
        row("E1", &what, per_cent(claims, runs), "≤ 5 %");
    }
}

fn real_differences(runs: u64) {
    for (more, demand) in [(0.02_f64, "≥ 95 %"), (0.05, "≥ 99 %"), (0.1, "≥ 99 %")] {
        let world = World::busy(&[more.ln_1p(), 0.0]);
        let settings = Settings::new(2, 1);
        let run = |seed| session(&world, &settings, seed, Order::Drawn).0;
        let found = count(runs, |seed| run(seed).winner == Some(1));
        let wrong = count(runs, |seed| run(seed).winner == Some(0));
        let replicas = over_seeds(runs, |seed| u64::from(run(seed).replicas));
        let mean = replicas as f64 / runs as f64;
        let what = format!("+{:.0} % found, after {mean:.1} replicas", more * 100.0);
        row("E2", &what, per_cent(found, runs), demand);
        let what = format!("+{:.0} %: wrong sign", more * 100.0);
        row("E2", &what, per_cent(wrong, runs), "≤ 1 %");
    }
}

/// Whether the interval held the truth after each of 96 replicas: ours, and Student's.
fn always_covers(effect: f64, seed: u64) -> (bool, bool) {
    let world = World::busy(&[effect, 0.0]);
    let mut race = Race::new(Settings::new(2, 1));
    let (mut ours, mut students) = (true, true);
    let mut differences = Vec::new();
    for index in 0..96 {
        let plan = plan(seed, index, 1, &everybody(2), Order::Drawn);
        let replica = world.run(&plan, seed);
        let alone = analyse(&Settings::new(2, 1), std::slice::from_ref(&replica));
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

/// Whether mean ± 2 standard errors holds the truth.
fn student_covers(values: &[f64], truth: f64) -> bool {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean - truth).abs() <= 2.0 * (squares / (count * (count - 1.0))).sqrt()
}

fn coverage(runs: u64) {
    for effect in [0.0, 0.05_f64.ln_1p()] {
        let ours = count(runs, |seed| always_covers(effect, seed).0);
        let students = count(runs, |seed| always_covers(effect, seed).1);
        let what = format!(
            "effect {:.0} %: covered at all times",
            effect.exp_m1() * 100.0
        );
        row("E3", &what, per_cent(ours, runs), "≥ 95 %");
        row(
            "",
            "  mean ± 2 standard errors instead",
            per_cent(students, runs),
            "",
        );
    }
}

fn first_run_penalty(runs: u64) {
    let mut world = World::busy(&[0.0, 0.0]);
    world.first_penalty = 0.03;
    let settings = Settings::new(2, 1);
    for (order, what, demand) in [
        (Order::Drawn, "first pays 3 %, order drawn: false", "≤ 5 %"),
        (Order::Fixed, "  in a fixed order instead", ""),
    ] {
        let run = |seed| session(&world, &settings, seed, order).0;
        let wrong = count(runs, |seed| claims_a_difference(&run(seed)));
        row("E6", what, per_cent(wrong, runs), demand);
    }
}

fn layout_noise(runs: u64) {
    let mut world = World::busy(&[0.0, 0.0]);
    world.layout_sd = 0.01;
    let settings = Settings::new(2, 1);
    let run = |seed| session(&world, &settings, seed, Order::Drawn).0;
    let wrong = count(runs, |seed| claims_a_difference(&run(seed)));
    row(
        "E7",
        "layout moves 1 % by process: false",
        per_cent(wrong, runs),
        "≤ 5 %",
    );
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
    row(
        "",
        "  mean ± 2 standard errors of one process",
        per_cent(wrong, runs),
        "",
    );
}

fn reanalysis() {
    println!(
        "\n{:<50} {:>9}  of {REANALYSIS_MS_MAX} ms",
        "8 variants × 96 replicas × 16 blocks", "ms"
    );
    for cases in [1, 3] {
        let mut world = World::busy(&[0.0; 8]);
        world.effects = vec![vec![0.0; cases]; 8];
        let settings = Settings::new(8, cases);
        let replica = |index| world.run(&plan(1, index, cases, &everybody(8), Order::Drawn), 1);
        let replicas: Vec<_> = (0..96).map(replica).collect();
        let time = |_| {
            let start = Instant::now();
            let analysis = analyse(&settings, &replicas);
            assert_eq!(analysis.overall.len(), 28);
            start.elapsed().as_secs_f64() * 1e3
        };
        // The best of several: on a busy machine the others measure the machine.
        let best = (0..25).map(time).fold(f64::INFINITY, f64::min);
        let share = best / REANALYSIS_MS_MAX;
        println!(
            "{:<50} {best:>9.1}  {share:.2}",
            format!("{cases} case(s): analysed from nothing")
        );
    }
}
