//! `bakeoff add` and `bakeoff withdraw`: approaches of an experiment, without an editor.

use super::failure::Failure;
use super::ideas::idea;
use super::options::{Format, Output};
use super::{Status, show};
use crate::library::{cannot_write, check_places, replace};
use bakeoff_compare::code_of;
use bakeoff_config::{LoadedExperiment, NewApproach};
use bakeoff_domain::ids;
use bakeoff_domain::spec::{AuthorWords, Code};
use bakeoff_files::{Folder, read_bounded};
use bakeoff_render::escape::{Plain, ShellPath};
use bakeoff_source::{COMPONENT_BYTES_MAX, SOURCE_BYTES_MAX};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Adds approaches to an experiment: files that exist, or ideas that a model is to write
///
/// A file from elsewhere is copied into the experiment's folder `approaches`; none is overwritten. bakeoff.toml gets an
/// entry for each at its end, and stays as it is otherwise. An idea is written by the model that a run with --generate asks. The next run builds and checks what is new, and goes on with
/// the rest of what is kept.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff add my-question ../heap.rs
  bakeoff add my-question heap.rs --name heap --description \"Keep the k largest in a heap.\"
  bakeoff add my-question one.rs two.wasm
  bakeoff add my-question --idea \"radix=Sort by digits, without comparing.\"")]
pub(super) struct Arguments {
    /// An experiment's folder or file
    experiment: PathBuf,
    /// Sources in Rust, C, C++ or Zig, or components
    #[arg(required_unless_present = "ideas", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// An idea that a model is to write: a name, and what it is; repeated for each
    #[arg(long = "idea", value_name = "NAME=TEXT", value_parser = idea)]
    ideas: Vec<(String, String)>,
    /// The name of the approach [default: that of the file]; for one file
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The idea, in a sentence; for one file
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
}

/// Removes an approach from an experiment, and keeps its file
///
/// The entry of that name goes from bakeoff.toml, which stays as it is otherwise. What earlier runs found stays in the
/// results.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff withdraw my-question heap")]
pub(super) struct WithdrawArguments {
    /// An experiment's folder or file
    experiment: PathBuf,
    /// The approach
    name: String,
}

/// An approach that was added.
#[derive(Serialize)]
struct AddedOutput {
    name: String,
    /// Its file, relative to the experiment's folder; `None` of an idea.
    file: Option<String>,
    #[serde(skip)]
    is_component: bool,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    if arguments.files.len() > 1 && (arguments.name.is_some() || arguments.description.is_some()) {
        return Err(Failure::usage(
            "--name and --description are of one approach: add the files one after the other",
        ));
    }
    let file = bakeoff_config::file_of(&arguments.experiment);
    let loaded = bakeoff_config::load(&arguments.experiment)?;
    check_places(&loaded.dir, &["approaches/"])?;
    let mut adding = Adding::of(&loaded)?;
    for source in &arguments.files {
        adding.take(source, arguments.name.as_deref())?;
    }
    for (name, description) in &arguments.ideas {
        adding.take_idea(name, description)?;
    }
    let description = arguments.description.as_deref().unwrap_or_default();
    let added = adding.write(&file, description)?;
    match output.format {
        Format::Json => show::write_json(&BTreeMap::from([("added", &added)]))?,
        _ => {
            let line = |one: &AddedOutput| {
                let file = one.file.as_deref().unwrap_or("to be written");
                format!("{}: {}\n", Plain(&one.name), Plain(file))
            };
            let lines: String = added.iter().map(line).collect();
            let named = arguments.experiment.display().to_string();
            let named = ShellPath(&named);
            let next = if arguments.ideas.is_empty() {
                format!("\nMeasure them:\n  bakeoff run {named}\n")
            } else {
                format!(
                    "\nHave what is missing written, and measure all (the model is that of [generate]):\n  \
                     bakeoff run {named} --generate\n"
                )
            };
            show::write(&(lines + &next))?;
        }
    }
    Ok(Status::Done)
}

