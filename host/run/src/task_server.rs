//! The tasks of other machines' runs on this one: each is held against this machine's policy, its components are compiled here,
//! and it is done behind this machine's fence; or it is a build, of which a component goes back.

use super::elsewhere::PortableKind;
use super::options::Tools;
use bakeoff_compile::{Builder, TimedCode};
use bakeoff_config::Policy;
use bakeoff_confine::tasks::{WorkFuture, Worker, WorkerFrames, WorkerJob};
use bakeoff_measure::{PortableCode, PortableRequest, RunnerWorker};
use bakeoff_source::COMPONENT_BYTES_MAX;
use bakeoff_workers::{TaskContents, TaskServer};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// The most components whose code is kept in memory. A run has few at a time; the cache on the disk has the others.
const COMPONENTS_KEPT: usize = 256;

/// Code that is compiled once, whoever needs it first.
type CodeCell<T> = Arc<OnceCell<T>>;

/// Code by the component that it is made of, and the memory that is reserved for it in advance.
type CompiledCode<T> = Mutex<BTreeMap<(String, u64), CodeCell<T>>>;

/// Whoever does the tasks of other machines here.
pub struct PortableServer {
    policy: Policy,
    builder: Arc<Builder>,
    runner: RunnerWorker,
    checked: CompiledCode<Arc<[u8]>>,
    timed: CompiledCode<TimedCode>,
}

impl PortableServer {
    /// Returns a server with the tools and the policy of this machine.
    pub fn new(tools: &Tools, policy: Policy) -> Self {
        Self {
            policy,
            builder: Arc::clone(&tools.builder),
            runner: RunnerWorker::new(tools.confinement.clone()),
            checked: Mutex::default(),
            timed: Mutex::default(),
        }
    }

    /// Returns the code of a component, which is fetched and compiled at first.
    async fn code(
        &self,
        wanted: &PortableCode,
        memory_bytes: u64,
        contents: &TaskContents<'_>,
    ) -> Result<Arc<[u8]>, String> {
        let digest = &wanted.digest;
        let Some(layout) = wanted.layout else {
            let compile = async || {
                let component = contents.get(digest, COMPONENT_BYTES_MAX).await?;
                let code = self.builder.precompile(&component).await;
                code.map_err(|failure| failure.message)
            };
            let cell = cell(&self.checked, digest, 0);
            return cell.get_or_try_init(compile).await.cloned();
        };
        let compile = async || {
            let component = contents.get(digest, COMPONENT_BYTES_MAX).await?;
            let code = self.builder.precompile_timed(&component, memory_bytes);
            code.await.map_err(|failure| failure.message)
        };
        let cell = cell(&self.timed, digest, memory_bytes);
        let layouts = cell.get_or_try_init(compile).await?;
        let code = layouts.get(layout as usize);
        code.map(|code| code.as_slice().into())
            .ok_or_else(|| format!("the component {digest} has no layout {layout} here"))
    }

    /// Returns the task for the runner of this machine.
    async fn prepared(&self, task: &[u8], contents: &TaskContents<'_>) -> Result<Vec<u8>, String> {
        let request = PortableRequest::read(task, &self.policy)?;
        let mut code = Vec::new();
        for wanted in request.components() {
            code.push(self.code(wanted, request.memory_bytes(), contents).await?);
        }
        Ok(request.to_task(&code))
    }
}

/// Returns the cell of a component's code.
fn cell<T>(compiled: &CompiledCode<T>, digest: &str, memory_bytes: u64) -> CodeCell<T> {
    let mut compiled = compiled.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (digest.to_owned(), memory_bytes);
    if compiled.len() >= COMPONENTS_KEPT && !compiled.contains_key(&key) {
        compiled.clear();
    }
    Arc::clone(compiled.entry(key).or_default())
}

impl TaskServer for PortableServer {
    fn serve<'a>(
        &'a self,
        task: Vec<u8>,
        core: usize,
        contents: TaskContents<'a>,
        frames: WorkerFrames,
    ) -> WorkFuture<'a> {
        Box::pin(async move {
            let task = match PortableKind::of_task(&task) {
                Some((PortableKind::Runner, task)) => task,
                Some((PortableKind::Build, task)) => {
                    return self.builder.serve_build(task, frames).await;
                }
                None => return frames.lost("this is no task for a worker"),
            };
            let prepared = frames.while_alive(self.prepared(task, &contents)).await;
            match prepared {
                Ok(task) => {
                    let job = WorkerJob {
                        core: Some(core),
                        task: &task,
                    };
                    self.runner.work(job, frames).await;
                }
                Err(why) => frames.lost(why),
            }
        })
    }
}
