//! A busy machine that does not exist: replicas as they could have been measured, from a seed.
//!
//! The noise is what was seen on shared machines: a level that wanders and drifts, the same for
//! whoever runs at that moment; heavy tails; now and then an instance that is slow for life.

use crate::random::Noise;
use bakeoff_domain::measurement::{Baseline, Replica, Sample, Surroundings, VariantIndex};
use bakeoff_domain::plan::{ReplicaPlan, ReplicaSpec, ReplicaStage, RunSeed, WarmUp, draw};
use bakeoff_domain::race::{
    Analysis, NextStep, Race, RaceSettings, RemainingBudget, StopReason, first_scales,
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
    /// The penalty for running first in a block.
    pub(crate) first_penalty: f64,
    /// Share of blocks in which something else uses the core. Of a replica it is between 0 and twice as much.
    pub(crate) crowded_blocks: f64,
}

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
            first_penalty: 0.0,
            crowded_blocks: 0.0,
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
        let crowded = 2.0 * self.crowded_blocks * neighbours.uniform();
        let count: usize = plan.blocks.iter().map(|block| block.cases.len()).sum();
        let drift = self.drift * random.normal() / count.max(1) as f64;
        let mut level = 0.0;
        let mut samples = Vec::new();
        let blocks = (0..).zip(&plan.blocks).flat_map(|(block, plan)| {
            let cases = plan.cases.iter();
            cases.map(move |case| (block, case))
        });
        for (block, case) in blocks {
            let is_crowded = neighbours.uniform() < crowded;
            for (position, variant) in (0..).zip(case.order.iter().copied()) {
                level = 0.9 * level + self.wander_sd * random.normal() + drift;
                let first = if position == 0 {
                    self.first_penalty
                } else {
                    0.0
                };
                let effect = self.effects[variant][case.case] + layout[variant];
                let mut log = effect + first + level + self.noise(&mut random);
                if is_crowded {
                    // Whoever is disturbed is disturbed for a while, and not everybody is alike.
                    log += 0.25 + 0.1 * neighbours.uniform();
                }
                let time = (f64::from(case.calls) * 50_000.0 * log.exp()) as u64;
                samples.push(Sample {
                    variant,
                    case: case.case,
                    block,
                    position,
                    calls: case.calls,
                    cpu_ns: time,
                    wall_ns: time + time / 50,
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
    live_variants: &[VariantIndex],
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

/// The session's pilot: a replica that does not count for verdicts.
pub(crate) fn pilot(world: &World, settings: &RaceSettings, seed: u64) -> Replica {
    // Other noise than that of the first replica.
    let seed = !seed.rotate_left(17);
    let everybody = everybody(settings.variants);
    let plan = plan(seed, 0, world.cases(), &everybody, Order::Drawn);
    world.run(&plan, seed)
}

/// A race that has begun: with its pilot, and with what that says of the scales.
pub(crate) fn begun(settings: &RaceSettings, pilot: &Replica) -> Race {
    let mut settings = settings.clone();
    settings.first_scales = first_scales(&settings, pilot);
    Race::new(settings, Some(pilot))
}

/// What is left of a budget that the largest number of replicas takes.
pub(crate) fn remaining(settings: &RaceSettings, index: u32) -> RemainingBudget {
    RemainingBudget {
        seconds: f64::from(settings.replicas_max.saturating_sub(index)),
        whole_seconds: f64::from(settings.replicas_max),
    }
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

/// The same, every replica being changed, and the pilot first of all.
pub(crate) fn session_of(
    world: &World,
    settings: &RaceSettings,
    seed: u64,
    order: Order,
    change: impl Fn(&mut Replica),
) -> (Analysis, StopReason) {
    let mut pilot = pilot(world, settings, seed);
    change(&mut pilot);
    let mut race = begun(settings, &pilot);
    for index in 0.. {
        let analysis = race.analysis();
        match analysis.next(remaining(settings, index), |_| 1.0) {
            NextStep::Stop(reason) => return (analysis, reason),
            NextStep::Run { live_variants } => {
                let plan = plan(seed, index, world.cases(), &live_variants, order);
                let mut replica = world.run(&plan, seed);
                change(&mut replica);
                race.push(replica);
            }
        }
    }
    (race.analysis(), StopReason::ReplicaLimit)
}

/// All variants.
pub(crate) fn everybody(variants: usize) -> Vec<VariantIndex> {
    (0..variants).collect()
}
