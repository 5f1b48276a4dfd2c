//! The parent's side of the pilot: replicas whose samples enter no test, which fix how the race is measured.
//!
//! First a scout, one block of one call each, estimates the cost of a call, so that calls of
//! several seconds are not repeated 16 times. Then, if there is time, a pilot takes real samples.

use super::deaths::{AfterDeath, Deaths};
use super::launch::{FinishedReplica, ReplicaEnd, group_max};
use super::race_types::{
    Dropout, Pilot, RaceOptions, STALLS_MAX, TimedVariant, Unpiloted, layouts, programs,
    with_all_who_disagree,
};
use super::replica_tasks::{RaceShared, ReplicaJob, ReplicaQueue, ReplicaTasks};
use super::runner_config::RunnerConfig;
use super::runner_end::{LongCall, RunnerError};
use super::scouted_variants;
use super::spending::{self, Shares};
use bakeoff_config::units;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::{CaseIndex, Metric, Replica, VariantIndex};
use bakeoff_domain::plan::{
    self, BLOCKS_MAX, CaseOverhead, PilotTimes, ReplicaPlan, ReplicaSpec, ReplicaStage, Sampling,
    SamplingConstraints, ShortCalls, ShortCase, WarmUp,
};
use bakeoff_domain::race::StopReason;
use bakeoff_runner::{OverheadTotals, ReplicaFacts, fill_unknown};
use bakeoff_sandbox::GuestError;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The share of the budget that the pilot may take; beyond it, the scout's estimates are used.
const BUDGET_SHARE: f64 = 0.1;

/// Number of blocks of the pilot; more are taken only while they take no longer than [`BRIEF_SECONDS`] together. The
/// values that it fixes (calls, blocks, a trend, the scale of the first two replicas) depend little on it, and the
/// blocks count for nothing else. The second number is for variants that are far apart: claims by blocks need no scale.
const BLOCKS_ENOUGH: [f64; 2] = [8.0, 4.0];

/// Total time of the pilot's blocks, in seconds, below which more of them are taken; see [`BLOCKS_ENOUGH`].
const BRIEF_SECONDS: [f64; 2] = [0.2, 0.1];

/// The fewest blocks of a pilot.
const BLOCKS_FEWEST: f64 = 4.0;

/// Time of the fewest blocks, in seconds, above which variants that are all far apart have no pilot but the scout.
const DEAR_SECONDS: f64 = 0.4;

/// The time that the scout may take however small the budget is: without it no cost is known.
const SCOUT_TIME_MIN: Duration = Duration::from_secs(10);

/// The number of instances of a set that the scout draws.
const SCOUT_INSTANCES: u32 = 32;

/// The number of calls in a scout's sample of short calls.
const SHORT_SCOUT_CALLS: u32 = 16;

/// The share of the scout's time from which on a single call has used it up.
const LONG_CALL_SHARE: f64 = 0.5;

/// The most variants that may use up the scout's time, one after the other.
const SCOUTS_AGAIN_MAX: u32 = 3;

/// The most bytes of inputs and answers that one sample has, for all variants together.
const SAMPLE_BYTES_MAX: u64 = 64 << 20;

/// The result of one discarded replica.
enum Discarded {
    /// The chosen sampling.
    Chosen(Box<ChosenSampling>),
    /// The reason why there is no sampling to choose.
    Over(StopReason),
}

/// The sampling that a replica gave, with the measurements from which it was chosen.
struct ChosenSampling {
    sampling: Sampling,
    /// q: the clock resolution, in nanoseconds.
    clock_ns: f64,
    replica: Replica,
}

