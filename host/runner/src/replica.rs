//! One replica, inside a runner: warm-up by a fixed rule, then blocks, in which every live variant runs once on every
//! case, all in the orders that the plan drew.
//! Every call has a fresh instance, which costs next to nothing: it comes from a pool, and only the
//! pages that the last one wrote are reset.

use super::announcement::Doing;
use super::answers::{Group, grouped, is_new};
use super::call::{Replies, RunnerCall};
use super::gate::same;
use super::guest_failure::GuestFailure;
use super::instances::Instances;
use super::judging::{self, JudgedAnswer};
use super::lowering_clock::LoweringClock;
use super::overheads::OverheadTotals;
use super::part_totals::PartTotals;
use super::probes::Probes;
use super::protocol::Guest;
use super::racer::{Input, Racer};
use super::replica_call::{ReplicaCall, ReplicaReply, VariantPayload};
use super::replica_facts::{ReplicaFacts, baseline, baseline_calls, clock_cost_ns, preemptions};
use super::runner::Runner;
use super::stop::{Stop, blame, internal};
use super::workload::{Judgement, Workload};
use bakeoff_domain::measurement::{Baseline, CaseIndex, Sample, VariantIndex};
use bakeoff_domain::plan::{CasePlan, ComponentLoad, WARM_UP_ROUNDS_MAX};
use bakeoff_sandbox::invoke::Value;
use bakeoff_sandbox::{CpuWallTime, GuestError, Lowering, Sandbox, UNTIMED};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most samples in one frame: with at most 60 bytes each, far fewer than a frame may hold.
const SAMPLES_IN_FRAME_MAX: usize = 10_000;

/// The calls that are made on an instance to measure a later one: the first of them still waits for memory that only
/// the start had touched.
const CALLS_AGAIN: u32 = 2;
/// The longest call, in nanoseconds, after which such calls are made.
const CALLED_AGAIN_NS_MAX: u64 = 500_000_000;

impl RunnerCall for ReplicaCall {
    type Reply = ReplicaReply;

    fn serve(
        &self,
        runner: &Runner<'_>,
        mut replies: Replies<'_, Self::Reply>,
    ) -> Result<(), String> {
        // The calibrator has instances too.
        let components = self.plan.load_order.len() + 1;
        let limits = runner.opened.request.limits;
        let timed = Sandbox::pooled(limits, components, self.resident_bytes)
            .map_err(|error| format!("{error:#}"))?;
        let replica = Replica::load(runner, self, &timed, &mut replies);
        match replica.and_then(Replica::run) {
            Ok(()) => Ok(()),
            Err(Stop::Channel(error)) => Err(error),
            Err(Stop::Failed(failed)) => failed.into_iter().try_for_each(|one| replies.fail(one)),
        }
    }
}

