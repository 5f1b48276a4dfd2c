//! Experiments of tasks: each is run as `bakeoff run` does, with the leave of the host's policy alone.

use crate::library::{Error, ErrorKind, Experiment, Outcome, Report};
use bakeoff_agents::{RunExperiments, TaskExperiment, TaskExperimentAnswer};
use bakeoff_files::Folder;
use bakeoff_source::SOURCE_BYTES_MAX;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two looks for an interruption.
const LOOK: Duration = Duration::from_millis(100);

/// Runs experiments in this process, one after the other: two at a time would take each other's cores.
#[derive(Debug, Default)]
pub(super) struct Experiments {
    one: Mutex<()>,
}

impl RunExperiments for Experiments {
    fn run(&self, wanted: &TaskExperiment<'_>) -> TaskExperimentAnswer {
        let _only = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        match answer(wanted) {
            Ok((source, text)) => TaskExperimentAnswer::Take { source, text },
            Err(_) if wanted.interrupted.load(Ordering::Relaxed) => {
                TaskExperimentAnswer::Interrupted
            }
            Err(reason) => TaskExperimentAnswer::None(reason),
        }
    }
}

/// Runs an experiment, and returns the source that is to be taken, with the answer in words, or why there is none.
fn answer(wanted: &TaskExperiment<'_>) -> Result<(Vec<u8>, String), String> {
    let in_words = |error: Error| error.to_string();
    let experiment = Experiment::open(wanted.files.join(wanted.file)).map_err(in_words)?;
    let experiment = experiment.results(&wanted.results);
    let report = run(&experiment, wanted).map_err(|error| {
        if error.kind() == ErrorKind::Stopped {
            let wall = wanted.wall;
            format!("the experiment did not end within {wall:?}: --time gives it longer")
        } else {
            error.to_string()
        }
    })?;
    let text = report.answer();
    let Some(id) = taken(&report) else {
        return Err(format!("no variant is to be taken: {text}"));
    };
    let Some(file) = experiment.source_file(&id) else {
        return Err(format!(
            "{id} is to be taken, and is no source of one file, without parameters, of the experiment: {text}"
        ));
    };
    let source = read(wanted.files, &file);
    let source = source.map_err(|why| format!("cannot read {}: {why}", file.display()))?;
    Ok((source, text))
}

/// Returns the id of the winner, or of the first one of those that tie: where no verdict is missing, any of them will do.
fn taken(report: &Report) -> Option<String> {
    let id = match report.outcome() {
        Outcome::Winner => report.winner(),
        Outcome::Tie => report.tied().next(),
        Outcome::NoCall | Outcome::Nothing => None,
    };
    id.map(str::to_owned)
}

/// Runs an experiment, and stops it when the user interrupts the work, or its time is over.
fn run(experiment: &Experiment, wanted: &TaskExperiment<'_>) -> Result<Report, Error> {
    let stop = experiment.stopper();
    let began = Instant::now();
    thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        scope.spawn(move || {
            while is_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if wanted.interrupted.load(Ordering::Relaxed) || began.elapsed() >= wanted.wall {
                    stop();
                    return;
                }
            }
        });
        let report = experiment.run();
        drop(done);
        report
    })
}

/// Reads a source below the folder of all files. No link is followed.
fn read(files: &Path, file: &Path) -> Result<Vec<u8>, String> {
    let below = file.strip_prefix(files);
    let below = below.map_err(|_| "it lies outside of the repository".to_owned())?;
    let folder = Folder::named_by_user(files).map_err(|error| error.to_string())?;
    let read = folder.read(below, SOURCE_BYTES_MAX as u64);
    let read = read.map_err(|error| error.to_string())?;
    read.ok_or_else(|| "it is too large".to_owned())
}
