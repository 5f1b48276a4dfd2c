//! The integration tests: one binary, one module for each subject.

mod build;
mod confine;
mod golden;
mod interface;
