//! The analysis of a race: verdicts, times and annotations from replicas.

use super::alpha::Basis;
use super::block_times::BlockTimes;
use super::cold_start::ColdStarts;
use super::dependence::{self, Dependence};
use super::implied::add_implied;
use super::pair_sequence::PairSequence;
use super::quiet::QuietReplicas;
use super::settings::RaceSettings;
use super::solo_comparison::{self, SoloComparison};
use super::times::{MedianTimes, TimeSummary};
use crate::measurement::{Replica, VariantIndex};
use crate::verdict::{PairVerdict, Verdict};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that follows from the replicas so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The settings that were declared.
    pub settings: RaceSettings,
    /// The number of replicas that count.
    pub replicas: u32,
    /// The number of replicas that ran beside others, of all so far.
    pub shared: u32,
    /// The number of replicas so far, with those that do not count.
    #[serde(default)]
    pub launched: u32,
    /// The number of these that had a quiet core; 0 if nothing is known of it.
    #[serde(default)]
    pub quiet: u32,
    /// Over all cases: each pair once, with `a` < `b`.
    pub overall: Vec<PairVerdict>,
    /// By case: each pair once for each case that counts. Empty if a single case counts: it says
    /// the same as all of them.
    pub by_case: Vec<PairVerdict>,
    /// By the cold start, each pair once; empty unless a criterion asks for it.
    #[serde(default)]
    pub cold_start: Vec<PairVerdict>,
    /// The variant that beats every other.
    pub winner: Option<VariantIndex>,
    /// The variants that nobody surely beats.
    pub unbeaten: Vec<VariantIndex>,
    /// The time of a call, by variant and case.
    pub times: Vec<TimeSummary>,
    /// Whether running side by side changes the ranking.
    #[serde(rename = "control")]
    pub solo_comparison: SoloComparison,
    /// Ratios that are correlated with time or load: annotations, never verdicts.
    pub dependences: Vec<Dependence>,
}

impl Analysis {
    /// How many replicas had a quiet core; `None` if nobody knows what one is.
    pub fn quiet_replicas(&self) -> Option<QuietReplicas> {
        self.settings.quiet?;
        Some(QuietReplicas {
            quiet: self.quiet,
            of: self.launched,
        })
    }
}

/// The analysis of all replicas, taken in the order of their indexes.
pub fn analyse(settings: &RaceSettings, replicas: &[Replica]) -> Analysis {
    let mut order: Vec<&Replica> = replicas.iter().collect();
    order.sort_by_key(|replica| replica.index);
    let mut race = Race::new(settings.clone());
    order.into_iter().for_each(|replica| race.add(replica));
    race.analysis()
}

/// A race under way: replicas come in one by one.
#[derive(Clone, Debug)]
pub struct Race {
    settings: RaceSettings,
    weights: Vec<f64>,
    pairs: Vec<PairSequence>,
    times: MedianTimes,
    cold_starts: ColdStarts,
    replicas: u32,
    shared: u32,
    launched: u32,
    quiet: u32,
    next_index: u32,
    waiting: BTreeMap<u32, Replica>,
    skipped: BTreeSet<u32>,
}

impl Race {
    /// A race without replicas.
    pub fn new(settings: RaceSettings) -> Self {
        let pairs =
            (0..settings.variants).flat_map(|a| (a + 1..settings.variants).map(move |b| (a, b)));
        Self {
            pairs: pairs
                .map(|(a, b)| PairSequence::new(&settings, a, b))
                .collect(),
            times: MedianTimes::new(&settings),
            cold_starts: ColdStarts::new(&settings),
            weights: settings.weights(),
            settings,
            replicas: 0,
            shared: 0,
            launched: 0,
            quiet: 0,
            next_index: 0,
            waiting: BTreeMap::new(),
            skipped: BTreeSet::new(),
        }
    }

    /// Adds a replica. Replicas count in the order of their launch, whatever order they finish in:
    /// one that finished early waits until every earlier index is in or [skipped](Self::skip).
    /// A second replica of the same index is ignored.
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

    /// The analysis of the replicas that count so far.
    pub fn analysis(&mut self) -> Analysis {
        let practical = self.settings.practical_log();
        let withdrawn = &self.settings.withdrawn;
        let mut overall = Vec::with_capacity(self.pairs.len());
        let mut by_case = Vec::new();
        let mut remaining = Vec::with_capacity(self.pairs.len());
        for pair in &mut self.pairs {
            if withdrawn.contains(&pair.a) || withdrawn.contains(&pair.b) {
                continue;
            }
            overall.push(pair.verdict(practical));
            by_case.extend(pair.verdicts_by_case(practical));
            remaining.push(&*pair);
        }
        add_implied(&self.settings, &mut overall);
        Analysis {
            replicas: self.replicas,
            shared: self.shared,
            launched: self.launched,
            quiet: self.quiet,
            winner: winner(&self.settings, &overall),
            unbeaten: unbeaten(&self.settings, &overall),
            solo_comparison: solo_comparison::compare(&remaining, practical),
            dependences: dependence::find(&remaining),
            cold_start: self.cold_starts.verdicts(withdrawn),
            times: self.times.summaries(self.settings.confidence),
            settings: self.settings.clone(),
            overall,
            by_case,
        }
    }

