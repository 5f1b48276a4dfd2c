//! Progress of a comparison of commands: what is known so far.

use super::options::TimedCommand;
use bakeoff_domain::race::Analysis;
use bakeoff_domain::series::{Quantity, SeriesVerdicts};
use bakeoff_domain::verdict::{PairVerdict, RatioInterval};

/// Progress of a comparison.
#[derive(Clone, Debug)]
pub enum News<'a> {
    /// A command is about to run before those runs that count.
    WarmingUp(&'a str),
    /// Blocks are done.
    Blocks {
        /// Their number.
        blocks: u32,
        /// Seconds since the first of them began.
        seconds: f64,
        /// Seconds that there are in all.
        budget_seconds: f64,
        /// Verdicts when they were last worked out; `None` before that.
        standing: Option<&'a CommandStanding>,
    },
}

/// Verdicts about commands that are being compared. All of them hold with the confidence of the report, however often one
/// looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandStanding {
    /// Number of pairs with a verdict.
    pub decided: usize,
    /// Number of all pairs.
    pub pairs: usize,
    /// Name of the only command that none is surely better than, if there is one.
    pub ahead: Option<String>,
    /// A pair of commands without a verdict, neither of which is surely beaten.
    pub open: Option<OpenCommandPair>,
}

/// Two commands without a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCommandPair {
    /// Name of the one.
    pub a: String,
    /// Name of the other.
    pub b: String,
    /// Interval of the one over the other, in words; `None` as long as there is none.
    pub span: Option<String>,
}

impl CommandStanding {
    /// Returns what the verdicts say; `None` if they are not about ratios.
    pub(crate) fn of(
        verdicts: &SeriesVerdicts,
        commands: &[TimedCommand],
        quantity: &Quantity,
    ) -> Option<Self> {
        match verdicts {
            SeriesVerdicts::Ratios { analysis, .. } => {
                Some(Self::of_ratios(analysis, commands, quantity))
            }
            SeriesVerdicts::Means(_) => None,
        }
    }

    fn of_ratios(analysis: &Analysis, commands: &[TimedCommand], quantity: &Quantity) -> Self {
        let name = |index: usize| commands[index].name.clone();
        let unbeaten = &analysis.unbeaten;
        let is_open = |pair: &&PairVerdict| {
            pair.is_open() && unbeaten.contains(&pair.a) && unbeaten.contains(&pair.b)
        };
        let open = analysis.overall.iter().find(is_open);
        let open = open.map(|pair| {
            // What is compared is a cost, of which less is better.
            let found = if quantity.lower_is_better() {
                pair.interval
            } else {
                pair.interval.inverse()
            };
            let RatioInterval { low, high, .. } = found;
            OpenCommandPair {
                a: name(pair.a),
                b: name(pair.b),
                span: low
                    .zip(high)
                    .map(|(low, high)| quantity.span_text(low, high)),
            }
        });
        Self {
            decided: analysis
                .overall
                .iter()
                .filter(|pair| !pair.is_open())
                .count(),
            pairs: analysis.overall.len(),
            ahead: match unbeaten[..] {
                [only] => Some(name(only)),
                _ => None,
            },
            open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::command_line::{CommandLine, Shell};
    use super::*;
    use bakeoff_domain::series::{BlockValue, SeriesRace, SeriesSettings};

    fn standing(values: [f64; 3], blocks: u32) -> CommandStanding {
        let quantity = Quantity::time("wall time");
        let mut race = SeriesRace::new(SeriesSettings {
            variants: 3,
            cases: 1,
            quantity: quantity.clone(),
            confidence: 0.95,
            practical: 0.02,
            blocks_max: 100,
            resolution: 100.0,
            margin: None,
        });
        for block in 0..blocks {
            let value = |(variant, value): (usize, &f64)| BlockValue {
                variant,
                case: 0,
                value: value * (1.0 + 0.1 * f64::from((block * 7 + variant as u32 * 3) % 11)),
            };
            let block: Vec<BlockValue> = values.iter().enumerate().map(value).collect();
            race.push(&block).unwrap();
        }
        let command = |name: &str| TimedCommand {
            name: name.to_owned(),
            line: CommandLine::one(&"true".to_owned(), &Shell::None).unwrap(),
            prepare: None,
            setup: None,
            cleanup: None,
            fenced: None,
        };
        let commands = ["a", "b", "c"].map(command);
        CommandStanding::of(&race.verdicts(), &commands, &quantity).unwrap()
    }

    #[test]
    fn nobody_is_ahead_before_that_is_sure() {
        let early = standing([1e6, 1.02e6, 9e6], 3);
        assert_eq!((early.decided, early.pairs, early.ahead), (0, 3, None));
        let later = standing([1e6, 1.02e6, 9e6], 30);
        assert_eq!((later.decided, later.pairs), (2, 3), "{later:?}");
        assert_eq!(later.ahead, None);
        let open = later.open.unwrap();
        assert_eq!((open.a.as_str(), open.b.as_str()), ("a", "b"));
        let span = open.span.unwrap();
        assert!(
            span.starts_with("from ") && span.contains("faster"),
            "{span}"
        );
        let known = standing([1e6, 4e6, 9e6], 60);
        assert_eq!(known.ahead.as_deref(), Some("a"));
        assert_eq!((known.decided, known.open), (3, None));
    }
}
