//! The integration tests: one binary, one module for each subject.

mod config;
mod confine;
mod store;
mod tidy;
