//! `bakeoff header`: the header that a prototype in C or C++ includes.

use super::build::{InterfaceArguments, WorldName};
use super::failure::Failure;
use super::options::{Format, Output};
use super::{Status, show};
use bakeoff_render::escape::Lines;
use clap::Args;
use std::path::PathBuf;

/// Prints the header that a prototype in C or C++ includes as "prototype.h": the types and functions of an interface
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff header wit --call top-k > prototype.h     for an editor; builds make their own

docs/languages.md says what a source in C needs.")]
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
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human])?;
    let interface = InterfaceArguments {
        wit: Some(arguments.wit.clone()),
        call: Some(arguments.call.clone()),
        world: WorldName::Prototype,
    };
    let header = bakeoff_compile::c_header(&*interface.load()?, arguments.sweep);
    let header = header.map_err(|failure| Failure::usage(failure.message))?;
    show::write(&Lines(&header).to_string())?;
    Ok(Status::Done)
}
