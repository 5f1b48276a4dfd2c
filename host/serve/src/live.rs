//! The last run of a folder of results, followed while it goes on. Everything is read: the run does not notice.

use super::lines::EventLine;
use super::places::Place;
use super::race::Race;
use super::race_clock::{Measuring, RaceClock};
use bakeoff_domain::report::words;
use bakeoff_files::Folder;
use bakeoff_provider::{RECORD_FILE, Spending};
use bakeoff_search::SearchState;
use bakeoff_store::events::{Event, Origin as ResultOrigin, Progress, Stage};
use bakeoff_store::{
    Fingerprint, LockHolder, Mode, Origin, ResultsPlace, RunId, RunStatus, RunSummary, Store,
    StoreError, StoredVariant,
};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time after which a look reads no further events.
const LOOK_TIME_MAX: Duration = Duration::from_secs(1);
/// The least time between two looks at the database.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// The least time between two looks at the record of a search, which is read as a whole.
const SEARCH_EVERY: Duration = Duration::from_secs(5);
/// Number of events that are read at once.
const EVENTS_AT_ONCE: u32 = 2_000;
/// The most lines that the log of a page begins with.
const LINES_MAX: usize = 40;

/// The last run of a folder of results.
pub(crate) struct LiveRun {
    store: Store,
    results: ResultsPlace,
    folder: Folder,
    /// State of the database when it was opened.
    pub(crate) fingerprint: Fingerprint,
    /// The folder of the records of models.
    kept: Option<Folder>,
    /// The time of the race, which its budget bounds.
    clock: RaceClock,
    /// True if a session began whose settings were not read.
    is_session_new: bool,
    /// True if variants were declared whose names were not read.
    has_new_variants: bool,
    looked: Option<Instant>,
    searched: Option<Instant>,
    /// Time at which somebody asked for it last.
    pub(crate) used: Instant,
    /// The state that follows from its events.
    pub(crate) state: RunState,
}

/// The state of a run, for its page.
#[derive(Clone, Default)]
pub(crate) struct RunState {
    /// Progress by the events so far.
    pub(crate) progress: Progress,
    /// The race so far.
    pub(crate) race: Race,
    /// The time and the reused results of each stage.
    pub(crate) stages: BTreeMap<Stage, StageTotals>,
    /// Number of the last event that was read, whether it is known or not.
    pub(crate) sequence: u64,
    /// The last events that have a sentence.
    pub(crate) lines: VecDeque<EventLine>,
    /// The process that works on the folder.
    pub(crate) holder: Option<LockHolder>,
    /// The time that measuring may take, in seconds.
    pub(crate) budget: Option<f64>,
    /// The time of it that is spent, in seconds; `None` while nothing is measured.
    pub(crate) race_spent: Option<f64>,
    /// The time of it that the replicas took which are stored, in seconds.
    pub(crate) race_kept: f64,
    /// Time at which the last session began, as its event has it.
    pub(crate) began: String,
    /// The problem, in its user's words.
    pub(crate) problem: String,
    /// The names of the variants, as the report will show them, by their ids.
    pub(crate) names: Arc<BTreeMap<String, String>>,
    /// The spending on models, and whether a process asks them now.
    pub(crate) models: Option<(Spending, bool)>,
    /// The search before the race.
    pub(crate) search: Option<SearchState>,
    /// All runs of the folder, the oldest first.
    pub(crate) runs: Vec<RunSummary>,
    /// True if the results come from elsewhere.
    pub(crate) is_elsewhere: bool,
}

/// The time of a stage over all sessions of a run, and what the last session did not have to do again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct StageTotals {
    /// Time of the sessions in which it has ended, in seconds.
    ended_seconds: f64,
    /// Time spent on the run when it began; `None` while it does not go on.
    began: Option<f64>,
    /// Results that the last session reused.
    pub(crate) kept: u64,
}

impl StageTotals {
    /// Returns the time of the stage, in seconds, when so much time was spent on the run.
    pub(crate) fn seconds(&self, now: f64) -> f64 {
        self.ended_seconds + self.began.map_or(0.0, |began| (now - began).max(0.0))
    }

    fn end(&mut self, now: f64) {
        self.ended_seconds = self.seconds(now);
        self.began = None;
    }
}

impl RunState {
    /// Returns the name of a variant: its id where no other is known.
    pub(crate) fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.names.get(id).map_or(id, String::as_str)
    }

    /// Returns the time that the run takes for measuring.
    pub(crate) fn measuring(&self) -> Measuring {
        let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).ok();
        Measuring {
            budget: self.budget.and_then(seconds),
            kept: seconds(self.race_kept).filter(|_| self.progress.run != 0),
            is_finished: self.progress.status == RunStatus::Finished,
            began: self.began.clone(),
        }
    }

    /// Returns true if a process works on the run.
    pub(crate) fn is_running(&self) -> bool {
        self.progress.status == RunStatus::Running && self.holder.is_some()
    }
}

