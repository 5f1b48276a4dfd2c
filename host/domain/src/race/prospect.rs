//! The prospect of a pair without a verdict: whether more replicas would likely bring one.
//!
//! The race is continued many times with replicas drawn from its own. Each continuation first draws how often each of
//! them is to come (the Bayesian bootstrap: Rubin, The Annals of Statistics 9, 1981), so that continuations differ as
//! much as races of the same two programs with so few replicas would: if all drew alike, each would take the ratio seen
//! so far for the true one. And of pairs that are still open most are closer than they look, since those that are far
//! apart were settled earlier: so continuations are chosen with weights in inverse proportion to δ + |θ|, with θ their
//! difference.

use super::block_times::{BlockTimes, PairTimes};
use super::pair_sequence::ScopeSequence;
use super::settings::RaceSettings;
use crate::logarithm::ln;
use crate::measurement::{Replica, VariantIndex};
use crate::stats::median;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Number of continuations, and number of drawn ones that they are chosen from.
const CONTINUATIONS: usize = 100;
const DRAWN: usize = 400;
/// Number of continuations that must have a verdict. Races follow them less well than their share says, as they were
/// open by chance: with these, a verdict came in about four of five (`cargo bench --bench rules`, E19).
const SETTLED: usize = 99;
/// Numbers of replicas in all that are tried, as multiples of those there are.
const MULTIPLES: [f64; 11] = [1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 30.0];
/// The multiple at which the width of the interval is forecast where none of them settles the pair.
const NARROWED: f64 = 4.0;
/// Number of continuations whose interval is worked out for that.
const INTERVALS: usize = 5;
/// Fewest replicas of a pair for a prospect: fewer say too little of how they vary.
const REPLICAS_MIN: usize = 8;

/// Likely result of more replicas of a pair without a verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prospect {
    /// A verdict is likely with this many replicas in all: nearly all continuations have one.
    Settled {
        /// The number of replicas.
        replicas: u32,
    },
    /// No number of replicas up to thirty times as many, and up to the most that a race has, settles nearly all.
    Open {
        /// A number of replicas in all: four times as many, or the most that a race has.
        replicas: u32,
        /// Half of the width of the interval over all cases with that many replicas, as a difference of logarithms: the
        /// median over continuations. `None` if an end is unknown in most of them.
        half_width: Option<f64>,
    },
}

/// Returns the prospect of the pair of these variants over all cases. `None` if fewer than eight replicas have times of
/// both, or if no more may be added. The same replicas always have the same prospect.
pub fn prospect(
    settings: &RaceSettings,
    pilot: Option<&Replica>,
    replicas: &[Replica],
    pair: (VariantIndex, VariantIndex),
) -> Option<Prospect> {
    let weights = settings.weights();
    let mut known = ScopeSequence::new(settings, pair, None);
    let find = |replica: &Replica| known.find(&BlockTimes::new(settings, replica), &weights);
    let pilot_times = pilot.and_then(find);
    let mut order: Vec<&Replica> = replicas.iter().collect();
    order.sort_by_key(|replica| replica.index);
    let own: Vec<PairTimes> = order.into_iter().filter_map(find).collect();
    if own.len() < REPLICAS_MIN {
        return None;
    }
    if let Some(times) = &pilot_times {
        known.push_pilot(times);
    }
    own.iter().for_each(|times| known.push(times));
    let most = settings.replicas_max as usize;
    let numbers =
        MULTIPLES.map(|multiple| ((own.len() as f64 * multiple).ceil() as usize).min(most));
    let practical_log = settings.practical_log();
    let mut continuations = plausible(&known, &own, practical_log);
    let mut intervals = None;
    for (multiple, number) in MULTIPLES.into_iter().zip(numbers) {
        if number <= continuations[0].replicas {
            continue;
        }
        continuations
            .iter_mut()
            .for_each(|one| one.go_on(&own, number));
        let settled = continuations.iter();
        let settled = settled.filter(|one| one.scope.is_settled(practical_log));
        if settled.count() >= SETTLED {
            let replicas = number as u32;
            return Some(Prospect::Settled { replicas });
        }
        if multiple <= NARROWED {
            intervals = Some((number, continuations[..INTERVALS].to_vec()));
        }
    }
    let (number, intervals) = intervals?;
    let mut half_widths: Vec<f64> = intervals
        .into_iter()
        .map(|mut one| one.scope.verdict(practical_log).half_width())
        .map(|half_width| half_width.unwrap_or(f64::INFINITY))
        .collect();
    Some(Prospect::Open {
        replicas: number as u32,
        half_width: median(&mut half_widths).filter(|width| width.is_finite()),
    })
}

