//! Output of a report, on stdout and in files.

use super::failure::Failure;
use super::options::{Format, Output};
use bakeoff_domain::report::Report;
use bakeoff_render::escape::Json;
use bakeoff_render::{AskedTest, ComparisonOutcome, UntimedComparison};
use bakeoff_run::audit::PastRun;
use bakeoff_store::{ExportTable, RunId, Store, StoreError};
use clap::ValueEnum as _;
use std::collections::BTreeMap;
use std::io::IsTerminal as _;

/// The width of a report in columns, where the terminal's is not known.
const WIDTH_DEFAULT: usize = 100;

/// Sources as text, by variant id, for code samples.
pub(super) type Sources = BTreeMap<String, String>;

/// Writes the report of a comparison in the requested format, with its outcome and the tests that the user asked for.
pub(super) fn print_comparison(
    report: &Report,
    sources: Sources,
    outcome: ComparisonOutcome,
    asked: &[AskedTest],
    output: &Output,
) -> Result<(), Failure> {
    match output.format {
        Format::Json => write(&bakeoff_render::json_of_comparison(report, outcome)),
        Format::Csv => write(&bakeoff_render::csv_of_comparison(report, outcome)),
        Format::Junit => write(&bakeoff_render::junit_of_comparison(report, outcome, asked)),
        Format::Human | Format::Md | Format::Html | Format::Criterion | Format::Jsonl => {
            print(report, sources, output)
        }
    }
}

/// Checks that a report can be written in the requested format. To be called before anything is built for it.
///
/// # Errors
/// It cannot: the format holds something else.
pub(super) fn has_format(format: Format) -> Result<(), Failure> {
    match format {
        Format::Criterion => Err(Failure::usage(
            "criterion's files hold times, not a report: `bakeoff export --format criterion --out \
             FOLDER` writes them",
        )),
        Format::Jsonl => Err(Failure::usage(
            "a report is not written as JSON lines: say --format json; `bakeoff export` writes \
             tables",
        )),
        Format::Human | Format::Json | Format::Md | Format::Html | Format::Csv | Format::Junit => {
            Ok(())
        }
    }
}

/// Returns the formats that a report is written in, which are also those of a report about a series.
pub(super) fn report_formats() -> Vec<Format> {
    let all = Format::value_variants().iter().copied();
    all.filter(|format| has_format(*format).is_ok()).collect()
}

/// Returns the names of these formats, for tests that try each.
pub fn report_format_names() -> Vec<String> {
    report_formats().into_iter().map(Format::name).collect()
}

/// Writes a report in the requested format.
pub(super) fn print(report: &Report, sources: Sources, output: &Output) -> Result<(), Failure> {
    has_format(output.format)?;
    let options = options(sources, output);
    let text = match output.format {
        Format::Human if output.quiet => bakeoff_render::answer(report, &options),
        Format::Human | Format::Criterion | Format::Jsonl => {
            bakeoff_render::human(report, &options)
        }
        Format::Json => bakeoff_render::json(report),
        Format::Md => bakeoff_render::markdown(report, &options),
        Format::Html => bakeoff_render::html(report, &options),
        Format::Csv => bakeoff_render::csv(report),
        Format::Junit => bakeoff_render::junit(report, &[]),
    };
    write(&text)
}

/// Writes a kept report, with the warnings about its origin and with other runs of the same question.
pub(super) fn print_kept(
    report: &Report,
    sources: Sources,
    runs: Vec<PastRun>,
    warnings: &[String],
    output: &Output,
) -> Result<(), Failure> {
    let options = bakeoff_render::Options {
        runs,
        warnings: warnings.to_vec(),
        ..options_plain(sources)
    };
    match output.format {
        Format::Html => write(&bakeoff_render::html(report, &options)),
        Format::Md => write(&bakeoff_render::markdown(report, &options)),
        Format::Csv => write(&bakeoff_render::csv_of_kept(report, warnings)),
        Format::Junit => write(&bakeoff_render::junit_of_kept(report, warnings)),
        Format::Human | Format::Json | Format::Criterion | Format::Jsonl => {
            print(report, options.sources, output)
        }
    }
}

/// Writes the reason why nothing was timed, in the requested format.
pub(super) fn print_untimed(untimed: &UntimedComparison, output: &Output) -> Result<(), Failure> {
    write(&match output.format {
        Format::Human if output.quiet => untimed.line(),
        Format::Human | Format::Criterion | Format::Jsonl => untimed.text(),
        Format::Json => untimed.json(),
        Format::Md => untimed.markdown(),
        Format::Html => untimed.html(),
        Format::Csv => untimed.csv(),
        Format::Junit => untimed.junit(),
    })
}

/// Writes to stdout.
pub(super) fn write(text: &str) -> Result<(), Failure> {
    use std::io::Write as _;
    let mut stdout = anstream::stdout().lock();
    // The reader of stdout may close the pipe early, as `head` does: that is no failure of ours.
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(
            Failure::infrastructure(format!("cannot write to stdout: {error}")),
        ),
        _ => Ok(()),
    }
}

/// Writes a table of a store to stdout.
pub(super) fn export(
    store: &Store,
    run: Option<RunId>,
    table: ExportTable,
    format: bakeoff_store::ExportFormat,
) -> Result<(), Failure> {
    let mut stdout = std::io::BufWriter::new(std::io::stdout().lock());
    match store.export(run, table, format, &mut stdout) {
        Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::BrokenPipe => {
            Ok(())
        }
        other => Ok(other.map(drop)?),
    }
}

/// Writes a value to stdout as JSON.
pub(super) fn write_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::infrastructure)?;
    write(&format!("{}\n", Json(&text)))
}

/// Returns the options of a report for the terminal.
pub(super) fn options(sources: Sources, output: &Output) -> bakeoff_render::Options {
    bakeoff_render::Options {
        width: width(),
        colour: output.colour(),
        charset: charset(),
        detail: output.verbose,
        ..options_plain(sources)
    }
}

pub(super) fn options_plain(sources: Sources) -> bakeoff_render::Options {
    bakeoff_render::Options {
        width: WIDTH_DEFAULT,
        colour: bakeoff_render::Colour::Never,
        charset: bakeoff_render::Charset::Unicode,
        detail: false,
        sources,
        charts: None,
        runs: Vec::new(),
        warnings: Vec::new(),
    }
}

/// Returns the width of the terminal in columns.
pub(super) fn width() -> usize {
    terminal_width().unwrap_or(WIDTH_DEFAULT)
}

/// Returns ASCII where the locale of a terminal names another encoding than UTF-8, or is the plain
/// `C`.
fn charset() -> bakeoff_render::Charset {
    let first = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let plain = first.is_some_and(|locale| {
        let encoding = locale.split_once('.').map(|(_, encoding)| encoding);
        let is_utf8 = |name: &str| {
            name.to_ascii_lowercase()
                .replace('-', "")
                .starts_with("utf8")
        };
        match encoding {
            Some(encoding) => !is_utf8(encoding),
            None => matches!(locale.as_str(), "C" | "POSIX"),
        }
    });
    if plain && std::io::stdout().is_terminal() {
        bakeoff_render::Charset::Ascii
    } else {
        bakeoff_render::Charset::Unicode
    }
}

fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    (size.ws_col >= 40).then_some(usize::from(size.ws_col))
}
