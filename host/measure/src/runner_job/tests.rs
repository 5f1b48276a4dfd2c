//! Runners that break their bounds: they announce steps as runners do, and then do something else.

use super::*;
use crate::bounds;
use crate::gate::{GateRecord, check};
use crate::runner_config::RunnerConfig;
use crate::runner_worker::RunnerWorker;
use crate::scripted_child;
use bakeoff_confine::Confinement;
use bakeoff_confine::tasks::{
    AttemptReport, Driver, Job, TaskClient, TaskEvent, WorkFuture, Worker, WorkerFrames,
};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::queue::{Capacity, Cpu, Needs, Retries, Task, TaskKey};
use bakeoff_domain::spec::{Limits, State};
use bakeoff_runner::announcement::{Announcement, Doing};
use bakeoff_runner::protocol::RunnerInputs;
use bakeoff_runner::{DiagnoseCall, ReadCasesCall, WaveCase};
use std::sync::Arc;
use std::time::Duration;

/// Works without end, in this very process.
const LOOP: &str = "while :; do :; done";

/// The time that calls and the workload may take in these tests.
const PATIENCE: Duration = Duration::from_millis(300);

const CALLING: Doing = Doing::Calling {
    variant: 3,
    calls: 1,
};

fn word(case: CaseIndex, doing: Doing) -> u64 {
    let announcement = Announcement {
        sequence: 1,
        case,
        doing,
    };
    announcement.to_word()
}

/// About a tenth of a second of work, in this very process.
const WORK: &str = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";

/// Returns a worker of runners that write these words into their page, with some work after each but the last, and then
/// run a line of shell.
async fn writing(folder: &tempfile::TempDir, words: &[u64], then: &str) -> WorkerLink {
    let lines: Vec<String> = words.iter().copied().map(announce).collect();
    let then = format!("{}\n{then}", lines.join(&format!("\n{WORK}\n")));
    let confinement: Confinement = scripted_child::confinement(folder.path(), &[], &then).await;
    RunnerWorker::link(confinement)
}

/// Returns a line of shell that writes a word into the page that the child shares with the parent.
fn announce(word: u64) -> String {
    let bytes: String = word
        .to_ne_bytes()
        .map(|byte| format!("\\{byte:03o}"))
        .concat();
    // The third argument of a child; opened anew for reading and writing, which cuts nothing off.
    format!("printf '{bytes}' 1<>\"/proc/self/fd/$3\"")
}

async fn faked(folder: &tempfile::TempDir, doing: Doing, then: &str) -> WorkerLink {
    writing(folder, &[word(0, doing)], then).await
}

fn bounds() -> RunnerBounds {
    RunnerBounds {
        call_max: PATIENCE,
        workload_max: PATIENCE,
        exit_max: bounds::EXIT_PATIENCE,
        participants: vec![3, 5],
        cases: 2,
        wall_limit: "wall = 300 ms".into(),
        guests_bytes: 32 << 20,
        left: None,
        overrun: Vec::new(),
        shares: Vec::new(),
        programs: Vec::new(),
    }
}

/// Runs a runner with these bounds on this worker.
async fn run(worker: &WorkerLink, bounds: RunnerBounds) -> Result<RunnerExit, RunnerError> {
    let mut job = RunnerJob::<DiagnoseCall>::new(worker, Vec::new(), None, bounds);
    job.run(&mut |_| {}).await
}

async fn ended(doing: Doing, then: &str) -> Result<RunnerExit, RunnerError> {
    let folder = tempfile::tempdir().unwrap();
    let worker = faked(&folder, doing, then).await;
    let mut tries = 0;
    loop {
        match run(&worker, bounds()).await {
            // This machine had other things to do.
            Ok(RunnerExit::Stalled) if then == LOOP && tries < 10 => tries += 1,
            ended => return ended,
        }
    }
}

/// Returns the class, limit and message of a variant's failure.
async fn blamed(doing: Doing, then: &str) -> (&'static str, Option<String>, String) {
    of_variant(ended(doing, then).await)
}

