//! The workers of one run: who is there, which seats they give its queue, and the requests that they have.

use super::facts::{MachineName, WorkerAnnouncement, WorkerFacts};
use super::fleet_state::{FleetState, Packer, locked};
use super::machines::{MachineState, Machines};
use super::rechecks::{FalseAnswer, RecheckShare, Rechecks};
use super::remote_worker::RemoteWorker;
use super::wire::{FromMachine, RunEnds};
use bakeoff_confine::tasks::{SeatChange, WorkerLink};
use bakeoff_domain::queue::{SeatId, TaskKey};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

/// The time in which workers answer who they are, when a run begins.
const FIRST_LOOK: Duration = Duration::from_millis(1_500);

/// The time between two looks for machines of which nothing is heard any more.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Status of a machine, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineStatus {
    /// The name of the machine.
    pub machine: MachineName,
    /// Facts as it announced them last.
    pub facts: WorkerFacts,
    /// The state of it.
    pub state: MachineState,
}

/// A machine that may have a race of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Racer {
    /// The name of the machine.
    pub machine: MachineName,
    /// Facts as it announced them.
    pub facts: WorkerFacts,
}

/// The workers of one run. They are let go when this is dropped.
pub struct Fleet {
    shared: Arc<FleetState>,
    rechecks: Mutex<Rechecks>,
    /// The number of seats that were given to queues with few tasks.
    next_seats: AtomicUsize,
    listening: [JoinHandle<()>; 2],
}

