//! The envelope of an event: its run, its time and its place in the sequence.

use super::clock::{Clock, SystemClock, rfc3339};
use super::event::Event;
use serde::{Deserialize, Serialize};

/// The version of the envelope that this bakeoff writes.
pub const ENVELOPE_VERSION: u32 = 1;

/// An event with its run, its time and its place in the sequence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// Format version: always [`ENVELOPE_VERSION`].
    pub version: u32,
    /// Sequence number: 1, 2, 3, …, which rises by one with every event of a folder, over all its
    /// runs and sessions. It does not depend on any clock.
    pub sequence: u64,
    /// The number of the run.
    pub run: i64,
    /// Time spent on the run before the event, in milliseconds. Monotonic: it goes on where the
    /// last session ended, and pauses between sessions do not count.
    pub at_ms: u64,
    /// Time of the wall clock, as RFC 3339 in UTC. It may jump.
    pub time: String,
    /// Name and data of the event.
    #[serde(flatten)]
    pub event: Event,
}

/// Numbers and dates the events of one session.
pub struct Stamper {
    clock: Box<dyn Clock>,
    sequence: u64,
    run: i64,
    offset_ms: u64,
    started_ms: u64,
    last_ms: u64,
}

impl Stamper {
    /// Creates a stamper whose first event gets the number after `sequence`.
    pub fn new(sequence: u64) -> Self {
        Self::with_clock(sequence, Box::new(SystemClock::new()))
    }

    /// Creates a stamper like [`Stamper::new`], with a clock of the caller's.
    pub fn with_clock(sequence: u64, clock: Box<dyn Clock>) -> Self {
        let started_ms = clock.monotonic_ms();
        Self {
            clock,
            sequence,
            run: 0,
            offset_ms: 0,
            started_ms,
            last_ms: 0,
        }
    }

    /// Makes this the run of all later events; `spent_ms` is the time spent on it before.
    pub fn enter(&mut self, run: i64, spent_ms: u64) {
        self.run = run;
        self.offset_ms = spent_ms;
        self.started_ms = self.clock.monotonic_ms();
        self.last_ms = spent_ms;
    }

    /// The number of the last event that was accepted.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Time spent on the run so far, over all its sessions, in milliseconds.
    pub fn spent_ms(&self) -> u64 {
        let session = self.clock.monotonic_ms().saturating_sub(self.started_ms);
        self.last_ms.max(self.offset_ms.saturating_add(session))
    }

    /// Time of the wall clock now, as RFC 3339.
    pub fn now(&self) -> String {
        rfc3339(self.clock.wall())
    }

    /// Wraps an event. Its number is used up by [`Stamper::accept`] only: an event that could not be
    /// stored leaves no gap in the sequence.
    pub fn wrap(&self, event: Event) -> Envelope {
        Envelope {
            version: ENVELOPE_VERSION,
            sequence: self.sequence + 1,
            run: self.run,
            at_ms: self.spent_ms(),
            time: self.now(),
            event,
        }
    }

    /// Accepts an envelope that is stored: the next one gets the next number.
    pub fn accept(&mut self, envelope: &Envelope) {
        self.sequence = envelope.sequence;
        self.last_ms = envelope.at_ms;
    }
}

impl std::fmt::Debug for Stamper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stamper")
            .field("sequence", &self.sequence)
            .field("run", &self.run)
            .field("last_ms", &self.last_ms)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    #[derive(Clone, Default)]
    struct FakeClock {
        monotonic: Arc<AtomicU64>,
        wall: Arc<AtomicI64>,
    }

    impl Clock for FakeClock {
        fn monotonic_ms(&self) -> u64 {
            self.monotonic.load(Ordering::Relaxed)
        }
        fn wall(&self) -> SystemTime {
            let ms = self.wall.load(Ordering::Relaxed);
            UNIX_EPOCH + Duration::from_millis(u64::try_from(ms).unwrap_or(0))
        }
    }

    #[test]
    fn order_and_durations_survive_a_wall_clock_that_jumps() {
        let clock = FakeClock::default();
        clock.wall.store(1_000_000_000_000, Ordering::Relaxed);
        clock.monotonic.store(500, Ordering::Relaxed);
        let mut stamper = Stamper::with_clock(7, Box::new(clock.clone()));
        stamper.enter(3, 2_000);
        let mut seen = Vec::new();
        for jump in [0, -900_000_000_000, 5_000_000, -3_600_000] {
            clock.wall.fetch_add(jump, Ordering::Relaxed);
            clock.monotonic.fetch_add(10, Ordering::Relaxed);
            let envelope = stamper.wrap(Event::Warning {
                message: String::new(),
            });
            stamper.accept(&envelope);
            seen.push((envelope.sequence, envelope.at_ms));
        }
        assert_eq!(seen, [(8, 2_010), (9, 2_020), (10, 2_030), (11, 2_040)]);
    }

    #[test]
    fn an_event_that_was_not_stored_leaves_no_gap() {
        let mut stamper = Stamper::new(0);
        let event = Event::Warning {
            message: String::new(),
        };
        assert_eq!(stamper.wrap(event.clone()).sequence, 1);
        let stored = stamper.wrap(event.clone());
        assert_eq!(stored.sequence, 1);
        stamper.accept(&stored);
        assert_eq!(stamper.wrap(event).sequence, 2);
    }
}
