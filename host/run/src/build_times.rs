//! The times of builds, where a criterion asks for them: every prototype is built anew once in each
//! round, in an order drawn for it.

use super::build_rounds::{BuildRound, BuildTime, compare, threshold};
use super::child_work::TimedBuild;
use super::error::RunError;
use super::session::Run;
use bakeoff_compile::BuildKind;
use bakeoff_domain::paired_times::BUILD_ROUNDS_MAX;
use bakeoff_domain::plan::round_order;
use bakeoff_domain::queue::{Cpu, Needs, Task, TaskKey};
use bakeoff_domain::spec::Source;
use bakeoff_domain::stats::replicas_needed;
use bakeoff_domain::verdict::PairVerdict;
use bakeoff_source::BuildInput;
use bakeoff_store::{Owner, ResultKind};
use std::time::Instant;

/// The share of the budget that the rounds may take, beside the race.
const BUDGET_SHARE: f64 = 0.5;
/// The rounds whose differences enter no claim: they are the first scale.
const UNCLAIMED_ROUNDS: u32 = 2;

/// The code of one prototype, whether it is granted the values of parameters, and the variants that have
/// it.
type SameCode = (BuildInput, bool, Vec<String>);

impl Run<'_> {
    /// Builds every prototype anew, round by round, until the times of all are told apart or the rounds' share of the
    /// budget is spent. Does nothing unless a criterion asks for it.
    pub(super) async fn time_builds(&mut self) -> Result<(), RunError> {
        let experiment = &self.loaded.experiment;
        let builds: Vec<SameCode> = self
            .builds()
            .into_iter()
            .filter(|build| matches!(build.code, BuildInput::Source { .. }))
            .map(|build| {
                let ids = build.ids.into_iter().map(String::from);
                (build.code, build.swept, ids.collect())
            })
            .collect();
        if !experiment.uses(&Source::BuildTime) || builds.len() < 2 {
            return Ok(());
        }
        let seconds_max = experiment.measure.budget.as_secs_f64() * BUDGET_SHARE;
        let least = replicas_needed(threshold(experiment, builds.len())) + UNCLAIMED_ROUNDS;
        let mut rounds: Vec<BuildRound> = Vec::new();
        for number in 0..BUILD_ROUNDS_MAX {
            let key = self.keys.of_builds(encoded(&builds), number);
            let owner = Owner {
                iteration: number + 1,
                ..Owner::RUN
            };
            let round = match self.store.get(ResultKind::BuildRound, &key, owner)? {
                Some(round) => round,
                None => {
                    let spent: f64 = rounds.iter().map(|round| round.seconds).sum();
                    let next = rounds.last().map_or(0.0, |round| round.seconds);
                    let has_room = |rounds: u32| f64::from(rounds) * next <= seconds_max - spent;
                    // Rounds too few for any claim would cost time, and tell nothing.
                    let is_pointless = number == 1 && !has_room(least - 1);
                    if is_pointless || !has_room(1) {
                        return Ok(());
                    }
                    self.refuse_if_interrupted()?;
                    let round = self.build_round(&builds, number).await?;
                    self.store
                        .put(ResultKind::BuildRound, &key, owner, &round)?;
                    round
                }
            };
            rounds.push(round);
            let verdicts = compare(&self.loaded.experiment, rounds.iter());
            if !verdicts.iter().any(PairVerdict::is_open) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Builds every prototype once, one after the other, in the order of the round.
    async fn build_round(
        &mut self,
        builds: &[SameCode],
        number: u32,
    ) -> Result<BuildRound, RunError> {
        let started = Instant::now();
        let mut times: Vec<BuildTime> = builds
            .iter()
            .map(|(_, _, variants)| BuildTime {
                variants: variants.clone(),
                cpu_ns: None,
            })
            .collect();
        for index in round_order(
            &self.context.config.seed.secret(),
            "builds",
            number,
            builds.len(),
        ) {
            let (code, swept, _) = &builds[index];
            let request = (self.context).prototype(code.clone(), BuildKind::Release, *swept);
            let key = TaskKey::new(format!("timed build {index} of round {number}"));
            // Nothing runs beside it.
            let task = Task::new(key, "timed build", Needs::cpu(Cpu::WholeMachine));
            match self.tasks.call(task, TimedBuild(request)).await? {
                Some(Ok(cpu)) => {
                    times[index].cpu_ns = u64::try_from(cpu.as_nanos()).ok();
                }
                Some(Err(failure)) if failure.class.is_machine_fault() => {
                    return Err(RunError::Machine(failure.message));
                }
                _ => {}
            }
        }
        Ok(BuildRound {
            builds: times,
            seconds: started.elapsed().as_secs_f64(),
        })
    }
}

/// Encodes the prototypes of a round, for its key.
fn encoded(builds: &[SameCode]) -> String {
    let line = |(code, _, ids): &SameCode| {
        let address = code.content_address();
        format!("source={address} variants={}\n", ids.join(" "))
    };
    builds.iter().map(line).collect()
}
