//! The parent's side of one replica, from its plan to its samples.

use super::bounds::{self, replica_bytes, room_for};
use super::machine;
use super::race_types::{Dropout, TimedVariant};
use super::remote_replica::{are_plausible, is_of_plan};
use super::runner_config::RunnerConfig;
use super::runner_end::{Death, LongCall, RunnerError, RunnerExit};
use bakeoff_domain::failure::{Failure, Phase};
use bakeoff_domain::measurement::{PartTimes, Replica, Sample, Surroundings, VariantIndex};
use bakeoff_domain::plan::ReplicaPlan;
use bakeoff_domain::spec::State;
use bakeoff_runner::{
    GuestFailure, Instances, LoweringClock, ReplicaCall, ReplicaFacts, ReplicaReply, VariantPayload,
};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Returns the number of variants that one replica of a race may have.
pub(super) fn group_max(timed_variants: &[TimedVariant], config: &RunnerConfig) -> usize {
    let peaks = timed_variants.iter().map(|one| one.peak_bytes);
    bounds::group_max(
        config.state.into(),
        peaks.max().unwrap_or(0),
        &config.limits,
    )
}

/// The end of a replica.
pub(super) enum ReplicaEnd {
    /// The replica is complete.
    Finished(Box<FinishedReplica>),
    /// Variants failed in the replica.
    Failed(Vec<Dropout>),
    /// The replica's runner died.
    Died(Death),
    /// The machine stalled.
    Stalled,
    /// The worker of the replica is lost, for this reason.
    WorkerLost(String),
    /// The budget ended; in the middle of the call, if there is one.
    OutOfBudget(Option<LongCall>),
    /// A sample of a variant took far longer than was predicted.
    Overran(LongCall),
    /// The calls of a variant took more time together than its share.
    Overspent(VariantIndex),
}

/// A complete replica.
pub(super) struct FinishedReplica {
    pub(super) replica: Replica,
    pub(super) facts: ReplicaFacts,
}

impl FinishedReplica {
    /// Adds the replica of another group of variants, which ran in a process of its own.
    pub(super) fn add(&mut self, other: Self) {
        self.replica.samples.extend(other.replica.samples);
        for (known, more) in [
            (&mut self.replica.cold_ns, other.replica.cold_ns),
            (&mut self.facts.cold_ns, other.facts.cold_ns.clone()),
        ] {
            for (known, more) in known.iter_mut().zip(more) {
                *known = known.or(more);
            }
        }
        for (known, more) in self
            .facts
            .input_bytes
            .iter_mut()
            .zip(other.facts.input_bytes)
        {
            *known = more.max(*known);
        }
        for (known, more) in self.facts.overheads.iter_mut().zip(&other.facts.overheads) {
            known.merge(more);
        }
        self.replica.parts.extend(other.replica.parts);
        self.facts.pooled &= other.facts.pooled;
        self.facts.preemptions += other.facts.preemptions;
        self.facts.calls += other.facts.calls;
        self.facts.work_ns += other.facts.work_ns;
        self.facts.guest.cpu_ns += other.facts.guest.cpu_ns;
        self.facts.guest.wall_ns += other.facts.guest.wall_ns;
    }
}

/// The input of one replica's run.
pub(super) struct RunReplica<'a> {
    pub(super) config: &'a RunnerConfig,
    pub(super) timed_variants: &'a [TimedVariant],
    pub(super) calibrator: &'a [u8],
    pub(super) core: Option<usize>,
    /// The time until the budget ends.
    pub(super) left: Option<Duration>,
    /// The time of measuring before it starts, in seconds.
    pub(super) started_s: f64,
    /// Time limits of a sample, by variant: a sample beyond its limit took far longer than was
    /// predicted.
    pub(super) overrun: &'a [(VariantIndex, Duration)],
    /// Shares of the time, by variant: the most CPU time of all its calls.
    pub(super) shares: &'a [(VariantIndex, Duration)],
}

