//! `bakeoff export`: writes the tables of a store, or its times for tools that read criterion's files.

use super::criterion_files::{self, Baseline};
use super::failure::Failure;
use super::options::{Format, Output};
use super::{Status, report_source, show};
use bakeoff_files::NewFile;
use bakeoff_render::escape::Plain;
use bakeoff_store::{ExportTable, RunId, Store};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Writes stored results as JSON lines or CSV, or times as criterion's files
///
/// Without --format, tables are written as JSON lines.
/// The tables and their columns are described in docs/store.md.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff export examples/top-k --out exported    each table to a file of JSON lines
  bakeoff export examples/top-k --format csv --table samples > samples.csv
  bakeoff export examples/top-k --format csv --table verdicts --run 2
  bakeoff export examples/top-k --format criterion --out target/criterion    then: critcmp new")]
pub(super) struct Arguments {
    /// An experiment's folder or file, or a folder of results
    #[arg(default_value = ".", value_name = "DIR|FILE")]
    from: PathBuf,
    /// Only this table, to stdout unless --out is given
    #[arg(long, value_name = "NAME", value_parser = tables())]
    table: Option<String>,
    /// Only rows of this run
    #[arg(long, value_name = "N")]
    run: Option<i64>,
    /// The folder to write to, one NAME.jsonl or NAME.csv for each table; needed for --format criterion
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// With --format criterion: the name under which the times are kept beside others
    #[arg(long, value_name = "NAME", default_value = "new")]
    baseline: Baseline,
}

fn tables() -> PossibleValuesParser {
    PossibleValuesParser::new(ExportTable::ALL.map(ExportTable::name))
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let (format, end) = match output.format {
        Format::Jsonl | Format::Human => (bakeoff_store::ExportFormat::Jsonl, "jsonl"),
        Format::Csv => (bakeoff_store::ExportFormat::Csv, "csv"),
        Format::Criterion => return times(arguments, output),
        _ => {
            return Err(Failure::usage(
                "tables are written as JSON lines (--format jsonl, which may be left out) or CSV (--format csv), \
                 times as criterion's files (--format criterion)",
            ));
        }
    };
    if arguments.table.is_none() && arguments.out.is_none() {
        return Err(Failure::usage(
            "where to: --out FOLDER writes each table to a file there, --table NAME one table to stdout",
        ));
    }
    let store = report_source::open(&report_source::results(&arguments.from)?)?;
    let run = arguments.run.map(RunId);
    if let Some(run) = run {
        // Without this check, a run that does not exist would be an empty table.
        store.settings(run)?;
    }
    let named = |table: &ExportTable| {
        let wanted = arguments.table.as_deref();
        wanted.is_none_or(|name| name == table.name())
    };
    for table in ExportTable::ALL.into_iter().filter(named) {
        let Some(folder) = &arguments.out else {
            show::export(&store, run, table, format)?;
            continue;
        };
        let file = folder.join(format!("{}.{end}", table.name()));
        let rows = write(&store, run, table, format, &file)?;
        if !output.quiet {
            anstream::eprintln!("{}: {rows} rows", Plain(&file.display().to_string()));
        }
    }
    Ok(Status::Done)
}

/// Writes the times of a run as criterion's files.
fn times(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let Some(folder) = arguments
        .out
        .as_deref()
        .filter(|_| arguments.table.is_none())
    else {
        return Err(Failure::usage(
            "--format criterion writes times alone, to a folder: say --out target/criterion, and no --table",
        ));
    };
    let store = report_source::open(&report_source::results(&arguments.from)?)?;
    let written = criterion_files::write(
        &store,
        arguments.run.map(RunId),
        &arguments.from,
        folder,
        &arguments.baseline,
    )?;
    if !output.quiet {
        anstream::eprintln!(
            "{}: times of {written} variants and cases",
            Plain(&folder.display().to_string())
        );
    }
    Ok(Status::Done)
}

/// Writes a table to a file, which is replaced as a whole. Returns the number of rows.
fn write(
    store: &Store,
    run: Option<RunId>,
    table: ExportTable,
    format: bakeoff_store::ExportFormat,
    file: &Path,
) -> Result<u64, Failure> {
    let failed = |error: std::io::Error| {
        let shown = file.display().to_string();
        Failure::infrastructure(format!("cannot write {}: {error}", Plain(&shown)))
    };
    let new = NewFile::for_path(file).map_err(failed)?;
    let mut out: BufWriter<&File> = BufWriter::new(new.file());
    let rows = store.export(run, table, format, &mut out)?;
    drop(out);
    new.put_in_place().map_err(failed)?;
    Ok(rows)
}
