//! Races of a report's variants on other kinds of machines, and what holds on all of them.
//!
//! Each race is judged by itself, by the same rules: times of two machines are never compared. A claim that holds on all is an
//! intersection of claims (R. L. Berger: Multiparameter hypothesis testing and acceptance sampling, 1982), so that it needs
//! no share of the error: it is wrong only where one certain machine's claim is.

use super::words::{about_first, ordered_row};
use super::{Protocol, Reading, Report, VariantStatus, VerdictRow};
use crate::failure::Failure;
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Source of the reading that is shown.
const TIME: &str = "time";

/// The most kinds of machines that a run asks beside its own.
pub const KINDS_MAX: usize = 16;

/// Races on other kinds of machines than that of a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineRaces {
    /// The races, one for each kind.
    #[serde(default)]
    pub races: Vec<MachineRace>,
    /// Kinds of machines without a race.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<RacelessMachine>,
    /// Claims that hold on all kinds, that of the report included.
    #[serde(default)]
    pub on_all: OnAllMachines,
}

/// A race on a machine of another kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineRace {
    /// The name of the machine, as its worker says.
    pub machine: String,
    /// CPU model, as its worker says.
    pub cpu: String,
    /// Engine, version and configuration hash, as its worker says.
    pub engine: String,
    /// The number of replicas that were measured there at once.
    pub cores: u32,
    /// Ranks by time, by variant: 1 is best. Variants that nothing tells apart share one.
    pub ranks: BTreeMap<String, u32>,
    /// Times of a call, by variant.
    pub times: BTreeMap<String, Reading>,
    /// Failures in that race, by variant.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, Failure>,
    /// Verdicts by time about each pair: all cases together (case `None`), then by case.
    pub verdicts: Vec<VerdictRow>,
    /// The parameters of the measuring there, and why it ended.
    pub protocol: Protocol,
}

/// A kind of machine without a race.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RacelessMachine {
    /// The name of the machine that was asked last, as its worker says.
    pub machine: String,
    /// CPU model, as its worker says.
    pub cpu: String,
    /// Reason why there is no race.
    pub reason: String,
}

/// Claims that hold on every kind of machine that raced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OnAllMachines {
    /// The number of kinds that raced, that of the report included.
    pub kinds: u32,
    /// The variant that beats every other one on each of them, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// The pairs of which the report has a verdict or none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairOnAll>,
}

/// A pair on every kind of machine that raced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairOnAll {
    /// The variant that the verdict is about.
    pub a: String,
    /// The variant that it is compared with.
    pub b: String,
    /// The verdict that each kind has; no call if two of them differ, or one has none.
    pub verdict: Verdict,
    /// The smallest ratio of time of `a` to time of `b` among the kinds, where there is a verdict.
    pub low: Option<f64>,
    /// The largest ratio.
    pub high: Option<f64>,
    /// True if `a` is surely ahead on one kind, and `b` on another.
    pub is_opposite: bool,
}

impl MachineRace {
    /// Returns the ranking, times and verdicts of a report about the same variants, which was concluded from the samples
    /// of that machine.
    pub fn of(machine: String, cores: u32, there: Report) -> Self {
        let mut race = Self {
            machine,
            cpu: there.environment.cpu,
            engine: there.environment.engine,
            cores,
            verdicts: there.verdicts,
            protocol: there.protocol,
            ..Self::default()
        };
        for mut variant in there.variants {
            if let Some(failure) = variant.failure {
                race.failures.insert(variant.id, failure);
                continue;
            }
            if variant.status == VariantStatus::Ranked
                && let Some(rank) = variant.rank
            {
                race.ranks.insert(variant.id.clone(), rank);
            }
            if let Some(time) = variant.readings.remove(TIME) {
                race.times.insert(variant.id, time);
            }
        }
        race
    }

    /// Returns the verdict about `a` against `b` over all cases.
    pub fn verdict(&self, a: &str, b: &str) -> Option<VerdictRow> {
        let mut rows = self.verdicts.iter().filter(|row| row.case.is_none());
        let row = rows.find(|row| [(a, b), (b, a)].contains(&(row.a.as_str(), row.b.as_str())));
        row.map(|row| about_first(row, a))
    }
}

impl MachineRaces {
    /// Returns the races beside that of `report`, with what holds on all.
    pub fn beside(report: &Report, races: Vec<MachineRace>, without: Vec<RacelessMachine>) -> Self {
        let on_all = OnAllMachines::of(report, &races);
        Self {
            races,
            without,
            on_all,
        }
    }

