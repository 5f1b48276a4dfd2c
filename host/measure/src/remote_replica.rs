//! The answer to a replica from another machine: what its own worker would have refused here is refused when it arrives.

use super::runner_end::{LongCall, RunnerExit};
use bakeoff_domain::measurement::Sample;
use bakeoff_domain::plan::ReplicaPlan;
use bakeoff_runner::ReplicaFacts;
use bakeoff_runner::announcement::Doing;
use std::time::Duration;

/// The difference of two clocks that is let pass.
const SLACK: Duration = Duration::from_secs(1);

/// The longest time of a clock, or of a call that does nothing, in nanoseconds: a second.
const CLOCK_NS_MAX: f64 = 1e9;

/// The most bytes of one input with its answer.
const INPUT_BYTES_MAX: u64 = 1 << 40;

/// Returns true if nothing in the times of a replica took longer than its answer did, by the clock of this machine. So what
/// follows from them can be calculated with.
pub(super) fn are_plausible(samples: &[Sample], facts: &ReplicaFacts, took: Duration) -> bool {
    let most = (took + SLACK).as_nanos();
    let sum = |times: &mut dyn Iterator<Item = u64>| times.map(u128::from).sum::<u128>();
    let by_clock = [
        sum(&mut samples.iter().map(|one| one.cpu_ns)),
        sum(&mut samples.iter().map(|one| one.wall_ns)),
        sum(&mut facts.cold_ns.iter().flatten().copied()),
        sum(&mut facts
            .overheads
            .iter()
            .flat_map(|one| [one.inputs, one.judged, one.calls].map(|work| work.total_ns))),
        sum(&mut facts.parts.iter().map(|parts| parts.total_ns)),
        // Neither takes less than a nanosecond.
        facts.calls.into(),
        facts.preemptions.into(),
        facts.work_ns.into(),
        facts.guest.cpu_ns.into(),
        facts.guest.wall_ns.into(),
    ];
    let counts = facts.overheads.iter();
    let mut counts = counts.flat_map(|one| [one.inputs, one.judged, one.calls]);
    let baselines = facts.baselines.iter();
    let baselines = baselines.flat_map(|baseline| [baseline.cpu_ns, baseline.wall_ns]);
    let mut clocks = baselines.chain([facts.clock_ns, facts.cheap_clock_ns]);
    by_clock.into_iter().all(|time| time <= most)
        && counts.all(|work| u128::from(work.count) <= most)
        && clocks.all(|ns| (-CLOCK_NS_MAX..=CLOCK_NS_MAX).contains(&ns))
        && facts
            .input_bytes
            .iter()
            .all(|bytes| *bytes <= INPUT_BYTES_MAX)
}

