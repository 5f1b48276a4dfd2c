//! Sentences on races on other kinds of machines.

use super::speed::{difference, pair_brief, span};
use super::view::{about_first, cut, listed, name, ranked, shortened};
use crate::report::machine_races::both;
use crate::report::{MachineRace, MachineRaces, OnAllMachines, PairOnAll, Report, VerdictRow};
use crate::verdict::{RatioInterval, Verdict};

/// The largest number of pairs that a sentence names.
const PAIRS_MAX: usize = 4;

/// The largest number of pairs of one race that have a sentence each.
const PAIRS_OF_RACE_MAX: usize = 12;

/// The longest reason or message in a sentence, in characters.
const REASON_CHARS_MAX: usize = 200;

/// The sentence on what times of other machines rest on.
pub const MACHINES_NOTE: &str = "Each machine is judged by its own samples; times of two machines are never compared. What a \
                                 worker says of its times cannot be checked here, and decides no rank, score or recommendation \
                                 of this report.";

/// Returns the name of a machine with its processor: `AMD EPYC 7B13 (worker build-2)`.
pub fn machine_title(cpu: &str, machine: &str) -> String {
    format!("{} (worker {})", shortened(cpu), shortened(machine))
}

/// Sentences on other kinds of machines: what holds on all, which pairs change places, of which nothing holds on all, and
/// where there is no race. None if the experiment asks for none.
pub fn machines(report: &Report) -> Vec<String> {
    let Some(machines) = &report.machines else {
        return Vec::new();
    };
    let without = machines.without.iter();
    let without = without.map(|one| {
        let title = machine_title(&one.cpu, &one.machine);
        format!("No race on {title}: {}", cut(&one.reason, REASON_CHARS_MAX))
    });
    if machines.races.is_empty() {
        let alone = machines.without.is_empty().then(|| {
            "This machine is the only kind of machine: no worker of another kind was there."
                .to_owned()
        });
        return alone.into_iter().chain(without).collect();
    }
    let mut sentences: Vec<String> = first(report, machines).into_iter().collect();
    sentences.extend(by_pairs(report, &machines.on_all));
    sentences.extend(
        machines
            .races
            .iter()
            .flat_map(|race| failures(report, race)),
    );
    sentences.extend(without);
    sentences.push(MACHINES_NOTE.to_owned());
    sentences
}

/// Returns the sentence on who is first on all kinds of machines.
fn first(report: &Report, machines: &MachineRaces) -> Option<String> {
    let kinds = kinds(&machines.on_all);
    let Some(first) = &machines.on_all.first else {
        return (!machines.on_all.pairs.is_empty())
            .then(|| format!("Nobody is surely first on {kinds}."));
    };
    let here = report.verdicts.iter().filter(|row| row.case.is_none());
    let leads = std::iter::once(lead(here, first)).chain(machines.races.iter().map(|race| {
        let there = race.verdicts.iter().filter(|row| row.case.is_none());
        lead(there, first)
    }));
    let leads: Option<Vec<f64>> = leads.collect();
    let range = leads.and_then(|leads| {
        let low = leads.iter().copied().reduce(f64::min)?;
        Some(range(low, leads.into_iter().reduce(f64::max)?))
    });
    let range = range.map_or_else(String::new, |range| format!(", {range} than the next"));
    Some(format!(
        "{} is first on {kinds}{range}.",
        name(report, first)
    ))
}

/// Returns the ratio of the time of `first` to that of the next one, by the estimates of these verdicts.
fn lead<'a>(rows: impl Iterator<Item = &'a VerdictRow>, first: &str) -> Option<f64> {
    let own = rows.filter(|row| row.a == first || row.b == first);
    let ratios = own.filter_map(|row| about_first(row, first).ratio);
    ratios.reduce(f64::max)
}

/// Returns estimates of a ratio from the smallest to the largest: `2.7 × faster`, `from 2.7 × faster to 3.1 × faster`.
fn range(low: f64, high: f64) -> String {
    let ends = |ratio: f64| {
        let alone = RatioInterval {
            ratio: Some(ratio),
            ..RatioInterval::default()
        };
        difference(alone, ratio < 1.0).0
    };
    if ends(low) == ends(high) {
        ends(low)
    } else {
        span(low, high)
    }
}

