//! A wire in memory between one run and its workers.

use bakeoff_workers::wire::{
    AckHandle, FromMachine, OnWire, RunEnds, RunWire, TaskInHand, ToWorker, WorkerEnds, WorkerWire,
};
use bakeoff_workers::{MachineName, WorkersError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc::{Sender, UnboundedReceiver, UnboundedSender, channel, unbounded_channel};

/// Messages that may wait at an end.
const WAITING: usize = 256;

type Contents = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

struct RunEnd {
    contents: Contents,
    machines: BTreeMap<MachineName, ToMachine>,
}

/// The way to one machine.
struct ToMachine {
    tasks: UnboundedSender<Vec<u8>>,
    to_worker: Sender<ToWorker>,
}

struct WorkerEnd {
    name: MachineName,
    contents: Contents,
    tasks: tokio::sync::Mutex<UnboundedReceiver<Vec<u8>>>,
    facts: Sender<FromMachine>,
    answers: Sender<FromMachine>,
}

/// Returns both ends of a wire to a machine.
pub(super) fn wire(name: &MachineName) -> (RunEnds, WorkerEnds) {
    let (run, workers) = wires(std::slice::from_ref(name));
    let [worker] = <[WorkerEnds; 1]>::try_from(workers).unwrap_or_else(|_| unreachable!());
    (run, worker)
}

/// Returns the end of a run, and those of its machines.
pub(super) fn wires(names: &[MachineName]) -> (RunEnds, Vec<WorkerEnds>) {
    let contents = Contents::default();
    let (facts_sender, facts) = channel(WAITING);
    let (answers_sender, answers) = channel(WAITING);
    let (mut machines, mut workers) = (BTreeMap::new(), Vec::new());
    for name in names {
        let (tasks_sender, tasks) = unbounded_channel();
        let (to_worker, inbox) = channel(WAITING);
        let to_machine = ToMachine {
            tasks: tasks_sender,
            to_worker,
        };
        machines.insert(name.clone(), to_machine);
        workers.push(WorkerEnds {
            wire: Arc::new(WorkerEnd {
                name: name.clone(),
                contents: Arc::clone(&contents),
                tasks: tokio::sync::Mutex::new(tasks),
                facts: facts_sender.clone(),
                answers: answers_sender.clone(),
            }),
            inbox,
        });
    }
    let run = RunEnds {
        wire: Arc::new(RunEnd { contents, machines }),
        facts,
        answers,
    };
    (run, workers)
}

fn gone() -> WorkersError {
    WorkersError::Wire("the other end is gone".to_owned())
}

impl RunWire for RunEnd {
    fn put<'a>(&'a self, digest: &'a str, content: &'a [u8]) -> OnWire<'a, ()> {
        let mut contents = self.contents.lock().unwrap();
        contents.insert(digest.to_owned(), content.to_vec());
        Box::pin(async { Ok(()) })
    }

    fn send<'a>(&'a self, name: &'a MachineName, _: &'a str, task: Vec<u8>) -> OnWire<'a, ()> {
        Box::pin(async move {
            let machine = self.machines.get(name).ok_or_else(gone)?;
            machine.tasks.send(task).map_err(|_| gone())
        })
    }

    fn cancel<'a>(&'a self, name: &'a MachineName, cancelled: Vec<u8>) -> OnWire<'a, ()> {
        Box::pin(async move {
            let machine = self.machines.get(name).ok_or_else(gone)?;
            let sent = machine.to_worker.send(ToWorker::Cancelled(cancelled)).await;
            sent.map_err(|_| gone())
        })
    }

    fn ask(&self) -> OnWire<'_, ()> {
        Box::pin(async move {
            for machine in self.machines.values() {
                let sent = machine.to_worker.send(ToWorker::Asked).await;
                sent.map_err(|_| gone())?;
            }
            Ok(())
        })
    }
}

impl WorkerEnd {
    fn message(&self, bytes: Vec<u8>) -> FromMachine {
        FromMachine {
            machine: self.name.clone(),
            bytes,
        }
    }
}

impl WorkerWire for WorkerEnd {
    fn name(&self) -> &MachineName {
        &self.name
    }

    fn next(&self) -> OnWire<'_, TaskInHand> {
        Box::pin(async move {
            let bytes = self.tasks.lock().await.recv().await.ok_or_else(gone)?;
            let hand = Arc::new(NoHand);
            Ok(TaskInHand { bytes, hand })
        })
    }

    fn get<'a>(&'a self, digest: &'a str, _: usize) -> OnWire<'a, Vec<u8>> {
        let found = self.contents.lock().unwrap().get(digest).cloned();
        Box::pin(async move { found.ok_or_else(gone) })
    }

    fn answer<'a>(&'a self, _: &'a str, answer: Vec<u8>) -> OnWire<'a, ()> {
        Box::pin(async move {
            let sent = self.answers.send(self.message(answer)).await;
            sent.map_err(|_| gone())
        })
    }

    fn announce(&self, facts: Vec<u8>) -> OnWire<'_, ()> {
        Box::pin(async move {
            let sent = self.facts.send(self.message(facts)).await;
            sent.map_err(|_| gone())
        })
    }

    fn ask(&self) -> OnWire<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}

/// The server of this wire keeps nothing, so nobody needs to say how a task goes.
struct NoHand;

impl AckHandle for NoHand {
    fn goes_on(&self) -> OnWire<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn is_over(&self) -> OnWire<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}
