//! Workers that die, stall, lie, lose frames, and answer twice or too late, with a lease of half a second;
//! nothing here depends on how long anything took.

use super::wire::{self, FrameBody, FrameHeader};
use super::{
    AttemptReport, Driver, Job, TaskClient, TaskEvent, WorkFuture, Worker, WorkerFrames, WorkerJob,
    WorkerLink,
};
use bakeoff_domain::queue::{Attempt, Capacity, Cpu, Dependency, Needs, Retries, Task, TaskKey};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::sleep;

const LEASE: Duration = Duration::from_millis(500);

/// Does what the first byte of a task says, in its first attempt; in later ones it answers.
#[derive(Default)]
struct Scripted {
    /// Attempts by task.
    attempts: Mutex<BTreeMap<String, u32>>,
    /// Attempts under way, and the most there ever were.
    at_work: AtomicUsize,
    most_at_work: AtomicUsize,
    /// Tasks that were worked on for long, and have an end.
    ended: AtomicUsize,
    /// The way back of attempts that were given up.
    late: Mutex<Vec<WorkerFrames>>,
}

/// Counts an attempt that is under way until it is dropped.
struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Returns a frame with this header.
fn frame(attempt: &Attempt, request: u32, number: u32, body: FrameBody, content: &str) -> Vec<u8> {
    let header = FrameHeader {
        key: attempt.key.to_string(),
        attempt: attempt.number,
        request,
        number,
        body,
    };
    wire::sealed(content.as_bytes().to_vec(), &header)
}

impl Scripted {
    async fn script(&self, task: &[u8], frames: WorkerFrames) {
        let now = 1 + self.at_work.fetch_add(1, Ordering::SeqCst);
        let _counted = Counted(&self.at_work);
        self.most_at_work.fetch_max(now, Ordering::SeqCst);
        let attempt = frames.attempt().clone();
        let key = attempt.key.to_string();
        *self.attempts.lock().unwrap().entry(key).or_default() += 1;
        let answer = [task, b" done"].concat();
        let text = String::from_utf8(answer.clone()).unwrap();
        let is_first = attempt.number == 1;
        match task[0] {
            b'd' if is_first => panic!("a worker that dies"),
            b'g' if is_first => {}
            b'D' => panic!("a worker that always dies"),
            b's' if is_first => std::future::pending().await,
            b'l' => {
                // The ends of another task, of an attempt that nobody has, and of another request.
                let other = Attempt {
                    key: TaskKey::new("made up"),
                    number: attempt.number,
                };
                let later = Attempt {
                    number: 7,
                    ..attempt.clone()
                };
                for (attempt, request) in [(&other, 0), (&later, 0), (&attempt, 1)] {
                    let lie = frame(attempt, request, 0, FrameBody::End, "a lie");
                    frames.send_bytes(lie);
                }
                frames.end(answer);
            }
            b'n' if is_first => {
                frames.send_bytes(b"no frame at all".to_vec());
                frames.end(answer);
            }
            b'm' if is_first => {
                // The first part is lost on its way.
                let end = frame(&attempt, 0, 1, FrameBody::End, &text);
                frames.send_bytes(end);
            }
            b'2' => {
                for _ in 0..2 {
                    let part = frame(&attempt, 0, 0, FrameBody::Part, "part");
                    frames.send_bytes(part);
                }
                let end = frame(&attempt, 0, 1, FrameBody::End, &text);
                frames.send_bytes(end);
                let end = frame(&attempt, 0, 2, FrameBody::End, "another");
                frames.send_bytes(end);
            }
            b'a' if is_first => {
                self.late.lock().unwrap().push(frames);
                std::future::pending().await
            }
            b'a' => {
                let late = self.late.lock().unwrap().pop();
                late.unwrap().end(b"too late".to_vec());
                frames.end(answer);
            }
            b'w' => {
                // Longer than the lease, with signs of life.
                for _ in 0..6 {
                    sleep(LEASE / 4).await;
                    frames.part(b"step".to_vec());
                }
                frames.end(answer);
                self.ended.fetch_add(1, Ordering::SeqCst);
            }
            b'p' => {
                for _ in 0..6 {
                    sleep(LEASE / 4).await;
                    frames.send(FrameBody::Heartbeat, Vec::new());
                }
                frames.end(answer);
            }
            b'r' if attempt.number < 3 => frames.lost("refused for a moment"),
            _ => frames.end(answer),
        }
    }
}

impl Worker for Scripted {
    fn work<'a>(&'a self, job: WorkerJob<'a>, frames: WorkerFrames) -> WorkFuture<'a> {
        Box::pin(self.script(job.task, frames))
    }
}

/// A client that passes bytes on. An answer that begins with an f is a failure.
struct PassesOn(WorkerLink);

impl TaskClient for PassesOn {
    type Task = Vec<u8>;
    type Answer = Vec<u8>;

