//! Replicas of a machine that does nothing but what is asked of it: what belongs to a process, and the noise of a
//! block. Orders do not matter, since nobody is disturbed by who ran before.

use crate::random::Noise;
use bakeoff_domain::measurement::{Replica, Sample, Surroundings};
use bakeoff_domain::race::{
    Analysis, NextStep, Race, RaceSettings, RemainingBudget, StopReason, first_scales,
};

/// The number of blocks of a replica.
pub(crate) const BLOCKS: u32 = 16;
/// What a usual sample takes, in nanoseconds: 2,000 times the clock's resolution.
pub(crate) const SAMPLE_NS: f64 = 1e6;

/// A replica in which a variant's sample in a block on a case takes so many times the usual.
pub(crate) fn replica(
    settings: &RaceSettings,
    index: u32,
    calls: u32,
    mut time: impl FnMut(usize, usize, u32) -> f64,
) -> Replica {
    let mut samples = Vec::new();
    for block in 0..BLOCKS {
        for case in 0..settings.case_weights.len() {
            for variant in 0..settings.variants {
                let ns = (time(variant, case, block) * SAMPLE_NS) as u64;
                samples.push(Sample {
                    variant,
                    case,
                    block,
                    position: 0,
                    calls,
                    cpu_ns: ns,
                    wall_ns: ns,
                });
            }
        }
    }
    Replica {
        index,
        solo: false,
        samples,
        baselines: Vec::new(),
        cold_ns: Vec::new(),
        parts: Vec::new(),
        surroundings: Surroundings::default(),
    }
}

/// A race from its pilot to its stop, with replicas from `next`: the first is the pilot.
pub(crate) fn race(
    settings: &RaceSettings,
    mut next: impl FnMut(u32) -> Replica,
) -> (Analysis, StopReason) {
    let pilot = next(0);
    let mut settings = settings.clone();
    settings.first_scales = first_scales(&settings, &pilot);
    let whole_seconds = f64::from(settings.replicas_max);
    let mut race = Race::new(settings, Some(&pilot));
    for index in 0.. {
        let analysis = race.analysis();
        let remaining = RemainingBudget {
            seconds: whole_seconds - f64::from(index),
            whole_seconds,
        };
        match analysis.next(remaining, |_| 1.0) {
            NextStep::Stop(reason) => return (analysis, reason),
            NextStep::Run { .. } => race.push(next(index)),
        }
    }
    (race.analysis(), StopReason::ReplicaLimit)
}

/// What belongs to a process, as the logarithm of a factor, by variant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Process {
    /// Normal, with this standard deviation.
    Normal(f64),
    /// Student's t with so many degrees of freedom, times this.
    Student(u32, f64),
    /// This share of the processes takes so many times as long.
    Slow(f64, f64),
}

impl Process {
    /// One process of one variant.
    pub(crate) fn draw(self, random: &mut Noise) -> f64 {
        match self {
            Self::Normal(sd) => sd * random.normal(),
            Self::Student(freedom, sd) => sd * student(random, freedom),
            Self::Slow(share, times) if random.uniform() < share => times.ln(),
            Self::Slow(..) => 0.0,
        }
    }
}

/// A machine: what belongs to processes, and the noise of a block, which is Student's t.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    pub(crate) process: Process,
    /// Degrees of freedom of the noise of a block, and its scale.
    pub(crate) noise: (u32, f64),
}

/// A machine on which little happens.
pub(crate) const CALM: Machine = Machine {
    process: Process::Normal(0.03),
    noise: (4, 0.03),
};

impl Machine {
    /// A replica in which the first variant takes longer by `effect`, as a logarithm.
    pub(crate) fn replica(
        &self,
        settings: &RaceSettings,
        index: u32,
        effect: f64,
        random: &mut Noise,
    ) -> Replica {
        let own: Vec<f64> = (0..settings.variants)
            .map(|variant| {
                let effect = if variant == 0 { effect } else { 0.0 };
                effect + self.process.draw(random)
            })
            .collect();
        let (freedom, scale) = self.noise;
        replica(settings, index, 20, |variant, _, _| {
            (own[variant] + scale * student(random, freedom)).exp()
        })
    }
}

/// Student's t with so many degrees of freedom.
pub(crate) fn student(random: &mut Noise, freedom: u32) -> f64 {
    let squares: f64 = (0..freedom).map(|_| random.normal().powi(2)).sum();
    random.normal() / (squares / f64::from(freedom)).sqrt()
}
