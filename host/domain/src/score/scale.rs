//! Scores that follow from readings, criterion by criterion.

use super::criterion::CriterionSummary;
use super::difference;
use super::input::{ScoreInput, TimedCases, VariantReadings};
use super::variant_score::{MissingScore, SCORE_MAX, ScoreResult, score_of_factor};
use crate::interval::Interval;
use crate::logarithm::ln;
use crate::spec::{Direction, Scale};
use crate::verdict::Verdict;

/// The scores by variant, then by criterion. `None` for variants that failed or were screened out.
pub(super) fn scores(input: &ScoreInput) -> Vec<Option<Vec<ScoreResult>>> {
    let columns: Vec<Vec<Option<ScoreResult>>> = input
        .criteria
        .iter()
        .map(|criterion| column(input, criterion))
        .collect();
    (0..input.variants.len())
        .map(|row| {
            let cells = columns.iter().map(|column| column[row].clone());
            cells.collect()
        })
        .collect()
}

/// The scores on one criterion, by variant.
fn column(input: &ScoreInput, criterion: &CriterionSummary) -> Vec<Option<ScoreResult>> {
    let readings: Vec<Option<ScoreResult>> = input
        .variants
        .iter()
        .map(|variant| {
            let reading = variant.readings.get(&criterion.source);
            variant.is_scored().then(|| match reading {
                Some(reading) => valid(reading, criterion),
                None => Err(no_reading(input, criterion, variant)),
            })
        })
        .collect();
    match criterion.scale {
        Scale::Linear { low, high } => readings
            .into_iter()
            .map(|cell| cell.map(|cell| cell.map(|r| linear(r, criterion.direction, low, high))))
            .collect(),
        Scale::Ratio { base } if difference::has_verdicts(input, criterion) => {
            by_verdicts(input, criterion, base)
        }
        Scale::Ratio { base } => by_readings(&readings, criterion.direction, base),
    }
}

/// The reason why a variant that did not fail has no reading on a criterion.
fn no_reading(
    input: &ScoreInput,
    criterion: &CriterionSummary,
    variant: &VariantReadings,
) -> MissingScore {
    let needs_times = match input.timed_cases {
        TimedCases::All => false,
        TimedCases::Some => criterion.source == "growth",
        TimedCases::None => criterion.source == "growth" || is_of_calls(criterion),
    };
    if needs_times {
        MissingScore::TooShort(input.timed_cases)
    } else {
        MissingScore::NoReading {
            of: criterion.source.clone(),
            why: variant.missing.get(&criterion.source).cloned(),
        }
    }
}

/// Returns true if the criterion's readings come from timed calls.
fn is_of_calls(criterion: &CriterionSummary) -> bool {
    matches!(criterion.source.as_str(), "time" | "wall" | "cold-start")
}

/// The reason why a variant that did not fail was not compared on a criterion.
fn not_compared(input: &ScoreInput, criterion: &CriterionSummary) -> MissingScore {
    match input.timed_cases {
        TimedCases::None if is_of_calls(criterion) => MissingScore::TooShort(input.timed_cases),
        _ => MissingScore::NotCompared,
    }
}

/// The reading, if the criterion's scale accepts it.
fn valid(reading: &Interval, criterion: &CriterionSummary) -> ScoreResult {
    let value = reading.value;
    if !value.is_finite() {
        return Err(MissingScore::NotFinite(value));
    }
    match criterion.scale {
        Scale::Ratio { base } if !(base.is_finite() && base > 1.0) => {
            return Err(MissingScore::Scale);
        }
        Scale::Linear { low, high } if !(low < high && (high - low).is_finite()) => {
            return Err(MissingScore::Scale);
        }
        Scale::Ratio { .. } if value <= 0.0 => return Err(MissingScore::NotPositive(value)),
        Scale::Ratio { .. } | Scale::Linear { .. } => {}
    }
    let end = |end: Option<f64>| end.filter(|end| end.is_finite());
    let reading = Interval {
        value,
        low: end(reading.low).map(|low| low.min(value)),
        high: end(reading.high).map(|high| high.max(value)),
    };
    Ok(if criterion.is_paired() {
        reading
    } else {
        reading.or_exact()
    })
}

/// The score on a linear scale: 0 at the worst end of the range, 10 at the best. A reading outside the
/// range scores as its nearer end.
fn linear(reading: Interval, direction: Direction, low: f64, high: f64) -> Interval {
    let share = |x: f64| ((x - low) / (high - low)).clamp(0.0, 1.0);
    match direction {
        Direction::HigherIsBetter => reading.rising(|x| 10.0 * share(x)),
        Direction::LowerIsBetter => reading.falling(|x| 10.0 * (1.0 - share(x))),
    }
}

