//! `bakeoff check`: whether a file fits an interface, and why not.

use super::Status;
use super::build::InterfaceArguments;
use super::failure::Failure;
use super::options::{Format, Output, Safety};
use crate::build::{Provision, provision};
use crate::render::inert::Plain;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Says whether a prototype or component fits the interface: what it exports and imports, and what
/// it would be refused for. WASI 0.2 is virtual: what stands behind each import is said.
/// Nothing of it runs.
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

/// Between the lines of a list.
const NEXT: &str = "\n             ";

#[derive(Serialize)]
struct Said {
    file: String,
    accepted: bool,
    exports: Vec<String>,
    imports: Vec<String>,
    /// What a component gets for each of its imports.
    gets: Vec<Gets>,
    refusal: Option<bakeoff_domain::failure::Failure>,
}

/// An import, and what stands behind it.
#[derive(Serialize)]
struct Gets {
    import: String,
    gets: &'static str,
}

/// What stands behind each import of an accepted component.
fn gets(imports: &[String]) -> Vec<Gets> {
    let gets = |import: &String| match provision(import) {
        Provision::Virtual(gets) => Some(Gets {
            import: import.clone(),
            gets,
        }),
        Provision::Refused(_) => None,
    };
    imports.iter().filter_map(gets).collect()
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
            gets: gets(&built.imports),
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
            gets: Vec::new(),
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
            let shown = |gets: &Gets| format!("{}: {}", Plain(&gets.import), gets.gets);
            let imports = match said.gets.is_empty() {
                true => "nothing".to_owned(),
                false => said.gets.iter().map(shown).collect::<Vec<_>>().join(NEXT),
            };
            format!(
                "{file} fits\n  exports    {}\n  imports    {imports}\n",
                said.exports.join(NEXT)
            )
        }
    }
}
