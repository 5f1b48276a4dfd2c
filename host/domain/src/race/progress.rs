//! The next step of a race: who runs, or why it is over.

use super::alpha::ClaimScope;
use super::analysis::Analysis;
use crate::measurement::VariantIndex;
use crate::plan::{LiveVariant, SINGLE_CALLS_SHARE, at_once};
use crate::verdict::{PairVerdict, Verdict};
use serde::{Deserialize, Serialize};

/// Replicas of a race with a single variant: enough for an interval of its times.
const ALONE_REPLICAS: u32 = 8;
/// A beaten variant that leads on a case stays if the replicas forecast for a verdict there are at
/// most this many times those made so far.
const PATIENCE: f64 = 1.5;

/// The next step of a race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NextStep {
    /// Run one more replica.
    Run {
        /// The variants that take part, in order of their indexes; at least one.
        live_variants: Vec<LiveVariant>,
    },
    /// The race is over.
    Stop(StopReason),
}

/// The reason why a race is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// One variant beats every other.
    Winner,
    /// The unbeaten variants tie with each other.
    Tied,
    /// More replicas would settle no pair, yet there is neither a winner nor a common tie: a ties
    /// with b and b with c, while a beats c; or a pair has a sign inversion, or is as close as where
    /// code lies may be worth.
    Settled,
    /// The interval of every open pair of unbeaten variants is as narrow as was asked for.
    Precision,
    /// The largest number of replicas was reached.
    ReplicaLimit,
    /// The next replica would exceed the budget.
    Budget,
    /// A single variant is left, and its times are known.
    Alone,
    /// No case counts: the calls of all are too short to time.
    NothingToTime,
}

/// The time left, and the time that a replica takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemainingBudget {
    /// Seconds until the budget ends.
    pub seconds: f64,
    /// Seconds that the next replica is predicted to take.
    pub replica_seconds: f64,
}

/// The next replica of a race, if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct NextReplica {
    /// The variants that take part, with their single calls.
    pub live_variants: Vec<LiveVariant>,
    /// The time left, and the time that it takes.
    pub remaining: RemainingBudget,
}

impl NextReplica {
    /// The next replica, of this index, of a race that has these seconds left. It has the variants that
    /// are left, or a group of them; `predict` returns the seconds that it takes if these are left.
    ///
    /// While variants that make no single calls are still to be told apart, single calls that do not fit
    /// into their share of what is left, of all `workers` together, are left out, the longest first: a slow
    /// variant does not end the race of the others, also where the machine is busier than the pilot knew.
    pub fn new(
        seconds: f64,
        workers: u32,
        index: u32,
        analysis: &Analysis,
        predict: impl Fn(&[LiveVariant]) -> f64,
    ) -> Self {
        let mut live_variants = analysis.next_live_variants();
        let mut replica_seconds = predict(&live_variants);
        let mut of_others = live_variants.clone();
        for live_variant in &mut of_others {
            live_variant.single_calls_every = 0;
        }
        let share = SINGLE_CALLS_SHARE * seconds * at_once(workers);
        let longest = seconds.min(predict(&of_others) + share);
        while replica_seconds > longest && analysis.has_open_pair_without_single_calls() {
            let without = |place: usize| {
                let mut fewer = live_variants.clone();
                fewer[place].single_calls_every = 0;
                (predict(&fewer), fewer)
            };
            let places = 0..live_variants.len();
            let due = places.filter(|place| live_variants[*place].makes_single_calls_in(index));
            let shortest = due.map(without).min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((shorter, fewer)) = shortest else {
                break;
            };
            (replica_seconds, live_variants) = (shorter, fewer);
        }
        Self {
            live_variants,
            remaining: RemainingBudget {
                seconds,
                replica_seconds,
            },
        }
    }
}

