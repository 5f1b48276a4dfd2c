//! Who runs next, or why the race is over.

use super::analysis::Analysis;
use crate::measurement::VariantIndex;
use crate::plan::{self, Entrant};
use crate::verdict::{PairVerdict, Verdict};
use serde::{Deserialize, Serialize};

/// Replicas of a variant that has nobody to race against: enough for an interval of its times.
const ALONE_REPLICAS: u32 = 8;
/// A beaten variant that leads on a case stays if its verdict there is at most so many times the
/// replicas made so far away.
const PATIENCE: f64 = 1.5;

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Next {
    /// One more replica, with these.
    Run {
        /// In order of their indexes, at least one.
        entrants: Vec<Entrant>,
    },
    /// Nothing: the race is over.
    Stop(StopReason),
}

/// Why a race is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// One variant beats every other.
    Winner,
    /// The first place is shared: those that nobody beats tie with each other.
    Tied,
    /// Nothing more is to be known of the remaining pairs, but it adds up to neither of the above: a
    /// ties with b and b with c, while a beats c; or a pair changes places with what else runs.
    Settled,
    /// Every open pair of those that nobody beats is known as closely as was asked for.
    Precision,
    /// As many replicas as may be.
    ReplicaLimit,
    /// The next replica would not end within the budget.
    Budget,
    /// There is nobody to compare with: a single variant is left, and its times are known.
    Alone,
    /// No case counts: all of them are too short to time.
    NothingToTime,
}

/// What is left of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remaining {
    /// Seconds until the budget ends.
    pub seconds: f64,
    /// Seconds that the next replica is predicted to take.
    pub replica_seconds: f64,
}

impl Analysis {
    /// Who runs next, or why nobody does.
    ///
    /// A variant that is surely beaten over all cases leaves at once, with one exception: it stays
    /// while it leads on a single case by more than δ and a verdict about that is near. Whoever
    /// stays shares every block with all others, so leaving cannot favour anybody.
    pub fn next(&self, remaining: Remaining) -> Next {
        let taking_part = self.taking_part();
        if self.settings.claimed_cases().is_empty() {
            return Next::Stop(StopReason::NothingToTime);
        }
        if self.replicas >= self.settings.replicas_max {
            return Next::Stop(StopReason::ReplicaLimit);
        }
        if taking_part.len() <= 1 && self.replicas >= ALONE_REPLICAS || taking_part.is_empty() {
            return Next::Stop(StopReason::Alone);
        }
        let entrants = self.entrants();
        if taking_part.len() > 1
            && let Some(reason) = self.settled(&entrants)
        {
            return Next::Stop(reason);
        }
        if taking_part.len() > 1 && self.is_precise(&entrants) {
            return Next::Stop(StopReason::Precision);
        }
        if remaining.replica_seconds > remaining.seconds {
            return Next::Stop(StopReason::Budget);
        }
        let brief = self.brief(&entrants);
        let entrants = entrants.into_iter().map(|variant| Entrant {
            variant,
            brief: brief.contains(&variant),
        });
        Next::Run {
            entrants: entrants.collect(),
        }
    }

    /// The variants that have not failed.
    fn taking_part(&self) -> Vec<VariantIndex> {
        let all = 0..self.settings.variants;
        all.filter(|variant| !self.settings.withdrawn.contains(variant))
            .collect()
    }

    /// Whoever is not beaten, or has a case to settle.
    fn entrants(&self) -> Vec<VariantIndex> {
        let best = self.leader();
        let stays = |variant: &VariantIndex| {
            self.unbeaten.contains(variant)
                || self.is_near_margin(*variant)
                || best.is_some_and(|best| self.leads_on_a_case(*variant, best))
        };
        self.taking_part().into_iter().filter(stays).collect()
    }

    /// Whether it is open if a variant is within the margin of variant 0; for variant 0, if it is open
    /// about anyone.
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
            (pair.b == variant || variant == 0) && !beyond && !within
        })
    }

    fn settled(&self, entrants: &[VariantIndex]) -> Option<StopReason> {
        let is_open = |entrant: &VariantIndex| {
            !self.unbeaten.contains(entrant) || self.is_near_margin(*entrant)
        };
        if entrants.iter().any(is_open) {
            return None;
        }
        if self.winner.is_some() {
            return Some(StopReason::Winner);
        }
        let among = |pair: &&PairVerdict| entrants.contains(&pair.a) && entrants.contains(&pair.b);
        if self.overall.iter().filter(among).any(PairVerdict::is_open) {
            return None;
        }
        let tie = |pair: &PairVerdict| pair.verdict != Verdict::NoCall;
        Some(
            match entrants.len() > 1 && self.overall.iter().filter(among).all(tie) {
                true => StopReason::Tied,
                false => StopReason::Settled,
            },
        )
    }

    /// Whether every pair of those that run, and is open, is known as closely as was asked for.
    fn is_precise(&self, entrants: &[VariantIndex]) -> bool {
        let Some(precision) = self.settings.precision else {
            return false;
        };
        let among = |pair: &&PairVerdict| entrants.contains(&pair.a) && entrants.contains(&pair.b);
        let mut open = self
            .overall
            .iter()
            .filter(among)
            .filter(|pair| pair.is_open());
        open.all(|pair| {
            pair.half_width()
                .is_some_and(|half| half <= precision.ln_1p())
        }) && !entrants.iter().any(|entrant| self.is_near_margin(*entrant))
    }

    /// The quickest of those that nobody beats, by their times so far.
    pub fn leader(&self) -> Option<VariantIndex> {
        let quickness = |variant: &VariantIndex| self.log_time(*variant).unwrap_or(f64::INFINITY);
        let candidates = self.unbeaten.iter().copied();
        candidates.min_by(|a, b| quickness(a).total_cmp(&quickness(b)))
    }

    /// The weighted mean over cases of the logarithm of a variant's time, in nanoseconds; `None`
    /// if it has not run on all of them.
    fn log_time(&self, variant: VariantIndex) -> Option<f64> {
        let mut sum = 0.0;
        let weights = self.settings.weights();
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
            let forecast = pair.forecast(self.settings.threshold(), practical);
            about_it
                && pair.is_open()
                && lead > practical
                && f64::from(forecast.replicas) <= PATIENCE * f64::from(pair.replicas)
        };
        self.by_case.iter().any(near)
    }

    /// Who of the entrants is so slow that a single call is enough: by the pilot before the first
    /// replica, by the replicas afterwards.
    fn brief(&self, entrants: &[VariantIndex]) -> Vec<VariantIndex> {
        let times: Option<Vec<(VariantIndex, f64)>> = entrants
            .iter()
            .map(|variant| Some((*variant, self.log_time(*variant)?)))
            .collect();
        match times {
            Some(times) => plan::brief_variants(&times),
            None => self.settings.brief_at_start.clone(),
        }
    }
}
