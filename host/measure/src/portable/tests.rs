//! Requests that were made for another machine, and such as nobody may send.

use super::*;
use bakeoff_domain::plan::{self, ReplicaSpec, ReplicaStage, RunSeed, WarmUp};
use bakeoff_domain::spec::Limits;
use bakeoff_runner::protocol::{Bundle, RunnerInputs};
use bakeoff_runner::{
    GateCall, Instances, LoweringClock, ReadCasesCall, ReplicaCall, VariantPayload,
};
use std::time::Duration;

const CODE: &[u8] = b"machine code";

fn bounds() -> RunnerBounds {
    RunnerBounds {
        call_max: Duration::from_secs(40),
        workload_max: WORKLOAD_PATIENCE,
        exit_max: EXIT_PATIENCE,
        participants: vec![0],
        cases: 1,
        wall_limit: "wall = 10 s".to_owned(),
        guests_bytes: 3 * (256 << 20),
        left: None,
        overrun: Vec::new(),
        shares: Vec::new(),
        programs: Vec::new(),
    }
}

fn gate(bundle: &mut Bundle) -> AnyCall {
    AnyCall::from(GateCall {
        variant: bundle.add_guest(CODE, None),
        cases: RunSeed::Named(1).check_secret(),
        rehearsal: RunSeed::Named(1).rehearsal_secret(),
        repeats_fuel: None,
    })
}

fn task_of(
    call: impl FnOnce(&mut Bundle) -> AnyCall,
    limits: Limits,
    bounds: &RunnerBounds,
) -> Vec<u8> {
    let mut bundle = Bundle::default();
    let call = call(&mut bundle);
    let request = RunnerRequest {
        path: vec!["top-k".to_owned()],
        limits,
        inputs: RunnerInputs::Cases(Vec::new()),
        call,
    };
    wire::sealed(bundle.seal(&request).unwrap(), bounds)
}

fn named(digest: &str, layout: Option<u32>) -> PortableCode {
    PortableCode {
        digest: digest.to_owned(),
        layout,
    }
}

fn digest_of(code: &[u8]) -> Option<PortableCode> {
    (code == CODE).then(|| named(&"a".repeat(DIGEST_CHARS), None))
}

/// Returns a replica of so many variants.
fn replica(variants: usize) -> impl FnOnce(&mut Bundle) -> AnyCall {
    move |bundle| {
        let payloads = (0..variants).map(|_| {
            Some(VariantPayload {
                guest: bundle.add_guest(CODE, None),
                recodes: false,
                gains_by_state: false,
            })
        });
        let payloads = payloads.collect();
        let live: Vec<usize> = (0..variants).collect();
        AnyCall::from(ReplicaCall {
            payloads,
            calibrator: bundle.add_code(CODE),
            plan: plan::draw(&ReplicaSpec {
                secret: RunSeed::Named(1).race_secret(),
                index: 0,
                stage: ReplicaStage::Race,
                calls: &[1],
                instances_per_block: None,
                blocks: 1,
                warm_up: WarmUp::default(),
                short_cases: &[],
                live_variants: &live,
                layouts: &vec![1; variants],
            }),
            instances: Instances::Fresh,
            lowering: LoweringClock::None,
            resident_bytes: 0,
        })
    }
}

fn read(task: &[u8]) -> Result<PortableRequest, String> {
    let bytes = portable(task, digest_of).unwrap();
    PortableRequest::read(&bytes, &Policy::default())
}

#[test]
fn a_request_arrives_with_other_code_and_else_as_it_was() {
    let task = task_of(gate, Limits::default(), &bounds());
    let bytes = portable(&task, digest_of).unwrap();
    let has_code = bytes.windows(CODE.len()).any(|window| window == CODE);
    assert!(!has_code, "precompiled code is never sent");
    let request = PortableRequest::read(&bytes, &Policy::default()).unwrap();
    assert_eq!(request.components(), [digest_of(CODE).unwrap()]);
    assert_eq!(request.to_task(&[CODE.into()]), task);
    let other: Arc<[u8]> = b"code of another machine".as_slice().into();
    let arrived = request.to_task(&[other]);
    let (_, message) = wire::opened::<RunnerBounds>(&arrived).unwrap();
    let code = RequestParts::read(message).unwrap().code;
    assert_eq!(code, [b"code of another machine"]);
}

