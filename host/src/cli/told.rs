//! Files of the user's own: those that a model is told beside the problem, and others that are read in the same way.

use super::failure::Failure;
use bakeoff_files::read_bounded;
use bakeoff_render::escape::Plain;
use clap::Args;
use std::path::{Path, PathBuf};

/// The largest file that is told, in bytes.
const FILE_BYTES_MAX: u64 = 64 << 10;
/// The most files that are told.
const FILES_MAX: usize = 8;

/// Files that a model is told with the problem.
#[derive(Debug, Args)]
pub(super) struct Context {
    /// A file that the model is told with the problem: notes, code it has to fit. Repeated for each
    #[arg(id = "context", long, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Context {
    /// Reads the files: the name of each, and its text.
    ///
    /// # Errors
    /// A file cannot be read, is no text, or is too large, or there are too many.
    pub(super) fn read(&self) -> Result<Vec<(String, String)>, Failure> {
        if self.files.len() > FILES_MAX {
            return Err(Failure::usage(format!(
                "--context is given {} times, and {FILES_MAX} files are told at most",
                self.files.len()
            )));
        }
        self.files.iter().map(|file| read(file)).collect()
    }

    /// Returns a text that identifies the files; empty if there are none.
    pub(super) fn identity(&self) -> String {
        if self.files.is_empty() {
            String::new()
        } else {
            let files = self
                .files
                .iter()
                .map(|file| format!(", context {}", file.display()));
            files.collect()
        }
    }
}

fn read(file: &Path) -> Result<(String, String), Failure> {
    let text = read_told("--context", file)?;
    let name = file.file_name().unwrap_or_default().display().to_string();
    Ok((name, text))
}

/// Reads the text of a file that an option names, and that a model is told.
///
/// # Errors
/// It cannot be read, is no text, or is too large.
pub(super) fn read_told(option: &str, file: &Path) -> Result<String, Failure> {
    let too_large = "it has more than 64 KiB: give the part that matters";
    read_text(option, file, (FILE_BYTES_MAX, too_large))
}

/// Reads the text of a file that an option names, of so many bytes at most; beyond them with this message.
///
/// # Errors
/// It cannot be read, is no text, or is too large.
pub(super) fn read_text(
    option: &str,
    file: &Path,
    (bytes_max, too_large): (u64, &str),
) -> Result<String, Failure> {
    let shown = file.display().to_string();
    let wrong = |why: &str| Failure::usage(format!("{option} {}: {why}", Plain(&shown)));
    let bytes = read_bounded(file, bytes_max).map_err(|error| wrong(&error.to_string()))?;
    let bytes = bytes.ok_or_else(|| wrong(too_large))?;
    String::from_utf8(bytes).map_err(|_| wrong("it is no text in UTF-8"))
}
