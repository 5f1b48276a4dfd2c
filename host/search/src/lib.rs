//! A search for better approaches, in rounds, before a race.
//!
//! Results of a round steer and nothing else: candidates are built, checked, and timed for a short time against the best so
//! far. No verdict comes from here. What is claimed comes from the race that follows, on inputs that are drawn after the
//! last candidate was made, among the best few and the approaches that the search began with. So a thousand candidates
//! cost no error, and the luck of the best of them does not count.

mod archive;
mod basis;
mod candidate;
mod differences;
mod error;
mod experiments;
mod function_fuel;
mod journal;
mod kept_search;
mod niches;
mod open_round;
mod parent_differences;
mod populations;
mod random;
mod request;
mod round_candidates;
mod searching;
mod space;
mod summary;
mod told_knowledge;
mod ways;

pub use archive::Archive;
pub use candidate::{Candidate, CandidateOutcome, NewCandidate, Program};
pub use error::SearchError;
pub use kept_search::{known, rounds_over};
pub use niches::Niching;
pub use parent_differences::difference;
pub use request::{FinishedSearch, SearchRequest};
pub use round_candidates::wanted_ways;
pub use searching::search;
pub use space::Values;
pub use summary::{SearchState, rows};