impl Fleet {
    /// Begins to listen to workers, and waits a moment for those that are there.
    pub async fn begin(ends: RunEnds, own: WorkerFacts, session: String, packer: Packer) -> Self {
        let RunEnds {
            wire,
            mut facts,
            mut answers,
        } = ends;
        let machines = Machines::new(own);
        let shared = Arc::new(FleetState::new(wire, session, packer, machines));
        let began = Instant::now();
        let hearing = Arc::clone(&shared);
        let hearing = tokio::spawn(async move {
            let mut look = interval(LOOK_EVERY);
            look.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    heard = facts.recv() => {
                        let Some(FromMachine { machine, bytes }) = heard else { return };
                        let now = began.elapsed();
                        hearing.change(|machines| match WorkerAnnouncement::read(&bytes) {
                            WorkerAnnouncement::Facts(facts) => machines.hear(&machine, facts, now),
                            WorkerAnnouncement::Foreign { bakeoff } => {
                                machines.hear_foreign(&machine, &bakeoff);
                            }
                        });
                    }
                    _ = look.tick() => {
                        let now = began.elapsed();
                        hearing.change(|machines| machines.expire(now));
                    }
                }
            }
        });
        let reading = Arc::clone(&shared);
        let reading = tokio::spawn(async move {
            while let Some(message) = answers.recv().await {
                reading.on_answer(message).await;
            }
        });
        // Who does not hear this announces itself within seconds.
        let _ = shared.wire.ask().await;
        sleep(FIRST_LOOK).await;
        Self {
            shared,
            rechecks: Mutex::new(Rechecks::new(RecheckShare::default())),
            next_seats: AtomicUsize::new(0),
            listening: [hearing, reading],
        }
    }

    /// Returns the workers, of whose answers this share is worked out once more here.
    #[must_use]
    pub fn with_recheck(mut self, share: RecheckShare) -> Self {
        self.rechecks = Mutex::new(Rechecks::new(share));
        self
    }

    /// Returns the changes of seats for a queue, beginning with those that there are.
    pub fn seats(&self) -> UnboundedReceiver<SeatChange> {
        self.some_seats(usize::MAX)
    }

    /// Returns the same for a queue that never has more than so many tasks: it begins with so many seats, and the next such queue
    /// with those after them, so that queues side by side do not wait for one machine.
    pub fn some_seats(&self, most: usize) -> UnboundedReceiver<SeatChange> {
        let (sender, receiver) = unbounded_channel();
        let machines = locked(&self.shared.machines);
        let mut seats: Vec<SeatChange> = machines.seats().collect();
        if most < seats.len() {
            let from = self.next_seats.fetch_add(most, Ordering::Relaxed) % seats.len();
            seats.rotate_left(from);
            seats.truncate(most);
        }
        for seat in seats {
            let _ = sender.send(seat);
        }
        locked(&self.shared.listeners).push(sender);
        receiver
    }

    /// Returns the machine of a seat.
    pub fn machine(&self, seat: SeatId) -> Option<MachineName> {
        locked(&self.shared.machines).owner(seat).cloned()
    }

    /// Returns a link to the worker of a seat; `None` if there never was such a seat.
    pub fn link(&self, seat: SeatId) -> Option<WorkerLink> {
        self.link_with(seat, Arc::clone(&self.shared.packer))
    }

    /// Returns such a link for tasks that are packed otherwise.
    pub fn link_with(&self, seat: SeatId, packer: Packer) -> Option<WorkerLink> {
        let machine = self.machine(seat)?;
        let worker = RemoteWorker::new(Arc::clone(&self.shared), machine, packer);
        Some(WorkerLink::new(Arc::new(worker)))
    }

    /// Gives the machine of a seat no more tasks of this run, since what it answered breaks the rules of workers.
    pub fn strike_off(&self, seat: SeatId, why: &str) {
        if let Some(machine) = self.machine(seat) {
            self.shared.strike_off(&machine, why);
        }
    }

    /// Counts a task that the machine of a seat did.
    pub fn did(&self, seat: SeatId) {
        let mut machines = locked(&self.shared.machines);
        if let Some(machine) = machines.owner(seat).cloned() {
            machines.did(&machine);
        }
    }

    /// Counts a task that was lost on the machine of a seat.
    pub fn lost(&self, seat: SeatId, reason: &str) {
        if let Some(machine) = self.machine(seat) {
            self.shared
                .change(|machines| machines.lost_task(&machine, reason));
        }
    }

    /// Returns the machines that may have a race of their own, by name.
    pub fn racers(&self) -> Vec<Racer> {
        let machines = locked(&self.shared.machines);
        let racers = machines.racers().map(|(machine, facts)| Racer {
            machine: machine.clone(),
            facts: facts.clone(),
        });
        racers.collect()
    }

    /// Returns a link to the worker of a race. Once that worker is gone or was started again, nothing more is done there.
    pub fn race_link(&self, racer: &Racer) -> WorkerLink {
        let (machine, start) = (racer.machine.clone(), racer.facts.start);
        let worker = RemoteWorker::of_race(Arc::clone(&self.shared), machine, start);
        WorkerLink::new(Arc::new(worker))
    }

    /// Receives the answer of a seat's machine. Returns true if it is held back, until this machine has an answer, too. Which
    /// ones are is drawn only now.
    pub fn holds_back(&self, seat: SeatId, task: &TaskKey, answer: &[u8]) -> bool {
        let machine = self.machine(seat);
        machine.is_some_and(|machine| locked(&self.rechecks).receive(machine, task, answer))
    }

    /// Compares the answer of this machine with one that is held back, if there is one. The machine that answered otherwise is
    /// named, and gets no more tasks of this run. `None` is an answer that this machine may owe to itself: its speed, its memory.
    pub fn compare(&self, task: &TaskKey, own: impl FnOnce() -> Option<Vec<u8>>) {
        if !locked(&self.rechecks).holds(task) {
            return;
        }
        let own = own();
        let other = locked(&self.rechecks).compare(task, own.as_deref());
        if let Some(machine) = other {
            let why = format!("its answer to `{task}` is another one than that of this machine");
            self.shared.strike_off(&machine, &why);
        }
    }

    /// Returns the machines that answered otherwise than this one, each with the task.
    pub fn false_answers(&self) -> Vec<FalseAnswer> {
        locked(&self.rechecks).false_answers()
    }

    /// Returns texts for people about what changed since the last call.
    pub fn news(&self) -> Vec<String> {
        std::mem::take(&mut locked(&self.shared.machines).news)
    }

    /// Returns all machines that were ever heard of.
    pub fn machines(&self) -> Vec<MachineStatus> {
        let machines = locked(&self.shared.machines);
        let all = machines.all.iter().map(|(machine, known)| MachineStatus {
            machine: machine.clone(),
            facts: known.facts.clone(),
            state: known.state.clone(),
        });
        all.collect()
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.listening.iter().for_each(JoinHandle::abort);
    }
}

impl fmt::Debug for Fleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fleet({})", self.shared.session)
    }
}