/// The scores of the readings' ratios to the best reading.
fn by_readings(
    readings: &[Option<ScoreResult>],
    direction: Direction,
    base: f64,
) -> Vec<Option<ScoreResult>> {
    let values = readings
        .iter()
        .filter_map(|cell| cell.as_ref()?.as_ref().ok().map(|r| r.value));
    let best = match direction {
        Direction::LowerIsBetter => values.fold(f64::INFINITY, f64::min),
        Direction::HigherIsBetter => values.fold(0.0, f64::max),
    };
    // A difference of logarithms: the quotient of extreme readings would overflow.
    let above = |x: f64| 10.0 * (ln(x) - ln(best)) / ln(base);
    let within = |score: f64| score.clamp(0.0, SCORE_MAX);
    let score = |reading: Interval| match direction {
        Direction::LowerIsBetter => reading.positive().falling(|x| within(SCORE_MAX - above(x))),
        Direction::HigherIsBetter => reading.positive().rising(|x| within(SCORE_MAX + above(x))),
    };
    let cell = |cell: &Option<ScoreResult>| cell.clone().map(|cell| cell.map(score));
    readings.iter().map(cell).collect()
}

/// The scores of the ratios to the best in the verdicts, so that a score carries the interval of the
/// verdict against the best. Readings are not used: they are not paired, so one may contain a slow
/// hour of the machine that another does not.
fn by_verdicts(
    input: &ScoreInput,
    criterion: &CriterionSummary,
    base: f64,
) -> Vec<Option<ScoreResult>> {
    let Some(best) = fastest(input, criterion) else {
        return absent(input, not_compared(input, criterion));
    };
    if !(base.is_finite() && base > 1.0) {
        return absent(input, MissingScore::Scale);
    }
    let score = |variant: usize| {
        if let Some(why) = withheld(input, criterion, variant) {
            let of = criterion.source.clone();
            return Err(MissingScore::Withheld {
                of,
                why: why.to_owned(),
            });
        }
        if variant == best {
            return Ok(Interval::exact(SCORE_MAX));
        }
        let ratio = difference::ratio(input, criterion, variant, best);
        let ratio = ratio.ok_or(MissingScore::NotCompared)?;
        Ok(ratio.falling(|factor| score_of_factor(factor, base)))
    };
    (0..input.variants.len())
        .map(|variant| input.variants[variant].is_scored().then(|| score(variant)))
        .collect()
}

/// The same missing score for all variants that did not fail.
fn absent(input: &ScoreInput, why: MissingScore) -> Vec<Option<ScoreResult>> {
    let cell = |is_scored: bool| is_scored.then(|| Err(why.clone()));
    input.variants.iter().map(|c| cell(c.is_scored())).collect()
}

/// Returns the reason why a variant's reading, if it has one, and its verdicts rank nobody, where the host gives one.
fn withheld<'i>(
    input: &'i ScoreInput,
    criterion: &CriterionSummary,
    variant: usize,
) -> Option<&'i str> {
    let missing = &input.variants[variant].missing;
    missing.get(&criterion.source).map(String::as_str)
}

/// Returns true if the variant has a ratio to any other.
fn is_compared(input: &ScoreInput, criterion: &CriterionSummary, variant: usize) -> bool {
    let mut others = (0..input.variants.len()).filter(|other| *other != variant);
    others.any(|other| difference::ratio(input, criterion, variant, other).is_some())
}

/// The variant that the fewest verdicts call slower; of several, the one that is faster than most.
fn fastest(input: &ScoreInput, criterion: &CriterionSummary) -> Option<usize> {
    let defeats = |variant: usize| {
        let others = || {
            (0..input.variants.len())
                .filter(move |other| *other != variant && input.variants[*other].is_scored())
        };
        let row = |other| difference::verdict(input, criterion, variant, other);
        let beaten = others().filter(|o| row(*o).is_some_and(|r| r.verdict == Verdict::Beaten));
        let ratio = |other| difference::ratio(input, criterion, variant, other);
        let slower = others().filter(|o| ratio(*o).is_none_or(|r| r.value > 1.0));
        (beaten.count(), slower.count())
    };
    (0..input.variants.len())
        .filter(|variant| input.variants[*variant].is_scored())
        .filter(|variant| difference::takes_part(input, criterion, *variant))
        .filter(|variant| is_compared(input, criterion, *variant))
        .filter(|variant| withheld(input, criterion, *variant).is_none())
        .min_by_key(|variant| defeats(*variant))
}
