//! The binary: everything is in the library.

use bakeoff::{build, confine};
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(status) = confine::enter_if_child(&[confine::PROBE, build::builder_role()]) {
        return status;
    }
    ExitCode::SUCCESS
}