impl RunReplica<'_> {
    /// Returns the state of the machine at the launch, as far as it is this one.
    fn surroundings(&self) -> Surroundings {
        let here = Surroundings {
            started_s: self.started_s,
            ..Surroundings::default()
        };
        if self.config.elsewhere {
            return here;
        }
        Surroundings {
            core: self.core.and_then(|core| u32::try_from(core).ok()),
            load: machine::load(),
            ..here
        }
    }

    fn steal_ticks(&self) -> Option<u64> {
        machine::steal_ticks(self.core).filter(|_| !self.config.elsewhere)
    }

    pub(super) async fn run(
        &self,
        plan: ReplicaPlan,
        solo: bool,
    ) -> Result<ReplicaEnd, RunnerError> {
        let wanted = plan.clone();
        let most = wanted.samples();
        let live = plan.load_order.len();
        let members = plan.load_order.iter();
        let peaks = members.map(|load| self.timed_variants[load.variant].peak_bytes);
        let peak_bytes = peaks.max().unwrap_or(0);
        let instances: Instances = self.config.state.into();
        let mut runner = self.config.runner(self.core, live, |bundle| {
            let mut payloads = vec![None; self.timed_variants.len()];
            for load in &plan.load_order {
                let timed_variant = &self.timed_variants[load.variant];
                payloads[load.variant] = Some(VariantPayload {
                    guest: bundle.add_guest(
                        &timed_variant.timed[load.layout as usize],
                        timed_variant.files.as_ref(),
                    ),
                    recodes: timed_variant.recodes,
                    gains_by_state: timed_variant.gains_by_state,
                });
            }
            let calibrator = bundle.add_code(self.calibrator);
            ReplicaCall {
                payloads,
                calibrator,
                plan,
                instances,
                lowering: lowering_clock(self.timed_variants, self.config.state),
                resident_bytes: peak_bytes,
            }
        })?;
        runner.bounds.call_max = self.config.limits.wall;
        runner.bounds.guests_bytes =
            replica_bytes(instances, peak_bytes, live, &self.config.limits);
        runner.bounds.guests_bytes += room_for(
            self.timed_variants
                .iter()
                .filter_map(|one| one.files.as_ref()),
        );
        let programs = wanted.load_order.iter().map(|load| load.variant);
        let programs = programs.filter(|variant| self.timed_variants[*variant].is_program());
        for (program, variant) in runner.bounds.programs.iter_mut().zip(programs) {
            program.variant = variant;
        }
        let participants = wanted.load_order.iter();
        runner.bounds.participants = participants.map(|one| one.variant).collect();
        runner.bounds.left = self.left;
        runner.bounds.overrun = self.overrun.to_vec();
        runner.bounds.shares = self.shares.to_vec();
        let mut surroundings = self.surroundings();
        let stolen = self.steal_ticks();
        let launched = Instant::now();
        let mut samples = Vec::new();
        let mut facts = None;
        let ended = runner
            .run(&mut |reply| match reply {
                // One too many is enough to tell.
                ReplicaReply::Samples(more) => {
                    let room = (most + 1).saturating_sub(samples.len());
                    samples.extend(more.into_iter().take(room));
                }
                ReplicaReply::Facts(found) => facts = Some(found),
            })
            .await?;
        let (cases, took) = (self.config.inputs.cases(), launched.elapsed());
        if self.config.elsewhere && !is_of_plan(&ended, &wanted, cases, took) {
            return Err(untold(
                "it speaks of a variant or case that did not take part",
            ));
        }
        match (ended, facts) {
            (RunnerExit::Done, Some(facts)) => {
                if !fits(
                    &wanted,
                    (self.timed_variants.len(), cases),
                    &samples,
                    &facts,
                ) {
                    return Err(untold("it measured other samples than it was told to"));
                }
                if self.config.elsewhere && !are_plausible(&samples, &facts, took) {
                    return Err(untold(
                        "it says that its samples took longer than its answer",
                    ));
                }
                surroundings.seconds = launched.elapsed().as_secs_f64();
                surroundings.preemptions = facts.preemptions;
                surroundings.contention_probe_ns =
                    facts.contention_probe_ns.filter(|took| took.is_finite());
                surroundings.core_contention =
                    facts.core_contention.filter(|ratio| ratio.is_finite());
                surroundings.steal_ticks = self
                    .steal_ticks()
                    .zip(stolen)
                    .map(|(after, before)| after.saturating_sub(before));
                let replica = Replica {
                    index: wanted.index,
                    solo,
                    samples,
                    baselines: facts.baselines.clone(),
                    cold_ns: facts.cold_ns.clone(),
                    parts: facts.parts.clone(),
                    surroundings,
                };
                Ok(ReplicaEnd::Finished(Box::new(FinishedReplica {
                    replica,
                    facts,
                })))
            }
            (RunnerExit::Done, None) => Err(untold("it ended without its facts")),
            (RunnerExit::Failed(failed), _) => {
                match failed.iter().find(|failed| failed.variant.is_none()) {
                    Some(workload) => Err(self.config.workload_failed(workload)),
                    None => blamed(failed, &wanted),
                }
            }
            (RunnerExit::Died(death), _) => Ok(ReplicaEnd::Died(death)),
            (RunnerExit::Stalled, _) => Ok(ReplicaEnd::Stalled),
            (RunnerExit::OutOfBudget(call), _) => Ok(ReplicaEnd::OutOfBudget(call)),
            (RunnerExit::Overran(call), _) => Ok(ReplicaEnd::Overran(call)),
            (RunnerExit::Overspent(variant), _) => Ok(ReplicaEnd::Overspent(variant)),
        }
    }
}

