//! Runners that break their bounds: they say what they are about to do, as runners do, and then do
//! what no runner does.

use super::*;
use crate::confine::scripted_child;
use crate::measure::protocol::Inputs;
use crate::measure::runner_config::RunnerConfig;
use bakeoff_domain::spec::Limits;

/// Works without end, in this very process.
const LOOP: &str = "while :; do :; done";

/// The time that calls and the workload may take in these tests.
const PATIENCE: Duration = Duration::from_millis(300);

const CALLING: Doing = Doing::Calling {
    variant: 3,
    calls: 1,
};

async fn faked(folder: &tempfile::TempDir, doing: Doing, then: &str) -> Confinement {
    let about = postcard::to_stdvec(&Reply::About { case: 0, doing }).unwrap();
    scripted_child::confinement(folder.path(), &[&about], then).await
}

fn watch(confinement: &Confinement) -> Watch<'_> {
    Watch {
        confinement,
        message: b"",
        core: None,
        call_max: PATIENCE,
        workload_max: PATIENCE,
        wall_limit: "wall = 300 ms".into(),
        guests_bytes: 32 << 20,
        until: None,
    }
}

async fn ended(doing: Doing, then: &str) -> Result<Ended, RunnerError> {
    let folder = tempfile::tempdir().unwrap();
    let confinement = faked(&folder, doing, then).await;
    let mut tries = 0;
    loop {
        match watch(&confinement).run(&mut |_| {}).await {
            // This machine had other things to do.
            Ok(Ended::Stalled) if then == LOOP && tries < 10 => tries += 1,
            ended => return ended,
        }
    }
}

/// The class, limit and message of a variant's failure.
async fn blamed(doing: Doing, then: &str) -> (&'static str, Option<String>, String) {
    of_variant(ended(doing, then).await)
}

fn of_variant(ended: Result<Ended, RunnerError>) -> (&'static str, Option<String>, String) {
    match ended {
        Ok(Ended::Failed(failed)) => {
            assert_eq!((failed.len(), failed[0].variant), (1, Some(3)));
            let error = failed[0].error.clone();
            (error.class.name(), error.limit, error.message)
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn who_keeps_its_bounds_is_heard_to_the_end() {
    assert_eq!(ended(CALLING, "exit 0").await.unwrap(), Ended::Done);
    let (class, _, message) = blamed(CALLING, "exit 9").await;
    assert_eq!(class, "runner-crashed");
    assert!(message.contains("status 9"), "{message}");
}

#[tokio::test]
async fn a_runner_that_takes_memory_is_ended_by_name() {
    let folder = tempfile::tempdir().unwrap();
    // A block of 900 MiB, kept while nobody reads the pipe that it is written to.
    let hoards = "mkfifo \"$0.pipe\" && exec 3<>\"$0.pipe\" && \
                  exec dd if=/dev/zero bs=900M count=1 of=/dev/fd/3";
    let confinement = faked(&folder, CALLING, hoards).await;
    let watch = Watch {
        call_max: Duration::from_secs(600),
        ..watch(&confinement)
    };
    let (class, limit, _) = of_variant(watch.run(&mut |_| {}).await);
    assert_eq!(class, "memory-limit");
    assert_eq!(limit.as_deref(), Some("800 MiB for the whole process"));
}

#[tokio::test]
async fn a_call_has_its_wall_time_and_a_sample_of_many_that_of_two() {
    for calls in [1, 1_000_000] {
        let calling = Doing::Calling { variant: 3, calls };
        let (class, limit, _) = blamed(calling, LOOP).await;
        assert_eq!(class, "wall-limit");
        assert_eq!(limit.as_deref(), Some("wall = 300 ms"));
    }
}

#[tokio::test]
async fn the_workload_has_a_wall_time_too_and_no_variant_is_blamed() {
    match ended(Doing::Workload, LOOP).await {
        Err(RunnerError::Workload(message)) => assert!(message.contains("hangs"), "{message}"),
        // Ended all the same, on a machine that never let it work.
        Ok(Ended::Stalled) => {}
        other => panic!("{other:?}"),
    }
}

/// The runner hardly runs, so it gets more time, and does not run then either.
#[tokio::test]
async fn a_runner_that_never_works_again_is_a_stall() {
    let rests = "exec sleep 60";
    assert_eq!(ended(CALLING, rests).await.unwrap(), Ended::Stalled);
}

#[tokio::test]
async fn the_budget_ends_a_runner_in_the_middle_of_a_call() {
    let folder = tempfile::tempdir().unwrap();
    let confinement = faked(&folder, CALLING, LOOP).await;
    let watch = Watch {
        call_max: Duration::from_secs(600),
        until: Some(Instant::now() + PATIENCE),
        ..watch(&confinement)
    };
    assert_eq!(watch.run(&mut |_| {}).await.unwrap(), Ended::OutOfBudget);
}

#[tokio::test]
async fn what_a_runner_says_is_bounded() {
    // A frame of 4 MiB and a byte, announced and never sent.
    let frame = "printf '\\001\\000\\100\\000'; exec sleep 60";
    for (then, bound) in [
        (frame, "OutputOverflow"),
        ("exec yes >&2", "StderrOverflow"),
    ] {
        let (class, _, message) = blamed(CALLING, then).await;
        assert_eq!(class, "runner-crashed");
        assert!(message.contains(bound), "{message}");
    }
    match ended(CALLING, "printf '\\001\\000\\000\\000\\377'; exec sleep 60").await {
        Err(RunnerError::Silent(message)) => assert!(message.contains("unreadable"), "{message}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_runner_has_room_and_time_for_its_guests_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits {
        memory_bytes: 100,
        wall: Duration::from_secs(7),
        ..Limits::default()
    };
    let config = RunnerConfig {
        confinement: faked(&folder, CALLING, "").await,
        call: Vec::new(),
        limits,
        inputs: Inputs::Cases(Vec::new()),
        seed: 1,
        check_seed: 2,
    };
    let watch = config.watch(b"", None, 3, bounds::GATE_PATIENCE);
    // The workload and the component that does nothing have stores, too.
    assert_eq!(watch.guests_bytes, 500);
    assert_eq!(watch.call_max.as_secs(), 28);
    assert_eq!(watch.workload_max, bounds::WORKLOAD_PATIENCE);
    assert_eq!(watch.wall_limit, "wall = 7 s");
}
