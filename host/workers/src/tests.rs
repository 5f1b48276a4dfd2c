//! Runs and workers with a wire in memory: honest ones, and such as lie.

mod liars;
mod memory;
mod together;