    /// Checks races that may be forged, of a report with so many variants and cases.
    ///
    /// # Errors
    /// They have more of something than any run has.
    pub fn check(&self, variants: usize, cases: usize, pairs: usize) -> Result<(), String> {
        let is_sound = |race: &MachineRace| {
            race.ranks.len() <= variants
                && race.times.len() <= variants
                && race.failures.len() <= variants
                && race.verdicts.len() <= pairs * (cases + 1)
                && race.times.values().all(|time| time.by_case.len() <= cases)
        };
        if self.races.len() + self.without.len() <= KINDS_MAX + 1
            && self.races.iter().all(is_sound)
            && self.on_all.pairs.len() <= pairs
        {
            Ok(())
        } else {
            Err("its report has more of other machines than a run".to_owned())
        }
    }
}

impl OnAllMachines {
    /// Returns what holds in a report and in each of the races.
    pub fn of(report: &Report, races: &[MachineRace]) -> Self {
        let overall = report.verdicts.iter().filter(|row| row.case.is_none());
        let pairs: Vec<PairOnAll> = overall.map(|here| PairOnAll::of(here, races)).collect();
        Self {
            kinds: 1 + u32::try_from(races.len()).unwrap_or(u32::MAX),
            first: first(&pairs),
            pairs,
        }
    }

    /// Returns the pair about `a`, or the one that it is compared with.
    pub fn pair(&self, a: &str, b: &str) -> Option<&PairOnAll> {
        let mut pairs = self.pairs.iter();
        pairs.find(|one| [(a, b), (b, a)].contains(&(one.a.as_str(), one.b.as_str())))
    }
}

impl PairOnAll {
    fn of(here: &VerdictRow, races: &[MachineRace]) -> Self {
        let there = races.iter().map(|race| race.verdict(&here.a, &here.b));
        let all: Vec<Option<VerdictRow>> =
            std::iter::once(Some(here.clone())).chain(there).collect();
        let has = |wanted: Verdict| all.iter().flatten().any(|row| row.verdict == wanted);
        let same = |row: &Option<VerdictRow>| {
            row.as_ref()
                .is_some_and(|row| row.verdict == here.verdict && excludes_one(row))
        };
        let holds = all.iter().all(same);
        let ratios: Vec<f64> = all.iter().flatten().filter_map(|row| row.ratio).collect();
        let ratios = ratios.iter().copied().filter(|_| holds);
        Self {
            a: here.a.clone(),
            b: here.b.clone(),
            verdict: if holds { here.verdict } else { Verdict::NoCall },
            low: ratios.clone().reduce(f64::min),
            high: ratios.reduce(f64::max),
            is_opposite: has(Verdict::Beats) && has(Verdict::Beaten),
        }
    }
}

/// Returns true unless a row has a winner whose interval does not say the same.
fn excludes_one(row: &VerdictRow) -> bool {
    match row.verdict {
        Verdict::Beats => row.high.is_none_or(|high| high < 1.0),
        Verdict::Beaten => row.low.is_none_or(|low| low > 1.0),
        Verdict::Tie | Verdict::NoCall => true,
    }
}

/// Returns the variant that beats all others of these pairs.
fn first(pairs: &[PairOnAll]) -> Option<String> {
    let ids: BTreeSet<&str> = pairs
        .iter()
        .flat_map(|pair| [pair.a.as_str(), pair.b.as_str()])
        .collect();
    let ahead = |pair: &PairOnAll, id: &str| match pair.verdict {
        Verdict::Beats => pair.a == id,
        Verdict::Beaten => pair.b == id,
        Verdict::Tie | Verdict::NoCall => false,
    };
    let wins = |id: &&str| pairs.iter().filter(|pair| ahead(pair, id)).count() + 1 == ids.len();
    ids.iter()
        .copied()
        .filter(|_| ids.len() > 1)
        .find(wins)
        .map(str::to_owned)
}

/// Returns the report with the races on other kinds of machines.
pub fn with_machines(
    report: Report,
    races: Vec<MachineRace>,
    without: Vec<RacelessMachine>,
) -> Report {
    let machines = Some(MachineRaces::beside(&report, races, without));
    Report { machines, ..report }
}

/// Returns the verdict about a pair of a report, and the one of a race on another machine, about the same one of the two.
pub(super) fn both(
    report: &Report,
    race: &MachineRace,
    a: &str,
    b: &str,
) -> Option<(VerdictRow, VerdictRow)> {
    ordered_row(report, a, b, None).zip(race.verdict(a, b))
}

#[cfg(test)]
mod tests {
    use super::super::words::fixture;
    use super::*;
    use serde_json::json;

    fn row(a: &str, b: &str, verdict: &str, ratio: f64) -> VerdictRow {
        let (low, high) = match verdict {
            "beats" | "beaten" => (ratio * 0.99, ratio * 1.01),
            _ => (0.9, 1.1),
        };
        let change = json!({ "verdict": verdict, "ratio": ratio, "low": low, "high": high });
        fixture::row(a, b, &change)
    }

    fn here(rows: &[VerdictRow]) -> Report {
        fixture::report(json!({ "verdicts": rows }))
    }

    fn there(rows: &[VerdictRow]) -> MachineRace {
        MachineRace {
            verdicts: rows.to_vec(),
            ..MachineRace::default()
        }
    }

