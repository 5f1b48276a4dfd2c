//! `bakeoff build`: one prototype, or workload, to a component.

use super::Status;
use super::failure::Failure;
use super::options::{Format, Output, Safety};
use crate::build::{Built, Kind, Request};
use crate::config::Policy;
use crate::coordinate::{Tools, wasi_imports};
use crate::interface::{Interface, World};
use bakeoff_domain::spec::Code;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Builds a Rust file to a component, fenced, without cargo.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff build heap.rs --wit wit --call top-k              says what came out
  bakeoff build heap.rs --wit wit --call top-k -o heap.wasm
  bakeoff build workload.rs --wit wit --call top-k --world workload -o workload.wasm")]
pub(super) struct Arguments {
    /// The file: Rust source, or a component to be checked again
    file: PathBuf,
    #[command(flatten)]
    interface: InterfaceArguments,
    /// Where to write the component
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    safety: Safety,
}

/// Which interface the code is for.
#[derive(Clone, Debug, Args)]
pub(super) struct InterfaceArguments {
    /// The WIT: a file, or a folder of them
    #[arg(long, value_name = "PATH", default_value = "wit")]
    pub(super) wit: PathBuf,
    /// The function that is called: top-k, or interface.function
    #[arg(long, value_name = "NAME")]
    pub(super) call: String,
    /// Which of the interface's worlds the code is for
    #[arg(long, value_enum, default_value = "prototype")]
    pub(super) world: WorldName,
}

/// A world by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum WorldName {
    /// What is measured
    Prototype,
    /// What makes inputs and judges answers
    Workload,
}

impl InterfaceArguments {
    pub(super) fn load(&self) -> Result<Arc<Interface>, Failure> {
        let interface = Interface::load(&self.wit, &self.call);
        interface
            .map(Arc::new)
            .map_err(|error| Failure::usage(error.to_string()))
    }

    pub(super) fn world(&self) -> World {
        match self.world {
            WorldName::Prototype => World::Prototype,
            WorldName::Workload => World::Workload,
        }
    }
}

/// Code by its file's name: what ends in `.wasm` is a component.
pub(super) fn code_of(file: &Path) -> Code {
    match file.extension().is_some_and(|end| end == "wasm") {
        true => Code::Component(file.to_owned()),
        false => Code::Source(file.to_owned()),
    }
}

/// What is said of a build in JSON.
#[derive(Serialize)]
struct Said<'a> {
    file: String,
    digest: &'a str,
    component_bytes: usize,
    imports: &'a [String],
    exports: &'a [String],
    source_lines: Option<u64>,
    build_cpu_seconds: f64,
    cached: bool,
    confinement: &'a str,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let (built, level) = built(
        &arguments.file,
        &arguments.interface,
        &arguments.safety,
        output,
    )
    .await?;
    let built = match built {
        Ok(built) => built,
        Err(failure) => return Err(Failure::variant(&failure)),
    };
    if let Some(path) = &arguments.output {
        std::fs::write(path, &built.component)
            .map_err(|error| Failure::usage(format!("cannot write {}: {error}", path.display())))?;
    }
    say(&built, &arguments.file, level, output)?;
    Ok(Status::Done)
}

/// Builds a file for an interface; the inner error is the code's own.
pub(super) async fn built(
    file: &Path,
    interface: &InterfaceArguments,
    safety: &Safety,
    output: &Output,
) -> Result<
    (
        Result<Arc<Built>, bakeoff_domain::failure::Failure>,
        &'static str,
    ),
    Failure,
> {
    let interface_read = interface.load()?;
    let quiet = output.quiet;
    let mut tell = move |text: &str| {
        if !quiet {
            anstream::eprintln!("{text}");
        }
    };
    let policy = Policy::of_host()?;
    let tools = Tools::open(
        safety.unconfined(&policy)?,
        wasi_imports(&policy),
        safety.cache_dir.as_deref(),
        1,
        &mut tell,
    )
    .await?;
    let code = match crate::coordinate::read_code(&code_of(file), Path::new("")) {
        Ok(code) => code,
        Err(failure) => return Ok((Err(failure), tools.confinement.level().name())),
    };
    let request = Request {
        interface: interface_read,
        world: interface.world(),
        code,
        kind: Kind::Release,
    };
    Ok((
        tools.builder.build(&request).await,
        tools.confinement.level().name(),
    ))
}

fn say(built: &Built, file: &Path, level: &str, output: &Output) -> Result<(), Failure> {
    let said = Said {
        file: file.display().to_string(),
        digest: &built.digest,
        component_bytes: built.component.len(),
        imports: &built.imports,
        exports: &built.exports,
        source_lines: built.source_lines,
        build_cpu_seconds: built.cpu.as_secs_f64(),
        cached: built.cached,
        confinement: level,
    };
    match output.format {
        Format::Json => super::show::write_json(&said),
        _ => {
            let shown = crate::render::inert::Plain(&said.file).to_string();
            let imports = match built.imports.is_empty() {
                true => "nothing".to_owned(),
                false => built.imports.join(", "),
            };
            let text = format!(
                "{shown}\n  component  {} bytes, {}\n  exports    {}\n  imports    {imports}\n  built      {}, confinement {level}\n",
                said.component_bytes,
                said.digest,
                built.exports.join("\n             "),
                match built.cached {
                    true => "before: taken from the cache".to_owned(),
                    false => format!("now, with {:.2} s of CPU", said.build_cpu_seconds),
                },
            );
            super::show::write(&text)
        }
    }
}
