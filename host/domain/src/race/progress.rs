//! The next step of a race: the variants that run, or the reason why it is over.

use super::alpha::ClaimScope;
use super::analysis::Analysis;
use crate::measurement::VariantIndex;
use crate::verdict::{PairVerdict, Verdict};
use serde::{Deserialize, Serialize};

/// Number of replicas of a race with a single variant: enough for an interval of its times.
const ALONE_REPLICAS: u32 = 8;
/// A beaten variant that leads on a case stays if the replicas forecast for a verdict there are at
/// most this many times those made so far.
const PATIENCE: f64 = 1.5;
/// Lead on a case, as a logarithm, with which a beaten variant stays in any case: until it is known whether it leads
/// there, or until [`CASES_SHARE`] of the budget is used.
const CLEAR_LEAD_LOG: f64 = 0.048_790_164_169_432_03;
/// Share of the budget after which a clear lead on a single case keeps no variant any more.
const CASES_SHARE: f64 = 0.5;
/// Number of different inputs of each case after which a verdict is left alone: an input as rare as one in twenty is
/// then met with 95 %.
pub const INPUTS_ENOUGH: u64 = 60;
/// Time of the slowest input that is to be met, in times of others. Whoever leads by more than a twentieth of it loses the
/// lead by such inputs only if they are more frequent than one in twenty: then fewer inputs are enough.
const SLOWEST_INPUT: f64 = 300.0;
/// Share of the budget until which a variant stays that was beaten after fewer inputs.
const INPUTS_SHARE: f64 = 0.25;
/// Share of the budget after which the variants that were set aside have their turn.
const TOGETHER_SHARE: f64 = 0.75;

/// The next step of a race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NextStep {
    /// Run one more replica.
    Run {
        /// The variants that take part, in order of their indexes; at least one.
        live_variants: Vec<VariantIndex>,
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
    /// More replicas would settle no pair, yet there is neither a winner nor a common tie: a ties with b and b with c,
    /// while a beats c; or a pair is closer than the effect of where code lies.
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

/// The budget of a race.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemainingBudget {
    /// Seconds that are left.
    pub seconds: f64,
    /// Seconds of the whole budget.
    pub whole_seconds: f64,
}

impl RemainingBudget {
    /// The share of the budget that is used; 1 if there is none.
    fn used(&self) -> f64 {
        self.used_after(0.0)
    }

    /// The share of the budget that is used after this many seconds more.
    fn used_after(&self, seconds: f64) -> f64 {
        if self.whole_seconds > 0.0 {
            1.0 - (self.seconds - seconds) / self.whole_seconds
        } else {
            1.0
        }
    }
}

impl Analysis {
    /// The next step. `predict` returns the seconds that a replica of these variants takes.
    ///
    /// A variant that is beaten over all cases leaves at once, unless it may lead on a single case. The variants that
    /// stay share every block, so one that leaves favours none of them. Those that were set aside come last, each with
    /// the leader alone.
    pub fn next(
        &self,
        remaining: RemainingBudget,
        predict: impl Fn(&[VariantIndex]) -> f64,
    ) -> NextStep {
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
        let used = remaining.used();
        let few = &self.with_few_inputs(&remaining, &predict);
        let live_variants = self.live_variants(used, few);
        if taking_part.len() > 1
            && let Some(reason) = self.settled(&live_variants, used, few)
        {
            return NextStep::Stop(reason);
        }
        if taking_part.len() > 1 && self.is_precise(&live_variants) {
            return NextStep::Stop(StopReason::Precision);
        }
        let fits = |group: &Vec<VariantIndex>| predict(group) <= remaining.seconds;
        // Where the first choice takes too long for what is left, another group may still fit.
        let mut groups = self.groups(&live_variants, used, few).into_iter();
        match groups.find(fits) {
            Some(live_variants) => NextStep::Run { live_variants },
            None => NextStep::Stop(StopReason::Budget),
        }
    }

