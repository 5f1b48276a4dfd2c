//! Twelve pairs of commands whose ratio is known: verdicts, ratios, and the time to an answer.

use crate::programs::Programs;
use crate::statistics::{Said, median};
use crate::tools::{Outcome, Pair, Tools};
use crate::{Demand, Failure, Figures, is_quick};

/// The number of times that each pair is compared, every second time with the slower command first.
const REPETITIONS: usize = 4;
const REPETITIONS_QUICK: usize = 1;
/// The fewest right verdicts, in per cent, and the most wrong ones.
const RIGHT_MIN: f64 = 90.0;
const WRONG_MAX: f64 = 5.0;

/// A pair whose second command takes more of what decides.
struct Known {
    name: &'static str,
    /// The true ratio of what the second takes to what the first takes.
    ratio: f64,
    pair: Pair,
    /// True if it is wall time that decides, which hyperfine compares as well.
    by_wall: bool,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    right: u32,
    wrong: u32,
    ties: u32,
    no_calls: u32,
    /// Measured ratios, of the second to the first.
    ratios: Vec<f64>,
    blocks: Vec<f64>,
    /// Right, wrong and no difference, as hyperfine's ± is read.
    seen: [u32; 3],
    /// The time of bakeoff over that of hyperfine.
    times: Vec<f64>,
}

/// Compares all pairs, in turns, and prints what was found.
pub(crate) fn run(
    programs: &Programs,
    tools: &Tools,
    figures: &mut Figures,
) -> Result<(), Failure> {
    let mut pairs = pairs(programs);
    let repetitions = if is_quick() {
        REPETITIONS_QUICK
    } else {
        REPETITIONS
    };
    for repetition in 0..repetitions {
        for known in &mut pairs {
            compare(known, repetition % 2 == 1, tools)?;
        }
    }
    println!(
        "\n{:<36} {:>5} {:>6} {:>5} {:>5} {:>4} {:>8} {:>7}   {:>11} {:>11}",
        "known ratio",
        "true",
        "found",
        "right",
        "wrong",
        "ties",
        "no calls",
        "blocks",
        "hyperfine ±",
        "÷ hyperfine"
    );
    for known in &pairs {
        print(known);
    }
    println!(
        "hyperfine ±: right / wrong / no difference. ÷ hyperfine: time to the answer over its default.\n"
    );
    report(&pairs, figures);
    Ok(())
}

fn report(pairs: &[Known], figures: &mut Figures) {
    let sum = |count: fn(&Counts) -> u32| -> f64 {
        pairs
            .iter()
            .map(|known| f64::from(count(&known.counts)))
            .sum()
    };
    let runs = sum(|counts| counts.right + counts.wrong + counts.ties + counts.no_calls);
    let right = 100.0 * sum(|counts| counts.right) / runs;
    let wrong = 100.0 * sum(|counts| counts.wrong) / runs;
    figures.per_cent("known ratios: right", right, Demand::AtLeast(RIGHT_MIN));
    figures.per_cent("the same: wrong", wrong, Demand::AtMost(WRONG_MAX));
    let off = pairs.iter().map(|known| {
        let found = median(known.counts.ratios.clone());
        100.0 * (found / known.ratio - 1.0).abs()
    });
    let what = "found over true ratio, off by: median of pairs";
    figures.per_cent(what, median(off.clone().collect()), Demand::None);
    let most = off.fold(0.0, f64::max);
    figures.per_cent("the same: most", most, Demand::None);
    let times: Vec<f64> = pairs
        .iter()
        .flat_map(|known| known.counts.times.clone())
        .collect();
    if !times.is_empty() {
        let what = "time to the answer over that of hyperfine: median";
        figures.row(what, median(times.clone()), Demand::None);
        let most = times.into_iter().fold(0.0, f64::max);
        figures.row("the same: most", most, Demand::None);
    }
}

fn print(known: &Known) {
    let counts = &known.counts;
    let dash = || "–".to_owned();
    let seen = if known.by_wall && !counts.times.is_empty() {
        let [right, wrong, nothing] = counts.seen;
        format!("{right} / {wrong} / {nothing}")
    } else {
        dash()
    };
    let time = if counts.times.is_empty() {
        dash()
    } else {
        format!("{:.2}", median(counts.times.clone()))
    };
    println!(
        "{:<36} {:>5.2} {:>6.3} {:>5} {:>5} {:>4} {:>8} {:>7.0}   {seen:>11} {time:>11}",
        known.name,
        known.ratio,
        median(counts.ratios.clone()),
        counts.right,
        counts.wrong,
        counts.ties,
        counts.no_calls,
        median(counts.blocks.clone()),
    );
}

