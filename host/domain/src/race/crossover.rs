//! Between which sizes two variants change places.

use super::settings::Settings;
use crate::measurement::VariantIndex;
use crate::verdict::{PairVerdict, Verdict};
use serde::{Deserialize, Serialize};

/// Two variants that are each surely faster on their side of some size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crossover {
    /// Who is faster at `low` and below it, as far as is known.
    pub below: VariantIndex,
    /// Who is faster at `high` and above.
    pub above: VariantIndex,
    /// The largest size with a sure verdict for `below`.
    pub low: u32,
    /// The next size with a sure verdict for `above`.
    pub high: u32,
    /// Where the ratio is about 1, by a straight line through the logarithms of ratio and size;
    /// between `low` and `high`. An estimate: only the two sizes are sure.
    pub estimate: f64,
}

/// All crossovers of all pairs, in the order of pairs and sizes.
pub(super) fn find(settings: &Settings, by_case: &[PairVerdict]) -> Vec<Crossover> {
    let mut rows: Vec<(&PairVerdict, u32)> = by_case
        .iter()
        .filter_map(|pair| Some((pair, *settings.sizes.get(pair.case?)?)))
        .collect();
    rows.sort_by_key(|(pair, size)| (pair.a, pair.b, *size));
    rows.chunk_by(|(one, _), (other, _)| (one.a, one.b) == (other.a, other.b))
        .flat_map(of_pair)
        .collect()
}

/// The crossovers of one pair, by size: between neighbouring sure verdicts that differ.
fn of_pair(rows: &[(&PairVerdict, u32)]) -> Vec<Crossover> {
    let mut found = Vec::new();
    let mut last_sure: Option<usize> = None;
    for (place, (pair, high)) in rows.iter().enumerate() {
        if !matches!(pair.verdict, Verdict::Beats | Verdict::Beaten) {
            continue;
        }
        let before = last_sure.filter(|before| rows[*before].0.verdict != pair.verdict);
        if let Some(before) = before {
            let (below, above) = match pair.verdict {
                Verdict::Beats => (pair.b, pair.a),
                _ => (pair.a, pair.b),
            };
            found.push(Crossover {
                below,
                above,
                low: rows[before].1,
                high: *high,
                estimate: zero_between(&rows[before..=place]),
            });
        }
        last_sure = Some(place);
    }
    found
}

/// Where the logarithm of the ratio first changes its sign, linear in the logarithm of the size
/// between neighbouring points. The first and the last have opposite signs.
fn zero_between(rows: &[(&PairVerdict, u32)]) -> f64 {
    let point = |(pair, size): &(&PairVerdict, u32)| {
        (
            f64::from(*size).ln(),
            pair.interval.ratio.unwrap_or(1.0).ln(),
        )
    };
    for neighbours in rows.windows(2) {
        let ((x0, y0), (x1, y1)) = (point(&neighbours[0]), point(&neighbours[1]));
        if y0 * y1 <= 0.0 && y0 != y1 {
            return (x0 + (x1 - x0) * y0 / (y0 - y1)).exp();
        }
    }
    let ends = (
        rows.first().map_or(0, |row| row.1),
        rows.last().map_or(0, |row| row.1),
    );
    (f64::from(ends.0) * f64::from(ends.1)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::RatioInterval;

    fn row(case: usize, verdict: Verdict, ratio: f64) -> PairVerdict {
        PairVerdict {
            verdict,
            interval: RatioInterval {
                ratio: Some(ratio),
                low: None,
                high: None,
            },
            ..PairVerdict::identical(0, 1, Some(case))
        }
    }

    fn settings() -> Settings {
        Settings {
            sizes: vec![100, 400, 1600],
            ..Settings::new(2, 3)
        }
    }

    #[test]
    fn opposite_sure_verdicts_enclose_a_crossover() {
        let rows = [
            row(0, Verdict::Beats, 0.5),
            row(1, Verdict::Beaten, 2.0),
            row(2, Verdict::Beaten, 8.0),
        ];
        let found = find(&settings(), &rows);
        assert_eq!(found.len(), 1);
        let only = found[0];
        assert_eq!(
            (only.below, only.above, only.low, only.high),
            (0, 1, 100, 400)
        );
        assert!((only.estimate - 200.0).abs() < 1e-9, "{only:?}");
    }

    #[test]
    fn an_open_verdict_between_widens_it() {
        let rows = [
            row(0, Verdict::Beaten, 2.0),
            row(1, Verdict::NoCall, 1.1),
            row(2, Verdict::Beats, 0.5),
        ];
        let only = find(&settings(), &rows)[0];
        assert_eq!(
            (only.below, only.above, only.low, only.high),
            (1, 0, 100, 1600)
        );
        assert!(400.0 < only.estimate && only.estimate < 1600.0);
    }

    #[test]
    fn without_two_sure_sides_there_is_none() {
        let rows = [
            row(0, Verdict::Beats, 0.5),
            row(1, Verdict::NoCall, 2.0),
            row(2, Verdict::Tie, 1.0),
        ];
        assert!(find(&settings(), &rows).is_empty());
        let mut unsized_cases = settings();
        unsized_cases.sizes.clear();
        let rows = [row(0, Verdict::Beats, 0.5), row(1, Verdict::Beaten, 2.0)];
        assert!(find(&unsized_cases, &rows).is_empty());
    }
}