pub(super) fn withdraw(arguments: &WithdrawArguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let file = bakeoff_config::file_of(&arguments.experiment);
    let loaded = bakeoff_config::load(&arguments.experiment)?;
    let names = names(&loaded);
    if !names.contains(&&*arguments.name) {
        return Err(Failure::usage(format!(
            "there is no approach {}: there are {}",
            Plain(&arguments.name),
            Plain(&names.join(", "))
        )));
    }
    let text =
        bakeoff_config::without_approach(&loaded.text, &arguments.name).ok_or_else(|| {
            Failure::usage(format!(
                "{} cannot be removed without a change of other lines: remove it from {} by hand",
                Plain(&arguments.name),
                Plain(&file.display().to_string())
            ))
        })?;
    // What is left must be an experiment.
    bakeoff_config::parse(&text, &file.display().to_string())?;
    replace(&file, &text).map_err(|error| cannot_write(&file, &error))?;
    let mut approaches = loaded.experiment.approaches.iter();
    let of_name = approaches.find(|one| one.name == arguments.name);
    let kept = of_name.map(|one| one.code.path().display().to_string());
    match (output.format, kept) {
        (Format::Json, kept) => show::write_json(&BTreeMap::from([
            ("withdrawn", Some(arguments.name.clone())),
            ("file", kept),
        ]))?,
        (_, None) => show::write(&format!("{}: withdrawn\n", Plain(&arguments.name)))?,
        (_, Some(kept)) => show::write(&format!(
            "{}: withdrawn; {} stays\n",
            Plain(&arguments.name),
            Plain(&kept)
        ))?,
    }
    Ok(Status::Done)
}

/// Returns the names of all approaches, also of those that have no code yet.
fn names(loaded: &LoadedExperiment) -> Vec<&str> {
    let declared = loaded.experiment.approaches.iter().map(|one| &*one.name);
    let wished = loaded.wished.iter().map(|one| &*one.name);
    declared.chain(wished).collect()
}

/// A file that becomes an approach.
struct NewFile {
    name: String,
    bytes: Vec<u8>,
    is_component: bool,
    /// Path in the experiment's folder, if the file lies there.
    within: Option<PathBuf>,
    file_name: String,
}

/// Files that become approaches of an experiment.
struct Adding<'a> {
    loaded: &'a LoadedExperiment,
    folder: Folder,
    files: Vec<NewFile>,
    /// Ideas with their names.
    ideas: Vec<(String, String)>,
}

impl<'a> Adding<'a> {
    fn of(loaded: &'a LoadedExperiment) -> Result<Self, Failure> {
        let folder = Folder::named_by_user(&loaded.dir);
        Ok(Self {
            folder: folder.map_err(|error| cannot_write(&loaded.dir, &error))?,
            loaded,
            files: Vec::new(),
            ideas: Vec::new(),
        })
    }

    /// Returns the approach whose name reads like another one's.
    fn taken(&self, name: &str) -> Option<&str> {
        let files = self.files.iter().map(|one| &*one.name);
        let ideas = self.ideas.iter().map(|(name, _)| &**name);
        let mut taken = files.chain(ideas).chain(names(self.loaded));
        taken.find(|other| ids::slug(other) == ids::slug(name))
    }

    /// Takes an idea, and checks that it can be an approach beside the others.
    fn take_idea(&mut self, name: &str, description: &str) -> Result<(), Failure> {
        if let Some(other) = self.taken(name) {
            return Err(Failure::usage(format!(
                "cannot add the idea {}: there is an approach {} already: give it another name",
                Plain(name),
                Plain(other)
            )));
        }
        self.ideas.push((name.to_owned(), description.to_owned()));
        Ok(())
    }

    /// Reads a file, and checks that it can be an approach beside the others.
    fn take(&mut self, path: &Path, name: Option<&str>) -> Result<(), Failure> {
        let shown = path.display().to_string();
        let shown = Plain(&shown);
        let wrong = |why: String| Failure::usage(format!("cannot add {shown}: {why}"));
        let is_component = match code_of(path) {
            Ok(Code::Reference(_)) => {
                let why = "a component in a registry is named in bakeoff.toml by `component`";
                return Err(wrong(why.to_owned()));
            }
            Ok(code) => matches!(code, Code::Component(_)),
            Err(error) => {
                return Err(Failure::usage(format!(
                    "{error}; a program is named in bakeoff.toml by `command`"
                )));
            }
        };
        let bytes_max = if is_component {
            COMPONENT_BYTES_MAX
        } else {
            SOURCE_BYTES_MAX
        };
        let bytes =
            read_bounded(path, bytes_max as u64).map_err(|error| wrong(error.to_string()))?;
        let bytes = bytes.ok_or_else(|| wrong(format!("it has more than {bytes_max} bytes")))?;
        if !is_component && std::str::from_utf8(&bytes).is_err() {
            return Err(wrong("it is no text in UTF-8".to_owned()));
        }
        let plain = |part: Option<&OsStr>| part.and_then(OsStr::to_str).map(str::to_owned);
        let not_utf8 = || wrong("its name is not UTF-8: give another one with --name".to_owned());
        let file_name = plain(path.file_name()).ok_or_else(not_utf8)?;
        let name = match name {
            Some(name) => name.to_owned(),
            None => plain(path.file_stem()).ok_or_else(not_utf8)?,
        };
        let chars = name.chars().count();
        if name.trim() != name || !(1..=bakeoff_config::NAME_CHARS_MAX).contains(&chars) {
            return Err(wrong(format!(
                "a name has 1 to {} characters, without spaces around it",
                bakeoff_config::NAME_CHARS_MAX
            )));
        }
        if let Some(other) = self.taken(&name) {
            return Err(wrong(format!(
                "there is an approach {} already: give it another name with --name",
                Plain(other)
            )));
        }
        if let Some(other) = self.same_content(&bytes) {
            return Err(wrong(format!(
                "the approach {} has the same content",
                Plain(&other)
            )));
        }
        self.files.push(NewFile {
            within: self.within(path),
            name,
            bytes,
            is_component,
            file_name,
        });
        Ok(())
    }

