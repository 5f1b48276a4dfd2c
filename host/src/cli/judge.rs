//! `bakeoff judge`: verdicts about values that somebody else measured.

use super::Status;
use super::failure::Failure;
use super::interruptible::interruptible;
use super::options::Output;
use super::regression::Unsure;
use super::rows_source::RowsSource;
use super::series_output::{self, Test};
use crate::library::{RowsError, judge_rows};
use bakeoff_config::units;
use bakeoff_domain::series::{
    JudgeSettings, Quantity, SeriesEnd, SeriesJudge, SeriesReport, ValueScale,
};
use bakeoff_domain::spec::Direction;
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most by which something may be asked not to be worse, as a fraction.
const ALLOWED_MAX: f64 = 1_000.0;

#[derive(Debug, Args)]
#[command(after_help = "\
Rows are CSV with a line of headings, or JSON lines:
  variant,block,value            {\"variant\": \"a\", \"block\": 1, \"value\": 0.52}
  a,1,0.52
  b,1,0.49

A block is a group of values that were measured one after the other, one of each variant, in an order
that is drawn anew for each block. Verdicts rest on the differences within blocks.

Examples:
  bakeoff judge runs.csv
  bakeoff judge losses.jsonl --name loss --practical 0.5%
  bakeoff judge scores.csv --higher-is-better --range 0..1
  bakeoff judge runs.csv --baseline old --fail-if-worse 2%
  ./harness | bakeoff judge - --follow && pkill harness

Exit status: 0 with a winner or a tie, 1 without. With --fail-if-worse the test alone decides: 1 if a variant
is surely worse than the baseline by more than that, or if that is not known (unless --unsure pass).")]
pub(super) struct Arguments {
    /// The file with the rows, or `-` for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Files beyond the first, for which there is advice
    #[arg(hide = true, value_name = "FILE")]
    others: Vec<PathBuf>,
    /// Read on as rows are written, and end as soon as all is known
    #[arg(long)]
    follow: bool,
    #[command(flatten)]
    values: Values,
    /// The variant that --fail-if-worse tests the others against
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Exit with 1 if a variant is worse than the --baseline by more than this, or if that is not known
    #[arg(long, visible_alias = "fail-if-slower", value_name = "PERCENT", value_parser = allowance, conflicts_with = "range", requires = "baseline")]
    fail_if_worse: Option<f64>,
    /// With --fail-if-worse: what follows if it is not known
    #[arg(long, value_enum, default_value = "fail", requires = "fail_if_worse")]
    unsure: Unsure,
}

/// Options on the values.
#[derive(Debug, Args)]
struct Values {
    /// Higher values are better: rates, or scores in a --range
    #[arg(long)]
    higher_is_better: bool,
    /// The range that all values lie in, declared beforehand: means are compared, and values may be 0 or below
    #[arg(long, value_name = "LOW..HIGH", value_parser = range, allow_hyphen_values = true)]
    range: Option<ValueScale>,
    /// Name of the values, for texts
    #[arg(long, default_value = "value")]
    name: String,
    /// Unit of the values; `ns` and `bytes` are shown in the unit that fits
    #[arg(long, default_value = "")]
    unit: String,
    /// A difference that does not matter: two that are surely closer tie
    #[arg(long, value_name = "PERCENT", default_value = "1%", value_parser = percent)]
    practical: f64,
}

/// Parses a share that is above 0 and below 100 %.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let share = units::percent(text).map_err(|error| error.to_string())?;
    if share > 0.0 && share < 1.0 {
        Ok(share)
    } else {
        Err("it is not above 0 % and below 100 %".to_owned())
    }
}

/// Parses how much worse something may be, as a share above 0.
pub(super) fn allowance(text: &str) -> Result<f64, String> {
    let share = units::percent(text).map_err(|error| error.to_string())?;
    if share > 0.0 && share <= ALLOWED_MAX {
        Ok(share)
    } else {
        Err("it is not above 0 % and at most 100000 %".to_owned())
    }
}

fn range(text: &str) -> Result<ValueScale, String> {
    let wrong = || "write it like `0..1`".to_owned();
    let (low, high) = text.split_once("..").ok_or_else(wrong)?;
    let end = |end: &str| end.trim().parse::<f64>().ok().filter(|end| end.is_finite());
    let (low, high) = end(low).zip(end(high)).ok_or_else(wrong)?;
    if low >= high {
        Err("its first end is not below its second".to_owned())
    } else if (high - low).is_finite() {
        Ok(ValueScale::Range { low, high })
    } else {
        Err("its ends are so far apart that their distance is no number".to_owned())
    }
}

impl Arguments {
    /// # Errors
    /// Several files are named.
    fn has_one_file(&self) -> Result<(), Failure> {
        if self.others.is_empty() {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "`judge` reads one file, whose rows say in `variant` what was measured, and {} are named: write the rows of all of \
             them into one. Two files with code are compared by `bakeoff compare A B`, and become an experiment by `bakeoff \
             init DIR --from A B`; two commands are timed by `bakeoff time 'A' 'B'`; two folders with kept results are \
             compared by `bakeoff compare DIR DIR`",
            self.others.len() + 1
        )))
    }

    fn settings(&self) -> JudgeSettings {
        let values = &self.values;
        JudgeSettings {
            quantity: Quantity {
                name: values.name.clone(),
                unit: values.unit.clone(),
                direction: if values.higher_is_better {
                    Direction::HigherIsBetter
                } else {
                    Direction::LowerIsBetter
                },
                scale: values.range.unwrap_or(ValueScale::Ratio),
            },
            practical: values.practical,
            follows: self.follow,
            baseline: self.baseline.clone(),
            margin: self.fail_if_worse,
            ..JudgeSettings::default()
        }
    }
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    series_output::has_format(output)?;
    arguments.has_one_file()?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let source = RowsSource::open(&arguments.file, arguments.follow, Arc::clone(&interrupted))?;
    let settings = arguments.settings();
    let flag = Arc::clone(&interrupted);
    let reading = tokio::task::spawn_blocking(move || judged(settings, source, &flag));
    let judged = interruptible(reading, &interrupted).await?;
    let named = |error: RowsError| Failure::usage(format!("{}: {error}", arguments.file.display()));
    let report = judged.map_err(named)?;
    let test = arguments.fail_if_worse.map(|allowed| Test {
        allowed,
        unsure: arguments.unsure,
    });
    series_output::print(&report, test, output)
}

fn judged(
    settings: JudgeSettings,
    source: RowsSource,
    interrupted: &AtomicBool,
) -> Result<SeriesReport, RowsError> {
    let mut judge = SeriesJudge::new(settings);
    let is_decided = judge_rows(&mut judge, source)?;
    let ended = if is_decided {
        SeriesEnd::Settled
    } else if interrupted.load(Ordering::Relaxed) {
        SeriesEnd::Interrupted
    } else {
        SeriesEnd::EndOfValues
    };
    judge.finish(ended).map_err(|error| RowsError {
        line: None,
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_two_ends_in_order() {
        assert_eq!(
            range("-1..2.5"),
            Ok(ValueScale::Range {
                low: -1.0,
                high: 2.5
            })
        );
        for text in ["1", "2..1", "1..1", "a..b", "0..inf", "..1"] {
            assert!(range(text).is_err(), "{text}");
        }
        assert_eq!(percent("2%"), Ok(0.02));
        assert!(percent("0%").is_err() && percent("100%").is_err());
    }
}