/// A replica in progress.
struct Replica<'a, 'f> {
    task: &'a ReplicaCall,
    replies: &'a mut Replies<'f, ReplicaReply>,
    workload: Workload,
    calibrator: Racer<'a>,
    /// The variants' components in the order of loading, which is drawn, so that their places in memory are drawn too.
    runners: Vec<(VariantIndex, Racer<'a>)>,
    samples: Vec<Sample>,
    baselines: Vec<Vec<Baseline>>,
    probes: Probes,
    /// Inputs of each case that variants are warmed up on, in their order, as far as they were made.
    warm_up_inputs: Vec<Vec<Input>>,
    facts: ReplicaFacts,
    /// The case of the first call of all.
    cold_case: Option<CaseIndex>,
    /// True for each variant that was called.
    called: Vec<bool>,
    /// Number of allocations in one lowering that are not for a string or list: 1 where the parameters are too many to
    /// be passed flat. `None` until the calibrator has counted.
    other_allocations: Option<u64>,
    parts: PartTotals,
    /// The clock of the allocator's calls for arguments.
    lowering: LoweringClock,
}

impl<'a, 'f> Replica<'a, 'f> {
    /// Loads every component, in the order of the plan.
    fn load(
        runner: &'a Runner<'_>,
        task: &'a ReplicaCall,
        timed: &Sandbox,
        replies: &'a mut Replies<'f, ReplicaReply>,
    ) -> Result<Self, Stop> {
        let (opened, path) = (&runner.opened, runner.path());
        let load = |payload: &VariantPayload| -> Result<Racer<'a>, GuestError> {
            let bytes = opened.code(payload.guest.code).map_err(internal)?;
            let imports = opened.imports(payload.guest.files).map_err(internal)?;
            // SAFETY: the parent authenticated the bytes it sent.
            let mut prepared = unsafe { timed.prepare(bytes, imports) }?;
            if payload.recodes {
                prepared.time_all();
            }
            Ok(Racer {
                prepared,
                path,
                instances: task.instances,
                slot: None,
                made: Vec::new(),
                calls_again: payload.gains_by_state && task.instances == Instances::Fresh,
            })
        };
        let calibrator = VariantPayload {
            guest: Guest {
                code: task.calibrator,
                files: None,
            },
            recodes: false,
            gains_by_state: false,
        };
        let mut calibrator = load(&calibrator).map_err(|error| blame(None, error))?;
        let mut runners = Vec::with_capacity(task.plan.load_order.len());
        for &ComponentLoad { variant, .. } in &task.plan.load_order {
            let payload = task.payloads.get(variant).copied().flatten();
            let payload = payload.ok_or_else(|| {
                blame(None, internal("the plan names a variant that is not here"))
            })?;
            let runner = load(&payload).map_err(|error| blame(Some(variant), error))?;
            runners.push((variant, runner));
        }
        let not_ours = |error| blame(None, error);
        let mut instance = calibrator.prepared.instantiate().map_err(not_ours)?;
        let callee = instance.callee(path).map_err(not_ours)?;
        let lowering = task.lowering.for_calls(callee.ty().allocations_max());
        if lowering == LoweringClock::All {
            // Not the calibrator: what the host does is not subtracted, since a guest may have worked meanwhile.
            for (_, racer) in &mut runners {
                racer.prepared.time_all();
            }
        }
        let workload = Workload::open(runner, Some(callee.ty())).map_err(not_ours)?;
        calibrator.slot = Some((instance, callee));
        let cases = workload.cases();
        let facts = ReplicaFacts {
            cold_ns: vec![None; task.payloads.len()],
            input_bytes: vec![0; cases],
            pooled: timed.is_pooled(),
            all_timed: lowering == LoweringClock::All,
            overheads: vec![OverheadTotals::default(); cases],
            ..ReplicaFacts::default()
        };
        let baselines = vec![Vec::new(); cases];
        Ok(Self {
            task,
            replies,
            workload,
            calibrator,
            runners,
            samples: Vec::new(),
            baselines,
            probes: Probes::default(),
            parts: PartTotals::default(),
            warm_up_inputs: vec![Vec::new(); cases],
            facts,
            cold_case: None,
            called: vec![false; task.payloads.len()],
            other_allocations: None,
            lowering,
        })
    }

    /// Runs warm-up and blocks, and sends the results.
    fn run(mut self) -> Result<(), Stop> {
        let started = Instant::now();
        let plan = &self.task.plan;
        self.warm_up()?;
        for (block, plan) in plan.blocks.iter().enumerate() {
            for case in &plan.cases {
                self.case(block as u32, case)?;
            }
        }
        self.facts.baselines = self
            .baselines
            .iter()
            .map(|samples| baseline(samples))
            .collect();
        self.facts.clock_ns = clock_cost_ns(CpuWallTime::thread_cpu_ns);
        self.facts.cheap_clock_ns = clock_cost_ns(CpuWallTime::monotonic_ns);
        self.probes.tell(&mut self.facts);
        self.facts.preemptions = preemptions();
        self.facts.parts = std::mem::take(&mut self.parts).worth_telling();
        self.facts.work_ns = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        for samples in self.samples.chunks(SAMPLES_IN_FRAME_MAX) {
            let samples = ReplicaReply::Samples(samples.to_vec());
            self.replies.send(samples).map_err(Stop::Channel)?;
        }
        let facts = ReplicaReply::Facts(self.facts);
        self.replies.send(facts).map_err(Stop::Channel)
    }

