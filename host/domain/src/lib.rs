//! The pure core of bakeoff: experiments, plans of measurements, and the verdicts, scores and reports
//! that follow from them.
//!
//! Nothing here does I/O, reads a clock, draws randomness of its own or knows the engine: seeds,
//! samples and settings come in as arguments, and values go out. The same input gives the same
//! output on every machine, which is what makes a finished run recomputable.
//!
//! The modules in the order in which they may use each other: [`spec`] → [`measurement`] → [`metric_share`] → [`stats`]
//! → [`plan`] → [`verdict`] → [`paired_times`] → [`reading_verdict`] → [`race`] → [`growth`] → [`score`] → [`report`] →
//! [`series`].
//! Beside them: [`failure`] (why a variant has no result), [`attempt`] (refused operations), [`ids`] (safe names),
//! [`anchored`] (two measurements by way of what did not change), [`numbers`] (numbers as text), [`wording`] (parts of sentences), [`oracle`] (the test of an oracle), [`generate`] (options for generating approaches),
//! [`reference`] (components in registries),
//! [`queue`] (the order of a run's tasks).

mod active;
mod aggregator;
pub mod anchored;
mod approach;
pub mod attempt;
mod code;
pub mod coverage;
pub mod crates;
mod declaring_place;
mod direction;
mod direction_words;
pub mod edition;
mod evaluator;
pub mod failure;
pub mod few_layouts;
pub mod function_fuel;
pub mod generate;
pub mod growth;
mod hex;
pub mod ids;
mod interval;
mod judge;
pub mod language;
mod logarithm;
pub mod measurement;
pub mod metric_share;
pub mod numbers;
pub mod oracle;
pub mod paired_times;
pub mod plan;
pub mod queue;
pub mod race;
pub mod reading_verdict;
pub mod reference;
pub mod report;
pub mod score;
pub mod series;
pub mod simd;
pub mod spec;
pub mod stats;
pub mod texts;
pub mod variant;
pub mod verdict;
pub mod wording;

pub use active::is_active;
pub use hex::hex;
