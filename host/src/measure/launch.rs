//! In the parent: one replica, from its plan to its samples.

use super::bounds::room_for;
use super::machine;
use super::protocol::{Contestant, ReplicaFacts, ReplicaTask, Reply, Task};
use super::race::{Contender, Dropout};
use super::setting::Setting;
use super::watch::{Ended, Failed, RunnerError};
use bakeoff_domain::failure::{Failure, Phase};
use bakeoff_domain::measurement::{Replica, Surroundings};
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
        let index = plan.index;
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
                Reply::Sample(sample) => samples.push(sample),
                Reply::Replica(found) => facts = Some(found),
                _ => {}
            })
            .await?;
        match (ended, facts) {
            (Ended::Done, Some(facts)) => {
                surroundings.seconds = launched.elapsed().as_secs_f64();
                surroundings.preemptions = facts.preemptions;
                surroundings.yardstick_ns = facts.yardstick_ns.filter(|took| took.is_finite());
                surroundings.steal_ticks = machine::steal_ticks(self.core)
                    .zip(stolen)
                    .map(|(after, before)| after.saturating_sub(before));
                let replica = Replica {
                    index,
                    solo,
                    samples,
                    baselines: facts.baselines.clone(),
                    cold_ns: facts.cold_ns.clone(),
                    surroundings,
                };
                Ok(ReplicaEnd::Finished(Box::new(Finished { replica, facts })))
            }
            (Ended::Done, None) => Err(RunnerError::Silent("it ended without its facts".into())),
            (Ended::Failed(failed), _) => blamed(failed),
            (Ended::Stalled, _) => Ok(ReplicaEnd::Stalled),
            (Ended::OutOfBudget, _) => Ok(ReplicaEnd::OutOfBudget),
        }
    }
}

fn blamed(failed: Vec<Failed>) -> Result<ReplicaEnd, RunnerError> {
    let mut variants = Vec::new();
    for failed in failed {
        let Some(variant) = failed.variant else {
            return Err(RunnerError::Workload(failed.breach.message));
        };
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
