//! The store: what a run has found out, kept so that nothing finished is lost or done twice.
//!
//! A folder `.bakeoff/NAME` holds one SQLite database with all runs of an experiment, and files
//! for people beside it. This is the only room that knows SQL. The layout of the folder and the
//! views that a user may query are described in `docs/store.md`.
//!
//! - One writer at a time, by a lock on the folder; readers never wait.
//! - One commit per result: whoever is killed loses what was not finished, and nothing else.
//! - Every result is found again by the digest of what it depends on ([`Key`]), not by its name:
//!   what changed is done again, the rest is kept.
//! - A database that cannot be understood is never written to.

pub mod bundle;
mod compare;
mod error;
mod export;
mod files;
mod history;
mod journal;
mod key;
mod links;
mod lock;
mod older;
mod open;
mod replicas;
mod results;
mod runs;
mod safe_id;
mod schema;

pub use compare::{RunComparison, VariantChange, VerdictChange, compare};
pub use error::StoreError;
pub use export::{Format, Table};
pub use files::{Files, IterationFile, ReportFile};
pub use history::RunSummary;
pub use key::{Key, input};
pub use lock::{Holder, Lock};
pub use open::{Mode, Store};
pub use replicas::{Race, RaceId};
pub use results::{Kind, Owner, Stored, Trial};
pub use runs::{Begun, RunId, RunMeta, RunStatus, Start};
pub use safe_id::SafeId;
