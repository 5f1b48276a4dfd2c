//! `wasi:clocks`: virtual time. It begins at the same moment in every instance, and advances a little
//! with every reading, and by the time that is slept.

use super::state::{Handle, VirtualWorld};
use wasmtime::Result;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::DynPollable;
use wasmtime_wasi::p2::bindings::clocks::{monotonic_clock, wall_clock};

/// The start of virtual time, in seconds since 1970: 2025-01-01 00:00 UTC.
const BEGINNING_S: u64 = 1_735_689_600;

const NS_PER_S: u64 = 1_000_000_000;

impl wall_clock::Host for VirtualWorld {
    fn now(&mut self) -> Result<wall_clock::Datetime> {
        self.enter()?;
        let now_ns = self.read_clock();
        Ok(wall_clock::Datetime {
            seconds: BEGINNING_S + now_ns / NS_PER_S,
            nanoseconds: (now_ns % NS_PER_S) as u32,
        })
    }

    fn resolution(&mut self) -> Result<wall_clock::Datetime> {
        self.enter()?;
        Ok(wall_clock::Datetime {
            seconds: 0,
            nanoseconds: self.resolution_ns() as u32,
        })
    }
}

impl monotonic_clock::Host for VirtualWorld {
    fn now(&mut self) -> Result<u64> {
        self.enter()?;
        Ok(self.read_clock())
    }

    fn resolution(&mut self) -> Result<u64> {
        self.enter()?;
        Ok(self.resolution_ns())
    }

    fn subscribe_instant(&mut self, when: u64) -> Result<Resource<DynPollable>> {
        self.enter()?;
        self.new_handle(Handle::ReadyAt(when))
    }

    fn subscribe_duration(&mut self, duration: u64) -> Result<Resource<DynPollable>> {
        self.enter()?;
        let when = self.now_ns().saturating_add(duration);
        self.new_handle(Handle::ReadyAt(when))
    }
}
