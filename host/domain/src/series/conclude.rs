//! The report about a series: everything that follows from its values.

use super::race::{SeriesRace, SeriesVerdicts};
use super::report::{
    CaseValues, SERIES_SCHEMA_VERSION, SeriesEnd, SeriesReport, SeriesVariant, SeriesVerdict,
};
use super::rows::OrderInBlocks;
use super::{notes, words};
use crate::measurement::VariantIndex;
use crate::plan::RunSeed;
use crate::race::Analysis;
use crate::reading_verdict::{Claim, ReadingVerdict};
use crate::report::RankingOutcome;
use crate::verdict::{PairVerdict, RatioInterval, Verdict};

/// The most open pairs for which it is worked out how many more blocks would settle them.
const PROSPECTS_MAX: usize = 6;

/// The facts about a series besides its values.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesFacts {
    /// The variants in the order of their indexes, without values.
    pub variants: Vec<SeriesVariant>,
    /// Names of the cases; empty without cases.
    pub cases: Vec<String>,
    /// The reason why it ended.
    pub ended: SeriesEnd,
    /// Order in which the values of a block were measured, as far as it is known; `None` if it was drawn.
    pub order: Option<OrderInBlocks>,
    /// Notes on how the values came about.
    pub notes: Vec<String>,
    /// Seconds that a block took, if that is known.
    pub block_seconds: Option<f64>,
    /// The seed of all orders, if they were drawn.
    pub seed: Option<RunSeed>,
}

/// The report about a series.
pub fn conclude(race: &mut SeriesRace, facts: SeriesFacts) -> SeriesReport {
    let verdicts = race.verdicts();
    let names: Vec<String> = facts.variants.iter().map(|one| one.name.clone()).collect();
    let mut variants = facts.variants;
    for (index, variant) in variants.iter_mut().enumerate() {
        variant.values = values(race, &verdicts, &facts.cases, index);
    }
    let rows = match &verdicts {
        SeriesVerdicts::Ratios { analysis, .. } => ratio_rows(race, analysis, &names, &facts.cases),
        SeriesVerdicts::Means(pairs) => mean_rows(pairs, &names),
    };
    let warning = facts.order.and_then(|order| notes::on_order(order, &names));
    let settings = race.settings();
    let live: Vec<&str> = variants
        .iter()
        .filter(|variant| variant.failure.is_none())
        .map(|variant| variant.name.as_str())
        .collect();
    let (outcome, winner, unbeaten) = outcome(&rows, &live);
    let mut report = SeriesReport {
        schema_version: SERIES_SCHEMA_VERSION,
        quantity: settings.quantity.clone(),
        confidence: settings.confidence,
        practical: settings.practical,
        blocks: race.blocks(),
        ended: facts.ended,
        variants,
        verdicts: rows,
        outcome,
        winner,
        unbeaten,
        text: String::new(),
        warnings: warning.into_iter().collect(),
        notes: facts.notes,
        cases: facts.cases,
        block_seconds: facts.block_seconds,
        seed: facts.seed,
    };
    report.notes.extend(notes::on_rare_values(&report));
    report.notes.extend(notes::on_blocks(&report));
    report.text = words::answer(&report);
    report
}

fn values(
    race: &SeriesRace,
    verdicts: &SeriesVerdicts,
    cases: &[String],
    variant: VariantIndex,
) -> Vec<CaseValues> {
    match verdicts {
        SeriesVerdicts::Ratios { units, analysis } => {
            let own = analysis.times.iter().filter(|time| time.variant == variant);
            let lower = race.settings().quantity.lower_is_better();
            let value = |cost: f64, unit: f64| if lower { cost / unit } else { unit / cost };
            own.map(|time| {
                let value = |cost: f64| value(cost, units[time.case]);
                let (low, high) = if lower {
                    (time.low_ns, time.high_ns)
                } else {
                    (time.high_ns, time.low_ns)
                };
                CaseValues {
                    case: cases.get(time.case).cloned(),
                    count: time.calls,
                    mean: value(time.mean_ns),
                    low: low.map(value),
                    high: high.map(value),
                }
            })
            .collect()
        }
        SeriesVerdicts::Means(_) => {
            let (count, sum) = race
                .rounds_of(variant)
                .fold((0_u64, 0.0), |(count, sum), value| (count + 1, sum + value));
            let some = (count > 0).then(|| CaseValues {
                case: None,
                count,
                mean: sum / count as f64,
                low: None,
                high: None,
            });
            some.into_iter().collect()
        }
    }
}

