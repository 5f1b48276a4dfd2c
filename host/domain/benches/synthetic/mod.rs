//! A busy machine that does not exist: replicas as they could have been measured, from a seed.
//!
//! The noise is what was seen on shared machines: a level that wanders and drifts, the same for
//! whoever runs at that moment; heavy tails; now and then an instance that is slow for life.

use crate::random::Noise;
use bakeoff_domain::measurement::{Baseline, Replica, Sample, SampleKind, Surroundings};
use bakeoff_domain::plan::{
    LiveVariant, ReplicaPlan, ReplicaSpec, ReplicaStage, RunSeed, WarmUp, draw,
};
use bakeoff_domain::race::{
    Analysis, NextStep, QuietCore, Race, RaceSettings, RemainingBudget, StopReason, first_scales,
};

/// The behaviour of variants and machine. Effects are differences of logarithms: 0.02 is about 2 %.
#[derive(Clone, Debug)]
pub(crate) struct World {
    /// By variant, by case: its time as the logarithm of a factor.
    pub(crate) effects: Vec<Vec<f64>>,
    /// Spread of a single sample, before the tails.
    pub(crate) sample_sd: f64,
    /// Spread of the machine's level from sample to sample.
    pub(crate) wander_sd: f64,
    /// Change of the level over a replica.
    pub(crate) drift: f64,
    /// Share of samples that are hit by something long.
    pub(crate) spikes: f64,
    /// Share of instances that are 1.7 × slower for life.
    pub(crate) slow_instances: f64,
    /// Spread between processes, by variant: what memory layout does.
    pub(crate) layout_sd: f64,
    /// What a call takes more before the warm-up.
    pub(crate) cold: f64,
    /// The penalty for running first in a block.
    pub(crate) first_penalty: f64,
    /// Share of replicas on a core that something else uses too.
    pub(crate) crowded: f64,
    /// The effect of a crowded core on variant 0 alone.
    pub(crate) crowded_effect: f64,
    /// Share of blocks in which something else uses the core, if neighbours come and go within replicas and
    /// the probe is read around each block. Of a replica it is between 0 and twice as much.
    pub(crate) crowded_blocks: Option<f64>,
}

/// What the contention probe reads on a quiet core of that machine.
pub(crate) const QUIET: QuietCore = QuietCore {
    reference: 1.2,
    tolerance: 0.05,
};

impl World {
    /// A busy machine, with variants of these effects on one case.
    pub(crate) fn busy(effects: &[f64]) -> Self {
        Self {
            effects: effects.iter().map(|effect| vec![*effect]).collect(),
            sample_sd: 0.015,
            wander_sd: 0.01,
            drift: 0.02,
            spikes: 0.05,
            slow_instances: 0.005,
            layout_sd: 0.001,
            cold: 0.5,
            first_penalty: 0.0,
            crowded: 0.5,
            crowded_effect: 0.0,
            crowded_blocks: None,
        }
    }

    /// The number of cases.
    pub(crate) fn cases(&self) -> usize {
        self.effects.first().map_or(0, Vec::len)
    }

    /// Runs a plan.
    pub(crate) fn run(&self, plan: &ReplicaPlan, seed: u64) -> Replica {
        let mut random = Noise::new(seed ^ u64::from(plan.index).wrapping_mul(0x9E37_79B9));
        let layout: Vec<f64> = self
            .effects
            .iter()
            .map(|_| self.layout(&mut random))
            .collect();
        let mut neighbours = Noise::new(!seed ^ u64::from(plan.index).wrapping_mul(0xA24B_AED5));
        let is_crowded = self.crowded_blocks.is_none() && neighbours.uniform() < self.crowded;
        let crowded_blocks = self
            .crowded_blocks
            .map(|share| 2.0 * share * neighbours.uniform());
        let mut readings = (0.0, 0.0);
        let contention_probe_ns =
            34_000.0 * (if is_crowded { 1.5 } else { 1.0 }) * (0.03 * neighbours.normal()).exp();
        let count: usize = plan.blocks.iter().map(|block| block.cases.len()).sum();
        let drift = self.drift * random.normal() / count.max(1) as f64;
        let mut level = 0.0;
        let mut samples = Vec::new();
        let rounds = plan.single_call_rounds.iter();
        let rounds = rounds.map(|case| (SampleKind::SingleCall, 0, case));
        let blocks = (0..).zip(&plan.blocks).flat_map(|(block, plan)| {
            let cases = plan.cases.iter();
            cases.map(move |case| (SampleKind::Full, block, case))
        });
        for (kind, block, case) in rounds.chain(blocks) {
            let cold = match kind {
                SampleKind::SingleCall => self.cold,
                SampleKind::Full => 0.0,
            };
            let is_crowded = match crowded_blocks {
                Some(share) => neighbours.uniform() < share,
                None => is_crowded,
            };
            let reading = 1.2 * (0.0005 * neighbours.normal()).exp();
            let reading = reading * if is_crowded { 1.35 } else { 1.0 };
            let core_contention = crowded_blocks.map(|_| reading);
            readings = (readings.0 + reading, readings.1 + 1.0);
            for (position, variant) in (0..).zip(case.order.iter().copied()) {
                level = 0.9 * level + self.wander_sd * random.normal() + drift;
                let first = if position == 0 {
                    self.first_penalty
                } else {
                    0.0
                };
                let mut effect = self.effects[variant][case.case] + layout[variant] + cold;
                if is_crowded && variant == 0 {
                    effect += self.crowded_effect;
                }
                let mut log = effect + first + level + self.noise(&mut random);
                if is_crowded && crowded_blocks.is_some() {
                    // Whoever is disturbed is disturbed for a while, and not everybody is alike.
                    log += 0.25 + 0.1 * neighbours.uniform();
                }
                let time = (f64::from(case.calls) * 50_000.0 * log.exp()) as u64;
                samples.push(Sample {
                    kind,
                    variant,
                    case: case.case,
                    block,
                    position,
                    calls: case.calls,
                    cpu_ns: time,
                    wall_ns: time + time / 50,
                    core_contention,
                });
            }
        }
        Replica {
            index: plan.index,
            solo: false,
            samples,
            baselines: vec![
                Baseline {
                    cpu_ns: 300.0,
                    wall_ns: 300.0
                };
                self.cases()
            ],
            cold_ns: Vec::new(),
            parts: Vec::new(),
            surroundings: Surroundings {
                started_s: f64::from(plan.index),
                load: Some(1.0 + random.uniform()),
                contention_probe_ns: Some(contention_probe_ns),
                core_contention: crowded_blocks.map(|_| readings.0 / readings.1),
                ..Surroundings::default()
            },
        }
    }

