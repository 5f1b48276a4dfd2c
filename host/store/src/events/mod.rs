//! The events of a run: a sequence of [`Envelope`]s.
//!
//! The store writes them to its database and to `events.jsonl`, the terminal shows them, and
//! `progress.json` is computed from them: all receive the same values, through [`Sink`]. Nothing
//! here does I/O except reading the clock.

mod broadcast;
mod clock;
mod envelope;
mod event;
mod line;
mod named;
mod progress;
mod run_status;
mod writing;

pub use broadcast::{Broadcast, Sink};
pub use clock::{Clock, SystemClock, rfc3339};
pub use envelope::{ENVELOPE_VERSION, Envelope, Stamper};
pub use event::{Event, LeaderRatio, OpenPair, Origin, RATIOS_MAX, Stage, TasksState, WaitingTask};
pub use line::{checked_cases, line, standings, title};
pub use progress::{Progress, StageProgress, VariantProgress, VariantStage};
pub use run_status::RunStatus;
pub use writing::{ApproachWriting, DUPLICATE, PASSED, WritingProgress, WritingState};
