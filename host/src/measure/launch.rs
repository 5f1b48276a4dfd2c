//! In the parent: one replica, from its plan to its samples.

use super::bounds::room_for;
use super::machine;
use super::protocol::{Contestant, ReplicaFacts, ReplicaTask, Reply, Task};
use super::race::{Contender, Dropout};
use super::setting::Setting;
use super::watch::{Ended, Failed, RunnerError};
use bakeoff_domain::failure::{Failure, Phase};
use bakeoff_domain::measurement::{Replica, Sample, Surroundings};
use bakeoff_domain::plan::ReplicaPlan;
use std::time::Instant;

/// How a replica ended.
pub(super) enum ReplicaEnd {
    /// Whole.
    Finished(Box<Finished>),
    /// These failed in it.
    Failed(Vec<Dropout>),
    /// The machine stalled.
    Stalled,
    /// The budget ended.
    OutOfBudget,
}

/// A whole replica.
pub(super) struct Finished {
    pub(super) replica: Replica,
    pub(super) facts: ReplicaFacts,
}

/// All that one replica needs.
pub(super) struct RunReplica<'a> {
    pub(super) setting: &'a Setting,
    pub(super) contenders: &'a [Contender],
    pub(super) calibrator: &'a [u8],
    pub(super) core: Option<usize>,
    pub(super) until: Option<tokio::time::Instant>,
    /// When this session of the race began.
    pub(super) since: Instant,
    /// What earlier sessions measured, in seconds.
    pub(super) before_s: f64,
}

impl RunReplica<'_> {
    pub(super) async fn run(
        &self,
        plan: ReplicaPlan,
        solo: bool,
    ) -> Result<ReplicaEnd, RunnerError> {
        let wanted = plan.clone();
        let most = wanted.samples();
        let live = plan.entrants.len();
        let message = self.setting.request(|bundle| {
            let mut contestants = vec![None; self.contenders.len()];
            for load in &plan.load_order {
                let contender = &self.contenders[load.variant];
                contestants[load.variant] = Some(Contestant {
                    component: bundle.add(&contender.timed[load.layout as usize]),
                    files: contender
                        .files
                        .as_ref()
                        .map(|files| bundle.add_files(files)),
                    instances: contender.instances,
                });
            }
            let calibrator = bundle.add(self.calibrator);
            Task::Replica(ReplicaTask {
                contestants,
                calibrator,
                plan,
            })
        })?;
        let mut watch = self.setting.watch(&message, self.core, live, 1);
        watch.guests_bytes += room_for(self.contenders.iter().filter_map(|one| one.files.as_ref()));
        watch.until = self.until;
        let mut surroundings = Surroundings {
            core: self.core.and_then(|core| u32::try_from(core).ok()),
            started_s: self.before_s + self.since.elapsed().as_secs_f64(),
            load: machine::load(),
            ..Surroundings::default()
        };
        let stolen = machine::steal_ticks(self.core);
        let launched = Instant::now();
        let mut samples = Vec::new();
        let mut facts = None;
        let ended = watch
            .run(&mut |reply| match reply {
                // One too many is enough to tell.
                Reply::Sample(sample) if samples.len() <= most => samples.push(sample),
                Reply::Replica(found) => facts = Some(found),
                _ => {}
            })
            .await?;
        match (ended, facts) {
            (Ended::Done, Some(facts)) => {
                let cases = self.setting.source.cases();
                if !fits(&wanted, (self.contenders.len(), cases), &samples, &facts) {
                    return Err(untold("it measured other samples than it was told to"));
                }
                surroundings.seconds = launched.elapsed().as_secs_f64();
                surroundings.preemptions = facts.preemptions;
                surroundings.yardstick_ns = facts.yardstick_ns.filter(|took| took.is_finite());
                surroundings.steal_ticks = machine::steal_ticks(self.core)
                    .zip(stolen)
                    .map(|(after, before)| after.saturating_sub(before));
                let replica = Replica {
                    index: wanted.index,
                    solo,
                    samples,
                    baselines: facts.baselines.clone(),
                    cold_ns: facts.cold_ns.clone(),
                    surroundings,
                };
                Ok(ReplicaEnd::Finished(Box::new(Finished { replica, facts })))
            }
            (Ended::Done, None) => Err(untold("it ended without its facts")),
            (Ended::Failed(failed), _) => blamed(failed, &wanted),
            (Ended::Stalled, _) => Ok(ReplicaEnd::Stalled),
            (Ended::OutOfBudget, _) => Ok(ReplicaEnd::OutOfBudget),
        }
    }
}

