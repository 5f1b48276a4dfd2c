//! Values of several variants that were measured in blocks outside of a sandbox: run times of commands, or what
//! somebody's harness wrote. Verdicts about them follow by the rules of a race in which each block is a replica
//! with one sample of every variant (docs/judging.md).

mod conclude;
mod judge;
mod notes;
mod quantity;
mod race;
mod report;
mod rows;
mod words;

pub use conclude::{SeriesFacts, conclude};
pub use judge::{JudgeError, JudgeSettings, SeriesJudge};
pub use notes::blocks_needed;
pub use quantity::{Quantity, ValueError, ValueScale};
pub use race::{BlockValue, SeriesRace, SeriesSettings, SeriesVerdicts};
pub use report::{
    AlsoMeasured, CaseValues, SERIES_SCHEMA_VERSION, SeriesEnd, SeriesReport, SeriesVariant,
    SeriesVerdict,
};
pub use rows::{Block, Blocks, OrderInBlocks, Row, RowError};