impl Analysis {
    /// The next step.
    ///
    /// A variant that is beaten over all cases leaves at once, with two exceptions: it stays while it
    /// leads on a single case by more than δ and a verdict there is near, and while it is open against
    /// an unbeaten one with which it is compared in another way than with the one that beats it. The
    /// variants that stay share every block, so one that leaves favours none of them.
    pub fn next(&self, remaining: RemainingBudget) -> NextStep {
        let taking_part = self.taking_part();
        if self.settings.claimed_cases().is_empty() {
            return NextStep::Stop(StopReason::NothingToTime);
        }
        if self.replicas >= self.settings.replicas_max {
            return NextStep::Stop(StopReason::ReplicaLimit);
        }
        if taking_part.len() <= 1 && self.replicas >= ALONE_REPLICAS || taking_part.is_empty() {
            return NextStep::Stop(StopReason::Alone);
        }
        let live_variants = self.live_variants();
        if taking_part.len() > 1
            && let Some(reason) = self.settled(&live_variants)
        {
            return NextStep::Stop(reason);
        }
        if taking_part.len() > 1 && self.is_precise(&live_variants) {
            return NextStep::Stop(StopReason::Precision);
        }
        if remaining.replica_seconds > remaining.seconds {
            return NextStep::Stop(StopReason::Budget);
        }
        NextStep::Run {
            live_variants: self.next_live_variants(),
        }
    }

    /// The variants that the next replica would have, if there is one.
    pub fn next_live_variants(&self) -> Vec<LiveVariant> {
        self.with_single_calls(&self.live_variants())
    }

    /// The variants that have not failed.
    fn taking_part(&self) -> Vec<VariantIndex> {
        let all = 0..self.settings.variants;
        all.filter(|variant| !self.settings.withdrawn.contains(variant))
            .collect()
    }

    /// The unbeaten variants, by time or by the cold start where that is asked for, and the beaten
    /// ones that have a case or the margin to settle.
    fn live_variants(&self) -> Vec<VariantIndex> {
        let best = self.leader();
        let stays = |variant: &VariantIndex| {
            self.unbeaten.contains(variant)
                || self.is_near_margin(*variant)
                || self.has_unbeaten_start(*variant)
                || self.has_to_be_met(*variant)
                || best.is_some_and(|best| self.leads_on_a_case(*variant, best))
        };
        self.taking_part().into_iter().filter(stays).collect()
    }

    /// Returns true if verdicts about the cold start are wanted, and none calls the variant slower.
    fn has_unbeaten_start(&self, variant: VariantIndex) -> bool {
        let slower = |pair: &PairVerdict| match pair.verdict {
            Verdict::Beats => pair.b == variant,
            Verdict::Beaten => pair.a == variant,
            Verdict::Tie | Verdict::NoCall => false,
        };
        self.settings.cold_start && !self.cold_start.iter().any(slower)
    }

    /// Returns true if the cold starts of two of these variants are not told apart yet.
    fn has_open_start(&self, live_variants: &[VariantIndex]) -> bool {
        let unbeaten = |variant: VariantIndex| {
            live_variants.contains(&variant) && self.has_unbeaten_start(variant)
        };
        let mut pairs = self.cold_start.iter();
        pairs.any(|pair| unbeaten(pair.a) && unbeaten(pair.b) && pair.is_open())
    }

    /// Returns true if it is open whether the variant is within the margin of variant 0; for variant
    /// 0, whether it is open for any other.
    fn is_near_margin(&self, variant: VariantIndex) -> bool {
        let Some(margin) = self.settings.margin else {
            return false;
        };
        // The pairs are kept with the lower index first, and say t_0 / t_b: slower by more than the
        // margin is a ratio below 1 / (1 + margin).
        let limit = 1.0 / (1.0 + margin);
        let mut about = self.overall.iter().filter(|pair| pair.a == 0);
        about.any(|pair| {
            let beyond = pair.interval.high.is_some_and(|high| high < limit);
            let within = pair.interval.low.is_some_and(|low| low >= limit);
            let is_known = beyond || within || pair.has_lasting_totals();
            (pair.b == variant || variant == 0) && !is_known
        })
    }

    fn settled(&self, live_variants: &[VariantIndex]) -> Option<StopReason> {
        let best = self.leader();
        let is_open = |live_variant: &VariantIndex| {
            let leads = best.is_some_and(|best| self.leads_on_a_case(*live_variant, best));
            let is_beaten = !self.unbeaten.contains(live_variant);
            is_beaten && (leads || self.has_to_be_met(*live_variant))
                || self.is_near_margin(*live_variant)
        };
        if live_variants.iter().any(is_open) || self.has_open_start(live_variants) {
            return None;
        }
        let live_variants: &Vec<VariantIndex> = &live_variants
            .iter()
            .copied()
            .filter(|variant| self.unbeaten.contains(variant))
            .collect();
        if self.winner.is_some() {
            return Some(StopReason::Winner);
        }
        let among = |pair: &&PairVerdict| {
            live_variants.contains(&pair.a) && live_variants.contains(&pair.b)
        };
        if self.overall.iter().filter(among).any(PairVerdict::is_open) {
            return None;
        }
        let tie = |pair: &PairVerdict| pair.verdict != Verdict::NoCall;
        Some(
            match live_variants.len() > 1 && self.overall.iter().filter(among).all(tie) {
                true => StopReason::Tied,
                false => StopReason::Settled,
            },
        )
    }