    /// Warms up each variant, in the plan's order and by its rule, the cases in rotation, on inputs that no timed call
    /// gets.
    fn warm_up(&mut self) -> Result<(), Stop> {
        let plan = &self.task.plan;
        let rule = plan.warm_up;
        let cases = plan.warm_up_cases();
        for &variant in &plan.warm_up_order {
            let (mut calls, mut spent_ns, mut round) = (0, 0, 0);
            let enough =
                |calls: u32, spent_ns: u64| calls >= rule.calls() && spent_ns >= rule.time_ns();
            while !cases.is_empty()
                && (round == 0 || (!enough(calls, spent_ns) && round < WARM_UP_ROUNDS_MAX))
            {
                for &case in &cases {
                    spent_ns += self.warm_up_call(variant, case, round)?;
                    calls += 1;
                    if round > 0 && enough(calls, spent_ns) {
                        break;
                    }
                }
                round += 1;
            }
        }
        let inputs = std::mem::take(&mut self.warm_up_inputs);
        let lowering = |input: &Input| input.lowering;
        let few = baseline_calls(0, inputs.iter().flatten().map(lowering));
        for input in inputs.iter().flatten().take(few) {
            self.calibrator
                .call(input)
                .map_err(|error| blame(None, error))?;
        }
        Ok(())
    }

    /// Makes a call that does not count, on the input of this number among those of the case, and returns
    /// its CPU time in nanoseconds.
    fn warm_up_call(
        &mut self,
        variant: VariantIndex,
        case: CaseIndex,
        number: u32,
    ) -> Result<u64, Stop> {
        if self.warm_up_inputs[case].len() == number as usize {
            let seeds = self.task.plan.warm_up_seeds.get(case);
            let seeds = seeds.ok_or_else(|| blame(None, internal("the plan lacks a case")))?;
            let input = self.input(case, seeds.of_call(number))?;
            self.warm_up_inputs[case].push(input);
        }
        let input = self.warm_up_inputs[case][number as usize].clone();
        let (time, calls_again) = self.calling(variant, case, 1, |runner| {
            let made = runner.call(&input)?;
            Ok((made.time, runner.calls_again))
        })?;
        // Once for each case: it says enough, and is no warm-up.
        if calls_again && number == 0 && time.wall_ns <= CALLED_AGAIN_NS_MAX {
            self.call_again(variant, case, &input)?;
        }
        self.on_call(variant, case, &time);
        Ok(time.cpu_ns)
    }

    /// Lets a variant make calls on the instance of its last one, and keeps the time of the last of them.
    fn call_again(
        &mut self,
        variant: VariantIndex,
        case: CaseIndex,
        input: &Input,
    ) -> Result<(), Stop> {
        let mut last = None;
        for _ in 0..CALLS_AGAIN {
            let called = self.calling(variant, case, 1, |runner| {
                let again = runner.call_again(input);
                Ok((again.unwrap_or_default(), again.is_some()))
            })?;
            last = Some(called.0.cpu_ns).filter(|_| called.1);
            if last.is_none() {
                break;
            }
        }
        self.parts.add_again(variant, case, last);
        Ok(())
    }

    /// Keeps the time of a variant's very first call, the cold start, if it is on the same case as
    /// those of the others.
    fn on_call(&mut self, variant: VariantIndex, case: CaseIndex, time: &CpuWallTime) {
        let common = *self.cold_case.get_or_insert(case);
        if !std::mem::replace(&mut self.called[variant], true) && case == common {
            self.facts.cold_ns[variant] = Some(time.cpu_ns);
        }
    }