/// Returns true if the end of a replica speaks of nothing but variants of its plan, of cases that there are, and of no longer
/// time than its answer took.
pub(super) fn is_of_plan(
    ended: &RunnerExit,
    plan: &ReplicaPlan,
    cases: usize,
    took: Duration,
) -> bool {
    let is_call = |call: &LongCall| {
        plan.takes_part(call.variant)
            && call.case < cases
            && call.lasted.max(call.ran) <= took + SLACK
    };
    match ended {
        RunnerExit::Done
        | RunnerExit::Failed(_)
        | RunnerExit::Stalled
        | RunnerExit::OutOfBudget(None) => true,
        RunnerExit::OutOfBudget(Some(call)) | RunnerExit::Overran(call) => is_call(call),
        RunnerExit::Overspent(variant) => plan.takes_part(*variant),
        RunnerExit::Died(death) => match death.doing.and_then(Doing::variant) {
            Some(variant) => plan.takes_part(variant),
            None => true,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::runner_end::Death;
    use super::*;
    use bakeoff_domain::failure::FailureClass;
    use bakeoff_domain::measurement::{Baseline, CaseIndex, VariantIndex};
    use bakeoff_domain::plan::{self, ReplicaSpec, ReplicaStage, RunSeed, WarmUp};
    use bakeoff_sandbox::GuestError;

    fn plan_of(live_variants: &[VariantIndex]) -> ReplicaPlan {
        plan::draw(&ReplicaSpec {
            secret: RunSeed::Named(1).race_secret(),
            index: 0,
            stage: ReplicaStage::Race,
            calls: &[4, 2],
            instances_per_block: None,
            blocks: 4,
            warm_up: WarmUp::default(),
            short_cases: &[],
            live_variants,
            layouts: &[1, 1, 1],
        })
    }

    fn sample(cpu_ns: u64, wall_ns: u64) -> Sample {
        Sample {
            variant: 0,
            case: 0,
            block: 0,
            position: 0,
            calls: 1,
            cpu_ns,
            wall_ns,
        }
    }

    #[test]
    fn case_296_times_that_are_longer_than_the_answer_took_or_no_numbers_are_refused() {
        const SECOND: u64 = 1_000_000_000;
        let took = Duration::from_secs(2);
        let samples = [sample(SECOND, SECOND), sample(SECOND, SECOND)];
        let facts = ReplicaFacts {
            baselines: vec![Baseline::default()],
            input_bytes: vec![0],
            ..ReplicaFacts::default()
        };
        assert!(are_plausible(&samples, &facts, took));
        for wrong in [
            sample(0, 4 * SECOND),
            sample(4 * SECOND, 0),
            sample(u64::MAX, u64::MAX),
        ] {
            assert!(!are_plausible(&[wrong], &facts, took));
        }
        let many = vec![sample(SECOND, SECOND); 4];
        assert!(!are_plausible(&many, &facts, took), "one after the other");
        let lies: [fn(&mut ReplicaFacts); 8] = [
            |facts| facts.clock_ns = f64::NAN,
            |facts| facts.cheap_clock_ns = f64::INFINITY,
            |facts| facts.baselines[0].cpu_ns = 1e300,
            |facts| facts.cold_ns = vec![Some(u64::MAX); 2],
            |facts| facts.calls = u64::MAX,
            |facts| facts.work_ns = u64::MAX,
            |facts| facts.input_bytes[0] = u64::MAX,
            |facts| facts.preemptions = u64::MAX,
        ];
        for (number, lie) in lies.into_iter().enumerate() {
            let mut facts = facts.clone();
            lie(&mut facts);
            assert!(!are_plausible(&samples, &facts, took), "lie {number}");
        }
    }

    #[test]
    fn case_296_who_did_not_take_part_ends_no_replica() {
        let plan = plan_of(&[0, 2]);
        let took = Duration::from_secs(2);
        let lasting = |variant: VariantIndex, case: CaseIndex, lasted| LongCall {
            variant,
            case,
            calls: 1,
            lasted,
            ran: Duration::ZERO,
        };
        let call = |variant, case| lasting(variant, case, took);
        let died = |variant| {
            let doing = Doing::Calling { variant, calls: 1 };
            RunnerExit::Died(Death {
                doing: Some(doing),
                error: GuestError::new(FailureClass::RunnerCrashed, "it died"),
            })
        };
        for ended in [
            RunnerExit::Done,
            RunnerExit::Overran(call(2, 1)),
            RunnerExit::OutOfBudget(None),
            RunnerExit::Overspent(0),
            died(2),
        ] {
            assert!(is_of_plan(&ended, &plan, 2, took), "{ended:?}");
        }
        for ended in [
            RunnerExit::Overran(call(1, 0)),
            RunnerExit::Overran(call(7, 0)),
            RunnerExit::Overran(lasting(0, 0, Duration::MAX / 2)),
            RunnerExit::Overran(call(0, 2)),
            RunnerExit::OutOfBudget(Some(call(usize::MAX, 0))),
            RunnerExit::Overspent(9),
            died(1),
        ] {
            assert!(!is_of_plan(&ended, &plan, 2, took), "{ended:?}");
        }
    }
}