    fn layout(&self, random: &mut Noise) -> f64 {
        let slow = random.uniform() < self.slow_instances;
        self.layout_sd * random.normal() + if slow { 1.7_f64.ln() } else { 0.0 }
    }

    /// Student's t with 3 degrees of freedom, and spikes with a Pareto tail.
    fn noise(&self, random: &mut Noise) -> f64 {
        let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
        let tailed = self.sample_sd * random.normal() / (squares / 3.0).sqrt();
        if random.uniform() < self.spikes {
            return tailed + (1.0 + 0.02 / random.uniform().max(1e-4)).ln();
        }
        tailed
    }
}

/// The order of the variants in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// As the plan draws it.
    Drawn,
    /// Always the same, as a naive harness has it.
    Fixed,
}

/// The plan of one replica of the session with this seed.
pub(crate) fn plan(
    seed: u64,
    index: u32,
    cases: usize,
    live_variants: &[LiveVariant],
    order: Order,
) -> ReplicaPlan {
    let mut plan = draw(&ReplicaSpec {
        secret: RunSeed::Named(seed).race_secret(),
        index,
        stage: ReplicaStage::Race,
        calls: &vec![20; cases],
        instances_per_block: None,
        blocks: 16,
        warm_up: WarmUp::Normal,
        short_cases: &[],
        live_variants,
        layouts: &[],
    });
    if order == Order::Fixed {
        for case in plan.blocks.iter_mut().flat_map(|block| &mut block.cases) {
            case.order.sort_unstable();
        }
    }
    plan
}

/// The settings with what the session's pilot, a replica that does not count, says of the scales.
pub(crate) fn with_pilot(world: &World, settings: &RaceSettings, seed: u64) -> RaceSettings {
    let live_variants: Vec<LiveVariant> = (0..settings.variants)
        .map(|variant| LiveVariant::new(variant, &settings.single_calls))
        .collect();
    // Other noise than that of the first replica.
    let seed = !seed.rotate_left(17);
    let plan = plan(seed, 0, world.cases(), &live_variants, Order::Drawn);
    let mut settings = settings.clone();
    settings.first_scales = first_scales(&settings, &world.run(&plan, seed));
    settings
}

/// A whole race, from the pilot to the stop.
pub(crate) fn session(
    world: &World,
    settings: &RaceSettings,
    seed: u64,
    order: Order,
) -> (Analysis, StopReason) {
    session_of(world, settings, seed, order, |_| {})
}

/// The same, every replica being changed.
pub(crate) fn session_of(
    world: &World,
    settings: &RaceSettings,
    seed: u64,
    order: Order,
    change: impl Fn(&mut Replica),
) -> (Analysis, StopReason) {
    let mut settings = with_pilot(world, settings, seed);
    settings.quiet = world.crowded_blocks.map(|_| QUIET);
    let mut race = Race::new(settings.clone());
    let mut replicas = Vec::new();
    let endless = RemainingBudget {
        seconds: 1.0,
        replica_seconds: 0.0,
    };
    for index in 0.. {
        match race.analysis().next(endless) {
            NextStep::Stop(reason) => return (race.analysis(), reason),
            NextStep::Run { live_variants } => {
                let plan = plan(seed, index, world.cases(), &live_variants, order);
                let mut replica = world.run(&plan, seed);
                change(&mut replica);
                replicas.push(replica);
                race.push(replicas[index as usize].clone());
                let basis = race.basis_by_probe();
                if basis != settings.basis {
                    settings.basis = basis;
                    race = Race::new(settings.clone());
                    replicas
                        .iter()
                        .for_each(|replica| race.push(replica.clone()));
                }
            }
        }
    }
    (race.analysis(), StopReason::ReplicaLimit)
}

/// Everybody, in full.
pub(crate) fn everybody(variants: usize) -> Vec<LiveVariant> {
    (0..variants).map(LiveVariant::full).collect()
}
