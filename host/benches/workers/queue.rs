//! This end: a queue of tasks that are done by workers elsewhere, or by one in this process.

use crate::candidate::{Candidate, facts};
use bakeoff_confine::tasks::{
    AttemptReport, Driver, Job, SeatChange, TaskClient, TaskEvent, WorkFuture, Worker,
    WorkerFrames, WorkerJob, WorkerLink,
};
use bakeoff_domain::queue::{Capacity, Cpu, Needs, Place, Task, TaskKey};
use bakeoff_source::content_address;
use bakeoff_workers::{Fleet, PackedTask, Packer, ServerAddress, ServerCredentials};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;

/// The time in which all workers must be there.
const JOIN_MAX: Duration = Duration::from_secs(60);

/// The key of a task that has the only core of this machine until all others are done: nothing of them is done here.
const KEEPS_CORE: &str = "keeps the core";

/// The number of sessions of this process.
static SESSIONS: AtomicU64 = AtomicU64::new(0);

/// Contents by their digests.
type Contents = BTreeMap<String, Arc<[u8]>>;

/// Tasks that are done together.
pub(crate) struct Batch {
    tasks: Vec<Vec<u8>>,
    contents: Contents,
}

impl Batch {
    /// Returns candidates with a content of their own each.
    pub(crate) fn of_candidates(count: usize, time: Duration, bytes: usize) -> Self {
        let mut batch = Self::of_nothing(0);
        for number in 0..count {
            let mut content = vec![7; bytes];
            content[..8].copy_from_slice(&(number as u64).to_le_bytes());
            let digest = content_address(&content);
            let candidate = Candidate {
                milliseconds: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
                content: Some(digest.clone()),
            };
            batch.contents.insert(digest, content.into());
            batch.tasks.push(candidate.to_bytes());
        }
        batch
    }

    /// Returns tasks that take no time.
    pub(crate) fn of_nothing(count: usize) -> Self {
        let nothing = Candidate {
            milliseconds: 0,
            content: None,
        };
        Self {
            tasks: vec![nothing.to_bytes(); count],
            contents: BTreeMap::new(),
        }
    }
}

/// What became of tasks.
pub(crate) struct Done {
    /// The time from the first one to the last answer.
    pub(crate) wall: Duration,
    /// The time in which workers had tasks, added up.
    pub(crate) at_work: Duration,
}

/// Workers elsewhere.
pub(crate) struct Elsewhere {
    address: ServerAddress,
    seats: usize,
}

struct Client {
    fleet: Option<Fleet>,
    here: WorkerLink,
    over: Notify,
}

impl TaskClient for Client {
    type Task = Arc<[u8]>;
    type Answer = Vec<u8>;

    async fn attempt(&self, job: Job<Arc<[u8]>>, report: AttemptReport<Vec<u8>>) {
        if job.attempt.key.as_str() == KEEPS_CORE {
            report.while_alive(self.over.notified()).await;
            return report.done(Vec::new());
        }
        let link = match (&self.fleet, job.seat) {
            (Some(fleet), Some(seat)) => fleet.link(seat),
            _ => None,
        };
        let link = link.unwrap_or_else(|| self.here.clone());
        let job = WorkerJob {
            core: None,
            task: &job.task,
        };
        let mut ignore = |_| Ok(());
        match link.for_attempt(&report).request(job, &mut ignore).await {
            Ok(answer) => report.done(answer),
            Err(error) => report.lost(error.to_string()),
        }
    }
}

/// A worker in this process, which does nothing.
struct Idle;

impl Worker for Idle {
    fn work<'a>(&'a self, _job: WorkerJob<'a>, frames: WorkerFrames) -> WorkFuture<'a> {
        Box::pin(async move { frames.end(b"0".to_vec()) })
    }
}

impl Elsewhere {
    /// Waits for workers with so many seats at an address.
    pub(crate) async fn join(address: &str, seats: usize) -> Result<Self, Box<dyn Error>> {
        let elsewhere = Self {
            address: ServerAddress::parse(address)?,
            seats,
        };
        let until = Instant::now() + JOIN_MAX;
        while elsewhere.begin(&Contents::new()).await?.1 < seats {
            if Instant::now() > until {
                return Err("the workers are not there".into());
            }
        }
        Ok(elsewhere)
    }

