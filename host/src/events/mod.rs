//! Events: everything that happens in a run, told once, to everyone who listens.
//!
//! A run says what it does as a sequence of [`Envelope`]s. The store keeps them (in its table and
//! in `events.jsonl`), the terminal shows them, `progress.json` is folded from them: all consume
//! the same values, through [`Sink`]. Nothing here does I/O except reading the clock.

mod broadcast;
mod clock;
mod envelope;
mod event;
mod progress;

pub use broadcast::{Broadcast, Sink};
pub use clock::{Clock, SystemClock, rfc3339};
pub use envelope::{ENVELOPE_VERSION, Envelope, Stamper};
pub use event::{Event, Origin, Stage};
pub use progress::{Progress, StageProgress, VariantProgress, VariantState};
