//! From replicas to everything that is said about time.

use super::control::{self, Control};
use super::crossover::{self, Crossover};
use super::differences::Readings;
use super::implied::add_implied;
use super::settings::{Basis, Settings};
use super::state::{self, Dependence};
use super::times::{TimeSummary, Times};
use super::track::Track;
use crate::measurement::{Replica, VariantIndex};
use crate::verdict::{PairVerdict, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// All that follows from the replicas so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// What was declared.
    pub settings: Settings,
    /// How many replicas it rests on.
    pub replicas: u32,
    /// How many of them ran beside others.
    pub shared: u32,
    /// Over all cases: each pair once, with `a` < `b`.
    pub overall: Vec<PairVerdict>,
    /// By case: each pair once for each case that counts. Empty if a single case counts: it says
    /// the same as all of them.
    pub by_case: Vec<PairVerdict>,
    /// The variant that beats every other.
    pub winner: Option<VariantIndex>,
    /// The variants that nobody surely beats.
    pub unbeaten: Vec<VariantIndex>,
    /// By variant and case, how long a call takes.
    pub times: Vec<TimeSummary>,
    /// Between which sizes two variants change places.
    pub crossovers: Vec<Crossover>,
    /// Whether running side by side changes the ranking.
    pub control: Control,
    /// Ratios that depend on the state of the machine: annotations, never verdicts.
    pub dependences: Vec<Dependence>,
}

/// Everything about replicas at hand, in the order of their indexes.
pub fn analyse(settings: &Settings, replicas: &[Replica]) -> Analysis {
    let mut order: Vec<&Replica> = replicas.iter().collect();
    order.sort_by_key(|replica| replica.index);
    let mut race = Race::new(settings.clone());
    order.into_iter().for_each(|replica| race.take_in(replica));
    race.analysis()
}

/// A race under way.
#[derive(Clone, Debug)]
pub struct Race {
    settings: Settings,
    weights: Vec<f64>,
    tracks: Vec<Track>,
    times: Times,
    replicas: u32,
    shared: u32,
    next_index: u32,
    waiting: BTreeMap<u32, Replica>,
    skipped: BTreeSet<u32>,
}

impl Race {
    /// Nothing has run yet.
    pub fn new(settings: Settings) -> Self {
        let pairs =
            (0..settings.variants).flat_map(|a| (a + 1..settings.variants).map(move |b| (a, b)));
        Self {
            tracks: pairs.map(|(a, b)| Track::new(&settings, a, b)).collect(),
            times: Times::new(&settings),
            weights: settings.weights(),
            settings,
            replicas: 0,
            shared: 0,
            next_index: 0,
            waiting: BTreeMap::new(),
            skipped: BTreeSet::new(),
        }
    }

    /// Takes in a replica. Replicas count in the order of their launch, whatever order they finish
    /// in: one that finished early waits until every earlier index is in or [skipped](Self::skip).
    /// A second replica of the same index is ignored.
    pub fn push(&mut self, replica: Replica) {
        if replica.index >= self.next_index {
            self.waiting.entry(replica.index).or_insert(replica);
            self.advance();
        }
    }

    /// Says that no replica of this index will come: it was discarded.
    pub fn skip(&mut self, index: u32) {
        if index >= self.next_index {
            self.skipped.insert(index);
            self.advance();
        }
    }

    /// Everything that follows from the replicas that count so far.
    pub fn analysis(&mut self) -> Analysis {
        let practical = self.settings.practical_log();
        let withdrawn = &self.settings.withdrawn;
        let mut overall = Vec::with_capacity(self.tracks.len());
        let mut by_case = Vec::new();
        let mut remaining = Vec::with_capacity(self.tracks.len());
        for track in &mut self.tracks {
            if withdrawn.contains(&track.a) || withdrawn.contains(&track.b) {
                continue;
            }
            overall.push(track.verdict(practical));
            by_case.extend(track.verdicts_by_case(practical));
            remaining.push(&*track);
        }
        add_implied(&self.settings, &mut overall);
        Analysis {
            replicas: self.replicas,
            shared: self.shared,
            winner: winner(&self.settings, &overall),
            unbeaten: unbeaten(&self.settings, &overall),
            crossovers: crossover::find(&self.settings, &by_case),
            control: control::compare(&remaining, practical),
            dependences: state::find(&remaining),
            times: self.times.summaries(self.settings.confidence),
            settings: self.settings.clone(),
            overall,
            by_case,
        }
    }

