//! Verdicts about values that somebody else measured.

use super::error::Error;
use super::rows::judge_rows;
use bakeoff_domain::series::{JudgeSettings, SeriesEnd, SeriesJudge, SeriesReport, ValueScale};
use bakeoff_domain::spec::Direction;
use std::io::BufRead;

/// Options for verdicts about values: lower ones are better, by their ratio, and one per cent matters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgeOptions {
    settings: JudgeSettings,
}

impl JudgeOptions {
    /// Higher values are better: rates, or scores in a [`range`](Self::range).
    #[must_use]
    pub fn higher_is_better(mut self) -> Self {
        self.settings.quantity.direction = Direction::HigherIsBetter;
        self
    }

    /// All values lie between these two, and their means are compared. Without it all are above 0, and ratios are.
    #[must_use]
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.settings.quantity.scale = ValueScale::Range { low, high };
        self
    }

    /// Name and unit of the values, for texts; a unit of `ns` or `bytes` is shown in the one that fits.
    #[must_use]
    pub fn named(mut self, name: &str, unit: &str) -> Self {
        self.settings.quantity.name = name.to_owned();
        self.settings.quantity.unit = unit.to_owned();
        self
    }

    /// Ratios that are nearer to 1 than this fraction do not matter: two that surely are tie.
    #[must_use]
    pub fn practical(mut self, fraction: f64) -> Self {
        self.settings.practical = fraction;
        self
    }
}

/// Verdicts about values.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    report: SeriesReport,
}

impl Judgement {
    /// Returns the answer in a sentence or two.
    pub fn answer(&self) -> &str {
        &self.report.text
    }

    /// Returns the variant that is surely better than every other.
    pub fn winner(&self) -> Option<&str> {
        self.report.winner.as_deref()
    }

    /// Returns the variants that no other is surely better than.
    pub fn unbeaten(&self) -> &[String] {
        &self.report.unbeaten
    }

    /// Returns the warnings without which nothing of it is to be believed.
    pub fn warnings(&self) -> &[String] {
        &self.report.warnings
    }

    /// Returns everything, as `bakeoff judge --format json` writes it.
    pub fn json(&self) -> String {
        bakeoff_render::json_of_series(&self.report, None)
    }
}

/// Compares the values of rows: CSV with the columns `variant`, `block`, `value` and perhaps `case`, or JSON lines with
/// these names. `docs/judging.md` says what is claimed.
///
/// ```
/// let mut rows = String::from("variant,block,value\n");
/// for block in 0..20 {
///     // The order in a block is drawn where they are measured; here it alternates.
///     let [first, second] = if block % 2 == 0 { ["a,{},1.0", "b,{},1.5"] } else { ["b,{},1.5", "a,{},1.0"] };
///     for row in [first, second] {
///         rows += &row.replace("{}", &block.to_string());
///         rows += "\n";
///     }
/// }
/// let judgement = bakeoff::judge(rows.as_bytes(), &bakeoff::JudgeOptions::default())?;
/// assert_eq!(judgement.winner(), Some("a"));
/// # Ok::<(), bakeoff::Error>(())
/// ```
///
/// # Errors
/// A row cannot be read, does not fit those before it, or has a value that cannot be compared; the error names the
/// line.
pub fn judge(rows: impl BufRead, options: &JudgeOptions) -> Result<Judgement, Error> {
    let mut judge = SeriesJudge::new(options.settings.clone());
    judge_rows(&mut judge, rows).map_err(Error::experiment)?;
    let report = judge
        .finish(SeriesEnd::EndOfValues)
        .map_err(Error::experiment)?;
    Ok(Judgement { report })
}
