//! `bakeoff time`: commands, each started anew in every block.

mod export;
mod fence;
mod parameters;

use super::Status;
use super::failure::Failure;
use super::interruptible::interruptible;
use super::judge::{allowance, percent};
use super::kept_timing;
use super::metric_options::MetricOptions;
use super::models;
use super::options::Output;
use super::regression::Unsure;
use super::series_output::{self, Test};
use super::timing_display::TimingDisplay;
use super::whole_numbers;
use bakeoff_domain::plan::RunSeed;
use bakeoff_programs::{
    CommandLine, Decides, KEPT_FILE, KeptTiming, MeasuredMachine, Shell, TimedCommand, TimingError,
    TimingOptions, compare,
};
use clap::{Args, ValueEnum};
use fence::FenceOptions;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The most commands that are compared.
const COMMANDS_MAX: usize = 64;

/// The fewest runs of each command, unless something else is said.
const MIN_RUNS: u32 = 10;

/// Quantities that decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// Time on the wall clock
    Wall,
    /// CPU time of all processes of a command
    Cpu,
    /// The largest memory of one process of a command
    Memory,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A block is one run of each command that is left, each in a fresh process, in an order that is drawn anew.
It ends as soon as it is known which command is the best, or that none is; a verdict takes 8 blocks at
least. Commands run with your rights, and without a fence unless --fence is given.

Examples:
  bakeoff time 'sleep 0.1' 'sleep 0.11'
  bakeoff time 'python3 a.py' 'python3 b.py' --input data.json --same-output
  bakeoff time 'zstd -{level} -c big' -L level 1,3,9 --by cpu
  bakeoff time ./old ./new --fail-if-slower 5%
  bakeoff time ./mine ./theirs --fence            behind a fence: no network, nothing to write but $TMPDIR
  bakeoff time ./a ./b --metric loss              compares the lines `METRIC loss=0.52` that they write
  bakeoff time ./a ./b --export runs.csv && bakeoff judge runs.csv
  bakeoff time ./app ./reference --out before     later: --out after, and bakeoff compare before after

Exit status: 0 with a winner or a tie, 1 without, 3 if some command failed. With --fail-if-slower the test
alone decides: 1 if a later command is surely worse than the first, or if that is not known (unless
--unsure pass).")]
pub(super) struct Arguments {
    /// The commands, at least two in all. They are started directly, or all of them by `sh` if one needs a shell
    #[arg(required = true, value_name = "COMMAND")]
    commands: Vec<String>,
    /// Name of a command, in their order; it may have parameters in it
    #[arg(
        long = "name",
        short = 'n',
        visible_alias = "command-name",
        value_name = "NAME"
    )]
    names: Vec<String>,
    #[command(flatten)]
    compared: CommandOptions,
    #[command(flatten)]
    around: Around,
    #[command(flatten)]
    fence: FenceOptions,
    #[command(flatten)]
    runs: Runs,
    /// Values of a parameter, which take the place of {NAME} in the commands
    #[arg(long, short = 'L', num_args = 2, value_names = ["NAME", "VALUES"], action = clap::ArgAction::Append)]
    parameter_list: Vec<String>,
    /// Values of a parameter from MIN to MAX
    #[arg(long, short = 'P', num_args = 3, value_names = ["NAME", "MIN", "MAX"], action = clap::ArgAction::Append, allow_hyphen_values = true)]
    parameter_scan: Vec<String>,
    /// Step of the values of --parameter-scan
    #[arg(long, short = 'D', value_name = "STEP", requires = "parameter_scan")]
    parameter_step_size: Vec<String>,
    /// Write all runs (.csv) or the report (.json, .md, .html) to a file as well
    #[arg(long, value_name = "FILE")]
    export: Vec<PathBuf>,
    /// Keep all runs in this folder: `bakeoff report DIR` shows them again, `bakeoff compare DIR DIR` what changed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Exit with 1 if a later command is worse than the first by more than this, or if that is not known
    #[arg(long, visible_alias = "fail-if-worse", value_name = "PERCENT", value_parser = allowance)]
    fail_if_slower: Option<f64>,
    /// With --fail-if-slower: what follows if it is not known
    #[arg(long, value_enum, default_value = "fail", requires = "fail_if_slower")]
    unsure: Unsure,
}

