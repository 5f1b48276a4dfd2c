//! The integration tests: one binary, one module for each subject.

mod bad_input;
mod build;
mod cheats;
mod commands;
mod config;
mod confine;
mod derived;
mod doctor;
mod finished;
mod golden;
mod hostile;
mod interface;
mod lowering;
mod readings;
mod render;
mod replica;
mod resume;
mod run;
mod seeds;
mod stalls;
mod store;
mod support;
mod tidy;
mod timed;
mod verify;
mod wasi;
