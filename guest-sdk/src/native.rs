//! The run-time of a prototype that is built for this machine: a program that gets the arguments of a call as a line of
//! JSON, and answers with a line. `docs/programs.md` has the form of each type.
//!
//! Values are read from the bytes of the line, and written into those of the answer, with nothing between: both are
//! inside the time that is measured.

pub mod program;
pub mod reader;
#[macro_use]
pub mod values;
pub mod writer;