/// Options on what is compared.
#[derive(Debug, Args)]
struct CommandOptions {
    /// The quantity that decides
    #[arg(long, value_enum, default_value = "wall", conflicts_with = "metric")]
    by: By,
    #[command(flatten)]
    metric: MetricOptions,
    /// A difference that does not matter: two that are surely closer tie [default: 2% of wall time, else 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    practical: Option<f64>,
}

/// Options on what is run around the commands.
#[derive(Debug, Args)]
struct Around {
    /// Command before each run, not timed: once for all, or once for each command
    #[arg(long, short = 'p', value_name = "COMMAND")]
    prepare: Vec<String>,
    /// Command before the first run of each command
    #[arg(long, short = 's', value_name = "COMMAND")]
    setup: Option<String>,
    /// Command after the last run of each command
    #[arg(long, short = 'c', value_name = "COMMAND")]
    cleanup: Option<String>,
    /// File that every run reads as its stdin, which is empty otherwise
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Shell that starts all commands; `none` for none
    #[arg(long, short = 'S', value_name = "SHELL", conflicts_with = "no_shell")]
    shell: Option<String>,
    /// Start all commands without a shell
    #[arg(short = 'N')]
    no_shell: bool,
    /// Count a run whatever its exit status is
    #[arg(long, short = 'i')]
    ignore_failure: bool,
    /// Let a command fail that writes something else than the first one
    #[arg(long)]
    same_output: bool,
}

/// Options on how often and how long.
#[derive(Debug, Args)]
struct Runs {
    /// The time for all runs that count: 20s, 5min [default: 30s, or as long as 12 blocks take]
    #[arg(long, value_name = "TIME", value_parser = models::time)]
    budget: Option<Duration>,
    /// Runs of each command before those that count
    #[arg(long, short = 'w', value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    warmup: u32,
    /// The fewest runs of each command that count, even if all is known before: more of them make intervals narrower
    /// [default: 10, or --max-runs if that is less]
    #[arg(long, short = 'm', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20_000))]
    min_runs: Option<u32>,
    /// The most runs of each command that count
    #[arg(long, short = 'M', value_name = "N", default_value = "20000", value_parser = clap::value_parser!(u32).range(1..=20_000))]
    max_runs: u32,
    /// The number of runs of each command that count: both --min-runs and --max-runs
    #[arg(long, short = 'r', value_name = "N", conflicts_with_all = ["min_runs", "max_runs"], value_parser = clap::value_parser!(u32).range(1..=20_000))]
    runs: Option<u32>,
    /// The time after which a run is ended and its command has failed
    #[arg(long, value_name = "TIME", value_parser = models::time)]
    timeout: Option<Duration>,
    /// Draw the same orders again: the seed that --verbose shows, or a number
    #[arg(long, value_name = "SEED", value_parser = whole_numbers::run_seed)]
    seed: Option<RunSeed>,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    series_output::has_format(output)?;
    let commands = arguments.commands()?;
    let options = arguments.options()?;
    let exports = export::files(&arguments.export)?;
    let out = arguments.out.as_deref().map(kept_timing::folder_for);
    let out = out.transpose()?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let mut display = TimingDisplay::new(output);
    let (timed, how) = (commands.clone(), options.clone());
    let work = tokio::task::spawn_blocking(move || {
        let outcome = compare(&timed, &how, &flag, &mut |news| display.show(&news));
        display.end();
        outcome
    });
    let outcome = interruptible(work, &interrupted).await?;
    let outcome = outcome.map_err(failure)?;
    let test = arguments.fail_if_slower.map(|allowed| Test {
        allowed,
        unsure: arguments.unsure,
    });
    let status = series_output::print(&outcome.report, test, output)?;
    for (file, format) in exports {
        export::write(file, &outcome, format, output)?;
    }
    if let Some(folder) = out {
        let mut kept = KeptTiming::of(&commands, &options, &outcome, machine());
        kept.options.passes_if_unsure = arguments.unsure == Unsure::Pass;
        kept.write(&folder).map_err(|error| {
            let place = folder.path().join(KEPT_FILE);
            Failure::infrastructure(format!("cannot write {}: {error}", place.display()))
        })?;
    }
    if let Some(error) = outcome.not_cleaned {
        return Err(failure(error));
    }
    Ok(status)
}

