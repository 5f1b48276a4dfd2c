//! Levels: the expected time from the start of a task to the end of all that depends on it. Starting the
//! ready task of the highest level first keeps the longest chain of tasks from waiting.

/// The work since levels were worked out, as a share of what working them out takes. Doing so no more often
/// keeps the time for each operation independent of the number of tasks.
const SHARE: u64 = 8;

/// When levels are to be worked out anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Leveling {
    /// Tasks and dependencies that have not ended.
    open: u64,
    /// Tasks and dependencies that were added, or have ended, since levels were worked out.
    work: u64,
    /// Whether a task was added since then.
    added: bool,
}

impl Leveling {
    /// Counts a task that was added with so many dependencies.
    pub(super) fn added(&mut self, dependencies: usize) {
        let work = 1 + dependencies as u64;
        self.open += work;
        self.work += work;
        self.added = true;
    }

    /// Counts a task of so many dependencies that has ended.
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