/// Runs the scout and the pilot.
pub(super) async fn pilot<C: ReplicaQueue>(
    race: &Arc<RaceShared>,
    options: &RaceOptions<'_>,
    thresholds: [f64; 2],
    tasks: &mut ReplicaTasks<'_, C>,
) -> Result<Result<Pilot, Unpiloted>, RunnerError> {
    let (config, timed_variants) = (&race.config, &*race.timed_variants);
    let mut pilots = Pilots {
        race,
        config,
        timed_variants,
        tasks,
        options,
        thresholds,
        times: None,
        failed: Vec::new(),
        untimed: Vec::new(),
        short_cases: Vec::new(),
        calls: 0,
        pooled: None,
        all_timed: false,
        spent: 0.0,
        index: 0,
        deaths: Deaths::default(),
        stalls: 0,
        scouting: Vec::new(),
        is_scout: true,
        scouts_again: SCOUTS_AGAIN_MAX,
        until: tokio::time::Instant::now() + options.measure.budget.max(SCOUT_TIME_MIN),
    };
    let cases = config.inputs.cases();
    let budget_seconds = options.measure.budget.as_secs_f64();
    let drawn = options
        .instances
        .then(|| (SCOUT_INSTANCES as usize).min(cases));
    pilots.scouting = scouted_variants::left_out(timed_variants, budget_seconds, drawn);
    let left_out = pilots.scouting.clone();
    let once = vec![1; cases];
    let scout_shares = |live: &[VariantIndex]| {
        spending::of_scout(timed_variants, live, drawn, options.measure.budget)
    };
    let scout = pilots.run(&once, 1, WarmUp::Normal, &left_out, &scout_shares);
    let scout = match scout.await? {
        Discarded::Chosen(scout) => *scout,
        Discarded::Over(stop) => return Ok(Err(pilots.over(stop))),
    };
    // What the CPU clock says of short calls decides nothing but that they are.
    let scout = if scout.sampling.short_cases.is_empty() {
        scout
    } else {
        pilots.short_cases.clone_from(&scout.sampling.short_cases);
        let several: Vec<u32> = (0..cases).map(|case| pilots.calls_of_scout(case)).collect();
        let again = pilots.run(&several, 1, WarmUp::Normal, &left_out, &scout_shares);
        match again.await? {
            Discarded::Chosen(again) => *again,
            Discarded::Over(stop) => return Ok(Err(pilots.over(stop))),
        }
    };
    pilots.is_scout = false;
    let (mut sampling, mut clock_ns) = (scout.sampling, scout.clock_ns);
    let mut replica = None;
    let mut warm_up = WarmUp::Normal;
    loop {
        pilots.untimed.clone_from(&sampling.untimed);
        pilots.short_cases.clone_from(&sampling.short_cases);
        let affordable = BUDGET_SHARE * options.measure.budget.as_secs_f64();
        let room = affordable - pilots.spent;
        let live_variants = pilots.live_variants(&sampling.aside);
        let own = sampling.of_replica(&live_variants);
        let block = own.block_seconds.max(1e-6);
        let far_apart = usize::from(sampling.is_far_apart(&live_variants));
        let brief = BRIEF_SECONDS[far_apart] / block;
        let enough = brief.clamp(BLOCKS_ENOUGH[far_apart], f64::from(BLOCKS_MAX));
        let blocks = (room / block).min(enough);
        let is_dear = BLOCKS_FEWEST * block > DEAR_SECONDS;
        let is_needless = is_dear && sampling.are_all_far_apart(&live_variants);
        // A warm-up that turned out too short is doubled also where that cannot be tried first.
        sampling.warm_up = warm_up;
        // Where every call is too short to time, there is nothing more to find out.
        let none_is_timed = sampling.calls.iter().all(|calls| *calls == 0);
        if blocks < BLOCKS_FEWEST || is_needless || none_is_timed {
            break;
        }
        let blocks = blocks as u32;
        let calls = &own.calls;
        let aside = sampling.aside.clone();
        let too_short = std::mem::take(&mut sampling.too_short);
        let shares = |live: &[VariantIndex]| {
            spending::of_pilot(&sampling, &own, blocks, live, options.measure.budget)
        };
        let discarded = pilots.run(calls, blocks, warm_up, &aside, &shares).await?;
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
        layouts: layouts(timed_variants),
        failed: pilots.failed,
        calls: pilots.calls,
        pooled: pilots.pooled,
        all_timed: pilots.all_timed,
        seconds: pilots.spent,
        used_s: options.used.as_secs_f64(),
    }))
}

struct Pilots<'a, 't, C: ReplicaQueue> {
    race: &'a Arc<RaceShared>,
    config: &'a RunnerConfig,
    timed_variants: &'a [TimedVariant],
    tasks: &'a mut ReplicaTasks<'t, C>,
    options: &'a RaceOptions<'a>,
    /// The evidence that a claim needs, by replicas and by blocks.
    thresholds: [f64; 2],
    /// The times that are known so far.
    times: Option<PilotTimes>,
    failed: Vec<Dropout>,
    /// The variants that are known to be too quick for the clock.
    untimed: Vec<VariantIndex>,
    /// The cases that the next replica times by the cheaper clock.
    short_cases: Vec<ShortCase>,
    calls: u64,
    pooled: Option<bool>,
    all_timed: bool,
    spent: f64,
    index: u32,
    deaths: Deaths,
    stalls: u32,
    /// The variants that the scout left out.
    scouting: Vec<VariantIndex>,
    /// True until the scout is done.
    is_scout: bool,
    /// Remaining repetitions of the scout without a variant that used up its time.
    scouts_again: u32,
    /// The time at which the budget ends.
    until: tokio::time::Instant,
}

