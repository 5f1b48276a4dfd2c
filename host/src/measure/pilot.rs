//! The parent's side of the pilot: the replicas that do not count and fix how the race is measured.
//!
//! First a scout, one block of one call each, estimates the cost of a call, so that calls of
//! several seconds are not repeated 16 times. Then, if there is time, a pilot takes real samples.

use super::launch::{Finished, ReplicaEnd, RunReplica};
use super::overheads::OverheadTotals;
use super::protocol::ReplicaFacts;
use super::race_types::{
    Dropout, Pilot, RaceOptions, STALLS_MAX, TimedVariant, Unpiloted, layouts,
};
use super::runner_config::RunnerConfig;
use super::watch::RunnerError;
use bakeoff_domain::measurement::{Metric, Replica, VariantIndex};
use bakeoff_domain::plan::{
    self, BLOCKS_MAX, CaseOverhead, LiveVariant, PilotTimes, ReplicaSpec, ReplicaStage, Sampling,
    SamplingConstraints, SingleCalls, WarmUp,
};
use bakeoff_domain::race::StopReason;
use std::time::{Duration, Instant};

/// The share of the budget that the pilot may take; beyond it, the scout's estimates are used.
const BUDGET_SHARE: f64 = 0.1;

/// The time that the scout may take however small the budget is: without it no cost is known.
const SCOUT_TIME_MIN: Duration = Duration::from_secs(10);

/// The number of instances of a set that the scout draws.
const SCOUT_INSTANCES: u32 = 32;

/// The most bytes of inputs and answers that one sample has, for all variants together.
const SAMPLE_BYTES_MAX: u64 = 64 << 20;

/// The result of one discarded replica.
enum Discarded {
    /// The chosen sampling.
    Chosen(Box<Chosen>),
    /// The reason why there is no sampling to choose.
    Over(StopReason),
}

/// The sampling that a replica gave, and what it was chosen from.
struct Chosen {
    sampling: Sampling,
    /// q: the clock resolution, in nanoseconds.
    clock_ns: f64,
    replica: Replica,
}

/// Runs the scout and the pilot.
pub(super) async fn pilot(
    config: &RunnerConfig,
    timed_variants: &[TimedVariant],
    calibrator: &[u8],
    options: &RaceOptions<'_>,
    threshold: f64,
) -> Result<Result<Pilot, Unpiloted>, RunnerError> {
    let mut pilots = Pilots {
        config,
        timed_variants,
        calibrator,
        options,
        threshold,
        times: None,
        failed: Vec::new(),
        untimed: Vec::new(),
        calls: 0,
        pooled: None,
        spent: 0.0,
        index: 0,
        stalls: 0,
        until: tokio::time::Instant::now() + options.measure.budget.max(SCOUT_TIME_MIN),
    };
    let cases = config.inputs.cases();
    let scout = match pilots.run(&vec![1; cases], 1, WarmUp::Normal, &[]).await? {
        Discarded::Chosen(scout) => *scout,
        Discarded::Over(stop) => return Ok(Err(pilots.over(stop))),
    };
    let (mut sampling, mut clock_ns) = (scout.sampling, scout.clock_ns);
    let mut replica = None;
    let mut warm_up = WarmUp::Normal;
    loop {
        pilots.untimed.clone_from(&sampling.untimed);
        let affordable = BUDGET_SHARE * options.measure.budget.as_secs_f64();
        let live_variants = pilots.live_variants(&sampling.single_calls);
        let block = sampling.block_seconds(&live_variants).max(1e-6);
        let blocks = ((affordable - pilots.spent) / block).min(f64::from(BLOCKS_MAX));
        // A warm-up that turned out too short is doubled also where that cannot be tried first.
        sampling.warm_up = warm_up;
        // Where every call is too short to time, there is nothing more to find out.
        if blocks < 4.0 || sampling.calls.iter().all(|calls| *calls == 0) {
            break;
        }
        let calls = sampling.calls.clone();
        let single_calls = sampling.single_calls.clone();
        let too_short = std::mem::take(&mut sampling.too_short);
        let discarded = pilots
            .run(&calls, blocks as u32, warm_up, &single_calls)
            .await?;
        let mut chosen = match discarded {
            Discarded::Chosen(chosen) => *chosen,
            Discarded::Over(stop) => return Ok(Err(pilots.over(stop))),
        };
        // A case that was left out of the pilot is known to be too short from before; the times of
        // instances are, and so it is found again.
        let untimed = std::mem::take(&mut pilots.untimed);
        let left_out = too_short.into_iter().filter(|short| {
            let is_unknown = calls[short.case] == 0 && !options.instances;
            is_unknown || untimed.contains(&short.variant)
        });
        chosen.sampling.too_short.extend(left_out);
        chosen.sampling.untimed.extend(untimed);
        chosen.sampling.untimed.sort_unstable();
        chosen.sampling.untimed.dedup();
        (sampling, clock_ns) = (chosen.sampling, chosen.clock_ns);
        replica = Some(chosen.replica);
        match sampling.steadiness.next_warm_up(warm_up) {
            Some(next) => warm_up = next,
            None => break,
        }
    }
    Ok(Ok(Pilot {
        sampling,
        clock_ns,
        replica,
        failed: pilots.failed,
        calls: pilots.calls,
        pooled: pilots.pooled,
        seconds: pilots.spent,
    }))
}

