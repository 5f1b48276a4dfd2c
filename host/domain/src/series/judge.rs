//! Verdicts about somebody's rows, all at once or as they are written.

use super::conclude::{SeriesFacts, conclude};
use super::quantity::{Quantity, ValueError, ValueScale};
use super::race::{SeriesRace, SeriesSettings};
use super::report::{SeriesEnd, SeriesReport, SeriesVariant};
use super::rows::{Blocks, Row, RowError};
use crate::race::{NextStep, RemainingBudget};
use crate::spec::Direction;

/// The most pairs of variants, each on each case.
const CLAIMS_MAX: usize = 4_096;
/// The most differences: of each pair on each case in each block.
const DIFFERENCES_MAX: usize = 10_000_000;

/// Settings for verdicts about rows.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeSettings {
    /// The quantity.
    pub quantity: Quantity,
    /// 1 − α for all published claims about pairs together, in (0, 1).
    pub confidence: f64,
    /// δ as a fraction: 0.01 is one per cent.
    pub practical: f64,
    /// True if rows are judged as they are written, and it ends once all is known.
    pub follows: bool,
    /// The variant that others are tested against; the one of the first row, if none is named.
    pub baseline: Option<String>,
    /// Margin, as a fraction by which the others may be worse than the baseline.
    pub margin: Option<f64>,
}

impl Default for JudgeSettings {
    /// Values without a name of which lower ones are better, by their ratio; 95 % confidence, 1 % practical threshold; all
    /// rows at once, and no margin.
    fn default() -> Self {
        Self {
            quantity: Quantity {
                name: "value".to_owned(),
                unit: String::new(),
                direction: Direction::LowerIsBetter,
                scale: ValueScale::Ratio,
            },
            confidence: 0.95,
            practical: 0.01,
            follows: false,
            baseline: None,
            margin: None,
        }
    }
}

/// The reason why rows cannot be judged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JudgeError {
    /// A row does not fit those before it.
    #[error(transparent)]
    Row(#[from] RowError),
    /// A value cannot be compared.
    #[error("the value of {variant}: {error}")]
    Value {
        /// Name of the variant.
        variant: String,
        /// The reason.
        error: ValueError,
    },
    /// No row is of the baseline.
    #[error("no row is of {0:?}, which the others are to be tested against")]
    NoBaseline(String),
    /// There is more to compare than can be worked out in a minute or so.
    #[error(
        "{pairs} pairs on {cases} cases in {blocks} blocks are more than is worked out: leave out variants, cases or blocks"
    )]
    TooLarge {
        /// Number of pairs.
        pairs: usize,
        /// Number of cases.
        cases: usize,
        /// Number of blocks.
        blocks: usize,
    },
    /// There is nothing to compare.
    #[error("rows of two variants or more are compared, and these have {0}")]
    TooFew(usize),
}

/// A judge of rows.
#[derive(Debug)]
pub struct SeriesJudge {
    settings: JudgeSettings,
    blocks: Blocks,
    race: Option<SeriesRace>,
    /// Number of blocks that are in the race.
    counted: usize,
}

impl SeriesJudge {
    /// A judge without rows.
    pub fn new(settings: JudgeSettings) -> Self {
        Self {
            blocks: Blocks::new(settings.follows, settings.baseline.as_deref()),
            settings,
            race: None,
            counted: 0,
        }
    }

    /// Adds a row. If rows are judged as they are written, it returns true once all is known, and no further row
    /// changes that.
    ///
    /// # Errors
    /// The row does not fit those before it, or its value cannot be compared.
    pub fn push(&mut self, row: &Row) -> Result<bool, JudgeError> {
        let checked = self.settings.quantity.scale.check(row.value);
        checked.map_err(|error| JudgeError::Value {
            variant: row.variant.clone(),
            error,
        })?;
        self.blocks.push(row)?;
        if self.settings.follows && self.blocks.done().len() > self.counted {
            self.count(self.blocks.done().len())?;
            return Ok(self.is_decided());
        }
        Ok(false)
    }

