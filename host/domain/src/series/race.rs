//! Verdicts about values that come in block by block.

use super::quantity::{Quantity, ValueError, ValueScale};
use crate::measurement::{Baseline, CaseIndex, Replica, Sample, Surroundings, VariantIndex};
use crate::race::{
    Analysis, ClaimScope, NextStep, Prospect, Race, RaceSettings, RemainingBudget, StopReason,
    prospect,
};
use crate::reading_verdict::{Qualities, ReadingVerdict};
use crate::spec::Scale;
use crate::verdict::{PairVerdict, Verdict};

/// The first value is 2 to the power of this, as a whole number: values may be ten million times larger or smaller, and
/// each is exact to one in ten thousand at least.
const FIRST_EXPONENT: i32 = 40;
/// The smallest value as a whole number, below which too few digits are left.
const WHOLE_MIN: f64 = 16_384.0;
/// The largest value as a whole number.
const WHOLE_MAX: f64 = 9.2e18;
/// The most blocks that are continued to work out how many more would settle a pair: that takes thirty times as many.
/// From more of them, the width of the interval is extrapolated.
const PROSPECT_BLOCKS_MAX: usize = 50;

/// Number of blocks up to which it is worked out after each what follows; from then on after every 32nd part of them.
const LOOKS: u32 = 64;

/// One value of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockValue {
    /// The variant.
    pub variant: VariantIndex,
    /// The case; 0 without cases.
    pub case: CaseIndex,
    /// The value.
    pub value: f64,
}

/// The settings that are fixed before the first block.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesSettings {
    /// k: the number of variants. Those that leave or fail still count.
    pub variants: usize,
    /// The number of cases, at least 1.
    pub cases: usize,
    /// The quantity.
    pub quantity: Quantity,
    /// 1 − α for all published claims about pairs together, in (0, 1).
    pub confidence: f64,
    /// δ as a fraction: 0.01 is one per cent.
    pub practical: f64,
    /// The most blocks.
    pub blocks_max: u32,
    /// The resolution of the clock in the unit of the values; 0 if they are no times.
    pub resolution: f64,
    /// Margin, as a fraction by which the others may be worse than variant 0: the race goes on until it is known of
    /// each of them.
    pub margin: Option<f64>,
}

/// A comparison under way: blocks come in one by one.
#[derive(Clone, Debug)]
pub struct SeriesRace {
    settings: SeriesSettings,
    race: Race,
    replicas: Vec<Replica>,
    /// The first value of each case.
    first: Vec<Option<f64>>,
    /// Means over the cases in each block, by variant, where it has all of them; for a declared range.
    rounds: Vec<Vec<Option<f64>>>,
    withdrawn: Vec<VariantIndex>,
}

impl SeriesRace {
    /// A comparison without blocks.
    pub fn new(settings: SeriesSettings) -> Self {
        Self {
            race: Race::new(race_settings(&settings, &[], 1.0), None),
            replicas: Vec::new(),
            first: vec![None; settings.cases],
            rounds: vec![Vec::new(); settings.variants],
            withdrawn: Vec::new(),
            settings,
        }
    }

    /// The settings.
    pub fn settings(&self) -> &SeriesSettings {
        &self.settings
    }

    /// The number of blocks.
    pub fn blocks(&self) -> u32 {
        match self.settings.quantity.scale {
            ValueScale::Ratio => self.replicas.len() as u32,
            ValueScale::Range { .. } => self.rounds.first().map_or(0, Vec::len) as u32,
        }
    }

    /// Returns true if it is worth working out after the last block what follows: that takes the longer, the more there
    /// are.
    pub fn is_worth_a_look(&self) -> bool {
        let blocks = self.blocks();
        blocks <= LOOKS || blocks.is_multiple_of((blocks / 32).next_power_of_two())
    }

    /// The variants that did not fail.
    fn live_variants(&self) -> Vec<VariantIndex> {
        let all = 0..self.settings.variants;
        all.filter(|variant| !self.withdrawn.contains(variant))
            .collect()
    }

    /// Adds a block. Nothing of it counts if one of its values cannot be compared.
    ///
    /// # Errors
    /// A value is not finite, has no ratio to others or is out of the declared range.
    pub fn push(&mut self, values: &[BlockValue]) -> Result<(), (BlockValue, ValueError)> {
        for value in values {
            self.check(value, values).map_err(|error| (*value, error))?;
        }
        match self.settings.quantity.scale {
            ValueScale::Ratio => self.push_ratios(values),
            ValueScale::Range { .. } => self.push_round(values),
        }
        Ok(())
    }

