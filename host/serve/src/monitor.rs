//! All folders of results below the folder that the user named, as the thread that reads them knows them.

use super::lines::EventLine;
use super::live::{LiveRun, RunState, last_finished};
use super::places::{FoundPlaces, Place, find};
use bakeoff_files::Folder;
use bakeoff_store::events::{Clock as _, SystemClock, rfc3339};
use bakeoff_store::{Fingerprint, Lock, Mode, Origin, RunId, RunStatus, RunSummary, StoreError};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The least time between two searches for folders, and the least in times of what the last one took.
const FIND_EVERY: Duration = Duration::from_secs(1);
const FIND_SHARE: u32 = 20;
/// The least time between two lists.
const LIST_EVERY: Duration = Duration::from_secs(1);
/// The most databases that are held open.
const OPEN_MAX: usize = 16;
/// Time after which a database that nobody asks for is closed.
const OPEN_FOR: Duration = Duration::from_secs(30);

/// The folders of results, and the runs that somebody looks at.
pub(crate) struct Monitor {
    root: PathBuf,
    found: FoundPlaces,
    /// The end of the last search for folders, and the time that it took.
    searched: Option<(Instant, Duration)>,
    open: BTreeMap<String, LiveRun>,
    summaries: BTreeMap<String, (Option<Fingerprint>, Summary)>,
    list: Option<(Instant, ListedFolders)>,
}

/// The folders of results as they are listed.
#[derive(Clone, Default)]
pub(crate) struct ListedFolders {
    /// A row for each folder: those that run come first, then the others, the last one that changed first.
    pub(crate) rows: Vec<Row>,
    /// True if a bound left some folders out.
    pub(crate) is_partial: bool,
    /// The folders of experiments without results.
    pub(crate) unrun: Vec<Place>,
}

/// A folder of results, for the list.
#[derive(Clone)]
pub(crate) struct Row {
    /// The folder.
    pub(crate) place: Place,
    /// True while a process works on it.
    pub(crate) is_held: bool,
    /// The runs in its database, or the reason why it cannot be read.
    pub(crate) summary: Summary,
}

/// The runs of a folder of results, or the reason why they cannot be read.
pub(crate) type Summary = Result<Runs, String>;

/// The runs of a folder of results.
#[derive(Clone, Default)]
pub(crate) struct Runs {
    /// The last run.
    pub(crate) last: Option<RunSummary>,
    /// The last finished run.
    pub(crate) finished: Option<RunSummary>,
    /// Its problem, in its user's words.
    pub(crate) problem: String,
    /// True if the results come from elsewhere.
    pub(crate) is_elsewhere: bool,
}

/// An answer about a run that somebody looks at.
pub(crate) struct Update {
    /// The folder of its results.
    pub(crate) place: Place,
    /// Its state.
    pub(crate) state: RunState,
    /// Events after the one that the viewer has, in their order; there may be more.
    pub(crate) lines: Vec<EventLine>,
    /// State of its database when it was opened.
    pub(crate) fingerprint: Fingerprint,
    /// True if the viewer has seen events that are not there: another database is in the place of that one.
    pub(crate) is_other: bool,
}

/// The time after which a list reads no further folders.
const LIST_TIME_MAX: Duration = Duration::from_secs(1);
/// Time by which the clock of a machine that left results may be ahead of this one's, without their order changing.
const CLOCK_AHEAD_MAX: Duration = Duration::from_secs(60);
/// Words for a folder that was not read yet.
const NOT_READ: &str = "it is read when the list is made the next time";

