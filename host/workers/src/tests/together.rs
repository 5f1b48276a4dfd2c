//! A run and an honest worker.

use super::memory::{Between, facts};
use crate::fleet::Fleet;
use crate::machines::MachineState;
use crate::service::{Service, ServiceEvent, TaskContents, TaskServer};
use bakeoff_confine::tasks::{
    AttemptReport, Driver, Job, RequestError, SeatChange, TaskClient, TaskEvent, WorkFuture,
    WorkerFrames, WorkerJob, WorkerLink,
};
use bakeoff_domain::queue::{Capacity, Cpu, Needs, Place, Retries, Task, TaskKey};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;

/// Answers with the content that the task names, in a part, and its core in the end.
#[derive(Default)]
struct Echo {
    at_work: Arc<AtomicUsize>,
}

struct RunningTask(Arc<AtomicUsize>);

impl Drop for RunningTask {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl TaskServer for Echo {
    fn serve<'a>(
        &'a self,
        task: Vec<u8>,
        core: usize,
        contents: TaskContents<'a>,
        frames: WorkerFrames,
    ) -> WorkFuture<'a> {
        self.at_work.fetch_add(1, Ordering::SeqCst);
        let at_work = RunningTask(Arc::clone(&self.at_work));
        Box::pin(async move {
            let _at_work = at_work;
            let digest = String::from_utf8(task).unwrap();
            match contents.get(&digest, 1 << 30).await {
                Ok(content) if content == b"stay" => {
                    frames.while_alive(std::future::pending::<()>()).await;
                }
                Ok(content) => {
                    frames.part(content);
                    frames.end(core.to_string().into_bytes());
                }
                Err(why) => frames.lost(why),
            }
        })
    }
}

struct Working1 {
    serving: JoinHandle<()>,
    events: UnboundedReceiver<ServiceEvent>,
    at_work: Arc<AtomicUsize>,
}

fn serve(between: &Between, machine: &str, start: u64) -> Working1 {
    let (events, happened) = unbounded_channel();
    let echo = Echo::default();
    let at_work = Arc::clone(&echo.at_work);
    let service = Service {
        facts: facts(2, start),
        cores: vec![5, 6],
        task_max: Duration::from_secs(600),
        server: Arc::new(echo),
        events,
    };
    let ends = between.worker(machine);
    let serving = tokio::spawn(async move {
        service.run(ends, std::future::pending()).await.unwrap();
    });
    Working1 {
        serving,
        events: happened,
        at_work,
    }
}

async fn link_of(fleet: &Fleet) -> WorkerLink {
    let mut seats = fleet.seats();
    loop {
        if let Some(SeatChange::Added(seat)) = seats.recv().await
            && let Some(link) = fleet.link(seat)
        {
            return link;
        }
    }
}

async fn request(link: &WorkerLink, task: &[u8]) -> Result<(Vec<u8>, Vec<u8>), RequestError> {
    let mut parts = Vec::new();
    let mut take = |part: Vec<u8>| {
        parts.extend(part);
        Ok(())
    };
    let end = link
        .request(WorkerJob { core: None, task }, &mut take)
        .await?;
    Ok((parts, end))
}

#[tokio::test]
async fn what_a_worker_answers_arrives_whole_also_where_it_is_large() {
    let between = Between::default();
    let fleet = between.run().await;
    let worker = serve(&between, "honest", 7);
    let link = link_of(&fleet).await;
    // In pieces on the way back, and once more over the same link.
    for task in [b"a task".to_vec(), vec![7; 3 << 20]] {
        let (parts, end) = request(&link, &task).await.unwrap();
        assert!(parts == task, "{} bytes", parts.len());
        assert!(end == b"5" || end == b"6");
    }
    assert_eq!(fleet.machines()[0].state, MachineState::Here);
    worker.serving.abort();
}

#[tokio::test]
async fn case_286_a_content_that_was_changed_on_its_way_is_not_used() {
    let between = Between::default();
    let fleet = between.run().await;
    let mut worker = serve(&between, "honest", 7);
    let link = link_of(&fleet).await;
    request(&link, b"a task").await.unwrap();
    between.change_contents();
    let refused = request(&link, b"a task").await.unwrap_err().to_string();
    assert!(refused.contains("another one than its digest"), "{refused}");
    // Both sides say so: the worker, too, says of each task what became of it.
    let (mut done, mut dropped) = (0, String::new());
    while dropped.is_empty() {
        match worker.events.recv().await {
            Some(ServiceEvent::Did(..)) => done += 1,
            Some(ServiceEvent::Dropped(_, why)) => dropped = why,
            Some(_) => {}
            None => panic!("it ended"),
        }
    }
    assert_eq!(done, 1);
    assert!(dropped.contains("another one than its digest"), "{dropped}");
    worker.serving.abort();
}

#[tokio::test]
async fn a_task_of_the_same_key_in_another_queue_of_the_session_is_done_as_well() {
    let between = Between::default();
    let fleet = between.run().await;
    let worker = serve(&between, "honest", 7);
    for _ in 0..2 {
        // Outside of a queue, keys and attempts are the same.
        let link = link_of(&fleet).await;
        let (parts, _) = request(&link, b"a task").await.unwrap();
        assert_eq!(parts, b"a task");
    }
    worker.serving.abort();
}