impl<C: ReplicaQueue> Pilots<'_, '_, C> {
    fn over(self, stop: StopReason) -> Unpiloted {
        Unpiloted {
            stop,
            failed: self.failed,
            calls: self.calls,
        }
    }

    /// Returns the number of calls on a case in the scout: 1, or [`SHORT_SCOUT_CALLS`] where calls are short.
    fn calls_of_scout(&self, case: CaseIndex) -> u32 {
        let mut short = self.short_cases.iter();
        if short.any(|short| short.case == case) {
            SHORT_SCOUT_CALLS
        } else {
            1
        }
    }

    /// Returns the variants that have not failed and can be timed, without those that are left out.
    fn live_variants(&self, left_out: &[VariantIndex]) -> Vec<VariantIndex> {
        let failed = |variant: &VariantIndex| {
            self.failed
                .iter()
                .any(|dropout| dropout.variant == *variant)
        };
        (0..self.timed_variants.len())
            .filter(|variant| !failed(variant) && !self.untimed.contains(variant))
            .filter(|variant| !left_out.contains(variant))
            .collect()
    }

    /// Runs one discarded replica, and repeats it without the variants that fail in it.
    async fn run(
        &mut self,
        calls: &[u32],
        blocks: u32,
        warm_up: WarmUp,
        left_out: &[VariantIndex],
        shares: &dyn Fn(&[VariantIndex]) -> Shares,
    ) -> Result<Discarded, RunnerError> {
        loop {
            let live_variants = self.live_variants(left_out);
            if live_variants.is_empty() {
                return Ok(Discarded::Over(StopReason::NothingToTime));
            }
            // The first is the scout, whose calls stand for the whole set.
            let per_block = match self.times {
                None => self.options.instances.then_some(SCOUT_INSTANCES),
                Some(_) => self.options.instances_per_block(),
            };
            let secret = self.config.seed.race_secret();
            let pilots = secret.derive("pilot", &[]);
            let group_max = group_max(self.timed_variants, self.config);
            let groups = plan::groups(&pilots, self.index, &live_variants, group_max);
            let started = Instant::now();
            let shares = shares(&live_variants);
            let mut merged: Option<FinishedReplica> = None;
            let mut end = None;
            for group in &groups {
                let plan = plan::draw(&ReplicaSpec {
                    secret,
                    index: self.index,
                    stage: ReplicaStage::Pilot,
                    calls,
                    instances_per_block: per_block,
                    blocks,
                    warm_up,
                    short_cases: &self.short_cases,
                    live_variants: group,
                    layouts: &layouts(self.timed_variants),
                });
                self.index += 1;
                match self.run_group(plan, started, &shares).await? {
                    ReplicaEnd::Finished(finished) => match &mut merged {
                        Some(merged) => merged.add(*finished),
                        None => merged = Some(*finished),
                    },
                    other => {
                        end = Some(other);
                        break;
                    }
                }
            }
            let seconds = started.elapsed().as_secs_f64();
            self.spent += seconds;
            let end = end.or_else(|| merged.map(|merged| ReplicaEnd::Finished(Box::new(merged))));
            let Some(end) = end else {
                return Ok(Discarded::Over(StopReason::NothingToTime));
            };
            match end {
                ReplicaEnd::Finished(finished) => {
                    self.deaths.survived(0);
                    let FinishedReplica { replica, facts } = *finished;
                    self.calls += facts.calls;
                    self.pooled = Some(facts.pooled);
                    self.all_timed = facts.all_timed;
                    let conditions = self.conditions(&facts, seconds, groups.len());
                    let mut times = PilotTimes::new(&replica, Metric::Cpu);
                    let known: Vec<VariantIndex> = self.live_variants(&[]);
                    if let Some(earlier) = &self.times {
                        times.complete(earlier, |variant, case| {
                            known.contains(&variant)
                                && (self.options.instances
                                    || calls.get(case).is_some_and(|calls| *calls > 0))
                        });
                    }
                    let mut assumed = self.scouting.clone();
                    assumed.retain(|variant| known.contains(variant));
                    scouted_variants::assume(&mut times, self.timed_variants, &assumed);
                    let sampling = if self.options.instances {
                        let mut estimated = times.clone();
                        let cases = self.config.inputs.cases();
                        let work = scouted_variants::work(self.timed_variants, cases, &known);
                        estimated.estimate_by_work(&work);
                        plan::choose(&estimated, warm_up, &conditions)
                    } else {
                        plan::choose(&times, warm_up, &conditions)
                    };
                    self.times = Some(times);
                    return Ok(Discarded::Chosen(Box::new(ChosenSampling {
                        sampling,
                        clock_ns: facts.clock_ns,
                        replica,
                    })));
                }
                ReplicaEnd::Failed(failed) => {
                    let live = live_variants.iter().copied();
                    self.failed.extend(with_all_who_disagree(failed, live));
                }
                ReplicaEnd::Died(death) => {
                    // The same work has another index each time.
                    if let AfterDeath::Failed(variant, error) = self.deaths.add(0, death)? {
                        self.failed.push(Dropout::of_death(variant, error));
                    }
                }
                ReplicaEnd::Stalled => {
                    self.stalls += 1;
                    if self.stalls > STALLS_MAX {
                        return Err(RunnerError::Stalled);
                    }
                }
                ReplicaEnd::WorkerLost(reason) => {
                    self.stalls += 1;
                    if self.stalls > STALLS_MAX {
                        return Err(RunnerError::WorkerLost(reason));
                    }
                }
                ReplicaEnd::Overspent(variant) => {
                    let message = "took more than its share of the time in which variants are \
                                   tried out, and was quicker in the checks";
                    self.fail_for_time(variant, message);
                }
                ReplicaEnd::OutOfBudget(Some(call)) if self.set_aside(&call, seconds) => {}
                ReplicaEnd::OutOfBudget(_) | ReplicaEnd::Overran(_) => {
                    return Ok(Discarded::Over(StopReason::Budget));
                }
            }
        }
    }

