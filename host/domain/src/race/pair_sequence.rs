//! The differences of one pair over the whole race, over all cases and by case.

use super::alpha::ClaimScope;
use super::block_times::{BlockTimes, PairTimes};
use super::obvious::ObviousDifference;
use super::settings::RaceSettings;
use super::totals::PairTotals;
use crate::few_layouts::{few_layouts_log, with_few_layouts};
use crate::measurement::{CaseIndex, Overrun, VariantIndex};
use crate::stats::{Bounds, ConfidenceSequence, median};
use crate::verdict::{PairEvidence, PairVerdict};

/// The differences of a pair over all cases (`case` is `None`) or on one, by replica.
#[derive(Clone, Debug)]
pub(super) struct ScopeSequence {
    pair: (VariantIndex, VariantIndex),
    case: Option<CaseIndex>,
    sequence: ConfidenceSequence,
    obvious: ObviousDifference,
    totals: PairTotals,
    typical: Vec<f64>,
    few_layouts: bool,
    instances: bool,
}

impl ScopeSequence {
    /// Returns the sequence of a pair without differences.
    pub(super) fn new(
        settings: &RaceSettings,
        pair: (VariantIndex, VariantIndex),
        case: Option<CaseIndex>,
    ) -> Self {
        let scope = case.map_or(ClaimScope::AllCases, |_| ClaimScope::OneCase);
        Self {
            pair,
            case,
            sequence: ConfidenceSequence::new(settings.threshold(scope), settings.practical_log())
                .with_first_scale(settings.first_scale(pair, case)),
            obvious: ObviousDifference::new(
                settings.block_threshold(scope),
                settings.practical_log(),
            ),
            totals: PairTotals::new(settings.instances),
            typical: Vec::new(),
            few_layouts: settings.has_few_layouts(pair),
            instances: settings.instances,
        }
    }

    /// Finds the times of the pair in this scope in one replica; `None` if the replica has none. `weights` sum to 1.
    pub(super) fn find(&self, times: &BlockTimes, weights: &[f64]) -> Option<PairTimes> {
        let Some(case) = self.case else {
            return times.on_all(self.pair, weights, self.instances);
        };
        let found = times.on_case(self.pair, case, 1.0)?;
        Some(PairTimes { cases: vec![found] })
    }

    /// Adds the total times of the pilot, which count for the estimate and for nothing else.
    pub(super) fn push_pilot(&mut self, times: &PairTimes) {
        self.totals.push(times);
    }

    /// Adds a sample of one of the pair that took far longer than was predicted, which counts for the estimate.
    pub(super) fn push_overrun(&mut self, overrun: &Overrun, least_ns: f64) {
        let is_here = self.case.is_none_or(|case| case == overrun.case);
        let is_of_a = overrun.variant == self.pair.0;
        if is_here && (is_of_a || overrun.variant == self.pair.1) {
            self.totals.push_overrun(overrun.case, is_of_a, least_ns);
        }
    }

    /// Adds the times of the pair in a replica.
    pub(super) fn push(&mut self, times: &PairTimes) {
        let difference = times.difference();
        self.sequence.push(difference, times.resolution());
        self.obvious
            .push(&times.by_block(self.instances), difference);
        self.totals.push(times);
        self.typical.push(times.typical());
    }

    /// The ends by replicas and by blocks, as they are.
    fn bounds(&mut self) -> Bounds {
        let replicas = self.sequence.bounds();
        let blocks = self.obvious.bounds();
        let inner = |one: Option<f64>, other: Option<f64>, closer: fn(f64, f64) -> f64| {
            one.zip(other)
                .map(|(one, other)| closer(one, other))
                .or(one)
                .or(other)
        };
        Bounds {
            low: inner(replicas.low, blocks.low, f64::max),
            high: inner(replicas.high, blocks.high, f64::min),
        }
    }

    /// Returns true if replicas give a verdict: as [`verdict`](Self::verdict) says, but by the evidence against the few
    /// values that it turns on, without the interval and without blocks.
    pub(super) fn is_settled(&self, practical_log: f64) -> bool {
        let Some(total) = self.totals.estimate() else {
            return false;
        };
        let threshold = self.sequence.threshold();
        let is_above = |theta: f64| {
            total.low >= theta
                && self.sequence.evidence_above(theta + self.layouts_log()) >= threshold
        };
        let is_below = |theta: f64| {
            total.high <= theta
                && self.sequence.evidence_below(theta - self.layouts_log()) >= threshold
        };
        is_above(0.0) || is_below(0.0) || is_above(-practical_log) && is_below(practical_log)
    }