fn compare(known: &mut Known, is_turned: bool, tools: &Tools) -> Result<(), Failure> {
    let turned = is_turned.then(|| known.pair.turned());
    let pair = turned.as_ref().unwrap_or(&known.pair);
    let told = tools.time(pair)?;
    let seen = tools.hyperfine(pair, None)?;
    let counts = &mut known.counts;
    match (told.outcome, is_turned) {
        (Outcome::Tie, _) => counts.ties += 1,
        (Outcome::NoCall, _) => counts.no_calls += 1,
        (Outcome::First, false) | (Outcome::Second, true) => counts.right += 1,
        (Outcome::First, true) | (Outcome::Second, false) => counts.wrong += 1,
    }
    counts.blocks.push(told.blocks);
    let ratio = told
        .ratio
        .map(|ratio| if is_turned { ratio } else { ratio.recip() });
    counts.ratios.extend(ratio);
    let mut also = String::new();
    if let Some(seen) = seen {
        let place = match (seen.by_spread, is_turned) {
            (Said::Nothing, _) => 2,
            (Said::First, false) | (Said::Second, true) => 0,
            (Said::First, true) | (Said::Second, false) => 1,
        };
        counts.seen[place] += 1;
        let time = told.seconds / seen.seconds;
        counts.times.push(time);
        also = format!("±: {:?}, ÷ {time:.2}", seen.by_spread);
    }
    let turned = if is_turned { " (turned)" } else { "" };
    eprintln!(
        "{}{turned}: {:?}, {:.4} of {}, {} blocks, {} warnings. hyperfine {also}\n    {}",
        known.name,
        told.outcome,
        ratio.unwrap_or(f64::NAN),
        known.ratio,
        told.blocks,
        told.warnings,
        told.text
    );
    Ok(())
}

fn pairs(programs: &Programs) -> Vec<Known> {
    // Two commands that do `what` with so much, and with `ratio` times as much.
    let scaled = |name, what: &str, much: f64, ratio: f64, options: &str| {
        let of = |much: f64| programs.command(&format!("{what} {}", much.round()));
        let mut pair = Pair::new(of(much), of(much * ratio));
        pair.options = options.split_whitespace().map(str::to_owned).collect();
        Known {
            name,
            ratio,
            pair,
            by_wall: !options.contains("--by") && !options.contains("--metric"),
            counts: Counts::default(),
        }
    };
    let rounds = |ms: f64| programs.rounds(ms) as f64;
    let sleep = |name, seconds: f64, ratio: f64| {
        let of = |seconds: f64| format!("sleep {seconds:.4}");
        Known {
            pair: Pair::new(of(seconds), of(seconds * ratio)),
            ..scaled(name, "loop", 0.0, ratio, "")
        }
    };
    // The one that takes less CPU time takes longer by the clock.
    let mut waits = scaled(
        "CPU time, sleeps that say otherwise",
        "part",
        0.0,
        1.3,
        "--by cpu",
    );
    let part = |ms: f64, sleeps: u32| programs.command(&format!("part {} {sleeps}", rounds(ms)));
    let (less, more) = (part(30.0, 40), part(39.0, 10));
    waits.pair.commands = [less.clone(), more.clone()];
    waits.pair.without_shell = [less, more];
    vec![
        scaled(
            "a loop, --practical 1%",
            "loop",
            rounds(60.0),
            1.02,
            "--practical 1%",
        ),
        scaled("a loop", "loop", rounds(60.0), 1.05, ""),
        scaled("a loop", "loop", rounds(40.0), 1.2, ""),
        scaled("a loop", "loop", rounds(30.0), 3.0, ""),
        sleep("a sleep", 0.1, 1.05),
        sleep("a sleep", 0.04, 1.5),
        scaled("four children", "children", rounds(20.0), 1.25, ""),
        scaled(
            "four children, by CPU time",
            "children",
            rounds(20.0),
            1.1,
            "--by cpu",
        ),
        waits,
        scaled("memory alone", "memory", 64.0, 1.25, "--by memory"),
        scaled("lines on stdout", "lines", rounds(30.0) / 500.0, 1.5, ""),
        scaled(
            "a number of its own, ±20 %",
            "metric",
            1_000_000.0,
            1.1,
            "--metric loss",
        ),
    ]
}