/// Returns the clock of the allocator's calls for a race of these variants, also those that have left it.
fn lowering_clock(timed_variants: &[TimedVariant], state: State) -> LoweringClock {
    if timed_variants.iter().any(|variant| !variant.our_allocator) {
        return LoweringClock::All;
    }
    match state {
        State::Pure => LoweringClock::None,
        State::Kept => LoweringClock::Cheap,
    }
}

/// Returns the error for a runner that did not follow its plan. A guest may have taken it over, so
/// none of its replies count.
fn untold(what: &str) -> RunnerError {
    RunnerError::Silent(what.to_owned())
}

/// Returns true if a runner's replies match its plan; `size` is the number of variants and of
/// cases.
fn fits(
    plan: &ReplicaPlan,
    size: (usize, usize),
    samples: &[Sample],
    facts: &ReplicaFacts,
) -> bool {
    plan.is_followed_by(samples)
        && (facts.cold_ns.len(), facts.baselines.len()) == size
        && (facts.overheads.len(), facts.input_bytes.len()) == (size.1, size.1)
        && are_parts_of(&facts.parts, plan, size.1)
}

/// Returns true if `parts` are of calls of variants that took part, with each case of a variant at
/// most once.
fn are_parts_of(parts: &[PartTimes], plan: &ReplicaPlan, cases: usize) -> bool {
    let places = parts.iter().map(|parts| (parts.variant, parts.case));
    let known: BTreeSet<_> = places
        .filter(|(variant, case)| *case < cases && plan.takes_part(*variant))
        .collect();
    known.len() == parts.len()
}

