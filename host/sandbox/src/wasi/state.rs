//! The state behind the WASI interfaces, and its limits.

use crate::attempt_log::AttemptLog;
use crate::guest_error::{GuestError, Refusal};
use crate::limits::{HANDLES_MAX, HOST_CALLS_MAX};
use bakeoff_config::units::{show_bytes, show_duration};
use bakeoff_domain::attempt::AttemptKind;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::spec::Limits;
use bakeoff_source::{FolderPlace, Folders};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use wasmtime::component::{Resource, ResourceTable};

/// The most random bytes in one request.
pub(super) const RANDOM_BYTES_MAX: u64 = 64 << 10;

/// The bytes at the end of the output that are kept for the message of a failure.
const OUTPUT_KEPT_BYTES: usize = 4 << 10;

/// Virtual time that passes with each reading of a clock, in nanoseconds, so that a loop which waits
/// for time ends.
const TICK_NS: u64 = 1_000;

/// The seed of every instance's random numbers: the same calls get the same numbers.
const RANDOM_SEED: u64 = 0x6261_6b65_6f66_6601;

/// The limits of an experiment that apply to the virtual world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VirtualLimits {
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

/// The object of a guest's handle.
#[derive(Clone, Debug)]
pub(super) enum Handle {
    /// stdin, which is at its end.
    EmptyInput,
    /// A stream over a file, with its position.
    Reading(FolderPlace, u64),
    /// stdout or stderr.
    Output,
    /// A pollable that is ready from this virtual time on.
    ReadyAt(u64),
    /// A file or folder, preceded by its ancestors within its grant.
    Descriptor(Vec<FolderPlace>),
    /// A listing of a folder, with the number of entries that were read.
    Entries(FolderPlace, usize),
}

/// The virtual world of one instance.
pub(crate) struct VirtualWorld {
    limits: VirtualLimits,
    pub(super) folders: Arc<Folders>,
    log: AttemptLog,
    table: ResourceTable,
    /// Host calls in this call of the guest's export.
    host_calls: u64,
    written: u64,
    slept_ns: u64,
    /// Virtual time since the instance was made.
    now_ns: u64,
    random: u64,
    tail: VecDeque<u8>,
}

impl VirtualWorld {
    pub(crate) fn new(limits: VirtualLimits, folders: Arc<Folders>, log: AttemptLog) -> Self {
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
            tail: VecDeque::new(),
        }
    }

    /// Begins a call of the guest's export, and resets the limits per call.
    pub(crate) fn begin_call(&mut self) {
        self.host_calls = 0;
        self.written = 0;
        self.slept_ns = 0;
    }

    /// Virtual time that the guest slept in this call, in nanoseconds.
    pub(crate) fn slept_ns(&self) -> u64 {
        self.slept_ns
    }

    /// The last line that the guest wrote to an output, if any.
    pub(crate) fn last_line(&self) -> Option<String> {
        let bytes: Vec<u8> = self.tail.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        last.map(|line| line.trim().chars().take(300).collect())
    }

    /// Counts a call of a host function; each of them does this first.
    ///
    /// # Errors
    /// The call exceeds the limit on host calls.
    pub(super) fn enter(&mut self) -> wasmtime::Result<()> {
        self.charge(1)
    }

    /// Counts work as several calls.
    pub(super) fn charge(&mut self, calls: u64) -> wasmtime::Result<()> {
        self.host_calls = self.host_calls.saturating_add(calls);
        if self.host_calls > HOST_CALLS_MAX {
            Err(self.refuse(
                AttemptKind::HostCallFlood,
                FailureClass::HostLimit,
                "called the host more often than it may in one call",
                format!("host calls = {HOST_CALLS_MAX}"),
            ))
        } else {
            Ok(())
        }
    }

    /// Records an attempt, and returns the error that ends the guest.
    pub(super) fn refuse(
        &self,
        what: AttemptKind,
        class: FailureClass,
        message: &str,
        limit: String,
    ) -> wasmtime::Error {
        self.log.record(what, None);
        wasmtime::Error::new(Refusal(GuestError {
            class,
            message: message.to_owned(),
            limit: Some(limit),
        }))
    }

    /// Records an attempt that does not end the guest.
    pub(super) fn record(&self, what: AttemptKind, example: &str) {
        self.log.record(what, Some(example));
    }

    /// Makes a handle of the resource type that its interface uses; the table stores it by its own type.
    pub(super) fn new_handle<T: 'static>(
        &mut self,
        handle: Handle,
    ) -> wasmtime::Result<Resource<T>> {
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

    /// The object of a handle.
    pub(super) fn handle<T: 'static>(&mut self, of: &Resource<T>) -> wasmtime::Result<&mut Handle> {
        let own = Resource::<Handle>::new_borrow(of.rep());
        Ok(self.table.get_mut(&own)?)
    }

    /// Drops a handle.
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

    /// Reads the clock, which advances it.
    pub(super) fn read_clock(&mut self) -> u64 {
        self.now_ns = self.now_ns.saturating_add(TICK_NS);
        self.now_ns
    }

    /// The resolution of the clocks, in nanoseconds.
    pub(super) fn resolution_ns(&self) -> u64 {
        TICK_NS
    }

    /// Advances virtual time at once. It counts towards the wall limit of the call like real time.
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

    /// Writes to an output. Only the end of the output is kept.
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
        while self.tail.len() > room {
            self.tail.pop_front();
        }
        self.tail.extend(end);
        Ok(())
    }

    /// The bytes that can still be written in this call.
    pub(super) fn room_to_write(&self) -> u64 {
        // One more than allowed, so that a flood is an error and not a wait.
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

    fn world() -> VirtualWorld {
        let limits = Limits {
            output_bytes: 10_000,
            ..Limits::default()
        };
        VirtualWorld::new((&limits).into(), Arc::default(), AttemptLog::default())
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
            assert!(world.tail.len() <= OUTPUT_KEPT_BYTES);
            assert!(world.tail.capacity() <= 2 * OUTPUT_KEPT_BYTES);
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
        let first = world.new_handle::<Handle>(Handle::Output).unwrap();
        for _ in 1..HANDLES_MAX {
            world.new_handle::<Handle>(Handle::Output).unwrap();
        }
        let error = world.new_handle::<Handle>(Handle::Output).unwrap_err();
        assert_eq!(class(&error), FailureClass::HostLimit);
        world.release(&first).unwrap();
        world.new_handle::<Handle>(Handle::Output).unwrap();
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
        let draw = |world: &mut VirtualWorld| [world.random_u64(), world.random_u64()];
        let numbers = draw(&mut a);
        assert_eq!(numbers, draw(&mut b));
        assert_ne!(numbers[0], numbers[1]);
    }
}
