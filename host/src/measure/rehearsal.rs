//! Inside a runner: the rehearsal. The calls of a whole replica on one instance, in an order drawn
//! as a replica's is, with fuel counted and every answer judged.
//!
//! A prototype has neither a clock nor chance of its own, and no way to tell the two profiles apart.
//! So whatever it keeps from call to call when it is timed, it keeps here too, where fuel shows it.

use super::gate::{Gate, Halt, Slot, same};
use crate::invoke::Value;
use crate::sandbox::{Breach, Peak};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::{
    self, BLOCKS_MAX, Entrant, REPLICAS_MAX, ReplicaPlan, ReplicaSpec, SampleSeeds, Stage, WarmUp,
};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Units of fuel of a sample: at 5 of them in a nanosecond three times the shortest sample.
const SAMPLE_FUEL: u64 = 8_000_000;
/// Calls of a sample at most: more than a replica makes of the shortest calls that can be timed.
const SAMPLE_CALLS_MAX: u64 = 100;
/// Units of fuel of the warm-up, likewise …
const WARM_UP_FUEL: u64 = 50_000_000;
/// … and rounds of it at most.
const WARM_UP_ROUNDS_MAX: u32 = 200;
/// Units of fuel after which a rehearsal of long calls is enough: a second or two.
const REHEARSAL_FUEL: u64 = 4_000_000_000;
/// Calls of each case, the last ones, that are repeated on fresh instances.
const REPEATED: usize = 3;

/// What the rehearsal found out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rehearsal {
    /// Fuel of the start functions.
    pub start_fuel: u64,
    /// Memory of the one instance at its largest.
    pub peak: Peak,
    /// The last calls of each case, beside the same on fresh instances.
    pub repeated: Vec<Repeated>,
    /// Calls made.
    pub calls: u32,
}

/// A call late in the life of an instance, and the same call on a fresh one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated {
    /// On which case.
    pub case: CaseIndex,
    /// Fuel on a fresh instance.
    pub fuel: u64,
    /// Fuel after all the calls before it.
    pub fuel_later: u64,
}

/// A call that may be repeated.
struct Last {
    seed: u64,
    fuel: u64,
    value: Option<Value>,
}

/// A rehearsal under way.
pub(super) struct Rehearse<'g, 'a> {
    gate: &'g mut Gate<'a>,
    slot: Slot,
    last: Vec<VecDeque<Last>>,
    fuel: u64,
    calls: u32,
}

impl<'g, 'a> Rehearse<'g, 'a> {
    pub(super) fn new(gate: &'g mut Gate<'a>) -> Self {
        let cases = gate.feed.cases();
        Self {
            gate,
            slot: None,
            last: (0..cases).map(|_| VecDeque::new()).collect(),
            fuel: 0,
            calls: 0,
        }
    }

    /// Rehearses. `fuel` is, by case, that of one call; inputs and order follow from `seed`.
    pub(super) fn run(mut self, fuel: &[u64], seed: u64) -> Result<Rehearsal, Halt> {
        let plan = draw(fuel, seed);
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
        let (start_fuel, peak) = self.slot.as_ref().map_or_else(Default::default, |running| {
            (running.0.start_fuel(), running.0.peak())
        });
        Ok(Rehearsal {
            start_fuel,
            peak,
            repeated: self.repeat()?,
            calls: self.calls,
        })
    }

    fn warm_up(&mut self, plan: &ReplicaPlan) -> Result<(), Halt> {
        for round in 0..WARM_UP_ROUNDS_MAX {
            if self.fuel >= WARM_UP_FUEL && round > 0 {
                break;
            }
            for (case, seeds) in plan.warm_up_seeds.iter().enumerate() {
                self.call(case, SampleSeeds::of_call(seeds, round))?;
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
            fuel: answered.fuel,
            value: answered.value,
        });
        Ok(())
    }

    fn repeat(&mut self) -> Result<Vec<Repeated>, Halt> {
        let mut repeated = Vec::new();
        for (case, calls) in std::mem::take(&mut self.last).into_iter().enumerate() {
            for later in calls {
                let mut fresh = None;
                self.gate.made.clear();
                let answered = self.gate.judged(&mut fresh, case, later.seed)?;
                self.calls += 1;
                if !same(answered.value.as_ref(), later.value.as_ref()) {
                    let message = "gave another answer to the same input after other calls";
                    return Err(Breach::new(FailureClass::Nondeterministic, message).into());
                }
                repeated.push(Repeated {
                    case,
                    fuel: answered.fuel,
                    fuel_later: later.fuel,
                });
            }
        }
        Ok(repeated)
    }
}

/// The plan of a replica in which one variant runs alone. Its index is none that a race reaches.
fn draw(fuel: &[u64], seed: u64) -> ReplicaPlan {
    let calls: Vec<u32> = fuel
        .iter()
        .map(|fuel| (SAMPLE_FUEL / fuel.max(&1)).clamp(1, SAMPLE_CALLS_MAX) as u32)
        .collect();
    plan::draw(&ReplicaSpec {
        seed,
        index: REPLICAS_MAX - 1,
        stage: Stage::Pilot,
        calls: &calls,
        blocks: BLOCKS_MAX,
        warm_up: WarmUp::Normal,
        entrants: &[Entrant {
            variant: 0,
            brief: false,
        }],
        layouts: &[],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_calls_are_rehearsed_often_and_long_ones_once_in_a_block() {
        let plan = draw(&[1, 1_000_000, 1_000_000_000], 7);
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