impl Monitor {
    /// Begins with nothing read.
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            found: FoundPlaces::default(),
            searched: None,
            open: BTreeMap::new(),
            summaries: BTreeMap::new(),
            list: None,
        }
    }

    /// Returns the folders of results.
    pub(crate) fn list(&mut self) -> ListedFolders {
        if let Some((made, listed)) = &self.list
            && made.elapsed() < LIST_EVERY
        {
            return listed.clone();
        }
        self.find();
        self.close_unused();
        let places = self.found.places.clone();
        let started = Instant::now();
        let mut rows = Vec::with_capacity(places.len());
        for place in places {
            let may_read = started.elapsed() < LIST_TIME_MAX;
            rows.push(self.row(place, may_read));
        }
        let now = rfc3339(SystemClock::new().wall() + CLOCK_AHEAD_MAX);
        rows.sort_by_cached_key(|row| {
            Reverse((row.is_held, changed(row, &now).map(str::to_owned)))
        });
        let listed = ListedFolders {
            rows,
            is_partial: self.found.is_partial,
            unrun: self.found.unrun.clone(),
        };
        self.list = Some((Instant::now(), listed.clone()));
        listed
    }

    /// Returns the folder of an id.
    pub(crate) fn place(&mut self, id: &str) -> Option<Place> {
        self.find();
        let mut places = self.found.places.iter();
        places.find(|place| place.id == id).cloned()
    }

    /// Returns the folder of an experiment without results, by its id.
    pub(crate) fn experiment(&mut self, id: &str) -> Option<Place> {
        self.find();
        let mut places = self.found.unrun.iter();
        places.find(|place| place.id == id).cloned()
    }

    /// Returns the folders of the results that an experiment has by now, by the id that it had without any.
    pub(crate) fn results_of(&mut self, id: &str) -> Vec<Place> {
        self.find();
        let places = self.found.places.iter();
        let is_of = |place: &&Place| {
            place.kept().is_some() && Place::new(place.experiment().to_owned()).id == *id
        };
        places.filter(is_of).cloned().collect()
    }

    /// Returns the state of the last run of a folder, with the events after a number; `None` if there is no such folder.
    pub(crate) fn update(
        &mut self,
        id: &str,
        after: Option<u64>,
    ) -> Option<Result<Update, StoreError>> {
        let place = self.place(id)?;
        let looked = self.look(&place);
        self.close_unused();
        Some(looked.and_then(|()| self.read_update(&place, after)))
    }

    fn read_update(&mut self, place: &Place, after: Option<u64>) -> Result<Update, StoreError> {
        let Some(live) = self.open.get(&place.id) else {
            return Err(StoreError::Missing {
                folder: self.root.clone(),
            });
        };
        let sequence = live.state.sequence;
        let lines = match after.filter(|after| *after < sequence) {
            Some(after) => live.events_after(after)?,
            None => Vec::new(),
        };
        Ok(Update {
            place: place.clone(),
            fingerprint: live.fingerprint,
            is_other: after.is_some_and(|after| after > sequence),
            state: live.state.clone(),
            lines,
        })
    }

    /// Opens a folder's database where it is not open, and reads what was added.
    fn look(&mut self, place: &Place) -> Result<(), StoreError> {
        if self.open.get(&place.id).is_some_and(LiveRun::is_replaced) {
            self.open.remove(&place.id);
        }
        if let Some(live) = self.open.get_mut(&place.id) {
            let looked = live.look();
            if looked.is_err() {
                self.open.remove(&place.id);
            }
            return looked;
        }
        let live = LiveRun::open(&self.root, place)?;
        self.open.insert(place.id.clone(), live);
        Ok(())
    }

    /// Closes what nobody asked for in a while, and the longest unused ones beyond the bound.
    fn close_unused(&mut self) {
        self.open.retain(|_, live| live.used.elapsed() < OPEN_FOR);
        while self.open.len() > OPEN_MAX {
            let oldest = self.open.iter().min_by_key(|(_, live)| live.used);
            let Some(id) = oldest.map(|(id, _)| id.clone()) else {
                return;
            };
            self.open.remove(&id);
        }
    }

    fn find(&mut self) {
        let is_recent = |(ended, took): (Instant, Duration)| {
            ended.elapsed() < FIND_EVERY.max(took.saturating_mul(FIND_SHARE))
        };
        if self.searched.is_some_and(is_recent) {
            return;
        }
        let started = Instant::now();
        // A folder that is gone has nothing in it.
        self.found = Folder::named_by_user(&self.root)
            .map_or_else(|_| FoundPlaces::default(), |root| find(&root));
        let places = &self.found.places;
        let is_there = |id: &String| places.iter().any(|place| place.id == *id);
        self.summaries.retain(|id, _| is_there(id));
        self.open.retain(|id, _| is_there(id));
        self.searched = Some((Instant::now(), started.elapsed()));
    }

    /// Returns the row of a folder. One that was not read before is read if it may be: whatever lies in folders that were
    /// sent, others are shown meanwhile.
    fn row(&mut self, place: Place, may_read: bool) -> Row {
        let folder = place.results(&self.root).open_folder().ok();
        let is_held = folder
            .as_ref()
            .is_some_and(|folder| Lock::holder(folder).is_some());
        let fingerprint = folder.as_ref().and_then(Fingerprint::of);
        let known = self.summaries.get(&place.id);
        let mut summary = match known.filter(|(known, _)| *known == fingerprint) {
            Some((Some(_), known)) => known.clone(),
            _ if !may_read => Err(NOT_READ.to_owned()),
            _ => {
                let read = self.read_runs(&place, is_held);
                self.summaries
                    .insert(place.id.clone(), (fingerprint, read.clone()));
                read
            }
        };
        if let Ok(Runs {
            last: Some(last), ..
        }) = &mut summary
            && last.status == RunStatus::Running
            && !is_held
        {
            // It was killed after it was read.
            last.status = RunStatus::Interrupted;
        }
        Row {
            place,
            is_held,
            summary,
        }
    }

    /// Reads the runs of a folder: those of a run that goes on by the database that is open for it, which is not
    /// examined anew for each of its results.
    fn read_runs(&mut self, place: &Place, is_held: bool) -> Summary {
        if is_held {
            self.look(place).map_err(|error| error.to_string())?;
            let Some(live) = self.open.get(&place.id) else {
                return Ok(Runs::default());
            };
            let (runs, problem) = (&live.state.runs, live.state.problem.clone());
            return Ok(Runs::of(runs, problem, live.state.is_elsewhere));
        }
        let read = || {
            let store = place.results(&self.root).open(Mode::Read)?;
            let runs = store.runs()?;
            let last = runs.last().map(|run| store.settings(RunId(run.id.0)));
            let problem = last
                .and_then(Result::ok)
                .map(|(experiment, _)| experiment.problem);
            let is_elsewhere = store.origin() == Origin::Elsewhere;
            Ok(Runs::of(&runs, problem.unwrap_or_default(), is_elsewhere))
        };
        read().map_err(|error: StoreError| error.to_string())
    }
}