    /// Runs the replica of one group.
    async fn run_group(
        &mut self,
        plan: ReplicaPlan,
        since: Instant,
        shares: &[(VariantIndex, Duration)],
    ) -> Result<ReplicaEnd, RunnerError> {
        let job = ReplicaJob {
            race: Arc::clone(self.race),
            plan,
            solo: true,
            until: self.until,
            since,
            before_s: 0.0,
            overrun: Vec::new(),
            shares: shares.to_vec(),
        };
        self.tasks.run_pilot(job).await
    }

    /// Takes a variant that used up the scout's time by a single call out of the race, and returns true if the scout
    /// can be repeated without it.
    fn set_aside(&mut self, call: &LongCall, seconds: f64) -> bool {
        let is_its_own_cost = call.lasted.as_secs_f64() >= LONG_CALL_SHARE * seconds;
        if !self.is_scout || self.scouts_again == 0 || !is_its_own_cost {
            return false;
        }
        self.scouts_again -= 1;
        let budget = self.options.measure.budget;
        self.until = tokio::time::Instant::now() + budget.max(SCOUT_TIME_MIN);
        let message = "used up the time for one call of every variant by a single call, which was \
                       quicker in the checks";
        self.fail_for_time(call.variant, message);
        true
    }

    fn fail_for_time(&mut self, variant: VariantIndex, message: &str) {
        let budget = units::show_duration(self.options.measure.budget);
        let error = GuestError {
            class: FailureClass::WallLimit,
            message: format!("{message}: give a larger budget to time it"),
            limit: Some(format!("budget = {budget}")),
        };
        self.failed.push(Dropout::of_death(variant, error));
    }

    /// Returns the short calls that a replica found. A component whose lowering and lifting is a part of its time is
    /// not timed by the cheaper clock, and then no variant is.
    fn short_calls(&self, facts: &ReplicaFacts) -> ShortCalls {
        let recodes = self.timed_variants.iter().any(|one| one.recodes);
        let is_cheap = plan::is_cheap_clock(facts.clock_ns, facts.cheap_clock_ns);
        let nothing = facts.baselines.iter().map(|nothing| nothing.cpu_ns);
        ShortCalls {
            can_be_timed: is_cheap && !recodes,
            timed: self.short_cases.clone(),
            nothing_ns: nothing.collect(),
            programs: programs(self.timed_variants),
        }
    }

    fn conditions(
        &self,
        facts: &ReplicaFacts,
        seconds: f64,
        processes: usize,
    ) -> SamplingConstraints {
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
            fill_unknown(&facts.overheads, overhead, &mut overheads, &mut input_bytes);
        }
        SamplingConstraints {
            instances_per_block: self.options.instances_per_block(),
            clock_ns: facts.clock_ns,
            startup_seconds: (seconds - facts.work_ns as f64 / 1e9).max(0.0)
                / processes.max(1) as f64,
            wall_per_cpu: facts.guest.wall_ns as f64 / facts.guest.cpu_ns.max(1) as f64,
            overheads,
            calls_max: input_bytes.iter().map(per_call).collect(),
            short_calls: self.short_calls(facts),
            seconds: (measure.budget.as_secs_f64() - self.spent).max(0.0),
            workers: self.options.cores.len() as u32,
            threshold: self.thresholds[0],
            block_threshold: self.thresholds[1],
            replicas_max: measure.replicas_max,
            practical_log: measure.practical.ln_1p(),
        }
    }
}
