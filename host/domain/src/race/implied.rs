//! Implied verdicts: if a beats b and b beats c, a beats c.
//!
//! A variant that is beaten leaves the race, so the eventual winner may never have run against it
//! for long. All direct verdicts hold together at the declared confidence, so what follows from
//! them needs no α of its own.

use super::settings::RaceSettings;
use crate::measurement::VariantIndex;
use crate::stats::{Bounds, rounded_up};
use crate::verdict::{PairVerdict, RatioInterval, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// An upper end for ln t_a − ln t_b for each ordered pair of which a beats b.
struct Order {
    below: BTreeMap<(VariantIndex, VariantIndex), f64>,
}

impl Order {
    fn new<'p>(direct: impl Iterator<Item = &'p PairVerdict>) -> Self {
        let known = direct.filter_map(|pair| match pair.verdict {
            Verdict::Beats => Some(((pair.a, pair.b), pair.interval.high?.ln())),
            Verdict::Beaten => Some(((pair.b, pair.a), -pair.interval.low?.ln())),
            Verdict::Tie | Verdict::NoCall => None,
        });
        Self {
            below: known.collect(),
        }
    }

    fn get(&self, a: VariantIndex, b: VariantIndex) -> Option<f64> {
        self.below.get(&(a, b)).copied()
    }

    /// Adds the pairs that follow from chains of any length (Floyd and Warshall).
    fn close(&mut self) {
        let ends = self.below.keys().flat_map(|(a, b)| [*a, *b]);
        let variants: BTreeSet<VariantIndex> = ends.collect();
        for middle in &variants {
            for a in &variants {
                let Some(first) = self.get(*a, *middle) else {
                    continue;
                };
                for b in &variants {
                    if let Some(second) = self.get(*middle, *b) {
                        let known = self.below.entry((*a, *b)).or_insert(f64::INFINITY);
                        *known = known.min(first + second);
                    }
                }
            }
        }
    }
}

/// Settles open pairs whose verdict follows from others. A direct verdict is never changed. Nothing is implied that
/// the pair's own total times contradict.
pub(super) fn add_implied(settings: &RaceSettings, pairs: &mut [PairVerdict]) {
    let mut order = Order::new(pairs.iter());
    order.close();
    for pair in pairs {
        settle(settings, &order, pair);
    }
}