fn blamed(failed: Vec<GuestFailure>, plan: &ReplicaPlan) -> Result<ReplicaEnd, RunnerError> {
    let mut variants = Vec::new();
    for failed in failed {
        let Some(variant) = failed.variant else {
            return Err(RunnerError::Workload(failed.error.message));
        };
        if !plan.takes_part(variant) {
            return Err(untold("it blames a variant that did not take part"));
        }
        let failure = Failure {
            class: failed.error.class,
            message: failed.error.message,
            phase: Phase::Measure,
            limit: failed.error.limit,
        };
        variants.push(Dropout {
            variant,
            failure,
            failed_call: failed.calls.last().copied(),
            calls: failed.calls,
        });
    }
    Ok(ReplicaEnd::Failed(variants))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::failure::FailureClass;
    use bakeoff_domain::plan::{self, ReplicaSpec, ReplicaStage, RunSeed, WarmUp};
    use bakeoff_sandbox::GuestError;

    /// Returns a plan of two variants on two cases.
    fn drawn() -> ReplicaPlan {
        plan::draw(&ReplicaSpec {
            secret: RunSeed::Named(1).race_secret(),
            index: 3,
            stage: ReplicaStage::Race,
            calls: &[4, 2],
            instances_per_block: None,
            blocks: 4,
            warm_up: WarmUp::default(),
            short_cases: &[],
            live_variants: &[0, 1],
            layouts: &[1, 1],
        })
    }

    /// Returns the replies of an honest runner.
    fn told(plan: &ReplicaPlan) -> (Vec<Sample>, ReplicaFacts) {
        let mut samples = Vec::new();
        for (block, plan) in (0..).zip(&plan.blocks) {
            for of_case in &plan.cases {
                for (position, variant) in (0..).zip(&of_case.order) {
                    samples.push(Sample {
                        variant: *variant,
                        case: of_case.case,
                        block,
                        position,
                        calls: of_case.calls,
                        cpu_ns: 1_000,
                        wall_ns: 1_000,
                    });
                }
            }
        }
        let facts = ReplicaFacts {
            cold_ns: vec![None; 2],
            baselines: vec![Default::default(); 2],
            overheads: vec![Default::default(); 2],
            input_bytes: vec![0; 2],
            ..ReplicaFacts::default()
        };
        (samples, facts)
    }

    #[test]
    fn what_was_not_asked_for_does_not_count() {
        let plan = drawn();
        let (samples, facts) = told(&plan);
        assert!(fits(&plan, (2, 2), &samples, &facts));
        assert_eq!(plan.samples(), samples.len());
        assert!(!fits(&plan, (3, 2), &samples, &facts));
        assert!(!fits(&plan, (2, 2), &samples[1..], &facts));
        let lies: [fn(&mut Sample); 5] = [
            |sample| sample.variant = 7,
            |sample| sample.case = 9,
            |sample| sample.block = u32::MAX,
            |sample| sample.position ^= 1,
            |sample| sample.calls += 1,
        ];
        for lie in lies {
            let mut samples = samples.clone();
            lie(&mut samples[0]);
            assert!(!fits(&plan, (2, 2), &samples, &facts));
        }
        for wrong in [(2, 0, 1), (0, 2, 1), (0, 0, 2)] {
            let (variant, case, times) = wrong;
            let parts = PartTimes {
                variant,
                case,
                ..PartTimes::default()
            };
            let facts = ReplicaFacts {
                parts: vec![parts; times],
                ..facts.clone()
            };
            assert!(!fits(&plan, (2, 2), &samples, &facts), "{wrong:?}");
        }
        let twice: Vec<Sample> = samples.iter().chain(&samples[..1]).cloned().collect();
        assert!(!fits(&plan, (2, 2), &twice, &facts));
    }

    #[test]
    fn nobody_who_did_not_take_part_is_blamed() {
        let blame = |variant| {
            let error = GuestError::new(FailureClass::Trap, "trapped");
            let calls = Vec::new();
            let failed = GuestFailure {
                variant: Some(variant),
                calls,
                error,
            };
            blamed(vec![failed], &drawn())
        };
        assert!(matches!(blame(1), Ok(ReplicaEnd::Failed(_))));
        assert!(matches!(blame(2), Err(RunnerError::Silent(_))));
    }

    #[test]
    fn one_allocator_of_somebody_elses_is_enough_to_time_all() {
        let of = |ours: &[bool], state| {
            let variant = |our_allocator: &bool| TimedVariant {
                timed: Vec::new().into(),
                our_allocator: *our_allocator,
                recodes: false,
                gains_by_state: false,
                files: None,
                peak_bytes: 0,
                fuel: Vec::new(),
                gate_cpu_ns: Vec::new(),
            };
            lowering_clock(&ours.iter().map(variant).collect::<Vec<_>>(), state)
        };
        assert_eq!(of(&[true, true], State::Pure), LoweringClock::None);
        assert_eq!(of(&[true, false], State::Pure), LoweringClock::All);
        assert_eq!(of(&[true, false], State::Kept), LoweringClock::All);
        assert_eq!(of(&[true, true], State::Kept), LoweringClock::Cheap);
    }
}
