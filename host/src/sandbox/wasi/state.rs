//! The state behind the interfaces, and its bounds.

use crate::artifact::{Folders, Place};
use crate::config::units::{show_bytes, show_duration};
use crate::sandbox::attempts::AttemptLog;
use crate::sandbox::outcome::Breach;
use bakeoff_domain::attempt::AttemptKind;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::spec::Limits;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use wasmtime::component::{Resource, ResourceTable};

/// Calls of host functions in one call of an export. A million of them take a fraction of a second.
pub(in crate::sandbox) const HOST_CALLS_MAX: u64 = 1_000_000;

/// Handles that an instance may hold at a time: files, streams, pollables.
pub(in crate::sandbox) const HANDLES_MAX: usize = 1_000;

/// Random bytes in one request.
pub(super) const RANDOM_BYTES_MAX: u64 = 64 << 10;

/// Bytes of the output's end that are kept, for the message of a failure.
const OUTPUT_KEPT_BYTES: usize = 4 << 10;

/// Virtual time that passes with each look at a clock, so that a loop which waits for time to pass
/// ends.
const TICK_NS: u64 = 1_000;

/// The seed of every instance's random numbers. A component is a function of its arguments, as far
/// as its author lets it be: it gets the same numbers each time.
const RANDOM_SEED: u64 = 0x6261_6b65_6f66_6601;

/// What of an experiment's limits bounds the virtual world.
#[derive(Clone, Copy, Debug)]
pub(in crate::sandbox) struct VirtualLimits {
    output_bytes: u64,
    wall: Duration,
}

impl From<&Limits> for VirtualLimits {
    fn from(limits: &Limits) -> Self {
        Self {
            output_bytes: limits.output_bytes,
            wall: limits.wall,
        }
    }
}

/// The breach behind an error that a host function ends a guest with.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .0.message)]
pub(in crate::sandbox) struct Refusal(pub(in crate::sandbox) Breach);

/// What a handle of a guest stands for.
#[derive(Clone, Debug)]
pub(super) enum Handle {
    /// stdin, which is at its end.
    EmptyInput,
    /// A file that is read as a stream: which, and from where on.
    Reading(Place, u64),
    /// stdout or stderr.
    Output,
    /// A pollable: ready once virtual time is there.
    ReadyAt(u64),
    /// A file or folder. The folders that lead to it within its grant come first.
    Standing(Vec<Place>),
    /// The entries of a folder: which, and how many were read.
    Entries(Place, usize),
}

/// The virtual world of one instance.
pub(in crate::sandbox) struct Virtual {
    limits: VirtualLimits,
    pub(super) folders: Arc<Folders>,
    log: AttemptLog,
    table: ResourceTable,
    /// Of this call of the guest's export.
    host_calls: u64,
    written: u64,
    slept_ns: u64,
    /// Since the instance was made.
    now_ns: u64,
    random: u64,
    kept: VecDeque<u8>,
}

