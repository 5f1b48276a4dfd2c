//! `bakeoff check`: whether a file fits an interface, and why not.

use super::Status;
use super::build::InterfaceArguments;
use super::failure::Failure;
use super::options::{Format, Output, Safety};
use crate::render::inert::Plain;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Says whether a prototype or component fits the interface: what it exports and imports, and what
/// it would be refused for. Nothing of it runs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff check heap.wasm --wit wit --call top-k
  bakeoff check heap.rs --wit wit --call top-k --format json")]
pub(super) struct Arguments {
    /// The file: a component, or Rust source
    file: PathBuf,
    #[command(flatten)]
    interface: InterfaceArguments,
    #[command(flatten)]
    safety: Safety,
}

#[derive(Serialize)]
struct Said {
    file: String,
    accepted: bool,
    exports: Vec<String>,
    imports: Vec<String>,
    refusal: Option<bakeoff_domain::failure::Failure>,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let (built, _) = super::build::built(
        &arguments.file,
        &arguments.interface,
        &arguments.safety,
        output,
    )
    .await?;
    let file = arguments.file.display().to_string();
    let said = match built {
        Ok(built) => Said {
            file,
            accepted: true,
            exports: built.exports.clone(),
            imports: built.imports.clone(),
            refusal: None,
        },
        Err(failure) if failure.class.is_of_the_machine() => {
            return Err(Failure::variant(&failure));
        }
        Err(failure) => Said {
            file,
            accepted: false,
            exports: Vec::new(),
            imports: Vec::new(),
            refusal: Some(failure),
        },
    };
    let status = if said.accepted {
        Status::Done
    } else {
        Status::NoAnswer
    };
    match output.format {
        Format::Json => super::show::write_json(&said)?,
        _ => super::show::write(&text(&said))?,
    }
    Ok(status)
}

fn text(said: &Said) -> String {
    let file = Plain(&said.file);
    match &said.refusal {
        Some(failure) => {
            let limit = failure
                .limit
                .as_ref()
                .map_or(String::new(), |limit| format!(" ({limit})"));
            let lines: Vec<String> = failure
                .message
                .lines()
                .map(|line| Plain(line).to_string())
                .collect();
            format!(
                "{file} would be refused: {}{limit}\n{}\n",
                failure.class,
                lines.join("\n")
            )
        }
        None => {
            let imports = match said.imports.is_empty() {
                true => "nothing".to_owned(),
                false => said.imports.join(", "),
            };
            format!(
                "{file} fits\n  exports    {}\n  imports    {imports}\n",
                said.exports.join("\n             ")
            )
        }
    }
}
