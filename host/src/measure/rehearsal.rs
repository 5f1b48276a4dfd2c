//! The rehearsal, inside a runner: the calls of a whole replica on one instance, in an order drawn
//! as a replica's is, with fuel counted and every answer judged.
//!
//! It finds wrong answers that come only after many calls, and memory that is never freed. What a
//! variant costs does not depend on it.

use super::checked_case::Rehearsal;
use super::gate::{Gate, Halt, Slot, changed_answer, same};

use crate::invoke::Value;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::{
    self, BLOCKS_MAX, LiveVariant, ReplicaPlan, ReplicaSpec, ReplicaStage, Secret, WarmUp,
};
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
/// The number of each case's last calls whose answers are held against those of fresh instances.
const REPEATED: usize = 3;

/// The fewest calls on a case that say how much its calls differ.
const CALLS_TOLD_APART: usize = 32;
/// The most calls on a case that are looked at for that.
const CALLS_COMPARED_MAX: usize = 4_096;

/// A call that may be repeated.
struct Last {
    seed: u64,
    value: Option<Value>,
}

/// A rehearsal in progress.
pub(super) struct Rehearse<'g, 'a> {
    gate: &'g mut Gate<'a>,
    slot: Slot,
    last: Vec<VecDeque<Last>>,
    /// By case: the units of fuel of its calls.
    fuel_of_calls: Vec<Vec<u64>>,
    fuel: u64,
    calls: u32,
}

impl<'g, 'a> Rehearse<'g, 'a> {
    pub(super) fn new(gate: &'g mut Gate<'a>) -> Self {
        let cases = gate.workload.cases();
        Self {
            gate,
            slot: None,
            last: (0..cases).map(|_| VecDeque::new()).collect(),
            fuel_of_calls: vec![Vec::new(); cases],
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
        self.warm_up(&plan)?;
        'blocks: for block in &plan.blocks {
            for case in &block.cases {
                for call in 0..case.calls {
                    if self.fuel >= REHEARSAL_FUEL {
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
            dearest_call: dearest_call(self.fuel_of_calls),
        })
    }

    fn warm_up(&mut self, plan: &ReplicaPlan) -> Result<(), Halt> {
        for round in 0..WARM_UP_ROUNDS_MAX {
            if self.fuel >= WARM_UP_FUEL && round > 0 {
                break;
            }
            for case in plan.warm_up_cases(0) {
                self.call(case, plan.warm_up_seeds[case].of_call(round))?;
            }
        }
        Ok(())
    }

    fn call(&mut self, case: CaseIndex, seed: u64) -> Result<(), Halt> {
        let answered = self.gate.judged(&mut self.slot, case, seed)?;
        self.fuel += answered.fuel;
        self.calls += 1;
        let of_case = &mut self.fuel_of_calls[case];
        if of_case.len() < CALLS_COMPARED_MAX {
            of_case.push(answered.fuel);
        }
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

/// Returns the largest ratio of the fuel of a call to the median on its case, by the fuel of the calls on each;
/// `None` if there is a case with too few calls to say so.
fn dearest_call(fuel_of_calls: Vec<Vec<u64>>) -> Option<f64> {
    let of_case = |mut calls: Vec<u64>| {
        calls.sort_unstable();
        let most = calls.last().filter(|_| calls.len() >= CALLS_TOLD_APART)?;
        Some(*most as f64 / calls[calls.len() / 2].max(1) as f64)
    };
    let cases = fuel_of_calls.into_iter().map(of_case);
    cases.reduce(|one, other| Some(one?.max(other?))).flatten()
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
        live_variants: &[LiveVariant::full(0)],
        layouts: &[],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::plan::RunSeed;

    #[test]
    fn one_call_in_many_that_takes_more_is_told_where_there_are_enough_calls() {
        let mut calls = vec![100; 70];
        assert_eq!(dearest_call(vec![calls.clone(), calls.clone()]), Some(1.0));
        calls[3] = 2_500;
        assert_eq!(dearest_call(vec![vec![7; 32], calls.clone()]), Some(25.0));
        assert_eq!(dearest_call(vec![vec![7; 31], calls]), None);
        assert_eq!(dearest_call(vec![vec![0; 32]]), Some(0.0));
        assert_eq!(dearest_call(Vec::new()), None);
    }

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
