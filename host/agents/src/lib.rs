//! Coding agents of the user, each in a worktree of its own behind a fence, and what they left.
//!
//! A worktree is a folder with the files of a commit, and a repository of its own in it, which borrows the objects of the
//! user's. Nothing is read of that inner repository again: what an agent left is committed from its files alone, by git
//! behind a fence with settings of our own.

mod attempt;
mod changes;
mod completion;
mod error;
mod experiment;
mod fenced;
mod git;
mod measurement;
mod names;
mod orders;
mod pick;
mod record;
mod sealed_file;
mod slots;
mod verification;
mod winner;
mod work;
mod worktree;

pub use bakeoff_programs::Reach;
pub use changes::Changes;
pub use completion::{Completion, Outcome, Verification};
pub use error::AgentError;
pub use experiment::{Experiment, WorktreeState};
pub use measurement::{MeasureOrders, Measurement, NotBuilt, THE_BASE, measure};
pub use names::{TEST_PATTERNS, is_name};
pub use orders::Orders;
pub use pick::{PickAnswer, PickedVariant};
pub use record::{Request, Variant};
pub use work::{News, NewsListener, work};
