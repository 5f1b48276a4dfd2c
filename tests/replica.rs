//! One replica in a runner, from a plan to its announcements and samples.

use crate::build::{builder, interface};
use bakeoff::compile::{BuildKind, BuildRequest};
use bakeoff::confine::{Confinement, Fence, Job, ProbeConfig};
use bakeoff::interface::World;
use bakeoff::measure::protocol::{
    Bundle, Doing, Inputs, ReplicaTask, Reply, Request, Task, VariantPayload,
};
use bakeoff::measure::{self, Instances, WaveCase};
use bakeoff::source::BuildInput;
use bakeoff_domain::measurement::{CaseIndex, VariantIndex};
use bakeoff_domain::plan::{self, LiveVariant, ReplicaPlan, ReplicaSpec, ReplicaStage, WarmUp};
use bakeoff_domain::spec::Limits;

const WIT: &str =
    "package bakeoff:test;\nworld prototype { export square: func(n: u32) -> u32; }\n";
const SOURCE: &str = "pub fn square(n: u32) -> u32 { n.wrapping_mul(n) }\n";

/// A runner's announcement of calls: variant, case, number.
type Announced = (VariantIndex, CaseIndex, u32);

/// Runs a replica of identical variants on two cases, and returns what the runner announced.
async fn announced(plan: &ReplicaPlan) -> Vec<Announced> {
    let builder = builder(None).await;
    let mut bundle = Bundle::default();
    let mut add = async |code| {
        let request = BuildRequest {
            interface: interface(WIT, "square"),
            world: World::Prototype,
            code,
            kind: BuildKind::Release,
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
        instances: Instances::Kept,
        files: None,
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
        }),
    };
    let message = bundle.seal(&request).unwrap();
    let host = ProbeConfig::with_program(env!("CARGO_BIN_EXE_bakeoff"));
    let confinement = Confinement::probe_on(host).await.unwrap();
    let parts = [message.as_slice()];
    let job = Job::new(measure::ROLE, &parts, Fence::closed());
    let mut runner = confinement.spawn(job).await.unwrap();
    let mut announced = Vec::new();
    let mut is_complete = false;
    while let Some(frame) = runner.next_frame().await.unwrap() {
        match postcard::from_bytes(&frame).unwrap() {
            Reply::About {
                case,
                doing: Doing::Calling { variant, calls },
            } => announced.push((variant, case, calls)),
            Reply::Replica(_) => is_complete = true,
            _ => {}
        }
    }
    assert!(is_complete);
    announced
}

fn drawn(live_variants: &[LiveVariant]) -> ReplicaPlan {
    plan::draw(&ReplicaSpec {
        seed: 1,
        index: 0,
        stage: ReplicaStage::Race,
        calls: &[3, 2],
        blocks: plan::BLOCKS_MIN,
        warm_up: WarmUp::Normal,
        live_variants,
        layouts: &[],
    })
}

/// The variants in the order in which they are first called.
fn first_calls(announced: &[Announced]) -> Vec<VariantIndex> {
    let mut variants = Vec::new();
    for (variant, _, _) in announced {
        if !variants.contains(variant) {
            variants.push(*variant);
        }
    }
    variants
}

#[tokio::test]
async fn variants_are_instantiated_and_warmed_up_in_the_order_of_the_plan() {
    let mut plan = drawn(&[0, 1, 2].map(LiveVariant::full));
    for order in [[2, 0, 1], [1, 2, 0]] {
        plan.warm_up_order = order.to_vec();
        assert_eq!(first_calls(&announced(&plan).await), order);
    }
}

#[tokio::test]
async fn single_calls_come_before_any_warm_up_and_instead_of_it() {
    let slow = LiveVariant {
        single_calls: vec![1],
        ..LiveVariant::full(1)
    };
    let plan = drawn(&[LiveVariant::full(0), slow, LiveVariant::full(2)]);
    let round = &plan.single_call_rounds[0];
    let announced = announced(&plan).await;
    let (first, later) = announced.split_at(3);
    let expected: Vec<Announced> = round.order.iter().map(|one| (*one, 1, 1)).collect();
    assert_eq!(first, expected);
    assert!(!later.contains(&(1, 1, 1)), "the slow one runs there again");
    for others in [0, 2] {
        assert!(
            later
                .iter()
                .any(|(variant, case, _)| (*variant, *case) == (others, 1))
        );
    }
    assert_eq!(first_calls(later)[..], plan.warm_up_order[..]);
}
