//! The hostile corpus: what prototypes, components, workloads and experiments try, through the
//! built binary, as whoever sends them would. `docs/security.md` has the table of all cases; some
//! are tests of other modules.

mod batch;
mod build_cases;
mod components;
mod environment;
mod folder;
mod foreign;
mod harness;
mod judged;
mod kept;
mod killed;
mod linked;
mod load_cases;
mod long_texts;
mod natively;
mod neighbours;
mod parsers;
mod place_tables;
mod places;
mod planting;
mod programs;
mod results;
mod revisions;
mod run_cases;
mod seeds;
mod sessions;
mod slow;
mod surroundings;
mod table;
