//! In the parent: the discarded replicas that fix how the race is measured.
//!
//! First a scout, one block of one call each: it finds out what a call roughly costs, so that
//! nothing is run 16 times that takes seconds. Then, if there is time, a pilot with real samples.

use super::launch::{Finished, ReplicaEnd, RunReplica};
use super::race::{Contender, Dropout, RaceOptions, STALLS_MAX, layouts};
use super::setting::Setting;
use super::watch::RunnerError;
use bakeoff_domain::measurement::{Metric, Replica, VariantIndex};
use bakeoff_domain::plan::{
    self, BLOCKS_MAX, Conditions, Entrant, PilotReadings, ReplicaSpec, Sampling, Stage, WarmUp,
};
use bakeoff_domain::race::StopReason;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// The pilot may take this share of the budget; otherwise the scout has to do.
const BUDGET_SHARE: f64 = 0.1;

/// However small the budget, the scout may take this long: without it nothing is known.
const SCOUT_TIME_MIN: Duration = Duration::from_secs(10);

/// Inputs and answers of one sample, for all variants together, in bytes at most.
const SAMPLE_BYTES_MAX: u64 = 64 << 20;

/// How the race is measured, and who failed while that was found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pilot {
    /// How the race is measured.
    pub sampling: Sampling,
    /// q: granularity and cost of the clock, in nanoseconds.
    pub clock_ns: f64,
    /// Variants that failed in the pilot.
    pub failed: Vec<Dropout>,
    /// Calls of guest code.
    pub calls: u64,
}

/// Why there is no pilot.
pub(super) struct Unpiloted {
    pub(super) stop: StopReason,
    /// Who failed on the way.
    pub(super) failed: Vec<Dropout>,
    /// Calls of guest code.
    pub(super) calls: u64,
}

/// What one discarded replica came to.
enum Discarded {
    /// How to measure, and q.
    Chosen(Sampling, f64),
    /// Why there is nothing to choose.
    Over(StopReason),
}

/// Runs scout and pilot.
pub(super) async fn pilot(
    setting: &Setting,
    contenders: &[Contender],
    calibrator: &[u8],
    options: &RaceOptions<'_>,
    threshold: f64,
) -> Result<Result<Pilot, Unpiloted>, RunnerError> {
    let mut pilots = Pilots {
        setting,
        contenders,
        calibrator,
        options,
        threshold,
        failed: Vec::new(),
        calls: 0,
        spent: 0.0,
        index: 0,
        stalls: 0,
        until: tokio::time::Instant::now() + options.measure.budget.max(SCOUT_TIME_MIN),
    };
    let cases = setting.source.cases();
    let (mut sampling, mut clock_ns) =
        match pilots.run(&vec![1; cases], 1, WarmUp::Normal, &[]).await? {
            Discarded::Chosen(sampling, clock_ns) => (sampling, clock_ns),
            Discarded::Over(stop) => return Ok(Err(pilots.over(stop))),
        };
    let mut warm_up = WarmUp::Normal;
    loop {
        let affordable = BUDGET_SHARE * options.measure.budget.as_secs_f64();
        let entrants = pilots.entrants(&sampling.brief);
        let block = sampling.block_seconds(&entrants).max(1e-6);
        let blocks = ((affordable - pilots.spent) / block).min(f64::from(BLOCKS_MAX));
        // A warm-up that turned out too short is doubled also where that cannot be tried first.
        sampling.warm_up = warm_up;
        // Where every call is too short to time, there is nothing more to find out.
        if blocks < 4.0 || sampling.calls.iter().all(|calls| *calls == 0) {
            break;
        }
        let calls = sampling.calls.clone();
        let brief = sampling.brief.clone();
        let too_short = std::mem::take(&mut sampling.too_short);
        let discarded = pilots.run(&calls, blocks as u32, warm_up, &brief).await?;
        let (mut chosen, clock) = match discarded {
            Discarded::Chosen(chosen, clock) => (chosen, clock),
            Discarded::Over(stop) => return Ok(Err(pilots.over(stop))),
        };
        // A case that was left out of the pilot is known to be too short from before.
        let left_out = too_short.into_iter().filter(|short| calls[short.case] == 0);
        chosen.too_short.extend(left_out);
        (sampling, clock_ns) = (chosen, clock);
        match sampling.steadiness.next_warm_up(warm_up) {
            Some(next) => warm_up = next,
            None => break,
        }
    }
    Ok(Ok(Pilot {
        sampling,
        clock_ns,
        failed: pilots.failed,
        calls: pilots.calls,
    }))
}

