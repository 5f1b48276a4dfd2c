//! bakeoff tries the ways to solve a problem in a sandbox, measures them against each other, and
//! says which one to take, how sure that is, and what would change its mind.
//!
//! The rooms stand in the order of `ARCHITECTURE.md`: each uses only those before it.

pub mod audit;
pub mod cli;
pub mod compile;
pub mod config;
pub mod confine;

pub mod doctor;
pub mod engine;
pub mod evaluate;
pub mod events;
pub mod files;
pub mod interface;
pub mod invoke;
pub mod mcp;
pub mod measure;
pub mod propose;
pub mod provider;
pub mod render;
pub mod run;
pub mod sandbox;
pub mod source;
pub mod store;
pub mod tasks;
