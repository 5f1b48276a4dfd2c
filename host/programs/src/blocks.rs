//! The comparison of commands: blocks, in each of which every command that is left runs once, in an order that is drawn.

use super::around::run_once;
use super::error::TimingError;
use super::measure::{Sums, digest, value};
use super::named_files::{NamedFile, named_files};
use super::news::{CommandStanding, News};
use super::notes::{ComparedCommands, notes};
use super::options::{TimedCommand, TimingOptions};
use super::places::{CommandPlace, FencedPlace};
use super::run::{EndedRun, RunBounds, RunFailure, run};
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_domain::plan::round_order;
use bakeoff_domain::race::{NextStep, RemainingBudget, StopReason};
use bakeoff_domain::series::{
    BlockValue, SeriesEnd, SeriesFacts, SeriesRace, SeriesReport, SeriesSettings, SeriesVariant,
    ValueError, blocks_needed, conclude,
};
use bakeoff_files::Scratch;
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The least budget of a comparison for which none is given.
const BUDGET_MIN: Duration = Duration::from_secs(30);
/// Factor on the fewest blocks that can tell two apart, for the budget of a comparison for which none is given.
const BLOCKS_FACTOR: f64 = 1.5;
/// Number of past blocks whose durations predict the next one.
const DURATIONS: usize = 8;
/// The purpose of orders that are drawn.
const ORDER: &str = "commands";

/// A run that counts.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandRun {
    /// Index of the command.
    pub command: VariantIndex,
    /// Number of the block, from 0.
    pub block: u32,
    /// Number of commands that ran before it in this block.
    pub position: u32,
    /// The value that is compared.
    pub value: f64,
    /// Time on the wall clock, in nanoseconds.
    pub wall_ns: u64,
    /// CPU time of all its processes, in nanoseconds.
    pub cpu_ns: u64,
    /// The largest memory of one of its processes, in bytes.
    pub peak_bytes: u64,
}

/// The result of a comparison.
#[derive(Debug)]
pub struct TimingOutcome {
    /// The report.
    pub report: SeriesReport,
    /// All runs that count, in the order in which they were made.
    pub runs: Vec<CommandRun>,
    /// The notes of the report that are on how the commands ran.
    pub notes: Vec<String>,
    /// Files that each command names, by command; `None` where that is not known, or nobody asked.
    pub files: Vec<Option<Vec<NamedFile>>>,
    /// The reason why something that was set up is not cleaned up.
    pub not_cleaned: Option<TimingError>,
}

/// Compares commands until it is known which is the best, or the budget ends.
///
/// # Errors
/// A command that prepares others failed, or this machine cannot start commands. A command that fails itself is a
/// variant that failed.
pub fn compare(
    commands: &[TimedCommand],
    options: &TimingOptions,
    interrupted: &AtomicBool,
    news: &mut dyn FnMut(News<'_>),
) -> Result<TimingOutcome, TimingError> {
    let places = commands.iter().map(CommandPlace::of);
    let mut comparison = Comparison {
        commands,
        places: places.collect::<io::Result<_>>()?,
        options,
        interrupted,
        race: SeriesRace::new(SeriesSettings {
            variants: commands.len(),
            cases: 1,
            quantity: options.decides.quantity(),
            confidence: options.confidence,
            practical: options.practical,
            blocks_max: options.runs_max,
            resolution: options.decides.resolution(),
            margin: options.margin,
        }),
        sums: vec![Sums::default(); commands.len()],
        failures: vec![None; commands.len()],
        durations: vec![VecDeque::new(); commands.len()],
        runs: Vec::new(),
        round: 0,
        seconds: 0.0,
    };
    let ended = comparison.race_commands(news);
    let files = commands.iter().map(|command| {
        let is_asked = options.looks_at_files && ended.is_ok();
        is_asked.then(|| named_files(&command.line)).flatten()
    });
    let files = files.collect();
    // Whatever happened, what a command set up is cleaned up.
    let cleaned = comparison.clean_up();
    let ended = ended?;
    Ok(TimingOutcome {
        files,
        ..comparison.outcome(ended, cleaned.err())
    })
}

struct Comparison<'a> {
    commands: &'a [TimedCommand],
    /// Places behind a fence, by command.
    places: Vec<Option<CommandPlace>>,
    options: &'a TimingOptions,
    interrupted: &'a AtomicBool,
    race: SeriesRace,
    sums: Vec<Sums>,
    failures: Vec<Option<String>>,
    /// Seconds that the last runs took with all around them, by command.
    durations: Vec<VecDeque<f64>>,
    runs: Vec<CommandRun>,
    /// Number of the next order that is drawn.
    round: u32,
    /// Seconds of all blocks.
    seconds: f64,
}