    /// Begins a session, and returns it with its seats.
    async fn begin(&self, contents: &Contents) -> Result<(Fleet, usize), Box<dyn Error>> {
        let number = SESSIONS.fetch_add(1, Ordering::Relaxed);
        let session = format!("bench-{}-{number}", std::process::id());
        let credentials = ServerCredentials::default();
        let ends = bakeoff_workers::connect_run(&self.address, &credentials, &session).await?;
        let contents = contents.clone();
        let packer: Packer = Arc::new(move |task: &[u8]| {
            let own = contents.iter();
            let own = own.filter(|(digest, _)| task.ends_with(digest.as_bytes()));
            Ok(PackedTask {
                bytes: task.to_vec(),
                contents: own
                    .map(|(digest, content)| (digest.clone(), Arc::clone(content)))
                    .collect(),
            })
        });
        let fleet = Fleet::begin(ends, facts(0), session, packer).await;
        let mut seats = fleet.seats();
        let mut count = 0;
        while let Ok(SeatChange::Added(_)) = seats.try_recv() {
            count += 1;
        }
        Ok((fleet, count))
    }

    /// Has a batch done by these workers alone.
    pub(crate) async fn run(&self, batch: Batch) -> Result<Done, Box<dyn Error>> {
        let (fleet, seats) = self.begin(&batch.contents).await?;
        if seats < self.seats {
            return Err("a worker is gone".into());
        }
        let seats = fleet.seats();
        run(batch.tasks, 1, Some((fleet, seats))).await
    }
}

/// Returns the time of a task that does nothing in the queue of this process.
pub(crate) async fn embedded(tasks: usize, at_once: usize) -> Result<Duration, Box<dyn Error>> {
    let done = run(Batch::of_nothing(tasks).tasks, at_once, None).await?;
    Ok(done.wall / u32::try_from(tasks)?)
}

async fn run(
    tasks: Vec<Vec<u8>>,
    cores: usize,
    elsewhere: Option<(Fleet, UnboundedReceiver<SeatChange>)>,
) -> Result<Done, Box<dyn Error>> {
    let (fleet, seats) = elsewhere.unzip();
    let is_elsewhere = fleet.is_some();
    let client = Arc::new(Client {
        fleet,
        here: WorkerLink::new(Arc::new(Idle)),
        over: Notify::new(),
    });
    let mut driver = Driver::new(Capacity::of_cores(0..cores), Arc::clone(&client));
    if let Some(seats) = seats {
        driver.with_seats(seats);
        let keeps = Task {
            priority: 1,
            ..Task::new(TaskKey::new(KEEPS_CORE), "keep", Needs::cpu(Cpu::Core))
        };
        driver.add(keeps, Vec::new().into())?;
    }
    let count = tasks.len();
    for (number, task) in tasks.into_iter().enumerate() {
        let needs = Needs {
            place: Place::Anywhere,
            ..Needs::cpu(Cpu::Core)
        };
        let task_of_queue = Task::new(TaskKey::new(format!("task {number}")), "task", needs);
        driver.add(task_of_queue, task.into())?;
    }
    let began = Instant::now();
    let (mut wall, mut ended) = (Duration::ZERO, 0);
    let mut at_work = Duration::ZERO;
    while let Some(event) = driver.next().await {
        match event {
            TaskEvent::Ended(key, _) if key.as_str() == KEEPS_CORE => {}
            TaskEvent::Ended(_, answer) => {
                ended += 1;
                let microseconds = String::from_utf8(answer)?.parse()?;
                at_work += Duration::from_micros(microseconds);
                if ended == count {
                    wall = began.elapsed();
                    client.over.notify_one();
                }
            }
            TaskEvent::Retry(key, why) | TaskEvent::DeadLetter(key, why) => {
                return Err(format!("{key} was lost: {why}").into());
            }
            TaskEvent::Starting(_) | TaskEvent::Progress(..) => {}
        }
    }
    let done = driver.seat_loads().values().map(|load| load.load.tasks);
    if is_elsewhere && done.sum::<u64>() != count as u64 {
        return Err("a task was done here".into());
    }
    Ok(Done { wall, at_work })
}
