//! What the statistics say on synthetic busy machines, in bulk, and how quickly.
//!
//! `cargo bench -p bakeoff-domain -- 2000` makes 2,000 runs of each row (500 by default). With
//! `--json FILE` the figures are written there too. Rows are named after the table in
//! `docs/benches.md`. Everything but the last rows follows from seeds.

mod bulk;
mod figures;
mod random;
mod readings;
mod speed;
mod synthetic;

use bakeoff_domain::race::{Analysis, RaceSettings, analyse};
use bakeoff_domain::verdict::Verdict;
use bulk::{Tally, count, over_seeds, per_cent};
use figures::{Demand, Figures, Unit};
use synthetic::{Order, World, begun, everybody, pilot, plan, session};

/// Runs of a row unless the command line says otherwise.
const RUNS: u64 = 500;

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
    readings::qualities(runs, &mut figures);
    readings::cold_starts(runs, &mut figures);
    speed::reanalysis(&mut figures);
    figures.finish()
}

/// The demand on claims about identical variants: at most 5 % of the runs.
pub(crate) const FALSE_MAX: Demand = Demand::AtMost(5.0);

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

/// Returns whether the interval held the truth after each of 96 replicas: ours, and Student's.
fn always_covers(effect: f64, seed: u64) -> (bool, bool) {
    let world = World::busy(&[effect, 0.0]);
    let settings = RaceSettings::new(2, 1);
    let mut race = begun(&settings, &pilot(&world, &settings, seed));
    let (mut ours, mut students) = (true, true);
    let mut differences = Vec::new();
    for index in 0..96 {
        let plan = plan(seed, index, 1, &everybody(2), Order::Drawn);
        let replica = world.run(&plan, seed);
        let alone = analyse(&settings, None, std::slice::from_ref(&replica));
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

/// Neighbours that come and go from block to block, beside identical variants.
fn neighbours(runs: u64, figures: &mut Figures) {
    let settings = RaceSettings::new(2, 1);
    for crowded_blocks in [0.3, 0.7] {
        let world = World {
            crowded_blocks,
            ..World::busy(&[0.0, 0.0])
        };
        let run = |seed| session(&world, &settings, seed, Order::Drawn).0;
        let wrong = count(runs, |seed| claims_a_difference(&run(seed)));
        let share = 100.0 * crowded_blocks;
        let what = format!("crowded in {share:.0} % of blocks: false claim");
        figures.row("E1", &what, per_cent(wrong, runs), Unit::PerCent, FALSE_MAX);
    }
}
