//! The binary: a child of a run, or the command line.

use bakeoff::{cli, compile, confine, measure};
use std::process::ExitCode;

fn main() -> ExitCode {
    match confine::enter_if_child(&[
        confine::PROBE,
        compile::builder_role(),
        compile::crates_role(),
        compile::reader_role(),
        measure::role(),
    ]) {
        Some(status) => status,
        None => cli::main(),
    }
}
