//! The other end: a process with the service of workers, whose tasks use up CPU time.

use bakeoff_confine::tasks::{WorkFuture, WorkerFrames};
use bakeoff_workers::{
    MachineName, ServerAddress, ServerCredentials, Service, TaskContents, TaskServer, WorkerFacts,
};
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::unbounded_channel;

/// The most bytes of a candidate's content.
const CONTENT_BYTES_MAX: usize = 1 << 20;

/// Returns facts of a machine: those of the run, if it has no cores.
pub(crate) fn facts(cores: usize) -> WorkerFacts {
    WorkerFacts {
        bakeoff: env!("CARGO_PKG_VERSION").to_owned(),
        engine: "none".to_owned(),
        fence: "full".to_owned(),
        cpu: String::new(),
        cores: u32::try_from(cores).unwrap_or(u32::MAX),
        start: u64::from(std::process::id()),
        tasks: 0,
        toolchain: String::new(),
    }
}

/// A task, as its bytes say: milliseconds of CPU time, and the digest of a content if it has one.
pub(crate) struct Candidate {
    pub(crate) milliseconds: u64,
    pub(crate) content: Option<String>,
}

impl Candidate {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let content = self.content.as_deref().unwrap_or_default();
        format!("{} {content}", self.milliseconds).into_bytes()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let text = str::from_utf8(bytes).ok()?;
        let (milliseconds, content) = text.split_once(' ')?;
        Some(Self {
            milliseconds: milliseconds.parse().ok()?,
            content: (!content.is_empty()).then(|| content.to_owned()),
        })
    }
}

/// A process that is a worker, which ends when this is dropped.
pub(crate) struct WorkerProcess(Child);

impl WorkerProcess {
    /// Starts a worker with seats for so many tasks, and has it use one core alone if one is named.
    pub(crate) fn start(
        address: &str,
        name: &str,
        seats: usize,
        core: Option<usize>,
    ) -> Result<Self, Box<dyn Error>> {
        let program = std::env::current_exe()?;
        let mut command = match core {
            None => Command::new(program),
            Some(core) => {
                let mut command = Command::new("taskset");
                command.args(["-c", &core.to_string()]).arg(program);
                command
            }
        };
        command.args(["worker", address, name, &seats.to_string()]);
        Ok(Self(command.stdin(Stdio::null()).spawn()?))
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Is a worker until this process is killed.
pub(crate) async fn serve(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let [address, name, seats] = arguments else {
        return Err("worker ADDRESS NAME SEATS".into());
    };
    let address = ServerAddress::parse(address)?;
    let name = MachineName::try_from(name.clone())?;
    let seats = seats.parse()?;
    let none = ServerCredentials::default();
    let ends = bakeoff_workers::connect_worker(&address, &none, &name, seats).await?;
    let (events, _happened) = unbounded_channel();
    let service = Service {
        facts: facts(seats),
        cores: (0..seats).collect(),
        task_max: Duration::from_secs(600),
        server: Arc::new(Spinning),
        events,
    };
    service.run(ends, std::future::pending()).await?;
    Ok(())
}

/// Uses up the CPU time that a task wants, and answers with the microseconds for which it had it.
struct Spinning;

impl TaskServer for Spinning {
    fn serve<'a>(
        &'a self,
        task: Vec<u8>,
        _core: usize,
        contents: TaskContents<'a>,
        frames: WorkerFrames,
    ) -> WorkFuture<'a> {
        Box::pin(async move {
            let began = Instant::now();
            let Some(candidate) = Candidate::read(&task) else {
                return frames.lost("it is no candidate");
            };
            if let Some(digest) = &candidate.content
                && let Err(why) = contents.get(digest, CONTENT_BYTES_MAX).await
            {
                return frames.lost(why);
            }
            if candidate.milliseconds > 0 {
                let time = Duration::from_millis(candidate.milliseconds);
                let spinning = tokio::task::spawn_blocking(move || spin(time));
                let _ = frames.while_alive(spinning).await;
            }
            let microseconds = began.elapsed().as_micros().to_string();
            frames.end(microseconds.into_bytes());
        })
    }
}

/// Uses up so much CPU time of this thread.
fn spin(time: Duration) {
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
    };
    let until = now() + time;
    while now() < until {
        std::hint::black_box((0..1_000).map(std::hint::black_box).sum::<u64>());
    }
}