/// Continuations that were drawn, chosen by how plausible their difference is: systematic resampling with weights in
/// inverse proportion to δ + |θ|.
fn plausible(known: &ScopeSequence, own: &[PairTimes], practical_log: f64) -> Vec<Continuation> {
    let differences: Vec<f64> = own.iter().map(PairTimes::difference).collect();
    let drawn = (0..DRAWN as u64).map(|seed| Shares::draw(own.len(), seed));
    let drawn: Vec<Shares> = drawn.collect();
    let mut sum = 0.0;
    let weigh = |shares: &Shares| {
        sum += 1.0 / (practical_log + shares.mean(&differences).abs());
        sum
    };
    let sums: Vec<f64> = drawn.iter().map(weigh).collect();
    let chosen = |place: usize| {
        let at = sum * (place as f64 + 0.5) / CONTINUATIONS as f64;
        let found = sums.partition_point(|sum| *sum <= at).min(DRAWN - 1);
        Continuation {
            scope: known.clone(),
            replicas: own.len(),
            shares: drawn[found].clone(),
            // The same shares may be chosen twice, and go on in another way.
            random: Xoshiro256PlusPlus::seed_from_u64((DRAWN + place) as u64),
        }
    };
    (0..CONTINUATIONS).map(chosen).collect()
}

/// Shares of the replicas in a continuation, that is, how often each is to come: for each replica, the sum of its share
/// and of those before it, not divided by the sum of all.
#[derive(Clone)]
struct Shares(Vec<f64>);

impl Shares {
    /// Draws exponential numbers, which are shares once they are divided by their sum.
    fn draw(replicas: usize, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut sum = 0.0;
        let exponential = |_| {
            sum -= ln(1.0 - uniform(&mut random));
            sum
        };
        Self((0..replicas).map(exponential).collect())
    }

    fn sum(&self) -> f64 {
        self.0.last().copied().unwrap_or(0.0)
    }

    /// The mean of the replicas' differences, weighted by these shares.
    fn mean(&self, differences: &[f64]) -> f64 {
        let mut before = 0.0;
        let mut mean = 0.0;
        for (sum, difference) in self.0.iter().zip(differences) {
            mean += (sum - before) / self.sum() * difference;
            before = *sum;
        }
        mean
    }

    /// Draws the place of one replica, by these shares.
    fn pick(&self, random: &mut impl Rng) -> usize {
        let drawn = self.sum() * uniform(random);
        let place = self.0.partition_point(|sum| *sum <= drawn);
        place.min(self.0.len() - 1)
    }
}

/// A race that goes on with replicas drawn from its own.
#[derive(Clone)]
struct Continuation {
    scope: ScopeSequence,
    replicas: usize,
    shares: Shares,
    random: Xoshiro256PlusPlus,
}

impl Continuation {
    /// Adds replicas until there are this many.
    fn go_on(&mut self, own: &[PairTimes], replicas: usize) {
        while self.replicas < replicas {
            self.scope.push(&own[self.shares.pick(&mut self.random)]);
            self.replicas += 1;
        }
    }
}

