//! Workers on a virtual clock: every leased attempt runs for as long as it was told to.

use crate::queue::{Attempt, Ending, Receipt, TaskKey, TaskQueue};
use std::collections::BTreeMap;
use std::time::Duration;

/// One attempt, as it was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ran {
    pub(super) key: TaskKey,
    pub(super) core: Option<usize>,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) ending: Ending,
}

/// Runs everything in the queue, in whole seconds. `work` says for each attempt how long it takes and how it
/// ends. Returns the attempts in the order in which they began.
pub(super) fn run(
    queue: &mut TaskQueue,
    mut work: impl FnMut(&Attempt) -> (u64, Ending),
) -> Vec<Ran> {
    let mut ran: Vec<Ran> = Vec::new();
    let mut running: BTreeMap<(u64, usize), Attempt> = BTreeMap::new();
    let mut now = 0;
    while !queue.is_over() {
        assert_eq!(queue.advance(Duration::from_secs(now)), []);
        while let Some(lease) = queue.lease(Duration::from_secs(now)) {
            let (seconds, ending) = work(&lease.attempt);
            running.insert((now + seconds, ran.len()), lease.attempt.clone());
            ran.push(Ran {
                key: lease.attempt.key,
                core: lease.core,
                start: now,
                end: now + seconds,
                ending,
            });
        }
        let change = queue.next_change(Duration::from_secs(now));
        let change = change.map(|at| at.as_secs() + u64::from(at.subsec_nanos() > 0));
        let ended = running.first_key_value().map(|((at, _), _)| *at);
        now = match (ended, change) {
            (Some(ended), Some(change)) => ended.min(change),
            (ended, change) => ended.or(change).expect("tasks wait for nothing"),
        };
        while let Some(first) = running.first_entry()
            && first.key().0 <= now
        {
            let ((_, place), attempt) = first.remove_entry();
            let receipt = queue.finish(&attempt, ran[place].ending, Duration::from_secs(now));
            assert!(matches!(receipt, Receipt::Accepted(_)), "{receipt:?}");
        }
    }
    assert!(running.is_empty());
    ran
}