    /// The next step of a race whose verdicts by time are settled, while more times of these variants are wanted:
    /// [`NextStep::Stop`] where there is no room for any. Those that were set aside run with one of the others.
    pub fn next_of(
        &self,
        wanted: &[VariantIndex],
        remaining: RemainingBudget,
        predict: impl Fn(&[VariantIndex]) -> f64,
    ) -> NextStep {
        if self.replicas >= self.settings.replicas_max {
            return NextStep::Stop(StopReason::ReplicaLimit);
        }
        let is_aside = |variant: &VariantIndex| self.settings.aside.contains(variant);
        let (aside, together): (Vec<VariantIndex>, Vec<VariantIndex>) =
            wanted.iter().copied().partition(is_aside);
        let duels = match self.leader_among(&together).or(self.leader()) {
            Some(leader) => self.duels(leader, &aside),
            None => vec![aside],
        };
        let mut groups = [together].into_iter().chain(duels);
        let fits =
            |group: &Vec<VariantIndex>| group.len() > 1 && predict(group) <= remaining.seconds;
        match groups.find(fits) {
            Some(live_variants) => NextStep::Run { live_variants },
            None => NextStep::Stop(StopReason::Budget),
        }
    }

    /// Groups of variants that may run together next, the first choice first: the variants that are left without those
    /// that were set aside; then the leader with each of these. Once [`TOGETHER_SHARE`] of the budget is used, these
    /// pairs come first.
    fn groups(
        &self,
        live_variants: &[VariantIndex],
        used: f64,
        few: &[VariantIndex],
    ) -> Vec<Vec<VariantIndex>> {
        let is_aside = |variant: &VariantIndex| self.settings.aside.contains(variant);
        let (aside, together): (Vec<VariantIndex>, Vec<VariantIndex>) =
            live_variants.iter().copied().partition(is_aside);
        if aside.is_empty() {
            return vec![together];
        }
        let leader = self.leader_among(&together).or(together.first().copied());
        let mut duels: Vec<Vec<VariantIndex>> = match leader {
            Some(leader) => self.duels(leader, &aside),
            None => vec![aside.clone()],
        };
        let is_open = together.len() > 1 && self.settled(&together, used, few).is_none();
        if is_open {
            let first = if used < TOGETHER_SHARE {
                0
            } else {
                duels.len()
            };
            duels.insert(first, together);
        }
        duels
    }

    /// Pairs of the leader with each variant that was set aside: first those whose verdict is open, and of these the
    /// pair that met in the fewest replicas.
    fn duels(&self, leader: VariantIndex, aside: &[VariantIndex]) -> Vec<Vec<VariantIndex>> {
        let pairs = aside.iter().map(|one| (leader.min(*one), leader.max(*one)));
        let mut pairs: Vec<(VariantIndex, VariantIndex)> = pairs.collect();
        pairs.sort_by_key(|between| {
            let mut known = self.overall.iter();
            let known = known.find(|pair| (pair.a, pair.b) == *between);
            known.map_or((false, 0), |pair| (!pair.is_open(), pair.replicas))
        });
        pairs.into_iter().map(|(a, b)| vec![a, b]).collect()
    }

    /// The variants that have not failed.
    fn taking_part(&self) -> Vec<VariantIndex> {
        let all = 0..self.settings.variants;
        all.filter(|variant| !self.settings.withdrawn.contains(variant))
            .collect()
    }

    /// The unbeaten variants, by time or by the cold start where that is asked for, and the beaten
    /// ones that have a case or the margin to settle.
    fn live_variants(&self, used: f64, few: &[VariantIndex]) -> Vec<VariantIndex> {
        let best = self.leader();
        let stays = |variant: &VariantIndex| {
            self.unbeaten.contains(variant)
                || self.is_near_margin(*variant)
                || self.has_unbeaten_start(*variant)
                || few.contains(variant)
                || best.is_some_and(|best| self.may_lead_on_a_case(*variant, best, used))
        };
        self.taking_part().into_iter().filter(stays).collect()
    }

