//! `bakeoff init`: writes a small experiment.

use super::failure::Failure;
use super::{Status, show};
use crate::render::escape::Plain;
use clap::Args;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Writes a small experiment that runs: two ways to count the distinct numbers of a list
///
/// No file is overwritten.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff init my-question
  bakeoff run my-question")]
pub(super) struct Arguments {
    /// The folder to write to; it is created if needed
    #[arg(default_value = ".")]
    dir: PathBuf,
}

/// All files, by their path in the folder.
const FILES: [(&str, &str); 5] = [
    ("bakeoff.toml", include_str!("template/bakeoff.toml")),
    (
        "wit/count-distinct.wit",
        include_str!("template/count-distinct.wit"),
    ),
    ("workload.rs", include_str!("template/workload.rs")),
    ("approaches/sort.rs", include_str!("template/sort.rs")),
    ("approaches/table.rs", include_str!("template/table.rs")),
];

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let dir = &arguments.dir;
    // Checked before anything is written, so that an error leaves the folder as it was.
    for (name, _) in FILES {
        let path = dir.join(name);
        if path.symlink_metadata().is_ok() {
            return Err(Failure::usage(format!(
                "{} exists already: choose another folder",
                Plain(&path.display().to_string())
            )));
        }
    }
    let mut text = String::new();
    for (name, content) in FILES {
        let path = dir.join(name);
        let shown = path.display().to_string();
        write(&path, content)
            .map_err(|error| Failure::usage(format!("cannot write {}: {error}", Plain(&shown))))?;
        text += &format!("wrote {}\n", Plain(&shown));
    }
    let named = dir.display().to_string();
    let command = match dir == Path::new(".") {
        true => "bakeoff run".to_owned(),
        false => format!("bakeoff run {}", Plain(&named)),
    };
    show::write(&format!(
        "{text}\nRun it, then replace it by your own question:\n  {command}\n"
    ))?;
    Ok(Status::Done)
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    File::create_new(path)?.write_all(text.as_bytes())
}