    /// Distance by which both ends move outwards, as a difference of logarithms; 0 unless a component has few layouts.
    fn layouts_log(&self) -> f64 {
        if self.few_layouts {
            few_layouts_log()
        } else {
            0.0
        }
    }

    /// The verdict by replicas and by blocks.
    pub(super) fn verdict(&mut self, practical_log: f64) -> PairVerdict {
        let bounds = self.bounds();
        let is_crossed = bounds.are_crossed();
        let bounds = if self.few_layouts {
            with_few_layouts(bounds)
        } else {
            bounds.in_order()
        };
        let total = self.totals.estimate();
        let replicas = self.sequence.values().len() as u32;
        // An end that is not known stays so.
        let total = total.filter(|_| replicas > 0);
        let held = total.map_or(bounds, |total| Bounds {
            low: bounds.low.map(|low| low.min(total.low)),
            high: bounds.high.map(|high| high.max(total.high)),
        });
        let finite = |end: Option<f64>| end.filter(|end| end.is_finite());
        let evidence = PairEvidence {
            bounds: Bounds {
                low: finite(held.low),
                high: finite(held.high),
            },
            is_crossed,
            estimate: total.map(|total| total.log_ratio),
            typical: median(&mut self.typical.clone()),
            replicas,
            few_layouts: self.few_layouts,
        };
        PairVerdict::from_evidence(self.pair, self.case, &evidence, practical_log)
    }
}

/// The differences of the variants `a` and `b`, D = ln ΣT_a − ln ΣT_b.
#[derive(Clone, Debug)]
pub(super) struct PairSequence {
    pub(super) a: VariantIndex,
    pub(super) b: VariantIndex,
    overall: ScopeSequence,
    by_case: Vec<ScopeSequence>,
}

impl PairSequence {
    /// Returns a pair without differences. A single case is the same as all of them, and gets no claim of its own.
    pub(super) fn new(settings: &RaceSettings, a: VariantIndex, b: VariantIndex) -> Self {
        let cases = settings.single_scopes();
        let by_case = |case| ScopeSequence::new(settings, (a, b), Some(case));
        Self {
            a,
            b,
            overall: ScopeSequence::new(settings, (a, b), None),
            by_case: cases.into_iter().map(by_case).collect(),
        }
    }

    fn scopes(&mut self) -> impl Iterator<Item = &mut ScopeSequence> {
        std::iter::once(&mut self.overall).chain(&mut self.by_case)
    }

    /// Adds a replica in which both may have run; `weights` sum to 1.
    pub(super) fn push(&mut self, times: &BlockTimes, weights: &[f64]) {
        for scope in self.scopes() {
            if let Some(found) = scope.find(times, weights) {
                scope.push(&found);
            }
        }
    }

    /// Adds the pilot: see [`ScopeSequence::push_pilot`].
    pub(super) fn push_pilot(&mut self, times: &BlockTimes, weights: &[f64]) {
        for scope in self.scopes() {
            if let Some(found) = scope.find(times, weights) {
                scope.push_pilot(&found);
            }
        }
    }

    /// Adds an overrun: see [`ScopeSequence::push_overrun`].
    pub(super) fn push_overrun(&mut self, overrun: &Overrun, least_ns: f64) {
        for scope in self.scopes() {
            scope.push_overrun(overrun, least_ns);
        }
    }

    /// The verdict over all cases.
    pub(super) fn verdict(&mut self, practical_log: f64) -> PairVerdict {
        self.overall.verdict(practical_log)
    }

    /// The verdicts by case.
    pub(super) fn verdicts_by_case(
        &mut self,
        practical_log: f64,
    ) -> impl Iterator<Item = PairVerdict> {
        let scopes = self.by_case.iter_mut();
        scopes.map(move |scope| scope.verdict(practical_log))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Replica, Sample, Surroundings};
    use crate::verdict::{RatioInterval, Verdict};

    const DELTA: f64 = 0.01;
    /// Usual time of a sample, in nanoseconds.
    const USUAL_NS: f64 = 1e6;

    /// A replica in which these are the times of both by block, as multiples of the usual.
    fn replica(index: u32, blocks: &[(f64, f64)]) -> Replica {
        let sample = |variant, block, time: f64| Sample {
            variant,
            case: 0,
            block,
            position: 0,
            calls: 1,
            cpu_ns: (time * USUAL_NS) as u64,
            wall_ns: 0,
        };
        let blocks = (0..).zip(blocks);
        Replica {
            index,
            solo: false,
            samples: blocks
                .flat_map(|(block, (a, b))| [sample(0, block, *a), sample(1, block, *b)])
                .collect(),
            baselines: Vec::new(),
            cold_ns: Vec::new(),
            parts: Vec::new(),
            surroundings: Surroundings::default(),
        }
    }

