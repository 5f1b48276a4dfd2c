//! A race that goes on, as its events tell it: who leads, and how the intervals of the others close in.

use bakeoff_domain::verdict::{RatioInterval, Verdict};
use bakeoff_store::events::{Event, LeaderRatio, RATIOS_MAX};
use std::collections::BTreeMap;

/// The most intervals that are remembered of a variant. Beyond that, every second one is forgotten.
const INTERVALS_MAX: usize = 48;

/// A race so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Race {
    /// Number of replicas that count.
    pub(crate) replicas: u32,
    /// Id of the variant with the smallest time so far, of those that nobody surely beats.
    pub(crate) leader: Option<String>,
    /// Ids of the variants that nobody surely beats.
    pub(crate) unbeaten: Vec<String>,
    /// Number of pairs with a verdict, and of all pairs.
    pub(crate) pairs: (u32, u32),
    /// The other variants against the leader, by id.
    pub(crate) against_leader: BTreeMap<String, AgainstLeader>,
}

/// A variant against the leader so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AgainstLeader {
    /// Verdict of the variant.
    pub(crate) verdict: Verdict,
    /// Intervals of its time divided by that of the leader, the latest last: at least one.
    pub(crate) intervals: Vec<RatioInterval>,
}

impl AgainstLeader {
    /// Returns the latest interval.
    pub(crate) fn latest(&self) -> RatioInterval {
        self.intervals.last().copied().unwrap_or(RatioInterval {
            ratio: None,
            low: None,
            high: None,
        })
    }
}

impl Race {
    /// Includes an event. Another session begins anew.
    pub(crate) fn apply(&mut self, event: &Event) {
        match event {
            Event::RunStart { .. } | Event::RunResumed { .. } => *self = Self::default(),
            Event::Standings {
                replicas,
                decided,
                pairs,
                unbeaten,
                ..
            } => {
                self.replicas = *replicas;
                self.pairs = (*decided, *pairs);
                self.unbeaten.clone_from(unbeaten);
            }
            Event::Ratios {
                replicas,
                leader,
                ratios,
            } => {
                self.replicas = *replicas;
                if self.leader.as_ref() != Some(leader) {
                    // Ratios to another variant are no earlier states of these.
                    self.against_leader.clear();
                    self.leader = Some(leader.clone());
                }
                self.against_leader
                    .retain(|id, _| ratios.iter().any(|one| one.variant_id == *id));
                ratios.iter().for_each(|one| self.add(one));
            }
            _ => {}
        }
    }

    fn add(&mut self, one: &LeaderRatio) {
        let known = self.against_leader.entry(one.variant_id.clone());
        let known = known.or_insert_with(|| AgainstLeader {
            verdict: one.verdict,
            intervals: Vec::new(),
        });
        known.verdict = one.verdict;
        if known.intervals.len() == INTERVALS_MAX {
            let mut place = 0;
            known.intervals.retain(|_| {
                place += 1;
                place % 2 == 0
            });
        }
        known.intervals.push(one.ratio);
    }

    /// Returns true if nobody surely beats the variant, as far as is known.
    pub(crate) fn is_unbeaten(&self, id: &str) -> bool {
        self.unbeaten.iter().any(|unbeaten| unbeaten == id)
    }

    /// Returns true if the leader surely beats each of the others; false if there are so many that some are not known.
    pub(crate) fn leader_beats_all(&self) -> bool {
        let mut others = self.against_leader.values();
        self.against_leader.len() < RATIOS_MAX && others.all(|one| one.verdict == Verdict::Beaten)
    }

    /// Returns the ratio by which variants are listed: 1 for the leader, and none for those that are not timed.
    pub(crate) fn ratio(&self, id: &str) -> Option<f64> {
        if self.leader.as_deref() == Some(id) {
            return Some(1.0);
        }
        self.against_leader.get(id)?.latest().ratio
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratios(leader: &str, other: &str, ratio: f64) -> Event {
        Event::Ratios {
            replicas: 3,
            leader: leader.to_owned(),
            ratios: vec![LeaderRatio {
                variant_id: other.to_owned(),
                verdict: Verdict::NoCall,
                ratio: RatioInterval {
                    ratio: Some(ratio),
                    low: None,
                    high: None,
                },
            }],
        }
    }

    #[test]
    fn intervals_are_those_against_one_leader() {
        let mut race = Race::default();
        for ratio in [2.0, 1.5, 1.4] {
            race.apply(&ratios("heap", "sort", ratio));
        }
        assert_eq!(race.against_leader["sort"].intervals.len(), 3);
        assert_eq!(
            (race.ratio("sort"), race.ratio("heap")),
            (Some(1.4), Some(1.0))
        );
        race.apply(&ratios("sort", "heap", 1.1));
        assert_eq!(race.against_leader["heap"].intervals.len(), 1);
        assert_eq!(race.ratio("sort"), Some(1.0));
        race.apply(&Event::RunResumed {
            experiment: String::new(),
            experiment_id: String::new(),
            kept: 0,
        });
        assert_eq!(race, Race::default());
    }

    #[test]
    fn a_long_race_is_remembered_from_its_beginning_to_its_end() {
        let mut race = Race::default();
        for number in 0..10 * INTERVALS_MAX {
            race.apply(&ratios("heap", "sort", 1.0 + number as f64));
        }
        let sort = &race.against_leader["sort"];
        assert!(sort.intervals.len() <= INTERVALS_MAX);
        assert_eq!(sort.latest().ratio, Some(10.0 * INTERVALS_MAX as f64));
    }
}
