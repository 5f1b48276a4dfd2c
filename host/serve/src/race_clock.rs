//! The time of a race over the sessions of its run, by its events: what its budget bounds.

use bakeoff_store::events::{Event, Origin, Stage};
use std::collections::BTreeMap;
use std::time::Duration;

/// The most replicas whose ends are remembered.
const ENDS_MAX: usize = 100_000;

/// The clock of a race. A session goes on at the end of the last replica that is kept: what came after that was lost with
/// the session before, and costs nothing of the budget.
#[derive(Default)]
pub(crate) struct RaceClock {
    /// Time of the race at the end of each replica, in seconds, by the index of the replica.
    ends: BTreeMap<u32, f64>,
    /// Time of the race at which this session took it up, in seconds.
    before: f64,
    /// Time of the race at the end of the last replica of this run, in seconds.
    kept: f64,
    /// Time spent on the run when this session began to measure, in seconds; `None` while nothing is measured.
    began: Option<f64>,
}

/// The time that the last run of an experiment takes for measuring.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measuring {
    /// Time that it may take.
    pub(crate) budget: Option<Duration>,
    /// Time that the replicas took which are kept; `None` where there is no run.
    pub(crate) kept: Option<Duration>,
    /// True if the run is finished.
    pub(crate) is_finished: bool,
    /// Time at which its last session began, as its event has it.
    pub(crate) began: String,
}

impl Measuring {
    /// Returns what is to be said of a run that goes on with what is kept, where that may be all: its budget is no more than
    /// what the replicas which are kept took, or it was finished. Nothing otherwise.
    pub(crate) fn what_is_left(&self, budget: Option<&str>) -> String {
        let given = budget.and_then(|budget| bakeoff_config::budget(budget).ok());
        match (self.kept, given, budget) {
            (Some(kept), Some(given), Some(budget)) if kept >= given => format!(
                "Its budget of {budget} was used up before, by the {:.1} s of measuring that are kept: it ends with these.",
                kept.as_secs_f64()
            ),
            (Some(_), ..) if self.is_finished => {
                "What is kept was not measured again: a larger budget, or starting over, measures more."
                    .to_owned()
            }
            _ => String::new(),
        }
    }
}

impl RaceClock {
    /// Includes an event, by the time spent on the run at it.
    pub(crate) fn apply(&mut self, event: &Event, now: f64) {
        match event {
            Event::StageStart {
                stage: Stage::Measure,
                ..
            } => {
                self.began = Some(now);
                (self.before, self.kept) = (0.0, 0.0);
            }
            Event::RunStart { .. }
            | Event::RunResumed { .. }
            | Event::RunInterrupted { .. }
            | Event::RunFailed { .. }
            | Event::RunComplete { .. }
            | Event::StageComplete {
                stage: Stage::Measure,
            } => self.began = None,
            Event::ReplicaComplete {
                index,
                origin: Origin::Kept,
                seconds,
                ..
            } => {
                let end = self.ends.get(index).copied().unwrap_or(*seconds);
                self.before = self.before.max(end);
                self.kept = self.kept.max(end);
            }
            Event::ReplicaComplete {
                index,
                origin: Origin::New,
                ..
            } => {
                if let Some(spent) = self.spent(now) {
                    self.kept = self.kept.max(spent);
                    if self.ends.len() < ENDS_MAX {
                        self.ends.insert(*index, spent);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the time of the race so far, in seconds; `None` while nothing is measured.
    pub(crate) fn spent(&self, now: f64) -> Option<f64> {
        Some(self.before + (now - self.began?).max(0.0))
    }

    /// Returns the time of the race at the end of the last replica that is stored, in seconds: a session goes on there.
    pub(crate) fn kept(&self) -> f64 {
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replica(index: u32, origin: Origin) -> Event {
        Event::ReplicaComplete {
            index,
            origin,
            samples: 1,
            seconds: 1.0,
            live: 2,
        }
    }

    #[test]
    fn a_race_goes_on_at_the_end_of_the_last_replica_that_is_kept() {
        let measure = || Event::StageStart {
            stage: Stage::Measure,
            steps: 64,
        };
        let resumed = || Event::RunResumed {
            experiment: String::new(),
            experiment_id: String::new(),
            kept: 2,
        };
        let mut clock = RaceClock::default();
        assert_eq!(clock.spent(1.0), None);
        for (now, event) in [
            (10.0, measure()),
            // Two at the same time, after a pilot of two seconds.
            (13.0, replica(1, Origin::New)),
            (13.5, replica(0, Origin::New)),
        ] {
            clock.apply(&event, now);
        }
        assert_eq!(clock.spent(20.0), Some(10.0));
        // It was killed at 20 s, with a replica that had gone on for 6.5 s.
        for (now, event) in [
            (20.0, resumed()),
            (21.0, measure()),
            (21.0, replica(0, Origin::Kept)),
            (21.0, replica(1, Origin::Kept)),
            (24.0, replica(2, Origin::New)),
        ] {
            clock.apply(&event, now);
        }
        assert_eq!((clock.spent(25.0), clock.kept()), (Some(7.5), 6.5));
        clock.apply(&resumed(), 25.0);
        assert_eq!(clock.spent(26.0), None);
        for (now, event) in [
            (27.0, measure()),
            (27.0, replica(2, Origin::Kept)),
            // Of one that its events do not tell, the replica itself is known.
            (27.0, replica(9, Origin::Kept)),
        ] {
            clock.apply(&event, now);
        }
        assert_eq!(clock.spent(27.0), Some(6.5));
        // Where nothing is kept, the race begins anew.
        clock.apply(&resumed(), 27.0);
        clock.apply(&measure(), 28.0);
        assert_eq!(clock.spent(28.0), Some(0.0));
    }
}