/// A uniform number from 0 to less than 1.
fn uniform(random: &mut impl Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Sample, Surroundings};

    /// A replica of eight blocks in which `a` takes `ratio` times as long as `b`.
    fn replica(index: u32, ratio: f64) -> Replica {
        let sample = |variant, block, cpu_ns: f64| Sample {
            variant,
            case: 0,
            block,
            position: 0,
            calls: 1,
            cpu_ns: cpu_ns as u64,
            wall_ns: 0,
        };
        let block = |block| {
            let noise = 1.0 + 0.001 * f64::from(block % 3);
            [sample(0, block, 1e6 * ratio * noise), sample(1, block, 1e6)]
        };
        Replica {
            index,
            solo: false,
            samples: (0..8).flat_map(block).collect(),
            baselines: Vec::new(),
            cold_ns: Vec::new(),
            parts: Vec::new(),
            surroundings: Surroundings::default(),
        }
    }

    /// Replicas around a ratio, as uneven as `spread` says.
    fn replicas(count: u32, ratio: f64, spread: f64) -> Vec<Replica> {
        let of = |index: u32| ratio * (1.0 + spread * (f64::from(index * 5 % 11) / 5.0 - 1.0));
        (0..count).map(|index| replica(index, of(index))).collect()
    }

    fn of(replicas: &[Replica]) -> Option<Prospect> {
        prospect(&RaceSettings::new(2, 1), None, replicas, (0, 1))
    }

    #[test]
    fn a_clear_difference_needs_few_more_and_one_that_is_none_many() {
        let Some(Prospect::Settled { replicas: clear }) = of(&replicas(8, 1.04, 0.04)) else {
            panic!("{:?}", of(&replicas(8, 1.04, 0.04)));
        };
        assert!((9..=32).contains(&clear), "{clear}");
        let wide = of(&replicas(11, 1.004, 0.08));
        let Some(Prospect::Open {
            replicas,
            half_width,
        }) = wide
        else {
            panic!("{wide:?}");
        };
        assert_eq!(replicas, 44);
        assert!(
            half_width.is_some_and(|half| (0.01..0.1).contains(&half)),
            "{half_width:?}"
        );
    }

    #[test]
    fn nothing_is_said_of_few_replicas_or_where_no_more_may_be_added() {
        assert_eq!(of(&replicas(7, 1.04, 0.04)), None);
        let mut settings = RaceSettings::new(2, 1);
        settings.replicas_max = 11;
        let all = replicas(11, 1.004, 0.08);
        assert_eq!(prospect(&settings, None, &all, (0, 1)), None);
        // Nor of variants that did not meet.
        settings = RaceSettings::new(3, 1);
        assert_eq!(prospect(&settings, None, &all, (0, 2)), None);
    }

    #[test]
    fn no_more_replicas_are_advised_than_a_race_has() {
        let mut settings = RaceSettings::new(2, 1);
        settings.replicas_max = 20;
        let found = prospect(&settings, None, &replicas(11, 1.004, 0.08), (0, 1));
        assert!(
            matches!(found, Some(Prospect::Open { replicas: 20, .. })),
            "{found:?}"
        );
    }

    #[test]
    fn who_is_settled_by_evidence_is_settled_by_the_interval() {
        let settings = RaceSettings::new(2, 1);
        let practical = settings.practical_log();
        let mut both = [0, 0];
        for (ratio, spread) in [(1.05, 0.02), (0.97, 0.03), (1.001, 0.004), (1.01, 0.02)] {
            let mut scope = ScopeSequence::new(&settings, (0, 1), None);
            for replica in replicas(60, ratio, spread) {
                let times = BlockTimes::new(&settings, &replica);
                scope.push(&scope.find(&times, &[1.0]).unwrap());
                let verdict = scope.verdict(practical).verdict;
                let is_settled = scope.is_settled(practical);
                assert_eq!(
                    is_settled,
                    verdict != crate::verdict::Verdict::NoCall,
                    "{ratio}"
                );
                both[usize::from(is_settled)] += 1;
            }
        }
        assert!(both[0] > 20 && both[1] > 20, "{both:?}");
    }
}