    async fn attempt(&self, job: Job<Vec<u8>>, report: AttemptReport<Vec<u8>>) {
        let worker = self.0.for_attempt(&report);
        let mut parts = 0;
        let mut on_part = |_| {
            parts += 1;
            report.progress(parts);
            Ok(())
        };
        let job = WorkerJob {
            core: job.core,
            task: &job.task,
        };
        match worker.request(job, &mut on_part).await {
            Ok(answer) if answer[0] == b'f' => report.failed(answer),
            Ok(answer) => report.done(answer),
            Err(error) => report.lost(error.to_string()),
        }
    }
}

fn driver_of(cores: usize, worker: &Arc<Scripted>) -> Driver<PassesOn> {
    let link = WorkerLink::new(Arc::clone(worker) as Arc<dyn Worker>);
    Driver::new(Capacity::of_cores(0..cores), Arc::new(PassesOn(link)))
}

fn task(name: &str, after: Vec<Dependency>) -> Task {
    Task {
        after,
        lease: LEASE,
        retries: Retries {
            attempts_max: 3,
            first_wait: Duration::from_millis(1),
            wait_max: Duration::from_millis(10),
        },
        ..Task::new(TaskKey::new(name), "task", Needs::cpu(Cpu::Core))
    }
}

/// Events of one task, summed up.
#[derive(Default, Debug, PartialEq, Eq)]
struct Outcome {
    starts: u32,
    steps: usize,
    answers: Vec<String>,
    retries: Vec<String>,
    dead: Option<String>,
}

async fn all(driver: &mut Driver<PassesOn>) -> BTreeMap<String, Outcome> {
    let mut outcomes: BTreeMap<String, Outcome> = BTreeMap::new();
    while let Some(event) = driver.next().await {
        let key = match &event {
            TaskEvent::Starting(lease) => &lease.attempt.key,
            TaskEvent::Progress(key, _)
            | TaskEvent::Ended(key, _)
            | TaskEvent::Retry(key, _)
            | TaskEvent::DeadLetter(key, _) => key,
        };
        let outcome = outcomes.entry(key.to_string()).or_default();
        match event {
            TaskEvent::Starting(_) => outcome.starts += 1,
            TaskEvent::Progress(_, steps) => outcome.steps = steps,
            TaskEvent::Ended(_, answer) => {
                let answer = String::from_utf8(answer).unwrap();
                outcome.answers.push(answer);
            }
            TaskEvent::Retry(_, reason) => outcome.retries.push(reason),
            TaskEvent::DeadLetter(_, reason) => outcome.dead = Some(reason),
        }
    }
    outcomes
}

async fn outcomes(cores: usize, names: &[&str]) -> (BTreeMap<String, Outcome>, Arc<Scripted>) {
    let worker = Arc::new(Scripted::default());
    let mut driver = driver_of(cores, &worker);
    for name in names {
        let content = name.as_bytes().to_vec();
        driver.add(task(name, Vec::new()), content).unwrap();
    }
    (all(&mut driver).await, worker)
}

#[tokio::test]
async fn whatever_workers_do_each_task_has_one_answer_of_an_attempt_that_had_the_lease() {
    let names = [
        "dies",
        "goes",
        "stalls",
        "refused",
        "lies",
        "no frames",
        "misses one",
        "2 answers",
        "answers late",
        "works long",
        "pulse and no parts",
        "honest",
    ];
    let (outcomes, worker) = outcomes(3, &names).await;
    assert_eq!(outcomes.len(), names.len());
    for name in names {
        let outcome = &outcomes[name];
        assert_eq!(outcome.answers, [format!("{name} done")], "{name}");
        let lost = match name {
            "dies" | "goes" => vec!["its worker ended without an answer"],
            "refused" => vec!["refused for a moment"; 2],
            "stalls" | "answers late" => vec!["its worker said nothing for too long"],
            "no frames" => vec!["its worker sent what is no frame"],
            "misses one" => vec!["a frame of its worker is missing"],
            _ => Vec::new(),
        };
        assert_eq!(outcome.retries, lost, "{name}");
        assert_eq!(outcome.starts as usize, 1 + lost.len(), "{name}");
        assert_eq!(worker.attempts.lock().unwrap()[name], outcome.starts);
    }
    assert_eq!(outcomes["works long"].steps, 6);
    assert_eq!(outcomes["2 answers"].steps, 1, "a frame that came twice");
    assert!(worker.most_at_work.load(Ordering::SeqCst) <= 3);
}

