//! The sections on races on other kinds of machines.

use super::clipped;
use super::table::{Align, Table};
use super::tables::NO_VALUE;
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{MachineRace, MeasuringEnd, Reading, Report};
use bakeoff_domain::wording;

/// The longest name of a machine or an engine in a sentence, in characters.
const CHARS_MAX: usize = 60;

/// Heading of the section on all kinds together.
pub(super) const HEADING: &str = "On other kinds of machines";

/// Returns the title of the section on one race.
pub(super) fn title(race: &MachineRace) -> String {
    format!("On {}", words::machine_title(&race.cpu, &race.machine))
}

/// Returns a sentence on the machine and the extent of its race.
pub(super) fn facts(race: &MachineRace) -> String {
    let replicas = wording::counted(race.protocol.replicas, "replica");
    let cores = race.cores;
    let at_once = if cores == 1 {
        "one at a time".to_owned()
    } else {
        format!("up to {cores} at once")
    };
    let ended = match race.protocol.ended {
        MeasuringEnd::Settled => "every verdict was reached",
        MeasuringEnd::Budget => "the budget of time ran out",
        MeasuringEnd::ReplicaLimit => "the largest number of replicas ran",
        MeasuringEnd::Precision => "the intervals are as narrow as was asked for",
        MeasuringEnd::NotMeasured => "nothing could be timed",
        MeasuringEnd::Unfinished => "it was not finished",
    };
    format!(
        "A race of its own, as worker {} sent it: {replicas}, {at_once}, until {ended}. Engine {}.",
        clipped(&race.machine, CHARS_MAX),
        clipped(&race.engine, CHARS_MAX)
    )
}

/// Returns rank, time here and time there of each variant, in the order of the ranks there.
pub(super) fn table(report: &Report, race: &MachineRace) -> Table {
    let mut table = Table::new("Time of a call");
    table.column("rank there", Align::Right);
    table.column("there", Align::Right);
    table.column("here", Align::Right);
    let shown = |time: Option<&Reading>| {
        time.map_or_else(
            || NO_VALUE.to_owned(),
            |time| numbers::reading(time.value, &time.unit),
        )
    };
    let mut variants: Vec<_> = report.variants.iter().collect();
    variants.sort_by_key(|variant| race.ranks.get(&variant.id).copied().unwrap_or(u32::MAX));
    for variant in variants {
        let rank = race.ranks.get(&variant.id);
        table.row(vec![
            words::name(report, &variant.id),
            rank.map_or_else(|| NO_VALUE.to_owned(), u32::to_string),
            shown(race.times.get(&variant.id)),
            shown(variant.readings.get("time")),
        ]);
    }
    table
}
