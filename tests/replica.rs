//! One replica in a runner: in which order variants are called first, and what comes before a call that counts.

use crate::build::{builder, interface};
use bakeoff_compile::{BuildKind, BuildRequest};
use bakeoff_confine::{ChildJob, Confinement, Fence, ProbeConfig};
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_domain::plan::{self, ReplicaPlan, ReplicaSpec, ReplicaStage, RunSeed, WarmUp};
use bakeoff_domain::spec::Limits;
use bakeoff_runner::call::RunnerMessage;
use bakeoff_runner::protocol::{Bundle, Guest, RunnerInputs, RunnerRequest};
use bakeoff_runner::{
    AnyCall, Instances, LoweringClock, ReplicaCall, ReplicaReply, VariantPayload, WaveCase,
};
use bakeoff_source::BuildInput;
use bakeoff_source::interface::World;

const WIT: &str =
    "package bakeoff:test;\nworld prototype { export square: func(n: u32) -> u32; }\n";
const FAILS: &str = "pub fn square(n: u32) -> u32 { panic!(\"{n}\") }\n";
/// Runs a replica of variants that fail in every call, on two cases, and returns the one that failed
/// first.
async fn first_to_fail(plan: &ReplicaPlan) -> VariantIndex {
    let replies = replies(plan, FAILS, None, Instances::Fresh).await;
    let failed = replies.into_iter().find_map(|reply| match reply {
        RunnerMessage::Failed(failed) => failed.variant,
        RunnerMessage::Reply(_) => None,
    });
    failed.unwrap()
}

/// Runs a replica of variants of this source, on two cases, and returns what the runner says.
async fn replies(
    plan: &ReplicaPlan,
    source: &str,
    expect: Option<&str>,
    instances: Instances,
) -> Vec<RunnerMessage<ReplicaReply>> {
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
        bundle.add_code(&built.timed[0])
    };
    let source = BuildInput::Source {
        path_shown: "square.rs".into(),
        text: source.into(),
    };
    let (component, calibrator) = (add(source).await, add(BuildInput::Calibrator).await);
    let payload = VariantPayload {
        guest: Guest {
            code: component,
            files: None,
        },
        recodes: false,
        gains_by_state: false,
    };
    let case = |call: &str| WaveCase {
        call: call.into(),
        expect: expect.map(str::to_owned),
    };
    let request = RunnerRequest {
        path: vec!["square".into()],
        limits: Limits::default(),
        inputs: RunnerInputs::Cases(vec![case("square(3)"), case("square(4)")]),
        call: AnyCall::Replica(ReplicaCall {
            payloads: vec![Some(payload); plan.load_order.len()],
            calibrator,
            plan: plan.clone(),
            instances,
            lowering: LoweringClock::Cheap,
            resident_bytes: 0,
        }),
    };
    let message = bundle.seal(&request).unwrap();
    let host = ProbeConfig::with_program(env!("CARGO_BIN_EXE_bakeoff"));
    let confinement = Confinement::probe_on(host).await.unwrap();
    let parts = [message.as_slice()];
    let job = ChildJob::new(bakeoff_runner::ROLE, &parts, Fence::closed());
    let mut runner = confinement.spawn(job).await.unwrap();
    let mut replies = Vec::new();
    while let Some(frame) = runner.next_frame().await.unwrap() {
        replies.push(postcard::from_bytes(&frame).unwrap());
    }
    replies
}

fn drawn(live_variants: &[VariantIndex]) -> ReplicaPlan {
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
    let mut plan = drawn(&[0, 1, 2]);
    for order in [[2, 0, 1], [1, 2, 0]] {
        plan.warm_up_order = order.to_vec();
        assert_eq!(first_to_fail(&plan).await, order[0]);
    }
}
