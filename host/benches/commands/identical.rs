//! Identical commands in ten disguises: how often either tool sees a difference.

use crate::programs::{Disturbing, Neighbour, Programs};
use crate::statistics::{Said, median};
use crate::tools::{Outcome, Pair, Told, Tools};
use crate::{Demand, Failure, Figures, is_quick};

/// The time that bakeoff has for one run.
const BUDGET: &str = "3s";
/// The number of times that each pair is compared.
const REPETITIONS: usize = 20;
const REPETITIONS_QUICK: usize = 2;
/// The most sure winners, in per cent.
const WINNERS_MAX: f64 = 5.0;
/// The time that one command takes, in milliseconds, without starting.
const COMMAND_MS: f64 = 8.0;
/// The fewest runs that say something of their spread.
const RUNS_MIN: u32 = 2;
/// The longer one of two values of a variable, in bytes.
const VARIABLE_BYTES: usize = 3_000;

/// A pair of commands that do the same work, and what became of it.
struct Disguise {
    name: &'static str,
    pair: Pair,
    beside: Option<Neighbour>,
    /// The seconds of hyperfine for one run of each command, when it last had them.
    run_seconds: Option<f64>,
    counts: Counts,
}

/// Counts of answers about one pair.
#[derive(Default)]
struct Counts {
    first: u32,
    second: u32,
    ties: u32,
    no_calls: u32,
    blocks: Vec<f64>,
    by_hyperfine: u32,
    by_spread: u32,
    by_welch: u32,
    /// Sure winners by less than the practical threshold, which the answer says.
    small: u32,
    /// The time of hyperfine over that of bakeoff.
    times: Vec<f64>,
}

impl Counts {
    fn winners(&self) -> u32 {
        self.first + self.second
    }

    fn add(&mut self, other: &Self) {
        self.first += other.first;
        self.second += other.second;
        self.ties += other.ties;
        self.no_calls += other.no_calls;
        self.blocks.extend(&other.blocks);
        self.by_hyperfine += other.by_hyperfine;
        self.by_spread += other.by_spread;
        self.by_welch += other.by_welch;
        self.small += other.small;
        self.times.extend(&other.times);
    }
}

/// Compares all pairs, in turns, and prints how often there was a difference.
pub(crate) fn run(
    programs: &Programs,
    tools: &Tools,
    figures: &mut Figures,
) -> Result<(), Failure> {
    let mut disguises = disguises(programs);
    let repetitions = if is_quick() {
        REPETITIONS_QUICK
    } else {
        REPETITIONS
    };
    for repetition in 0..repetitions {
        for disguise in &mut disguises {
            compare(disguise, repetition, programs, tools)?;
        }
    }
    let mut all = Counts::default();
    println!(
        "\n{:<36} {:>6} {:>6} {:>5} {:>8} {:>7}   {:>11} {:>6} {:>6}",
        "identical",
        "first",
        "second",
        "ties",
        "no calls",
        "blocks",
        "hyperfine ±",
        "Welch",
        "÷ time"
    );
    for disguise in &disguises {
        print(disguise.name, &disguise.counts);
        all.add(&disguise.counts);
    }
    print("all", &all);
    println!();
    report(&all, figures);
    Ok(())
}

fn report(all: &Counts, figures: &mut Figures) {
    let runs = f64::from(all.winners() + all.ties + all.no_calls);
    let share = |count: u32, of: f64| 100.0 * f64::from(count) / of;
    let demand = Demand::AtMost(WINNERS_MAX);
    let what = "identical commands: sure winners";
    figures.per_cent(what, share(all.winners(), runs), demand);
    let what = "of all runs: winners that are said to matter little";
    figures.per_cent(what, share(all.small, runs), Demand::None);
    let what = "of all runs: ties";
    figures.per_cent(what, share(all.ties, runs), Demand::None);
    if all.by_hyperfine > 0 {
        let of = f64::from(all.by_hyperfine);
        let what = "hyperfine in the same time: 1 outside of its ratio's ±";
        figures.per_cent(what, share(all.by_spread, of), Demand::None);
        let what = "the same: Welch's test at 5 % on its times";
        figures.per_cent(what, share(all.by_welch, of), Demand::None);
    }
}

fn print(name: &str, counts: &Counts) {
    let blocks = median(counts.blocks.clone());
    print!(
        "{name:<36} {:>6} {:>6} {:>5} {:>8} {blocks:>7.0}   ",
        counts.first, counts.second, counts.ties, counts.no_calls
    );
    if counts.by_hyperfine == 0 {
        println!("{:>11} {:>6} {:>6}", "–", "–", "–");
    } else {
        let time = median(counts.times.clone());
        println!(
            "{:>11} {:>6} {time:>6.2}",
            counts.by_spread, counts.by_welch
        );
    }
}