    /// Checks that some row is of the baseline.
    fn check_baseline(&self) -> Result<(), JudgeError> {
        let mut values = self.blocks.all().iter().flat_map(|block| &block.values);
        match &self.settings.baseline {
            Some(baseline) if !values.any(|value| value.variant == 0) => {
                Err(JudgeError::NoBaseline(baseline.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Adds blocks up to this number to the race.
    fn count(&mut self, blocks: usize) -> Result<(), JudgeError> {
        self.check_baseline()?;
        let variants = self.blocks.variants.len();
        if variants < 2 {
            return Err(JudgeError::TooFew(variants));
        }
        let (pairs, cases) = (
            variants * (variants - 1) / 2,
            self.blocks.cases.len().max(1),
        );
        let claims = pairs * cases;
        if claims > CLAIMS_MAX || claims * blocks > DIFFERENCES_MAX {
            return Err(JudgeError::TooLarge {
                pairs,
                cases,
                blocks,
            });
        }
        let settings = &self.settings;
        let race = self.race.get_or_insert_with(|| {
            SeriesRace::new(SeriesSettings {
                variants,
                cases,
                quantity: settings.quantity.clone(),
                confidence: settings.confidence,
                practical: settings.practical,
                blocks_max: u32::MAX,
                resolution: 0.0,
                margin: settings.margin,
            })
        });
        for block in &self.blocks.all()[self.counted..blocks] {
            race.push(&block.values)
                .map_err(|(value, error)| JudgeError::Value {
                    variant: self.blocks.variants[value.variant].clone(),
                    error,
                })?;
        }
        self.counted = blocks;
        Ok(())
    }

    fn is_decided(&mut self) -> bool {
        let Some(race) = self.race.as_mut().filter(|race| race.is_worth_a_look()) else {
            return false;
        };
        let verdicts = race.verdicts();
        // Whoever reads on has no budget of which a share could be used.
        let remaining = RemainingBudget {
            seconds: f64::INFINITY,
            whole_seconds: 0.0,
        };
        matches!(race.next(&verdicts, remaining, |_| 0.0), NextStep::Stop(_))
    }

    /// The report about all rows so far; a block that was not complete counts as far as it goes.
    ///
    /// # Errors
    /// There are fewer than two variants, or a value cannot be compared.
    pub fn finish(mut self, ended: SeriesEnd) -> Result<SeriesReport, JudgeError> {
        // Once all is known, the row that began another block is not of this comparison.
        let blocks = if ended == SeriesEnd::Settled {
            self.counted
        } else {
            self.blocks.all().len()
        };
        self.count(blocks)?;
        let Some(mut race) = self.race else {
            return Err(JudgeError::TooFew(0));
        };
        let variant = |name: &String| SeriesVariant {
            name: name.clone(),
            command: None,
            failure: None,
            values: Vec::new(),
            also: Vec::new(),
        };
        let facts = SeriesFacts {
            variants: self.blocks.variants.iter().map(variant).collect(),
            cases: self.blocks.cases.clone(),
            ended,
            order: Some(self.blocks.order()),
            notes: Vec::new(),
            block_seconds: None,
            seed: None,
        };
        Ok(conclude(&mut race, facts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(follows: bool) -> JudgeSettings {
        JudgeSettings {
            follows,
            ..JudgeSettings::default()
        }
    }

    fn rows(blocks: u32) -> Vec<Row> {
        let mut rows = Vec::new();
        for block in 0..blocks {
            let mut pair = [("a", 2.0), ("b", 3.0)];
            if block % 3 == 0 {
                pair.swap(0, 1);
            }
            for (variant, mean) in pair {
                rows.push(Row {
                    variant: variant.to_owned(),
                    block: Some(block.to_string()),
                    case: None,
                    value: mean + 0.01 * f64::from(block % 7),
                });
            }
        }
        rows
    }

    #[test]
    fn reading_on_ends_as_soon_as_all_is_known_and_says_what_the_same_blocks_say() {
        let mut judge = SeriesJudge::new(settings(true));
        let rows = rows(100);
        let read = rows
            .iter()
            .position(|row| judge.push(row).unwrap())
            .expect("it is decided");
        assert!(read < 40, "{read}");
        let followed = judge.finish(SeriesEnd::Settled).unwrap();
        assert_eq!(followed.winner.as_deref(), Some("a"));
        let mut whole = SeriesJudge::new(settings(false));
        for row in &rows[..2 * followed.blocks as usize] {
            whole.push(row).unwrap();
        }
        let whole = whole.finish(SeriesEnd::EndOfValues).unwrap();
        assert_eq!(whole.verdicts, followed.verdicts);
        assert_eq!(whole.warnings, Vec::<String>::new());
    }

    #[test]
    fn what_would_take_hours_is_refused() {
        let mut judge = SeriesJudge::new(settings(false));
        for variant in 0..64 {
            for case in 0..3 {
                let row = Row {
                    variant: variant.to_string(),
                    block: Some("1".to_owned()),
                    case: Some(case.to_string()),
                    value: 1.0,
                };
                judge.push(&row).unwrap();
            }
        }
        let refused = judge.finish(SeriesEnd::EndOfValues).unwrap_err();
        let expected = "2016 pairs on 3 cases in 1 blocks are more than is worked out";
        assert!(refused.to_string().starts_with(expected), "{refused}");
    }

    #[test]
    fn one_variant_or_none_is_nothing_to_compare() {
        let none = SeriesJudge::new(settings(false)).finish(SeriesEnd::EndOfValues);
        assert_eq!(none, Err(JudgeError::TooFew(0)));
        let mut one = SeriesJudge::new(settings(false));
        one.push(&rows(1)[0]).unwrap();
        assert_eq!(
            one.finish(SeriesEnd::EndOfValues),
            Err(JudgeError::TooFew(1))
        );
    }
}
