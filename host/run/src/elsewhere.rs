//! Workers on other machines, as a run has them: what may be sent to them, and what is believed of what they answer.

use super::error::RunError;
use bakeoff_compile::engine::{self, Profile};
use bakeoff_compile::{CodeOrigin, ComponentOrigins};
use bakeoff_confine::Confinement;
use bakeoff_confine::tasks::{SeatChange, WorkerLink};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::queue::{SeatId, SeatLoad, TaskKey};
use bakeoff_domain::report::MachineCost;
use bakeoff_domain::wording;
use bakeoff_measure::{PortableCode, portable};
use bakeoff_source::content_address;
use bakeoff_workers::wire::RunEnds;
use bakeoff_workers::{
    FalseAnswer, Fleet, MachineStatus, PackedTask, Packer, Racer, RecheckShare, ServerAddress,
    ServerCredentials, WorkerFacts,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc::UnboundedReceiver;

/// The workers of other machines that a run may use.
#[derive(Debug)]
pub struct RemoteWorkers {
    fleet: Fleet,
    /// Facts of the machine of the run.
    own: WorkerFacts,
    /// Components by the code that was made of them here: precompiled code is never sent.
    origins: Arc<ComponentOrigins>,
    /// Work on the seats for surveys, which keep no account of their own, since it was asked for last.
    surveys: Mutex<BTreeMap<SeatId, SeatLoad>>,
}

/// Returns the facts of this machine, which those of a worker must fit. `toolchain` is the fingerprint of its compiler, empty
/// without one.
///
/// # Errors
/// The engine does not work here.
pub fn worker_facts(
    confinement: &Confinement,
    cores: usize,
    toolchain: String,
) -> Result<WorkerFacts, RunError> {
    let engine = engine::fingerprint(Profile::Checked);
    let mut start = [0; 8];
    getrandom::fill(&mut start).map_err(|error| RunError::Machine(error.to_string()))?;
    Ok(WorkerFacts {
        bakeoff: env!("CARGO_PKG_VERSION").to_owned(),
        engine: engine.map_err(|error| RunError::Engine(format!("{error:#}")))?,
        fence: confinement.level().name().to_owned(),
        cpu: bakeoff_measure::cpu_model(),
        cores: u32::try_from(cores).unwrap_or(u32::MAX),
        start: u64::from_le_bytes(start),
        tasks: 0,
        toolchain,
    })
}

impl RemoteWorkers {
    /// Connects to a server, and finds out who works there.
    ///
    /// # Errors
    /// The server does not answer, or refuses.
    pub async fn connect(
        address: &ServerAddress,
        credentials: &ServerCredentials,
        recheck: RecheckShare,
        (confinement, toolchain): (&Confinement, String),
    ) -> Result<Self, RunError> {
        let facts = worker_facts(confinement, 0, toolchain)?;
        let ends = bakeoff_workers::connect_run(address, credentials, &session(&facts)).await;
        let ends = ends.map_err(|error| RunError::Workers(error.to_string()))?;
        Ok(Self::begin(ends, facts, recheck).await)
    }

    /// Finds out who is at the other end of a wire. The facts are those of this machine.
    pub async fn begin(ends: RunEnds, facts: WorkerFacts, recheck: RecheckShare) -> Self {
        let origins = Arc::new(ComponentOrigins::default());
        let packer = packer(Arc::clone(&origins));
        let session = session(&facts);
        let fleet = Fleet::begin(ends, facts.clone(), session, packer).await;
        Self {
            fleet: fleet.with_recheck(recheck),
            own: facts,
            origins,
            surveys: Mutex::default(),
        }
    }

    /// Returns all machines that were heard of.
    pub fn machines(&self) -> Vec<MachineStatus> {
        self.fleet.machines()
    }

    /// Returns the machines of other kinds than that of the run, by kind.
    pub(super) fn other_kinds(&self) -> Vec<Vec<Racer>> {
        let mut kinds: Vec<Vec<Racer>> = Vec::new();
        for racer in self.fleet.racers() {
            if racer.facts.is_same_kind(&self.own) {
                continue;
            }
            let known = kinds
                .iter_mut()
                .find(|kind| kind[0].facts.is_same_kind(&racer.facts));
            match known {
                Some(kind) => kind.push(racer),
                None => kinds.push(vec![racer]),
            }
        }
        kinds
    }

    /// Returns a link to the worker of a race.
    pub(super) fn race_link(&self, racer: &Racer) -> WorkerLink {
        self.fleet.race_link(racer)
    }

    /// Returns texts for people about what changed since the last call.
    pub fn news(&self) -> Vec<String> {
        self.fleet.news()
    }

    pub(super) fn origins(&self) -> Arc<ComponentOrigins> {
        Arc::clone(&self.origins)
    }

    /// Returns the seats for a queue that never has more than so many tasks at once.
    pub(super) fn seats(&self, most: usize) -> UnboundedReceiver<SeatChange> {
        self.fleet.some_seats(most)
    }

    pub(super) fn link(&self, seat: SeatId) -> Option<WorkerLink> {
        self.fleet.link(seat)
    }

    /// Returns a link for builds of sources.
    pub(super) fn build_link(&self, seat: SeatId) -> Option<WorkerLink> {
        self.fleet.link_with(seat, build_packer())
    }

    pub(super) fn strike_off(&self, seat: SeatId, why: &str) {
        self.fleet.strike_off(seat, why);
    }

    /// Counts a task that the machine of a seat did.
    pub(super) fn did(&self, seat: SeatId) {
        self.fleet.did(seat);
    }

    /// Counts a task that was lost on the machine of a seat.
    pub(super) fn lost(&self, seat: SeatId, reason: &str) {
        self.fleet.lost(seat, reason);
    }

    pub(super) fn holds_back(&self, seat: SeatId, task: &TaskKey, answer: &[u8]) -> bool {
        self.fleet.holds_back(seat, task, answer)
    }

    pub(super) fn compare(&self, task: &TaskKey, own: impl FnOnce() -> Option<Vec<u8>>) {
        self.fleet.compare(task, own);
    }

    /// Returns an error if a machine answered otherwise than this one, and others of its answers were taken before.
    pub(super) fn refuse_false_answers(&self) -> Result<(), RunError> {
        let mut found = self.fleet.false_answers().into_iter();
        let Some(one) = found.find(|one| one.unconfirmed > 0) else {
            return Ok(());
        };
        let FalseAnswer {
            machine,
            task,
            unconfirmed,
        } = one;
        Err(RunError::Workers(format!(
            "worker {machine} answered otherwise than this machine to `{task}`, and {unconfirmed} other answers of it were taken: \
             all builds elsewhere, checks, assessments and evaluations of this command are dropped. End that worker, and give the same command again: \
             they are done anew, and all else is kept"
        )))
    }

    /// Returns the name of the machine of a seat, for people.
    pub(super) fn name(&self, seat: SeatId) -> String {
        let machine = self.fleet.machine(seat);
        machine.map_or_else(|| "elsewhere".to_owned(), |machine| machine.to_string())
    }

    /// Returns the work that each machine did, by the work on its seats.
    pub(super) fn work(&self, loads: &BTreeMap<SeatId, SeatLoad>) -> Vec<MachineCost> {
        let machines = self.fleet.machines().into_iter();
        let cores: BTreeMap<String, u32> = machines
            .map(|one| (one.machine.to_string(), one.facts.cores))
            .collect();
        let of_seat = |(seat, SeatLoad { load, lost }): (&SeatId, &SeatLoad)| {
            let machine = self.name(*seat);
            MachineCost {
                cores: cores.get(&machine).copied().unwrap_or(0),
                machine,
                tasks: load.tasks,
                lost: *lost,
                busy_seconds: load.busy.as_secs_f64(),
            }
        };
        MachineCost::added(loads.iter().map(of_seat))
    }

    /// Adds the work of a survey on the seats of machines.
    pub(super) fn add_survey(&self, loads: &BTreeMap<SeatId, SeatLoad>) {
        let mut surveys = self.surveys.lock().unwrap_or_else(PoisonError::into_inner);
        for (seat, SeatLoad { load, lost }) in loads {
            let sum = surveys.entry(*seat).or_default();
            sum.load.tasks += load.tasks;
            sum.load.busy += load.busy;
            sum.lost += lost;
        }
    }

    /// Returns a text about what each machine did for surveys since this was called last, for people; `None` if that is nothing.
    pub fn survey_summary(&self) -> Option<String> {
        let mut surveys = self.surveys.lock().unwrap_or_else(PoisonError::into_inner);
        self.summary(&std::mem::take(&mut *surveys))
    }

    /// Returns a text about what each machine did, for people; `None` if nothing was done elsewhere.
    pub(super) fn summary(&self, loads: &BTreeMap<SeatId, SeatLoad>) -> Option<String> {
        let of_machine = |one: &MachineCost| {
            let (machine, lost) = (&one.machine, one.lost);
            let seconds = one.busy_seconds;
            let tasks = wording::counted(one.tasks, "task");
            format!("{machine} did {tasks} in {seconds:.1} s, {lost} of them lost")
        };
        let all: Vec<String> = self.work(loads).iter().map(of_machine).collect();
        (!all.is_empty()).then(|| format!("workers elsewhere: {}", all.join("; ")))
    }
}

/// Returns the name of a session of a run on a machine with these facts.
fn session(facts: &WorkerFacts) -> String {
    format!("{:016x}", facts.start)
}

/// Returns what makes tasks of runners fit to be sent: components in place of code.
fn packer(origins: Arc<ComponentOrigins>) -> Packer {
    Arc::new(move |task| {
        let mut contents: BTreeMap<String, Arc<[u8]>> = BTreeMap::new();
        let mut bytes = portable(task, |code| {
            let CodeOrigin { component, layout } = origins.of_code(code)?;
            let digest = content_address(&component);
            contents.insert(digest.clone(), component);
            Some(PortableCode { digest, layout })
        })?;
        bytes.push(PortableKind::Runner as u8);
        Ok(PackedTask {
            bytes,
            contents: contents.into_iter().collect(),
        })
    })
}

/// Returns what makes builds of sources fit to be sent.
fn build_packer() -> Packer {
    Arc::new(|task| {
        let bytes = [task, &[PortableKind::Build as u8]].concat();
        let contents = Vec::new();
        Ok(PackedTask { bytes, contents })
    })
}

/// Kind of a task that another machine does, in its last byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum PortableKind {
    /// A request of a runner.
    Runner = 1,
    /// A build of a source.
    Build = 2,
}

