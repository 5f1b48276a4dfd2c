//! The binary: a child of a run, or the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    bakeoff::enter_if_child().unwrap_or_else(bakeoff::cli::main)
}
