//! `bakeoff header`: the header that a prototype in C or C++ includes, or the module that one in Zig imports.

use super::build::{InterfaceArguments, WorldName};
use super::failure::Failure;
use super::options::{Format, Output};
use super::{Status, show};
use bakeoff_render::escape::Lines;
use clap::Args;
use std::path::PathBuf;

/// Prints what a prototype in C or C++ includes as "prototype.h", or one in Zig imports as "prototype": the types and
/// functions of an interface
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff header wit --call top-k > prototype.h     for an editor; builds make their own
  bakeoff header wit --call top-k --zig > prototype.zig

docs/languages.md says what sources in C and Zig need.")]
pub(super) struct Arguments {
    /// The WIT file, or a folder of WIT files
    #[arg(default_value = "wit")]
    wit: PathBuf,
    /// The function to call: top-k, or interface.function
    #[arg(long, value_name = "NAME")]
    call: String,
    /// Declare the function that asks for values of a `sweep`, too
    #[arg(long)]
    sweep: bool,
    /// Print the module for Zig in place of the header
    #[arg(long)]
    zig: bool,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human])?;
    let interface = InterfaceArguments {
        wit: Some(arguments.wit.clone()),
        call: Some(arguments.call.clone()),
        world: WorldName::Prototype,
    };
    let interface = interface.load()?;
    let header = if arguments.zig {
        bakeoff_compile::zig_module(&interface, arguments.sweep)
    } else {
        bakeoff_compile::c_header(&interface, arguments.sweep)
    };
    let header = header.map_err(|failure| Failure::usage(failure.message))?;
    show::write(&Lines(&header).to_string())?;
    Ok(Status::Done)
}