impl PortableKind {
    /// Splits the bytes of a task; `None` if they are of no kind.
    pub(super) fn of_task(task: &[u8]) -> Option<(Self, &[u8])> {
        let (last, task) = task.split_last()?;
        let mut kinds = [Self::Runner, Self::Build].into_iter();
        Some((kinds.find(|kind| *kind as u8 == *last)?, task))
    }
}

/// Returns true if a failure may be due to the machine on which it happened: its speed, its memory, or its end. Such a failure
/// counts only where it happens on the machine of the run.
pub(super) fn is_of_machine(failure: &Failure) -> bool {
    failure.class.is_machine_fault()
        || matches!(
            failure.class,
            FailureClass::WallLimit | FailureClass::RunnerCrashed | FailureClass::MemoryLimit
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::failure::Phase;

    #[test]
    fn a_failure_that_another_machine_may_have_caused_counts_only_here() {
        let failure = |class| Failure {
            class,
            message: String::new(),
            phase: Phase::Check,
            limit: None,
        };
        for class in [
            FailureClass::WallLimit,
            FailureClass::RunnerCrashed,
            FailureClass::MemoryLimit,
            FailureClass::MachineFailed,
        ] {
            assert!(is_of_machine(&failure(class)), "{}", class.name());
        }
        for class in [
            FailureClass::WrongAnswer,
            FailureClass::Trap,
            FailureClass::FuelLimit,
        ] {
            assert!(!is_of_machine(&failure(class)), "{}", class.name());
        }
    }
}
