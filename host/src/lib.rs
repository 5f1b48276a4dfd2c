//! bakeoff tries the ways to solve a problem in a sandbox, measures them against each other, and
//! says which one to take, how sure that is, and what would change its mind.
//!
//! The rooms, from the ground up; each uses only what stands above it (`ARCHITECTURE.md`).

pub mod artifact;
pub mod build;
pub mod confine;
pub mod engine;
pub mod interface;
