//! A wire in memory between one run and its machines.

use crate::error::WorkersError;
use crate::facts::{MachineName, WorkerFacts};
use crate::fleet::Fleet;
use crate::fleet_state::PackedTask;
use crate::wire::{
    AckHandle, FromMachine, OnWire, RunEnds, RunWire, TaskInHand, ToWorker, WorkerEnds, WorkerWire,
};
use bakeoff_source::content_address;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc::{
    Receiver, Sender, UnboundedReceiver, UnboundedSender, channel, unbounded_channel,
};

/// The session of the run in these tests.
pub(super) const SESSION: &str = "session";

/// The wire between a run and its machines, in memory.
#[derive(Clone, Default)]
pub(super) struct Between(Arc<State>);

#[derive(Default)]
struct State {
    contents: Mutex<BTreeMap<String, Vec<u8>>>,
    /// The ids of tasks that were sent.
    ids: Mutex<BTreeSet<String>>,
    tasks: Mutex<BTreeMap<MachineName, UnboundedSender<Vec<u8>>>>,
    inboxes: Mutex<BTreeMap<MachineName, Sender<ToWorker>>>,
    to_run: Mutex<Option<(Sender<FromMachine>, Sender<FromMachine>)>>,
}

pub(super) fn name(text: &str) -> MachineName {
    MachineName::like(text).unwrap()
}

pub(super) fn facts(cores: u32, start: u64) -> WorkerFacts {
    WorkerFacts {
        bakeoff: "1.0.0".to_owned(),
        engine: "wasmtime-1".to_owned(),
        fence: "full".to_owned(),
        cpu: "a processor".to_owned(),
        cores,
        start,
        tasks: 0,
        toolchain: String::new(),
    }
}

impl Between {
    fn to_run(&self) -> (Sender<FromMachine>, Sender<FromMachine>) {
        self.0.to_run.lock().unwrap().clone().unwrap()
    }

    /// Announces a machine whose worker the test is itself, and returns the tasks that it gets.
    pub(super) async fn join(&self, machine: &str) -> UnboundedReceiver<Vec<u8>> {
        let (sender, tasks) = unbounded_channel();
        self.0.tasks.lock().unwrap().insert(name(machine), sender);
        let announced = FromMachine {
            machine: name(machine),
            bytes: facts(1, 1).to_bytes(),
        };
        self.to_run().0.send(announced).await.unwrap();
        tasks
    }

    /// Announces something as a machine.
    pub(super) async fn announce_as(&self, machine: &str, bytes: Vec<u8>) {
        let machine = name(machine);
        let _ = self.to_run().0.send(FromMachine { machine, bytes }).await;
    }

    /// Sends an answer as a machine.
    pub(super) async fn answer_as(&self, machine: &str, bytes: Vec<u8>) {
        let machine = name(machine);
        let _ = self.to_run().1.send(FromMachine { machine, bytes }).await;
    }

    /// Puts another content in the place of what is kept.
    pub(super) fn change_contents(&self) {
        for content in self.0.contents.lock().unwrap().values_mut() {
            content.push(0);
        }
    }

    /// Begins a run whose tasks name one content, which is the task itself.
    pub(super) async fn run(&self) -> Fleet {
        let (facts_sender, facts_receiver) = channel(16);
        let (answers_sender, answers) = channel(16);
        *self.0.to_run.lock().unwrap() = Some((facts_sender, answers_sender));
        let ends = RunEnds {
            wire: Arc::new(self.clone()),
            facts: facts_receiver,
            answers,
        };
        let packer = |task: &[u8]| {
            let digest = content_address(task);
            Ok(PackedTask {
                bytes: digest.clone().into_bytes(),
                contents: vec![(digest, task.into())],
            })
        };
        Fleet::begin(ends, facts(0, 0), SESSION.to_owned(), Arc::new(packer)).await
    }

    /// Returns the end of a machine's worker.
    pub(super) fn worker(&self, machine: &str) -> WorkerEnds {
        let (sender, tasks) = unbounded_channel();
        self.0.tasks.lock().unwrap().insert(name(machine), sender);
        let (sender, inbox): (_, Receiver<ToWorker>) = channel(16);
        self.0.inboxes.lock().unwrap().insert(name(machine), sender);
        let wire = MachineEnd {
            between: self.clone(),
            machine: name(machine),
            tasks: tokio::sync::Mutex::new(tasks),
        };
        WorkerEnds {
            wire: Arc::new(wire),
            inbox,
        }
    }
}