fn of_variant(ended: Result<RunnerExit, RunnerError>) -> (&'static str, Option<String>, String) {
    match ended {
        Ok(RunnerExit::Died(death)) => {
            assert_eq!(death.running(), Some(3));
            let error = death.error;
            (error.class.name(), error.limit, error.message)
        }
        Ok(RunnerExit::Failed(failed)) => {
            assert_eq!((failed.len(), failed[0].variant), (1, Some(3)));
            let error = failed[0].error.clone();
            (error.class.name(), error.limit, error.message)
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn who_keeps_its_bounds_is_heard_to_the_end() {
    assert_eq!(ended(CALLING, "exit 0").await.unwrap(), RunnerExit::Done);
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
    let worker = faked(&folder, CALLING, hoards).await;
    let bounds = RunnerBounds {
        call_max: Duration::from_secs(600),
        ..bounds()
    };
    let (class, limit, _) = of_variant(run(&worker, bounds).await);
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
        Ok(RunnerExit::Stalled) => {}
        other => panic!("{other:?}"),
    }
}

/// The runner hardly runs, so it gets more time; since it does not run then either, the machine stalled.
#[tokio::test]
async fn a_runner_that_never_works_again_is_a_stall() {
    let rests = "exec sleep 60";
    assert_eq!(ended(CALLING, rests).await.unwrap(), RunnerExit::Stalled);
}

#[tokio::test]
async fn the_budget_ends_a_runner_in_the_middle_of_a_call() {
    let folder = tempfile::tempdir().unwrap();
    let worker = faked(&folder, CALLING, LOOP).await;
    let bounds = RunnerBounds {
        call_max: Duration::from_secs(600),
        left: Some(PATIENCE),
        ..bounds()
    };
    match run(&worker, bounds).await.unwrap() {
        // On a busy machine the budget ends before the runner has said what it does.
        RunnerExit::OutOfBudget(None) => {}
        RunnerExit::OutOfBudget(Some(call)) => assert_eq!(call.variant, 3),
        other => panic!("{other:?}"),
    }
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

/// Returns the message with which a runner is stopped that writes these words and then runs a line of shell.
async fn broken(words: &[u64], then: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let worker = writing(&folder, words, then).await;
    let bounds = RunnerBounds {
        call_max: Duration::from_secs(600),
        workload_max: Duration::from_secs(600),
        ..bounds()
    };
    match run(&worker, bounds).await {
        Err(RunnerError::Silent(message)) => message,
        other => panic!("{words:x?}: {other:?}"),
    }
}

#[tokio::test]
async fn a_page_that_no_runner_writes_ends_the_runner_and_blames_nobody() {
    let calling = |variant, calls| word(0, Doing::Calling { variant, calls });
    for (wrong, reason) in [
        (u64::MAX, "announces nothing"),
        (1 << 42, "announces nothing"),
        (calling(3, 0), "announces nothing"),
        (word(0, Doing::Workload) | 1 << 2, "announces nothing"),
        (word(2, CALLING), "a case that there is not"),
        (
            word(usize::MAX, Doing::Workload),
            "a case that there is not",
        ),
        (calling(4, 1), "does not take part"),
        (calling(usize::MAX, 1), "does not take part"),
    ] {
        // At once, after a right one, while it works, and as the last that it does.
        for then in ["exec sleep 300", "exit 0", "exit 9"] {
            let message = broken(&[wrong], then).await;
            assert!(message.contains(reason), "{wrong:#x}, {then}: {message}");
        }
        let message = broken(&[word(0, CALLING), wrong], LOOP).await;
        assert!(message.contains(reason), "{wrong:#x}: {message}");
    }
    let message = broken(&[word(0, CALLING), 0], LOOP).await;
    assert!(
        message.contains("took its last announcement back"),
        "{message}"
    );
}

#[tokio::test]
async fn who_is_announced_at_the_end_is_blamed_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let other = Doing::Calling {
        variant: 5,
        calls: 1,
    };
    let words = [word(0, other), word(1, CALLING)];
    for then in ["exit 9", "kill -SEGV $$"] {
        let worker = writing(&folder, &words, then).await;
        let bounds = RunnerBounds {
            call_max: Duration::from_secs(600),
            ..bounds()
        };
        let (class, ..) = of_variant(run(&worker, bounds).await);
        assert_eq!(class, "runner-crashed", "{then}");
    }
    // Nobody was running: nobody is blamed.
    match ended(Doing::Workload, "exit 9").await {
        Ok(RunnerExit::Died(death)) => {
            assert_eq!(death.running(), None);
            let message = death.error.message;
            assert!(message.contains("status 9"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

/// Checks a variant by runners that die: the first time, or each time.
async fn checked(then: &str) -> Result<GateRecord, RunnerError> {
    let folder = tempfile::tempdir().unwrap();
    let calling = Doing::Calling {
        variant: 0,
        calls: 1,
    };
    let then = then.replace("MARK", &folder.path().join("mark").display().to_string());
    let config = checked_config(faked(&folder, calling, &then).await);
    check(&config, b"", None, None, |_| {}).await
}

fn checked_config(worker: WorkerLink) -> RunnerConfig {
    RunnerConfig {
        worker,
        elsewhere: false,
        call: Vec::new(),
        limits: Limits::default(),
        state: State::Pure,
        inputs: RunnerInputs::Cases(vec![WaveCase {
            call: "f()".to_owned(),
            expect: None,
        }]),
        seed: RunSeed::Named(1),
        check_seed: RunSeed::Named(2),
        repeats_fuel: None,
    }
}

/// Fault of a worker at its first attempt.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    Dies,
    EndsAtOnce,
    IsLost,
    EndsWithGarbage,
}

/// A worker with a fault at the first attempt, which runs runners at others.
struct Flaky(Wrong, WorkerLink);

impl Worker for Flaky {
    fn work<'a>(&'a self, job: WorkerJob<'a>, frames: WorkerFrames) -> WorkFuture<'a> {
        Box::pin(async move {
            let is_first = frames.attempt().number == 1;
            match self.0 {
                Wrong::Dies if is_first => panic!("a worker that dies"),
                Wrong::EndsAtOnce if is_first => {}
                Wrong::IsLost if is_first => frames.lost("its machine is gone"),
                Wrong::EndsWithGarbage if is_first => frames.end(vec![0xff; 64]),
                _ => {
                    let mut on_part = |part| {
                        frames.part(part);
                        Ok(())
                    };
                    frames.end(self.1.request(job, &mut on_part).await.unwrap());
                }
            }
        })
    }
}

/// A client that checks a variant, as a task.
struct Checks(RunnerConfig);

impl TaskClient for Checks {
    type Task = ();
    type Answer = Result<GateRecord, RunnerError>;

    async fn attempt(&self, job: Job<()>, report: AttemptReport<Self::Answer>) {
        let config = self.0.for_attempt(&report);
        match check(&config, b"", None, job.core, |_| {}).await {
            Err(RunnerError::WorkerLost(reason)) => report.lost(reason),
            checked => report.done(checked),
        }
    }
}

#[tokio::test]
async fn a_worker_that_is_lost_blames_nobody_and_another_attempt_has_the_runners_own_end() {
    let calling = Doing::Calling {
        variant: 0,
        calls: 1,
    };
    for (wrong, reason) in [
        (Wrong::Dies, "its worker ended without an answer"),
        (Wrong::EndsAtOnce, "its worker ended without an answer"),
        (Wrong::IsLost, "its machine is gone"),
        (Wrong::EndsWithGarbage, "its last frame is unreadable"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let runner = faked(&folder, calling, "exit 9").await;
        let worker = WorkerLink::new(Arc::new(Flaky(wrong, runner)));
        let client = Checks(checked_config(worker));
        let mut driver = Driver::new(Capacity::of_cores(0..1), Arc::new(client));
        let task = Task {
            retries: Retries {
                attempts_max: 2,
                ..Retries::NONE
            },
            ..Task::new(TaskKey::new("check"), "check", Needs::cpu(Cpu::Core))
        };
        driver.add(task, ()).unwrap();
        let (mut lost, mut failures) = (Vec::new(), Vec::new());
        while let Some(event) = driver.next().await {
            match event {
                TaskEvent::Retry(_, reason) => lost.push(reason),
                TaskEvent::Ended(_, checked) => failures.push(checked.unwrap().failure.unwrap()),
                _ => {}
            }
        }
        assert!(
            matches!(&lost[..], [one] if one.starts_with(reason)),
            "{wrong:?}: {lost:?}"
        );
        let classes: Vec<&str> = failures.iter().map(|one| one.class.name()).collect();
        assert_eq!(classes, ["runner-crashed"], "{wrong:?}");
    }
}

#[tokio::test]
async fn case_76_killed_gate() {
    let failure = checked("kill -KILL $$").await.unwrap().failure.unwrap();
    assert_eq!(failure.class.name(), "runner-crashed");
    assert!(failure.message.contains("twice"), "{}", failure.message);
    // Once is nobody's fault: the runner is started again, and this one says nothing of its own.
    let once = "[ -e MARK ] && exit 0; : > MARK; kill -KILL $$";
    match checked(once).await {
        Err(RunnerError::Silent(message)) => assert!(message.contains("left out"), "{message}"),
        other => panic!("{other:?}"),
    }
}

/// Each step has its own time: all together take more CPU time than one of them may.
#[tokio::test]
async fn a_new_step_begins_when_it_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let words: Vec<u64> = (1..=21)
        .map(|sequence| {
            let announcement = Announcement {
                sequence,
                case: 0,
                doing: CALLING,
            };
            announcement.to_word()
        })
        .collect();
    let worker = writing(&folder, &words, "exit 0").await;
    let bounds = RunnerBounds {
        call_max: Duration::from_secs(1),
        ..bounds()
    };
    assert_eq!(run(&worker, bounds).await.unwrap(), RunnerExit::Done);
}

/// Runs a runner that closes its pipe, and then does this.
async fn closed(then: &str) -> Result<RunnerExit, RunnerError> {
    let folder = tempfile::tempdir().unwrap();
    let worker = faked(&folder, CALLING, &format!("exec >&- 2>&-; {then}")).await;
    let bounds = RunnerBounds {
        exit_max: PATIENCE,
        ..bounds()
    };
    run(&worker, bounds).await
}

#[tokio::test]
async fn a_runner_that_closes_its_pipe_and_goes_on_is_ended() {
    let mut ended = closed(LOOP).await;
    while matches!(ended, Ok(RunnerExit::Stalled)) {
        // This machine had other things to do.
        ended = closed(LOOP).await;
    }
    assert!(matches!(ended, Err(RunnerError::Silent(why)) if why.contains("went on")));
}

/// Its work counts for nothing, and is done once more.
#[tokio::test]
async fn a_runner_that_is_stopped_on_its_way_out_is_a_stall() {
    assert_eq!(closed("exec sleep 300").await.unwrap(), RunnerExit::Stalled);
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
        worker: faked(&folder, CALLING, "").await,
        elsewhere: false,
        call: Vec::new(),
        limits,
        state: State::Pure,
        inputs: RunnerInputs::Cases(Vec::new()),
        seed: RunSeed::Named(1),
        check_seed: RunSeed::Named(2),
        repeats_fuel: None,
    };
    let runner = config
        .runner(None, 3, |bundle| ReadCasesCall {
            component: bundle.add_code(&[]),
        })
        .unwrap()
        .bounds;
    assert_eq!((runner.participants.len(), runner.cases), (3, 0));
    assert_eq!(runner.exit_max, bounds::EXIT_PATIENCE);
    // The workload and the component that does nothing have stores, too.
    assert_eq!(runner.guests_bytes, 500);
    assert_eq!(runner.call_max.as_secs(), 28);
    assert_eq!(runner.workload_max, bounds::WORKLOAD_PATIENCE);
    assert_eq!(runner.wall_limit, "wall = 7 s");
}
