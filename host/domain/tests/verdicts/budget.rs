//! A budget is used: races with known costs, on a clock that is not there.

use crate::synthetic::World;
use bakeoff_domain::measurement::Metric;
use bakeoff_domain::plan::{
    CaseOverhead, Correction, PilotTimes, ReplicaSampling, ReplicaSpec, ReplicaStage, RunSeed,
    Sampling, SamplingConstraints, ShortCalls, WarmUp, choose, draw,
};
use bakeoff_domain::race::{ClaimScope, NextStep, Race, RaceSettings, RemainingBudget, StopReason};

/// Sizes ×4 apart, the smallest of which takes 50 µs a call.
const SIZES: usize = 7;
/// A practical threshold so small that nothing is a tie.
const PRACTICAL: f64 = 1e-5;
/// More than any of these races takes.
const ENDLESS: f64 = 10_000.0;

/// The second of two variants takes this much longer, on every size.
fn world(difference: f64) -> World {
    let time = |size: usize| size as f64 * 4.0_f64.ln();
    let row = |more: f64| (0..SIZES).map(|size| time(size) + more).collect();
    World {
        effects: vec![row(0.0), row(difference)],
        // Of a call of a fifth of a second these are seconds, as of a prototype with rare slow inputs.
        spikes: 0.0,
        ..World::busy(&[0.0])
    }
}

fn overhead(size: usize) -> CaseOverhead {
    let times = 4.0_f64.powi(size as i32);
    CaseOverhead {
        input_ns: 30_000.0 * times,
        judge_ns: 10_000.0 * times,
        call_ns: 5_000.0 * times,
    }
}

fn sampling(world: &World, budget: f64) -> Sampling {
    let plan = draw(&ReplicaSpec {
        secret: RunSeed::Named(5).race_secret(),
        index: 0,
        stage: ReplicaStage::Pilot,
        calls: &[1; SIZES],
        instances_per_block: None,
        blocks: 8,
        warm_up: WarmUp::Normal,
        short_cases: &[],
        live_variants: &[0, 1],
        layouts: &[],
    });
    let pilot = PilotTimes::new(&world.run(&plan, 99), Metric::Cpu);
    let constraints = SamplingConstraints {
        instances_per_block: None,
        clock_ns: 500.0,
        startup_seconds: 0.03,
        wall_per_cpu: 1.0,
        short_calls: ShortCalls::default(),
        overheads: (0..SIZES).map(overhead).collect(),
        calls_max: vec![1_000_000; SIZES],
        seconds: budget,
        workers: 1,
        threshold: RaceSettings::new(2, SIZES).threshold(ClaimScope::AllCases),
        block_threshold: RaceSettings::new(2, SIZES).block_threshold(ClaimScope::AllCases),
        replicas_max: 96,
        practical_log: PRACTICAL.ln_1p(),
    };
    choose(&pilot, WarmUp::Normal, &constraints)
}

/// The end of a race of one worker.
struct End {
    reason: StopReason,
    /// The time until then, in seconds.
    spent: f64,
    /// The time that one more replica would have taken.
    next: f64,
}

/// Runs a race in which replicas take `really` times what is predicted from the pilot, one in five of
/// them three times as long.
fn race(world: &World, budget: f64, really: f64) -> End {
    let sampling = sampling(world, budget);
    let mut settings = RaceSettings::new(2, SIZES);
    settings.practical = PRACTICAL;
    let mut race = Race::new(settings, None);
    let mut correction = Correction::default();
    let mut spent = 0.0;
    for index in 0.. {
        let left = budget - spent;
        let remaining = RemainingBudget {
            seconds: left,
            whole_seconds: budget,
        };
        let predict =
            |live_variants: &[usize]| correction.apply(sampling.of_replica(live_variants).seconds);
        let live_variants = match race.analysis().next(remaining, predict) {
            NextStep::Run { live_variants } => live_variants,
            NextStep::Stop(reason) => {
                let next = really * sampling.of_replica(&[0, 1]).seconds;
                return End {
                    reason,
                    spent,
                    next,
                };
            }
        };
        let predicted = sampling.of_replica(&live_variants).seconds;
        let seconds = really * predicted * if index % 5 == 4 { 3.0 } else { 1.0 };
        if seconds > left {
            // It is stopped with the budget.
            spent = budget;
            continue;
        }
        let ReplicaSampling { calls, blocks, .. } = sampling.of_replica(&live_variants);
        let plan = draw(&ReplicaSpec {
            secret: RunSeed::Named(5).race_secret(),
            index,
            stage: ReplicaStage::Race,
            calls: &calls,
            instances_per_block: None,
            blocks,
            warm_up: sampling.warm_up,
            short_cases: &[],
            live_variants: &live_variants,
            layouts: &[],
        });
        race.push(world.run(&plan, 5));
        correction.observe(predicted, seconds);
        spent += seconds;
    }
    unreachable!("the limit of replicas ends every race")
}

#[test]
fn a_verdict_that_takes_half_of_the_budget_is_found() {
    for really in [0.2, 1.0, 3.0] {
        let world = world(0.1);
        let needed = race(&world, ENDLESS, really);
        assert_eq!(needed.reason, StopReason::Winner);
        let found = race(&world, 2.0 * needed.spent, really);
        assert_eq!(found.reason, StopReason::Winner, "{really}");
    }
}

#[test]
fn a_budget_ends_a_race_only_where_no_other_replica_fits() {
    // Identical variants: never a winner, and as good as never a tie.
    let world = world(0.0);
    let mut ended_by_budget = 0;
    for really in [0.2, 1.0, 3.0] {
        for budget in [20.0, 60.0, 200.0] {
            let end = race(&world, budget, really);
            if end.reason == StopReason::ReplicaLimit {
                continue;
            }
            assert_eq!(end.reason, StopReason::Budget, "{really} {budget}");
            let left = budget - end.spent;
            assert!(left < 1.01 * end.next, "{left} of {budget}, {}", end.next);
            ended_by_budget += 1;
        }
    }
    assert!(ended_by_budget >= 5, "{ended_by_budget}");
}
