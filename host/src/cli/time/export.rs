//! Files that a comparison of commands is written to.

use crate::cli::failure::Failure;
use crate::cli::options::{Format, Output};
use crate::cli::series_output;
use bakeoff_files::NewFile;
use bakeoff_programs::{CommandRun, TimingOutcome};
use bakeoff_render::escape::Csv;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Returns the files to write with their formats, by their endings.
pub(super) fn files(files: &[PathBuf]) -> Result<Vec<(&Path, Format)>, Failure> {
    let format = |file: &PathBuf| {
        let ending = file.extension().and_then(|ending| ending.to_str());
        match ending {
            Some("csv") => Some(Format::Csv),
            Some("json") => Some(Format::Json),
            Some("md") => Some(Format::Md),
            Some("html") => Some(Format::Html),
            _ => None,
        }
    };
    let named = |file| {
        format(file)
            .map(|format| (file.as_path(), format))
            .ok_or_else(|| {
                Failure::usage(format!(
                    "--export {}: its ending says no format: name it .csv (all runs), .json, .md or .html",
                    file.display()
                ))
            })
    };
    files.iter().map(named).collect()
}

/// All runs as rows that `bakeoff judge` reads.
fn runs(outcome: &TimingOutcome) -> String {
    let mut out = "variant,block,value,position,wall_ns,cpu_ns,peak_bytes\r\n".to_owned();
    for run in &outcome.runs {
        let CommandRun {
            command,
            block,
            position,
            value,
            wall_ns,
            cpu_ns,
            peak_bytes,
        } = run;
        let name = Csv(&outcome.report.variants[*command].name);
        out += &format!("{name},{block},{value},{position},{wall_ns},{cpu_ns},{peak_bytes}\r\n");
    }
    out
}

/// Writes a file in its format.
pub(super) fn write(
    file: &Path,
    outcome: &TimingOutcome,
    format: Format,
    output: &Output,
) -> Result<(), Failure> {
    let text = match format {
        Format::Csv => runs(outcome),
        format => series_output::text(&outcome.report, None, format, output),
    };
    let failed = |error: std::io::Error| {
        Failure::infrastructure(format!("cannot write {}: {error}", file.display()))
    };
    let new = NewFile::for_path(file).map_err(failed)?;
    new.file().write_all(text.as_bytes()).map_err(failed)?;
    new.put_in_place().map_err(failed)
}
