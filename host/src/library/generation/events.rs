//! Events of a model at work, beside the experiment: `.bakeoff/generation.events.jsonl`. They are for whoever watches;
//! nothing is decided by them, and where they cannot be written, one warning says so.

use super::places::KEPT;
use bakeoff_files::Folder;
use bakeoff_propose::{OnStep, ProposalOutcome, WritingStep};
use bakeoff_provider::{ProgressStep, QuestionProgress};
use bakeoff_render::escape::Plain;
use bakeoff_store::events::{DUPLICATE, Envelope, Event, PASSED, Stamper, WritingProgress};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Path of the events, in the folder of an experiment: those of the last command that asked a model.
const FILE: &str = ".bakeoff/generation.events.jsonl";

/// The largest file, in bytes: what comes then is left out.
const BYTES_MAX: u64 = 4 << 20;

/// Events of one command that asks a model.
#[derive(Clone)]
pub(crate) struct GenerationEvents(Arc<Mutex<Log>>);

struct Log {
    /// The file; `None` if it cannot be written.
    file: Option<File>,
    stamper: Stamper,
    bytes: u64,
    /// Receiver of each event, in their order.
    tell: Box<dyn Fn(&Envelope) + Send>,
}

impl GenerationEvents {
    /// Begins the events of a command in the place of those of the last one. `wanted` is the number of approaches, 0 if a
    /// plan decides it. `tell` receives each event.
    pub(crate) fn begin(
        dir: &Path,
        (wanted, criteria): (u32, Vec<String>),
        tell: impl Fn(&Envelope) + Send + 'static,
        say: &mut dyn FnMut(&str),
    ) -> Self {
        let file = begun(dir);
        if let Err(error) = &file {
            let path = dir.join(FILE).display().to_string();
            let error = error.to_string();
            say(&format!(
                "{} cannot be written, so nobody can watch: {}",
                Plain(&path),
                Plain(&error)
            ));
        }
        let events = Self(Arc::new(Mutex::new(Log {
            file: file.ok(),
            stamper: Stamper::new(0),
            bytes: 0,
            tell: Box::new(tell),
        })));
        events.emit(Event::ExplorationStart {
            num_approaches: wanted,
            criteria,
        });
        events
    }

    /// Returns the receiver of the steps of approaches.
    pub(crate) fn on_step(&self) -> OnStep {
        let events = self.clone();
        OnStep::new(move |step| events.emit(of_step(step)))
    }

    /// Takes the progress of a question.
    pub(crate) fn on_call(&self, progress: &QuestionProgress) {
        let (purpose, subject) = (progress.purpose.name().to_owned(), progress.subject.clone());
        match progress.step {
            ProgressStep::Sent => self.emit(Event::CallStart { purpose, subject }),
            ProgressStep::Received { is_recorded } => self.emit(Event::CallComplete {
                purpose,
                subject,
                recorded: is_recorded,
            }),
            _ => {}
        }
    }

    /// Ends the events.
    pub(crate) fn end(&self, is_complete: bool) {
        self.emit(Event::WritingComplete { is_complete });
    }

    fn emit(&self, event: Event) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let envelope = log.stamper.wrap(event);
        log.stamper.accept(&envelope);
        (log.tell)(&envelope);
        // A disk that is full ends the file, and nothing else.
        if log.write(&envelope).is_err() {
            log.file = None;
        }
    }
}

impl Log {
    fn write(&mut self, envelope: &Envelope) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let line = serde_json::to_string(envelope)? + "\n";
        let bytes = self.bytes + line.len() as u64;
        if bytes > BYTES_MAX {
            return Ok(());
        }
        file.write_all(line.as_bytes())?;
        self.bytes = bytes;
        Ok(())
    }
}

/// Puts an empty file in the place of the last one.
fn begun(dir: &Path) -> io::Result<File> {
    let folder = Folder::made_by_user(dir)?;
    folder.make(KEPT)?;
    let new = folder.new_private_file(FILE)?;
    let file = new.file().try_clone()?;
    new.put_in_place()?;
    Ok(file)
}

fn of_step(step: &WritingStep) -> Event {
    match step.clone() {
        WritingStep::Idea { name, description } => Event::ApproachGenerated {
            approach_id: name,
            description,
        },
        WritingStep::Begun { name } => Event::ApproachStart { approach_id: name },
        WritingStep::Tried {
            name,
            attempt,
            failure,
        } => Event::AttemptComplete {
            approach_id: name,
            attempt,
            outcome: failure.unwrap_or(PASSED).to_owned(),
        },
        WritingStep::Ended { name, outcome } => Event::ApproachWritten {
            approach_id: name,
            outcome: match outcome {
                ProposalOutcome::Passed => PASSED.to_owned(),
                ProposalOutcome::Duplicate { .. } => DUPLICATE.to_owned(),
                ProposalOutcome::Failed { class, .. } => class.to_owned(),
            },
        },
    }
}

/// Returns the progress of the last command that asked a model in a folder, which may have come from anybody; `None` if
/// there is none that can be read.
pub(crate) fn writing(dir: &Path) -> Option<WritingProgress> {
    let folder = Folder::named_by_user(dir).ok()?;
    let bytes = folder.read(FILE, BYTES_MAX).ok()??;
    let mut writing = WritingProgress::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        // What another bakeoff wrote, or is being written, is passed over.
        if let Ok(envelope) = serde_json::from_slice::<Envelope>(line) {
            writing.apply(&envelope);
        }
    }
    Some(writing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_store::events::WritingState;
    use std::fs;

    #[test]
    fn what_is_written_is_read_back_and_a_link_is_not_written_through() {
        let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let mut said = Vec::new();
        let mut say = |text: &str| said.push(text.to_owned());
        let events = GenerationEvents::begin(folder.path(), (2, Vec::new()), |_| {}, &mut say);
        let step = |name: &str| WritingStep::Begun {
            name: name.to_owned(),
        };
        events.emit(of_step(&step("heap")));
        let file = folder.path().join(FILE);
        let torn = fs::read_to_string(&file).unwrap() + "{\"version\":";
        fs::write(&file, torn).unwrap();
        let read = writing(folder.path()).unwrap();
        assert_eq!(read.wanted, 2);
        assert_eq!(read.approaches["heap"].state, WritingState::Writing);
        assert!(!read.has_ended);

        let at = other.path().join(".bakeoff");
        std::os::unix::fs::symlink(folder.path(), at).unwrap();
        let events = GenerationEvents::begin(other.path(), (2, Vec::new()), |_| {}, &mut say);
        events.emit(of_step(&step("sort")));
        assert!(writing(other.path()).is_none());
        assert_eq!(said.len(), 1, "{said:?}");
    }
}