fn machine() -> MeasuredMachine {
    let (cpu, cores, system) = bakeoff_run::machine();
    MeasuredMachine { cpu, cores, system }
}

fn failure(error: TimingError) -> Failure {
    match error {
        TimingError::Helper { .. } => Failure::usage(error.to_string()),
        TimingError::Machine(_) => Failure::infrastructure(error),
        TimingError::Interrupted { .. } => Failure::interrupted(error.to_string()),
    }
}

/// Returns an error if a file cannot be the stdin of every run.
fn check_input(input: &Path) -> Result<(), Failure> {
    let failed =
        |error: std::io::Error| Failure::usage(format!("cannot read {}: {error}", input.display()));
    let refused = |why: &str| Failure::usage(format!("--input {} is {why}", input.display()));
    // A pipe is not opened: that waits for somebody who writes.
    let kind = std::fs::metadata(input).map_err(failed)?.file_type();
    if kind.is_dir() {
        return Err(refused("a folder: name a file"));
    }
    if kind.is_fifo() || kind.is_socket() {
        return Err(refused(
            "a pipe or a socket, which the first run would read to its end: write what comes out of it to a file",
        ));
    }
    std::fs::File::open(input).map(drop).map_err(failed)
}

impl Runs {
    /// The fewest runs of each command.
    fn least(&self) -> Result<u32, Failure> {
        let most = self.runs.unwrap_or(self.max_runs);
        match self.runs.or(self.min_runs) {
            Some(least) if least > most => Err(Failure::usage(format!(
                "--min-runs {least} is more than --max-runs {most}: leave out one of them"
            ))),
            Some(least) => Ok(least),
            None => Ok(MIN_RUNS.min(most)),
        }
    }
}

impl Arguments {
    fn shell(&self) -> Shell {
        match self.around.shell.as_deref() {
            _ if self.around.no_shell => Shell::None,
            Some("none") => Shell::None,
            Some("default") | None => Shell::IfNeeded,
            Some(shell) => Shell::Program(shell.to_owned()),
        }
    }

    /// Returns all commands with their parameters, under names of their own.
    fn commands(&self) -> Result<Vec<TimedCommand>, Failure> {
        let lists = parameters::parameters(
            &self.parameter_list,
            &self.parameter_scan,
            &self.parameter_step_size,
        );
        let count = self.commands.len();
        if self.names.len() > count {
            return Err(Failure::usage(format!(
                "there are {} names for {count} commands",
                self.names.len()
            )));
        }
        let prepares = self.around.prepare.len();
        if prepares > 1 && prepares != count {
            return Err(Failure::usage(format!(
                "--prepare is given {prepares} times for {count} commands: give it once, or once for each"
            )));
        }
        let groups = (0..count).map(|index| {
            let text = &self.commands[index];
            let prepare = self
                .around
                .prepare
                .get(index.min(prepares.saturating_sub(1)));
            let around = [
                prepare,
                self.around.setup.as_ref(),
                self.around.cleanup.as_ref(),
            ];
            let name = self.names.get(index).unwrap_or(text);
            let mut group = vec![text.clone(), name.clone()];
            group.extend(around.map(|text| text.cloned().unwrap_or_default()));
            group
        });
        let groups: Vec<Vec<String>> = groups.collect();
        let groups = lists.and_then(|lists| parameters::combined(&groups, &lists));
        let groups = groups.map_err(Failure::usage)?;
        if !(2..=COMMANDS_MAX).contains(&groups.len()) {
            return Err(Failure::usage(format!(
                "{} cannot be compared: give 2 to {COMMANDS_MAX} commands, or values of a parameter",
                if groups.len() == 1 {
                    "one command"
                } else {
                    "so many commands"
                }
            )));
        }
        let shell = self.shell();
        let texts: Vec<String> = groups.iter().map(|group| group[0].clone()).collect();
        let wrong = |error: bakeoff_programs::CommandLineError| Failure::usage(error.to_string());
        let lines = CommandLine::all(&texts, &shell).map_err(wrong)?;
        let helper = |text: &String| {
            let line = (!text.is_empty()).then(|| CommandLine::one(text, &shell));
            line.transpose().map_err(wrong)
        };
        let fenced = self.fence.fenced(&lines)?;
        let mut commands: Vec<TimedCommand> = Vec::new();
        for (line, group) in lines.into_iter().zip(&groups) {
            let is_taken = |name: &str| commands.iter().any(|other| other.name == name);
            let mut name = group[1].trim().to_owned();
            let mut number = 1;
            while name.is_empty() || is_taken(&name) {
                number += 1;
                name = format!("{} ({number})", group[1].trim());
            }
            commands.push(TimedCommand {
                name,
                line,
                prepare: helper(&group[2])?,
                setup: helper(&group[3])?,
                cleanup: helper(&group[4])?,
                fenced: fenced.clone(),
            });
        }
        Ok(commands)
    }