    /// Whether only replicas that run alone should count from here on ([`Basis::Solo`]): running
    /// side by side changes the ranking; or what else runs on the cores does among those that nobody
    /// beats, and others of ours may be part of that. The same follows from the analysis, which takes
    /// longer.
    pub fn calls_for_solo(&mut self) -> bool {
        if self.settings.basis == Basis::Solo || self.shared == 0 {
            return false;
        }
        let practical = self.settings.practical_log();
        let mut beaten = vec![false; self.settings.variants];
        let mut turning = Vec::new();
        let withdrawn = &self.settings.withdrawn;
        let tracks = self.tracks.iter_mut();
        let mut tracks: Vec<&mut Track> = tracks
            .filter(|track| !withdrawn.contains(&track.a) && !withdrawn.contains(&track.b))
            .collect();
        for track in &mut tracks {
            let pair = (track.a, track.b);
            match track.leaning(practical) {
                None => turning.push(pair),
                Some(Verdict::Beats) => beaten[pair.1] = true,
                Some(Verdict::Beaten) => beaten[pair.0] = true,
                Some(Verdict::Tie | Verdict::NoCall) => {}
            }
        }
        let tracks: Vec<&Track> = tracks.into_iter().map(|track| &*track).collect();
        turning.iter().any(|(a, b)| !beaten[*a] && !beaten[*b])
            || matches!(
                control::compare(&tracks, practical),
                Control::Differs { .. }
            )
    }

    fn advance(&mut self) {
        loop {
            if let Some(replica) = self.waiting.remove(&self.next_index) {
                self.take_in(&replica);
            } else if !self.skipped.remove(&self.next_index) {
                return;
            }
            self.next_index += 1;
        }
    }

    fn take_in(&mut self, replica: &Replica) {
        if self.settings.basis == Basis::Solo && !replica.solo {
            return;
        }
        let readings = Readings::new(&self.settings, replica);
        for variant in 0..self.settings.variants {
            for case in 0..self.settings.case_weights.len() {
                if let Some(median_ns) = readings.median_ns(variant, case) {
                    self.times.push(variant, case, median_ns);
                }
            }
        }
        for track in &mut self.tracks {
            track.push(&readings, &self.weights, replica);
        }
        self.replicas += 1;
        self.shared += u32::from(!replica.solo);
    }
}

/// Who surely beats whom, over all cases.
fn beats(overall: &[PairVerdict]) -> impl Iterator<Item = (VariantIndex, VariantIndex)> {
    overall.iter().filter_map(|pair| match pair.verdict {
        Verdict::Beats => Some((pair.a, pair.b)),
        Verdict::Beaten => Some((pair.b, pair.a)),
        Verdict::Tie | Verdict::NoCall => None,
    })
}

fn winner(settings: &Settings, overall: &[PairVerdict]) -> Option<VariantIndex> {
    let others = (settings.variants - settings.withdrawn.len().min(settings.variants))
        .checked_sub(1)
        .filter(|others| *others > 0)?;
    (0..settings.variants)
        .find(|variant| beats(overall).filter(|(a, _)| a == variant).count() == others)
}

fn unbeaten(settings: &Settings, overall: &[PairVerdict]) -> Vec<VariantIndex> {
    (0..settings.variants)
        .filter(|variant| !settings.withdrawn.contains(variant))
        .filter(|variant| beats(overall).all(|(_, beaten)| beaten != *variant))
        .collect()
}
