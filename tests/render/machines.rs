//! Races on other kinds of machines, as every format shows them.

use super::{fixture, golden, options};
use bakeoff_domain::report::{MachineRace, RacelessMachine, Report, VerdictRow, with_machines};
use bakeoff_render::Options;

/// Returns the report with races on two machines and a kind without one, whose texts are all this one.
pub(super) fn with_races(report: Report, text: &str) -> Report {
    let race = |machine: &str, change: fn(&mut Report)| {
        let mut there = report.clone();
        there.environment.cpu = format!("{text}{machine}");
        there.environment.engine = text.to_owned();
        change(&mut there);
        MachineRace::of(format!("{text}{machine}"), 2, there)
    };
    let same = race("1", |_| {});
    let other = race("2", |there| {
        // The first sure pair changes places there.
        let sure =
            |row: &&mut VerdictRow| row.case.is_none() && row.verdict != row.verdict.mirrored();
        if let Some(row) = there.verdicts.iter_mut().find(sure) {
            std::mem::swap(&mut row.a, &mut row.b);
        }
    });
    let without = RacelessMachine {
        machine: text.to_owned(),
        cpu: text.to_owned(),
        reason: text.to_owned(),
    };
    with_machines(report, vec![same, other], vec![without])
}

/// Returns the part of a text from the first heading of other machines to the next section.
fn sections(text: &str) -> String {
    let (_, from) = text.split_once("On other kinds of machines").unwrap();
    let end = from.find("Time against").unwrap_or(from.len());
    format!("On other kinds of machines{}\n", from[..end].trim_end())
}

#[test]
fn a_section_for_each_kind_of_machine_is_golden() {
    let report = with_races(fixture::report(), "Neoverse ");
    let shown = Options {
        detail: false,
        ..options()
    };
    golden(
        "machines.txt",
        &sections(&bakeoff_render::human(&report, &shown)),
    );
    golden(
        "machines.md",
        &sections(&bakeoff_render::markdown(&report, &shown)),
    );
    let page = bakeoff_render::html(&report, &shown);
    assert!(page.contains("On other kinds of machines") && page.contains("Neoverse 2"));
    let json: serde_json::Value = serde_json::from_str(&bakeoff_render::json(&report)).unwrap();
    assert_eq!(json["machines"]["races"][1]["cpu"], "Neoverse 2");
    assert_eq!(json["machines"]["on_all"]["kinds"], 3);
}
