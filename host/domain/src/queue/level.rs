//! Levels: the expected time from the start of a task to the end of all that depends on it. Starting the
//! ready task of the highest level first keeps the longest chain of tasks from waiting.

/// Share of the open tasks and dependencies, as one in this many, that must have been added or have ended before levels
/// are worked out anew. Doing so no more often keeps the time for each operation independent of the number of tasks.
const SHARE: u64 = 8;

/// Bookkeeping of the changes after which levels are to be worked out anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Leveling {
    /// Number of tasks and dependencies that have not ended.
    open: u64,
    /// Number of tasks and dependencies that were added, or have ended, since levels were worked out.
    work: u64,
    /// True if a task was added since levels were worked out.
    added: bool,
}

impl Leveling {
    /// Counts a task that was added with this many dependencies.
    pub(super) fn added(&mut self, dependencies: usize) {
        let work = 1 + dependencies as u64;
        self.open += work;
        self.work += work;
        self.added = true;
    }

    /// Counts a task of this many dependencies that has ended.
    pub(super) fn ended(&mut self, dependencies: usize) {
        let work = 1 + dependencies as u64;
        self.open -= work;
        self.work += work;
    }

    /// Returns true if levels are to be worked out anew, given whether estimates moved.
    pub(super) fn is_due(&self, moved: bool) -> bool {
        (moved || self.added) && self.work * SHARE >= self.open
    }

    /// Notes that levels were worked out.
    pub(super) fn settle(&mut self) {
        self.work = 0;
        self.added = false;
    }
}