    /// Returns the name of the approach that has this content.
    fn same_content(&self, bytes: &[u8]) -> Option<String> {
        let new = self.files.iter().find(|one| one.bytes == bytes);
        let declared = || {
            let mut declared = self.loaded.experiment.approaches.iter();
            declared.find(|one| {
                let read = self
                    .folder
                    .read(one.code.path(), COMPONENT_BYTES_MAX as u64);
                read.is_ok_and(|has| has.as_deref() == Some(bytes))
            })
        };
        let name = new.map(|one| &one.name);
        name.or_else(|| declared().map(|one| &one.name)).cloned()
    }

    /// Returns the path of a file in the experiment's folder, if it lies there.
    fn within(&self, path: &Path) -> Option<PathBuf> {
        let dir = if self.loaded.dir.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.loaded.dir
        };
        let (file, dir) = (path.canonicalize().ok()?, dir.canonicalize().ok()?);
        file.strip_prefix(dir).ok().map(Path::to_owned)
    }

    /// Copies the files that lie elsewhere, and names all of them in the experiment file.
    fn write(self, file: &Path, description: &str) -> Result<Vec<AddedOutput>, Failure> {
        let (mut added, mut copied) = (Vec::new(), Vec::new());
        let written = self.write_all(file, description, &mut added, &mut copied);
        if written.is_err() {
            // No approach names them.
            for copy in copied {
                let _ = self.folder.remove(&copy);
            }
        }
        written.map(|()| added)
    }

    fn write_all(
        &self,
        file: &Path,
        description: &str,
        added: &mut Vec<AddedOutput>,
        copied: &mut Vec<String>,
    ) -> Result<(), Failure> {
        for new in &self.files {
            let place = match &new.within {
                Some(path) => path.display().to_string(),
                None => {
                    let place = self.copy(new)?;
                    copied.push(place.clone());
                    place
                }
            };
            added.push(AddedOutput {
                name: new.name.clone(),
                file: Some(place),
                is_component: new.is_component,
            });
        }
        let mut text = self.loaded.text.clone();
        for one in added.iter() {
            text = with_entry(&text, one, description);
        }
        for (name, idea) in &self.ideas {
            text = bakeoff_config::with_idea(&text, name, idea);
            added.push(AddedOutput {
                name: name.clone(),
                file: None,
                is_component: false,
            });
        }
        bakeoff_config::parse(&text, &file.display().to_string())?;
        replace(file, &text).map_err(|error| cannot_write(file, &error))?;
        Ok(())
    }

    /// Writes a copy under the name of the file, or under that name with a number.
    fn copy(&self, new: &NewFile) -> Result<String, Failure> {
        let (stem, ending) = new
            .file_name
            .rsplit_once('.')
            .unwrap_or((&new.file_name, "rs"));
        let mut number = 1;
        loop {
            let place = match number {
                1 => format!("approaches/{stem}.{ending}"),
                more => format!("approaches/{stem}-{more}.{ending}"),
            };
            match self.folder.write_new(&place, &new.bytes) {
                Ok(()) => return Ok(place),
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < u32::MAX => {
                    number += 1;
                }
                Err(error) => return Err(cannot_write(&self.loaded.dir.join(place), &error).into()),
            }
        }
    }
}

/// Returns the text of an experiment file with one more approach.
fn with_entry(text: &str, added: &AddedOutput, description: &str) -> String {
    let file = added.file.clone().unwrap_or_default();
    if added.is_component {
        let none = BTreeMap::new();
        return bakeoff_config::with_component(text, &added.name, description, &file, &none);
    }
    let entry = NewApproach {
        name: added.name.clone(),
        description: description.to_owned(),
        words: AuthorWords::default(),
        source: file,
        sweep: Vec::new(),
    };
    bakeoff_config::with_approaches(text, &[entry])
}