impl Virtual {
    pub(in crate::sandbox) fn new(
        limits: VirtualLimits,
        folders: Arc<Folders>,
        log: AttemptLog,
    ) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(HANDLES_MAX);
        Self {
            limits,
            folders,
            log,
            table,
            host_calls: 0,
            written: 0,
            slept_ns: 0,
            now_ns: 0,
            random: RANDOM_SEED,
            kept: VecDeque::new(),
        }
    }

    /// Begins a call of the guest's export: what is bounded per call starts anew.
    pub(in crate::sandbox) fn begin_call(&mut self) {
        self.host_calls = 0;
        self.written = 0;
        self.slept_ns = 0;
    }

    /// Virtual time that the guest slept in this call, in nanoseconds.
    pub(in crate::sandbox) fn slept_ns(&self) -> u64 {
        self.slept_ns
    }

    /// The last line that the guest wrote to an output, if any.
    pub(in crate::sandbox) fn last_line(&self) -> Option<String> {
        let bytes: Vec<u8> = self.kept.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        last.map(|line| line.trim().chars().take(300).collect())
    }

    /// Counts a call of a host function. The first thing that each of them does.
    pub(super) fn enter(&mut self) -> wasmtime::Result<()> {
        self.charge(1)
    }

    /// Counts work for which one call counts as several.
    pub(super) fn charge(&mut self, calls: u64) -> wasmtime::Result<()> {
        self.host_calls = self.host_calls.saturating_add(calls);
        match self.host_calls > HOST_CALLS_MAX {
            false => Ok(()),
            true => Err(self.refuse(
                AttemptKind::HostCallFlood,
                FailureClass::HostLimit,
                "called the host more often than it may in one call",
                format!("host calls = {HOST_CALLS_MAX}"),
            )),
        }
    }

    /// An error that ends the guest, noted as what it tried.
    pub(super) fn refuse(
        &self,
        what: AttemptKind,
        class: FailureClass,
        message: &str,
        limit: String,
    ) -> wasmtime::Error {
        self.log.note(what, None);
        wasmtime::Error::new(Refusal(Breach {
            class,
            message: message.to_owned(),
            limit: Some(limit),
        }))
    }

    /// Notes what the guest tried, and goes on.
    pub(super) fn note(&self, what: AttemptKind, example: &str) {
        self.log.note(what, Some(example));
    }

    /// A new handle, as the type that its interface calls it by: the table knows it by its own.
    pub(super) fn give<T: 'static>(&mut self, handle: Handle) -> wasmtime::Result<Resource<T>> {
        match self.table.push(handle) {
            Ok(handle) => Ok(Resource::new_own(handle.rep())),
            Err(_) => Err(self.refuse(
                AttemptKind::HandleFlood,
                FailureClass::HostLimit,
                "held more handles than it may",
                format!("handles = {HANDLES_MAX}"),
            )),
        }
    }

    /// What a handle stands for.
    pub(super) fn handle<T: 'static>(&mut self, of: &Resource<T>) -> wasmtime::Result<&mut Handle> {
        let own = Resource::<Handle>::new_borrow(of.rep());
        Ok(self.table.get_mut(&own)?)
    }

    /// Gives a handle back.
    pub(super) fn release<T: 'static>(&mut self, handle: &Resource<T>) -> wasmtime::Result<()> {
        self.enter()?;
        self.table
            .delete(Resource::<Handle>::new_own(handle.rep()))?;
        Ok(())
    }

    /// Virtual time, in nanoseconds.
    pub(super) fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// A look at the clock, which takes its time.
    pub(super) fn look_at_clock(&mut self) -> u64 {
        self.now_ns = self.now_ns.saturating_add(TICK_NS);
        self.now_ns
    }

    /// How fine the clocks are, in nanoseconds.
    pub(super) fn resolution_ns(&self) -> u64 {
        TICK_NS
    }

    /// Lets virtual time pass until then, at once. It counts towards the wall limit of the call as
    /// real time does.
    pub(super) fn sleep_until(&mut self, until_ns: u64) -> wasmtime::Result<()> {
        let asleep = until_ns.saturating_sub(self.now_ns);
        self.slept_ns = self.slept_ns.saturating_add(asleep);
        self.now_ns = self.now_ns.max(until_ns);
        if u128::from(self.slept_ns) <= self.limits.wall.as_nanos() {
            return Ok(());
        }
        Err(self.refuse(
            AttemptKind::OverlongSleep,
            FailureClass::WallLimit,
            "slept longer than a call may take",
            format!("wall = {}", show_duration(self.limits.wall)),
        ))
    }

    /// Takes bytes of an output. However many there are, only the end of them is kept.
    pub(super) fn write(&mut self, bytes: &[u8]) -> wasmtime::Result<()> {
        self.written = self.written.saturating_add(bytes.len() as u64);
        if self.written > self.limits.output_bytes {
            return Err(self.refuse(
                AttemptKind::OutputFlood,
                FailureClass::OutputLimit,
                "wrote more to its outputs than it may in one call",
                format!("output = {}", show_bytes(self.limits.output_bytes)),
            ));
        }
        let end = &bytes[bytes.len().saturating_sub(OUTPUT_KEPT_BYTES)..];
        let room = OUTPUT_KEPT_BYTES - end.len();
        while self.kept.len() > room {
            self.kept.pop_front();
        }
        self.kept.extend(end);
        Ok(())
    }

    /// Bytes that the outputs still take in this call.
    pub(super) fn room_to_write(&self) -> u64 {
        // One more than there is, so that a flood is a breach and not a wait for room.
        self.limits.output_bytes.saturating_sub(self.written) + 1
    }

    /// The next random number: SplitMix64 (Steele, Lea and Flood 2014).
    pub(super) fn random_u64(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> Virtual {
        let limits = Limits {
            output_bytes: 10_000,
            ..Limits::default()
        };
        Virtual::new((&limits).into(), Arc::default(), AttemptLog::default())
    }

    fn class(error: &wasmtime::Error) -> FailureClass {
        error.downcast_ref::<Refusal>().unwrap().0.class
    }

    #[test]
    fn an_output_keeps_its_end_and_never_grows() {
        let mut world = world();
        for _ in 0..1000 {
            world.begin_call();
            world.write(&[b'x'; 9_000]).unwrap();
            assert!(world.kept.len() <= OUTPUT_KEPT_BYTES);
            assert!(world.kept.capacity() <= 2 * OUTPUT_KEPT_BYTES);
        }
        world.write(b"\nlast line\n\n").unwrap();
        assert_eq!(world.last_line().unwrap(), "last line");
        let error = world.write(&[0; 1_000]).unwrap_err();
        assert_eq!(class(&error), FailureClass::OutputLimit);
    }

    #[test]
    fn sleeping_takes_no_time_and_counts_towards_the_wall_limit() {
        let mut world = world();
        world.sleep_until(6_000_000_000).unwrap();
        assert_eq!(
            (world.now_ns(), world.slept_ns()),
            (6_000_000_000, 6_000_000_000)
        );
        world.begin_call();
        world.sleep_until(16_000_000_000).unwrap();
        let error = world.sleep_until(u64::MAX).unwrap_err();
        assert_eq!(class(&error), FailureClass::WallLimit);
    }

    #[test]
    fn handles_and_host_calls_are_counted() {
        let mut world = world();
        let first = world.give::<Handle>(Handle::Output).unwrap();
        for _ in 1..HANDLES_MAX {
            world.give::<Handle>(Handle::Output).unwrap();
        }
        let error = world.give::<Handle>(Handle::Output).unwrap_err();
        assert_eq!(class(&error), FailureClass::HostLimit);
        world.release(&first).unwrap();
        world.give::<Handle>(Handle::Output).unwrap();
        let error = world.charge(HOST_CALLS_MAX).unwrap_err();
        assert_eq!(class(&error), FailureClass::HostLimit);
        world.begin_call();
        world.charge(HOST_CALLS_MAX).unwrap();
        let kinds: Vec<AttemptKind> = world.log.all().iter().map(|a| a.what).collect();
        assert_eq!(
            kinds,
            [AttemptKind::HostCallFlood, AttemptKind::HandleFlood]
        );
    }

    #[test]
    fn every_instance_gets_the_same_random_numbers() {
        let (mut a, mut b) = (world(), world());
        let draw = |world: &mut Virtual| [world.random_u64(), world.random_u64()];
        let numbers = draw(&mut a);
        assert_eq!(numbers, draw(&mut b));
        assert_ne!(numbers[0], numbers[1]);
    }
}
