//! The integration tests: one binary, one module for each subject.

mod bad_input;
mod build;
mod commands;
mod config;
mod confine;
mod golden;
mod interface;
mod render;
mod resume;
mod run;
mod store;
mod support;
mod tidy;
mod verify;