fn ratio_rows(
    race: &SeriesRace,
    analysis: &Analysis,
    names: &[String],
    cases: &[String],
) -> Vec<SeriesVerdict> {
    let lower = race.settings().quantity.lower_is_better();
    let mut prospects = PROSPECTS_MAX;
    let row = |pair: &PairVerdict| {
        let RatioInterval { ratio, low, high } = if lower {
            pair.interval
        } else {
            pair.interval.inverse()
        };
        let unbeaten = &analysis.unbeaten;
        let is_open = pair.case.is_none()
            && pair.is_open()
            && unbeaten.contains(&pair.a)
            && unbeaten.contains(&pair.b)
            && prospects > 0;
        prospects -= usize::from(is_open);
        let settled_by = is_open.then(|| race.settled_by(pair)).flatten();
        SeriesVerdict {
            a: names[pair.a].clone(),
            b: names[pair.b].clone(),
            case: pair.case.and_then(|case| cases.get(case).cloned()),
            verdict: pair.verdict,
            below_threshold: pair.below_threshold,
            claim: Claim::Ratio,
            value: ratio,
            low,
            high,
            typical: pair
                .typical
                .map(|ratio| if lower { ratio } else { 1.0 / ratio }),
            blocks: pair.replicas,
            settled_by,
        }
    };
    analysis
        .overall
        .iter()
        .chain(&analysis.by_case)
        .map(row)
        .collect()
}

fn mean_rows(pairs: &[ReadingVerdict], names: &[String]) -> Vec<SeriesVerdict> {
    let row = |pair: &ReadingVerdict| SeriesVerdict {
        a: names[pair.a].clone(),
        b: names[pair.b].clone(),
        case: None,
        verdict: pair.verdict,
        below_threshold: pair.below_threshold,
        claim: pair.claim,
        value: pair.value,
        low: pair.low,
        high: pair.high,
        typical: None,
        blocks: pair.count,
        settled_by: None,
    };
    pairs.iter().map(row).collect()
}

/// The outcome, the winner, and those that no other is surely better than.
fn outcome(rows: &[SeriesVerdict], live: &[&str]) -> (RankingOutcome, Option<String>, Vec<String>) {
    let rows: Vec<&SeriesVerdict> = rows.iter().filter(|row| row.case.is_none()).collect();
    let beats = |a: &str, b: &str| {
        rows.iter().any(|row| match row.verdict {
            Verdict::Beats => (row.a.as_str(), row.b.as_str()) == (a, b),
            Verdict::Beaten => (row.a.as_str(), row.b.as_str()) == (b, a),
            Verdict::Tie | Verdict::NoCall => false,
        })
    };
    let beats_all = |a: &&&str| live.iter().all(|b| *b == **a || beats(a, b));
    let is_unbeaten = |a: &&&str| live.iter().all(|b| !beats(b, a));
    let unbeaten: Vec<String> = live
        .iter()
        .filter(is_unbeaten)
        .map(|name| (*name).to_owned())
        .collect();
    if live.len() < 2 {
        return (RankingOutcome::Nothing, None, unbeaten);
    }
    if let Some(winner) = live.iter().find(beats_all) {
        return (RankingOutcome::Winner, Some((*winner).to_owned()), unbeaten);
    }
    let among = |name: &String| unbeaten.contains(name);
    let open = rows.iter().filter(|row| among(&row.a) && among(&row.b));
    let all_tie = unbeaten.len() > 1 && open.clone().all(|row| row.verdict == Verdict::Tie);
    let outcome = if all_tie {
        RankingOutcome::Tie
    } else {
        RankingOutcome::NoCall
    };
    (outcome, None, unbeaten)
}

