//! Implied verdicts: if a beats b and b beats c, a beats c.
//!
//! A variant that is beaten leaves the race, so the eventual winner may never have run against it
//! for long. All direct verdicts hold together at the declared confidence, so what follows from
//! them needs no α of its own.

use super::settings::RaceSettings;
use crate::stats::Bounds;
use crate::verdict::{PairVerdict, RatioInterval, Verdict};

/// An upper end for ln t_a − ln t_b for each ordered pair of which a beats b.
struct Order {
    variants: usize,
    below: Vec<Option<f64>>,
}

impl Order {
    fn new(variants: usize, direct: &[PairVerdict]) -> Self {
        let mut below = vec![None; variants * variants];
        for pair in direct {
            match pair.verdict {
                Verdict::Beats => {
                    below[pair.a * variants + pair.b] = pair.interval.high.map(f64::ln);
                }
                Verdict::Beaten => {
                    below[pair.b * variants + pair.a] = pair.interval.low.map(|low| -low.ln());
                }
                Verdict::Tie | Verdict::NoCall => {}
            }
        }
        Self { variants, below }
    }

    fn get(&self, a: usize, b: usize) -> Option<f64> {
        self.below[a * self.variants + b]
    }

    /// Adds the pairs that follow from chains of any length (Floyd and Warshall).
    fn close(&mut self) {
        for middle in 0..self.variants {
            for a in 0..self.variants {
                for b in 0..self.variants {
                    let chain = self.get(a, middle).zip(self.get(middle, b));
                    let Some(end) = chain.map(|(first, second)| first + second) else {
                        continue;
                    };
                    let known = self.get(a, b).unwrap_or(f64::INFINITY);
                    self.below[a * self.variants + b] = Some(known.min(end));
                }
            }
        }
    }
}

/// Settles open pairs whose verdict follows from others. A direct verdict is never changed, and one
/// that a sign inversion withholds stays withheld.
pub(super) fn add_implied(settings: &RaceSettings, pairs: &mut [PairVerdict]) {
    let mut order = Order::new(settings.variants, pairs);
    order.close();
    for pair in pairs
        .iter_mut()
        .filter(|pair| pair.verdict == Verdict::NoCall && pair.sign_inversion.is_none())
    {
        let log = |end: Option<f64>| end.map(f64::ln);
        let mut bounds = Bounds {
            low: log(pair.interval.low),
            high: log(pair.interval.high),
        };
        // Both at once would be a contradiction among the direct verdicts: then nothing follows.
        match (order.get(pair.a, pair.b), order.get(pair.b, pair.a)) {
            (Some(end), None) => {
                pair.verdict = Verdict::Beats;
                bounds.high = Some(bounds.high.map_or(end, |high| high.min(end)));
            }
            (None, Some(end)) => {
                pair.verdict = Verdict::Beaten;
                bounds.low = Some(bounds.low.map_or(-end, |low| low.max(-end)));
            }
            _ => continue,
        }
        pair.interval = RatioInterval::from_log(log(pair.interval.ratio), bounds);
        pair.mark_threshold(settings.practical_log());
    }
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
        assert!((pairs[1].interval.high.unwrap().ln() + 0.3).abs() < 1e-12);
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
}