#[test]
fn code_whose_component_is_not_known_stays_here() {
    let task = task_of(gate, Limits::default(), &bounds());
    let refused = portable(&task, |_| None).unwrap_err();
    assert!(refused.contains("not known"), "{refused}");
    assert!(portable(&task[1..], digest_of).is_err());
}

#[test]
fn case_283_a_task_that_wants_more_than_this_machine_gives_is_refused() {
    assert!(read(&task_of(gate, Limits::default(), &bounds())).is_ok());
    let hour = Duration::from_secs(3_600);
    let large = |change: fn(&mut RunnerBounds)| {
        let mut bounds = bounds();
        change(&mut bounds);
        bounds
    };
    for bounds in [
        large(|bounds| bounds.call_max = Duration::from_secs(41)),
        large(|bounds| bounds.workload_max = Duration::MAX),
        large(|bounds| bounds.exit_max = Duration::MAX),
        large(|bounds| bounds.guests_bytes = u64::MAX),
        large(|bounds| bounds.participants = (0..5).collect()),
        large(|bounds| bounds.cases = usize::MAX),
        large(|bounds| bounds.wall_limit = "w".repeat(LIMIT_BYTES_MAX + 1)),
        large(|bounds| bounds.overrun = vec![(0, Duration::ZERO)]),
        large(|bounds| bounds.shares = vec![(0, Duration::ZERO)]),
    ] {
        let refused = read(&task_of(gate, Limits::default(), &bounds)).unwrap_err();
        assert!(
            refused.contains("more time or memory"),
            "{bounds:?}: {refused}"
        );
    }
    for limits in [
        Limits {
            memory_bytes: 8 << 30,
            ..Limits::default()
        },
        Limits {
            wall: 24 * hour,
            ..Limits::default()
        },
    ] {
        let refused = read(&task_of(gate, limits, &bounds())).unwrap_err();
        assert!(refused.contains("policy"), "{refused}");
    }
    let cases = |bundle: &mut Bundle| {
        AnyCall::from(ReadCasesCall {
            component: bundle.add_code(CODE),
        })
    };
    let refused = read(&task_of(cases, Limits::default(), &bounds())).unwrap_err();
    assert!(refused.contains("machine of its run"), "{refused}");
    let task = task_of(gate, Limits::default(), &bounds());
    let bytes = portable(&task, |_| Some(named("../key", None))).unwrap();
    assert!(PortableRequest::read(&bytes, &Policy::default()).is_err());
}

#[test]
fn case_299_a_replica_that_wants_more_than_this_machine_gives_is_refused() {
    let read = |variants: usize, bounds: &RunnerBounds, layout| {
        let task = task_of(replica(variants), Limits::default(), bounds);
        let digest = "a".repeat(DIGEST_CHARS);
        let bytes = portable(&task, |_| Some(named(&digest, layout))).unwrap();
        PortableRequest::read(&bytes, &Policy::default())
    };
    let bounds_of = |variants: usize| RunnerBounds {
        participants: (0..variants).collect(),
        overrun: (0..variants)
            .map(|one| (one, Duration::from_secs(1)))
            .collect(),
        left: Some(Duration::from_secs(20)),
        ..bounds()
    };
    let request = read(RACING_MAX, &bounds_of(RACING_MAX), Some(LAYOUTS - 1)).unwrap();
    assert_eq!(request.memory_bytes(), Limits::default().memory_bytes);
    for (variants, bounds, layout) in [
        (RACING_MAX + 2, bounds_of(2), Some(0)),
        (2, bounds_of(2), Some(LAYOUTS)),
        (2, bounds_of(RACING_MAX + 1), Some(0)),
        (
            2,
            RunnerBounds {
                guests_bytes: 64 << 30,
                ..bounds_of(2)
            },
            Some(0),
        ),
        (
            2,
            RunnerBounds {
                shares: vec![(0, Duration::ZERO); 3],
                ..bounds_of(2)
            },
            Some(0),
        ),
        (
            2,
            RunnerBounds {
                call_max: Duration::from_secs(3_600),
                ..bounds_of(2)
            },
            Some(0),
        ),
    ] {
        assert!(
            read(variants, &bounds, layout).is_err(),
            "{variants} {bounds:?}"
        );
    }
    // Code that is timed is for replicas alone.
    let task = task_of(gate, Limits::default(), &bounds());
    let timed = named(&"a".repeat(DIGEST_CHARS), Some(0));
    let bytes = portable(&task, |_| Some(timed.clone())).unwrap();
    assert!(PortableRequest::read(&bytes, &Policy::default()).is_err());
}