    #[test]
    fn a_pair_holds_on_all_where_each_has_the_same_verdict_in_whichever_order() {
        let report = here(&[row("best", "new", "beats", 0.5)]);
        let races = [
            there(&[row("best", "new", "beats", 0.4)]),
            there(&[row("new", "best", "beaten", 3.0)]),
        ];
        let on_all = OnAllMachines::of(&report, &races);
        let pair = &on_all.pairs[0];
        assert_eq!((on_all.kinds, pair.verdict), (3, Verdict::Beats));
        let (low, high) = (pair.low.unwrap(), pair.high.unwrap());
        assert!((low - 1.0 / 3.0).abs() < 1e-9 && (high - 0.5).abs() < 1e-9);
        assert!(!pair.is_opposite);
        assert_eq!(on_all.first.as_deref(), Some("best"));
    }

    #[test]
    fn no_call_or_no_verdict_anywhere_is_no_call_on_all() {
        let report = here(&[row("best", "new", "beats", 0.5)]);
        let without = [
            there(&[row("best", "new", "no-call", 0.5)]),
            there(&[row("best", "new", "tie", 1.0)]),
            there(&[row("best", "old", "beats", 0.5)]),
            there(&[]),
        ];
        for race in without {
            let sure = there(&[row("best", "new", "beats", 0.5)]);
            for races in [
                vec![race.clone()],
                vec![sure.clone(), race.clone()],
                vec![race, sure],
            ] {
                let on_all = OnAllMachines::of(&report, &races);
                let pair = &on_all.pairs[0];
                assert_eq!(pair.verdict, Verdict::NoCall);
                assert_eq!((pair.low, pair.high, pair.is_opposite), (None, None, false));
                assert_eq!(on_all.first, None);
            }
        }
        // Nor where this machine has none.
        let report = here(&[row("best", "new", "no-call", 0.5)]);
        let sure = [there(&[row("best", "new", "beats", 0.5)])];
        let pair = &OnAllMachines::of(&report, &sure).pairs[0];
        assert_eq!(pair.verdict, Verdict::NoCall);
    }

    #[test]
    fn a_verdict_whose_interval_does_not_exclude_one_holds_nowhere() {
        let report = here(&[row("best", "new", "beats", 0.5)]);
        for (verdict, low, high) in [("beats", 0.4, 1.0), ("beaten", 1.0, 3.0)] {
            let mut wide = row("best", "new", verdict, 0.9);
            (wide.low, wide.high) = (Some(low), Some(high));
            let pair = &OnAllMachines::of(&report, &[there(&[wide])]).pairs[0];
            assert_eq!(pair.verdict, Verdict::NoCall, "{verdict}");
        }
    }

    #[test]
    fn two_that_change_places_are_told_from_two_of_which_nothing_is_known() {
        let report = here(&[row("best", "new", "beats", 0.5)]);
        let pair = |races: &[MachineRace]| OnAllMachines::of(&report, races).pairs[0].clone();
        let opposite = there(&[row("best", "new", "beaten", 2.0)]);
        assert!(pair(std::slice::from_ref(&opposite)).is_opposite);
        assert_eq!(pair(&[opposite]).verdict, Verdict::NoCall);
    }

    #[test]
    fn who_is_first_on_all_beats_every_other_one_on_each() {
        let rows = [
            row("best", "new", "beats", 0.5),
            row("best", "old", "beats", 0.5),
            row("new", "old", "no-call", 1.0),
        ];
        let first =
            |there_rows: &[VerdictRow]| OnAllMachines::of(&here(&rows), &[there(there_rows)]).first;
        assert_eq!(first(&rows).as_deref(), Some("best"));
        for place in 0..2 {
            let mut open = rows.clone();
            open[place].verdict = Verdict::NoCall;
            assert_eq!(first(&open), None, "{place}");
        }
        assert_eq!(first(&rows[..1]), None, "a verdict is missing there");
    }

    #[test]
    fn races_change_nothing_else_of_a_report() {
        let report = here(&[row("best", "new", "beats", 0.5)]);
        let lies = there(&[row("best", "new", "beaten", 1e9)]);
        let with = with_machines(report.clone(), vec![lies], Vec::new());
        assert_eq!(
            Report {
                machines: None,
                ..with
            },
            report
        );
    }

    #[test]
    fn more_machines_than_a_run_asks_are_forged() {
        let races = |count: usize| MachineRaces {
            races: vec![MachineRace::default(); count],
            ..MachineRaces::default()
        };
        assert!(races(KINDS_MAX).check(2, 1, 1).is_ok());
        assert!(races(KINDS_MAX + 2).check(2, 1, 1).is_err());
        let mut many = races(1);
        many.races[0].verdicts = vec![row("best", "new", "beats", 0.5); 3];
        assert!(many.check(2, 1, 1).is_err());
    }
}
