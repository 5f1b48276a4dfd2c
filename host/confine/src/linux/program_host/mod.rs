//! The host of a program: a child of its own fence, below which the program runs.

mod filter;
mod host;
mod running_program;

pub use host::PROGRAM_HOST;