    fn options(&self) -> Result<TimingOptions, Failure> {
        let compared = &self.compared;
        let decides = match (compared.metric.metric()?, compared.by) {
            (Some(metric), _) => Decides::Metric(metric),
            (None, By::Wall) => Decides::Wall,
            (None, By::Cpu) => Decides::Cpu,
            (None, By::Memory) => Decides::Memory,
        };
        if let Some(input) = &self.around.input {
            check_input(input)?;
        }
        let usual = decides.usual_practical();
        Ok(TimingOptions {
            decides,
            shell: self.shell(),
            input: self.around.input.clone(),
            budget: self.runs.budget,
            warm_up: self.runs.warmup,
            runs_min: self.runs.least()?,
            runs_max: self.runs.runs.unwrap_or(self.runs.max_runs),
            timeout: self.runs.timeout,
            ignores_failure: self.around.ignore_failure,
            same_output: self.around.same_output,
            seed: match self.runs.seed {
                Some(seed) => seed,
                None => bakeoff_run::draw_seed()?,
            },
            confidence: 0.95,
            practical: compared.practical.unwrap_or(usual),
            looks_at_files: self.out.is_some(),
            margin: self.fail_if_slower,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn commands(words: &[&str]) -> Result<Vec<TimedCommand>, ()> {
        let words = std::iter::once("time").chain(words.iter().copied());
        let parsed = Command::try_parse_from(words).map_err(drop)?;
        parsed.arguments.commands().map_err(drop)
    }

    #[test]
    fn commands_have_names_of_their_own() {
        let names = |words: &[&str]| -> Vec<String> {
            let commands = commands(words).unwrap();
            commands.into_iter().map(|command| command.name).collect()
        };
        assert_eq!(
            names(&["true", "true", "false"]),
            ["true", "true (2)", "false"]
        );
        assert_eq!(names(&["true", "env", "-n", "old"]), ["old", "env"]);
        assert_eq!(
            names(&["env -{n}", "-L", "n", "1,9", "-n", "level {n}"]),
            ["level 1", "level 9"]
        );
        assert_eq!(
            names(&["env {n}", "env b", "-P", "n", "1", "2"]),
            ["env 1", "env 2", "env b"]
        );
    }

    #[test]
    fn what_cannot_be_compared_is_an_error() {
        for words in [
            &["true"][..],
            &["true", "true", "-n", "a", "-n", "b", "-n", "c"],
            &["true", "env", "sleep", "-p", "env", "-p", "true"],
            &["true", "'b"],
            &["true", "env", "-L", "n", "1,,2"],
        ] {
            assert!(commands(words).is_err(), "{words:?}");
        }
        let prepared = commands(&["true", "env", "-p", "sleep 1", "-p", "env x"]).unwrap();
        assert_eq!(prepared[1].prepare.as_ref().unwrap().text(), "env x");
    }
}
