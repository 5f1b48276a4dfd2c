//! One replica in a runner: in which order variants are called first.

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
const SOURCE: &str = "pub fn square(n: u32) -> u32 { panic!(\"{n}\") }\n";

/// Runs a replica of variants that fail in every call, on two cases, and returns the one that failed
/// first.
async fn first_to_fail(plan: &ReplicaPlan) -> VariantIndex {
    let builder = builder(None).await;
    let mut bundle = Bundle::default();
    let mut add = async |code| {
        let request = BuildRequest {
            interface: interface(WIT, "square"),
            world: World::Prototype,
            code,
            kind: BuildKind::Release,
            memory_bytes: Limits::default().memory_bytes,
        };
        let built = builder.build(&request).await.unwrap();
        bundle.add(&built.timed[0])
    };
    let source = BuildInput::Source {
        path_shown: "square.rs".into(),
        text: SOURCE.into(),
    };
    let (component, calibrator) = (add(source).await, add(BuildInput::Calibrator).await);
    let payload = VariantPayload {
        component,
        files: None,
        recodes: false,
    };
    let case = |call: &str| WaveCase {
        call: call.into(),
        expect: None,
    };
    let request = Request {
        call: vec!["square".into()],
        limits: Limits::default(),
        inputs: Inputs::Cases(vec![case("square(3)"), case("square(4)")]),
        task: Task::Replica(ReplicaTask {
            payloads: vec![Some(payload); plan.load_order.len()],
            calibrator,
            plan: plan.clone(),
            instances: Instances::Fresh,
            lowering: LoweringClock::Cheap,
            resident_bytes: 0,
        }),
    };
    let message = bundle.seal(&request).unwrap();
    let host = ProbeConfig::with_program(env!("CARGO_BIN_EXE_bakeoff"));
    let confinement = Confinement::probe_on(host).await.unwrap();
    let parts = [message.as_slice()];
    let job = Job::new(measure::ROLE, &parts, Fence::closed());
    let mut runner = confinement.spawn(job).await.unwrap();
    let mut blamed = None;
    while let Some(frame) = runner.next_frame().await.unwrap() {
        if let Reply::Failed { variant, .. } = postcard::from_bytes(&frame).unwrap() {
            blamed = variant;
        }
    }
    blamed.unwrap()
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
