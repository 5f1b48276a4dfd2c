//! The runs of a session: one measures, the others wait, and the last ended ones are kept.

use super::child::{CommandFailure, Invocation};
use super::consent::{Amounts, ModelAllowance};
use super::error::{ToolError, quoted};
use super::limits::{PROGRESS_LINES_MAX, RUNS_KEPT_MAX, RUNS_OPEN_MAX};
use super::outcome::{Messages, RunKind, RunOutcome};
use super::progress::StderrLine;
use super::workspace::Workspace;
use bakeoff_render::escape::Plain;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::{Semaphore, watch};

/// Phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Another run is measuring.
    Waiting,
    Running,
    Ended,
}

/// The state of a run.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) phase: Phase,
    /// The last lines of the run's progress.
    pub(super) lines: VecDeque<String>,
    /// Number of lines of progress so far.
    pub(super) steps: u64,
    pub(super) outcome: Option<Arc<RunOutcome>>,
}

/// A run of this session.
#[derive(Debug)]
pub(super) struct Run {
    number: u64,
    pub(super) id: String,
    pub(super) since: Instant,
    /// The Rust sources that were given, by name.
    pub(super) sources: BTreeMap<String, String>,
    state: watch::Sender<State>,
    cancel: watch::Sender<bool>,
}

/// Work of a run: a command, and the folder that it runs in.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) kind: RunKind,
    pub(super) invocation: Invocation,
    /// Folder of the run, which is removed when the run has ended.
    pub(super) workspace: Workspace,
    /// File that the command writes if it measures anything, in the folder of the run's files.
    pub(super) report: Option<&'static str>,
    pub(super) sources: BTreeMap<String, String>,
    /// Use of a model, if the command asks one.
    pub(super) asks: Option<ModelUse>,
}

/// Use of a model by a command.
#[derive(Debug)]
pub(super) struct ModelUse {
    pub(super) asking: Arc<ModelAllowance>,
    /// The most US dollars, if the agent says it.
    pub(super) usd_max: Option<f64>,
    /// The file in which the command keeps its ledger.
    pub(super) ledger: PathBuf,
}

/// All runs of a session.
#[derive(Debug)]
pub(super) struct Runs {
    session: Mutex<Session>,
    /// Semaphore with one permit, which is the right to measure.
    slot: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct Session {
    runs: VecDeque<Arc<Run>>,
    /// Number of the last run.
    last: u64,
    /// True when the client has gone: nothing is started any more.
    has_ended: bool,
}

impl Default for Runs {
    fn default() -> Self {
        Self {
            session: Mutex::default(),
            slot: Arc::new(Semaphore::new(1)),
        }
    }
}

impl Runs {
    /// Starts a run, or lets it wait for the one that is measuring.
    ///
    /// # Errors
    /// Too many runs have not ended, or the session has ended.
    pub(super) fn start(&self, work: Work) -> Result<Arc<Run>, ToolError> {
        let mut session = self.lock();
        if session.has_ended {
            return Err(ToolError::new("the session has ended"));
        }
        let open = session.runs.iter().filter(|run| !run.has_ended());
        let open: Vec<&str> = open.map(|run| &*run.id).collect();
        if open.len() >= RUNS_OPEN_MAX {
            return Err(ToolError::new(format!(
                "{RUNS_OPEN_MAX} runs have not ended, which is the most: wait for one with `result`, or end one \
                 with `cancel`: {}",
                open.join(", ")
            )));
        }
        session.last += 1;
        let number = session.last;
        let run = Arc::new(Run {
            number,
            id: format!("{}-{number}", work.kind.tool()),
            since: Instant::now(),
            sources: work.sources.clone(),
            state: watch::Sender::new(State {
                phase: Phase::Waiting,
                lines: VecDeque::new(),
                steps: 0,
                outcome: None,
            }),
            cancel: watch::Sender::new(false),
        });
        session.runs.push_back(Arc::clone(&run));
        forget(&mut session.runs);
        drop(session);
        let slot = Arc::clone(&self.slot);
        tokio::spawn(perform(Arc::clone(&run), work, slot));
        Ok(run)
    }

