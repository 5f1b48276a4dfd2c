//! Notes on commands that were compared: with whose rights they ran, what they wrote, and what starting one takes.

use super::command_line::CommandLine;
use super::measure::Sums;
use super::options::{Decides, TimedCommand, TimingOptions};
use super::places::CommandPlace;
use super::run::{RunBounds, RunFailure, run};
use bakeoff_domain::numbers::{percent, reading};
use bakeoff_files::Scratch;
use std::sync::atomic::AtomicBool;

/// Number of runs of a command that does nothing.
const EMPTY_RUNS: usize = 10;
/// Share of the shortest time from which on starting and ending a command is worth advice.
const START_SHARE: f64 = 0.1;

/// Commands after they were compared.
pub(crate) struct ComparedCommands<'a> {
    pub(crate) commands: &'a [TimedCommand],
    /// Their places behind a fence; `None` for those that run without.
    pub(crate) places: &'a [Option<CommandPlace>],
    pub(crate) options: &'a TimingOptions,
    /// Sums of their runs, by command.
    pub(crate) sums: &'a [Sums],
    /// Indexes of those that did not fail.
    pub(crate) live: &'a [usize],
    /// The shortest time of a run on the wall clock, in nanoseconds; infinite without a run.
    pub(crate) shortest_ns: f64,
    pub(crate) interrupted: &'a AtomicBool,
}

impl ComparedCommands<'_> {
    /// Returns true if all commands ran behind a fence.
    fn is_fenced(&self) -> bool {
        let mut commands = self.commands.iter();
        commands.all(|command| command.fenced.is_some())
    }
}

/// Returns the notes.
pub(crate) fn notes(compared: &ComparedCommands<'_>) -> Vec<String> {
    let rights = if compared.is_fenced() {
        "The commands ran behind a fence, each in a folder that it could not write, and with a new home in each run: they \
         can know that they are timed, and keep no file from one run to the next."
    } else {
        "The commands ran with your rights and without a fence: they can know that they are timed, and keep what they \
         like from one run to the next."
    };
    let mut notes = vec![rights.to_owned()];
    notes.extend(outputs(compared));
    notes.extend(said(compared));
    notes.extend(start(compared));
    notes
}

fn outputs(compared: &ComparedCommands<'_>) -> Option<String> {
    let ComparedCommands { sums, live, .. } = *compared;
    let name = |index: usize| compared.commands[index].name.clone();
    let vary = live.iter().filter(|index| sums[**index].outputs() > 1);
    let vary: Vec<String> = vary.map(|index| name(*index)).collect();
    if !vary.is_empty() {
        return Some(format!(
            "The output of {} is not the same in all runs, so nothing is known of whether the commands do the same.",
            vary.join(", ")
        ));
    }
    let first = *live.first()?;
    let differs = |index: &&usize| sums[**index].first_output != sums[first].first_output;
    let other = *live.iter().find(differs)?;
    let advice = if compared.is_fenced() {
        ""
    } else {
        " (--same-output makes it a failure)"
    };
    Some(format!(
        "{} and {} write different output: see whether they do the same{advice}.",
        name(first),
        name(other)
    ))
}

/// A note on what the first command that wrote to stderr wrote there, though it ended well.
fn said(compared: &ComparedCommands<'_>) -> Option<String> {
    let mut live = compared.live.iter();
    let (index, said) =
        live.find_map(|index| Some((*index, compared.sums[*index].said.as_ref()?)))?;
    Some(format!(
        "{} ended well and wrote to stderr: {said}",
        compared.commands[index].name
    ))
}

/// A note on what it takes to start and end a command that does nothing.
fn start(compared: &ComparedCommands<'_>) -> Option<String> {
    let is_in_time = matches!(compared.options.decides, Decides::Wall | Decides::Cpu);
    if !compared.shortest_ns.is_finite() || !is_in_time {
        return None;
    }
    let commands = compared.commands.iter();
    let texts: Vec<String> = commands
        .map(|command| command.line.text().to_owned())
        .collect();
    let line = CommandLine::that_does_nothing(&compared.options.shell, &texts)?;
    let place = compared.places.first().and_then(Option::as_ref);
    let wall_ns = || -> Result<f64, RunFailure> {
        let home = place.map(|_| Scratch::new()).transpose()?;
        let bounds = RunBounds {
            fenced: place
                .zip(home.as_ref())
                .map(|(place, home)| place.of_run(home)),
            input: None,
            timeout: None,
            interrupted: compared.interrupted,
        };
        Ok(run(&line, &bounds)?.measured.wall_ns as f64)
    };
    let times = (0..EMPTY_RUNS).map(|_| wall_ns().ok());
    // The least: whatever else the machine does only adds to it.
    let times: Vec<f64> = times.collect::<Option<_>>()?;
    let empty_ns = times.into_iter().fold(f64::INFINITY, f64::min);
    let share = empty_ns / compared.shortest_ns;
    let advice = if share >= START_SHARE {
        ": let each command do more in one run, or the difference is that of starting"
    } else {
        ""
    };
    Some(format!(
        "Starting and ending a command takes {} at least (`{}`), which is in every time: {} of the shortest{advice}.",
        reading(empty_ns, "ns"),
        line.text(),
        percent(share.min(1.0)),
    ))
}