impl LiveRun {
    /// Opens the results of a place below a folder that the user named.
    ///
    /// # Errors
    /// The errors of opening a store for reading.
    pub(crate) fn open(root: &Path, place: &Place) -> Result<Self, StoreError> {
        let results = place.results(root);
        let folder = results.open_folder()?;
        let missing = || StoreError::Missing {
            folder: results.path(),
        };
        let Some(fingerprint) = Fingerprint::of(&folder) else {
            // What lies in its place is the reason.
            return Err(results.open(Mode::Read).err().unwrap_or_else(missing));
        };
        let store = results.open(Mode::Read)?;
        let kept = place
            .kept()
            .and_then(|kept| Folder::named_by_user(root).ok()?.below(kept).ok());
        let mut live = Self {
            store,
            results,
            folder,
            fingerprint,
            kept,
            clock: RaceClock::default(),
            is_session_new: true,
            has_new_variants: true,
            looked: None,
            searched: None,
            used: Instant::now(),
            state: RunState::default(),
        };
        live.state.is_elsewhere = live.store.origin() == Origin::Elsewhere;
        live.look()?;
        Ok(live)
    }

    /// Returns true if another database is in the place of the one that is open.
    pub(crate) fn is_replaced(&self) -> bool {
        Fingerprint::of(&self.folder).is_none_or(|now| !now.is_same_file(&self.fingerprint))
    }

    /// Reads what was added since the last look, unless that was a moment ago.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(crate) fn look(&mut self) -> Result<(), StoreError> {
        self.used = Instant::now();
        if self
            .looked
            .is_some_and(|looked| looked.elapsed() < LOOK_EVERY)
        {
            return Ok(());
        }
        // Before the events: a run that ends meanwhile is still shown as running, and not as killed.
        self.state.holder = self.store.holder();
        let started = Instant::now();
        // The others come at the next look.
        while self.read_events()? && started.elapsed() < LOOK_TIME_MAX {}
        if self.is_session_new {
            self.read_settings(self.state.progress.run);
        }
        if self.has_new_variants {
            self.read_names(self.state.progress.run);
        }
        self.state.race_spent = self.clock.spent(self.state.progress.seconds);
        self.state.race_kept = self.clock.kept();
        self.state.runs = self.store.runs()?;
        self.look_beside();
        self.looked = Some(Instant::now());
        Ok(())
    }

    /// Reads some events; returns true if there may be more.
    fn read_events(&mut self) -> Result<bool, StoreError> {
        let lines = self
            .store
            .events_after(self.state.sequence, EVENTS_AT_ONCE)?;
        let (count, before) = (lines.len(), self.state.sequence);
        for (line, envelope) in lines.into_iter().filter_map(EventLine::read) {
            self.state.sequence = self.state.sequence.max(line.sequence);
            if let Some(envelope) = envelope {
                if envelope.run != self.state.progress.run {
                    self.state.lines.clear();
                    self.state.stages.clear();
                    self.state.race = Race::default();
                }
                let before = self.state.progress.seconds;
                self.state.progress.apply(&envelope);
                self.state.race.apply(&envelope.event);
                self.state.time_stage(&envelope.event, before);
                self.clock
                    .apply(&envelope.event, self.state.progress.seconds);
                self.has_new_variants |= matches!(envelope.event, Event::ApproachGenerated { .. });
                if let Event::RunStart { .. } | Event::RunResumed { .. } = envelope.event {
                    self.is_session_new = true;
                    self.state.began = envelope.time;
                }
            }
            if line.text.is_some() {
                self.state.lines.push_back(line);
            }
            if self.state.lines.len() > LINES_MAX {
                self.state.lines.pop_front();
            }
        }
        Ok(count == EVENTS_AT_ONCE as usize && self.state.sequence > before)
    }

    /// Reads what the session was asked to do, which it stored before its first event: one that goes on with a run may have
    /// another budget.
    fn read_settings(&mut self, run: i64) {
        if let Ok((experiment, _)) = self.store.settings(RunId(run)) {
            self.is_session_new = false;
            self.state.budget = Some(experiment.measure.budget.as_secs_f64());
            self.state.problem = experiment.problem;
        }
    }

    /// Reads the names of the variants, each of which was stored before its event.
    fn read_names(&mut self, run: i64) {
        if let Ok(variants) = self.store.variants(RunId(run)) {
            self.has_new_variants = false;
            self.state.names = Arc::new(shown_names(&variants));
        }
    }

    /// Reads what lies beside the database: the spending on models, and the record of a search.
    fn look_beside(&mut self) {
        let kept = self.kept.as_ref();
        self.state.models =
            kept.and_then(|kept| Spending::read_in(kept, OsStr::new(RECORD_FILE)).ok());
        if self
            .searched
            .is_none_or(|searched| searched.elapsed() >= SEARCH_EVERY)
        {
            let archive = bakeoff_search::known(&self.results).ok().flatten();
            self.state.search = archive.map(|archive| SearchState::of(&archive));
            self.searched = Some(Instant::now());
        }
    }

    /// Returns some events after a number, in their order.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(crate) fn events_after(&self, sequence: u64) -> Result<Vec<EventLine>, StoreError> {
        let lines = self.store.events_after(sequence, EVENTS_AT_ONCE)?;
        let lines = lines.into_iter().filter_map(EventLine::read);
        Ok(lines.map(|(line, _)| line).collect())
    }
}

