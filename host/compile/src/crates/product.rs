//! Libraries that cargo built, which the child finds by its messages.

use super::protocol::{CratesTask, FILES_MAX, WantedLibraries, is_crate_name, is_file_name};
use crate::build_folder::read_output;
use bakeoff_domain::crates::LockedCrate;
use serde::Deserialize;
use std::path::Path;

/// The output of a build: the name of each crate with its file, and all files with their contents.
pub(super) type Product = (Vec<(String, String)>, Vec<(String, Vec<u8>)>);

/// A message of cargo, in its JSON form.
#[derive(Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    pub(super) package_id: String,
    #[serde(default)]
    manifest_path: String,
    #[serde(default)]
    filenames: Vec<String>,
    target: Option<Target>,
    pub(super) message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// A message of the compiler.
#[derive(Deserialize)]
pub(super) struct Diagnostic {
    pub(super) level: String,
    pub(super) rendered: Option<String>,
}

/// Reads the messages in the output of cargo.
pub(super) fn messages(text: &str) -> Vec<Message> {
    let lines = text.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Reads the libraries that cargo names: libraries for the target, and procedural macros, which are for the host.
pub(super) fn collect(task: &CratesTask, messages: &[Message]) -> Result<Product, String> {
    let (mut externs, mut files) = (Vec::new(), Vec::new());
    // The library of the package itself lies above those that it needs.
    let for_target = [
        format!("target/{}/release/deps", task.target),
        format!("target/{}/release", task.target),
    ];
    let for_host = "target/release/deps".to_owned();
    for message in messages {
        for path in &message.filenames {
            let Some(name) = Path::new(path).file_name().and_then(|name| name.to_str()) else {
                continue;
            };
            // Libraries of the host are for build scripts and macros.
            let found = for_target
                .iter()
                .find(|folder| path.contains(folder.as_str()));
            let folder = match (name.ends_with(".rlib"), found) {
                (true, Some(folder)) => folder,
                (false, None) if name.ends_with(".so") => &for_host,
                _ => continue,
            };
            if !is_file_name(name) || path.contains("bakeoff_crates") || files.len() >= FILES_MAX {
                continue;
            }
            let file = task.scratch.join(folder).join(name);
            let bytes =
                read_output(&file).map_err(|error| format!("cannot read {name}: {error}"))?;
            files.push((name.to_owned(), bytes));
            if let Some(called) = name_in_sources(task, message) {
                externs.push((called, name.to_owned()));
            }
        }
    }
    match &task.wanted {
        WantedLibraries::Allowed { locked, .. } if externs.len() != locked.len() => {
            Err(missing(locked, &externs, messages))
        }
        WantedLibraries::Package { library, .. } if externs.len() != 1 => {
            Err(format!("cargo built no library {library}"))
        }
        _ => Ok((externs, files)),
    }
}

/// Returns the name by which sources call the crate of a message, if they may use it themselves.
fn name_in_sources(task: &CratesTask, message: &Message) -> Option<String> {
    let is_wanted = match &task.wanted {
        WantedLibraries::Allowed { locked, .. } => locked.iter().any(|one| is_of(message, one)),
        WantedLibraries::Package { manifest, .. } => Path::new(&message.manifest_path) == manifest,
    };
    let called = message.target.as_ref()?.name.replace('-', "_");
    (is_wanted && is_crate_name(&called)).then_some(called)
}

fn is_of(message: &Message, one: &LockedCrate) -> bool {
    message
        .package_id
        .ends_with(&format!("#{}@{}", one.name, one.version))
}

/// Returns the message for crates of which cargo built no library.
fn missing(locked: &[LockedCrate], externs: &[(String, String)], messages: &[Message]) -> String {
    let built: Vec<&str> = externs.iter().map(|(name, _)| name.as_str()).collect();
    let missing = locked
        .iter()
        .filter(|one| !messages.iter().any(|message| is_of(message, one)));
    let missing: Vec<&str> = missing.map(|one| one.name.as_str()).collect();
    format!(
        "not each crate has a library: there is {}, and nothing for {}",
        built.join(", "),
        missing.join(", ")
    )
}