    /// Takes the samples of a case in a block.
    fn case(&mut self, block: u32, plan: &CasePlan) -> Result<(), Stop> {
        let case = plan.case;
        let mut inputs = Vec::with_capacity(plan.calls as usize);
        for call in 0..plan.calls {
            let seed = plan.seeds.of_call(call);
            let same = inputs.first().filter(|_| self.workload.has_instances());
            let input = match same.cloned() {
                // All calls of the sample are on the same instance.
                Some(input) => {
                    self.facts.overheads[case].inputs.add(1, Duration::ZERO);
                    input
                }
                None => self.input(case, seed)?,
            };
            inputs.push(input);
        }
        let started = Instant::now();
        // Short calls are called often, and what does nothing has to be as used to it as they are.
        let lowering = inputs.iter().map(|input| input.lowering);
        let enough = if self.is_short(case) {
            inputs.len()
        } else {
            baseline_calls(self.baselines[case].len(), lowering).min(inputs.len())
        };
        if enough > 0 {
            let nothing = self.calibrator.sample(&inputs[..enough]);
            let (nothing, _) = nothing.map_err(|error| blame(None, error))?;
            self.baselines[case].push(Baseline {
                cpu_ns: nothing.cpu_ns as f64 / enough as f64,
                wall_ns: nothing.wall_ns as f64 / enough as f64,
            });
        }
        self.probes.before_samples();
        let doing_nothing = started.elapsed();

        let mut samples = Vec::new();
        let mut answers = Vec::new();
        for (position, &variant) in plan.order.iter().enumerate() {
            let (time, made) =
                self.calling(variant, case, plan.calls, |runner| runner.sample(&inputs))?;
            self.parts.add(variant, case, plan.calls, &made.parts);
            samples.push(Sample {
                variant,
                case,
                block,
                position: position as u32,
                calls: inputs.len() as u32,
                cpu_ns: time.cpu_ns,
                wall_ns: time.wall_ns,
            });
            answers.push((variant, made.answers));
        }
        let started = Instant::now();
        self.judge(case, &inputs, &answers)?;
        self.samples.append(&mut samples);
        let judging = doing_nothing + started.elapsed();
        self.facts.overheads[case]
            .judged
            .add(inputs.len() as u64, judging);
        Ok(())
    }

    /// Judges every distinct answer to every input once. Without an oracle, all answers must agree: where they do not,
    /// no answer is shown to be right, and none of the variants has a result.
    fn judge(
        &mut self,
        case: CaseIndex,
        inputs: &[Input],
        answers: &[(VariantIndex, Vec<Option<Value>>)],
    ) -> Result<(), Stop> {
        self.replies.announce(Doing::Workload, case);
        let has_instances = self.workload.has_instances();
        // Whoever gave another one has ended the replica.
        let mut accepted: Vec<Option<&Value>> = Vec::new();
        for (call, input) in inputs.iter().enumerate() {
            let given = answers.iter().filter_map(|(variant, answers)| {
                answers.get(call).map(|answer| (*variant, answer.as_ref()))
            });
            let groups = grouped(given);
            let judged = groups.iter().map(|(variants, answer)| JudgedAnswer {
                variants: variants.clone(),
                // The calls on an instance have one input, whose answers are judged once.
                judgement: if has_instances && !is_new(&mut accepted, *answer) {
                    Ok(Judgement::Accepted)
                } else {
                    self.workload.judge(case, &input.arguments, *answer)
                },
            });
            let mut blamed = judging::blamed(&judged.collect::<Vec<_>>(), input.call);
            if blamed.is_empty() && groups.len() > 1 && !self.workload.has_oracle() {
                blamed = self.unsteady(&groups, case, input);
                if blamed.is_empty() {
                    blamed = judging::disagreeing(&groups, input.call);
                }
            }
            if !blamed.is_empty() {
                return Err(Stop::Failed(blamed));
            }
        }
        Ok(())
    }

