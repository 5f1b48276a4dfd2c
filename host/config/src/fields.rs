//! The keys of the experiment file as data: what each takes, its bounds, its default and its meaning, once.
//!
//! The parser reads by these fields; the schema for editors (`experiment::schema`) is made of them, and so are the tables of
//! `docs/experiment.md`.

pub(crate) mod approach;
pub(crate) mod build;
pub(crate) mod criterion;
pub(crate) mod experiment;
pub(crate) mod field;
pub(crate) mod generate;
pub(crate) mod guests;
pub(crate) mod json;
pub(crate) mod kinds;
pub(crate) mod options;
pub(crate) mod problem;
pub(crate) mod prompts;
pub(crate) mod rounds;
pub(crate) mod tables;
#[cfg(test)]
mod tests;