/// `all 3 kinds of machines`, `both kinds of machines`.
fn kinds(on_all: &OnAllMachines) -> String {
    match on_all.kinds {
        2 => "both kinds of machines".to_owned(),
        kinds => format!("all {kinds} kinds of machines"),
    }
}

/// Returns sentences on the pairs of ranked variants: those that change places, those that hold on all, and those of which
/// it is not known.
fn by_pairs(report: &Report, on_all: &OnAllMachines) -> Vec<String> {
    let (mut opposite, mut sure, mut ties, mut open) = (vec![], vec![], vec![], vec![]);
    for pair in ranked_pairs(report, on_all) {
        let [a, b] = [&pair.a, &pair.b].map(|id| name(report, id));
        match pair.verdict {
            Verdict::Tie => ties.push(format!("{a} and {b}")),
            Verdict::NoCall if pair.is_opposite => opposite.push(format!("{a} and {b}")),
            Verdict::NoCall => open.push(format!("{a} and {b}")),
            Verdict::Beats | Verdict::Beaten => {
                let is_a = pair.verdict == Verdict::Beats;
                let [faster, slower] = if is_a { [a, b] } else { [b, a] };
                let ratios = pair.low.zip(pair.high);
                let ratios = if is_a {
                    ratios
                } else {
                    ratios.map(|(low, high)| (1.0 / high, 1.0 / low))
                };
                let by = ratios.map_or_else(String::new, |(low, high)| {
                    format!(" ({})", range(low, high))
                });
                // Of who is first on all, the sentence before says it.
                if on_all.first.as_ref() != Some(if is_a { &pair.a } else { &pair.b }) {
                    sure.push(format!("{faster} before {slower}{by}"));
                }
            }
        }
    }
    let kinds = kinds(on_all);
    let sentence = |beginning: String, pairs: Vec<String>| {
        (!pairs.is_empty()).then(|| format!("{beginning}: {}.", listed(pairs, PAIRS_MAX)))
    };
    [
        sentence("These change places from one kind of machine to another".to_owned(), opposite),
        sentence(format!("The same order on {kinds}"), sure),
        sentence(format!("A tie on {kinds}"), ties),
        sentence(
            "No order holds on all, since at least one kind of machine has no call or another verdict".to_owned(),
            open,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the pairs of ranked variants, in the order of the ranks.
fn ranked_pairs<'a>(report: &Report, on_all: &'a OnAllMachines) -> Vec<&'a PairOnAll> {
    let variants = ranked(report);
    let mut pairs = Vec::new();
    for (place, a) in variants.iter().enumerate() {
        for b in &variants[place + 1..] {
            pairs.extend(on_all.pair(&a.id, &b.id));
        }
    }
    pairs
}

/// Returns a sentence for each variant that failed in a race elsewhere, and not here.
fn failures<'a>(report: &'a Report, race: &'a MachineRace) -> impl Iterator<Item = String> + 'a {
    let here = |id: &String| {
        let variant = report.variants.iter().find(|variant| variant.id == **id);
        variant.is_some_and(|variant| variant.failure.is_some())
    };
    let failed = race.failures.iter().filter(move |(id, _)| !here(id));
    failed.map(|(id, failure)| {
        let first = failure.message.lines().next().unwrap_or_default();
        let first = cut(first, REASON_CHARS_MAX);
        let title = machine_title(&race.cpu, &race.machine);
        format!("{} has no result on {title}: {first}", name(report, id))
    })
}

/// Sentences on each pair of ranked variants on a machine of another kind, beside the verdict of the report.
pub fn pairs_on(report: &Report, race: &MachineRace) -> Vec<String> {
    let variants = ranked(report);
    let mut sentences = Vec::new();
    for (place, a) in variants.iter().enumerate() {
        for b in &variants[place + 1..] {
            if let Some((here, there)) = both(report, race, &a.id, &b.id) {
                sentences.push(format!(
                    "{} against {}: {} there; {} here.",
                    name(report, &a.id),
                    name(report, &b.id),
                    super::native_pair(report, &there),
                    pair_brief(&here)
                ));
            }
        }
    }
    if sentences.len() > PAIRS_OF_RACE_MAX {
        let more = sentences.len() - PAIRS_OF_RACE_MAX;
        sentences.truncate(PAIRS_OF_RACE_MAX);
        sentences.push(format!("{more} more pairs are in report.json."));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::report::{RacelessMachine, with_machines};
    use serde_json::json;

    fn row(a: &str, b: &str, verdict: &str, ratio: f64) -> VerdictRow {
        let (low, high) = match verdict {
            "beats" | "beaten" => (ratio * 0.99, ratio * 1.01),
            _ => (0.9, 1.1),
        };
        let change = json!({ "verdict": verdict, "ratio": ratio, "low": low, "high": high });
        fixture::row(a, b, &change)
    }

    fn here() -> Report {
        let rows = [
            row("best", "new", "beats", 0.5),
            row("best", "old", "beats", 0.25),
            row("new", "old", "beats", 0.5),
        ];
        fixture::report(json!({ "verdicts": rows }))
    }

    fn race(rows: &[VerdictRow]) -> MachineRace {
        MachineRace {
            machine: "arm-1".to_owned(),
            cpu: "Neoverse".to_owned(),
            verdicts: rows.to_vec(),
            ..MachineRace::default()
        }
    }

    fn said(races: &[MachineRace]) -> Vec<String> {
        machines(&with_machines(here(), races.to_vec(), Vec::new()))
    }

    #[test]
    fn who_is_first_on_all_and_who_changes_places_is_said_first() {
        let there = race(&[
            row("best", "new", "beats", 0.4),
            row("best", "old", "beats", 0.4),
            row("old", "new", "beats", 0.9),
        ]);
        assert_eq!(
            said(&[there]),
            [
                "best is first on both kinds of machines, from 2.5 × faster to 2.0 × faster than the next.",
                "These change places from one kind of machine to another: new and old.",
                MACHINES_NOTE,
            ]
        );
    }

    #[test]
    fn no_call_on_one_kind_is_said_of_all() {
        let same = race(&here().verdicts);
        let mut open = here().verdicts;
        open[0].verdict = Verdict::NoCall;
        let told = said(&[same, race(&open)]);
        assert_eq!(
            told[0],
            "Nobody is surely first on all 3 kinds of machines."
        );
        assert!(
            told[1].starts_with("The same order on all 3 kinds of machines: best before old"),
            "{told:?}"
        );
        assert!(
            told[2].starts_with("No order holds on all") && told[2].ends_with(": best and new.")
        );
    }

    #[test]
    fn a_single_kind_and_a_race_that_was_left_out_are_said_in_one_line_each() {
        assert_eq!(
            said(&[]),
            ["This machine is the only kind of machine: no worker of another kind was there."]
        );
        let without = RacelessMachine {
            machine: "arm-1".to_owned(),
            cpu: "Neoverse".to_owned(),
            reason: "worker arm-1 is gone".to_owned(),
        };
        assert_eq!(
            machines(&with_machines(here(), Vec::new(), vec![without])),
            ["No race on Neoverse (worker arm-1): worker arm-1 is gone"]
        );
        assert!(machines(&here()).is_empty());
    }

    #[test]
    fn a_failure_on_another_machine_alone_is_said_with_its_first_line() {
        let failure =
            json!({ "class": "trap", "message": "it trapped\nthere", "phase": "measure" });
        let mut there = race(&here().verdicts[..1]);
        let failure = serde_json::from_value(failure).unwrap();
        there.failures.insert("old".to_owned(), failure);
        let told = said(&[there]);
        let expected = "old has no result on Neoverse (worker arm-1): it trapped".to_owned();
        assert!(told.contains(&expected), "{told:?}");
    }

    #[test]
    fn pairs_stand_beside_those_of_this_machine() {
        let there = race(&[row("new", "best", "beats", 0.5)]);
        assert_eq!(
            pairs_on(&here(), &there),
            ["best against new: 2.00 × slower, 1.98–2.02, sure there; 2.00 × faster here."]
        );
    }
}