    /// Returns the run of an id.
    ///
    /// # Errors
    /// No run has this id; the error names the ids there are.
    pub(super) fn find(&self, id: &str) -> Result<Arc<Run>, ToolError> {
        let session = self.lock();
        let runs = &session.runs;
        runs.iter()
            .find(|run| run.id == id)
            .cloned()
            .ok_or_else(|| {
                let ids: Vec<&str> = runs.iter().map(|run| &*run.id).collect();
                let known = if ids.is_empty() {
                    "none was started".to_owned()
                } else {
                    format!("those of this session are {}", ids.join(", "))
                };
                ToolError::new(format!(
                    "there is no run {}: {known}; the last {RUNS_KEPT_MAX} ended ones are kept",
                    quoted(id)
                ))
            })
    }

    /// Returns all runs, the oldest first.
    pub(super) fn all(&self) -> Vec<Arc<Run>> {
        self.lock().runs.iter().cloned().collect()
    }

    /// Returns the number of runs that come before a waiting one.
    pub(super) fn ahead_of(&self, run: &Run) -> usize {
        let session = self.lock();
        let ahead = session
            .runs
            .iter()
            .filter(|other| other.number < run.number && !other.has_ended());
        ahead.count()
    }

    /// Ends all runs, waits until they have ended, and starts no others.
    pub(super) async fn end(&self) {
        self.lock().has_ended = true;
        let runs = self.all();
        runs.iter().for_each(|run| run.cancel());
        for run in runs {
            run.ended().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ModelUse {
    /// Holds money for a command, and bounds the command by it.
    fn hold(&self, invocation: &mut Invocation) -> Result<Amounts, ToolError> {
        let held = self.asking.hold(self.usd_max)?;
        invocation.arguments.extend(held.words(&self.ledger));
        Ok(held)
    }
}

/// Forgets the oldest ended runs, beyond those that are kept.
fn forget(runs: &mut VecDeque<Arc<Run>>) {
    let ended = runs.iter().filter(|run| run.has_ended()).count();
    let mut surplus = ended.saturating_sub(RUNS_KEPT_MAX);
    runs.retain(|run| {
        let forgotten = surplus > 0 && run.has_ended();
        surplus -= usize::from(forgotten);
        !forgotten
    });
}

impl Run {
    pub(super) fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Returns a view of the state, to wait for its changes.
    pub(super) fn watch(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Calls the run off. It ends soon after, unless it has already.
    pub(super) fn cancel(&self) {
        self.cancel.send_replace(true);
    }

    /// Returns when the run has ended.
    pub(super) async fn ended(&self) {
        let mut state = self.state.subscribe();
        // The sender is here, so there is no error.
        let _ = state.wait_for(|state| state.phase == Phase::Ended).await;
    }

    fn has_ended(&self) -> bool {
        self.state.borrow().phase == Phase::Ended
    }

    async fn cancelled(&self) {
        let mut cancel = self.cancel.subscribe();
        let _ = cancel.wait_for(|cancelled| *cancelled).await;
    }

    fn on_line(&self, text: &str, messages: &mut Messages) {
        let line = match StderrLine::parse(text) {
            StderrLine::Event(line) => line,
            StderrLine::Error(error) => {
                let text = Plain(&error.message).to_string();
                messages.end_with(error);
                Some(text)
            }
            StderrLine::Text(text) => {
                messages.push(text.clone());
                Some(text)
            }
        };
        let Some(line) = line else {
            return;
        };
        self.state.send_modify(|state| {
            state.steps += 1;
            state.lines.push_back(line);
            while state.lines.len() > PROGRESS_LINES_MAX {
                state.lines.pop_front();
            }
        });
    }
}

/// Waits for the run's turn, runs its command, removes its folder, and then publishes its outcome.
async fn perform(run: Arc<Run>, work: Work, slot: Arc<Semaphore>) {
    let turn = tokio::select! {
        turn = slot.acquire() => turn.ok(),
        () = run.cancelled() => None,
    };
    let Work {
        kind,
        mut invocation,
        workspace,
        report,
        asks,
        ..
    } = work;
    // The turn comes first: what a run before it did not spend is left for this one.
    let held = match (&turn, &asks) {
        (Some(_), Some(asks)) => asks.hold(&mut invocation).map(Some),
        _ => Ok(None),
    };
    let outcome = match (&turn, &held) {
        (None, _) => RunOutcome::Cancelled,
        (Some(_), Err(error)) => RunOutcome::Failed(error.clone()),
        (Some(_), Ok(_)) => {
            run.state.send_modify(|state| state.phase = Phase::Running);
            let mut messages = Messages::default();
            let on_line = |line: &str| run.on_line(line, &mut messages);
            match invocation.run(on_line, run.cancelled()).await {
                Ok(finished) => {
                    let has_report =
                        report.is_none_or(|report| workspace.files().join(report).exists());
                    RunOutcome::read(kind, &finished, has_report, &messages)
                }
                Err(CommandFailure::Cancelled) => RunOutcome::Cancelled,
                Err(CommandFailure::Failed(error)) => RunOutcome::Failed(error),
            }
        }
    };
    if let (Ok(Some(held)), Some(asks)) = (held, asks) {
        asks.asking.settle(held, &asks.ledger);
    }
    // Removing the folder may wait for processes that were killed, and blocks the thread meanwhile.
    let _ = tokio::task::spawn_blocking(move || drop(workspace)).await;
    run.state.send_modify(|state| {
        state.phase = Phase::Ended;
        state.outcome = Some(Arc::new(outcome));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::child::WorkingFolder;
    use std::time::Duration;

    /// Returns the work of a run whose command is the test binary itself, which lists its tests.
    fn work(arguments: &[&str]) -> Work {
        let workspace = Workspace::new().unwrap();
        Work {
            kind: RunKind::Check,
            invocation: Invocation {
                kind: crate::mcp::fence::CommandKind::Running,
                arguments: arguments.iter().map(Into::into).collect(),
                last: None,
                model: None,
                folder: WorkingFolder::Own(workspace.files()),
                temporary: workspace.temporary(),
                workspace: workspace.path().to_owned(),
                roots: Vec::new(),
                time_max: Duration::from_secs(60),
            },
            workspace,
            report: None,
            sources: BTreeMap::new(),
            asks: None,
        }
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(future)
    }

    #[test]
    fn runs_wait_for_each_other_and_a_waiting_one_can_be_called_off() {
        block_on(async {
            let runs = Runs::default();
            let turn = Arc::clone(&runs.slot).acquire_owned().await.unwrap();
            let start = || runs.start(work(&["--list"]));
            let first = start().unwrap();
            let second = start().unwrap();
            let folder = second.id.clone();
            assert_eq!((&*first.id, &*second.id), ("check-1", "check-2"));
            assert_eq!(runs.ahead_of(&second), 1);
            second.cancel();
            second.ended().await;
            assert!(
                matches!(*second.state().outcome.unwrap(), RunOutcome::Cancelled),
                "{folder}"
            );
            assert_eq!(first.state().phase, Phase::Waiting);
            for _ in 1..RUNS_OPEN_MAX {
                start().unwrap();
            }
            let refused = start().unwrap_err();
            assert!(refused.text().contains("check-1"), "{}", refused.text());
            drop(turn);
            first.ended().await;
            // It lists tests, which is no JSON.
            assert!(matches!(
                *first.state().outcome.unwrap(),
                RunOutcome::Failed(_)
            ));
            runs.end().await;
            assert!(runs.all().iter().all(|run| run.has_ended()));
            assert!(start().is_err());
        });
    }

    #[test]
    fn the_oldest_ended_runs_are_forgotten() {
        block_on(async {
            let runs = Runs::default();
            let _turn = Arc::clone(&runs.slot).acquire_owned().await.unwrap();
            for _ in 0..RUNS_KEPT_MAX + 3 {
                let run = runs.start(work(&[])).unwrap();
                run.cancel();
                run.ended().await;
            }
            let kept = runs.all();
            assert!(kept.len() <= RUNS_KEPT_MAX + 1, "{}", kept.len());
            assert!(
                runs.find("check-1")
                    .unwrap_err()
                    .text()
                    .contains("check-19")
            );
            assert!(runs.find("check-19").is_ok());
        });
    }
}
