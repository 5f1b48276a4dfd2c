//! `bakeoff completions`, `bakeoff man` and `bakeoff schema`: what shells, manuals and editors read.

use super::failure::Failure;
use super::{Status, show};
use bakeoff_files::{Folder, Scratch};
use clap::{Args, Command};
use clap_complete::aot::{self, Shell};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The name of the program in completions.
const PROGRAM: &str = "bakeoff";

/// The most pages of the manual, and the most bytes of a page.
const PAGES_MAX: usize = 1000;
const PAGE_BYTES_MAX: u64 = 1 << 20;

/// Writes completions of commands and options for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff completions bash > ~/.local/share/bash-completion/completions/bakeoff
  bakeoff completions fish > ~/.config/fish/completions/bakeoff.fish")]
pub(super) struct CompletionArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Writes the manual: one page to stdout, or the pages of all commands to a folder
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff man | man -l -
  bakeoff man --out ~/.local/share/man/man1")]
pub(super) struct ManArguments {
    /// The folder for the pages of all commands
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Writes the JSON schema of `bakeoff.toml`, for completion and checks in an editor
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff schema > bakeoff.schema.json
  # then, as the first line of bakeoff.toml:
  #:schema ./bakeoff.schema.json")]
pub(super) struct SchemaArguments {}

/// Writes the schema to stdout.
pub(super) fn schema(SchemaArguments {}: &SchemaArguments) -> Result<Status, Failure> {
    show::write(&bakeoff_config::schema())?;
    Ok(Status::Done)
}

pub(super) fn complete(
    arguments: &CompletionArguments,
    mut program: Command,
) -> Result<Status, Failure> {
    let mut script = Vec::new();
    aot::generate(arguments.shell, &mut program, PROGRAM, &mut script);
    show::write(&String::from_utf8_lossy(&script))?;
    Ok(Status::Done)
}

pub(super) fn man(arguments: &ManArguments, program: Command) -> Result<Status, Failure> {
    match &arguments.out {
        Some(folder) => {
            write_pages(program, folder).map_err(|error| {
                Failure::usage(format!("cannot write to {}: {error}", folder.display()))
            })?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(program)
                .render(&mut page)
                .map_err(Failure::infrastructure)?;
            show::write(&String::from_utf8_lossy(&page))?;
        }
    }
    Ok(Status::Done)
}

/// Writes the pages of the manual into a folder that the user named. They are generated in a temporary folder first: a
/// file in the user's folder that has the name of a page may be a link, or anything else.
fn write_pages(program: Command, folder: &Path) -> io::Result<()> {
    let made = Scratch::new()?;
    clap_mangen::generate_to(program, made.work())?;
    let (made, folder) = (
        Folder::named_by_user(made.work())?,
        Folder::made_by_user(folder)?,
    );
    for page in made.entries(PAGES_MAX)?.unwrap_or_default() {
        let bytes = made.read(&page.name, PAGE_BYTES_MAX)?.unwrap_or_default();
        let new = folder.new_file(&page.name)?;
        new.file().write_all(&bytes)?;
        new.put_in_place()?;
    }
    Ok(())
}