#[tokio::test]
async fn queues_with_few_tasks_begin_with_other_seats() {
    let between = Between::default();
    let fleet = between.run().await;
    let workers = ["one", "two"].map(|name| serve(&between, name, 7));
    while fleet.machines().len() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut machines = Vec::new();
    for _ in 0..4 {
        let mut seats = fleet.some_seats(1);
        let Some(SeatChange::Added(seat)) = seats.recv().await else {
            panic!("there is no seat");
        };
        assert!(seats.try_recv().is_err(), "one is enough for one task");
        machines.push(fleet.machine(seat).unwrap().to_string());
    }
    machines.sort();
    assert_eq!(machines, ["one", "one", "two", "two"]);
    workers.iter().for_each(|worker| worker.serving.abort());
}

#[tokio::test]
async fn who_waits_no_longer_stops_what_goes_on_elsewhere() {
    let between = Between::default();
    let fleet = between.run().await;
    let mut worker = serve(&between, "honest", 7);
    let link = link_of(&fleet).await;
    {
        let mut waiting = std::pin::pin!(request(&link, b"stay"));
        loop {
            tokio::select! {
                done = &mut waiting => panic!("{done:?}"),
                event = worker.events.recv() => {
                    if matches!(event, Some(ServiceEvent::Took(..))) {
                        break;
                    }
                }
            }
        }
    }
    while worker.at_work.load(Ordering::SeqCst) > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Its core is free again.
    for _ in 0..3 {
        request(&link, b"a task").await.unwrap();
    }
    worker.serving.abort();
}

#[tokio::test]
async fn two_workers_of_one_name_are_not_both_there() {
    let between = Between::default();
    let (events, _happened) = unbounded_channel();
    let first = serve(&between, "same", 1);
    let service = Service {
        facts: facts(2, 2),
        cores: vec![1],
        task_max: Duration::from_secs(60),
        server: Arc::new(Echo::default()),
        events,
    };
    let ends = between.worker("same");
    // The first one says that it is there.
    let wire = Arc::clone(&ends.wire);
    let running = tokio::spawn(service.run(ends, std::future::pending()));
    wire.announce(facts(2, 1).to_bytes()).await.unwrap();
    let refused = running.await.unwrap().unwrap_err().to_string();
    assert!(
        refused.contains("same") && refused.contains("--name"),
        "{refused}"
    );
    first.serving.abort();
}

/// Has everything done elsewhere that may be, and counts what was done where.
struct Client {
    fleet: Fleet,
    here: Mutex<Vec<String>>,
}

impl TaskClient for Client {
    type Task = &'static str;
    type Answer = String;

    async fn attempt(&self, job: Job<&'static str>, report: AttemptReport<String>) {
        let Some(link) = job.seat.and_then(|seat| self.fleet.link(seat)) else {
            self.here.lock().unwrap().push(job.task.to_owned());
            return report.done("here".to_owned());
        };
        let link = link.for_attempt(&report);
        match request(&link, job.task.as_bytes()).await {
            Ok((part, _)) => report.done(String::from_utf8(part).unwrap()),
            Err(error) => report.lost(error.to_string()),
        }
    }
}

#[tokio::test]
async fn a_queue_uses_seats_and_does_here_what_was_lost_elsewhere() {
    let between = Between::default();
    let fleet = between.run().await;
    let worker = serve(&between, "honest", 7);
    link_of(&fleet).await;
    let seats = fleet.seats();
    let client = Arc::new(Client {
        fleet,
        here: Mutex::default(),
    });
    let mut driver = Driver::new(Capacity::of_cores(0..1), Arc::clone(&client));
    driver.with_seats(seats);
    let task = |name: &str, place| {
        let needs = Needs {
            place,
            ..Needs::cpu(Cpu::Core)
        };
        Task {
            retries: Retries {
                attempts_max: 3,
                first_wait: Duration::ZERO,
                wait_max: Duration::ZERO,
            },
            ..Task::new(TaskKey::new(name), "task", needs)
        }
    };
    driver.add(task("one", Place::Anywhere), "one").unwrap();
    driver.add(task("two", Place::Here), "two").unwrap();
    driver.add(task("stays", Place::Anywhere), "stay").unwrap();
    let mut worker = Some(worker);
    let mut answers = Vec::new();
    while let Some(event) = driver.next().await {
        match event {
            TaskEvent::Ended(key, answer) => answers.push((key.to_string(), answer)),
            TaskEvent::Retry(key, reason) => {
                assert_eq!(key.as_str(), "stays");
                assert!(reason.contains("honest"), "{reason}");
            }
            TaskEvent::DeadLetter(key, reason) => panic!("{key}: {reason}"),
            TaskEvent::Starting(_) | TaskEvent::Progress(..) => {}
        }
        if answers.len() == 2
            && let Some(worker) = worker.take()
        {
            // Killed in the midst of the third, and started again: what it had is lost.
            worker.serving.abort();
            drop(between.join("honest").await);
        }
    }
    answers.sort();
    let expected = [("one", "one"), ("stays", "here"), ("two", "here")];
    let expected = expected.map(|(key, answer)| (key.to_owned(), answer.to_owned()));
    assert_eq!(answers, expected);
    let lost: u64 = driver.seat_loads().values().map(|load| load.lost).sum();
    assert_eq!(lost, 1);
}
