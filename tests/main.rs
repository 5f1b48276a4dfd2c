//! The integration tests: one binary, one module for each subject.

mod config;
mod confine;
mod tidy;
//! The integration tests: one binary, one module for each part that is tested from outside.

mod store;
