//! Measuring: running guests in processes of their own, checking answers, and timing variants
//! against each other.
//!
//! The parent's side ([`check()`], [`race`](race::race)) starts runners and watches them; the child's
//! side ([`role`]) runs guests and reports. What is run in which order is a plan drawn elsewhere
//! ([`bakeoff_domain::plan`]), and what follows from the samples is decided elsewhere
//! ([`bakeoff_domain::race`]).

mod bounds;
mod check;
mod feed;
mod gate;
mod launch;
mod machine;
mod pilot;
pub mod protocol;
mod race;
mod rehearsal;
mod replica;
mod runner;
mod setting;
mod tally;
mod watch;
mod yardstick;

pub use check::{GateRecord, Hidden, check, diagnose, read_cases};
pub use machine::{cpu_model, load, usable_cores};
pub use pilot::Pilot;
pub use protocol::{Arguments, Instances, WaveCase};
pub use race::{Contender, Dropout, Kept, Listener, RaceError, RaceOptions, Raced, race};
pub use rehearsal::{Rehearsal, Repeated};
pub use runner::{ROLE, role};
pub use setting::{InputSource, Setting};
pub use tally::replay;
pub use watch::RunnerError;
pub use yardstick::yardstick_ns;
