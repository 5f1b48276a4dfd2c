//! The results of runs, stored so that nothing finished is lost or done twice.
//!
//! A folder `.bakeoff/NAME` holds one SQLite database with all runs of an experiment, and files
//! for people beside it. This is the only room that knows SQL. The layout of the folder and the
//! views that a user may query are described in `docs/store.md`.
//!
//! - One writer at a time, by a lock on the folder; readers never wait.
//! - One commit per result: a process that is killed loses only what was not finished.
//! - Every result is looked up by the digest of what it depends on ([`Key`]), not by its name:
//!   what changed is done again, the rest is reused.
//! - A database that cannot be understood, or that somebody else wrote, is never written to; nothing
//!   in it runs, and its rows are imported into one of ours before they are used.

mod atomic_file;
pub mod bundle;
mod contents;
mod database_folder;
mod error;
mod event_log;
pub mod events;
mod examine;
mod export;
mod export_bounds;
mod export_cell;
mod file_opening;
mod files;
mod fingerprint;
mod guarded;
mod history;
mod holder;
mod import;
mod journal;
mod key;
mod links;
mod lock;
mod open;
mod replicas;
mod results;
mod results_place;
mod run_facts;
mod runs;
mod safe_id;
mod schema;
mod seal;
mod seal_again;
mod set_aside;
mod system;
mod tables;
mod variants;

pub use crate::events::RunStatus;
pub use contents::Contents;
pub use error::StoreError;
pub use examine::Origin;
pub use export::{ExportFormat, ExportTable};
pub use files::{DATABASE, Files, IterationFile, NATIVELY, ReportFile};
pub use fingerprint::Fingerprint;
pub use history::RunSummary;
pub use holder::LockHolder;
pub use key::{Key, input};
pub use lock::{LOCK_FILE, Lock};
pub use open::{Mode, Store};
pub use replicas::{RaceId, RaceLists};
pub use results::{Owner, ResultKind, StoredResult, Trial};
pub use results_place::ResultsPlace;
pub use run_facts::RunFacts;
pub use runs::{RunId, RunMeta, Start, StartedRun};
pub use safe_id::SafeId;
#[doc(hidden)]
pub use seal_again::seal_again;
pub use variants::{StoredIteration, StoredVariant};