    /// Returns true if the interval of every open pair among `live_variants` is as narrow as was
    /// asked for.
    fn is_precise(&self, live_variants: &[VariantIndex]) -> bool {
        let Some(precision) = self.settings.precision else {
            return false;
        };
        let among = |pair: &&PairVerdict| {
            live_variants.contains(&pair.a) && live_variants.contains(&pair.b)
        };
        let mut open = self
            .overall
            .iter()
            .filter(among)
            .filter(|pair| pair.is_open());
        open.all(|pair| {
            pair.half_width()
                .is_some_and(|half| half <= precision.ln_1p())
        }) && !live_variants
            .iter()
            .any(|live_variant| self.is_near_margin(*live_variant))
    }

    /// The fastest of the unbeaten variants by the times so far.
    fn leader(&self) -> Option<VariantIndex> {
        let log_time = |variant: &VariantIndex| self.log_time(*variant).unwrap_or(f64::INFINITY);
        let unbeaten = self.unbeaten.iter().copied();
        unbeaten.min_by(|a, b| log_time(a).total_cmp(&log_time(b)))
    }

    /// The weighted mean over cases of the logarithm of a variant's time, in nanoseconds; `None`
    /// if it has not run on all of them.
    fn log_time(&self, variant: VariantIndex) -> Option<f64> {
        let mut sum = 0.0;
        let weights = self.settings.time_weights();
        for (case, weight) in weights
            .iter()
            .enumerate()
            .filter(|(_, weight)| **weight > 0.0)
        {
            let row = |time: &&super::TimeSummary| time.variant == variant && time.case == case;
            sum += weight * self.times.iter().find(row)?.median_ns.ln();
        }
        Some(sum)
    }

    fn leads_on_a_case(&self, variant: VariantIndex, best: VariantIndex) -> bool {
        let near = |pair: &PairVerdict| {
            let about_it =
                (pair.a, pair.b) == (variant, best) || (pair.b, pair.a) == (variant, best);
            let lead = pair.interval.ratio.map_or(0.0, |ratio| {
                if pair.a == variant {
                    -ratio.ln()
                } else {
                    ratio.ln()
                }
            });
            let practical = self.settings.practical_log();
            let forecast = pair.forecast(self.settings.threshold(ClaimScope::OneCase), practical);
            about_it
                && pair.is_open()
                && lead > practical
                && f64::from(forecast.replicas) <= PATIENCE * f64::from(pair.replicas)
        };
        self.by_case.iter().any(near)
    }

    /// The variants with their single calls. These are made in every replica once nothing else is
    /// open, since then they take nobody's time.
    fn with_single_calls(&self, live_variants: &[VariantIndex]) -> Vec<LiveVariant> {
        let live_variants = live_variants.iter();
        let mut live_variants: Vec<LiveVariant> = live_variants
            .map(|variant| LiveVariant::new(*variant, &self.settings.single_calls))
            .collect();
        if !self.has_open_pair_of_full(&live_variants) {
            for live_variant in &mut live_variants {
                live_variant.single_calls_every = 1;
            }
        }
        live_variants
    }

    /// Returns true if two variants that are left and make no single calls are still to be told apart.
    fn has_open_pair_without_single_calls(&self) -> bool {
        self.has_open_pair_of_full(&self.next_live_variants())
    }

    fn has_open_pair_of_full(&self, live_variants: &[LiveVariant]) -> bool {
        let is_full = |variant: VariantIndex| {
            let mut live_variants = live_variants.iter();
            live_variants.any(|one| one.variant == variant && one.single_calls.is_empty())
        };
        let others = |pair: &&PairVerdict| is_full(pair.a) && is_full(pair.b);
        self.overall.iter().filter(others).any(PairVerdict::is_open)
    }
}