    /// Noise of ±1 %, and of ±0.5 % by replica, that is not random.
    fn noise(replica: u32, block: u32) -> f64 {
        let of_block = f64::from((replica * 5 + block * 7) % 11) - 5.0;
        let of_replica = f64::from(replica * 3 % 7) - 3.0;
        1.0 + 0.002 * of_block + 0.0015 * of_replica
    }

    /// Replicas of 16 blocks in which `a` takes this many times as long as `b`.
    fn replicas(count: u32, times: impl Fn(u32) -> f64) -> Vec<Replica> {
        let blocks = |index: u32| -> Vec<(f64, f64)> {
            let block = |block| (times(16 * index + block) * noise(index, block), 1.0);
            (0..16).map(block).collect()
        };
        let replica = |index| replica(index, &blocks(index));
        (0..count).map(replica).collect()
    }

    /// 10 % faster, but for one block in ten.
    fn tail(place: u32) -> f64 {
        if place % 10 == 7 { 30.0 } else { 0.9 }
    }

    /// 10 % faster, but for one block in a hundred: in one replica of six.
    fn rare_tail(place: u32) -> f64 {
        if place % 100 == 99 { 60.0 } else { 0.9 }
    }

    fn mirrored(replica: &Replica) -> Replica {
        let mut replica = replica.clone();
        for sample in &mut replica.samples {
            sample.variant = 1 - sample.variant;
        }
        replica
    }

    fn verdict(pilot: Option<&Replica>, replicas: &[Replica]) -> PairVerdict {
        let settings = RaceSettings::new(2, 1);
        let mut pair = PairSequence::new(&settings, 0, 1);
        if let Some(pilot) = pilot {
            pair.push_pilot(&BlockTimes::new(&settings, pilot), &[1.0]);
        }
        for replica in replicas {
            pair.push(&BlockTimes::new(&settings, replica), &[1.0]);
        }
        pair.verdict(DELTA)
    }

    /// ln R and its standard error, from the definition.
    fn total(replicas: &[Replica]) -> (f64, f64) {
        let of = |variant: usize| -> Vec<f64> {
            let samples = replicas.iter().flat_map(|replica| &replica.samples);
            let own = samples.filter(|sample| sample.variant == variant);
            own.map(|sample| sample.cpu_ns as f64).collect()
        };
        let (a, b) = (of(0), of(1));
        let (sum_a, sum_b): (f64, f64) = (a.iter().sum(), b.iter().sum());
        let ratio = sum_a / sum_b;
        let residuals = a.iter().zip(&b).map(|(a, b)| (a - ratio * b).powi(2));
        let count = a.len() as f64;
        let error = (count / (count - 1.0) * residuals.sum::<f64>()).sqrt() / sum_a;
        (ratio.ln(), error)
    }

    #[test]
    fn the_interval_holds_the_total_with_two_standard_errors() {
        for times in [tail, rare_tail, |_| 0.9] {
            for count in 8..40 {
                let replicas = replicas(count, times);
                let interval = verdict(None, &replicas).interval;
                let (log_ratio, error) = total(&replicas);
                let ratio = interval.ratio.unwrap().ln();
                assert!((ratio - log_ratio).abs() < 1e-9, "{interval:?}");
                let [low, high] = [interval.low, interval.high].map(|end| end.map(f64::ln));
                let inside = |sign: f64| log_ratio + sign * 2.0 * error;
                assert!(low.is_none_or(|low| low <= inside(-1.0) + 1e-9), "{count}");
                assert!(
                    high.is_none_or(|high| high >= inside(1.0) - 1e-9),
                    "{count}"
                );
            }
        }
        assert!(
            verdict(None, &replicas(40, rare_tail))
                .interval
                .low
                .is_some()
        );
    }

    #[test]
    fn a_tail_against_most_samples_gets_no_verdict_and_with_more_replicas_the_right_one() {
        for count in 1..40 {
            let found = verdict(None, &replicas(count, tail));
            let expected = match count {
                0..=5 => Verdict::NoCall,
                15.. => Verdict::Beaten,
                _ => continue,
            };
            assert_eq!(found.verdict, expected, "{count}: {found:?}");
            let typical = found.typical.filter(|_| count >= 15);
            let near = typical.is_none_or(|typical| (typical - 0.9).abs() < 0.01);
            assert!(
                near && typical.is_some() == (count >= 15),
                "{count}: {found:?}"
            );
        }
    }

