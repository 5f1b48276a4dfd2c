//! The analysis of a race: verdicts and times from replicas.

use super::block_times::BlockTimes;
use super::cold_start::ColdStarts;
use super::implied::add_implied;
use super::means::Means;
use super::pair_sequence::PairSequence;
use super::settings::RaceSettings;
use super::times::{MeanTimes, TimeSummary};
use crate::measurement::{Overrun, Replica, VariantIndex};
use crate::verdict::{PairVerdict, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that follows from the replicas so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The settings that were declared.
    pub settings: RaceSettings,
    /// The number of replicas that count.
    pub replicas: u32,
    /// Verdicts over all cases: each pair once, with `a` < `b`.
    pub overall: Vec<PairVerdict>,
    /// Verdicts by case: each pair once for each case that counts. Empty if a single case counts: it says the same as
    /// all of them.
    pub by_case: Vec<PairVerdict>,
    /// Verdicts by the cold start, each pair once; empty unless a criterion asks for them.
    #[serde(default)]
    pub cold_start: Vec<PairVerdict>,
    /// The variant that beats every other.
    pub winner: Option<VariantIndex>,
    /// The variants that no other surely beats.
    pub unbeaten: Vec<VariantIndex>,
    /// The time of a call, by variant and case.
    pub times: Vec<TimeSummary>,
}

impl Analysis {
    /// The number of different inputs that were timed on the case with the fewest, the pilot's among them: all variants
    /// get the same ones, so it is that of the variant that was timed longest. `None` for a set of instances.
    pub fn inputs(&self) -> Option<u64> {
        if self.settings.instances {
            return None;
        }
        let of_case = |case: usize| {
            let times = self.times.iter().filter(|time| time.case == case);
            times.map(|time| time.inputs).max()
        };
        let cases = self.settings.claimed_cases().into_iter();
        cases.filter_map(of_case).min()
    }
}

/// The analysis of all replicas, taken in the order of their indexes, and of the pilot's times if there was one.
pub fn analyse(settings: &RaceSettings, pilot: Option<&Replica>, replicas: &[Replica]) -> Analysis {
    let mut order: Vec<&Replica> = replicas.iter().collect();
    order.sort_by_key(|replica| replica.index);
    let mut race = Race::new(settings.clone(), pilot);
    order.into_iter().for_each(|replica| race.add(replica));
    race.analysis()
}

/// A race under way: replicas come in one by one.
#[derive(Clone, Debug)]
pub struct Race {
    settings: RaceSettings,
    weights: Vec<f64>,
    pairs: Vec<PairSequence>,
    times: MeanTimes,
    cold_starts: ColdStarts,
    replicas: u32,
    next_index: u32,
    waiting: BTreeMap<u32, Replica>,
    skipped: BTreeSet<u32>,
}

impl Race {
    /// A race without replicas. The times of its pilot, if there was one, count for the ratios that are shown and for
    /// no verdict: its samples chose how long samples are.
    pub fn new(settings: RaceSettings, pilot: Option<&Replica>) -> Self {
        let weights = settings.weights();
        let pairs =
            (0..settings.variants).flat_map(|a| (a + 1..settings.variants).map(move |b| (a, b)));
        let mut pairs: Vec<PairSequence> = pairs
            .map(|(a, b)| PairSequence::new(&settings, a, b))
            .collect();
        let mut mean_times = MeanTimes::new(&settings);
        if let Some(pilot) = pilot {
            let times = BlockTimes::new(&settings, pilot);
            for pair in &mut pairs {
                pair.push_pilot(&times, &weights);
            }
            let cases = if settings.instances { 0 } else { weights.len() };
            for (variant, case) in
                (0..settings.variants).flat_map(|one| (0..cases).map(move |case| (one, case)))
            {
                if let Some((_, calls)) = times.total(variant, case) {
                    mean_times.push_pilot(variant, case, calls);
                }
            }
        }
        let mut race = Self {
            pairs,
            times: mean_times,
            cold_starts: ColdStarts::new(&settings),
            weights,
            settings,
            replicas: 0,
            next_index: 0,
            waiting: BTreeMap::new(),
            skipped: BTreeSet::new(),
        };
        for overrun in race.settings.overruns.clone() {
            race.count_overrun(&overrun);
        }
        race
    }

    /// Adds a replica. Replicas count in the order of their launch, whatever order they finish in: a replica that
    /// finished early waits until every earlier index is in or [skipped](Self::skip). A second replica of the same
    /// index is ignored.
    pub fn push(&mut self, replica: Replica) {
        if replica.index >= self.next_index {
            self.waiting.entry(replica.index).or_insert(replica);
            self.advance();
        }
    }