/// Compares a pair once by either tool; every second time bakeoff is given it the other way round, and so is
/// hyperfine.
fn compare(
    disguise: &mut Disguise,
    repetition: usize,
    programs: &Programs,
    tools: &Tools,
) -> Result<(), Failure> {
    let is_turned = repetition % 2 == 1;
    let turned = is_turned.then(|| disguise.pair.turned());
    let pair = turned.as_ref().unwrap_or(&disguise.pair);
    let beside = disguise.beside.map(|kind| programs.neighbour(kind));
    let _beside: Option<Disturbing> = beside.transpose()?;
    let told = tools.time(pair)?;
    let run_seconds = disguise.run_seconds.unwrap_or(told.block_seconds);
    // One of them warms up.
    let runs = ((told.seconds / run_seconds).round() as u32).max(RUNS_MIN + 1);
    let seen = tools.hyperfine(pair, Some(runs - 1))?;
    if let Some(seen) = &seen {
        disguise.run_seconds = Some(seen.seconds / f64::from(runs));
    }
    let counts = &mut disguise.counts;
    match (told.outcome, is_turned) {
        (Outcome::Tie, _) => counts.ties += 1,
        (Outcome::NoCall, _) => counts.no_calls += 1,
        (Outcome::First, false) | (Outcome::Second, true) => counts.first += 1,
        (Outcome::First, true) | (Outcome::Second, false) => counts.second += 1,
    }
    counts.small += u32::from(told.is_small);
    counts.blocks.push(told.blocks);
    let read = |said: Said| u32::from(said != Said::Nothing);
    let mut also = String::new();
    if let Some(seen) = seen {
        counts.by_hyperfine += 1;
        counts.by_spread += read(seen.by_spread);
        counts.by_welch += read(seen.by_welch);
        counts.times.push(seen.seconds / told.seconds);
        also = format!("±: {:?}, Welch: {:?}", seen.by_spread, seen.by_welch);
    }
    note(disguise.name, is_turned, &told, &also);
    Ok(())
}

/// Writes a line for one comparison, and the whole answer where it is a winner.
fn note(name: &str, is_turned: bool, told: &Told, also: &str) {
    let turned = if is_turned { " (turned)" } else { "" };
    let ratio = told
        .ratio
        .map_or("–".to_owned(), |ratio| format!("{ratio:.4}"));
    eprintln!(
        "{name}{turned}: {:?}, {ratio}, {} blocks, {} warnings. hyperfine {also}",
        told.outcome, told.blocks, told.warnings
    );
    if matches!(told.outcome, Outcome::First | Outcome::Second) {
        eprintln!("    {}", told.text);
    }
}

fn disguises(programs: &Programs) -> Vec<Disguise> {
    let rounds = programs.rounds(COMMAND_MS);
    let does = format!("loop {rounds}");
    let same = programs.command(&does);
    let with = |first: String, second: String| Pair::new(first, second);
    let halves = [rounds / 4, rounds - rounds / 4];
    let variable = |value: &str| format!("env NOTHING={value} {same}");
    let by_shell = |name: &str| format!("{name}=1; {same}");
    let in_sh = |name: &str| format!("sh -c \"{}\"", by_shell(name));
    let read = |name: &str| programs.command(&format!("read {}", programs.file(name)));
    let forget = |name: &str| {
        format!(
            "dd if={} iflag=nocache count=0 status=none",
            programs.file(name)
        )
    };
    let mut through_sh = with(by_shell("LEFT"), by_shell("RIGHT"));
    through_sh.without_shell = [in_sh("LEFT"), in_sh("RIGHT")];
    let mut from_disk = with(read("file.bin"), read("the-same-file.bin"));
    from_disk.prepare = Some([forget("file.bin"), forget("the-same-file.bin")]);
    let pairs = [
        (
            "arguments that do nothing",
            with(format!("{same} x"), format!("{same} {}", "y".repeat(200))),
        ),
        (
            "another name of the program",
            with(
                same.clone(),
                programs.command_of("the-same-program-by-another-name", &does),
            ),
        ),
        (
            "arguments the other way round",
            with(
                programs.command(&format!("loop {} {}", halves[0], halves[1])),
                programs.command(&format!("loop {} {}", halves[1], halves[0])),
            ),
        ),
        (
            "a copy of the program elsewhere",
            with(
                same.clone(),
                programs.command_of("another/folder/further/down/worker", &does),
            ),
        ),
        (
            "a variable that is longer",
            with(variable("a"), variable(&"a".repeat(VARIABLE_BYTES))),
        ),
        ("through sh", through_sh),
        (
            "a file by another name, cached",
            with(read("file.bin"), read("the-same-file.bin")),
        ),
        ("a file by another name, not cached", from_disk),
        (
            "beside one that burns a core",
            with(same.clone(), format!("{same} z")),
        ),
        (
            "beside one that reads a file",
            with(same.clone(), format!("{same} z")),
        ),
    ];
    let disguises = pairs.into_iter().map(|(name, mut pair)| {
        pair.options = ["--budget", BUDGET].map(str::to_owned).to_vec();
        Disguise {
            name,
            pair,
            beside: match name {
                "beside one that burns a core" => Some(Neighbour::Burns),
                "beside one that reads a file" => Some(Neighbour::Reads),
                _ => None,
            },
            run_seconds: None,
            counts: Counts::default(),
        }
    });
    disguises.collect()
}