fn settle(settings: &RaceSettings, order: &Order, pair: &mut PairVerdict) {
    if pair.verdict != Verdict::NoCall {
        return;
    }
    let ratio = pair.interval.ratio.unwrap_or(1.0);
    let is_contradicted = |verdict| match verdict {
        Verdict::Beats => ratio > 1.0,
        _ => ratio < 1.0,
    };
    let log = |end: Option<f64>| end.map(f64::ln);
    let mut bounds = Bounds {
        low: log(pair.interval.low),
        high: log(pair.interval.high),
    };
    // Both at once would be a contradiction among the direct verdicts: then nothing follows.
    match (order.get(pair.a, pair.b), order.get(pair.b, pair.a)) {
        (Some(end), None) if !is_contradicted(Verdict::Beats) => {
            let end = rounded_up(end);
            pair.verdict = Verdict::Beats;
            bounds.high = Some(bounds.high.map_or(end, |high| high.min(end)));
        }
        (None, Some(end)) if !is_contradicted(Verdict::Beaten) => {
            let end = -rounded_up(end);
            pair.verdict = Verdict::Beaten;
            bounds.low = Some(bounds.low.map_or(end, |low| low.max(end)));
        }
        _ => return,
    }
    pair.interval = RatioInterval::from_log(log(pair.interval.ratio), bounds);
    pair.mark_threshold(settings.practical_log());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: usize, b: usize, verdict: Verdict, low: f64, high: f64) -> PairVerdict {
        let bounds = Bounds {
            low: Some(low),
            high: Some(high),
        };
        PairVerdict {
            verdict,
            interval: RatioInterval::from_log(Some(0.5 * (low + high)), bounds),
            ..PairVerdict::identical(a, b, None)
        }
    }

    #[test]
    fn who_beats_a_beater_beats() {
        let mut pairs = [
            pair(0, 1, Verdict::Beats, -0.3, -0.2),
            pair(0, 2, Verdict::NoCall, -0.9, 0.1),
            pair(1, 2, Verdict::Beats, -0.5, -0.1),
        ];
        add_implied(&RaceSettings::new(3, 1), &mut pairs);
        assert_eq!(pairs[1].verdict, Verdict::Beats);
        // −0.2 and −0.1, rounded outwards to a multiple of 2⁻¹⁷.
        let steps = pairs[1].interval.high.unwrap().ln() * 131_072.0;
        assert!((steps + (0.3_f64 * 131_072.0).floor()).abs() < 1e-6);
        assert!(pairs[1].interval.ratio <= pairs[1].interval.high);
    }

    #[test]
    fn nothing_follows_from_ties_or_contradictions() {
        let mut tied = [
            pair(0, 1, Verdict::Tie, -0.005, 0.005),
            pair(0, 2, Verdict::NoCall, -0.9, 0.1),
            pair(1, 2, Verdict::Beats, -0.5, -0.1),
        ];
        add_implied(&RaceSettings::new(3, 1), &mut tied);
        assert_eq!(tied[1].verdict, Verdict::NoCall);
        let mut circle = [
            pair(0, 1, Verdict::Beats, -0.3, -0.2),
            pair(0, 2, Verdict::Beaten, 0.1, 0.2),
            pair(1, 2, Verdict::Beats, -0.5, -0.1),
            pair(0, 3, Verdict::NoCall, -0.1, 0.1),
        ];
        let before = circle.clone();
        add_implied(&RaceSettings::new(4, 1), &mut circle);
        assert_eq!(circle, before);
    }

    #[test]
    fn nothing_follows_that_the_totals_of_the_pair_contradict() {
        let mut pairs = [
            pair(0, 1, Verdict::Beats, -0.3, -0.2),
            pair(0, 2, Verdict::NoCall, -0.1, 0.9),
            pair(1, 2, Verdict::Beats, -0.5, -0.1),
        ];
        add_implied(&RaceSettings::new(3, 1), &mut pairs);
        assert_eq!(pairs[1].verdict, Verdict::NoCall);
    }

    #[test]
    fn a_pair_that_never_met_is_settled_by_a_chain_of_any_length() {
        let unmet = |a, b| PairVerdict {
            verdict: Verdict::NoCall,
            interval: RatioInterval::default(),
            ..PairVerdict::identical(a, b, None)
        };
        // 3 is faster than 0, 0 than 2 and 2 than 1: with the lower index first, all but one are slower.
        let mut pairs = [
            pair(0, 1, Verdict::Beats, -0.3, -0.2),
            pair(0, 2, Verdict::Beats, -0.3, -0.2),
            pair(0, 3, Verdict::Beaten, 0.4, 0.5),
            pair(1, 2, Verdict::Beaten, 0.1, 0.3),
            unmet(1, 3),
            unmet(2, 3),
        ];
        pairs[0] = unmet(0, 1);
        let before = pairs.clone();
        add_implied(&RaceSettings::new(4, 1), &mut pairs);
        let verdicts = pairs.clone().map(|pair| pair.verdict);
        let (beats, beaten) = (Verdict::Beats, Verdict::Beaten);
        assert_eq!(verdicts, [beats, beats, beaten, beaten, beaten, beaten]);
        let low = pairs[4].interval.low.unwrap().ln();
        assert!((low - 0.7).abs() < 2e-5 && low <= 0.7, "{low}");
        assert_eq!((pairs[4].interval.high, pairs[4].replicas), (None, 0));
        // Direct verdicts stay as they are.
        assert_eq!(pairs[1..4], before[1..4]);
    }
}