#[tokio::test]
async fn a_core_is_given_on_only_when_the_stalled_worker_on_it_is_gone() {
    let (outcomes, worker) = outcomes(1, &["stalls", "honest"]).await;
    assert_eq!(outcomes["stalls"].starts, 2);
    assert_eq!(worker.most_at_work.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn who_always_dies_is_a_dead_letter_and_holds_up_only_what_needs_the_result() {
    let worker = Arc::new(Scripted::default());
    let mut driver = driver_of(2, &worker);
    let on_result = |name: &str| vec![Dependency::on_result(TaskKey::new(name))];
    let on_end = |name: &str| vec![Dependency::on_end(TaskKey::new(name))];
    for (name, after) in [
        ("Dies", Vec::new()),
        ("fails", Vec::new()),
        ("needs it", on_result("Dies")),
        ("needs that", on_result("fails")),
        ("comes after", on_end("Dies")),
    ] {
        let content = name.as_bytes().to_vec();
        driver.add(task(name, after), content).unwrap();
    }
    let outcomes = all(&mut driver).await;
    let dead = outcomes["Dies"].dead.as_deref();
    assert_eq!(dead, Some("its worker ended without an answer"));
    assert_eq!((outcomes["Dies"].starts, outcomes["fails"].starts), (3, 1));
    assert_eq!(outcomes["fails"].answers, ["fails done"]);
    assert_eq!(outcomes["comes after"].answers, ["comes after done"]);
    assert!(!outcomes.contains_key("needs it") && !outcomes.contains_key("needs that"));
}

#[tokio::test]
async fn a_task_that_is_kept_when_it_is_about_to_start_does_not() {
    let worker = Arc::new(Scripted::default());
    let mut driver = driver_of(1, &worker);
    for name in ["kept", "honest"] {
        let content = name.as_bytes().to_vec();
        driver.add(task(name, Vec::new()), content).unwrap();
    }
    let mut answers = 0;
    while let Some(event) = driver.next().await {
        match event {
            TaskEvent::Starting(lease) if lease.attempt.key.as_str() == "kept" => {
                driver.keep(&lease.attempt.key);
            }
            TaskEvent::Ended(key, _) => {
                assert_eq!(key.as_str(), "honest");
                answers += 1;
            }
            _ => {}
        }
    }
    assert_eq!(answers, 1);
    assert!(!worker.attempts.lock().unwrap().contains_key("kept"));
}

#[tokio::test]
async fn with_the_driver_end_those_who_are_at_work() {
    let worker = Arc::new(Scripted::default());
    let mut driver = driver_of(1, &worker);
    let content = b"stalls".to_vec();
    driver.add(task("stalls", Vec::new()), content).unwrap();
    let first = driver.next().await;
    assert!(matches!(first, Some(TaskEvent::Starting(_))), "{first:?}");
    driver.start();
    while worker.at_work.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    drop(driver);
    while worker.at_work.load(Ordering::SeqCst) > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn one_answer_can_be_waited_for_and_what_happens_meanwhile_is_told_later() {
    let worker = Arc::new(Scripted::default());
    let mut driver = driver_of(2, &worker);
    for name in ["works long", "honest", "Dies"] {
        let content = name.as_bytes().to_vec();
        driver.add(task(name, Vec::new()), content).unwrap();
    }
    let long = driver.answer(&TaskKey::new("works long")).await;
    assert_eq!(long.as_deref(), Some(&b"works long done"[..]));
    // It is lost, which nobody waits for but who asks.
    assert_eq!(driver.answer(&TaskKey::new("Dies")).await, None);
    let later = all(&mut driver).await;
    assert_eq!(later["honest"].answers, ["honest done"]);
    assert_eq!(later["works long"].answers, [""; 0], "it was told already");
    assert_eq!(driver.counts().over, 3);
}

#[tokio::test]
async fn what_is_stopped_is_withdrawn_and_others_may_follow() {
    let worker = Arc::new(Scripted::default());
    let mut driver = driver_of(1, &worker);
    for name in ["stalls", "waits"] {
        let content = name.as_bytes().to_vec();
        driver.add(task(name, Vec::new()), content).unwrap();
    }
    assert!(driver.next().await.is_some());
    driver.start();
    while worker.at_work.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    driver.stop().await;
    assert_eq!(worker.at_work.load(Ordering::SeqCst), 0, "it goes on");
    assert_eq!(driver.next().await, None);
    assert_eq!(driver.loads()[&Some(0)].tasks, 1, "its time was work");
    let content = b"honest".to_vec();
    driver.add(task("honest", Vec::new()), content).unwrap();
    assert_eq!(all(&mut driver).await["honest"].answers, ["honest done"]);
    assert!(!worker.attempts.lock().unwrap().contains_key("waits"));
}

/// Blocks the thread that asks for events until both workers are done, as a commit does in a run.
#[test]
fn workers_go_on_and_keep_their_leases_while_the_owner_of_the_events_blocks() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let worker = Arc::new(Scripted::default());
    let outcomes = runtime.block_on(async {
        let mut driver = driver_of(2, &worker);
        for name in ["works long", "works as long"] {
            let content = name.as_bytes().to_vec();
            driver.add(task(name, Vec::new()), content).unwrap();
        }
        for _ in 0..2 {
            let event = driver.next().await;
            assert!(matches!(event, Some(TaskEvent::Starting(_))), "{event:?}");
        }
        driver.start();
        // Until both are done: nobody reads what they say.
        while worker.ended.load(Ordering::SeqCst) < 2 {
            std::thread::sleep(LEASE / 10);
        }
        all(&mut driver).await
    });
    for name in ["works long", "works as long"] {
        let outcome = &outcomes[name];
        assert_eq!(outcome.answers, [format!("{name} done")]);
        assert_eq!(
            (outcome.steps, outcome.retries.len()),
            (6, 0),
            "{outcome:?}"
        );
    }
}