    fn check(&self, value: &BlockValue, block: &[BlockValue]) -> Result<(), ValueError> {
        let BlockValue { case, value, .. } = *value;
        self.settings.quantity.scale.check(value)?;
        if self.settings.quantity.compares_means() {
            return Ok(());
        }
        let mut same_case = block.iter().filter(|other| other.case == case);
        let first = self.first[case].or_else(|| same_case.next().map(|first| first.value));
        let first = first.unwrap_or(value);
        let whole = (self.cost(value) * unit(self.cost(first))).round();
        if (WHOLE_MIN..=WHOLE_MAX).contains(&whole) {
            Ok(())
        } else {
            Err(ValueError::TooFar { value, first })
        }
    }

    /// The cost of a value: less is better. Of a rate, of which more is better, that is its reciprocal, the time of one.
    fn cost(&self, value: f64) -> f64 {
        if self.settings.quantity.lower_is_better() {
            value
        } else {
            1.0 / value
        }
    }

    /// The numbers of parts into which a cost of 1 is divided, by case.
    fn units(&self) -> Vec<f64> {
        let first = self.first.iter();
        first
            .map(|first| unit(self.cost(first.unwrap_or(1.0))))
            .collect()
    }

    fn push_ratios(&mut self, values: &[BlockValue]) {
        let is_first = self.replicas.is_empty();
        for value in values {
            self.first[value.case].get_or_insert(value.value);
        }
        if is_first {
            // The resolution is in parts of the first value.
            self.race = Race::new(self.race_settings(), None);
        }
        let units = self.units();
        let sample = |(place, value): (usize, &BlockValue)| {
            let whole = (self.cost(value.value) * units[value.case]).round() as u64;
            Sample {
                variant: value.variant,
                case: value.case,
                block: 0,
                position: place as u32,
                calls: 1,
                cpu_ns: whole,
                wall_ns: whole,
            }
        };
        let replica = Replica {
            index: self.replicas.len() as u32,
            solo: true,
            samples: values.iter().enumerate().map(sample).collect(),
            baselines: vec![Baseline::default(); self.settings.cases],
            cold_ns: Vec::new(),
            parts: Vec::new(),
            surroundings: Surroundings::default(),
        };
        self.replicas.push(replica.clone());
        self.race.push(replica);
    }

    fn push_round(&mut self, values: &[BlockValue]) {
        let cases = self.settings.cases;
        for (variant, rounds) in self.rounds.iter_mut().enumerate() {
            let own: Vec<f64> = values
                .iter()
                .filter(|value| value.variant == variant)
                .map(|value| value.value)
                .collect();
            let mean = own.iter().sum::<f64>() / cases as f64;
            rounds.push((own.len() == cases).then_some(mean));
        }
    }

    /// Takes a variant that failed out of the comparison. The others are compared as before.
    pub fn withdraw(&mut self, variant: VariantIndex) {
        if self.withdrawn.contains(&variant) {
            return;
        }
        self.withdrawn.push(variant);
        self.race = Race::new(self.race_settings(), None);
        for replica in &self.replicas {
            self.race.push(replica.clone());
        }
    }

    fn race_settings(&self) -> RaceSettings {
        race_settings(&self.settings, &self.withdrawn, self.units()[0])
    }

    /// The verdicts so far.
    pub fn verdicts(&mut self) -> SeriesVerdicts {
        match self.settings.quantity.scale {
            ValueScale::Ratio => {
                let analysis = self.race.analysis();
                SeriesVerdicts::Ratios {
                    units: self.units(),
                    analysis: Box::new(analysis),
                }
            }
            ValueScale::Range { low, high } => SeriesVerdicts::Means(self.means(low, high)),
        }
    }

    fn means(&self, low: f64, high: f64) -> Vec<ReadingVerdict> {
        let k = self.settings.variants.max(2) as f64;
        let alpha = (1.0 - self.settings.confidence) / (k * (k - 1.0));
        let scale = Scale::Linear { low, high };
        let live = self.live_variants();
        let pairs = live
            .iter()
            .flat_map(|a| live.iter().filter(move |b| a < *b).map(move |b| (*a, *b)));
        let verdict = |(a, b): (VariantIndex, VariantIndex)| {
            let both = self.rounds[a].iter().zip(&self.rounds[b]);
            let (of_a, of_b): (Vec<f64>, Vec<f64>) =
                both.filter_map(|(a, b)| Some(((*a)?, (*b)?))).unzip();
            let qualities = Qualities {
                pair: (a, b),
                a: &of_a,
                b: &of_b,
                same_answers: false,
            };
            held(qualities.judge(scale, self.settings.quantity.direction, -alpha.ln()))
        };
        pairs.map(verdict).collect()
    }

