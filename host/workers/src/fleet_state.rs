//! State that the fleet of a run shares with the requests that its machines have.

use super::facts::MachineName;
use super::machines::Machines;
use super::messages::AnswerHeader;
use super::wire::{FromMachine, RunWire};
use bakeoff_confine::tasks::{SeatChange, wire};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc::{Sender, UnboundedSender};

/// A task as it is sent: its bytes, and the contents that they name by their digests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedTask {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The contents.
    pub contents: Vec<(String, Arc<[u8]>)>,
}

/// Makes the bytes of a task into what may be sent to another machine; or gives the reason why it stays here.
pub type Packer = Arc<dyn Fn(&[u8]) -> Result<PackedTask, String> + Send + Sync>;

/// Something that comes for a request.
#[derive(Debug)]
pub(super) enum Arrival {
    /// A piece of an answer.
    Piece(AnswerHeader, Vec<u8>),
    /// The machine is gone, or gets no more tasks.
    MachineLost,
}

/// A request that a machine has.
struct PendingRequest {
    machine: MachineName,
    sender: Sender<Arrival>,
}

/// State that the fleet shares with its requests.
pub(super) struct FleetState {
    pub(super) wire: Arc<dyn RunWire>,
    pub(super) session: String,
    pub(super) packer: Packer,
    pub(super) machines: Mutex<Machines>,
    open: Mutex<BTreeMap<u64, PendingRequest>>,
    pub(super) listeners: Mutex<Vec<UnboundedSender<SeatChange>>>,
    /// The next number where none can be drawn.
    next_request: AtomicU64,
}

/// Locks what no panic leaves half changed.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FleetState {
    /// Returns the state of a run that has no requests yet.
    pub(super) fn new(
        wire: Arc<dyn RunWire>,
        session: String,
        packer: Packer,
        machines: Machines,
    ) -> Self {
        Self {
            wire,
            session,
            packer,
            machines: Mutex::new(machines),
            open: Mutex::default(),
            listeners: Mutex::default(),
            next_request: AtomicU64::new(0),
        }
    }

    /// Opens a request for a machine, and returns its number.
    ///
    /// The number is drawn: only the machine that the task is sent to knows it, so nobody else can make up an answer, whatever
    /// a server lets them publish.
    pub(super) fn open(&self, machine: &MachineName, sender: Sender<Arrival>) -> u64 {
        let machine = machine.clone();
        let mut drawn = [0; 8];
        let mut open = locked(&self.open);
        let number = loop {
            let number = match getrandom::fill(&mut drawn) {
                Ok(()) => u64::from_le_bytes(drawn),
                Err(_) => self.next_request.fetch_add(1, Ordering::Relaxed),
            };
            if !open.contains_key(&number) {
                break number;
            }
        };
        open.insert(number, PendingRequest { machine, sender });
        number
    }

    /// Closes a request: what still comes for it is dropped.
    pub(super) fn close(&self, number: u64) {
        locked(&self.open).remove(&number);
    }

    /// Gives a machine no more tasks of this run, since it broke the rules of workers.
    pub(super) fn strike_off(&self, machine: &MachineName, why: &str) {
        self.change(|machines| machines.strike_off(machine, why));
    }

    /// Changes what is known of machines, and tells whoever depends on it.
    pub(super) fn change(&self, change: impl FnOnce(&mut Machines)) {
        let mut machines = locked(&self.machines);
        change(&mut machines);
        let changes = std::mem::take(&mut machines.changes);
        let lost = std::mem::take(&mut machines.lost);
        if !changes.is_empty() {
            // While the machines are locked: a listener that is added now gets each seat once.
            locked(&self.listeners)
                .retain(|listener| changes.iter().all(|change| listener.send(*change).is_ok()));
        }
        drop(machines);
        if !lost.is_empty() {
            let open = locked(&self.open);
            let of_lost = open.values().filter(|one| lost.contains(&one.machine));
            for request in of_lost {
                // Where the channel is full, the lease runs out.
                let _ = request.sender.try_send(Arrival::MachineLost);
            }
        }
    }

    /// Passes a message of a machine on to the request that it answers.
    pub(super) async fn on_answer(&self, message: FromMachine) {
        let FromMachine { machine, bytes } = message;
        let Some((header, content)) = wire::opened::<AnswerHeader>(&bytes) else {
            self.strike_off(&machine, "it sent what is no answer");
            return;
        };
        let open = locked(&self.open)
            .get(&header.request)
            .map(|open| (open.machine.clone(), open.sender.clone()));
        match open {
            // Late, or of a session of the same name: nobody waits for it.
            None => {}
            Some((owner, _)) if owner != machine => {
                self.strike_off(&machine, "it answered for a task that another one has");
            }
            Some((_, sender)) => {
                let _ = sender.send(Arrival::Piece(header, content.to_vec())).await;
            }
        }
    }
}