impl RunState {
    /// Includes an event in the times of stages. `before` is the time spent on the run at the event before it.
    fn time_stage(&mut self, event: &Event, before: f64) {
        let now = self.progress.seconds;
        match event {
            Event::RunStart { .. } => self.stages.clear(),
            // Who was killed did not say that its stages ended.
            Event::RunResumed { .. } => {
                for stage in self.stages.values_mut() {
                    stage.end(before);
                    stage.kept = 0;
                }
            }
            Event::RunInterrupted { .. } | Event::RunFailed { .. } | Event::RunComplete { .. } => {
                self.stages.values_mut().for_each(|stage| stage.end(now));
            }
            Event::StageStart { stage, .. } => {
                self.stages.entry(*stage).or_default().began = Some(now);
            }
            Event::StageComplete { stage } => self.stages.entry(*stage).or_default().end(now),
            Event::BuildComplete { origin, .. } => self.count_kept(Stage::Build, *origin),
            Event::CheckComplete { origin, .. } => self.count_kept(Stage::Check, *origin),
            Event::ReplicaComplete { origin, .. } => self.count_kept(Stage::Measure, *origin),
            _ => {}
        }
    }

    fn count_kept(&mut self, stage: Stage, origin: ResultOrigin) {
        if origin == ResultOrigin::Kept {
            self.stages.entry(stage).or_default().kept += 1;
        }
    }
}

/// Returns the last finished one of runs, the oldest of which comes first.
pub(crate) fn last_finished(runs: &[RunSummary]) -> Option<&RunSummary> {
    let mut runs = runs.iter().rev();
    runs.find(|run| run.status == RunStatus::Finished)
}

/// Returns the names of variants as a report shows them: with their ids where several have the same.
fn shown_names(variants: &[StoredVariant]) -> BTreeMap<String, String> {
    let mut namesakes: BTreeMap<&str, usize> = BTreeMap::new();
    for variant in variants {
        *namesakes.entry(&variant.name).or_default() += 1;
    }
    let named = variants.iter().map(|StoredVariant { id, name, .. }| {
        let has_namesakes = namesakes.get(&**name).is_some_and(|count| *count > 1);
        (id.clone(), words::variant_name(name, id, has_namesakes))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Includes events, each with the time spent on the run.
    fn state_after(events: &[(f64, Event)]) -> RunState {
        let mut state = RunState::default();
        for (seconds, event) in events {
            let before = state.progress.seconds;
            state.progress.seconds = *seconds;
            state.time_stage(event, before);
        }
        state
    }

    #[test]
    fn namesakes_have_their_ids_beside_their_names() {
        let variant = |id: &str, name: &str| StoredVariant {
            id: id.to_owned(),
            name: name.to_owned(),
            approach: String::new(),
            parameters: BTreeMap::new(),
            iterations: Vec::new(),
        };
        let variants = [
            variant("top-k", "Top k"),
            variant("heap-2", "Heap"),
            variant("heap", "Heap"),
        ];
        let state = RunState {
            names: Arc::new(shown_names(&variants)),
            ..RunState::default()
        };
        let names = ["top-k", "heap-2", "other"].map(|id| state.name(id));
        assert_eq!(names, ["Top k", "Heap (heap-2)", "other"]);
    }

    fn built(origin: ResultOrigin) -> Event {
        Event::BuildComplete {
            variant_id: "heap".to_owned(),
            origin,
            cpu_seconds: 0.1,
            component_bytes: 9,
        }
    }

    #[test]
    fn stages_of_a_killed_run_keep_their_times_when_it_goes_on_and_reused_results_are_counted() {
        let (build, measure) = (Stage::Build, Stage::Measure);
        let start = |stage| Event::StageStart { stage, steps: 2 };
        let resumed = || Event::RunResumed {
            experiment: String::new(),
            experiment_id: String::new(),
            kept: 2,
        };
        let state = state_after(&[
            (0.0, start(build)),
            (2.0, built(ResultOrigin::New)),
            (3.0, Event::StageComplete { stage: build }),
            (3.0, start(measure)),
            (
                5.0,
                Event::Warning {
                    message: String::new(),
                },
            ),
            // It was killed here.
            (5.5, resumed()),
            (5.5, start(build)),
            (5.5, built(ResultOrigin::Kept)),
            (5.5, Event::StageComplete { stage: build }),
            (6.0, start(measure)),
        ]);
        assert_eq!(state.stages[&build].seconds(9.0), 3.0);
        assert_eq!(state.stages[&build].kept, 1);
        let began = |stage| state.stages[&stage].began;
        assert!(began(build).is_none() && began(measure).is_some());
        // Two seconds before it was killed, and one since.
        assert_eq!(state.stages[&measure].seconds(7.0), 3.0);
    }
}