    /// The variants that met so few inputs of some case that a slow one may well not be among them, and that have time
    /// for more beside the leader. None where all inputs are known, and none that was set aside, which takes too long.
    fn with_few_inputs(
        &self,
        remaining: &RemainingBudget,
        predict: impl Fn(&[VariantIndex]) -> f64,
    ) -> Vec<VariantIndex> {
        let settings = &self.settings;
        if settings.instances || settings.fixed_inputs {
            return Vec::new();
        }
        let leader = self.leader();
        let fits = |variant: VariantIndex| {
            let mut group: Vec<VariantIndex> = leader.into_iter().chain([variant]).collect();
            group.sort_unstable();
            group.dedup();
            remaining.used_after(predict(&group)) < INPUTS_SHARE
        };
        let mut found = self.taking_part();
        found.retain(|variant| {
            let is_aside = settings.aside.contains(variant);
            !is_aside && self.has_few_inputs(*variant) && fits(*variant)
        });
        // What the leader alone does on more inputs is compared with nothing.
        if found.len() == 1 && leader == found.first().copied() {
            found.clear();
        }
        found
    }

    /// Returns true if a variant met fewer inputs of some case than are enough for its distance from the leader; for the
    /// leader itself, from whoever is nearest.
    fn has_few_inputs(&self, variant: VariantIndex) -> bool {
        let settings = &self.settings;
        let leader = self.leader();
        let pairs = self.overall.iter().filter(|pair| {
            (pair.a == variant || pair.b == variant)
                && leader.is_none_or(|leader| pair.a == leader || pair.b == leader)
        });
        let apart = pairs.filter_map(|pair| pair.interval.ratio.map(|ratio| ratio.ln().abs()));
        let most = INPUTS_ENOUGH as f64;
        let enough = apart.reduce(f64::min).map_or(most, |nearest| {
            let frequency = nearest.exp() / SLOWEST_INPUT;
            most.min(3.0 / frequency)
        });
        let own = self.times.iter().filter(|time| time.variant == variant);
        let mut counted = own.filter(|time| settings.weights()[time.case] > 0.0);
        counted.any(|time| (time.inputs as f64) < enough)
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
            let is_known = beyond || within;
            (pair.b == variant || variant == 0) && !is_known
        })
    }

    /// Returns true if a margin was asked for, and it is known of all others whether they are within it.
    pub fn is_margin_known(&self) -> bool {
        let is_about = |pair: &PairVerdict| pair.a == 0;
        self.settings.margin.is_some()
            && self.overall.iter().any(is_about)
            && !self.is_near_margin(0)
    }

    fn settled(
        &self,
        live_variants: &[VariantIndex],
        used: f64,
        few: &[VariantIndex],
    ) -> Option<StopReason> {
        let best = self.leader();
        let is_open = |variant: &VariantIndex| {
            best.is_some_and(|best| self.may_lead_on_a_case(*variant, best, used))
                || self.is_near_margin(*variant)
                || few.contains(variant)
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
        let all_tie = live_variants.len() > 1 && self.overall.iter().filter(among).all(tie);
        Some(if all_tie {
            StopReason::Tied
        } else {
            StopReason::Settled
        })
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
    pub(crate) fn leader(&self) -> Option<VariantIndex> {
        self.leader_among(&self.unbeaten)
    }

    fn leader_among(&self, variants: &[VariantIndex]) -> Option<VariantIndex> {
        let log_time = |variant: &VariantIndex| self.log_time(*variant).unwrap_or(f64::INFINITY);
        let variants = variants.iter().copied();
        variants.min_by(|a, b| log_time(a).total_cmp(&log_time(b)))
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
            sum += weight * self.times.iter().find(row)?.mean_ns.ln();
        }
        Some(sum)
    }

    /// Returns true if a variant seems to be faster than the best one on some case, and it is open whether it is.
    fn may_lead_on_a_case(&self, variant: VariantIndex, best: VariantIndex, used: f64) -> bool {
        let may_lead = |pair: &PairVerdict| {
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
            let is_near = || {
                let threshold = self.settings.threshold(ClaimScope::OneCase);
                let forecast = pair.forecast(threshold, practical);
                f64::from(forecast.replicas) <= PATIENCE * f64::from(pair.replicas)
            };
            about_it
                && pair.is_open()
                && lead > practical
                && (lead > CLEAR_LEAD_LOG && used < CASES_SHARE || is_near())
        };
        self.by_case.iter().any(may_lead)
    }
}

#[cfg(test)]
mod tests;