    /// Returns true if only replicas that ran alone should count from here on ([`Basis::Solo`]):
    /// running side by side changes the ranking, or a sign inversion among the unbeaten variants may
    /// come from replicas that ran side by side. Quicker than a full [`analysis`](Self::analysis).
    pub fn should_fall_back_to_solo(&mut self) -> bool {
        if self.settings.basis == Basis::Solo || self.shared == 0 {
            return false;
        }
        let practical = self.settings.practical_log();
        let mut beaten = vec![false; self.settings.variants];
        let mut inverting = Vec::new();
        let withdrawn = &self.settings.withdrawn;
        let pairs = self.pairs.iter_mut();
        let mut pairs: Vec<&mut PairSequence> = pairs
            .filter(|pair| !withdrawn.contains(&pair.a) && !withdrawn.contains(&pair.b))
            .collect();
        for pair in &mut pairs {
            match pair.quick_verdict(practical) {
                None => inverting.push((pair.a, pair.b)),
                Some(Verdict::Beats) => beaten[pair.b] = true,
                Some(Verdict::Beaten) => beaten[pair.a] = true,
                Some(Verdict::Tie | Verdict::NoCall) => {}
            }
        }
        let pairs: Vec<&PairSequence> = pairs.into_iter().map(|pair| &*pair).collect();
        inverting.iter().any(|(a, b)| !beaten[*a] && !beaten[*b])
            || matches!(
                solo_comparison::compare(&pairs, practical),
                SoloComparison::Differs { .. }
            )
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

    /// The basis on which verdicts should rest, by what the contention probe says of the replicas so far and by
    /// nothing else: quiet cores, where a third of the replicas had one. Of replicas that ran alone
    /// [`should_fall_back_to_solo`](Self::should_fall_back_to_solo) decides.
    pub fn basis_by_probe(&self) -> Basis {
        match self.settings.basis {
            Basis::Solo => Basis::Solo,
            Basis::All | Basis::Quiet => {
                let (quiet, of) = (self.quiet, self.launched);
                match (QuietReplicas { quiet, of }).are_enough() {
                    true => Basis::Quiet,
                    false => Basis::All,
                }
            }
        }
    }

    fn add(&mut self, replica: &Replica) {
        self.launched += 1;
        let had_quiet_core = self
            .settings
            .quiet
            .is_some_and(|of| of.part(replica).is_some());
        self.quiet += u32::from(had_quiet_core);
        let counted = self.settings.counted(replica);
        // Replicas that ran side by side say nothing of those that ran alone.
        if self.settings.basis == Basis::Solo && !replica.solo {
            return;
        }
        self.shared += u32::from(!replica.solo);
        let all = BlockTimes::new(&self.settings, replica);
        let part = match &counted {
            Some(Cow::Owned(part)) => Some(BlockTimes::new(&self.settings, part)),
            Some(Cow::Borrowed(_)) | None => None,
        };
        let rest = match (self.settings.basis, self.settings.quiet) {
            (Basis::Quiet, Some(quiet)) => quiet.rest(replica),
            _ => None,
        };
        let rest = rest.map(|rest| BlockTimes::new(&self.settings, &rest));
        for pair in &mut self.pairs {
            if let Some(rest) = &rest {
                pair.add_crowded(pair.find(rest, &self.weights));
            }
            let found = pair.find(&all, &self.weights);
            pair.observe(&found, replica);
            match &part {
                Some(part) => pair.count(pair.find(part, &self.weights), replica),
                None if counted.is_some() => pair.count(found, replica),
                None => {}
            }
        }
        if counted.is_some() {
            self.count_times(part.as_ref().unwrap_or(&all), replica);
        }
    }

    fn count_times(&mut self, times: &BlockTimes, replica: &Replica) {
        for variant in 0..self.settings.variants {
            if self.settings.instances {
                if let Some(mean_ns) = times.mean_ns_on_set(variant, &self.weights) {
                    self.times.push(variant, 0, mean_ns);
                }
                continue;
            }
            for case in 0..self.settings.case_weights.len() {
                if let Some(median_ns) = times.median_ns(variant, case) {
                    self.times.push(variant, case, median_ns);
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
