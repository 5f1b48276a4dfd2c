//! `bakeoff prompts`: the templates of what a model is asked.

use super::failure::Failure;
use super::options::{Format, Output};
use super::{Status, show};
use crate::library::cannot_write;
use bakeoff_config::{PromptKind, Prompts};
use bakeoff_files::Folder;
use bakeoff_propose::{built_in_prompt, used_prompts};
use bakeoff_render::escape::{Lines, Plain};
use bakeoff_source::content_address;
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Shows the templates of what a model is asked, or writes them to files to begin from
///
/// Each question for ideas and sources is a text with named places. [prompts] in bakeoff.toml names files that take the place
/// of those that are built in. Nobody is asked anything.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff prompts                                  those that are built in
  bakeoff prompts my-question                      those by which this experiment asks
  bakeoff prompts --out my-question/prompts        as files, to change them
  bakeoff prompts --kind improve > my-question/improve.md")]
pub(super) struct Arguments {
    /// A folder with a bakeoff.toml, or such a file: its own templates are shown where it has some
    experiment: Option<PathBuf>,
    /// The text of one template alone: its key in [prompts]
    #[arg(long, value_name = "KEY", value_parser = kind_named, conflicts_with = "out")]
    kind: Option<PromptKind>,
    /// Write them to files in this folder, KEY.md; no file is overwritten
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// A template, in JSON.
#[derive(Serialize)]
struct PromptOutput {
    question: &'static str,
    about: &'static str,
    /// The file of the experiment; `null` where it is the one that is built in.
    file: Option<String>,
    /// SHA-256 of its text.
    digest: String,
    places: Vec<PlaceOutput>,
    text: String,
}

/// A place of a template, in JSON.
#[derive(Serialize)]
struct PlaceOutput {
    name: &'static str,
    required: bool,
    about: &'static str,
}

/// Parses a key of `[prompts]`.
fn kind_named(text: &str) -> Result<PromptKind, String> {
    let named = PromptKind::ALL.into_iter().find(|kind| kind.name() == text);
    named.ok_or_else(|| {
        let names = PromptKind::ALL.map(PromptKind::name);
        format!("it is one of {}", names.join(", "))
    })
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let prompts = match &arguments.experiment {
        Some(named) => bakeoff_config::load(named)?.prompts,
        None => Prompts::default(),
    };
    let all = PromptKind::ALL.map(|kind| template(kind, &prompts));
    if let Some(folder) = &arguments.out {
        return write_files(&all, folder);
    }
    if let Some(kind) = arguments.kind {
        let one = all.into_iter().find(|one| one.question == kind.name());
        let text = one.map(|one| one.text).unwrap_or_default();
        show::write(&format!("{}\n", Lines(&text)))?;
        return Ok(Status::Done);
    }
    match output.format {
        Format::Json => show::write_json(&all)?,
        _ => show::write(&text(&all))?,
    }
    Ok(Status::Done)
}

fn template(kind: PromptKind, prompts: &Prompts) -> PromptOutput {
    let used = used_prompts(prompts);
    let own = used.into_iter().find(|one| one.question == kind.name());
    let text = match prompts.get(kind) {
        Some(own) => own.template.text(),
        None => built_in_prompt(kind).trim_end(),
    };
    let places = kind.places().iter().map(|place| PlaceOutput {
        name: place.name,
        required: place.is_required,
        about: place.about,
    });
    PromptOutput {
        question: kind.name(),
        about: kind.about(),
        file: own.map(|one| one.file),
        digest: content_address(text.as_bytes()),
        places: places.collect(),
        text: text.to_owned(),
    }
}

/// Returns all templates as text, each with its places.
fn text(all: &[PromptOutput]) -> String {
    let texts = all.iter().map(|one| {
        let from = one.file.as_ref();
        let from = from.map_or("built in".to_owned(), |file| Plain(file).to_string());
        let places = one.places.iter().map(|place| {
            let needed = if place.required { ", needed" } else { "" };
            format!("  {{{{{}}}}}{needed}: {}\n", place.name, place.about)
        });
        format!(
            "{}: {} ({from})\n{}\n{}\n",
            one.question,
            one.about,
            places.collect::<String>(),
            Lines(&indented(&one.text))
        )
    });
    texts.collect::<Vec<String>>().join("\n")
}

fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("    {line}"));
    let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// Writes the templates to files, and says what to write into the experiment.
fn write_files(all: &[PromptOutput], folder: &Path) -> Result<Status, Failure> {
    let opened = Folder::made_by_user(folder).map_err(|error| cannot_write(folder, &error))?;
    let mut table = "[prompts]\n".to_owned();
    let shown = folder.file_name().unwrap_or_default().to_string_lossy();
    for one in all {
        let name = format!("{}.md", one.question);
        let text = format!("{}\n", one.text);
        let written = opened.write_new(&name, text.as_bytes());
        written.map_err(|error| cannot_write(&folder.join(&name), &error))?;
        table += &format!("{} = \"{}/{name}\"\n", one.question, Plain(&shown));
    }
    show::write(&format!(
        "Written to {}. Keep those that you change, and name them in bakeoff.toml, by their paths from its folder:\n\n{table}",
        Plain(&folder.display().to_string())
    ))?;
    Ok(Status::Done)
}
