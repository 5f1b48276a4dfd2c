//! The last change of each experiment and what came of it, for as long as that is true.

use bakeoff_store::events::{Clock as _, SystemClock, rfc3339};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The most experiments whose last change is remembered.
const CHANGES_MAX: usize = 500;

/// The last change of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// It goes on.
    GoesOn(&'static str),
    /// It is done, with what came of it.
    Done(String),
    /// It failed, for this reason.
    Failed(String),
}

/// Number of a run that this server started.
pub(crate) type StartedRun = u64;

/// The words about a run that was started.
#[derive(Clone, Debug, Default)]
pub(crate) struct StartWords {
    /// Text while it goes on.
    pub(crate) text: String,
    /// Text beside that, which is left when it has ended; may be empty.
    pub(crate) lasting: String,
}

impl StartWords {
    /// Returns words of which nothing lasts.
    pub(crate) fn of(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            lasting: String::new(),
        }
    }
}

/// The last change of each experiment, by its folder.
#[derive(Default)]
pub(crate) struct Changes {
    last: BTreeMap<PathBuf, Remembered>,
    /// Number of runs that were started.
    started: StartedRun,
    /// The runs that were started and have not ended.
    going_on: BTreeMap<StartedRun, RunOptions>,
}

/// The options that a run was started with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RunOptions {
    /// Folder of its experiment.
    pub(crate) folder: PathBuf,
    /// Time for measuring, as one writes it; `None` for that of the file.
    pub(crate) budget: Option<String>,
    /// True if it starts over.
    pub(crate) is_fresh: bool,
    /// Time at which it was started, as events have it.
    pub(crate) at: String,
}

struct Remembered {
    change: Change,
    /// Time at which it came to that, as events have it.
    at: String,
    /// The run that was started with the change, which it speaks of.
    run: Option<StartedRun>,
    /// Text that is left when that run has ended; may be empty.
    lasting: String,
}

impl Changes {
    /// Returns the last change of the experiment in a folder, unless it is no longer true: what was said of an experiment
    /// holds until a session of a run begins after it (`began`, the time of its event), and what was said of a run that
    /// was started, until that ends.
    pub(crate) fn of(&self, folder: &Path, began: &str) -> Option<Change> {
        let last = self.last.get(folder)?;
        let is_true = match (&last.change, last.run) {
            (Change::GoesOn(_), _) | (_, Some(_)) => true,
            _ => *began <= *last.at,
        };
        is_true.then(|| last.change.clone())
    }

    /// Begins a change, unless another one of the same experiment goes on: returns false then.
    pub(crate) fn begin(&mut self, folder: &Path, title: &'static str) -> bool {
        if self.goes_on(folder) {
            return false;
        }
        self.set(folder, Change::GoesOn(title));
        true
    }

    /// Remembers what came of a change.
    pub(crate) fn set(&mut self, folder: &Path, change: Change) {
        if self.last.len() >= CHANGES_MAX && !self.last.contains_key(folder) {
            self.last
                .retain(|_, last| matches!(last.change, Change::GoesOn(_)));
        }
        let remembered = Remembered {
            change,
            at: rfc3339(SystemClock::new().wall()),
            run: None,
            lasting: String::new(),
        };
        self.last.insert(folder.to_owned(), remembered);
    }

    /// Remembers what came of a change that started a run; of one that has ended meanwhile, what its end said is left.
    pub(crate) fn set_started(&mut self, folder: &Path, words: StartWords, run: StartedRun) {
        let StartWords { text, lasting } = words;
        if self.going_on.contains_key(&run) {
            let said = [&*text, &*lasting].join(" ");
            self.set(folder, Change::Done(said.trim_end().to_owned()));
            if let Some(last) = self.last.get_mut(folder) {
                (last.run, last.lasting) = (Some(run), lasting);
            }
        } else if self.goes_on(folder) {
            self.leave(folder, lasting);
        }
    }

    fn goes_on(&self, folder: &Path) -> bool {
        let last = self.last.get(folder);
        last.is_some_and(|last| matches!(last.change, Change::GoesOn(_)))
    }

    /// Leaves what is true of a run that has ended.
    fn leave(&mut self, folder: &Path, lasting: String) {
        if lasting.is_empty() {
            self.last.remove(folder);
        } else {
            self.set(folder, Change::Done(lasting));
        }
    }

    /// Counts a run that was started.
    pub(crate) fn start(&mut self, options: RunOptions) -> StartedRun {
        self.started += 1;
        let at = rfc3339(SystemClock::new().wall());
        let options = RunOptions { at, ..options };
        self.going_on.insert(self.started, options);
        self.started
    }

