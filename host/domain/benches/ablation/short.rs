//! The verdict about two variants on one case, with any of its rules left out: the definition in
//! `docs/verdicts.md` once more, which has to agree with the race's while no rule is.

use bakeoff_domain::measurement::Replica;
use bakeoff_domain::race::{ClaimScope, RaceSettings};
use bakeoff_domain::stats::{Bounds, ConfidenceSequence, PastScale, median};
use bakeoff_domain::verdict::{Verdict, judge};

/// The most that belongs to a process, as a logarithm.
const PROCESS_LOG: f64 = 0.405_465_108_108_164_4;
/// The share of α that claims by blocks have.
const BLOCKS_SHARE: f64 = 0.3;
/// Replicas whose blocks count.
const BLOCK_REPLICAS: usize = 8;

/// The rules; false leaves one out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rules {
    /// The interval holds the total with two standard errors.
    pub(super) totals: bool,
    /// Obvious differences by blocks, which have a share of α.
    pub(super) blocks: bool,
    /// A scale is never finer than the clock.
    pub(super) resolution: bool,
    /// The pilot gives the scale of the first two differences.
    pub(super) first_scale: bool,
    /// An interval is wider by 5 % at both ends where code lies in few places.
    pub(super) layouts: bool,
}

/// All of them.
pub(super) const ALL: Rules = Rules {
    totals: true,
    blocks: true,
    resolution: true,
    first_scale: true,
    layouts: true,
};

/// The times of a replica's blocks.
fn blocks(replica: &Replica) -> Vec<(f64, f64)> {
    let baseline = replica.baselines.first().copied().unwrap_or_default();
    let mut found = Vec::new();
    for sample in &replica.samples {
        let block = sample.block as usize;
        found.resize(found.len().max(block + 1), (f64::NAN, f64::NAN));
        let calls = f64::from(sample.calls);
        let ns = (sample.cpu_ns as f64 / calls - baseline.cpu_ns).max(1.0) * calls;
        match sample.variant {
            0 => found[block].0 = ns,
            _ => found[block].1 = ns,
        }
    }
    found
}

fn log_total(blocks: &[(f64, f64)]) -> f64 {
    let (a, b) = blocks
        .iter()
        .fold((0.0, 0.0), |sum, block| (sum.0 + block.0, sum.1 + block.1));
    a.ln() - b.ln()
}

fn by_block(blocks: &[(f64, f64)]) -> Vec<f64> {
    blocks.iter().map(|(a, b)| a.ln() - b.ln()).collect()
}

/// The clock's resolution relative to the times of both.
fn resolution(settings: &RaceSettings, replica: &Replica) -> f64 {
    let of = |variant: usize| {
        let own = replica
            .samples
            .iter()
            .filter(|sample| sample.variant == variant);
        let (count, ns) = own.fold((0.0, 0.0), |sum, sample| {
            (sum.0 + 1.0, sum.1 + sample.cpu_ns as f64)
        });
        settings.clock_ns * count / ns
    };
    of(0) + of(1)
}

/// A race by some of the rules.
pub(super) struct ShortRace<'r> {
    settings: &'r RaceSettings,
    rules: Rules,
    few_layouts: bool,
    replicas: ConfidenceSequence,
    blocks: ConfidenceSequence,
    /// Replicas beyond the bound on either side.
    beyond: [usize; 2],
    counted: usize,
    all: Vec<(f64, f64)>,
}

impl<'r> ShortRace<'r> {
    pub(super) fn new(
        settings: &'r RaceSettings,
        pilot: &Replica,
        rules: Rules,
        few_layouts: bool,
    ) -> Self {
        // Without blocks, replicas have all of α.
        let whole = (1.0 - BLOCKS_SHARE).ln();
        let more = if rules.blocks { 0.0 } else { whole };
        let threshold = settings.threshold(ClaimScope::AllCases) + more;
        let practical = settings.practical_log();
        let of_pilot = blocks(pilot);
        let mut scale = PastScale::default();
        by_block(&of_pilot)
            .iter()
            .for_each(|value| scale.push(*value));
        let finest = if rules.resolution {
            resolution(settings, pilot)
        } else {
            0.0
        };
        let first = scale.value().map(|scale| scale.max(finest));
        Self {
            settings,
            rules,
            few_layouts,
            replicas: ConfidenceSequence::new(threshold, practical)
                .with_first_scale(first.filter(|_| rules.first_scale)),
            blocks: ConfidenceSequence::new(
                settings.block_threshold(ClaimScope::AllCases),
                practical,
            )
            .with_margin(PROCESS_LOG)
            .with_fixed_scale(0.1),
            beyond: [0, 0],
            counted: 0,
            all: of_pilot,
        }
    }

    pub(super) fn push(&mut self, replica: &Replica) {
        let times = blocks(replica);
        let total = log_total(&times);
        let finest = if self.rules.resolution {
            resolution(self.settings, replica)
        } else {
            0.0
        };
        self.replicas.push(total, finest);
        if self.counted < BLOCK_REPLICAS {
            self.counted += 1;
            let values = by_block(&times);
            let middle = median(&mut values.clone()).unwrap_or(0.0);
            self.beyond[0] += usize::from(middle > PROCESS_LOG && total > PROCESS_LOG);
            self.beyond[1] += usize::from(middle < -PROCESS_LOG && total < -PROCESS_LOG);
            values
                .iter()
                .for_each(|value| self.blocks.push(*value, 0.0));
        }
        self.all.extend(times);
    }

    pub(super) fn verdict(&mut self) -> Verdict {
        let mut bounds = self.replicas.bounds();
        if self.rules.blocks && self.counted >= 2 && self.beyond.contains(&self.counted) {
            let of_blocks = self.blocks.bounds();
            let low = of_blocks.low.map(|low| low - PROCESS_LOG);
            let high = of_blocks.high.map(|high| high + PROCESS_LOG);
            bounds.low = bounds.low.into_iter().chain(low).reduce(f64::max);
            bounds.high = bounds.high.into_iter().chain(high).reduce(f64::min);
        }
        if bounds
            .low
            .zip(bounds.high)
            .is_some_and(|(low, high)| low > high)
        {
            return Verdict::NoCall;
        }
        let moved = |by: f64, bounds: Bounds| Bounds {
            low: bounds.low.map(|low| low - by),
            high: bounds.high.map(|high| high + by),
        };
        if self.few_layouts && self.rules.layouts {
            bounds = moved(1.05_f64.ln(), bounds);
        }
        if self.rules.totals {
            let (total, error) = self.total();
            bounds.low = bounds.low.map(|low| low.min(total - 2.0 * error));
            bounds.high = bounds.high.map(|high| high.max(total + 2.0 * error));
        }
        judge(bounds, self.settings.practical_log())
    }

    /// ln R over everything timed, and its standard error.
    fn total(&self) -> (f64, f64) {
        let log_ratio = log_total(&self.all);
        let ratio = log_ratio.exp();
        let residuals = self.all.iter().map(|(a, b)| (a - ratio * b).powi(2));
        let count = self.all.len() as f64;
        let variance = count / (count - 1.0) * residuals.sum::<f64>();
        let sum: f64 = self.all.iter().map(|block| block.0).sum();
        (log_ratio, variance.sqrt() / sum)
    }
}
