//! The rehearsal, inside a runner: the calls of a whole replica on one instance, in an order drawn
//! as a replica's is, with fuel counted and every answer judged.
//!
//! It finds wrong answers that come only after many calls, and memory that is never freed. What a
//! variant costs does not depend on it.

use super::checked_case::Rehearsal;
use super::gate::{Gate, GateReply, Slot, changed_answer, same};
use super::stop::Halt;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::{
    self, BLOCKS_MAX, ReplicaPlan, ReplicaSpec, ReplicaStage, Secret, WarmUp,
};
use bakeoff_sandbox::invoke::Value;
use std::collections::VecDeque;

/// Units of fuel of a sample: at 5 units in a nanosecond, three times the shortest sample.
const SAMPLE_FUEL: u64 = 8_000_000;
/// The most calls of a sample: more than a replica makes of the shortest calls that can be timed.
const SAMPLE_CALLS_MAX: u64 = 100;
/// Units of fuel of the warm-up: at 5 units in a nanosecond, 10 ms.
const WARM_UP_FUEL: u64 = 50_000_000;
/// The most rounds of the warm-up.
const WARM_UP_ROUNDS_MAX: u32 = 200;
/// Units of fuel at which a rehearsal of long calls ends: a second or two.
const REHEARSAL_FUEL: u64 = 4_000_000_000;
/// The number of each case's last calls whose answers are compared with those of fresh instances.
const REPEATED: usize = 3;

/// A call that may be repeated.
struct Last {
    seed: u64,
    value: Option<Value>,
}

/// A rehearsal in progress.
pub(super) struct Rehearse<'g, 'a, 'f> {
    gate: &'g mut Gate<'a, 'f, GateReply>,
    slot: Slot,
    last: Vec<VecDeque<Last>>,
    fuel: u64,
    calls: u32,
}

impl<'g, 'a, 'f> Rehearse<'g, 'a, 'f> {
    pub(super) fn new(gate: &'g mut Gate<'a, 'f, GateReply>) -> Self {
        let cases = gate.workload.cases();
        Self {
            gate,
            slot: None,
            last: (0..cases).map(|_| VecDeque::new()).collect(),
            fuel: 0,
            calls: 0,
        }
    }

    /// Runs the rehearsal. `fuel` is that of one call, by case; inputs and order follow from
    /// `secret`.
    pub(super) fn run(mut self, fuel: &[u64], secret: Secret) -> Result<Rehearsal, Halt> {
        let per_block = self.gate.workload.has_instances();
        let per_block = per_block.then_some(plan::INSTANCES_PER_BLOCK);
        let plan = draw(fuel, per_block, secret);
        self.gate.made.clear();
        let rehearsal_fuel = self.gate.budget.repeats(REHEARSAL_FUEL);
        self.warm_up(&plan, rehearsal_fuel)?;
        'blocks: for block in &plan.blocks {
            for case in &block.cases {
                for call in 0..case.calls {
                    if self.fuel >= rehearsal_fuel {
                        break 'blocks;
                    }
                    self.call(case.case, case.seeds.of_call(call))?;
                }
            }
        }
        let running = self.slot.as_ref();
        let peak = running.map_or_else(Default::default, |(instance, _)| instance.peak());
        self.repeat()?;
        Ok(Rehearsal {
            peak,
            calls: self.calls,
        })
    }

    fn warm_up(&mut self, plan: &ReplicaPlan, fuel_max: u64) -> Result<(), Halt> {
        for round in 0..WARM_UP_ROUNDS_MAX {
            if self.fuel >= WARM_UP_FUEL.min(fuel_max) && round > 0 {
                break;
            }
            for case in plan.warm_up_cases() {
                self.call(case, plan.warm_up_seeds[case].of_call(round))?;
            }
        }
        Ok(())
    }

    fn call(&mut self, case: CaseIndex, seed: u64) -> Result<(), Halt> {
        let answered = self.gate.judged(&mut self.slot, case, seed)?;
        self.fuel += answered.fuel;
        self.calls += 1;
        let last = &mut self.last[case];
        if last.len() == REPEATED {
            last.pop_front();
        }
        last.push_back(Last {
            seed,
            value: answered.value,
        });
        Ok(())
    }

    /// Repeats the last calls on fresh instances, which must give the same answers.
    fn repeat(&mut self) -> Result<(), Halt> {
        for (case, calls) in std::mem::take(&mut self.last).into_iter().enumerate() {
            for later in calls {
                let mut fresh = None;
                self.gate.made.clear();
                let answered = self.gate.judged(&mut fresh, case, later.seed)?;
                self.calls += 1;
                if !same(answered.value.as_ref(), later.value.as_ref()) {
                    return Err(changed_answer().into());
                }
            }
        }
        Ok(())
    }
}

/// Returns the plan of a replica in which one variant runs alone.
fn draw(fuel: &[u64], instances_per_block: Option<u32>, secret: Secret) -> ReplicaPlan {
    let calls: Vec<u32> = fuel
        .iter()
        .map(|fuel| (SAMPLE_FUEL / fuel.max(&1)).clamp(1, SAMPLE_CALLS_MAX) as u32)
        .collect();
    plan::draw(&ReplicaSpec {
        secret,
        index: 0,
        stage: ReplicaStage::Pilot,
        calls: &calls,
        instances_per_block,
        blocks: BLOCKS_MAX,
        warm_up: WarmUp::Normal,
        short_cases: &[],
        live_variants: &[0],
        layouts: &[],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::plan::RunSeed;

    #[test]
    fn short_calls_are_rehearsed_often_and_long_ones_once_in_a_block() {
        let plan = draw(
            &[1, 1_000_000, 1_000_000_000],
            None,
            RunSeed::Named(7).rehearsal_secret(),
        );
        let calls = |case: CaseIndex| -> u32 {
            let cases = plan.blocks.iter().flat_map(|block| &block.cases);
            let of = cases.filter(|plan| plan.case == case);
            of.map(|plan| plan.calls).sum()
        };
        assert!(calls(0) > 1_000, "{}", calls(0));
        assert!((96..=160).contains(&calls(1)), "{}", calls(1));
        assert_eq!(calls(2), BLOCKS_MAX);
    }
}