    /// Returns the failures of variants that answer the same input otherwise on another fresh instance: their answers
    /// say nothing of the others'.
    fn unsteady(
        &mut self,
        groups: &[Group<'_>],
        case: CaseIndex,
        input: &Input,
    ) -> Vec<GuestFailure> {
        let mut found = Vec::new();
        for (variants, answer) in groups {
            for &variant in variants {
                let repeated = self.calling(variant, case, 1, |runner| {
                    runner.slot = None;
                    runner.call(input).map(|made| (made.time, made.answer))
                });
                let is_same = matches!(&repeated, Ok((_, again)) if same(again.as_ref(), *answer));
                found.extend((!is_same).then(|| judging::unsteady(variant, input.call)));
            }
        }
        found
    }

    fn input(&mut self, case: CaseIndex, seed: u64) -> Result<Input, Stop> {
        self.replies.announce(Doing::Workload, case);
        let started = Instant::now();
        let arguments = self
            .workload
            .arguments(case, seed)
            .map_err(|error| blame(None, error))?;
        self.facts.overheads[case].inputs.add(1, started.elapsed());
        let bytes = arguments.iter().map(Value::bytes).sum::<usize>() as u64;
        let most = &mut self.facts.input_bytes[case];
        *most = (*most).max(bytes);
        Ok(Input {
            lowering: self.lowering(case, &arguments)?,
            call: (case, seed),
            arguments,
        })
    }

    /// Returns the calls of the allocator while these arguments are lowered. Their number depends on the arguments and
    /// on the signature, which the calibrator has too. The calibrator counts once: all its entries are calls of the
    /// allocator, but for the functions' own at the end.
    fn lowering(&mut self, case: CaseIndex, arguments: &Arc<[Value]>) -> Result<Lowering, Stop> {
        let pieces = arguments.iter().map(Value::allocations).sum::<u64>();
        let others = match self.other_allocations {
            Some(others) => others,
            None => {
                let slot = self.calibrator.slot.as_ref();
                let functions = slot.map_or(1, |(_, callee)| callee.functions());
                let counted = self.calibrator.answer(arguments, UNTIMED);
                let entries = counted.map_err(|error| blame(None, error))?.time.count;
                entries.saturating_sub(functions + pieces)
            }
        };
        self.other_allocations = Some(others);
        Ok(if self.is_short(case) {
            self.lowering.of_short_call(pieces + others)
        } else {
            self.lowering.entries(pieces + others)
        })
    }

    /// Returns true if calls on a case are timed by the cheaper clock.
    fn is_short(&self, case: CaseIndex) -> bool {
        self.task.plan.short_cases.contains(&case)
    }

    /// Makes calls of a variant on a case by `act`, and returns the guest's time and the result.
    fn calling<T>(
        &mut self,
        variant: VariantIndex,
        case: CaseIndex,
        calls: u32,
        act: impl FnOnce(&mut Racer<'a>) -> Result<(CpuWallTime, T), GuestError>,
    ) -> Result<(CpuWallTime, T), Stop> {
        self.replies
            .announce(Doing::Calling { variant, calls }, case);
        self.facts.calls += u64::from(calls);
        let mut runners = self.runners.iter_mut();
        let runner = runners.find(|(loaded, _)| *loaded == variant);
        let (_, runner) =
            runner.ok_or_else(|| blame(None, internal("a variant that is not here")))?;
        let started = Instant::now();
        let (time, given) = act(runner).map_err(|error| {
            let calls = std::mem::take(&mut runner.made);
            Stop::Failed(vec![GuestFailure {
                variant: Some(variant),
                error,
                calls,
            }])
        })?;
        let around = started.elapsed();
        let around = around.saturating_sub(Duration::from_nanos(time.wall_ns));
        self.facts.guest.cpu_ns += time.cpu_ns;
        self.facts.guest.wall_ns += time.wall_ns;
        self.facts.overheads[case]
            .calls
            .add(u64::from(calls), around);
        Ok((time, given))
    }
}