struct Pilots<'a> {
    setting: &'a Setting,
    contenders: &'a [Contender],
    calibrator: &'a [u8],
    options: &'a RaceOptions<'a>,
    threshold: f64,
    failed: Vec<Dropout>,
    calls: u64,
    spent: f64,
    index: u32,
    stalls: u32,
    /// When the budget is over.
    until: tokio::time::Instant,
}

impl Pilots<'_> {
    fn over(self, stop: StopReason) -> Unpiloted {
        Unpiloted {
            stop,
            failed: self.failed,
            calls: self.calls,
        }
    }

    fn entrants(&self, brief: &[VariantIndex]) -> Vec<Entrant> {
        let failed = |variant: &VariantIndex| {
            self.failed
                .iter()
                .any(|dropout| dropout.variant == *variant)
        };
        (0..self.contenders.len())
            .filter(|variant| !failed(variant))
            .map(|variant| Entrant {
                variant,
                brief: brief.contains(&variant),
            })
            .collect()
    }

    /// One discarded replica, again without whoever fails in it.
    async fn run(
        &mut self,
        calls: &[u32],
        blocks: u32,
        warm_up: WarmUp,
        brief: &[VariantIndex],
    ) -> Result<Discarded, RunnerError> {
        loop {
            let entrants = self.entrants(brief);
            if entrants.is_empty() {
                return Ok(Discarded::Over(StopReason::NothingToTime));
            }
            let plan = plan::draw(&ReplicaSpec {
                seed: self.setting.seed,
                index: self.index,
                stage: Stage::Pilot,
                calls,
                blocks,
                warm_up,
                entrants: &entrants,
                layouts: &layouts(self.contenders),
            });
            self.index += 1;
            let started = Instant::now();
            let run = RunReplica {
                setting: self.setting,
                contenders: self.contenders,
                calibrator: self.calibrator,
                core: self.options.cores.first().copied(),
                until: Some(self.until),
                since: started,
                before_s: 0.0,
            };
            let end = run.run(plan, true).await?;
            self.spent += started.elapsed().as_secs_f64();
            match end {
                ReplicaEnd::Finished(finished) => {
                    let Finished { replica, facts } = *finished;
                    self.calls += facts.calls;
                    let conditions =
                        self.conditions(&replica, &facts.input_bytes, facts.clock_ns, started);
                    let readings = PilotReadings::new(&replica, Metric::Cpu);
                    return Ok(Discarded::Chosen(
                        plan::choose(&readings, warm_up, &conditions),
                        facts.clock_ns,
                    ));
                }
                ReplicaEnd::Failed(failed) => self.failed.extend(failed),
                ReplicaEnd::Stalled => {
                    self.stalls += 1;
                    if self.stalls > STALLS_MAX {
                        return Err(RunnerError::Stalled);
                    }
                }
                ReplicaEnd::OutOfBudget => return Ok(Discarded::Over(StopReason::Budget)),
            }
        }
    }

    fn conditions(
        &self,
        replica: &Replica,
        input_bytes: &[u64],
        clock_ns: f64,
        started: Instant,
    ) -> Conditions {
        let wall = started.elapsed().as_secs_f64();
        let timed: f64 = replica
            .samples
            .iter()
            .map(|sample| sample.wall_ns as f64 / 1e9)
            .sum();
        let calls: f64 = replica
            .samples
            .iter()
            .map(|sample| f64::from(sample.calls))
            .sum();
        // What is neither guest time nor start is what surrounds the calls: inputs, lowering,
        // lifting, judging. The warm-up is in it too, so this errs on the long side.
        let overhead_ns =
            ((wall - timed).max(0.0) / calls.max(1.0)).min(timed / calls.max(1.0) * 3.0) * 1e9;
        let per_call = |bytes: &u64| {
            let shares = self.contenders.len() as u64 + 1;
            (SAMPLE_BYTES_MAX / (bytes.max(&1) * shares)).clamp(1, 1_000_000) as u32
        };
        let measure = self.options.measure;
        Conditions {
            clock_ns,
            startup_seconds: 0.01,
            call_overhead_ns: vec![overhead_ns; input_bytes.len()],
            calls_max: input_bytes.iter().map(per_call).collect(),
            seconds: (measure.budget.as_secs_f64() - self.spent).max(0.0),
            workers: self.options.cores.len() as u32,
            threshold: self.threshold,
            replicas_max: measure.replicas_max,
            practical_log: measure.practical.ln_1p(),
        }
    }
}
