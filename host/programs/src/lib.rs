//! Commands that the user types, with the user's rights or [behind a fence](CommandFence): started and measured in blocks of which
//! each has every command once, in an order that is drawn.
//!
//! A command runs under a keeper (`bakeoff_confine::measured`), which measures it and ends whatever it leaves behind.
//! One that is told of events ([`EventListener`]) is kept in the same way, and not measured.

mod around;
mod blocks;
mod command_fence;
mod command_line;
mod error;
mod event_listener;
mod kept_comparison;
mod kept_options;
mod measure;
mod metric;
mod named_files;
mod news;
mod notes;
mod options;
mod places;
mod run;

// A test that starts commands is the keeper of them.
#[cfg(test)]
#[path = "../../confine/testing/keeper_before_main.rs"]
mod keeper_before_main;

pub use blocks::{CommandRun, TimingOutcome, compare};
pub use command_fence::{CommandFence, FenceReach, FencedCommand, allow_system};
pub use command_line::{CommandLine, CommandLineError, Shell};
pub use error::TimingError;
pub use event_listener::{END_WAIT_MAX, EventListener, LINES_WAITING_MAX, ListenerEnd};
pub use kept_comparison::{KEPT_FILE, KeptError, KeptOrigin, KeptTiming};
pub use kept_options::{KeptCommand, KeptDecides, KeptInput, KeptOptions, MeasuredMachine};
pub use metric::{CommandMetric, MetricError};
pub use named_files::NamedFile;
pub use news::{CommandStanding, News, OpenCommandPair};
pub use options::{Decides, TimedCommand, TimingOptions};
pub use places::SETUP_VARIABLE;