struct Pilots<'a> {
    config: &'a RunnerConfig,
    timed_variants: &'a [TimedVariant],
    calibrator: &'a [u8],
    options: &'a RaceOptions<'a>,
    threshold: f64,
    /// The times that are known so far.
    times: Option<PilotTimes>,
    failed: Vec<Dropout>,
    /// The variants that are known to be too quick for the clock.
    untimed: Vec<VariantIndex>,
    calls: u64,
    pooled: Option<bool>,
    spent: f64,
    index: u32,
    stalls: u32,
    /// The time at which the budget ends.
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

    /// The variants that have not failed and can be timed. What the scout found too slow for full samples is not run
    /// again on those cases.
    fn live_variants(&self, single_calls: &[SingleCalls]) -> Vec<LiveVariant> {
        let failed = |variant: &VariantIndex| {
            self.failed
                .iter()
                .any(|dropout| dropout.variant == *variant)
        };
        (0..self.timed_variants.len())
            .filter(|variant| !failed(variant) && !self.untimed.contains(variant))
            .map(|variant| LiveVariant {
                single_calls_every: 0,
                ..LiveVariant::new(variant, single_calls)
            })
            .collect()
    }

    /// Runs one discarded replica, and repeats it without the variants that fail in it.
    async fn run(
        &mut self,
        calls: &[u32],
        blocks: u32,
        warm_up: WarmUp,
        single_calls: &[SingleCalls],
    ) -> Result<Discarded, RunnerError> {
        loop {
            let live_variants = self.live_variants(single_calls);
            if live_variants.is_empty() {
                return Ok(Discarded::Over(StopReason::NothingToTime));
            }
            // The first is the scout, whose times of single calls stand for the whole set.
            let per_block = match self.times {
                None => self.options.instances.then_some(SCOUT_INSTANCES),
                Some(_) => self.options.instances_per_block(),
            };
            let plan = plan::draw(&ReplicaSpec {
                secret: self.config.seed.race_secret(),
                index: self.index,
                stage: ReplicaStage::Pilot,
                calls,
                instances_per_block: per_block,
                blocks,
                warm_up,
                live_variants: &live_variants,
                layouts: &layouts(self.timed_variants),
            });
            self.index += 1;
            let started = Instant::now();
            let run = RunReplica {
                config: self.config,
                timed_variants: self.timed_variants,
                calibrator: self.calibrator,
                core: self.options.cores.first().copied(),
                until: Some(self.until),
                since: started,
                before_s: 0.0,
            };
            let end = run.run(plan, true).await?;
            let seconds = started.elapsed().as_secs_f64();
            self.spent += seconds;
            match end {
                ReplicaEnd::Finished(finished) => {
                    let Finished { replica, facts } = *finished;
                    self.calls += facts.calls;
                    self.pooled = Some(facts.pooled);
                    let conditions = self.conditions(&facts, seconds);
                    let mut times = PilotTimes::new(&replica, Metric::Cpu);
                    if let Some(earlier) = &self.times {
                        times.complete(earlier, |variant, case| {
                            let live = live_variants.iter().any(|one| one.variant == variant);
                            live && (self.options.instances
                                || calls.get(case).is_some_and(|calls| *calls > 0))
                        });
                    }
                    let sampling = match self.options.instances {
                        true => {
                            let mut estimated = times.clone();
                            estimated.estimate_by_work(&self.work(&live_variants));
                            plan::choose(&estimated, warm_up, &conditions)
                        }
                        false => plan::choose(&times, warm_up, &conditions),
                    };
                    self.times = Some(times);
                    return Ok(Discarded::Chosen(Box::new(Chosen {
                        sampling,
                        clock_ns: facts.clock_ns,
                        replica,
                    })));
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

    /// Returns the fuel of a call in the gate, by variant and case; 0 for an instance that was not
    /// checked.
    fn work(&self, live_variants: &[LiveVariant]) -> Vec<Vec<u64>> {
        let cases = self.config.inputs.cases();
        let of_variant = |(variant, timed): (usize, &TimedVariant)| {
            let mut fuel = timed.fuel.clone();
            fuel.resize(cases, 0);
            let live = live_variants.iter().any(|one| one.variant == variant);
            if live { fuel } else { Vec::new() }
        };
        let variants = self.timed_variants.iter().enumerate();
        variants.map(of_variant).collect()
    }

    fn conditions(&self, facts: &ReplicaFacts, seconds: f64) -> SamplingConstraints {
        let overhead = |totals: &OverheadTotals| CaseOverhead {
            input_ns: totals.inputs.mean_ns(),
            judge_ns: totals.judged.mean_ns(),
            call_ns: totals.calls.mean_ns(),
        };
        let per_call = |bytes: &u64| {
            let shares = self.timed_variants.len() as u64 + 1;
            (SAMPLE_BYTES_MAX / (bytes.max(&1) * shares)).clamp(1, 1_000_000) as u32
        };
        let measure = self.options.measure;
        let mut overheads: Vec<CaseOverhead> = facts.overheads.iter().map(overhead).collect();
        let mut input_bytes = facts.input_bytes.clone();
        if self.options.instances {
            fill_unknown(facts, overhead, &mut overheads, &mut input_bytes);
        }
        SamplingConstraints {
            instances_per_block: self.options.instances_per_block(),
            clock_ns: facts.clock_ns,
            startup_seconds: (seconds - facts.work_ns as f64 / 1e9).max(0.0),
            overheads,
            calls_max: input_bytes.iter().map(per_call).collect(),
            seconds: (measure.budget.as_secs_f64() - self.spent).max(0.0),
            workers: self.options.cores.len() as u32,
            threshold: self.threshold,
            replicas_max: measure.replicas_max,
            practical_log: measure.practical.ln_1p(),
        }
    }
}

/// Fills in what a replica does not know of instances that it did not draw: their overheads are the
/// mean of the others', their inputs as large as the largest.
fn fill_unknown(
    facts: &ReplicaFacts,
    overhead: impl Fn(&OverheadTotals) -> CaseOverhead,
    overheads: &mut [CaseOverhead],
    input_bytes: &mut [u64],
) {
    let mut together = OverheadTotals::default();
    for totals in &facts.overheads {
        together.merge(totals);
    }
    let largest = input_bytes.iter().copied().max().unwrap_or(0);
    for (case, totals) in facts.overheads.iter().enumerate() {
        if *totals == OverheadTotals::default() {
            overheads[case] = overhead(&together);
            input_bytes[case] = largest;
        }
    }
}