impl Comparison<'_> {
    fn race_commands(&mut self, news: &mut dyn FnMut(News<'_>)) -> Result<SeriesEnd, TimingError> {
        for (command, place) in self.commands.iter().zip(&self.places) {
            let bounds = self.bounds_once(place.as_ref(), self.interrupted);
            run_once("--setup", command.setup.as_ref(), &bounds)?;
        }
        let mut live: Vec<VariantIndex> = (0..self.commands.len()).collect();
        // The first runs warm the caches of the machine, show what takes how long, and who fails.
        for _ in 0..self.options.warm_up.max(1) {
            for command in self.order(&live) {
                news(News::WarmingUp(&self.commands[command].name));
                match self.run(command) {
                    Ok(_) => {}
                    Err(RunFailure::OfCommand(reason)) => self.fail(command, reason),
                    Err(RunFailure::Interrupted) => return Err(self.interrupted_in(command)),
                    Err(RunFailure::OfMachine(error)) => return Err(error.into()),
                }
            }
            live = self.live();
        }
        let budget = self.budget(&live);
        let started = Instant::now();
        let mut standing = None;
        loop {
            if live.len() < 2 {
                return Ok(SeriesEnd::Settled);
            }
            match self.block(&live) {
                Ok(()) => {}
                Err(RunFailure::Interrupted) if self.race.blocks() == 0 => {
                    return Err(self.interrupted_in(live[0]));
                }
                Err(RunFailure::Interrupted) => return Ok(SeriesEnd::Interrupted),
                Err(RunFailure::OfMachine(error)) => return Err(error.into()),
                // A command that failed took part in no block; the others begin this one again.
                Err(RunFailure::OfCommand(_)) => {
                    live.retain(|command| self.failures[*command].is_none());
                    continue;
                }
            }
            let seconds = started.elapsed().as_secs_f64();
            self.seconds = seconds;
            let blocks = self.race.blocks();
            news(News::Blocks {
                blocks,
                seconds,
                budget_seconds: budget,
                standing: standing.as_ref(),
            });
            let is_last = blocks >= self.options.runs_max;
            let is_short = blocks < self.options.runs_min.min(self.options.runs_max);
            let is_over = seconds >= budget;
            if !self.race.is_worth_a_look() && !is_last && !is_over {
                continue;
            }
            let remaining = RemainingBudget {
                seconds: budget - seconds,
                whole_seconds: budget,
            };
            let verdicts = self.race.verdicts();
            standing =
                CommandStanding::of(&verdicts, self.commands, &self.race.settings().quantity);
            if is_short && !is_over {
                continue;
            }
            let next = self
                .race
                .next(&verdicts, remaining, |group| self.predicted(group));
            live = match next {
                NextStep::Run { live_variants } => live_variants,
                NextStep::Stop(reason) => return Ok(end(reason)),
            };
        }
    }

    /// The commands that did not fail.
    fn live(&self) -> Vec<VariantIndex> {
        let all = 0..self.commands.len();
        all.filter(|command| self.failures[*command].is_none())
            .collect()
    }

    /// The seconds that there are for the blocks.
    fn budget(&self, live: &[VariantIndex]) -> f64 {
        if let Some(budget) = self.options.budget {
            return budget.as_secs_f64();
        }
        let blocks = blocks_needed(self.commands.len(), 1, self.options.confidence);
        let needed = self.predicted(live) * f64::from(blocks) * BLOCKS_FACTOR;
        needed.max(BUDGET_MIN.as_secs_f64())
    }

    /// The order, drawn uniformly, in which these commands run.
    fn order(&mut self, live: &[VariantIndex]) -> Vec<VariantIndex> {
        let secret = self.options.seed.race_secret();
        let order = round_order(&secret, ORDER, self.round, live.len());
        self.round += 1;
        order.into_iter().map(|place| live[place]).collect()
    }

    /// Runs each of these commands once. Only a complete block counts.
    fn block(&mut self, live: &[VariantIndex]) -> Result<(), RunFailure> {
        let order = self.order(live);
        let mut values = Vec::with_capacity(order.len());
        let mut ended = Vec::with_capacity(order.len());
        for &command in &order {
            match self.run(command) {
                Ok((value, run)) => {
                    values.push(BlockValue {
                        variant: command,
                        case: 0,
                        value,
                    });
                    ended.push(run);
                }
                Err(RunFailure::OfCommand(reason)) => {
                    self.fail(command, reason.clone());
                    return Err(RunFailure::OfCommand(reason));
                }
                Err(other) => return Err(other),
            }
        }
        let block = self.race.blocks();
        if let Err((value, error)) = self.race.push(&values) {
            let reason = match error {
                ValueError::NotPositive(number) => format!(
                    "its number is {number}, and there are ratios of numbers above 0 only: let a harness write rows, and \
                     judge them by `bakeoff judge --range`"
                ),
                other => other.to_string(),
            };
            self.fail(value.variant, reason.clone());
            return Err(RunFailure::OfCommand(reason));
        }
        for (position, (value, ended)) in values.iter().zip(&ended).enumerate() {
            self.sums[value.variant].add(&ended.measured);
            self.runs.push(CommandRun {
                command: value.variant,
                block,
                position: position as u32,
                value: value.value,
                wall_ns: ended.measured.wall_ns,
                cpu_ns: ended.measured.cpu_ns,
                peak_bytes: ended.measured.peak_bytes,
            });
        }
        Ok(())
    }

    /// Runs a command once, and what prepares it before. Returns its value with the run.
    fn run(&mut self, index: VariantIndex) -> Result<(f64, EndedRun), RunFailure> {
        let started = Instant::now();
        let command = &self.commands[index];
        let place = self.places[index].as_ref();
        // What prepares a run behind a fence has the same home.
        let home = place.map(|_| Scratch::new()).transpose()?;
        let place = place.zip(home.as_ref());
        let bounds = self.bounds(place.map(|(place, home)| place.of_run(home)));
        if let Some(prepare) = &command.prepare {
            let prepared = run(prepare, &bounds)?;
            if let Some(reason) = prepared.failure(bounds.advice_on_failure()) {
                return Err(RunFailure::OfCommand(format!(
                    "what prepares it ({}): {reason}",
                    prepare.text()
                )));
            }
        }
        let ended = run(&command.line, &bounds)?;
        let failure = ended.failure(if command.fenced.is_none() {
            " (--ignore-failure lets that count)"
        } else {
            bounds.advice_on_failure()
        });
        if let Some(reason) = failure.filter(|_| !self.options.ignores_failure) {
            return Err(RunFailure::OfCommand(reason));
        }
        let written = digest(&ended.output);
        let sums = &mut self.sums[index];
        sums.add_output(written);
        if let Some(line) = ended.said.lines().last() {
            sums.said.get_or_insert_with(|| line.to_owned());
        }
        if self.options.same_output {
            let first = self.sums.iter().find_map(|sums| sums.first_output);
            if self.sums[index].outputs() > 1 {
                return Err(RunFailure::OfCommand(
                    "its own output changes from run to run (--same-output)".to_owned(),
                ));
            }
            if first.is_some_and(|first| first != written) {
                return Err(RunFailure::OfCommand(
                    "its output is not that of the first command (--same-output)".to_owned(),
                ));
            }
        }
        let durations = &mut self.durations[index];
        durations.push_back(started.elapsed().as_secs_f64());
        if durations.len() > DURATIONS {
            durations.pop_front();
        }
        let value = value(&self.options.decides, &ended).map_err(RunFailure::OfCommand)?;
        Ok((value, ended))
    }

    fn interrupted_in(&self, command: VariantIndex) -> TimingError {
        TimingError::Interrupted {
            running: self.commands[command].name.clone(),
        }
    }

    fn bounds<'b>(&'b self, fenced: Option<FencedPlace<'b>>) -> RunBounds<'b> {
        RunBounds {
            fenced,
            input: self.options.input.as_deref(),
            timeout: self.options.timeout,
            interrupted: self.interrupted,
        }
    }

    /// Bounds of what is run once around a command in this place.
    fn bounds_once<'b>(
        &self,
        place: Option<&'b CommandPlace>,
        interrupted: &'b AtomicBool,
    ) -> RunBounds<'b> {
        RunBounds {
            fenced: place.and_then(CommandPlace::of_once),
            input: None,
            timeout: self.options.timeout,
            interrupted,
        }
    }

    /// Returns the seconds that a block of these commands takes.
    fn predicted(&self, group: &[VariantIndex]) -> f64 {
        let mean = |command: &VariantIndex| {
            let durations = &self.durations[*command];
            durations.iter().sum::<f64>() / durations.len().max(1) as f64
        };
        group.iter().map(mean).sum()
    }

    fn fail(&mut self, command: VariantIndex, reason: String) {
        self.failures[command].get_or_insert(reason);
        self.race.withdraw(command);
    }

    fn clean_up(&self) -> Result<(), TimingError> {
        // An interruption ends what is measured, and not what cleans up behind it.
        let never = AtomicBool::new(false);
        let commands = self.commands.iter().zip(&self.places);
        let cleaned = commands.map(|(command, place)| {
            let bounds = self.bounds_once(place.as_ref(), &never);
            run_once("--cleanup", command.cleanup.as_ref(), &bounds)
        });
        // All of them are run, whatever one of them does.
        cleaned.collect::<Vec<_>>().into_iter().collect()
    }

    fn outcome(mut self, ended: SeriesEnd, not_cleaned: Option<TimingError>) -> TimingOutcome {
        let blocks = self.race.blocks();
        let live = self.live();
        let walls = self.runs.iter().map(|run| run.wall_ns as f64);
        let notes = notes(&ComparedCommands {
            commands: self.commands,
            places: &self.places,
            options: self.options,
            sums: &self.sums,
            live: &live,
            shortest_ns: walls.fold(f64::INFINITY, f64::min),
            interrupted: self.interrupted,
        });
        let variant = |(index, command): (usize, &TimedCommand)| SeriesVariant {
            name: command.name.clone(),
            command: Some(command.line.text().to_owned()),
            failure: self.failures[index].clone(),
            values: Vec::new(),
            also: self.sums[index].also(&self.options.decides),
        };
        let variants = self.commands.iter().enumerate().map(variant).collect();
        let facts = SeriesFacts {
            variants,
            cases: Vec::new(),
            ended,
            order: None,
            notes: notes.clone(),
            block_seconds: (blocks > 0).then(|| self.seconds / f64::from(blocks)),
            seed: Some(self.options.seed),
        };
        TimingOutcome {
            report: conclude(&mut self.race, facts),
            runs: self.runs,
            notes,
            files: Vec::new(),
            not_cleaned,
        }
    }
}

fn end(reason: StopReason) -> SeriesEnd {
    match reason {
        StopReason::Budget => SeriesEnd::Budget,
        StopReason::ReplicaLimit => SeriesEnd::BlockLimit,
        StopReason::Winner
        | StopReason::Tied
        | StopReason::Settled
        | StopReason::Precision
        | StopReason::Alone
        | StopReason::NothingToTime => SeriesEnd::Settled,
    }
}
