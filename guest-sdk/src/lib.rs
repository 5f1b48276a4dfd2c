#![doc = include_str!("../README.md")]

pub mod aggregator;
pub mod allocator;
pub mod diagnostic;
pub mod evaluator;
mod export;
mod flags;
pub mod json;
// Not for authors of guests: it is compiled around prototypes, and here for its tests alone.
#[cfg(test)]
pub mod native;
pub mod parameters;
pub mod proposer;
pub mod random;
pub mod rt;
#[doc(hidden)]
pub mod worlds;

pub use random::Rng;
#[cfg(target_arch = "wasm32")]
use worlds::proposer::ask;