/// Returns when the last run of a row changed, if that can be: a time of RFC 3339 in UTC that has come. Results may have
/// been written by anybody.
fn changed<'a>(row: &'a Row, now: &str) -> Option<&'a str> {
    let last = row.summary.as_ref().ok()?.last.as_ref()?;
    Some(&*last.updated).filter(|time| is_time(time) && *time <= now)
}

/// Returns true if a text has the form of our times, `2026-11-28T10:13:14.328Z`, so that texts are ordered as times are.
fn is_time(text: &str) -> bool {
    const FORM: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
    let is_as_in_form = |(byte, form): (u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        other => byte == *other,
    };
    let in_range = |from: usize, low: u8, high: u8| {
        let digits = text.as_bytes().get(from..from + 2);
        digits.is_some_and(|digits| {
            (low..=high).contains(&((digits[0] - b'0') * 10 + digits[1] - b'0'))
        })
    };
    text.len() == FORM.len()
        && text.bytes().zip(FORM).all(is_as_in_form)
        && in_range(5, 1, 12)
        && in_range(8, 1, 31)
        && in_range(11, 0, 23)
        && in_range(14, 0, 59)
        && in_range(17, 0, 60)
}

impl Runs {
    fn of(runs: &[RunSummary], problem: String, is_elsewhere: bool) -> Self {
        Self {
            last: runs.last().cloned(),
            finished: last_finished(runs).cloned(),
            problem,
            is_elsewhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_cannot_be_orders_nothing() {
        let now = "2026-11-28T10:13:14.328Z";
        let row = |time: &str| Row {
            place: Place {
                id: String::new(),
                below: PathBuf::new(),
            },
            is_held: false,
            summary: Ok(Runs {
                last: Some(RunSummary {
                    id: RunId(1),
                    name: String::new(),
                    experiment_id: String::new(),
                    status: RunStatus::Finished,
                    started: String::new(),
                    updated: time.to_owned(),
                    seconds: 0.0,
                    winner: None,
                    bakeoff: String::new(),
                }),
                ..Runs::default()
            }),
        };
        assert_eq!(changed(&row(now), now), Some(now));
        for other in [
            "9999-12-31T23:59:59.999Z",
            "2026-13-28T10:13:14.328Z",
            "2026-11-32T10:13:14.328Z",
            "2026-11-28T24:00:00.000Z",
            "zzzz",
            "",
            "2026-11-28T10:13:14.328z",
        ] {
            assert_eq!(changed(&row(other), now), None, "{other}");
        }
    }
}