    /// Marks an index as one whose replica was discarded and will not come.
    pub fn skip(&mut self, index: u32) {
        if index >= self.next_index {
            self.skipped.insert(index);
            self.advance();
        }
    }

    /// Adds a sample that took far longer than was predicted. Its variant is set aside: from now on it runs in replicas
    /// of its own, as [`Analysis::next`] says. Replicas that were pushed count as before. A second overrun of a variant
    /// is ignored.
    pub fn push_overrun(&mut self, overrun: Overrun) {
        let mut known = self.settings.overruns.iter();
        if known.any(|one| one.variant == overrun.variant) {
            return;
        }
        self.settings.overruns.push(overrun);
        self.count_overrun(&overrun);
    }

    fn count_overrun(&mut self, overrun: &Overrun) {
        if !self.settings.aside.contains(&overrun.variant) {
            self.settings.aside.push(overrun.variant);
        }
        // A case of weight 0 is shown and claims nothing.
        let counts = self
            .weights
            .get(overrun.case)
            .is_some_and(|weight| *weight > 0.0);
        let least_ns = overrun.least_ns(self.settings.metric) as f64;
        for pair in self.pairs.iter_mut().filter(|_| counts) {
            pair.push_overrun(overrun, least_ns);
        }
        self.times.push_overrun(overrun, least_ns);
    }

    /// The settings, with all variants that are set aside.
    pub fn settings(&self) -> &RaceSettings {
        &self.settings
    }

    /// The analysis of the replicas that count so far.
    pub fn analysis(&mut self) -> Analysis {
        let practical = self.settings.practical_log();
        let withdrawn = &self.settings.withdrawn;
        let mut overall = Vec::with_capacity(self.pairs.len());
        let mut by_case = Vec::new();
        for pair in &mut self.pairs {
            if withdrawn.contains(&pair.a) || withdrawn.contains(&pair.b) {
                continue;
            }
            overall.push(pair.verdict(practical));
            by_case.extend(pair.verdicts_by_case(practical));
        }
        add_implied(&self.settings, &mut overall);
        let times = self.times.summaries(self.settings.confidence);
        let means = Means::new(&self.settings, &times);
        // After the implied verdicts: mean times withdraw those, too (docs/verdicts.md, R10a).
        for pair in overall.iter_mut().chain(&mut by_case) {
            means.withdraw_if_contradicted(pair);
        }
        Analysis {
            replicas: self.replicas,
            winner: winner(&self.settings, &overall),
            unbeaten: unbeaten(&self.settings, &overall),
            cold_start: self.cold_starts.verdicts(withdrawn),
            times,
            settings: self.settings.clone(),
            overall,
            by_case,
        }
    }

    fn advance(&mut self) {
        loop {
            if let Some(replica) = self.waiting.remove(&self.next_index) {
                self.add(&replica);
            } else if !self.skipped.remove(&self.next_index) {
                return;
            }
            self.next_index += 1;
        }
    }

    fn add(&mut self, replica: &Replica) {
        let times = BlockTimes::new(&self.settings, replica);
        for pair in &mut self.pairs {
            pair.push(&times, &self.weights);
        }
        for variant in 0..self.settings.variants {
            if self.settings.instances {
                if let Some(mean_ns) = times.mean_ns_on_set(variant, &self.weights) {
                    self.times.push(variant, 0, mean_ns, 1.0);
                }
                continue;
            }
            for case in 0..self.settings.case_weights.len() {
                if let Some((ns, calls)) = times.total(variant, case) {
                    self.times.push(variant, case, ns, calls);
                }
            }
        }
        self.cold_starts.push(replica);
        self.replicas += 1;
    }
}

/// The pairs (winner, loser) over all cases.
fn beats(overall: &[PairVerdict]) -> impl Iterator<Item = (VariantIndex, VariantIndex)> {
    overall.iter().filter_map(|pair| match pair.verdict {
        Verdict::Beats => Some((pair.a, pair.b)),
        Verdict::Beaten => Some((pair.b, pair.a)),
        Verdict::Tie | Verdict::NoCall => None,
    })
}

fn winner(settings: &RaceSettings, overall: &[PairVerdict]) -> Option<VariantIndex> {
    let others = (settings.variants - settings.withdrawn.len().min(settings.variants))
        .checked_sub(1)
        .filter(|others| *others > 0)?;
    (0..settings.variants)
        .find(|variant| beats(overall).filter(|(a, _)| a == variant).count() == others)
}

fn unbeaten(settings: &RaceSettings, overall: &[PairVerdict]) -> Vec<VariantIndex> {
    (0..settings.variants)
        .filter(|variant| !settings.withdrawn.contains(variant))
        .filter(|variant| beats(overall).all(|(_, beaten)| beaten != *variant))
        .collect()
}