impl RunWire for Between {
    fn put<'a>(&'a self, digest: &'a str, content: &'a [u8]) -> OnWire<'a, ()> {
        Box::pin(async move {
            let mut contents = self.0.contents.lock().unwrap();
            let kept = contents.entry(digest.to_owned());
            kept.or_insert_with(|| content.to_vec());
            Ok(())
        })
    }

    fn send<'a>(&'a self, machine: &'a MachineName, id: &'a str, task: Vec<u8>) -> OnWire<'a, ()> {
        Box::pin(async move {
            // As a server does: what has an id that was there before is taken, and dropped.
            if !self.0.ids.lock().unwrap().insert(id.to_owned()) {
                return Ok(());
            }
            let tasks = self.0.tasks.lock().unwrap();
            let sent = tasks.get(machine).map(|tasks| tasks.send(task));
            sent.and_then(Result::ok)
                .ok_or_else(|| WorkersError::Wire("nobody is there".to_owned()))
        })
    }

    fn cancel<'a>(&'a self, machine: &'a MachineName, cancelled: Vec<u8>) -> OnWire<'a, ()> {
        Box::pin(async move {
            let inbox = self.0.inboxes.lock().unwrap().get(machine).cloned();
            if let Some(inbox) = inbox {
                let _ = inbox.send(ToWorker::Cancelled(cancelled)).await;
            }
            Ok(())
        })
    }

    fn ask(&self) -> OnWire<'_, ()> {
        Box::pin(async move {
            let inboxes: Vec<_> = self.0.inboxes.lock().unwrap().values().cloned().collect();
            for inbox in inboxes {
                let _ = inbox.send(ToWorker::Asked).await;
            }
            Ok(())
        })
    }
}

struct MachineEnd {
    between: Between,
    machine: MachineName,
    tasks: tokio::sync::Mutex<UnboundedReceiver<Vec<u8>>>,
}

struct NoHand;

impl AckHandle for NoHand {
    fn goes_on(&self) -> OnWire<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn is_over(&self) -> OnWire<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}

impl WorkerWire for MachineEnd {
    fn name(&self) -> &MachineName {
        &self.machine
    }

    fn next(&self) -> OnWire<'_, TaskInHand> {
        Box::pin(async move {
            let task = self.tasks.lock().await.recv().await;
            let bytes = task.ok_or_else(|| WorkersError::Wire("the run is over".to_owned()))?;
            let hand = Arc::new(NoHand);
            Ok(TaskInHand { bytes, hand })
        })
    }

    fn get<'a>(&'a self, digest: &'a str, _bytes_max: usize) -> OnWire<'a, Vec<u8>> {
        Box::pin(async move {
            let contents = self.between.0.contents.lock().unwrap();
            let found = contents.get(digest).cloned();
            found.ok_or_else(|| WorkersError::Wire(format!("there is no content {digest}")))
        })
    }

    fn answer<'a>(&'a self, session: &'a str, answer: Vec<u8>) -> OnWire<'a, ()> {
        Box::pin(async move {
            assert_eq!(session, SESSION);
            self.between.answer_as(self.machine.as_str(), answer).await;
            Ok(())
        })
    }

    fn announce(&self, facts: Vec<u8>) -> OnWire<'_, ()> {
        Box::pin(async move {
            let inbox = self
                .between
                .0
                .inboxes
                .lock()
                .unwrap()
                .get(&self.machine)
                .cloned();
            if let Some(inbox) = inbox {
                let _ = inbox.try_send(ToWorker::SameName(facts.clone()));
            }
            let to_run = self.between.0.to_run.lock().unwrap().clone();
            if let Some((to_run, _)) = to_run {
                let machine = self.machine.clone();
                let _ = to_run
                    .send(FromMachine {
                        machine,
                        bytes: facts,
                    })
                    .await;
            }
            Ok(())
        })
    }

    fn ask(&self) -> OnWire<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}