    /// The means of the rounds of a variant; only those that have all cases.
    pub(super) fn rounds_of(&self, variant: VariantIndex) -> impl Iterator<Item = f64> {
        self.rounds[variant].iter().copied().flatten()
    }

    /// The next step: the variants that the next block measures, or the reason why it is over. `seconds` returns the
    /// time that a block of these variants takes.
    pub fn next(
        &self,
        verdicts: &SeriesVerdicts,
        remaining: RemainingBudget,
        seconds: impl Fn(&[VariantIndex]) -> f64,
    ) -> NextStep {
        match verdicts {
            SeriesVerdicts::Ratios { analysis, .. } if analysis.is_margin_known() => {
                NextStep::Stop(StopReason::Settled)
            }
            SeriesVerdicts::Ratios { analysis, .. } => analysis.next(remaining, seconds),
            SeriesVerdicts::Means(pairs) => {
                if pairs.iter().all(|pair| pair.verdict != Verdict::NoCall) {
                    NextStep::Stop(StopReason::Settled)
                } else if self.blocks() >= self.settings.blocks_max {
                    NextStep::Stop(StopReason::ReplicaLimit)
                } else {
                    NextStep::Run {
                        live_variants: self.live_variants(),
                    }
                }
            }
        }
    }

    /// The number of blocks in all that would likely bring a verdict about a pair without one; `None` if it is not
    /// known, or beyond the most that there may be.
    pub(super) fn settled_by(&self, pair: &PairVerdict) -> Option<u32> {
        let settings = self.race_settings();
        let blocks = if self.replicas.len() > PROSPECT_BLOCKS_MAX {
            let threshold = settings.threshold(ClaimScope::AllCases);
            pair.forecast(threshold, settings.practical_log()).replicas
        } else {
            match prospect(&settings, None, &self.replicas, (pair.a, pair.b))? {
                Prospect::Settled { replicas } => replicas,
                Prospect::Open { .. } => return None,
            }
        };
        (pair.interval.low.is_some() && blocks < settings.replicas_max).then_some(blocks)
    }
}

/// A verdict about a difference of means, or none where the ends of its interval have crossed or the means say the
/// opposite: the difference changed while it was measured.
fn held(mut pair: ReadingVerdict) -> ReadingVerdict {
    let (Some(low), Some(high), Some(value)) = (pair.low, pair.high, pair.value) else {
        return pair;
    };
    let (low, high) = (low.min(high), high.max(low));
    if pair.low > pair.high || !(low..=high).contains(&value) {
        pair.verdict = Verdict::NoCall;
    }
    pair.low = Some(low.min(value));
    pair.high = Some(high.max(value));
    pair
}

/// The verdicts about a series, by its scale.
#[derive(Clone, Debug)]
pub enum SeriesVerdicts {
    /// Ratios of costs, with everything that follows from whole numbers of which some are a cost of 1.
    Ratios {
        /// Numbers of parts into which a cost of 1 was divided, by case.
        units: Vec<f64>,
        /// Verdicts and means.
        analysis: Box<Analysis>,
    },
    /// Differences of means.
    Means(Vec<ReadingVerdict>),
}

/// The number of parts into which 1 is divided, a power of two, so that values become whole numbers: it follows from
/// the first value.
fn unit(first: f64) -> f64 {
    let exponent = crate::logarithm::ln(first) / std::f64::consts::LN_2;
    2_f64.powi(FIRST_EXPONENT - exponent.floor() as i32)
}

fn race_settings(settings: &SeriesSettings, withdrawn: &[VariantIndex], unit: f64) -> RaceSettings {
    RaceSettings {
        fixed_inputs: true,
        confidence: settings.confidence,
        practical: settings.practical,
        clock_ns: settings.resolution * unit,
        replicas_max: settings.blocks_max,
        margin: settings.margin,
        withdrawn: withdrawn.to_vec(),
        ..RaceSettings::new(settings.variants, settings.cases)
    }
}

#[cfg(test)]
mod tests;
