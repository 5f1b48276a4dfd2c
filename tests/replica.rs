//! One replica in a runner: in which order variants are called first, and what comes before a call that counts.

use crate::build::{builder, interface};
use bakeoff::compile::{BuildKind, BuildRequest};
use bakeoff::confine::{Confinement, Fence, Job, ProbeConfig};
use bakeoff::interface::World;
use bakeoff::measure::protocol::{
    Bundle, Inputs, ReplicaTask, Reply, Request, Task, VariantPayload,
};
use bakeoff::measure::{self, Instances, LoweringClock, WaveCase};
use bakeoff::source::BuildInput;
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_domain::plan::{
    self, LiveVariant, ReplicaPlan, ReplicaSpec, ReplicaStage, RunSeed, WarmUp,
};
use bakeoff_domain::spec::Limits;

const WIT: &str =
    "package bakeoff:test;\nworld prototype { export square: func(n: u32) -> u32; }\n";
const FAILS: &str = "pub fn square(n: u32) -> u32 { panic!(\"{n}\") }\n";
/// Its first answer on an instance is another one than all later ones.
const COUNTS: &str = "use std::sync::atomic::{AtomicU32, Ordering};
static CALLS: AtomicU32 = AtomicU32::new(0);
pub fn square(_: u32) -> u32 { CALLS.fetch_add(1, Ordering::Relaxed).min(1) }
";

/// Runs a replica of variants that fail in every call, on two cases, and returns the one that failed
/// first.
async fn first_to_fail(plan: &ReplicaPlan) -> VariantIndex {
    let replies = replies(plan, FAILS, None, Instances::Fresh).await;
    let failed = replies.into_iter().find_map(|reply| match reply {
        Reply::Failed { variant, .. } => variant,
        _ => None,
    });
    failed.unwrap()
}

/// Runs a replica of variants of this source, on two cases, and returns what the runner says.
async fn replies(
    plan: &ReplicaPlan,
    source: &str,
    expect: Option<&str>,
    instances: Instances,
) -> Vec<Reply> {
    let builder = builder(None).await;
    let mut bundle = Bundle::default();
    let mut add = async |code| {
        let request = BuildRequest {
            interface: interface(WIT, "square"),
            world: World::Prototype,
            code,
            kind: BuildKind::Release,
            memory_bytes: Limits::default().memory_bytes,
            parameters: false,
        };
        let built = builder.build(&request).await.unwrap();
        bundle.add(&built.timed[0])
    };
    let source = BuildInput::Source {
        path_shown: "square.rs".into(),
        text: source.into(),
    };
    let (component, calibrator) = (add(source).await, add(BuildInput::Calibrator).await);
    let payload = VariantPayload {
        component,
        files: None,
        recodes: false,
        gains_by_state: false,
    };
    let case = |call: &str| WaveCase {
        call: call.into(),
        expect: expect.map(str::to_owned),
    };
    let request = Request {
        call: vec!["square".into()],
        limits: Limits::default(),
        inputs: Inputs::Cases(vec![case("square(3)"), case("square(4)")]),
        task: Task::Replica(ReplicaTask {
            payloads: vec![Some(payload); plan.load_order.len()],
            calibrator,
            plan: plan.clone(),
            instances,
            lowering: LoweringClock::Cheap,
            resident_bytes: 0,
            quiet: None,
        }),
    };
    let message = bundle.seal(&request).unwrap();
    let host = ProbeConfig::with_program(env!("CARGO_BIN_EXE_bakeoff"));
    let confinement = Confinement::probe_on(host).await.unwrap();
    let parts = [message.as_slice()];
    let job = Job::new(measure::ROLE, &parts, Fence::closed());
    let mut runner = confinement.spawn(job).await.unwrap();
    let mut replies = Vec::new();
    while let Some(frame) = runner.next_frame().await.unwrap() {
        replies.push(postcard::from_bytes(&frame).unwrap());
    }
    replies
}

fn drawn(live_variants: &[LiveVariant]) -> ReplicaPlan {
    plan::draw(&ReplicaSpec {
        secret: RunSeed::Named(1).race_secret(),
        index: 0,
        stage: ReplicaStage::Race,
        calls: &[3, 2],
        instances_per_block: None,
        blocks: plan::BLOCKS_MIN,
        warm_up: WarmUp::Normal,
        short_cases: &[],
        live_variants,
        layouts: &[],
    })
}

#[tokio::test]
async fn variants_are_instantiated_and_warmed_up_in_the_order_of_the_plan() {
    let mut plan = drawn(&[0, 1, 2].map(LiveVariant::full));
    for order in [[2, 0, 1], [1, 2, 0]] {
        plan.warm_up_order = order.to_vec();
        assert_eq!(first_to_fail(&plan).await, order[0]);
    }
}

#[tokio::test]
async fn single_calls_come_before_any_warm_up() {
    let slow = LiveVariant {
        single_calls: vec![1],
        ..LiveVariant::full(1)
    };
    let mut plan = drawn(&[LiveVariant::full(0), slow, LiveVariant::full(2)]);
    let first = plan.single_call_rounds[0].order[0];
    plan.warm_up_order = vec![(first + 1) % 3, (first + 2) % 3, first];
    assert_eq!(first_to_fail(&plan).await, first);
}

#[tokio::test]
async fn nobodys_first_call_is_a_single_one_that_counts() {
    let slow = LiveVariant {
        single_calls: vec![0, 1],
        ..LiveVariant::full(1)
    };
    let plan = drawn(&[LiveVariant::full(0), slow]);
    assert_eq!(plan.single_call_rounds.len(), 2);
    let replies = replies(&plan, COUNTS, Some("1"), Instances::Kept).await;
    let failed = |reply: &&Reply| matches!(reply, Reply::Failed { .. });
    assert!(replies.iter().find(failed).is_none(), "{replies:?}");
    assert!(matches!(replies.last(), Some(Reply::Replica(_))));
}