    /// Returns the options of the run that was started last for the experiment in a folder, and has not ended.
    pub(crate) fn options(&self, folder: &Path) -> Option<&RunOptions> {
        let mut runs = self.going_on.values().rev();
        runs.find(|run| run.folder == folder)
    }

    /// Forgets a change that was refused, and what was said before it.
    pub(crate) fn refuse(&mut self, folder: &Path) {
        self.last.remove(folder);
    }

    /// Counts a run as ended, with the reason if it failed; of what was said of its start, what lasts is left.
    pub(crate) fn end(&mut self, folder: &Path, run: StartedRun, failed: Option<String>) {
        self.going_on.remove(&run);
        if let Some(why) = failed {
            self.set(folder, Change::Failed(why));
            return;
        }
        let last = self.last.get_mut(folder);
        if let Some(last) = last.filter(|last| last.run == Some(run)) {
            let lasting = std::mem::take(&mut last.lasting);
            self.leave(folder, lasting);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, lasting: &str) -> StartWords {
        StartWords {
            text: text.to_owned(),
            lasting: lasting.to_owned(),
        }
    }

    const EARLIER: &str = "2026-01-01T00:00:00.000Z";
    const LATER: &str = "9999-01-01T00:00:00.000Z";

    #[test]
    fn what_was_said_of_an_experiment_holds_until_a_session_begins() {
        let (mut changes, folder) = (Changes::default(), Path::new("one"));
        let stopped = Change::Done("The run was stopped.".to_owned());
        changes.set(folder, stopped.clone());
        assert_eq!(changes.of(folder, ""), Some(stopped.clone()));
        assert_eq!(changes.of(folder, EARLIER), Some(stopped));
        assert_eq!(changes.of(folder, LATER), None);
        assert!(changes.begin(folder, "It is being run."));
        assert!(!changes.begin(folder, "It is being stopped."));
        let goes_on = Change::GoesOn("It is being run.");
        assert_eq!(changes.of(folder, LATER), Some(goes_on));
    }

    #[test]
    fn what_was_said_of_a_run_that_was_started_holds_until_that_ends() {
        let (mut changes, folder) = (Changes::default(), Path::new("one"));
        let (first, second) = (
            changes.start(RunOptions::default()),
            changes.start(RunOptions::default()),
        );
        changes.set_started(folder, words("It goes on.", ""), second);
        let said = Some(Change::Done("It goes on.".to_owned()));
        assert_eq!(changes.of(folder, LATER), said);
        // The one before it was stopped for it, and is looked at late.
        changes.end(folder, first, None);
        assert_eq!(changes.of(folder, LATER), said);
        changes.end(folder, second, None);
        assert_eq!(changes.of(folder, EARLIER), None);
        let third = changes.start(RunOptions::default());
        changes.set_started(folder, words("It goes on.", "Its time is used up."), third);
        let both = Change::Done("It goes on. Its time is used up.".to_owned());
        assert_eq!(changes.of(folder, LATER), Some(both));
        changes.end(folder, third, None);
        let lasting = Change::Done("Its time is used up.".to_owned());
        assert_eq!(changes.of(folder, EARLIER), Some(lasting));
        assert_eq!(changes.of(folder, LATER), None);
    }

    #[test]
    fn the_options_of_a_run_are_known_until_it_ends() {
        let mut changes = Changes::default();
        let options = |folder: &str, budget: &str| RunOptions {
            folder: folder.into(),
            budget: Some(budget.to_owned()),
            ..RunOptions::default()
        };
        let first = changes.start(options("one", "1 s"));
        changes.start(options("two", "2 s"));
        let second = changes.start(options("one", "3 s"));
        let budget = |changes: &Changes| changes.options(Path::new("one"))?.budget.clone();
        assert_eq!(budget(&changes).as_deref(), Some("3 s"));
        changes.end(Path::new("one"), second, None);
        assert_eq!(budget(&changes).as_deref(), Some("1 s"));
        changes.end(Path::new("one"), first, None);
        assert_eq!(budget(&changes), None);
    }

    #[test]
    fn what_the_end_of_a_run_said_is_not_lost_to_the_word_that_it_was_started() {
        let (mut changes, folder) = (Changes::default(), Path::new("one"));
        for failed in [None, Some("no space".to_owned())] {
            changes.begin(folder, "It is being run.");
            let run = changes.start(RunOptions::default());
            changes.end(folder, run, failed.clone());
            changes.set_started(folder, words("It was started.", ""), run);
            assert_eq!(changes.of(folder, EARLIER), failed.map(Change::Failed));
        }
    }
}
