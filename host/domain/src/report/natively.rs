//! The same sources built for this machine and run as programs, beside the components of a report.

use super::words::{about_first, ordered_row};
use super::{Protocol, Reading, Report, TooShortCase, VerdictRow};
use crate::failure::Failure;
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Source of the reading that is compared.
const TIME: &str = "time";

/// Times and verdicts of a report's sources where they are built for this machine and run as programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Natively {
    /// Times of a call alone, by variant.
    pub times: BTreeMap<String, Reading>,
    /// Reasons why a variant has no time, by its id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, Failure>,
    /// Verdicts by time about each pair: all cases together (case `None`), then by case.
    pub verdicts: Vec<VerdictRow>,
    /// The pairs of which another one is surely ahead than among the components.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opposite: Vec<(String, String)>,
    /// The cases on which calls are too short to be timed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub too_short: Vec<TooShortCase>,
    /// The parameters of the measuring, and why it ended.
    pub protocol: Protocol,
}

impl Natively {
    /// Returns what a run of the programs says of the sources of `components`; variants that these do not have are left
    /// out.
    pub fn of(components: &Report, programs: Report) -> Self {
        let (mut times, mut failures) = (BTreeMap::new(), BTreeMap::new());
        let has = |id: &str| components.variants.iter().any(|one| one.id == id);
        for mut variant in programs.variants {
            if !has(&variant.id) {
                continue;
            }
            if let Some(failure) = variant.failure {
                failures.insert(variant.id, failure);
            } else if let Some(time) = variant.readings.remove(TIME) {
                times.insert(variant.id, time);
            }
        }
        let mut natively = Self {
            times,
            failures,
            verdicts: (programs.verdicts.into_iter())
                .filter(|row| has(&row.a) && has(&row.b))
                .collect(),
            opposite: Vec::new(),
            too_short: programs.too_short,
            protocol: programs.protocol,
        };
        let ids: Vec<&String> = components.variants.iter().map(|one| &one.id).collect();
        for (place, a) in ids.iter().enumerate() {
            for b in &ids[place + 1..] {
                let theirs = ordered_row(components, a, b, None);
                let own = natively.verdict(a, b);
                if let (Some(theirs), Some(own)) = (theirs, own)
                    && Self::contradicts(&theirs, &own)
                {
                    natively.opposite.push(((*a).clone(), (*b).clone()));
                }
            }
        }
        natively
    }

    /// Returns the verdict about `a` against `b` over all cases.
    pub fn verdict(&self, a: &str, b: &str) -> Option<VerdictRow> {
        let mut rows = self.verdicts.iter().filter(|row| row.case.is_none());
        let row = rows.find(|row| [(a, b), (b, a)].contains(&(row.a.as_str(), row.b.as_str())));
        row.map(|row| about_first(row, a))
    }

    /// Returns true if two verdicts about the same one of a pair have each a winner, and not the same.
    pub(crate) fn contradicts(one: &VerdictRow, other: &VerdictRow) -> bool {
        Self::settles(one) && one.verdict == other.verdict.mirrored()
    }

    /// Returns true if a pair has a winner.
    pub(crate) fn settles(row: &VerdictRow) -> bool {
        matches!(row.verdict, Verdict::Beats | Verdict::Beaten)
    }
}