#[cfg(test)]
mod tests {
    use super::super::quantity::{Quantity, ValueScale};
    use super::super::race::{BlockValue, SeriesSettings};
    use super::*;
    use crate::spec::Direction;

    fn report(values: &[Vec<f64>], direction: Direction, ended: SeriesEnd) -> SeriesReport {
        let variants = values[0].len();
        let mut race = SeriesRace::new(SeriesSettings {
            variants,
            cases: 1,
            quantity: Quantity {
                name: "throughput".to_owned(),
                unit: "MB/s".to_owned(),
                direction,
                scale: ValueScale::Ratio,
            },
            confidence: 0.95,
            practical: 0.01,
            blocks_max: 1000,
            resolution: 0.0,
            margin: None,
        });
        for block in values {
            let value = |(variant, value): (usize, &f64)| BlockValue {
                variant,
                case: 0,
                value: *value,
            };
            let block: Vec<BlockValue> = block.iter().enumerate().map(value).collect();
            race.push(&block).unwrap();
        }
        let named = |name: &str| SeriesVariant {
            name: name.to_owned(),
            command: None,
            failure: None,
            values: Vec::new(),
            also: Vec::new(),
        };
        conclude(
            &mut race,
            SeriesFacts {
                variants: ["a", "b", "c"][..variants]
                    .iter()
                    .map(|name| named(name))
                    .collect(),
                cases: Vec::new(),
                ended,
                order: None,
                notes: Vec::new(),
                block_seconds: None,
                seed: None,
            },
        )
    }

    fn noisy(means: &[f64], blocks: u32) -> Vec<Vec<f64>> {
        let block = |block: u32| {
            let value = |(variant, mean): (usize, &f64)| {
                mean * (1.0 + 0.001 * f64::from((block * 7 + variant as u32 * 3) % 11))
            };
            means.iter().enumerate().map(value).collect()
        };
        (0..blocks).map(block).collect()
    }

    #[test]
    fn of_a_rate_more_is_better_and_the_ratio_is_that_of_the_rates() {
        let values = noisy(&[300.0, 200.0], 20);
        let found = report(&values, Direction::HigherIsBetter, SeriesEnd::EndOfValues);
        assert_eq!(found.winner.as_deref(), Some("a"));
        let row = &found.verdicts[0];
        assert_eq!(row.verdict, Verdict::Beats);
        assert!((row.value.unwrap() - 1.5).abs() < 0.01, "{row:?}");
        assert!(row.low.unwrap() > 1.4 && row.high.unwrap() < 1.6);
        let mean = found.variants[0].values[0].mean;
        assert!((300.0..304.0).contains(&mean), "{mean}");
        assert!(found.text.starts_with("Take a: "), "{}", found.text);
        let lower = report(&values, Direction::LowerIsBetter, SeriesEnd::EndOfValues);
        assert_eq!(lower.winner.as_deref(), Some("b"));
        assert_eq!(
            found.verdict("b", "a").unwrap().verdict,
            lower.verdict("a", "b").unwrap().verdict
        );
    }

    #[test]
    fn the_same_values_tie_and_few_say_nothing() {
        let found = report(
            &noisy(&[5.0, 5.0], 400),
            Direction::LowerIsBetter,
            SeriesEnd::Settled,
        );
        assert_eq!(found.outcome, RankingOutcome::Tie, "{}", found.text);
        let few = report(
            &noisy(&[5.0, 9.0], 4),
            Direction::LowerIsBetter,
            SeriesEnd::EndOfValues,
        );
        assert_eq!(few.outcome, RankingOutcome::NoCall);
        assert!(few.text.contains("8 blocks"), "{}", few.text);
    }

    #[test]
    fn the_best_of_three_is_named_with_its_ratios() {
        let found = report(
            &noisy(&[9.0, 5.0, 15.0], 20),
            Direction::LowerIsBetter,
            SeriesEnd::Settled,
        );
        assert_eq!(found.winner.as_deref(), Some("b"));
        assert_eq!(found.unbeaten, ["b"]);
        assert_eq!(found.verdicts.len(), 3);
    }
}