/// A runner that does not do what it was told may be one that a guest has taken over: nothing that it
/// says counts.
fn untold(what: &str) -> RunnerError {
    RunnerError::Silent(what.to_owned())
}

/// Whether what a runner says is what it was asked for: `size` is how many variants and cases there
/// are.
fn fits(
    plan: &ReplicaPlan,
    size: (usize, usize),
    samples: &[Sample],
    facts: &ReplicaFacts,
) -> bool {
    plan.is_followed_by(samples) && (facts.cold_ns.len(), facts.baselines.len()) == size
}

fn blamed(failed: Vec<Failed>, plan: &ReplicaPlan) -> Result<ReplicaEnd, RunnerError> {
    let mut variants = Vec::new();
    for failed in failed {
        let Some(variant) = failed.variant else {
            return Err(RunnerError::Workload(failed.breach.message));
        };
        if plan
            .entrants
            .iter()
            .all(|entrant| entrant.variant != variant)
        {
            return Err(untold("it blames a variant that did not take part"));
        }
        let failure = Failure {
            class: failed.breach.class,
            message: failed.breach.message,
            phase: Phase::Measure,
            limit: failed.breach.limit,
        };
        variants.push(Dropout {
            variant,
            failure,
            calls: failed.calls,
        });
    }
    Ok(ReplicaEnd::Failed(variants))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::Breach;
    use bakeoff_domain::failure::FailureClass;
    use bakeoff_domain::plan::{self, Entrant, ReplicaSpec, Stage, WarmUp};

    /// Two variants on two cases, of which the second is brief.
    fn drawn() -> ReplicaPlan {
        plan::draw(&ReplicaSpec {
            seed: 1,
            index: 3,
            stage: Stage::Race,
            calls: &[4, 2],
            blocks: 4,
            warm_up: WarmUp::default(),
            entrants: &[false, true].map(|brief| Entrant {
                variant: usize::from(brief),
                brief,
            }),
            layouts: &[1, 1],
        })
    }

    /// What an honest runner says.
    fn told(plan: &ReplicaPlan) -> (Vec<Sample>, ReplicaFacts) {
        let mut samples = Vec::new();
        for (block, of_block) in (0..).zip(&plan.blocks) {
            for of_case in &of_block.cases {
                for (position, turn) in (0..).zip(&of_case.order) {
                    samples.push(Sample {
                        variant: turn.variant,
                        case: of_case.case,
                        block,
                        position,
                        calls: turn.calls,
                        cpu_ns: 1_000,
                        wall_ns: 1_000,
                    });
                }
            }
        }
        let facts = ReplicaFacts {
            cold_ns: vec![None; 2],
            baselines: vec![Default::default(); 2],
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
        let twice: Vec<Sample> = samples.iter().chain(&samples[..1]).cloned().collect();
        assert!(!fits(&plan, (2, 2), &twice, &facts));
    }

    #[test]
    fn nobody_who_did_not_take_part_is_blamed() {
        let blame = |variant| {
            let breach = Breach::new(FailureClass::Trap, "trapped");
            let calls = Vec::new();
            let failed = Failed {
                variant: Some(variant),
                calls,
                breach,
            };
            blamed(vec![failed], &drawn())
        };
        assert!(matches!(blame(1), Ok(ReplicaEnd::Failed(_))));
        assert!(matches!(blame(2), Err(RunnerError::Silent(_))));
    }
}