    #[test]
    fn where_few_replicas_show_a_tail_most_of_them_decide_nothing() {
        for count in 1..60 {
            let found = verdict(None, &replicas(count, rare_tail));
            let seen = 16 * count > 99;
            let sure = found.verdict != Verdict::NoCall;
            assert!(!(seen && sure), "{count}: {found:?}");
        }
        // Where there is none, as many replicas are enough.
        assert_eq!(
            verdict(None, &replicas(20, |_| 0.9)).verdict,
            Verdict::Beats
        );
    }

    #[test]
    fn the_pilot_counts_for_the_estimate_and_for_nothing_else() {
        let replicas = replicas(16, |_| 0.9);
        let pilot = replica(0, &[(1.0, 1.0); 16]);
        let (without, with) = (verdict(None, &replicas), verdict(Some(&pilot), &replicas));
        let all: Vec<Replica> = replicas.iter().chain([&pilot]).cloned().collect();
        let ratio = with.interval.ratio.unwrap();
        assert!((ratio.ln() - total(&all).0).abs() < 1e-9);
        assert!(without.interval.ratio < with.interval.ratio);
        assert_eq!((with.replicas, with.verdict), (16, Verdict::Beats));
        // A pilot that shows a tail withholds a verdict, and gives none.
        let mut blocks = [(0.9, 1.0); 16];
        blocks[3].0 = 300.0;
        let withheld = verdict(Some(&replica(0, &blocks)), &replicas);
        assert_eq!(withheld.verdict, Verdict::NoCall, "{withheld:?}");
        let nothing = verdict(Some(&pilot), &[]);
        assert_eq!((nothing.interval.ratio, nothing.replicas), (None, 0));
        assert_eq!(nothing.interval.low.or(nothing.interval.high), None);
    }

    #[test]
    fn a_single_block_says_nothing_of_its_error() {
        let mut settings = RaceSettings::new(2, 1);
        settings.confidence = 0.001;
        let mut pair = PairSequence::new(&settings, 0, 1);
        pair.push(
            &BlockTimes::new(&settings, &replica(0, &[(0.5, 1.0)])),
            &[1.0],
        );
        let interval = pair.verdict(DELTA).interval;
        assert_eq!(
            (interval.ratio.is_some(), interval.low, interval.high),
            (true, None, None)
        );
    }

    #[test]
    fn a_mirrored_pair_has_the_mirrored_verdict() {
        let close: fn(u32) -> f64 = |_| 0.985;
        let twice: fn(u32) -> f64 = |_| 2.0;
        let tail: fn(u32) -> f64 = tail;
        for (times, count) in [(tail, 25), (rare_tail, 30), (close, 40), (twice, 3)] {
            let replicas = replicas(count, times);
            let pilot = replica(0, &[(times(0), 1.0), (times(7), 1.0)]);
            let there = verdict(Some(&pilot), &replicas);
            let back: Vec<Replica> = replicas.iter().map(mirrored).collect();
            let back = verdict(Some(&mirrored(&pilot)), &back).mirrored();
            assert_eq!(there.verdict, back.verdict);
            let ends = |pair: &PairVerdict| {
                let interval = pair.interval;
                [interval.low, interval.ratio, interval.high, pair.typical]
            };
            for (one, other) in ends(&there).into_iter().zip(ends(&back)) {
                let apart = one.unwrap_or(1.0).ln() - other.unwrap_or(1.0).ln();
                assert!(apart.abs() < 1e-9, "{there:?} {back:?}");
                assert_eq!(one.is_some(), other.is_some());
            }
        }
    }

    #[test]
    fn twice_apart_is_known_by_blocks_before_replicas_tell() {
        assert_eq!(
            verdict(None, &replicas(1, |_| 2.0)).verdict,
            Verdict::NoCall
        );
        assert_eq!(
            verdict(None, &replicas(2, |_| 2.0)).verdict,
            Verdict::Beaten
        );
        assert_eq!(
            verdict(None, &replicas(4, |_| 1.4)).verdict,
            Verdict::NoCall
        );
    }

    #[test]
    fn a_difference_that_changed_during_the_race_gets_no_verdict() {
        // First 10 % faster and then 15 %, each as if there were no noise.
        let of_a = |index| if index < 20 { 0.9 } else { 0.85 };
        let all = (0..40).map(|index| replica(index, &[(of_a(index), 1.0); 16]));
        let all: Vec<Replica> = all.collect();
        assert_eq!(verdict(None, &all[..20]).verdict, Verdict::Beats);
        let changed = verdict(None, &all);
        assert_eq!(changed.verdict, Verdict::NoCall, "{changed:?}");
        let RatioInterval { ratio, low, high } = changed.interval;
        assert!(low <= ratio && ratio <= high, "{changed:?}");
        assert!((ratio.unwrap() - 0.875).abs() < 1e-3, "{changed:?}");
    }
}
